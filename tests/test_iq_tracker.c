/* ctest-labels: unit prop
 * dsp/iq_tracker.h: follows a drifting imbalance as far behind as it says, without jumps, and
 * the same however the samples are cut. */
#include "dsp/iq_tracker.h"
#include "tests/check.h"

#define RATE 48000.0

/* A receiver whose Q is gain times louder and leans by phase, changing steadily. */
typedef struct receiver {
    double gain, gain_slope; /* a second */
    double phase, phase_slope;
    double dc_i, dc_q;
    double cycles, noise; /* of the tone, a second; standard deviation */
} receiver;

static void receive(const receiver *r, check_rng *rng, size_t first, size_t n, float *out)
{
    for (size_t k = 0; k < n; k++) {
        double t = (double)(first + k) / RATE, angle = 2 * M_PI * r->cycles * t;
        double i = cos(angle) + r->noise * check_gauss(rng);
        double q = sin(angle) + r->noise * check_gauss(rng);
        double gain = r->gain + r->gain_slope * t, phase = r->phase + r->phase_slope * t;
        out[2 * k] = (float)(0.5 * i + r->dc_i);
        out[2 * k + 1] = (float)(0.5 * gain * (q * cos(phase) + i * sin(phase)) + r->dc_q);
    }
}

static double power_at(const float *x, size_t n, double cycles)
{
    double re = 0, im = 0;
    for (size_t k = 0; k < n; k++) {
        double a = -2 * M_PI * cycles * (double)k / RATE;
        re += (double)x[2 * k] * cos(a) - (double)x[2 * k + 1] * sin(a);
        im += (double)x[2 * k] * sin(a) + (double)x[2 * k + 1] * cos(a);
    }
    return 10 * log10((re * re + im * im) / (double)n / (double)n);
}

/* Wanted over image of the tone, in decibels. */
static double rejection_db(const float *x, size_t n, double cycles)
{
    return power_at(x, n, cycles) - power_at(x, n, -cycles);
}

static double rejection_for(double gain_error, double phase_error)
{
    return 10 * log10(4 / (gain_error * gain_error + phase_error * phase_error));
}

/* The header's promise: `seconds` behind a steady drift. Image rejection follows from that.
 * What was found in the first second alone gets worse all the time. */
static void test_follows_a_drift(void)
{
    enum { SECOND = (int)RATE, SECONDS = 24 };
    static float x[2 * SECOND], fixed[2 * SECOND];
    static const double times[] = {0.25, 0.5, 1, 2};
    check_rng rng = check_rng_fresh();
    for (size_t t = 0; t < sizeof times / sizeof *times; t++) {
        receiver r = {.gain = 0.95,
                      .gain_slope = 0.005,
                      .phase = -0.05,
                      .phase_slope = 0.004,
                      .dc_i = 0.02,
                      .dc_q = -0.01,
                      .cycles = (double)(1000 + check_random(&rng) % 20000),
                      .noise = 0.004};
        weir_iq_tracker tracker, at_first;
        weir_iq_stats stats = {0};
        weir_iq_correction first;
        weir_sample_format format = {.channels = 1};
        CHECK(weir_format_parse("cf32le", &format, NULL) == WEIR_OK);
        receive(&r, &rng, 0, SECOND, x);
        weir_iq_stats_add(&stats, &format, 0, x, SECOND);
        CHECK(weir_iq_estimate(&stats, &first));
        weir_iq_tracker_fix(&at_first, &first);
        weir_iq_tracker_follow(&tracker, NULL, RATE, times[t]);
        for (int s = 0; s < SECONDS; s++) {
            receive(&r, &rng, (size_t)s * SECOND, SECOND, x);
            memcpy(fixed, x, sizeof x);
            weir_iq_tracker_apply(&tracker, x, SECOND);
            weir_iq_tracker_apply(&at_first, fixed, SECOND);
        }
        double late = times[t] + (double)tracker.block_samples / RATE / 2;
        double expected = rejection_for(late * r.gain_slope, late * r.phase_slope);
        double got = rejection_db(x, SECOND, r.cycles);
        double without = rejection_db(fixed, SECOND, r.cycles);
        printf("  %g s: %.1f dB (by the lag %.1f), of the first second %.1f dB\n", times[t], got,
               expected, without);
        /* The noise of the estimate, its ripple, and that gain is not exactly 1. */
        CHECK_NEAR(got, expected, 1.0);
        CHECK(without < 26 && without > 20);
        CHECK(power_at(x, SECOND, r.cycles) < -5.9 && power_at(x, SECOND, r.cycles) > -6.15);
        CHECK(power_at(x, SECOND, 0) < -70);
    }
}

