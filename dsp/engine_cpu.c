/* The CPU engine. A push takes pieces of work from the framer, a batch at a time. Each
 * worker turns its pieces' frames into partial sums ("slots", one per block of frames);
 * then the calling thread adds up the slots in order and delivers. So the order of every
 * sum is fixed by the stream alone:
 *
 *   frames -> float line of a block (at most 64 frames) -> double line of the spectrum
 *
 * A spectrum that fits into one block never goes through the double line. */
#include "dsp/correct.h"
#include "dsp/engine.h"
#include "dsp/fft_plan.h"
#include "dsp/framer.h"
#include "dsp/kernels_cpu.h"
#include "dsp/pool.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK_FRAMES = 64, MIN_BLOCK_FRAMES = 2, MAX_SLOTS = 4096, MAX_THREADS = 1024 };
#define BLOCK_SAMPLES ((size_t)1 << 17)   /* a block is about that much work   */
#define SLOT_BYTES_EACH ((size_t)4 << 20) /* lines in memory, per worker       */
#define CLAIM_SAMPLES ((size_t)1 << 15)   /* work worth an atomic operation    */

typedef struct job {
    weir_piece piece;
    const uint8_t *raw; /* all channels, from the first frame on */
    const weir_fft_plan *plan;
    size_t slot;
    weir_sample_counts counts;
} job;

typedef struct worker {
    float *in, *out; /* one frame before and after the transform */
    float *line[WEIR_TRACE_COUNT];
} worker;

typedef struct cpu_engine {
    weir_engine base;
    weir_sample_format format;
    unsigned channel, traces;
    size_t n_fft, hop, n_bins, parts, stride_bytes;
    double alpha;
    bool detrend, iq_swap, corrects_iq;
    weir_iq_correction iq; /* with corrects_iq */
    weir_on_spectrum *on_spectrum;
    bool (*gives_up)(void *user); /* or NULL */
    void *user;

    const weir_cpu_kernels *kernels;
    weir_unpack_kernel *unpack; /* NULL: by weir_format_unpack, then multiply */
    float zero;
    float *weight; /* window and scale, per component              */
    float *unit;   /* 1, to unpack without a window; detrend only  */
    double raw_scale;

    weir_framer *framer;
    weir_fft *fft;
    const weir_fft_plan *plan; /* of the spectrum being filled */
    weir_pool *pool;
    unsigned n_workers;
    worker *workers;

    job *jobs;
    size_t n_jobs, n_slots, last_slot;
    bool block_open;
    size_t line_floats;
    float *slots; /* n_slots * n_traces lines */
    unsigned trace_place[WEIR_TRACE_COUNT], n_traces;

    /* The spectrum being filled, in order of the transform's bins. */
    double *mean;
    float *extreme[WEIR_TRACE_COUNT]; /* max and min                          */
    float *shown[WEIR_TRACE_COUNT];   /* as delivered                         */
    bool filled;                      /* some block is in mean and extreme    */
    uint64_t block_frames_done;       /* frames of the open block             */
    bool block_restarts;
    weir_sample_counts counts;

    char description[64];
} cpu_engine;

static bool has_trace(const cpu_engine *e, weir_trace trace)
{
    return (e->traces & WEIR_TRACE_BIT(trace)) != 0;
}

static float *slot_line(const cpu_engine *e, size_t slot, weir_trace trace)
{
    return e->slots + (slot * e->n_traces + e->trace_place[trace]) * e->line_floats;
}

/* ---- one frame ---- */

static void unpack(const cpu_engine *e, const uint8_t *raw, const float *weight, float *out)
{
    size_t n = e->n_fft * e->parts;
    if (e->unpack) {
        e->unpack(raw, e->zero, weight, out, n);
        return;
    }
    weir_format_unpack(&e->format, e->channel, raw, e->n_fft, out);
    if (e->corrects_iq) {
        weir_iq_apply(&e->iq, out, e->n_fft);
    }
    if (weight != e->unit) {
        e->kernels->multiply(out, weight, n);
    }
}

static void unpack_detrended(const cpu_engine *e, const uint8_t *raw, float *out)
{
    double sums[2];
    unpack(e, raw, e->unit, out);
    e->kernels->sum(out, e->n_fft * e->parts, sums);
    double n = (double)e->n_fft;
    float mean[2] = {(float)(sums[0] / n), (float)(sums[1] / n)};
    if (e->parts == 1) {
        mean[0] = mean[1] = (float)((sums[0] + sums[1]) / n);
    }
    e->kernels->detrend(out, mean, e->weight, e->n_fft * e->parts);
}

