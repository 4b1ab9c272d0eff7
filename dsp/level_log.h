/* Level sums by where the samples were, for what is shown samples before the spectra come out
 * that they are part of: what a result is told depends on positions, not on how far ahead the
 * samples were.
 *
 * Samples are summed in blocks, from a multiple of the block's length to the next. It begins with
 * 64 samples and doubles when there is no room for more blocks: what is taken is right to one
 * part in 500 of what was held at most. One thread; create allocates everything.
 */
#ifndef WEIR_DSP_LEVEL_LOG_H
#define WEIR_DSP_LEVEL_LOG_H

#include "base/status.h"
#include "dsp/levels.h"

#include <stddef.h>
#include <stdint.h>

typedef struct weir_level_log weir_level_log;

weir_status weir_level_log_create(weir_level_log **out, const weir_sample_format *format,
                                  unsigned channel, weir_error *err);

/* Sums samples [first, first + n) of all channels; first ascends from call to call. */
void weir_level_log_add(weir_level_log *log, uint64_t first, const void *samples, size_t n);

/* The sums of all blocks whose last sample lies before end_sample, and that were not taken yet. */
weir_level_sums weir_level_log_take(weir_level_log *log, uint64_t end_sample);

void weir_level_log_destroy(weir_level_log *log); /* NULL does nothing */

#endif
