#include "display/term_bytes.h"

#include "display/term_color.h"

#include <stdlib.h>
#include <string.h>

bool weir_bytes_reserve(weir_bytes *bytes, size_t more)
{
    if (bytes->has_failed) {
        return false;
    }
    if (bytes->capacity - bytes->size >= more) {
        return true;
    }
    size_t capacity = bytes->capacity + bytes->capacity / 2 + more + 4096;
    char *data = capacity > bytes->capacity ? realloc(bytes->data, capacity) : NULL;
    if (!data) {
        bytes->has_failed = true;
        return false;
    }
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

void weir_bytes_append(weir_bytes *bytes, const void *data, size_t size)
{
    if (weir_bytes_reserve(bytes, size)) {
        memcpy(bytes->data + bytes->size, data, size);
        bytes->size += size;
    }
}

void weir_bytes_text(weir_bytes *bytes, const char *text)
{
    weir_bytes_append(bytes, text, strlen(text));
}

void weir_bytes_decimal(weir_bytes *bytes, unsigned value)
{
    char digits[10];
    weir_bytes_append(bytes, digits, weir_decimal(digits, value));
}

void weir_bytes_utf8(weir_bytes *bytes, uint32_t code_point)
{
    char out[4];
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        weir_bytes_append(bytes, out, 1);
    } else if (code_point < 0x800) {
        out[0] = (char)(0xc0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3f));
        weir_bytes_append(bytes, out, 2);
    } else if (code_point < 0x10000) {
        out[0] = (char)(0xe0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code_point & 0x3f));
        weir_bytes_append(bytes, out, 3);
    } else {
        out[0] = (char)(0xf0 | code_point >> 18);
        out[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
        out[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
        out[3] = (char)(0x80 | (code_point & 0x3f));
        weir_bytes_append(bytes, out, 4);
    }
}

void weir_bytes_clear(weir_bytes *bytes)
{
    bytes->size = 0;
    bytes->has_failed = false;
}

void weir_bytes_free(weir_bytes *bytes)
{
    free(bytes->data);
    *bytes = (weir_bytes){0};
}
