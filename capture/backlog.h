/* The last stretch of a stream, kept so that a recording can begin before its cause.
 *
 * A copy, made by the consumer of the ring as it sees the samples: bounded memory, made once;
 * the oldest samples give way. Segments are kept with their samples, so that gaps and tunings
 * inside the history come out again where they were. All calls from one thread.
 *
 *     weir_backlog_push(history, &view.segment, first_sample, samples, n);   // for every run
 *     ...
 *     weir_backlog_visit(history, event_sample - rate, visit, recorder);     // one second before
 */
#ifndef WEIR_CAPTURE_BACKLOG_H
#define WEIR_CAPTURE_BACKLOG_H

#include "base/status.h"
#include "capture/ring.h"

#include <stddef.h>
#include <stdint.h>

#define WEIR_BACKLOG_MAX_BYTES ((size_t)1 << 30)

typedef struct weir_backlog weir_backlog;

/* Room for capacity_samples of stride_bytes. WEIR_ERR_USAGE above WEIR_BACKLOG_MAX_BYTES. */
weir_status weir_backlog_create(weir_backlog **out, uint64_t capacity_samples, size_t stride_bytes,
                                weir_error *err);
void weir_backlog_destroy(weir_backlog *history); /* NULL-safe */

/* Appends n samples, the first of which is stream sample first_sample. They begin a new
 * segment when `segment` has another ordinal than the last, or they do not follow on. More
 * than 16384 segments at once: the oldest give way with their samples. */
void weir_backlog_push(weir_backlog *history, const weir_ring_segment *segment,
                       uint64_t first_sample, const void *samples, size_t n_samples);

/* Stream index of the oldest sample kept, and one past the newest; equal when empty. */
uint64_t weir_backlog_begin(const weir_backlog *history);
uint64_t weir_backlog_end(const weir_backlog *history);
/* In how many pieces of a segment each that is. */
size_t weir_backlog_segments(const weir_backlog *history);

/* Shows the samples from stream index `from` on (or the oldest), oldest first, in contiguous
 * pieces of one segment each: as weir_recorder_push takes them. */
typedef void weir_backlog_piece(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                                const void *samples, size_t n_samples);
void weir_backlog_visit(const weir_backlog *history, uint64_t from, weir_backlog_piece *piece,
                        void *user);

#endif
