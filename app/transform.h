/* From what the user asked to an engine's numbers: N, hop, window, averages, levels.
 * Pure but for the notices it logs. Main thread only. */
#ifndef WEIR_APP_TRANSFORM_H
#define WEIR_APP_TRANSFORM_H

#include "app/settings.h"
#include "base/status.h"
#include "dsp/window.h"

#include <stddef.h>
#include <stdint.h>

typedef struct weir_transform {
    size_t n_fft;
    size_t hop;
    uint64_t frames_per_spectrum;
    double exponential_alpha;
    double *window; /* n_fft coefficients, owned */
    double coherent_gain;
    double enbw_bins;
} weir_transform;

/* The N that the settings ask for at this rate (from --fft, --rbw or the default). */
weir_status weir_transform_size(const weir_settings *settings, double rate_hz, size_t *n_fft,
                                weir_error *err);

/* Everything else for a given N. */
weir_status weir_transform_init(weir_transform *transform, const weir_settings *settings,
                                double rate_hz, size_t n_fft, double default_line_seconds,
                                weir_error *err);
void weir_transform_free(weir_transform *transform);

#endif
