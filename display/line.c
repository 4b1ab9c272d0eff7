#include "display/line.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const size_t first_capacity = 4096;

/* Room for size more bytes, or NULL. */
static char *reserve(weir_line *line, size_t size)
{
    if (size > line->capacity - line->used) {
        size_t capacity = line->capacity ? line->capacity : first_capacity;
        while (capacity - line->used < size && capacity <= SIZE_MAX / 2) {
            capacity *= 2;
        }
        char *text = capacity - line->used < size ? NULL : realloc(line->text, capacity);
        if (!text) {
            line->out_of_memory = true;
            return NULL;
        }
        line->text = text;
        line->capacity = capacity;
    }
    return line->text + line->used;
}

void weir_line_bytes(weir_line *line, const char *bytes, size_t size)
{
    char *to = reserve(line, size);
    if (to && size > 0) {
        memcpy(to, bytes, size);
        line->used += size;
    }
}

void weir_line_text(weir_line *line, const char *text)
{
    weir_line_bytes(line, text, strlen(text));
}

void weir_line_name(weir_line *line, const char *name)
{
    size_t before = line->used;
    weir_line_text(line, name);
    for (size_t i = before; i < line->used; i++) {
        unsigned char c = (unsigned char)line->text[i];
        if (c < 0x20 || c == 0x7f) {
            line->text[i] = ' ';
        }
    }
}

void weir_line_printf(weir_line *line, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = weir_vsnprintf(NULL, 0, format, args);
    char *to = length < 0 ? NULL : reserve(line, (size_t)length + 1);
    if (to) {
        weir_vsnprintf(to, (size_t)length + 1, format, again);
        line->used += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

/* Writes the digits before end, at least `least` of them; returns where they begin. */
static char *digits_before(char *end, uint64_t value, unsigned least)
{
    char *at = end;
    while (value > 0 || end - at < (long)least) {
        *--at = (char)('0' + value % 10);
        value /= 10;
    }
    return at;
}

void weir_line_unsigned(weir_line *line, uint64_t value)
{
    char text[24];
    char *at = digits_before(text + sizeof text, value, 1);
    weir_line_bytes(line, at, (size_t)(text + sizeof text - at));
}

/* A float times 10^decimals is exact in double (24 + 4 x 3.4 bits), so rint rounds it as
 * printf rounds its decimal expansion: to nearest, ties to even. */
void weir_line_fixed(weir_line *line, double value, unsigned decimals)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    double scaled = rint(value * powers[decimals]);
    if (!(fabs(scaled) < 0x1p53)) {
        weir_line_printf(line, "%.*f", (int)decimals, value);
        return;
    }
    char text[32];
    char *end = text + sizeof text, *at = end;
    uint64_t whole = (uint64_t)fabs(scaled), unit = (uint64_t)powers[decimals];
    if (decimals > 0) {
        at = digits_before(end, whole % unit, decimals);
        *--at = '.';
    }
    at = digits_before(at, whole / unit, 1);
    if (scaled < 0.0) {
        *--at = '-';
    }
    weir_line_bytes(line, at, (size_t)(end - at));
}

void weir_line_exact(weir_line *line, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        weir_snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod_l(text, NULL, weir_c_locale()) == value) {
            break;
        }
    }
    weir_line_text(line, text);
}

weir_status weir_line_put(weir_line *line, weir_outfile *file, weir_error *err)
{
    if (line->out_of_memory) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory for a line of text",
                         weir_outfile_path(file));
    }
    size_t size = line->used;
    line->used = 0;
    return weir_outfile_write(file, line->text, size, err);
}

void weir_line_free(weir_line *line)
{
    free(line->text);
    *line = (weir_line){0};
}
