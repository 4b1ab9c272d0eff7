#include "dsp/pool.h"

#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct helper {
    weir_pool *pool;
    unsigned worker;
    pthread_t thread;
} helper;

struct weir_pool {
    weir_pool_work *work;
    void *user;
    unsigned n_helpers; /* that were started */
    helper *helpers;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    /* Under lock. */
    unsigned wanted; /* helpers asked for and not yet come */
    unsigned active; /* helpers at work                    */
    bool stop;
    /* Of the run in progress; set under lock before helpers wake. */
    size_t n_items, chunk;
    atomic_size_t next;
};

static void work_off(weir_pool *pool, unsigned worker)
{
    for (;;) {
        size_t from = atomic_fetch_add(&pool->next, pool->chunk);
        if (from >= pool->n_items) {
            return;
        }
        size_t left = pool->n_items - from;
        size_t end = from + (left < pool->chunk ? left : pool->chunk);
        for (size_t item = from; item < end; item++) {
            pool->work(pool->user, worker, item);
        }
    }
}

static void *helper_main(void *argument)
{
    helper *self = argument;
    weir_pool *pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        if (pool->wanted == 0) {
            pthread_cond_wait(&pool->wake, &pool->lock);
            continue;
        }
        pool->wanted--;
        pool->active++;
        pthread_mutex_unlock(&pool->lock);
        work_off(pool, self->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->active == 0) {
            pthread_cond_signal(&pool->done);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static unsigned helpers_for(const weir_pool *pool, size_t n_items, size_t chunk)
{
    size_t others = (n_items - 1) / chunk;
    return others < pool->n_helpers ? (unsigned)others : pool->n_helpers;
}

void weir_pool_run(weir_pool *pool, size_t n_items, size_t chunk)
{
    unsigned wanted = n_items ? helpers_for(pool, n_items, chunk) : 0;
    if (wanted == 0) {
        for (size_t item = 0; item < n_items; item++) {
            pool->work(pool->user, 0, item);
        }
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->n_items = n_items;
    pool->chunk = chunk;
    atomic_store(&pool->next, 0);
    pool->wanted = wanted;
    if (wanted == 1) {
        pthread_cond_signal(&pool->wake);
    } else {
        pthread_cond_broadcast(&pool->wake);
    }
    pthread_mutex_unlock(&pool->lock);

    work_off(pool, 0);

    pthread_mutex_lock(&pool->lock);
    pool->wanted = 0;
    while (pool->active > 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

weir_status weir_pool_create(weir_pool **out, unsigned n_workers, weir_pool_work *work, void *user,
                             weir_error *err)
{
    *out = NULL;
    weir_pool *pool = calloc(1, sizeof *pool);
    helper *helpers = calloc(n_workers, sizeof *helpers);
    if (!pool || !helpers) {
        free(pool);
        free(helpers);
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %u workers", n_workers);
    }
    pool->work = work;
    pool->user = user;
    pool->helpers = helpers;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (unsigned i = 0; i + 1 < n_workers; i++) {
        helpers[i] = (helper){.pool = pool, .worker = i + 1};
        if (weir_thread_start(&helpers[i].thread, "weir-worker", helper_main, &helpers[i], err) !=
            WEIR_OK) {
            weir_pool_destroy(pool);
            return weir_fail_context(err, "worker %u of %u", i + 1, n_workers);
        }
        pool->n_helpers++;
    }
    *out = pool;
    return WEIR_OK;
}

void weir_pool_destroy(weir_pool *pool)
{
    if (!pool) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->n_helpers; i++) {
        pthread_join(pool->helpers[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->lock);
    free(pool->helpers);
    free(pool);
}
