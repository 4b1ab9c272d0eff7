/* ctest-labels: unit prop
 * capture/ring.h: contiguity, accounting, segments, shutdown, waits; and two threads with
 * random chunks and forced drops (tests/test_ring_mutation.sh runs it under TSan). */
#include "capture/ring.h"
#include "tests/check.h"

#include <pthread.h>
#include <unistd.h>

static weir_ring *make(size_t bytes, size_t stride)
{
    weir_ring *ring = NULL;
    weir_error err = {0};
    CHECK_MSG(weir_ring_create(&ring, bytes, stride, &err) == WEIR_OK, "%s", err.text);
    return ring;
}

static weir_ring_segment segment_at(uint64_t first_sample, uint64_t lost)
{
    return (weir_ring_segment){.first_sample = first_sample,
                               .lost_before = lost,
                               .rate_hz = 48000,
                               .center_hz = 1e8,
                               .time_unix_ns = INT64_MIN,
                               .segment = 999};
}

static bool begin(weir_ring *ring, uint64_t first_sample, uint64_t lost)
{
    weir_ring_segment segment = segment_at(first_sample, lost);
    return weir_ring_begin_segment(ring, &segment);
}

static void put_bytes(weir_ring *ring, size_t n)
{
    size_t room = 0;
    void *at = weir_ring_reserve(ring, &room);
    CHECK_MSG(room >= n, "room for %zu of %zu", room, n);
    memset(at, 0x5a, n);
    weir_ring_commit(ring, n);
}

