/* ctest-labels: unit prop
 * The view drawn into cells without a terminal: at many sizes, in every kind of colour
 * and character set, zoomed at random: frequencies in their columns, lines in their rows,
 * nothing outside its panel, and the same picture whatever came before. */
#include "tests/view_testing.h"

#include <unistd.h>

static weir_view *make_view(float low_db, float high_db)
{
    weir_stream_info stream = make_stream();
    return make_view_of(&stream, low_db, high_db, true);
}

/* Noise at -90 dBFS and one tone at -20 dBFS in a bin. */
static void push(weir_view *view, uint64_t index, size_t bin, uint64_t lost)
{
    static float power[N_FFT];
    for (size_t k = 0; k < N_FFT; k++) {
        power[k] = k == bin ? 1e-2f : 1e-9f;
    }
    weir_spectrum s = make_line(power, index, 40960);
    s.lost_before = lost;
    weir_view_push(view, &s);
}

static weir_color upper_color(weir_cell cell)
{
    return cell.glyph == ' ' || cell.glyph == 0x2584 ? cell.pen.bg : cell.pen.fg;
}

static weir_color lower_color(weir_cell cell)
{
    return cell.glyph == 0x2584 ? cell.pen.fg : cell.pen.bg;
}

/* The tone's colour stands in the tone's column and only there. */
static void check_column(const weir_view *view, size_t bin, size_t row)
{
    const weir_rect *rect = &view->layout.waterfall;
    double column = weir_axis_column(&view->axis, rect->n_columns, hz_of(bin));
    weir_color top = view->palette[WEIR_PALETTE_LEVELS - 1];
    for (size_t c = 0; c < rect->n_columns; c++) {
        weir_cell cell = weir_cells_at(view->cells, rect->column + c, row);
        bool is_tone = lower_color(cell) == top;
        /* A column narrower than a bin: the whole bin, half a step on both sides. */
        double half =
            0.5 * view->bin_hz * (double)rect->n_columns / (view->axis.high_hz - view->axis.low_hz);
        half = half > 0.5 ? half : 0.0;
        double away = (double)c + 0.5 - column;
        CHECK_MSG(is_tone == (fabs(away) <= half + 0.5) || fabs(fabs(away) - half - 0.5) < 1.01,
                  "bin %zu column %zu of %zu, expected %.2f", bin, c, rect->n_columns, column);
    }
    size_t at = (size_t)column;
    bool is_seen = false; /* a rounding away at most, but there */
    for (size_t c = at ? at - 1 : 0; column >= 0.0 && c <= at + 1 && c < rect->n_columns; c++) {
        is_seen |= lower_color(weir_cells_at(view->cells, rect->column + c, row)) == top;
    }
    CHECK(is_seen || column < 0.0 || column >= (double)rect->n_columns);
}

static void test_tones_in_their_columns(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 60; round++) {
        weir_view *view = make_view(-100.0f, -20.0f);
        size_t bin = check_random(&rng) % N_FFT;
        size_t w = 20 + check_random(&rng) % 250, h = 5 + check_random(&rng) % 60;
        push(view, 0, bin, 0);
        push(view, 1, bin, 0);
        CHECK(weir_view_draw(view, w, h, 0.03f));
        check_column(view, bin, view->layout.waterfall.row);
        view->has_cursor = true;
        view->cursor_hz = hz_of(bin);
        for (int zoom = 0; zoom < 8; zoom++) { /* down to single bins, around the tone */
            weir_view_press(view, zoom % 4 == 3 ? WEIR_KEY_RIGHT : '+');
            CHECK(weir_view_draw(view, w, h, 0.03f));
            CHECK(view->axis.low_hz >= view->full_low_hz - 1e-6 &&
                  view->axis.high_hz <= view->full_high_hz + 1e-6 &&
                  view->axis.high_hz > view->axis.low_hz);
            check_column(view, bin, view->layout.waterfall.row);
        }
        weir_view_close(view);
    }
}

