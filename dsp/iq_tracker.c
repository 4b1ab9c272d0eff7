#include "dsp/iq_tracker.h"

#include <math.h>

/* A block is a small part of the time constant, but long enough for an estimate. */
#define BLOCKS_A_TIME 64
#define LEAST_BLOCK 256
#define MOST_BLOCK 65536
/* What is known of another tuning counts as so much: one block outweighs it. */
#define BLOCKS_KEPT 0.25

void weir_iq_tracker_fix(weir_iq_tracker *tracker, const weir_iq_correction *correction)
{
    *tracker = (weir_iq_tracker){.now = *correction, .next = *correction, .keep = 1};
}

void weir_iq_tracker_follow(weir_iq_tracker *tracker, const weir_iq_stats *seen, double rate_hz,
                            double seconds)
{
    double block = fmin(fmax(rate_hz * seconds / BLOCKS_A_TIME, LEAST_BLOCK), MOST_BLOCK);
    *tracker = (weir_iq_tracker){
        .past = seen ? *seen : (weir_iq_stats){0},
        .block_samples = (size_t)block,
        .keep = exp(-floor(block) / (rate_hz * seconds)),
    };
    (void)weir_iq_estimate(&tracker->past, &tracker->now); /* else the identity */
    tracker->next = tracker->now;
}

/* Nothing to go by (silence) leaves things as they are. */
static void aim(weir_iq_tracker *t)
{
    weir_iq_correction wanted;
    t->now = t->next;
    if (weir_iq_estimate(&t->past, &wanted)) {
        t->next = wanted;
    }
}

static void end_block(weir_iq_tracker *t)
{
    weir_iq_stats *past = &t->past;
    weir_iq_stats_forget(past, t->keep);
    past->weight += t->block.weight;
    past->sum_i += t->block.sum_i;
    past->sum_q += t->block.sum_q;
    past->sum_ii += t->block.sum_ii;
    past->sum_qq += t->block.sum_qq;
    past->sum_iq += t->block.sum_iq;
    t->block = (weir_iq_stats){0};
    t->at = 0;
    aim(t);
}

void weir_iq_tracker_begin(weir_iq_tracker *tracker, bool tuned_elsewhere)
{
    double most = BLOCKS_KEPT * (double)tracker->block_samples;
    if (tracker->block_samples == 0) {
        return;
    }
    if (tracker->at > 0) {
        end_block(tracker);
    }
    if (tuned_elsewhere && tracker->past.weight > most) {
        weir_iq_stats_forget(&tracker->past, most / tracker->past.weight);
    }
    tracker->now = tracker->next; /* nobody sees a jump where samples are missing */
}

/* One sample after the other, so that cuts between calls change no sum. */
static void add_samples(weir_iq_stats *stats, const float *samples, size_t n)
{
    weir_iq_stats s = *stats;
    for (size_t k = 0; k < n; k++) {
        double i = (double)samples[2 * k], q = (double)samples[2 * k + 1];
        s.sum_i += i;
        s.sum_q += q;
        s.sum_ii += i * i;
        s.sum_qq += q * q;
        s.sum_iq += i * q;
    }
    s.weight += (double)n;
    *stats = s;
}

/* The line from a to b, at a sample's own place in the block. */
typedef struct ramp {
    float from, slope;
} ramp;

static ramp ramp_of(const weir_iq_tracker *t, double from, double to)
{
    return (ramp){(float)from, (float)((to - from) / (double)t->block_samples)};
}

/* I stays as it is, less its offset: the first row of the matrix is (1, 0). */
static void apply_ramps(const weir_iq_tracker *t, float *samples, size_t n)
{
    const weir_iq_correction *a = &t->now, *b = &t->next;
    ramp dc_i = ramp_of(t, a->dc_i, b->dc_i), dc_q = ramp_of(t, a->dc_q, b->dc_q);
    ramp m10 = ramp_of(t, a->matrix[1][0], b->matrix[1][0]);
    ramp m11 = ramp_of(t, a->matrix[1][1], b->matrix[1][1]);
    int first = (int)t->at + 1, count = (int)n;
    for (int k = 0; k < count; k++) {
        float place = (float)(first + k);
        float i = samples[2 * k] - (dc_i.from + place * dc_i.slope);
        float q = samples[2 * k + 1] - (dc_q.from + place * dc_q.slope);
        samples[2 * k] = i;
        samples[2 * k + 1] =
            (m10.from + place * m10.slope) * i + (m11.from + place * m11.slope) * q;
    }
}

void weir_iq_tracker_apply(weir_iq_tracker *tracker, float *samples, size_t n_samples)
{
    if (tracker->block_samples == 0) {
        weir_iq_apply(&tracker->next, samples, n_samples);
        return;
    }
    while (n_samples > 0) {
        size_t rest = tracker->block_samples - tracker->at;
        size_t n = n_samples < rest ? n_samples : rest;
        add_samples(&tracker->block, samples, n);
        apply_ramps(tracker, samples, n);
        tracker->at += n;
        if (tracker->at == tracker->block_samples) {
            end_block(tracker);
        }
        samples += 2 * n;
        n_samples -= n;
    }
}
