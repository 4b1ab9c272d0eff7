#include "dsp/peaks.h"

#include "base/text.h"
#include "dsp/band.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

weir_peak_method weir_peak_method_of(const weir_window *window)
{
    const char *name = weir_window_name(window);
    bool flat = strcmp(name, "flattop") == 0 || strncmp(name, "hft", 3) == 0;
    return flat ? WEIR_PEAK_FLAT_TOP : WEIR_PEAK_PARABOLIC;
}

void weir_peak_search_init(weir_peak_search *search)
{
    *search = (weir_peak_search){.method = WEIR_PEAK_PARABOLIC,
                                 .low_hz = NAN,
                                 .high_hz = NAN,
                                 .min_prominence_db = 6,
                                 .min_level_db = -INFINITY};
}

/* Vertex of the parabola through (-1, a), (0, b), (1, c): its place, and its height
 * over b. Only if b is the highest. */
static double vertex(double a, double b, double c, double *height)
{
    double curvature = a - 2 * b + c;
    *height = 0;
    if (!(curvature < 0) || a > b || c > b) {
        return 0;
    }
    double at = 0.5 * (a - c) / curvature;
    *height = -0.25 * (a - c) * at;
    return at;
}

weir_peak weir_peak_at(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                       weir_peak_method method, size_t bin)
{
    const float *power = spectrum->power[trace];
    double at = 0, height = 0;
    if (bin > 0 && bin + 1 < spectrum->n_bins && power[bin - 1] > 0 && power[bin] > 0 &&
        power[bin + 1] > 0) {
        at = vertex(log((double)power[bin - 1]), log((double)power[bin]),
                    log((double)power[bin + 1]), &height);
    }
    if (method == WEIR_PEAK_FLAT_TOP) {
        height = 0;
    }
    double fs2 = (double)power[bin] * exp(height);
    return (weir_peak){.bin = bin,
                       .hz = spectrum->start_hz + ((double)bin + at) * spectrum->bin_hz,
                       .fs2 = fs2,
                       .level_db = (double)weir_scale_level_db(scale, spectrum, bin, (float)fs2)};
}

/* True if, going away from the peak, the power falls below `base` before it rises above
 * the peak or the spectrum ends. The peak at the very edge need not fall there. */
static bool falls(const float *power, size_t n, size_t bin, int step, float base)
{
    if ((step < 0 && bin == 0) || (step > 0 && bin + 1 == n)) {
        return true;
    }
    for (size_t k = bin; step < 0 ? k-- > 0 : ++k < n;) {
        if (power[k] < base) {
            return true;
        }
        if (power[k] > power[bin]) {
            return false;
        }
    }
    return false;
}

/* Higher than the bin before, and not lower than what follows its plateau. */
static bool is_local_maximum(const float *power, size_t n, size_t bin)
{
    if (!(power[bin] > 0) || (bin > 0 && !(power[bin] > power[bin - 1]))) {
        return false;
    }
    size_t k = bin + 1;
    while (k < n && power[k] == power[bin]) {
        k++;
    }
    return k == n ? k == bin + 1 : power[k] < power[bin];
}

static bool is_near_another(const weir_spectrum *s, size_t bin, const weir_peak *peaks, size_t n,
                            double spacing_hz)
{
    for (size_t i = 0; i < n; i++) {
        double distance = fabs(((double)bin - (double)peaks[i].bin) * s->bin_hz);
        if (bin == peaks[i].bin || distance < spacing_hz) {
            return true;
        }
    }
    return false;
}

static void search_range(const weir_spectrum *s, const weir_peak_search *search, size_t *first,
                         size_t *end)
{
    double low = (search->low_hz - s->start_hz) / s->bin_hz;
    double high = (search->high_hz - s->start_hz) / s->bin_hz;
    double n = (double)s->n_bins;
    *first = isnan(low) ? 0 : (size_t)fmin(fmax(ceil(low), 0), n);
    *end = isnan(high) ? s->n_bins : (size_t)fmin(fmax(floor(high) + 1, 0), n);
}