static void test_lines_in_their_rows(void)
{
    weir_view *view = make_view(-100.0f, -20.0f);
    weir_color tone = view->palette[WEIR_PALETTE_LEVELS - 1];
    weir_color gap = view->palette[WEIR_PALETTE_LEVELS];
    for (uint64_t i = 0; i < 40; i++) { /* every fifth line has the tone */
        push(view, i, i % 5 == 0 ? 1000 : N_FFT, 0);
    }
    push(view, 40, N_FFT, 1); /* a gap: one line */
    CHECK(weir_view_draw(view, 100, 30, 0.03f));
    const weir_rect *rect = &view->layout.waterfall;
    size_t column =
        rect->column + (size_t)weir_axis_column(&view->axis, rect->n_columns, hz_of(1000));
    /* 42 lines: rows 41, 40 in the top cell; 40 is the gap. */
    CHECK(lower_color(weir_cells_at(view->cells, column, rect->row)) == gap);
    for (size_t r = 1; r < rect->n_rows; r++) {
        weir_cell cell = weir_cells_at(view->cells, column, rect->row + r);
        size_t upper = 41 - 2 * r, lower = 40 - 2 * r;
        CHECK_MSG((upper_color(cell) == tone) == (upper % 5 == 0), "row %zu", r);
        CHECK_MSG((lower_color(cell) == tone) == (lower % 5 == 0), "row %zu", r);
    }
    push(view, 41, 1000, 0); /* one more: half a cell further */
    CHECK(weir_view_draw(view, 100, 30, 0.03f));
    weir_cell newest = weir_cells_at(view->cells, column, rect->row);
    CHECK(newest.glyph == 0x2584 && newest.pen.fg == tone);
    weir_view_press(view, 't'); /* two lines a row: the maximum, so no tone is lost */
    CHECK(weir_view_draw(view, 100, 30, 0.03f));
    size_t n_tones = 0;
    for (size_t r = 0; r < rect->n_rows; r++) {
        weir_cell cell = weir_cells_at(view->cells, column, rect->row + r);
        n_tones += upper_color(cell) == tone;
        n_tones += lower_color(cell) == tone;
    }
    CHECK_MSG(n_tones == 9, "%zu", n_tones); /* 0, 5 .. 35 and 41 */
    weir_view_close(view);
}

static bool same_cells(const weir_view *a, const weir_view *b)
{
    for (size_t r = 0; r < a->layout.n_rows; r++) {
        for (size_t c = 0; c < a->layout.n_columns; c++) {
            weir_cell x = weir_cells_at(a->cells, c, r), y = weir_cells_at(b->cells, c, r);
            if (x.glyph != y.glyph || x.pen.fg != y.pen.fg || x.pen.bg != y.pen.bg) {
                return false;
            }
        }
    }
    return true;
}

/* History is kept: after any sizes and zooms the picture is as if there had been none. */
static void test_picture_does_not_depend_on_the_past(void)
{
    check_rng rng = check_rng_fresh();
    weir_view *moved = make_view(-100.0f, -20.0f), *still = make_view(-100.0f, -20.0f);
    for (uint64_t i = 0; i < 120; i++) {
        size_t bin = check_random(&rng) % N_FFT;
        uint64_t lost = check_random(&rng) % 20 == 0 ? 50000 : 0;
        push(moved, i, bin, lost);
        push(still, i, bin, lost);
        weir_view_draw(moved, 1 + check_random(&rng) % 300, 1 + check_random(&rng) % 100, 0.03f);
        weir_view_press(moved, "+-sb"[check_random(&rng) % 4]);
    }
    moved->is_braille = false;
    moved->has_spectrum_panel = true;
    weir_view_press(moved, '0');
    CHECK(weir_view_draw(moved, 120, 40, 0.03f) && weir_view_draw(still, 120, 40, 0.03f));
    CHECK(same_cells(moved, still));
    weir_view_close(moved);
    weir_view_close(still);
}

/* Any key at any size in any terminal: no crash (ASan), and what a terminal without
 * UTF-8 or colour gets is ASCII or has no colour. */
