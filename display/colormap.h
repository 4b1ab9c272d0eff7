/* Colour maps, from one table or a file. Thread-safe; pure but for load. */
#ifndef WEIR_DISPLAY_COLORMAP_H
#define WEIR_DISPLAY_COLORMAP_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct weir_colormap weir_colormap;
typedef struct weir_rgb {
    uint8_t r, g, b;
} weir_rgb;

const weir_colormap *weir_colormap_at(size_t index);       /* NULL past the end; 0 is the default */
const weir_colormap *weir_colormap_find(const char *name); /* NULL: none of that name */
/* A map of a user's own: lines "#rrggbb" (or "r g b", 0 to 255) from the lowest level to the
 * highest, evenly spaced, 2 to 1024 of them; blank lines and those after "#" and a space are
 * left out. WEIR_ERR_DATA names the line. The caller destroys it. */
weir_status weir_colormap_load(weir_colormap **out, const char *path, weir_error *err);
void weir_colormap_destroy(weir_colormap *map); /* one of weir_colormap_load, or NULL */
/* What a user named: NULL the default, a name of the table, or (with a "." or "/" in it) a
 * file, which is then *owned, for the caller to destroy. WEIR_ERR_USAGE lists the names. */
weir_status weir_colormap_named(const weir_colormap **map, weir_colormap **owned, const char *name,
                                weir_error *err);
const char *weir_colormap_name(const weir_colormap *map);
/* position 0 .. 1 (clamped; NaN gives the gap colour, a neutral grey). */
weir_rgb weir_colormap_at_position(const weir_colormap *map, float position);

#endif
