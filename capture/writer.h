/* The producer's side of the ring with its bookkeeping: stream index, segments, losses,
 * time labels, and where to begin and to end. Used by the capture thread for pull
 * sources, and behind weir_writer_* (capture.h) by the callbacks of push sources.
 *
 * One thread at a time, except received, lost and closed, which any may read. Nothing
 * here allocates, locks, sleeps or makes a system call. Only capture.c includes this.
 */
#ifndef WEIR_CAPTURE_WRITER_H
#define WEIR_CAPTURE_WRITER_H

#include "capture/capture.h"

#include <stdatomic.h>

struct weir_writer {
    weir_ring *ring;
    size_t stride_bytes;
    uint64_t skip_samples; /* still to be thrown away, uncounted, before the stream begins */
    uint64_t next_sample;  /* stream index                                                 */
    uint64_t end_sample;   /* the stream is cut here                                       */
    double rate_hz;
    double center_hz;
    int64_t time_ns; /* of time_sample, by which later segments are labelled; or unknown */
    uint64_t time_sample;
    uint64_t pending_lost; /* since the last committed sample */
    bool needs_segment;
    bool overflowing; /* lost for want of room: goes on only when there is plenty */
    atomic_uint_fast64_t received;
    atomic_uint_fast64_t lost;
    atomic_bool closed;
    weir_error err; /* what ended it; read after closed */
};

/* first_sample: where the stream index begins; n_samples: UINT64_MAX for no end. */
void weir_writer_init(weir_writer *writer, weir_ring *ring, const weir_source_info *info,
                      uint64_t first_sample, uint64_t n_samples);
/* Samples until the end of the stream. */
uint64_t weir_writer_left(const weir_writer *writer);
/* Where up to *n_samples can be written without ever waiting; *n_samples is cut to what
 * fits. 0: lose samples instead. After an overflow that is so until a quarter of the
 * ring is free, so that one stall of the consumer is one gap and not many. */
void *weir_writer_room(weir_writer *writer, size_t *n_samples);
/* Passes n samples that were thrown away before the beginning. */
void weir_writer_skip(weir_writer *writer, uint64_t n_samples);
/* Opens the segment of the next sample if there must be one; false: no room for it. */
bool weir_writer_ready(weir_writer *writer);
/* Publishes n samples written at weir_writer_room's place, after weir_writer_ready. */
void weir_writer_commit(weir_writer *writer, size_t n_samples);
/* The next sample begins a segment; time_unix_ns may be WEIR_UNKNOWN_TIME. */
void weir_writer_seam(weir_writer *writer, double rate_hz, double center_hz, int64_t time_unix_ns);
/* Ends the stream, once. */
void weir_writer_close(weir_writer *writer);

#endif