/* What does not drift is found better the longer it is looked at. */
static void test_steady_imbalance_goes(void)
{
    enum { N = 1 << 18 };
    static float x[2 * N];
    check_rng rng = check_rng_fresh();
    receiver r = {.gain = 1.12, .phase = 0.07, .dc_i = -0.1, .cycles = 5000, .noise = 0.005};
    weir_iq_tracker tracker;
    weir_iq_tracker_follow(&tracker, NULL, RATE, 100);
    for (int k = 0; k < 4; k++) {
        receive(&r, &rng, (size_t)k * N, N, x);
        weir_iq_tracker_apply(&tracker, x, N);
    }
    CHECK_MSG(rejection_db(x, (size_t)RATE, 5000) > 80, "%.1f dB",
              rejection_db(x, (size_t)RATE, 5000));
    CHECK(power_at(x, (size_t)RATE, 0) < -70);
    CHECK_NEAR(tracker.next.gain, 1.12, 1e-4);
    CHECK_NEAR(tracker.next.phase_rad, 0.07, 1e-4);
}

/* The same bits however it is cut; and the header's formula in double precision. */
static void test_cuts_change_nothing(void)
{
    enum { N = 60000 };
    static float whole[2 * N], cut[2 * N], raw[2 * N];
    check_rng rng = check_rng_fresh();
    receiver r = {
        .gain = 0.9, .gain_slope = 0.05, .phase = 0.1, .dc_q = 0.2, .cycles = 777, .noise = 0.1};
    receive(&r, &rng, 0, N, raw);
    memcpy(whole, raw, sizeof raw);
    memcpy(cut, raw, sizeof raw);
    weir_iq_tracker one, many;
    weir_iq_tracker_follow(&one, NULL, RATE, 0.3);
    many = one;
    weir_iq_tracker_apply(&one, whole, N);
    for (size_t at = 0; at < N;) {
        size_t n = 1 + check_random(&rng) % 700;
        n = n < N - at ? n : N - at;
        weir_iq_tracker_apply(&many, cut + 2 * at, n);
        at += n;
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        CHECK(whole[i] == cut[i]); /* to the last bit; 0 is never negative here */
    }
    CHECK(one.block_samples == 256);
    weir_iq_stats past = {0};
    weir_iq_correction now, next;
    weir_sample_format format = {.channels = 1};
    CHECK(weir_format_parse("cf32le", &format, NULL) == WEIR_OK);
    (void)weir_iq_estimate(&past, &next);
    for (size_t block = 0; block + 1 <= N / 256; block++) {
        now = next;
        (void)weir_iq_estimate(&past, &next);
        for (size_t k = 0; k < 256; k++) {
            double part = ((double)k + 1) / 256, i = (double)raw[2 * (256 * block + k)];
            double q = (double)raw[2 * (256 * block + k) + 1];
            i -= now.dc_i + part * (next.dc_i - now.dc_i);
            q -= now.dc_q + part * (next.dc_q - now.dc_q);
            q *= now.matrix[1][1] + part * (next.matrix[1][1] - now.matrix[1][1]);
            q += i * (now.matrix[1][0] + part * (next.matrix[1][0] - now.matrix[1][0]));
            CHECK_NEAR((double)whole[2 * (256 * block + k)], i, 1e-6);
            CHECK_NEAR((double)whole[2 * (256 * block + k) + 1], q, 1e-6);
        }
        weir_iq_stats_forget(&past, exp(-256 / (0.3 * RATE)));
        weir_iq_stats_add(&past, &format, 0, raw + 2 * 256 * block, 256);
    }
}

