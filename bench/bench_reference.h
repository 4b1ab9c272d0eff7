/* Results of the GPU benchmark against the definition in double precision. */
#ifndef WEIR_BENCH_REFERENCE_H
#define WEIR_BENCH_REFERENCE_H

#include "cuda/spectrum_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Relative L2 error of a row: the mean power of n_frames frames from `first` on. */
double bench_row_error(const weir_gpu_plan_config *config, const void *raw, size_t first,
                       size_t hop, size_t n_frames, const float *row);

/* FFTW in single precision on one core, the same job (cu8, mean of 16): input GS/s. */
double bench_fftw_gsps(size_t n, size_t hop, const unsigned char *raw, size_t n_samples);

#ifdef __cplusplus
}
#endif

#endif
