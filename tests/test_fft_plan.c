/* ctest-labels: unit
 * dsp/fft_plan.h: right transforms with every effort, the same ESTIMATE plan every time,
 * wisdom that is kept, merged, and ignored when it is not wisdom. */
#include "base/log.h"
#include "dsp/fft_plan.h"
#include "tests/check.h"

#include <complex.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/weir-test-XXXXXX";
static char wisdom_path[64];
static unsigned notices;

static void on_log(void *user, weir_log_level level, const char *text)
{
    (void)user;
    notices += level <= WEIR_LOG_NOTICE && strstr(text, wisdom_path) != NULL;
}

static void fill(check_rng *rng, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)check_gauss(rng);
    }
}

static void check_plan(const weir_fft_plan *plan, size_t n, bool is_complex, check_rng *rng)
{
    float *in = weir_fft_alloc(2 * n), *out = weir_fft_alloc(2 * n + 2);
    float *copy = weir_fft_alloc(2 * n);
    fill(rng, in, 2 * n);
    memcpy(copy, in, 2 * n * sizeof *in);
    weir_fft_execute(plan, in, out);
    for (size_t k = 0; k < (is_complex ? n : n / 2 + 1); k += 1 + n / 50) {
        double complex sum = 0;
        for (size_t i = 0; i < n; i++) {
            double complex w = cexp(-2 * M_PI * I * (double)(i * k % n) / (double)n);
            sum += w * (is_complex ? (double)copy[2 * i] + I * (double)copy[2 * i + 1]
                                   : (double)copy[i] + 0 * I);
        }
        double complex x = (double)out[2 * k] + I * (double)out[2 * k + 1];
        CHECK_NEAR(cabs(x - sum), 0, 2e-6 * sqrt((double)n) * 3);
    }
    weir_fft_free(in);
    weir_fft_free(out);
    weir_fft_free(copy);
}

static weir_fft *make(size_t n, bool is_complex, weir_plan_effort effort, const char *path)
{
    weir_fft *fft = NULL;
    weir_error err = {WEIR_OK, ""};
    CHECK_MSG(weir_fft_create(&fft, n, is_complex, effort, path, &err) == WEIR_OK, "%s", err.text);
    return fft;
}

static void test_transforms(void)
{
    static const size_t sizes[] = {2, 3, 16, 97, 250, 1024};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < 6 * 2 * 2; i++) {
        bool is_complex = i / 6 % 2;
        weir_fft *fft =
            make(sizes[i % 6], is_complex, i / 12 ? WEIR_PLAN_MEASURE : WEIR_PLAN_ESTIMATE, NULL);
        check_plan(weir_fft_current(fft), sizes[i % 6], is_complex, &rng);
        weir_fft_destroy(fft);
    }
    weir_fft_destroy(NULL);
}

static bool file_is_there(void)
{
    struct stat info;
    return stat(wisdom_path, &info) == 0 && info.st_size > 0;
}

enum { BACKGROUND_N = 32 }; /* quickly measured, on a busy machine too */

/* The plan changes when it is ready, and stays right; the wisdom is then on disk, and
 * the next plan is there at once. */
static void test_background_plan_and_wisdom(void)
{
    check_rng rng = check_rng_fresh();
    weir_fft *fft = make(BACKGROUND_N, true, WEIR_PLAN_BACKGROUND, wisdom_path);
    const weir_fft_plan *first = weir_fft_current(fft);
    check_plan(first, BACKGROUND_N, true, &rng);
    for (int i = 0; i < 2000 && weir_fft_current(fft) == first; i++) {
        usleep(10000);
    }
    CHECK(weir_fft_current(fft) != first);
    check_plan(first, BACKGROUND_N, true, &rng); /* still valid */
    check_plan(weir_fft_current(fft), BACKGROUND_N, true, &rng);
    weir_fft_destroy(fft);
    CHECK(file_is_there() && notices == 0);

    /* Nothing is left to measure; unless a busy machine had it run out of time. */
    bool is_measured = false;
    for (int i = 0; i < 10 && !is_measured; i++) {
        fft = make(BACKGROUND_N, true, WEIR_PLAN_BACKGROUND, wisdom_path);
        first = weir_fft_current(fft);
        usleep(i == 0 ? 50000 : 1000000);
        is_measured = weir_fft_current(fft) == first;
        weir_fft_destroy(fft);
    }
    CHECK(is_measured);
}

static void test_abandoned_measuring(void)
{
    for (int i = 0; i < 5; i++) {
        weir_fft_destroy(make(4096 + (size_t)i, true, WEIR_PLAN_BACKGROUND, NULL));
    }
}

static bool same_bits(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

/* Wisdom of other sizes or efforts must not change what ESTIMATE gives. */
static void test_estimate_is_the_same_every_time(void)
{
    enum { N = 1000 };
    check_rng rng = check_rng_fresh();
    float *x = weir_fft_alloc(2 * N), *in = weir_fft_alloc(2 * N);
    float *first = weir_fft_alloc(2 * N), *again = weir_fft_alloc(2 * N);
    fill(&rng, x, 2 * (size_t)N);
    for (int i = 0; i < 4; i++) {
        weir_fft *fft = make(N, true, WEIR_PLAN_ESTIMATE, wisdom_path);
        memcpy(in, x, 2 * N * sizeof *in);
        weir_fft_execute(weir_fft_current(fft), in, i ? again : first);
        CHECK(i == 0 || same_bits(first, again, 2 * N * sizeof *in));
        weir_fft_destroy(fft);
        weir_fft_destroy(make(N, true, WEIR_PLAN_MEASURE, i % 2 ? wisdom_path : NULL));
    }
    weir_fft_free(x);
    weir_fft_free(in);
    weir_fft_free(first);
    weir_fft_free(again);
}

static void write_file(const char *text)
{
    FILE *file = fopen(wisdom_path, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void test_corrupt_wisdom_is_ignored_and_replaced(void)
{
    static const char *const contents[] = {"", "not wisdom", "(fftw-3.3.10 fftwf_wisdom #x1 #x2",
                                           "((((((((((", "\x01\x02\x03"};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < 5; i++) {
        write_file(contents[i]);
        notices = 0;
        weir_fft *fft = make(96, false, WEIR_PLAN_MEASURE, wisdom_path);
        check_plan(weir_fft_current(fft), 96, false, &rng);
        weir_fft_destroy(fft);
        CHECK(notices > 0);
        notices = 0; /* what was written instead is good */
        weir_fft_destroy(make(96, false, WEIR_PLAN_MEASURE, wisdom_path));
        CHECK(notices == 0 && file_is_there());
    }
}

static void test_nowhere_to_keep_wisdom(void)
{
    check_rng rng = check_rng_fresh();
    weir_fft *fft = make(48, true, WEIR_PLAN_MEASURE, "/nonexistent/folder/wisdom");
    check_plan(weir_fft_current(fft), 48, true, &rng);
    weir_fft_destroy(fft);
}

int main(void)
{
    if (!mkdtemp(directory)) {
        return check_skip("no temporary directory");
    }
    snprintf(wisdom_path, sizeof wisdom_path, "%s/wisdom", directory);
    weir_log_set_sink(on_log, NULL);
    RUN(test_transforms);
    RUN(test_background_plan_and_wisdom);
    RUN(test_abandoned_measuring);
    RUN(test_estimate_is_the_same_every_time);
    RUN(test_corrupt_wisdom_is_ignored_and_replaced);
    RUN(test_nowhere_to_keep_wisdom);
    unlink(wisdom_path);
    CHECK(rmdir(directory) == 0); /* no temporary file was left behind */
    return check_finish();
}
