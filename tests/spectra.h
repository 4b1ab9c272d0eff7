/* Spectra for tests, by the double-precision reference: window, transform, power with
 * the scaling of dsp/spectrum.h. Aborts on errors: they would be the test's own. */
#ifndef WEIR_TESTS_SPECTRA_H
#define WEIR_TESTS_SPECTRA_H

#include "dsp/fft_f64.h"
#include "dsp/spectrum.h"
#include "dsp/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct spectra {
    weir_spectrum s; /* s.power[WEIR_TRACE_MEAN] points to power */
    size_t n;
    double *window, *work;
    float *power;
    weir_fft_f64 *fft;
    double sum;
} spectra;

static inline spectra spectra_create(const char *window_name, size_t n, int is_real, double rate_hz,
                                     double center_hz)
{
    spectra x = {.n = n};
    const weir_window *row;
    double parameter;
    weir_error err = {.text = ""};
    x.window = malloc(n * sizeof(double));
    x.work = malloc(2 * n * sizeof(double));
    size_t bins = is_real ? n / 2 + 1 : n;
    x.power = calloc(bins, sizeof(float));
    if (weir_window_parse(window_name, &row, &parameter, &err) ||
        weir_window_fill(row, parameter, x.window, n, &err) ||
        weir_fft_f64_create(&x.fft, n, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        x.sum += x.window[i];
    }
    x.s = (weir_spectrum){.power = {[WEIR_TRACE_MEAN] = x.power},
                          .n_bins = bins,
                          .bin_hz = rate_hz / (double)n,
                          .rate_hz = rate_hz,
                          .center_hz = center_hz,
                          .full_scale_power = is_real ? 0.5 : 1.0};
    x.s.start_hz = is_real ? center_hz : center_hz - (double)(n / 2) * x.s.bin_hz;
    weir_window_gain(x.window, n, &x.s.coherent_gain, &x.s.enbw_bins);
    return x;
}

/* Adds the power of one frame, times scale; samples: n real, or n complex interleaved. */
static inline void spectra_add(spectra *x, const double *samples, double scale)
{
    size_t n = x->n;
    int is_real = x->s.full_scale_power < 0.75;
    for (size_t i = 0; i < n; i++) {
        x->work[2 * i] = x->window[i] * samples[is_real ? i : 2 * i];
        x->work[2 * i + 1] = is_real ? 0 : x->window[i] * samples[2 * i + 1];
    }
    weir_fft_f64_forward(x->fft, x->work);
    for (size_t k = 0; k < x->s.n_bins; k++) {
        size_t from = is_real ? k : (k + n - n / 2) % n;
        double re = x->work[2 * from], im = x->work[2 * from + 1];
        double doubled = is_real && k > 0 && 2 * k != n ? 2 : 1;
        x->power[k] += (float)(scale * doubled * (re * re + im * im) / (x->sum * x->sum));
    }
}

static inline void spectra_clear(spectra *x)
{
    for (size_t k = 0; k < x->s.n_bins; k++) {
        x->power[k] = 0;
    }
}

static inline void spectra_destroy(spectra *x)
{
    free(x->window);
    free(x->work);
    free(x->power);
    weir_fft_f64_destroy(x->fft);
}

#endif
