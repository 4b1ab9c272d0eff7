#include "app/outputs.h"

#include <limits.h>
#include <string.h>

static const char *path_at(const weir_settings *settings, unsigned i)
{
    return settings->outputs.n ? settings->outputs.paths[i] : "-";
}

static const weir_sink_class *class_at(const weir_settings *settings, const char *default_kind,
                                       unsigned i, weir_error *err)
{
    const char *path = path_at(settings, i);
    const char *kind = settings->to;
    if (!kind && strcmp(path, "-") == 0) {
        kind = default_kind;
    }
    return weir_sink_class_find(kind, path, err);
}

static unsigned n_outputs(const weir_settings *settings)
{
    return settings->outputs.n ? settings->outputs.n : 1;
}

bool weir_outputs_take_stdout(const weir_settings *settings)
{
    for (unsigned i = 0; i < n_outputs(settings); i++) {
        if (strcmp(path_at(settings, i), "-") == 0) {
            return true;
        }
    }
    return false;
}

weir_status weir_outputs_check(const weir_settings *settings, const char *default_kind,
                               weir_error *err)
{
    unsigned to_stdout = 0;
    for (unsigned i = 0; i < n_outputs(settings); i++) {
        if (!class_at(settings, default_kind, i, err)) {
            return weir_fail_context(err, "%s", settings->to ? "--to" : "-o");
        }
        const weir_sink_class *class_ = class_at(settings, default_kind, i, err);
        if (settings->linear && !class_->writes_linear) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "--linear: %s shows levels only; csv, jsonl and "
                             "npy can be linear",
                             class_->name);
        }
        to_stdout += strcmp(path_at(settings, i), "-") == 0;
    }
    if (settings->linear &&
        (settings->offset_db != 0 || settings->unit || settings->full_scale_volts != 0)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--linear is power in FS^2, without --offset and "
                         "--unit");
    }
    if (to_stdout > 1) {
        return weir_fail(err, WEIR_ERR_USAGE, "-o - (standard output) is given twice");
    }
    return WEIR_OK;
}

const char *weir_outputs_with_one_axis(const weir_settings *settings, const char *default_kind)
{
    for (unsigned i = 0; i < n_outputs(settings); i++) {
        const weir_sink_class *class_ = class_at(settings, default_kind, i, NULL);
        if (class_ && class_->has_one_axis) {
            return path_at(settings, i);
        }
    }
    return NULL;
}

/* What is too much for an unsigned is too much for whoever gets it, who says so. */
static unsigned saturated(uint64_t n)
{
    return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

weir_status weir_outputs_open(weir_outputs_set *set, const weir_settings *settings,
                              const char *default_kind, const weir_stream_info *stream,
                              weir_error *err)
{
    static const char *const holds[] = {[WEIR_HOLD_MAX] = "max", [WEIR_HOLD_MIN] = "min"};
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.trace = weir_settings_trace(settings);
    config.hold = holds[settings->hold];
    config.reducer = weir_settings_reducer(settings);
    config.low_hz = settings->range_hz.low;
    config.high_hz = settings->range_hz.high;
    config.width = saturated(settings->width);
    config.height = saturated(settings->height);
    config.low_db = (float)settings->levels_db.low;
    config.high_db = (float)settings->levels_db.high;
    config.linear = settings->linear;
    config.decay_s = settings->decay_seconds;
    config.n_peaks = saturated(settings->n_peaks);
    config.prominence_db = settings->prominence_db;
    config.spacing_hz = settings->spacing_hz;
    config.colormap = settings->colormap;
    config.title = settings->title;
    config.reproducible = settings->reproducible;
    *set = (weir_outputs_set){.n = 0};
    for (unsigned i = 0; i < n_outputs(settings); i++) {
        config.path = path_at(settings, i);
        const weir_sink_class *class_ = class_at(settings, default_kind, i, err);
        weir_status status =
            class_ ? weir_sink_open(&set->sinks[i], class_, &config, stream, err) : err->status;
        if (status != WEIR_OK) {
            weir_outputs_close(set);
            return status;
        }
        set->n++;
    }
    return WEIR_OK;
}

weir_status weir_outputs_write(weir_outputs_set *set, const weir_spectrum *spectrum,
                               weir_error *err)
{
    weir_status status = WEIR_OK;
    for (unsigned i = 0; i < set->n && status == WEIR_OK; i++) {
        status = weir_sink_write(set->sinks[i], spectrum, err);
    }
    return status;
}

weir_status weir_outputs_finish(weir_outputs_set *set, const weir_totals *totals, weir_error *err)
{
    weir_status status = WEIR_OK;
    for (unsigned i = 0; i < set->n && status == WEIR_OK; i++) {
        status = weir_sink_finish(set->sinks[i], totals, err);
    }
    return status;
}

void weir_outputs_close(weir_outputs_set *set)
{
    for (unsigned i = 0; i < set->n; i++) {
        weir_sink_close(set->sinks[i]);
    }
    set->n = 0;
}
