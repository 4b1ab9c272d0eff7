/* A sink to begin with: copy it to display/NAME.c and replace "loudest" by your name. Writes the
 * loudest bin of every spectrum, a line each. */
#include "display/sinks.h"
#include "display/text_sink.h"

/* Here, because this file is compiled as it stands by a test; yours is in sinks.h. */
extern const weir_sink_class weir_sink_loudest;

static weir_status loudest_open(weir_sink **out, const weir_sink_config *config,
                                const weir_stream_info *stream, weir_error *err)
{
    weir_text_sink *sink;
    weir_status status = weir_text_sink_open(sizeof *sink, &sink, config, stream, err);
    if (status == WEIR_OK) {
        weir_line_text(&sink->line, "first_sample,hz,level_db\n");
        *out = &sink->sink;
    }
    return status;
}

static weir_status loudest_write(weir_sink *base, const weir_spectrum *spectrum, weir_error *err)
{
    weir_text_sink *sink = (weir_text_sink *)base;
    weir_status status = weir_text_sink_take(sink, spectrum, err);
    if (status != WEIR_OK) {
        return status;
    }
    const weir_selection *levels = &sink->levels; /* in dB, of --range only */
    size_t top = 0;
    for (size_t i = 1; i < levels->n_bins; i++) {
        top = levels->db[i] > levels->db[top] ? i : top;
    }
    weir_line_unsigned(&sink->line, spectrum->first_sample);
    weir_line_bytes(&sink->line, ",", 1);
    weir_line_fixed(&sink->line, weir_selection_hz(levels, top), 3);
    weir_line_bytes(&sink->line, ",", 1);
    weir_line_fixed(&sink->line, (double)levels->db[top], 2);
    weir_line_bytes(&sink->line, "\n", 1);
    return weir_text_sink_put(sink, err);
}

static weir_status loudest_finish(weir_sink *base, const weir_totals *totals, weir_error *err)
{
    (void)totals;
    return weir_text_sink_finish((weir_text_sink *)base, err);
}

const weir_sink_class weir_sink_loudest = {
    .name = "loudest",
    .endings = ".loudest.csv", /* before ".csv" in the table, for it ends in that */
    .help = "CSV: the loudest bin of every spectrum",
    .open = loudest_open,
    .write = loudest_write,
    .finish = loudest_finish,
    .close = weir_text_sink_close,
};
