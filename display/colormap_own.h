/* What a colour map is inside. Private to display/colormap*.c. */
#ifndef WEIR_DISPLAY_COLORMAP_OWN_H
#define WEIR_DISPLAY_COLORMAP_OWN_H

#include "display/colormap.h"

#include <stdbool.h>

struct weir_colormap {
    const char *name;
    const uint32_t *points; /* 0xRRGGBB, evenly spaced from position 0 to 1 */
    size_t n_points;
};

#endif
