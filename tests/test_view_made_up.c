/* ctest-labels: unit
 * The view says of cursor, markers and axis which bins were not measured; by the line that is
 * read, so before a retune and after it. */
#include "tests/view_testing.h"

static float power[N_FFT];

/* Bins 1022 to 1026, or so many further up. */
static void push(weir_view *view, uint64_t index, size_t moved)
{
    weir_spectrum s = make_line(power, index, 20480);
    s.n_frames = 20;
    s.made_up.low_hz = hz_of(1022 + moved);
    s.made_up.high_hz = hz_of(1026 + moved);
    s.made_up.n_runs = 1;
    weir_view_push(view, &s);
}

static bool cell_row_has(const weir_view *view, size_t row, const char *wanted)
{
    char text[400];
    size_t n = weir_cells_columns(view->cells);
    for (size_t c = 0; c < n; c++) {
        uint32_t glyph = weir_cells_at(view->cells, c, row).glyph;
        text[c] = (char)(glyph < 0x7f ? glyph : '?');
    }
    text[n] = '\0';
    return strstr(text, wanted) != NULL;
}

static bool shows(weir_view *view, const char *wanted)
{
    CHECK(weir_view_draw(view, 140, 40, 0.03f));
    for (size_t r = 0; r < weir_cells_rows(view->cells); r++) {
        if (cell_row_has(view, r, wanted)) {
            return true;
        }
    }
    return false;
}

static void put_cursor(weir_view *view, double hz)
{
    CHECK(weir_view_draw(view, 140, 40, 0.03f));
    view->has_cursor = true;
    view->cursor_hz = hz;
}

/* A tone high enough to be what a column reads, at the edges of the run and beside them. */
static void test_cursor_and_markers(void)
{
    static const struct {
        size_t bin;
        bool is_made_up;
    } rows[] = {{1021, false}, {1022, true}, {1024, true}, {1026, true}, {1027, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_stream_info stream = make_stream();
        weir_view *view = make_view_of(&stream, -120, 0, true);
        for (size_t k = 0; k < N_FFT; k++) {
            power[k] = 1e-12f;
        }
        power[rows[i].bin] = 1e-2f;
        push(view, 0, 0);
        put_cursor(view, hz_of(rows[i].bin));
        CHECK_MSG(shows(view, "MHz -20.0 dBFS (interpolated)") == rows[i].is_made_up, "bin %zu",
                  rows[i].bin);
        CHECK(shows(view, "MHz -20.0 dBFS"));
        CHECK(weir_view_press(view, 'k'));
        view->has_cursor = false;
        CHECK(shows(view, "MHz -20.0 dBFS (interpolated)") == rows[i].is_made_up);
        push(view, 1, 100); /* retuned: it is elsewhere */
        CHECK(!shows(view, "(interpolated)"));
        weir_view_close(view);
    }
}

static size_t marks_on_axis(weir_view *view, uint32_t glyph, size_t *first)
{
    size_t n = 0;
    CHECK(weir_view_draw(view, 140, 40, 0.03f));
    size_t row = view->layout.axis.row;
    for (size_t c = weir_cells_columns(view->cells); c-- > 0;) {
        if (weir_cells_at(view->cells, c, row).glyph == glyph) {
            *first = c;
            n++;
        }
    }
    return n;
}

static void test_axis(void)
{
    for (int is_utf8 = 0; is_utf8 < 2; is_utf8++) {
        uint32_t glyph = is_utf8 ? 0x2248 : '~';
        size_t first = 0, later = 0;
        weir_stream_info stream = make_stream();
        weir_view *view = make_view_of(&stream, -120, 0, is_utf8);
        push(view, 0, 0);
        size_t n = marks_on_axis(view, glyph, &first);
        CHECK_MSG(n == 1 || n == 2, "5 bins of 2048 on 130 columns: %zu", n);
        push(view, 1, 512);
        n = marks_on_axis(view, glyph, &later);
        CHECK_MSG((n == 1 || n == 2) && later > first + 25 && later < first + 40,
                  "a quarter further: %zu %zu %zu", n, first, later);
        weir_spectrum measured = make_line(power, 2, 20480);
        weir_view_push(view, &measured);
        CHECK(marks_on_axis(view, glyph, &first) == 0);
        weir_view_close(view);
    }
}

int main(void)
{
    RUN(test_cursor_and_markers);
    RUN(test_axis);
    return check_finish();
}
