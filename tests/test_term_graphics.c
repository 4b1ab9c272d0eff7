/* ctest-labels: unit prop
 * display/term_graphics.h: random pictures come back out of the sixels as they went in, to the
 * per cent that sixels have, and their colours only; kitty's sequences keep to the protocol. What
 * a terminal answers about pictures (term_keys.h), whole and cut; cells under pictures
 * (term_cells.h). */
#include "display/term_cells.h"
#include "display/term_graphics.h"
#include "display/term_keys.h"
#include "tests/check.h"
#include "weir_config.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WIDTH 80
#define MOST_HEIGHT 40
#define UNTOUCHED 0xffffffffu

/* ---- a decoder of its own, for what the encoder may write ---- */

typedef struct decoder {
    const char *at;
    unsigned registers[256]; /* 0xRRGGBB in per cent */
    unsigned pixels[MOST_HEIGHT + 6][MOST_WIDTH];
    bool has_failed;
} decoder;

static unsigned number(decoder *d)
{
    unsigned value = 0;
    d->has_failed |= *d->at < '0' || *d->at > '9';
    for (; *d->at >= '0' && *d->at <= '9'; d->at++) {
        value = value * 10 + (unsigned)(*d->at - '0');
    }
    return value;
}

static bool take(decoder *d, const char *text)
{
    size_t n = strlen(text);
    bool is_there = strncmp(d->at, text, n) == 0;
    d->at += is_there ? n : 0;
    return is_there;
}

static unsigned take_color(decoder *d)
{
    unsigned which = number(d) & 255u;
    if (take(d, ";2;")) {
        unsigned rgb = number(d) << 16;
        d->has_failed |= !take(d, ";");
        rgb |= number(d) << 8;
        d->has_failed |= !take(d, ";");
        d->registers[which] = rgb | number(d);
    }
    return which;
}

static void decode(decoder *d, const char *text, unsigned *width, unsigned *height)
{
    size_t x = 0, band = 0;
    unsigned color = 0;
    memset(d, 0xff, sizeof *d);
    d->has_failed = false;
    d->at = text;
    d->has_failed |= !take(d, "\033P0;1;0q\"1;1;");
    *width = number(d);
    d->has_failed |= !take(d, ";");
    *height = number(d);
    while (!d->has_failed && !take(d, "\033\\")) {
        unsigned n = take(d, "!") ? number(d) : 1;
        if (take(d, "#")) {
            color = take_color(d);
        } else if (take(d, "$")) {
            x = 0;
        } else if (take(d, "-")) {
            x = 0;
            band++;
        } else {
            unsigned mask = (unsigned)(*d->at++ - '?');
            d->has_failed |= mask > 63 || x + n > MOST_WIDTH || band * 6 >= MOST_HEIGHT;
            for (; n > 0 && !d->has_failed; n--, x++) {
                for (size_t y = 0; y < 6; y++) {
                    if (mask >> y & 1u) {
                        d->has_failed |= d->pixels[band * 6 + y][x] != UNTOUCHED; /* only once */
                        d->pixels[band * 6 + y][x] = d->registers[color];
                    }
                }
            }
        }
    }
    d->has_failed |= *d->at != '\0';
}

static unsigned percent_of(weir_rgb rgb)
{
    return (rgb.r * 100u + 127u) / 255u << 16 | (rgb.g * 100u + 127u) / 255u << 8 |
           (rgb.b * 100u + 127u) / 255u;
}

/* Runs, noise and holes. */
static void draw(check_rng *rng, weir_canvas *canvas, size_t n_colors)
{
    uint8_t color = 0;
    for (int i = 0; i < canvas->width * canvas->height; i++) {
        if (check_random(rng) % 8 < 3) {
            color = (uint8_t)(check_random(rng) % 20 ? check_random(rng) % n_colors : 255);
        }
        canvas->pixels[i] = color;
    }
}

