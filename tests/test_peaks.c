/* ctest-labels: unit prop
 * dsp/peaks.h: error bounds of the interpolation, the search, markers, notes. */
#include "dsp/band.h"
#include "dsp/peaks.h"
#include "tests/check.h"
#include "tests/spectra.h"

static void tone(double *x, size_t n, double bins, double amplitude, double phase)
{
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * M_PI * bins * (double)i / (double)n + phase;
        x[2 * i] = amplitude * cos(angle);
        x[2 * i + 1] = amplitude * sin(angle);
    }
}

static weir_spectrum plain(const float *power, size_t n)
{
    return (weir_spectrum){.power = {[WEIR_TRACE_MEAN] = power},
                           .n_bins = n,
                           .bin_hz = 10,
                           .rate_hz = 10 * (double)n,
                           .enbw_bins = 1,
                           .full_scale_power = 1};
}

typedef struct worst_errors {
    double bins, db;
} worst_errors;

/* Of a lone tone of -20 dBFS at 101 places of a bin, by the highest peak. */
static worst_errors errors_over_a_bin(const char *name, size_t n, bool with_lobe)
{
    enum { STEPS = 101 };
    double *samples = malloc(2 * n * sizeof *samples);
    check_rng rng = check_rng_fresh();
    spectra x = spectra_create(name, n, 0, 48000, 0);
    worst_errors worst = {0};
    const weir_window *window;
    double parameter;
    CHECK(weir_window_parse(name, &window, &parameter, NULL) == WEIR_OK);
    weir_peak_lobe lobe;
    weir_peak_lobe_init(&lobe, window, parameter, n);
    CHECK(lobe.is_known);
    weir_scale scale;
    weir_scale_init(&scale);
    weir_peak_search search;
    weir_peak_search_init(&search);
    search.lobe = with_lobe ? &lobe : NULL;
    for (int i = 0; i < STEPS; i++) {
        double middle = (double)(check_random(&rng) % (n / 2 - 16)); /* a lobe from the end */
        double bins = middle - 0.5 + (i + 0.5) / STEPS;
        tone(samples, n, bins, 0.1, 2 * M_PI * check_uniform(&rng));
        spectra_clear(&x);
        spectra_add(&x, samples, 1);
        weir_peak peak;
        CHECK(weir_peaks_find(&x.s, WEIR_TRACE_MEAN, &scale, &search, 1, &peak) == 1);
        worst.bins = fmax(worst.bins, fabs(peak.hz / x.s.bin_hz - bins));
        worst.db = fmax(worst.db, fabs(peak.level_db + 20));
    }
    spectra_destroy(&x);
    free(samples);
    return worst;
}

/* The worst errors of the parabola alone; found by a search over a bin. */
static void test_the_parabola_alone_is_as_good_as_stated(void)
{
    static const struct {
        const char *window;
        double bins, db;
    } rows[] = {{"rectangular", 0.169, 2.73},       {"hann", 0.0160, 0.324},
                {"hamming", 0.0160, 0.398},         {"blackman", 0.0066, 0.091},
                {"blackman-harris", 0.0032, 0.032}, {"gaussian:0.125", 0.0001, 0.0007},
                {"flattop", 0.141, 0.165}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        worst_errors worst = errors_over_a_bin(rows[r].window, 512, false);
        CHECK_MSG(worst.bins <= rows[r].bins * 1.01 + 1e-4 && worst.db <= rows[r].db * 1.01 + 2e-4,
                  "%s: %.5f bins, %.5f dB", rows[r].window, worst.bins, worst.db);
        CHECK_MSG(worst.db >= 0.9 * rows[r].db || worst.db < 1e-3, "%s: only %.5f dB",
                  rows[r].window, worst.db);
    }
}

