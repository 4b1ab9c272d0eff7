/* ctest-labels: unit prop
 * display/term_cells.h: the bytes of every frame, played into a model of a terminal,
 * give exactly the picture that was drawn; scrolling included. Also the colours, the
 * text widths and the bytes they are made of. */
#include "display/term_cells.h"
#include "display/term_text.h"
#include "tests/check.h"

#define COLUMNS_MAX 90
#define ROWS_MAX 40

typedef struct model {
    size_t n_columns, n_rows, column, row, top, bottom;
    weir_pen pen;
    weir_cell cells[ROWS_MAX][COLUMNS_MAX];
    int n_unknown; /* sequences that a VT100 with colours would not take */
} model;

static void model_clear(model *m)
{
    for (size_t r = 0; r < m->n_rows; r++) {
        for (size_t c = 0; c < m->n_columns; c++) {
            m->cells[r][c] = (weir_cell){' ', m->pen};
        }
    }
}

static size_t model_color(const unsigned *p, size_t n, weir_color *color)
{
    if (n >= 5 && p[1] == 2) {
        *color = WEIR_COLOR_OF_RGB(p[2], p[3], p[4]);
        return 5;
    }
    *color = WEIR_COLOR_OF_INDEX(p[2]);
    return 3;
}

static void model_sgr(model *m, const unsigned *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned v = p[i];
        if (v == 38 || v == 48) {
            i += model_color(p + i, n - i, v == 38 ? &m->pen.fg : &m->pen.bg);
            continue;
        }
        if (v == 0) {
            m->pen = (weir_pen){0};
        } else if (v == 39) {
            m->pen.fg = WEIR_COLOR_DEFAULT;
        } else if (v == 49) {
            m->pen.bg = WEIR_COLOR_DEFAULT;
        } else if (v >= 30 && v < 38) {
            m->pen.fg = WEIR_COLOR_OF_INDEX(v - 30);
        } else if (v >= 40 && v < 48) {
            m->pen.bg = WEIR_COLOR_OF_INDEX(v - 40);
        } else if (v >= 90 && v < 98) {
            m->pen.fg = WEIR_COLOR_OF_INDEX(v - 82);
        } else if (v >= 100 && v < 108) {
            m->pen.bg = WEIR_COLOR_OF_INDEX(v - 92);
        } else if (v == 1 || v == 2 || v == 7) {
            m->pen.style |= v == 1 ? WEIR_STYLE_BOLD : v == 2 ? WEIR_STYLE_DIM : WEIR_STYLE_REVERSE;
        } else {
            m->n_unknown++;
        }
        i++;
    }
}

static void model_csi(model *m, char final, const unsigned *p, size_t n)
{
    if (final == 'H') {
        m->row = p[0] ? p[0] - 1 : 0;
        m->column = n > 1 && p[1] ? p[1] - 1 : 0;
    } else if (final == 'C') {
        m->column += p[0] ? p[0] : 1;
    } else if (final == 'J' && p[0] == 2) {
        model_clear(m);
    } else if (final == 'm') {
        model_sgr(m, p, n);
    } else if (final == 'r') {
        m->top = p[0] ? p[0] - 1 : 0;
        m->bottom = n > 1 && p[1] ? p[1] - 1 : m->n_rows - 1;
        m->row = m->column = 0;
    } else {
        m->n_unknown++;
    }
}

static void model_reverse_index(model *m)
{
    if (m->row != m->top) {
        m->row -= m->row > 0;
        return;
    }
    for (size_t r = m->bottom; r > m->top; r--) {
        memcpy(m->cells[r], m->cells[r - 1], sizeof m->cells[r]);
    }
    for (size_t c = 0; c < m->n_columns; c++) {
        m->cells[m->top][c] = (weir_cell){' ', m->pen};
    }
}

static size_t model_escape(model *m, const char *text)
{
    unsigned p[16] = {0};
    size_t n = 0, i = 2;
    if (text[1] == 'M') {
        model_reverse_index(m);
        return 2;
    }
    for (; text[i] == ';' || (text[i] >= '0' && text[i] <= '9'); i++) {
        if (text[i] == ';') {
            n += n < 15;
        } else {
            p[n] = p[n] * 10 + (unsigned)(text[i] - '0');
        }
    }
    model_csi(m, text[i], p, n + 1);
    return i + 1;
}

static void model_play(model *m, const weir_bytes *bytes)
{
    static char text[1 << 20];
    memcpy(text, bytes->data, bytes->size);
    text[bytes->size] = '\0';
    for (size_t i = 0; text[i];) {
        if (text[i] == '\033') {
            i += model_escape(m, text + i);
            continue;
        }
        uint32_t glyph;
        i += weir_text_next(text + i, &glyph);
        if (m->row >= m->n_rows || m->column >= m->n_columns) {
            m->n_unknown++; /* written outside: it would wrap or scroll */
            continue;
        }
        m->cells[m->row][m->column++] = (weir_cell){glyph, m->pen};
        if (weir_glyph_columns(glyph) == 2) {
            m->cells[m->row][m->column++] = (weir_cell){0, m->pen};
        }
    }
}

