/* ctest-labels: unit prop
 * dsp/octave.h and dsp/sound_level.h: exact bands and names, white and pink noise, decay. */
#include "dsp/octave.h"
#include "dsp/sound_level.h"
#include "tests/check.h"
#include "tests/spectra.h"

static weir_scale scale;

static void test_third_octaves_are_the_standards(void)
{
    static const char *const names[] = {
        "25",   "31.5",  "40",  "50",  "63",   "80",  "100", "125",   "160",  "200",
        "250",  "315",   "400", "500", "630",  "800", "1k",  "1.25k", "1.6k", "2k",
        "2.5k", "3.15k", "4k",  "5k",  "6.3k", "8k",  "10k", "12.5k", "16k",  "20k"};
    weir_octave_band bands[64];
    size_t n = weir_octave_bands(3, 25, 20000, bands, 64);
    CHECK(n == sizeof names / sizeof *names);
    for (size_t i = 0; i < n && n <= 64; i++) {
        CHECK_STR(bands[i].name, names[i]);
        CHECK_NEAR(bands[i].high_hz / bands[i].mid_hz, 1.1220185, 1e-7);
        CHECK_NEAR((bands[i].high_hz - bands[i].low_hz) / bands[i].mid_hz, 0.2307675, 1e-7);
        if (i > 0) {
            CHECK_NEAR(bands[i].mid_hz / bands[i - 1].mid_hz, pow(10, 0.1), 1e-12);
            CHECK_NEAR(bands[i].low_hz, bands[i - 1].high_hz, 1e-9 * bands[i].low_hz);
        }
    }
    CHECK_NEAR(bands[0].mid_hz, 25.1189, 5e-5);
    CHECK_NEAR(bands[29].mid_hz, 19952.62, 5e-3);
    CHECK_NEAR(bands[16].low_hz, 891.251, 5e-4);
    CHECK_NEAR(bands[16].high_hz, 1122.018, 5e-4);
}

static void test_other_fractions(void)
{
    static const char *const octaves[] = {"16", "31.5", "63", "125", "250", "500",
                                          "1k", "2k",   "4k", "8k",  "16k"};
    weir_octave_band bands[40];
    CHECK(weir_octave_bands(1, 16, 16000, bands, 40) == 11);
    for (size_t i = 0; i < 11; i++) {
        CHECK_STR(bands[i].name, octaves[i]);
        CHECK_NEAR(bands[i].mid_hz, 1000 * pow(1.99526231, (double)i - 6), 1e-4 * bands[i].mid_hz);
    }
    /* b even: 1000 G^((2x+1)/2b), so 1 kHz is an edge. */
    CHECK(weir_octave_bands(2, 1001, 1002, bands, 40) == 1);
    CHECK_NEAR(bands[0].low_hz, 1000, 1e-9);
    CHECK_NEAR(bands[0].mid_hz, 1000 * pow(1.99526231, 0.25), 1e-4);
    size_t n = weir_octave_bands(12, 20, 20000, NULL, 0);
    CHECK_MSG(n >= 120 && n <= 121, "%zu bands", n);
    CHECK(weir_octave_bands(3, 20, 20000, bands, 5) == 31);
    CHECK(weir_octave_bands(0, 20, 20000, bands, 40) == 0);
    CHECK(weir_octave_bands(97, 20, 20000, bands, 40) == 0);
    CHECK(weir_octave_bands(3, 0, 20000, bands, 40) == 0);
    CHECK(weir_octave_bands(3, 200, 100, bands, 40) == 0);
    CHECK(weir_octave_bands(3, 100, INFINITY, bands, 40) == 0);
    CHECK(weir_octave_bands(3, NAN, 100, bands, 40) == 0);
}

enum { N = 48000 };
static float power[N / 2 + 1];

static weir_spectrum noise(int pink)
{
    for (size_t k = 0; k <= N / 2; k++) {
        double density = 1.0 / 24000; /* one-sided, variance 1 at 48 kHz */
        double shape = pink ? 1 / fmax((double)k, 0.5) : 1;
        power[k] = (float)(density * shape * 1.5 * (k == 0 || k == N / 2 ? 0.5 : 1));
    }
    return (weir_spectrum){.power = {[WEIR_TRACE_MEAN] = power},
                           .n_bins = N / 2 + 1,
                           .bin_hz = 1,
                           .rate_hz = N,
                           .enbw_bins = 1.5,
                           .full_scale_power = 0.5};
}