static void test_create_rejects_and_rounds(void)
{
    weir_ring *ring = NULL;
    weir_error err = {0};
    CHECK(weir_ring_create(&ring, 4096, 0, &err) == WEIR_ERR_INTERNAL && !ring);
    CHECK(weir_ring_create(&ring, SIZE_MAX, 2, &err) == WEIR_ERR_USAGE && !ring);
    CHECK(strstr(err.text, "at most") != NULL);
    CHECK(weir_ring_create(&ring, ((size_t)1 << 32) + 1, 2, &err) == WEIR_ERR_USAGE && !ring);
    weir_ring_destroy(NULL);

    size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = 0;
    static const struct {
        size_t min_pages_times_2, stride, pages;
    } cases[] = {{0, 1, 1}, {2, 3, 1}, {3, 1, 2}, {5, 8, 4}, {16, 6, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ring = make(cases[i].min_pages_times_2 * page / 2, cases[i].stride);
        CHECK(weir_ring_memory(ring, &mapped) != NULL);
        CHECK(mapped == 2 * cases[i].pages * page);
        CHECK(weir_ring_capacity_samples(ring) == cases[i].pages * page / cases[i].stride);
        weir_ring_destroy(ring);
    }
    ring = make(1, 3 * page); /* one sample is larger than what was asked for */
    CHECK(weir_ring_capacity_samples(ring) == 1);
    weir_ring_destroy(ring);
}

static void test_both_mappings_are_one_memory(void)
{
    weir_ring *ring = make(1, 1);
    size_t mapped = 0;
    volatile unsigned char *memory = weir_ring_memory(ring, &mapped);
    memory[5] = 17;
    CHECK(memory[5 + mapped / 2] == 17);
    memory[mapped - 1] = 18;
    CHECK(memory[mapped / 2 - 1] == 18);
    weir_ring_destroy(ring);
}

static unsigned char pattern(uint64_t byte)
{
    return (unsigned char)((byte * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static void fill_pattern(weir_ring *ring, uint64_t first, size_t n, size_t stride)
{
    size_t room = 0;
    unsigned char *at = weir_ring_reserve(ring, &room);
    CHECK(room >= n);
    for (size_t i = 0; i < n * stride; i++) {
        at[i] = pattern(first * stride + i);
    }
    weir_ring_commit(ring, n);
}

static size_t wrong_bytes(const weir_ring_view *view, size_t stride)
{
    size_t wrong = 0;
    const unsigned char *at = view->samples;
    for (size_t i = 0; i < view->n_samples * stride; i++) {
        wrong += at[i] != pattern(view->first_sample * stride + i);
    }
    return wrong;
}

/* Three times round with random cuts: every view is one contiguous run of right bytes. */
static void test_wrap_is_contiguous_for_any_stride(void)
{
    static const size_t strides[] = {1, 2, 3, 4, 6, 8, 12, 24, 100};
    check_rng rng = check_rng_fresh();
    for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++) {
        size_t stride = strides[s], wrong = 0;
        weir_ring *ring = make(1, stride);
        size_t capacity = weir_ring_capacity_samples(ring);
        uint64_t in = 0, out = 0;
        CHECK(begin(ring, 0, 0));
        while (out < 3 * capacity + 7) {
            size_t room = capacity - (size_t)(in - out);
            size_t n = (size_t)(check_random(&rng) % (room + 1));
            fill_pattern(ring, in, n, stride);
            in += n;
            weir_ring_view view;
            if (!weir_ring_peek(ring, &view)) {
                continue;
            }
            CHECK(view.first_sample == out && !view.ended && !view.segment_ends);
            wrong += wrong_bytes(&view, stride);
            size_t taken = (size_t)(check_random(&rng) % (view.n_samples + 1));
            weir_ring_release(ring, taken);
            out += taken;
        }
        CHECK_MSG(wrong == 0, "stride %zu: %zu wrong bytes", stride, wrong);
        weir_ring_destroy(ring);
    }
}

static void test_a_full_ring_has_no_room(void)
{
    weir_ring *ring = make(1, 2);
    size_t capacity = weir_ring_capacity_samples(ring), room = 0;
    CHECK(begin(ring, 0, 0));
    weir_ring_reserve(ring, &room);
    CHECK(room == capacity);
    weir_ring_commit(ring, capacity);
    weir_ring_reserve(ring, &room);
    CHECK(room == 0);
    CHECK(!weir_ring_wait_space(ring, 1, 3));
    weir_ring_view view;
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == capacity);
    weir_ring_release(ring, 5);
    weir_ring_reserve(ring, &room);
    CHECK(room == 5);
    CHECK(weir_ring_wait_space(ring, 5, 1000));
    CHECK(weir_ring_peek(ring, &view) && view.first_sample == 5 && view.n_samples == capacity - 5);
    weir_ring_destroy(ring);
}

static void test_segments_split_views(void)
{
    weir_ring *ring = make(1, 1);
    weir_ring_view view;
    CHECK(!weir_ring_peek(ring, &view));
    CHECK(begin(ring, 100, 0));
    CHECK(!weir_ring_peek(ring, &view));
    put_bytes(ring, 10);
    CHECK(weir_ring_peek(ring, &view));
    CHECK(view.n_samples == 10 && !view.segment_ends && view.first_sample == 100);
    CHECK(begin(ring, 115, 5));
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 10 && view.segment_ends);
    put_bytes(ring, 20);
    weir_ring_release(ring, 4);
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 6 && view.segment_ends);
    CHECK(view.first_sample == 104 && view.segment.segment == 0 && !view.ended);
    weir_ring_release(ring, 6);
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 20 && !view.segment_ends);
    CHECK(view.first_sample == 115 && view.segment.segment == 1);
    CHECK(view.segment.lost_before == 5 && view.segment.rate_hz == 48000);
    CHECK(view.segment.center_hz == 1e8 && view.segment.time_unix_ns == INT64_MIN);
    weir_ring_destroy(ring);
}

/* A segment that ends when all of it was released already is nothing to report. */
static void test_late_end_of_a_drained_segment(void)
{
    weir_ring *ring = make(1, 1);
    weir_ring_view view;
    CHECK(begin(ring, 0, 0));
    put_bytes(ring, 3);
    CHECK(weir_ring_peek(ring, &view));
    weir_ring_release(ring, 3);
    CHECK(begin(ring, 4, 1));
    CHECK(!weir_ring_peek(ring, &view) && view.n_samples == 0);
    weir_ring_wait_data(ring, 0, 2);
    put_bytes(ring, 2);
    CHECK(weir_ring_peek(ring, &view) && view.first_sample == 4 && view.segment.lost_before == 1);
    weir_ring_destroy(ring);
}

