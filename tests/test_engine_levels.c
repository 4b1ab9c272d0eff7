/* ctest-labels: prop
 * ctest-timeout: 240
 *
 * Levels through the CPU engine and dsp/scale.h: a tone reads its level, noise its density,
 * whatever N, window, overlap and format; and the scaling values of SciPy's welch. */
#include "dsp/engine.h"
#include "dsp/scale.h"
#include "dsp/window.h"
#include "tests/check.h"

#define PI 3.14159265358979323846

typedef struct reading {
    size_t n_spectra;
    double sum_mean; /* mean over bins and spectra of the density, FS^2/Hz */
    double peak_db, first_db;
    double at_zero, at_one, at_last, at_peak; /* linear power of the last spectrum */
    size_t n_bins, peak;
    double *density; /* of the last, if wanted */
    weir_spectrum last;
} reading;

static void on_spectrum(void *user, const weir_spectrum *s)
{
    reading *r = user;
    const float *power = s->power[WEIR_TRACE_MEAN];
    size_t from = s->n_bins / 8, to = s->n_bins - from; /* clear of DC and fs/2 */
    double sum = 0;
    r->peak = 0;
    for (size_t k = 0; k < s->n_bins; k++) {
        sum += k >= from && k < to ? (double)power[k] : 0;
        r->peak = power[k] > power[r->peak] ? k : r->peak;
    }
    r->sum_mean += sum / (double)(to - from) / (s->enbw_bins * s->bin_hz);
    r->peak_db = (double)weir_scale_level_db(NULL, s, r->peak, power[r->peak]);
    if (r->n_spectra == 0) {
        r->first_db = r->peak_db;
    }
    r->n_bins = s->n_bins;
    r->at_zero = (double)power[0];
    r->at_one = (double)power[1];
    r->at_last = (double)power[s->n_bins - 1];
    r->at_peak = (double)power[r->peak];
    for (size_t k = 0; r->density && k < s->n_bins; k++) {
        r->density[k] = (double)power[k];
    }
    r->last = *s;
    r->n_spectra++;
}

typedef struct setup {
    weir_scalar scalar;
    bool is_complex;
    size_t n_fft, hop;
    const char *window;
    uint64_t frames; /* a spectrum; 0: all */
    double alpha;
    bool detrend;
    double rate_hz;
} setup;

static double *window_of(const char *name, size_t n)
{
    const weir_window *window;
    double parameter, *w = malloc(n * sizeof *w);
    CHECK(weir_window_parse(name, &window, &parameter, NULL) == WEIR_OK);
    CHECK(weir_window_fill(window, parameter, w, n, NULL) == WEIR_OK);
    return w;
}

static reading run(const setup *s, const void *samples, size_t n_samples, double *density)
{
    reading r = {.density = density};
    weir_engine *engine;
    weir_error err = {0};
    double *w = window_of(s->window, s->n_fft);
    weir_engine_config config = {
        .format = {.scalar = s->scalar, .is_complex = s->is_complex, .channels = 1},
        .n_fft = s->n_fft,
        .hop = s->hop,
        .window = w,
        .frames_per_spectrum = s->frames,
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
        .exponential_alpha = s->alpha,
        .detrend = s->detrend,
        .threads = 1,
        .on_spectrum = on_spectrum,
        .user = &r,
    };
    weir_run all = {.samples = samples,
                    .n_samples = n_samples,
                    .rate_hz = s->rate_hz,
                    .ends = true,
                    .time_unix_ns = INT64_MIN};
    size_t released;
    CHECK_MSG(weir_engine_cpu_create(&engine, &config, &err) == WEIR_OK, "%s", err.text);
    CHECK(weir_engine_push(engine, &all, &released, &err) == WEIR_OK);
    CHECK(weir_engine_flush(engine, 0, &err) == WEIR_OK);
    weir_engine_destroy(engine);
    free(w);
    CHECK(r.n_spectra > 0);
    return r;
}

/* ---- a tone ---- */

static void encode(weir_scalar scalar, double x, unsigned char *at)
{
    static const struct {
        weir_scalar scalar;
        double factor, offset;
    } rows[] = {{WEIR_U8, 127.5, 127.5},
                {WEIR_S8, 128, 0},
                {WEIR_S16LE, 32768, 0},
                {WEIR_S24LE, 8388608.0, 0},
                {WEIR_S32LE, 2147483648.0, 0}};
    if (scalar == WEIR_F32LE) {
        float value = (float)x;
        memcpy(at, &value, sizeof value);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].scalar == scalar) {
            int64_t code = llround(x * rows[i].factor + rows[i].offset);
            for (size_t b = 0; b < weir_scalar_bytes(scalar); b++) {
                at[b] = (unsigned char)((uint64_t)code >> (8 * b));
            }
        }
    }
}

