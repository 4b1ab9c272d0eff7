/* ctest-labels: unit prop
 * display/spectrogram.h against a reference that keeps everything: rows, joins, gaps. */
#include "display/spectrogram.h"
#include "dsp/scale.h"
#include "tests/check.h"

#include <stdbool.h>

enum { WIDTH = 5, MOST = 3000 };

static void test_levels_in_16_bits(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 20000; i++) {
        double db = check_uniform(&rng) * 600.0 - 290.0;
        weir_level16 level = weir_level16_from_power((float)pow(10.0, db / 10.0));
        if (db > -290.0 && db < 355.0) {
            /* half a hundredth, and a float's error at 300 dB */
            CHECK_NEAR(weir_level16_db(level), db, 0.0052);
        }
    }
    CHECK(weir_level16_from_power(NAN) == 0 && isnan(weir_level16_db(0)));
    CHECK(weir_level16_from_power(0.0f) == 1 && weir_level16_db(1) == WEIR_FLOOR_DB);
    CHECK(weir_level16_from_power(INFINITY) == 65535);
    CHECK(weir_level16_from_power(-1.0f) == 1);
}

/* What one row must read: every spectrum whose time lies in it. */
static double reference(weir_reducer reducer, float columns[][WIDTH], const double *times, size_t n,
                        size_t column, double from_s, double to_s)
{
    double sum = 0.0, most = -1.0, least = INFINITY, first = -1.0;
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) {
        double value = (double)columns[i][column];
        if (times[i] >= from_s && times[i] < to_s && !isnan(value)) {
            first = hits ? first : value;
            sum += value;
            most = fmax(most, value);
            least = fmin(least, value);
            hits++;
        }
    }
    const double results[] = {most, sum / (double)hits, least, first};
    return hits ? results[reducer] : (double)NAN;
}

static void check_against_reference(check_rng *rng, weir_reducer reducer)
{
    static float columns[MOST][WIDTH];
    static double times[MOST];
    weir_error err = {0};
    size_t height = 1 + check_random(rng) % 20, n = 1 + check_random(rng) % MOST;
    double row_s = 0.25; /* whole in binary, so that the reference can compare times */
    weir_spectrogram *s;
    CHECK(weir_spectrogram_create(&s, WIDTH, height, reducer, row_s, &err) == WEIR_OK);
    for (size_t i = 0; i < n; i++) {
        times[i] = (double)i * row_s;
        for (size_t c = 0; c < WIDTH; c++) {
            columns[i][c] = c == 3 ? NAN : (float)pow(10.0, check_gauss(rng));
        }
        weir_spectrogram_add(s, times[i], 0.0, columns[i]);
    }
    weir_spectrogram_settle(s);
    size_t rows = weir_spectrogram_rows(s);
    double length = weir_spectrogram_row_seconds(s);
    CHECK(rows <= 2 * height && (n <= 2 * height || rows >= height));
    CHECK(weir_spectrogram_added(s) == n);
    /* Every join of a mean rounds to 0.01 dB again; the last row may be joined unevenly. */
    double tolerance = reducer == WEIR_REDUCE_MEAN ? 0.06 : 0.0055;
    size_t exact = reducer == WEIR_REDUCE_MEAN ? rows - 1 : rows;
    for (size_t row = 0; row < exact; row++) {
        weir_level16 levels[WIDTH];
        bool lost = true;
        CHECK(weir_spectrogram_join(s, row, row + 1, levels, &lost) && !lost);
        CHECK(levels[3] == 0);
        double want = reference(reducer, columns, times, n, 1, (double)row * length,
                                (double)(row + 1) * length);
        CHECK_NEAR(weir_level16_db(levels[1]), 10.0 * log10(want), tolerance);
    }
    weir_spectrogram_destroy(s);
}

static void test_random_streams(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 60; i++) {
        check_against_reference(&rng, (weir_reducer)(i % WEIR_REDUCE_COUNT));
    }
}

