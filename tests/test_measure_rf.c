/* ctest-labels: unit prop
 * dsp/measure_rf.h: channels, bandwidths, floor, SNR and kurtosis of signals whose
 * answers are known. */
#include "dsp/measure_rf.h"
#include "tests/check.h"
#include "tests/spectra.h"

static weir_scale scale;

static weir_spectrum lines(const float *power, size_t n, double start, double step)
{
    return (weir_spectrum){.power = {[WEIR_TRACE_MEAN] = power},
                           .n_bins = n,
                           .start_hz = start,
                           .bin_hz = step,
                           .rate_hz = step * (double)n,
                           .enbw_bins = 1.5,
                           .full_scale_power = 1};
}

/* Three channels of flat density on a floor. */
static void test_channels(void)
{
    enum { N = 2000 };
    static float power[N];
    double step = 100, start = 100e6 - N / 2 * step;
    for (size_t k = 0; k < N; k++) {
        double f = start + (double)k * step - 100e6;
        double density = fabs(f) <= 10e3 ? 1e-6 : fabs(f - 25e3) <= 10e3 ? 1e-10 : 1e-11;
        power[k] = (float)(density * 1.5 * step);
    }
    weir_spectrum s = lines(power, N, start, step);
    scale.offset_db = -30;
    weir_channel own = {100e6, 16e3};
    weir_channel_power p = weir_measure_channel(&s, WEIR_TRACE_MEAN, &scale, own);
    CHECK_NEAR(p.density_db_per_hz, -60 - 30, 1e-5);
    CHECK_NEAR(p.power_db, -60 - 30 + 10 * log10(16e3), 1e-5);
    CHECK_NEAR(p.covered, 1, 1e-9);
    weir_adjacent_power a = weir_measure_adjacent(&s, WEIR_TRACE_MEAN, &scale, own, 25e3, 0);
    CHECK_NEAR(a.lower_dbc, -50, 1e-5);
    CHECK_NEAR(a.upper_dbc, -40, 1e-5);
    a = weir_measure_adjacent(&s, WEIR_TRACE_MEAN, &scale, own, 25e3, 8e3);
    CHECK_NEAR(a.upper_dbc, -40 - 10 * log10(2), 1e-5);
    /* Half outside: the density stays, the power halves, and it says so. */
    weir_channel edge = {start - step / 2, 10e3};
    p = weir_measure_channel(&s, WEIR_TRACE_MEAN, &scale, edge);
    CHECK_NEAR(p.covered, 0.5, 1e-9);
    CHECK_NEAR(p.density_db_per_hz, -110 - 30, 1e-5);
    CHECK_NEAR(p.power_db, -140 + 10 * log10(5e3), 1e-5);
    weir_channel far = {200e6, 10e3};
    p = weir_measure_channel(&s, WEIR_TRACE_MEAN, &scale, far);
    CHECK(p.covered == 0 && p.power_db == (double)WEIR_FLOOR_DB);
    scale.offset_db = 0;
}

static void test_occupied_bandwidth(void)
{
    enum { N = 1001 };
    static float power[N];
    double step = 100, start = -50e3;
    for (size_t k = 0; k < N; k++) { /* 401 bins, 40.1 kHz, off centre by 5 kHz */
        power[k] = k >= 350 && k <= 750 ? 1 : 0;
    }
    weir_spectrum s = lines(power, N, start, step);
    weir_occupied_band b = weir_measure_occupied(&s, WEIR_TRACE_MEAN, &scale, NAN, NAN, 0.99);
    CHECK_NEAR(b.width_hz, 0.99 * 40100, 1e-3);
    CHECK_NEAR((b.low_hz + b.high_hz) / 2, 5000, 1e-3);
    CHECK_NEAR(b.power_db, 10 * log10(0.99 * 401 / 1.5), 1e-6);
    b = weir_measure_occupied(&s, WEIR_TRACE_MEAN, &scale, 0, 10e3, 0.5);
    CHECK_NEAR(b.low_hz, 2500, 1e-3);
    CHECK_NEAR(b.high_hz, 7500, 1e-3);
    b = weir_measure_x_db_band(&s, WEIR_TRACE_MEAN, &scale, NAN, NAN, 26);
    /* From 0 dB to the floor between two bins: the crossing is 26/300 of the way. */
    CHECK_NEAR(b.width_hz, 40000 + 2 * 100 * 26 / 300.0, 0.5);
    memset(power, 0, sizeof power);
    CHECK(isnan(weir_measure_occupied(&s, WEIR_TRACE_MEAN, &scale, NAN, NAN, 0.99).width_hz));
    CHECK(isnan(weir_measure_x_db_band(&s, WEIR_TRACE_MEAN, &scale, NAN, NAN, 3).width_hz));
    /* A Gaussian shape: sigma from any x; outermost crossing although there is a dip. */
    for (size_t k = 0; k < N; k++) {
        double f = (start + (double)k * step) / 8000;
        power[k] = (float)exp(-0.5 * f * f);
    }
    power[500] = 1e-9f;
    for (double x = 3; x < 40; x += 7) {
        b = weir_measure_x_db_band(&s, WEIR_TRACE_MEAN, &scale, NAN, NAN, x);
        double half = 8000 * sqrt(2 * x / 10 * log(10));
        CHECK_NEAR(b.high_hz, half, 3); /* a parabola cut by a chord of 100 Hz; top off by one */
        CHECK_NEAR(b.low_hz, -half, 3);
    }
}

/* Complex noise of variance 1 over 48 kHz: -46.81 dB/Hz, by the mean of k transforms;
 * with a tone in it that the median does not see. */