static void test_empty_segments_hand_on_their_losses(void)
{
    weir_ring *ring = make(1, 1);
    weir_ring_view view;
    CHECK(begin(ring, 7, 7));
    CHECK(begin(ring, 10, 3));
    put_bytes(ring, 2);
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 2);
    CHECK(view.first_sample == 10 && view.segment.lost_before == 10);
    CHECK(begin(ring, 13, 1));
    CHECK(begin(ring, 15, 2));
    CHECK(begin(ring, 19, 4));
    CHECK(weir_ring_peek(ring, &view) && view.segment_ends && !view.ended);
    weir_ring_close(ring, 8);
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 2 && view.segment_ends && view.ended);
    CHECK(view.lost_at_end == 15);
    weir_ring_release(ring, 2);
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 0 && view.ended);
    CHECK(view.lost_at_end == 15);
    weir_ring_destroy(ring);
}

static void test_a_full_mark_queue_refuses_and_recovers(void)
{
    weir_ring *ring = make(1, 1);
    weir_ring_view view;
    uint64_t n = 0;
    while (n < 100000 && begin(ring, n * 2 + 1, 1)) {
        put_bytes(ring, 1);
        n++;
    }
    CHECK(n >= 16 && n < 100000);
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 1 && view.segment_ends);
    weir_ring_release(ring, 1);
    CHECK(weir_ring_peek(ring, &view) && view.first_sample == 3);
    CHECK(begin(ring, n * 2 + 1, 1));
    put_bytes(ring, 1);
    uint64_t seen = 1;
    weir_ring_close(ring, 0);
    do {
        CHECK(weir_ring_peek(ring, &view) && view.n_samples == 1);
        CHECK(view.first_sample == seen * 2 + 1 && view.segment.segment == seen);
        weir_ring_release(ring, 1);
        seen++;
    } while (!view.ended);
    CHECK(seen == n + 1);
    weir_ring_destroy(ring);
}

/* A producer that only ever begins segments must not be locked out. */
static void test_empty_marks_never_block(void)
{
    weir_ring *ring = make(1, 1);
    weir_ring_view view;
    uint64_t lost = 0;
    for (int i = 0; i < 5000; i++) {
        bool began = begin(ring, lost + 1, 1);
        if (!began) {
            CHECK(!weir_ring_peek(ring, &view));
            began = begin(ring, lost + 1, 1);
        }
        CHECK(began);
        lost++;
    }
    put_bytes(ring, 1);
    CHECK(weir_ring_peek(ring, &view) && view.segment.lost_before == lost);
    CHECK(view.first_sample == lost && view.segment.segment == 4999);
    weir_ring_destroy(ring);
}