static void transform(const cpu_engine *e, const job *j, worker *w, size_t frame)
{
    const uint8_t *raw = j->raw + frame * e->hop * e->stride_bytes;
    if (e->detrend) {
        unpack_detrended(e, raw, w->in);
    } else {
        unpack(e, raw, e->weight, w->in);
    }
    weir_fft_execute(j->plan, w->in, w->out);
}

static void count(const cpu_engine *e, job *j, size_t frame)
{
    size_t n_new = frame == 0 ? j->piece.n_new_first : j->piece.n_new_each;
    size_t from = frame * e->hop + e->n_fft - n_new;
    weir_format_count(&e->format, e->channel, j->raw + from * e->stride_bytes, n_new, &j->counts);
}

/* The first frame of a block starts its lines anew, the others go on. Exponential:
 * S = (1-a) S + a P, where the very first frame has all the weight. */
static void accumulate(const cpu_engine *e, const float *x, float *const *line, bool is_first,
                       bool restarts)
{
    const weir_cpu_kernels *k = e->kernels;
    const size_t n = e->n_bins;
    const float alpha = (float)e->alpha;
    const bool plain = e->alpha == 0;
    if (has_trace(e, WEIR_TRACE_MEAN)) {
        if (is_first) {
            k->power_store(x, line[WEIR_TRACE_MEAN], n, 0, restarts || plain ? 1 : alpha);
        } else if (plain) {
            k->power_add(x, line[WEIR_TRACE_MEAN], n, 0, 0);
        } else {
            k->power_decay(x, line[WEIR_TRACE_MEAN], n, (float)(1 - e->alpha), alpha);
        }
    }
    if (has_trace(e, WEIR_TRACE_MAX)) {
        (is_first ? k->power_store : k->power_max)(x, line[WEIR_TRACE_MAX], n, 0, 1);
    }
    if (has_trace(e, WEIR_TRACE_MIN)) {
        (is_first ? k->power_store : k->power_min)(x, line[WEIR_TRACE_MIN], n, 0, 1);
    }
}

/* ---- finished lines: in ascending frequency, one-sided power doubled ---- */

static float one_sided(const cpu_engine *e, size_t bin)
{
    bool is_single = bin == 0 || 2 * bin == e->n_fft; /* DC and Nyquist have no mirror */
    return e->parts == 2 || is_single ? 1.0f : 2.0f;
}

/* Exchanging I and Q turns x into i conj(x), whose power is that of x mirrored. */
static size_t source_bin(const cpu_engine *e, size_t k)
{
    size_t n = e->n_fft, half = n / 2;
    size_t bin = (k + n - half) % n;
    return e->iq_swap ? (n - bin) % n : bin;
}

/* The bin of the transform that finished lines show at k. */
static size_t bin_shown_at(const cpu_engine *e, size_t k)
{
    return e->parts == 1 ? k : source_bin(e, k);
}

static void finish_floats(const cpu_engine *e, const float *line, float gain, float *out)
{
    size_t n = e->n_bins, half = e->n_fft / 2;
    if (e->parts == 1) {
        for (size_t k = 0; k < n; k++) {
            out[k] = line[k] * (2 * gain);
        }
        out[0] = line[0] * gain;
        out[half] = line[half] * (gain * one_sided(e, half));
    } else if (e->iq_swap) {
        for (size_t k = 0; k < n; k++) {
            out[k] = line[source_bin(e, k)] * gain;
        }
    } else {
        for (size_t k = 0; k < half; k++) {
            out[k] = line[n - half + k] * gain;
        }
        for (size_t k = half; k < n; k++) {
            out[k] = line[k - half] * gain;
        }
    }
}

static void finish_doubles(const cpu_engine *e, const double *line, double gain, float *out)
{
    for (size_t k = 0; k < e->n_bins; k++) {
        double power = line[bin_shown_at(e, k)] * (double)one_sided(e, k);
        out[k] = (float)(power * gain);
    }
}

static float mean_gain(const cpu_engine *e, uint64_t n_frames)
{
    return e->alpha > 0 ? 1.0f : (float)(1.0 / (double)n_frames);
}

/* ---- the workers' part ---- */

/* A spectrum that is one piece, so that the worker can finish it by itself. */
static bool is_whole(const cpu_engine *e, const weir_piece *piece)
{
    return piece->begins_spectrum && piece->ends_spectrum && e->alpha == 0;
}

