#include "display/view_paint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const weir_rgb page = {14, 16, 20}, ink = {222, 226, 236};

static uint8_t add_color(weir_painting *p, weir_color key, weir_rgb rgb)
{
    p->palette[p->n_colors] = rgb;
    p->keys[p->n_colors] = key;
    return (uint8_t)p->n_colors++;
}

uint8_t weir_painting_color(weir_painting *p, weir_color color, bool is_background)
{
    if (color == WEIR_COLOR_DEFAULT) {
        return is_background ? 0 : 1;
    }
    for (size_t i = 2; i < p->n_colors; i++) {
        if (p->keys[i] == color) {
            return (uint8_t)i;
        }
    }
    return p->n_colors < WEIR_PAINT_COLORS ? add_color(p, color, weir_color_rgb(color)) : 1;
}

/* Of the colour map itself: what the terminal has of it for its cells may be less. */
static void make_palette(weir_painting *p)
{
    const weir_colormap *map = weir_view_colormap(p->view);
    p->n_colors = 0;
    add_color(p, WEIR_COLOR_DEFAULT, page);
    add_color(p, WEIR_COLOR_DEFAULT, ink);
    for (size_t i = 0; i <= WEIR_PALETTE_LEVELS; i++) {
        float position = i < WEIR_PALETTE_LEVELS ? (float)i / (WEIR_PALETTE_LEVELS - 1) : NAN;
        weir_rgb rgb = weir_colormap_at_position(map, position);
        p->shades[i] = weir_painting_color(p, WEIR_COLOR_OF_RGB(rgb.r, rgb.g, rgb.b), false);
    }
}

bool weir_painting_begin(weir_painting *p, weir_view *view, int cell_width, int cell_height)
{
    size_t n = view->layout.waterfall.n_columns * (size_t)cell_width;
    *p = (weir_painting){.view = view, .cell_width = cell_width, .cell_height = cell_height};
    p->stroke = cell_height / 12 > 0 ? cell_height / 12 : 1;
    p->n_pixels = n;
    make_palette(p);
    p->values = calloc(n + 1, sizeof *p->values);
    p->line = calloc(n + 1, sizeof *p->line);
    p->tops = calloc(n + 1, sizeof *p->tops);
    p->join = weir_join_create(n);
    if (!p->values || !p->line || !p->tops || !p->join) {
        weir_painting_end(p);
        return false;
    }
    return true;
}

void weir_painting_end(weir_painting *p)
{
    free(p->values);
    free(p->line);
    free(p->tops);
    weir_join_destroy(p->join);
    p->values = p->line = NULL;
    p->tops = NULL;
    p->join = NULL;
}

/* ---- the waterfall ---- */

void weir_paint_levels(weir_painting *p, const float *levels_db, bool is_gap, int x, int y)
{
    for (size_t i = 0; i < p->n_pixels; i++) {
        float level = levels_db[i];
        uint8_t color = is_gap         ? p->shades[WEIR_PALETTE_LEVELS]
                        : isnan(level) ? 0
                                       : p->shades[weir_view_shade(p->view, level)];
        weir_canvas_set(&p->canvas, x + (int)i, y, color);
    }
}

/* A cell's lines fill its height, the newest on top. */
void weir_paint_waterfall(weir_painting *p)
{
    weir_view *view = p->view;
    const weir_rect *rect = &view->layout.waterfall;
    uint64_t per_cell = weir_view_rows_per_cell(view) * view->lines_per_row;
    uint64_t pairs = weir_view_pairs(view), shown_from = UINT64_MAX, shown_end = 0;
    size_t height = (size_t)p->cell_height;
    weir_joined joined = {.n_lines = 0};
    for (size_t y = 0; y < rect->n_rows * height && y / height < pairs; y++) {
        uint64_t pair = pairs - 1 - y / height, up = height - 1 - y % height;
        uint64_t from = pair * per_cell + up * per_cell / height;
        uint64_t end = pair * per_cell + (up + 1) * per_cell / height;
        end = end > from ? end : from + 1;
        if (from != shown_from || end != shown_end) {
            uint64_t shown = end < view->top_line ? end : view->top_line;
            (void)weir_join_lines(p->join, view->history, &view->stream.scale, from, shown,
                                  &view->axis, p->line, &joined);
            shown_from = from;
            shown_end = end;
        }
        if (joined.n_lines > 0) {
            weir_paint_levels(p, p->line, joined.is_gap, (int)rect->column * p->cell_width,
                              (int)(rect->row * height + y));
        }
    }
}

