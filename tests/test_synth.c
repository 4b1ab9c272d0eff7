/* ctest-labels: unit prop
 * capture/synth.h: levels, spurs and frequencies against formulas in double precision, the
 * same samples however reads are cut, events at their samples, and every error. */
#include "base/units.h"
#include "capture/source.h"
#include "capture/synth.h"
#include "tests/check.h"

#include <complex.h>

#define TURN 6.28318530717958647692
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static weir_source *open_recipe(const char *recipe)
{
    char argument[4096];
    weir_error err = {0};
    weir_source *source = NULL;
    snprintf(argument, sizeof argument, "synth:%s", recipe);
    weir_status status = weir_source_open(&source, argument, NULL, &err);
    CHECK_MSG(status == WEIR_OK && source, "%s", err.text);
    if (!source) {
        exit(1);
    }
    return source;
}

/* Reads n samples, in one segment or more; poisoned before. */
static size_t read_raw(weir_source *source, void *memory, size_t n)
{
    size_t stride = weir_format_stride_bytes(&source->info.format), done = 0;
    weir_error err = {0};
    memset(memory, 0xa5, n * stride);
    while (done < n) {
        weir_read read = {0};
        unsigned char *at = (unsigned char *)memory + done * stride;
        CHECK(source->class_->read(source, at, n - done, &read, &err) == WEIR_OK);
        if (read.n_samples == 0) {
            break;
        }
        done += read.n_samples;
    }
    return done;
}

static void go_to(weir_source *source, uint64_t sample)
{
    weir_error err = {0};
    CHECK_MSG(source->class_->seek(source, sample, &err) == WEIR_OK, "%s", err.text);
}

/* n samples of one channel from `first` on, as the program would read them. */
static void values_of(const char *recipe, unsigned channel, uint64_t first, size_t n,
                      double complex *out)
{
    weir_source *source = open_recipe(recipe);
    const weir_sample_format *format = &source->info.format;
    void *raw = malloc(n * weir_format_stride_bytes(format));
    double *scalars = malloc(2 * n * sizeof *scalars);
    go_to(source, first);
    CHECK(read_raw(source, raw, n) == n);
    weir_format_unpack_f64(format, channel, raw, n, scalars);
    for (size_t k = 0; k < n; k++) {
        out[k] = format->is_complex ? scalars[2 * k] + I * scalars[2 * k + 1] : scalars[k];
    }
    free(scalars);
    free(raw);
    weir_source_close(source);
}

/* ---- tones ---- */

enum { N = 4096 };

/* The plain transform in double, scaled so that a tone on a bin reads its amplitude. */
static void dft(const double complex *x, double complex *spectrum)
{
    static double complex turn[N];
    for (size_t k = 0; k < N; k++) {
        turn[k] = cexp(-I * (TURN * (double)k / N));
    }
    for (size_t k = 0; k < N; k++) {
        double complex sum = 0;
        for (size_t n = 0; n < N; n++) {
            sum += x[n] * turn[k * n % N];
        }
        spectrum[k] = sum / N;
    }
}

static double db(double amplitude)
{
    return 20 * log10(amplitude);
}

static double largest_but(const double complex *spectrum, size_t bin, size_t mirror)
{
    double largest = 0;
    for (size_t k = 0; k < N; k++) {
        if (k != bin && k != mirror) {
            largest = fmax(largest, cabs(spectrum[k]));
        }
    }
    return largest;
}

/* Whatever the place in the stream, the phase is that of the formula: no drift. */
static void check_tone(const char *format, bool is_complex, int bin, double level_db,
                       uint64_t first)
{
    static double complex x[N], spectrum[N];
    char recipe[200];
    double degrees = 33;
    snprintf(recipe, sizeof recipe, "format=%s,rate=4096,tone=%d@%g:%g", format, bin, level_db,
             degrees);
    values_of(recipe, 0, first, N, x);
    dft(x, spectrum);
    size_t at = (size_t)((bin + N) % N), mirror = is_complex ? at : (N - at) % N;
    double level = db(cabs(spectrum[at])) + (is_complex ? 0 : db(2));
    CHECK_NEAR(level, level_db, 0.001);
    double spur = db(largest_but(spectrum, at, mirror) / cabs(spectrum[at]));
    CHECK_MSG(spur < -100, "%s: spur at %.1f dBc", recipe, spur);
    double whole = fmod((double)bin * (double)(first % N), N) / N * TURN;
    double complex expected = cexp(I * (whole + degrees / 360 * TURN));
    CHECK_MSG(cabs(spectrum[at] / cabs(spectrum[at]) - expected) < 1e-6, "%s at %llu: phase %g",
              recipe, (unsigned long long)first, carg(spectrum[at] / expected));
}

