/* ctest-labels: unit prop
 * The view's markers and its two averages: what the table says is what dsp/peaks.h and sums in
 * double precision say. */
#include "tests/view_testing.h"

static weir_view *make_view(const weir_stream_info *stream, bool is_utf8)
{
    return make_view_of(stream, -120, 0, is_utf8);
}

static float power[N_FFT], highest[N_FFT];

static weir_spectrum spectrum_number(uint64_t index)
{
    weir_spectrum s = make_line(power, index, 20480);
    s.power[WEIR_TRACE_MAX] = highest;
    s.power[WEIR_TRACE_MIN] = power;
    s.n_frames = 20;
    return s;
}

static void push(weir_view *view, uint64_t index)
{
    weir_spectrum s = spectrum_number(index);
    weir_view_push(view, &s);
}

/* Text of a row of cells, one byte a cell; what is not ASCII becomes '?'. */
static const char *row_text(const weir_view *view, size_t row)
{
    static char text[400];
    size_t n = weir_cells_columns(view->cells);
    for (size_t c = 0; c < n; c++) {
        uint32_t glyph = weir_cells_at(view->cells, c, row).glyph;
        text[c] = (char)(glyph < 0x7f ? glyph : '?');
    }
    text[n] = '\0';
    return text;
}

static bool shows(weir_view *view, const char *wanted)
{
    CHECK(weir_view_draw(view, 140, 40, 0.03f));
    for (size_t r = 0; r < weir_cells_rows(view->cells); r++) {
        if (strstr(row_text(view, r), wanted)) {
            return true;
        }
    }
    return false;
}

static void print_table(weir_view *view)
{
    for (size_t r = 0; r < 9; r++) {
        printf("  |%s\n", row_text(view, r));
    }
}

#define CHECK_SHOWS(view, ...)                                                                     \
    do {                                                                                           \
        char wanted[128];                                                                          \
        snprintf(wanted, sizeof wanted, __VA_ARGS__);                                              \
        bool is_there = shows(view, wanted);                                                       \
        CHECK_MSG(is_there, "\"%s\" is not shown", wanted);                                        \
        if (!is_there) {                                                                           \
            print_table(view);                                                                     \
        }                                                                                          \
    } while (0)

static void put_cursor(weir_view *view, double hz)
{
    CHECK(weir_view_draw(view, 140, 40, 0.03f));
    view->has_cursor = true;
    view->cursor_hz = hz;
}

/* Two tones 20 dB and 300 kHz apart: level, difference and band. */
static void test_level_and_delta(void)
{
    for (int is_utf8 = 0; is_utf8 < 2; is_utf8++) {
        weir_stream_info stream = make_stream();
        weir_view *view = make_view(&stream, is_utf8);
        for (size_t k = 0; k < N_FFT; k++) {
            power[k] = highest[k] = 1e-12f;
        }
        power[1000] = highest[1000] = 1e-2f;
        power[1300] = highest[1300] = 1e-4f;
        push(view, 0);
        put_cursor(view, hz_of(1000));
        CHECK(weir_view_press(view, 'X')); /* nothing to differ from yet */
        CHECK(view->n_markers == 1 && view->markers[0].kind == WEIR_MARKER_LEVEL);
        view->message[0] = '\0';
        put_cursor(view, hz_of(1300));
        CHECK(weir_view_press(view, 'X'));
        CHECK(weir_view_press(view, 'k'));
        CHECK_SHOWS(view, " 1 99.9760 MHz -20.0 dBFS ");
        CHECK_SHOWS(view, is_utf8 ? " 2 ? +300.0 kHz -20.0 dB " : " 2 d +300.0 kHz -20.0 dB ");
        CHECK_SHOWS(view, " 3 100.2760 MHz -40.0 dBFS ");
        /* Both tones, each divided by the 1.5 bins that a tone's power spreads over. */
        CHECK_SHOWS(view, "1-2 band %.1f dBFS", 10 * log10((1e-2 + 1e-4) / 2 / 1.5));
        weir_view_press(view, 'K');
        CHECK(view->n_markers == 0 && !shows(view, "99.9760"));
        CHECK(weir_view_press(view, 'k') && weir_view_press(view, 'k')); /* twice in one place */
        CHECK_SHOWS(view, " 2 100.2760 MHz -40.0 dBFS ");
        CHECK(!shows(view, "1-2 band"));
        weir_view_close(view);
    }
}

/* White noise of a known density reads it, in any unit, also under a maximum hold and whatever
 * the display is of; a tone in the middle counts with what it has. */
