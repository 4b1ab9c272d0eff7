/* What a weir_gpu_fft_config asks for, with its defaults filled in and checked. */
#ifndef WEIR_CUDA_FFT_CONFIG_H
#define WEIR_CUDA_FFT_CONFIG_H

#include "cuda/fft.h"
#include "cuda/fft_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every field of *full has its value; *layout is that of the complex transform, of n/2
 * points where *packed (a real signal of even, smooth n), else of n. shared_kib: of a block, 0 for
 * Hopper's. */
weir_status weir_gpu_fft_resolve(const weir_gpu_fft_config *config, unsigned shared_kib,
                                 weir_gpu_fft_config *full, weir_fft_layout *layout, bool *packed,
                                 weir_error *err);

#ifdef __cplusplus
}
#endif

#endif
