/* The addresses of a host, without being held up by the resolver: getaddrinfo may take as long as
 * name servers let it, and cannot be interrupted. It runs in a thread of its own, which owns what
 * it needs, and is left to itself if nobody waits for it any more.
 *
 * Of one thread, but that a query's descriptor may be polled.
 */
#ifndef WEIR_CAPTURE_RESOLVE_H
#define WEIR_CAPTURE_RESOLVE_H

#include "base/status.h"

#include <netdb.h>

typedef struct weir_resolve weir_resolve;

/* Begins to ask for the stream addresses of a host and port (both copied). */
weir_status weir_resolve_start(weir_resolve **out, const char *host, const char *port,
                               weir_error *err);
/* Readable once there is an answer. */
int weir_resolve_fd(const weir_resolve *query);
/* The answer, once there is one (else WEIR_ERR_INTERNAL); the list is the query's. */
weir_status weir_resolve_answer(const weir_resolve *query, const struct addrinfo **list,
                                weir_error *err);
/* Also before there is an answer; never waits. NULL-safe. */
void weir_resolve_destroy(weir_resolve *query);

#endif
