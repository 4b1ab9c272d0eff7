/* Text that does not depend on the locale, and small string helpers. Thread-safe. */
#ifndef WEIR_BASE_TEXT_H
#define WEIR_BASE_TEXT_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* The "C" locale, made once and kept for the life of the process. */
locale_t weir_c_locale(void);

/* snprintf with "." as the decimal point whatever the locale. */
int weir_snprintf(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int weir_vsnprintf(char *buffer, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Adds an item to a list in words, with ", " before all but the first: list is a text, empty at
 * first, in size bytes. What has no room is cut off. */
void weir_list_add(char *list, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The entry of names (NULL-terminated) most like text, or NULL if none is near
 * enough to be worth suggesting. */
const char *weir_nearest_name(const char *text, const char *const *names);

/* Endings. One is what stands behind something else: what is nothing but ".csv" has none. */

/* Letter for letter: names that others give, and look up so. */
bool weir_ends_with(const char *text, const char *ending);
/* Which of the endings (".json .jsonl": with spaces between) a path has, in any case, whatever the
 * locale: the length of the first one that fits; 0: none. */
size_t weir_path_ending(const char *path, const char *endings);

#endif