static void test_any_key_anywhere(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 120; round++) {
        weir_view *view = make_view(NAN, NAN);
        bool is_utf8 = round & 1;
        weir_view_color color = (weir_view_color)(WEIR_COLOR_NONE + round / 2 % 5);
        weir_view_set_caps(view, (weir_term_caps){.color = color,
                                                  .is_utf8 = is_utf8,
                                                  .has_few_glyphs = round % 3 == 0,
                                                  .can_scroll = true,
                                                  .has_mouse = true});
        for (uint64_t i = 0; i < 30; i++) {
            if (check_random(&rng) % 2) {
                push(view, i, check_random(&rng) % N_FFT, check_random(&rng) % 9 ? 0 : 90000);
            }
            size_t which = check_random(&rng) % 64;
            const weir_view_command *command = weir_view_command_at(which);
            if (command && !strchr("PE", command->keys[0])) { /* those write files */
                weir_view_press(view, command->bound[check_random(&rng) % 2].key);
            }
            weir_mouse mouse = {(weir_mouse_event)(check_random(&rng) % 6),
                                check_random(&rng) % 300, check_random(&rng) % 100};
            weir_view_take_mouse(view, &mouse);
            size_t w = 1 + check_random(&rng) % 300, h = 1 + check_random(&rng) % 100;
            CHECK(weir_view_draw(view, w, h, 0.03f));
            for (size_t c = 0; c < w * h; c++) {
                weir_cell cell = weir_cells_at(view->cells, c % w, c / w);
                CHECK(is_utf8 || (cell.glyph >= ' ' && cell.glyph <= '~'));
                CHECK(color != WEIR_COLOR_NONE || (cell.pen.fg | cell.pen.bg) == 0);
            }
        }
        weir_view_close(view);
    }
}

/* Each key does one thing, and help tells of all. */
static void test_key_table(void)
{
    bool is_bound[0x8000] = {false};
    for (size_t i = 0; weir_view_command_at(i); i++) {
        const weir_view_command *command = weir_view_command_at(i);
        CHECK(command->keys[0] && command->help[0] && command->run && command->bound[0].key);
        CHECK_MSG(strlen(command->keys) < 18, "%s", command->keys);
        for (size_t b = 0; b < 4; b++) {
            int key = command->bound[b].key;
            CHECK_MSG(key == 0 || !is_bound[key], "%s", command->keys);
            is_bound[key] = key != 0;
        }
    }
    weir_view *view = make_view(NAN, NAN);
    CHECK(!weir_view_press(view, '\001') && !weir_view_press(view, WEIR_KEY_F1 + 11));
    weir_view_close(view);
}

/* A log axis: as wide in each octave, and back. */
static void test_log_axis(void)
{
    weir_view *view = make_view(-100.0f, -20.0f);
    push(view, 0, 1000, 0);
    CHECK(weir_view_draw(view, 120, 40, 0.03f));
    weir_view_axis_follow(view, &(weir_spectrum){.n_bins = 4097, .bin_hz = 5.859375});
    CHECK(weir_view_axis_set(view, WEIR_AXIS_LOG) && view->axis.low_hz > 0.0);
    double ratio = view->axis.high_hz / view->axis.low_hz;
    weir_view_axis_zoom(view, 0.5);
    CHECK_NEAR(view->axis.high_hz / view->axis.low_hz, sqrt(ratio), 1e-6 * ratio);
    weir_view_axis_pan(view, 100.0); /* stops at the end */
    CHECK_NEAR(view->axis.high_hz, view->full_high_hz, 1e-6);
    CHECK_NEAR(view->axis.high_hz / view->axis.low_hz, sqrt(ratio), 1e-6 * ratio);
    CHECK(weir_view_axis_set(view, WEIR_AXIS_LINEAR));
    CHECK_NEAR(view->axis.low_hz, view->full_low_hz, 1e-9);
    weir_view_axis_follow(view, &(weir_spectrum){.start_hz = -1e6, .n_bins = 4096, .bin_hz = 500});
    CHECK(!weir_view_axis_set(view, WEIR_AXIS_LOG) && !view->axis.is_log);
    weir_view_close(view);
}

/* A retune keeps the zoom relative to the centre. */
static void test_retune_keeps_the_zoom(void)
{
    weir_view *view = make_view(-100.0f, -20.0f);
    weir_spectrum s = {.start_hz = 99e6, .n_bins = 2048, .bin_hz = 1000.0};
    CHECK(weir_view_draw(view, 120, 40, 0.03f));
    weir_view_axis_follow(view, &s);
    weir_view_axis_zoom(view, 0.25);
    double low = view->axis.low_hz, high = view->axis.high_hz;
    s.start_hz += 5e6;
    weir_view_axis_follow(view, &s);
    CHECK_NEAR(view->axis.low_hz, low + 5e6, 1e-3);
    CHECK_NEAR(view->axis.high_hz, high + 5e6, 1e-3);
    weir_view_close(view);
}

