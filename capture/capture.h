/* The capture thread: moves samples from a source into the ring.
 *
 * Pull sources: reads straight into ring memory (no copy of ours), with pacing,
 * start, duration and loops. Not live: waits for room in the ring, loses nothing.
 * Live: never waits; a full ring means samples are counted as lost and the next
 * segment says how many.
 *
 * The stream index of a source that is started at START seconds begins at START * rate,
 * and goes on through loops. The duration is cut to the sample, counting lost ones (by
 * the source's first rate). Time labels: what the source gives, else its time_unix_ns
 * plus the samples since; a live source without one is labelled by the wall clock once.
 *
 * create and start from one thread; stop from any; totals from any.
 * Shutdown: weir_capture_stop (interrupts the source, cancels nothing in the ring:
 * what is in it can still be drained), then weir_capture_destroy joins.
 */
#ifndef WEIR_CAPTURE_CAPTURE_H
#define WEIR_CAPTURE_CAPTURE_H

#include "base/status.h"
#include "capture/ring.h"
#include "capture/source.h"

typedef struct weir_capture_config {
    double start_seconds;    /* skip this much first                              */
    double duration_seconds; /* INFINITY: to the end                              */
    bool loop;               /* begin again at the end; the seam starts a segment */
    double speed;            /* 1 = real time, N = N times; 0 = as fast as it goes */
    bool may_map;            /* a file may be read in place: see below                */
    size_t ring_bytes;       /* 0: a good default for the source's rate; it must hold
                                at least one frame of the engine                  */
} weir_capture_config;

/* may_map: a source that can show itself as memory (a mapped file) is not copied, if it is
 * neither paced nor looped; then there is no pausing, seeking or changing the speed. The ring is
 * one over the file, and so not page-locked. A file that shrinks meanwhile fails: whoever
 * uses samples asks weir_capture_check before the result is believed. */

typedef struct weir_capture weir_capture;

/* Borrows the source. Creates the ring. */
weir_status weir_capture_create(weir_capture **out, weir_source *source,
                                const weir_capture_config *config, weir_error *err);
weir_ring *weir_capture_ring(weir_capture *capture);
weir_status weir_capture_start(weir_capture *capture, weir_error *err);
void weir_capture_stop(weir_capture *capture);
/* Pauses and resumes a paced source (a live one goes on). Any thread. */
void weir_capture_set_paused(weir_capture *capture, bool paused);
/* Any thread; 0 = as fast as it goes. */
void weir_capture_set_speed(weir_capture *capture, double speed);
/* Replay: goes to that place of the recording, before anything else is read; a seam, as in a
 * loop: the stream index goes on. WEIR_ERR_UNSUPPORTED where the source cannot. Any thread. */
weir_status weir_capture_seek(weir_capture *capture, double seconds, weir_error *err);
weir_status weir_capture_set_loop(weir_capture *capture, bool loop, weir_error *err);
/* Replay: a recording that can be sought in does not end at its end, but waits there for a seek,
 * a loop or stop. Not at the end of a duration. Any thread. */
void weir_capture_hold_at_end(weir_capture *capture, bool holds);
bool weir_capture_at_end(const weir_capture *capture); /* and waits there */
/* Lets so many samples more through while paused. Any thread. */
void weir_capture_step(weir_capture *capture, uint64_t n_samples);
/* Where in the recording the next sample is read, in seconds. Any thread. */
double weir_capture_position(const weir_capture *capture);
/* The sample of the recording that stands at a stream index: they differ after loops and
 * seeks (the last 256 of them are known). Any thread. */
uint64_t weir_capture_place_of(weir_capture *capture, uint64_t stream_sample);
/* Joins the thread and gives what ended it: WEIR_OK at the end of the stream or by
 * stop. Call after the ring has ended (or stop); then received is final. */
weir_status weir_capture_join(weir_capture *capture, weir_error *err);
/* Samples delivered or reported lost so far. Any thread. */
uint64_t weir_capture_received(const weir_capture *capture);
uint64_t weir_capture_lost(const weir_capture *capture);
/* WEIR_ERR_IO once samples may have been shown that are not the mapped file's. Any thread; join
 * says it too. */
weir_status weir_capture_check(const weir_capture *capture, weir_error *err);
void weir_capture_destroy(weir_capture *capture);

/* ---- for push sources: called from the device's callback; no lock, no allocation,
 * no system call. ---- */
typedef struct weir_writer weir_writer;
/* Copies n samples into the ring, or counts them as lost if it is full. */
void weir_writer_push(weir_writer *writer, const void *samples, size_t n_samples);
/* The device says that it dropped about n samples here. */
void weir_writer_lost(weir_writer *writer, uint64_t n_samples);
/* From the next sample on, rate or centre differ. */
void weir_writer_retuned(weir_writer *writer, double rate_hz, double center_hz);
/* The device ended (lost or done); err may be NULL. */
void weir_writer_ended(weir_writer *writer, const weir_error *err);

#endif
