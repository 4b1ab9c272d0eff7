/* Launching a tile kernel: which variant, and its shared memory. Each variant is compiled
 * in a file of its own (fft_kernel_*.cu). */
#ifndef WEIR_CUDA_FFT_LAUNCH_CUH
#define WEIR_CUDA_FFT_LAUNCH_CUH

#include "cuda/fft_tile.cuh"

namespace weir_fft {

struct launch {
    tile_args args;
    bool convolve, general_in, general_out;
    uint32_t blocks_per_item; /* tiles */
};

typedef cudaError_t launcher(const tile_args &args, uint32_t blocks, cudaStream_t stream);

launcher transform_plain, transform_in, transform_out, transform_both;
launcher convolve_plain, convolve_general;
/* The same on the host (fft_rehearse.cu). */
void rehearse_launch(const launch &l, uint32_t blocks);
/* Shapes with a plain kernel of their own, fixed at compile time; NULL for the others. */
launcher *fixed_short_rows(const weir_fft_shape &shape);
launcher *fixed_rows(const weir_fft_shape &shape);
launcher *fixed_columns(const weir_fft_shape &shape);
typedef launcher *fixed_finder(const weir_fft_shape &shape);
fixed_finder fixed_smooth_0, fixed_smooth_1, fixed_smooth_2, fixed_smooth_3, fixed_smooth_4,
    fixed_smooth_5, fixed_smooth_6, fixed_smooth_7, fixed_smooth_8, fixed_smooth_9, fixed_smooth_10,
    fixed_smooth_11;
/* A real signal to half a spectrum, or back. */
typedef launcher *real_finder(const weir_fft_shape &shape, bool back);
real_finder fixed_real_0, fixed_real_1, fixed_real_2, fixed_real_3;
/* With general ends. */
fixed_finder fixed_convolution_0, fixed_convolution_1, fixed_convolution_2, fixed_convolution_3;

#ifdef __CUDACC__

/* Threads of the kernels whose radices are known at run time, and their registers. */
#ifndef WEIR_FFT_RUNTIME_REGISTERS
#define WEIR_FFT_RUNTIME_REGISTERS 80
#endif
constexpr uint32_t runtime_threads = 512;

template <bool GENERAL_IN, bool GENERAL_OUT, bool CONVOLVE>
__global__ void __maxnreg__(WEIR_FFT_RUNTIME_REGISTERS)
    tile_kernel(const __grid_constant__ tile_args args)
{
    extern __shared__ float2 shared[];
    const worker<runtime_shape, GENERAL_IN, GENERAL_OUT> me(args, runtime_shape(args.shape), shared,
                                                            threadIdx.x, blockDim.x, blockIdx.x);
    const uint32_t phases = CONVOLVE ? me.convolution_phases() : me.transform_phases();
    for (uint32_t p = 0; p < phases; p++) {
        if (p > 0) {
            __syncthreads();
        }
        if constexpr (CONVOLVE) {
            me.convolution_phase(p);
        } else {
            me.transform_phase(p);
        }
    }
}

/* To the device's limit, whatever this launch needs: it is the kernel's, and so that of every
 * plan and thread; all set it to the same. */
inline cudaError_t raise_shared_limit(const void *kernel)
{
    int device = 0, limit = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess) {
        result = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    return result == cudaSuccess
               ? cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit)
               : result;
}

template <bool GENERAL_IN, bool GENERAL_OUT, bool CONVOLVE>
cudaError_t launch_tiles(const tile_args &args, uint32_t blocks, cudaStream_t stream)
{
    const auto kernel = tile_kernel<GENERAL_IN, GENERAL_OUT, CONVOLVE>;
    if (args.shape.shared_bytes > 48 * 1024) {
        const cudaError_t raised = raise_shared_limit((const void *)kernel);
        if (raised != cudaSuccess) {
            return raised;
        }
    }
    uint32_t threads = args.shape.threads;
    if (threads > runtime_threads) {
        threads = runtime_threads;
    }
    kernel<<<blocks, threads, args.shape.shared_bytes, stream>>>(args);
    return cudaGetLastError();
}

#endif

} /* namespace weir_fft */

#endif
