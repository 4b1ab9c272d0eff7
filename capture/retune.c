#include "capture/retune.h"

void weir_retune_begin(weir_retune *retune)
{
    atomic_fetch_add(&retune->generation, 1);
}

void weir_retune_end(weir_retune *retune, double rate_hz, double center_hz, uint64_t settle_samples)
{
    atomic_store(&retune->rate_hz, rate_hz);
    atomic_store(&retune->center_hz, center_hz);
    atomic_store(&retune->settle_samples, settle_samples);
    atomic_fetch_add(&retune->generation, 1);
}

weir_retune_step weir_retune_take(weir_retune *retune, size_t n_samples)
{
    weir_retune_step step = {.drop = n_samples};
    unsigned generation = atomic_load(&retune->generation);
    if (generation % 2) {
        return step;
    }
    if (generation != retune->seen) {
        step.rate_hz = atomic_load(&retune->rate_hz);
        step.center_hz = atomic_load(&retune->center_hz);
        uint64_t settle = atomic_load(&retune->settle_samples);
        if (atomic_load(&retune->generation) != generation) {
            return step; /* the next change has begun: these values may be half of it */
        }
        step.changed = true;
        retune->seen = generation;
        retune->left_to_drop = settle;
    }
    step.drop = retune->left_to_drop < n_samples ? retune->left_to_drop : n_samples;
    retune->left_to_drop -= step.drop;
    return step;
}