static void run_job(void *user, unsigned worker_number, size_t item)
{
    cpu_engine *e = user;
    worker *w = &e->workers[worker_number];
    job *j = &e->jobs[item];
    bool whole = is_whole(e, &j->piece);
    float *line[WEIR_TRACE_COUNT];
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        line[t] = whole ? w->line[t] : slot_line(e, j->slot, (weir_trace)t);
    }
    for (size_t i = 0; i < j->piece.n_frames; i++) {
        bool is_first = i == 0 && j->piece.begins_block;
        transform(e, j, w, i);
        count(e, j, i);
        accumulate(e, w->out, line, is_first, j->piece.restarts_average);
    }
    for (int t = 0; whole && t < WEIR_TRACE_COUNT; t++) {
        if (has_trace(e, (weir_trace)t)) {
            float gain = t == WEIR_TRACE_MEAN ? mean_gain(e, j->piece.n_frames) : 1.0f;
            finish_floats(e, line[t], gain, slot_line(e, j->slot, (weir_trace)t));
        }
    }
}

/* ---- the calling thread's part ---- */

/* E after n frames = (1-a)^n E + S. */
static void merge_mean(cpu_engine *e, const float *line)
{
    double *mean = e->mean;
    double keep = 0;
    if (e->alpha > 0) {
        keep = e->block_restarts ? 0 : pow(1 - e->alpha, (double)e->block_frames_done);
    } else if (e->filled) {
        keep = 1;
    }
    if (keep == 0) { /* what is there may be nothing yet */
        for (size_t k = 0; k < e->n_bins; k++) {
            mean[k] = (double)line[k];
        }
        return;
    }
    for (size_t k = 0; k < e->n_bins; k++) {
        mean[k] = keep * mean[k] + (double)line[k];
    }
}

static void merge_extremes(cpu_engine *e)
{
    for (int t = WEIR_TRACE_MAX; t <= WEIR_TRACE_MIN; t++) {
        if (!has_trace(e, (weir_trace)t)) {
            continue;
        }
        const float *line = slot_line(e, e->last_slot, (weir_trace)t);
        float *extreme = e->extreme[t];
        if (!e->filled) {
            memcpy(extreme, line, e->n_bins * sizeof *line);
            continue;
        }
        for (size_t k = 0; k < e->n_bins; k++) {
            bool replace = t == WEIR_TRACE_MAX ? line[k] > extreme[k] : line[k] < extreme[k];
            extreme[k] = replace ? line[k] : extreme[k];
        }
    }
}

static void merge_block(cpu_engine *e)
{
    if (has_trace(e, WEIR_TRACE_MEAN)) {
        merge_mean(e, slot_line(e, e->last_slot, WEIR_TRACE_MEAN));
    }
    merge_extremes(e);
    e->filled = true;
}

static void finish_from_slot(cpu_engine *e, uint64_t n_frames)
{
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        if (has_trace(e, (weir_trace)t)) {
            float gain = t == WEIR_TRACE_MEAN ? mean_gain(e, n_frames) : 1.0f;
            finish_floats(e, slot_line(e, e->last_slot, (weir_trace)t), gain, e->shown[t]);
        }
    }
}

static void finish_from_sums(cpu_engine *e, uint64_t n_frames)
{
    if (has_trace(e, WEIR_TRACE_MEAN)) {
        double gain = e->alpha > 0 ? 1.0 : 1.0 / (double)n_frames;
        finish_doubles(e, e->mean, gain, e->shown[WEIR_TRACE_MEAN]);
    }
    for (int t = WEIR_TRACE_MAX; t <= WEIR_TRACE_MIN; t++) {
        if (has_trace(e, (weir_trace)t)) {
            finish_floats(e, e->extreme[t], 1.0f, e->shown[t]);
        }
    }
}

static void deliver(cpu_engine *e, const weir_piece *piece)
{
    weir_spectrum spectrum = piece->spectrum;
    bool whole = is_whole(e, piece);
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        const float *line = whole ? slot_line(e, e->last_slot, (weir_trace)t) : e->shown[t];
        spectrum.power[t] = has_trace(e, (weir_trace)t) ? line : NULL;
    }
    spectrum.clipped = e->counts.clipped;
    spectrum.nonfinite = e->counts.nonfinite;
    e->on_spectrum(e->user, &spectrum);
    e->counts = (weir_sample_counts){0, 0};
    e->filled = false;
}

