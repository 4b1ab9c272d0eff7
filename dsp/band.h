/* Power between two frequencies, and noise densities: the sums all measurements share.
 *
 * Pure functions, thread-safe, without allocation. A bin covers half a step on either
 * side of its centre; of a real signal's spectrum, whose bins at 0 and fs/2 are not
 * doubled, those two cover only the half step inside. Edge bins count by the part that
 * lies in the band. Sums are divided by ENBW, so that a tone gives its power and noise
 * its density times the width: white noise of variance 1 gives 1 over the whole band.
 *
 * scale (may be NULL) weights every bin by its curve and weighting; its offset, quantity
 * and unit are for weir_band_level_db only.
 */
#ifndef WEIR_DSP_BAND_H
#define WEIR_DSP_BAND_H

#include "dsp/scale.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stddef.h>

/* One-sided, without negative frequencies: from real samples. */
bool weir_spectrum_is_real(const weir_spectrum *spectrum);

/* Outer edges of what the spectrum covers. */
double weir_spectrum_low_hz(const weir_spectrum *spectrum);
double weir_spectrum_high_hz(const weir_spectrum *spectrum);

/* Edges of one bin, and the bin that a frequency lies in (the nearest, if outside). */
void weir_spectrum_bin_edges(const weir_spectrum *spectrum, size_t bin, double *low_hz,
                             double *high_hz);
size_t weir_spectrum_bin_at(const weir_spectrum *spectrum, double hz);

/* Mean-square power (FS^2) in [low_hz, high_hz]; what lies outside the spectrum counts
 * as nothing. 0 if high_hz <= low_hz. */
double weir_band_power_fs2(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                           double low_hz, double high_hz);

/* The level of a power in the unit of scale (density or not): dB above full scale plus
 * the offset; never below WEIR_FLOOR_DB. */
double weir_band_level_db(const weir_spectrum *spectrum, const weir_scale *scale, double power_fs2);

/* The k-th smallest (from 0) of the bins first .. end-1: exact, in 32 passes. */
float weir_order_statistic(const float *power, size_t first, size_t end, size_t k);

/* Quantile (0..1) of the mean of n_averages independent periodogram bins of Gaussian
 * noise, relative to its expectation (Gamma distributed; ln 2 for the median of one):
 * what a percentile of a noise floor is to be divided by. */
double weir_noise_quantile_bias(double quantile, double n_averages);

#endif
