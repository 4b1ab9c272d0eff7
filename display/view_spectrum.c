/* The spectrum panel: the live trace as an area coloured by level (so that it is the
 * waterfall's legend too), holds as lines, the level scale in the gutter. */
#include "display/ticks.h"
#include "display/view_state.h"

#include <math.h>

#define TICKS_MAX 64

/* Height of a level above the panel's floor in cells, 0 .. n_rows. */
static float height_of(const weir_view *view, float level_db)
{
    const weir_range *range = &view->range;
    float part = (level_db - range->low_db) / (range->high_db - range->low_db);
    part = !(part > 0.0f) ? 0.0f : part > 1.0f ? 1.0f : part;
    return part * (float)view->layout.spectrum.n_rows;
}

/* Colour of a row of cells, counted from the bottom: that of the level there, lifted
 * off the darkest end so that it shows on a dark screen. */
static weir_pen row_pen(const weir_view *view, size_t from_bottom)
{
    float part = ((float)from_bottom + 0.5f) / (float)view->layout.spectrum.n_rows;
    size_t shade = (size_t)((0.2f + 0.8f * part) * (WEIR_PALETTE_LEVELS - 1));
    return (weir_pen){.fg = view->palette[shade]};
}

/* A cell filled from below, in eighths (ASCII: thirds). */
static uint32_t filled_glyph(bool is_utf8, float part)
{
    static const char thirds[] = {' ', '.', ':', '|'};
    if (!is_utf8) {
        return (uint32_t)thirds[(int)(part * 3.0f + 0.5f)];
    }
    int eighths = (int)(part * 8.0f + 0.5f);
    return eighths == 0 ? ' ' : 0x2580u + (uint32_t)eighths; /* U+2581 .. U+2588 */
}

static uint32_t line_glyph(bool is_utf8, float part)
{
    static const uint32_t thirds[] = {0x2581, 0x2500, 0x2594}; /* bottom, middle, top */
    static const char ascii[] = {'_', '-', '"'};
    size_t third = part < 1.0f / 3 ? 0 : part < 2.0f / 3 ? 1 : 2;
    return is_utf8 ? thirds[third] : (uint32_t)ascii[third];
}

/* Of a column, whatever the trace's resolution. */
static float level_at(const weir_view *view, weir_held held, size_t c)
{
    const float *trace = view->traces[held];
    return view->is_braille ? fmaxf(trace[2 * c], trace[2 * c + 1]) : trace[c];
}

static void draw_area(weir_view *view, size_t c)
{
    const weir_rect *rect = &view->layout.spectrum;
    float level = level_at(view, WEIR_HELD_LIVE, c);
    if (isnan(level)) {
        return;
    }
    float height = height_of(view, level);
    for (size_t i = 0; i < rect->n_rows && (float)i < height; i++) {
        float part = height - (float)i;
        uint32_t glyph = filled_glyph(view->caps.is_utf8, part < 1.0f ? part : 1.0f);
        if (glyph != ' ') {
            weir_cells_put(view->cells, rect->column + c, rect->row + rect->n_rows - 1 - i, glyph,
                           row_pen(view, i));
        }
    }
}

/* The dots from the point before to this one, counted from the bottom; untouched
 * where there is no point. */
static void dot_span(const weir_view *view, size_t i, int *low, int *high)
{
    const float *trace = view->traces[WEIR_HELD_LIVE];
    float highest = 4.0f * (float)view->layout.spectrum.n_rows - 1.0f;
    if (isnan(trace[i])) {
        return;
    }
    int here = (int)fminf(4.0f * height_of(view, trace[i]), highest);
    int before = i > 0 && !isnan(trace[i - 1])
                     ? (int)fminf(4.0f * height_of(view, trace[i - 1]), highest)
                     : here;
    *low = here < before ? here : before;
    *high = here > before ? here : before;
}

