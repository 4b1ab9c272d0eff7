/* The bytes of a file, a FIFO or standard input, under one roof.
 *
 * A regular file has a length and can be read anywhere; all else is a stream, read once
 * from front to back, whose first bytes can be looked at before they are taken.
 * Positions count from where the input began (standard input may begin in the middle
 * of a file). One thread at a time, except weir_input_interrupt. Reading a stream
 * blocks until there is something; EINTR is retried. Fixed memory, no allocation
 * after open.
 */
#ifndef WEIR_CAPTURE_INPUT_H
#define WEIR_CAPTURE_INPUT_H

#include "base/status.h"
#include "capture/mapping.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_INPUT_UNKNOWN_BYTES UINT64_MAX
#define WEIR_INPUT_MAX_PEEK 4096

typedef struct weir_input weir_input;

/* "-" is standard input, which stays open after close. Opening a FIFO does not wait for
 * its writer; the first peek or read does. A folder, a missing or unreadable file:
 * WEIR_ERR_NO_INPUT. Errors do not name the path: the caller does. */
weir_status weir_input_open(weir_input **out, const char *path, weir_error *err);
void weir_input_close(weir_input *input); /* NULL-safe */

bool weir_input_is_stream(const weir_input *input);
/* From the beginning to the end; WEIR_INPUT_UNKNOWN_BYTES for a stream. */
uint64_t weir_input_bytes(const weir_input *input);

/* The next n (<= WEIR_INPUT_MAX_PEEK) bytes without taking them; *got is less at the end
 * or after an interrupt. *bytes is valid until the next call. */
weir_status weir_input_peek(weir_input *input, size_t n, const uint8_t **bytes, size_t *got,
                            weir_error *err);
/* Goes to a position; a stream only forward (anything else is our bug). Beyond the end
 * is the end. */
weir_status weir_input_move(weir_input *input, uint64_t position, weir_error *err);
/* Takes what is there, at most n bytes; waits for one at least. *got = 0: the end, or
 * interrupted. */
weir_status weir_input_read(weir_input *input, void *memory, size_t n, size_t *got,
                            weir_error *err);
/* A file only: n bytes from a position, fewer only at the end. The position stays. */
weir_status weir_input_read_at(weir_input *input, uint64_t position, void *memory, size_t n,
                               size_t *got, weir_error *err);

/* A file only: n_bytes from a position as memory. */
weir_status weir_input_map(const weir_input *input, uint64_t position, uint64_t n_bytes,
                           weir_mapping **out, weir_error *err);

/* Every wait from now on ends at once. Any thread, async-signal-safe. */
void weir_input_interrupt(weir_input *input);
bool weir_input_interrupted(const weir_input *input);

#endif