/* Takes in the next job's result. The jobs of a batch come in order. */
static void settle(cpu_engine *e, const job *j)
{
    const weir_piece *piece = &j->piece;
    if (piece->n_frames > 0) {
        e->last_slot = j->slot;
        if (piece->begins_block) {
            e->block_frames_done = 0;
            e->block_restarts = false;
        }
        e->block_frames_done += piece->n_frames;
        e->block_restarts |= piece->restarts_average;
        e->counts.clipped += j->counts.clipped;
        e->counts.nonfinite += j->counts.nonfinite;
        weir_framer_add_counts(e->framer, j->counts.clipped, j->counts.nonfinite);
    }
    bool whole = is_whole(e, piece);
    bool one_block = piece->ends_block && piece->ends_spectrum && !e->filled && e->alpha == 0;
    if (piece->ends_block && !one_block) {
        merge_block(e);
    }
    if (piece->ends_spectrum) {
        if (!whole && one_block) {
            finish_from_slot(e, piece->spectrum.n_frames);
        } else if (!whole) {
            finish_from_sums(e, piece->spectrum.n_frames);
        }
        deliver(e, piece);
    }
}

/* ---- batches ---- */

static void add_job(cpu_engine *e, const weir_piece *piece, const weir_run *run, size_t *slot)
{
    job *j = &e->jobs[e->n_jobs++];
    j->piece = *piece;
    j->counts = (weir_sample_counts){0, 0};
    j->raw = NULL;
    if (run && piece->n_frames > 0) {
        size_t from = (size_t)(piece->first_sample - run->first_sample);
        j->raw = (const uint8_t *)run->samples + from * e->stride_bytes;
    }
    if (piece->begins_spectrum) { /* one plan per spectrum */
        e->plan = weir_fft_current(e->fft);
    }
    if (piece->begins_block) {
        *slot = (*slot + 1) % e->n_slots;
    }
    j->plan = e->plan;
    j->slot = *slot;
}

/* Pieces until the framer has no more or each slot is in use (one may be from before). */
static void collect(cpu_engine *e, const weir_run *run)
{
    weir_piece piece;
    size_t slot = e->last_slot;
    e->n_jobs = 0;
    while (e->n_jobs + 1 < e->n_slots && weir_framer_next(e->framer, &piece)) {
        add_job(e, &piece, run, &slot);
    }
}

static void work(cpu_engine *e, const weir_run *run)
{
    for (;;) {
        if (e->gives_up && e->gives_up(e->user)) {
            weir_framer_give_up(e->framer);
        }
        collect(e, run);
        if (e->n_jobs == 0) {
            return;
        }
        size_t samples = 0;
        for (size_t i = 0; i < e->n_jobs; i++) {
            samples += e->jobs[i].piece.n_frames * e->n_fft;
        }
        size_t each = samples / e->n_jobs + 1;
        size_t chunk = each >= CLAIM_SAMPLES ? 1 : CLAIM_SAMPLES / each;
        weir_pool_run(e->pool, e->n_jobs, chunk);
        for (size_t i = 0; i < e->n_jobs; i++) {
            settle(e, &e->jobs[i]);
        }
    }
}

/* ---- the contract ---- */

static weir_status cpu_push(weir_engine *engine, const weir_run *run, size_t *released,
                            weir_error *err)
{
    cpu_engine *e = (cpu_engine *)engine;
    *released = 0;
    weir_status status = weir_framer_push(e->framer, run, err);
    if (status) {
        return status;
    }
    work(e, run);
    *released = (size_t)(weir_framer_needed_from(e->framer) - run->first_sample);
    return WEIR_OK;
}

static bool cpu_busy(const weir_engine *engine)
{
    (void)engine;
    return false; /* push waits for its workers */
}

static weir_status cpu_flush(weir_engine *engine, uint64_t lost_at_end, weir_error *err)
{
    cpu_engine *e = (cpu_engine *)engine;
    (void)err;
    weir_framer_flush(e->framer, lost_at_end);
    work(e, NULL); /* every frame is done already: only spectra end here */
    return WEIR_OK;
}

static void cpu_totals(const weir_engine *engine, weir_totals *totals)
{
    weir_framer_totals(((const cpu_engine *)engine)->framer, totals);
}

static const char *cpu_describe(const weir_engine *engine)
{
    return ((const cpu_engine *)engine)->description;
}

