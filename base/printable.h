/* Text of others made fit to be shown: what came from a file, its name or a command line
 * must not speak to the terminal. Thread-safe. */
#ifndef WEIR_BASE_PRINTABLE_H
#define WEIR_BASE_PRINTABLE_H

#include <stddef.h>

/* Copies text with control characters and escapes made visible ("\x1b"), cut to size, never
 * within a character. Returns buffer. */
char *weir_printable(char *buffer, size_t size, const char *text);

#endif
