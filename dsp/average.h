/* Averaging and holding of spectra after the engine: seconds instead of frames.
 *
 * Always of linear power. One thread; create allocates everything. What add and flush
 * return is a spectrum like the engine's, with one trace, owned by the average and valid
 * until its next call: it counts frames, losses, clipped samples of all that it holds.
 *
 *   mean        of T seconds: one spectrum out for as many in as together span at least
 *               T, weighted by their frames
 *   exponential E += alpha (P - E), alpha = 1 - exp(-t/T), t the time from the last
 *               spectrum's end to this one's; starts at the first spectrum; one out per in
 *   max, min    since the reset; one out per in
 *
 * A change of the axis (start, step, number of bins) starts anew; a mean that was not
 * complete then is lost to the output, as a gap would be (call flush before, to get it).
 */
#ifndef WEIR_DSP_AVERAGE_H
#define WEIR_DSP_AVERAGE_H

#include "base/status.h"
#include "dsp/spectrum.h"

#include <stddef.h>

typedef enum weir_average_mode {
    WEIR_AVERAGE_MEAN,
    WEIR_AVERAGE_EXPONENTIAL,
    WEIR_AVERAGE_MAX,
    WEIR_AVERAGE_MIN,
    WEIR_AVERAGE_COUNT
} weir_average_mode;

typedef struct weir_average weir_average;

/* seconds: T of the mean and the exponential (> 0); not used otherwise. max_bins: the
 * longest spectrum that will come. */
weir_status weir_average_create(weir_average **out, weir_average_mode mode, double seconds,
                                size_t max_bins, weir_error *err);

/* A mean that ends by transforms, not by seconds: as soon as it has so many. */
void weir_average_set_frames(weir_average *average, uint64_t frames);
size_t weir_average_max_bins(const weir_average *average);

/* Adds one trace of a spectrum. Returns the result, or NULL if a mean is not complete yet. */
const weir_spectrum *weir_average_add(weir_average *average, const weir_spectrum *spectrum,
                                      weir_trace trace);

/* An incomplete mean, as is_partial; NULL if there is nothing in it. */
const weir_spectrum *weir_average_flush(weir_average *average);

/* Likewise, but the mean goes on. */
const weir_spectrum *weir_average_so_far(weir_average *average);

void weir_average_reset(weir_average *average);
void weir_average_destroy(weir_average *average); /* NULL does nothing */

#endif
