/* The mouse: pointing reads out, a click sets a marker, dragging pans, the wheel zooms
 * (over the gutter: shifts the level range). */
#include "display/view_state.h"

#include <math.h>

#define WHEEL_ZOOM 0.8
#define WHEEL_DB 5.0f

static bool is_in(const weir_rect *rect, const weir_mouse *mouse)
{
    return mouse->column >= rect->column && mouse->column < rect->column + rect->n_columns &&
           mouse->row >= rect->row && mouse->row < rect->row + rect->n_rows;
}

static bool is_in_plot(const weir_view *view, const weir_mouse *mouse)
{
    return is_in(&view->layout.spectrum, mouse) || is_in(&view->layout.axis, mouse) ||
           is_in(&view->layout.waterfall, mouse);
}

static double hz_under(const weir_view *view, const weir_mouse *mouse)
{
    const weir_rect *rect = &view->layout.waterfall;
    return weir_axis_hz(&view->axis, rect->n_columns, (double)(mouse->column - rect->column) + 0.5);
}

bool weir_view_line_under_mouse(const weir_view *view, uint64_t *line)
{
    uint64_t pairs = weir_view_pairs(view);
    if (!view->is_over_waterfall || view->over_row >= pairs) {
        return false;
    }
    uint64_t row = (pairs - 1 - view->over_row) * weir_view_rows_per_cell(view);
    *line = row * view->lines_per_row;
    return true;
}

static void point(weir_view *view, const weir_mouse *mouse)
{
    view->is_over_waterfall = is_in(&view->layout.waterfall, mouse);
    if (view->is_over_waterfall) {
        view->over_row = mouse->row - view->layout.waterfall.row;
    }
    if (is_in_plot(view, mouse)) {
        view->cursor_hz = hz_under(view, mouse);
        view->has_cursor = true;
    }
}

/* The frequency that was pressed on stays under the mouse. */
static void drag(weir_view *view, const weir_mouse *mouse)
{
    if (!view->is_pressed || !is_in_plot(view, mouse)) {
        return;
    }
    double n = (double)view->layout.waterfall.n_columns;
    double columns =
        weir_axis_column(&view->axis, view->layout.waterfall.n_columns, view->pressed_hz) -
        weir_axis_column(&view->axis, view->layout.waterfall.n_columns, hz_under(view, mouse));
    if (fabs(columns) > 0.25) {
        view->has_dragged = true;
        weir_view_axis_pan(view, columns / n);
    }
}

static void wheel(weir_view *view, const weir_mouse *mouse, bool is_up)
{
    if (is_in_plot(view, mouse)) {
        point(view, mouse);
        weir_view_axis_zoom(view, is_up ? WHEEL_ZOOM : 1.0 / WHEEL_ZOOM);
    } else if (mouse->column < view->layout.gutter) {
        weir_range_shift(&view->range, is_up ? WHEEL_DB : -WHEEL_DB);
    }
}

void weir_view_take_mouse(weir_view *view, const weir_mouse *mouse)
{
    if (view->layout.is_too_small || !view->has_axis) {
        return;
    }
    switch (mouse->event) {
    case WEIR_MOUSE_MOVE:
        point(view, mouse);
        break;
    case WEIR_MOUSE_PRESS:
        view->is_pressed = is_in_plot(view, mouse);
        view->has_dragged = false;
        point(view, mouse);
        view->pressed_hz = view->cursor_hz;
        break;
    case WEIR_MOUSE_DRAG:
        drag(view, mouse);
        point(view, mouse);
        break;
    case WEIR_MOUSE_RELEASE:
        if (view->is_pressed && !view->has_dragged) {
            weir_view_add_marker(view, WEIR_MARKER_LEVEL);
        }
        view->is_pressed = false;
        break;
    case WEIR_MOUSE_WHEEL_UP:
    case WEIR_MOUSE_WHEEL_DOWN:
        wheel(view, mouse, mouse->event == WEIR_MOUSE_WHEEL_UP);
        break;
    }
}