/* ---- the traces ---- */

static bool take_trace(weir_painting *p, weir_held held)
{
    weir_view *view = p->view;
    weir_view_line line;
    bool is_there =
        view->is_paused && held == WEIR_HELD_LIVE && view->top_line > 0
            ? weir_history_line(view->history, view->top_line - 1, &view->axis, p->n_pixels,
                                p->values, &line)
            : weir_history_trace(view->history, held, &view->axis, p->n_pixels, p->values, &line);
    if (is_there) {
        weir_picture_levels(&view->stream.scale, &line.info, &view->axis, p->n_pixels, p->values);
    }
    return is_there;
}

/* Pixels above the panel's floor. */
static int height_of(const weir_painting *p, float level_db)
{
    const weir_range *range = &p->view->range;
    int height = (int)p->view->layout.spectrum.n_rows * p->cell_height;
    float part = (level_db - range->low_db) / (range->high_db - range->low_db);
    return !(part > 0.0f) ? 0 : part >= 1.0f ? height - 1 : (int)(part * (float)height);
}

/* Row by row, as the memory lies. */
static void paint_area(weir_painting *p, int left, int top)
{
    int height = (int)p->view->layout.spectrum.n_rows * p->cell_height;
    size_t width = (size_t)p->canvas.width;
    for (size_t i = 0; i < p->n_pixels; i++) {
        p->tops[i] = isnan(p->values[i]) ? -1 : height_of(p, p->values[i]);
    }
    for (int up = 0; up < height; up++) {
        float part = 0.2f + 0.8f * (float)up / (float)height;
        uint8_t color = p->shades[(size_t)(part * (WEIR_PALETTE_LEVELS - 1))];
        uint8_t *row = p->canvas.pixels + (size_t)(top + height - 1 - up) * width + left;
        for (size_t i = 0; i < p->n_pixels; i++) {
            row[i] = p->tops[i] >= up ? color : row[i];
        }
    }
}

static void paint_curve(weir_painting *p, int left, int top, uint8_t color)
{
    int floor_y = top + (int)p->view->layout.spectrum.n_rows * p->cell_height - 1;
    for (size_t i = 0; i < p->n_pixels; i++) {
        if (isnan(p->values[i])) {
            continue;
        }
        int here = height_of(p, p->values[i]);
        int last = i > 0 && !isnan(p->values[i - 1]) ? height_of(p, p->values[i - 1]) : here;
        int low = here < last ? here : last, high = here > last ? here : last;
        weir_canvas_fill(&p->canvas, left + (int)i, floor_y - high, 1, high - low + p->stroke,
                         color);
    }
}

void weir_paint_spectrum(weir_painting *p, int x, int y)
{
    weir_view *view = p->view;
    if (view->layout.spectrum.n_rows == 0) {
        return;
    }
    if (view->persistence_layer == WEIR_PERSISTENCE_OFF && take_trace(p, WEIR_HELD_LIVE)) {
        if (!view->is_braille) {
            paint_area(p, x, y);
        }
        paint_curve(p, x, y, 1);
    }
    uint8_t hold = weir_painting_color(p, weir_view_pen(view, WEIR_INK_HOLD).fg, false);
    if (view->holds_min && take_trace(p, WEIR_HELD_MIN)) {
        paint_curve(p, x, y, hold);
    }
    if (view->holds_max && take_trace(p, WEIR_HELD_MAX)) {
        paint_curve(p, x, y, hold);
    }
}

/* ---- cells ---- */

enum { LEFT = 1, RIGHT = 2, UP = 4, DOWN = 8 };

static const struct {
    uint32_t glyph;
    unsigned arms;
} lines[] = {
    {0x2500, LEFT | RIGHT},      {0x2502, UP | DOWN},    {0x2524, UP | DOWN | LEFT},
    {0x251c, UP | DOWN | RIGHT}, {0x253c, 15},           {0x252c, LEFT | RIGHT | DOWN},
    {0x2534, LEFT | RIGHT | UP}, {0x256d, RIGHT | DOWN}, {0x256e, LEFT | DOWN},
    {0x2570, RIGHT | UP},        {0x256f, LEFT | UP},
};

