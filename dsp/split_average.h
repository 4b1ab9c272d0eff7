/* Two averages of the same spectra: the lines of a waterfall, and a trace above them, each with
 * a time of its own.
 *
 * The spectra that come must be at least as fine as the finer of the two; a mean ends at the
 * first spectrum with which it has as many transforms, or as much time, as was asked for.
 * Always of linear power, by dsp/average.h. One thread; create allocates everything.
 */
#ifndef WEIR_DSP_SPLIT_AVERAGE_H
#define WEIR_DSP_SPLIT_AVERAGE_H

#include "base/status.h"
#include "dsp/spectrum.h"

#include <stddef.h>
#include <stdint.h>

typedef enum weir_trace_average_kind {
    WEIR_TRACE_AS_LINES, /* no average of its own: the newest line */
    WEIR_TRACE_MEAN_OF,
    WEIR_TRACE_EXPONENTIAL,
} weir_trace_average_kind;

typedef struct weir_trace_average {
    weir_trace_average_kind kind;
    uint64_t frames; /* of a mean: transforms; 0: by seconds               */
    double seconds;  /* of a mean, or the exponential's time constant      */
} weir_trace_average;

typedef struct weir_averages {
    uint64_t line_frames;       /* transforms of a line; 0: by seconds     */
    double line_seconds;        /* how long a line is                      */
    double line_smooth_seconds; /* its mean is exponential as well; 0: not */
    weir_trace_average trace;
} weir_averages;

typedef struct weir_split_average weir_split_average;

/* averages->trace.kind must not be WEIR_TRACE_AS_LINES. */
weir_status weir_split_average_create(weir_split_average **out, const weir_averages *averages,
                                      size_t max_bins, weir_error *err);

/* *line: complete with this spectrum, with the traces that it has; else NULL. *trace: the
 * trace's new mean, in WEIR_TRACE_MEAN; NULL while the last one stands. Before the first mean of
 * the trace is complete, what there is of it. Both stay valid until the next call. A spectrum
 * longer than max_bins, or without transforms or a mean, does nothing. */
void weir_split_average_add(weir_split_average *average, const weir_spectrum *spectrum,
                            const weir_spectrum **line, const weir_spectrum **trace);
void weir_split_average_destroy(weir_split_average *average); /* NULL does nothing */

/* How many transforms a spectrum should have for both: of a line that has line_frames and
 * transforms of `hop_seconds` each; at least 1. One that divides both where that is no less
 * than half of the finer one. */
uint64_t weir_split_frames(const weir_averages *averages, double hop_seconds);

#endif
