#include "base/thread.h"

#include <signal.h>
#include <string.h>

weir_status weir_thread_start(pthread_t *thread, const char *name, void *(*main)(void *),
                              void *user, weir_error *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, main, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        return weir_fail(err, WEIR_ERR_NOMEM, "cannot start a thread: %s", strerror(error));
    }
    pthread_setname_np(*thread, name);
    return WEIR_OK;
}
