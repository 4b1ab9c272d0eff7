/* Colour maps, from one table. Pure, thread-safe. */
#ifndef WEIR_DISPLAY_COLORMAP_H
#define WEIR_DISPLAY_COLORMAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct weir_colormap weir_colormap;
typedef struct weir_rgb {
    uint8_t r, g, b;
} weir_rgb;

const weir_colormap *weir_colormap_at(size_t index);       /* NULL past the end; 0 is the default */
const weir_colormap *weir_colormap_find(const char *name); /* NULL: none of that name */
const char *weir_colormap_name(const weir_colormap *map);
/* position 0 .. 1 (clamped; NaN gives the gap colour, a neutral grey). */
weir_rgb weir_colormap_at_position(const weir_colormap *map, float position);

#endif
