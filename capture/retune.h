/* A change of setting while samples flow: what the thread that changes it tells the thread
 * that delivers the samples.
 *
 *   changing thread              delivering thread, for every block
 *   weir_retune_begin            weir_retune_take: so many samples to drop before the
 *   (tells the device)           rest is good, and whether rate and centre are new
 *   weir_retune_end
 *
 * Samples between begin and end, and the settling ones after it, are neither of the old
 * setting nor of the new one: they are dropped, counted as lost, and a new segment starts.
 * Changing threads take turns by their own lock; take is lock-free and never waits.
 */
#ifndef WEIR_CAPTURE_RETUNE_H
#define WEIR_CAPTURE_RETUNE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_retune {
    atomic_uint generation; /* odd: a change is going on */
    _Atomic double rate_hz, center_hz;
    atomic_uint_fast64_t settle_samples;
    /* The delivering thread's own. */
    unsigned seen;
    uint64_t left_to_drop;
} weir_retune;

typedef struct weir_retune_step {
    uint64_t drop; /* the first so many of the block                                 */
    bool changed;  /* they, and what follows, have this rate and centre              */
    double rate_hz, center_hz;
} weir_retune_step;

void weir_retune_begin(weir_retune *retune);
/* What holds from now on, and how many samples it takes until they are good. */
void weir_retune_end(weir_retune *retune, double rate_hz, double center_hz,
                     uint64_t settle_samples);
weir_retune_step weir_retune_take(weir_retune *retune, size_t n_samples);

#endif
