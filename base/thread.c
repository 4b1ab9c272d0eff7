#include "base/thread.h"

#include <signal.h>
#include <string.h>

/* All but a thread's own faults: a blocked one kills at once, past the handlers that put the
 * terminal back or know about mapped files. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigdelset(&blocked, faults[i]);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

weir_status weir_thread_start(pthread_t *thread, const char *name, void *(*main)(void *),
                              void *user, weir_error *err)
{
    sigset_t before;
    block_signals(&before);
    int error = pthread_create(thread, NULL, main, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        return weir_fail(err, WEIR_ERR_NOMEM, "cannot start a thread: %s", strerror(error));
    }
    pthread_setname_np(*thread, name);
    return WEIR_OK;
}
