#include "display/term_color.h"

#include <math.h>
#include <string.h>

/* xterm's defaults for the first 16; close enough to what other terminals show. */
static const weir_rgb basic[16] = {
    {0, 0, 0},     {205, 0, 0},     {0, 205, 0},     {205, 205, 0},   {0, 0, 238}, {205, 0, 205},
    {0, 205, 205}, {229, 229, 229}, {127, 127, 127}, {255, 0, 0},     {0, 255, 0}, {255, 255, 0},
    {92, 92, 255}, {255, 0, 255},   {0, 255, 255},   {255, 255, 255},
};
static const uint8_t cube_levels[6] = {0, 95, 135, 175, 215, 255};

/* What index i of a 256-colour terminal is: the basic 16, a 6x6x6 cube, 24 greys. */
static weir_rgb indexed(unsigned i)
{
    if (i < 16) {
        return basic[i];
    }
    if (i >= 232) {
        uint8_t grey = (uint8_t)(8 + 10 * (i - 232));
        return (weir_rgb){grey, grey, grey};
    }
    i -= 16;
    return (weir_rgb){cube_levels[i / 36], cube_levels[i / 6 % 6], cube_levels[i % 6]};
}

typedef struct oklab {
    float l, a, b;
} oklab;

static float to_linear(uint8_t value)
{
    float v = (float)value / 255.0f;
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

/* Bjorn Ottosson, "A perceptual color space for image processing" (2020). Distances in
 * sRGB itself would turn a dark violet into a light grey, and a colour map lives by its
 * lightness. */
static oklab to_oklab(weir_rgb rgb)
{
    float r = to_linear(rgb.r), g = to_linear(rgb.g), b = to_linear(rgb.b);
    float l = cbrtf(0.4122214708f * r + 0.5363325363f * g + 0.0514459929f * b);
    float m = cbrtf(0.2119034982f * r + 0.6806995451f * g + 0.1073969566f * b);
    float s = cbrtf(0.0883024619f * r + 0.2817188376f * g + 0.6299787005f * b);
    return (oklab){
        .l = 0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
        .a = 1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
        .b = 0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s,
    };
}

static unsigned nearest(weir_rgb rgb, unsigned first, unsigned end)
{
    oklab wanted = to_oklab(rgb);
    unsigned best = first;
    float least = INFINITY;
    for (unsigned i = first; i < end; i++) {
        oklab there = to_oklab(indexed(i));
        float dl = there.l - wanted.l, da = there.a - wanted.a, db = there.b - wanted.b;
        float away = dl * dl + da * da + db * db;
        if (away < least) {
            least = away;
            best = i;
        }
    }
    return best;
}

weir_color weir_color_reduce(weir_rgb rgb, weir_view_color depth)
{
    switch (depth) {
    case WEIR_COLOR_8:
        return WEIR_COLOR_OF_INDEX(nearest(rgb, 0, 8));
    case WEIR_COLOR_16:
        return WEIR_COLOR_OF_INDEX(nearest(rgb, 0, 16));
    case WEIR_COLOR_256:
        return WEIR_COLOR_OF_INDEX(nearest(rgb, 16, 256));
    case WEIR_COLOR_DIRECT:
        return WEIR_COLOR_OF_RGB(rgb.r, rgb.g, rgb.b);
    case WEIR_COLOR_AUTO:
    case WEIR_COLOR_NONE:
        break;
    }
    return WEIR_COLOR_DEFAULT;
}

weir_rgb weir_color_rgb(weir_color color)
{
    if (color == WEIR_COLOR_DEFAULT || (color & 0x02000000u) == 0) {
        return indexed(color & 0xffu);
    }
    return (weir_rgb){(uint8_t)(color >> 16), (uint8_t)(color >> 8), (uint8_t)color};
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
