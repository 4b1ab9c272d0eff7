/* What the GPU kernels are held to: the definition in double precision, by a plain
 * recursive transform on the CPU. For tests and benchmarks. */
#ifndef WEIR_TESTS_GPU_REFERENCE_H
#define WEIR_TESTS_GPU_REFERENCE_H

#include "cuda/spectrum_kernels.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* In place, n a power of two: x[n] -> sum x[n] exp(-2 pi i n k / N). */
static inline void reference_fft(double complex *x, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) {
            j ^= bit;
        }
        j |= bit;
        if (i < j) {
            double complex t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
    double complex *w = malloc((n / 2 + 1) * sizeof *w);
    for (size_t k = 0; k < n / 2; k++) {
        double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;
        w[k] = cos(angle) + I * sin(angle);
    }
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t first = 0; first < n; first += 2 * half) {
            for (size_t k = 0; k < half; k++) {
                double complex u = x[first + k];
                double complex v = x[first + k + half] * w[k * (n / (2 * half))];
                x[first + k] = u + v;
                x[first + k + half] = u - v;
            }
        }
    }
    free(w);
}

static inline double reference_value(const void *raw, weir_gpu_layout layout, double bias, size_t i)
{
    switch (layout) {
    case WEIR_GPU_U8:
        return ((const uint8_t *)raw)[i] - bias;
    case WEIR_GPU_S8:
        return ((const int8_t *)raw)[i];
    case WEIR_GPU_S16:
        return ((const int16_t *)raw)[i];
    default: {
        float v = ((const float *)raw)[i];
        return isfinite(v) ? fmin(fmax((double)v, -1e18), 1e18) : 0;
    }
    }
}

/* Power of the frame at sample `first` into row[]; work: n values. */
static inline void reference_power(const weir_gpu_plan_config *config, const void *raw,
                                   size_t first, bool detrend, double complex *work, double *row)
{
    size_t n = config->n_fft;
    double complex mean = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = first + i;
        work[i] = config->is_complex
                      ? reference_value(raw, config->layout, config->bias, 2 * at) +
                            I * reference_value(raw, config->layout, config->bias, 2 * at + 1)
                      : reference_value(raw, config->layout, config->bias, at);
        mean += work[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        work[i] = (work[i] - (detrend ? mean : 0)) * config->window[i];
    }
    reference_fft(work, n);
    for (size_t k = 0; k < n; k++) {
        double re = creal(work[k]), im = cimag(work[k]), p = re * re + im * im;
        if (config->is_complex) {
            row[(config->mirror ? (n - k) % n : k) ^ (n / 2)] = p;
        } else if (k <= n / 2) {
            row[k] = k == 0 || k == n / 2 ? p : 2 * p;
        }
    }
}

/* ||a - b|| / ||b||; NaN or infinite if anything in a is. */
static inline double relative_l2(const float *a, const double *b, size_t n)
{
    double error = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return sqrt(error / norm);
}

#endif
