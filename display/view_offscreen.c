/* The view without a terminal: the same panels, printed or painted once. */
#include "display/view_state.h"

#include "display/term_bytes.h"
#include "display/term_info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool same_pen(weir_pen a, weir_pen b)
{
    return a.fg == b.fg && a.bg == b.bg && a.style == b.style;
}

static void print_color(weir_bytes *out, weir_color color, bool is_background)
{
    char text[WEIR_COLOR_SGR_MAX];
    if (color != WEIR_COLOR_DEFAULT) {
        weir_bytes_text(out, ";");
        weir_bytes_append(out, text, weir_color_sgr(color, is_background, text));
    }
}

static void print_pen(weir_bytes *out, weir_pen pen)
{
    weir_bytes_text(out, "\033[0");
    weir_bytes_text(out, pen.style & WEIR_STYLE_BOLD ? ";1" : "");
    weir_bytes_text(out, pen.style & WEIR_STYLE_DIM ? ";2" : "");
    weir_bytes_text(out, pen.style & WEIR_STYLE_REVERSE ? ";7" : "");
    print_color(out, pen.fg, false);
    print_color(out, pen.bg, true);
    weir_bytes_text(out, "m");
}

/* Blanks at a row's end that look like nothing are left out. */
static size_t visible_columns(const weir_cells *cells, size_t row)
{
    size_t n = weir_cells_columns(cells);
    for (; n > 0; n--) {
        weir_cell cell = weir_cells_at(cells, n - 1, row);
        if (cell.glyph > ' ' || cell.pen.bg != WEIR_COLOR_DEFAULT || cell.pen.style) {
            break;
        }
    }
    return n;
}

static void print_row(const weir_view *view, size_t row, weir_bytes *out)
{
    weir_pen pen = {0};
    size_t n = visible_columns(view->cells, row);
    for (size_t c = 0; c < n; c++) {
        weir_cell cell = weir_cells_at(view->cells, c, row);
        if (view->caps.color != WEIR_COLOR_NONE && !same_pen(pen, cell.pen)) {
            pen = cell.pen;
            print_pen(out, pen);
        }
        if (cell.glyph != 0) { /* 0: the right half of a wide one */
            weir_bytes_utf8(out, cell.glyph);
        }
    }
    weir_bytes_text(out, same_pen(pen, (weir_pen){0}) ? "\n" : "\033[0m\n");
}

weir_status weir_view_print(weir_view *view, size_t n_columns, size_t n_rows, FILE *out,
                            weir_error *err)
{
    weir_bytes bytes = {0};
    if (!weir_view_draw(view, n_columns, n_rows, 0.0f)) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zux%zu cells", n_columns, n_rows);
    }
    for (size_t row = 0; row < n_rows; row++) {
        print_row(view, row, &bytes);
    }
    weir_status status = WEIR_OK;
    if (bytes.has_failed) {
        status = weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    } else if (fwrite(bytes.data, 1, bytes.size, out) != bytes.size || fflush(out) != 0) {
        status = weir_fail(err, WEIR_ERR_IO, "cannot write the picture");
    }
    weir_bytes_free(&bytes);
    return status;
}

weir_status weir_view_open_offscreen(weir_view **out, const weir_view_config *config,
                                     const weir_stream_info *stream, weir_error *err)
{
    weir_term_facts facts;
    weir_term_strings strings;
    weir_error ignored;
    if (weir_term_info_read(&facts, &strings, &ignored) != WEIR_OK) {
        facts = (weir_term_facts){.n_colors = -1};
    }
    if (!isatty(STDOUT_FILENO)) {
        facts.n_colors = -1; /* a file: no colours unless they are asked for */
    }
    weir_status status = weir_view_create(out, config, stream, err);
    if (status == WEIR_OK) {
        weir_term_caps caps = weir_term_caps_choose(&facts, config->color, config->charset);
        caps.has_mouse = caps.can_scroll = false;
        weir_view_set_caps(*out, caps);
        (*out)->is_offscreen = true;
    }
    return status;
}

uint64_t weir_view_lines(const weir_view *view)
{
    uint64_t first, end;
    weir_history_extent(view->history, &first, &end);
    return end;
}

/* The highest peak of all rows shown, so that the range suits the whole picture. */
static void suit_range(weir_view *view)
{
    const weir_rect *rect = &view->layout.waterfall;
    uint64_t n_rows = (view->top_line + view->lines_per_row - 1) / view->lines_per_row;
    uint64_t shown = rect->n_rows * weir_view_rows_per_cell(view);
    float floor_db, peak_db, ignored, highest = -INFINITY;
    weir_picture_row row;
    for (uint64_t r = n_rows > shown ? n_rows - shown : 0; r < n_rows; r++) {
        if (weir_picture_get(view->picture, view->history, &view->stream.scale, r, &row) &&
            weir_range_measure(row.levels_db, rect->n_columns, view->scratch, &ignored, &peak_db)) {
            highest = fmaxf(highest, peak_db);
        }
    }
    if (highest > -INFINITY && view->has_trace[WEIR_HELD_LIVE] &&
        weir_range_measure(view->traces[WEIR_HELD_LIVE], view->n_trace, view->scratch, &floor_db,
                           &peak_db)) {
        weir_range_set_automatic(&view->range);
        weir_range_follow(&view->range, floor_db, highest, 0.0f);
    }
}

/* The fewest lines to a row with which all of them are on the screen. */
static bool fit_rows(weir_view *view, size_t n_columns, size_t n_rows)
{
    uint64_t n_lines = weir_view_lines(view);
    if (!weir_view_draw(view, n_columns, n_rows, 0.0f)) {
        return false;
    }
    uint64_t rows = view->layout.waterfall.n_rows * weir_view_rows_per_cell(view);
    view->lines_per_row = rows > 0 && n_lines > rows ? (n_lines + rows - 1) / rows : 1;
    view->groups_automatically = false;
    return weir_view_draw(view, n_columns, n_rows, 0.0f);
}

bool weir_view_fit_history(weir_view *view, size_t n_columns, size_t n_rows)
{
    bool is_automatic = view->range.is_automatic;
    weir_view_take_end(view);
    weir_view_take_stream(view);
    if (!fit_rows(view, n_columns, n_rows)) {
        return false;
    }
    if (is_automatic && !view->layout.is_too_small) {
        suit_range(view);
        view->range.is_automatic = false; /* stays for all pictures of this state */
        view->hides_range_state = true;
    }
    return true;
}
