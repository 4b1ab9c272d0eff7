/* ctest-labels: unit prop
 * dsp/zoom.h: flat, free of aliases, exact in time, the same however it is cut. */
#include "dsp/zoom.h"
#include "tests/check.h"

static weir_sample_format format_of(const char *name)
{
    weir_sample_format format = {.channels = 1};
    CHECK(weir_format_parse(name, &format, NULL) == WEIR_OK);
    return format;
}

static weir_zoom *create(const char *format, double rate, double offset, uint64_t decimation)
{
    weir_zoom_config config = {.format = format_of(format),
                               .rate_hz = rate,
                               .offset_hz = offset,
                               .decimation = decimation};
    weir_zoom *zoom;
    weir_error err = {.text = ""};
    CHECK_MSG(weir_zoom_create(&zoom, &config, &err) == WEIR_OK, "%s", err.text);
    return zoom;
}

/* n samples of a tone of amplitude 1 from an absolute sample number on. */
static void tone(float *x, size_t n, int is_complex, double turns_per_sample, double phase)
{
    for (size_t i = 0; i < n; i++) {
        double turns = turns_per_sample * (double)i;
        double angle = 2 * M_PI * (turns - floor(turns)) + phase;
        if (is_complex) {
            x[2 * i] = (float)cos(angle);
            x[2 * i + 1] = (float)sin(angle);
        } else {
            x[i] = (float)cos(angle);
        }
    }
}

/* Pushes a tone and returns the mean power of all outputs in dB; deviation gets the
 * largest distance of an output from the tone as it should be there. */
static double pass_tone(weir_zoom *zoom, uint64_t decimation, int is_complex, double rate,
                        double offset, double hz, double *deviation)
{
    size_t n = (size_t)(2 * weir_zoom_delay_samples(zoom) + 64 * decimation);
    float *x = malloc((is_complex ? 2 : 1) * n * sizeof *x);
    float *y = malloc(2 * (n / decimation + 1) * sizeof *y);
    tone(x, n, is_complex, hz / rate, 0.3);
    weir_zoom_begin(zoom, 0);
    size_t n_out = weir_zoom_push(zoom, x, n, y);
    CHECK(n_out == weir_zoom_outputs(zoom, n) && n_out >= 64);
    double power = 0;
    *deviation = 0;
    for (size_t m = 0; m < n_out; m++) {
        double at = (double)(m * decimation + weir_zoom_delay_samples(zoom));
        double turns = (hz - offset) / rate * at, angle = 2 * M_PI * (turns - floor(turns)) + 0.3;
        double re = (double)y[2 * m], im = (double)y[2 * m + 1];
        power += (re * re + im * im) / (double)n_out;
        *deviation = fmax(*deviation, hypot(re - cos(angle), im - sin(angle)));
    }
    free(x);
    free(y);
    return 10 * log10(power + 1e-30);
}

static const uint64_t decimations[] = {1, 2, 3, 4, 5, 8, 12, 16, 17, 64, 100, 256};

/* Level within 0.01 dB over the usable span; output m is the input at the stated time. */
static void test_flat_and_on_time(void)
{
    check_rng rng = check_rng_fresh();
    double rate = 2.4e6;
    for (size_t d = 0; d < sizeof decimations / sizeof *decimations; d++) {
        double offset = (check_uniform(&rng) - 0.5) * rate;
        weir_zoom *zoom = create("cf32le", rate, offset, decimations[d]);
        double usable = weir_zoom_usable_hz(zoom), worst = 0, late = 0;
        for (int i = 0; i <= 20; i++) {
            double hz = offset + usable * (i / 20.0 - 0.5), deviation;
            double db = pass_tone(zoom, decimations[d], 1, rate, offset, hz, &deviation);
            worst = fmax(worst, fabs(db));
            late = fmax(late, deviation);
        }
        /* Ripple 10^(-110/20) per stage; single precision. */
        CHECK_MSG(worst < 0.001 && late < 1e-4, "by %llu: %.5f dB, off by %.2g",
                  (unsigned long long)decimations[d], worst, late);
        weir_zoom_destroy(zoom);
    }
}

