#include "capture/ring.h"

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A test of the tests: 1 weakens the producer's publishing, 2 the consumer's release.
 * Right on x86 by luck; ThreadSanitizer must see it (tests/test_ring_mutation.sh). */
#ifndef WEIR_RING_WEAKEN
#define WEIR_RING_WEAKEN 0
#endif
#define PUBLISH_ORDER (WEIR_RING_WEAKEN == 1 ? memory_order_relaxed : memory_order_release)
#define RELEASE_ORDER (WEIR_RING_WEAKEN == 2 ? memory_order_relaxed : memory_order_release)

#define MAX_BYTES ((size_t)1 << 32)
#define MARKS 256 /* more than enough seams for a ring of a second */
#define MOST_MARKS ((size_t)1 << 20)
#define CACHE_LINE 64
#define FIRST_STEP_NS 50000
#define LONGEST_STEP_NS 2000000

typedef struct mark {
    uint64_t position; /* of the segment's first sample, in samples through the ring */
    weir_ring_segment segment;
} mark;

/* Positions count samples through the ring from 0 and run freely in 64 bits. */
struct weir_ring {
    unsigned char *memory; /* 2 * bytes of address space over `bytes` of memory */
    size_t bytes;
    const unsigned char *borrowed; /* instead: `capacity` samples, not its own    */
    size_t most_in_view;
    size_t stride;
    size_t capacity; /* samples that can lie between producer and consumer */
    mark *marks;     /* a queue of n_marks, which are a power of two       */
    size_t n_marks;

    /* The producer's line: what it publishes, then what only it touches. */
    alignas(CACHE_LINE) atomic_uint_fast64_t written;
    atomic_uint_fast64_t marks_written;
    atomic_bool closed;
    uint64_t lost_at_end; /* published by closed */
    uint64_t segments;
    uint64_t known_consumed; /* a copy: the other side's line is read only when it must be */

    /* The consumer's. */
    alignas(CACHE_LINE) atomic_uint_fast64_t consumed;
    atomic_uint_fast64_t marks_consumed;
    atomic_bool cancelled;
    alignas(CACHE_LINE) uint64_t known_written;
    uint64_t known_marks;
    bool known_closed;
    uint64_t skipped_lost; /* of empty segments, owed to the next one */
    mark current;
};

/* ---- create and destroy ---- */

static size_t page_bytes(void)
{
    long page = sysconf(_SC_PAGESIZE);
    return page > 0 ? (size_t)page : 4096;
}

static size_t round_up_bytes(size_t min_bytes, size_t stride)
{
    size_t bytes = page_bytes();
    while (bytes < min_bytes || bytes < stride) {
        bytes *= 2;
    }
    return bytes;
}

/* The same memory twice in a row; NULL with errno set. */
static unsigned char *map_twice(size_t bytes)
{
    int fd = memfd_create("weir-ring", MFD_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    unsigned char *memory = MAP_FAILED;
    int flags = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
    if (ftruncate(fd, (off_t)bytes) != 0) {
        goto fail;
    }
    memory = mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        goto fail;
    }
    for (size_t half = 0; half < 2; half++) {
        void *at = memory + half * bytes;
        if (mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, 0) == MAP_FAILED) {
            goto fail;
        }
    }
    close(fd);
    return memory;

fail:;
    int saved = errno;
    if (memory != MAP_FAILED) {
        munmap(memory, 2 * bytes);
    }
    close(fd);
    errno = saved;
    return NULL;
}

static weir_ring *allocate(size_t stride_bytes, size_t min_marks)
{
    weir_ring *ring = aligned_alloc(CACHE_LINE, sizeof *ring);
    if (!ring) {
        return NULL;
    }
    memset(ring, 0, sizeof *ring);
    ring->stride = stride_bytes;
    ring->current.segment.time_unix_ns = INT64_MIN;
    for (ring->n_marks = MARKS; ring->n_marks < min_marks && ring->n_marks < MOST_MARKS;) {
        ring->n_marks *= 2;
    }
    ring->marks = calloc(ring->n_marks, sizeof *ring->marks);
    if (!ring->marks) {
        free(ring);
        return NULL;
    }
    return ring;
}

weir_status weir_ring_create(weir_ring **out, size_t min_bytes, size_t stride_bytes,
                             weir_error *err)
{
    return weir_ring_create_for_segments(out, min_bytes, stride_bytes, MARKS, err);
}

weir_status weir_ring_create_for_segments(weir_ring **out, size_t min_bytes, size_t stride_bytes,
                                          size_t min_segments, weir_error *err)
{
    *out = NULL;
    if (stride_bytes == 0) {
        return weir_fail(err, WEIR_ERR_INTERNAL, "ring: a sample of 0 bytes");
    }
    if (min_bytes > MAX_BYTES || stride_bytes > MAX_BYTES) {
        return weir_fail(err, WEIR_ERR_USAGE, "ring: %zu bytes, at most %zu are possible",
                         min_bytes > stride_bytes ? min_bytes : stride_bytes, MAX_BYTES);
    }
    weir_ring *ring = allocate(stride_bytes, min_segments);
    if (!ring) {
        return weir_fail(err, WEIR_ERR_NOMEM, "ring: out of memory");
    }
    ring->bytes = round_up_bytes(min_bytes, stride_bytes);
    ring->capacity = ring->bytes / stride_bytes;
    ring->most_in_view = ring->capacity;
    ring->memory = map_twice(ring->bytes);
    if (!ring->memory) {
        size_t bytes = ring->bytes;
        int error = errno;
        weir_ring_destroy(ring);
        return weir_fail(err, WEIR_ERR_NOMEM, "ring: cannot map %zu bytes: %s", bytes,
                         strerror(error));
    }
    *out = ring;
    return WEIR_OK;
}

