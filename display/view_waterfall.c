/* The waterfall panel: newest on top, times in the gutter. */
#include "display/ticks.h"
#include "display/view_state.h"

#include "base/text.h"
#include "base/units.h"

#include <math.h>

#define LONG_LINE_SECONDS 0.5 /* before that nobody asks */

static const char letter_ramp[] = " .:-=+*#%@";
/* UTF-8 without colour: four shades. */
static const uint32_t shade_ramp[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};

uint64_t weir_view_pairs(const weir_view *view)
{
    uint64_t rows = (view->top_line + view->lines_per_row - 1) / view->lines_per_row;
    uint64_t per_cell = weir_view_rows_per_cell(view);
    return (rows + per_cell - 1) / per_cell;
}

static weir_color pixel(const weir_view *view, const weir_picture_row *row, size_t c)
{
    if (row->is_gap) {
        return view->palette[WEIR_PALETTE_LEVELS];
    }
    float level = row->levels_db[c];
    return isnan(level) ? WEIR_COLOR_DEFAULT : view->palette[weir_view_shade(view, level)];
}

static uint32_t letter(const weir_view *view, const weir_picture_row *row, size_t c)
{
    if (row->is_gap) {
        return '~';
    }
    size_t shade = isnan(row->levels_db[c]) ? 0 : weir_view_shade(view, row->levels_db[c]);
    if (view->caps.is_utf8) {
        return shade_ramp[shade * 5 / WEIR_PALETTE_LEVELS];
    }
    return (uint32_t)letter_ramp[shade * 10 / WEIR_PALETTE_LEVELS];
}

/* Equal halves make a blank: fewer bytes. upper NULL: that row has not come yet. */
static weir_cell half_blocks(const weir_view *view, const weir_picture_row *upper,
                             const weir_picture_row *lower, size_t c)
{
    weir_color bottom = pixel(view, lower, c);
    if (!upper) {
        return (weir_cell){0x2584, {.fg = bottom}};
    }
    weir_color top = pixel(view, upper, c);
    if (top == bottom) {
        return (weir_cell){' ', {.bg = bottom}};
    }
    return (weir_cell){0x2580, {.fg = top, .bg = bottom}};
}

static weir_cell one_row(const weir_view *view, const weir_picture_row *row, size_t c)
{
    if (weir_view_pixels(view) == WEIR_PIXELS_LETTERS) {
        return (weir_cell){letter(view, row, c), {.fg = WEIR_COLOR_DEFAULT}};
    }
    return (weir_cell){' ', {.bg = pixel(view, row, c)}};
}

/* Seconds between two steps of the waterfall, or 0 while that is not known. */
static double seconds_per_pair(const weir_view *view)
{
    const weir_stream_info *stream = &view->stream;
    double lines = (double)(view->lines_per_row * weir_view_rows_per_cell(view));
    double samples = (double)stream->frames_per_spectrum * (double)stream->hop;
    double newest = (double)(view->newest.end_sample - view->newest.first_sample);
    if (newest >=
        2.0 * samples +
            (double)stream->n_fft) { /* "all", or a sweep's pass: as long as the newest one */
        samples = newest;
    }
    return stream->rate_hz > 0.0 ? lines * samples / stream->rate_hz : 0.0;
}

/* A round step that puts labels about four rows apart. */
static double label_step(const weir_view *view)
{
    double span = seconds_per_pair(view) * (double)view->layout.waterfall.n_rows;
    size_t wanted = view->layout.waterfall.n_rows / 4 + 2;
    weir_tick ticks[64];
    size_t n = span > 0.0 ? weir_ticks_seconds(0.0, span, wanted < 64 ? wanted : 64, ticks) : 0;
    return n > 1 ? ticks[1].value - ticks[0].value : 0.0;
}

/* 0.25 -> 0.01: the unit of its last decimal. */
static double last_decimal(double step)
{
    double unit = 1.0;
    for (int i = 0; i < 9 && fabs(step / unit - round(step / unit)) > 1e-6; i++) {
        unit /= 10.0;
    }
    return unit;
}

/* Says the time where a round one lies between the pair below and this, and where a replay has
 * gone back. */
