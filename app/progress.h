/* What a headless run tells the person: progress while it runs, accounts at the end.
 * All on standard error. Main thread only. */
#ifndef WEIR_APP_PROGRESS_H
#define WEIR_APP_PROGRESS_H

#include "display/sink.h"
#include "dsp/spectrum.h"

#include <stdbool.h>

typedef struct weir_progress {
    const weir_stream_info *stream;
    double duration_seconds; /* INFINITY: not limited */
    bool enabled;            /* standard error is a terminal, and not --quiet */
    bool shown;
    int64_t start_ns;
} weir_progress;

void weir_progress_start(weir_progress *progress, const weir_stream_info *stream,
                         double duration_seconds, bool quiet);
void weir_progress_show(weir_progress *progress, const weir_totals *totals);
void weir_progress_clear(weir_progress *progress);

/* "received = transformed + skipped + lost + tail", in one line by weir_log. */
void weir_accounts_log(const weir_totals *totals);

#endif