static void cpu_destroy(weir_engine *engine)
{
    cpu_engine *e = (cpu_engine *)engine;
    weir_pool_destroy(e->pool);
    weir_fft_destroy(e->fft);
    weir_framer_destroy(e->framer);
    for (unsigned i = 0; e->workers && i < e->n_workers; i++) {
        weir_fft_free(e->workers[i].in);
        weir_fft_free(e->workers[i].out);
        for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
            weir_fft_free(e->workers[i].line[t]);
        }
    }
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        weir_fft_free(e->extreme[t]);
        weir_fft_free(e->shown[t]);
    }
    weir_fft_free(e->slots);
    weir_fft_free(e->weight);
    weir_fft_free(e->unit);
    free(e->mean);
    free(e->jobs);
    free(e->workers);
    free(e);
}

static const weir_engine_class cpu_class = {
    .name = "cpu",
    .push = cpu_push,
    .busy = cpu_busy,
    .flush = cpu_flush,
    .totals = cpu_totals,
    .describe = cpu_describe,
    .destroy = cpu_destroy,
};

/* ---- create ---- */

static unsigned usable_cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

static void choose_unpack(cpu_engine *e)
{
    static const struct {
        weir_scalar scalar;
        double zero, divisor;
    } direct[] = {
        {WEIR_U8, 127.5, 127.5}, {WEIR_U8_AUDIO, 128, 128}, {WEIR_S8, 0, 128},
        {WEIR_S16LE, 0, 32768},  {WEIR_F32LE, 0, 1},
    };
    e->raw_scale = 1;
    bool is_plain = e->format.channels == 1 && !e->corrects_iq;
    for (size_t i = 0; is_plain && i < sizeof direct / sizeof *direct; i++) {
        if (direct[i].scalar == e->format.scalar) {
            weir_unpack_kernel *const kernel[] = {e->kernels->unpack_u8, e->kernels->unpack_u8,
                                                  e->kernels->unpack_s8, e->kernels->unpack_s16,
                                                  e->kernels->unpack_f32};
            e->unpack = kernel[i];
            e->zero = (float)direct[i].zero;
            e->raw_scale = 1 / direct[i].divisor;
        }
    }
}

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void copy_config(cpu_engine *e, const weir_engine_config *config)
{
    e->format = config->format;
    e->channel = config->channel;
    e->traces = config->traces;
    e->n_fft = config->n_fft;
    e->hop = config->hop;
    e->alpha = config->exponential_alpha;
    e->detrend = config->detrend;
    e->iq_swap = config->iq_swap && config->format.is_complex;
    e->corrects_iq = weir_engine_corrects_iq(config);
    memcpy(e->iq.matrix, config->iq_matrix, sizeof e->iq.matrix);
    e->iq.dc_i = config->iq_offset[0];
    e->iq.dc_q = config->iq_offset[1];
    e->on_spectrum = config->on_spectrum;
    e->gives_up = config->gives_up;
    e->user = config->user;
    e->parts = config->format.is_complex ? 2 : 1;
    e->n_bins = config->format.is_complex ? config->n_fft : config->n_fft / 2 + 1;
    e->stride_bytes = weir_format_stride_bytes(&config->format);
    e->line_floats = (e->n_bins + 15) / 16 * 16; /* keeps every line aligned */
    e->n_workers = config->threads ? config->threads : usable_cores();
    e->kernels = weir_cpu_kernels_best();
    for (unsigned t = 0; t < WEIR_TRACE_COUNT; t++) {
        e->trace_place[t] = e->n_traces;
        e->n_traces += has_trace(e, (weir_trace)t);
    }
    size_t slot_bytes = e->n_traces * e->line_floats * sizeof(float);
    size_t fitting = slot_bytes > 0 ? e->n_workers * SLOT_BYTES_EACH / slot_bytes : 0;
    e->n_slots = clamp(fitting, 2 * (size_t)e->n_workers + 1, MAX_SLOTS);
    choose_unpack(e);
    snprintf(e->description, sizeof e->description, "CPU, %u thread%s, %s", e->n_workers,
             e->n_workers == 1 ? "" : "s", e->kernels->name);
}

/* Window coefficients with everything constant folded in: the raw scale, and 1/sum(w). */
static bool fill_weights(cpu_engine *e, const weir_engine_config *config)
{
    size_t n = e->n_fft * e->parts;
    e->weight = weir_fft_alloc(n);
    e->unit = e->detrend ? weir_fft_alloc(n) : NULL;
    if (!e->weight || (e->detrend && !e->unit)) {
        return false;
    }
    double sum = 0;
    for (size_t i = 0; i < e->n_fft; i++) {
        sum += config->window[i];
    }
    for (size_t i = 0; i < n; i++) {
        e->weight[i] = (float)(config->window[i / e->parts] / sum * e->raw_scale);
        if (e->unit) {
            e->unit[i] = 1;
        }
    }
    return true;
}

