#include "base/text.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t weir_c_locale(void)
{
    pthread_once(&c_locale_once, make_c_locale);
    return c_locale;
}

int weir_vsnprintf(char *buffer, size_t size, const char *format, va_list args)
{
    locale_t before = uselocale(weir_c_locale());
    int length = vsnprintf(buffer, size, format, args);
    uselocale(before);
    return length;
}

int weir_snprintf(char *buffer, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = weir_vsnprintf(buffer, size, format, args);
    va_end(args);
    return length;
}

#define LONGEST_NAME 64

/* Levenshtein distance without regard to case; names longer than LONGEST_NAME are cut. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1];
    size_t length_b = strnlen(b, LONGEST_NAME);
    for (size_t j = 0; j <= length_b; j++) {
        row[j] = j;
    }
    for (size_t i = 0; i < LONGEST_NAME && a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length_b; j++) {
            size_t above = row[j + 1];
            size_t best = diagonal + (strncasecmp(a + i, b + j, 1) != 0);
            best = above + 1 < best ? above + 1 : best;
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j + 1] = best;
            diagonal = above;
        }
    }
    return row[length_b];
}

const char *weir_nearest_name(const char *text, const char *const *names)
{
    const char *nearest = NULL;
    size_t best = 1 + (strlen(text) + 1) / 3; /* further off is no typing mistake */
    for (; *names; names++) {
        size_t distance = edit_distance(text, *names);
        if (distance < best) {
            best = distance;
            nearest = *names;
        }
    }
    return nearest;
}
