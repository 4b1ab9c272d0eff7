/* Radio measurements on one spectrum: channels, occupied bandwidth, noise, kurtosis.
 *
 * Pure functions, thread-safe, without allocation, but for the kurtosis accumulator,
 * which allocates at create and belongs to one thread. Levels are in the unit of `scale`
 * (its offset, curve and weighting; its quantity does not matter); widths in Hz. Bands
 * have fractional edge bins (dsp/band.h). A band that lies partly outside the spectrum
 * is measured as far as it is inside, and `covered` says how much of it that was.
 */
#ifndef WEIR_DSP_MEASURE_RF_H
#define WEIR_DSP_MEASURE_RF_H

#include "base/status.h"
#include "dsp/scale.h"
#include "dsp/spectrum.h"

#include <stddef.h>
#include <stdint.h>

typedef struct weir_channel {
    double center_hz;
    double width_hz;
} weir_channel;

typedef struct weir_channel_power {
    double power_db;
    double density_db_per_hz; /* power over the covered width */
    double covered;           /* 0..1 */
} weir_channel_power;

weir_channel_power weir_measure_channel(const weir_spectrum *spectrum, weir_trace trace,
                                        const weir_scale *scale, weir_channel channel);

/* Powers of the two channels offset_hz (between centres) away, against the channel itself. */
typedef struct weir_adjacent_power {
    double offset_hz;
    weir_channel_power lower, upper;
    double lower_dbc, upper_dbc;
} weir_adjacent_power;

/* width_hz of the adjacent channels; 0: as the channel's. */
weir_adjacent_power weir_measure_adjacent(const weir_spectrum *spectrum, weir_trace trace,
                                          const weir_scale *scale, weir_channel channel,
                                          double offset_hz, double width_hz);

typedef struct weir_occupied_band {
    double low_hz, high_hz, width_hz;
    double power_db; /* inside */
} weir_occupied_band;

/* The band that holds `part` (0.99) of the power in [low_hz, high_hz] (NAN: all), with
 * the rest in equal halves beside it (ITU-R SM.328). Edges between bins, taking a bin's
 * power as spread evenly over it. Noise counts as power: choose the span. NAN edges if
 * there is no power. */
weir_occupied_band weir_measure_occupied(const weir_spectrum *spectrum, weir_trace trace,
                                         const weir_scale *scale, double low_hz, double high_hz,
                                         double part);

/* The outermost frequencies in [low_hz, high_hz] (NAN: all) that are less than x_db below
 * the highest bin; edges interpolated in dB. */
weir_occupied_band weir_measure_x_db_band(const weir_spectrum *spectrum, weir_trace trace,
                                          const weir_scale *scale, double low_hz, double high_hz,
                                          double x_db);

typedef struct weir_noise_floor {
    double density_db_per_hz; /* of the quantile, corrected if n_averages was given */
    double bin_db;            /* the same as a level per bin                        */
    double correction_db;     /* what was added for the chi-square bias             */
    size_t n_bins;            /* used */
} weir_noise_floor;

/* The floor as a quantile (0.5: median) of the bins in [low_hz, high_hz] (NAN: all),
 * leaving out DC and fs/2 of a real spectrum, which are not doubled. n_averages: how many
 * *independent* transforms a bin is the mean of (fewer than the frames, if they overlap);
 * the quantile of Gaussian noise is then corrected to its mean. 0: no correction.
 * WEIR_ERR_USAGE if no bin is left or the quantile is not in (0, 1). Curve and weighting
 * are taken in the middle of the band. */
weir_status weir_measure_noise_floor(const weir_spectrum *spectrum, weir_trace trace,
                                     const weir_scale *scale, double low_hz, double high_hz,
                                     double quantile, double n_averages, weir_noise_floor *floor,
                                     weir_error *err);

typedef struct weir_rf_snr {
    double signal_db; /* channel power less the noise in it; WEIR_FLOOR_DB: none is left */
    double noise_db;  /* in the channel's width */
    double snr_db;
} weir_rf_snr;

/* Signal to noise in a channel, for a floor measured elsewhere (or in the gaps). */
weir_rf_snr weir_measure_rf_snr(const weir_spectrum *spectrum, weir_trace trace,
                                const weir_scale *scale, weir_channel channel,
                                const weir_noise_floor *floor);

/* ---- spectral kurtosis ----
 *
 * SK = (M N + 1) / (M - 1) * (M S2 / S1^2 - 1) of M power lines, each the mean of N
 * transforms (Nita and Gary 2010): 1 for Gaussian noise, 0 for a steady tone at N = 1,
 * above 1 for bursts. Its standard error for noise is weir_kurtosis_error, close to
 * 2 / sqrt(M) at N = 1. */
typedef struct weir_kurtosis weir_kurtosis;

weir_status weir_kurtosis_create(weir_kurtosis **out, size_t n_bins, uint64_t transforms_per_line,
                                 weir_error *err);
/* One line of n_bins powers. Lines must not share samples (no overlap), and not be partial. */
void weir_kurtosis_add(weir_kurtosis *kurtosis, const float *power);
uint64_t weir_kurtosis_lines(const weir_kurtosis *kurtosis);
/* n_bins values; NAN for fewer than 2 lines, or where there was no power. */
void weir_kurtosis_read(const weir_kurtosis *kurtosis, float *out);
double weir_kurtosis_error(const weir_kurtosis *kurtosis);
void weir_kurtosis_reset(weir_kurtosis *kurtosis);
void weir_kurtosis_destroy(weir_kurtosis *kurtosis); /* NULL does nothing */

#endif
