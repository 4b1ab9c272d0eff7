#include "base/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bytes of the UTF-8 character at text, 0 if it is malformed; its code point in *code. */
static size_t utf8_length(const unsigned char *text, uint32_t *code)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least; /* smaller ones are overlong */
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t extra = 0; extra < 4; extra++) {
        if ((text[0] & forms[extra].mask) != forms[extra].lead) {
            continue;
        }
        uint32_t value = text[0] & (unsigned char)~forms[extra].mask;
        for (size_t k = 1; k <= extra; k++) {
            if ((text[k] & 0xc0) != 0x80) {
                return 0;
            }
            value = value << 6 | (text[k] & 0x3f);
        }
        bool surrogate = value >= 0xd800 && value <= 0xdfff;
        *code = value;
        return value < forms[extra].least || value > 0x10ffff || surrogate ? 0 : extra + 1;
    }
    return 0;
}

/* C0, DEL, C1; line separators; and the marks that turn the direction of writing, with
 * which a file name can pretend to be another. */
static bool is_harmful(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

char *weir_printable(char *buffer, size_t size, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    size_t used = 0;
    const unsigned char *at = (const unsigned char *)text;
    while (size > 0 && *at) {
        uint32_t code = 0;
        size_t length = utf8_length(at, &code);
        if (length > 0 && !is_harmful(code)) {
            if (used + length >= size) {
                break;
            }
            memcpy(buffer + used, at, length);
            used += length;
            at += length;
            continue;
        }
        if (used + 4 >= size) {
            break;
        }
        memcpy(buffer + used, (char[]){'\\', 'x', hex[*at >> 4], hex[*at & 15]}, 4);
        used += 4;
        at++;
    }
    if (size > 0) {
        buffer[used] = '\0';
    }
    return buffer;
}
