/* The frequency axis: which part of the spectrum is shown, and its ruler. */
#include "display/ticks.h"
#include "display/view_state.h"

#include <math.h>
#include <string.h>

#define TICKS_MAX 128
#define LOG_DECADES_MAX 3.0

/* A log axis needs a positive start: three decades, or from the first bin. */
static double log_low_hz(double low_hz, double high_hz)
{
    return fmax(low_hz, high_hz / pow(10.0, LOG_DECADES_MAX));
}

static void clamp_axis(weir_view *view)
{
    weir_axis *axis = &view->axis;
    double full = view->full_high_hz - view->full_low_hz;
    double span = axis->high_hz - axis->low_hz;
    span = span > full ? full : span;
    axis->low_hz = fmin(fmax(axis->low_hz, view->full_low_hz), view->full_high_hz - span);
    axis->high_hz = axis->low_hz + span;
    if (axis->is_log) {
        axis->low_hz = log_low_hz(axis->low_hz, axis->high_hz);
    }
}

void weir_view_axis_reset(weir_view *view)
{
    view->axis.low_hz = view->full_low_hz;
    view->axis.high_hz = view->full_high_hz;
    clamp_axis(view);
}

void weir_view_axis_follow(weir_view *view, const weir_spectrum *spectrum)
{
    double low = spectrum->start_hz - 0.5 * spectrum->bin_hz;
    double high = low + (double)spectrum->n_bins * spectrum->bin_hz;
    double moved = low - view->full_low_hz;
    bool is_same_span =
        view->has_axis &&
        fabs((high - low) - (view->full_high_hz - view->full_low_hz)) < 0.5 * spectrum->bin_hz;
    if (is_same_span && moved == 0.0) {
        return;
    }
    view->full_low_hz = low;
    view->full_high_hz = high;
    if (is_same_span) { /* retuned: keep the zoom */
        view->axis.low_hz += moved;
        view->axis.high_hz += moved;
        clamp_axis(view);
        return;
    }
    weir_view_axis_reset(view);
    if (!view->has_axis && view->config.high_hz > view->config.low_hz) {
        view->axis.low_hz = view->config.low_hz;
        view->axis.high_hz = view->config.high_hz;
        clamp_axis(view);
    }
    view->has_axis = true;
}

/* Down to one bin in four columns; around the cursor, or else the centre. */
void weir_view_axis_zoom(weir_view *view, double factor)
{
    weir_axis *axis = &view->axis;
    double columns = (double)view->layout.waterfall.n_columns;
    double least = view->newest.bin_hz * fmax(columns / 4.0, 1.0);
    double span = axis->high_hz - axis->low_hz;
    double about = view->has_cursor ? view->cursor_hz : 0.5 * (axis->low_hz + axis->high_hz);
    if (factor * span < least) {
        factor = fmin(least / span, 1.0);
    }
    axis->low_hz = about + factor * (axis->low_hz - about);
    axis->high_hz = axis->low_hz + factor * span;
    clamp_axis(view);
}

void weir_view_axis_pan(weir_view *view, double part)
{
    double by = part * (view->axis.high_hz - view->axis.low_hz);
    view->axis.low_hz += by;
    view->axis.high_hz += by;
    clamp_axis(view);
}

/* 1, 2, 5 in each decade, for a log axis. */
static size_t log_ticks(const weir_axis *axis, weir_tick *ticks, char unit[8])
{
    static const double steps[] = {1.0, 2.0, 5.0};
    size_t n = 0;
    int decade = (int)floor(log10(axis->low_hz));
    for (; n + 3 < TICKS_MAX && pow(10.0, decade) <= axis->high_hz; decade++) {
        for (size_t i = 0; i < 3; i++) {
            double hz = steps[i] * pow(10.0, decade);
            weir_tick one[2];
            char unused[8];
            if (hz >= axis->low_hz && hz <= axis->high_hz &&
                weir_ticks_hz(hz, hz, 1, one, unused) == 1) {
                ticks[n] = one[0];
                /* The unit changes along the axis, so that it goes with the label: 20k. */
                size_t length = strlen(ticks[n].label);
                if (unused[0] != 'H' && length + 2 < sizeof ticks[n].label) {
                    ticks[n].label[length] = unused[0];
                    ticks[n].label[length + 1] = '\0';
                }
                n++;
            }
        }
    }
    memcpy(unit, "Hz", 3);
    return n;
}

