/* The record key of the view: samples of the stream into a file, from some time before the key was
 * pressed on.
 *
 * The engine's thread copies what passes into a history, and while it records into the ring of a
 * recorder (capture/recorder.h), whose thread writes: a disk that pauses holds up nothing, and
 * what of a live stream does not fit is a gap in the file. SigMF where that can hold the format,
 * else WAV, else raw samples; the file is complete whatever ends it. What happens is logged.
 *
 * source and samples from the engine's thread (source also before that runs), the rest from the
 * main thread.
 */
#ifndef WEIR_APP_VIEW_RECORD_H
#define WEIR_APP_VIEW_RECORD_H

#include "app/settings.h"
#include "base/status.h"
#include "capture/ring.h"
#include "capture/source.h"
#include "display/view.h"

#include <stddef.h>
#include <stdint.h>

typedef struct weir_view_record weir_view_record;

weir_status weir_view_record_create(weir_view_record **out, const weir_settings *settings,
                                    weir_error *err);
/* The stream that samples are of from now on; info is copied. Ends a recording of the last one.
 * info NULL: there is no stream any more. WEIR_ERR_USAGE for a history that is too long. */
weir_status weir_view_record_source(weir_view_record *record, const weir_source_info *info,
                                    size_t most_samples, weir_error *err);
void weir_view_record_samples(weir_view_record *record, const weir_ring_segment *segment,
                              uint64_t first_sample, const void *samples, size_t n_samples);

/* What the device is set to now, as in weir_source_info.description: for recordings that begin. */
void weir_view_record_describe(weir_view_record *record, const char *description);
/* Begins, or ends, without waiting for the disk. */
weir_status weir_view_record_toggle(weir_view_record *record, weir_error *err);
/* False: nothing is recorded. Completes what has ended, so call it now and then. */
bool weir_view_record_state(weir_view_record *record, weir_view_recording *state);
/* Waits until all files are complete. The first error there was. */
weir_status weir_view_record_finish(weir_view_record *record, weir_error *err);
void weir_view_record_destroy(weir_view_record *record); /* NULL-safe */

#endif
