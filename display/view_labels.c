/* Names of channels on the ruler: brackets at the ends of a range, a mark at a frequency. */
#include "display/view_state.h"

#include <math.h>
#include <string.h>

/* Where the ruler has room for a name: columns before `free` are taken. */
typedef struct ruler {
    weir_view *view;
    size_t free;
} ruler;

static void put(ruler *r, size_t column, uint32_t glyph, char ascii)
{
    const weir_rect *rect = &r->view->layout.axis;
    weir_cells_put(r->view->cells, rect->column + column, rect->row,
                   r->view->caps.is_utf8 ? glyph : (uint32_t)ascii,
                   weir_view_pen(r->view, WEIR_INK_HOLD));
}

/* A name between two columns, in the middle; cut, or left out where it says nothing. */
static void write_name(ruler *r, const char *name, size_t from, size_t end)
{
    const weir_rect *rect = &r->view->layout.axis;
    size_t length = weir_text_columns(name), room = end > from ? end - from : 0;
    if (room < length && room < 4) {
        return;
    }
    size_t shown = length < room ? length : room;
    weir_cells_text(r->view->cells, rect->column + from + (room - shown) / 2, rect->row, shown,
                    name, weir_view_pen(r->view, WEIR_INK_HOLD));
}

static void draw_range(ruler *r, const weir_label *label, double low, double high, double last)
{
    size_t left = (size_t)fmax(low, 0.0), right = (size_t)fmin(high, last);
    if (right < left + 2 || left < r->free) {
        return;
    }
    if (low >= 0.0) {
        put(r, left, 0x251c, '[');
    }
    if (high <= last) {
        put(r, right, 0x2524, ']');
    }
    write_name(r, label->name, left + 1, right);
    r->free = right; /* the next channel may begin where this one ends */
}

static void draw_single(ruler *r, const weir_label *label, double column, double last)
{
    size_t length = weir_text_columns(label->name), at = (size_t)column;
    bool goes_left = column + 1.0 + (double)length > last + 1.0 && at >= length;
    size_t from = goes_left ? at - length : at;
    if (from < r->free) {
        return;
    }
    put(r, at, 0x25bc, 'v');
    size_t name_from = goes_left ? from : at + 1, room = goes_left ? at : (size_t)last + 1;
    size_t end = name_from + length < room ? name_from + length : room;
    write_name(r, label->name, name_from, end);
    r->free = (goes_left ? at : end) + 1;
}

void weir_view_draw_labels(weir_view *view)
{
    const weir_rect *rect = &view->layout.axis;
    ruler r = {.view = view};
    double last = (double)rect->n_columns - 1.0;
    if (rect->n_rows < 2 || view->hides_labels) {
        return;
    }
    for (size_t i = 0; i < view->labels.n; i++) {
        const weir_label *label = &view->labels.rows[i];
        if (label->high_hz < view->axis.low_hz || label->low_hz >= view->axis.high_hz) {
            continue;
        }
        double low = floor(weir_axis_column(&view->axis, rect->n_columns, label->low_hz));
        double high = floor(weir_axis_column(&view->axis, rect->n_columns, label->high_hz));
        if (label->high_hz > label->low_hz) {
            draw_range(&r, label, low, high, last);
        } else if (low >= 0.0) {
            draw_single(&r, label, low, last);
        }
    }
}
