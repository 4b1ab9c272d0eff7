/* ctest-labels: unit prop
 * dsp/pool.h: every item once, no worker twice at a time, for any size of loop. */
#include "dsp/pool.h"
#include "tests/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_ITEMS = 500, MAX_WORKERS = 5 };

typedef struct tally {
    unsigned done[MAX_ITEMS]; /* plain: only one worker may touch an item */
    atomic_int inside[MAX_WORKERS];
    atomic_int clashes;
} tally;

static void count_item(void *user, unsigned worker, size_t item)
{
    tally *t = user;
    if (atomic_fetch_add(&t->inside[worker], 1) != 0) {
        atomic_fetch_add(&t->clashes, 1);
    }
    t->done[item]++;
    atomic_fetch_sub(&t->inside[worker], 1);
}

static void test_every_item_once(void)
{
    check_rng rng = check_rng_fresh();
    for (unsigned workers = 1; workers <= MAX_WORKERS; workers++) {
        static tally t;
        weir_pool *pool;
        weir_error err;
        memset(&t, 0, sizeof t);
        CHECK(weir_pool_create(&pool, workers, count_item, &t, &err) == WEIR_OK);
        for (int round = 0; round < 400; round++) {
            size_t n = check_random(&rng) % (round % 2 ? MAX_ITEMS : 5);
            memset(t.done, 0, sizeof t.done);
            weir_pool_run(pool, n, 1 + check_random(&rng) % 20);
            for (size_t i = 0; i < MAX_ITEMS; i++) {
                CHECK(t.done[i] == (i < n));
            }
        }
        CHECK(atomic_load(&t.clashes) == 0);
        weir_pool_destroy(pool);
    }
    weir_pool_destroy(NULL);
}

static void look_at_signals(void *user, unsigned worker, size_t item)
{
    atomic_int *wrong = user;
    sigset_t blocked;
    (void)item;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    if (worker > 0 && (!sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGWINCH) ||
                       sigismember(&blocked, SIGBUS) || sigismember(&blocked, SIGSEGV))) {
        atomic_fetch_add(wrong, 1);
    }
    usleep(100); /* so that the helpers come, too */
}

/* Signals are the main thread's; a fault is of the thread that makes it. */
static void test_signals_of_helpers(void)
{
    atomic_int wrong = 0;
    weir_pool *pool;
    CHECK(weir_pool_create(&pool, 3, look_at_signals, &wrong, NULL) == WEIR_OK);
    for (int round = 0; round < 20; round++) {
        weir_pool_run(pool, 50, 1);
    }
    CHECK(atomic_load(&wrong) == 0);
    weir_pool_destroy(pool);
}

/* Created and gone without ever running. */
static void test_idle_pools_end(void)
{
    for (int i = 0; i < 50; i++) {
        weir_pool *pool;
        CHECK(weir_pool_create(&pool, 4, count_item, NULL, NULL) == WEIR_OK);
        weir_pool_destroy(pool);
    }
}

int main(void)
{
    RUN(test_every_item_once);
    RUN(test_signals_of_helpers);
    RUN(test_idle_pools_end);
    return check_finish();
}
