/* The frequency axis: which part of the spectrum is shown, and its ruler. */
#include "display/ticks.h"
#include "display/view_state.h"

#include "base/text.h"
#include "dsp/correct.h"

#include <math.h>
#include <string.h>

#define TICKS_MAX 128
#define LOG_DECADES_MAX 3.0
/* A log axis of less than this ratio has too few of its own marks. */
#define LINEAR_TICKS_BELOW 8.0
/* With fewer names of notes in sight nobody knows where on the axis that is. */
#define LEAST_NOTES 2

/* On a log axis all is done in the logarithm, so that a step looks the same everywhere. */
static double to_scale(const weir_axis *axis, double hz)
{
    return axis->is_log ? log(hz) : hz;
}

static double from_scale(const weir_axis *axis, double value)
{
    return axis->is_log ? exp(value) : value;
}

/* A log axis needs a positive start: three decades down, or the first bin. */
static double lowest_hz(const weir_view *view)
{
    double log_low = view->full_high_hz / pow(10.0, LOG_DECADES_MAX);
    return view->axis.is_log ? fmax(view->full_low_hz, log_low) : view->full_low_hz;
}

/* Moves and cuts [low, high] (on the axis's scale) so that it lies in the spectrum. */
static void set_axis(weir_view *view, double low, double high)
{
    weir_axis *axis = &view->axis;
    double least = to_scale(axis, lowest_hz(view)), most = to_scale(axis, view->full_high_hz);
    double span = fmin(high - low, most - least);
    low = fmin(fmax(low, least), most - span);
    axis->low_hz = from_scale(axis, low);
    axis->high_hz = from_scale(axis, low + span);
}

void weir_view_axis_reset(weir_view *view)
{
    view->axis.low_hz = lowest_hz(view);
    view->axis.high_hz = view->full_high_hz;
}

bool weir_view_axis_set(weir_view *view, weir_view_axis kind)
{
    bool is_log = kind != WEIR_AXIS_LINEAR, was_log = view->axis.is_log;
    if (is_log && (view->full_low_hz < -view->bin_hz || view->full_high_hz <= 0.0)) {
        return false;
    }
    view->axis.is_log = is_log;
    view->names_notes = kind == WEIR_AXIS_NOTES;
    if (is_log != was_log) {
        weir_view_axis_reset(view);
    }
    return true;
}

weir_view_axis weir_view_axis_kind(const weir_view *view)
{
    return view->names_notes   ? WEIR_AXIS_NOTES
           : view->axis.is_log ? WEIR_AXIS_LOG
                               : WEIR_AXIS_LINEAR;
}

void weir_view_axis_follow(weir_view *view, const weir_spectrum *spectrum)
{
    double low = spectrum->start_hz - 0.5 * spectrum->bin_hz;
    double high = low + (double)spectrum->n_bins * spectrum->bin_hz;
    double moved = low - view->full_low_hz;
    /* Another N moves the outer edges of the outer bins, less than a bin. */
    double changed = fabs((high - low) - (view->full_high_hz - view->full_low_hz));
    bool is_same_span = view->has_axis && changed < 1.01 * fmax(spectrum->bin_hz, view->bin_hz);
    if (is_same_span && moved == 0.0 && changed == 0.0) {
        return;
    }
    bool is_whole =
        view->axis.low_hz <= lowest_hz(view) && view->axis.high_hz >= view->full_high_hz;
    view->full_low_hz = low;
    view->full_high_hz = high;
    view->bin_hz = spectrum->bin_hz;
    if (is_same_span && !is_whole) { /* retuned: keep the zoom */
        set_axis(view, to_scale(&view->axis, view->axis.low_hz + moved),
                 to_scale(&view->axis, view->axis.high_hz + moved));
        return;
    }
    if (!view->has_axis) { /* what cannot be had stays linear */
        (void)weir_view_axis_set(view, view->config.axis);
    }
    weir_view_axis_reset(view);
    if (!view->has_axis && view->config.high_hz > view->config.low_hz) {
        double low_hz = fmax(view->config.low_hz, lowest_hz(view)); /* of a log axis: positive */
        set_axis(view, to_scale(&view->axis, low_hz),
                 to_scale(&view->axis, fmax(view->config.high_hz, low_hz)));
    }
    view->has_axis = true;
}

