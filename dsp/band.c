#include "dsp/band.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define MANY_AVERAGES 10000.0

bool weir_spectrum_is_real(const weir_spectrum *spectrum)
{
    return spectrum->full_scale_power < 0.75;
}

/* Only an even N has a bin at fs/2 itself. */
static bool ends_at_nyquist(const weir_spectrum *s)
{
    double last = (double)(s->n_bins - 1) * s->bin_hz;
    return weir_spectrum_is_real(s) && fabs(last - s->rate_hz / 2) < 0.25 * s->bin_hz;
}

void weir_spectrum_bin_edges(const weir_spectrum *spectrum, size_t bin, double *low_hz,
                             double *high_hz)
{
    double centre = spectrum->start_hz + (double)bin * spectrum->bin_hz;
    *low_hz = *high_hz = centre;
    if (bin > 0 || !weir_spectrum_is_real(spectrum)) {
        *low_hz = centre - spectrum->bin_hz / 2;
    }
    if (bin + 1 < spectrum->n_bins || !ends_at_nyquist(spectrum)) {
        *high_hz = centre + spectrum->bin_hz / 2;
    }
}

double weir_spectrum_low_hz(const weir_spectrum *spectrum)
{
    double low, high;
    weir_spectrum_bin_edges(spectrum, 0, &low, &high);
    return low;
}

double weir_spectrum_high_hz(const weir_spectrum *spectrum)
{
    double low, high;
    weir_spectrum_bin_edges(spectrum, spectrum->n_bins - 1, &low, &high);
    return high;
}

size_t weir_spectrum_bin_at(const weir_spectrum *spectrum, double hz)
{
    double position = floor((hz - spectrum->start_hz) / spectrum->bin_hz + 0.5);
    double last = (double)(spectrum->n_bins - 1);
    return !(position > 0) ? 0 : position >= last ? spectrum->n_bins - 1 : (size_t)position;
}

/* The part of a bin that lies in the band, weighted. */
static double bin_gain(const weir_spectrum *s, const weir_scale *scale, size_t bin, double low_hz,
                       double high_hz)
{
    double low, high;
    weir_spectrum_bin_edges(s, bin, &low, &high);
    double part = (fmin(high, high_hz) - fmax(low, low_hz)) / (high - low);
    if (!(part > 0)) {
        return 0;
    }
    return part * weir_scale_correction(scale, s->start_hz + (double)bin * s->bin_hz);
}

double weir_band_power_fs2(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                           double low_hz, double high_hz)
{
    const float *power = spectrum->power[trace];
    if (!(high_hz > low_hz) || spectrum->n_bins == 0) {
        return 0;
    }
    size_t first = weir_spectrum_bin_at(spectrum, low_hz);
    size_t last = weir_spectrum_bin_at(spectrum, high_hz);
    double sum = 0;
    for (size_t k = first; k <= last; k++) {
        sum += (double)power[k] * bin_gain(spectrum, scale, k, low_hz, high_hz);
    }
    return sum / spectrum->enbw_bins;
}

double weir_band_level_db(const weir_spectrum *spectrum, const weir_scale *scale, double power_fs2)
{
    if (!(power_fs2 > 0)) {
        return (double)WEIR_FLOOR_DB;
    }
    double db = 10 * log10(power_fs2 / spectrum->full_scale_power);
    return fmax(db + (scale ? scale->offset_db : 0), (double)WEIR_FLOOR_DB);
}

/* Bits of a float that is not negative ascend with its value; others count as 0. */
static uint32_t order_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value > 0 ? bits : 0;
}

float weir_order_statistic(const float *power, size_t first, size_t end, size_t k)
{
    uint32_t low = 0, high = 0x7f800000u;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        size_t below_or_equal = 0;
        for (size_t i = first; i < end; i++) {
            below_or_equal += order_bits(power[i]) <= middle;
        }
        if (below_or_equal > k) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

/* Regularised lower incomplete gamma function by its series (all terms positive). */
static double gamma_p(double a, double x)
{
    double term = 1 / a, sum = term;
    for (double n = 1; n < 100000 && term > sum * 1e-16; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum * exp(a * log(x) - x - lgamma(a));
}

double weir_noise_quantile_bias(double quantile, double n_averages)
{
    if (n_averages > MANY_AVERAGES) { /* as of a Gaussian: it goes with the root */
        return 1 + (weir_noise_quantile_bias(quantile, MANY_AVERAGES) - 1) *
                       sqrt(MANY_AVERAGES / n_averages);
    }
    double low = 0, high = n_averages + 40 * sqrt(n_averages) + 40;
    for (int i = 0; i < 200 && high - low > 1e-13 * high; i++) {
        double middle = (low + high) / 2;
        *(gamma_p(n_averages, middle) < quantile ? &low : &high) = middle;
    }
    return (low + high) / 2 / n_averages;
}
