/* ctest-labels: unit prop
 * dsp/scale.h: levels, units, weighting (IEC 61672-1, table 3), curves. */
#include "dsp/scale.h"
#include "tests/check.h"

#include <float.h>

static weir_spectrum spectrum_of(const float *power, size_t n, double start_hz, double bin_hz)
{
    return (weir_spectrum){.power = {[WEIR_TRACE_MEAN] = power},
                           .n_bins = n,
                           .start_hz = start_hz,
                           .bin_hz = bin_hz,
                           .enbw_bins = 1.5,
                           .coherent_gain = 0.5,
                           .full_scale_power = 0.5};
}

/* Against log10 in double over all magnitudes, and one bin against the whole trace. */
static void test_levels_are_right_to_a_ten_thousandth(void)
{
    enum { N = 4099 };
    static float power[N], out[N];
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < N; i++) {
        power[i] = (float)pow(10, -30 + 33 * check_uniform(&rng));
    }
    for (size_t i = 0; i < 64; i++) { /* around the seam of the mantissa */
        power[i] = 0.7071f + (float)i * 1e-6f;
    }
    weir_spectrum s = spectrum_of(power, N, 0, 10);
    weir_scale scale;
    weir_scale_init(&scale);
    for (int density = 0; density < 2; density++) {
        scale.quantity = density ? WEIR_DENSITY : WEIR_SPECTRUM;
        scale.offset_db = density ? 12.5 : 0;
        weir_scale_trace_db(&scale, &s, WEIR_TRACE_MEAN, out);
        double worst = 0;
        for (size_t i = 0; i < N; i++) {
            double expected = 10 * log10((double)power[i] / 0.5) + scale.offset_db;
            expected -= density ? 10 * log10(1.5 * 10) : 0;
            worst = fmax(worst, fabs((double)out[i] - fmax(expected, -300)));
            CHECK(out[i] == weir_scale_level_db(&scale, &s, i, power[i]));
        }
        CHECK_MSG(worst < 1e-4, "off by %g dB", worst);
    }
}

/* SciPy welch semantics at fs 48000, N 4096: a sine of amplitude 1 on a bin reads 0.5,
 * its density as listed; noise of variance 1 reads -43.802 dB/Hz. */
static void test_the_listed_densities(void)
{
    static const struct {
        double enbw, density;
    } rows[] = {{1, 0.0426667}, {1.5, 0.0284444}, {2.004353, 0.0212870}, {3.770246, 0.0113167}};
    float power[1] = {0.5f};
    weir_spectrum s = spectrum_of(power, 1, 0, 48000.0 / 4096);
    s.full_scale_power = 1; /* levels in dB of FS^2, as SciPy has them */
    weir_scale scale;
    weir_scale_init(&scale);
    CHECK_NEAR(weir_scale_level_db(&scale, &s, 0, 0.5f), -3.0103, 1e-4);
    scale.quantity = WEIR_DENSITY;
    for (size_t i = 0; i < 4; i++) {
        s.enbw_bins = rows[i].enbw;
        /* 7 decimals of the listed value are 4e-5 dB */
        CHECK_NEAR(weir_scale_level_db(&scale, &s, 0, 0.5f), 10 * log10(rows[i].density), 2e-4);
    }
    s.enbw_bins = 1.5; /* one-sided: 2 / fs per hertz */
    float noise_bin = (float)(2.0 / 48000 * 1.5 * s.bin_hz);
    CHECK_NEAR(weir_scale_level_db(&scale, &s, 0, noise_bin), -43.802, 5.1e-4);
    scale.quantity = WEIR_SPECTRUM;
    CHECK_NEAR(weir_scale_level_db(&scale, &s, 0, noise_bin), -31.352, 5.1e-4);
}

static void test_nothing_is_below_the_floor_or_not_a_number(void)
{
    static const float powers[] = {0.0f,    -0.0f,        -1.0f,    NAN,     -NAN,     1e-45f,
                                   FLT_MIN, FLT_TRUE_MIN, INFINITY, FLT_MAX, -INFINITY};
    enum { N = sizeof powers / sizeof *powers };
    weir_spectrum s = spectrum_of(powers, N, 0, 100);
    double hz[] = {100}, db[] = {-1000};
    weir_curve deep = {.n_points = 1, .hz = hz, .offset_db = db};
    for (int w = WEIR_WEIGHT_Z; w <= WEIR_WEIGHT_C; w++) {
        for (int curved = 0; curved < 2; curved++) {
            weir_scale scale;
            weir_scale_init(&scale);
            scale.weighting = (weir_weighting)w;
            scale.curve = curved ? &deep : NULL;
            scale.offset_db = 500; /* silence stays silence, whatever the offset */
            float out[N];
            weir_scale_trace_db(&scale, &s, WEIR_TRACE_MEAN, out);
            for (size_t i = 0; i < N; i++) {
                CHECK(out[i] >= WEIR_FLOOR_DB);
            }
            CHECK(out[0] == WEIR_FLOOR_DB && out[1] == WEIR_FLOOR_DB && out[3] == WEIR_FLOOR_DB);
        }
    }
}

static void test_units(void)
{
    weir_scale scale;
    weir_scale_init(&scale);
    char text[32];
    CHECK_STR(weir_scale_unit(&scale, text, sizeof text), "dBFS");
    scale.quantity = WEIR_DENSITY;
    CHECK_STR(weir_scale_unit(&scale, text, sizeof text), "dBFS/Hz");
    strcpy(scale.unit, "dB SPL");
    scale.weighting = WEIR_WEIGHT_A;
    CHECK_STR(weir_scale_unit(&scale, text, sizeof text), "dB SPL(A)/Hz");
    scale.quantity = WEIR_SPECTRUM;
    CHECK_STR(weir_scale_unit(&scale, text, 5), "dB S");
}