/* With the window's lobe a lone tone reads its frequency and level, whatever the window. */
static void test_a_tone_between_bins_reads_its_level_and_frequency(void)
{
    static const char *const windows[] = {
        "rectangular",     "bartlett",       "hann",     "hamming",   "blackman",
        "blackman-harris", "nuttall",        "kaiser:3", "kaiser:14", "dolph-chebyshev:60",
        "tukey:0.25",      "gaussian:0.125", "dpss:4",   "flattop",   "hft90d",
        "hft248d"};
    static const size_t sizes[] = {64, 81, 512, 3000}; /* a lobe is of 512 points at most */
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            worst_errors worst = errors_over_a_bin(windows[i], sizes[k], true);
            CHECK_MSG(worst.bins <= 0.002 && worst.db <= 0.002, "%s of %zu: %.5f bins, %.5f dB",
                      windows[i], sizes[k], worst.bins, worst.db);
        }
    }
}

/* A weighting is that of the tone's own frequency: at 20 Hz it changes by 0.8 dB a bin here. */
static void test_a_weighted_tone_between_bins(void)
{
    enum { N = 65536 };
    double *samples = malloc(2 * N * sizeof *samples);
    check_rng rng = check_rng_fresh();
    spectra x = spectra_create("hann", N, 0, 48000, 0);
    const weir_window *window;
    double parameter;
    CHECK(weir_window_parse("hann", &window, &parameter, NULL) == WEIR_OK);
    weir_peak_lobe lobe;
    weir_peak_lobe_init(&lobe, window, parameter, N);
    for (int i = 0; i < 8; i++) {
        double bins = 27 + (i + 0.5) / 8, hz = bins * x.s.bin_hz; /* about 20 Hz */
        tone(samples, N, bins, 0.1, 2 * M_PI * check_uniform(&rng));
        spectra_clear(&x);
        spectra_add(&x, samples, 1);
        weir_scale scale;
        weir_scale_init(&scale);
        scale.weighting = i % 2 ? WEIR_WEIGHT_A : WEIR_WEIGHT_C;
        weir_peak_search search;
        weir_peak_search_init(&search);
        search.lobe = &lobe;
        weir_peak peak;
        CHECK(weir_peaks_find(&x.s, WEIR_TRACE_MEAN, &scale, &search, 1, &peak) == 1);
        CHECK_NEAR(peak.hz, hz, 0.002 * x.s.bin_hz);
        CHECK_NEAR(peak.level_db, -20 + weir_weighting_db(scale.weighting, hz), 0.005);
    }
    spectra_destroy(&x);
    free(samples);
}

/* Mean rise over its bin, in dB, of the highest of 16 bins apart in the mean of n_mean spectra. */
static double rise_of_noise(const char *name, int n_mean, bool with_lobe)
{
    enum { N = 1024, APART = 16, SPECTRA = 1000 };
    double samples[2 * N], sum = 0;
    int n = 0;
    check_rng rng = check_rng_fresh();
    spectra x = spectra_create(name, N, 0, 48000, 0);
    const weir_window *window;
    double parameter;
    CHECK(weir_window_parse(name, &window, &parameter, NULL) == WEIR_OK);
    weir_peak_lobe lobe;
    weir_peak_lobe_init(&lobe, window, parameter, N);
    weir_scale scale;
    weir_scale_init(&scale);
    for (int mean = 0; mean < SPECTRA / n_mean; mean++) {
        spectra_clear(&x);
        for (int k = 0; k < n_mean; k++) {
            for (size_t i = 0; i < 2 * N; i++) {
                samples[i] = check_gauss(&rng);
            }
            spectra_add(&x, samples, 1.0 / n_mean);
        }
        const float *power = x.s.power[WEIR_TRACE_MEAN];
        for (size_t first = APART; first + APART < N; first += APART, n++) {
            size_t best = first;
            for (size_t k = first; k < first + APART; k++) {
                best = power[k] > power[best] ? k : best;
            }
            weir_peak peak =
                weir_peak_at(&x.s, WEIR_TRACE_MEAN, &scale, with_lobe ? &lobe : NULL, best);
            sum += 10 * log10(peak.fs2 / (double)power[best]);
        }
    }
    spectra_destroy(&x);
    return sum / n;
}

