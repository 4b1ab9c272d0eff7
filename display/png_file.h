/* Writes a canvas as a PNG: palette colours, text chunks, the same bytes every time.
 * Only in builds with libpng (WEIR_HAVE_PNG). Not thread-safe. */
#ifndef WEIR_DISPLAY_PNG_FILE_H
#define WEIR_DISPLAY_PNG_FILE_H

#include "base/outfile.h"
#include "display/canvas.h"
#include "display/colormap.h"

typedef struct weir_png_text {
    const char *key;  /* "Title", "Software" ... (PNG specification 11.3.4.2), at most 79 bytes */
    const char *text; /* UTF-8 */
} weir_png_text;

weir_status weir_png_write(weir_outfile *file, const weir_canvas *canvas, const weir_rgb *palette,
                           size_t n_colors, const weir_png_text *texts, size_t n_texts,
                           weir_error *err);

/* The same into a callback, for pictures that are seen once: compressed little and fast. Pixels
 * WEIR_PNG_CLEAR are transparent; the palette has less than WEIR_PNG_CLEAR colours. n_rows: of
 * the canvas, from the top. The callback returns a status that ends it. */
enum { WEIR_PNG_CLEAR = 255 };
typedef weir_status weir_png_out(void *user, const void *bytes, size_t n, weir_error *err);
weir_status weir_png_encode(const weir_canvas *canvas, int n_rows, const weir_rgb *palette,
                            size_t n_colors, weir_png_out *out, void *user, weir_error *err);

#endif