/* Table 3 of the standard, 10 Hz to 20 kHz, at exact base-ten frequencies. */
static void test_weighting_is_the_standards_table(void)
{
    static const double a[34] = {-70.4, -63.4, -56.7, -50.5, -44.7, -39.4, -34.6, -30.2, -26.2,
                                 -22.5, -19.1, -16.1, -13.4, -10.9, -8.6,  -6.6,  -4.8,  -3.2,
                                 -1.9,  -0.8,  0,     0.6,   1.0,   1.2,   1.3,   1.2,   1.0,
                                 0.5,   -0.1,  -1.1,  -2.5,  -4.3,  -6.6,  -9.3};
    static const double c[34] = {-14.3, -11.2, -8.5, -6.2, -4.4, -3.0, -2.0, -1.3, -0.8,
                                 -0.5,  -0.3,  -0.2, -0.1, 0,    0,    0,    0,    0,
                                 0,     0,     0,    0,    -0.1, -0.2, -0.3, -0.5, -0.8,
                                 -1.3,  -2.0,  -3.0, -4.4, -6.2, -8.5, -11.2};
    for (int i = 0; i < 34; i++) {
        double hz = 1000 * pow(10, (i - 20) / 10.0);
        CHECK_NEAR(round(10 * weir_weighting_db(WEIR_WEIGHT_A, hz)) / 10, a[i], 1e-9);
        CHECK_NEAR(round(10 * weir_weighting_db(WEIR_WEIGHT_C, hz)) / 10, c[i], 1e-9);
        CHECK(weir_weighting_db(WEIR_WEIGHT_Z, hz) == 0);
        CHECK(weir_weighting_db(WEIR_WEIGHT_A, -hz) == weir_weighting_db(WEIR_WEIGHT_A, hz));
    }
    CHECK(weir_weighting_db(WEIR_WEIGHT_A, 0) == (double)WEIR_FLOOR_DB);
    CHECK(weir_weighting_db(WEIR_WEIGHT_C, 0) == (double)WEIR_FLOOR_DB);
    CHECK(weir_weighting_db(WEIR_WEIGHT_A, 1000) == 0);
}

/* White noise from 0 to 24 kHz: A -2.72 dB, C -4.14 dB. */
static void test_weighted_white_noise(void)
{
    double a = 0, c = 0;
    enum { STEPS = 240000 };
    for (int i = 0; i < STEPS; i++) {
        double hz = 24000 * (i + 0.5) / STEPS;
        a += pow(10, weir_weighting_db(WEIR_WEIGHT_A, hz) / 10) / STEPS;
        c += pow(10, weir_weighting_db(WEIR_WEIGHT_C, hz) / 10) / STEPS;
    }
    CHECK_NEAR(10 * log10(a), -2.72, 0.0051);
    CHECK_NEAR(10 * log10(c), -4.14, 0.0051);
}

/* 1 Pa is 93.979 dB SPL re 20 uPa; a microphone that gives -26 dBFS at 94 dB SPL. */
static void test_an_offset_makes_sound_pressure(void)
{
    CHECK_NEAR(20 * log10(1 / 20e-6), 93.979, 5e-4);
    float power[1] = {(float)(0.5 * pow(10, -2.6))};
    weir_spectrum s = spectrum_of(power, 1, 1000, 1);
    weir_scale scale;
    weir_scale_init(&scale);
    scale.offset_db = 94 + 26;
    CHECK_NEAR(weir_scale_level_db(&scale, &s, 0, power[0]), 94, 1e-4);
}

static void test_curve_and_weighting_follow_the_bins(void)
{
    enum { N = 1000 };
    static float power[N], out[N];
    double hz[] = {0, 100, 1000, 3000}, db[] = {1, 2, -4, 0};
    weir_curve curve = {.n_points = 4, .hz = hz, .offset_db = db};
    for (size_t i = 0; i < N; i++) {
        power[i] = 0.5f;
    }
    weir_spectrum s = spectrum_of(power, N, -500, 5);
    weir_scale scale;
    weir_scale_init(&scale);
    scale.curve = &curve;
    scale.weighting = WEIR_WEIGHT_C;
    weir_scale_trace_db(&scale, &s, WEIR_TRACE_MEAN, out);
    for (size_t i = 0; i < N; i++) {
        double f = -500 + 5.0 * (double)i;
        double e = f <= 0 ? 1 : f < 100 ? 1 + f / 100 : f < 1000 ? 2 - 6 * log10(f / 100) : 0;
        if (f >= 1000) {
            e = f < 3000 ? -4 + 4 * log(f / 1000) / log(3) : 0;
        }
        e += weir_weighting_db(WEIR_WEIGHT_C, f);
        CHECK_NEAR(out[i], fmax(e, -300), 1e-4);
        CHECK(out[i] == weir_scale_level_db(&scale, &s, i, power[i]));
    }
}

int main(void)
{
    RUN(test_levels_are_right_to_a_ten_thousandth);
    RUN(test_the_listed_densities);
    RUN(test_nothing_is_below_the_floor_or_not_a_number);
    RUN(test_units);
    RUN(test_weighting_is_the_standards_table);
    RUN(test_weighted_white_noise);
    RUN(test_an_offset_makes_sound_pressure);
    RUN(test_curve_and_weighting_follow_the_bins);
    return check_finish();
}
