/* Window functions, all from one table (window.c).
 *
 * Periodic (DFT-even) form. Figures are computed from the coefficients, never
 * typed in. Pure functions, thread-safe.
 */
#ifndef WEIR_DSP_WINDOW_H
#define WEIR_DSP_WINDOW_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct weir_window weir_window; /* one row of the table */

/* What a window does to levels; Harris 1978. */
typedef struct weir_window_figures {
    double coherent_gain;       /* sum(w)/N                                  */
    double enbw_bins;           /* N sum(w^2) / sum(w)^2                     */
    double scalloping_db;       /* loss half a bin off, positive             */
    double max_error_db;        /* largest error within half a bin, its sign dropped:
                                   e_max of Heinzel 2002; the scalloping but for flat-tops */
    double highest_sidelobe_db; /* relative to the main lobe, negative; -INFINITY: none */
    double main_lobe_bins;      /* first null, from the centre, in bins      */
} weir_window_figures;

/* Rows in table order; NULL past the end. */
const weir_window *weir_window_at(size_t index);
const char *weir_window_name(const weir_window *window); /* "hann" */
const char *weir_window_help(const weir_window *window);

/* "hann", "kaiser:9.42", "dolph-chebyshev:100", "tukey:0.25", "gaussian:0.125",
 * "dpss:4", "hft90d". *parameter gets the value after the colon or the row's
 * default. WEIR_ERR_USAGE with the nearest name as a hint. */
weir_status weir_window_parse(const char *text, const weir_window **window, double *parameter,
                              weir_error *err);

/* What the number after the colon is ("beta", "dB" ...); NULL: the row takes none. */
const char *weir_window_parameter(const weir_window *window, double *default_value);

/* Writes n coefficients, n >= 1, double precision. n == 1 gives {1}. Equal to
 * scipy.signal.get_window(name, n) where SciPy has the window (gaussian: std = sigma n);
 * the hft ones have coherent gain 1. The one exception: dolph-chebyshev is symmetric,
 * scipy.signal.windows.chebwin(n, dB), for in the periodic form, which lacks one of the
 * two spikes at its ends, the side lobes would not be at the level asked for (-96.4
 * instead of -100 dB at n = 4096). WEIR_ERR_USAGE: a parameter out of range (dpss
 * needs n > 2 NW). */
weir_status weir_window_fill(const weir_window *window, double parameter, double *coefficients,
                             size_t n, weir_error *err);

/* Coherent gain and ENBW of given coefficients, exact for this n. */
void weir_window_gain(const double *coefficients, size_t n, double *coherent_gain,
                      double *enbw_bins);

/* All figures, by a 64 times zero-padded transform of n coefficients (allocates; slow;
 * for `weir windows`, measurements and tests). */
weir_status weir_window_measure(const double *coefficients, size_t n, weir_window_figures *figures,
                                weir_error *err);

/* A window by name with its figures, of at most 1024 points: what is said in bins hardly depends
 * on their number, and measuring a long one takes a transform 64 times as long. */
typedef struct weir_window_sketch {
    const weir_window *window;
    double parameter;
    size_t n;
    double *coefficients; /* n; the caller's, to free() */
    weir_window_figures figures;
} weir_window_sketch;

/* Of n points, if that is less. On an error coefficients is NULL. */
weir_status weir_window_draw(weir_window_sketch *sketch, const char *text, size_t n,
                             weir_error *err);

/* How many transforms without overlap give a mean that scatters as that of n_frames transforms,
 * each hop_part of its length after the one before (Welch 1967, for Gaussian noise). */
double weir_window_independent(const double *coefficients, size_t n, double hop_part,
                               uint64_t n_frames);

/* The shortest transform (to a few points) whose resolution bandwidth, ENBW * rate / n, is
 * at most rbw_hz. *enbw_bins (may be NULL) gets the ENBW, beyond 2^20 points that of 2^20.
 * WEIR_ERR_USAGE if rate or rbw is not positive or n would be outside 2 .. 2^30. Allocates;
 * fills windows of that size. */
weir_status weir_window_size_for_rbw(const weir_window *window, double parameter, double rate_hz,
                                     double rbw_hz, size_t *n, double *enbw_bins, weir_error *err);

#endif
