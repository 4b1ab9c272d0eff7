/* The whole of a stream as one line: mean power over all transforms, and the largest power of
 * any (dsp/average.h). One thread; create allocates everything.
 */
#ifndef WEIR_DSP_COLLECT_H
#define WEIR_DSP_COLLECT_H

#include "base/status.h"
#include "dsp/spectrum.h"

#include <stddef.h>

typedef struct weir_collect weir_collect;

/* max_bins: of the longest spectrum that will come. */
weir_status weir_collect_create(weir_collect **out, size_t max_bins, weir_error *err);

/* Adds a spectrum, which has the mean and max traces. WEIR_ERR_UNSUPPORTED if its axis is not
 * that of the ones before. */
weir_status weir_collect_add(weir_collect *collect, const weir_spectrum *spectrum, weir_error *err);

/* What was added, as one spectrum with mean and max traces, valid until destroy; NULL if nothing
 * was. Call it once, at the end. */
const weir_spectrum *weir_collect_result(weir_collect *collect);

void weir_collect_destroy(weir_collect *collect); /* NULL does nothing */

#endif
