/* Starting threads. Thread-safe. */
#ifndef WEIR_BASE_THREAD_H
#define WEIR_BASE_THREAD_H

#include "base/status.h"

#include <pthread.h>
#include <signal.h>

/* Blocks the signals that are the main thread's business, which are all but a thread's own faults
 * (SIGSEGV, SIGBUS ...): threads started now do not get them. *before: for pthread_sigmask. */
void weir_thread_block_signals(sigset_t *before);

/* Starts a thread that gets none of these. name: 15 characters at most. */
weir_status weir_thread_start(pthread_t *thread, const char *name, void *(*main)(void *),
                              void *user, weir_error *err);

#endif
