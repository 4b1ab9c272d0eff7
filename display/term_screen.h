/* The terminal as a screen: set up, size, keys in, frames out, put back.
 *
 * Opens the terminal anew, so that making it non-blocking changes nothing for the
 * shell, and so that keys can be read while standard input carries samples. Nothing
 * here blocks: a frame is handed over whole and trickles out as fast as the terminal
 * takes it; until it is out, no new frame is begun. Main thread.
 */
#ifndef WEIR_DISPLAY_TERM_SCREEN_H
#define WEIR_DISPLAY_TERM_SCREEN_H

#include "base/status.h"
#include "display/term_bytes.h"
#include "display/term_caps.h"
#include "display/term_guard.h"
#include "display/term_keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_screen weir_screen;

typedef struct weir_screen_size {
    size_t n_columns, n_rows;
    int cell_width, cell_height; /* pixels; 0: not known */
} weir_screen_size;

/* Standard output is a terminal that can also be read. */
bool weir_screen_possible(void);

/* The terminal is asked about pictures, unless that was ruled out; caps has what is known. */
weir_status weir_screen_open(weir_screen **out, weir_view_color color, weir_view_charset charset,
                             weir_view_pictures pictures, weir_error *err);
void weir_screen_close(weir_screen *screen);
/* May change with WEIR_KEY_ANSWER. */
weir_term_caps weir_screen_caps(const weir_screen *screen);
weir_screen_size weir_screen_size_now(const weir_screen *screen);

/* Waits for keys, signals, or (if a frame is on its way out) room to write, at most
 * timeout_ms. The terminal going away counts as SIGHUP. */
weir_guard_events weir_screen_wait(weir_screen *screen, int timeout_ms);
/* The next key pressed, or WEIR_KEY_NONE; of the mouse (WEIR_KEY_MOUSE) what it did. */
int weir_screen_key(weir_screen *screen, weir_mouse *mouse);

/* True when the last frame has left: only then may a new one be begun. */
bool weir_screen_is_ready(const weir_screen *screen);
weir_bytes *weir_screen_begin_frame(weir_screen *screen);
void weir_screen_end_frame(weir_screen *screen);
uint64_t weir_screen_bytes_written(const weir_screen *screen);

/* Ctrl-Z: gives the terminal back, stops, and sets it up again when continued. */
void weir_screen_suspend(weir_screen *screen);
/* After a SIGCONT from outside: sets the modes again (a shell may have changed them). */
void weir_screen_resume(weir_screen *screen);

#endif