static void test_noise_rises_as_little_as_stated(void)
{
    double hann = rise_of_noise("hann", 1, true), mean = rise_of_noise("hann", 100, true);
    double parabola = rise_of_noise("hann", 1, false);
    double rectangular = rise_of_noise("rectangular", 1, true);
    CHECK_MSG(hann > 0.2 && hann < 0.27 && hann < parabola, "hann %.3f dB, parabola %.3f dB", hann,
              parabola);
    CHECK_MSG(mean >= 0 && mean < 0.02, "hann, mean of 100: %.4f dB", mean);
    CHECK_MSG(rectangular > 1.3 && rectangular < 1.8, "rectangular %.3f dB", rectangular);
}

/* Whatever the number of points, down to a few: a lobe that is known reads every peak between its
 * neighbours, and near its bin's level. */
static void test_lobes_of_few_points(void)
{
    const weir_window *window;
    const float power[] = {0.3f, 1, 0.9f};
    weir_spectrum s = plain(power, 3);
    weir_scale scale;
    weir_scale_init(&scale);
    for (size_t i = 0; (window = weir_window_at(i)); i++) {
        double parameter = 0;
        (void)weir_window_parameter(window, &parameter);
        for (size_t n = 0; n <= 64; n++) {
            weir_peak_lobe lobe;
            weir_peak_lobe_init(&lobe, window, parameter, n);
            CHECK(!lobe.is_known || n >= 3);
            CHECK(lobe.is_known || n <= 8); /* dpss:4 begins with 9 */
            weir_peak peak = weir_peak_at(&s, WEIR_TRACE_MEAN, &scale, &lobe, 1);
            CHECK_MSG(peak.hz > 10 && peak.hz <= 15 && peak.fs2 > 0.9 && peak.fs2 < 2.5,
                      "%s of %zu: %g Hz, %g", weir_window_name(window), n, peak.hz, peak.fs2);
        }
    }
}

static void test_a_lobe_that_cannot_be_made_is_the_parabola(void)
{
    const weir_window *window;
    double parameter, height;
    weir_peak_lobe lobe;
    weir_scale scale;
    weir_scale_init(&scale);
    CHECK(weir_window_parse("dpss:4", &window, &parameter, NULL) == WEIR_OK);
    weir_peak_lobe_init(&lobe, window, parameter, 4); /* needs more than 8 points */
    CHECK(!lobe.is_known);
    CHECK(weir_window_parse("hft248d", &window, &parameter, NULL) == WEIR_OK);
    weir_peak_lobe_init(&lobe, window, parameter, 6); /* of 20 bins' width */
    CHECK(!lobe.is_known);
    const float power[] = {0.1f, 1, 0.3f};
    weir_spectrum s = plain(power, 3);
    weir_peak peak = weir_peak_at(&s, WEIR_TRACE_MEAN, &scale, &lobe, 1);
    double at = weir_peak_vertex(log(0.1), 0, log(0.3), &height);
    CHECK_NEAR(peak.hz, 10 * (1 + at), 1e-6);
    CHECK_NEAR(peak.fs2, exp(height), 1e-6);
    peak = weir_peak_of_bin(&s, WEIR_TRACE_MEAN, &scale, 1);
    CHECK(peak.hz == 10 && peak.fs2 == 1);
}

/* By its definition: minimum on either side up to the next higher bin or the end. */
static int prominent(const float *p, size_t n, size_t k, double db)
{
    if ((k > 0 && p[k - 1] >= p[k]) || (k + 1 < n && p[k + 1] >= p[k])) {
        return 0;
    }
    float left = p[k], right = p[k];
    for (size_t i = k; i-- > 0 && p[i] <= p[k];) {
        left = fminf(left, p[i]);
    }
    for (size_t i = k + 1; i < n && p[i] <= p[k]; i++) {
        right = fminf(right, p[i]);
    }
    double limit = (double)p[k] * pow(10, -db / 10);
    return (k == 0 || (double)left < limit) && (k + 1 == n || (double)right < limit);
}