static void test_tones_read_their_level_and_have_no_spurs(void)
{
    check_tone("cf32", true, 1001, 0, 0);
    check_tone("cf32", true, -77, -10, UINT64_C(1) << 40);
    check_tone("cf32", true, -2047, -60, 12345678901234567);
    check_tone("f32", false, 1001, 0, 0);
    check_tone("f32", false, 5, -33.3, (UINT64_C(1) << 50) + 77);
    check_tone("cf64", true, 999, -3, 5);
    check_tone("cs32", true, 999, -3, 1000000007);
    check_tone("s24", false, 333, -1, 86400 * UINT64_C(4096));
}

/* A frequency that is no fraction of the rate, a day in. */
static void test_phase_after_a_day(void)
{
    double complex x[4];
    uint64_t first = UINT64_C(86400) * 2400000;
    values_of("format=cf32,tone=123456.7@0", 0, first, 4, x);
    for (size_t k = 0; k < 4; k++) {
        long double turns = (long double)123456.7 / 2400000.0L * (long double)(first + k);
        double complex expected = cexp(I * (TURN * (double)(turns - floorl(turns))));
        /* 2^38 steps with an error of up to 2^-65 turns each, and single precision. */
        CHECK_MSG(cabs(x[k] - expected) < 1e-6, "off by %g", cabs(x[k] - expected));
    }
}

/* ---- modulated carriers: the instantaneous frequency is a phase difference ---- */

static double hz_between(double complex a, double complex b, double rate_hz)
{
    return carg(b * conj(a)) / TURN * rate_hz;
}

static void test_chirp_sweeps_as_said(void)
{
    enum { COUNT = 30000 };
    static double complex x[COUNT];
    double worst = 0;
    values_of("format=cf32,rate=10k,chirp=-4k:4k:1s@-6", 0, 0, COUNT, x);
    for (size_t k = 0; k + 1 < COUNT; k++) {
        double expected = -4000 + 8000 * (double)(k % 10000) / 10000;
        worst = fmax(worst, fabs(hz_between(x[k], x[k + 1], 10000) - expected));
        CHECK(fabs(db(cabs(x[k])) + 6) < 0.001);
    }
    CHECK_MSG(worst < 0.01, "off by %g Hz", worst); /* single precision: 1e-6 rad of 10 kHz */
}

static void test_fm_swings_as_said(void)
{
    enum { COUNT = 10000 };
    static double complex x[COUNT];
    double worst = 0;
    values_of("format=cf32,rate=100k,fm=10k:5k:100@-20", 0, 7000, COUNT, x);
    for (size_t k = 0; k + 1 < COUNT; k++) {
        double at = ((double)k + 7000.5) / 100000;
        double expected = 10000 + 5000 * cos(TURN * 100 * at);
        worst = fmax(worst, fabs(hz_between(x[k], x[k + 1], 100000) - expected));
        CHECK(fabs(db(cabs(x[k])) + 20) < 0.001);
    }
    CHECK_MSG(worst < 0.2, "off by %g Hz", worst);
}

static void test_am_has_its_envelope(void)
{
    enum { COUNT = 1000 };
    static double complex x[COUNT];
    double worst = 0;
    values_of("format=cf32,rate=100k,am=20k:1k@0", 0, 0, COUNT, x);
    for (size_t k = 0; k < COUNT; k++) {
        double expected = 1 + 0.5 * cos(TURN * 1000 * (double)k / 100000);
        worst = fmax(worst, fabs(cabs(x[k]) - expected));
    }
    CHECK_MSG(worst < 1e-6, "off by %g", worst);
}

