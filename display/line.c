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
    char *at = end, *wanted = end - least;
    for (; value > UINT32_MAX; value /= 10) {
        *--at = (char)('0' + value % 10);
    }
    for (uint32_t rest = (uint32_t)value; rest > 0; rest /= 10) { /* twice as fast as 64 bits */
        *--at = (char)('0' + rest % 10);
    }
    while (at > wanted) {
        *--at = '0';
    }
    return at;
}

void weir_line_unsigned(weir_line *line, uint64_t value)
{
    char text[24];
    char *at = digits_before(text + sizeof text, value, 1);
    weir_line_bytes(line, at, (size_t)(text + sizeof text - at));
}

/* A float times 10^decimals is exact in double (24 + 4 x 3.4 bits), so rounding it to a whole
 * number rounds as printf rounds the decimal expansion: to nearest, ties to even. That adding
 * and taking away 1.5 x 2^52 does without a call. */
void weir_line_fixed(weir_line *line, double value, unsigned decimals)
{
    static const uint32_t units[] = {1,      10,      100,      1000,      10000,
                                     100000, 1000000, 10000000, 100000000, 1000000000};
    uint32_t unit = units[decimals];
    double scaled = value * unit;
    if (!(fabs(scaled) < 0x1p51)) {
        weir_line_printf(line, "%.*f", (int)decimals, value);
        return;
    }
    int64_t rounded = (int64_t)((scaled + 0x1.8p52) - 0x1.8p52);
    uint64_t digits = (uint64_t)(rounded < 0 ? -rounded : rounded);
    char text[32];
    char *end = text + sizeof text;
    char *at = digits_before(end, digits, decimals + 1);
    if (decimals > 0) { /* make room for the point */
        memmove(at - 1, at, (size_t)(end - at) - decimals);
        at--;
        end[-1 - (int)decimals] = '.';
    }
    if (rounded < 0) {
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