static size_t longest_label(const weir_tick *ticks, size_t n)
{
    size_t longest = 1;
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(ticks[i].label);
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* As many labels as fit with two blanks between. */
static size_t linear_ticks(const weir_axis *axis, size_t n_columns, weir_tick *ticks, char unit[8])
{
    size_t wanted = n_columns / 6, n = 0;
    for (; wanted > 0; wanted = wanted * 3 / 4) {
        n = weir_ticks_hz(axis->low_hz, axis->high_hz, wanted < TICKS_MAX ? wanted : TICKS_MAX,
                          ticks, unit);
        if (n == 0 || n * (longest_label(ticks, n) + 3) <= n_columns + 3) {
            break;
        }
    }
    return n;
}

static void draw_ruler(weir_view *view, size_t row)
{
    const weir_rect *rect = &view->layout.axis;
    weir_pen pen = weir_view_pen(view, WEIR_INK_FAINT);
    bool is_utf8 = view->caps.is_utf8;
    weir_cells_fill(view->cells, rect->column, row, rect->n_columns, 1, is_utf8 ? 0x2500 : '-',
                    pen);
    if (view->layout.gutter > 0) {
        weir_cells_put(view->cells, rect->column - 1, row, is_utf8 ? 0x253c : '+', pen);
    }
}

/* Centred on its mark, pushed inside at the ends; not over the label before. Returns
 * the column after it. */
static size_t draw_label(weir_view *view, size_t row, double position, const char *label,
                         size_t free_from)
{
    const weir_rect *rect = &view->layout.axis;
    size_t length = strlen(label);
    double start = floor(position) - floor((double)length / 2.0);
    double last = (double)rect->n_columns - (double)length;
    start = start > last ? last : start;
    start = start < 0.0 ? 0.0 : start;
    if ((size_t)start < free_from || length > rect->n_columns) {
        return free_from;
    }
    weir_cells_text(view->cells, rect->column + (size_t)start, row, length, label,
                    weir_view_pen(view, WEIR_INK_TEXT));
    return (size_t)start + length + 1;
}

static void draw_unit(weir_view *view, size_t row, const char *unit)
{
    const weir_rect *rect = &view->layout.axis;
    size_t length = strlen(unit);
    if (view->layout.gutter > length + 2) {
        weir_cells_text(view->cells, view->layout.gutter - 2 - length, row, length, unit,
                        weir_view_pen(view, WEIR_INK_FAINT));
    } else if (rect->n_columns > length + 8) { /* no gutter: at the right end */
        weir_cells_put(view->cells, rect->column + rect->n_columns - length - 1, row, ' ',
                       weir_view_pen(view, WEIR_INK_FAINT));
        weir_cells_text(view->cells, rect->column + rect->n_columns - length, row, length, unit,
                        weir_view_pen(view, WEIR_INK_FAINT));
    }
}

void weir_view_draw_axis(weir_view *view)
{
    const weir_rect *rect = &view->layout.axis;
    size_t label_row = rect->row + rect->n_rows - 1, free_from = 0;
    bool has_ruler = rect->n_rows > 1;
    weir_tick ticks[TICKS_MAX];
    char unit[8] = "Hz";
    if (has_ruler) {
        draw_ruler(view, rect->row);
    }
    weir_view_draw_gutter(view, label_row, "", WEIR_INK_FAINT);
    if (!view->has_axis) {
        return;
    }
    size_t n = view->axis.is_log ? log_ticks(&view->axis, ticks, unit)
                                 : linear_ticks(&view->axis, rect->n_columns, ticks, unit);
    for (size_t i = 0; i < n; i++) {
        double position = weir_axis_column(&view->axis, rect->n_columns, ticks[i].value);
        size_t column =
            position >= (double)rect->n_columns ? rect->n_columns - 1 : (size_t)fmax(position, 0.0);
        if (has_ruler) {
            weir_cells_put(view->cells, rect->column + column, rect->row,
                           view->caps.is_utf8 ? 0x252c : '+', weir_view_pen(view, WEIR_INK_FAINT));
        }
        free_from = draw_label(view, label_row, position, ticks[i].label, free_from);
    }
    draw_unit(view, label_row, unit);
}