/* 20 ms of 1000 baud every 50 ms at 100 kHz: 20 symbols of 100 samples, then silence. */
static void test_fsk_bursts(void)
{
    enum { COUNT = 500000, PERIOD = 5000, ON = 2000, SYMBOL = 100 };
    static double complex x[COUNT];
    size_t ones = 0, symbols = 0, wrong = 0;
    values_of("format=cf32,rate=100k,fsk=10k:4k:1k:20:50ms@0", 0, 0, COUNT, x);
    for (size_t k = 0; k < COUNT; k++) {
        size_t r = k % PERIOD;
        if (r >= ON) {
            wrong += x[k] != 0;
            continue;
        }
        /* Full level but for the first and last symbol, which ramp. */
        bool is_edge = r < SYMBOL || r >= ON - SYMBOL;
        wrong += is_edge ? cabs(x[k]) > 1 : fabs(cabs(x[k]) - 1) > 1e-5;
        if (r + 1 < ON) { /* continuous phase: also from symbol to symbol */
            double hz = hz_between(x[k], x[k + 1], 100000);
            wrong += fabs(fabs(hz - 10000) - 2000) > 0.5;
            ones += r % SYMBOL == 50 && hz > 10000;
            symbols += r % SYMBOL == 50;
        }
    }
    CHECK_MSG(wrong == 0, "%zu wrong samples", wrong);
    /* 2000 fair bits: 5 sigma are 112. */
    CHECK_MSG(ones > symbols / 2 - 112 && ones < symbols / 2 + 112, "%zu of %zu", ones, symbols);
}

/* ---- noise ---- */

static void test_noise_power_and_shape(void)
{
    enum { COUNT = 1000000 };
    double complex *x = malloc(COUNT * sizeof *x);
    static const struct {
        const char *recipe;
        bool is_complex;
    } cases[] = {{"format=cf32,noise=-20", true},
                 {"format=f32,noise=-20", false},
                 {"format=cf32,noise=-23.0103,noise=-23.0103", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        values_of(cases[i].recipe, 0, 0, COUNT, x);
        double power = 0, fourth = 0, next = 0;
        double complex mean = 0, square = 0;
        for (size_t k = 0; k < COUNT; k++) {
            double re2 = creal(x[k]) * creal(x[k]);
            power += creal(x[k] * conj(x[k])) / COUNT;
            fourth += re2 * re2 / COUNT;
            mean += x[k] / COUNT;
            square += x[k] * x[k] / COUNT;
            next += k ? creal(x[k] * conj(x[k - 1])) / COUNT : 0;
        }
        double full = cases[i].is_complex ? 1 : 0.5;
        double component = cases[i].is_complex ? power / 2 : power;
        /* Five sigma of a million samples: 4.34 dB * sqrt(2) / 1000 * 5 for the real case. */
        CHECK_NEAR(10 * log10(power / full), -20, 0.031);
        CHECK_NEAR(fourth / (component * component), 3, 5 * sqrt(96.0 / COUNT));
        CHECK(cabs(mean) < 5 * sqrt(power / COUNT));
        CHECK(fabs(next) < 5 * power / sqrt(COUNT));
        CHECK(!cases[i].is_complex || cabs(square) < 5 * power * sqrt(2.0 / COUNT));
    }
    free(x);
}

/* ---- encoding ---- */

static const char *const formats[] = {"u8",    "s8",    "u16le", "u16be", "s16le", "s16be",
                                      "s24le", "s24be", "u32le", "u32be", "s32le", "s32be",
                                      "f32le", "f32be", "f64le", "f64be"};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* Every format holds the signal to half a code, and saturates beyond full scale. */
static void test_every_format_rounds_and_saturates(void)
{
    enum { COUNT = 5000 };
    static double complex x[COUNT], y[COUNT];
    for (size_t i = 0; i < FORMATS; i++) {
        weir_sample_format format = {.channels = 1};
        weir_error err = {0};
        CHECK(weir_format_parse(formats[i], &format, &err) == WEIR_OK);
        bool is_float = weir_scalar_is_float(format.scalar), is_u8 = format.scalar == WEIR_U8;
        double code = is_u8 ? 1 / 127.5 : ldexp(1, 1 - 8 * (int)weir_scalar_bytes(format.scalar));
        code = is_float ? 0 : code;
        for (int over = 0; over < 2; over++) {
            char recipe[128];
            snprintf(recipe, sizeof recipe, "rate=48k,tone=997@%d,format=", over ? 6 : -1);
            size_t used = strlen(recipe);
            snprintf(recipe + used, sizeof recipe - used, "f64");
            values_of(recipe, 0, 0, COUNT, x);
            snprintf(recipe + used, sizeof recipe - used, "%s", formats[i]);
            values_of(recipe, 0, 0, COUNT, y);
            double worst = 0;
            for (size_t k = 0; k < COUNT; k++) {
                double least = -1, most = is_u8 ? 1 : 1 - code;
                double value = creal(x[k]);
                value = is_float ? value : fmin(fmax(value, least), most);
                worst = fmax(worst, fabs(creal(y[k]) - value));
            }
            CHECK_MSG(worst <= code / 2 + 1e-12, "%s: off by %g, a code is %g", recipe, worst,
                      code);
        }
    }
}

static void test_dither_takes_the_bias_away(void)
{
    enum { COUNT = 100000 };
    static double complex x[COUNT];
    double mean[2] = {0, 0};
    for (int dither = 0; dither < 2; dither++) {
        char recipe[100];
        snprintf(recipe, sizeof recipe, "format=s8,dc=%.9g,dither=%d", 10.3 / 128, dither);
        values_of(recipe, 0, 0, COUNT, x);
        for (size_t k = 0; k < COUNT; k++) {
            mean[dither] += creal(x[k]) * 128 / COUNT;
        }
    }
    CHECK_NEAR(mean[0], 10, 1e-9);
    /* Error of up to 3/2 codes: five sigma of the mean are below 5 * 0.75 / sqrt(COUNT). */
    CHECK_NEAR(mean[1], 10.3, 0.012);
    size_t alike = 0;
    values_of("format=cs8,silence,dither=1", 0, 0, COUNT, x);
    for (size_t k = 0; k < COUNT; k++) {
        alike += creal(x[k]) == cimag(x[k]);
    }
    CHECK(alike < COUNT * 9 / 10); /* I and Q are dithered apart: each is 0 in 3 of 4 */
}

/* Bytes of the ramp, from the definition. */
static uint64_t raw_code(const unsigned char *at, size_t bytes, bool big)
{
    uint64_t code = 0;
    for (size_t b = 0; b < bytes; b++) {
        code |= (uint64_t)at[big ? bytes - 1 - b : b] << (8 * b);
    }
    return code;
}

static void test_ramp_counts(void)
{
    enum { COUNT = 1000 };
    static const uint64_t starts[] = {
        0, 250, 65400, 16777000, UINT64_C(0xfffffe00), (UINT64_C(1) << 53) - 500};
    unsigned char raw[COUNT * 16];
    for (size_t i = 0; i < FORMATS; i++) {
        char recipe[64];
        snprintf(recipe, sizeof recipe, "ramp,format=c%s", formats[i]);
        weir_source *source = open_recipe(recipe);
        weir_scalar scalar = source->info.format.scalar;
        size_t bytes = weir_scalar_bytes(scalar), wrong = 0;
        bool big = strstr(formats[i], "be") != NULL, is_float = weir_scalar_is_float(scalar);
        unsigned bits = is_float ? (bytes == 4 ? 24 : 53) : (unsigned)(8 * bytes);
        for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
            go_to(source, starts[s]);
            CHECK(read_raw(source, raw, COUNT) == COUNT);
            for (size_t k = 0; k < 2 * COUNT; k++) {
                uint64_t n = (starts[s] + k / 2) >> (k % 2 ? bits : 0);
                uint64_t want = n & ((UINT64_C(1) << bits) - 1);
                uint64_t code = raw_code(raw + k * bytes, bytes, big);
                float narrow = (float)want;
                double wide = (double)want;
                if (is_float) {
                    want = 0;
                    memcpy(&want, bytes == 4 ? (void *)&narrow : (void *)&wide, bytes);
                }
                wrong += code != want;
            }
        }
        CHECK_MSG(wrong == 0, "%s: %zu wrong", recipe, wrong);
        weir_source_close(source);
    }
}

