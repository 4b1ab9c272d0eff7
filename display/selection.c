#include "display/selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double weir_timeline_seconds(weir_timeline *timeline, const weir_spectrum *spectrum)
{
    double rate = spectrum->rate_hz;
    if (timeline->rate_hz != rate) {
        if (timeline->rate_hz > 0.0) {
            timeline->anchor_s +=
                (double)(spectrum->first_sample - timeline->anchor_sample) / timeline->rate_hz;
            timeline->anchor_sample = spectrum->first_sample;
        }
        timeline->rate_hz = rate;
    }
    return timeline->anchor_s + (double)(spectrum->first_sample - timeline->anchor_sample) / rate;
}

const char *weir_source_name(const weir_stream_info *stream, bool brief)
{
    const char *name = stream->source ? stream->source : "unknown";
    const char *slash = brief ? strrchr(name, '/') : NULL;
    return slash && slash[1] ? slash + 1 : name;
}

const char *weir_trace_name(weir_trace trace)
{
    static const char *const names[WEIR_TRACE_COUNT] = {"mean", "max", "min"};
    return names[trace];
}

weir_status weir_trace_check(const weir_spectrum *spectrum, weir_trace trace, weir_error *err)
{
    if (!spectrum->power[trace]) {
        return weir_fail(err, WEIR_ERR_INTERNAL,
                         "the %s trace is to be written, but the engine was not asked for it",
                         weir_trace_name(trace));
    }
    return WEIR_OK;
}

/* Bins whose centres lie in [low_hz, high_hz]; a bound on a centre takes it in. */
static weir_status select_bins(weir_selection *levels, const weir_sink_config *config,
                               const weir_spectrum *spectrum, weir_error *err)
{
    const double slack_bins = 1e-6;
    double start_hz = spectrum->start_hz, bin_hz = spectrum->bin_hz;
    double last_bin = (double)(spectrum->n_bins - 1);
    double end_hz = start_hz + last_bin * bin_hz;
    double low_hz = isnan(config->low_hz) ? start_hz : config->low_hz;
    double high_hz = isnan(config->high_hz) ? end_hz : config->high_hz;
    double first = fmax(0.0, ceil((low_hz - start_hz) / bin_hz - slack_bins));
    double last = fmin(last_bin, floor((high_hz - start_hz) / bin_hz + slack_bins));
    if (!(first <= last)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "no bin between %.15g Hz and %.15g Hz: the spectrum covers %.15g Hz to "
                         "%.15g Hz in steps of %.9g Hz",
                         low_hz, high_hz, start_hz, end_hz, bin_hz);
    }
    levels->first = (size_t)first;
    levels->n_bins = (size_t)(last - first) + 1;
    return WEIR_OK;
}

static weir_status make_room(weir_selection *levels, size_t n_bins, weir_error *err)
{
    if (n_bins <= levels->capacity) {
        return WEIR_OK;
    }
    float *storage = n_bins > SIZE_MAX / sizeof *storage ? NULL : malloc(n_bins * sizeof *storage);
    if (!storage) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu levels", n_bins);
    }
    free(levels->storage);
    levels->storage = storage;
    levels->capacity = n_bins;
    return WEIR_OK;
}

static void follow_axis(weir_selection *levels, const weir_spectrum *spectrum)
{
    levels->new_axis = levels->all_bins != spectrum->n_bins ||
                       levels->start_hz != spectrum->start_hz ||
                       levels->bin_hz != spectrum->bin_hz || levels->rate_hz != spectrum->rate_hz;
    levels->all_bins = spectrum->n_bins;
    levels->start_hz = spectrum->start_hz;
    levels->bin_hz = spectrum->bin_hz;
    levels->rate_hz = spectrum->rate_hz;
}

/* FS^2, FS^2/Hz or its root, with weighting and curve. */
static void take_powers(weir_selection *levels, const weir_sink_config *config,
                        const weir_scale *scale, const weir_spectrum *spectrum)
{
    bool is_density = scale->quantity == WEIR_DENSITY;
    bool is_root = is_density && scale->is_per_root_hz;
    bool is_plain = scale->weighting == WEIR_WEIGHT_Z && !scale->curve;
    double per = is_density ? spectrum->enbw_bins * spectrum->bin_hz : 1;
    const float *power = spectrum->power[config->trace];
    for (size_t i = 0; i < spectrum->n_bins; i++) {
        double hz = spectrum->start_hz + (double)i * spectrum->bin_hz;
        double factor = is_plain ? 1 : weir_scale_correction(scale, hz);
        double value = (double)power[i] * factor / per;
        levels->storage[i] = (float)(is_root ? sqrt(value) : value);
    }
}

const char *weir_selection_unit(const weir_sink_config *config, const weir_scale *scale,
                                char *buffer, size_t size)
{
    if (config->linear) {
        return scale->quantity != WEIR_DENSITY ? "FS^2"
               : scale->is_per_root_hz         ? "FS/rtHz"
                                               : "FS^2/Hz";
    }
    return weir_scale_unit(scale, buffer, size);
}

weir_status weir_selection_take(weir_selection *levels, const weir_sink_config *config,
                                const weir_scale *scale, const weir_spectrum *spectrum,
                                weir_error *err)
{
    weir_status status = weir_trace_check(spectrum, config->trace, err);
    if (status == WEIR_OK) {
        status = select_bins(levels, config, spectrum, err);
    }
    if (status == WEIR_OK) {
        status = make_room(levels, spectrum->n_bins, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    follow_axis(levels, spectrum);
    levels->time_s = weir_timeline_seconds(&levels->timeline, spectrum);
    if (config->linear) {
        take_powers(levels, config, scale, spectrum);
    } else {
        weir_scale_trace_db(scale, spectrum, config->trace, levels->storage);
    }
    levels->db = levels->storage + levels->first;
    return WEIR_OK;
}

double weir_selection_hz(const weir_selection *levels, size_t index)
{
    double bin = (double)(levels->first + index);
    double n_fft = rint(levels->rate_hz / levels->bin_hz);
    bool step_is_rate_by_n = n_fft > 0.0 && levels->rate_hz / n_fft == levels->bin_hz;
    double offset = step_is_rate_by_n ? bin * levels->rate_hz / n_fft : bin * levels->bin_hz;
    return levels->start_hz + offset;
}

void weir_selection_free(weir_selection *levels)
{
    free(levels->storage);
    *levels = (weir_selection){0};
}