static void test_sixels_there_and_back(void)
{
    static decoder d;
    check_rng rng = check_rng_fresh();
    weir_bytes work = {0}, out = {0};
    for (int round = 0; round < 400; round++) {
        weir_rgb palette[255];
        weir_canvas canvas;
        weir_error err;
        size_t n_colors = 1 + check_random(&rng) % 255;
        int width = 1 + (int)(check_random(&rng) % MOST_WIDTH);
        int height = 1 + (int)(check_random(&rng) % MOST_HEIGHT);
        CHECK(weir_canvas_init(&canvas, width, height, &err) == WEIR_OK);
        for (size_t i = 0; i < n_colors; i++) {
            uint64_t r = check_random(&rng);
            palette[i] = (weir_rgb){(uint8_t)r, (uint8_t)(r >> 8), (uint8_t)(r >> 16)};
        }
        draw(&rng, &canvas, n_colors);
        weir_image image = {&canvas, 1 + (int)(check_random(&rng) % (unsigned)height), palette,
                            n_colors};
        int x0 = (int)(check_random(&rng) % (unsigned)width);
        int part = 1 + (int)(check_random(&rng) % (unsigned)(width - x0));
        unsigned said_width, said_height;
        weir_bytes_clear(&out);
        weir_sixel_encode(&image, x0, part, &work, &out);
        weir_bytes_append(&out, "", 1);
        decode(&d, out.data, &said_width, &said_height);
        CHECK_MSG(!d.has_failed, "round %d: at \"%.20s\"", round, d.at);
        CHECK(said_width == (unsigned)part && said_height == (unsigned)image.n_rows);
        for (int y = 0; y < MOST_HEIGHT; y++) {
            for (int x = 0; x < MOST_WIDTH; x++) {
                bool is_in = y < image.n_rows && x < part;
                uint8_t index = is_in ? canvas.pixels[y * width + x0 + x] : 255;
                unsigned want = index == 255 ? UNTOUCHED : percent_of(palette[index]);
                CHECK(d.pixels[y][x] == want);
            }
        }
        weir_canvas_deinit(&canvas);
    }
    weir_bytes_free(&work);
    weir_bytes_free(&out);
}

/* One flat row of cells, as of a waterfall without a signal, must cost next to nothing. */
static void test_sixels_are_short(void)
{
    weir_bytes work = {0}, out = {0};
    weir_canvas canvas;
    weir_error err;
    weir_rgb palette[1] = {{1, 2, 3}};
    CHECK(weir_canvas_init(&canvas, 1000, 20, &err) == WEIR_OK);
    weir_image image = {&canvas, 20, palette, 1};
    weir_sixel_encode(&image, 0, 1000, &work, &out);
    CHECK_MSG(out.size < 80, "%zu bytes", out.size);
    weir_canvas_deinit(&canvas);
    weir_bytes_free(&work);
    weir_bytes_free(&out);
}

/* Chunks of at most 4096, all but the last a multiple of 4, the keys in the first one only. */
static void check_kitty(const char *text)
{
    bool is_first = true, more = true;
    while (more) {
        const char *data = strchr(text, ';'), *end = data ? strstr(data, "\033\\") : NULL;
        CHECK(strncmp(text, "\033_G", 3) == 0 && data && end);
        size_t n = data && end ? (size_t)(end - data - 1) : 0;
        more = data && data[-1] == '1';
        CHECK(n > 0 && n <= 4096 && n % 4 == 0);
        CHECK((strstr(text, "i=77") && strstr(text, "i=77") < data) == is_first);
        text = end + 2;
        is_first = false;
    }
    CHECK(*text == '\0' && !is_first);
}

static void test_kitty(void)
{
    weir_bytes work = {0}, out = {0};
    weir_canvas canvas;
    weir_error err;
    weir_rgb palette[255] = {{0, 0, 0}};
    check_rng rng = check_rng_fresh();
    CHECK(weir_graphics_is_built(WEIR_GRAPHICS_KITTY) == WEIR_HAVE_PNG);
    for (int width = 1; width <= 200; width += 66) {
        CHECK(weir_canvas_init(&canvas, width, 100, &err) == WEIR_OK);
        draw(&rng, &canvas, 255);
        weir_image image = {&canvas, 100, palette, 255};
        weir_bytes_clear(&out);
        bool is_sent = weir_kitty_send(&image, 77, &work, &out);
        CHECK(is_sent == WEIR_HAVE_PNG);
        weir_bytes_append(&out, "", 1);
        if (is_sent) {
            check_kitty(out.data);
        }
        weir_canvas_deinit(&canvas);
    }
    weir_bytes_clear(&out);
    weir_kitty_show(&(weir_kitty_place){9, 3, 4, 5, 60, 7}, &out);
    weir_kitty_show(&(weir_kitty_place){9, 3, 4, 0, 60, 7}, &out);
    weir_kitty_drop(9, &out);
    weir_bytes_append(&out, "", 1);
    CHECK(strcmp(out.data, "\033[5;4H\033_Ga=p,p=1,q=2,C=1,z=-1,i=9,w=60,h=7,Y=5\033\\"
                           "\033[5;4H\033_Ga=p,p=1,q=2,C=1,z=-1,i=9,w=60,h=7\033\\"
                           "\033_Ga=d,d=I,q=2,i=9\033\\") == 0);
    weir_bytes_free(&work);
    weir_bytes_free(&out);
}

/* ---- answers ---- */