/* ---- the same samples however they are read ---- */

static void test_cuts_and_seeks_change_nothing(void)
{
    static const char *const recipes[] = {
        "",
        "format=s16,channels=3,demo,dither=1,seed=7",
        ("format=cs16be,channels=2,noise=-30,tone=10k@-20,chirp=0:1M:10ms@-20,"
         "fsk=-100k:20k:100k:1:2@-10,drop=5000:100,drop=5001:1,retune=7000:101M"),
        "format=cf32,rate=1M,fm=1k:5k:70@-3,noise=-40,nan=77,nan=9000",
        "format=cu8,ramp,drop=300:299",
    };
    enum { COUNT = 20000 };
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        weir_source *source = open_recipe(recipes[i]);
        size_t stride = weir_format_stride_bytes(&source->info.format);
        unsigned char *whole = malloc(COUNT * stride), *part = malloc(COUNT * stride);
        CHECK(read_raw(source, whole, COUNT) == COUNT);
        weir_source_close(source);
        source = open_recipe(recipes[i]);
        for (size_t at = 0, n = 0; at < COUNT; at += n) {
            n = 1 + (size_t)(check_random(&rng) % 999);
            n = n < COUNT - at ? n : COUNT - at;
            CHECK(read_raw(source, part, n) == n);
            CHECK_MSG(memcmp(part, whole + at * stride, n * stride) == 0, "%s at %zu", recipes[i],
                      at);
        }
        for (int k = 0; k < 50; k++) {
            size_t at = (size_t)(check_random(&rng) % COUNT);
            size_t n = (size_t)(check_random(&rng) % 500);
            n = n < COUNT - at ? n : COUNT - at;
            go_to(source, at);
            CHECK(read_raw(source, part, n) == n);
            CHECK_MSG(memcmp(part, whole + at * stride, n * stride) == 0, "%s after a seek to %zu",
                      recipes[i], at);
        }
        weir_source_close(source);
        free(whole);
        free(part);
    }
}

