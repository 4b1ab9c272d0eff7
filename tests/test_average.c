/* ctest-labels: unit prop
 * dsp/average.h and dsp/persistence.h: means of seconds, decays, holds, densities. */
#include "dsp/average.h"
#include "dsp/persistence.h"
#include "tests/check.h"

enum { N = 50 };
static float power[N];

static weir_spectrum spectrum_number(uint64_t i, uint64_t samples)
{
    return (weir_spectrum){.power = {[WEIR_TRACE_MEAN] = power},
                           .n_bins = N,
                           .bin_hz = 10,
                           .rate_hz = 48000,
                           .enbw_bins = 1.5,
                           .full_scale_power = 0.5,
                           .index = i,
                           .first_sample = i * samples,
                           .end_sample = (i + 1) * samples,
                           .n_frames = 1 + i % 3,
                           .clipped = 1,
                           .lost_inside = i == 2 ? 7 : 0};
}

static void fill(float value)
{
    for (size_t k = 0; k < N; k++) {
        power[k] = value * (float)(k + 1);
    }
}

static void test_mean_of_seconds(void)
{
    weir_average *a;
    CHECK(weir_average_create(&a, WEIR_AVERAGE_MEAN, 0.1, N, NULL) == WEIR_OK);
    double sum = 0, frames = 0;
    unsigned out = 0;
    for (uint64_t i = 0; i < 100; i++) { /* 10 ms each: every tenth gives one */
        float value = (float)(1 + i % 7);
        fill(value);
        weir_spectrum s = spectrum_number(i, 480);
        sum += (double)value * (double)s.n_frames;
        frames += (double)s.n_frames;
        const weir_spectrum *r = weir_average_add(a, &s, WEIR_TRACE_MEAN);
        CHECK((r != NULL) == (i % 10 == 9));
        if (r) {
            CHECK_NEAR((double)r->power[WEIR_TRACE_MEAN][4], 5 * sum / frames, 1e-5);
            CHECK(r->power[WEIR_TRACE_MAX] == NULL && !r->is_partial && r->index == out++);
            CHECK(r->first_sample == (i - 9) * 480 && r->end_sample == (i + 1) * 480);
            CHECK((double)r->n_frames == frames && r->clipped == 10);
            CHECK(r->lost_inside == (i == 9 ? 7 : 0));
            sum = frames = 0;
        }
    }
    CHECK(weir_average_flush(a) == NULL);
    fill(3);
    weir_spectrum s = spectrum_number(200, 480);
    CHECK(weir_average_add(a, &s, WEIR_TRACE_MEAN) == NULL);
    const weir_spectrum *r = weir_average_flush(a);
    CHECK(r && r->is_partial && r->power[WEIR_TRACE_MEAN][0] == 3);
    CHECK(weir_average_flush(a) == NULL);
    weir_average_destroy(a);
}

/* After the signal stops: 10 log10(e) / tau, 34.7 dB/s fast and 4.34 dB/s slow. */
static void test_exponential_decays_as_stated(void)
{
    static const struct {
        double tau_s, db_per_s;
        uint64_t hop;
    } rows[] = {{0.125, 34.7, 480}, {0.125, 34.7, 48}, {1, 4.34, 480}, {1, 4.34, 6000}};
    for (size_t r = 0; r < 4; r++) {
        weir_average *a;
        CHECK(weir_average_create(&a, WEIR_AVERAGE_EXPONENTIAL, rows[r].tau_s, N, NULL) == WEIR_OK);
        fill(1);
        weir_spectrum s = spectrum_number(0, rows[r].hop);
        const weir_spectrum *out = weir_average_add(a, &s, WEIR_TRACE_MEAN);
        CHECK_NEAR((double)out->power[WEIR_TRACE_MEAN][9], 10, 1e-6);
        fill(0);
        for (uint64_t i = 1; i <= 48000 / rows[r].hop; i++) {
            s = spectrum_number(i, rows[r].hop);
            out = weir_average_add(a, &s, WEIR_TRACE_MEAN);
        }
        double drop = -10 * log10((double)out->power[WEIR_TRACE_MEAN][9] / 10);
        CHECK_NEAR(drop, rows[r].db_per_s, 0.051);
        CHECK_NEAR(drop, 10 * log10(exp(1)) / rows[r].tau_s, 1e-4);
        weir_average_destroy(a);
    }
}

static void test_holds_and_axis_changes(void)
{
    check_rng rng = check_rng_fresh();
    for (int mode = WEIR_AVERAGE_MAX; mode <= WEIR_AVERAGE_MIN; mode++) {
        weir_average *a;
        CHECK(weir_average_create(&a, (weir_average_mode)mode, 0, N, NULL) == WEIR_OK);
        float best[N];
        for (uint64_t i = 0; i < 30; i++) {
            for (size_t k = 0; k < N; k++) {
                power[k] = (float)check_uniform(&rng);
                int better = i == 0 || (mode == WEIR_AVERAGE_MAX) == (power[k] > best[k]);
                best[k] = better ? power[k] : best[k];
            }
            weir_spectrum s = spectrum_number(i, 480);
            const weir_spectrum *r = weir_average_add(a, &s, WEIR_TRACE_MEAN);
            for (size_t k = 0; k < N; k++) {
                CHECK(r && r->power[WEIR_TRACE_MEAN][k] == best[k]);
            }
        }
        fill(0.5f);
        weir_spectrum moved = spectrum_number(31, 480);
        moved.start_hz = 1e6;
        const weir_spectrum *r = weir_average_add(a, &moved, WEIR_TRACE_MEAN);
        CHECK(r && r->power[WEIR_TRACE_MEAN][1] == 1 && r->first_sample == 31 * 480);
        weir_average_reset(a);
        fill(0.25f);
        r = weir_average_add(a, &moved, WEIR_TRACE_MEAN);
        CHECK(r && r->power[WEIR_TRACE_MEAN][1] == 0.5f);
        moved.n_bins = N + 1;
        CHECK(weir_average_add(a, &moved, WEIR_TRACE_MEAN) == NULL);
        weir_average_destroy(a);
    }
    weir_average *a;
    weir_error err;
    CHECK(weir_average_create(&a, WEIR_AVERAGE_MEAN, 0, N, &err) == WEIR_ERR_USAGE && !a);
    CHECK(weir_average_create(&a, WEIR_AVERAGE_EXPONENTIAL, NAN, N, &err) == WEIR_ERR_USAGE);
    weir_average_destroy(NULL);
}

