/* Starting threads. Thread-safe. */
#ifndef WEIR_BASE_THREAD_H
#define WEIR_BASE_THREAD_H

#include "base/status.h"

#include <pthread.h>

/* Starts a thread with all signals blocked: they are the main thread's business. name: 15
 * characters at most. */
weir_status weir_thread_start(pthread_t *thread, const char *name, void *(*main)(void *),
                              void *user, weir_error *err);

#endif
