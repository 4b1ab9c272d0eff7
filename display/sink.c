#include "display/sink.h"

#include "base/text.h"
#include "display/colormap.h"
#include "display/sinks.h"

#include <math.h>
#include <string.h>

/* A longer ending stands before the shorter one that it ends in. */
static const weir_sink_class *const classes[] = {
    &weir_sink_peaks,     &weir_sink_persistence,  &weir_sink_csv,
    &weir_sink_rtl_power, &weir_sink_hackrf_sweep, &weir_sink_jsonl,
    &weir_sink_npy,       &weir_sink_png,          &weir_sink_text,
};

enum { CLASS_COUNT = sizeof classes / sizeof classes[0] };

void weir_sink_config_init(weir_sink_config *config)
{
    *config = (weir_sink_config){
        .path = "-",
        .trace = WEIR_TRACE_MEAN,
        .reducer = WEIR_REDUCE_MAX,
        .prominence_db = 6,
        .low_hz = (double)NAN,
        .high_hz = (double)NAN,
        .low_db = NAN,
        .high_db = NAN,
    };
}

void weir_stream_axis(const weir_stream_info *stream, size_t *n_bins, double *start_hz,
                      double *bin_hz)
{
    *n_bins = stream->n_bins;
    *start_hz = stream->start_hz;
    *bin_hz = stream->bin_hz;
    if (stream->n_bins == 0) {
        size_t half = stream->n_fft / 2;
        bool is_complex = stream->format.is_complex;
        *bin_hz = stream->rate_hz / (double)stream->n_fft;
        *n_bins = is_complex ? stream->n_fft : half + 1;
        *start_hz = stream->center_hz - (is_complex ? (double)half * *bin_hz : 0);
    }
}

const weir_sink_class *weir_sink_class_at(size_t index)
{
    return index < CLASS_COUNT ? classes[index] : NULL;
}

/* "csv (.csv), rtl_power, ..." */
static char *list_classes(char *buffer, size_t size)
{
    buffer[0] = '\0';
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        const char *endings = classes[i]->endings;
        weir_list_add(buffer, size, "%s%s%s%s", classes[i]->name, *endings ? " (" : "", endings,
                      *endings ? ")" : "");
    }
    return buffer;
}

static const weir_sink_class *find_by_name(const char *name, weir_error *err)
{
    const char *names[CLASS_COUNT + 1] = {NULL};
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        if (strcmp(classes[i]->name, name) == 0) {
            return classes[i];
        }
        names[i] = classes[i]->name;
    }
    char list[400];
    const char *near = weir_nearest_name(name, names);
    weir_fail(err, WEIR_ERR_USAGE, "no output format is called \"%s\"%s%s%s; there are: %s", name,
              near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "",
              list_classes(list, sizeof list));
    return NULL;
}

const weir_sink_class *weir_sink_class_find(const char *name, const char *path, weir_error *err)
{
    if (name) {
        return find_by_name(name, err);
    }
    for (size_t i = 0; path && i < CLASS_COUNT; i++) {
        if (weir_path_ending(path, classes[i]->endings) > 0) {
            return classes[i];
        }
    }
    char list[400];
    list_classes(list, sizeof list);
    if (!path || strcmp(path, "-") == 0) {
        weir_fail(err, WEIR_ERR_USAGE, "standard output has no ending; name a format: %s", list);
    } else {
        weir_fail(err, WEIR_ERR_USAGE, "%s: the ending names no output format; there are: %s", path,
                  list);
    }
    return NULL;
}

static weir_status check_config(const weir_sink_config *config, weir_error *err)
{
    if ((unsigned)config->trace >= WEIR_TRACE_COUNT ||
        (unsigned)config->reducer >= WEIR_REDUCE_COUNT || !config->path) {
        return weir_fail(err, WEIR_ERR_INTERNAL, "sink: bad trace, reducer or path");
    }
    if (config->low_hz > config->high_hz) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "the lowest frequency (%.15g Hz) is above the highest (%.15g Hz)",
                         config->low_hz, config->high_hz);
    }
    if (config->low_db >= config->high_db) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "the lowest level (%g dB) is not below the highest (%g dB)",
                         (double)config->low_db, (double)config->high_db);
    }
    const weir_colormap *map;
    weir_colormap *own;
    weir_status status = weir_colormap_named(&map, &own, config->colormap, err);
    weir_colormap_destroy(own);
    return status;
}

weir_status weir_sink_open(weir_sink **out, const weir_sink_class *class_,
                           const weir_sink_config *config, const weir_stream_info *stream,
                           weir_error *err)
{
    *out = NULL;
    weir_status status = check_config(config, err);
    if (status == WEIR_OK) {
        status = class_->open(out, config, stream, err);
    }
    if (status == WEIR_OK) {
        (*out)->class_ = class_;
    }
    return status;
}

weir_status weir_sink_write(weir_sink *sink, const weir_spectrum *spectrum, weir_error *err)
{
    return sink->class_->write(sink, spectrum, err);
}

weir_status weir_sink_finish(weir_sink *sink, const weir_totals *totals, weir_error *err)
{
    return sink->class_->finish(sink, totals, err);
}

void weir_sink_close(weir_sink *sink)
{
    if (sink) {
        sink->class_->close(sink);
    }
}
