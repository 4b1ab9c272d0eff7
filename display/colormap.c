#include "display/colormap.h"

#include "display/colormap_data.h"

#include <string.h>

struct weir_colormap {
    const char *name;
    const uint32_t *points; /* 0xRRGGBB, evenly spaced from position 0 to 1 */
    size_t n_points;
};

static const uint32_t grey_points[] = {0x000000, 0xffffff};

/* The look of the classic receivers' waterfalls. */
static const uint32_t classic_points[] = {0x000000, 0x00005c, 0x0018d8, 0x00b4ff, 0x8cff70,
                                          0xffff00, 0xff8000, 0xff0000, 0xffffff};

static const weir_rgb gap_color = {112, 112, 112};

#define POINTS(array) array, sizeof array / sizeof array[0]

static const weir_colormap maps[] = {
    {"viridis", POINTS(viridis_points)}, {"magma", POINTS(magma_points)},
    {"inferno", POINTS(inferno_points)}, {"plasma", POINTS(plasma_points)},
    {"turbo", POINTS(turbo_points)},     {"cividis", POINTS(cividis_points)},
    {"grey", POINTS(grey_points)},       {"classic", POINTS(classic_points)},
};

const weir_colormap *weir_colormap_at(size_t index)
{
    return index < sizeof maps / sizeof maps[0] ? &maps[index] : NULL;
}

const weir_colormap *weir_colormap_find(const char *name)
{
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        if (strcmp(maps[i].name, name) == 0) {
            return &maps[i];
        }
    }
    return NULL;
}

const char *weir_colormap_name(const weir_colormap *map)
{
    return map->name;
}

static uint8_t blend(uint32_t from, uint32_t to, unsigned shift, float part)
{
    float a = (float)((from >> shift) & 0xff), b = (float)((to >> shift) & 0xff);
    return (uint8_t)(a + (b - a) * part + 0.5f);
}

weir_rgb weir_colormap_at_position(const weir_colormap *map, float position)
{
    if (position != position) {
        return gap_color;
    }
    position = position < 0.0f ? 0.0f : position > 1.0f ? 1.0f : position;
    float at = position * (float)(map->n_points - 1);
    size_t left = (size_t)at;
    left = left > map->n_points - 2 ? map->n_points - 2 : left;
    float part = at - (float)left;
    uint32_t from = map->points[left], to = map->points[left + 1];
    return (weir_rgb){blend(from, to, 16, part), blend(from, to, 8, part),
                      blend(from, to, 0, part)};
}
