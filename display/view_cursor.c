/* Cursor, peaks and markers: places on the frequency axis, read out to the bin. */
#include "display/view_state.h"

#include "base/text.h"
#include "base/units.h"
#include "dsp/correct.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define PEAK_NEIGHBOURS 2
#define PEAK_OVER_FLOOR_DB 8.0f
#define A4_HZ 440.0
#define NOISE_PART 0.05 /* of the columns: the width that a noise marker is the mean of */
/* Notes that somebody plays: below a piano's lowest, above its highest. */
#define NOTE_LOW_HZ 20.0
#define NOTE_HIGH_HZ 8000.0

static double column_of(const weir_view *view, double hz)
{
    return weir_axis_column(&view->axis, view->layout.waterfall.n_columns, hz);
}

/* The trace that a reading is of: what the eye follows. */
static weir_held read_trace(const weir_view *view)
{
    return view->holds_max && view->has_trace[WEIR_HELD_MAX] ? WEIR_HELD_MAX : WEIR_HELD_LIVE;
}

static bool peak_between(const weir_view *view, double low_hz, double high_hz, weir_peak *peak)
{
    weir_held held = read_trace(view);
    weir_reading how = {.scale = &view->stream.scale, .lobe = &view->peak_lobe};
    if (view->is_paused && held == WEIR_HELD_LIVE) {
        return view->top_line > 0 && weir_history_line_peak(view->history, view->top_line - 1,
                                                            low_hz, high_hz, &how, peak);
    }
    return weir_history_trace_peak(view->history, held, low_hz, high_hz, &how, peak);
}

/* The highest bin in the column that a frequency lies in. */
static bool peak_in_column(const weir_view *view, double hz, weir_peak *peak)
{
    size_t n = view->layout.waterfall.n_columns;
    double column = floor(column_of(view, hz));
    return peak_between(view, weir_axis_hz(&view->axis, n, column),
                        weir_axis_hz(&view->axis, n, column + 1.0), peak);
}

void weir_view_move_cursor(weir_view *view, int columns)
{
    double n = (double)view->layout.waterfall.n_columns;
    if (n < 1.0) {
        return; /* too small to show one */
    }
    double column = view->has_cursor ? floor(column_of(view, view->cursor_hz)) + columns : n / 2.0;
    column = fmin(fmax(floor(column), 0.0), n - 1.0);
    view->cursor_hz = weir_axis_hz(&view->axis, view->layout.waterfall.n_columns, column + 0.5);
    view->has_cursor = true;
}

/* Higher than its neighbours, and well over the floor. */
static bool is_peak(const float *levels, size_t n, size_t i, float least_db)
{
    if (!(levels[i] >= least_db)) {
        return false;
    }
    for (size_t k = 1; k <= PEAK_NEIGHBOURS; k++) {
        if ((i >= k && levels[i - k] > levels[i]) || (i + k < n && levels[i + k] >= levels[i])) {
            return false;
        }
    }
    return true;
}

/* The highest peak that is lower than column `from` (or the lowest higher one), not at
 * it; of all with from = n. n if there is none. */
static size_t next_peak(const float *levels, size_t n, float least_db, size_t from, bool above)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        bool is_here = from < n && (i > from ? i - from : from - i) <= PEAK_NEIGHBOURS;
        bool is_beyond = from == n || (above ? levels[i] > levels[from] : levels[i] < levels[from]);
        if (is_here || !is_beyond || !is_peak(levels, n, i, least_db)) {
            continue;
        }
        if (best == n || (above ? levels[i] < levels[best] : levels[i] > levels[best])) {
            best = i;
        }
    }
    return best;
}

/* Between the bins, but in the column it was found in, so that it is read there again. */
static double peak_hz_in(const weir_view *view, const weir_peak *peak, size_t n_columns,
                         double column)
{
    double low_hz = weir_axis_hz(&view->axis, n_columns, column);
    double high_hz = weir_axis_hz(&view->axis, n_columns, column + 1.0);
    return fmin(fmax(peak->hz, low_hz), high_hz - 1e-6 * (high_hz - low_hz));
}

