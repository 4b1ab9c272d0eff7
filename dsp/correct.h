/* Corrections: the spike at DC, IQ imbalance, clock error and transverter offset.
 *
 * Pure functions and plain values, thread-safe but for a weir_iq_stats, which belongs to
 * one thread. Nothing allocates.
 */
#ifndef WEIR_DSP_CORRECT_H
#define WEIR_DSP_CORRECT_H

#include "dsp/format.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- DC ---- */

typedef struct weir_bin_range {
    size_t first, count; /* count 0: nothing was changed */
} weir_bin_range;

/* Which bins a constant offset reaches: those inside the window's main lobe around the
 * receiver's centre (complex) or 0 Hz (real); at its nulls it has no power. */
weir_bin_range weir_dc_bins(const weir_spectrum *spectrum, double main_lobe_bins);

/* Replaces those bins of a trace by a straight line in dB between the means of the (up to)
 * four bins on either side. What was there is gone: show the returned range as
 * interpolated. Real spectra, and those without bins on a side, take the one side's mean.
 * power: n_bins floats, changed in place (a copy of a trace). */
weir_bin_range weir_interpolate_dc(const weir_spectrum *spectrum, double main_lobe_bins,
                                   float *power);

/* True if a bin whose centre lies between the two, or at them, is made up. */
bool weir_made_up_between(const weir_made_up *made_up, double low_hz, double high_hz);
/* The bin nearest to hz, between bins too. */
bool weir_made_up_at(const weir_made_up *made_up, double hz, double bin_hz);
/* The same bins, but for rounding. */
bool weir_made_up_same(const weir_made_up *a, const weir_made_up *b);

/* ---- IQ imbalance ----
 *
 * A receiver delivers I = a cos, Q = g a sin(. + phi) (and offsets) for a tone: an image
 * at the mirrored frequency. Signals of unrelated carriers and noise have I and Q equally
 * strong and uncorrelated, so the second moments give g and phi. (They do not for a lone
 * signal at exactly the centre, nor for one whose other side band is its mirror.) */

typedef struct weir_iq_stats {
    double weight; /* samples, after forgetting */
    double sum_i, sum_q, sum_ii, sum_qq, sum_iq;
} weir_iq_stats;

/* Zero it ({0}) to begin. format: complex. */
void weir_iq_stats_add(weir_iq_stats *stats, const weir_sample_format *format, unsigned channel,
                       const void *raw, size_t n_samples);
/* Multiplies all sums by a factor in [0, 1]: forgets gradually, for drifting receivers. */
void weir_iq_stats_forget(weir_iq_stats *stats, double factor);

typedef struct weir_iq_correction {
    double gain;               /* g: Q over I */
    double phase_rad;          /* phi         */
    double dc_i, dc_q;         /* offsets, in FS */
    double image_rejection_db; /* before correction: wanted over image; 300 at most */
    /* I' = m[0][0] (I - dc_i) + m[0][1] (Q - dc_q), Q' = m[1][0] ... + m[1][1] ...
     * I stays as it is, so levels are those of I. */
    double matrix[2][2];
} weir_iq_correction;

/* False, and the identity, while there is too little to go by: under 100 samples, or no
 * power in I or Q. */
bool weir_iq_estimate(const weir_iq_stats *stats, weir_iq_correction *correction);

/* Applies it to n complex samples in place. */
void weir_iq_apply(const weir_iq_correction *correction, float *samples, size_t n_samples);

/* ---- frequency ----
 *
 * ppm: by how much the device's clock runs fast. Its rate and its centre are then higher
 * than it says by that part. A transverter (or up-converter) in front adds offset_hz to
 * get the frequency on the air: true = device (1 + ppm/10^6) + offset. */
typedef struct weir_axis_correction {
    double ppm;
    double offset_hz;
} weir_axis_correction;

double weir_true_hz(const weir_axis_correction *correction, double device_hz);
double weir_device_hz(const weir_axis_correction *correction, double true_hz);
/* Puts the axis of a spectrum (start, step, rate, centre, what is made up) right; powers are
 * untouched. */
void weir_correct_axis(const weir_axis_correction *correction, weir_spectrum *spectrum);

#endif
