/* ctest-labels: unit prop
 * The view's parts that need no terminal: layout at every size, the history ring, the
 * rows of the picture, the automatic range. */
#include "display/view_history.h"
#include "display/view_join.h"
#include "display/view_layout.h"
#include "display/view_picture.h"
#include "display/view_range.h"
#include "tests/check.h"

#include <pthread.h>
#include <stdatomic.h>

static bool is_inside(const weir_layout *l, const weir_rect *r)
{
    return r->column + r->n_columns <= l->n_columns && r->row + r->n_rows <= l->n_rows;
}

static void test_layout_at_every_size(void)
{
    for (size_t w = 1; w <= 300; w++) {
        for (size_t h = 1; h <= 100; h++) {
            for (int with = 0; with < 2; with++) {
                weir_layout l = weir_layout_make(w, h, with);
                CHECK(l.is_too_small == (w < 20 || h < 5));
                if (l.is_too_small) {
                    continue;
                }
                const weir_rect *rects[] = {&l.title, &l.spectrum, &l.axis, &l.waterfall,
                                            &l.status};
                size_t row = 0; /* one below the other, without holes, to the last row */
                for (size_t i = 0; i < 5; i++) {
                    CHECK(is_inside(&l, rects[i]) && rects[i]->row == row);
                    row += rects[i]->n_rows;
                }
                CHECK_MSG(row == h, "%zux%zu", w, h);
                CHECK(l.waterfall.n_rows >= 2 && l.axis.n_rows >= 1 && l.status.n_rows == 1);
                CHECK(l.spectrum.column == l.waterfall.column &&
                      l.spectrum.n_columns == l.waterfall.n_columns &&
                      l.axis.n_columns == l.waterfall.n_columns);
                CHECK(with || l.spectrum.n_rows == 0);
            }
        }
    }
    weir_layout l = weir_layout_make(200, 50, true);
    CHECK(l.spectrum.n_rows * 4 > 50 && l.spectrum.n_rows * 5 < 2 * 50); /* about a third */
}

static weir_spectrum spectrum_of(const float *mean, const float *max, size_t n, uint64_t index)
{
    return (weir_spectrum){.power = {mean, max, NULL},
                           .n_bins = n,
                           .start_hz = 0.0,
                           .bin_hz = 1.0,
                           .rate_hz = (double)n,
                           .enbw_bins = 1.0,
                           .full_scale_power = 1.0,
                           .index = index,
                           .first_sample = index * 100,
                           .end_sample = index * 100 + 100};
}

static const weir_axis all16 = {.low_hz = -0.5, .high_hz = 15.5};

static void test_history_keeps_the_last_lines(void)
{
    weir_history *history = weir_history_create(16, 200 * 16 * sizeof(float));
    float power[16], out[16];
    weir_view_line line;
    uint64_t first, end;
    CHECK(!weir_history_line(history, 0, &all16, 16, out, &line));
    CHECK(!weir_history_trace(history, WEIR_HELD_LIVE, &all16, 16, out, &line));
    for (uint64_t i = 0; i < 1000; i++) {
        for (size_t k = 0; k < 16; k++) {
            power[k] = (float)(i * 16 + k);
        }
        weir_spectrum s = spectrum_of(power, NULL, 16, i);
        weir_history_push(history, &s);
        memset(power, 0xff, sizeof power); /* it was copied */
    }
    weir_history_extent(history, &first, &end);
    CHECK(end == 1000 && first == 800);
    for (uint64_t i = 0; i < 1010; i++) {
        bool is_there = weir_history_line(history, i, &all16, 16, out, &line);
        CHECK(is_there == (i >= first && i < end));
        for (size_t k = 0; is_there && k < 16; k++) {
            CHECK(out[k] == (float)(i * 16 + k));
        }
        CHECK(!is_there || (line.info.index == i && !line.is_gap && !line.info.power[0]));
    }
    weir_history_destroy(history);
    weir_history_destroy(NULL);
    CHECK(weir_history_create(16, 100) == NULL);
}

