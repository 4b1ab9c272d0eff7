#include "display/term_text.h"

static size_t sequence_length(uint8_t lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xc2 && lead < 0xe0) {
        return 2;
    }
    if (lead >= 0xe0 && lead < 0xf0) {
        return 3;
    }
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

size_t weir_text_next(const char *text, uint32_t *glyph)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t *bytes = (const uint8_t *)text;
    size_t n = sequence_length(bytes[0]);
    *glyph = '?';
    if (n == 0) {
        return 1;
    }
    uint32_t value = n == 1 ? bytes[0] : bytes[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((bytes[i] & 0xc0) != 0x80) { /* stops at the terminating zero too */
            return i;
        }
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < 0x20 || (value >= 0x7f && value < 0xa0) || value < lowest[n] || value > 0x10ffff ||
        (value >= 0xd800 && value < 0xe000)) {
        return n;
    }
    *glyph = value;
    return n;
}

typedef struct range {
    uint32_t first, last;
} range;

static size_t is_in(uint32_t glyph, const range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (glyph >= ranges[i].first && glyph <= ranges[i].last) {
            return 1;
        }
    }
    return 0;
}

/* The blocks that matter in names; Unicode 14, EastAsianWidth W and F, category Mn. */
size_t weir_glyph_columns(uint32_t glyph)
{
    static const range zero[] = {
        {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f},  {0x1ab0, 0x1aff},
        {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},  {0x20d0, 0x20ff},
        {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0000, 0xe01ef}};
    static const range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                                 {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                                 {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
                                 {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                                 {0x20000, 0x3fffd}};
    if (glyph < 0x300) {
        return 1;
    }
    if (is_in(glyph, zero, sizeof zero / sizeof *zero)) {
        return 0;
    }
    return 1 + is_in(glyph, wide, sizeof wide / sizeof *wide);
}

size_t weir_text_columns(const char *text)
{
    size_t columns = 0;
    while (*text) {
        uint32_t glyph;
        text += weir_text_next(text, &glyph);
        columns += weir_glyph_columns(glyph);
    }
    return columns;
}

size_t weir_text_fit(const char *text, size_t n_columns)
{
    size_t n = 0, columns = 0, after_blank = 0;
    while (text[n]) {
        uint32_t glyph;
        size_t bytes = weir_text_next(text + n, &glyph);
        columns += weir_glyph_columns(glyph);
        if (columns > n_columns) {
            return after_blank > 0 ? after_blank : n > 0 ? n : bytes;
        }
        n += bytes;
        if (glyph == ' ' && 2 * columns > n_columns) {
            after_blank = n;
        }
    }
    return n;
}
