/* The strongest peaks of every spectrum, a row each: frequency and level between the bins. */
#include "base/units.h"
#include "display/peak_list.h"
#include "display/sinks.h"
#include "display/text_sink.h"

enum { DEFAULT_PEAKS = 10 };

typedef struct peaks_sink {
    weir_text_sink text; /* first */
    weir_peak_list list;
} peaks_sink;

static void header(peaks_sink *sink)
{
    weir_line *line = &sink->text.line;
    const weir_stream_info *stream = sink->text.stream;
    char unit[32];
    weir_line_text(line, "# schema: weir.peaks/1\n# source: ");
    weir_line_name(line, weir_source_name(stream, sink->text.config.reproducible));
    weir_line_text(line, "\n# rate_hz: ");
    weir_line_exact(line, stream->rate_hz);
    weir_line_text(line, "\n# center_hz: ");
    weir_line_exact(line, stream->center_hz);
    weir_line_printf(line, "\n# n_fft: %zu\n# window: %s\n", stream->n_fft, stream->window);
    weir_text_sink_made_up(&sink->text, &stream->made_up);
    weir_line_printf(line, "# trace: %s\n", weir_trace_name(sink->text.config.trace));
    weir_line_printf(line, "# unit: %s\n# prominence_db: %.9g\n",
                     weir_scale_unit(&stream->scale, unit, sizeof unit),
                     sink->list.search.min_prominence_db);
    weir_line_text(line, "time_s,utc,first_sample,rank,hz,level_db\n");
}

static weir_status peaks_open(weir_sink **out, const weir_sink_config *config,
                              const weir_stream_info *stream, weir_error *err)
{
    weir_text_sink *text;
    weir_status status = weir_text_sink_open(sizeof(peaks_sink), &text, config, stream, err);
    if (status != WEIR_OK) {
        return status;
    }
    peaks_sink *sink = (peaks_sink *)text;
    status = weir_peak_list_init(&sink->list, config, stream, DEFAULT_PEAKS, err);
    if (status != WEIR_OK) {
        weir_text_sink_close(&text->sink);
        return status;
    }
    header(sink);
    *out = &text->sink;
    return WEIR_OK;
}

static weir_status peaks_write(weir_sink *base, const weir_spectrum *spectrum, weir_error *err)
{
    peaks_sink *sink = (peaks_sink *)base;
    weir_text_sink *text = &sink->text;
    weir_line *line = &text->line;
    weir_trace trace = text->config.trace;
    char time[40] = "";
    weir_status status = weir_trace_check(spectrum, trace, err);
    if (status != WEIR_OK) {
        return status;
    }
    double time_s = weir_timeline_seconds(&text->levels.timeline, spectrum);
    if (spectrum->time_unix_ns != INT64_MIN) {
        weir_format_utc(time, sizeof time, spectrum->time_unix_ns, 6);
    }
    weir_text_sink_made_up(text, &spectrum->made_up);
    weir_peak_list_find(&sink->list, spectrum, trace, &text->stream->scale);
    for (size_t i = 0; i < sink->list.n; i++) {
        weir_line_fixed(line, time_s, 9);
        weir_line_printf(line, ",%s,", time);
        weir_line_unsigned(line, spectrum->first_sample);
        weir_line_printf(line, ",%zu,", i + 1);
        weir_line_fixed(line, sink->list.peaks[i].hz, 3);
        weir_line_bytes(line, ",", 1);
        weir_line_fixed(line, sink->list.peaks[i].level_db, 2);
        weir_line_bytes(line, "\n", 1);
    }
    return weir_text_sink_put(text, err);
}

const weir_sink_class weir_sink_peaks = {
    .name = "peaks",
    .endings = ".peaks.csv",
    .help = "CSV: the strongest peaks of every spectrum, a row each",
    .open = peaks_open,
    .write = peaks_write,
    .finish = weir_text_sink_finish_rows,
    .close = weir_text_sink_close,
};
