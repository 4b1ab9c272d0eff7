/* Starting a kernel of fft_chirp.cuh, on the device or gone through on the host. */
#ifndef WEIR_CUDA_FFT_CHIRP_LAUNCH_CUH
#define WEIR_CUDA_FFT_CHIRP_LAUNCH_CUH

#include "cuda/fft_chirp.h"

#include <math.h>
#include <vector>

namespace weir_fft {

template <class WORKER, int BLOCKS>
__global__ void __launch_bounds__(WORKER::threads, BLOCKS)
    chirp_transform(const __grid_constant__ chirp_args args)
{
    extern __shared__ float4 chirp_memory[];
    const WORKER me = {args, reinterpret_cast<float2 *>(chirp_memory), threadIdx.x,
                       (size_t)blockIdx.x * WORKER::lines};
    me.first();
    __syncthreads();
    if constexpr (WORKER::three) {
        me.template second<false>();
        __syncthreads();
    }
    me.turning();
    __syncthreads();
    if constexpr (WORKER::three) {
        me.template second<true>();
        __syncthreads();
    }
    me.last();
}

template <class WORKER, int BLOCKS> struct chirp_starter {
    static constexpr size_t bytes = WORKER::words * sizeof(float2);

    static size_t blocks(const chirp_args &args)
    {
        return (args.n_lines + (size_t)WORKER::lines - 1) / WORKER::lines;
    }

    static cudaError_t run(const chirp_args &args, cudaStream_t stream)
    {
        const auto kernel = chirp_transform<WORKER, BLOCKS>;
        if (bytes > 48 * 1024) {
            const cudaError_t raised = cudaFuncSetAttribute(
                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
            if (raised != cudaSuccess) {
                return raised;
            }
        }
        kernel<<<(unsigned)blocks(args), WORKER::threads, bytes, stream>>>(args);
        return cudaGetLastError();
    }

    template <class PHASE>
    static void everybody(const chirp_args &args, float2 *memory, size_t block, const PHASE &phase)
    {
        for (uint32_t t = 0; t < WORKER::threads; t++) {
            phase(WORKER{args, memory, t, block * WORKER::lines});
        }
    }

    static void rehearse(const chirp_args &args)
    {
        std::vector<float2> values(WORKER::words, make_float2(NAN, NAN));
        float2 *memory = values.data();
        for (size_t b = 0; b < blocks(args); b++) {
            everybody(args, memory, b, [](const WORKER &me) { me.first(); });
            if constexpr (WORKER::three) {
                everybody(args, memory, b, [](const WORKER &me) { me.template second<false>(); });
            }
            everybody(args, memory, b, [](const WORKER &me) { me.turning(); });
            if constexpr (WORKER::three) {
                everybody(args, memory, b, [](const WORKER &me) { me.template second<true>(); });
            }
            everybody(args, memory, b, [](const WORKER &me) { me.last(); });
        }
    }
};

/* BLOCKS: how many an SM should hold, and so how many registers a thread may have. */
template <int LINES, int THREADS, int BLOCKS, int R1, int R2, int R3> chirp_kernel chirp_entry()
{
    typedef chirp_worker<LINES, THREADS, R1, R2, R3> worker;
    typedef chirp_starter<worker, BLOCKS> starter;
    return {{LINES, THREADS, {R1, R2, R3}}, starter::run, starter::rehearse};
}

} /* namespace weir_fft */

#endif
