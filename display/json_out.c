#include "display/json_out.h"

#include <math.h>
#include <string.h>

/* Length of the UTF-8 sequence at s (RFC 3629: shortest form, no surrogates), 0 if none. */
static size_t utf8_length(const unsigned char *s)
{
    size_t length = s[0] < 0x80                    ? 1
                    : s[0] >= 0xc2 && s[0] <= 0xdf ? 2
                    : (s[0] & 0xf0) == 0xe0        ? 3
                    : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                   : 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool outside = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

static void write_escaped(weir_line *line, const char *text)
{
    weir_line_bytes(line, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = utf8_length(s);
        if (*s == '"' || *s == '\\') {
            weir_line_printf(line, "\\%c", *s);
        } else if (*s < 0x20 || *s == 0x7f) {
            weir_line_printf(line, "\\u%04x", *s);
        } else if (length == 0) {
            weir_line_text(line, "\\ufffd");
        } else {
            weir_line_bytes(line, (const char *)s, length);
        }
        s += length ? length : 1;
    }
    weir_line_bytes(line, "\"", 1);
}

/* The comma, the name and the colon before a value. */
static void begin_value(weir_json *json, const char *name)
{
    if (json->needs_comma) {
        weir_line_bytes(json->line, ",", 1);
    }
    json->needs_comma = true;
    if (name) {
        write_escaped(json->line, name);
        weir_line_bytes(json->line, ":", 1);
    }
}

void weir_json_open(weir_json *json, const char *name, char bracket)
{
    begin_value(json, name);
    weir_line_bytes(json->line, &bracket, 1);
    json->needs_comma = false;
}

void weir_json_close(weir_json *json, char bracket)
{
    weir_line_bytes(json->line, &bracket, 1);
    json->needs_comma = true;
}

void weir_json_string(weir_json *json, const char *name, const char *text)
{
    if (!text) {
        weir_json_null(json, name);
        return;
    }
    begin_value(json, name);
    write_escaped(json->line, text);
}

void weir_json_bool(weir_json *json, const char *name, bool value)
{
    begin_value(json, name);
    weir_line_text(json->line, value ? "true" : "false");
}

void weir_json_unsigned(weir_json *json, const char *name, uint64_t value)
{
    begin_value(json, name);
    weir_line_unsigned(json->line, value);
}

void weir_json_null(weir_json *json, const char *name)
{
    begin_value(json, name);
    weir_line_text(json->line, "null");
}

void weir_json_exact(weir_json *json, const char *name, double value)
{
    if (!isfinite(value)) {
        weir_json_null(json, name);
        return;
    }
    begin_value(json, name);
    weir_line_exact(json->line, value);
}

void weir_json_number(weir_json *json, const char *name, double value)
{
    if (!isfinite(value)) {
        weir_json_null(json, name);
        return;
    }
    begin_value(json, name);
    weir_line_printf(json->line, "%.9g", value);
}

void weir_json_floats(weir_json *json, const char *name, const float *values, size_t n,
                      unsigned decimals)
{
    weir_json_open(json, name, '[');
    for (size_t i = 0; i < n; i++) {
        begin_value(json, NULL);
        if (isfinite(values[i])) {
            weir_line_fixed(json->line, (double)values[i], decimals);
        } else {
            weir_line_text(json->line, "null");
        }
    }
    weir_json_close(json, ']');
}