static bool row_has(const weir_view *view, size_t row, weir_color color)
{
    const weir_rect *rect = &view->layout.waterfall;
    for (size_t c = 0; c < rect->n_columns; c++) {
        weir_cell cell = weir_cells_at(view->cells, rect->column + c, row);
        if (upper_color(cell) == color || lower_color(cell) == color) {
            return true;
        }
    }
    return false;
}

static size_t rows_with(const weir_view *view, weir_color color)
{
    size_t n = 0;
    for (size_t r = 0; r < view->layout.waterfall.n_rows; r++) {
        n += row_has(view, view->layout.waterfall.row + r, color);
    }
    return n;
}

/* A burst of one frame in one bin of one line: in the waterfall and in the maximum hold,
 * at any size, zoom (that shows its frequency) and grouping of lines (that shows its time). */
static void test_one_burst_is_always_seen(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 60; round++) {
        weir_view *view = make_view(-100.0f, -20.0f);
        weir_color top = view->palette[WEIR_PALETTE_LEVELS - 1];
        size_t bin = check_random(&rng) % N_FFT;
        size_t w = 20 + check_random(&rng) % 250, h = 6 + check_random(&rng) % 60;
        CHECK(weir_view_draw(view, w, h, 0.03f));
        size_t n_lines = view->layout.waterfall.n_rows * 2;
        size_t at = check_random(&rng) % n_lines;
        for (size_t i = 0; i < n_lines; i++) {
            push(view, i, i == at ? bin : N_FFT, 0);
        }
        view->has_cursor = true;
        view->cursor_hz = hz_of(bin);
        for (int zoom = 0; zoom < 9; zoom++) {
            CHECK(weir_view_draw(view, w, h, 0.03f));
            CHECK_MSG(rows_with(view, top) == 1, "%zu rows, bin %zu, line %zu of %zu, zoom %d",
                      rows_with(view, top), bin, at, n_lines, zoom);
            float highest = -INFINITY;
            for (size_t c = 0; c < view->n_trace; c++) {
                highest = fmaxf(highest, view->traces[WEIR_HELD_MAX][c]);
            }
            CHECK_NEAR((double)highest, -20.0, 0.01);
            weir_view_press(view, zoom % 3 == 2 ? 't' : '+');
        }
        weir_view_close(view);
    }
}

/* A transform of another length: old lines stay as sharp as they were, new ones are whole. */
static void test_another_length_keeps_the_history(void)
{
    for (size_t factor = 1; factor <= 4; factor *= 2) {
        weir_view *view = make_view(-100.0f, -20.0f);
        weir_color top = view->palette[WEIR_PALETTE_LEVELS - 1];
        weir_stream_info stream = make_stream();
        static float power[4 * N_FFT];
        for (uint64_t i = 0; i < 20; i++) {
            push(view, i, i == 3 ? 700 : N_FFT, 0);
        }
        size_t n_fft = factor * N_FFT;
        for (size_t k = 0; k < n_fft; k++) {
            power[k] = k == n_fft / 2 + 5 ? 1e-2f : 1e-9f;
        }
        stream.n_fft = n_fft;
        weir_view_set_stream(view, &stream);
        weir_view_take_stream(view);
        weir_spectrum s = {.power = {power, power, NULL},
                           .n_bins = n_fft,
                           .start_hz = CENTER_HZ - RATE_HZ / 2,
                           .bin_hz = RATE_HZ / (double)n_fft,
                           .rate_hz = RATE_HZ,
                           .center_hz = CENTER_HZ,
                           .enbw_bins = 1.5,
                           .full_scale_power = 1.0,
                           .first_sample = 20 * 40960,
                           .end_sample = 21 * 40960};
        weir_view_push(view, &s);
        CHECK(weir_view_draw(view, 120, 60, 0.03f));
        CHECK(view->stream.n_fft == n_fft && view->bin_hz == s.bin_hz);
        CHECK_MSG(rows_with(view, top) == 2, "factor %zu: %zu rows", factor, rows_with(view, top));
        weir_view_close(view);
    }
}