static bool allocate_worker(const cpu_engine *e, worker *w)
{
    size_t n = 2 * e->n_fft + 2;
    w->in = weir_fft_alloc(n);
    w->out = weir_fft_alloc(n);
    bool complete = w->in && w->out;
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        if (has_trace(e, (weir_trace)t)) {
            w->line[t] = weir_fft_alloc(e->line_floats);
            complete = complete && w->line[t];
        }
    }
    return complete;
}

static bool allocate(cpu_engine *e)
{
    e->workers = calloc(e->n_workers, sizeof *e->workers);
    e->jobs = calloc(e->n_slots, sizeof *e->jobs);
    e->mean = calloc(e->n_bins, sizeof *e->mean);
    e->slots = weir_fft_alloc(e->n_slots * e->n_traces * e->line_floats);
    bool complete = e->workers && e->jobs && e->mean && e->slots;
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        if (has_trace(e, (weir_trace)t)) {
            e->shown[t] = weir_fft_alloc(e->line_floats);
            e->extreme[t] = weir_fft_alloc(e->line_floats);
            complete = complete && e->shown[t] && e->extreme[t];
        }
    }
    for (unsigned i = 0; complete && i < e->n_workers; i++) {
        complete = allocate_worker(e, &e->workers[i]);
    }
    return complete;
}

static weir_status build(cpu_engine *e, const weir_engine_config *config, weir_error *err)
{
    size_t block = clamp(BLOCK_SAMPLES / e->n_fft, MIN_BLOCK_FRAMES, MAX_BLOCK_FRAMES);
    if (!allocate(e) || !fill_weights(e, config)) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %u workers with %zu points",
                         e->n_workers, e->n_fft);
    }
    weir_status status = weir_framer_create(&e->framer, config, block, false, err);
    if (!status) {
        status = weir_fft_create(&e->fft, e->n_fft, e->format.is_complex, config->plan,
                                 config->wisdom_path, err);
    }
    if (!status) {
        e->plan = weir_fft_current(e->fft);
        status = weir_pool_create(&e->pool, e->n_workers, run_job, e, err);
    }
    return status;
}

weir_status weir_engine_cpu_create(weir_engine **out, const weir_engine_config *config,
                                   weir_error *err)
{
    *out = NULL;
    weir_status status = weir_engine_check_config(config, err);
    if (status) {
        return status;
    }
    if (config->threads > MAX_THREADS) {
        return weir_fail(err, WEIR_ERR_USAGE, "threads: %u is more than %d", config->threads,
                         MAX_THREADS);
    }
    cpu_engine *e = calloc(1, sizeof *e);
    if (!e) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for the engine");
    }
    e->base.class_ = &cpu_class;
    copy_config(e, config);
    status = build(e, config, err);
    if (status) {
        cpu_destroy(&e->base);
        return status;
    }
    *out = &e->base;
    return WEIR_OK;
}

/* ---- going on for another engine ---- */

static void take_lines(cpu_engine *e, const weir_engine_state *state)
{
    const float *extreme[WEIR_TRACE_COUNT] = {NULL, state->max, state->min};
    for (size_t k = 0; k < e->n_bins; k++) {
        size_t bin = bin_shown_at(e, k);
        if (has_trace(e, WEIR_TRACE_MEAN)) {
            e->mean[bin] = state->mean[k] / (double)one_sided(e, k);
        }
        for (int t = WEIR_TRACE_MAX; t <= WEIR_TRACE_MIN; t++) {
            if (has_trace(e, (weir_trace)t)) {
                e->extreme[t][bin] = extreme[t][k] / one_sided(e, k);
            }
        }
    }
}

weir_status weir_engine_cpu_resume(weir_engine **out, const weir_engine_config *config,
                                   const weir_engine_state *state, weir_error *err)
{
    weir_status status = weir_engine_cpu_create(out, config, err);
    if (status) {
        return status;
    }
    cpu_engine *e = (cpu_engine *)*out;
    weir_framer_copy(e->framer, state->framer);
    bool is_open = weir_framer_open_frames(e->framer) > 0;
    bool has_average = e->alpha > 0 && weir_framer_has_average(e->framer);
    if (is_open || has_average) {
        take_lines(e, state);
    }
    e->filled = is_open;
    e->counts = state->counts;
    return WEIR_OK;
}
