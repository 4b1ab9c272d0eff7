/* Draws a spectrogram, or a single spectrum as a graph, with everything needed to read it:
 * axes with marks and titles, a colour bar, what was measured and how.
 *
 * Not thread-safe. The canvas gets palette indices; weir_picture_palette says what colours
 * they are.
 */
#ifndef WEIR_DISPLAY_PICTURE_H
#define WEIR_DISPLAY_PICTURE_H

#include "base/status.h"
#include "display/canvas.h"
#include "display/colormap.h"
#include "display/plot.h"
#include "display/sink.h"
#include "display/spectrogram.h"

typedef struct weir_picture {
    const char *title;
    const char *subtitle; /* what was received                 */
    const char *settings; /* how it was transformed            */
    const char *unit;     /* of the levels                     */
    double low_hz, high_hz;
    int width, height;     /* of the plot area in pixels; height 0 = chosen */
    float low_db, high_db; /* NAN = chosen                      */
    const weir_colormap *colormap;
    const weir_spectrogram *spectrogram; /* settled; one spectrum only: a graph */
    const weir_note *notes;              /* framed in a spectrogram */
    size_t n_notes;
    double rate_hz; /* of the notes' samples */
} weir_picture;

enum { WEIR_PICTURE_MAX_ROWS = 2000 }; /* plot height of a long spectrogram by default */

/* The colours of the inks (plot.h). */
void weir_picture_palette(const weir_colormap *map, weir_rgb palette[WEIR_INK_COUNT]);

/* Makes the canvas (the caller deinits it) and draws. */
weir_status weir_picture_draw(const weir_picture *picture, weir_canvas *canvas, weir_error *err);

/* Where the plot area's upper left corner is. */
enum { WEIR_PICTURE_LEFT = 148, WEIR_PICTURE_TOP = 108 };

#endif
