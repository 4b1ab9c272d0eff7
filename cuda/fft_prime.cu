/* Starting the kernel of fft_prime.cuh, on the device or gone through on the host. */
#include "cuda/fft_prime.cuh"

#include <math.h>
#include <vector>

namespace weir_fft {

__global__ void __launch_bounds__(WEIR_FFT_PRIME_THREADS, 1)
    prime_transform(const __grid_constant__ prime_args args)
{
    extern __shared__ float4 prime_memory[];
    float2 *memory = reinterpret_cast<float2 *>(prime_memory);
    const prime_worker me(args, memory, memory, threadIdx.x, blockIdx.x);
    me.gather();
    __syncthreads();
    me.multiply();
    for (uint32_t s = 1; s <= me.stages_after(); s++) {
        __syncthreads();
        me.stage(s);
    }
}

/* As much as the device has, whatever the plan: other threads may launch other plans. */
static cudaError_t allow_shared()
{
    int device = 0, bytes = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess) {
        result = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    return result == cudaSuccess
               ? cudaFuncSetAttribute(prime_transform, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      bytes)
               : result;
}

cudaError_t transform_prime(const prime_args &args, uint32_t blocks, cudaStream_t stream)
{
    const cudaError_t raised = allow_shared();
    if (raised != cudaSuccess) {
        return raised;
    }
    prime_transform<<<blocks, args.tile.shape.threads, args.tile.shape.shared_bytes, stream>>>(
        args);
    return cudaGetLastError();
}

void rehearse_prime(const prime_args &args, uint32_t blocks)
{
    const size_t words = args.tile.shape.shared_bytes / sizeof(float4);
    std::vector<float4> sources(words, make_float4(NAN, NAN, NAN, NAN)), results(sources);
    float2 *from = reinterpret_cast<float2 *>(sources.data());
    float2 *to = reinterpret_cast<float2 *>(results.data());
    for (uint32_t b = 0; b < blocks; b++) {
        const auto everybody = [&](const auto &phase) {
            for (uint32_t t = 0; t < args.tile.shape.threads; t++) {
                phase(prime_worker(args, from, to, t, b));
            }
        };
        everybody([](const prime_worker &me) { me.gather(); });
        everybody([](const prime_worker &me) { me.multiply(); });
        const uint32_t after = prime_worker(args, from, to, 0, b).stages_after();
        for (uint32_t s = 1; s <= after; s++) {
            everybody([s](const prime_worker &me) { me.stage(s); });
        }
    }
}

} /* namespace weir_fft */
