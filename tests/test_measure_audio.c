/* ctest-labels: unit prop
 * dsp/measure_audio.h: ideal converters, waveforms with known distortion, what is refused. */
#include "dsp/measure_audio.h"
#include "tests/check.h"
#include "tests/spectra.h"

static weir_scale scale;

/* A sine of `cycles` in n samples, rounded to the steps of a converter of that many bits. */
static void quantised_sine(double *x, size_t n, double cycles, int bits)
{
    double steps = ldexp(1, bits - 1);
    for (size_t i = 0; i < n; i++) {
        double turns = cycles * (double)i / (double)n;
        x[i] = round(sin(2 * M_PI * (turns - floor(turns))) * (steps - 1)) / steps;
    }
}

static weir_distortion measure(const spectra *x, const weir_distortion_options *options)
{
    weir_distortion d;
    weir_error err = {.text = ""};
    weir_status status = weir_measure_distortion(&x->s, WEIR_TRACE_MEAN, &scale, options, &d, &err);
    CHECK_MSG(status == WEIR_OK, "%s", err.text);
    return d;
}

/* N = 65536, 1361 cycles at 48 kHz, by NumPy in double precision, noise summed bin by bin. (A
 * difference of sums, all less signal, loses it below 2^-52 of the signal: 24 bits then read
 * anything near 146.) */
static void test_ideal_converters(void)
{
    enum { N = 65536 };
    static double samples[N];
    static const struct {
        int bits;
        double sinad, tolerance;
    } rows[] = {{8, 49.95, 0.0051},
                {12, 74.03, 0.0051},
                {16, 98.11, 0.011},
                {20, 122.15, 0.0051},
                {24, 146.309, 0.0051}};
    static const char *const windows[] = {"rectangular", "hft248d"};
    for (size_t w = 0; w < 2; w++) {
        spectra x = spectra_create(windows[w], N, 1, 48000, 0);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            quantised_sine(samples, N, 1361, rows[r].bits);
            spectra_clear(&x);
            spectra_add(&x, samples, 1);
            weir_distortion_options options;
            weir_distortion_options_init(&options);
            options.main_lobe_bins = w ? 11 : 1;
            weir_distortion d = measure(&x, &options);
            /* The long window leaves fewer independent bins of the noise. */
            CHECK_NEAR(d.sinad_db, rows[r].sinad, rows[r].tolerance + (w ? 0.15 : 0));
            CHECK_NEAR(d.sinad_db, 6.0206 * rows[r].bits + 1.7609, 0.25);
            CHECK_NEAR(d.fundamental_hz, 996.826171875, 1e-4);
            CHECK_NEAR(d.enob_bits, (d.sinad_db - 1.76) / 6.02, 1e-9);
            CHECK_NEAR(d.enob_bits, rows[r].bits, 0.05);
            CHECK(d.snr_db >= d.sinad_db && d.sfdr_db > d.sinad_db);
            CHECK(d.n_harmonics == 9 && d.n_harmonics_cut == 0);
            CHECK_NEAR(d.thdn_f_db, -d.sinad_db, 1e-9);
        }
        spectra_destroy(&x);
    }
}

/* 12 bits, a tenth of a bin off: what side lobes beyond the excluded bins cost. */
static void test_leakage_costs_bits(void)
{
    enum { N = 65536 };
    static double samples[N];
    static const struct {
        const char *window;
        double half_width, low, high;
    } rows[] = {{"rectangular", 0, 2.155, 2.165},
                {"hann", 1, 5.315, 5.325},
                {"blackman-harris", 4, 11.98, 12.02},
                {"flattop", 5, 11.98, 12.02}};
    quantised_sine(samples, N, 1361.1, 12);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        spectra x = spectra_create(rows[r].window, N, 1, 48000, 0);
        spectra_add(&x, samples, 1);
        weir_distortion_options options;
        weir_distortion_options_init(&options);
        options.main_lobe_bins = rows[r].half_width;
        weir_distortion d = measure(&x, &options);
        CHECK_MSG(d.enob_bits >= rows[r].low && d.enob_bits <= rows[r].high, "%s, %g: %.4f bits",
                  rows[r].window, rows[r].half_width, d.enob_bits);
        if (r >= 2) { /* the frequency by centre of gravity */
            CHECK_NEAR(d.fundamental_hz, 1361.1 * 48000 / N, 1e-4);
            CHECK_NEAR(d.fundamental_dbfs, 20 * log10(2047.0 / 2048), 1e-4);
        }
        spectra_destroy(&x);
    }
}

