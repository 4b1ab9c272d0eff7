/* Draws what a comparison found: the measured levels over the golden ones, or between the
 * limits of a mask, and below that by how much they differ; what differs too much is marked.
 *
 * Not thread-safe. The canvas gets palette indices (weir_picture_palette says what colours
 * they are).
 */
#ifndef WEIR_DISPLAY_DIFFERENCE_H
#define WEIR_DISPLAY_DIFFERENCE_H

#include "base/status.h"
#include "display/canvas.h"

#include <stddef.h>

typedef struct weir_difference {
    const char *title;
    const char *subtitle;  /* what was compared              */
    const char *settings;  /* what came of it                */
    const char *unit;      /* of the levels                  */
    const char *reference; /* "golden", "limits": the legend */
    double start_hz, bin_hz;
    size_t n_bins;
    const float *measured_db;
    const float *low_db, *high_db; /* the same array twice: golden levels; else limits, which
                                      may be infinite: none */
    const float *difference_db;    /* differs where |difference| > allowed */
    const float *allowed_db;
} weir_difference;

/* Makes the canvas (the caller deinits it) and draws. Several bins to a pixel: the highest
 * level, the strictest limit, the worst difference. */
weir_status weir_difference_draw(const weir_difference *difference, weir_canvas *canvas,
                                 weir_error *err);

#endif