weir_status weir_ring_create_over(weir_ring **out, const void *samples, size_t n_samples,
                                  size_t stride_bytes, size_t most_in_view, weir_error *err)
{
    weir_ring *ring = *out = allocate(stride_bytes, MARKS);
    if (!ring) {
        return weir_fail(err, WEIR_ERR_NOMEM, "ring: out of memory");
    }
    ring->borrowed = samples;
    ring->capacity = n_samples;
    ring->most_in_view = most_in_view;
    return WEIR_OK;
}

void weir_ring_destroy(weir_ring *ring)
{
    if (!ring) {
        return;
    }
    if (ring->memory) {
        munmap(ring->memory, 2 * ring->bytes);
    }
    free(ring->marks);
    free(ring);
}

void *weir_ring_memory(const weir_ring *ring, size_t *mapped_bytes)
{
    *mapped_bytes = 2 * ring->bytes; /* 0 if borrowed */
    return ring->memory;
}

size_t weir_ring_capacity_samples(const weir_ring *ring)
{
    return ring->most_in_view;
}

/* Where a position lies; the second mapping makes what follows it contiguous. */
static unsigned char *at_position(const weir_ring *ring, uint64_t position)
{
    if (ring->borrowed) {
        return (unsigned char *)ring->borrowed + position * ring->stride;
    }
    return ring->memory + ((position * ring->stride) & (ring->bytes - 1));
}

/* Sleeps a step that grows, and says whether the deadline lies ahead still. */
static bool sleep_step(const struct timespec *deadline, long *step_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left =
        (int64_t)(deadline->tv_sec - now.tv_sec) * 1000000000 + (deadline->tv_nsec - now.tv_nsec);
    if (left <= 0) {
        return false;
    }
    struct timespec step = {.tv_nsec = left < *step_ns ? (long)left : *step_ns};
    nanosleep(&step, NULL);
    *step_ns = *step_ns * 2 < LONGEST_STEP_NS ? *step_ns * 2 : LONGEST_STEP_NS;
    return true;
}

static struct timespec deadline_in(int timeout_ms)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += timeout_ms / 1000;
    deadline.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000;
    }
    return deadline;
}

/* ---- producer ---- */

/* By the copy of the consumer's position: there may be more by now. */
static size_t known_free_samples(const weir_ring *ring)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    return ring->capacity - (size_t)(written - ring->known_consumed);
}

static void refresh_consumed(weir_ring *ring)
{
    ring->known_consumed = atomic_load_explicit(&ring->consumed, memory_order_acquire);
}

void *weir_ring_reserve(weir_ring *ring, size_t *n_samples)
{
    refresh_consumed(ring);
    *n_samples = known_free_samples(ring);
    return at_position(ring, atomic_load_explicit(&ring->written, memory_order_relaxed));
}

uint64_t weir_ring_released(const weir_ring *ring)
{
    return atomic_load_explicit(&ring->consumed, memory_order_acquire);
}

void weir_ring_commit(weir_ring *ring, size_t n_samples)
{
    if (n_samples == 0) {
        return;
    }
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    assert(ring->segments > 0);
    assert(n_samples <= known_free_samples(ring));
    atomic_store_explicit(&ring->written, written + n_samples, PUBLISH_ORDER);
}

bool weir_ring_begin_segment(weir_ring *ring, const weir_ring_segment *segment)
{
    uint64_t n = atomic_load_explicit(&ring->marks_written, memory_order_relaxed);
    if (n - atomic_load_explicit(&ring->marks_consumed, memory_order_acquire) >= ring->n_marks) {
        return false;
    }
    mark *m = &ring->marks[n % ring->n_marks];
    m->position = atomic_load_explicit(&ring->written, memory_order_relaxed);
    m->segment = *segment;
    m->segment.segment = ring->segments++;
    atomic_store_explicit(&ring->marks_written, n + 1, memory_order_release);
    return true;
}

void weir_ring_close(weir_ring *ring, uint64_t lost_at_end)
{
    assert(!atomic_load_explicit(&ring->closed, memory_order_relaxed));
    ring->lost_at_end = lost_at_end;
    atomic_store_explicit(&ring->closed, true, memory_order_release);
}

bool weir_ring_cancelled(const weir_ring *ring)
{
    return atomic_load_explicit(&ring->cancelled, memory_order_acquire);
}

