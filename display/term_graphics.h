/* Pictures as a terminal takes them: sixels, and the kitty protocol. Bytes only, no I/O; one
 * thread.
 *
 * libchafa encodes neither here, only knows who can do what (term_graphics_guess.c): its sixels
 * drop a picture's last rows where the height is no multiple of six, take 13 ms and 114 kB for
 * one row of cells of 1900 pixels with 40 colours of noise (these: 0.5 ms, and exact), and its
 * kitty pictures are neither compressed nor named, so that they cannot be moved.
 */
#ifndef WEIR_DISPLAY_TERM_GRAPHICS_H
#define WEIR_DISPLAY_TERM_GRAPHICS_H

#include "display/canvas.h"
#include "display/colormap.h"
#include "display/term_bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum weir_graphics {
    WEIR_GRAPHICS_NONE,
    WEIR_GRAPHICS_SIXEL,
    WEIR_GRAPHICS_KITTY
} weir_graphics;

/* The upper rows of a canvas and its colours; pixels 255 are not drawn. */
typedef struct weir_image {
    const weir_canvas *canvas;
    int n_rows;
    const weir_rgb *palette;
    size_t n_colors; /* at most 255 */
} weir_image;

/* True if this build can make such pictures (kitty's are PNG: libpng). */
bool weir_graphics_is_built(weir_graphics kind);

/* Sixels of columns [x, x + width) of the picture, at the cursor. xterm shows none that is wider
 * than WEIR_SIXEL_MOST_WIDTH. work: kept by the caller from picture to picture; zero it to begin,
 * weir_bytes_free it. */
enum { WEIR_SIXEL_MOST_WIDTH = 1000 };
void weir_sixel_encode(const weir_image *image, int x, int width, weir_bytes *work,
                       weir_bytes *out);

/* Sends the picture under a name, in place of what had it; it is not shown yet. False when out of
 * memory. */
bool weir_kitty_send(const weir_image *image, unsigned name, weir_bytes *work, weir_bytes *out);

/* Where a picture of that name is shown; another place moves it. */
typedef struct weir_kitty_place {
    unsigned name;
    size_t column, row; /* of cells, from 0 */
    int y;              /* pixels into that cell */
    int width, height;  /* of the picture, from its top: what is shown */
} weir_kitty_place;
void weir_kitty_show(const weir_kitty_place *place, weir_bytes *out);
void weir_kitty_drop(unsigned name, weir_bytes *out);
/* All pictures. As text, since it is part of how the screen is left. */
#define WEIR_KITTY_DROP_ALL "\033_Ga=d,d=A,q=2\033\\"

#endif