static void *make_tone(weir_scalar scalar, bool is_complex, size_t n, double turns,
                       double amplitude)
{
    size_t bytes = weir_scalar_bytes(scalar), parts = is_complex ? 2 : 1;
    unsigned char *raw = malloc(n * bytes * parts);
    for (size_t i = 0; i < n; i++) {
        double phase = 2 * PI * fmod(turns * (double)i + 0.123, 1);
        encode(scalar, amplitude * cos(phase), raw + i * bytes * parts);
        if (is_complex) {
            encode(scalar, amplitude * sin(phase), raw + i * bytes * parts + bytes);
        }
    }
    return raw;
}

/* Scalloping hardly depends on the number of points; its transform would be 64 times as
 * long as N. */
static void bounds_of(const char *window, size_t n, double *below_db, double *above_db)
{
    size_t points = n < 4096 ? n : 4096;
    weir_window_figures figures;
    double *w = window_of(window, points);
    CHECK(weir_window_measure(w, points, &figures, NULL) == WEIR_OK);
    *below_db = fmax(figures.scalloping_db, figures.max_error_db);
    /* Only a flat-top's curve rises above the level at a bin. */
    *above_db = figures.max_error_db < 0.05 ? figures.max_error_db : 0;
    free(w);
}

static void test_tone_reads_its_level(void)
{
    static const weir_scalar scalars[] = {WEIR_U8,    WEIR_S8,    WEIR_S16LE,
                                          WEIR_S24LE, WEIR_S32LE, WEIR_F32LE};
    static const char *const windows[] = {"hann",    "blackman-harris", "flattop", "hft90d",
                                          "hft144d", "kaiser:9",        "hamming", "nuttall"};
    check_rng rng = check_rng_fresh();
    for (unsigned i = 0; i < 15 * 2 * 6; i++) { /* every octave, kind and format */
        unsigned octave = 6 + i / 12;
        setup s = {.scalar = scalars[i % 6], .is_complex = (i / 6) % 2, .rate_hz = 1e6};
        s.n_fft = (size_t)1 << octave;
        s.n_fft += octave < 18 && check_random(&rng) % 3 == 0 ? check_random(&rng) % s.n_fft : 0;
        s.hop = s.n_fft;
        s.window = windows[check_random(&rng) % 8];
        /* Twelve bins from DC and fs/2, where a real tone meets its own image. */
        double edge = 12.0 / (double)s.n_fft;
        double turns = edge + (0.5 - 2 * edge) * check_uniform(&rng);
        turns = s.is_complex && check_random(&rng) % 2 ? -turns : turns;
        double amplitude = pow(10, -10 / 20.0), below, above;
        void *raw = make_tone(s.scalar, s.is_complex, s.n_fft, turns, amplitude);
        reading r = run(&s, raw, s.n_fft, NULL);
        bounds_of(s.window, s.n_fft, &below, &above);
        /* 8 bits: an amplitude of 40 codes, errors of up to half a code that add up over
         * 64 points to 0.05 dB at five standard deviations. The rest: leakage of the image,
         * scalloping between the points where it is known. */
        double slack = (i % 6 < 2 ? 0.06 : 0) + 0.003;
        CHECK_MSG(r.peak_db >= -10 - below - slack && r.peak_db <= -10 + above + slack,
                  "%s, N=%zu, scalar %d, complex %d, %.9g turns: %.4f dB, window's loss %.4f",
                  s.window, s.n_fft, (int)s.scalar, s.is_complex, turns, r.peak_db, below);
        free(raw);
    }
}

/* numbers.md 4.3: half a bin off. */
static void test_half_a_bin_off(void)
{
    static const struct {
        const char *window;
        double loss_db;
    } rows[] = {{"rectangular", -3.921},     {"hann", -1.424},
                {"hamming", -1.751},         {"blackman", -1.099},
                {"blackman-harris", -0.826}, {"flattop", -0.010}};
    const size_t n = 4096;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setup s = {WEIR_F32LE, false, n, n, rows[i].window, 1, 0, false, 48000};
        void *raw = make_tone(WEIR_F32LE, false, n, 1000.5 / (double)n, 1);
        reading r = run(&s, raw, n, NULL);
        CHECK_NEAR(r.peak_db, rows[i].loss_db, 0.004); /* the image, 2000 bins off: -76 dB */
        free(raw);
    }
}

