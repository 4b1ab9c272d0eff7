/* ctest-labels: unit
 * display/colormap.h: the table, clamping, the gap colour, and lightness that only grows. */
#include "display/colormap.h"
#include "tests/check.h"

static double linear_light(uint8_t value)
{
    double c = value / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* CIE 1976 L* from sRGB (IEC 61966-2-1) */
static double lightness(weir_rgb c)
{
    double y = 0.2126 * linear_light(c.r) + 0.7152 * linear_light(c.g) + 0.0722 * linear_light(c.b);
    return y > 216.0 / 24389.0 ? 116.0 * cbrt(y) - 16.0 : y * 24389.0 / 27.0;
}

static void test_names_find_their_rows(void)
{
    const char *const names[] = {"viridis", "magma",   "inferno", "plasma",
                                 "turbo",   "cividis", "grey",    "classic"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const weir_colormap *map = weir_colormap_find(names[i]);
        CHECK_MSG(map != NULL, "no map %s", names[i]);
        CHECK(map == weir_colormap_at(i));
        CHECK_STR(weir_colormap_name(map), names[i]);
    }
    CHECK(weir_colormap_at(sizeof names / sizeof names[0]) == NULL);
    CHECK(weir_colormap_find("Viridis") == NULL);
    CHECK(weir_colormap_find("") == NULL);
}

static int same(weir_rgb a, weir_rgb b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static void test_any_position_is_clamped(void)
{
    const weir_colormap *map;
    for (size_t i = 0; (map = weir_colormap_at(i)); i++) {
        weir_rgb first = weir_colormap_at_position(map, 0.0f);
        weir_rgb last = weir_colormap_at_position(map, 1.0f);
        CHECK(!same(first, last));
        CHECK(same(weir_colormap_at_position(map, -1e30f), first));
        CHECK(same(weir_colormap_at_position(map, -INFINITY), first));
        CHECK(same(weir_colormap_at_position(map, 1e30f), last));
        CHECK(same(weir_colormap_at_position(map, INFINITY), last));
        weir_rgb gap = weir_colormap_at_position(map, NAN);
        CHECK(gap.r == gap.g && gap.g == gap.b && gap.r > 64 && gap.r < 192);
    }
}

static void test_lightness_grows(void)
{
    /* Those made to be even in lightness; turbo and classic are not. Entries are rounded
     * to 8 bits, which moves L* by at most about 0.4. */
    const char *const even[] = {"viridis", "magma", "inferno", "plasma", "cividis", "grey"};
    for (size_t i = 0; i < sizeof even / sizeof even[0]; i++) {
        const weir_colormap *map = weir_colormap_find(even[i]);
        double before = -1.0;
        for (int k = 0; k <= 1000; k++) {
            double now = lightness(weir_colormap_at_position(map, (float)k / 1000.0f));
            CHECK_MSG(now >= before - 0.4, "%s at %d: %.2f after %.2f", even[i], k, now, before);
            before = now;
        }
        double low = lightness(weir_colormap_at_position(map, 0.0f));
        CHECK_MSG(before - low > 50.0, "%s spans %.1f", even[i], before - low);
    }
}

static void print_entries(const weir_colormap *map)
{
    for (int i = 0; i < 256; i++) {
        weir_rgb c = weir_colormap_at_position(map, (float)i / 255.0f);
        printf("%d %d %d\n", c.r, c.g, c.b);
    }
}

/* With a map's name: prints its 256 entries, for test_colormap_reference.py. */
int main(int argc, char **argv)
{
    if (argc == 2) {
        const weir_colormap *map = weir_colormap_find(argv[1]);
        if (!map) {
            return 1;
        }
        print_entries(map);
        return 0;
    }
    RUN(test_names_find_their_rows);
    RUN(test_any_position_is_clamped);
    RUN(test_lightness_grows);
    return check_finish();
}