static bool paint_line_glyph(weir_painting *p, int x, int y, uint32_t glyph, uint8_t color)
{
    int cx = x + (p->cell_width - p->stroke) / 2, cy = y + (p->cell_height - p->stroke) / 2;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (lines[i].glyph != glyph) {
            continue;
        }
        unsigned arms = lines[i].arms;
        int left = arms & LEFT ? x : cx, right = arms & RIGHT ? x + p->cell_width : cx + p->stroke;
        int top = arms & UP ? y : cy, bottom = arms & DOWN ? y + p->cell_height : cy + p->stroke;
        weir_canvas_fill(&p->canvas, left, cy, right - left, arms & (LEFT | RIGHT) ? p->stroke : 0,
                         color);
        weir_canvas_fill(&p->canvas, cx, top, arms & (UP | DOWN) ? p->stroke : 0, bottom - top,
                         color);
        return true;
    }
    return false;
}

static void paint_braille(weir_painting *p, int x, int y, uint32_t dots, uint8_t color)
{
    static const uint8_t bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    int across = p->cell_width / 2, down = p->cell_height / 4;
    for (int column = 0; column < 2; column++) {
        for (int row = 0; row < 4; row++) {
            if (dots & bits[column][row]) {
                weir_canvas_fill(&p->canvas, x + column * across + 1, y + row * down + 1,
                                 across - 2, down - 2, color);
            }
        }
    }
}

static void paint_triangle(weir_painting *p, int cx, int y, bool is_up, uint8_t color)
{
    int steps = p->cell_width / 2, step = p->cell_height / 12 > 0 ? p->cell_height / 12 : 1;
    for (int i = 0; i < steps; i++) {
        int down = is_up ? i : steps - 1 - i;
        weir_canvas_fill(&p->canvas, cx - i, y + p->cell_height / 4 + step * down,
                         2 * i + p->stroke, step, color);
    }
}

static void paint_mark(weir_painting *p, int x, int y, uint32_t glyph, uint8_t color)
{
    weir_canvas *canvas = &p->canvas;
    int cx = x + (p->cell_width - p->stroke) / 2, quarter = p->cell_height / 4;
    if (glyph == 0x250a) { /* a dashed line down */
        for (int dash = 0; dash < 4; dash++) {
            weir_canvas_fill(canvas, cx, y + dash * quarter, p->stroke, quarter / 2, color);
        }
    } else if (glyph == 0x25b2 || glyph == 0x25bc) {
        paint_triangle(p, cx, y, glyph == 0x25b2, color);
    } else if (glyph == 0x00b7) {
        weir_canvas_fill(canvas, cx, y + (p->cell_height - p->stroke) / 2, p->stroke, p->stroke,
                         color);
    } else if (glyph == 0x2026) {
        for (int dot = 0; dot < 3; dot++) {
            weir_canvas_fill(canvas, x + 1 + 4 * dot, y + 15, 2, 2, color);
        }
    } else {
        weir_canvas_text(canvas, x + 1, y + 3, color, "?");
    }
}

bool weir_paint_is_drawing(uint32_t glyph)
{
    return glyph == 0xb7 || (glyph >= 0x2500 && glyph <= 0x28ff);
}

void weir_paint_glyph(weir_painting *p, int x, int y, uint32_t glyph, uint8_t color)
{
    int eighth = p->cell_height / 8;
    if (glyph <= ' ') {
        return;
    }
    if (glyph < 0x7f) {
        char text[2] = {(char)glyph, '\0'};
        weir_canvas_text(&p->canvas, x + 1, y + 3, color, text);
    } else if (glyph == 0x2580) {
        weir_canvas_fill(&p->canvas, x, y, p->cell_width, p->cell_height / 2, color);
    } else if (glyph > 0x2580 && glyph <= 0x2588) {
        int height = (int)(glyph - 0x2580) * eighth;
        weir_canvas_fill(&p->canvas, x, y + p->cell_height - height, p->cell_width, height, color);
    } else if (glyph == 0x2594) {
        weir_canvas_fill(&p->canvas, x, y, p->cell_width, eighth, color);
    } else if (glyph >= 0x2800 && glyph <= 0x28ff) {
        paint_braille(p, x, y, glyph & 0xff, color);
    } else if (!paint_line_glyph(p, x, y, glyph, color)) {
        paint_mark(p, x, y, glyph, color);
    }
}
