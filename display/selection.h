/* The part of a spectrum that a sink writes, in dB, and when it was.
 *
 * One weir_selection per sink; the caller owns the struct ({0} is ready for use) and frees it
 * with weir_selection_free. Not thread-safe. Allocates only when a spectrum has more bins than
 * any before it.
 */
#ifndef WEIR_DISPLAY_SELECTION_H
#define WEIR_DISPLAY_SELECTION_H

#include "base/status.h"
#include "display/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds since the stream's sample 0, which go on when the rate changes. {0} is ready. */
typedef struct weir_timeline {
    double rate_hz;
    uint64_t anchor_sample;
    double anchor_s;
} weir_timeline;

/* The time of the spectrum's first sample. Call once for each spectrum, in order. */
double weir_timeline_seconds(weir_timeline *timeline, const weir_spectrum *spectrum);

typedef struct weir_selection {
    const float *db; /* n_bins levels, lowest frequency first; with config.linear, powers */
    size_t first;    /* the spectrum's bin that db[0] is       */
    size_t n_bins;
    double time_s;
    bool new_axis; /* frequencies differ from those of the spectrum before, or it is the first */

    float *storage; /* the rest is private */
    size_t capacity;
    weir_timeline timeline;
    double start_hz, bin_hz, rate_hz;
    size_t all_bins;
} weir_selection;

/* Fills the fields from one spectrum. WEIR_ERR_USAGE: no bin inside low_hz .. high_hz. */
weir_status weir_selection_take(weir_selection *levels, const weir_sink_config *config,
                                const weir_scale *scale, const weir_spectrum *spectrum,
                                weir_error *err);
/* Centre of db[index]: start_hz + k * rate / N rounded once, without the error of bin_hz. */
double weir_selection_hz(const weir_selection *levels, size_t index);
void weir_selection_free(weir_selection *levels);

/* "dBFS" ..., or with config.linear "FS^2" or "FS^2/Hz". Returns buffer or a constant. */
const char *weir_selection_unit(const weir_sink_config *config, const weir_scale *scale,
                                char *buffer, size_t size);

/* The source's name ("unknown" if it has none); of a path only what follows the last "/" if
 * brief, so that reproducible output does not depend on where a file lies. */
const char *weir_source_name(const weir_stream_info *stream, bool brief);
/* "mean", "max", "min". */
const char *weir_trace_name(weir_trace trace);
/* WEIR_ERR_INTERNAL unless the spectrum carries the trace. */
weir_status weir_trace_check(const weir_spectrum *spectrum, weir_trace trace, weir_error *err);

#endif
