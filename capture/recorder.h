/* A recording on a thread of its own: a ring in, a file out. The disk's pauses are the
 * ring's, and a live source loses samples (counted, marked) only when the ring is full.
 *
 * Two ways to feed it:
 *   from a capture thread's ring: give it as config.ring; the recorder is its consumer. At its
 *     end (limit, error) it cancels the ring, which ends the producer.
 *   by push, from one thread: the recorder makes a ring of ring_bytes of its own. For a live
 *     stream push does not wait: what does not fit is lost, and the recording has a gap there.
 *
 * create, push, end and destroy from one thread; the rest from any. Shutdown: end (or the
 * end of the given ring), join, destroy. destroy alone drops the file.
 */
#ifndef WEIR_CAPTURE_RECORDER_H
#define WEIR_CAPTURE_RECORDER_H

#include "capture/record.h"
#include "capture/ring.h"

typedef struct weir_recorder_config {
    weir_record *record;  /* becomes the recorder's                   */
    weir_ring *ring;      /* borrowed, or NULL                        */
    size_t ring_bytes;    /* of its own ring                          */
    size_t ring_segments; /* that it has room for; 256 at least       */
    size_t stride_bytes;  /* the same                                 */
} weir_recorder_config;

typedef struct weir_recorder_totals {
    uint64_t written; /* samples in the file                               */
    uint64_t lost;    /* missing in it                                     */
    uint64_t gaps;
    uint64_t retunes;
} weir_recorder_totals;

typedef struct weir_recorder weir_recorder;

/* A ring for a live stream, so that the disk may pause for 2 s (of at most 256 MiB). */
size_t weir_recorder_ring_bytes(const weir_source_info *info);
/* Starts the thread. The record is destroyed with it, also when this fails. */
weir_status weir_recorder_create(weir_recorder **out, const weir_recorder_config *config,
                                 weir_error *err);
/* Hands over n samples, the first of which is stream sample first_sample of the segment. waits:
 * for room; it is lost all the same once the recorder is done. */
void weir_recorder_push(weir_recorder *recorder, const weir_ring_segment *segment,
                        uint64_t first_sample, const void *samples, size_t n_samples, bool waits);
/* No more will be pushed. */
void weir_recorder_end(weir_recorder *recorder);
/* Nothing will be written any more: the end, the limit, or an error. */
bool weir_recorder_is_done(const weir_recorder *recorder);
void weir_recorder_totals_get(const weir_recorder *recorder, weir_recorder_totals *totals);
/* Waits until the file is complete; the first error of writing or finishing it, which an
 * incomplete file has its own words for. */
weir_status weir_recorder_join(weir_recorder *recorder, weir_error *err);
/* For the time until join: the remark stands in the file when it is finished. */
weir_status weir_recorder_annotate(weir_recorder *recorder, const weir_annotation *annotation,
                                   weir_error *err);
void weir_recorder_destroy(weir_recorder *recorder); /* NULL-safe */

#endif