/* From one sample to the next the correction moves by next to nothing. */
static void test_no_jumps(void)
{
    enum { N = 40000 };
    static float x[2 * N];
    check_rng rng = check_rng_fresh();
    weir_iq_tracker tracker;
    weir_iq_tracker_follow(&tracker, NULL, RATE, 0.05);
    receiver r = {.gain = 1.2, .phase = 0.2, .dc_i = 0.3, .cycles = 4321, .noise = 0.3};
    receive(&r, &rng, 0, N, x);
    weir_iq_tracker_apply(&tracker, x, N);
    for (size_t k = 0; k < N; k++) { /* a constant: what comes out is the correction itself */
        x[2 * k] = 1;
        x[2 * k + 1] = 1;
    }
    weir_iq_tracker_apply(&tracker, x, N);
    for (size_t k = 1; k < N; k++) {
        CHECK(fabs((double)(x[2 * k + 1] - x[2 * k - 1])) < 0.01);
    }
}

static void test_gaps_and_other_tunings(void)
{
    enum { N = 48000 };
    static float x[2 * N];
    check_rng rng = check_rng_fresh();
    receiver r = {.gain = 1.1, .phase = 0.1, .cycles = 3000, .noise = 0.05};
    weir_iq_tracker tracker;
    weir_iq_tracker_follow(&tracker, NULL, RATE, 5);
    receive(&r, &rng, 0, N, x);
    weir_iq_tracker_apply(&tracker, x, N);
    weir_iq_tracker_begin(&tracker, false);
    CHECK_NEAR(tracker.next.gain, 1.1, 3e-3); /* a gap changes nothing */
    r.gain = 0.9;
    r.phase = -0.1;
    weir_iq_tracker_begin(&tracker, true);
    for (int pass = 0; pass < 2; pass++) {
        receive(&r, &rng, 0, N, x);
        weir_iq_tracker_apply(&tracker, x, N);
    }
    /* What was known counts as a quarter of a block, of 25 in two seconds. */
    CHECK_NEAR(tracker.next.gain, 0.9, 0.006);
    CHECK(rejection_db(x, N, r.cycles) > 48);
}

/* Nothing to go by: nothing is changed, and nothing is NaN. */
static void test_silence(void)
{
    enum { N = 2000 };
    static float x[2 * N];
    weir_iq_tracker tracker;
    weir_iq_tracker_follow(&tracker, NULL, RATE, 0.01);
    weir_iq_tracker_apply(&tracker, x, N);
    for (size_t k = 0; k < (size_t)2 * N; k++) {
        CHECK(x[k] == 0);
    }
    CHECK(tracker.next.gain == 1 && tracker.next.phase_rad == 0);
    weir_iq_correction given = {.gain = 1, .matrix = {{1, 0}, {-0.5, 2}}, .dc_i = 1};
    weir_iq_tracker_fix(&tracker, &given);
    weir_iq_tracker_begin(&tracker, true);
    x[0] = 3;
    x[1] = 4;
    weir_iq_tracker_apply(&tracker, x, 1);
    CHECK(x[0] == 2 && x[1] == 7);
}

int main(void)
{
    RUN(test_follows_a_drift);
    RUN(test_steady_imbalance_goes);
    RUN(test_cuts_change_nothing);
    RUN(test_no_jumps);
    RUN(test_gaps_and_other_tunings);
    RUN(test_silence);
    return check_finish();
}