/* Densities are relative frequencies: they add up to 1, and find two levels by turns. */
static void test_persistence_counts_hits(void)
{
    weir_persistence_config config = {.axis = {-5, 495, 0},
                                      .n_columns = 10,
                                      .n_levels = 20,
                                      .low_db = -100,
                                      .high_db = 0,
                                      .decay_s = 0.5};
    weir_persistence *p;
    CHECK(weir_persistence_create(&p, &config, NULL) == WEIR_OK);
    float db[N], density[200];
    for (uint64_t i = 0; i < 400; i++) {
        for (size_t k = 0; k < N; k++) {
            db[k] = k == 12 && i % 4 == 0 ? -20.1f : k == 0 ? -500.0f : k == 49 ? 90.0f : -72.5f;
        }
        weir_spectrum s = spectrum_number(i, 480);
        weir_persistence_add(p, &s, db);
    }
    weir_persistence_density(p, density);
    CHECK(weir_persistence_transforms(p) == 400);
    const float *glow = weir_persistence_glow(p);
    for (size_t c = 0; c < 10; c++) {
        double sum = 0, glow_sum = 0;
        for (size_t i = 0; i < 20; i++) {
            sum += (double)density[c * 20 + i];
            glow_sum += (double)glow[c * 20 + i];
        }
        CHECK_NEAR(sum, 1, 1e-6);
        CHECK_NEAR(glow_sum, 1 - exp(-4 / 0.5), 1e-4); /* 4 s of light */
    }
    CHECK_NEAR((double)density[2 * 20 + 15], 0.25 / 5, 1e-6); /* -25 .. -20 dB, 1 bin of 5 */
    CHECK_NEAR((double)density[2 * 20 + 5], 1 - 0.25 / 5, 1e-6);
    CHECK_NEAR((double)density[0], 0.2, 1e-6);           /* below the range */
    CHECK_NEAR((double)density[9 * 20 + 19], 0.2, 1e-6); /* above it */
    weir_persistence_reset(p);
    weir_persistence_density(p, density);
    CHECK(density[45] == 0 && weir_persistence_transforms(p) == 0 && glow[45] == 0);
    weir_persistence_destroy(p);
}

/* The glow fades with its own time constant; the density does not. */
static void test_glow_fades(void)
{
    weir_persistence_config config = {.axis = {-5, 495, 0},
                                      .n_columns = 200, /* more columns than bins */
                                      .n_levels = 2,
                                      .low_db = -100,
                                      .high_db = 0,
                                      .decay_s = 0.25};
    weir_persistence *p;
    CHECK(weir_persistence_create(&p, &config, NULL) == WEIR_OK);
    float db[N];
    for (uint64_t i = 0; i < 200; i++) {
        for (size_t k = 0; k < N; k++) {
            db[k] = i < 100 ? -10 : -90;
        }
        weir_spectrum s = spectrum_number(i, 480);
        weir_persistence_add(p, &s, db);
    }
    const float *glow = weir_persistence_glow(p);
    float density[400];
    weir_persistence_density(p, density);
    for (size_t c = 0; c < 200; c++) {
        CHECK_NEAR((double)density[2 * c + 1], 0.5, 1e-6);
        CHECK_NEAR((double)glow[2 * c + 1], (1 - exp(-4)) * exp(-4), 1e-5);
    }
    weir_persistence_destroy(p);
}

static void test_persistence_refuses(void)
{
    weir_persistence_config good = {
        .axis = {0, 1, 0}, .n_columns = 2, .n_levels = 2, .low_db = 0, .high_db = 1};
    weir_persistence *p;
    weir_error err;
    CHECK(weir_persistence_create(&p, &good, &err) == WEIR_OK);
    CHECK(weir_persistence_glow(p) == NULL);
    weir_persistence_destroy(p);
    weir_persistence_config bad[4] = {good, good, good, good};
    bad[0].n_columns = 0;
    bad[1].n_levels = SIZE_MAX / 2;
    bad[2].high_db = 0;
    bad[3].decay_s = NAN;
    for (int i = 0; i < 4; i++) {
        CHECK(weir_persistence_create(&p, &bad[i], &err) == WEIR_ERR_USAGE && p == NULL);
        CHECK(strncmp(err.text, "persistence: ", 13) == 0);
    }
    weir_persistence_destroy(NULL);
}

int main(void)
{
    RUN(test_mean_of_seconds);
    RUN(test_exponential_decays_as_stated);
    RUN(test_holds_and_axis_changes);
    RUN(test_persistence_counts_hits);
    RUN(test_glow_fades);
    RUN(test_persistence_refuses);
    return check_finish();
}