/* Down to one bin in four columns; around the cursor, or else the centre. */
void weir_view_axis_zoom(weir_view *view, double factor)
{
    weir_axis *axis = &view->axis;
    double columns = (double)view->layout.waterfall.n_columns;
    double least_hz = view->bin_hz * fmax(columns / 4.0, 1.0);
    double low = to_scale(axis, axis->low_hz), high = to_scale(axis, axis->high_hz);
    double about = view->has_cursor ? to_scale(axis, view->cursor_hz) : 0.5 * (low + high);
    if (factor < 1.0 && factor * (axis->high_hz - axis->low_hz) < least_hz) {
        factor = fmin(least_hz / (axis->high_hz - axis->low_hz), 1.0);
    }
    set_axis(view, about + factor * (low - about), about + factor * (high - about));
}

void weir_view_axis_pan(weir_view *view, double part)
{
    double low = to_scale(&view->axis, view->axis.low_hz);
    double high = to_scale(&view->axis, view->axis.high_hz);
    set_axis(view, low + part * (high - low), high + part * (high - low));
}

/* 1, 2, 5 in each decade, for a log axis. The prefix changes along it, so that it goes
 * with the label: 500, 1k, 2k. */
static void write_log_label(double hz, weir_tick *tick)
{
    static const char prefixes[] = " kMGT";
    size_t i = 0;
    tick->value = hz;
    for (; hz >= 999.5 && i + 2 < sizeof prefixes; hz /= 1000.0) {
        i++;
    }
    weir_snprintf(tick->label, sizeof tick->label, i > 0 ? "%.4g%c" : "%.4g", hz, prefixes[i]);
}