bool weir_ring_wait_space(weir_ring *ring, size_t n_samples, int timeout_ms)
{
    if (weir_ring_cancelled(ring)) {
        return false;
    }
    if (known_free_samples(ring) >= n_samples) {
        return true;
    }
    struct timespec deadline = deadline_in(timeout_ms);
    long step_ns = FIRST_STEP_NS;
    do {
        refresh_consumed(ring);
        if (weir_ring_cancelled(ring) || known_free_samples(ring) >= n_samples) {
            return !weir_ring_cancelled(ring);
        }
    } while (sleep_step(&deadline, &step_ns));
    return false;
}

/* ---- consumer ---- */

/* In this order: whoever sees closed sees the last samples, and whoever sees samples
 * sees the marks that speak of them. */
static void refresh_known(weir_ring *ring)
{
    ring->known_closed = atomic_load_explicit(&ring->closed, memory_order_acquire);
    ring->known_written = atomic_load_explicit(&ring->written, memory_order_acquire);
    ring->known_marks = atomic_load_explicit(&ring->marks_written, memory_order_acquire);
}

static uint64_t marks_pending(const weir_ring *ring)
{
    return ring->known_marks - atomic_load_explicit(&ring->marks_consumed, memory_order_relaxed);
}

static const mark *pending_mark(const weir_ring *ring, uint64_t k)
{
    uint64_t first = atomic_load_explicit(&ring->marks_consumed, memory_order_relaxed);
    return &ring->marks[(first + k) % ring->n_marks];
}

static void drop_mark(weir_ring *ring)
{
    uint64_t n = atomic_load_explicit(&ring->marks_consumed, memory_order_relaxed);
    atomic_store_explicit(&ring->marks_consumed, n + 1, memory_order_release);
}

/* Moves to the segment of the sample at `position`. A mark with no sample behind it yet
 * stays in the queue unless another one shows that its segment is empty. */
static void enter_segment(weir_ring *ring, uint64_t position)
{
    while (marks_pending(ring) > 1 && pending_mark(ring, 1)->position == position) {
        ring->skipped_lost += pending_mark(ring, 0)->segment.lost_before;
        drop_mark(ring);
    }
    if (marks_pending(ring) > 0 && pending_mark(ring, 0)->position == position &&
        ring->known_written != position) {
        ring->current = *pending_mark(ring, 0);
        ring->current.segment.lost_before += ring->skipped_lost;
        ring->skipped_lost = 0;
        drop_mark(ring);
    }
}

static uint64_t lost_after_all(const weir_ring *ring)
{
    uint64_t lost = ring->lost_at_end + ring->skipped_lost;
    for (uint64_t k = 0; k < marks_pending(ring); k++) {
        lost += pending_mark(ring, k)->segment.lost_before;
    }
    return lost;
}

/* Everything visible of the segment at the consumer's position. */
static void look(weir_ring *ring, weir_ring_view *view)
{
    uint64_t position = atomic_load_explicit(&ring->consumed, memory_order_relaxed);
    enter_segment(ring, position);
    /* Distances, not positions, are compared: the counters may wrap. */
    uint64_t n = ring->known_written - position;
    bool ends = ring->known_closed;
    bool more = false;
    if (marks_pending(ring) > 0) {
        uint64_t to_mark = pending_mark(ring, 0)->position - position;
        more = to_mark < n;
        ends = to_mark <= n;
        n = more ? to_mark : n;
    }
    if (n > ring->most_in_view) { /* only of a borrowed one */
        n = ring->most_in_view;
        more = true;
        ends = false;
    }
    *view = (weir_ring_view){
        .samples = at_position(ring, position),
        .n_samples = (size_t)n,
        .first_sample = ring->current.segment.first_sample + (position - ring->current.position),
        .segment = ring->current.segment,
        .segment_ends = ends,
        .ended = ring->known_closed && !more,
    };
    if (view->ended) {
        view->lost_at_end = lost_after_all(ring);
    }
}

bool weir_ring_peek(weir_ring *ring, weir_ring_view *view)
{
    refresh_known(ring);
    look(ring, view);
    return view->n_samples > 0 || view->ended;
}

void weir_ring_release(weir_ring *ring, size_t n_samples)
{
    if (n_samples == 0) {
        return;
    }
    uint64_t position = atomic_load_explicit(&ring->consumed, memory_order_relaxed);
    assert(ring->known_written - position >= n_samples);
    atomic_store_explicit(&ring->consumed, position + n_samples, RELEASE_ORDER);
}

void weir_ring_cancel(weir_ring *ring)
{
    atomic_store_explicit(&ring->cancelled, true, memory_order_release);
}

void weir_ring_wait_data(weir_ring *ring, size_t n_seen, int timeout_ms)
{
    struct timespec deadline = deadline_in(timeout_ms);
    long step_ns = FIRST_STEP_NS;
    weir_ring_view view;
    do {
        refresh_known(ring);
        look(ring, &view);
        /* The end of a segment with nothing left of it is nothing to wake up for. */
        if (view.n_samples > n_seen || view.ended || (view.segment_ends && view.n_samples > 0)) {
            return;
        }
    } while (sleep_step(&deadline, &step_ns));
}
