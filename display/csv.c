/* Own CSV: everything needed to read the numbers again stands in comment lines above them.
 * docs/csv.md is the reference. */
#include "base/units.h"
#include "display/sinks.h"
#include "display/text_sink.h"

#include <string.h>

static const char *full_scale_text(const weir_stream_info *stream)
{
    return stream->format.is_complex ? "0 dBFS = the power of a full-scale complex tone"
                                     : "0 dBFS = the power of a full-scale sine";
}

static void header_name(weir_line *line, const char *key, const char *value)
{
    weir_line_printf(line, "# %s: ", key);
    weir_line_name(line, value ? value : "unknown");
    weir_line_text(line, "\n");
}

static void header_exact(weir_line *line, const char *key, double value)
{
    weir_line_printf(line, "# %s: ", key);
    weir_line_exact(line, value);
    weir_line_text(line, "\n");
}

static void header_averages(weir_line *line, const weir_text_sink *sink)
{
    const weir_stream_info *stream = sink->stream;
    if (stream->frames_per_spectrum == 0) {
        weir_line_text(line, "# averages: all\n");
    } else {
        weir_line_text(line, "# averages: ");
        weir_line_unsigned(line, stream->frames_per_spectrum);
        weir_line_text(line, "\n");
    }
    if (stream->exponential_alpha > 0.0 && sink->config.trace == WEIR_TRACE_MEAN) {
        header_exact(line, "exponential_alpha", stream->exponential_alpha);
    }
}

static void header_level(weir_line *line, const weir_text_sink *sink)
{
    const weir_scale *scale = &sink->stream->scale;
    char unit[32];
    header_name(line, "trace", weir_trace_name(sink->config.trace));
    if (sink->config.hold) {
        header_name(line, "hold", sink->config.hold);
    }
    header_name(line, "quantity", scale->quantity == WEIR_DENSITY ? "density" : "spectrum");
    header_name(line, "unit", weir_selection_unit(&sink->config, scale, unit, sizeof unit));
    header_name(line, "full_scale", full_scale_text(sink->stream));
    header_exact(line, "offset_db", scale->offset_db);
    if (scale->weighting != WEIR_WEIGHT_Z) { /* the unit of --linear does not tell */
        header_name(line, "weighting", scale->weighting == WEIR_WEIGHT_A ? "A" : "C");
    }
    if (scale->curve) {
        header_name(line, "calibration_curve", "yes");
    }
    header_exact(line, "floor_db", (double)WEIR_FLOOR_DB);
}

/* Only what is in force. */
static void header_corrections(weir_text_sink *sink)
{
    const weir_stream_info *stream = sink->stream;
    weir_line *line = &sink->line;
    if (stream->decimation) {
        weir_line_text(line, "# decimation: ");
        weir_line_unsigned(line, stream->decimation);
        weir_line_text(line, "\n");
    }
    weir_text_sink_made_up(sink, &stream->made_up);
    if (stream->iq_corrected) {
        weir_line_printf(line, "# iq_correction: %.6g dB %.6g degrees\n", stream->iq_gain_db,
                         stream->iq_phase_deg);
    }
    if (stream->iq_track_seconds > 0) {
        weir_line_printf(line, "# iq_tracking_s: %.9g\n", stream->iq_track_seconds);
    }
    if (stream->ppm != 0) {
        header_exact(line, "ppm", stream->ppm);
    }
    if (stream->transverter_hz != 0) {
        header_exact(line, "transverter_hz", stream->transverter_hz);
    }
}

static void header(weir_text_sink *sink)
{
    weir_line *line = &sink->line;
    const weir_stream_info *stream = sink->stream;
    char time[40] = "unknown";
    if (stream->time_unix_ns != INT64_MIN) {
        weir_format_utc(time, sizeof time, stream->time_unix_ns, 9);
    }
    header_name(line, "schema", "weir.csv/1");
    header_name(line, "source", weir_source_name(stream, sink->config.reproducible));
    header_name(line, "format", stream->description);
    weir_line_printf(line, "# channel: %u\n", stream->channel + 1);
    header_exact(line, "rate_hz", stream->rate_hz);
    header_exact(line, "center_hz", stream->center_hz);
    weir_line_printf(line, "# n_fft: %zu\n# hop: %zu\n", stream->n_fft, stream->hop);
    header_name(line, "window", stream->window);
    weir_line_printf(line, "# enbw_bins: %.9g\n# rbw_hz: %.9g\n", stream->enbw_bins,
                     stream->enbw_bins * stream->rate_hz / (double)stream->n_fft);
    header_averages(line, sink);
    weir_line_printf(line, "# detrend: %s\n", stream->detrend ? "yes" : "no");
    header_corrections(sink);
    header_level(line, sink);
    if (!sink->config.reproducible) {
        header_name(line, "engine", stream->engine);
    }
    header_name(line, "start_time", time);
}

