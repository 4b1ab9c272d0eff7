/* Colours as the terminal takes them, from the nearest it has.
 *
 * A weir_color is what a cell stores: the terminal's own default, a palette index or
 * 24 bits. Reducing before storing keeps the cell diff small. Pure, thread-safe.
 */
#ifndef WEIR_DISPLAY_TERM_COLOR_H
#define WEIR_DISPLAY_TERM_COLOR_H

#include "display/colormap.h"
#include "display/view.h"

#include <stddef.h>
#include <stdint.h>

typedef uint32_t weir_color;

#define WEIR_COLOR_DEFAULT 0u
#define WEIR_COLOR_OF_INDEX(index) (0x01000000u | (uint32_t)(index))
#define WEIR_COLOR_OF_RGB(r, g, b)                                                                 \
    (0x02000000u | (uint32_t)(r) << 16 | (uint32_t)(g) << 8 | (uint32_t)(b))

/* What it looks like, near enough; black for WEIR_COLOR_DEFAULT. */
weir_rgb weir_color_rgb(weir_color color);
/* The nearest colour at that depth (slow, some 30 us: keep the result); WEIR_COLOR_DEFAULT when
 * there is no colour. */
weir_color weir_color_reduce(weir_rgb rgb, weir_view_color depth);

/* Longest text weir_color_sgr writes, e.g. "38;2;255;255;255". */
#define WEIR_COLOR_SGR_MAX 16

/* The SGR parameters that select it as foreground or background, without "ESC[" and
 * "m", not terminated. Returns the length. */
size_t weir_color_sgr(weir_color color, bool is_background, char out[WEIR_COLOR_SGR_MAX]);

/* Decimal digits of a value below 100000, not terminated. Returns the length. */
size_t weir_decimal(char *out, unsigned value);

#endif
