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
    };
}

void weir_settings_free(weir_settings *settings)
{
    char **const owned[] = {&settings->format,  &settings->window,      &settings->unit,
                            &settings->to,      &settings->colormap,    &settings->title,
                            &settings->config,  &settings->calibration, &settings->gain,
                            &settings->antenna, &settings->test,        &settings->png,  &settings->size, &settings->keys};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
        free(*owned[i]);
        *owned[i] = NULL;
    }
    for (unsigned i = 0; i < settings->outputs.n; i++) {
        free(settings->outputs.paths[i]);
    }
    settings->outputs.n = 0;
    for (unsigned i = 0; i < settings->device_options.n; i++) {
        free(settings->device_options.pairs[i]);
    }
    settings->device_options.n = 0;
}
