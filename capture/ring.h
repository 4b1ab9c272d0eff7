/* The ring between a capture thread and the engine: single producer, single
 * consumer, lock-free, raw samples, gaps marked in-band.
 *
 *      consumed                      written
 *         v                             v
 *   ......[ seg 7 samples | seg 8 sampl ]........   one copy in memory,
 *   ......[ ............................]........   mapped twice in a row, so that
 *                                                   any run of samples is contiguous
 *
 * One thread may call the producer functions, one the consumer functions; create and
 * destroy when neither runs. No function blocks, allocates, locks or makes a system
 * call, except create, destroy and the *_wait functions (which sleep in short steps).
 * Needs only libc and base/status.h.
 *
 * A segment is a run of samples without a gap, at one rate and centre. The producer
 * begins one with weir_ring_begin_segment before the samples it describes; a bounded
 * queue of segment marks travels beside the data (marks are published before the
 * bytes they speak of: release store of the write position, acquire load by the
 * consumer). Counters run freely in 64 bits and sit on cache lines of their own.
 *
 * Shutdown: producer calls weir_ring_close when no more will come; the consumer sees
 * `ended` after the last sample. A consumer that gives up calls weir_ring_cancel,
 * which ends the producer's waits.
 */
#ifndef WEIR_CAPTURE_RING_H
#define WEIR_CAPTURE_RING_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_ring weir_ring;

typedef struct weir_ring_segment {
    uint64_t first_sample; /* stream index, counting lost samples too */
    uint64_t lost_before;  /* samples lost just before                */
    double rate_hz;
    double center_hz;
    int64_t time_unix_ns; /* of first_sample; INT64_MIN unknown */
    uint64_t segment;     /* ordinal, filled in by the ring     */
} weir_ring_segment;

/* What the consumer sees: unreleased samples of the oldest segment, contiguous. */
typedef struct weir_ring_view {
    const void *samples;
    size_t n_samples;
    uint64_t first_sample; /* stream index of samples[0] */
    weir_ring_segment segment;
    bool segment_ends;    /* all of the segment is in this view                     */
    bool ended;           /* and the stream ends with it                            */
    uint64_t lost_at_end; /* with ended: lost after the last sample                 */
} weir_ring_view;

/* min_bytes is raised to a power of two of whole pages. stride_bytes: one sample of
 * all channels. Memory is the ring's; weir_ring_memory gives it for page-locking. */
weir_status weir_ring_create(weir_ring **out, size_t min_bytes, size_t stride_bytes,
                             weir_error *err);
/* The same with a queue of marks for so many segments at least; usually it is for 256. */
weir_status weir_ring_create_for_segments(weir_ring **out, size_t min_bytes, size_t stride_bytes,
                                          size_t min_segments, weir_error *err);
/* A ring over samples that are there already (a mapped file), which it borrows and never
 * writes: its n-th sample is the n-th of them, so that it does not come round, and the producer
 * only publishes. A view shows at most most_in_view of them at a time. */
weir_status weir_ring_create_over(weir_ring **out, const void *samples, size_t n_samples,
                                  size_t stride_bytes, size_t most_in_view, weir_error *err);
void weir_ring_destroy(weir_ring *ring); /* NULL-safe */
/* Both mappings; NULL and 0 of a ring over samples that are not its own. */
void *weir_ring_memory(const weir_ring *ring, size_t *mapped_bytes);
/* The most that a view can show. */
size_t weir_ring_capacity_samples(const weir_ring *ring);

/* ---- producer ---- */

/* Where to write, and how many samples fit there now (0: full). */
void *weir_ring_reserve(weir_ring *ring, size_t *n_samples);
/* Samples that the consumer has released, and so free room for. */
uint64_t weir_ring_released(const weir_ring *ring);
/* Publishes n samples written there. */
void weir_ring_commit(weir_ring *ring, size_t n_samples);
/* The samples committed next belong to a new segment. False: the mark queue is full;
 * treat as a full ring (lose the samples and try again). */
bool weir_ring_begin_segment(weir_ring *ring, const weir_ring_segment *segment);
/* No more will come; samples lost since the last commit, if any. */
void weir_ring_close(weir_ring *ring, uint64_t lost_at_end);
bool weir_ring_cancelled(const weir_ring *ring);
/* Sleeps until n_samples fit, the ring is cancelled (returns false) or timeout_ms. */
bool weir_ring_wait_space(weir_ring *ring, size_t n_samples, int timeout_ms);

/* ---- consumer ---- */

/* False: nothing new to see (no samples and not ended). Empty segments are skipped; what
 * they lost is added to the next segment's lost_before, or to lost_at_end. */
bool weir_ring_peek(weir_ring *ring, weir_ring_view *view);
/* The first n samples of the view are free to be overwritten. Releasing all of a
 * view with segment_ends moves on to the next segment. */
void weir_ring_release(weir_ring *ring, size_t n_samples);
void weir_ring_cancel(weir_ring *ring);
/* Sleeps until more than n_seen samples are visible in the current segment, its end
 * or the stream's end is visible, or timeout_ms. */
void weir_ring_wait_data(weir_ring *ring, size_t n_seen, int timeout_ms);

#endif
