/* ctest-labels: unit
 * display/canvas.h and display/font.h: glyphs, clipping, text that is cut, text that climbs. */
#include "display/canvas.h"
#include "display/font.h"
#include "tests/check.h"

static int same_glyph(char a, char b)
{
    for (int row = 0; row < WEIR_FONT_HEIGHT; row++) {
        for (int column = 0; column < WEIR_FONT_WIDTH; column++) {
            if (weir_font_dot(a, column, row) != weir_font_dot(b, column, row)) {
                return 0;
            }
        }
    }
    return 1;
}

static void test_every_character_has_its_own_glyph(void)
{
    for (int a = ' '; a <= '~'; a++) {
        for (int b = ' '; b < a; b++) {
            CHECK_MSG(!same_glyph((char)a, (char)b), "'%c' looks like '%c'", a, b);
        }
    }
    CHECK(same_glyph('\n', '?') && same_glyph((char)0xc3, '?') && same_glyph('\x7f', '?'));
    CHECK(!weir_font_dot('#', -1, 0) && !weir_font_dot('#', WEIR_FONT_WIDTH, 0));
    CHECK(!weir_font_dot('#', 0, -1) && !weir_font_dot('#', 0, WEIR_FONT_HEIGHT));
}

static size_t count_pixels(const weir_canvas *canvas, uint8_t color)
{
    size_t count = 0;
    for (int i = 0; i < canvas->width * canvas->height; i++) {
        count += canvas->pixels[i] == color;
    }
    return count;
}

static void test_what_is_outside_is_cut_off(void)
{
    weir_canvas canvas;
    CHECK(weir_canvas_init(&canvas, 40, 30, NULL) == WEIR_OK);
    weir_canvas_fill(&canvas, -100, -100, 500, 500, 1);
    CHECK(count_pixels(&canvas, 1) == 40 * 30);
    weir_canvas_fill(&canvas, 35, 28, 100, 100, 2);
    CHECK(count_pixels(&canvas, 2) == 5 * 2);
    weir_canvas_fill(&canvas, 50, 10, 10, 10, 3);
    weir_canvas_fill(&canvas, -50, 10, 10, 10, 3);
    weir_canvas_fill(&canvas, 10, 10, -5, 5, 3);
    weir_canvas_set(&canvas, -1, 0, 3);
    weir_canvas_set(&canvas, 0, 30, 3);
    weir_canvas_text(&canvas, 1000, 1000, 3, "far away");
    weir_canvas_text_up(&canvas, -1000, -1000, 3, "far away");
    CHECK(count_pixels(&canvas, 3) == 0);
    weir_canvas_text(&canvas, -6, -9, 4, "@@@@@@@@@@@@@@@@@@@@@");
    weir_canvas_text_up(&canvas, 36, 33, 4, "@@@@@@@@@@@@@@@@@@@@@");
    CHECK(count_pixels(&canvas, 4) > 0);
    weir_canvas_deinit(&canvas);
}

static void test_text_up_is_text_turned(void)
{
    weir_canvas level, up;
    CHECK(weir_canvas_init(&level, 60, 30, NULL) == WEIR_OK);
    CHECK(weir_canvas_init(&up, 30, 60, NULL) == WEIR_OK);
    weir_canvas_text(&level, 4, 6, 1, "Rg/4");
    weir_canvas_text_up(&up, 6, 60 - 1 - 4, 1, "Rg/4");
    CHECK(count_pixels(&level, 1) > 50);
    for (int y = 0; y < 30; y++) {
        for (int x = 0; x < 60; x++) {
            CHECK(level.pixels[y * 60 + x] == up.pixels[(59 - x) * 30 + y]);
        }
    }
    weir_canvas_deinit(&level);
    weir_canvas_deinit(&up);
}

static int rightmost(const weir_canvas *canvas)
{
    int most = -1;
    for (int i = 0; i < canvas->width * canvas->height; i++) {
        if (canvas->pixels[i]) {
            most = i % canvas->width > most ? i % canvas->width : most;
        }
    }
    return most;
}

static void test_long_text_is_cut_to_its_room(void)
{
    weir_canvas canvas, dots;
    CHECK(weir_canvas_init(&canvas, 400, 20, NULL) == WEIR_OK);
    CHECK(weir_canvas_init(&dots, 400, 20, NULL) == WEIR_OK);
    const char *text = "a text of some length that is too long";
    for (int room = 0; room < 400; room += 7) {
        memset(canvas.pixels, 0, 400 * 20);
        weir_canvas_text_within(&canvas, 0, 1, room, 1, text);
        CHECK_MSG(rightmost(&canvas) < room || room == 0, "%d", room);
        CHECK((rightmost(&canvas) >= 0) == (room >= 12));
    }
    weir_canvas_text_within(&canvas, 0, 1, 400, 1, "short");
    CHECK(weir_text_width("short") == 60);
    memset(canvas.pixels, 0, 400 * 20);
    weir_canvas_text_within(&canvas, 0, 1, 60, 1, "short");
    weir_canvas_text(&dots, 0, 1, 1, "short");
    CHECK(memcmp(canvas.pixels, dots.pixels, 400 * 20) == 0);
    /* A character is one, however many bytes it has. */
    CHECK(weir_text_width("\u65e5\u672c") == 24 && weir_text_width("e\u0301") == 12);
    weir_canvas_deinit(&canvas);
    weir_canvas_deinit(&dots);
}

static void test_impossible_sizes(void)
{
    const int sizes[][2] = {{0, 1}, {1, 0}, {-1, 5}, {WEIR_CANVAS_MAX_SIDE + 1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        weir_error err = {0};
        weir_canvas canvas;
        CHECK(weir_canvas_init(&canvas, sizes[i][0], sizes[i][1], &err) == WEIR_ERR_USAGE);
        CHECK(canvas.pixels == NULL && err.text[0]);
        weir_canvas_deinit(&canvas);
    }
    weir_canvas canvas;
    CHECK(weir_canvas_init(&canvas, WEIR_CANVAS_MAX_SIDE, 1, NULL) == WEIR_OK);
    weir_canvas_deinit(&canvas);
}

int main(void)
{
    RUN(test_every_character_has_its_own_glyph);
    RUN(test_what_is_outside_is_cut_off);
    RUN(test_text_up_is_text_turned);
    RUN(test_long_text_is_cut_to_its_room);
    RUN(test_impossible_sizes);
    return check_finish();
}