/* AES17: 0 dBFS is the full-scale sine; the square wave of the same peak is 3.01 dB more. */
static void test_full_scale(void)
{
    const size_t n = 4096;
    setup s = {WEIR_F32LE, false, n, n, "rectangular", 1, 0, false, 48000};
    void *sine = make_tone(WEIR_F32LE, false, n, 85.0 / (double)n, 1);
    /* By |X|^2/N^2, as other programs have it, they read -6.02, -12.04 and -14.92. */
    static const char *const windows[] = {"blackman-harris", "hann", "rectangular"};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        s.window = windows[i];
        CHECK_NEAR(run(&s, sine, n, NULL).peak_db, 0, 1e-4);
    }
    double power[4096 / 2 + 1], total = 0;
    float *square = malloc(n * sizeof *square);
    for (size_t i = 0; i < n; i++) {
        square[i] = i % 64 < 32 ? 1 : -1;
    }
    run(&s, square, n, power);
    for (size_t k = 0; k <= n / 2; k++) {
        total += power[k];
    }
    CHECK_NEAR(10 * log10(total / 0.5), 3.0103, 1e-4);
    free(sine);
    free(square);
}

/* numbers.md 4.3: DC, Nyquist, odd N. */
static void test_one_sided_doubling(void)
{
    enum { N = 4096 };
    float *x = malloc((N + 1) * sizeof *x);
    setup s = {WEIR_F32LE, false, N, N, "hann", 1, 0, false, 48000};
    for (size_t i = 0; i < N; i++) {
        x[i] = 1;
    }
    reading r = run(&s, x, N, NULL);
    CHECK_NEAR(r.at_zero, 1, 1e-6);
    CHECK_NEAR(r.at_one, 0.5, 1e-6);
    s.detrend = true;
    CHECK(run(&s, x, N, NULL).at_zero < 1e-12);
    s.detrend = false;
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 2 ? -1 : 1;
    }
    CHECK_NEAR(run(&s, x, N, NULL).at_last, 1, 1e-6); /* not doubled */
    for (size_t i = 0; i <= N; i++) {                 /* its last bin, of odd N, is doubled */
        x[i] = (float)cos(2 * PI * (N / 2) * (double)i / (N + 1));
    }
    s.n_fft = s.hop = N + 1;
    s.window = "rectangular";
    r = run(&s, x, N + 1, NULL);
    CHECK(r.n_bins == N / 2 + 1);
    CHECK_NEAR(r.at_last, 0.5, 1e-5);
    free(x);
}

/* numbers.md 4.3: density of a sine on a bin at 48 kHz, N = 4096; sum over the bins. */
static void test_density_of_a_tone(void)
{
    static const struct {
        const char *window;
        double density;
    } rows[] = {{"rectangular", 0.0426667},
                {"hann", 0.0284444},
                {"blackman-harris", 0.0212870},
                {"flattop", 0.0113167}};
    enum { N = 4096 };
    void *sine = make_tone(WEIR_F32LE, false, N, 85.0 / N, 1);
    static double power[N / 2 + 1];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setup s = {WEIR_F32LE, false, N, N, rows[i].window, 1, 0, false, 48000};
        reading r = run(&s, sine, N, power);
        double per = r.last.enbw_bins * r.last.bin_hz, sum = 0;
        for (size_t k = 0; k <= N / 2; k++) {
            sum += power[k];
        }
        CHECK_NEAR(r.at_peak / per, rows[i].density, 2e-7);
        CHECK_NEAR(sum / per * r.last.bin_hz, 0.5, 1e-5);
        CHECK_NEAR(sum, 0.5 * r.last.enbw_bins, 1e-5 * r.last.enbw_bins);
    }
    free(sine);
}

/* ---- noise ---- */

static float *make_noise(check_rng *rng, size_t n, double sigma)
{
    float *x = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(sigma * check_gauss(rng));
    }
    return x;
}

