#include "bench/bench_reference.h"

#include "tests/gpu_reference.h"

#include <fftw3.h>
#include <time.h>

void bench_expected_row(const weir_gpu_plan_config *config, const void *raw, size_t first,
                        size_t hop, size_t n_frames, double *row)
{
    size_t bins = config->is_complex ? config->n_fft : config->n_fft / 2 + 1;
    double complex *work = malloc(config->n_fft * sizeof *work);
    double *power = malloc(bins * sizeof *power);
    if (!work || !power) {
        abort();
    }
    memset(row, 0, bins * sizeof *row);
    for (size_t f = 0; f < n_frames; f++) {
        reference_power(config, raw, first + f * hop, false, work, power);
        for (size_t k = 0; k < bins; k++) {
            row[k] += power[k] / (double)n_frames;
        }
    }
    free(work);
    free(power);
}

double bench_row_error(const float *row, const double *expected, size_t n)
{
    return relative_l2(row, expected, n);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_fftw_gsps(size_t n, size_t hop, const unsigned char *raw, size_t n_samples)
{
    fftwf_complex *x = fftwf_alloc_complex(n);
    float *window = fftwf_alloc_real(n), *sum = fftwf_alloc_real(n);
    fftwf_plan plan = fftwf_plan_dft_1d((int)n, x, x, FFTW_FORWARD, FFTW_MEASURE);
    for (size_t i = 0; i < n; i++) {
        window[i] = (float)(0.5 - 0.5 * cos(2 * 3.14159265358979323846 * (double)i / (double)n));
        sum[i] = 0;
    }
    double start = seconds(), spent = 0;
    size_t frames = 0, there = (n_samples - n) / hop;
    while (spent < 0.25) {
        const unsigned char *from = raw + 2 * hop * (frames % there);
        for (size_t i = 0; i < n; i++) {
            x[i] = CMPLXF(((float)from[2 * i] - 127.5f) * window[i],
                          ((float)from[2 * i + 1] - 127.5f) * window[i]);
        }
        fftwf_execute(plan);
        for (size_t i = 0; i < n; i++) {
            sum[i] += crealf(x[i]) * crealf(x[i]) + cimagf(x[i]) * cimagf(x[i]);
        }
        frames++;
        spent = seconds() - start;
    }
    double gsps = sum[0] >= 0 ? (double)(frames * hop) / spent / 1e9 : 0;
    fftwf_destroy_plan(plan);
    fftwf_free(x);
    fftwf_free(window);
    fftwf_free(sum);
    return gsps;
}
