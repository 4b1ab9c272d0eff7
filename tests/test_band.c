/* ctest-labels: unit prop
 * dsp/band.h: band powers add up, edges by fraction, noise quantiles. */
#include "dsp/band.h"
#include "tests/check.h"
#include "tests/spectra.h"

/* Noise of variance 1 and a tone of power 0.5: all of it, whatever the window. */
static void test_the_whole_band_is_the_whole_power(void)
{
    check_rng rng = check_rng_fresh();
    static const char *const windows[] = {"rectangular", "hann", "hft90d"};
    enum { N = 1000, FRAMES = 60 };
    double samples[2 * N];
    for (size_t w = 0; w < 3; w++) {
        for (int is_real = 0; is_real < 2; is_real++) {
            spectra x = spectra_create(windows[w], N + (size_t)is_real, is_real, 1000, 0);
            double power = 0;
            size_t n = is_real ? N + 1 : 2 * N;
            for (int f = 0; f < FRAMES; f++) {
                for (size_t i = 0; i < n && i < 2 * N; i++) {
                    samples[i] = check_gauss(&rng);
                    power += samples[i] * samples[i] / (is_real ? N + 1 : N) / FRAMES;
                }
                spectra_add(&x, samples, 1.0 / FRAMES);
            }
            double band = weir_band_power_fs2(&x.s, WEIR_TRACE_MEAN, NULL, -1e9, 1e9);
            /* The window weighs samples differently: sqrt(2 enbw / samples) relative. */
            CHECK_NEAR(band / power, 1, 6 * sqrt(2 * x.s.enbw_bins / (N * FRAMES)));
            double rough =
                weir_band_power_fs2(&x.s, WEIR_TRACE_MEAN, NULL, weir_spectrum_low_hz(&x.s),
                                    weir_spectrum_high_hz(&x.s));
            CHECK_NEAR(band, rough, 1e-9 * band);
            spectra_destroy(&x);
        }
    }
}

/* Cutting a band anywhere leaves the sum as it was. */
static void test_bands_add_up(void)
{
    check_rng rng = check_rng_fresh();
    float power[101];
    for (int run = 0; run < 500; run++) {
        for (size_t k = 0; k < 101; k++) {
            power[k] = (float)check_uniform(&rng);
        }
        int is_real = run % 2;
        weir_spectrum s = {.power = {[WEIR_TRACE_MAX] = power},
                           .n_bins = 101,
                           .bin_hz = 10,
                           .rate_hz = is_real ? 2000 : 1010,
                           .start_hz = is_real ? 0 : -500,
                           .enbw_bins = 1.5,
                           .full_scale_power = is_real ? 0.5 : 1};
        double a = -600 + 2000 * check_uniform(&rng), c = -600 + 2000 * check_uniform(&rng);
        double low = fmin(a, c), high = fmax(a, c);
        double middle = low + (high - low) * check_uniform(&rng);
        double whole = weir_band_power_fs2(&s, WEIR_TRACE_MAX, NULL, low, high);
        double sum = weir_band_power_fs2(&s, WEIR_TRACE_MAX, NULL, low, middle) +
                     weir_band_power_fs2(&s, WEIR_TRACE_MAX, NULL, middle, high);
        CHECK_NEAR(sum, whole, 1e-9);
    }
}

static void test_edges_of_real_and_complex_spectra(void)
{
    float power[5] = {1, 1, 1, 1, 1};
    weir_spectrum s = {.power = {[WEIR_TRACE_MEAN] = power},
                       .n_bins = 5,
                       .bin_hz = 2,
                       .rate_hz = 16,
                       .enbw_bins = 1,
                       .full_scale_power = 0.5};
    CHECK_NEAR(weir_spectrum_low_hz(&s), 0, 0);
    CHECK_NEAR(weir_spectrum_high_hz(&s), 8, 0); /* N = 8: a bin at fs/2 */
    CHECK_NEAR(weir_band_power_fs2(&s, WEIR_TRACE_MEAN, NULL, 0, 0.5), 0.5, 1e-12);
    s.rate_hz = 18; /* N = 9: the last bin is a whole one */
    CHECK_NEAR(weir_spectrum_high_hz(&s), 9, 0);
    s.full_scale_power = 1;
    CHECK_NEAR(weir_spectrum_low_hz(&s), -1, 0);
    CHECK_NEAR(weir_band_power_fs2(&s, WEIR_TRACE_MEAN, NULL, 0, 0.5), 0.25, 1e-12);
    CHECK(weir_band_power_fs2(&s, WEIR_TRACE_MEAN, NULL, 3, 3) == 0);
    CHECK(weir_band_power_fs2(&s, WEIR_TRACE_MEAN, NULL, 4, 3) == 0);
    CHECK(weir_band_power_fs2(&s, WEIR_TRACE_MEAN, NULL, 100, 200) == 0);
    CHECK(weir_spectrum_bin_at(&s, -50) == 0 && weir_spectrum_bin_at(&s, 50) == 4);
    CHECK(weir_spectrum_bin_at(&s, 2.9) == 1 && weir_spectrum_bin_at(&s, 3.1) == 2);
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void test_order_statistics_are_exact(void)
{
    check_rng rng = check_rng_fresh();
    float power[301], sorted[301];
    for (int run = 0; run < 50; run++) {
        size_t n = 1 + check_random(&rng) % 301;
        for (size_t i = 0; i < n; i++) {
            power[i] = (float)pow(10, -30 * check_uniform(&rng)) *
                       (float)(check_random(&rng) % 3); /* zeros and ties too */
        }
        memcpy(sorted, power, n * sizeof *power);
        qsort(sorted, n, sizeof *sorted, compare);
        size_t k = check_random(&rng) % n;
        CHECK(weir_order_statistic(power, 0, n, k) == sorted[k]);
    }
}

/* One average: exponential, quantile -ln(1-q). Two: 1 - (1+x)e^-x, x = 2q'. Many: 1. */
static void test_noise_quantile_bias(void)
{
    CHECK_NEAR(weir_noise_quantile_bias(0.5, 1), log(2), 1e-9);
    CHECK_NEAR(weir_noise_quantile_bias(0.2, 1), -log(0.8), 1e-9);
    double x = 2 * weir_noise_quantile_bias(0.5, 2);
    CHECK_NEAR(1 - (1 + x) * exp(-x), 0.5, 1e-9);
    CHECK_NEAR(weir_noise_quantile_bias(0.5, 1000), 1 - 1.0 / 3000, 1e-6);
    CHECK_NEAR(weir_noise_quantile_bias(0.5, 1e9), 1, 1e-4);
}

int main(void)
{
    RUN(test_the_whole_band_is_the_whole_power);
    RUN(test_bands_add_up);
    RUN(test_edges_of_real_and_complex_spectra);
    RUN(test_order_statistics_are_exact);
    RUN(test_noise_quantile_bias);
    return check_finish();
}
