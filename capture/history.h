/* The last stretch of a stream, kept so that a recording can begin before its cause.
 *
 * A copy, made by the consumer of the ring as it sees the samples: bounded memory, made once;
 * the oldest samples give way. Segments are kept with their samples, so that gaps and tunings
 * inside the history come out again where they were. All calls from one thread.
 *
 *     weir_history_push(history, &view.segment, first_sample, samples, n);   // for every run
 *     ...
 *     weir_history_visit(history, event_sample - rate, visit, recorder);     // one second before
 */
#ifndef WEIR_CAPTURE_HISTORY_H
#define WEIR_CAPTURE_HISTORY_H

#include "base/status.h"
#include "capture/ring.h"

#include <stddef.h>
#include <stdint.h>

#define WEIR_HISTORY_MAX_BYTES ((size_t)1 << 30)

typedef struct weir_history weir_history;

/* Room for capacity_samples of stride_bytes. WEIR_ERR_USAGE above WEIR_HISTORY_MAX_BYTES. */
weir_status weir_history_create(weir_history **out, uint64_t capacity_samples, size_t stride_bytes,
                                weir_error *err);
void weir_history_destroy(weir_history *history); /* NULL-safe */

/* Appends n samples, the first of which is stream sample first_sample. They begin a new
 * segment when `segment` has another ordinal than the last, or they do not follow on. More
 * than 256 segments at once: the oldest give way with their samples. */
void weir_history_push(weir_history *history, const weir_ring_segment *segment,
                       uint64_t first_sample, const void *samples, size_t n_samples);

/* Stream index of the oldest sample kept, and one past the newest; equal when empty. */
uint64_t weir_history_begin(const weir_history *history);
uint64_t weir_history_end(const weir_history *history);

/* Shows the samples from stream index `from` on (or the oldest), oldest first, in contiguous
 * pieces of one segment each: as weir_recorder_push takes them. */
typedef void weir_history_piece(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                                const void *samples, size_t n_samples);
void weir_history_visit(const weir_history *history, uint64_t from, weir_history_piece *piece,
                        void *user);

#endif
