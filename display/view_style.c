/* Pens, palette, and what the waterfall's pixels are made of. */
#include "display/view_state.h"

#include <string.h>

#include <math.h>

typedef struct ink {
    weir_rgb rgb;
    bool has_rgb; /* else the terminal's own */
    uint32_t style;
    uint32_t style_without_color;
} ink;

static const ink inks[WEIR_INK_COUNT] = {
    [WEIR_INK_TEXT] = {.has_rgb = false},
    [WEIR_INK_FAINT] = {.rgb = {118, 124, 140}, .has_rgb = true},
    [WEIR_INK_STRONG] = {.style = WEIR_STYLE_BOLD, .style_without_color = WEIR_STYLE_BOLD},
    [WEIR_INK_ALARM] = {.rgb = {240, 84, 84},
                        .has_rgb = true,
                        .style = WEIR_STYLE_BOLD,
                        .style_without_color = WEIR_STYLE_REVERSE},
    [WEIR_INK_HOLD] = {.rgb = {214, 160, 72}, .has_rgb = true},
    [WEIR_INK_CURSOR] = {.rgb = {236, 236, 120},
                         .has_rgb = true,
                         .style = WEIR_STYLE_BOLD,
                         .style_without_color = WEIR_STYLE_BOLD},
};

static weir_pen make_pen(const weir_view *view, weir_ink which)
{
    const ink *i = &inks[which];
    if (view->caps.color == WEIR_COLOR_NONE) {
        return (weir_pen){.style = i->style_without_color};
    }
    weir_pen pen = {.style = i->style};
    /* Eight colours have no grey: the terminal's own is nearer. */
    if (i->has_rgb && !(which == WEIR_INK_FAINT && view->caps.color == WEIR_COLOR_8)) {
        pen.fg = weir_color_reduce(i->rgb, view->caps.color);
    }
    return pen;
}

static weir_pen make_bar_pen(const weir_view *view, weir_ink which)
{
    static const weir_rgb bar = {38, 42, 54}, light = {222, 226, 236};
    weir_pen pen = make_pen(view, which);
    if (view->caps.color < WEIR_COLOR_256) {
        pen.fg = which == WEIR_INK_ALARM ? pen.fg : WEIR_COLOR_DEFAULT;
        pen.style ^= WEIR_STYLE_REVERSE;
        return pen;
    }
    pen.bg = weir_color_reduce(bar, view->caps.color);
    if (pen.fg == WEIR_COLOR_DEFAULT) {
        pen.fg = weir_color_reduce(light, view->caps.color);
    }
    return pen;
}

void weir_view_make_pens(weir_view *view)
{
    for (weir_ink i = 0; i < WEIR_INK_COUNT; i++) {
        view->pens[i] = make_pen(view, i);
        view->bar_pens[i] = make_bar_pen(view, i);
    }
}

weir_pen weir_view_pen(const weir_view *view, weir_ink which)
{
    return view->pens[which];
}

weir_pen weir_view_bar_pen(const weir_view *view, weir_ink which)
{
    return view->bar_pens[which];
}

void weir_view_make_palette(weir_view *view)
{
    const weir_colormap *map = weir_view_colormap(view);
    for (size_t i = 0; i < WEIR_PALETTE_LEVELS; i++) {
        float position = (float)i / (WEIR_PALETTE_LEVELS - 1);
        view->palette[i] =
            weir_color_reduce(weir_colormap_at_position(map, position), view->caps.color);
    }
    view->palette[WEIR_PALETTE_LEVELS] =
        weir_color_reduce(weir_colormap_at_position(map, NAN), view->caps.color);
}

size_t weir_view_shade(const weir_view *view, float level_db)
{
    float part = (level_db - view->range.low_db) / (view->range.high_db - view->range.low_db);
    if (!(part > 0.0f)) {
        return 0;
    }
    return part >= 1.0f ? WEIR_PALETTE_LEVELS - 1 : (size_t)(part * WEIR_PALETTE_LEVELS);
}

weir_pixels weir_view_pixels(const weir_view *view)
{
    if (view->caps.color == WEIR_COLOR_NONE) {
        return WEIR_PIXELS_LETTERS;
    }
    return view->caps.is_utf8 ? WEIR_PIXELS_HALVES : WEIR_PIXELS_BLANKS;
}

uint64_t weir_view_rows_per_cell(const weir_view *view)
{
    if (view->cell_height > 0) {
        return (uint64_t)view->cell_height; /* a row of pixels each */
    }
    return weir_view_pixels(view) == WEIR_PIXELS_HALVES ? 2 : 1;
}

void weir_view_draw_gutter(weir_view *view, size_t row, const char *label, weir_ink ink_of_label)
{
    size_t gutter = view->layout.gutter;
    if (gutter < 2) {
        return;
    }
    size_t length = weir_text_columns(label), room = gutter - 2;
    bool is_utf8 = view->caps.is_utf8;
    uint32_t line = label[0] ? (is_utf8 ? 0x2524 : '+') : (is_utf8 ? 0x2502 : '|');
    size_t start = length < room ? room - length : 0;
    weir_pen pen = weir_view_pen(view, ink_of_label);
    if (length > room) { /* "2:46:41.25": what changes from row to row is at its end */
        label += length - (room - 1);
        label = strchr(label, ':') ? strchr(label, ':') : label;
        start = room - 1 - strlen(label);
        weir_cells_put(view->cells, start++, row, is_utf8 ? 0x2026 : '<', pen);
    }
    weir_cells_text(view->cells, start, row, room - start, label, pen);
    weir_cells_put(view->cells, gutter - 1, row, line, weir_view_pen(view, WEIR_INK_FAINT));
}