/* Whatever would alias into the usable span is 100 dB down. */
static void test_aliases_are_rejected(void)
{
    check_rng rng = check_rng_fresh();
    double rate = 1e6;
    for (size_t d = 1; d < sizeof decimations / sizeof *decimations; d++) {
        double offset = (check_uniform(&rng) - 0.5) * rate, worst = -300;
        weir_zoom *zoom = create("cf32le", rate, offset, decimations[d]);
        double out = weir_zoom_rate_hz(zoom);
        for (int i = 0; i < 60; i++) {
            double order = (double)(1 + check_random(&rng) % (decimations[d] - 1));
            double in_span = i < 2 ? i - 0.5 : check_uniform(&rng) - 0.5;
            double hz = offset + order * out + in_span * weir_zoom_usable_hz(zoom), unused;
            worst = fmax(worst, pass_tone(zoom, decimations[d], 1, rate, offset, hz, &unused));
        }
        CHECK_MSG(worst < -100, "by %llu: %.1f dB", (unsigned long long)decimations[d], worst);
        weir_zoom_destroy(zoom);
    }
}

/* A real sine of amplitude 1 becomes a complex tone of amplitude 1: 0 dBFS both. */
static void test_real_input_keeps_its_level(void)
{
    double rate = 48000, deviation;
    for (uint64_t d = 2; d <= 32; d *= 2) {
        double offset = 0.27 * rate;
        weir_zoom *zoom = create("f32le", rate, offset, d);
        double hz = offset + 0.3 * weir_zoom_rate_hz(zoom) * (d > 2 ? 1 : 0.1);
        double db = pass_tone(zoom, d, 0, rate, offset, hz, &deviation);
        CHECK_NEAR(db, 0, 0.001);
        CHECK(deviation < 1e-4);
        weir_zoom_destroy(zoom);
    }
}

/* Random bytes through every format, whole and in pieces, from a far sample number on. */
static void test_cutting_changes_no_bit(void)
{
    static const char *const formats[] = {"cu8", "cs8",   "cs16le", "cf32le",
                                          "u8",  "s16le", "cs16be", "rs24le"};
    enum { N = 30000 };
    check_rng rng = check_rng_fresh();
    static unsigned char raw[8 * N];
    static float whole[2 * N + 64], cut[2 * N + 64];
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        for (size_t i = 0; i < sizeof raw; i++) {
            raw[i] = (unsigned char)check_random(&rng);
        }
        if (strcmp(formats[f], "cf32le") == 0) {
            for (size_t i = 0; i < 2 * N; i++) {
                float value = (float)check_gauss(&rng);
                memcpy(raw + 4 * i, &value, sizeof value);
            }
        }
        uint64_t d = decimations[1 + check_random(&rng) % 11];
        uint64_t first = check_random(&rng) >> 20;
        weir_zoom *zoom = create(formats[f], 1e6, 0.123456e6, d);
        weir_sample_format format = format_of(formats[f]);
        size_t stride = weir_format_stride_bytes(&format);
        weir_zoom_begin(zoom, first);
        size_t n_whole = weir_zoom_push(zoom, raw, N, whole);
        weir_zoom_begin(zoom, first);
        size_t n_cut = 0;
        for (size_t at = 0; at < N;) {
            size_t n = check_random(&rng) % (check_random(&rng) % 4 ? 40 : 5000);
            n = n < N - at ? n : N - at;
            n_cut += weir_zoom_push(zoom, raw + at * stride, n, cut + 2 * n_cut);
            at += n;
            CHECK(n_cut == weir_zoom_outputs(zoom, at));
        }
        CHECK_MSG(n_cut == n_whole && memcmp(whole, cut, 2 * n_cut * sizeof *cut) == 0,
                  "%s by %llu", formats[f], (unsigned long long)d);
        weir_zoom_destroy(zoom);
    }
}