static bool model_shows(const model *m, const weir_cells *cells)
{
    for (size_t r = 0; r < m->n_rows; r++) {
        for (size_t c = 0; c < m->n_columns; c++) {
            weir_cell a = m->cells[r][c], b = weir_cells_at(cells, c, r);
            if (a.glyph != b.glyph || a.pen.fg != b.pen.fg || a.pen.bg != b.pen.bg ||
                a.pen.style != b.pen.style) {
                return false;
            }
        }
    }
    return true;
}

static weir_pen random_pen(check_rng *rng)
{
    static const weir_color colors[] = {WEIR_COLOR_DEFAULT,         WEIR_COLOR_OF_INDEX(3),
                                        WEIR_COLOR_OF_INDEX(12),    WEIR_COLOR_OF_INDEX(200),
                                        WEIR_COLOR_OF_RGB(1, 2, 3), WEIR_COLOR_OF_RGB(255, 99, 0)};
    return (weir_pen){.fg = colors[check_random(rng) % 6],
                      .bg = colors[check_random(rng) % 6],
                      .style = (uint32_t)(check_random(rng) % 8)};
}

static void draw_at_random(check_rng *rng, weir_cells *cells, size_t n_columns, size_t n_rows)
{
    static const uint32_t glyphs[] = {' ', 'a', 'Z', 0x2580, 0x2502, 0xe9, 0x28ff};
    for (uint64_t i = check_random(rng) % 60; i > 0; i--) {
        weir_cells_fill(cells, check_random(rng) % n_columns, check_random(rng) % n_rows,
                        1 + check_random(rng) % 9, 1 + check_random(rng) % 2,
                        glyphs[check_random(rng) % 7], random_pen(rng));
    }
    weir_cells_text(cells, check_random(rng) % n_columns, check_random(rng) % n_rows, 12,
                    "Gr\xc3\xbc\xc3\x9f"
                    "e",
                    random_pen(rng));
}

static void test_every_frame_gives_the_picture(void)
{
    check_rng rng = check_rng_fresh();
    static model m;
    for (int round = 0; round < 40; round++) {
        m = (model){.n_columns = 1 + check_random(&rng) % COLUMNS_MAX,
                    .n_rows = 1 + check_random(&rng) % ROWS_MAX};
        m.pen = (weir_pen){.bg = 77};
        model_clear(&m); /* garbage that the first frame must clear */
        m.pen = (weir_pen){0};
        weir_cells *cells = weir_cells_create(m.n_columns, m.n_rows, true);
        weir_bytes out = {0};
        for (int frame = 0; frame < 20; frame++) {
            weir_bytes_clear(&out);
            if (frame % 3 == 2) {
                size_t top = check_random(&rng) % m.n_rows;
                weir_cells_scroll_down(cells, top, check_random(&rng) % (m.n_rows - top + 2),
                                       check_random(&rng) % 4, &out);
            }
            draw_at_random(&rng, cells, m.n_columns, m.n_rows);
            weir_cells_render(cells, &out);
            model_play(&m, &out);
            CHECK(!out.has_failed && m.n_unknown == 0);
            CHECK_MSG(model_shows(&m, cells), "round %d frame %d", round, frame);
            CHECK(m.pen.fg == 0 && m.pen.bg == 0 && m.pen.style == 0);
        }
        weir_bytes_clear(&out);
        weir_cells_render(cells, &out);
        CHECK(out.size == 0); /* nothing changed, nothing written */
        weir_bytes_free(&out);
        weir_cells_destroy(cells);
    }
}

static void test_scrolling_costs_one_row(void)
{
    enum { W = 80, H = 30 };
    weir_cells *cells = weir_cells_create(W, H, true);
    weir_bytes out = {0};
    check_rng rng = check_rng_from(1);
    weir_color rows[H + 10][W];
    for (size_t r = 0; r < H + 10; r++) {
        for (size_t c = 0; c < W; c++) {
            rows[r][c] = WEIR_COLOR_OF_RGB(check_random(&rng) % 256, check_random(&rng) % 256, 7);
        }
    }
    for (size_t step = 0; step < 10; step++) {
        weir_bytes_clear(&out);
        weir_cells_scroll_down(cells, 0, H, 1, &out);
        for (size_t r = 0; r < H; r++) {
            for (size_t c = 0; c < W; c++) {
                weir_cells_put(cells, c, r, ' ', (weir_pen){.bg = rows[step + H - 1 - r][c]});
            }
        }
        weir_cells_render(cells, &out);
        /* "ESC[48;2;255;255;7m " is at most 20 bytes. */
        CHECK_MSG(step == 0 || out.size < W * 20 + 60, "%zu bytes", out.size);
    }
    weir_bytes_free(&out);
    weir_cells_destroy(cells);
}