static void test_seeds_differ(void)
{
    enum { COUNT = 1000 };
    static double complex a[COUNT], b[COUNT];
    double cross = 0, power = 0;
    values_of("format=cf32,noise=-10,seed=1", 0, 0, COUNT, a);
    values_of("format=cf32,noise=-10,seed=2", 0, 0, COUNT, b);
    for (size_t k = 0; k < COUNT; k++) {
        cross += creal(a[k] * conj(b[k]));
        power += creal(a[k] * conj(a[k]));
    }
    CHECK(fabs(cross) < 5 * power / sqrt(COUNT));
}

/* ---- events ---- */

static void test_drops_and_retunes_come_at_their_samples(void)
{
    weir_source *source = open_recipe("format=cu8,rate=1k,center=1M,seconds=10,ramp,drop=3000:1000,"
                                      "drop=50:50,drop=10000:5,retune=5000:2M,retune=2500:3M");
    static const struct {
        size_t n;
        uint64_t first, lost;
        double center_hz;
    } segments[] = {{1950, 50, 50, 1e6}, {2000, 3000, 1000, 3e6}, {4995, 5000, 0, 2e6}};
    unsigned char raw[2 * 10000];
    weir_error err = {0};
    CHECK(source->info.n_samples == 10000 - 1055 && source->info.can_seek);
    for (size_t i = 0; i < 3; i++) {
        weir_read read = {0};
        CHECK(source->class_->read(source, raw, 10000, &read, &err) == WEIR_OK);
        CHECK_MSG(read.n_samples == segments[i].n, "%zu samples", read.n_samples);
        CHECK(read.new_segment && read.lost_before == segments[i].lost);
        CHECK(read.center_hz == segments[i].center_hz && read.rate_hz == 1000);
        CHECK(read.time_unix_ns == WEIR_UNKNOWN_TIME);
        CHECK(raw[0] == segments[i].first % 256 && raw[1] == segments[i].first / 256);
    }
    weir_read end = {0};
    CHECK(source->class_->read(source, raw, 10000, &end, &err) == WEIR_OK);
    CHECK(end.n_samples == 0 && end.lost_before == 5);

    /* After a seek the place is a segment of its own, with the centre of that place. */
    go_to(source, 2000);
    weir_read read = {0};
    CHECK(source->class_->read(source, raw, 10, &read, &err) == WEIR_OK);
    CHECK(read.new_segment && read.lost_before == 0 && read.center_hz == 3e6);
    CHECK(raw[0] == 3050 % 256 && raw[1] == 3050 / 256);
    CHECK(source->class_->seek(source, 10000, &err) == WEIR_ERR_USAGE);
    weir_source_close(source);
}

/* Signals stay on the air: after a retune they are elsewhere in the band, or gone. */
static void test_a_retune_moves_the_band(void)
{
    double complex x[2];
    const char *recipe = "format=cf32,rate=100k,center=1M,tone=10k@0,retune=1000:990k,"
                         "retune=2000:1.2M";
    values_of(recipe, 0, 500, 2, x);
    CHECK_NEAR(hz_between(x[0], x[1], 1e5), 10e3, 0.1);
    values_of(recipe, 0, 1500, 2, x);
    CHECK_NEAR(hz_between(x[0], x[1], 1e5), 20e3, 0.1);
    values_of(recipe, 0, 2500, 2, x);
    CHECK(x[0] == 0 && x[1] == 0);
}

/* ---- the rest of the grammar ---- */

