/* Keeps what device libraries print on standard error away from the user's screen.
 *
 *     weir_quiet quiet;
 *     weir_quiet_begin(&quiet);       // file descriptor 2 now goes to memory
 *     Pa_Initialize();
 *     weir_quiet_end(&quiet, "mic");  // and back; the lines are logged at level info
 *
 * For opening and closing devices, never per block. The descriptor is the whole process's:
 * what other threads' logs print meanwhile is passed on when it ends. One at a time: a
 * second begin in another thread waits.
 *
 * A library's own threads print as well, at any time. What the marked ones print through the
 * C library's stderr is not seen either (with glibc; elsewhere it is).
 *
 *     weir_quiet_watch();             // once or more, before they run
 *     weir_quiet_mark_thread("mic");  // in their callback, as often as it comes: no more than
 *                                     // a store
 */
#ifndef WEIR_CAPTURE_QUIET_H
#define WEIR_CAPTURE_QUIET_H

typedef struct weir_quiet {
    int saved;  /* the real standard error; -1: nothing is redirected */
    int memory; /* what takes its place                               */
} weir_quiet;

void weir_quiet_begin(weir_quiet *quiet);
void weir_quiet_end(weir_quiet *quiet, const char *source);
void weir_quiet_watch(void);
void weir_quiet_mark_thread(const char *source);

#endif
