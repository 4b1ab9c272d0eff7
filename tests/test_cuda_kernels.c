/* The fused kernels against the definition in double precision.
 * ctest-labels: gpu
 * ctest-timeout: 300
 *
 * WEIR_GPU_TEST_SMALL=1 leaves out the large sizes (for compute-sanitizer). */
#include "cuda/engine_cuda.h"
#include "tests/check.h"

#include "weir_config.h"

#if WEIR_HAVE_CUDA

#include "tests/gpu_reference.h"

#include <cuda_runtime_api.h>

static bool small_only;

/* One batch of one plan, on both sides. */
typedef struct trial {
    weir_gpu_plan_config config;
    weir_gpu_batch batch;
    size_t n_new_first;
    bool detrend;
    bool textbook;
    size_t offset; /* the first frame begins so many samples into the memory */
    size_t n_samples, n_groups, n_bins;
    double *window;
    void *raw;
    float *rows;      /* from the GPU */
    double *expected; /* the same     */
    uint32_t *counts; /* two a group  */
    double rms_error; /* of the groups' relative L2 */
    weir_sample_counts *expected_counts;
} trial;

static void *must(void *memory)
{
    if (!memory) {
        abort();
    }
    return memory;
}

static void random_samples(trial *t, check_rng *rng)
{
    size_t parts = t->config.is_complex ? 2 : 1, n = t->n_samples * parts;
    t->raw = must(malloc(n * 4));
    for (size_t i = 0; i < n; i++) {
        uint64_t r = check_random(rng);
        switch (t->config.layout) {
        case WEIR_GPU_U8:
        case WEIR_GPU_S8:
            ((uint8_t *)t->raw)[i] = (uint8_t)r;
            break;
        case WEIR_GPU_S16:
            ((uint16_t *)t->raw)[i] = (uint16_t)r;
            break;
        default:
            ((float *)t->raw)[i] = (float)(2.1 * check_uniform(rng) - 1.05);
            if (r % 997 == 0) {
                static const float odd[] = {NAN, INFINITY, -INFINITY, 0.0f};
                ((float *)t->raw)[i] = odd[r / 997 % 4];
            }
            break;
        }
    }
}

