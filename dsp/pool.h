/* A fork-join pool: one loop over items, shared by the calling thread and helpers.
 *
 * run is called from one thread at a time, takes part in the work, and returns when all
 * items are done. Items are claimed in chunks, in order, by whoever is free. A helper
 * that wakes too late is not waited for. Nothing but create allocates.
 */
#ifndef WEIR_DSP_POOL_H
#define WEIR_DSP_POOL_H

#include "base/status.h"

#include <stddef.h>

typedef struct weir_pool weir_pool;

/* worker is 0 (the calling thread) .. n_workers - 1; no two calls at the same time have
 * the same worker. */
typedef void weir_pool_work(void *user, unsigned worker, size_t item);

/* n_workers >= 1 counts the calling thread; with 1 no thread is made. */
weir_status weir_pool_create(weir_pool **out, unsigned n_workers, weir_pool_work *work, void *user,
                             weir_error *err);
void weir_pool_run(weir_pool *pool, size_t n_items, size_t chunk);
void weir_pool_destroy(weir_pool *pool); /* not while run is running */

#endif