static weir_status csv_open(weir_sink **out, const weir_sink_config *config,
                            const weir_stream_info *stream, weir_error *err)
{
    weir_text_sink *sink;
    weir_status status = weir_text_sink_open(sizeof *sink, &sink, config, stream, err);
    if (status == WEIR_OK) {
        header(sink);
        *out = &sink->sink;
    }
    return status;
}

static void axis_header(weir_line *line, const weir_selection *levels,
                        const weir_spectrum *spectrum)
{
    weir_line_text(line, "# axis: start_hz=");
    weir_line_exact(line, weir_selection_hz(levels, 0));
    weir_line_text(line, " bin_hz=");
    weir_line_exact(line, spectrum->bin_hz);
    weir_line_printf(line, " bins=%zu rate_hz=", levels->n_bins);
    weir_line_exact(line, spectrum->rate_hz);
    weir_line_text(line, " center_hz=");
    weir_line_exact(line, spectrum->center_hz);
    weir_line_text(line, "\ntime_s,utc,first_sample,frames,lost_before,clipped,nonfinite");
    for (size_t i = 0; i < levels->n_bins; i++) {
        weir_line_bytes(line, ",", 1);
        weir_line_exact(line, weir_selection_hz(levels, i));
    }
    weir_line_bytes(line, "\n", 1);
}

static void row(weir_line *line, const weir_selection *levels, const weir_spectrum *spectrum,
                bool linear)
{
    weir_line_fixed(line, levels->time_s, 9);
    weir_line_bytes(line, ",", 1);
    if (spectrum->time_unix_ns != INT64_MIN) {
        char time[40];
        weir_line_text(line, weir_format_utc(time, sizeof time, spectrum->time_unix_ns, 6));
    }
    const uint64_t counts[] = {spectrum->first_sample, spectrum->n_frames, spectrum->lost_before,
                               spectrum->clipped, spectrum->nonfinite};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        weir_line_bytes(line, ",", 1);
        weir_line_unsigned(line, counts[i]);
    }
    for (size_t i = 0; i < levels->n_bins; i++) {
        weir_line_bytes(line, ",", 1);
        if (linear) {
            weir_line_printf(line, "%.9g", (double)levels->db[i]);
        } else {
            weir_line_fixed(line, (double)levels->db[i], 2);
        }
    }
    weir_line_bytes(line, "\n", 1);
}

static weir_status csv_write(weir_sink *base, const weir_spectrum *spectrum, weir_error *err)
{
    weir_text_sink *sink = (weir_text_sink *)base;
    weir_status status = weir_text_sink_take(sink, spectrum, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_text_sink_made_up(sink, &spectrum->made_up);
    if (sink->levels.new_axis) {
        axis_header(&sink->line, &sink->levels, spectrum);
    }
    row(&sink->line, &sink->levels, spectrum, sink->config.linear);
    return weir_text_sink_put(sink, err);
}

static weir_status csv_finish(weir_sink *base, const weir_totals *totals, weir_error *err)
{
    weir_text_sink *sink = (weir_text_sink *)base;
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"received", totals->received},   {"transformed", totals->transformed},
                  {"skipped", totals->skipped},     {"lost", totals->lost},
                  {"tail", totals->tail},           {"clipped", totals->clipped},
                  {"nonfinite", totals->nonfinite}, {"gaps", totals->n_gaps}};
    weir_line_text(&sink->line, "# totals:");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        weir_line_printf(&sink->line, " %s=", counts[i].name);
        weir_line_unsigned(&sink->line, counts[i].value);
    }
    weir_line_text(&sink->line, "\n");
    return weir_text_sink_finish(sink, err);
}

const weir_sink_class weir_sink_csv = {
    .name = "csv",
    .endings = ".csv",
    .help = "a row per spectrum, a column per frequency, settings in # lines",
    .writes_linear = true,
    .open = csv_open,
    .write = csv_write,
    .finish = csv_finish,
    .close = weir_text_sink_close,
};