/* What is typed goes to the question, not to the keys' commands. */
static void test_typing(void)
{
    weir_view *view = make_view(NAN, NAN);
    push(view, 0, 100, 0);
    CHECK(weir_view_draw(view, 100, 30, 0.03f));
    for (const char *key = "fq100.25M"; *key; key++) {
        CHECK(weir_view_press(view, *key));
    }
    CHECK(!view->wants_quit && strcmp(view->typed, "q100.25M") == 0);
    weir_view_press(view, WEIR_KEY_ENTER);
    CHECK(view->prompt == WEIR_PROMPT_NONE && view->message_is_error); /* "q100.25M" */
    for (const char *key = "f100.25M"; *key; key++) {
        CHECK(weir_view_press(view, *key));
    }
    weir_view_press(view, WEIR_KEY_ENTER);
    CHECK(view->has_cursor);
    CHECK_NEAR(view->cursor_hz, 100.25e6, 1e-3);
    weir_view_press(view, 'f');
    weir_view_press(view, WEIR_KEY_ESC);
    CHECK(view->prompt == WEIR_PROMPT_NONE && view->has_cursor);
    weir_view_press(view, 'q');
    CHECK(view->wants_quit);
    weir_view_close(view);
}

typedef struct asked {
    char key[32];
    double value;
    unsigned n;
} asked;

static weir_status take_control(void *user, const char *key, double value, weir_error *err)
{
    asked *a = user;
    (void)err;
    snprintf(a->key, sizeof a->key, "%s", key);
    a->value = value;
    a->n++;
    return WEIR_OK;
}

static void test_tuning(void)
{
    asked a = {.n = 0};
    weir_view *view = make_view(NAN, NAN);
    view->config.actions.user = &a;
    view->config.actions.control = take_control;
    push(view, 0, 100, 0);
    CHECK(weir_view_draw(view, 100, 30, 0.03f));
    weir_view_press(view, WEIR_KEY_RIGHT); /* nothing to pan to: on by a round step */
    CHECK(a.n == 1 && strcmp(a.key, "center_hz") == 0);
    CHECK_NEAR(a.value, CENTER_HZ + 200e3, 1.0);
    weir_view_press(view, '+');
    weir_view_press(view, WEIR_KEY_RIGHT); /* zoomed in: pans */
    CHECK(a.n == 1);
    for (const char *key = "f433.92M\rg28\rjR1M\r"; *key; key++) {
        weir_view_press(view, *key);
    }
    CHECK(a.n == 5 && strcmp(a.key, "rate_hz") == 0 && a.value == 1e6);
    CHECK_NEAR(view->gain_db, 31.0, 1e-9);
    for (const char *key = "gauto\r"; *key; key++) {
        weir_view_press(view, *key);
    }
    CHECK(strcmp(a.key, "gain_db") == 0 && isnan(a.value));
    weir_view_close(view);
}

typedef struct replay {
    bool is_paused, loops;
    double speed;
} replay;

static void pause_replay(void *user, bool paused)
{
    replay *r = user;
    r->is_paused = paused;
}

static void speed_replay(void *user, double speed)
{
    replay *r = user;
    r->speed = speed;
}

static weir_status loop_replay(void *user, bool loops, weir_error *err)
{
    replay *r = user;
    (void)err;
    r->loops = loops;
    return WEIR_OK;
}

/* Keys go to the source at work, which may be another one already than the one shown. */
static void test_keys_between_two_sources(void)
{
    replay r = {.speed = 1};
    weir_error err;
    weir_view *view = make_view(NAN, NAN);
    weir_stream_info stream = make_stream();
    weir_view_config other;
    weir_view_config_init(&other);
    other.is_replay = true;
    other.speed = 1;
    other.actions = (weir_view_actions){.user = &r,
                                        .set_paused = pause_replay,
                                        .set_speed = speed_replay,
                                        .set_loop = loop_replay};
    view->config.actions = other.actions;
    view->config.is_replay = true;
    CHECK(weir_view_set_source(view, &other, &stream, &err) == WEIR_OK);
    for (const char *key = " O)"; *key; key++) {
        weir_view_press(view, *key);
    }
    CHECK(view->is_paused && r.is_paused && r.loops && r.speed == view->speed && r.speed != 1);
    weir_view_take_source(view);
    CHECK(!view->is_paused && !r.is_paused && !view->loops && !r.loops);
    CHECK(view->speed == 1 && r.speed == 1);
    weir_view_close(view);
}

static uint64_t place_later(void *user, uint64_t stream_sample)
{
    (void)user;
    return stream_sample + 1000000; /* as after a seek */
}

