#include "cuda/fft_wide.h"

#include <math.h>
#include <string.h>
#include <vector>

namespace weir_fft {

namespace {

/* As many blocks an SM as leave 32 values a thread 128 registers, and 16 values 64. */
template <class WORKER> constexpr int blocks_wanted()
{
    constexpr int held = (int)(WORKER::shape::threads * WORKER::shape::in_registers);
    return held < 16384 ? 16384 / held : 1;
}

template <class WORKER> __device__ __forceinline__ void everyone()
{
    if constexpr (WORKER::shape::blocks > 1) {
        cluster_arrive();
        cluster_wait();
    } else {
        __syncthreads();
    }
}

template <class WORKER, bool TWO_STEPS>
__global__ void __launch_bounds__(WORKER::shape::threads, blocks_wanted<WORKER>())
    wide_transform(const __grid_constant__ wide_args args)
{
    if constexpr (WORKER::shape::blocks == 1 || WEIR_HAS_CLUSTERS) {
        extern __shared__ float2 shared[];
        const uint32_t item = blockIdx.x / WORKER::shape::blocks;
        const WORKER me = {args, shared, nullptr, threadIdx.x, blockIdx.x % WORKER::shape::blocks,
                           item};
        me.first();
        if constexpr (TWO_STEPS) {
            typename WORKER::before_second ready;
            me.prepare_second(&ready);
            __syncthreads();
            me.second(ready);
        }
        everyone<WORKER>();
        me.third();
        __syncthreads();
        me.fourth();
    }
}

template <class WORKER, bool TWO_STEPS> struct starter {
    typedef typename WORKER::shape shape;
    static constexpr size_t bytes = shape::words * sizeof(float2);

    static cudaError_t prepare(cudaLaunchConfig_t *config, cudaLaunchAttribute *attribute)
    {
        const auto kernel = wide_transform<WORKER, TWO_STEPS>;
        *config = cudaLaunchConfig_t();
        config->blockDim = dim3(shape::threads);
        config->dynamicSmemBytes = bytes;
        cudaError_t result =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        if (result == cudaSuccess && shape::blocks > 8) {
            result =
                cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        }
        if (shape::blocks > 1) {
            attribute->id = cudaLaunchAttributeClusterDimension;
            attribute->val.clusterDim.x = shape::blocks;
            attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
            config->attrs = attribute;
            config->numAttrs = 1;
        }
        return result;
    }

    static bool possible()
    {
        cudaLaunchConfig_t config;
        cudaLaunchAttribute attribute;
        int count = 1;
        cudaError_t result = prepare(&config, &attribute);
        config.gridDim = dim3(shape::blocks);
        if (result == cudaSuccess && shape::blocks > 1) {
            result =
                cudaOccupancyMaxActiveClusters(&count, wide_transform<WORKER, TWO_STEPS>, &config);
        }
        if (result != cudaSuccess) {
            (void)cudaGetLastError(); /* the answer is no */
        }
        return result == cudaSuccess && count > 0;
    }

    static cudaError_t run(const wide_args &args, size_t batch, cudaStream_t stream)
    {
        cudaLaunchConfig_t config;
        cudaLaunchAttribute attribute;
        const cudaError_t result = prepare(&config, &attribute);
        config.gridDim = dim3((unsigned)(batch * shape::blocks));
        config.stream = stream;
        return result != cudaSuccess
                   ? result
                   : cudaLaunchKernelEx(&config, wide_transform<WORKER, TWO_STEPS>, args);
    }

    /* One phase of all blocks of a transform. */
    template <class PHASE>
    static void everybody(const wide_args &args, size_t item, float2 **memory, float2 **after,
                          const PHASE &phase)
    {
        for (uint32_t rank = 0; rank < shape::blocks; rank++) {
            for (uint32_t t = 0; t < shape::threads; t++) {
                const WORKER me = {args, memory[rank], after, t, rank, item};
                phase(me);
            }
        }
    }

    static void rehearse(const wide_args &args, size_t batch)
    {
        for (size_t item = 0; item < batch; item++) {
            std::vector<float2> memory(2 * shape::blocks * shape::words, make_float2(NAN, NAN));
            float2 *before[shape::blocks], *after[shape::blocks];
            for (uint32_t i = 0; i < shape::blocks; i++) {
                before[i] = memory.data() + i * shape::words;
                after[i] = before[i] + shape::blocks * shape::words;
            }
            everybody(args, item, before, after, [](const WORKER &me) { me.first(); });
            if constexpr (TWO_STEPS) {
                everybody(args, item, before, after, [](const WORKER &me) {
                    typename WORKER::before_second ready;
                    me.prepare_second(&ready);
                    me.second(ready);
                });
            }
            everybody(args, item, after, after, [](const WORKER &me) { me.third(); });
            everybody(args, item, after, after, [](const WORKER &me) { me.fourth(); });
        }
    }
};

template <int BLOCKS, int THREADS, int A1, int A2, int B1, int B2> wide_kernel kernel()
{
    typedef starter<wide_worker<BLOCKS, THREADS, A1, A2, B1, B2>, (A2 > 1)> start;
    return {{BLOCKS, THREADS, {A1, A2, B1, B2}}, start::possible, start::run, start::rehearse};
}

} /* namespace */

const wide_kernel *find_wide(const weir_fft_wide &shape)
{
    static const wide_kernel kernels[] = {
#define WEIR_WIDE(...) kernel<__VA_ARGS__>(),
#include "cuda/fft_wide_kernels.inc"
#undef WEIR_WIDE
    };
    for (const wide_kernel &k : kernels) {
        if (memcmp(&k.shape, &shape, sizeof shape) == 0) {
            return &k;
        }
    }
    return nullptr;
}

} /* namespace weir_fft */