static void test_gaps_become_lines(void)
{
    weir_history *history = weir_history_create(4, 1 << 20);
    float power[4] = {1, 1, 1, 1}, out[4];
    const uint64_t lost[] = {0, 1, 100, 260, 1000000}, expected[] = {0, 1, 1, 3, 32};
    weir_axis axis = {.low_hz = -0.5, .high_hz = 3.5};
    uint64_t position = 0, first, end;
    for (size_t i = 0; i < 5; i++) {
        weir_spectrum s = spectrum_of(power, NULL, 4, i);
        weir_view_line line;
        s.lost_before = lost[i];
        weir_history_push(history, &s);
        for (uint64_t g = 0; g < expected[i]; g++) {
            CHECK(weir_history_line(history, position + g, &axis, 4, out, &line) && line.is_gap);
            CHECK(isnan(out[0]) && isnan(out[3]));
        }
        position += expected[i] + 1;
        weir_history_extent(history, &first, &end);
        CHECK_MSG(end == position, "lost %llu", (unsigned long long)lost[i]);
        CHECK(weir_history_line(history, end - 1, &axis, 4, out, &line) && !line.is_gap);
    }
    weir_history_destroy(history);
}

static void test_a_burst_stays_in_the_hold(void)
{
    enum { N = 5000 };
    weir_history *history = weir_history_create(N, 4 << 20);
    check_rng rng = check_rng_fresh();
    static float mean[N], max[N], out[200];
    weir_axis axis = {.low_hz = -0.5, .high_hz = N - 0.5};
    size_t burst = check_random(&rng) % N;
    weir_view_line line;
    for (uint64_t i = 0; i < 50; i++) {
        for (size_t k = 0; k < N; k++) {
            mean[k] = 1.0f + (float)check_uniform(&rng);
            max[k] = mean[k] + 1.0f;
        }
        max[burst] = i == 20 ? 1000.0f : max[burst];
        weir_spectrum s = spectrum_of(mean, max, N, i);
        weir_history_push(history, &s);
    }
    size_t column = burst * 200 / N;
    weir_history_trace(history, WEIR_HELD_MAX, &axis, 200, out, &line);
    CHECK(out[column] == 1000.0f);
    weir_history_trace(history, WEIR_HELD_LIVE, &axis, 200, out, &line);
    CHECK(out[column] < 3.0f);
    weir_history_line(history, 20, &axis, 200, out, &line);
    CHECK(out[column] == 1000.0f); /* the waterfall has it too */
    weir_history_trace(history, WEIR_HELD_MIN, &axis, 200, out, &line);
    CHECK(out[column] < 1.5f);
    weir_history_reset_hold(history);
    CHECK(!weir_history_trace(history, WEIR_HELD_MAX, &axis, 200, out, &line));
    weir_spectrum s = spectrum_of(mean, max, N, 50);
    weir_history_push(history, &s);
    CHECK(weir_history_trace(history, WEIR_HELD_MAX, &axis, 200, out, &line));
    CHECK(out[column] < 4.0f);
    s.start_hz = 1000.0; /* retuned: what was held lies elsewhere */
    memset(max, 0, sizeof max);
    weir_history_push(history, &s);
    axis = (weir_axis){.low_hz = 999.5, .high_hz = N + 999.5};
    CHECK(weir_history_trace(history, WEIR_HELD_MAX, &axis, 200, out, &line));
    CHECK(out[column] == 0.0f);
    weir_history_destroy(history);
}

