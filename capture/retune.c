#include "capture/retune.h"

#include "capture/device_thread.h"

#include <math.h>
#include <string.h>

void weir_retune_begin(weir_retune *retune)
{
    if (atomic_load(&retune->arrived) == atomic_load(&retune->generation)) {
        atomic_store(&retune->begun_ns, weir_now_ns()); /* else spoilt since the last change */
    }
    atomic_fetch_add(&retune->generation, 1);
}

void weir_retune_end(weir_retune *retune, double rate_hz, double center_hz, double settle_seconds)
{
    atomic_store(&retune->rate_hz, rate_hz);
    atomic_store(&retune->center_hz, center_hz);
    atomic_store(&retune->good_ns, weir_now_ns() + llrint(settle_seconds * 1e9));
    atomic_fetch_add(&retune->generation, 1);
}

void weir_retune_start(weir_retune *retune, double rate_hz)
{
    weir_sample_clock_start(&retune->clock, rate_hz);
    retune->is_dropping = false;
}

/* Finds where the samples to drop begin; so many of this block come before. From there on the
 * rate is not known, and the clock learns nothing. */
static size_t kept(weir_retune *retune, size_t n_samples, int64_t now_ns)
{
    uint64_t first = retune->clock.n_samples;
    if (!retune->is_dropping) {
        retune->spoilt = weir_sample_clock_at(&retune->clock, atomic_load(&retune->begun_ns));
        retune->is_dropping = retune->spoilt < first + n_samples;
    }
    if (!retune->is_dropping) {
        weir_sample_clock_arrived(&retune->clock, n_samples, now_ns);
        return n_samples;
    }
    weir_sample_clock_lost(&retune->clock, n_samples);
    return retune->spoilt > first ? (size_t)(retune->spoilt - first) : 0;
}

/* The first sample of the new setting: after as many spoilt ones as can be, by the old rate or
 * by the new one. */
static uint64_t first_good(const weir_retune *retune, double rate_hz)
{
    int64_t ns = atomic_load(&retune->good_ns) - atomic_load(&retune->begun_ns);
    return retune->spoilt + weir_samples_in_ns(ns, fmax(rate_hz, retune->clock.rate_hz));
}

weir_retune_step weir_retune_take(weir_retune *retune, size_t n_samples, int64_t now_ns)
{
    weir_retune_step step = {.keep = n_samples};
    unsigned generation = atomic_load(&retune->generation);
    if (generation == atomic_load(&retune->arrived)) {
        weir_sample_clock_arrived(&retune->clock, n_samples, now_ns);
        return step;
    }
    uint64_t first = retune->clock.n_samples;
    step.keep = kept(retune, n_samples, now_ns);
    step.drop = n_samples - step.keep;
    step.rate_hz = atomic_load(&retune->rate_hz);
    step.center_hz = atomic_load(&retune->center_hz);
    uint64_t good = first_good(retune, step.rate_hz);
    if (step.keep > 0 || generation % 2 || good >= first + n_samples ||
        atomic_load(&retune->generation) != generation) {
        return step; /* not yet; or the next change has begun, and these values are half of it */
    }
    step.drop = good > first ? (size_t)(good - first) : 0;
    step.changed = true;
    atomic_store(&retune->arrived, generation);
    retune->is_dropping = false;
    if (step.rate_hz != retune->clock.rate_hz) {
        weir_retune_start(retune, step.rate_hz);
        weir_sample_clock_arrived(&retune->clock, n_samples - step.drop, now_ns);
    }
    return step;
}

/* ---- sources that are read ---- */

void weir_retune_lost(weir_retune_marks *marks, uint64_t n_samples)
{
    marks->lost += n_samples;
    marks->new_segment = true;
}

void weir_retune_absence(weir_retune_marks *marks, weir_absence *absence, uint64_t n_samples,
                         int64_t now_ns)
{
    uint64_t missing = weir_absence_more(absence, n_samples, now_ns);
    if (missing > 0) {
        weir_retune_lost(marks, missing);
    }
}

size_t weir_retune_cut(weir_retune *retune, weir_retune_marks *marks, void *memory,
                       size_t n_samples, size_t stride_bytes)
{
    if (n_samples == 0) {
        return 0;
    }
    weir_retune_step step = weir_retune_take(retune, n_samples, weir_now_ns());
    if (step.keep > 0) {
        marks->lost_after = step.drop;
        return step.keep;
    }
    if (step.changed) {
        marks->rate_hz = step.rate_hz;
        marks->center_hz = step.center_hz;
        marks->new_segment = true;
    }
    if (step.drop > 0) {
        char *bytes = memory;
        weir_retune_lost(marks, step.drop);
        memmove(bytes, bytes + step.drop * stride_bytes, (n_samples - step.drop) * stride_bytes);
    }
    return n_samples - step.drop;
}

void weir_retune_report(weir_retune_marks *marks, size_t n_samples, weir_read *result)
{
    *result = (weir_read){
        .n_samples = n_samples,
        .new_segment = marks->new_segment,
        .lost_before = marks->lost,
        .rate_hz = marks->rate_hz,
        .center_hz = marks->center_hz,
        .time_unix_ns = WEIR_UNKNOWN_TIME,
    };
    marks->new_segment = marks->lost_after > 0;
    marks->lost = marks->lost_after;
    marks->lost_after = 0;
}
