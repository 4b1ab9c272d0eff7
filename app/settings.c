#include "app/settings.h"

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

static void free_outputs(weir_outputs *outputs)
{
    for (unsigned i = 0; i < outputs->n; i++) {
        free(outputs->paths[i]);
    }
    outputs->n = 0;
}

void weir_settings_free(weir_settings *settings)
{
    char **const owned[] = {&settings->format, &settings->window,      &settings->unit,
                            &settings->to,     &settings->colormap,    &settings->title,
                            &settings->config, &settings->calibration, &settings->iq_correct,
                            &settings->mask,   &settings->diff_png};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
        free(*owned[i]);
        *owned[i] = NULL;
    }
    free_outputs(&settings->outputs);
    free_outputs(&settings->reports);
}
