/* Results of the GPU benchmark against the definition in double precision. */
#ifndef WEIR_BENCH_REFERENCE_H
#define WEIR_BENCH_REFERENCE_H

#include "cuda/spectrum_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Mean power of n_frames frames from `first` on; as many doubles as there are bins. */
void bench_expected_row(const weir_gpu_plan_config *config, const void *raw, size_t first,
                        size_t hop, size_t n_frames, double *row);

/* Relative L2 error of a row of n bins. */
double bench_row_error(const float *row, const double *expected, size_t n);

/* FFTW in single precision on one core, the same job (cu8, mean of 16): input GS/s. */
double bench_fftw_gsps(size_t n, size_t hop, const unsigned char *raw, size_t n_samples);

#ifdef __cplusplus
}
#endif

#endif
