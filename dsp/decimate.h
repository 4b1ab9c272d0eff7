/* Decimating filters for complex samples: half-band stages by 2, and a FIR by any factor.
 *
 * Linear phase, Kaiser design: stop band below -110 dB, pass band flat to 1e-4 dB. Samples
 * are planar (re and im apart). A filter gives no output before it has seen as many inputs
 * as it has taps, so nothing is made up at the start: output m is centred on input
 * m * factor + delay since create or reset. How the input is cut changes no bit of the
 * output: every sample goes through the same instructions.
 *
 * One thread per object; create allocates, push does not.
 */
#ifndef WEIR_DSP_DECIMATE_H
#define WEIR_DSP_DECIMATE_H

#include "base/status.h"

#include <stddef.h>

/* Outputs are computed in tiles: out arrays need room for this many more. */
#define WEIR_DECIMATE_SLACK 16

typedef struct weir_halfband weir_halfband;
typedef struct weir_decimator weir_decimator;

/* By 2. pass_edge: the highest frequency to keep, as a part of the input rate, below 0.25;
 * what would alias onto 0 .. pass_edge is stopped. max_push: most samples of one push. */
weir_status weir_halfband_create(weir_halfband **out, double pass_edge, size_t max_push,
                                 weir_error *err);
/* Returns how many samples it wrote, at most n/2 + 1. out may be the input arrays. */
size_t weir_halfband_push(weir_halfband *filter, const float *re, const float *im, size_t n,
                          float *out_re, float *out_im);
size_t weir_halfband_delay(const weir_halfband *filter); /* in input samples */
void weir_halfband_reset(weir_halfband *filter);
void weir_halfband_destroy(weir_halfband *filter); /* NULL does nothing */

/* By a factor >= 2. pass_edge and stop_edge as parts of the *output* rate, stop_edge > pass_edge.
 */
weir_status weir_decimator_create(weir_decimator **out, size_t factor, double pass_edge,
                                  double stop_edge, size_t max_push, weir_error *err);
/* At most n/factor + 1 samples. out may be the input arrays. */
size_t weir_decimator_push(weir_decimator *filter, const float *re, const float *im, size_t n,
                           float *out_re, float *out_im);
size_t weir_decimator_delay(const weir_decimator *filter); /* in input samples */
void weir_decimator_reset(weir_decimator *filter);
void weir_decimator_destroy(weir_decimator *filter); /* NULL does nothing */

#endif
