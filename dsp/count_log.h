/* Clipped and non-finite samples by where they were, for a stage that looks at samples long
 * before the spectra come out that they are part of: what a spectrum is told then depends on
 * positions alone, not on how far ahead the stage was.
 *
 * Samples are counted in blocks, from a multiple of block_samples to the next. One thread;
 * create allocates everything.
 */
#ifndef WEIR_DSP_COUNT_LOG_H
#define WEIR_DSP_COUNT_LOG_H

#include "base/status.h"
#include "dsp/format.h"

#include <stddef.h>
#include <stdint.h>

typedef struct weir_count_log weir_count_log;

/* n_blocks: how many with something in them the stage can be ahead; what is older joins the block
 * after it. */
weir_status weir_count_log_create(weir_count_log **out, const weir_sample_format *format,
                                  unsigned channel, uint64_t block_samples, size_t n_blocks,
                                  weir_error *err);

/* Counts samples [first, first + n); first ascends from call to call. Returns their counts. */
weir_sample_counts weir_count_log_add(weir_count_log *log, uint64_t first, const void *samples,
                                      size_t n);

/* The counts of all blocks that end at end_sample or before, and were not taken yet. */
weir_sample_counts weir_count_log_take(weir_count_log *log, uint64_t end_sample);

void weir_count_log_destroy(weir_count_log *log); /* NULL does nothing */

#endif