static void test_noise_marker(void)
{
    check_rng rng = check_rng_fresh();
    for (int run = 0; run < 12; run++) {
        weir_stream_info stream = make_stream();
        weir_scale *scale = &stream.scale;
        scale->quantity = run % 2 ? WEIR_DENSITY : WEIR_SPECTRUM;
        scale->offset_db = run % 3 ? -30 : 0;
        snprintf(scale->unit, sizeof scale->unit, "%s", run % 3 ? "dBm" : "dBFS");
        weir_view *view = make_view(&stream, false);
        size_t at = 200 + check_random(&rng) % 1600;
        double density = pow(10, -12 - check_uniform(&rng)); /* FS^2/Hz */
        double bin_power = density * 1.5 * RATE_HZ / N_FFT;
        /* The mean of the bins around is exactly that: pairs above and below it. */
        for (size_t k = 0; k < N_FFT; k++) {
            power[k] = (float)(bin_power * (k % 2 ? 1.5 : 0.5));
            highest[k] = 100 * power[k];
        }
        push(view, 0);
        weir_view_press(view, 'm');
        put_cursor(view, hz_of(at));
        CHECK(weir_view_press(view, 'H'));
        double expected_db = 10 * log10(density) + scale->offset_db;
        bool is_there = false; /* one of an odd number of bins is left over, and rounding */
        for (int slack = -2; slack <= 2; slack++) {
            char wanted[64];
            snprintf(wanted, sizeof wanted, "%.1f %s/Hz", expected_db + 0.05 * slack, scale->unit);
            is_there |= shows(view, wanted);
        }
        CHECK_MSG(is_there, "run %d: %.3f %s/Hz", run, expected_db, scale->unit);
        if (!is_there) {
            print_table(view);
        }
        double read_db;
        weir_spectrum s = spectrum_number(0);
        size_t half = (size_t)(0.05 * N_FFT / 2);
        weir_marker marker = weir_marker_at(&s, WEIR_TRACE_MEAN, scale, hz_of(at), half);
        CHECK(weir_history_trace_noise(view->history, WEIR_HELD_LIVE, hz_of(at), 0.05 * RATE_HZ + 1,
                                       scale, &read_db));
        CHECK(read_db == marker.noise_db_per_hz);
        /* Zoomed in to a few bins: still 17 of them. */
        CHECK(
            weir_history_trace_noise(view->history, WEIR_HELD_LIVE, hz_of(at), 1, scale, &read_db));
        CHECK_NEAR(read_db, expected_db, -10 * log10(1 - 0.5 / 17) + 1e-3);
        weir_view_close(view);
    }
}

static void test_no_noise_of_folded_lines(void)
{
    weir_history *history = weir_history_create(N_FFT, 128 * 100 * sizeof(float));
    weir_spectrum s = spectrum_number(0);
    weir_scale scale;
    double db;
    weir_scale_init(&scale);
    weir_history_push(history, &s);
    CHECK(!weir_history_trace_noise(history, WEIR_HELD_LIVE, CENTER_HZ, 1e5, &scale, &db));
    weir_history_destroy(history);
}

/* Lines of 40 ms stay what they are while the trace above decays over 1 s; the title says both. */
static void test_trace_apart_from_lines(void)
{
    weir_stream_info stream = make_stream();
    stream.averages = (weir_averages){.line_seconds = 0.04,
                                      .trace = {.kind = WEIR_TRACE_EXPONENTIAL, .seconds = 1}};
    weir_view *view = make_view(&stream, true);
    uint64_t first, end;
    static float out[N_FFT];
    weir_axis axis = {.low_hz = hz_of(0) - 500, .high_hz = hz_of(N_FFT - 1) + 500};
    weir_view_line line;
    for (uint64_t i = 0; i < 200; i++) { /* 10 ms each */
        for (size_t k = 0; k < N_FFT; k++) {
            power[k] = highest[k] = i < 100 ? 1e-2f : 1e-8f;
        }
        push(view, i);
    }
    weir_history_extent(view->history, &first, &end);
    CHECK(first == 0 && end == 50);
    CHECK(weir_history_line(view->history, 10, &axis, N_FFT, out, &line) && out[5] == 1e-2f);
    CHECK(weir_history_line(view->history, 40, &axis, N_FFT, out, &line) && out[5] == 1e-8f);
    CHECK(line.info.n_frames == 80);
    CHECK(weir_history_trace(view->history, WEIR_HELD_LIVE, &axis, N_FFT, out, &line));
    CHECK_NEAR(10 * log10((double)out[5]), -20 - 4.342945, 1e-3); /* a second later */
    CHECK(weir_history_trace(view->history, WEIR_HELD_MAX, &axis, N_FFT, out, &line));
    CHECK(out[5] == 1e-2f);
    CHECK_SHOWS(view, "averages line 40.0 ms   trace exp 1 s");
    /* As the lines again: every spectrum is one. */
    stream.averages.trace.kind = WEIR_TRACE_AS_LINES;
    weir_view_set_stream(view, &stream);
    weir_view_take_stream(view);
    push(view, 200);
    weir_history_extent(view->history, &first, &end);
    CHECK(end == 51);
    CHECK(weir_history_trace(view->history, WEIR_HELD_LIVE, &axis, N_FFT, out, &line));
    CHECK(out[5] == 1e-8f);
    CHECK_SHOWS(view, "averages 40 ");
    CHECK(!shows(view, "trace exp"));
    stream.averages =
        (weir_averages){.line_frames = 40, .trace = {.kind = WEIR_TRACE_MEAN_OF, .frames = 640}};
    weir_view_set_stream(view, &stream);
    weir_view_take_stream(view);
    CHECK_SHOWS(view, "averages line 40   trace mean 640");
    weir_view_close(view);
}

