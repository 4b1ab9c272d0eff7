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
    weir_averages averages; /* of a view's lines and trace, made of finer spectra */
    double *window;         /* n_fft coefficients, owned */
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
/* What `weir measure` takes where the user did not say: one transform a spectrum; for audio
 * fine bins and side lobes below what is measured; for radio no overlap, as kurtosis needs;
 * with --every an N that divides the interval. The window's name is a constant. */
void weir_measure_defaults(weir_settings *settings, bool is_complex, double rate_hz);
void weir_transform_free(weir_transform *transform);

#endif