static void test_peaks_between_bins(void)
{
    enum { N = 1000 };
    weir_history *history = weir_history_create(N, 4 << 20);
    static float power[N];
    weir_peak peak;
    weir_scale scale;
    weir_scale_init(&scale);
    weir_reading how = {.scale = &scale};
    CHECK(!weir_history_trace_peak(history, WEIR_HELD_LIVE, 0, 1, &how, &peak));
    power[122] = power[124] = 0.01f; /* even on both sides: the vertex is at the bin */
    power[123] = 0.1f;
    power[130] = 0.05f;
    weir_spectrum s = spectrum_of(power, NULL, N, 0);
    s.start_hz = -500.0;
    weir_history_push(history, &s);
    CHECK(weir_history_trace_peak(history, WEIR_HELD_LIVE, -500.0, 500.0, &how, &peak));
    CHECK(peak.bin == 123);
    CHECK_NEAR(peak.hz, -377.0, 1e-9);
    CHECK_NEAR(peak.level_db, -10.0, 1e-5);
    CHECK(weir_history_line_peak(history, 0, -375.0, 500.0, &how, &peak) && peak.bin == 130);
    /* From an edge on counts, an end does not. */
    CHECK(weir_history_line_peak(history, 0, -400.0, -378.0, &how, &peak) && peak.bin < 122);
    CHECK(weir_history_line_peak(history, 0, -378.0, -300.0, &how, &peak) && peak.bin == 123);
    /* Between two bins, and outside: the nearest. */
    CHECK(weir_history_line_peak(history, 0, -376.9, -376.7, &how, &peak) && peak.bin == 123);
    CHECK(weir_history_line_peak(history, 0, 800.0, 900.0, &how, &peak) && peak.bin == N - 1);
    CHECK(weir_history_line_peak(history, 0, -900.0, -800.0, &how, &peak) && peak.bin == 0);
    CHECK(!weir_history_line_peak(history, 1, -900.0, -800.0, &how, &peak));
    power[124] = 0.05f; /* uneven: between the bins, as dsp/peaks.h has it */
    weir_history_push(history, &s);
    weir_peak expected = weir_peak_at(&s, WEIR_TRACE_MEAN, &scale, NULL, 123);
    CHECK(weir_history_trace_peak(history, WEIR_HELD_LIVE, -500.0, 500.0, &how, &peak));
    CHECK(peak.hz == expected.hz && peak.level_db == expected.level_db && peak.hz > -377.0);
    double band_db, whole_db = weir_marker_band_db(&s, WEIR_TRACE_MEAN, &scale, -380.0, -365.0);
    CHECK(weir_history_trace_band(history, WEIR_HELD_LIVE, -380.0, -365.0, &scale, &band_db));
    CHECK(band_db == whole_db && band_db > -10.0);
    weir_history_destroy(history);
}

static void test_long_lines_fold_by_maximum(void)
{
    enum { N = 1000 };
    weir_history *history = weir_history_create(N, 128 * 100 * sizeof(float));
    static float power[N], out[N];
    weir_view_line line;
    weir_axis axis = {.low_hz = -0.5, .high_hz = N - 0.5};
    power[777] = 5.0f;
    weir_spectrum s = spectrum_of(power, NULL, N, 0);
    weir_history_push(history, &s);
    CHECK(weir_history_line(history, 0, &axis, 10, out, &line));
    for (size_t c = 0; c < 10; c++) {
        CHECK(out[c] == (c == 7 ? 5.0f : 0.0f));
    }
    double level_db;
    weir_scale scale;
    weir_scale_init(&scale);
    CHECK(!weir_history_trace_band(history, WEIR_HELD_LIVE, 0, 9, &scale, &level_db));
    CHECK(line.info.n_bins == N && line.info.bin_hz == 1.0); /* still what the engine said */
    weir_history_destroy(history);
}

typedef struct pusher {
    weir_history *history;
    atomic_bool is_stopping;
} pusher;

static void *push_lines(void *user)
{
    pusher *p = user;
    float power[16];
    for (uint64_t i = 0; !atomic_load(&p->is_stopping); i++) {
        for (size_t k = 0; k < 16; k++) {
            power[k] = (float)(i % 1000);
        }
        weir_spectrum s = spectrum_of(power, power, 16, i);
        weir_history_push(p->history, &s);
    }
    return NULL;
}

