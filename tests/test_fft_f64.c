/* ctest-labels: unit prop
 * dsp/fft_f64.h: against the plain sum at every small length, and by properties. */
#include "dsp/fft_f64.h"
#include "tests/check.h"

static void plain_sum(const double *x, size_t n, double *out)
{
    for (size_t k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (size_t j = 0; j < n; j++) {
            double angle = -2 * M_PI * (double)(j * k % n) / (double)n;
            re += x[2 * j] * cos(angle) - x[2 * j + 1] * sin(angle);
            im += x[2 * j] * sin(angle) + x[2 * j + 1] * cos(angle);
        }
        out[2 * k] = re;
        out[2 * k + 1] = im;
    }
}

static void check_against_sum(size_t n, check_rng *rng)
{
    double *x = malloc(2 * n * sizeof *x), *expected = malloc(2 * n * sizeof *x);
    for (size_t i = 0; i < 2 * n; i++) {
        x[i] = check_gauss(rng);
    }
    plain_sum(x, n, expected);
    weir_fft_f64 *fft;
    weir_error err;
    CHECK(weir_fft_f64_create(&fft, n, &err) == WEIR_OK);
    weir_fft_f64_forward(fft, x);
    double worst = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        worst = fmax(worst, fabs(x[i] - expected[i]));
    }
    /* The sum's own rounding grows like sqrt(n) eps times the norm sqrt(n). */
    CHECK_MSG(worst <= 4e-15 * (double)(n + 4), "n = %zu: off by %g", n, worst);
    weir_fft_f64_destroy(fft);
    free(x);
    free(expected);
}

static void test_agrees_with_the_sum(void)
{
    check_rng rng = check_rng_fresh();
    for (size_t n = 1; n <= 130; n++) {
        check_against_sum(n, &rng);
    }
    static const size_t large[] = {997, 1000, 1024, 1025, 2048};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        check_against_sum(large[i], &rng);
    }
}

/* A tone on a bin is one line, also where the recursion goes deep. */
static void test_a_tone_is_one_line(void)
{
    static const size_t lengths[] = {65536, 65537, 50000};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < 3; i++) {
        size_t n = lengths[i], bin = check_random(&rng) % n;
        double *x = malloc(2 * n * sizeof *x);
        for (size_t j = 0; j < n; j++) {
            double angle = 2 * M_PI * (double)(j * bin % n) / (double)n;
            x[2 * j] = cos(angle);
            x[2 * j + 1] = sin(angle);
        }
        weir_fft_f64 *fft;
        CHECK(weir_fft_f64_create(&fft, n, NULL) == WEIR_OK);
        weir_fft_f64_forward(fft, x);
        x[2 * bin] -= (double)n;
        double worst = 0;
        for (size_t j = 0; j < 2 * n; j++) {
            worst = fmax(worst, fabs(x[j]));
        }
        CHECK_MSG(worst < 1e-13 * (double)n, "n = %zu: %g beside the line", n, worst);
        weir_fft_f64_destroy(fft);
        free(x);
    }
}

static void test_refuses_what_it_cannot_do(void)
{
    weir_fft_f64 *fft;
    weir_error err;
    CHECK(weir_fft_f64_create(&fft, 0, &err) == WEIR_ERR_USAGE);
    CHECK(fft == NULL && strchr(err.text, '\n') == NULL);
    CHECK(weir_fft_f64_create(&fft, SIZE_MAX, &err) == WEIR_ERR_USAGE);
    weir_fft_f64_destroy(NULL);
}

int main(void)
{
    RUN(test_agrees_with_the_sum);
    RUN(test_a_tone_is_one_line);
    RUN(test_refuses_what_it_cannot_do);
    return check_finish();
}