static void test_gaps(void)
{
    weir_spectrogram *s;
    weir_error err = {0};
    const float loud[] = {1, 1, 1, 1, 1};
    weir_level16 levels[WIDTH];
    bool lost;
    CHECK(weir_spectrogram_create(&s, WIDTH, 50, WEIR_REDUCE_MAX, 1.0, &err) == WEIR_OK);
    weir_spectrogram_add(s, 0.0, 0.0, loud);
    weir_spectrogram_add(s, 10.0, 7.0, loud);  /* rows 3 .. 9 are lost, 1 and 2 are row 0's */
    weir_spectrogram_add(s, 11.5, 0.25, loud); /* too short for a row: a mark only         */
    weir_spectrogram_settle(s);
    CHECK(weir_spectrogram_rows(s) == 12);
    for (size_t row = 0; row < 12; row++) {
        bool has_data = weir_spectrogram_join(s, row, row + 1, levels, &lost);
        CHECK_MSG(has_data == (row < 3 || row > 9), "row %zu", row);
        CHECK_MSG(lost == ((row >= 3 && row <= 9) || row == 11), "row %zu", row);
    }
    CHECK(weir_spectrogram_join(s, 9, 11, levels, &lost) && lost);

    /* A gap as long as the age of the world joins everything before it into little. */
    weir_spectrogram_add(s, 4e17, 3.9e17, loud);
    weir_spectrogram_settle(s);
    size_t rows = weir_spectrogram_rows(s);
    CHECK(rows >= 50 && rows <= 100);
    CHECK(weir_spectrogram_join(s, 0, 1, levels, &lost));
    CHECK(!weir_spectrogram_join(s, rows / 2, rows / 2 + 1, levels, &lost) && lost);
    CHECK(weir_spectrogram_join(s, rows - 1, rows, levels, &lost));
    weir_spectrogram_destroy(s);
}

static void test_percentiles(void)
{
    weir_spectrogram *s;
    weir_error err = {0};
    CHECK(weir_spectrogram_create(&s, 1, 1000, WEIR_REDUCE_MAX, 1.0, &err) == WEIR_OK);
    for (int i = 0; i < 1000; i++) {
        float power = i % 2 ? 0.0f : (float)pow(10.0, -i / 100.0); /* the floor does not count */
        weir_spectrogram_add(s, i, 0.0, &power);
    }
    weir_spectrogram_settle(s);
    CHECK_NEAR(weir_spectrogram_percentile(s, 1.0), 0.0, 0.011);
    CHECK_NEAR(weir_spectrogram_percentile(s, 0.5), -50.0, 0.25);
    CHECK_NEAR(weir_spectrogram_percentile(s, 0.0), -99.8, 0.011);
    weir_spectrogram_destroy(s);
    CHECK(weir_spectrogram_create(&s, 1, 10, WEIR_REDUCE_MAX, 1.0, &err) == WEIR_OK);
    CHECK(isnan(weir_spectrogram_percentile(s, 0.5)));
    weir_spectrogram_destroy(s);
}

static void test_impossible_sizes(void)
{
    weir_spectrogram *s;
    const size_t sizes[][2] = {{0, 1}, {1, 0}, {SIZE_MAX, 1}, {1, SIZE_MAX}, {SIZE_MAX / 8, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        weir_error err = {0};
        weir_status status =
            weir_spectrogram_create(&s, sizes[i][0], sizes[i][1], WEIR_REDUCE_MAX, 1.0, &err);
        CHECK(status == WEIR_ERR_USAGE && s == NULL && err.text[0]);
    }
    weir_spectrogram_destroy(NULL);
}

/* What was skipped before the first spectrum takes no rows; what was lost before it does. */
static void test_a_late_start(void)
{
    weir_error err = {0};
    weir_spectrogram *s;
    const float powers[WIDTH] = {1.0f};
    weir_level16 levels[WIDTH];
    for (int lost_s = 0; lost_s <= 3; lost_s += 3) {
        bool lost = false;
        CHECK(weir_spectrogram_create(&s, WIDTH, 50, WEIR_REDUCE_MAX, 1.0, &err) == WEIR_OK);
        weir_spectrogram_add(s, 3600.0, lost_s, powers);
        weir_spectrogram_add(s, 3601.0, 0.0, powers);
        weir_spectrogram_settle(s);
        CHECK(weir_spectrogram_start_seconds(s) == 3600.0 - lost_s);
        CHECK(weir_spectrogram_rows(s) == 2 + (size_t)lost_s);
        CHECK(weir_spectrogram_row_seconds(s) == 1.0);
        CHECK(weir_spectrogram_join(s, 0, 1, levels, &lost) == (lost_s == 0));
        CHECK(lost == (lost_s > 0));
        weir_spectrogram_destroy(s);
    }
}

int main(void)
{
    RUN(test_levels_in_16_bits);
    RUN(test_random_streams);
    RUN(test_gaps);
    RUN(test_percentiles);
    RUN(test_impossible_sizes);
    RUN(test_a_late_start);
    return check_finish();
}