static size_t log_ticks(const weir_axis *axis, weir_tick *ticks)
{
    static const double steps[] = {1.0, 2.0, 5.0};
    size_t n = 0;
    int decade = (int)floor(log10(axis->low_hz));
    for (; pow(10.0, decade) <= axis->high_hz; decade++) {
        for (size_t i = 0; i < 3 && n < TICKS_MAX; i++) {
            double hz = steps[i] * pow(10.0, decade);
            if (hz >= axis->low_hz && hz <= axis->high_hz) {
                write_log_label(hz, &ticks[n++]);
            }
        }
    }
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

/* On a log axis semitones lie evenly. Between two notes there are none. */
static size_t note_ticks(const weir_axis *axis, size_t n_columns, weir_tick *ticks)
{
    double semitones = 12.0 * log2(axis->high_hz / axis->low_hz);
    return weir_ticks_notes(axis->low_hz, axis->high_hz, (double)n_columns / semitones, TICKS_MAX,
                            ticks);
}

/* *zero_hz gets what the ticks are counted from. */
static size_t choose_ticks(const weir_view *view, weir_tick *ticks, char unit[8], double *zero_hz)
{
    size_t n_columns = view->layout.axis.n_columns;
    weir_axis axis = view->axis;
    *zero_hz = 0.0;
    size_t n_notes = view->names_notes ? note_ticks(&axis, n_columns, ticks) : 0;
    if (n_notes >= LEAST_NOTES) {
        unit[0] = '\0'; /* nothing to say */
        return n_notes;
    }
    if (axis.is_log && axis.high_hz > LINEAR_TICKS_BELOW * axis.low_hz) {
        return log_ticks(&axis, ticks);
    }
    *zero_hz = view->is_offset ? view->newest.center_hz : 0.0;
    axis.low_hz -= *zero_hz;
    axis.high_hz -= *zero_hz;
    return linear_ticks(&axis, n_columns, ticks, unit);
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

/* Where a column holds a bin that was not measured. */
static void draw_made_up(weir_view *view, size_t row)
{
    const weir_rect *rect = &view->layout.axis;
    const weir_made_up *made_up = &view->newest.made_up;
    for (size_t c = 0; c < rect->n_columns && made_up->n_runs > 0; c++) {
        double low_hz = weir_axis_hz(&view->axis, rect->n_columns, (double)c);
        double high_hz = weir_axis_hz(&view->axis, rect->n_columns, (double)c + 1.0);
        double most_bin_hz = 0.5 * fmax(0.0, view->bin_hz - (high_hz - low_hz));
        if (weir_made_up_between(made_up, low_hz - most_bin_hz, high_hz + most_bin_hz)) {
            weir_cells_put(view->cells, rect->column + c, row, view->caps.is_utf8 ? 0x2248 : '~',
                           weir_view_pen(view, WEIR_INK_ALARM));
        }
    }
}

/* Columns that labels may take. */
typedef struct room {
    size_t from, end;
} room;

/* Centred on its mark, pushed inside at the ends; not over the label before, nor away from a mark
 * over the unit. */
static void draw_label(weir_view *view, size_t row, double position, const char *label, room *left)
{
    const weir_rect *rect = &view->layout.axis;
    size_t length = strlen(label);
    double start = floor(position) - floor((double)length / 2.0);
    double last = (double)left->end - (double)length;
    start = start > last ? last : start;
    start = start < 0.0 ? 0.0 : start;
    bool is_under_unit = left->end < rect->n_columns && position > (double)left->end + 1.0;
    if ((size_t)start < left->from || length > left->end || is_under_unit) {
        return;
    }
    weir_cells_text(view->cells, rect->column + (size_t)start, row, length, label,
                    weir_view_pen(view, WEIR_INK_TEXT));
    left->from = (size_t)start + length + 1;
}

/* Returns the columns of the axis that are left for labels. */
static size_t draw_unit(weir_view *view, size_t row, const char *unit)
{
    const weir_rect *rect = &view->layout.axis;
    size_t length = strlen(unit);
    if (view->layout.gutter > length + 2) {
        weir_cells_text(view->cells, view->layout.gutter - 2 - length, row, length, unit,
                        weir_view_pen(view, WEIR_INK_FAINT));
    } else if (length > 0 && rect->n_columns > length + 8) { /* no gutter: at the right end */
        weir_cells_text(view->cells, rect->column + rect->n_columns - length, row, length, unit,
                        weir_view_pen(view, WEIR_INK_FAINT));
        return rect->n_columns - length - 1;
    }
    return rect->n_columns;
}

void weir_view_draw_axis(weir_view *view)
{
    const weir_rect *rect = &view->layout.axis;
    size_t label_row = rect->row + rect->n_rows - 1;
    bool has_ruler = rect->n_rows > 1;
    weir_tick ticks[TICKS_MAX];
    char unit[8] = "Hz";
    double zero_hz;
    if (has_ruler) {
        draw_ruler(view, rect->row);
    }
    weir_view_draw_gutter(view, label_row, "", WEIR_INK_FAINT);
    if (!view->has_axis) {
        return;
    }
    size_t n = choose_ticks(view, ticks, unit, &zero_hz);
    room left = {.end = draw_unit(view, label_row, unit)};
    for (size_t i = 0; i < n; i++) {
        double position = weir_axis_column(&view->axis, rect->n_columns, ticks[i].value + zero_hz);
        size_t column =
            position >= (double)rect->n_columns ? rect->n_columns - 1 : (size_t)fmax(position, 0.0);
        if (has_ruler) {
            weir_cells_put(view->cells, rect->column + column, rect->row,
                           view->caps.is_utf8 ? 0x252c : '+', weir_view_pen(view, WEIR_INK_FAINT));
        }
        draw_label(view, label_row, position, ticks[i].label, &left);
    }
    if (has_ruler) {
        draw_made_up(view, rect->row);
    }
    weir_view_draw_labels(view);
}
