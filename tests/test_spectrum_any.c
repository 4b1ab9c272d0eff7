/* Power spectra of any length, gone through on the CPU thread by thread, against the
 * definition in double precision.
 * ctest-labels: unit
 * ctest-timeout: 120 */
#include "tests/check.h"

#include "weir_config.h"

#if WEIR_HAVE_CUDA

#include "cuda/spectrum_kernels.h"
#include "dsp/fft_f64.h"
#include "tests/gpu_reference.h"

typedef struct trial {
    size_t n, n_bins, n_groups, hop;
    weir_gpu_plan_config config;
    weir_gpu_batch batch;
    void *raw;
    double *window, *expected;
    float *rows, *means;
} trial;

static void *must(void *memory)
{
    if (!memory) {
        abort();
    }
    return memory;
}

static void random_samples(trial *t, check_rng *rng, size_t count)
{
    uint8_t *bytes = must(malloc(count * 4));
    for (size_t i = 0; i < count * 4; i++) {
        bytes[i] = (uint8_t)check_random(rng);
    }
    for (size_t i = 0; t->config.layout == WEIR_GPU_F32 && i < count; i++) {
        float v = (float)(2.1 * check_uniform(rng) - 1.05);
        static const float odd[] = {NAN, INFINITY, -INFINITY, 0.0f};
        v = check_random(rng) % 499 == 0 ? odd[i % 4] : v;
        memcpy(bytes + 4 * i, &v, sizeof v);
    }
    t->raw = bytes;
}

/* A lopsided window, so that reversed or shifted coefficients do not pass. */
static void make_window(trial *t, check_rng *rng)
{
    static const double unit[] = {127.5, 128, 32768, 1};
    t->window = must(malloc(t->n * sizeof *t->window));
    for (size_t i = 0; i < t->n; i++) {
        double x = ((double)i + 0.5) / (double)t->n;
        t->window[i] = (sin(3.14159265358979 * x) * (0.5 + x) + 0.01 * check_uniform(rng)) /
                       ((double)t->n * unit[t->config.layout]);
    }
    t->config.window = t->window;
}

static void frame_of(const trial *t, size_t frame, double *x)
{
    bool complex_in = t->config.is_complex;
    for (size_t i = 0; i < t->n; i++) {
        for (size_t part = 0; part < 2; part++) {
            size_t at = complex_in ? 2 * (frame * t->hop + i) + part : frame * t->hop + i;
            double v = reference_value(t->raw, t->config.layout, t->config.bias, at);
            v -= t->means ? (double)t->means[complex_in ? 2 * frame + part : frame] : 0;
            x[2 * i + part] = part == 0 || complex_in ? v * t->window[i] : 0;
        }
    }
}

static void add_power(const trial *t, const double *x, double scale, double *row)
{
    size_t n = t->n;
    for (size_t k = 0; k < t->n_bins; k++) {
        size_t bin = t->config.is_complex ? (k + n - n / 2) % n : k;
        bin = t->config.is_complex && t->config.mirror ? (n - bin) % n : bin;
        double p = x[2 * bin] * x[2 * bin] + x[2 * bin + 1] * x[2 * bin + 1];
        bool doubled = !t->config.is_complex && k > 0 && 2 * k != n;
        row[k] += p * scale * (doubled ? 2 : 1);
    }
}

/* Frame by frame, in groups as the framer cuts them. */
static void compute_expected(trial *t)
{
    weir_fft_f64 *f64;
    weir_error err;
    CHECK(weir_fft_f64_create(&f64, t->n, &err) == WEIR_OK);
    double *x = must(malloc(2 * t->n * sizeof *x));
    t->expected = must(calloc(t->n_groups * t->n_bins, sizeof *t->expected));
    size_t per = t->batch.per_spectrum ? (size_t)t->batch.per_spectrum : SIZE_MAX, group = 0;
    size_t at = (size_t)t->batch.phase % per, begun = 0;
    for (size_t f = 0; f < t->batch.n_frames; f = begun) {
        size_t left = t->batch.group - at % t->batch.group, in_spectrum = per - at;
        size_t count = left < in_spectrum ? left : in_spectrum;
        count = count < t->batch.n_frames - f ? count : t->batch.n_frames - f;
        for (size_t i = 0; i < count; i++) {
            frame_of(t, f + i, x);
            weir_fft_f64_forward(f64, x);
            add_power(t, x, t->batch.mean ? 1.0 / (double)count : 1,
                      t->expected + group * t->n_bins);
        }
        at = (at + count) % per;
        begun = f + count;
        group++;
    }
    CHECK(group == t->n_groups);
    weir_fft_f64_destroy(f64);
    free(x);
}

