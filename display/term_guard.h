/* Puts the terminal back whatever happens, and turns signals into events.
 *
 * Signal handlers and at-exit functions have no argument, so this file keeps the one
 * process-wide state of the display: what to restore, and how the handlers were set
 * before. Main thread; one screen at a time; weir_guard_restore is async-signal-safe.
 *
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT: remembered, the wake descriptor becomes readable;
 * a second one restores the terminal and kills at once, unless the first was sent twice
 * (base/signal_time.h). SIGTSTP, SIGCONT, SIGWINCH: remembered. SIGSEGV and the other fatal
 * ones: on their own stack, restore, then the previous handler (so that a sanitizer or a core
 * dump still reports). Signals that were ignored when we came (nohup) stay ignored. SIGKILL
 * cannot be helped.
 */
#ifndef WEIR_DISPLAY_TERM_GUARD_H
#define WEIR_DISPLAY_TERM_GUARD_H

#include "base/status.h"
#include "display/term_stderr.h"

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

typedef struct weir_guard_screen {
    int tty; /* non-blocking */
    struct termios modes;
    char leave[192];
    weir_stderr_capture messages;
} weir_guard_screen;

typedef struct weir_guard_events {
    int end_signal; /* 0: none */
    bool stop, resume, resize;
} weir_guard_events;

/* Installs the handlers; *wake_fd becomes readable when there are events. */
weir_status weir_guard_install(int *wake_fd, weir_error *err);
/* The screen is about to be set up: from now on restoring does something. */
void weir_guard_arm(const weir_guard_screen *screen);
/* The armed screen's captured messages, for reading; NULL when not armed. */
weir_stderr_capture *weir_guard_messages(void);
/* Puts back modes, screen and standard error, once per arm. */
void weir_guard_restore(void);
/* write() for what is drawn. Once a fatal signal, on whatever thread, puts the screen back, nothing
 * is written any more, as if the terminal were slow (EAGAIN): the process is about to end, and what
 * is drawn after that would be drawn over what was there before. */
ssize_t weir_guard_write(int tty, const void *bytes, size_t n);
/* Takes what has happened since the last call. The end signal stays. */
weir_guard_events weir_guard_take(void);
/* Stops the process as Ctrl-Z does; returns when it is continued. Restore first. */
void weir_guard_stop(void);
/* Restores the screen if armed, and the handlers that were. */
void weir_guard_remove(void);

#endif