static void test_white_noise_rises_and_pink_is_flat(void)
{
    weir_octave_band bands[40];
    weir_octave_level levels[40];
    weir_spectrum s = noise(0);
    size_t n = weir_octave_bands(3, 31.5, 20000, bands, 40);
    weir_octave_measure(&s, WEIR_TRACE_MEAN, &scale, bands, n, levels);
    CHECK_NEAR(10 * log10(levels[15].fs2), -20.170, 5.1e-4);
    CHECK_NEAR(10 * log10(levels[0].fs2), -35.170, 5.1e-4);
    CHECK_NEAR(levels[15].level_db, -20.170 + 3.0103, 1e-3); /* dBFS: 0.5 is 0 */
    CHECK_NEAR(levels[0].bins, 31.6228 * 0.2307675, 1e-3);
    for (size_t i = 1; i < n; i++) {
        CHECK_NEAR(levels[i].level_db - levels[i - 1].level_db, 1, 5e-4);
        CHECK(levels[i].covered == 1);
    }
    n = weir_octave_bands(1, 63, 8000, bands, 40);
    weir_octave_measure(&s, WEIR_TRACE_MEAN, &scale, bands, n, levels);
    for (size_t i = 1; i < n; i++) {
        CHECK_NEAR(levels[i].level_db - levels[i - 1].level_db, 3, 5e-4);
    }
    s = noise(1);
    n = weir_octave_bands(3, 500, 16000, bands, 40); /* steps of 1 Hz approximate 1/f there */
    weir_octave_measure(&s, WEIR_TRACE_MEAN, &scale, bands, n, levels);
    for (size_t i = 1; i < n; i++) {
        CHECK_NEAR(levels[i].level_db, levels[0].level_db, 2e-3);
    }
    n = weir_octave_bands(1, 16000, 64000, bands, 40);
    weir_octave_measure(&s, WEIR_TRACE_MEAN, &scale, bands, n, levels);
    CHECK(levels[n - 1].covered == 0 && levels[n - 1].level_db == (double)WEIR_FLOOR_DB);
}

/* White noise weighted A: -2.72 dB, C: -4.14 dB; and after it stops, 34.7 and 4.34 dB/s. */
static void test_sound_level(void)
{
    static const double taus[] = {WEIR_TAU_FAST_S, WEIR_TAU_SLOW_S}, decays[] = {34.7, 4.34};
    static const weir_weighting weightings[] = {WEIR_WEIGHT_A, WEIR_WEIGHT_C};
    static const double weighted[] = {-2.72, -4.14};
    for (int t = 0; t < 2; t++) {
        weir_sound_meter meter;
        weir_sound_meter_init(&meter, taus[t]);
        weir_scale w;
        weir_scale_init(&w);
        w.weighting = weightings[t];
        w.offset_db = 90;
        weir_spectrum s = noise(0);
        CHECK(weir_sound_meter_read(&meter, &s, &w).now_db == (double)WEIR_FLOOR_DB);
        for (int i = 0; i < 10; i++) {
            s.first_sample = (uint64_t)i * 480;
            s.end_sample = s.first_sample + 480;
            weir_sound_meter_add(&meter, &s, WEIR_TRACE_MEAN, &w);
        }
        weir_sound_level before = weir_sound_meter_read(&meter, &s, &w);
        CHECK_NEAR(before.now_db, 90 + 3.0103 + weighted[t], 0.0051);
        CHECK_NEAR(before.leq_db, before.now_db, 1e-9);
        CHECK_NEAR(before.seconds, 0.1, 1e-12);
        memset(power, 0, sizeof power);
        for (int i = 10; i < 110; i++) {
            s.first_sample = (uint64_t)i * 480;
            s.end_sample = s.first_sample + 480;
            weir_sound_meter_add(&meter, &s, WEIR_TRACE_MEAN, &w);
        }
        weir_sound_level after = weir_sound_meter_read(&meter, &s, &w);
        CHECK_NEAR(before.now_db - after.now_db, decays[t], 0.0051 * (t ? 1 : 10));
        CHECK_NEAR(after.max_db, before.now_db, 1e-9);
        CHECK_NEAR(after.leq_db, before.leq_db + 10 * log10(0.1 / 1.1), 1e-9);
    }
}

int main(void)
{
    weir_scale_init(&scale);
    RUN(test_third_octaves_are_the_standards);
    RUN(test_other_fractions);
    RUN(test_white_noise_rises_and_pink_is_flat);
    RUN(test_sound_level);
    return check_finish();
}