static void test_the_strongest_with_prominence_and_spacing(void)
{
    check_rng rng = check_rng_fresh();
    float power[200];
    weir_scale scale;
    weir_scale_init(&scale);
    for (int run = 0; run < 300; run++) {
        size_t n = 1 + check_random(&rng) % 200;
        for (size_t k = 0; k < n; k++) {
            power[k] = (float)pow(10, -3 * check_uniform(&rng));
        }
        weir_peak_search search;
        weir_peak_search_init(&search);
        search.min_prominence_db = 25 * check_uniform(&rng);
        search.min_spacing_hz = 100 * check_uniform(&rng);
        weir_spectrum s = plain(power, n);
        weir_peak peaks[20];
        size_t found = weir_peaks_find(&s, WEIR_TRACE_MEAN, &scale, &search, 20, peaks);
        for (size_t i = 1; i < found; i++) {
            CHECK(peaks[i].level_db <= peaks[i - 1].level_db);
        }
        /* Greedy choice from all candidates by their bins, as the header says. */
        unsigned char out[200] = {0};
        for (size_t i = 0; i < found + (found < 20); i++) {
            size_t best = n;
            for (size_t k = 0; k < n; k++) {
                if (!out[k] && prominent(power, n, k, search.min_prominence_db) &&
                    (best == n || power[k] > power[best])) {
                    best = k;
                }
            }
            bool is_there = false;
            for (size_t p = 0; p < found; p++) {
                is_there |= peaks[p].bin == best;
            }
            CHECK_MSG(is_there == (i < found) && (i < found || best == n),
                      "run %d, peak %zu of %zu: bin %zu", run, i, found, best);
            for (size_t k = 0; best < n && k < n; k++) {
                out[k] |= k == best || fabs((double)k - (double)best) * 10 < search.min_spacing_hz;
            }
        }
    }
}

/* A limit is of the tones' levels: that of the second is above it, though its bin lies lower than
 * the first's. */
static void test_a_limit_between_bins(void)
{
    enum { N = 512 };
    static double samples[2 * N], other[2 * N];
    spectra x = spectra_create("hann", N, 0, 48000, 0);
    const weir_window *window;
    double parameter;
    weir_peak_lobe lobe;
    weir_scale scale;
    weir_scale_init(&scale);
    CHECK(weir_window_parse("hann", &window, &parameter, NULL) == WEIR_OK);
    weir_peak_lobe_init(&lobe, window, parameter, N);
    tone(samples, N, 100, pow(10, -20.5 / 20), 0);
    tone(other, N, 150.5, 0.1, 0);
    for (size_t i = 0; i < 2 * N; i++) {
        samples[i] += other[i];
    }
    spectra_add(&x, samples, 1);
    weir_peak_search search;
    weir_peak_search_init(&search);
    search.lobe = &lobe;
    search.min_level_db = -20.2;
    weir_peak peaks[3];
    CHECK(weir_peaks_find(&x.s, WEIR_TRACE_MEAN, &scale, &search, 3, peaks) == 1);
    CHECK_NEAR(peaks[0].level_db, -20, 0.01);
    search.min_level_db = -20.6;
    CHECK(weir_peaks_find(&x.s, WEIR_TRACE_MEAN, &scale, &search, 3, peaks) == 2);
    CHECK_NEAR(peaks[1].level_db, -20.5, 0.01);
    spectra_destroy(&x);
}

