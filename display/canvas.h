/* A picture of palette colours in memory, and the few things drawn into one.
 *
 * One byte per pixel, rows from the top. Whatever lies outside is cut off. Not thread-safe.
 */
#ifndef WEIR_DISPLAY_CANVAS_H
#define WEIR_DISPLAY_CANVAS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_canvas {
    int width, height;
    uint8_t *pixels;
} weir_canvas;

enum {
    WEIR_CANVAS_MAX_SIDE = 65500, /* pixels */
    WEIR_TEXT_HEIGHT = 18,        /* of a line, with descenders */
    WEIR_TEXT_CAPITALS = 14,      /* of capital letters and digits */
};

/* All pixels 0. Sides 1 .. WEIR_CANVAS_MAX_SIDE. */
weir_status weir_canvas_init(weir_canvas *canvas, int width, int height, weir_error *err);
void weir_canvas_deinit(weir_canvas *canvas);

static inline void weir_canvas_set(weir_canvas *canvas, int x, int y, uint8_t color)
{
    if (x >= 0 && x < canvas->width && y >= 0 && y < canvas->height) {
        canvas->pixels[(size_t)y * (size_t)canvas->width + (size_t)x] = color;
    }
}
void weir_canvas_fill(weir_canvas *canvas, int x, int y, int width, int height, uint8_t color);

/* Pixels that a line of UTF-8 is wide; what is not ASCII looks like '?'. */
int weir_text_width(const char *text);
/* x, y: the upper left corner of the first character. */
void weir_canvas_text(weir_canvas *canvas, int x, int y, uint8_t color, const char *text);
/* The same, but cut to width, with "..." at its end where there is room for more than that. */
void weir_canvas_text_within(weir_canvas *canvas, int x, int y, int width, uint8_t color,
                             const char *text);
/* Reading upwards; x, y: the lower left corner of the first character as it stands there. */
void weir_canvas_text_up(weir_canvas *canvas, int x, int y, uint8_t color, const char *text);

#endif
