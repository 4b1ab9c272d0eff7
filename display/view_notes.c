/* What a recording's metadata say of places in it, drawn on the waterfall: brackets at the
 * frequencies, a label at the begin. */
#include "display/view_state.h"

#include <math.h>
#include <string.h>

/* The row of the panel that shows a sample; false if none does. */
static bool row_of(weir_view *view, uint64_t sample, size_t *screen_row)
{
    const weir_rect *rect = &view->layout.waterfall;
    uint64_t pairs = weir_view_pairs(view), per_cell = weir_view_rows_per_cell(view);
    for (size_t r = 0; r < rect->n_rows && r < pairs; r++) {
        weir_picture_row row;
        if (weir_picture_get(view->picture, view->history, &view->stream.scale,
                             (pairs - 1 - r) * per_cell, &row) &&
            !row.is_gap && row.info.first_sample <= sample) {
            *screen_row = rect->row + r;
            /* On the newest row only if it is not still to come. */
            return r > 0 || sample < row.info.end_sample +
                                         (row.info.end_sample - row.info.first_sample) *
                                             per_cell * view->lines_per_row;
        }
    }
    return false;
}

static size_t column_in(const weir_view *view, double hz)
{
    const weir_rect *rect = &view->layout.waterfall;
    double column = floor(weir_axis_column(&view->axis, rect->n_columns, hz));
    return rect->column + (size_t)fmin(fmax(column, 0.0), (double)rect->n_columns - 1.0);
}

static void draw_note(weir_view *view, const weir_view_note *note)
{
    const weir_rect *rect = &view->layout.waterfall;
    size_t first_row, last_row;
    double low = isnan(note->low_hz) ? view->axis.low_hz : note->low_hz;
    double high = isnan(note->high_hz) ? view->axis.high_hz : note->high_hz;
    uint64_t end = note->first_sample + note->n_samples;
    weir_pen pen = weir_view_pen(view, WEIR_INK_CURSOR);
    if (high <= view->axis.low_hz || low >= view->axis.high_hz ||
        !row_of(view, note->first_sample, &first_row)) {
        return; /* its begin has scrolled away, or lies aside */
    }
    if (!row_of(view, end, &last_row) || last_row > first_row) {
        last_row = rect->row;
    }
    size_t left = column_in(view, low), right = column_in(view, high);
    for (size_t r = last_row; r <= first_row; r++) {
        weir_cells_put(view->cells, left, r, view->caps.is_utf8 ? 0x2502 : '|', pen);
        weir_cells_put(view->cells, right, r, view->caps.is_utf8 ? 0x2502 : '|', pen);
    }
    const char *label = note->label ? note->label : "";
    size_t room = rect->column + rect->n_columns - left - 1;
    if (label[0] && room > 2) {
        weir_cells_text(view->cells, left + 1, first_row, room, label, pen);
    }
}

void weir_view_draw_notes(weir_view *view)
{
    if (view->hides_notes || view->top_line == 0 || view->layout.waterfall.n_rows == 0) {
        return;
    }
    for (size_t i = 0; i < view->config.n_notes; i++) {
        draw_note(view, &view->config.notes[i]);
    }
}
