/* ctest-labels: unit prop
 * dsp/correct.h: only the main lobe of DC goes; imbalance is found and undone; axes. */
#include "dsp/correct.h"
#include "tests/check.h"
#include "tests/spectra.h"

/* A flat floor, the DC of a real window on it: afterwards the floor, and nothing else. */
static void test_dc_goes_and_nothing_else(void)
{
    enum { N = 256 };
    static double samples[2 * N];
    static const struct {
        const char *window;
        double lobe;
        size_t complex_count, real_count;
    } rows[] = {{"rectangular", 1, 1, 1}, {"hann", 2, 3, 2}, {"blackman-harris", 4, 7, 4}};
    for (size_t r = 0; r < 3; r++) {
        for (int is_real = 0; is_real < 2; is_real++) {
            spectra x = spectra_create(rows[r].window, N, is_real, 1000, is_real ? 0 : 5000);
            for (size_t i = 0; i < 2 * N; i++) {
                samples[i] = is_real || i % 2 == 0 ? 0.5 : 0;
            }
            spectra_add(&x, samples, 1);
            double doubled = is_real ? 2e-8 : 1e-8;
            for (size_t k = 0; k < x.s.n_bins; k++) {
                int edge = is_real && (k == 0 || k == N / 2);
                x.power[k] += (float)(edge ? doubled / 2 : doubled);
            }
            weir_bin_range range = weir_interpolate_dc(&x.s, rows[r].lobe, x.power);
            CHECK(range.count == (is_real ? rows[r].real_count : rows[r].complex_count));
            CHECK(range.first == (is_real ? 0 : N / 2 - range.count / 2));
            for (size_t k = 0; k < x.s.n_bins; k++) {
                int edge = is_real && (k == 0 || k == N / 2);
                CHECK_NEAR((double)x.power[k] / (edge ? doubled / 2 : doubled), 1, 1e-3);
            }
            spectra_destroy(&x);
        }
    }
}

static void test_dc_outside_or_at_the_edge(void)
{
    float power[8] = {1, 1, 1, 1, 2, 2, 2, 2};
    weir_spectrum s = {
        .n_bins = 8, .bin_hz = 1, .start_hz = 100, .center_hz = 50, .full_scale_power = 1};
    CHECK(weir_interpolate_dc(&s, 2, power).count == 0);
    s.center_hz = 100;
    power[0] = power[1] = 99;
    weir_bin_range range = weir_interpolate_dc(&s, 2, power);
    CHECK(range.first == 0 && range.count == 2 && power[0] == power[1] && power[0] < 2);
    s.center_hz = 104;
    for (int i = 0; i < 8; i++) {
        power[i] = i < 4 ? 1 : i > 4 ? 4 : 99;
    }
    range = weir_interpolate_dc(&s, 1, power);
    CHECK(range.first == 4 && range.count == 1);
    CHECK_NEAR((double)power[4], 2, 1e-6); /* half way in dB */
    power[0] = 5;
    s.n_bins = 1;
    s.center_hz = 100;
    CHECK(weir_interpolate_dc(&s, 4, power).count == 1 && power[0] == 0);
}

static double power_at(const float *x, size_t n, double cycles)
{
    double re = 0, im = 0;
    for (size_t i = 0; i < n; i++) {
        double a = -2 * M_PI * cycles * (double)i / (double)n;
        re += (double)x[2 * i] * cos(a) - (double)x[2 * i + 1] * sin(a);
        im += (double)x[2 * i] * sin(a) + (double)x[2 * i + 1] * cos(a);
    }
    return 10 * log10((re * re + im * im) / (double)n / (double)n);
}

/* A tone through an unbalanced receiver: parameters found, image gone, level kept. */
static void test_imbalance_is_found_and_undone(void)
{
    enum { N = 4000 };
    static float x[2 * N];
    check_rng rng = check_rng_fresh();
    weir_sample_format format = {.channels = 1};
    CHECK(weir_format_parse("cf32le", &format, NULL) == WEIR_OK);
    for (int run = 0; run < 50; run++) {
        double gain = 0.8 + 0.4 * check_uniform(&rng), phase = 0.3 * (check_uniform(&rng) - 0.5);
        double dc_i = 0.1 * check_gauss(&rng), dc_q = 0.1 * check_gauss(&rng);
        double cycles = (double)(1 + check_random(&rng) % 1900);
        for (size_t i = 0; i < N; i++) {
            double a = 2 * M_PI * cycles * (double)i / N;
            x[2 * i] = (float)(0.5 * cos(a) + dc_i);
            x[2 * i + 1] = (float)(gain * 0.5 * sin(a + phase) + dc_q);
        }
        weir_iq_stats stats = {0};
        for (size_t at = 0; at < N;) { /* in pieces */
            size_t n = 1 + check_random(&rng) % 1000;
            n = n < N - at ? n : N - at;
            weir_iq_stats_add(&stats, &format, 0, x + 2 * at, n);
            at += n;
        }
        weir_iq_correction c;
        CHECK(weir_iq_estimate(&stats, &c));
        CHECK_NEAR(c.gain, gain, 1e-6);
        CHECK_NEAR(c.phase_rad, phase, 1e-6);
        CHECK_NEAR(c.dc_i, dc_i, 1e-6);
        CHECK_NEAR(c.dc_q, dc_q, 1e-6);
        CHECK_NEAR(power_at(x, N, cycles) - power_at(x, N, -cycles), c.image_rejection_db, 1e-3);
        weir_iq_apply(&c, x, N);
        CHECK_NEAR(power_at(x, N, cycles), -6.0206, 1e-4);
        CHECK(power_at(x, N, -cycles) < -110);
        CHECK(power_at(x, N, 0) < -110);
    }
}