static void prepare(trial *t, check_rng *rng, size_t n, uint32_t frames)
{
    *t = (trial){.n = n};
    t->config = (weir_gpu_plan_config){.n_fft = n,
                                       .layout = (weir_gpu_layout)(check_random(rng) % 4),
                                       .is_complex = check_random(rng) % 2,
                                       .mirror = check_random(rng) % 2};
    t->config.bias = t->config.layout == WEIR_GPU_U8 ? 127.5 : 0;
    t->n_bins = t->config.is_complex ? n : n / 2 + 1;
    t->hop = 1 + (size_t)(check_random(rng) % n);
    t->batch = (weir_gpu_batch){.hop = t->hop,
                                .n_frames = frames,
                                .group = 1 + (uint32_t)(check_random(rng) % 6),
                                .per_spectrum = check_random(rng) % 9,
                                .mean = check_random(rng) % 2};
    if (t->batch.per_spectrum) { /* a block begins where the batch does, as from the framer */
        t->batch.phase = check_random(rng) % t->batch.per_spectrum;
    }
    t->batch.phase -= t->batch.phase % t->batch.group;
    random_samples(t, rng, 2 * (frames * t->hop + n));
    make_window(t, rng);
    t->means = must(malloc(2 * frames * sizeof *t->means));
    for (size_t i = 0; i < 2 * frames; i++) {
        t->means[i] = (float)(check_uniform(rng) - 0.5);
    }
    t->batch.frame_mean = t->means;
    t->batch.raw = t->raw;
    t->n_groups = weir_gpu_batch_groups(&t->batch);
    t->rows = must(malloc(t->n_groups * t->n_bins * sizeof *t->rows));
    for (size_t i = 0; i < t->n_groups * t->n_bins; i++) {
        t->rows[i] = NAN;
    }
    t->batch.rows = t->rows;
}

static double worst;

static void finish(trial *t)
{
    double peak = 0, off = 0;
    for (size_t i = 0; i < t->n_groups * t->n_bins; i++) {
        peak = fmax(peak, t->expected[i]);
    }
    for (size_t i = 0; i < t->n_groups * t->n_bins; i++) {
        double d = fabs((double)t->rows[i] - t->expected[i]) / peak;
        off = d <= off ? off : d; /* NaN stays */
    }
    worst = off <= worst ? worst : off;
    CHECK_MSG(off <= 2e-6, "n %zu layout %d complex %d group %u frames %u: %.3g of the peak", t->n,
              (int)t->config.layout, t->config.is_complex, t->batch.group, t->batch.n_frames, off);
    free(t->raw);
    free(t->window);
    free(t->expected);
    free(t->rows);
    free(t->means);
}

static void check_size(check_rng *rng, size_t n, uint32_t frames)
{
    trial t;
    weir_error err = {WEIR_OK, ""};
    prepare(&t, rng, n, frames);
    weir_status status = weir_gpu_rehearse_power(&t.config, &t.batch, &err);
    CHECK_MSG(status == WEIR_OK, "n %zu: %s", n, err.text);
    compute_expected(&t);
    finish(&t);
}

static void test_small_sizes(void)
{
    check_rng rng = check_rng_fresh();
    for (size_t n = 2; n < 200; n++) {
        check_size(&rng, n, 1 + (uint32_t)(check_random(&rng) % 20));
    }
}

static void test_sizes(void)
{
    static const size_t sizes[] = {1000,  1009, 1536,  2310,  3000,  4099,  6000,
                                   10007, 9973, 12345, 14000, 14336, 20000, 24576};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int round = 0; round < 3; round++) {
            check_size(&rng, sizes[i], 1 + (uint32_t)(check_random(&rng) % 9));
        }
    }
}

static void test_sizes_beyond_a_tile(void)
{
    static const size_t sizes[] = {14341, 16411, 30000, 32767, 61440};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_size(&rng, sizes[i], 1 + (uint32_t)(check_random(&rng) % 5));
    }
}

static void test_refusals(void)
{
    static const double window[1] = {1};
    weir_gpu_plan_config config = {.n_fft = ((size_t)1 << 27) + 1, .window = window};
    weir_gpu_batch batch = {.hop = 1, .n_frames = 1, .group = 1};
    weir_error err = {WEIR_OK, ""};
    CHECK(weir_gpu_rehearse_power(&config, &batch, &err) == WEIR_ERR_UNSUPPORTED);
    CHECK_MSG(strstr(err.text, "134217729") != NULL, "%s", err.text);
}

int main(void)
{
    RUN(test_small_sizes);
    RUN(test_sizes);
    RUN(test_sizes_beyond_a_tile);
    RUN(test_refusals);
    printf("# worst: %.2g of the peak\n", worst);
    return check_finish();
}

#else

int main(void)
{
    return check_skip("this build has no CUDA");
}

#endif