static void test_channels_dc_iq_clip_nan(void)
{
    double complex x[300], y[300];
    values_of("format=cf32,rate=1k,channels=4,tone=10@-10", 3, 0, 2, x);
    CHECK_NEAR(db(cabs(x[1])), -13, 0.001);
    values_of("format=cf32,channels=2,noise=-10", 0, 0, 300, x);
    values_of("format=cf32,channels=2,noise=-10", 1, 0, 300, y);
    double complex cross = 0;
    for (size_t k = 0; k < 300; k++) {
        cross += x[k] * conj(y[k]);
    }
    CHECK(cabs(cross) < 5 * 0.1 * sqrt(300));

    values_of("format=cf32,tone=-1e-15@0", 0, 7, 1, x); /* a step of -0, not of half a turn */
    CHECK_NEAR(creal(x[0]), 1, 1e-6);
    values_of("format=cf32,dc=0.25", 0, 7, 1, x);
    CHECK(x[0] == 0.25);
    values_of("format=cf32,rate=1k,tone=0@0:0,iq=6.0206:30", 0, 0, 1, x);
    CHECK_NEAR(creal(x[0]), 1, 1e-6);
    CHECK_NEAR(cimag(x[0]), 2 * sin(TURN / 12), 1e-5);
    values_of("format=f32,rate=1k,tone=0@20,clip", 0, 0, 1, x);
    CHECK(x[0] == 1);
    values_of("format=f32,rate=1k,tone=0@20", 0, 0, 1, x);
    CHECK_NEAR(creal(x[0]), 10, 1e-5);

    weir_source *source = open_recipe("format=cf32,nan=5");
    float raw[20];
    CHECK(read_raw(source, raw, 10) == 10);
    for (size_t k = 0; k < 20; k++) {
        CHECK(k / 2 == 5 ? isnan(raw[k]) : raw[k] == 0);
    }
    weir_source_close(source);
}

static void test_defaults_and_options(void)
{
    weir_source *source = open_recipe("");
    CHECK(source->info.format.scalar == WEIR_U8 && source->info.format.is_complex);
    CHECK(source->info.rate_hz == 2.4e6 && source->info.center_hz == 100e6);
    CHECK(source->info.n_samples == WEIR_UNKNOWN_SAMPLES && !source->info.is_live);
    CHECK(source->info.time_unix_ns == WEIR_UNKNOWN_TIME);
    CHECK_STR(source->info.name, "synth:");
    weir_source_close(source);
    source = open_recipe("format=s16");
    CHECK(source->info.rate_hz == 48e3 && source->info.center_hz == 0);
    weir_source_close(source);

    weir_source_options options;
    weir_source_options_init(&options);
    options.format = "cs8";
    options.rate_hz = 1e6;
    options.center_hz = 7e6;
    options.channels = 2;
    weir_error err = {0};
    CHECK(weir_source_open(&source, "synth:center=8M,silence", &options, &err) == WEIR_OK);
    CHECK(source->info.format.scalar == WEIR_S8 && source->info.format.channels == 2);
    CHECK(source->info.rate_hz == 1e6 && source->info.center_hz == 8e6);
    weir_source_close(source);
}

/* The demo band has signals well above its noise, and never clips, in any format. */
static void test_the_demo_band(void)
{
    static const char *const recipes[] = {"", "format=s16", "format=cf32,rate=20M", "rate=1"};
    for (size_t i = 0; i < 4; i++) {
        weir_source *source = open_recipe(recipes[i]);
        const weir_sample_format *format = &source->info.format;
        enum { COUNT = 100000 };
        unsigned char *raw = malloc(COUNT * weir_format_stride_bytes(format));
        weir_sample_counts counts = {0};
        CHECK(read_raw(source, raw, COUNT) == COUNT);
        weir_format_count(format, 0, raw, COUNT, &counts);
        CHECK(counts.clipped == 0 && counts.nonfinite == 0);
        free(raw);
        weir_source_close(source);
    }
}