static void test_too_little_to_estimate(void)
{
    float x[400] = {0};
    weir_sample_format format = {.channels = 1};
    CHECK(weir_format_parse("cf32le", &format, NULL) == WEIR_OK);
    weir_iq_stats stats = {0};
    weir_iq_correction c;
    CHECK(!weir_iq_estimate(&stats, &c));
    CHECK(c.matrix[0][0] == 1 && c.matrix[1][1] == 1 && c.matrix[1][0] == 0);
    weir_iq_stats_add(&stats, &format, 0, x, 200);
    CHECK(!weir_iq_estimate(&stats, &c)); /* silence */
    for (int i = 0; i < 200; i++) {
        x[2 * i] = x[2 * i + 1] = (float)i; /* I = Q: no signal left in one direction */
    }
    weir_iq_stats_add(&stats, &format, 0, x, 200);
    CHECK(!weir_iq_estimate(&stats, &c));
    weir_iq_stats_forget(&stats, 0.1);
    CHECK_NEAR(stats.weight, 40, 1e-9);
}

static void test_axes(void)
{
    weir_axis_correction none = {0, 0}, c = {-1.5, 116e6};
    CHECK(weir_true_hz(&none, 5.8e9) == 5.8e9); /* exact digits */
    CHECK_NEAR(weir_true_hz(&c, 28e6), 144e6 - 42, 1e-6);
    CHECK_NEAR(weir_device_hz(&c, weir_true_hz(&c, 28.123e6)), 28.123e6, 1e-6);
    weir_spectrum s = {
        .start_hz = 27e6, .bin_hz = 1000, .center_hz = 28e6, .rate_hz = 2e6, .n_bins = 2000};
    weir_correct_axis(&c, &s);
    CHECK_NEAR(s.start_hz + 1000 * s.bin_hz, s.center_hz, 1e-6);
    CHECK_NEAR(s.start_hz + 1234 * s.bin_hz, weir_true_hz(&c, 27e6 + 1234e3), 1e-6);
    CHECK_NEAR(s.rate_hz, 2e6 - 3, 1e-9);
}

/* Against every bin asked on its own, of one run and of many; rounding is no other place. */
static void test_made_up_bins(void)
{
    weir_made_up none = {0}, one = {.low_hz = 10, .high_hz = 12, .n_runs = 1};
    weir_made_up many = {.low_hz = -5, .high_hz = -3, .step_hz = 7, .n_runs = 4};
    for (int low = -12; low < 40; low++) {
        for (int high = low; high < 40; high++) {
            bool is_in_one = false, is_in_many = false;
            for (int hz = low; hz <= high; hz++) {
                is_in_one |= hz >= 10 && hz <= 12;
                is_in_many |= hz >= -5 && hz <= 18 && (hz + 5) % 7 <= 2;
            }
            CHECK(!weir_made_up_between(&none, low, high));
            CHECK_MSG(weir_made_up_between(&one, low, high) == is_in_one, "%d %d", low, high);
            CHECK_MSG(weir_made_up_between(&many, low, high) == is_in_many, "%d %d", low, high);
        }
    }
    CHECK(weir_made_up_at(&one, 9.6, 1) && weir_made_up_at(&one, 12.4, 1));
    CHECK(!weir_made_up_at(&one, 9.4, 1) && !weir_made_up_at(&one, 12.6, 1));
    weir_made_up near = many;
    near.low_hz *= 1 + 1e-15;
    CHECK(weir_made_up_same(&many, &near) && !weir_made_up_same(&many, &one));
    CHECK(weir_made_up_same(&none, &(weir_made_up){.low_hz = 5}));
    near.high_hz += 0.001;
    CHECK(!weir_made_up_same(&many, &near));
}

int main(void)
{
    RUN(test_dc_goes_and_nothing_else);
    RUN(test_dc_outside_or_at_the_edge);
    RUN(test_imbalance_is_found_and_undone);
    RUN(test_too_little_to_estimate);
    RUN(test_axes);
    RUN(test_made_up_bins);
    return check_finish();
}