static void draw_time(weir_view *view, size_t screen_row, uint64_t pair,
                      const weir_picture_row *row, double step)
{
    char label[32] = "";
    weir_picture_row below;
    uint64_t per_cell = weir_view_rows_per_cell(view);
    if (row->is_gap) {
        weir_view_draw_gutter(view, screen_row, "gap", WEIR_INK_ALARM);
        return;
    }
    double start = weir_view_begin_s(view, &row->info, row->begin_s);
    double before = start - seconds_per_pair(view);
    if (pair > 0 && weir_picture_get(view->picture, view->history, &view->stream.scale,
                                     (pair - 1) * per_cell, &below)) {
        before = weir_view_begin_s(view, &below.info, below.begin_s);
    }
    bool has_gone_back = before > start && step > 0.0;
    /* A start meant to be on a mark is, whatever its rounding. */
    double mark = floor(start / step + 1e-6);
    if (has_gone_back) {
        weir_format_seconds(label, sizeof label, start, last_decimal(step));
    } else if (step > 0.0 && mark > floor(before / step + 1e-6)) {
        weir_format_seconds(label, sizeof label, mark * step, last_decimal(step));
    }
    weir_view_draw_gutter(view, screen_row, label, WEIR_INK_FAINT);
}

/* The row a pair is labelled by: its first, or one with a gap; false where it has none. The
 * first two are kept in rows. */
static bool find_rows(weir_view *view, uint64_t pair, weir_picture_row rows[2], bool there[2],
                      weir_picture_row *labelled)
{
    uint64_t per_cell = weir_view_rows_per_cell(view), from = pair * per_cell;
    uint64_t n_rows = (view->top_line + view->lines_per_row - 1) / view->lines_per_row;
    there[0] = there[1] = false;
    for (uint64_t i = 0; i < per_cell && from + i < n_rows; i++) {
        weir_picture_row row;
        bool is_there =
            weir_picture_get(view->picture, view->history, &view->stream.scale, from + i, &row);
        if (i < 2) {
            rows[i] = row;
            there[i] = is_there;
        }
        if (is_there && (i == 0 || (row.is_gap && !labelled->is_gap))) {
            *labelled = row;
        }
    }
    return there[0];
}

static void draw_pair(weir_view *view, size_t screen_row, uint64_t pair, double step)
{
    const weir_rect *rect = &view->layout.waterfall;
    weir_picture_row rows[2], labelled = {0};
    bool there[2];
    if (!find_rows(view, pair, rows, there, &labelled)) {
        weir_view_draw_gutter(view, screen_row, "", WEIR_INK_FAINT);
        return;
    }
    bool is_halves = weir_view_rows_per_cell(view) == 2;
    for (size_t c = 0; !view->is_in_pixels && c < rect->n_columns; c++) {
        weir_cell cell = is_halves ? half_blocks(view, there[1] ? &rows[1] : NULL, &rows[0], c)
                                   : one_row(view, &rows[0], c);
        weir_cells_put(view->cells, rect->column + c, screen_row, cell.glyph, cell.pen);
    }
    draw_time(view, screen_row, pair, &labelled, step);
}

/* Why there is nothing to see yet: a line may need more samples than a slow stream has brought. */
static void explain_absence(weir_view *view)
{
    const weir_rect *rect = &view->layout.waterfall;
    char text[96], seconds[32];
    double rate_hz = weir_view_rate_hz(view);
    double line_s = (double)view->stream.n_fft / rate_hz;
    if (!(line_s >= LONG_LINE_SECONDS) || view->has_ended) {
        return;
    }
    weir_snprintf(text, sizeof text, "the first line takes %zu samples: %s", view->stream.n_fft,
                  weir_format_seconds(seconds, sizeof seconds, line_s, line_s < 10.0 ? 0.1 : 1.0));
    weir_cells_text(view->cells, rect->column + 1, rect->row, rect->n_columns - 1, text,
                    weir_view_pen(view, WEIR_INK_FAINT));
}

void weir_view_draw_waterfall(weir_view *view)
{
    const weir_rect *rect = &view->layout.waterfall;
    uint64_t pairs = weir_view_pairs(view);
    double step = label_step(view);
    for (size_t r = 0; r < rect->n_rows; r++) {
        if (r < pairs) {
            draw_pair(view, rect->row + r, pairs - 1 - r, step);
        } else {
            weir_view_draw_gutter(view, rect->row + r, "", WEIR_INK_FAINT);
        }
    }
    if (pairs == 0) {
        explain_absence(view);
    }
}
