#include "dsp/octave.h"

#include "base/text.h"
#include "dsp/band.h"

#include <math.h>

/* IEC 61260-1: the nominal frequencies are those of preferred numbers R10. */
static void name_nominal(weir_octave_band *band, long tenth)
{
    static const double preferred[10] = {1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8};
    long step = ((tenth % 10) + 10) % 10;
    double hz = preferred[step] * pow(10, (double)((tenth - step) / 10));
    if (hz >= 999.9) {
        weir_snprintf(band->name, sizeof band->name, "%.4gk", hz / 1000);
    } else {
        weir_snprintf(band->name, sizeof band->name, "%.4g", hz);
    }
}

static void name_rounded(weir_octave_band *band)
{
    if (band->mid_hz >= 999.5) {
        weir_snprintf(band->name, sizeof band->name, "%.3gk", band->mid_hz / 1000);
    } else {
        weir_snprintf(band->name, sizeof band->name, "%.3g", band->mid_hz);
    }
}

/* Position of a frequency in bands, counted from that of x = 0; its nearest whole number
 * is the band it lies in. */
static double position(double hz, unsigned per_octave)
{
    double x = (double)per_octave * log10(hz / 1000) / 0.3;
    return per_octave % 2 ? x : x - 0.5;
}

static weir_octave_band make_band(long x, unsigned per_octave)
{
    double b = (double)per_octave;
    double exponent = per_octave % 2 ? (double)x / b : ((double)x + 0.5) / b;
    weir_octave_band band = {.mid_hz = 1000 * pow(10, 0.3 * exponent),
                             .low_hz = 1000 * pow(10, 0.3 * (exponent - 0.5 / b)),
                             .high_hz = 1000 * pow(10, 0.3 * (exponent + 0.5 / b))};
    if (per_octave == 1 || per_octave == 3) {
        name_nominal(&band, (per_octave == 1 ? 3 * x : x) + 30);
    } else {
        name_rounded(&band);
    }
    return band;
}

size_t weir_octave_bands(unsigned per_octave, double low_hz, double high_hz,
                         weir_octave_band *bands, size_t max)
{
    if (per_octave < 1 || per_octave > WEIR_OCTAVE_MAX_PER_OCTAVE || !(low_hz > 0) ||
        !(high_hz >= low_hz) || isinf(high_hz)) {
        return 0;
    }
    long first = lround(position(low_hz, per_octave));
    long last = lround(position(high_hz, per_octave));
    for (long x = first; x <= last && (size_t)(x - first) < max; x++) {
        bands[x - first] = make_band(x, per_octave);
    }
    return (size_t)(last - first + 1);
}

void weir_octave_measure(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                         const weir_octave_band *bands, size_t n, weir_octave_level *levels)
{
    double low = weir_spectrum_low_hz(spectrum), high = weir_spectrum_high_hz(spectrum);
    for (size_t i = 0; i < n; i++) {
        const weir_octave_band *b = &bands[i];
        double power = weir_band_power_fs2(spectrum, trace, scale, b->low_hz, b->high_hz);
        double width = b->high_hz - b->low_hz;
        double inside = fmin(high, b->high_hz) - fmax(low, b->low_hz);
        levels[i] = (weir_octave_level){.level_db = weir_band_level_db(spectrum, scale, power),
                                        .fs2 = power,
                                        .bins = width / spectrum->bin_hz,
                                        .covered = fmax(inside, 0) / width};
    }
}