static void test_noise_reads_its_density(void)
{
    enum { SAMPLES = 3 << 20 };
    check_rng rng = check_rng_fresh();
    const double sigma = 0.05;
    float *x = make_noise(&rng, 2 * SAMPLES, sigma);
    size_t n_windows = 0, first = check_random(&rng) % 97;
    while (weir_window_at(n_windows)) {
        n_windows++;
    }
    for (unsigned i = 0; i < 45; i++) { /* every octave three times, every window of the table */
        unsigned octave = 6 + i % 15;
        setup s = {.scalar = WEIR_F32LE, .is_complex = (i / 15 + i) % 2, .rate_hz = 1e6};
        s.n_fft = ((size_t)1 << octave) + (octave < 20 ? check_random(&rng) % 3 : 0);
        s.window = weir_window_name(weir_window_at((first + i) % n_windows));
        static const size_t parts[] = {1, 2, 3, 4, 5, 8};
        s.hop = s.n_fft / parts[check_random(&rng) % (octave < 18 ? 6 : 5)];
        reading r = run(&s, x, SAMPLES, NULL);
        /* One-sided: 2 sigma^2 / fs against 0.5; complex: 2 sigma^2 / fs against 1. */
        double expected = 10 * log10(2 * sigma * sigma / s.rate_hz / (s.is_complex ? 1 : 0.5));
        double got = 10 * log10(r.sum_mean / (double)r.n_spectra / (s.is_complex ? 1 : 0.5));
        /* The statistics: 3 M samples, of which a flat-top uses a quarter, give 0.01 dB. */
        CHECK_MSG(fabs(got - expected) < 0.05, "%s, N=%zu, hop %zu, complex %d: %.4f, not %.4f",
                  s.window, s.n_fft, s.hop, s.is_complex, got, expected);
    }
    free(x);
}

/* Means are of power: the level of averaged noise is that of its power, and not 2.507 dB
 * lower as the mean of its decibels is; and a noise line of 48 kHz reads as SciPy says. */
static void test_no_averaging_bias(void)
{
    enum { N = 4096, FRAMES = 400 };
    check_rng rng = check_rng_fresh();
    float *x = make_noise(&rng, (size_t)N * FRAMES, 1);
    static double power[N / 2 + 1];
    setup s = {WEIR_F32LE, false, N, N, "hann", FRAMES, 0, false, 48000};
    reading r = run(&s, x, (size_t)N * FRAMES, power);
    double sum = 0, sum_db = 0;
    for (size_t k = 10; k < N / 2 - 10; k++) {
        sum += power[k] / (N / 2 - 20);
        sum_db += 10 * log10(power[k]) / (N / 2 - 20);
    }
    CHECK_NEAR(10 * log10(sum), -31.352, 0.03);
    CHECK_NEAR(sum_db, -31.352, 0.04); /* 400 frames leave a bias of 0.005 */
    CHECK_NEAR(10 * log10(r.sum_mean), -43.802, 0.03);
    free(x);
}

/* numbers.md 4.3: relative standard deviation of 64 frames' worth of noise. */
static void test_what_overlap_gains(void)
{
    static const struct {
        const char *window;
        size_t part;
        double deviation;
    } rows[] = {{"hann", 1, 0.125},
                {"hann", 2, 0.0911},
                {"hann", 4, 0.0871},
                {"blackman-harris", 2, 0.0889},
                {"blackman-harris", 4, 0.0750},
                {"flattop", 2, 0.0888},
                {"flattop", 4, 0.0630}};
    enum { N = 512, TRIALS = 60 };
    check_rng rng = check_rng_fresh();
    static double power[N];
    double sum[7] = {0};
    for (unsigned t = 0; t < TRIALS; t++) {
        float *x = make_noise(&rng, 2 * (size_t)N * 64, 1);
        for (size_t i = 0; i < 7; i++) {
            setup s = {WEIR_F32LE, true, N, N / rows[i].part, rows[i].window, 0, 0, false, 1};
            double mean = 0, square = 0;
            run(&s, x, (size_t)N * 64, power);
            for (size_t k = 0; k < N; k++) {
                mean += power[k] / N;
                square += power[k] * power[k] / N;
            }
            sum[i] += (square / (mean * mean) - 1) / TRIALS;
        }
        free(x);
    }
    for (size_t i = 0; i < 7; i++) {
        /* 30 000 bins, a few of them dependent: 1 %; and the ends have no overlap: 1 %. */
        CHECK_NEAR(sqrt(sum[i]), rows[i].deviation, 0.04 * rows[i].deviation);
    }
}

/* ---- exponential averages ---- */