static void test_text_is_cut_and_made_harmless(void)
{
    weir_cells *cells = weir_cells_create(20, 2, true);
    CHECK(weir_cells_text(cells, 0, 0, 5, "abcdefgh", (weir_pen){0}) == 5);
    CHECK(weir_cells_at(cells, 4, 0).glyph == 0x2026 && weir_cells_at(cells, 5, 0).glyph == ' ');
    weir_cells_text(cells, 0, 1, 20, "\033[2Jx\n\xff\xc0\x80y", (weir_pen){0});
    for (size_t c = 0; c < 20; c++) {
        uint32_t glyph = weir_cells_at(cells, c, 1).glyph;
        CHECK(glyph >= 0x20 && glyph != 0x7f);
    }
    CHECK(weir_cells_at(cells, 0, 1).glyph == '?' && weir_cells_at(cells, 1, 1).glyph == '[');
    CHECK(weir_cells_text(cells, 0, 0, 0, "abc", (weir_pen){0}) == 0);
    CHECK(weir_cells_text(cells, 30, 9, 5, "abc", (weir_pen){0}) == 3); /* outside: cut off */
    weir_cells_destroy(cells);

    cells = weir_cells_create(10, 1, false);
    weir_cells_text(cells, 0, 0, 10, "\xe2\x96\x80z", (weir_pen){0});
    CHECK(weir_cells_at(cells, 0, 0).glyph == '?' && weir_cells_at(cells, 1, 0).glyph == 'z');
    weir_cells_destroy(cells);
    CHECK(weir_cells_create(0, 3, true) == NULL);
    weir_cells_destroy(NULL);
}

static void test_widths(void)
{
    CHECK(weir_text_columns("abc") == 3);
    CHECK(weir_text_columns("\xe6\x97\xa5\xe6\x9c\xac") == 4); /* two ideographs */
    CHECK(weir_text_columns("e\xcc\x81") == 1);                /* combining acute */
    CHECK(weir_text_columns("\xed\xa0\x80") >= 1);             /* a surrogate: no UTF-8 */
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 20000; i++) {
        char text[9] = {0};
        for (int k = 0; k < 8; k++) {
            text[k] = (char)(1 + check_random(&rng) % 255);
        }
        size_t at = 0, length = strlen(text);
        while (text[at]) {
            uint32_t glyph;
            size_t n = weir_text_next(text + at, &glyph);
            CHECK(n >= 1 && n <= 4 && at + n <= length);
            CHECK(glyph >= 0x20 && !(glyph >= 0x7f && glyph < 0xa0) && glyph <= 0x10ffff);
            at += n;
        }
    }
}

static void test_colours_reduce_to_the_nearest(void)
{
    weir_rgb red = {255, 0, 0}, grey = {128, 128, 128}, violet = {70, 50, 126};
    CHECK(weir_color_reduce(red, WEIR_COLOR_DIRECT) == WEIR_COLOR_OF_RGB(255, 0, 0));
    CHECK(weir_color_reduce(red, WEIR_COLOR_256) == WEIR_COLOR_OF_INDEX(196));
    CHECK(weir_color_reduce(red, WEIR_COLOR_16) == WEIR_COLOR_OF_INDEX(9));
    CHECK(weir_color_reduce(red, WEIR_COLOR_8) == WEIR_COLOR_OF_INDEX(1));
    CHECK(weir_color_reduce(red, WEIR_COLOR_NONE) == WEIR_COLOR_DEFAULT);
    CHECK(weir_color_reduce(grey, WEIR_COLOR_256) == WEIR_COLOR_OF_INDEX(244));
    CHECK((weir_color_reduce(violet, WEIR_COLOR_256) & 0xff) < 232); /* keeps its hue */
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 20000; i++) {
        weir_rgb rgb = {(uint8_t)check_random(&rng), (uint8_t)check_random(&rng),
                        (uint8_t)check_random(&rng)};
        for (int depth = WEIR_COLOR_8; depth <= WEIR_COLOR_DIRECT; depth++) {
            char sgr[WEIR_COLOR_SGR_MAX];
            size_t n = weir_color_sgr(weir_color_reduce(rgb, (weir_view_color)depth), true, sgr);
            CHECK(n >= 2 && n <= WEIR_COLOR_SGR_MAX);
        }
    }
}

int main(void)
{
    RUN(test_every_frame_gives_the_picture);
    RUN(test_scrolling_costs_one_row);
    RUN(test_text_is_cut_and_made_harmless);
    RUN(test_widths);
    RUN(test_colours_reduce_to_the_nearest);
    return check_finish();
}