/* The oldest line stays as it was while spectra come that complete none. */
static void test_a_trace_writes_no_line(void)
{
    enum { LINES = 128 };
    weir_history *history = weir_history_create(16, LINES * 16 * sizeof(float));
    weir_axis axis = {.low_hz = -0.5, .high_hz = 15.5};
    float values[16], out[16];
    weir_view_line line;
    uint64_t first, end;
    for (int i = 0; i < 3 * LINES; i++) {
        for (int k = 0; k < 16; k++) {
            values[k] = (float)(i + 1);
        }
        weir_spectrum s = {
            .power = {values, values, values}, .n_bins = 16, .bin_hz = 1, .end_sample = 1};
        if (i % 3 == 0) {
            weir_history_push(history, &s);
        } else {
            weir_history_push_both(history, &s, NULL, i % 3 == 1 ? &s : NULL);
        }
        weir_history_extent(history, &first, &end);
        CHECK(weir_history_line(history, first, &axis, 16, out, &line) &&
              out[3] == (float)(3 * first + 1));
        CHECK(weir_history_trace(history, WEIR_HELD_LIVE, &axis, 16, out, &line));
        CHECK(out[3] == (float)(i + (i % 3 == 2 ? 0 : 1)));
        CHECK(weir_history_trace(history, WEIR_HELD_MAX, &axis, 16, out, &line));
        CHECK(out[3] == (float)(i + 1));
    }
    weir_history_destroy(history);
}

/* Every way to make a column of bins, in the waterfall that is there already too. */
static void test_columns_of_bins(void)
{
    weir_stream_info stream = make_stream();
    weir_view *view = make_view(&stream, true);
    for (size_t k = 0; k < N_FFT; k++) {
        power[k] = highest[k] = k % 2 ? 1e-3f : 1e-5f;
    }
    push(view, 0);
    static const struct {
        weir_reducer reducer;
        double level_db;
    } rows[] = {{WEIR_REDUCE_MAX, -30},
                {WEIR_REDUCE_MEAN, -32.967}, /* (1e-3 + 1e-5) / 2 */
                {WEIR_REDUCE_MIN, -50},
                {WEIR_REDUCE_SAMPLE, NAN},
                {WEIR_REDUCE_MAX, -30}};
    weir_picture_row row;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(weir_view_draw(view, 140, 40, 0.03f));
        CHECK(weir_history_reducer(view->history) == rows[i].reducer);
        CHECK(weir_picture_get(view->picture, view->history, &view->stream.scale, 0, &row));
        for (size_t c = 0; c < view->layout.waterfall.n_columns; c++) {
            double trace = (double)view->traces[WEIR_HELD_LIVE][c];
            double levels[] = {trace, (double)row.levels_db[c]};
            for (size_t l = 0; l < 2; l++) {
                bool is_bin = fabs(levels[l] + 30) < 1e-3 || fabs(levels[l] + 50) < 1e-3;
                /* About 15.6 bins a column: a half of them, or one more of either kind. */
                CHECK(isnan(rows[i].level_db) ? is_bin : fabs(levels[l] - rows[i].level_db) < 0.35);
            }
        }
        weir_view_press(view, 'Y');
    }
    weir_view_close(view);
}

int main(void)
{
    RUN(test_level_and_delta);
    RUN(test_noise_marker);
    RUN(test_no_noise_of_folded_lines);
    RUN(test_trace_apart_from_lines);
    RUN(test_a_trace_writes_no_line);
    RUN(test_columns_of_bins);
    return check_finish();
}
