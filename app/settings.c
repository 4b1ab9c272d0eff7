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
        .ignore_below_db = NAN,
        .mask_carrier_hz = NAN,
    };
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
    char **const owned[] = {&settings->format,  &settings->window,      &settings->unit,
                            &settings->to,      &settings->colormap,    &settings->title,
                            &settings->config,  &settings->calibration, &settings->mask,
                            &settings->diff_png};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
        free(*owned[i]);
        *owned[i] = NULL;
    }
    free_outputs(&settings->outputs);
    free_outputs(&settings->reports);
}
