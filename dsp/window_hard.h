/* The windows that need more than a formula per coefficient; rows of window.c.
 *
 * Not for callers: use weir_window_fill. Thread-safe; both allocate scratch memory of
 * the order of n. n >= 2, the parameter within its row's range.
 */
#ifndef WEIR_DSP_WINDOW_HARD_H
#define WEIR_DSP_WINDOW_HARD_H

#include "base/status.h"

#include <stddef.h>

/* Dolph-Chebyshev with side lobes at -attenuation_db: n points of the symmetric window
 * (window.h says why), by the transform of a Chebyshev polynomial (Harris 1978, eq. 49).
 * The largest is 1: the middle, or at -100 dB from 500 000 points on, the ends. */
weir_status weir_window_fill_chebyshev(double attenuation_db, double *coefficients, size_t n,
                                       weir_error *err);

/* The first discrete prolate spheroidal sequence of time-bandwidth nw: n of n + 1 points.
 * WEIR_ERR_USAGE unless nw < n / 2. */
weir_status weir_window_fill_dpss(double nw, double *coefficients, size_t n, weir_error *err);

#endif