static const struct {
    const char *bytes;
    weir_answers answers;
} answered[] = {
    {"\033[?62;4;22c", {.has_class = true, .knows_sixels = true}},
    {"\033[?64;1;2;6;9;15;16;17;18;21;22;28;4c", {.has_class = true, .knows_sixels = true}},
    {"\033[?4;6c", {.has_class = true}}, /* a VT132, not sixels */
    {"\033[?6c", {.has_class = true}},
    {"\033[?62;14;44c", {.has_class = true}},
    {"\033[6;24;12t", {.cell_width = 12, .cell_height = 24}},
    {"\033[4;600;800t", {.cell_width = 0}},
    {"\033[6;0;0t", {.cell_width = 0}},
    {"\033[?1;0;256S", {.sixel_colors = 256}},
    {"\033[?1;3;0S", {.sixel_colors = 0}},
    {"\033_Gi=31;OK\033\\", {.knows_kitty = true}},
    {"\033_Gi=31;ENOTSUPPORTED:no\033\\", {.knows_kitty = false}},
    {"\033_Gi=32;OK\033\\", {.knows_kitty = false}},
    {"\033_X\033\\", {.knows_kitty = false}},
    {"\033P>|XTerm(379)\033\\", {.knows_kitty = false}},
};

static bool same_answers(const weir_answers *a, const weir_answers *b)
{
    return a->has_class == b->has_class && a->knows_sixels == b->knows_sixels &&
           a->knows_kitty == b->knows_kitty && a->cell_width == b->cell_width &&
           a->cell_height == b->cell_height && a->sixel_colors == b->sixel_colors;
}

/* Whole and byte by byte; and the key after it is still a key. */
static void test_answers(void)
{
    for (size_t i = 0; i < sizeof answered / sizeof *answered; i++) {
        const char *bytes = answered[i].bytes;
        for (int is_cut = 0; is_cut < 2; is_cut++) {
            weir_keys keys = {.n_bytes = 0};
            size_t n = strlen(bytes);
            for (size_t at = 0; at < n; at += is_cut ? 1 : n) {
                weir_keys_feed(&keys, bytes + at, is_cut ? 1 : n);
                int key = weir_keys_next(&keys);
                CHECK_MSG(key == WEIR_KEY_NONE || key == WEIR_KEY_ANSWER, "%zu: %#x", i, key);
            }
            CHECK_MSG(same_answers(&keys.answers, &answered[i].answers), "%zu", i);
            weir_keys_feed(&keys, "q", 1);
            CHECK_MSG(weir_keys_next(&keys) == 'q', "%zu", i);
        }
    }
}

/* ---- cells under pictures ---- */

static const char *bytes_of(weir_bytes *out)
{
    weir_bytes_append(out, "", 1);
    out->size--;
    return out->data;
}

static void test_cells_under_pictures(void)
{
    weir_cells *cells = weir_cells_create(10, 3, true);
    weir_bytes out = {0};
    weir_pen pen = {0};
    weir_cells_text(cells, 2, 1, 8, "abc", pen);
    weir_cells_begin(cells, &out);
    CHECK(strstr(bytes_of(&out), "\033[2J"));
    weir_bytes_clear(&out);
    weir_cells_render(cells, &out);
    CHECK(!strstr(bytes_of(&out), "\033[2J") && strstr(bytes_of(&out), "abc"));
    /* a picture over them: the text is written again, the blanks are left alone */
    weir_bytes_clear(&out);
    weir_cells_rewrite(cells, 0, 1, 10);
    weir_cells_render(cells, &out);
    CHECK(strcmp(bytes_of(&out), "\033[2;3Habc") == 0);
    /* text that goes leaves blanks first, and only once */
    weir_bytes_clear(&out);
    weir_cells_put(cells, 3, 1, ' ', pen);
    CHECK(!weir_cells_blank(cells, 0, 0, 10, false, &out));
    CHECK(weir_cells_blank(cells, 0, 1, 10, false, &out));
    CHECK(strcmp(bytes_of(&out), "\033[2;4H ") == 0);
    CHECK(!weir_cells_blank(cells, 0, 1, 10, false, &out));
    weir_bytes_clear(&out);
    weir_cells_render(cells, &out);
    CHECK(out.size == 0);
    /* all of a row, also beyond its end; what text there is comes again */
    CHECK(weir_cells_blank(cells, 1, 1, 99, true, &out));
    CHECK(strcmp(bytes_of(&out), "\033[2;2H         ") == 0);
    weir_bytes_clear(&out);
    weir_cells_render(cells, &out);
    CHECK(strcmp(bytes_of(&out), "\033[2;3Ha c") == 0);
    CHECK(!weir_cells_blank(cells, 0, 7, 10, true, &out));
    weir_cells_rewrite(cells, 0, 7, 10);
    weir_cells_destroy(cells);
    weir_bytes_free(&out);
}

int main(void)
{
    RUN(test_sixels_there_and_back);
    RUN(test_sixels_are_short);
    RUN(test_kitty);
    RUN(test_answers);
    RUN(test_cells_under_pictures);
    return check_finish();
}