/* The fast paths are weir_format_unpack: decimation 1 at offset 0 gives it back. */
static void test_formats_are_read_as_everywhere(void)
{
    static const char *const formats[] = {"cu8", "cs8", "cs16le", "cs16be", "cf32le"};
    enum { N = 1000 };
    check_rng rng = check_rng_fresh();
    unsigned char raw[8 * N] = {0};
    float out[2 * N + 2], expected[2 * N];
    for (size_t i = 0; i < 4 * N; i++) {
        raw[i] = (unsigned char)check_random(&rng);
    }
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        weir_sample_format format = format_of(formats[f]);
        size_t n = f == 4 ? N / 2 : N;
        weir_format_unpack(&format, 0, raw, n, expected);
        for (int swap = 0; swap < 2; swap++) {
            weir_zoom_config config = {
                .format = format, .rate_hz = 1, .decimation = 1, .iq_swap = swap};
            weir_zoom *zoom;
            CHECK(weir_zoom_create(&zoom, &config, NULL) == WEIR_OK);
            CHECK(weir_zoom_push(zoom, raw, n, out) == n);
            for (size_t i = 0; i < 2 * n; i++) {
                double e = (double)expected[swap ? i ^ 1 : i];
                CHECK_NEAR((double)out[i], e, 2e-7 * fabs(e) + 1e-30);
            }
            weir_zoom_destroy(zoom);
        }
    }
}

/* An unbalanced tone at +0.2: its image at -0.2 is in the output, or with the correction
 * is not. */
static void test_imbalance_is_corrected_on_the_way(void)
{
    enum { N = 20000, D = 8 };
    static float x[2 * N], y[2 * N];
    for (size_t i = 0; i < N; i++) {
        double angle = 2 * M_PI * (double)(i % 5) / 5;
        x[2 * i] = (float)cos(angle);
        x[2 * i + 1] = (float)(0.9 * sin(angle + 0.05));
    }
    weir_iq_stats stats = {0};
    weir_sample_format format = format_of("cf32le");
    weir_iq_stats_add(&stats, &format, 0, x, N);
    weir_iq_correction correction;
    CHECK(weir_iq_estimate(&stats, &correction));
    for (int corrected = 0; corrected < 2; corrected++) {
        weir_iq_tracker tracker;
        weir_iq_tracker_fix(&tracker, &correction);
        weir_zoom_config config = {.format = format,
                                   .rate_hz = 1,
                                   .offset_hz = -0.2,
                                   .decimation = D,
                                   .iq = corrected ? &tracker : NULL};
        weir_zoom *zoom;
        CHECK(weir_zoom_create(&zoom, &config, NULL) == WEIR_OK);
        size_t n = weir_zoom_push(zoom, x, N, y);
        double power = 0;
        for (size_t m = 0; m < 2 * n; m++) {
            power += (double)y[m] * (double)y[m] / (double)n;
        }
        double db = 10 * log10(power);
        CHECK_MSG(corrected ? db < -100 : db > -30, "image at %.1f dB", db);
        weir_zoom_destroy(zoom);
    }
}

/* The same tone after 10^15 samples: no drift of phase against exact arithmetic. */
static void test_phase_does_not_drift(void)
{
    enum { N = 4000, D = 4 };
    static float x[2 * N], y[2 * N];
    uint64_t first = UINT64_C(1000000000000000);
    double offset = 0.3; /* of a rate of 1: exact phase from integers, 3 n mod 10 */
    weir_zoom *zoom = create("cf32le", 1, offset, D);
    for (size_t i = 0; i < N; i++) {
        double angle = 2 * M_PI * (double)((first + i) * 3 % 10) / 10;
        x[2 * i] = (float)cos(angle);
        x[2 * i + 1] = (float)sin(angle);
    }
    weir_zoom_begin(zoom, first);
    size_t n = weir_zoom_push(zoom, x, N, y);
    CHECK(n > 900);
    for (size_t m = 0; m < n; m++) {
        /* 0.3 is not a double: off by 1.1e-17 of a turn a sample, 0.07 rad after 10^15. */
        CHECK(hypot((double)y[2 * m] - (double)y[0], (double)y[2 * m + 1] - (double)y[1]) < 1e-5);
        CHECK_NEAR(hypot((double)y[2 * m], (double)y[2 * m + 1]), 1, 1e-5);
        CHECK(fabs(atan2((double)y[2 * m + 1], (double)y[2 * m])) < 0.1);
    }
    weir_zoom_destroy(zoom);
}

