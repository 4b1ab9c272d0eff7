/* Window functions, all from one table (window.c).
 *
 * Periodic (DFT-even) form. Figures are computed from the coefficients, never
 * typed in. Pure functions, thread-safe.
 */
#ifndef WEIR_DSP_WINDOW_H
#define WEIR_DSP_WINDOW_H

#include "base/status.h"

#include <stddef.h>

typedef struct weir_window weir_window; /* one row of the table */

/* What a window does to levels; Harris 1978. */
typedef struct weir_window_figures {
    double coherent_gain;       /* sum(w)/N                                  */
    double enbw_bins;           /* N sum(w^2) / sum(w)^2                     */
    double scalloping_db;       /* loss half a bin off, positive             */
    double highest_sidelobe_db; /* relative to the main lobe, negative       */
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

/* Writes n coefficients, n >= 1, double precision. n == 1 gives {1}. */
weir_status weir_window_fill(const weir_window *window, double parameter, double *coefficients,
                             size_t n, weir_error *err);

/* Coherent gain and ENBW of given coefficients, exact for this n. */
void weir_window_gain(const double *coefficients, size_t n, double *coherent_gain,
                      double *enbw_bins);

/* All figures, by a 64 times zero-padded transform of n coefficients (allocates; slow;
 * for `weir windows`, measurements and tests). */
weir_status weir_window_measure(const double *coefficients, size_t n, weir_window_figures *figures,
                                weir_error *err);

#endif
