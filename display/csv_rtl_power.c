/* The rows rtl_power writes, for the programs that read them: one row per spectrum,
 *
 *     date, time, Hz low, Hz high, Hz step, samples, dB, dB, ...
 *
 * no header. Time is local (UTC when reproducible) and of the end of the interval. Hz low is
 * the centre of the first bin, high is one step past the last (rtl_power writes its centre less
 * and plus half the width in whole hertz: an odd width loses one), samples counts transforms. The
 * last value stands twice, as readers of this format expect. Values are weir's levels in the
 * unit chosen, where rtl_power's are uncalibrated; digital silence is the floor, not -inf. */
#include "display/sinks.h"
#include "display/text_sink.h"

#include <math.h>

static weir_status rtl_power_open(weir_sink **out, const weir_sink_config *config,
                                  const weir_stream_info *stream, weir_error *err)
{
    weir_text_sink *sink;
    weir_status status = weir_text_sink_open(sizeof *sink, &sink, config, stream, err);
    if (status == WEIR_OK) {
        *out = &sink->sink;
    }
    return status;
}

static long long high_hz(const weir_selection *levels)
{
    double low = weir_selection_hz(levels, 0), high = weir_selection_hz(levels, levels->n_bins);
    double width = round(high - low);
    bool is_whole = fabs(high - low - width) < 1e-6 * width / (double)levels->n_bins;
    return llround(high) - (is_whole && fmod(width, 2) != 0);
}

static weir_status rtl_power_write(weir_sink *base, const weir_spectrum *spectrum, weir_error *err)
{
    weir_text_sink *sink = (weir_text_sink *)base;
    weir_status status = weir_text_sink_take(sink, spectrum, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_line *line = &sink->line;
    const weir_selection *levels = &sink->levels;
    uint64_t length = spectrum->end_sample - spectrum->first_sample;
    weir_line_csv_time(line, weir_text_sink_time_ns(sink, spectrum, length),
                       sink->config.reproducible, false);
    weir_line_printf(line, ", %lld, %lld, %.2f, ", llround(weir_selection_hz(levels, 0)),
                     high_hz(levels), spectrum->bin_hz);
    weir_line_unsigned(line, spectrum->n_frames);
    for (size_t i = 0; i <= levels->n_bins; i++) {
        size_t bin = i < levels->n_bins ? i : levels->n_bins - 1;
        weir_line_bytes(line, ", ", 2);
        weir_line_fixed(line, (double)levels->db[bin], 2);
    }
    weir_line_bytes(line, "\n", 1);
    return weir_text_sink_put(sink, err);
}

const weir_sink_class weir_sink_rtl_power = {
    .name = "rtl_power",
    .endings = "",
    .help = "CSV as rtl_power writes it (levels in dBFS or the unit chosen)",
    .open = rtl_power_open,
    .write = rtl_power_write,
    .finish = weir_text_sink_finish_rows,
    .close = weir_text_sink_close,
};
