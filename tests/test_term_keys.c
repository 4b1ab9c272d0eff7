/* ctest-labels: unit prop
 * display/term_keys.h and term_caps.h: what terminals send becomes keys, however it is
 * cut into reads; which colours and characters are chosen for which terminal. */
#include "display/term_caps.h"
#include "display/term_keys.h"
#include "tests/check.h"

static const struct {
    const char *bytes;
    int key;
} sent[] = {
    {"q", 'q'},
    {"?", '?'},
    {"\r", WEIR_KEY_ENTER},
    {"\n", WEIR_KEY_ENTER},
    {"\x7f", WEIR_KEY_BACKSPACE},
    {"\b", WEIR_KEY_BACKSPACE},
    {"\f", 12},
    {"\033[A", WEIR_KEY_UP},
    {"\033OA", WEIR_KEY_UP},
    {"\033[D", WEIR_KEY_LEFT},
    {"\033[1;2D", WEIR_KEY_LEFT | WEIR_KEY_SHIFT},
    {"\033[1;5C", WEIR_KEY_RIGHT | WEIR_KEY_CTRL},
    {"\033[1;4C", WEIR_KEY_RIGHT | WEIR_KEY_SHIFT | WEIR_KEY_ALT},
    {"\033[d", WEIR_KEY_LEFT | WEIR_KEY_SHIFT},
    {"\033[5~", WEIR_KEY_PAGE_UP},
    {"\033[6;2~", WEIR_KEY_PAGE_DOWN | WEIR_KEY_SHIFT},
    {"\033[H", WEIR_KEY_HOME},
    {"\033[1~", WEIR_KEY_HOME},
    {"\033[4~", WEIR_KEY_END},
    {"\033OP", WEIR_KEY_F1},
    {"\033[11~", WEIR_KEY_F1},
    {"\033[[A", WEIR_KEY_F1},
    {"\033[24~", WEIR_KEY_F1 + 11},
    {"\033[Z", WEIR_KEY_BACK_TAB},
};
#define N_SENT (sizeof sent / sizeof *sent)

static void test_each_sequence_is_its_key(void)
{
    for (size_t i = 0; i < N_SENT; i++) {
        weir_keys keys = {.n_bytes = 0};
        weir_keys_feed(&keys, sent[i].bytes, strlen(sent[i].bytes));
        int key = weir_keys_next(&keys);
        CHECK_MSG(key == sent[i].key, "row %zu: %#x, expected %#x", i, key, sent[i].key);
        CHECK(weir_keys_next(&keys) == WEIR_KEY_NONE && !weir_keys_is_waiting(&keys));
    }
}

static void test_cut_anywhere_gives_the_same_keys(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 300; round++) {
        weir_keys keys = {.n_bytes = 0};
        for (int n = 0; n < 20; n++) {
            size_t which = check_random(&rng) % N_SENT, got = 0;
            for (const char *b = sent[which].bytes; *b; b++) {
                CHECK(weir_keys_feed(&keys, b, 1) == 1);
                int key = weir_keys_next(&keys);
                CHECK(key == WEIR_KEY_NONE || key == sent[which].key);
                got += key == sent[which].key;
            }
            CHECK_MSG(got == 1, "row %zu", which);
        }
    }
}

static void test_escape_alone_needs_a_pause(void)
{
    weir_keys keys = {.n_bytes = 0};
    weir_keys_feed(&keys, "\033", 1);
    CHECK(weir_keys_next(&keys) == WEIR_KEY_NONE && weir_keys_is_waiting(&keys));
    CHECK(weir_keys_flush(&keys) == WEIR_KEY_ESC && !weir_keys_is_waiting(&keys));
    weir_keys_feed(&keys, "\033\033[A", 4);
    CHECK(weir_keys_next(&keys) == WEIR_KEY_ESC);
    CHECK(weir_keys_next(&keys) == WEIR_KEY_UP);
    weir_keys_feed(&keys, "\033[1;\033[B", 7); /* broken off by another */
    CHECK(weir_keys_next(&keys) == WEIR_KEY_DOWN && !weir_keys_is_waiting(&keys));
    weir_keys_feed(&keys, "\033[", 2); /* broken off: no letter of it is a command */
    CHECK(weir_keys_next(&keys) == WEIR_KEY_NONE);
    CHECK(weir_keys_flush(&keys) == WEIR_KEY_NONE && !weir_keys_is_waiting(&keys));
}

static void test_unknown_sequences_are_swallowed(void)
{
    static const char *const unknown[] = {"\033[?1;2c",     "\033[>0;276;0c", "\033[99~", "\033q",
                                          "\033[<2;10;12M", "\033[12;40R",    "\xc3\xa4"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        weir_keys keys = {.n_bytes = 0};
        weir_keys_feed(&keys, unknown[i], strlen(unknown[i]));
        int key = weir_keys_next(&keys);
        CHECK_MSG(key == WEIR_KEY_NONE || key >= WEIR_KEY_UP, "row %zu: %#x", i, key);
        weir_keys_feed(&keys, "a", 1);
        CHECK(weir_keys_next(&keys) == 'a');
    }
}