/* The highest candidate that is not near one already found; false if there is none. */
static bool find_next(const weir_spectrum *s, weir_trace trace, const weir_scale *scale,
                      const weir_peak_search *search, const weir_peak *found, size_t n_found,
                      size_t *best_bin)
{
    const float *power = s->power[trace];
    float drop = (float)pow(10, -search->min_prominence_db / 10);
    size_t first, end;
    search_range(s, search, &first, &end);
    double best = 0;
    for (size_t k = first; k < end; k++) {
        if (!is_local_maximum(power, s->n_bins, k)) {
            continue;
        }
        double weighted =
            (double)power[k] * weir_scale_correction(scale, s->start_hz + (double)k * s->bin_hz);
        if (!(weighted > best) || is_near_another(s, k, found, n_found, search->min_spacing_hz)) {
            continue;
        }
        float base = power[k] * drop;
        if (search->min_prominence_db <= 0 ||
            (falls(power, s->n_bins, k, -1, base) && falls(power, s->n_bins, k, 1, base))) {
            best = weighted;
            *best_bin = k;
        }
    }
    return best > 0;
}

/* They were found by the levels of their bins. */
static void sort_by_level(weir_peak *peaks, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        weir_peak peak = peaks[i];
        size_t k = i;
        for (; k > 0 && peaks[k - 1].level_db < peak.level_db; k--) {
            peaks[k] = peaks[k - 1];
        }
        peaks[k] = peak;
    }
}

size_t weir_peaks_find(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                       const weir_peak_search *search, size_t n, weir_peak *peaks)
{
    size_t found = 0, bin = 0;
    while (found < n && find_next(spectrum, trace, scale, search, peaks, found, &bin)) {
        weir_peak peak = weir_peak_at(spectrum, trace, scale, search->method, bin);
        if (peak.level_db < search->min_level_db) {
            break;
        }
        peaks[found++] = peak;
    }
    sort_by_level(peaks, found);
    return found;
}

weir_marker weir_marker_at(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                           double hz, size_t half_width_bins)
{
    const float *power = spectrum->power[trace];
    size_t bin = weir_spectrum_bin_at(spectrum, hz);
    size_t first = bin > half_width_bins ? bin - half_width_bins : 0;
    size_t last =
        spectrum->n_bins - 1 - bin > half_width_bins ? bin + half_width_bins : spectrum->n_bins - 1;
    double low, high, unused;
    weir_spectrum_bin_edges(spectrum, first, &low, &unused);
    weir_spectrum_bin_edges(spectrum, last, &unused, &high);
    double density = weir_band_power_fs2(spectrum, trace, scale, low, high) / (high - low);
    return (weir_marker){.hz = spectrum->start_hz + (double)bin * spectrum->bin_hz,
                         .level_db = (double)weir_scale_level_db(scale, spectrum, bin, power[bin]),
                         .noise_db_per_hz = weir_band_level_db(spectrum, scale, density)};
}

weir_marker_delta weir_marker_difference(const weir_marker *from, const weir_marker *to)
{
    return (weir_marker_delta){to->hz - from->hz, to->level_db - from->level_db};
}

double weir_marker_band_db(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                           double low_hz, double high_hz)
{
    double power = weir_band_power_fs2(spectrum, trace, scale, low_hz, high_hz);
    return weir_band_level_db(spectrum, scale, power);
}

char *weir_note_name(char *buffer, size_t size, double hz, double a4_hz)
{
    static const char *const names[12] = {"C",  "C#", "D",  "D#", "E",  "F",
                                          "F#", "G",  "G#", "A",  "A#", "B"};
    buffer[0] = '\0';
    if (!(hz > 0) || isinf(hz) || !(a4_hz > 0)) {
        return buffer;
    }
    double semitones = 69 + 12 * log2(hz / a4_hz); /* as MIDI counts: C-1 is 0 */
    long note = lround(semitones);
    long index = ((note % 12) + 12) % 12;
    /* Rounded first, so that no "-0.0" is shown. */
    double cents = round(1000 * (semitones - (double)note)) / 10 + 0.0;
    weir_snprintf(buffer, size, "%s%ld %+.1f cents", names[index], (note - index) / 12 - 1, cents);
    return buffer;
}
