/* Colour maps from files. */
#include "display/colormap_own.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 1024

typedef struct own {
    weir_colormap map; /* first */
    char name[64];
    uint32_t points[POINTS_MAX];
} own;

/* False: not a colour. */
static bool parse_color(const char *line, uint32_t *color)
{
    unsigned r, g, b;
    int used = 0;
    if (sscanf(line, " #%2x%2x%2x %n", &r, &g, &b, &used) != 3 &&
        sscanf(line, " %3u %3u %3u %n", &r, &g, &b, &used) != 3) {
        return false;
    }
    *color = r << 16 | g << 8 | b;
    return line[used] == '\0' && used > 0 && r < 256 && g < 256 && b < 256;
}

static bool is_comment(const char *line)
{
    const char *first = line + strspn(line, " \t\r\n");
    return *first == '\0' || (first[0] == '#' && (first[1] == ' ' || first[1] == '\n'));
}

static weir_status read_points(own *map, FILE *file, const char *path, weir_error *err)
{
    char line[128];
    for (unsigned number = 1; fgets(line, sizeof line, file); number++) {
        uint32_t color;
        if (is_comment(line)) {
            continue;
        }
        if (!parse_color(line, &color)) {
            return weir_fail(err, WEIR_ERR_DATA, "%s:%u: not a colour; write #rrggbb", path,
                             number);
        }
        if (map->map.n_points == POINTS_MAX) {
            return weir_fail(err, WEIR_ERR_DATA, "%s: more than %d colours", path, POINTS_MAX);
        }
        map->points[map->map.n_points++] = color;
    }
    if (ferror(file)) {
        return weir_fail(err, WEIR_ERR_IO, "%s: %s", path, strerror(errno));
    }
    return map->map.n_points >= 2
               ? WEIR_OK
               : weir_fail(err, WEIR_ERR_DATA, "%s: a colour map needs two colours", path);
}

weir_status weir_colormap_load(weir_colormap **out, const char *path, weir_error *err)
{
    const char *slash = strrchr(path, '/');
    *out = NULL;
    FILE *file = fopen(path, "re");
    if (!file) {
        return weir_fail(err, WEIR_ERR_NO_INPUT, "%s: %s", path, strerror(errno));
    }
    own *map = calloc(1, sizeof *map);
    weir_status status = map ? read_points(map, file, path, err)
                             : weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", path);
    fclose(file);
    if (status != WEIR_OK) {
        free(map);
        return status;
    }
    snprintf(map->name, sizeof map->name, "%.63s", slash ? slash + 1 : path);
    map->map.name = map->name;
    map->map.points = map->points;
    *out = &map->map;
    return WEIR_OK;
}

static weir_status refuse(const char *name, weir_error *err)
{
    char list[200] = "";
    for (size_t i = 0; weir_colormap_at(i); i++) {
        weir_list_add(list, sizeof list, "%s", weir_colormap_name(weir_colormap_at(i)));
    }
    return weir_fail(err, WEIR_ERR_USAGE,
                     "no colour map is called \"%s\"; there are: %s, and files (with a . or / in "
                     "the name)",
                     name, list);
}

weir_status weir_colormap_named(const weir_colormap **map, weir_colormap **owned, const char *name,
                                weir_error *err)
{
    *owned = NULL;
    *map = name ? weir_colormap_find(name) : weir_colormap_at(0);
    if (*map) {
        return WEIR_OK;
    }
    if (!name || !strpbrk(name, "./")) { /* without a name there is always one */
        return refuse(name ? name : "", err);
    }
    weir_status status = weir_colormap_load(owned, name, err);
    *map = *owned;
    return status;
}

void weir_colormap_destroy(weir_colormap *map)
{
    free(map); /* the first member of its whole */
}
