#include "dsp/measure_audio.h"

#include "dsp/band.h"

#include <math.h>

#define NO_SPUR SIZE_MAX

/* Bins of a main lobe, first .. last. */
typedef struct lobe {
    size_t first, last;
} lobe;

typedef struct job {
    const weir_spectrum *s;
    const float *power;
    weir_trace trace;
    const weir_scale *scale;
    const weir_distortion_options *options;
    size_t half_width;
    size_t first, end; /* bins of the band */
    lobe dc, fundamental;
    double tone_bin; /* of the fundamental, interpolated */
} job;

void weir_distortion_options_init(weir_distortion_options *options)
{
    *options = (weir_distortion_options){.fundamental_hz = NAN,
                                         .low_hz = NAN,
                                         .high_hz = NAN,
                                         .highest_harmonic = 10,
                                         .fold = true,
                                         .main_lobe_bins = 4};
}

static lobe lobe_around(const job *j, double bin)
{
    double width = (double)j->half_width, last = (double)(j->s->n_bins - 1);
    double centre = fmin(fmax(round(bin), 0), last);
    return (lobe){(size_t)fmax(centre - width, 0), (size_t)fmin(centre + width, last)};
}

static bool in_lobe(lobe l, size_t bin)
{
    return bin >= l.first && bin <= l.last;
}

static double weighted(const job *j, size_t bin)
{
    double hz = j->s->start_hz + (double)bin * j->s->bin_hz;
    return (double)j->power[bin] * weir_scale_correction(j->scale, hz);
}

static bool counts(const job *j, size_t bin)
{
    return bin >= j->first && bin < j->end && !in_lobe(j->dc, bin) && !in_lobe(j->fundamental, bin);
}

static double lobe_power(const job *j, lobe l)
{
    double sum = 0;
    for (size_t k = l.first; k <= l.last; k++) {
        sum += weighted(j, k);
    }
    return sum / j->s->enbw_bins;
}

static void set_band(job *j)
{
    double low = (j->options->low_hz - j->s->start_hz) / j->s->bin_hz;
    double high = (j->options->high_hz - j->s->start_hz) / j->s->bin_hz;
    double n = (double)j->s->n_bins;
    j->first = isnan(low) ? 0 : (size_t)fmin(fmax(ceil(low), 0), n);
    j->end = isnan(high) ? j->s->n_bins : (size_t)fmin(fmax(floor(high) + 1, 0), n);
}

/* The strongest bin of the band clear of DC, or near the frequency that was asked for. */
static bool find_fundamental(job *j, size_t *bin)
{
    size_t first = j->first, end = j->end;
    if (!isnan(j->options->fundamental_hz)) {
        double at = (j->options->fundamental_hz - j->s->start_hz) / j->s->bin_hz;
        if (at < 0 || at > (double)(j->s->n_bins - 1)) {
            return false;
        }
        lobe near = lobe_around(j, at);
        first = near.first;
        end = near.last + 1;
    }
    double best = 0;
    for (size_t k = first; k < end; k++) {
        if (k > 2 * j->half_width && weighted(j, k) > best) {
            best = weighted(j, k);
            *bin = k;
        }
    }
    return best > 0;
}

/* Centre of gravity of a main lobe: exact but for what lies in the side lobes, for the
 * autocorrelation of a window vanishes at lag N. */
static double centroid(const job *j, lobe l)
{
    double sum = 0, moment = 0;
    for (size_t k = l.first; k <= l.last; k++) {
        sum += (double)j->power[k];
        moment += (double)j->power[k] * (double)k;
    }
    return moment / sum;
}

/* Where harmonic h shows, in bins; negative if nowhere that counts. */
static double harmonic_bin(const job *j, unsigned h)
{
    double points = j->s->rate_hz / j->s->bin_hz;
    double bin = j->tone_bin * h;
    if (bin > points / 2) {
        if (!j->options->fold) {
            return -1;
        }
        bin = fmod(bin, points);
        bin = bin > points / 2 ? points - bin : bin;
    }
    size_t nearest = (size_t)round(fmin(bin, (double)(j->s->n_bins - 1)));
    return counts(j, nearest) ? bin : -1;
}

/* Only folded harmonics can meet: f0 is clear of two main lobes. */
static bool meets_an_earlier_one(const job *j, unsigned h, double bin)
{
    if (j->tone_bin * h <= j->s->rate_hz / j->s->bin_hz / 2) {
        return false;
    }
    for (unsigned i = 2; i < h; i++) {
        double other = harmonic_bin(j, i);
        if (other >= 0 && fabs(other - bin) <= 2 * (double)j->half_width + 1) {
            return true;
        }
    }
    return false;
}

static double harmonic_power(const job *j, double bin)
{
    lobe l = lobe_around(j, bin);
    double sum = 0;
    for (size_t k = l.first; k <= l.last; k++) {
        sum += counts(j, k) ? weighted(j, k) : 0;
    }
    return sum / j->s->enbw_bins;
}

static double ratio_db(double a, double b)
{
    if (!(a > 0)) {
        return -300;
    }
    return b > 0 ? fmax(fmin(10 * log10(a / b), 300), -300) : 300;
}

