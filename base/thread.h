/* Starting threads. Thread-safe. */
#ifndef WEIR_BASE_THREAD_H
#define WEIR_BASE_THREAD_H

#include "base/status.h"

#include <pthread.h>

/* Starts a thread that gets none of the signals that are the main thread's business: of all only
 * its own faults (SIGSEGV, SIGBUS ...). name: 15 characters at most. */
weir_status weir_thread_start(pthread_t *thread, const char *name, void *(*main)(void *),
                              void *user, weir_error *err);

#endif
