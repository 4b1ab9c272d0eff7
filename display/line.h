/* A line of text that grows: where text sinks build a row before it goes to the file.
 *
 * The caller owns the struct ({0} is an empty line) and frees it with weir_line_free. Not
 * thread-safe. Numbers look the same in every locale. Out of memory is remembered, not
 * reported by each call: weir_line_put says it. Memory is kept from row to row, so rows
 * of equal length allocate once.
 */
#ifndef WEIR_DISPLAY_LINE_H
#define WEIR_DISPLAY_LINE_H

#include "base/outfile.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_line {
    char *text; /* used bytes, not terminated */
    size_t used;
    size_t capacity;
    bool out_of_memory;
} weir_line;

void weir_line_bytes(weir_line *line, const char *bytes, size_t size);
void weir_line_text(weir_line *line, const char *text);
/* As text, but control characters become spaces: for names from outside in a one-line place. */
void weir_line_name(weir_line *line, const char *name);
void weir_line_printf(weir_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void weir_line_unsigned(weir_line *line, uint64_t value);
/* As "%.*f" rounds, without "-0.00"; decimals 0 .. 9. */
void weir_line_fixed(weir_line *line, double value, unsigned decimals);
/* The shortest decimal number that reads back as the same double. */
void weir_line_exact(weir_line *line, double value);

/* Appends the line to the file and empties it. WEIR_ERR_NOMEM if a part of it is missing. */
weir_status weir_line_put(weir_line *line, weir_outfile *file, weir_error *err);
void weir_line_free(weir_line *line);

#endif