/* Annotations stand at their place in the recording, whatever the stream's index. */
static void test_notes(void)
{
    weir_view *view = make_view(-100.0f, -20.0f);
    const weir_note notes[] = {
        {.first_sample = 5 * 40960, .low_hz = NAN, .high_hz = NAN, .label = "not seen"},
        {.first_sample = 1000000 + 6 * 40960,
         .n_samples = 4 * 40960,
         .low_hz = 99.9e6,
         .high_hz = 100.1e6,
         .label = "burst"}};
    view->config.notes = notes;
    view->config.n_notes = 2;
    view->config.actions.place_of = place_later;
    for (uint64_t i = 0; i < 20; i++) {
        push(view, i, N_FFT, 0);
    }
    CHECK(weir_view_draw(view, 100, 40, 0.03f));
    const weir_rect *rect = &view->layout.waterfall;
    size_t column = rect->column + (size_t)weir_axis_column(&view->axis, rect->n_columns, 99.9e6);
    /* Lines 6 and 7 are the fourth pair, in the seventh row of ten. */
    size_t row = rect->row + 6;
    CHECK(weir_cells_at(view->cells, column, row).glyph == 0x2502);
    CHECK(weir_cells_at(view->cells, column + 1, row).glyph == 'b');
    CHECK(weir_cells_at(view->cells, column, row - 1).glyph == 0x2502);
    CHECK(weir_cells_at(view->cells, column, row + 1).glyph != 0x2502);
    CHECK(weir_cells_at(view->cells, column, row - 3).glyph != 0x2502);
    weir_view_press(view, 'A');
    CHECK(weir_view_draw(view, 100, 40, 0.03f));
    CHECK(weir_cells_at(view->cells, column, row).glyph != 0x2502);
    weir_view_close(view);
}

/* A level that is always there is brighter than one seen once. */
static void test_persistence(void)
{
    weir_view *view = make_view(-100.0f, -20.0f);
    for (uint64_t i = 0; i < 60; i++) {
        push(view, i, i == 30 ? 1500 : 400, 0);
    }
    weir_view_press(view, 'y');
    CHECK(weir_view_draw(view, 100, 40, 0.03f));
    const weir_rect *rect = &view->layout.spectrum;
    size_t often = (size_t)weir_axis_column(&view->axis, rect->n_columns, hz_of(400));
    size_t once = (size_t)weir_axis_column(&view->axis, rect->n_columns, hz_of(1500));
    weir_color at_often = weir_cells_at(view->cells, rect->column + often, rect->row).pen.fg;
    weir_color at_once = weir_cells_at(view->cells, rect->column + once, rect->row).pen.fg;
    size_t shade_often = 0, shade_once = 0;
    for (size_t i = 0; i < WEIR_PALETTE_LEVELS; i++) {
        shade_often = view->palette[i] == at_often ? i : shade_often;
        shade_once = view->palette[i] == at_once ? i : shade_once;
    }
    CHECK_MSG(shade_often > shade_once && shade_once > 0, "%zu %zu", shade_often, shade_once);
    /* Once of 60 lines; when it is long gone, it has faded away, but is still counted. */
    for (uint64_t i = 60; i < 1500; i++) {
        push(view, i, 400, 0);
        if (i % 100 == 0) {
            CHECK(weir_view_draw(view, 100, 40, 0.03f));
        }
    }
    CHECK(weir_view_draw(view, 100, 40, 0.03f));
    weir_color faded = weir_cells_at(view->cells, rect->column + once, rect->row).pen.fg;
    CHECK(faded != at_once);
    weir_view_press(view, 'y');
    CHECK(view->persistence_layer == WEIR_PERSISTENCE_COUNTS);
    push(view, 1500, 1500, 0);
    CHECK(weir_view_draw(view, 100, 40, 0.03f));
    CHECK(weir_persistence_transforms(view->persistence.grid) >= 200);
    weir_color counted = weir_cells_at(view->cells, rect->column + once, rect->row).pen.fg;
    for (uint64_t i = 1501; i < 1600; i++) {
        push(view, i, 400, 0);
    }
    CHECK(weir_view_draw(view, 100, 40, 0.03f));
    CHECK(weir_persistence_transforms(view->persistence.grid) == 200 + 99);
    CHECK(counted != faded); /* 1 of 201 lines */
    weir_view_press(view, 'y');
    CHECK(view->persistence_layer == WEIR_PERSISTENCE_OFF);
    weir_view_close(view);
}

static weir_status open_with(const char *colormap, const char *keys, weir_view **view,
                             weir_error *err)
{
    weir_view_config config;
    weir_stream_info stream = make_stream();
    weir_view_config_init(&config);
    config.colormap = colormap;
    config.keys = keys;
    return weir_view_create(view, &config, &stream, err);
}

