/* A small JSON writer: one object per line, always valid.
 *
 * Appends to a weir_line; keeps only the nesting and where commas go. The caller owns the
 * struct, initialised with {.line = &line}. Numbers are locale-free; NaN and infinities
 * become null; strings are escaped, and bytes that are not UTF-8 become U+FFFD.
 * Every function takes the member's name, or NULL for an element of an array and for the
 * outermost value.
 *
 *     weir_json json = {.line = &line};
 *     weir_json_open(&json, NULL, '{');
 *     weir_json_string(&json, "schema", "weir.spectrum/1");
 *     weir_json_close(&json, '}');
 */
#ifndef WEIR_DISPLAY_JSON_OUT_H
#define WEIR_DISPLAY_JSON_OUT_H

#include "display/line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_json {
    weir_line *line;
    bool needs_comma;
} weir_json;

void weir_json_open(weir_json *json, const char *name, char bracket);       /* '{' or '[' */
void weir_json_close(weir_json *json, char bracket);                        /* '}' or ']' */
void weir_json_string(weir_json *json, const char *name, const char *text); /* NULL: null */
void weir_json_bool(weir_json *json, const char *name, bool value);
void weir_json_unsigned(weir_json *json, const char *name, uint64_t value);
void weir_json_null(weir_json *json, const char *name);
/* Shortest decimal that reads back as the same double. */
void weir_json_exact(weir_json *json, const char *name, double value);
/* Nine significant digits. */
void weir_json_number(weir_json *json, const char *name, double value);
/* An array of numbers with a fixed count of decimals (0 .. 9). */
void weir_json_floats(weir_json *json, const char *name, const float *values, size_t n,
                      unsigned decimals);

#endif
