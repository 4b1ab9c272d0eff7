/* A double-precision complex FFT of any length, for figures, windows and tests.
 *
 * Plain and exact rather than fast (the engines have their own transforms): radix 2
 * for powers of two, Bluestein's chirp for every other length. Error about 1e-16
 * relative to the norm, growing with log n.
 *
 * A plan holds scratch memory, so one thread at a time may use it. create is the only
 * function that allocates. Data are interleaved: re, im, re, im ...
 */
#ifndef WEIR_DSP_FFT_F64_H
#define WEIR_DSP_FFT_F64_H

#include "base/status.h"

#include <stddef.h>

typedef struct weir_fft_f64 weir_fft_f64;

/* n >= 1 complex points. */
weir_status weir_fft_f64_create(weir_fft_f64 **out, size_t n, weir_error *err);
/* In place, X[k] = sum x[j] exp(-2 pi i j k / n), not normalised. */
void weir_fft_f64_forward(weir_fft_f64 *fft, double *data);
void weir_fft_f64_destroy(weir_fft_f64 *fft); /* NULL does nothing */

#endif