/* A lopsided window, so that reversed or shifted coefficients do not pass. */
static void make_window(trial *t, check_rng *rng)
{
    size_t n = t->config.n_fft;
    static const double unit[] = {127.5, 128, 32768, 1};
    t->window = must(malloc(n * sizeof *t->window));
    for (size_t i = 0; i < n; i++) {
        double x = ((double)i + 0.5) / (double)n;
        double w = sin(3.14159265358979 * x) * (0.5 + x) + 0.01 * check_uniform(rng);
        t->window[i] = w / ((double)n * unit[t->config.layout]);
    }
    t->config.window = t->window;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void expect_counts(trial *t, size_t frame, weir_sample_counts *counts)
{
    static const weir_scalar scalars[] = {WEIR_U8, WEIR_S8, WEIR_S16LE, WEIR_F32LE};
    const weir_sample_format format = {
        .scalar = scalars[t->config.layout], .is_complex = t->config.is_complex, .channels = 1};
    size_t n_new = frame == 0 ? t->n_new_first : min_size(t->batch.hop, t->config.n_fft);
    size_t first = t->offset + frame * t->batch.hop + t->config.n_fft - n_new;
    size_t parts = t->config.is_complex ? 2 : 1;
    for (size_t i = first * parts; i < (first + n_new) * parts; i += parts) {
        bool clipped = false, nonfinite = false;
        for (size_t c = i; c < i + parts; c++) {
            double lowest = format.scalar == WEIR_U8 ? 0 : format.scalar == WEIR_S8 ? -128 : -32768;
            double highest = format.scalar == WEIR_U8 ? 255 : -1 - lowest;
            double v = reference_value(t->raw, t->config.layout, 0, c);
            if (t->config.layout == WEIR_GPU_F32) {
                float x = ((const float *)t->raw)[c];
                clipped |= fabsf(x) > 1;
                nonfinite |= !isfinite(x);
            } else {
                clipped |= v == lowest || v == highest;
            }
        }
        counts->clipped += clipped;
        counts->nonfinite += nonfinite;
    }
}

/* Frame by frame, as the framer would number them. */
static void compute_expected(trial *t)
{
    double complex *work = must(malloc(t->config.n_fft * sizeof *work));
    double *row = must(malloc(t->n_bins * sizeof *row));
    size_t group = 0, in_group = 0;
    uint64_t in_spectrum = t->batch.phase;
    t->expected = must(calloc(t->n_groups * t->n_bins, sizeof *t->expected));
    t->expected_counts = must(calloc(t->n_groups, sizeof *t->expected_counts));
    for (size_t f = 0; f < t->batch.n_frames; f++) {
        reference_power(&t->config, t->raw, t->offset + f * t->batch.hop, t->detrend, work, row);
        for (size_t k = 0; k < t->n_bins; k++) {
            t->expected[group * t->n_bins + k] += row[k];
        }
        expect_counts(t, f, &t->expected_counts[group]);
        in_group++;
        in_spectrum++;
        bool ends = t->batch.per_spectrum != 0 && in_spectrum == t->batch.per_spectrum;
        if (ends || in_spectrum % t->batch.group == 0 || f + 1 == t->batch.n_frames) {
            for (size_t k = 0; t->batch.mean && k < t->n_bins; k++) {
                t->expected[group * t->n_bins + k] /= (double)in_group;
            }
            group++;
            in_group = 0;
        }
        in_spectrum = ends ? 0 : in_spectrum;
    }
    CHECK_MSG(group == t->n_groups, "%zu groups, expected %zu", t->n_groups, group);
    free(work);
    free(row);
}

#define CUDA(call)                                                                                 \
    CHECK_MSG((call) == cudaSuccess, "%s: %s", #call, cudaGetErrorString(cudaGetLastError()))

static void run_on_gpu(trial *t)
{
    weir_error err = {0};
    weir_gpu_plan *plan = NULL;
    weir_status status = weir_gpu_plan_create(&plan, &t->config, &err);
    CHECK_MSG(!status, "n %zu: %s", t->config.n_fft, err.text);
    size_t sample = weir_gpu_sample_bytes(t->config.layout, t->config.is_complex);
    size_t parts = t->config.is_complex ? 2 : 1, n_rows = t->n_groups * t->n_bins;
    char *raw = NULL;
    float *rows = NULL, *means = NULL;
    uint32_t *counts = NULL;
    void *work = NULL;
    CUDA(cudaMalloc((void **)&raw, t->n_samples * sample));
    CUDA(cudaMalloc((void **)&rows, n_rows * sizeof *rows));
    CUDA(cudaMalloc((void **)&counts, t->n_groups * 2 * sizeof *counts));
    CUDA(cudaMalloc((void **)&means, t->batch.n_frames * parts * sizeof *means));
    CUDA(cudaMemset(rows, 0xff, n_rows * sizeof *rows)); /* NaN: every bin must be written */
    CUDA(cudaMemset(counts, 0xff, t->n_groups * 2 * sizeof *counts));
    CUDA(cudaMemcpy(raw, t->raw, t->n_samples * sample, cudaMemcpyHostToDevice));
    t->batch.raw = raw + t->offset * sample;
    t->batch.rows = rows;
    if (t->detrend) {
        CHECK(!weir_gpu_frame_means(plan, &t->batch, means, NULL, &err));
        t->batch.frame_mean = means;
    }
    if (t->textbook) {
        CUDA(cudaMalloc(&work, t->batch.n_frames * t->config.n_fft * 8));
        CHECK(!weir_gpu_textbook(plan, &t->batch, work, NULL, &err));
    } else {
        status = weir_gpu_power(plan, &t->batch, NULL, &err);
        CHECK_MSG(!status, "n %zu: %s", t->config.n_fft, err.text);
    }
    CHECK(!weir_gpu_count(plan, &t->batch, t->n_new_first, counts, NULL, &err));
    t->rows = must(malloc(n_rows * sizeof *rows));
    t->counts = must(malloc(t->n_groups * 2 * sizeof *counts));
    CUDA(cudaMemcpy(t->rows, rows, n_rows * sizeof *rows, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(t->counts, counts, t->n_groups * 2 * sizeof *counts, cudaMemcpyDeviceToHost));
    cudaFree(raw);
    cudaFree(rows);
    cudaFree(counts);
    cudaFree(means);
    cudaFree(work);
    weir_gpu_plan_destroy(plan);
}

/* Fills in what follows from the rest, runs both sides, returns the relative L2 error. */
static double run_trial(trial *t, check_rng *rng)
{
    size_t n = t->config.n_fft;
    t->n_bins = t->config.is_complex ? n : n / 2 + 1;
    t->n_groups = weir_gpu_batch_groups(&t->batch);
    t->n_samples = t->offset + (t->batch.n_frames - 1) * t->batch.hop + n;
    t->config.bias = 127.5;
    t->config.clip_codes = 1;
    make_window(t, rng);
    random_samples(t, rng);
    compute_expected(t);
    run_on_gpu(t);
    double worst = 0, squares = 0;
    for (size_t g = 0; g < t->n_groups; g++) {
        double error = relative_l2(t->rows + g * t->n_bins, t->expected + g * t->n_bins, t->n_bins);
        worst = error <= worst ? worst : error; /* a NaN stays */
        squares += error * error;
        CHECK_MSG(t->counts[2 * g] == t->expected_counts[g].clipped &&
                      t->counts[2 * g + 1] == t->expected_counts[g].nonfinite,
                  "n %zu layout %d group %zu: %u clipped, %u not finite, expected %llu and %llu", n,
                  (int)t->config.layout, g, t->counts[2 * g], t->counts[2 * g + 1],
                  (unsigned long long)t->expected_counts[g].clipped,
                  (unsigned long long)t->expected_counts[g].nonfinite);
    }
    t->rms_error = sqrt(squares / (double)t->n_groups);
    free(t->window);
    free(t->raw);
    free(t->rows);
    free(t->expected);
    free(t->counts);
    free(t->expected_counts);
    return worst;
}

/* Single precision transforms err by about 0.65 2^-24 sqrt(log2 N) of the norm
 * (Schatzman 1996); this is twice that. */
static double tolerance(size_t n)
{
    return 8e-8 * sqrt(log2((double)n));
}

static unsigned max_log2n(void)
{
    return small_only ? 15 : 20;
}

static void test_every_size_and_layout(void)
{
    check_rng rng = check_rng_fresh();
    for (unsigned log2n = 5; log2n <= max_log2n(); log2n++) {
        for (int kind = 0; kind < 2 * WEIR_GPU_LAYOUT_COUNT; kind++) {
            size_t n = (size_t)1 << log2n;
            trial t = {.config = {.n_fft = n,
                                  .layout = (weir_gpu_layout)(kind / 2),
                                  .is_complex = kind % 2}};
            t.batch = (weir_gpu_batch){.hop = n / 2 + 3,
                                       .n_frames = log2n > 16 ? 5 : 13,
                                       .group = 4,
                                       .per_spectrum = 7,
                                       .phase = (uint64_t)(kind / 2 + 1),
                                       .mean = true};
            t.n_new_first = t.batch.hop;
            t.offset = 1;
            double error = run_trial(&t, &rng);
            printf("n 2^%u %s layout %d: %.2e of %.2e\n", log2n, kind % 2 ? "complex" : "real",
                   kind / 2, error, tolerance(n));
            CHECK_MSG(error <= tolerance(n), "n %zu kind %d: relative error %g, allowed %g", n,
                      kind, error, tolerance(n));
        }
    }
}

static void test_single_frames_and_options(void)
{
    check_rng rng = check_rng_fresh();
    for (unsigned log2n = 5; log2n <= (small_only ? 13 : 17); log2n++) {
        for (int option = 0; option < 8; option++) {
            size_t n = (size_t)1 << log2n;
            trial t = {.config = {.n_fft = n,
                                  .layout = (weir_gpu_layout)(option % 4),
                                  .is_complex = option % 2 == 0,
                                  .mirror = option % 4 == 2}};
            t.batch = (weir_gpu_batch){.hop = option < 4 ? 1 + n / 16 : n + 5,
                                       .n_frames = log2n < 10 ? 40 : 5,
                                       .group = option % 3 == 0 ? 1 : 3,
                                       .phase = (uint64_t)option};
            t.n_new_first = n;
            t.detrend = option >= 2;
            double error = run_trial(&t, &rng);
            CHECK_MSG(error <= 2 * tolerance(n), "n %zu option %d: relative error %g", n, option,
                      error);
        }
    }
}

/* Many groups of many frames: more than run at once, and the loop over them. */
static void test_many_groups(void)
{
    check_rng rng = check_rng_fresh();
    static const unsigned sizes[] = {5, 8, 10, 11, 14, 15, 16};
    for (size_t i = 0; i < (small_only ? 2 : sizeof sizes / sizeof *sizes); i++) {
        size_t n = (size_t)1 << sizes[i];
        trial t = {.config = {.n_fft = n, .is_complex = i % 2 == 0}};
        t.batch = (weir_gpu_batch){.hop = n / 4,
                                   .n_frames = 5000,
                                   .group = 16,
                                   .per_spectrum = 21,
                                   .phase = 12 + i,
                                   .mean = true};
        while (t.batch.n_frames * n > ((size_t)1 << 23)) {
            t.batch.n_frames /= 2;
        }
        t.n_new_first = n;
        /* The gate is for what a spectrum errs by; the worst of hundreds of 32 points, each with
         * its own luck, was seen at 1.05 of it. */
        double error = run_trial(&t, &rng);
        CHECK_MSG(t.rms_error <= tolerance(n), "n %zu: relative error %g", n, t.rms_error);
        CHECK_MSG(error <= 2 * tolerance(n), "n %zu: relative error %g", n, error);
    }
}

static void test_textbook(void)
{
    check_rng rng = check_rng_fresh();
    for (unsigned log2n = 5; log2n <= 14; log2n += 3) {
        size_t n = (size_t)1 << log2n;
        trial t = {.config = {.n_fft = n,
                              .layout = (weir_gpu_layout)(log2n % 4),
                              .is_complex = log2n % 2}};
        t.batch = (weir_gpu_batch){.hop = n / 2, .n_frames = 5, .group = 2, .mean = true};
        t.n_new_first = n;
        t.textbook = true;
        double error = run_trial(&t, &rng);
        CHECK_MSG(error <= 2 * tolerance(n), "n %zu: relative error %g", n, error);
    }
}

/* Sizes without kernels of their own share one, and with it what shared memory it may have: a
 * plan must not be cut down by a later one that needs less. */
static void test_beside_a_smaller_plan(void)
{
    enum { N = 12000, SMALLER = 36, FRAMES = 4 };
    static float before[FRAMES * N], after[FRAMES * N];
    static double window[N];
    weir_gpu_plan_config config = {
        .n_fft = N, .layout = WEIR_GPU_S16, .is_complex = true, .window = window};
    weir_gpu_plan *plan = NULL, *smaller = NULL;
    weir_error err = {0};
    uint16_t raw[2 * N];
    char *device = NULL;
    float *rows = NULL;
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < N; i++) {
        window[i] = 1.0 / N;
        raw[2 * i] = (uint16_t)check_random(&rng);
        raw[2 * i + 1] = (uint16_t)check_random(&rng);
    }
    CUDA(cudaMalloc((void **)&device, sizeof raw));
    CUDA(cudaMalloc((void **)&rows, sizeof before));
    CUDA(cudaMemcpy(device, raw, sizeof raw, cudaMemcpyHostToDevice));
    weir_gpu_batch batch = {.raw = device, .n_frames = FRAMES, .group = 1, .rows = rows};
    CHECK_MSG(!weir_gpu_plan_create(&plan, &config, &err), "%s", err.text);
    CHECK_MSG(!weir_gpu_power(plan, &batch, NULL, &err), "alone: %s", err.text);
    CUDA(cudaMemcpy(before, rows, sizeof before, cudaMemcpyDeviceToHost));
    CUDA(cudaMemset(rows, 0xff, sizeof before));
    config.n_fft = SMALLER;
    CHECK_MSG(!weir_gpu_plan_create(&smaller, &config, &err), "%s", err.text);
    CHECK_MSG(!weir_gpu_power(plan, &batch, NULL, &err), "beside a smaller one: %s", err.text);
    CUDA(cudaMemcpy(after, rows, sizeof after, cudaMemcpyDeviceToHost));
    CHECK(before[0] > 0 && memcmp(before, after, sizeof before) == 0);
    weir_gpu_plan_destroy(plan);
    weir_gpu_plan_destroy(smaller);
    cudaFree(device);
    cudaFree(rows);
}

static void test_sizes_without_kernel(void)
{
    /* and a prime above 2^23 */
    static const size_t sizes[] = {0, 1, 8388619, ((size_t)1 << 28) + 1, SIZE_MAX};
    double window[1] = {1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        weir_gpu_plan_config config = {.n_fft = sizes[i], .window = window};
        weir_gpu_plan *plan = (weir_gpu_plan *)&config;
        weir_error err = {0};
        CHECK(weir_gpu_plan_create(&plan, &config, &err) == WEIR_ERR_UNSUPPORTED);
        CHECK(plan == NULL && strstr(err.text, "points"));
    }
}

int main(void)
{
    weir_error err = {0};
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        return check_skip("no GPU");
    }
    (void)err;
    small_only = getenv("WEIR_GPU_TEST_SMALL") != NULL;
    RUN(test_every_size_and_layout);
    RUN(test_single_frames_and_options);
    RUN(test_many_groups);
    RUN(test_textbook);
    RUN(test_beside_a_smaller_plan);
    RUN(test_sizes_without_kernel);
    return check_finish();
}

#else

int main(void)
{
    return check_skip("this build has no CUDA");
}

#endif
