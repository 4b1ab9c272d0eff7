#include "dsp/measure_rf.h"

#include "dsp/band.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double low_limit(const weir_spectrum *s, double low_hz)
{
    double edge = weir_spectrum_low_hz(s);
    return isnan(low_hz) ? edge : fmax(low_hz, edge);
}

static double high_limit(const weir_spectrum *s, double high_hz)
{
    double edge = weir_spectrum_high_hz(s);
    return isnan(high_hz) ? edge : fmin(high_hz, edge);
}

weir_channel_power weir_measure_channel(const weir_spectrum *spectrum, weir_trace trace,
                                        const weir_scale *scale, weir_channel channel)
{
    double low = low_limit(spectrum, channel.center_hz - channel.width_hz / 2);
    double high = high_limit(spectrum, channel.center_hz + channel.width_hz / 2);
    double width = fmax(high - low, 0);
    double power = weir_band_power_fs2(spectrum, trace, scale, low, high);
    return (weir_channel_power){
        .power_db = weir_band_level_db(spectrum, scale, power),
        .density_db_per_hz = weir_band_level_db(spectrum, scale, width > 0 ? power / width : 0),
        .covered = channel.width_hz > 0 ? width / channel.width_hz : 0};
}

weir_adjacent_power weir_measure_adjacent(const weir_spectrum *spectrum, weir_trace trace,
                                          const weir_scale *scale, weir_channel channel,
                                          double offset_hz, double width_hz)
{
    double width = width_hz > 0 ? width_hz : channel.width_hz;
    weir_channel lower = {channel.center_hz - offset_hz, width};
    weir_channel upper = {channel.center_hz + offset_hz, width};
    weir_channel_power reference = weir_measure_channel(spectrum, trace, scale, channel);
    weir_adjacent_power result = {.offset_hz = offset_hz,
                                  .lower = weir_measure_channel(spectrum, trace, scale, lower),
                                  .upper = weir_measure_channel(spectrum, trace, scale, upper)};
    result.lower_dbc = result.lower.power_db - reference.power_db;
    result.upper_dbc = result.upper.power_db - reference.power_db;
    return result;
}

static weir_occupied_band band_between(const weir_spectrum *s, weir_trace trace,
                                       const weir_scale *scale, double low_hz, double high_hz)
{
    double power = weir_band_power_fs2(s, trace, scale, low_hz, high_hz);
    return (weir_occupied_band){.low_hz = low_hz,
                                .high_hz = high_hz,
                                .width_hz = high_hz - low_hz,
                                .power_db = weir_band_level_db(s, scale, power)};
}

static weir_occupied_band no_band(void)
{
    return (weir_occupied_band){
        .low_hz = NAN, .high_hz = NAN, .width_hz = NAN, .power_db = (double)WEIR_FLOOR_DB};
}

/* The frequency below which [low, high] holds that much power. */
static double frequency_of_power(const weir_spectrum *s, weir_trace trace, const weir_scale *scale,
                                 double low, double high, double wanted)
{
    size_t last = weir_spectrum_bin_at(s, high);
    double sum = 0;
    for (size_t k = weir_spectrum_bin_at(s, low); k <= last; k++) {
        double from, to;
        weir_spectrum_bin_edges(s, k, &from, &to);
        from = fmax(from, low);
        to = fmin(to, high);
        double power = weir_band_power_fs2(s, trace, scale, from, to);
        if (power > 0 && sum + power >= wanted) {
            return from + (to - from) * (wanted - sum) / power;
        }
        sum += power;
    }
    return high;
}

weir_occupied_band weir_measure_occupied(const weir_spectrum *spectrum, weir_trace trace,
                                         const weir_scale *scale, double low_hz, double high_hz,
                                         double part)
{
    double low = low_limit(spectrum, low_hz), high = high_limit(spectrum, high_hz);
    double total = weir_band_power_fs2(spectrum, trace, scale, low, high);
    if (!(total > 0)) {
        return no_band();
    }
    double beside = (1 - part) / 2 * total;
    double from = frequency_of_power(spectrum, trace, scale, low, high, beside);
    double to = frequency_of_power(spectrum, trace, scale, low, high, total - beside);
    return band_between(spectrum, trace, scale, from, to);
}