static double sum_harmonics(const job *j, double tone, weir_distortion *result)
{
    double sum = 0;
    for (unsigned h = 2; h <= j->options->highest_harmonic; h++) {
        double bin = harmonic_bin(j, h);
        if (bin < 0 || meets_an_earlier_one(j, h, bin)) {
            result->n_harmonics_cut++;
            continue;
        }
        double power = harmonic_power(j, bin);
        sum += power;
        result->n_harmonics++;
        if (result->n_harmonics_kept < WEIR_HARMONICS_KEPT) {
            result->harmonics[result->n_harmonics_kept++] =
                (weir_harmonic){.order = h,
                                .hz = j->s->start_hz + bin * j->s->bin_hz,
                                .level_db = weir_band_level_db(j->s, j->scale, power),
                                .level_dbc = ratio_db(power, tone)};
        }
    }
    return sum;
}

/* All but DC and the fundamental; and the largest line in it, NO_SPUR: the band has no more. */
static double sum_rest(const job *j, size_t *spur)
{
    double sum = 0, highest = -1;
    *spur = NO_SPUR;
    for (size_t k = j->first; k < j->end; k++) {
        if (!counts(j, k)) {
            continue;
        }
        double power = weighted(j, k);
        sum += power;
        if (power > highest) {
            highest = power;
            *spur = k;
        }
    }
    return sum / j->s->enbw_bins;
}

static void set_ratio(double part, double whole, double *percent, double *db)
{
    *db = ratio_db(part, whole);
    *percent = whole > 0 ? 100 * sqrt(part / whole) : 0;
}

static void set_results(const job *j, double tone, double harmonics, double rest, size_t spur,
                        weir_distortion *r)
{
    const weir_spectrum *s = j->s;
    double noise = fmax(rest - harmonics, 0);
    r->fundamental_hz = s->start_hz + j->tone_bin * s->bin_hz;
    r->fundamental_db = weir_band_level_db(s, j->scale, tone);
    r->fundamental_dbfs = weir_band_level_db(s, NULL, tone);
    r->noise_db = weir_band_level_db(s, j->scale, noise);
    set_ratio(harmonics, tone, &r->thd_f_percent, &r->thd_f_db);
    set_ratio(harmonics, tone + harmonics, &r->thd_r_percent, &r->thd_r_db);
    set_ratio(rest, tone, &r->thdn_f_percent, &r->thdn_f_db);
    set_ratio(rest, tone + rest, &r->thdn_r_percent, &r->thdn_r_db);
    r->sinad_db = ratio_db(tone, rest);
    r->snr_db = ratio_db(tone, noise);
    r->spur_hz = r->sfdr_db = NAN;
    if (spur != NO_SPUR) {
        weir_peak peak = weir_peak_at(s, j->trace, NULL, j->options->lobe, spur);
        r->spur_hz = peak.hz;
        r->sfdr_db = ratio_db(tone, peak.fs2 * weir_scale_correction(j->scale, peak.hz));
    }
    r->enob_bits = (r->sinad_db - 1.76) / 6.02;
    r->enob_full_scale_bits = (r->sinad_db - r->fundamental_dbfs - 1.76) / 6.02;
    r->excluded_half_width_hz = ((double)j->half_width + 0.5) * s->bin_hz;
}

static weir_status check_options(const weir_spectrum *s, const weir_distortion_options *options,
                                 weir_error *err)
{
    if (!weir_spectrum_is_real(s)) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "distortion is measured on real samples, not on I/Q");
    }
    if (!(options->main_lobe_bins >= 0 && options->main_lobe_bins < 1e6)) {
        return weir_fail(err, WEIR_ERR_USAGE, "distortion: a main lobe of %g bins is not possible",
                         options->main_lobe_bins);
    }
    return WEIR_OK;
}

static weir_status no_tone(const job *j, weir_error *err)
{
    if (!isnan(j->options->fundamental_hz)) {
        return weir_fail(err, WEIR_ERR_USAGE, "distortion: no tone at %g Hz",
                         j->options->fundamental_hz);
    }
    return weir_fail(err, WEIR_ERR_USAGE,
                     "distortion: no tone above %g Hz in the band; a longer transform, or a "
                     "window with a narrower main lobe, reaches lower",
                     (double)(2 * j->half_width + 1) * j->s->bin_hz);
}

weir_status weir_measure_distortion(const weir_spectrum *spectrum, weir_trace trace,
                                    const weir_scale *scale, const weir_distortion_options *options,
                                    weir_distortion *result, weir_error *err)
{
    *result = (weir_distortion){0};
    weir_status status = check_options(spectrum, options, err);
    if (status) {
        return status;
    }
    job j = {.s = spectrum,
             .power = spectrum->power[trace],
             .trace = trace,
             .scale = scale,
             .options = options,
             .half_width = (size_t)ceil(options->main_lobe_bins - 0.01)};
    set_band(&j);
    size_t bin = 0, spur;
    if (!find_fundamental(&j, &bin)) {
        return no_tone(&j, err);
    }
    j.dc = lobe_around(&j, 0);
    j.fundamental = lobe_around(&j, (double)bin);
    j.tone_bin = centroid(&j, j.fundamental);
    double tone = lobe_power(&j, j.fundamental);
    double harmonics = sum_harmonics(&j, tone, result);
    double rest = sum_rest(&j, &spur);
    set_results(&j, tone, harmonics, rest, spur, result);
    return WEIR_OK;
}
