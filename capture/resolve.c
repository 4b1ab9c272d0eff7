#include "capture/resolve.h"

#include "base/text.h"
#include "base/thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct weir_resolve {
    char host[256], port[16];
    int answered; /* eventfd */
    struct addrinfo *list;
    int result; /* getaddrinfo's */
    int error;  /* errno, for EAI_SYSTEM */
    atomic_bool done;
    atomic_uint owners; /* the caller and the thread: who leaves last frees it */
};

static void leave(weir_resolve *query)
{
    if (atomic_fetch_sub(&query->owners, 1) > 1) {
        return;
    }
    if (query->list) {
        freeaddrinfo(query->list);
    }
    if (query->answered >= 0) {
        close(query->answered);
    }
    free(query);
}

static void *resolve_main(void *user)
{
    weir_resolve *query = user;
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const uint64_t one = 1;
    query->result = getaddrinfo(query->host, query->port, &hints, &query->list);
    query->error = errno;
    atomic_store(&query->done, true);
    ssize_t ignored = write(query->answered, &one, sizeof one);
    (void)ignored;
    leave(query);
    return NULL;
}

weir_status weir_resolve_start(weir_resolve **out, const char *host, const char *port,
                               weir_error *err)
{
    pthread_t thread;
    *out = NULL;
    weir_resolve *query = calloc(1, sizeof *query);
    if (!query) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", host);
    }
    atomic_store(&query->owners, 1);
    weir_snprintf(query->host, sizeof query->host, "%s", host);
    weir_snprintf(query->port, sizeof query->port, "%s", port);
    query->answered = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    weir_status status = query->answered >= 0 ? WEIR_OK
                                              : weir_fail(err, WEIR_ERR_NOMEM, "%s: eventfd: %s",
                                                          host, strerror(errno));
    if (status == WEIR_OK) {
        atomic_store(&query->owners, 2);
        status = weir_thread_start(&thread, "weir-resolve", resolve_main, query, err);
    }
    if (status != WEIR_OK) {
        atomic_store(&query->owners, 1);
        leave(query);
        return status;
    }
    pthread_detach(thread);
    *out = query;
    return WEIR_OK;
}

int weir_resolve_fd(const weir_resolve *query)
{
    return query->answered;
}

weir_status weir_resolve_answer(const weir_resolve *query, const struct addrinfo **list,
                                weir_error *err)
{
    *list = NULL;
    if (!atomic_load(&query->done)) {
        return weir_fail(err, WEIR_ERR_INTERNAL, "%s: no answer yet", query->host);
    }
    if (query->result != 0) {
        return weir_fail(err, WEIR_ERR_DEVICE, "%s: %s", query->host,
                         query->result == EAI_SYSTEM ? strerror(query->error)
                                                     : gai_strerror(query->result));
    }
    *list = query->list;
    return WEIR_OK;
}

void weir_resolve_destroy(weir_resolve *query)
{
    if (query) {
        leave(query);
    }
}