void weir_view_find_peak(weir_view *view, int which)
{
    if (view->layout.waterfall.n_rows == 0) {
        return;
    }
    weir_view_take_traces(view, 0.0f); /* a key before this one may have moved the axis */
    weir_held held = read_trace(view);
    const float *levels = view->traces[held];
    size_t n = view->n_trace, from = n;
    float floor_db, peak_db;
    weir_peak peak;
    if (!view->has_trace[held] ||
        !weir_range_measure(levels, n, view->scratch, &floor_db, &peak_db)) {
        return;
    }
    if (which != 0 && view->has_cursor) {
        double column = floor(weir_axis_column(&view->axis, n, view->cursor_hz));
        from = column >= 0.0 && column < (double)n ? (size_t)column : n;
    }
    size_t i = next_peak(levels, n, floor_db + PEAK_OVER_FLOOR_DB, from, which < 0);
    if (i == n) {
        weir_view_message(view, false, "no such peak");
        return;
    }
    if (peak_between(view, weir_axis_hz(&view->axis, n, (double)i),
                     weir_axis_hz(&view->axis, n, (double)i + 1.0), &peak)) {
        view->cursor_hz = peak_hz_in(view, &peak, n, (double)i);
        view->has_cursor = true;
    }
}

void weir_view_add_marker(weir_view *view, weir_marker_kind kind)
{
    if (!view->has_cursor) {
        weir_view_find_peak(view, 0);
    }
    if (!view->has_cursor) {
        return;
    }
    if (view->n_markers == WEIR_MARKERS_MAX) {
        weir_view_message(view, true, "no more than %d markers; K drops them", WEIR_MARKERS_MAX);
        return;
    }
    weir_peak peak;
    double hz = view->cursor_hz;
    if (peak_in_column(view, hz, &peak)) {
        hz = peak_hz_in(view, &peak, view->layout.waterfall.n_columns, floor(column_of(view, hz)));
    }
    if (view->n_markers == 0 && kind == WEIR_MARKER_DELTA) {
        kind = WEIR_MARKER_LEVEL;
        weir_view_message(view, false, "marker 1 is what the next ones are compared with");
    }
    view->markers[view->n_markers++] = (weir_view_marker){hz, kind};
}

