/* The signals of a recipe as floats, a block at a time. One thread at a time.
 *
 * A block is WEIR_SYNTH_BLOCK samples from a multiple of it on, always made whole, so
 * that the numbers do not depend on how the stream is read.
 */
#ifndef WEIR_CAPTURE_SYNTH_SIGNAL_H
#define WEIR_CAPTURE_SYNTH_SIGNAL_H

#include "capture/synth_recipe.h"

#define WEIR_SYNTH_BLOCK 256

typedef struct weir_synth_signal weir_synth_signal;

/* Borrows the recipe. */
weir_status weir_synth_signal_create(weir_synth_signal **out, const weir_synth_recipe *recipe,
                                     weir_error *err);
void weir_synth_signal_destroy(weir_synth_signal *signal);

/* From here on the receiver is tuned to center_hz. */
void weir_synth_signal_tune(weir_synth_signal *signal, double center_hz);

/* The block's samples of one channel; im only for complex formats. Valid until the next
 * call. */
void weir_synth_signal_block(weir_synth_signal *signal, uint64_t block, unsigned channel,
                             const float **re, const float **im);

/* A random word that belongs to (key, index): splitmix64's finalizer. */
static inline uint64_t weir_synth_hash(uint64_t key, uint64_t index)
{
    uint64_t z = key + index * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