static void test_limits_of_the_search(void)
{
    float power[10] = {1, 0.01f, 0.5f, 0.5f, 0.01f, 0.2f, 0.01f, 0, 0, 0};
    weir_spectrum s = plain(power, 10);
    weir_scale scale;
    weir_scale_init(&scale);
    weir_peak_search search;
    weir_peak_search_init(&search);
    weir_peak peaks[10];
    CHECK(weir_peaks_find(&s, WEIR_TRACE_MEAN, &scale, &search, 10, peaks) == 3);
    CHECK(peaks[0].bin == 0 && peaks[1].bin == 2 && peaks[2].bin == 5);
    search.low_hz = 15;
    search.high_hz = 45;
    CHECK(weir_peaks_find(&s, WEIR_TRACE_MEAN, &scale, &search, 10, peaks) == 1);
    CHECK(peaks[0].bin == 2);
    search.low_hz = search.high_hz = NAN;
    search.min_level_db = -5;
    CHECK(weir_peaks_find(&s, WEIR_TRACE_MEAN, &scale, &search, 10, peaks) == 2);
    float silence[10] = {0};
    s = plain(silence, 10);
    CHECK(weir_peaks_find(&s, WEIR_TRACE_MEAN, &scale, &search, 10, peaks) == 0);
}

/* A flat density D reads D at a noise marker and D times the width in a band. */
static void test_markers(void)
{
    enum { N = 1000 };
    static float power[N];
    for (size_t k = 0; k < N; k++) {
        power[k] = 2e-9f;
    }
    weir_spectrum s = plain(power, N);
    s.start_hz = 1e6;
    s.enbw_bins = 2;
    weir_scale scale;
    weir_scale_init(&scale);
    scale.offset_db = -10;
    weir_marker a = weir_marker_at(&s, WEIR_TRACE_MEAN, &scale, 1e6 + 104, 5);
    CHECK_NEAR(a.hz, 1e6 + 100, 1e-6);
    CHECK_NEAR(a.level_db, 10 * log10(2e-9) - 10, 1e-4);
    CHECK_NEAR(a.noise_db_per_hz, -100 - 10, 1e-4); /* 2e-9 / (2 * 10 Hz) */
    CHECK_NEAR(weir_marker_band_db(&s, WEIR_TRACE_MEAN, &scale, 1e6 + 11, 1e6 + 22.5),
               -110 + 10 * log10(11.5), 1e-4);
    power[500] = 1e-3f;
    weir_marker b = weir_marker_at(&s, WEIR_TRACE_MEAN, &scale, 1e6 + 5000, 0);
    weir_marker_delta d = weir_marker_difference(&a, &b);
    CHECK_NEAR(d.delta_hz, 4900, 1e-6);
    CHECK_NEAR(d.delta_db, 10 * log10(1e-3 / 2e-9), 2e-4);
    weir_marker end = weir_marker_at(&s, WEIR_TRACE_MEAN, &scale, 1e9, 3);
    CHECK_NEAR(end.hz, 1e6 + 9990, 1e-6);
    CHECK_NEAR(end.noise_db_per_hz, -110, 1e-4);
}

static void test_notes(void)
{
    static const struct {
        double hz, a4;
        const char *name;
    } rows[] = {{440, 440, "A4 +0.0 cents"},
                {1000, 440, "B5 +21.3 cents"},
                {997, 440, "B5 +16.1 cents"},
                {442, 442, "A4 +0.0 cents"},
                {261.6255653, 440, "C4 +0.0 cents"},
                {8.1757989, 440, "C-1 +0.0 cents"},
                {7.7168, 440, "B-2 +0.0 cents"},
                {440.8139, 440, "A4 +3.2 cents"},
                {0, 440, ""},
                {-5, 440, ""},
                {INFINITY, 440, ""}};
    char text[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_STR(weir_note_name(text, sizeof text, rows[i].hz, rows[i].a4), rows[i].name);
    }
}

int main(void)
{
    RUN(test_the_parabola_alone_is_as_good_as_stated);
    RUN(test_a_tone_between_bins_reads_its_level_and_frequency);
    RUN(test_a_weighted_tone_between_bins);
    RUN(test_noise_rises_as_little_as_stated);
    RUN(test_lobes_of_few_points);
    RUN(test_a_lobe_that_cannot_be_made_is_the_parabola);
    RUN(test_the_strongest_with_prominence_and_spacing);
    RUN(test_a_limit_between_bins);
    RUN(test_limits_of_the_search);
    RUN(test_markers);
    RUN(test_notes);
    return check_finish();
}