/* Two points a cell across, four down: U+2800 and a bit for each dot. */
static void draw_curve(weir_view *view, size_t c)
{
    static const uint8_t bits[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
    const weir_rect *rect = &view->layout.spectrum;
    int low[2] = {0, 0}, high[2] = {-1, -1};
    for (size_t half = 0; half < 2; half++) {
        dot_span(view, 2 * c + half, &low[half], &high[half]);
    }
    for (size_t r = 0; r < rect->n_rows; r++) {
        uint32_t dots = 0;
        for (size_t half = 0; half < 2; half++) {
            for (int d = 0; d < 4; d++) {
                int at = 4 * (int)r + d;
                dots |= at >= low[half] && at <= high[half] ? bits[half][d] : 0u;
            }
        }
        if (dots) {
            weir_cells_put(view->cells, rect->column + c, rect->row + rect->n_rows - 1 - r,
                           0x2800 | dots, row_pen(view, r));
        }
    }
}

static void draw_hold(weir_view *view, weir_held held)
{
    const weir_rect *rect = &view->layout.spectrum;
    weir_pen pen = weir_view_pen(view, WEIR_INK_HOLD);
    for (size_t c = 0; view->has_trace[held] && c < rect->n_columns; c++) {
        float level = level_at(view, held, c);
        if (isnan(level)) {
            continue;
        }
        float height = fminf(height_of(view, level), (float)rect->n_rows - 0.01f);
        size_t i = (size_t)height;
        size_t column = rect->column + c, row = rect->row + rect->n_rows - 1 - i;
        uint32_t there = weir_cells_at(view->cells, column, row).glyph;
        bool is_free = there < 0x2581 || there > 0x28ff;
        if ((view->caps.is_utf8 && is_free) || (there != '|' && there != ':')) {
            weir_cells_put(view->cells, column, row,
                           line_glyph(view->caps.is_utf8, height - (float)i), pen);
        }
    }
}

static void draw_grid_line(weir_view *view, size_t row)
{
    const weir_rect *rect = &view->layout.spectrum;
    weir_pen pen = weir_view_pen(view, WEIR_INK_FAINT);
    for (size_t c = 0; c < rect->n_columns; c++) {
        size_t column = rect->column + c;
        if (c % 2 == 1 && weir_cells_at(view->cells, column, row).glyph == ' ') {
            weir_cells_put(view->cells, column, row, view->caps.is_utf8 ? 0x00b7 : '.', pen);
        }
    }
}

static void draw_scale(weir_view *view)
{
    const weir_rect *rect = &view->layout.spectrum;
    weir_tick ticks[TICKS_MAX];
    size_t wanted = rect->n_rows / 2 + 1;
    size_t n = weir_ticks_db((double)view->range.low_db, (double)view->range.high_db,
                             wanted < TICKS_MAX ? wanted : TICKS_MAX, ticks);
    bool is_top_free = true;
    for (size_t r = 0; r < rect->n_rows; r++) {
        weir_view_draw_gutter(view, rect->row + r, "", WEIR_INK_FAINT);
    }
    for (size_t i = 0; i < n; i++) {
        size_t height = (size_t)height_of(view, (float)ticks[i].value);
        size_t from_bottom = height < rect->n_rows ? height : rect->n_rows - 1;
        size_t row = rect->row + rect->n_rows - 1 - from_bottom;
        is_top_free &= row != rect->row;
        weir_view_draw_gutter(view, row, ticks[i].label, WEIR_INK_FAINT);
        draw_grid_line(view, row);
    }
    if (is_top_free && view->layout.gutter > 2) {
        weir_cells_text(view->cells, 0, rect->row, view->layout.gutter - 2, view->unit,
                        weir_view_pen(view, WEIR_INK_FAINT));
    }
}

void weir_view_draw_spectrum(weir_view *view)
{
    const weir_rect *rect = &view->layout.spectrum;
    if (rect->n_rows == 0) {
        return;
    }
    for (size_t c = 0; view->has_trace[WEIR_HELD_LIVE] && c < rect->n_columns; c++) {
        if (view->is_braille) {
            draw_curve(view, c);
        } else {
            draw_area(view, c);
        }
    }
    if (view->holds_min) {
        draw_hold(view, WEIR_HELD_MIN);
    }
    if (view->holds_max) {
        draw_hold(view, WEIR_HELD_MAX);
    }
    draw_scale(view);
}