static void test_close_and_cancel(void)
{
    weir_ring *ring = make(1, 1);
    weir_ring_view view;
    weir_ring_close(ring, 3);
    CHECK(weir_ring_peek(ring, &view) && view.ended && view.n_samples == 0);
    CHECK(view.lost_at_end == 3 && view.segment_ends);
    weir_ring_wait_data(ring, 0, 60000); /* returns at once, or the test times out */
    CHECK(!weir_ring_cancelled(ring));
    CHECK(weir_ring_wait_space(ring, 1, 0));
    weir_ring_cancel(ring);
    CHECK(weir_ring_cancelled(ring));
    CHECK(!weir_ring_wait_space(ring, 1, 60000));
    weir_ring_destroy(ring);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void test_waits_time_out(void)
{
    weir_ring *ring = make(1, 1);
    size_t capacity = weir_ring_capacity_samples(ring);
    double start = seconds_now();
    weir_ring_wait_data(ring, 0, 20);
    double waited = seconds_now() - start;
    CHECK_MSG(waited >= 0.0199 && waited < 5, "waited %g s for data", waited);
    CHECK(begin(ring, 0, 0));
    put_bytes(ring, capacity);
    start = seconds_now();
    weir_ring_wait_data(ring, capacity - 1, 60000);
    CHECK(seconds_now() - start < 5);
    start = seconds_now();
    weir_ring_wait_data(ring, capacity, 20);
    CHECK(seconds_now() - start >= 0.0199);
    start = seconds_now();
    CHECK(!weir_ring_wait_space(ring, 1, 20));
    waited = seconds_now() - start;
    CHECK_MSG(waited >= 0.0199 && waited < 5, "waited %g s for space", waited);
    weir_ring_destroy(ring);
}

/* ---- two threads ---- */

enum { TOTAL = 3000000 };

typedef struct side {
    weir_ring *ring;
    check_rng rng;
    uint64_t delivered, lost, wrong;
} side;

/* Sample n carries n. Some samples are dropped on purpose, some because the ring is full. */
static void *produce(void *arg)
{
    side *p = arg;
    uint64_t next = 0, pending = 0;
    bool first = true;
    while (next < TOTAL) {
        size_t want = 1 + (size_t)(check_random(&p->rng) % 1500), room = 0;
        want = next + want > TOTAL ? TOTAL - next : want;
        if (check_random(&p->rng) % 4 != 0) {
            weir_ring_wait_space(p->ring, want, 1000);
        }
        uint64_t *at = weir_ring_reserve(p->ring, &room);
        bool drop = room < want || check_random(&p->rng) % 50 == 0;
        weir_ring_segment segment = segment_at(next, pending);
        if (drop || ((pending || first) && !weir_ring_begin_segment(p->ring, &segment))) {
            pending += want;
            p->lost += want;
            next += want;
            continue;
        }
        first = false;
        pending = 0;
        for (size_t i = 0; i < want; i++) {
            at[i] = next++;
        }
        weir_ring_commit(p->ring, want);
        p->delivered += want;
    }
    weir_ring_close(p->ring, pending);
    return NULL;
}

static void consume(side *c)
{
    weir_ring_view view;
    uint64_t expected = 0;
    for (;;) {
        if (!weir_ring_peek(c->ring, &view)) {
            weir_ring_wait_data(c->ring, 0, 100);
            continue;
        }
        if (view.first_sample != expected) {
            c->wrong += view.first_sample != expected + view.segment.lost_before;
            c->lost += view.segment.lost_before;
        }
        size_t n = 1 + (size_t)(check_random(&c->rng) % 2000);
        n = n > view.n_samples ? view.n_samples : n;
        const uint64_t *at = view.samples;
        for (size_t i = 0; i < n; i++) {
            c->wrong += at[i] != view.first_sample + i;
        }
        weir_ring_release(c->ring, n);
        c->delivered += n;
        expected = view.first_sample + n;
        if (view.ended && n == view.n_samples) {
            c->lost += view.lost_at_end;
            return;
        }
    }
}

static void test_two_threads_account_for_every_sample(void)
{
    check_rng rng = check_rng_fresh();
    weir_ring *ring = make(32768, sizeof(uint64_t));
    side p = {.ring = ring, .rng = check_rng_from(check_random(&rng))};
    side c = {.ring = ring, .rng = check_rng_from(check_random(&rng))};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, produce, &p) == 0);
    consume(&c);
    pthread_join(thread, NULL);
    printf("# delivered %llu, lost %llu\n", (unsigned long long)c.delivered,
           (unsigned long long)c.lost);
    CHECK_MSG(c.wrong == 0, "%llu wrong samples", (unsigned long long)c.wrong);
    CHECK(p.delivered + p.lost == TOTAL);
    CHECK(c.delivered == p.delivered && c.lost == p.lost);
    CHECK(c.delivered > TOTAL / 2 && c.lost > 0);
    weir_ring_destroy(ring);
}

static void *cancel_soon(void *arg)
{
    usleep(20000);
    weir_ring_cancel(arg);
    return NULL;
}

static void test_cancel_ends_the_producers_wait(void)
{
    weir_ring *ring = make(1, 1);
    CHECK(begin(ring, 0, 0));
    put_bytes(ring, weir_ring_capacity_samples(ring));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, cancel_soon, ring) == 0);
    double start = seconds_now();
    CHECK(!weir_ring_wait_space(ring, 1, 60000));
    CHECK(seconds_now() - start < 10);
    pthread_join(thread, NULL);
    weir_ring_destroy(ring);
}

int main(void)
{
    RUN(test_create_rejects_and_rounds);
    RUN(test_both_mappings_are_one_memory);
    RUN(test_wrap_is_contiguous_for_any_stride);
    RUN(test_a_full_ring_has_no_room);
    RUN(test_segments_split_views);
    RUN(test_late_end_of_a_drained_segment);
    RUN(test_empty_segments_hand_on_their_losses);
    RUN(test_a_full_mark_queue_refuses_and_recovers);
    RUN(test_empty_marks_never_block);
    RUN(test_close_and_cancel);
    RUN(test_waits_time_out);
    RUN(test_two_threads_account_for_every_sample);
    RUN(test_cancel_ends_the_producers_wait);
    return check_finish();
}