static void test_noise_floor_and_snr(void)
{
    enum { N = 4096 };
    static double samples[2 * N];
    check_rng rng = check_rng_fresh();
    static const int averages[] = {1, 2, 8};
    for (size_t r = 0; r < 3; r++) {
        spectra x = spectra_create("blackman-harris", N, 0, 48000, 10e6);
        for (int f = 0; f < averages[r]; f++) {
            for (size_t i = 0; i < N; i++) {
                double angle = 2 * M_PI * 0.1 * (double)i;
                samples[2 * i] = check_gauss(&rng) * M_SQRT1_2 + cos(angle);
                samples[2 * i + 1] = check_gauss(&rng) * M_SQRT1_2 + sin(angle);
            }
            spectra_add(&x, samples, 1.0 / averages[r]);
        }
        double expected = -10 * log10(48000), quantiles[] = {0.5, 0.25};
        weir_noise_floor floor;
        for (size_t q = 0; q < 2; q++) {
            CHECK(weir_measure_noise_floor(&x.s, WEIR_TRACE_MEAN, &scale, NAN, NAN, quantiles[q],
                                           averages[r], &floor, NULL) == WEIR_OK);
            /* About N / 2 independent bins; the tone shifts the rank by less than 1 %. */
            CHECK_NEAR(floor.density_db_per_hz, expected, 0.6);
            CHECK(floor.correction_db > 0 && floor.n_bins == N);
        }
        CHECK(weir_measure_noise_floor(&x.s, WEIR_TRACE_MEAN, &scale, NAN, NAN, 0.5, averages[r],
                                       &floor, NULL) == WEIR_OK);
        CHECK_NEAR(floor.bin_db, floor.density_db_per_hz + 10 * log10(x.s.enbw_bins * x.s.bin_hz),
                   1e-9);
        weir_channel channel = {10e6 + 4800, 1000};
        weir_rf_snr snr = weir_measure_rf_snr(&x.s, WEIR_TRACE_MEAN, &scale, channel, &floor);
        CHECK_NEAR(snr.signal_db, 0, 0.5); /* cross terms of tone and noise */
        CHECK_NEAR(snr.snr_db, 10 * log10(48.0), 0.9);
        spectra_destroy(&x);
    }
}

static void test_noise_floor_refuses(void)
{
    float power[3] = {9, 1, 9};
    weir_spectrum s = lines(power, 3, 0, 1);
    s.full_scale_power = 0.5;
    s.rate_hz = 4;
    weir_noise_floor floor;
    weir_error err;
    CHECK(weir_measure_noise_floor(&s, WEIR_TRACE_MEAN, &scale, NAN, NAN, 0.5, 0, &floor, &err) ==
          WEIR_OK);
    CHECK(floor.n_bins == 1); /* not DC, not fs/2 */
    CHECK_NEAR(floor.bin_db, 10 * log10(2), 1e-5);
    CHECK(floor.correction_db == 0);
    CHECK(weir_measure_noise_floor(&s, WEIR_TRACE_MEAN, &scale, 5, 9, 0.5, 0, &floor, &err) ==
          WEIR_ERR_USAGE);
    CHECK(weir_measure_noise_floor(&s, WEIR_TRACE_MEAN, &scale, NAN, NAN, 1, 0, &floor, &err) ==
          WEIR_ERR_USAGE);
}

/* 1 within its error for noise (lines of 1 and of 4 transforms), 0 for a tone. */
static void test_spectral_kurtosis(void)
{
    enum { N = 64, M = 400 };
    check_rng rng = check_rng_fresh();
    double samples[2 * N];
    for (int per_line = 1; per_line <= 4; per_line += 3) {
        weir_kurtosis *k;
        CHECK(weir_kurtosis_create(&k, N, (uint64_t)per_line, NULL) == WEIR_OK);
        spectra x = spectra_create("rectangular", N, 0, 1, 0);
        for (int line = 0; line < M; line++) {
            spectra_clear(&x);
            for (int f = 0; f < per_line; f++) {
                for (size_t i = 0; i < N; i++) {
                    double angle = 2 * M_PI * 8 * (double)i / N;
                    samples[2 * i] = check_gauss(&rng) + 1000 * cos(angle);
                    samples[2 * i + 1] = check_gauss(&rng) + 1000 * sin(angle);
                }
                spectra_add(&x, samples, 1.0 / per_line);
            }
            weir_kurtosis_add(k, x.power);
        }
        CHECK(weir_kurtosis_lines(k) == M);
        float sk[N];
        weir_kurtosis_read(k, sk);
        double error = weir_kurtosis_error(k), mean = 0;
        for (size_t i = 0; i < N; i++) {
            if (i == N / 2 + 8) {
                CHECK_NEAR((double)sk[i], 0, 1e-3);
            } else {
                mean += (double)sk[i] / (N - 1);
                CHECK_NEAR((double)sk[i], 1, 10 * error); /* skewed upwards */
            }
        }
        CHECK_NEAR(mean, 1, 5 * error / sqrt(N - 1));
        if (per_line == 1) {
            CHECK_NEAR(error, 2 / sqrt(M), 0.02 * error);
        }
        weir_kurtosis_reset(k);
        weir_kurtosis_read(k, sk);
        CHECK(isnan(sk[0]) && isnan(weir_kurtosis_error(k)));
        spectra_destroy(&x);
        weir_kurtosis_destroy(k);
    }
    weir_kurtosis *k;
    weir_error err;
    CHECK(weir_kurtosis_create(&k, 0, 1, &err) == WEIR_ERR_USAGE && k == NULL);
    weir_kurtosis_destroy(NULL);
}

int main(void)
{
    weir_scale_init(&scale);
    RUN(test_channels);
    RUN(test_occupied_bandwidth);
    RUN(test_noise_floor_and_snr);
    RUN(test_noise_floor_refuses);
    RUN(test_spectral_kurtosis);
    return check_finish();
}