static void test_lines_are_whole_while_more_arrive(void)
{
    pusher p = {.history = weir_history_create(16, 150 * 16 * sizeof(float))};
    pthread_t thread;
    pthread_create(&thread, NULL, push_lines, &p);
    unsigned n_read = 0;
    for (int i = 0; i < 20000 || (n_read < 1000 && i < 2000000); i++) {
        uint64_t first, end;
        float out[16];
        weir_view_line line;
        weir_history_extent(p.history, &first, &end);
        if (end == 0 || !weir_history_line(p.history, end - 1, &all16, 16, out, &line)) {
            continue;
        }
        n_read++;
        bool is_whole = true;
        for (size_t k = 0; k < 16; k++) {
            is_whole &= out[k] == (float)(line.info.index % 1000);
        }
        CHECK(is_whole && line.info.index == end - 1);
    }
    atomic_store(&p.is_stopping, true);
    pthread_join(thread, NULL);
    CHECK(n_read >= 1000);
    weir_history_destroy(p.history);
}

static void test_picture_rows(void)
{
    weir_history *history = weir_history_create(16, 1 << 20);
    weir_picture *picture = weir_picture_create();
    weir_scale scale;
    weir_picture_row row;
    float power[16] = {0};
    weir_scale_init(&scale);
    CHECK(!weir_picture_get(picture, history, &scale, 0, &row));
    CHECK(weir_picture_set(picture, &all16, 8, 10, 2));
    CHECK(!weir_picture_get(picture, history, &scale, 0, &row)); /* nothing there yet */
    for (uint64_t i = 0; i < 7; i++) {
        memset(power, 0, sizeof power);
        power[5] = i == 4 ? 0.1f : 0.001f;
        weir_spectrum s = spectrum_of(power, NULL, 16, i);
        s.lost_before = i == 6 ? 100 : 0;
        weir_history_push(history, &s);
        if (i == 4) { /* half of row 2 is there, and is shown */
            CHECK(weir_picture_get(picture, history, &scale, 2, &row));
            CHECK_NEAR(row.levels_db[2], -10.0, 1e-4);
        }
    }
    CHECK(weir_picture_get(picture, history, &scale, 2, &row)); /* lines 4 and 5: maximum */
    CHECK_NEAR(row.levels_db[2], -10.0, 1e-4);
    CHECK(row.levels_db[0] == WEIR_FLOOR_DB && !row.is_gap && row.info.index == 4);
    CHECK(weir_picture_get(picture, history, &scale, 3, &row)); /* the gap and line 6 */
    CHECK(row.is_gap);
    CHECK_NEAR(row.levels_db[2], -30.0, 1e-4);
    CHECK(!weir_picture_get(picture, history, &scale, 4, &row));
    weir_axis half = {.low_hz = -0.5, .high_hz = 7.5};
    CHECK(weir_picture_set(picture, &half, 8, 10, 1)); /* zoomed: from the history, sharp */
    CHECK(weir_picture_get(picture, history, &scale, 4, &row));
    CHECK_NEAR(row.levels_db[5], -10.0, 1e-4);
    CHECK(row.levels_db[4] == WEIR_FLOOR_DB);
    weir_picture_destroy(picture);
    weir_picture_destroy(NULL);
    weir_history_destroy(history);
}

/* ---- rows of many lines ---- */

enum { WIDE = 300, MOST_BINS = 64 };

static uint64_t below(check_rng *rng, uint64_t n)
{
    return check_random(rng) % n;
}