static void test_colormap_of_a_file(void)
{
    static const struct {
        const char *text;
        weir_status status;
    } files[] = {
        {"#000000\n# a comment\n\n#ff8000\n", WEIR_OK},
        {"0 0 0\n255 128 0\n", WEIR_OK},
        {"#000000\n", WEIR_ERR_DATA},
        {"#000000\nred\n", WEIR_ERR_DATA},
        {"0 0 0\n256 0 0\n", WEIR_ERR_DATA},
        {"#000000\n#ff80001\n", WEIR_ERR_DATA},
    };
    char path[] = "/tmp/weir-map-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        weir_view *view = NULL;
        weir_error err = {0};
        FILE *file = fopen(path, "w");
        CHECK(file && fputs(files[i].text, file) >= 0 && fclose(file) == 0);
        weir_status status = open_with(path, NULL, &view, &err);
        CHECK_MSG(status == files[i].status, "%zu: %s", i, err.text);
        if (status == WEIR_OK) {
            weir_view_set_caps(view, (weir_term_caps){.color = WEIR_COLOR_DIRECT,
                                                      .is_utf8 = true,
                                                      .can_scroll = true,
                                                      .has_mouse = true});
            CHECK(view->palette[WEIR_PALETTE_LEVELS - 1] == WEIR_COLOR_OF_RGB(255, 128, 0));
            CHECK(view->palette[0] == WEIR_COLOR_OF_RGB(0, 0, 0));
            weir_view_press(view, 'c'); /* the next after the last is the first */
            CHECK(view->colormap_index == 0);
            weir_view_press(view, 'C');
            CHECK(view->palette[WEIR_PALETTE_LEVELS - 1] == WEIR_COLOR_OF_RGB(255, 128, 0));
        } else {
            CHECK(strstr(err.text, path) != NULL);
        }
        weir_view_close(view);
    }
    weir_view *view;
    weir_error err = {0};
    CHECK(unlink(path) == 0);
    CHECK(open_with(path, NULL, &view, &err) == WEIR_ERR_NO_INPUT);
}

static void test_keys_of_the_users_own(void)
{
    weir_view *view;
    weir_error err = {0};
    static const char *const bad[] = {
        "h",       "h=",   "=x",    "h=nokey",
        "nokey=q", "ab=c", "h=F13", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=q"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_MSG(open_with(NULL, bad[i], &view, &err) == WEIR_ERR_USAGE && !view, "%s", bad[i]);
        CHECK(strncmp(err.text, "keys: ", 6) == 0);
    }
    CHECK(open_with(NULL, " B=Space  q=none X=q ==q F5=x", &view, &err) == WEIR_OK);
    CHECK(weir_view_press(view, 'B') && view->is_paused);
    CHECK(!weir_view_press(view, 'q') && !view->wants_quit);
    CHECK(weir_view_press(view, WEIR_KEY_F1 + 4) && view->holds_max);
    CHECK(weir_view_press(view, '=') && view->wants_quit);
    weir_view_close(view);
}

static void test_bad_colormap_is_refused(void)
{
    weir_view_config config;
    weir_stream_info stream = make_stream();
    weir_view *view;
    weir_error err;
    weir_view_config_init(&config);
    config.colormap = "no-such-map";
    CHECK(weir_view_create(&view, &config, &stream, &err) == WEIR_ERR_USAGE && view == NULL);
    CHECK(strstr(err.text, "no-such-map") != NULL);
    weir_view_close(NULL);
}

int main(void)
{
    RUN(test_tones_in_their_columns);
    RUN(test_lines_in_their_rows);
    RUN(test_picture_does_not_depend_on_the_past);
    RUN(test_any_key_anywhere);
    RUN(test_key_table);
    RUN(test_log_axis);
    RUN(test_retune_keeps_the_zoom);
    RUN(test_one_burst_is_always_seen);
    RUN(test_another_length_keeps_the_history);
    RUN(test_typing);
    RUN(test_tuning);
    RUN(test_keys_between_two_sources);
    RUN(test_notes);
    RUN(test_persistence);
    RUN(test_colormap_of_a_file);
    RUN(test_keys_of_the_users_own);
    RUN(test_bad_colormap_is_refused);
    return check_finish();
}
