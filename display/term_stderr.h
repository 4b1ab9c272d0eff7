/* Keeps what anyone prints on standard error off the screen while the screen is up.
 *
 * Libraries (ALSA, libusb) and weir_log print there. When standard error is a
 * terminal, descriptor 2 goes into a memory file instead; the newest line can be read
 * for a message line, and everything is printed when the capture ends. When it is
 * already a file or a pipe it is left alone. Main thread; one at a time.
 */
#ifndef WEIR_DISPLAY_TERM_STDERR_H
#define WEIR_DISPLAY_TERM_STDERR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct weir_stderr_capture {
    int real;   /* the descriptor 2 that was; -1: not capturing */
    int memory; /* what descriptor 2 is now                     */
    off_t read; /* seen by weir_stderr_line so far              */
} weir_stderr_capture;

/* On failure standard error simply stays as it is. */
void weir_stderr_begin(weir_stderr_capture *capture);
/* Copies the last whole line written since the last call; false if there is none. */
bool weir_stderr_line(weir_stderr_capture *capture, char *line, size_t size);
/* Puts descriptor 2 back and prints what was kept. Async-signal-safe. */
void weir_stderr_end(weir_stderr_capture *capture);

#endif