/* tau 0.125 and 1 s: a tone that stops decays by 34.7 and 4.34 dB a second. */
static void test_exponential_decay(void)
{
    enum { N = 480, RATE = 48000 };
    static const struct {
        double tau_s, db_per_s;
    } rows[] = {{0.125, 34.74}, {1, 4.343}};
    float *x = calloc(3 * RATE, sizeof *x);
    void *tone = make_tone(WEIR_F32LE, false, N, 0.25, 1);
    memcpy(x, tone, N * sizeof *x);
    for (size_t i = 0; i < 2; i++) {
        double alpha = -expm1(-(double)N / RATE / rows[i].tau_s);
        setup s = {WEIR_F32LE, false, N, N, "rectangular", 1, alpha, false, RATE};
        reading r = run(&s, x, 2 * RATE, NULL);
        double seconds = (double)(r.n_spectra - 1) * N / RATE;
        CHECK_NEAR((r.first_db - r.peak_db) / seconds, rows[i].db_per_s, 0.01);
        CHECK_NEAR(r.first_db, 0, 1e-3); /* starts at the first, not from silence */
    }
    free(tone);
    free(x);
}

/* ---- IQ imbalance ---- */

static void test_iq_correction_in_the_engine(void)
{
    enum { N = 1024 };
    float x[2 * N];
    double gain = 1.1, phase = 0.05;
    for (size_t i = 0; i < N; i++) {
        double angle = 2 * PI * 100 * (double)i / N;
        x[2 * i] = (float)(0.5 * cos(angle) + 0.1);
        x[2 * i + 1] = (float)(gain * 0.5 * sin(angle + phase) - 0.05);
    }
    double *w = window_of("blackman-harris", N);
    static double power[N];
    for (int corrected = 0; corrected < 2; corrected++) {
        reading r = {.density = power};
        weir_engine *engine;
        weir_engine_config config = {
            .format = {.scalar = WEIR_F32LE, .is_complex = true, .channels = 1},
            .n_fft = N,
            .hop = N,
            .window = w,
            .frames_per_spectrum = 1,
            .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
            .threads = 1,
            .on_spectrum = on_spectrum,
            .user = &r,
        };
        if (corrected) {
            config.iq_matrix[0][0] = 1;
            config.iq_matrix[1][0] = -tan(phase);
            config.iq_matrix[1][1] = 1 / (gain * cos(phase));
            config.iq_offset[0] = 0.1;
            config.iq_offset[1] = -0.05;
        }
        weir_run all = {.samples = x, .n_samples = N, .rate_hz = N, .ends = true};
        size_t released;
        CHECK(weir_engine_cpu_create(&engine, &config, NULL) == WEIR_OK);
        CHECK(weir_engine_push(engine, &all, &released, NULL) == WEIR_OK);
        CHECK(weir_engine_flush(engine, 0, NULL) == WEIR_OK);
        weir_engine_destroy(engine);
        double tone = power[N / 2 + 100], image = power[N / 2 - 100], dc = power[N / 2];
        CHECK_NEAR(10 * log10(tone), corrected ? -6.0206 : -5.6, corrected ? 1e-3 : 0.3);
        CHECK_MSG(corrected ? image < 1e-12 && dc < 1e-12 : image > 1e-4 && dc > 1e-3,
                  "corrected %d: image %g, DC %g", corrected, image, dc);
    }
    weir_engine *engine;
    weir_error err = {0};
    weir_engine_config singular = {
        .format = {.scalar = WEIR_F32LE, .is_complex = true, .channels = 1},
        .n_fft = N,
        .hop = N,
        .window = w,
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
        .on_spectrum = on_spectrum,
        .iq_matrix = {{1, 1}, {1, 1}},
    };
    CHECK(weir_engine_cpu_create(&engine, &singular, &err) == WEIR_ERR_USAGE);
    CHECK(strstr(err.text, "iq_matrix") != NULL);
    free(w);
}

int main(void)
{
    RUN(test_tone_reads_its_level);
    RUN(test_half_a_bin_off);
    RUN(test_full_scale);
    RUN(test_one_sided_doubling);
    RUN(test_density_of_a_tone);
    RUN(test_noise_reads_its_density);
    RUN(test_no_averaging_bias);
    RUN(test_what_overlap_gains);
    RUN(test_exponential_decay);
    RUN(test_iq_correction_in_the_engine);
    return check_finish();
}
