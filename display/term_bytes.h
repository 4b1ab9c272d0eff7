/* A growing run of bytes bound for the terminal. Belongs to one thread.
 *
 * When memory runs out the bytes are dropped and has_failed stays set until clear, so
 * that the writer checks once, at the end of a frame.
 */
#ifndef WEIR_DISPLAY_TERM_BYTES_H
#define WEIR_DISPLAY_TERM_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_bytes {
    char *data; /* owned; zero the struct to begin */
    size_t size, capacity;
    bool has_failed;
} weir_bytes;

void weir_bytes_append(weir_bytes *bytes, const void *data, size_t size);
/* Room for so many more bytes; false when out of memory. */
bool weir_bytes_reserve(weir_bytes *bytes, size_t more);
void weir_bytes_text(weir_bytes *bytes, const char *text);
void weir_bytes_decimal(weir_bytes *bytes, unsigned value);
void weir_bytes_utf8(weir_bytes *bytes, uint32_t code_point);
void weir_bytes_clear(weir_bytes *bytes);
void weir_bytes_free(weir_bytes *bytes);

#endif
