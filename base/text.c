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

void weir_list_add(char *list, size_t size, const char *format, ...)
{
    size_t used = strlen(list);
    if (used > 0) {
        weir_snprintf(list + used, size - used, ", ");
        used = strlen(list);
    }
    va_list args;
    va_start(args, format);
    weir_vsnprintf(list + used, size - used, format, args);
    va_end(args);
}

#define LONGEST_NAME 64

static bool same_letter(char a, char b)
{
    return strncasecmp(&a, &b, 1) == 0;
}

/* The least of letters put in, left out, changed, or two neighbours swapped, from a to b, without
 * regard to case; names longer than LONGEST_NAME are cut. */
static size_t edit_distance(const char *a, const char *b)
{
    /* Of a prefix of a, by the prefixes of b: of the newest three. */
    size_t rows[3][LONGEST_NAME + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    size_t length_b = strnlen(b, LONGEST_NAME);
    for (size_t j = 0; j <= length_b; j++) {
        before[j] = last[j] = j;
    }
    for (size_t i = 1; i <= LONGEST_NAME && a[i - 1]; i++) {
        now[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t best = last[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]) && before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            now[j] = best;
        }
        size_t *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[length_b];
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

bool weir_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), n = strlen(ending);
    return length > n && strcmp(text + length - n, ending) == 0;
}

size_t weir_path_ending(const char *path, const char *endings)
{
    size_t length = strlen(path), n;
    for (; *endings; endings += n + strspn(endings + n, " ")) {
        n = strcspn(endings, " ");
        if (length > n && strncasecmp_l(path + length - n, endings, n, weir_c_locale()) == 0) {
            return n;
        }
    }
    return 0;
}
