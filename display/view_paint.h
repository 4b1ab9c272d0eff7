/* The view's panels painted on a canvas, at the resolution of pixels: for PNG files and for
 * terminals that show pictures.
 *
 * Private to display/view*.c. Main thread. The layout must have been made (weir_view_draw).
 */
#ifndef WEIR_DISPLAY_VIEW_PAINT_H
#define WEIR_DISPLAY_VIEW_PAINT_H

#include "display/canvas.h"
#include "display/view_join.h"
#include "display/view_state.h"

enum { WEIR_PAINT_COLORS = 255 }; /* palette index 255 is nobody's: transparent */

typedef struct weir_painting {
    weir_view *view;
    weir_canvas canvas; /* the caller's to make and to free */
    int cell_width, cell_height;
    int stroke; /* of lines */
    weir_rgb palette[WEIR_PAINT_COLORS];
    weir_color keys[WEIR_PAINT_COLORS];      /* what each entry was made of */
    size_t n_colors;                         /* 0 is the page, 1 the ink */
    size_t n_pixels;                         /* across the plot */
    float *values, *line;                    /* n_pixels each          */
    int *tops;                               /* likewise */
    weir_join *join;                         /* of rows of n_pixels */
    uint8_t shades[WEIR_PALETTE_LEVELS + 1]; /* of the colour map; the last: a gap */
} weir_painting;

/* False when out of memory. Makes the palette. */
bool weir_painting_begin(weir_painting *painting, weir_view *view, int cell_width, int cell_height);
void weir_painting_end(weir_painting *painting);

/* The palette's entry; a palette that is full gives ink. */
uint8_t weir_painting_color(weir_painting *painting, weir_color color, bool is_background);
/* A line of n_pixels levels, its left end at x, y. */
void weir_paint_levels(weir_painting *painting, const float *levels_db, bool is_gap, int x, int y);
/* At the panel's place on a canvas of the whole screen: a cell's lines fill its height. */
void weir_paint_waterfall(weir_painting *painting);
/* Traces; x, y: the panel's upper left corner, which must lie on the canvas with all of it. */
void weir_paint_spectrum(weir_painting *painting, int x, int y);
/* What a cell at x, y shows; letters suit cells of 12 x 24 only. */
void weir_paint_glyph(weir_painting *painting, int x, int y, uint32_t glyph, uint8_t color);
/* True for lines, blocks and dots: what is as good painted as written. */
bool weir_paint_is_drawing(uint32_t glyph);

#endif
