/* Names of channels on the ruler: brackets at the ends of a range, a mark at a frequency. */
#include "display/view_state.h"

#include <math.h>
#include <string.h>

/* Columns of the ruler: those before `free` are taken, from `limit` on the next label begins. */
typedef struct ruler {
    weir_view *view;
    size_t free, limit;
} ruler;

static void put(ruler *r, size_t column, uint32_t glyph, char ascii)
{
    const weir_rect *rect = &r->view->layout.axis;
    weir_cells_put(r->view->cells, rect->column + column, rect->row,
                   r->view->caps.is_utf8 ? glyph : (uint32_t)ascii,
                   weir_view_pen(r->view, WEIR_INK_HOLD));
}

/* Cut where it is longer; left out where what is left says nothing. Returns the column after. */
static size_t write_name(ruler *r, const char *name, size_t from, size_t end)
{
    const weir_rect *rect = &r->view->layout.axis;
    size_t length = weir_text_columns(name), room = end > from ? end - from : 0;
    if (room < length && room < 4) {
        return from;
    }
    return from + weir_cells_text(r->view->cells, rect->column + from, rect->row,
                                  length < room ? length : room, name,
                                  weir_view_pen(r->view, WEIR_INK_HOLD));
}

/* The name in the middle of its range, or where that is too narrow, behind it. */
static void draw_range(ruler *r, const weir_label *label, double low, double high, double last)
{
    size_t left = (size_t)fmax(low, 0.0), right = (size_t)fmin(high, last);
    size_t length = weir_text_columns(label->name), room = right > left ? right - left - 1 : 0;
    if (left < r->free) {
        return;
    }
    if (low >= 0.0) {
        put(r, left, 0x251c, '[');
    }
    if (high <= last && right > left) {
        put(r, right, 0x2524, ']');
    }
    if (room >= length || room >= 4) {
        size_t shown = length < room ? length : room;
        write_name(r, label->name, left + 1 + (room - shown) / 2, right);
        r->free = right; /* the next channel may begin where this one ends */
    } else {
        r->free = write_name(r, label->name, right + 1, r->limit);
    }
}

/* The name on the right of its mark, or at the right end on the left. */
static void draw_single(ruler *r, const weir_label *label, size_t at, size_t end)
{
    size_t length = weir_text_columns(label->name);
    bool goes_left = at + 1 + length > end && at >= r->free + length;
    if (at < r->free) {
        return;
    }
    put(r, at, 0x25bc, 'v');
    if (goes_left) {
        write_name(r, label->name, at - length, at);
    }
    r->free = goes_left ? at + 1 : write_name(r, label->name, at + 1, r->limit);
}

static double column_of(const weir_view *view, double hz)
{
    return floor(weir_axis_column(&view->axis, view->layout.axis.n_columns, hz));
}

static bool is_visible(const weir_view *view, const weir_label *label)
{
    return label->high_hz >= view->axis.low_hz && label->low_hz < view->axis.high_hz;
}

/* Where the label after this one begins, if it is not within it. */
static size_t next_column(const weir_view *view, size_t i)
{
    const weir_label *rows = view->labels.rows;
    size_t end = view->layout.axis.n_columns;
    for (size_t k = i + 1; k < view->labels.n && rows[k].low_hz < view->axis.high_hz; k++) {
        if (rows[k].low_hz > rows[i].high_hz) {
            return (size_t)fmin(fmax(column_of(view, rows[k].low_hz), 0.0), (double)end);
        }
    }
    return end;
}

void weir_view_draw_labels(weir_view *view)
{
    const weir_rect *rect = &view->layout.axis;
    ruler r = {.view = view};
    double last = (double)rect->n_columns - 1.0;
    for (size_t i = 0; rect->n_rows > 1 && !view->hides_labels && i < view->labels.n; i++) {
        const weir_label *label = &view->labels.rows[i];
        if (!is_visible(view, label)) {
            continue;
        }
        double low = column_of(view, label->low_hz);
        r.limit = next_column(view, i);
        if (label->high_hz > label->low_hz) {
            draw_range(&r, label, low, column_of(view, label->high_hz), last);
        } else if (low >= 0.0) {
            draw_single(&r, label, (size_t)low, rect->n_columns);
        }
    }
}
