/* The kernels of fft_chirp.cuh that are compiled, and how they are started. */
#ifndef WEIR_CUDA_FFT_CHIRP_H
#define WEIR_CUDA_FFT_CHIRP_H

#include "cuda/fft_chirp.cuh"
#include "cuda/fft_plan.h"

namespace weir_fft {

struct chirp_kernel {
    weir_fft_chirp shape;
    cudaError_t (*run)(const chirp_args &args, cudaStream_t stream);
    void (*rehearse)(const chirp_args &args);
};

/* NULL where there is none. */
const chirp_kernel *find_chirp(const weir_fft_chirp &shape);

/* The kernels of each file. */
struct chirp_list {
    const chirp_kernel *kernels;
    size_t count;
};
chirp_list chirp_kernels_short(), chirp_kernels_middle(), chirp_kernels_long();

} /* namespace weir_fft */

#endif