/* The same at 0.9 of full scale, where a coherent capture of 12 bits reads 11.84 (as does the
 * one that the value 11.82 was published beside); to full scale it is 12 again. */
static void test_leakage_below_full_scale(void)
{
    enum { N = 65536 };
    static double samples[N];
    static const struct {
        const char *window;
        double half_width;
    } rows[] = {{"blackman-harris", 4}, {"flattop", 5}};
    for (size_t i = 0; i < N; i++) {
        double turns = 1361.1 * (double)i / N;
        samples[i] = round(0.9 * sin(2 * M_PI * (turns - floor(turns))) * 2047) / 2048;
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        spectra x = spectra_create(rows[r].window, N, 1, 48000, 0);
        spectra_add(&x, samples, 1);
        weir_distortion_options options;
        weir_distortion_options_init(&options);
        options.main_lobe_bins = rows[r].half_width;
        weir_distortion d = measure(&x, &options);
        CHECK_NEAR(d.enob_bits, 11.82, 0.04);
        CHECK_NEAR(d.enob_full_scale_bits, 12, 0.03);
        spectra_destroy(&x);
    }
}

/* Whole, odd numbers of cycles near 997 Hz: no window is needed, nothing leaks. */
static void test_coherent_choices(void)
{
    static double samples[65536];
    static const struct {
        double rate_hz, cycles, hz;
        size_t n;
    } rows[] = {{44100, 371, 998.602, 16384},
                {48000, 341, 999.023, 16384},
                {96000, 681, 997.559, 65536},
                {48000, 1361, 996.826, 65536}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        spectra x = spectra_create("rectangular", rows[r].n, 1, rows[r].rate_hz, 0);
        quantised_sine(samples, rows[r].n, rows[r].cycles, 16);
        spectra_add(&x, samples, 1);
        weir_distortion_options options;
        weir_distortion_options_init(&options);
        options.main_lobe_bins = 1;
        weir_distortion d = measure(&x, &options);
        CHECK_NEAR(d.fundamental_hz, rows[r].hz, 5e-4);
        CHECK_NEAR(d.sinad_db, 6.0206 * 16 + 1.7609, 0.15); /* spread of 16384 errors: 0.05 */
        spectra_destroy(&x);
    }
}

/* Lines at multiples of bin 4, amplitudes by a rule, as many as there are. */
static weir_spectrum harmonics_of(float *power, size_t n_bins, double (*amplitude)(unsigned h))
{
    memset(power, 0, n_bins * sizeof *power);
    for (unsigned h = 1; 4 * (size_t)h < n_bins; h++) {
        double a = amplitude(h);
        power[4 * h] = (float)(a * a / 2);
    }
    return (weir_spectrum){.power = {[WEIR_TRACE_MEAN] = power},
                           .n_bins = n_bins,
                           .bin_hz = 1,
                           .rate_hz = 2 * (double)(n_bins - 1),
                           .enbw_bins = 1,
                           .full_scale_power = 0.5};
}

static double sawtooth(unsigned h)
{
    return 1.0 / h;
}

static double square(unsigned h)
{
    return h % 2 ? 1.0 / h : 0;
}

static double triangle(unsigned h)
{
    return h % 2 ? 1.0 / h / h : 0;
}