static void test_errors_name_the_item_and_what_would_be_right(void)
{
    static const struct {
        const char *recipe, *word, *also;
    } cases[] = {
        {"tome=1k@-10", "\"tome\"", "tone, chirp, fm"},
        {"tone=1k", "tone=HZ@DBFS", "level is missing"},
        {"tone", "tone=HZ@DBFS", "value is missing"},
        {"tone=@-10", "tone=@-10", "tone=HZ@DBFS"},
        {"tone=1k@", "tone=1k@", "tone=HZ@DBFS"},
        {"tone=2M@-10", "outside the band", "1.2 MHz"},
        {"format=s16,tone=-1k@-10", "outside the band", "24 kHz"},
        {"tone=1k@-10:x", "tone=1k@-10:x", "number"},
        {"tone=1k@900", "-400 to 60", "tone"},
        {"tone=1k:2k@-10", "2 values", "1 are needed"},
        {"chirp=0:1k@-10", "2 values", "3 are needed"},
        {"chirp=0:1k:0@-10", "at least one sample", "chirp"},
        {"chirp=0:2M:1@-10", "outside the band", "chirp"},
        {"fm=0:10k:0@-10", "AUDIO", "fm"},
        {"fm=0:10M:1@-10", "DEVIATION", "fm"},
        {"am=1.2M:1k@-10", "outside the band", "am"},
        {"fsk=0:1k:0:1:2@-10", "BAUD", "fsk"},
        {"fsk=0:1k:1k:3:2@-10", "at most PERIOD", "fsk"},
        {"fsk=0:1k:1M:9000:9000@-10", "2^20", "fsk"},
        {"noise=loud", "noise=DBFS", "loud"},
        {"dc=1e9", "1000", "dc"},
        {"format=cu9", "format", "cu9"},
        {"rate=0", "above 0", "rate"},
        {"rate=-5k", "above 0", "rate"},
        {"rate=1M,rate=2M", "twice", "rate"},
        {"rate=nan", "rate=HZ", "nan"},
        {"channels=0", "1 to 64", "channels"},
        {"channels=99999999999", "1 to 64", "channels"},
        {"seconds=0", "one sample", "seconds"},
        {"seconds=1,seconds=2", "twice", "seconds"},
        {"seed=-1", "seed=N", "-1"},
        {"dither=2", "0 or 1", "dither"},
        {"drop=10:20", "SAMPLE", "drop"},
        {"drop=10:0", "from 1", "drop"},
        {"drop=100:10,drop=95:1", "overlap", "drop=95:1"},
        {"rate=1k,seconds=1,drop=1001:1", "within the stream", "drop"},
        {"format=s16,retune=10:1M", "complex", "retune"},
        {"format=s16,iq=1:1", "complex", "iq"},
        {"nan=3", "float formats", "nan"},
        {"ramp,noise=-10", "excludes", "ramp"},
        {"clip=1", "no value", "clip"},
        {"tone=1k@-10\x1b[2J", "\\x1b", "tone"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char argument[256];
        weir_source *source = (weir_source *)&argument;
        weir_error err = {0};
        snprintf(argument, sizeof argument, "synth:%s", cases[i].recipe);
        weir_status status = weir_source_open(&source, argument, NULL, &err);
        CHECK_MSG(status == WEIR_ERR_USAGE && !source, "%s", argument);
        CHECK_MSG(strstr(err.text, cases[i].word) && strstr(err.text, cases[i].also), "%s: %s",
                  argument, err.text);
        CHECK(strchr(err.text, '\n') == NULL && strchr(err.text, '\x1b') == NULL);
    }
}

/* Once they divided by a bit's length that had overflowed to 0. */
static void test_bits_that_never_end(void)
{
    static const char *const rates[] = {"1e-300", "1e-20", "1e-6", "1"};
    uint8_t raw[8192] = {0}, other[sizeof raw] = {0};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        char recipe[128];
        snprintf(recipe, sizeof recipe, "rate=1M,format=u8,fsk=100k:2k:%s:1:2@-10", rates[i]);
        weir_source *source = open_recipe(recipe);
        CHECK(read_raw(source, i ? other : raw, sizeof raw) == sizeof raw);
        CHECK(i == 0 || memcmp(raw, other, sizeof raw) == 0); /* one bit a burst, all of them */
        weir_source_close(source);
    }
}

static void test_limits_of_the_text(void)
{
    static char recipe[20000];
    weir_source *source = NULL;
    weir_error err = {0};
    memset(recipe, 'a', sizeof recipe - 1);
    memcpy(recipe, "synth:", 6);
    CHECK(weir_source_open(&source, recipe, NULL, &err) == WEIR_ERR_USAGE);
    recipe[6 + 300] = '\0';
    CHECK(weir_source_open(&source, recipe, NULL, &err) == WEIR_ERR_USAGE);
    strcpy(recipe, "synth:");
    for (int i = 0; i < 64; i++) {
        strcat(recipe, "tone=1k@-90,");
    }
    CHECK(weir_source_open(&source, recipe, NULL, &err) == WEIR_OK);
    weir_source_close(source);
    strcat(recipe, "tone=1k@-90");
    CHECK(weir_source_open(&source, recipe, NULL, &err) == WEIR_ERR_USAGE);
    CHECK(strstr(err.text, "at most 64") != NULL);
    strcpy(recipe, "synth:");
    for (int i = 0; i < 257; i++) {
        snprintf(recipe + strlen(recipe), 40, "drop=%d:1,", 10 * i + 10);
    }
    CHECK(weir_source_open(&source, recipe, NULL, &err) == WEIR_ERR_USAGE);
    CHECK(strstr(err.text, "at most 256") != NULL);
}