static void add_text(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_text(char *text, size_t size, const char *format, ...)
{
    size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    weir_vsnprintf(text + n, size - n, format, args);
    va_end(args);
}

/* Of a bin that was not measured. */
static void add_made_up(const weir_view *view, const weir_spectrum *line, double hz, char *text,
                        size_t size)
{
    if (weir_made_up_at(&line->made_up, hz, view->bin_hz)) {
        add_text(text, size, " (interpolated)");
    }
}

/* "433.3200 MHz -32.1 dBFS" */
static void write_reading(const weir_view *view, const weir_spectrum *line, const weir_peak *peak,
                          char *text, size_t size)
{
    weir_format_hz(text, size, peak->hz, 0.1 * view->bin_hz);
    add_text(text, size, " %.1f %s", peak->level_db, view->unit);
    add_made_up(view, line, peak->hz, text, size);
}

/* "+12.5000 kHz -3.1 dB" */
static void add_difference(const weir_view *view, const weir_peak *from, const weir_peak *to,
                           char *text, size_t size)
{
    weir_marker a = {.hz = from->hz, .level_db = from->level_db};
    weir_marker b = {.hz = to->hz, .level_db = to->level_db};
    weir_marker_delta delta = weir_marker_difference(&a, &b);
    char number[48];
    weir_format_hz(number, sizeof number, delta.delta_hz, 0.1 * view->bin_hz);
    add_text(text, size, "%s%s %+.1f dB", delta.delta_hz > 0.0 ? "+" : "", number, delta.delta_db);
    add_made_up(view, &view->newest, to->hz, text, size);
}

/* What the cursor points at: in the waterfall the line under the mouse, and its time. */
static bool peak_under_mouse(const weir_view *view, weir_peak *peak, weir_view_line *info)
{
    size_t n = view->layout.waterfall.n_columns;
    double column = floor(column_of(view, view->cursor_hz));
    weir_reading how = {.scale = &view->stream.scale, .lobe = &view->peak_lobe};
    uint64_t line;
    float probe;
    if (!weir_view_line_under_mouse(view, &line) ||
        !weir_history_line(view->history, line, &view->axis, 1, &probe, info)) {
        return false;
    }
    return weir_history_line_peak(view->history, line, weir_axis_hz(&view->axis, n, column),
                                  weir_axis_hz(&view->axis, n, column + 1.0), &how, peak);
}

/* The channel's name, where the axis shows names. */
static void add_channel(const weir_view *view, double hz, char *text, size_t size)
{
    double column_hz =
        (view->axis.high_hz - view->axis.low_hz) / (double)view->layout.waterfall.n_columns;
    const weir_label *label =
        view->hides_labels ? NULL : weir_labels_at(&view->labels, hz, column_hz);
    if (label) {
        add_text(text, size, " %s", label->name);
    }
}

bool weir_view_cursor_text(const weir_view *view, char *text, size_t size)
{
    weir_peak peak, first;
    char number[48];
    weir_view_line line;
    if (!view->has_cursor) {
        return false;
    }
    if (peak_under_mouse(view, &peak, &line)) {
        double seconds = weir_view_begin_s(view, &line.info, line.begin_s);
        write_reading(view, &line.info, &peak, text, size);
        add_text(text, size, " at %s", weir_format_seconds(number, sizeof number, seconds, 0.001));
        return true;
    }
    if (!peak_in_column(view, view->cursor_hz, &peak)) {
        return false;
    }
    write_reading(view, &view->newest, &peak, text, size);
    if (view->is_paused) { /* of the newest line shown */
        double begin_s = weir_view_begin_s(view, &view->newest, view->newest_begin_s);
        add_text(text, size, " at %s", weir_format_seconds(number, sizeof number, begin_s, 0.001));
    }
    if (!view->stream.format.is_complex && peak.hz > NOTE_LOW_HZ && peak.hz < NOTE_HIGH_HZ) {
        add_text(text, size, " %s", weir_note_name(number, sizeof number, peak.hz, A4_HZ));
    }
    add_channel(view, peak.hz, text, size);
    if (view->n_markers > 0 && peak_in_column(view, view->markers[0].hz, &first) &&
        first.bin != peak.bin) {
        add_text(text, size, " (");
        add_difference(view, &first, &peak, text, size);
        add_text(text, size, ")");
    }
    return true;
}

/* A line down through the blanks of the spectrum, so that it hides nothing. */
static void draw_line(weir_view *view, double hz, weir_ink ink)
{
    const weir_rect *rect = &view->layout.spectrum;
    double column = floor(column_of(view, hz));
    if (column < 0.0 || column >= (double)view->layout.waterfall.n_columns) {
        return;
    }
    size_t c = view->layout.waterfall.column + (size_t)column;
    weir_pen pen = weir_view_pen(view, ink);
    for (size_t r = rect->row; r < rect->row + rect->n_rows; r++) {
        uint32_t there = weir_cells_at(view->cells, c, r).glyph;
        if (there == ' ' || there == 0xb7 || there == '.') {
            weir_cells_put(view->cells, c, r, view->caps.is_utf8 ? 0x250a : ':', pen);
        }
    }
    if (view->layout.axis.n_rows > 1) {
        weir_cells_put(view->cells, c, view->layout.axis.row, view->caps.is_utf8 ? 0x25b2 : '^',
                       pen);
    }
}

static void draw_marker_number(weir_view *view, size_t i)
{
    const weir_rect *rect = &view->layout.spectrum;
    double column = floor(column_of(view, view->markers[i].hz));
    if (column >= 0.0 && column < (double)rect->n_columns && rect->n_rows > 0) {
        weir_cells_put(view->cells, rect->column + (size_t)column, rect->row, (uint32_t)('1' + i),
                       weir_view_pen(view, WEIR_INK_CURSOR));
    }
}

/* "1-2 band -20.1 dBFS": the power between the first two; less than a bin apart, as two on one peak
 * are, there is nothing between. */
static bool write_band(const weir_view *view, char *text, size_t size)
{
    double a = view->markers[0].hz, b = view->markers[1].hz, level_db;
    if (view->n_markers < 2 || fabs(a - b) < view->newest.bin_hz ||
        !weir_history_trace_band(view->history, read_trace(view), fmin(a, b), fmax(a, b),
                                 &view->stream.scale, &level_db)) {
        return false;
    }
    weir_snprintf(text, size, " 1-2 band %.1f %s ", level_db, view->unit);
    return true;
}

typedef char table_line[96];

static void add_level(const weir_view *view, double hz, char *text, size_t size)
{
    weir_peak peak;
    size_t n = strlen(text);
    if (peak_in_column(view, hz, &peak)) {
        write_reading(view, &view->newest, &peak, text + n, size - n);
    }
}

static void add_delta(const weir_view *view, double hz, char *text, size_t size)
{
    weir_peak first, peak;
    if (peak_in_column(view, view->markers[0].hz, &first) && peak_in_column(view, hz, &peak)) {
        add_text(text, size, "%s", view->caps.is_utf8 ? "\u0394 " : "d ");
        add_difference(view, &first, &peak, text, size);
    }
}

/* As many columns around it as ever, so that on a log axis a low frequency is not lost in what
 * lies above it. */
static double noise_width_hz(const weir_view *view, double hz)
{
    size_t n = view->layout.waterfall.n_columns;
    double half = 0.5 * NOISE_PART * (double)n, column = weir_axis_column(&view->axis, n, hz);
    return weir_axis_hz(&view->axis, n, column + half) -
           weir_axis_hz(&view->axis, n, column - half);
}

/* Of the live trace: held maxima of noise are no noise. A folded trace has none. */
static void add_noise(const weir_view *view, double hz, char *text, size_t size)
{
    weir_scale density = view->stream.scale;
    char number[48], unit[24];
    double db_per_hz;
    density.quantity = WEIR_DENSITY;
    add_text(text, size, "%s ", weir_format_hz(number, sizeof number, hz, 0.1 * view->bin_hz));
    if (weir_history_trace_noise(view->history, WEIR_HELD_LIVE, hz, noise_width_hz(view, hz),
                                 &density, &db_per_hz)) {
        add_text(text, size, "%.1f %s", db_per_hz, weir_scale_unit(&density, unit, sizeof unit));
        add_made_up(view, &view->newest, hz, text, size);
    }
}

static void write_marker(const weir_view *view, size_t i, char *text, size_t size)
{
    static void (*const add[])(const weir_view *, double, char *, size_t) = {
        [WEIR_MARKER_LEVEL] = add_level,
        [WEIR_MARKER_DELTA] = add_delta,
        [WEIR_MARKER_NOISE] = add_noise,
    };
    weir_snprintf(text, size, " %zu ", i + 1);
    add[view->markers[i].kind](view, view->markers[i].hz, text, size);
    add_text(text, size, " ");
}

/* Top right of the spectrum, where there is room. */
static void draw_table(weir_view *view)
{
    const weir_rect *rect = &view->layout.spectrum;
    table_line lines[WEIR_MARKERS_MAX + 1];
    size_t n = 0, widest = 0;
    for (; n < view->n_markers; n++) {
        write_marker(view, n, lines[n], sizeof lines[n]);
    }
    n += write_band(view, lines[n], sizeof lines[n]);
    for (size_t i = 0; i < n; i++) {
        size_t width = weir_text_columns(lines[i]);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < n && i + 1 < rect->n_rows && widest + 2 < rect->n_columns; i++) {
        size_t column = rect->column + rect->n_columns - widest;
        weir_cells_fill(view->cells, column, rect->row + 1 + i, widest, 1, ' ', (weir_pen){0});
        weir_cells_text(view->cells, column, rect->row + 1 + i, widest, lines[i],
                        weir_view_pen(view, WEIR_INK_CURSOR));
    }
}

void weir_view_draw_cursor(weir_view *view)
{
    for (size_t i = 0; i < view->n_markers; i++) {
        draw_line(view, view->markers[i].hz, WEIR_INK_FAINT);
        draw_marker_number(view, i);
    }
    if (view->has_cursor) {
        draw_line(view, view->cursor_hz, WEIR_INK_CURSOR);
    }
    draw_table(view);
}
