/* The rows hackrf_sweep writes, for the programs that read them:
 *
 *     date, time, hz_low, hz_high, hz_bin_width, num_samples, dB, dB, ...
 *
 * no header, several rows per spectrum: each covers at most 5 MHz, as that program's do. Time
 * has microseconds, is local (UTC when reproducible) and of the spectrum's start. hz_low is the
 * lower edge of the first bin, so that value i is centred at hz_low + (i + 0.5) hz_bin_width;
 * num_samples is the transform's length. Values are weir's levels in the unit chosen. */
#include "display/sinks.h"
#include "display/text_sink.h"

#include <math.h>

static const double row_hz = 5e6;

static weir_status hackrf_sweep_open(weir_sink **out, const weir_sink_config *config,
                                     const weir_stream_info *stream, weir_error *err)
{
    weir_text_sink *sink;
    weir_status status = weir_text_sink_open(sizeof *sink, &sink, config, stream, err);
    if (status == WEIR_OK) {
        *out = &sink->sink;
    }
    return status;
}

static void row(weir_text_sink *sink, const weir_spectrum *spectrum, size_t first, size_t end)
{
    weir_line *line = &sink->line;
    const weir_selection *levels = &sink->levels;
    double half = spectrum->bin_hz / 2.0;
    weir_line_csv_time(line, weir_text_sink_time_ns(sink, spectrum, 0), sink->config.reproducible,
                       true);
    weir_line_printf(
        line, ", %lld, %lld, %.2f, %zu", llround(weir_selection_hz(levels, first) - half),
        llround(weir_selection_hz(levels, end) - half), spectrum->bin_hz, sink->stream->n_fft);
    for (size_t i = first; i < end; i++) {
        weir_line_bytes(line, ", ", 2);
        weir_line_fixed(line, (double)levels->db[i], 2);
    }
    weir_line_bytes(line, "\n", 1);
}

static weir_status hackrf_sweep_write(weir_sink *base, const weir_spectrum *spectrum,
                                      weir_error *err)
{
    weir_text_sink *sink = (weir_text_sink *)base;
    weir_status status = weir_text_sink_take(sink, spectrum, err);
    if (status != WEIR_OK) {
        return status;
    }
    size_t n_bins = sink->levels.n_bins;
    double fit = floor(row_hz / spectrum->bin_hz + 1e-9);
    size_t bins_per_row = fit >= (double)n_bins ? n_bins : fit < 1.0 ? 1 : (size_t)fit;
    for (size_t first = 0; first < n_bins; first += bins_per_row) {
        size_t left = n_bins - first;
        row(sink, spectrum, first, first + (left < bins_per_row ? left : bins_per_row));
    }
    return weir_text_sink_put(sink, err);
}

const weir_sink_class weir_sink_hackrf_sweep = {
    .name = "hackrf_sweep",
    .endings = "",
    .help = "CSV as hackrf_sweep writes it, rows of at most 5 MHz",
    .open = hackrf_sweep_open,
    .write = hackrf_sweep_write,
    .finish = weir_text_sink_finish_rows,
    .close = weir_text_sink_close,
};