/* Now and then a hole, silence, a retune, a loss, another N. */
static void push_random_lines(check_rng *rng, weir_history *history, uint64_t n_lines)
{
    double start_hz = 0.0;
    size_t n = 1 + below(rng, MOST_BINS);
    for (uint64_t i = 0; i < n_lines; i++) {
        float power[MOST_BINS];
        n = below(rng, 8) == 0 ? 1 + below(rng, MOST_BINS) : n;
        start_hz = below(rng, 8) == 0 ? (double)below(rng, 40) - 20 : start_hz;
        for (size_t k = 0; k < n; k++) {
            double u = check_uniform(rng);
            power[k] = u < 0.1 ? NAN : u < 0.2 ? 0.0f : (float)pow(10.0, -8.0 * u);
        }
        weir_spectrum s = spectrum_of(power, NULL, n, i);
        s.start_hz = start_hz;
        s.lost_before = below(rng, 10) == 0 ? 100 : 0;
        s.full_scale_power = below(rng, 20) == 0 ? 0.5 : 1.0;
        s.enbw_bins = below(rng, 20) == 0 ? 2.0 : 1.0;
        weir_history_push(history, &s);
    }
}

/* The plain way: every line to columns and levels, and then the highest. */
static uint64_t join_slowly(weir_history *history, const weir_scale *scale, uint64_t first,
                            uint64_t end, const weir_axis *axis, size_t n, float *levels_db)
{
    uint64_t n_lines = 0;
    for (size_t c = 0; c < n; c++) {
        levels_db[c] = NAN;
    }
    for (uint64_t k = first; k < end; k++) {
        weir_view_line line;
        float values[WIDE];
        if (weir_history_line(history, k, axis, n, values, &line)) {
            n_lines++;
            weir_picture_levels(scale, &line.info, axis, n, values);
            for (size_t c = 0; c < n; c++) {
                levels_db[c] = fmaxf(levels_db[c], values[c]);
            }
        }
    }
    return n_lines;
}

static void compare_joins(check_rng *rng, weir_history *history, const weir_scale *scale,
                          weir_join *join, size_t n)
{
    float fast[WIDE], slow[WIDE];
    weir_joined joined;
    uint64_t first = below(rng, 220), end = first + below(rng, 60);
    double low_hz = (double)below(rng, 40) - 10;
    weir_axis axis = {.low_hz = low_hz, .high_hz = low_hz + 0.5 + 60 * check_uniform(rng)};
    axis.is_log = low_hz > 0 && below(rng, 2);
    memset(fast, 0xa5, sizeof fast);
    bool is_there = weir_join_lines(join, history, scale, first, end, &axis, fast, &joined);
    uint64_t n_lines = join_slowly(history, scale, first, end, &axis, n, slow);
    CHECK(joined.n_lines == n_lines && is_there == (n_lines > 0));
    for (size_t c = 0; c < n; c++) {
        /* the same numbers; decibels may round the other way */
        bool is_same = isnan(slow[c]) ? isnan(fast[c]) : fabsf(fast[c] - slow[c]) < 1e-4f;
        CHECK_MSG(is_same, "column %zu of %zu, lines %d to %d: %g, not %g", c, n, (int)first,
                  (int)end, (double)fast[c], (double)slow[c]);
    }
}

static void test_join_is_the_slow_way(void)
{
    check_rng rng = check_rng_fresh();
    weir_scale scale;
    weir_scale_init(&scale);
    for (int round = 0; round < 60; round++) {
        size_t n = 1 + below(&rng, WIDE);
        /* The least makes lines of more than 16 bins fold, and forgets the oldest. */
        weir_history *history = weir_history_create(MOST_BINS, round % 2 ? 128 * 64 : 1 << 20);
        weir_join *join = weir_join_create(n);
        weir_history_set_reducer(history, (weir_reducer)(round % WEIR_REDUCE_COUNT));
        scale.quantity = round % 3 ? WEIR_SPECTRUM : WEIR_DENSITY;
        push_random_lines(&rng, history, 200);
        for (int i = 0; i < 20; i++) {
            compare_joins(&rng, history, &scale, join, n);
        }
        weir_join_destroy(join);
        weir_history_destroy(history);
    }
    weir_join_destroy(NULL);
}

