#include "app/settings.h"

#include "app/options.h"
#include "capture/source.h"

#include <math.h>
#include <stdlib.h>

void weir_settings_init(weir_settings *settings)
{
    *settings = (weir_settings){
        .center_hz = NAN,
        .channel = 1,
        .duration_seconds = INFINITY,
        .speed = NAN,
        .overlap = NAN,
        .range_hz = {NAN, NAN},
        .levels_db = {NAN, NAN},
        .interval_seconds = NAN,
        .settle_seconds = NAN,
        .crop = NAN,
        .alert_before_seconds = NAN,
        .alert_after_seconds = NAN,
        .zoom_center_hz = NAN,
        .prominence_db = 6,
        .channel_band = {NAN, NAN},
        .occupied_percent = 99,
        .x_db = 26,
        .percentile = 10,
        .harmonics = 10,
        .fundamental_hz = NAN,
        .ignore_below_db = NAN,
        .mask_carrier_hz = NAN,
        .record_before_seconds = NAN,
    };
}

weir_trace weir_settings_trace(const weir_settings *settings)
{
    switch (settings->trace) {
    case WEIR_DETECT_MAX:
        return WEIR_TRACE_MAX;
    case WEIR_DETECT_MIN:
        return WEIR_TRACE_MIN;
    default:
        return WEIR_TRACE_MEAN;
    }
}

weir_reducer weir_settings_reducer(const weir_settings *settings)
{
    return settings->reducer < WEIR_REDUCE_COUNT ? (weir_reducer)settings->reducer
                                                 : WEIR_REDUCE_MEAN;
}

void weir_settings_source_options(const weir_settings *settings, weir_source_options *options)
{
    weir_source_options_init(options);
    options->format = settings->format;
    options->rate_hz = settings->rate_hz;
    options->center_hz = settings->center_hz;
    options->channels = (unsigned)settings->channels;
    options->iq = settings->iq == WEIR_AUTO ? -1 : settings->iq == WEIR_YES;
    options->verify_checksum = settings->checksum;
    options->must_verify = settings->checksum && weir_option_typed(settings, "checksum");
}

static void free_texts(weir_texts *texts)
{
    for (unsigned i = 0; i < texts->n; i++) {
        free(texts->paths[i]);
    }
    texts->n = 0;
}

void weir_settings_free(weir_settings *settings)
{
    char **const owned[] = {
        &settings->format,     &settings->window,    &settings->unit,      &settings->to,
        &settings->colormap,   &settings->title,     &settings->config,    &settings->calibration,
        &settings->iq_correct, &settings->alert_log, &settings->alert_run, &settings->alert_record,
        &settings->mask,       &settings->diff_png,  &settings->gain,      &settings->antenna,
        &settings->test,       &settings->png,       &settings->size,      &settings->keys,
        &settings->labels,     &settings->folder};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
        free(*owned[i]);
        *owned[i] = NULL;
    }
    free_texts(&settings->outputs);
    free_texts(&settings->sweep_ranges);
    free_texts(&settings->alerts);
    free_texts(&settings->reports);
    for (unsigned i = 0; i < settings->device_options.n; i++) {
        free(settings->device_options.pairs[i]);
    }
    settings->device_options.n = 0;
}
