#include "dsp/peaks.h"

#include "base/text.h"
#include "dsp/band.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 512 }; /* of a window, for its lobe */
#define MOST_RISE_DB 6      /* of a tone over its bin, and more: the rectangular window's is 3.9 */

/* |W| at a distance of so many bins. */
static double amplitude_at(const double *coefficients, size_t n, double bins)
{
    double re = 0, im = 0;
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * M_PI * bins * (double)i / (double)n;
        re += coefficients[i] * cos(angle);
        im += coefficients[i] * sin(angle);
    }
    return hypot(re, im);
}

double weir_peak_vertex(double a, double b, double c, double *height)
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

static bool ascends(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (!(values[i] > values[i - 1])) {
            return false;
        }
    }
    return true;
}

void weir_peak_lobe_init(weir_peak_lobe *lobe, const weir_window *window, double parameter,
                         size_t n)
{
    double coefficients[MOST_POINTS];
    *lobe = (weir_peak_lobe){0};
    n = n < MOST_POINTS ? n : MOST_POINTS;
    if (n < 2 || weir_window_fill(window, parameter, coefficients, n, NULL) != WEIR_OK) {
        return;
    }
    double whole = amplitude_at(coefficients, n, 0);
    for (size_t i = 0; i <= WEIR_PEAK_LOBE_STEPS; i++) {
        double off = (double)i / (2 * WEIR_PEAK_LOBE_STEPS);
        double here = amplitude_at(coefficients, n, off);
        lobe->loss_np[i] = 2 * log(whole / here);
        lobe->slope[i] =
            (amplitude_at(coefficients, n, 1 - off) - amplitude_at(coefficients, n, 1 + off)) /
            here;
    }
    lobe->is_known = ascends(lobe->slope, WEIR_PEAK_LOBE_STEPS + 1);
}

/* Where the tone is that makes these three of its powers, in bins from the middle one, and how
 * far that lies below the tone. */
static double tone_between(const weir_peak_lobe *lobe, double lower, double here, double upper,
                           double *loss_np)
{
    const double *slope = lobe->slope;
    double signed_slope = (sqrt(upper) - sqrt(lower)) / sqrt(here);
    double sought = fabs(signed_slope);
    size_t i = 0;
    while (i + 2 <= WEIR_PEAK_LOBE_STEPS && slope[i + 1] < sought) {
        i++;
    }
    double part = fmin(fmax((sought - slope[i]) / (slope[i + 1] - slope[i]), 0), 1);
    *loss_np = lobe->loss_np[i] + part * (lobe->loss_np[i + 1] - lobe->loss_np[i]);
    return copysign(((double)i + part) / (2 * WEIR_PEAK_LOBE_STEPS), signed_slope);
}

void weir_peak_search_init(weir_peak_search *search)
{
    *search = (weir_peak_search){
        .low_hz = NAN, .high_hz = NAN, .min_prominence_db = 6, .min_level_db = -INFINITY};
}

/* `at` bins off the bin's centre, and that much more than it. */
static weir_peak peak_beside(const weir_spectrum *s, weir_trace trace, const weir_scale *scale,
                             size_t bin, double at, double more_np)
{
    double fs2 = (double)s->power[trace][bin] * exp(more_np);
    double hz = s->start_hz + ((double)bin + at) * s->bin_hz;
    return (weir_peak){.bin = bin,
                       .hz = hz,
                       .fs2 = fs2,
                       .level_db = (double)weir_scale_level_at_db(scale, s, hz, (float)fs2)};
}

weir_peak weir_peak_of_bin(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                           size_t bin)
{
    return peak_beside(spectrum, trace, scale, bin, 0, 0);
}

weir_peak weir_peak_at(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                       const weir_peak_lobe *lobe, size_t bin)
{
    const float *power = spectrum->power[trace] + bin;
    double at = 0, more_np = 0;
    bool has_both = bin > 0 && bin + 1 < spectrum->n_bins;
    if (has_both && lobe && lobe->is_known && power[0] > 0 && power[0] >= power[-1] &&
        power[0] >= power[1]) {
        at = tone_between(lobe, (double)power[-1], (double)power[0], (double)power[1], &more_np);
    } else if (has_both && power[-1] > 0 && power[0] > 0 && power[1] > 0) {
        at = weir_peak_vertex(log((double)power[-1]), log((double)power[0]), log((double)power[1]),
                              &more_np);
    }
    return peak_beside(spectrum, trace, scale, bin, at, more_np);
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
        weir_peak lowest = weir_peak_of_bin(spectrum, trace, scale, bin);
        if (lowest.level_db < search->min_level_db - MOST_RISE_DB) {
            break;
        }
        peaks[found++] = weir_peak_at(spectrum, trace, scale, search->lobe, bin);
    }
    sort_by_level(peaks, found);
    while (found > 0 && peaks[found - 1].level_db < search->min_level_db) {
        found--;
    }
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