/* A line costs its bins, not the columns: a picture of as many lines as are ever kept had 65536
 * times 2400 of them to make. */
static void test_join_costs_bins(void)
{
    enum { LINES = 20000, BINS = 3, COLUMNS = 2400 };
    static float levels_db[COLUMNS];
    const float power[BINS] = {0.1f, 0.01f, 0.001f};
    const weir_axis axis = {.low_hz = -0.5, .high_hz = BINS - 0.5};
    weir_history *history = weir_history_create(BINS, 1 << 20);
    weir_join *join = weir_join_create(COLUMNS);
    weir_joined joined;
    weir_scale scale;
    weir_scale_init(&scale);
    for (uint64_t i = 0; i < LINES; i++) {
        weir_spectrum s = spectrum_of(power, NULL, BINS, i);
        weir_history_push(history, &s);
    }
    for (int r = 0; r < WEIR_REDUCE_COUNT; r++) {
        uint64_t before = weir_join_steps(join);
        weir_history_set_reducer(history, (weir_reducer)r);
        CHECK(weir_join_lines(join, history, &scale, 0, LINES, &axis, levels_db, &joined));
        CHECK(joined.n_lines == LINES && !joined.is_gap);
        CHECK_NEAR(levels_db[0], -10.0, 1e-4);
        CHECK_NEAR(levels_db[COLUMNS - 1], -30.0, 1e-4);
        CHECK(weir_join_steps(join) - before == LINES * BINS + 2 * COLUMNS);
    }
    uint64_t before = weir_join_steps(join); /* the columns are known already */
    CHECK(weir_join_lines(join, history, &scale, 7, 17, &axis, levels_db, &joined));
    CHECK(weir_join_steps(join) - before == 10 * BINS + COLUMNS);
    weir_join_destroy(join);
    weir_history_destroy(history);
}

static void test_axis_there_and_back(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 1000; i++) {
        double low = 1.0 + 1e6 * check_uniform(&rng), high = low * (1.001 + check_uniform(&rng));
        weir_axis axis = {.low_hz = low, .high_hz = high, .is_log = i % 2};
        double column = 200.0 * check_uniform(&rng);
        double hz = weir_axis_hz(&axis, 200, column);
        CHECK(hz >= low * (1 - 1e-12) && hz <= high * (1 + 1e-12));
        CHECK_NEAR(weir_axis_column(&axis, 200, hz), column, 1e-6);
    }
}

static void fill_noise(check_rng *rng, float *levels, size_t n, float floor_db, float peak_db)
{
    for (size_t i = 0; i < n; i++) {
        levels[i] = floor_db + (float)check_gauss(rng);
    }
    levels[n / 3] = peak_db;
}

static void test_range_fits_and_holds_still(void)
{
    check_rng rng = check_rng_fresh();
    weir_range range;
    float levels[200], scratch[200], floor_db, peak_db;
    unsigned n_changes = 0;
    weir_range_init(&range, NAN, NAN);
    CHECK(range.is_automatic);
    for (int i = 0; i < 3000; i++) { /* 100 s at 30 lines a second */
        fill_noise(&rng, levels, 200, -90.0f, -30.0f + 3.0f * (float)check_gauss(&rng));
        CHECK(weir_range_measure(levels, 200, scratch, &floor_db, &peak_db));
        bool has_changed = weir_range_follow(&range, floor_db, peak_db, 1.0f / 30);
        CHECK(i > 0 || has_changed);
        n_changes += i > 100 && has_changed;
        CHECK(range.low_db < -90.0f && range.low_db >= -105.0f);
        CHECK(i < 100 || (range.high_db >= -30.0f && range.high_db <= 0.0f));
    }
    CHECK_MSG(n_changes <= 2, "%u changes", n_changes); /* rare highest peaks only */
    fill_noise(&rng, levels, 200, -90.0f, 3.0f);        /* a strong one: at once */
    weir_range_measure(levels, 200, scratch, &floor_db, &peak_db);
    CHECK(weir_range_follow(&range, floor_db, peak_db, 1.0f / 30) && range.high_db >= 3.0f);
    for (int i = 0; i < 3000; i++) { /* and sinks again when it has gone */
        fill_noise(&rng, levels, 200, -60.0f, -50.0f);
        weir_range_measure(levels, 200, scratch, &floor_db, &peak_db);
        weir_range_follow(&range, floor_db, peak_db, 1.0f / 30);
    }
    CHECK(range.high_db <= -25.0f && range.low_db >= -76.0f && range.low_db < -60.0f);
}

