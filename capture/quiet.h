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
 */
#ifndef WEIR_CAPTURE_QUIET_H
#define WEIR_CAPTURE_QUIET_H

typedef struct weir_quiet {
    int saved;  /* the real standard error; -1: nothing is redirected */
    int memory; /* what takes its place                               */
} weir_quiet;

void weir_quiet_begin(weir_quiet *quiet);
void weir_quiet_end(weir_quiet *quiet, const char *source);

#endif
