#include "display/canvas.h"

#include "display/font.h"
#include "display/term_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE = 2 }; /* pixels per dot of the font */

weir_status weir_canvas_init(weir_canvas *canvas, int width, int height, weir_error *err)
{
    *canvas = (weir_canvas){0};
    if (width < 1 || height < 1 || width > WEIR_CANVAS_MAX_SIDE || height > WEIR_CANVAS_MAX_SIDE) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "a picture of %d x %d pixels: each side must be 1 to %d", width, height,
                         WEIR_CANVAS_MAX_SIDE);
    }
    canvas->pixels = calloc((size_t)height, (size_t)width);
    if (!canvas->pixels) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a picture of %d x %d pixels",
                         width, height);
    }
    canvas->width = width;
    canvas->height = height;
    return WEIR_OK;
}

void weir_canvas_deinit(weir_canvas *canvas)
{
    free(canvas->pixels);
    *canvas = (weir_canvas){0};
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

void weir_canvas_fill(weir_canvas *canvas, int x, int y, int width, int height, uint8_t color)
{
    int left = clamp(x, 0, canvas->width), right = clamp(x + width, left, canvas->width);
    int top = clamp(y, 0, canvas->height), bottom = clamp(y + height, top, canvas->height);
    for (int row = top; row < bottom; row++) {
        uint8_t *pixels = canvas->pixels + (size_t)row * (size_t)canvas->width;
        memset(pixels + left, color, (size_t)(right - left));
    }
}

enum { ADVANCE = WEIR_FONT_ADVANCE * SCALE };

/* The next character of the font, '?' for what it has not; marks that combine are left out. False
 * at the end. */
static bool next_character(const char **text, char *c)
{
    while (**text) {
        uint32_t glyph;
        *text += weir_text_next(*text, &glyph);
        *c = glyph >= ' ' && glyph < 0x7f ? (char)glyph : '?';
        if (weir_glyph_columns(glyph) > 0) {
            return true;
        }
    }
    return false;
}

int weir_text_width(const char *text)
{
    int n = 0;
    char c;
    while (n < WEIR_CANVAS_MAX_SIDE / ADVANCE && next_character(&text, &c)) {
        n++;
    }
    return n * ADVANCE;
}

/* One of the four pixels of a dot, with stairs smoothed: a pixel takes the colour of its two
 * neighbours if they agree and the opposite two do not ("EPX", Johnston 1992). */
static bool smooth_dot(char c, int column, int row, int right, int lower)
{
    bool dot = weir_font_dot(c, column, row);
    bool side = weir_font_dot(c, column + (right ? 1 : -1), row);
    bool far_side = weir_font_dot(c, column + (right ? -1 : 1), row);
    bool end = weir_font_dot(c, column, row + (lower ? 1 : -1));
    bool far_end = weir_font_dot(c, column, row + (lower ? -1 : 1));
    return side == end && side != far_end && end != far_side ? side : dot;
}

typedef void plot_function(weir_canvas *canvas, int x, int y, int along, int down, uint8_t color);

static void plot_level(weir_canvas *canvas, int x, int y, int along, int down, uint8_t color)
{
    weir_canvas_set(canvas, x + along, y + down, color);
}

static void plot_upwards(weir_canvas *canvas, int x, int y, int along, int down, uint8_t color)
{
    weir_canvas_set(canvas, x + down, y - along, color);
}

static void draw_glyph(weir_canvas *canvas, int x, int y, int from, uint8_t color, char c,
                       plot_function *plot)
{
    /* One dot more all around, which smoothing may fill. */
    for (int v = -SCALE; v < (WEIR_FONT_HEIGHT + 1) * SCALE; v++) {
        for (int u = -SCALE; u < ADVANCE; u++) {
            int column = (u + SCALE) / SCALE - 1, row = (v + SCALE) / SCALE - 1;
            if (smooth_dot(c, column, row, (u + SCALE) % SCALE, (v + SCALE) % SCALE)) {
                plot(canvas, x, y, from + u, v, color);
            }
        }
    }
}

static void draw_text(weir_canvas *canvas, int x, int y, uint8_t color, const char *text,
                      plot_function *plot)
{
    char c;
    for (int from = 0; from < WEIR_CANVAS_MAX_SIDE && next_character(&text, &c); from += ADVANCE) {
        draw_glyph(canvas, x, y, from, color, c, plot);
    }
}

void weir_canvas_text(weir_canvas *canvas, int x, int y, uint8_t color, const char *text)
{
    draw_text(canvas, x, y, color, text, plot_level);
}

void weir_canvas_text_within(weir_canvas *canvas, int x, int y, int width, uint8_t color,
                             const char *text)
{
    int fit = width / ADVANCE, dots = fit > 3 ? 3 : 0;
    char c;
    if (weir_text_width(text) <= width) {
        weir_canvas_text(canvas, x, y, color, text);
        return;
    }
    for (int i = 0; i < fit; i++) {
        bool is_text = i < fit - dots && next_character(&text, &c);
        draw_glyph(canvas, x, y, i * ADVANCE, color, is_text ? c : '.', plot_level);
    }
}

void weir_canvas_text_up(weir_canvas *canvas, int x, int y, uint8_t color, const char *text)
{
    draw_text(canvas, x, y, color, text, plot_upwards);
}