static void test_range_does_not_follow_small_waves(void)
{
    weir_range range;
    unsigned n_changes = 0;
    weir_range_init(&range, NAN, NAN);
    for (int i = 0; i < 3000; i++) { /* the noise breathes by 10 dB every 10 s */
        float wave = 5.0f * sinf((float)i * 6.2831853f / 300.0f);
        bool has_changed = weir_range_follow(&range, -90.0f + wave, -30.0f, 1.0f / 30);
        n_changes += i > 600 && has_changed;
    }
    CHECK_MSG(n_changes == 0, "%u changes", n_changes);
}

static void test_range_odd_input(void)
{
    weir_range range;
    float scratch[4], floor_db, peak_db;
    const float silent[4] = {-300, -300, NAN, -300}, odd[4] = {INFINITY, NAN, -40, -300};
    CHECK(!weir_range_measure(silent, 4, scratch, &floor_db, &peak_db));
    CHECK(!weir_range_measure(silent, 0, scratch, &floor_db, &peak_db));
    CHECK(weir_range_measure(odd, 4, scratch, &floor_db, &peak_db));
    CHECK(floor_db == -40.0f && peak_db == -40.0f);
    weir_range_init(&range, NAN, NAN);
    weir_range_follow(&range, floor_db, peak_db, 0.0f);
    CHECK(range.high_db - range.low_db >= 30.0f); /* never a sliver */
}

static void test_range_by_hand(void)
{
    weir_range range;
    weir_range_init(&range, -100.0f, -20.0f);
    CHECK(!range.is_automatic && range.low_db == -100.0f && range.high_db == -20.0f);
    CHECK(!weir_range_follow(&range, -50.0f, 0.0f, 1.0f) && range.low_db == -100.0f);
    weir_range_shift(&range, 5.0f);
    CHECK(range.low_db == -95.0f && range.high_db == -15.0f);
    weir_range_resize(&range, -10.0f);
    CHECK(range.low_db == -85.0f && range.high_db == -15.0f);
    for (int i = 0; i < 1000; i++) {
        weir_range_resize(&range, -10.0f);
        weir_range_shift(&range, -5.0f);
    }
    CHECK(range.high_db - range.low_db >= 10.0f && range.low_db >= -300.0f);
    weir_range_set_automatic(&range);
    CHECK(weir_range_follow(&range, -50.0f, 0.0f, 1.0f) && range.low_db > -70.0f);
    weir_range_init(&range, -20.0f, -100.0f); /* upside down: automatic */
    CHECK(range.is_automatic);
}

int main(void)
{
    RUN(test_layout_at_every_size);
    RUN(test_history_keeps_the_last_lines);
    RUN(test_gaps_become_lines);
    RUN(test_a_burst_stays_in_the_hold);
    RUN(test_peaks_between_bins);
    RUN(test_long_lines_fold_by_maximum);
    RUN(test_lines_are_whole_while_more_arrive);
    RUN(test_picture_rows);
    RUN(test_join_is_the_slow_way);
    RUN(test_join_costs_bins);
    RUN(test_axis_there_and_back);
    RUN(test_range_fits_and_holds_still);
    RUN(test_range_does_not_follow_small_waves);
    RUN(test_range_odd_input);
    RUN(test_range_by_hand);
    return check_finish();
}
