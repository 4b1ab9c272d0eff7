/* The kernel of fft_prime.cuh, and how it is started. */
#ifndef WEIR_CUDA_FFT_PRIME_H
#define WEIR_CUDA_FFT_PRIME_H

#include "cuda/fft_prime_plan.h"
#include "cuda/fft_tile.cuh"

namespace weir_fft {

struct prime_args {
    tile_args tile; /* its shape is the plan's */
    weir_fft_prime prime;
    const float4 *matrix; /* cos, -sin of 2 pi k n / p: row n - 1, two bins k a value */
};

cudaError_t transform_prime(const prime_args &args, uint32_t blocks, cudaStream_t stream);
/* The same on the host. */
void rehearse_prime(const prime_args &args, uint32_t blocks);

} /* namespace weir_fft */

#endif