/* Whatever the text: a source that can be read, or one line that says why not. */
static void test_any_text_is_opened_or_refused(void)
{
    static const char *const forms[] = {"tone=V@L",     "tone=V@L:V", "chirp=V:V:V@L",
                                        "fm=V:V:V@L",   "am=V:V@L",   "fsk=V:V:V:V:V@L",
                                        "noise=L",      "dc=V",       "iq=L:V",
                                        "drop=V:V",     "retune=V:V", "nan=V",
                                        "rate=V",       "center=V",   "seconds=V",
                                        "channels=V",   "seed=V",     "dither=V",
                                        "format=cf32",  "format=s16", "format=cf64",
                                        "format=s24be", "ramp",       "demo",
                                        "clip",         "silence",    "V",
                                        "tone=@",       "=",          ""};
    static const char *const values[] = {"0",    "1",      "-1",     "2",    "10",  "1k",   "-1k",
                                         "2.4M", "1e300",  "1e-300", "1e17", "99G", "2^63", "1h",
                                         "1ns",  "0.0001", "inf",    "",     "V",   "20k",  "100"};
    static const char *const levels[] = {"-10", "0", "60", "-400", "61", "x"};
    check_rng rng = check_rng_fresh();
    size_t opened = 0;
    for (int k = 0; k < 20000; k++) {
        char argument[512] = "synth:";
        for (uint64_t n = check_random(&rng) % 4; n > 0; n--) {
            for (const char *c = forms[check_random(&rng) % COUNT_OF(forms)]; *c; c++) {
                char letter[2] = {*c, '\0'};
                const char *value = values[check_random(&rng) % COUNT_OF(values)];
                const char *level = levels[check_random(&rng) % COUNT_OF(levels)];
                strcat(argument, *c == 'V' ? value : *c == 'L' ? level : letter);
            }
            strcat(argument, ",");
        }
        weir_source *source = NULL;
        weir_error err = {0};
        weir_status status = weir_source_open(&source, argument, NULL, &err);
        if (status != WEIR_OK) {
            CHECK_MSG(status == WEIR_ERR_USAGE && err.text[0] && !source, "%s", argument);
            continue;
        }
        opened++;
        static unsigned char raw[300 * 64 * 16];
        read_raw(source, raw, 300);
        if (source->info.n_samples > 1000000000000) {
            go_to(source, 999999999999);
            read_raw(source, raw, 300);
        }
        weir_source_close(source);
    }
    CHECK(opened > 100);
}

static void test_help_has_every_item(void)
{
    static const char *const names[] = {
        "format=", "rate=",   "center=", "channels=", "seconds=", "seed=",  "tone=",
        "chirp=",  "fm=",     "am=",     "fsk=",      "noise=",   "dc=",    "iq=",
        "drop=",   "retune=", "ramp",    "clip",      "nan=",     "dither="};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CHECK_MSG(strstr(weir_synth_help(), names[i]), "%s is missing", names[i]);
    }
}

int main(void)
{
    RUN(test_tones_read_their_level_and_have_no_spurs);
    RUN(test_phase_after_a_day);
    RUN(test_chirp_sweeps_as_said);
    RUN(test_fm_swings_as_said);
    RUN(test_am_has_its_envelope);
    RUN(test_fsk_bursts);
    RUN(test_noise_power_and_shape);
    RUN(test_every_format_rounds_and_saturates);
    RUN(test_dither_takes_the_bias_away);
    RUN(test_ramp_counts);
    RUN(test_cuts_and_seeks_change_nothing);
    RUN(test_seeds_differ);
    RUN(test_drops_and_retunes_come_at_their_samples);
    RUN(test_a_retune_moves_the_band);
    RUN(test_channels_dc_iq_clip_nan);
    RUN(test_defaults_and_options);
    RUN(test_the_demo_band);
    RUN(test_errors_name_the_item_and_what_would_be_right);
    RUN(test_bits_that_never_end);
    RUN(test_limits_of_the_text);
    RUN(test_any_text_is_opened_or_refused);
    RUN(test_help_has_every_item);
    return check_finish();
}
