#include "display/term_color.h"

#include <string.h>

/* xterm's defaults for the first 16; close enough to what other terminals show. */
static const weir_rgb basic[16] = {
    {0, 0, 0},     {205, 0, 0},     {0, 205, 0},     {205, 205, 0},   {0, 0, 238}, {205, 0, 205},
    {0, 205, 205}, {229, 229, 229}, {127, 127, 127}, {255, 0, 0},     {0, 255, 0}, {255, 255, 0},
    {92, 92, 255}, {255, 0, 255},   {0, 255, 255},   {255, 255, 255},
};
static const uint8_t cube_levels[6] = {0, 95, 135, 175, 215, 255};

static unsigned distance(weir_rgb a, weir_rgb b)
{
    int dr = a.r - b.r, dg = a.g - b.g, db = a.b - b.b;
    return (unsigned)(3 * dr * dr + 6 * dg * dg + db * db); /* luma-like weights */
}

static unsigned nearest_basic(weir_rgb rgb, unsigned n_colors)
{
    unsigned best = 0;
    for (unsigned i = 1; i < n_colors; i++) {
        if (distance(rgb, basic[i]) < distance(rgb, basic[best])) {
            best = i;
        }
    }
    return best;
}

static unsigned nearest_level(uint8_t value)
{
    unsigned best = 0;
    for (unsigned i = 1; i < 6; i++) {
        int now = value - cube_levels[i], before = value - cube_levels[best];
        if (now * now < before * before) {
            best = i;
        }
    }
    return best;
}

static int saturation(weir_rgb rgb)
{
    int high = rgb.r > rgb.g ? rgb.r : rgb.g, low = rgb.r < rgb.g ? rgb.r : rgb.g;
    high = high > rgb.b ? high : rgb.b;
    low = low < rgb.b ? low : rgb.b;
    return high - low;
}

/* The 6x6x6 cube at 16 or the grey ramp 8, 18 .. 238 at 232, whichever is nearer; but a
 * colour never becomes a grey, since a colour map lives by its hues. */
static unsigned nearest_256(weir_rgb rgb)
{
    unsigned r = nearest_level(rgb.r), g = nearest_level(rgb.g), b = nearest_level(rgb.b);
    weir_rgb in_cube = {cube_levels[r], cube_levels[g], cube_levels[b]};
    int mean = (rgb.r + rgb.g + rgb.b) / 3;
    int step = mean < 8 ? 0 : (mean - 3) / 10;
    step = step > 23 ? 23 : step;
    uint8_t grey = (uint8_t)(8 + 10 * step);
    if (saturation(rgb) < 24 &&
        distance(rgb, (weir_rgb){grey, grey, grey}) < distance(rgb, in_cube)) {
        return 232u + (unsigned)step;
    }
    return 16u + 36u * r + 6u * g + b;
}

weir_color weir_color_reduce(weir_rgb rgb, weir_view_color depth)
{
    switch (depth) {
    case WEIR_COLOR_8:
        return WEIR_COLOR_OF_INDEX(nearest_basic(rgb, 8));
    case WEIR_COLOR_16:
        return WEIR_COLOR_OF_INDEX(nearest_basic(rgb, 16));
    case WEIR_COLOR_256:
        return WEIR_COLOR_OF_INDEX(nearest_256(rgb));
    case WEIR_COLOR_DIRECT:
        return WEIR_COLOR_OF_RGB(rgb.r, rgb.g, rgb.b);
    case WEIR_COLOR_AUTO:
    case WEIR_COLOR_NONE:
        break;
    }
    return WEIR_COLOR_DEFAULT;
}

size_t weir_decimal(char *out, unsigned value)
{
    char digits[10];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < n; i++) {
        out[i] = digits[n - 1 - i];
    }
    return n;
}

static size_t index_sgr(unsigned index, bool is_background, char *out)
{
    if (index < 8) {
        return weir_decimal(out, (is_background ? 40u : 30u) + index);
    }
    if (index < 16) {
        return weir_decimal(out, (is_background ? 100u : 90u) + index - 8);
    }
    memcpy(out, is_background ? "48;5;" : "38;5;", 5);
    return 5 + weir_decimal(out + 5, index);
}

size_t weir_color_sgr(weir_color color, bool is_background, char out[WEIR_COLOR_SGR_MAX])
{
    if (color == WEIR_COLOR_DEFAULT) {
        memcpy(out, is_background ? "49" : "39", 2);
        return 2;
    }
    if ((color & 0x02000000u) == 0) {
        return index_sgr(color & 0xffu, is_background, out);
    }
    memcpy(out, is_background ? "48;2;" : "38;2;", 5);
    size_t n = 5;
    for (int shift = 16; shift >= 0; shift -= 8) {
        n += weir_decimal(out + n, color >> shift & 0xffu);
        if (shift > 0) {
            out[n++] = ';';
        }
    }
    return n;
}
