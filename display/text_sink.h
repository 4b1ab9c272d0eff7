/* What all sinks that write lines of text share: file, line, levels, and when to flush.
 *
 * For sink implementations only. A sink's object begins with a weir_text_sink; open
 * allocates the whole object, close frees it. Rows go to a pipe or terminal at once, so that
 * its reader sees whole rows as they are made; a regular file is written in large pieces.
 */
#ifndef WEIR_DISPLAY_TEXT_SINK_H
#define WEIR_DISPLAY_TEXT_SINK_H

#include "base/outfile.h"
#include "display/line.h"
#include "display/selection.h"
#include "display/sink.h"

typedef struct weir_text_sink {
    weir_sink sink;
    weir_sink_config config;
    const weir_stream_info *stream; /* borrowed */
    weir_outfile *file;
    bool reader_waits; /* the output is no regular file */
    weir_line line;
    weir_selection levels;
    weir_made_up said_made_up; /* as it stands in the file */
} weir_text_sink;

/* size: of the object that begins with the weir_text_sink; it is zeroed. */
weir_status weir_text_sink_open(size_t size, weir_text_sink **out, const weir_sink_config *config,
                                const weir_stream_info *stream, weir_error *err);
/* Takes the spectrum's levels into sink->levels. */
weir_status weir_text_sink_take(weir_text_sink *sink, const weir_spectrum *spectrum,
                                weir_error *err);
/* Writes out what sink->line holds, as one row. */
weir_status weir_text_sink_put(weir_text_sink *sink, weir_error *err);
/* Writes out sink->line and completes the file. */
weir_status weir_text_sink_finish(weir_text_sink *sink, weir_error *err);
/* Likewise, for a class whose format has no place for totals. */
weir_status weir_text_sink_finish_rows(weir_sink *sink, const weir_totals *totals, weir_error *err);
void weir_text_sink_close(weir_sink *sink);

/* Appends "# dc_interpolated_hz: LOW HIGH ..." and an end of line, a pair for each run of bins
 * that is made up; "none" where there are none. */
void weir_line_made_up(weir_line *line, const weir_made_up *made_up);
/* The same into sink->line, if that is not what was said last; at first it is none. */
void weir_text_sink_made_up(weir_text_sink *sink, const weir_made_up *made_up);

/* Appends the wall-clock time t_ns in the form other programs' CSV has: "2026-11-30,
 * 12:00:00" and, with microseconds, ".123456". Local time, or UTC if the output is to be
 * reproducible. */
void weir_line_csv_time(weir_line *line, int64_t t_ns, bool utc, bool microseconds);
/* The wall-clock time of a moment in the spectrum, samples after its first. A stream whose
 * time is unknown counts from 1970-01-01 00:00 UTC. */
int64_t weir_text_sink_time_ns(const weir_text_sink *sink, const weir_spectrum *spectrum,
                               uint64_t samples);

#endif