static double second(unsigned h)
{
    return h == 1 ? 1 : h == 2 ? 0.75 : 0;
}

static void test_waveforms_of_known_distortion(void)
{
    enum { N = 400001 };
    static float power[N];
    static const struct {
        double (*amplitude)(unsigned h);
        unsigned highest;
        double f_percent;
    } rows[] = {{sawtooth, 99999, 80.31},
                {square, 99999, 48.34},
                {square, 10, 42.88},
                {triangle, 99999, 12.115},
                {second, 10, 75}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        weir_spectrum s = harmonics_of(power, N, rows[r].amplitude);
        weir_distortion_options options;
        weir_distortion_options_init(&options);
        options.main_lobe_bins = 1;
        options.highest_harmonic = rows[r].highest;
        weir_distortion d;
        CHECK(weir_measure_distortion(&s, WEIR_TRACE_MEAN, &scale, &options, &d, NULL) == WEIR_OK);
        CHECK_NEAR(d.thd_f_percent, rows[r].f_percent, 0.0051);
        double f = d.thd_f_percent / 100;
        CHECK_NEAR(d.thd_r_percent, 100 * f / sqrt(1 + f * f), 1e-9);
        CHECK_NEAR(d.thd_f_db, 20 * log10(f), 1e-9);
    }
    weir_spectrum s = harmonics_of(power, N, second);
    weir_distortion_options options;
    weir_distortion_options_init(&options);
    options.main_lobe_bins = 1;
    weir_distortion d;
    CHECK(weir_measure_distortion(&s, WEIR_TRACE_MEAN, &scale, &options, &d, NULL) == WEIR_OK);
    CHECK_NEAR(d.thd_r_percent, 60, 1e-4);
    CHECK_NEAR(d.thdn_r_percent, 60, 1e-4);
    CHECK_NEAR(d.sfdr_db, -20 * log10(0.75), 1e-4);
    CHECK_NEAR(d.spur_hz, 8, 1e-9);
    CHECK_NEAR(d.harmonics[0].level_dbc, 20 * log10(0.75), 1e-4);
    CHECK(d.harmonics[0].order == 2 && d.harmonics[0].hz == 8 && d.n_harmonics_kept == 9);
    options.low_hz = d.fundamental_hz - 1; /* within the tone's main lobe */
    options.high_hz = d.fundamental_hz + 1;
    CHECK(weir_measure_distortion(&s, WEIR_TRACE_MEAN, &scale, &options, &d, NULL) == WEIR_OK);
    CHECK(isnan(d.sfdr_db) && isnan(d.spur_hz));
}

/* Harmonics 4, 5 of 15 kHz at 48 kHz come back at 12 and 21 kHz. */
static void test_harmonics_fold_or_are_cut(void)
{
    enum { N = 24001 };
    static float power[N];
    memset(power, 0, sizeof power);
    power[15000] = 0.5f;
    power[18000] = 0.5e-4f; /* second, at 30 kHz */
    power[12000] = 0.5e-6f; /* fourth, at 60 kHz */
    weir_spectrum s = {.power = {[WEIR_TRACE_MEAN] = power},
                       .n_bins = N,
                       .bin_hz = 1,
                       .rate_hz = 48000,
                       .enbw_bins = 1,
                       .full_scale_power = 0.5};
    weir_distortion_options options;
    weir_distortion_options_init(&options);
    options.highest_harmonic = 5;
    weir_distortion d;
    CHECK(weir_measure_distortion(&s, WEIR_TRACE_MEAN, &scale, &options, &d, NULL) == WEIR_OK);
    CHECK_NEAR(d.thd_f_db, 10 * log10(1.01e-4), 1e-4);
    CHECK(d.n_harmonics == 4 && d.harmonics[2].order == 4);
    CHECK_NEAR(d.harmonics[2].hz, 12000, 1e-6);
    CHECK_NEAR(d.harmonics[2].level_dbc, -60, 1e-4);
    options.fold = false;
    CHECK(weir_measure_distortion(&s, WEIR_TRACE_MEAN, &scale, &options, &d, NULL) == WEIR_OK);
    CHECK(d.n_harmonics == 0 && d.n_harmonics_cut == 4);
    CHECK(d.thd_f_percent == 0 && d.thd_f_db == -300);
    CHECK_NEAR(d.sinad_db, -10 * log10(1.01e-4), 1e-4);
    options.fold = true;
    options.high_hz = 16000; /* the second now lies outside the band */
    CHECK(weir_measure_distortion(&s, WEIR_TRACE_MEAN, &scale, &options, &d, NULL) == WEIR_OK);
    CHECK_NEAR(d.thdn_f_db, -60, 1e-4);
    CHECK(d.n_harmonics_cut == 2); /* second, and fifth at 21 kHz */
}

