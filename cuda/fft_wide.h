/* The kernels of fft_wide.cuh that are compiled, and how they are started. */
#ifndef WEIR_CUDA_FFT_WIDE_H
#define WEIR_CUDA_FFT_WIDE_H

#include "cuda/fft_plan.h"
#include "cuda/fft_wide.cuh"

namespace weir_fft {

struct wide_kernel {
    weir_fft_wide shape;
    /* May the current device run it: shared memory, and room for a whole cluster? */
    bool (*possible)();
    cudaError_t (*run)(const wide_args &args, size_t batch, cudaStream_t stream);
    void (*rehearse)(const wide_args &args, size_t batch);
};

/* NULL where there is none. */
const wide_kernel *find_wide(const weir_fft_wide &shape);

} /* namespace weir_fft */

#endif
