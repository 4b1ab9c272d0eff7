/* The plot area of a picture: its frame, axes and grid, and the inks all of it is drawn in.
 *
 * The caller owns the struct. Nothing is allocated; whatever lies outside of the canvas is cut
 * off. Not thread-safe.
 */
#ifndef WEIR_DISPLAY_PLOT_H
#define WEIR_DISPLAY_PLOT_H

#include "display/canvas.h"

#include <stddef.h>
#include <stdint.h>

/* Palette: the colour map first, then what the rest is drawn in. */
enum {
    WEIR_INK_LEVELS = 224,
    WEIR_INK_PAGE = WEIR_INK_LEVELS,
    WEIR_INK_EMPTY, /* plot area without data           */
    WEIR_INK_GAP,   /* rows whose samples were lost     */
    WEIR_INK_TEXT,
    WEIR_INK_FAINT_TEXT,
    WEIR_INK_FRAME,
    WEIR_INK_GRID,
    WEIR_INK_CURVE,
    WEIR_INK_UNDER_CURVE,
    WEIR_INK_LOSS, /* marks beside rows where samples were lost */
    WEIR_INK_COUNT
};

typedef struct weir_plot {
    weir_canvas *canvas;
    int left, top, width, height; /* pixels */
    double low_hz, high_hz;       /* from left to right */
    float low_db, high_db;        /* from bottom to top */
} weir_plot;

enum {
    WEIR_PLOT_TICK = 8,   /* pixels that a mark is long */
    WEIR_PLOT_TICKS = 40, /* marks on an axis, at most  */
    WEIR_PLOT_BELOW = 84, /* pixels below the plot that the frequency axis takes */
};

void weir_plot_frame(const weir_plot *plot);
void weir_plot_frequency_grid(const weir_plot *plot);
/* Marks, labels and the title below the plot. */
void weir_plot_frequency_axis(const weir_plot *plot);
/* Marks, labels, grid, and a title left of the plot. */
void weir_plot_level_axis(const weir_plot *plot, const char *title);

/* The parts of an axis that is neither of frequency nor of level. */
void weir_plot_left_tick(const weir_plot *plot, int y, const char *label);
void weir_plot_left_title(const weir_plot *plot, const char *title);
void weir_plot_text_centered(const weir_plot *plot, int x, int y, uint8_t ink, const char *text);
/* As many marks as have room over a height. */
size_t weir_plot_ticks_for_height(int height);
/* Pixel of a value on an axis of the given length, inside of it. */
int weir_plot_place(double value, double low, double high, int length);

#endif