static void test_the_mouse(void)
{
    static const struct {
        const char *bytes;
        int key;
        weir_mouse mouse;
    } rows[] = {
        {"\033[<35;10;12M", WEIR_KEY_MOUSE, {WEIR_MOUSE_MOVE, 9, 11}},
        {"\033[<0;1;1M", WEIR_KEY_MOUSE, {WEIR_MOUSE_PRESS, 0, 0}},
        {"\033[<0;1;1m", WEIR_KEY_MOUSE, {WEIR_MOUSE_RELEASE, 0, 0}},
        {"\033[<32;300;100M", WEIR_KEY_MOUSE, {WEIR_MOUSE_DRAG, 299, 99}},
        {"\033[<64;5;6M", WEIR_KEY_MOUSE, {WEIR_MOUSE_WHEEL_UP, 4, 5}},
        {"\033[<65;5;6M", WEIR_KEY_MOUSE, {WEIR_MOUSE_WHEEL_DOWN, 4, 5}},
        {"\033[<2;5;6M", WEIR_KEY_NONE, {0}},  /* the right button */
        {"\033[<66;5;6M", WEIR_KEY_NONE, {0}}, /* the wheel sideways */
        {"\033[<0;0;6M", WEIR_KEY_NONE, {0}},  /* there is no column 0 */
        {"\033[<0;6M", WEIR_KEY_NONE, {0}},
        {"\033[<0;1;2;3M", WEIR_KEY_NONE, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_keys keys = {.n_bytes = 0};
        weir_keys_feed(&keys, rows[i].bytes, strlen(rows[i].bytes));
        CHECK_MSG(weir_keys_next(&keys) == rows[i].key, "row %zu", i);
        CHECK(!weir_keys_is_waiting(&keys));
        if (rows[i].key == WEIR_KEY_MOUSE) {
            CHECK_MSG(keys.mouse.event == rows[i].mouse.event &&
                          keys.mouse.column == rows[i].mouse.column &&
                          keys.mouse.row == rows[i].mouse.row,
                      "row %zu", i);
        }
    }
}

static void test_garbage_never_hangs(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 2000; round++) {
        weir_keys keys = {.n_bytes = 0};
        for (int i = 0; i < 50; i++) {
            char bytes[80];
            size_t n = 1 + check_random(&rng) % sizeof bytes;
            for (size_t k = 0; k < n; k++) {
                bytes[k] = (char)(check_random(&rng) % 3 ? check_random(&rng) : 0x1b);
            }
            weir_keys_feed(&keys, bytes, n);
            int most = 200;
            while (weir_keys_next(&keys) != WEIR_KEY_NONE && most-- > 0) {
            }
            CHECK(most > 0 && keys.n_bytes < sizeof keys.bytes);
        }
    }
}

static weir_term_facts facts(const char *term, int n_colors, const char *colorterm)
{
    return (weir_term_facts){
        .term = term, .n_colors = n_colors, .colorterm = colorterm, .codeset = "UTF-8"};
}

static weir_view_color chosen(weir_term_facts f)
{
    return weir_term_caps_choose(&f, WEIR_COLOR_AUTO, WEIR_CHARSET_AUTO).color;
}

static void test_colours_by_terminal(void)
{
    CHECK(chosen(facts("xterm-256color", 256, NULL)) == WEIR_COLOR_256);
    CHECK(chosen(facts("xterm-256color", 256, "truecolor")) == WEIR_COLOR_DIRECT);
    CHECK(chosen(facts("xterm-256color", 256, "24bit")) == WEIR_COLOR_DIRECT);
    CHECK(chosen(facts("xterm-256color", 256, "yes")) == WEIR_COLOR_256);
    CHECK(chosen(facts("linux", 8, NULL)) == WEIR_COLOR_8);
    CHECK(chosen(facts("linux-16color", 16, NULL)) == WEIR_COLOR_16);
    CHECK(chosen(facts("vt100", -1, "truecolor")) == WEIR_COLOR_NONE);
    weir_term_facts f = facts("xterm-direct", 1 << 24, NULL);
    f.has_rgb = true;
    CHECK(chosen(f) == WEIR_COLOR_DIRECT);
    f = facts("screen-256color", 256, "truecolor");
    f.is_gnu_screen = true;
    CHECK(chosen(f) == WEIR_COLOR_256);
}

static void test_no_color_and_explicit_wishes(void)
{
    weir_term_facts f = facts("xterm-256color", 256, "truecolor");
    f.no_color = "1";
    CHECK(chosen(f) == WEIR_COLOR_NONE);
    CHECK(weir_term_caps_choose(&f, WEIR_COLOR_256, WEIR_CHARSET_AUTO).color == WEIR_COLOR_256);
    f.no_color = ""; /* present but empty: colour */
    CHECK(chosen(f) == WEIR_COLOR_DIRECT);
    f.codeset = "ANSI_X3.4-1968";
    CHECK(!weir_term_caps_choose(&f, WEIR_COLOR_AUTO, WEIR_CHARSET_AUTO).is_utf8);
    CHECK(weir_term_caps_choose(&f, WEIR_COLOR_AUTO, WEIR_CHARSET_UTF8).is_utf8);
    f.codeset = "UTF-8";
    CHECK(weir_term_caps_choose(&f, WEIR_COLOR_AUTO, WEIR_CHARSET_AUTO).is_utf8);
    CHECK(!weir_term_caps_choose(&f, WEIR_COLOR_AUTO, WEIR_CHARSET_ASCII).is_utf8);
}

int main(void)
{
    RUN(test_each_sequence_is_its_key);
    RUN(test_cut_anywhere_gives_the_same_keys);
    RUN(test_escape_alone_needs_a_pause);
    RUN(test_unknown_sequences_are_swallowed);
    RUN(test_the_mouse);
    RUN(test_garbage_never_hangs);
    RUN(test_colours_by_terminal);
    RUN(test_no_color_and_explicit_wishes);
    return check_finish();
}
