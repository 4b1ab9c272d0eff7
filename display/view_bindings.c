/* Keys of the user's own, each meaning one of the table. */
#include "display/view_state.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define WORD_MAX 16

static const struct {
    const char *name;
    int key;
} names[] = {
    {"none", 0},
    {"Space", ' '},
    {"Tab", WEIR_KEY_TAB},
    {"Enter", WEIR_KEY_ENTER},
    {"Esc", WEIR_KEY_ESC},
    {"Backspace", WEIR_KEY_BACKSPACE},
    {"Up", WEIR_KEY_UP},
    {"Down", WEIR_KEY_DOWN},
    {"Left", WEIR_KEY_LEFT},
    {"Right", WEIR_KEY_RIGHT},
    {"Shift-Left", WEIR_KEY_LEFT | WEIR_KEY_SHIFT},
    {"Shift-Right", WEIR_KEY_RIGHT | WEIR_KEY_SHIFT},
    {"Shift-Tab", WEIR_KEY_BACK_TAB},
    {"Home", WEIR_KEY_HOME},
    {"End", WEIR_KEY_END},
    {"PgUp", WEIR_KEY_PAGE_UP},
    {"PgDn", WEIR_KEY_PAGE_DOWN},
    {"Insert", WEIR_KEY_INSERT},
    {"Delete", WEIR_KEY_DELETE},
};

/* F1 .. F12, or -1. */
static int function_key(const char *word)
{
    int number = 0;
    if ((word[0] != 'F' && word[0] != 'f') || !word[1] || strlen(word) > 3) {
        return -1;
    }
    for (const char *digit = word + 1; *digit; digit++) {
        if (!isdigit((unsigned char)*digit)) {
            return -1;
        }
        number = 10 * number + (*digit - '0');
    }
    return number >= 1 && number <= 12 ? WEIR_KEY_F1 + number - 1 : -1;
}

static int key_named(const char *word)
{
    if (word[0] && !word[1]) {
        return word[0] > ' ' && word[0] < 0x7f ? word[0] : -1;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(names[i].name, word) == 0) {
            return names[i].key;
        }
    }
    return function_key(word);
}

/* "x=Left": the "=" after the first character, so that "==+" binds the key "=". */
static weir_status take_pair(weir_view *view, const char *pair, weir_error *err)
{
    char left[WORD_MAX + 1];
    const char *equals = strchr(pair + 1, '=');
    size_t length = equals ? (size_t)(equals - pair) : 0;
    if (length == 0 || length > WORD_MAX) {
        return weir_fail(err, WEIR_ERR_USAGE, "keys: \"%s\": write KEY=KEY, as h=Left", pair);
    }
    memcpy(left, pair, length);
    left[length] = '\0';
    int key = key_named(left), meaning = key_named(equals + 1);
    if (key <= 0 || meaning < 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "keys: \"%s\": no key is called \"%s\"", pair,
                         key <= 0 ? left : equals + 1);
    }
    if (view->n_bindings == WEIR_BINDINGS_MAX) {
        return weir_fail(err, WEIR_ERR_USAGE, "keys: more than %d", WEIR_BINDINGS_MAX);
    }
    view->bindings[view->n_bindings++] = (weir_view_binding){key, meaning};
    return WEIR_OK;
}

weir_status weir_view_bind(weir_view *view, const char *text, weir_error *err)
{
    char pair[2 * WORD_MAX + 2];
    while (*text) {
        size_t blanks = strspn(text, " ");
        size_t length = strcspn(text + blanks, " ");
        if (length >= sizeof pair) {
            return weir_fail(err, WEIR_ERR_USAGE, "keys: \"%.32s\" is too long", text + blanks);
        }
        memcpy(pair, text + blanks, length);
        pair[length] = '\0';
        weir_status status = length > 0 ? take_pair(view, pair, err) : WEIR_OK;
        if (status != WEIR_OK) {
            return status;
        }
        text += blanks + length;
    }
    return WEIR_OK;
}

int weir_view_bound_key(const weir_view *view, int key)
{
    for (size_t i = view->n_bindings; i > 0; i--) { /* the last one said counts */
        if (view->bindings[i - 1].key == key) {
            return view->bindings[i - 1].meaning;
        }
    }
    return key;
}