static double bin_db(const weir_spectrum *s, weir_trace trace, const weir_scale *scale, size_t bin)
{
    return (double)weir_scale_level_db(scale, s, bin, s->power[trace][bin]);
}

/* Where between a bin above the limit and its neighbour below it the level crosses. */
static double crossing_hz(const weir_spectrum *s, weir_trace trace, const weir_scale *scale,
                          size_t inside, size_t outside, double limit_db)
{
    double above = bin_db(s, trace, scale, inside), below = bin_db(s, trace, scale, outside);
    double part = (above - limit_db) / (above - below);
    double bin = (double)inside + part * ((double)outside - (double)inside);
    return s->start_hz + bin * s->bin_hz;
}

weir_occupied_band weir_measure_x_db_band(const weir_spectrum *spectrum, weir_trace trace,
                                          const weir_scale *scale, double low_hz, double high_hz,
                                          double x_db)
{
    double low = low_limit(spectrum, low_hz), high = high_limit(spectrum, high_hz);
    size_t first = weir_spectrum_bin_at(spectrum, low), last = weir_spectrum_bin_at(spectrum, high);
    double top = (double)WEIR_FLOOR_DB;
    for (size_t k = first; k <= last; k++) {
        top = fmax(top, bin_db(spectrum, trace, scale, k));
    }
    if (!(top > (double)WEIR_FLOOR_DB) || !(high > low)) {
        return no_band();
    }
    double limit = top - x_db;
    size_t from = first, to = last;
    while (bin_db(spectrum, trace, scale, from) < limit) {
        from++;
    }
    while (bin_db(spectrum, trace, scale, to) < limit) {
        to--;
    }
    if (from > first) {
        low = crossing_hz(spectrum, trace, scale, from, from - 1, limit);
    }
    if (to < last) {
        high = crossing_hz(spectrum, trace, scale, to, to + 1, limit);
    }
    return band_between(spectrum, trace, scale, low, high);
}

/* Bins centred in the band, without those at 0 and fs/2 of a real spectrum. */
static void floor_bins(const weir_spectrum *s, double low, double high, size_t *first, size_t *end)
{
    double from = ceil((low - s->start_hz) / s->bin_hz);
    double to = floor((high - s->start_hz) / s->bin_hz) + 1;
    double n = (double)s->n_bins;
    if (weir_spectrum_is_real(s)) {
        from = fmax(from, 1);
        to = fmin(to, floor(s->rate_hz / s->bin_hz / 2 - 0.25) + 1);
    }
    *first = (size_t)fmin(fmax(from, 0), n);
    *end = (size_t)fmin(fmax(to, (double)*first), n);
}

weir_status weir_measure_noise_floor(const weir_spectrum *spectrum, weir_trace trace,
                                     const weir_scale *scale, double low_hz, double high_hz,
                                     double quantile, double n_averages, weir_noise_floor *floor,
                                     weir_error *err)
{
    if (!(quantile > 0 && quantile < 1)) {
        return weir_fail(err, WEIR_ERR_USAGE, "noise floor: quantile %g is not between 0 and 1",
                         quantile);
    }
    double low = low_limit(spectrum, low_hz), high = high_limit(spectrum, high_hz);
    size_t first, end;
    floor_bins(spectrum, low, high, &first, &end);
    if (end == first) {
        return weir_fail(err, WEIR_ERR_USAGE, "noise floor: no bin between %.9g and %.9g Hz", low,
                         high);
    }
    size_t n = end - first, rank = (size_t)(quantile * (double)n);
    double power =
        (double)weir_order_statistic(spectrum->power[trace], first, end, rank < n ? rank : n - 1);
    double bias = n_averages > 0 ? weir_noise_quantile_bias(quantile, n_averages) : 1;
    power *= weir_scale_correction(scale, (low + high) / 2) / bias;
    double density = power / (spectrum->enbw_bins * spectrum->bin_hz);
    *floor = (weir_noise_floor){.density_db_per_hz = weir_band_level_db(spectrum, scale, density),
                                .bin_db = weir_band_level_db(spectrum, scale, power),
                                .correction_db = -10 * log10(bias),
                                .n_bins = n};
    return WEIR_OK;
}

