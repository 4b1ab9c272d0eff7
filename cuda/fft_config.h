/* What a weir_gpu_fft_config asks for, with its defaults filled in and checked. */
#ifndef WEIR_CUDA_FFT_CONFIG_H
#define WEIR_CUDA_FFT_CONFIG_H

#include "cuda/fft.h"
#include "cuda/fft_plan.h"
#include "cuda/fft_prime_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the device has; 0 is Hopper's. */
typedef struct weir_gpu_fft_limits {
    unsigned shared_kib; /* of a block */
    unsigned cluster;    /* blocks of a cluster; 1: no clusters */
} weir_gpu_fft_limits;

/* Every field of *full has its value; *layout is that of the complex transform, of n/2
 * points where *packed (a real signal of even, smooth n), else of n. Where prime->units is
 * not 0, *prime says how, and of *layout only n and m count. */
weir_status weir_gpu_fft_resolve(const weir_gpu_fft_config *config,
                                 const weir_gpu_fft_limits *limits, weir_gpu_fft_config *full,
                                 weir_fft_layout *layout, weir_fft_prime *prime, bool *packed,
                                 weir_error *err);

#ifdef __cplusplus
}
#endif

#endif
