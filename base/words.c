#include "base/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* A quoted part from its first character on; returns where it ends, NULL: it does not. */
static const char *copy_quoted(const char *at, char **out)
{
    char quote = *at++;
    for (; *at && *at != quote; at++) {
        if (quote == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\')) {
            at++;
        }
        *(*out)++ = *at;
    }
    return *at == quote ? at + 1 : NULL;
}

/* One word; returns where it ends, NULL with *missing what it lacks. */
static const char *copy_word(const char *at, char **out, const char **missing)
{
    while (*at && !is_space(*at)) {
        if (*at == '\'' || *at == '"') {
            *missing = *at == '"' ? "the closing \"" : "the closing '";
            at = copy_quoted(at, out);
            if (!at) {
                return NULL;
            }
        } else if (*at == '\\' && !at[1]) {
            *missing = "a character after the last backslash";
            return NULL;
        } else {
            at += *at == '\\';
            *(*out)++ = *at++;
        }
    }
    *(*out)++ = '\0';
    return at;
}

weir_status weir_words_split(const char *text, char ***words, weir_error *err)
{
    size_t length = strlen(text), most = length / 2 + 2;
    char **list = malloc(most * sizeof *list + length + 2);
    const char *missing = "a command";
    size_t n = 0;
    *words = NULL;
    if (!list) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    char *out = (char *)(list + most);
    const char *at = text + strspn(text, " \t\n");
    while (at && *at) {
        list[n++] = out;
        at = copy_word(at, &out, &missing);
        at = at ? at + strspn(at, " \t\n") : NULL;
    }
    if (!at || n == 0) {
        free(list);
        return weir_fail(err, WEIR_ERR_USAGE, "\"%.64s\" lacks %s", text, missing);
    }
    list[n] = NULL;
    *words = list;
    return WEIR_OK;
}