static void test_choice_of_decimation(void)
{
    CHECK(weir_zoom_decimation_for(2.4e6, 2.4e6) == 1);
    CHECK(weir_zoom_decimation_for(2.4e6, 0.96e6) == 2);
    CHECK(weir_zoom_decimation_for(2.4e6, 120e3) == 16);
    CHECK(weir_zoom_decimation_for(2.4e6, 0) == 1u << 24);
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 1000; i++) {
        double span = pow(10, 6.4 * check_uniform(&rng));
        uint64_t d = weir_zoom_decimation_for(2.4e6, span);
        CHECK(d == 1 || 0.8 * 2.4e6 / (double)d >= span * (1 - 1e-9));
        CHECK(d >= 1 && (double)d > 0.9 * fmin(0.8 * 2.4e6 / span, 9) - 1);
    }
}

static void test_refusals(void)
{
    weir_zoom_config good = {.format = format_of("cu8"), .rate_hz = 1e6, .decimation = 16};
    weir_zoom_config bad[7];
    for (int i = 0; i < 7; i++) {
        bad[i] = good;
    }
    bad[0].rate_hz = 0;
    bad[1].rate_hz = NAN;
    bad[2].offset_hz = 0.6e6;
    bad[3].decimation = 0;
    bad[4].decimation = 4097;
    bad[5].channel = 1;
    bad[6].format.is_complex = false;
    bad[6].decimation = 1;
    for (int i = 0; i < 7; i++) {
        weir_zoom *zoom;
        weir_error err = {.text = ""};
        CHECK(weir_zoom_create(&zoom, &bad[i], &err) == WEIR_ERR_USAGE && zoom == NULL);
        CHECK(strncmp(err.text, "zoom: ", 6) == 0);
    }
    weir_zoom_destroy(NULL);
}

/* For the record; nothing is demanded of a shared machine. */
static void test_report_speed(void)
{
    enum { N = 1 << 22 };
    static const char *const formats[] = {"cu8", "cs16le", "cf32le"};
    for (size_t f = 0; f < 3; f++) {
        unsigned char *raw = calloc(N, 8);
        float *out = malloc((2 * N / 16 + 2) * sizeof *out);
        for (uint64_t d = 16; d <= 1024; d *= 8) {
            weir_zoom *zoom = create(formats[f], 2.4e6, 3e5, d);
            struct timespec from, to;
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
            size_t n = weir_zoom_push(zoom, raw, N, out);
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
            double s =
                (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
            printf("# %s by %llu: %.0f MS/s\n", formats[f], (unsigned long long)d, N / s / 1e6);
            CHECK(n == weir_zoom_outputs(zoom, N));
            weir_zoom_destroy(zoom);
        }
        free(raw);
        free(out);
    }
}

int main(void)
{
    RUN(test_flat_and_on_time);
    RUN(test_aliases_are_rejected);
    RUN(test_real_input_keeps_its_level);
    RUN(test_cutting_changes_no_bit);
    RUN(test_formats_are_read_as_everywhere);
    RUN(test_imbalance_is_corrected_on_the_way);
    RUN(test_phase_does_not_drift);
    RUN(test_choice_of_decimation);
    RUN(test_refusals);
    RUN(test_report_speed);
    return check_finish();
}