weir_rf_snr weir_measure_rf_snr(const weir_spectrum *spectrum, weir_trace trace,
                                const weir_scale *scale, weir_channel channel,
                                const weir_noise_floor *floor)
{
    weir_channel_power all = weir_measure_channel(spectrum, trace, scale, channel);
    bool is_silent = floor->density_db_per_hz <= (double)WEIR_FLOOR_DB;
    double noise_db = is_silent
                          ? (double)WEIR_FLOOR_DB
                          : floor->density_db_per_hz + 10 * log10(channel.width_hz * all.covered);
    double signal = pow(10, all.power_db / 10) - pow(10, noise_db / 10);
    weir_rf_snr result = {.noise_db = fmax(noise_db, (double)WEIR_FLOOR_DB),
                          .signal_db = (double)WEIR_FLOOR_DB};
    if (signal > 0) {
        result.signal_db = fmax(10 * log10(signal), (double)WEIR_FLOOR_DB);
    }
    result.snr_db = result.signal_db - result.noise_db;
    return result;
}

/* ---- spectral kurtosis ---- */

struct weir_kurtosis {
    size_t n_bins;
    double transforms_per_line;
    uint64_t lines;
    double *sum; /* n_bins sums, then n_bins sums of squares */
};

weir_status weir_kurtosis_create(weir_kurtosis **out, size_t n_bins, uint64_t transforms_per_line,
                                 weir_error *err)
{
    *out = NULL;
    if (n_bins < 1 || transforms_per_line < 1) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "spectral kurtosis needs at least one bin and one transform per line");
    }
    weir_kurtosis *k = calloc(1, sizeof *k);
    double *sum = calloc(n_bins, 2 * sizeof *sum);
    if (!k || !sum) {
        free(k);
        free(sum);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for the kurtosis of %zu bins", n_bins);
    }
    k->n_bins = n_bins;
    k->transforms_per_line = (double)transforms_per_line;
    k->sum = sum;
    *out = k;
    return WEIR_OK;
}

void weir_kurtosis_add(weir_kurtosis *kurtosis, const float *power)
{
    double *restrict sum = kurtosis->sum, *restrict square = kurtosis->sum + kurtosis->n_bins;
    for (size_t i = 0; i < kurtosis->n_bins; i++) {
        double p = (double)power[i];
        sum[i] += p;
        square[i] += p * p;
    }
    kurtosis->lines++;
}

uint64_t weir_kurtosis_lines(const weir_kurtosis *kurtosis)
{
    return kurtosis->lines;
}

void weir_kurtosis_read(const weir_kurtosis *kurtosis, float *out)
{
    double m = (double)kurtosis->lines, n = kurtosis->transforms_per_line;
    const double *sum = kurtosis->sum, *square = kurtosis->sum + kurtosis->n_bins;
    for (size_t i = 0; i < kurtosis->n_bins; i++) {
        double ratio = m * square[i] / (sum[i] * sum[i]) - 1;
        out[i] = m >= 2 && sum[i] > 0 ? (float)((m * n + 1) / (m - 1) * ratio) : NAN;
    }
}

/* Nita and Gary 2010, second central moment of the generalised estimator. */
double weir_kurtosis_error(const weir_kurtosis *kurtosis)
{
    double m = (double)kurtosis->lines, n = kurtosis->transforms_per_line;
    return m < 2 ? NAN : sqrt(2 * n * (n + 1) * m * m / ((m - 1) * (m * n + 3) * (m * n + 2)));
}

void weir_kurtosis_reset(weir_kurtosis *kurtosis)
{
    memset(kurtosis->sum, 0, 2 * kurtosis->n_bins * sizeof *kurtosis->sum);
    kurtosis->lines = 0;
}

void weir_kurtosis_destroy(weir_kurtosis *kurtosis)
{
    if (kurtosis) {
        free(kurtosis->sum);
        free(kurtosis);
    }
}