/* A tone at -20 dBFS in noise: full-scale ENOB adds what is missing to full scale. */
static void test_full_scale_correction(void)
{
    enum { N = 16384 };
    static double samples[N];
    quantised_sine(samples, N, 371, 12);
    for (size_t i = 0; i < N; i++) {
        samples[i] = round(samples[i] * 0.1 * 2048) / 2048;
    }
    spectra x = spectra_create("blackman-harris", N, 1, 44100, 0);
    spectra_add(&x, samples, 1);
    scale.offset_db = 6;
    weir_distortion_options options;
    weir_distortion_options_init(&options);
    options.fundamental_hz = 1000; /* found within the main lobe: 998.602 Hz */
    weir_distortion d = measure(&x, &options);
    scale.offset_db = 0;
    CHECK_NEAR(d.fundamental_hz, 998.602, 1e-3);
    CHECK_NEAR(d.fundamental_dbfs, -20, 0.01);
    CHECK_NEAR(d.fundamental_db, d.fundamental_dbfs + 6, 1e-9);
    CHECK_NEAR(d.enob_full_scale_bits, d.enob_bits - d.fundamental_dbfs / 6.02, 1e-9);
    CHECK_NEAR(d.enob_full_scale_bits, 12, 0.15);
    CHECK_NEAR(d.excluded_half_width_hz, 4.5 * 44100 / N, 1e-9);
    spectra_destroy(&x);
}

static void test_refusals(void)
{
    float power[100] = {0};
    power[3] = 1;
    weir_spectrum s = {.power = {[WEIR_TRACE_MEAN] = power},
                       .n_bins = 100,
                       .bin_hz = 1,
                       .rate_hz = 198,
                       .enbw_bins = 1,
                       .full_scale_power = 0.5};
    weir_distortion_options options;
    weir_distortion_options_init(&options);
    weir_distortion d;
    weir_error err;
    CHECK(weir_measure_distortion(&s, WEIR_TRACE_MEAN, &scale, &options, &d, &err) ==
          WEIR_ERR_USAGE);
    CHECK(strstr(err.text, "no tone") != NULL);
    options.main_lobe_bins = NAN;
    CHECK(weir_measure_distortion(&s, WEIR_TRACE_MEAN, &scale, &options, &d, &err) ==
          WEIR_ERR_USAGE);
    s.full_scale_power = 1;
    CHECK(weir_measure_distortion(&s, WEIR_TRACE_MEAN, &scale, &options, &d, &err) ==
          WEIR_ERR_UNSUPPORTED);
}

int main(void)
{
    weir_scale_init(&scale);
    RUN(test_ideal_converters);
    RUN(test_leakage_costs_bits);
    RUN(test_leakage_below_full_scale);
    RUN(test_coherent_choices);
    RUN(test_waveforms_of_known_distortion);
    RUN(test_harmonics_fold_or_are_cut);
    RUN(test_full_scale_correction);
    RUN(test_refusals);
    return check_finish();
}
