/* ctest-labels: unit prop fuzz
 * base/words.h: the rules one by one, what is refused, and every list of words written by the
 * rules and read back. */
#include "base/words.h"
#include "tests/check.h"

static void same(const char *text, const char *const *expected)
{
    char **words;
    weir_error err = {0};
    CHECK_MSG(weir_words_split(text, &words, &err) == WEIR_OK, "%s: %s", text, err.text);
    for (size_t i = 0; words; i++) {
        CHECK_MSG(!words[i] == !expected[i], "%s: word %zu", text, i);
        if (!words[i] || !expected[i]) {
            break;
        }
        CHECK_STR(words[i], expected[i]);
    }
    free(words);
}

#define SAME(text, ...) same(text, (const char *const[]){__VA_ARGS__, NULL})

static void test_rules(void)
{
    SAME("a", "a");
    SAME("  a\t b\nc ", "a", "b", "c");
    SAME("echo 'a b' \"c d\"", "echo", "a b", "c d");
    SAME("a'b c'd", "ab cd");
    SAME("'' \"\"", "", "");
    SAME("a\\ b \\'", "a b", "'");
    SAME("'a\\b' \"a\\b\" \"a\\\"b\\\\\"", "a\\b", "a\\b", "a\"b\\");
    SAME("'\"' \"'\"", "\"", "'");
    SAME("$HOME * ; | > & `x`", "$HOME", "*", ";", "|", ">", "&", "`x`");
    SAME("\xc3\xa4 \xf0\x9f\x8c\x8a", "\xc3\xa4", "\xf0\x9f\x8c\x8a");
}

static void refuse(const char *text, const char *word)
{
    char **words = (char **)1;
    weir_error err = {0};
    CHECK(weir_words_split(text, &words, &err) == WEIR_ERR_USAGE && !words);
    CHECK_MSG(strstr(err.text, word), "%s: %s", text, err.text);
}

static void test_refused(void)
{
    refuse("", "command");
    refuse("  \t", "command");
    refuse("a 'b", "closing '");
    refuse("a \"b", "closing \"");
    refuse("a \"b\\\"", "closing \"");
    refuse("a \\", "backslash");
}

/* Writes a word in one of the three ways. */
static void write_word(check_rng *rng, const char *word, char *out, size_t size)
{
    size_t how = check_random(rng) % 3, n = 0;
    if (how == 0 && !strchr(word, '\'')) {
        snprintf(out, size, "'%s'", word);
        return;
    }
    out[n++] = how == 1 || !word[0] ? '"' : ' ';
    for (; *word; word++) {
        if (out[0] == ' ' || *word == '"' || *word == '\\') {
            out[n++] = '\\';
        }
        out[n++] = *word;
    }
    if (out[0] == '"') {
        out[n++] = '"';
    }
    out[n] = '\0';
}

static void test_written_and_read(void)
{
    static const char letters[] = "ab'\"\\ \t\n$*";
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 20000; i++) {
        char words[6][9] = {{0}}, text[256] = "";
        const char *expected[7] = {NULL};
        size_t n = 1 + check_random(&rng) % 6;
        for (size_t w = 0; w < n; w++) {
            char written[40];
            size_t length = check_random(&rng) % 9;
            for (size_t k = 0; k < length; k++) {
                words[w][k] = letters[check_random(&rng) % (sizeof letters - 1)];
            }
            expected[w] = words[w];
            write_word(&rng, words[w], written, sizeof written);
            strcat(strcat(text, " "), written);
        }
        same(text, expected);
    }
}

/* Any bytes at all: an answer, and no memory touched that is not its own (sanitizers). */
static void test_any_bytes(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 50000; i++) {
        char text[24] = "", **words;
        size_t n = check_random(&rng) % 23;
        for (size_t k = 0; k < n; k++) {
            text[k] = "a'\"\\ \xff"[check_random(&rng) % 6];
        }
        if (weir_words_split(text, &words, NULL) == WEIR_OK) {
            CHECK(words[0]);
            free(words);
        }
    }
}

int main(void)
{
    RUN(test_rules);
    RUN(test_refused);
    RUN(test_written_and_read);
    RUN(test_any_bytes);
    return check_finish();
}
