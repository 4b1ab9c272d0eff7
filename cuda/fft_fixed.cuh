/* Tiles whose radices are compiled in; fft_fixed_*.cu have the tables of them. */
#ifndef WEIR_CUDA_FFT_FIXED_CUH
#define WEIR_CUDA_FFT_FIXED_CUH

#include "cuda/fft_launch.cuh"

namespace weir_fft {

/* Threads an SM should hold: what leaves a thread 64 registers. */
#ifndef WEIR_FFT_THREADS_WANTED
#define WEIR_FFT_THREADS_WANTED 1024
#endif
constexpr int threads_wanted = WEIR_FFT_THREADS_WANTED;

template <int PHASE, int END, class WORKER> __device__ __forceinline__ void phases(const WORKER &me)
{
    if constexpr (PHASE < END) {
        if constexpr (PHASE > 0) {
            __syncthreads();
        }
        me.template fixed_phase<PHASE>();
        phases<PHASE + 1, END>(me);
    }
}

/* Blocks an SM should hold; 32 values take twice the registers. */
template <class SHAPE, int THREADS> constexpr int blocks_wanted()
{
    constexpr int wanted = SHAPE::radix_at(0) > 16 ? threads_wanted / 2 : threads_wanted;
    return wanted > THREADS ? wanted / THREADS : 1;
}

template <class SHAPE, int THREADS, int END_IN, int END_OUT>
__global__ void __launch_bounds__(THREADS, blocks_wanted<SHAPE, THREADS>())
    fixed_kernel(const __grid_constant__ tile_args args)
{
    extern __shared__ float2 shared[];
    const worker<SHAPE, END_IN, END_OUT> me(args, SHAPE(args.shape), shared, threadIdx.x, THREADS,
                                            blockIdx.x);
    constexpr bool last_step = SHAPE::is_staged || END_OUT == HALF_END;
    phases<0, (int)SHAPE::n + (SHAPE::is_staged ? 1 : 0) + (last_step ? 1 : 0)>(me);
}

template <int PHASE, int END, class WORKER>
__device__ __forceinline__ void convolution_phases(const WORKER &me)
{
    if constexpr (PHASE < END) {
        if constexpr (PHASE > 0) {
            __syncthreads();
        }
        me.template fixed_convolution_phase<PHASE>();
        convolution_phases<PHASE + 1, END>(me);
    }
}

template <class SHAPE, int THREADS>
__global__ void __launch_bounds__(THREADS, threads_wanted > THREADS ? threads_wanted / THREADS : 1)
    fixed_convolution_kernel(const __grid_constant__ tile_args args)
{
    extern __shared__ float2 shared[];
    const worker<SHAPE, true, true> me(args, SHAPE(args.shape), shared, threadIdx.x, THREADS,
                                       blockIdx.x);
    convolution_phases<0, 2 * (int)SHAPE::n - 1 + (SHAPE::is_staged ? 2 : 0)>(me);
}

/* What a kernel is compiled for. */
enum fixed_kind { TRANSFORM, TO_HALF, FROM_HALF, CONVOLVE };

template <class SHAPE, int THREADS, fixed_kind KIND>
cudaError_t launch_fixed(const tile_args &args, uint32_t blocks, cudaStream_t stream)
{
    void (*kernel)(const tile_args);
    if constexpr (KIND == CONVOLVE) {
        kernel = fixed_convolution_kernel<SHAPE, THREADS>;
    } else {
        kernel = fixed_kernel < SHAPE, THREADS, KIND == FROM_HALF ? HALF_END : PLAIN_END,
        KIND == TO_HALF ? HALF_END : PLAIN_END > ;
    }
    if (args.shape.shared_bytes > 48 * 1024) {
        const cudaError_t raised = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)args.shape.shared_bytes);
        if (raised != cudaSuccess) {
            return raised;
        }
    }
    kernel<<<blocks, THREADS, args.shape.shared_bytes, stream>>>(args);
    return cudaGetLastError();
}

struct fixed_entry {
    uint32_t length, lines, threads, first_radix, last_radix, n_stages;
    launcher *run;
};

template <bool INTERLEAVED, fixed_kind KIND, uint32_t LINES, int THREADS, uint32_t... RADICES>
constexpr fixed_entry entry_of()
{
    typedef fixed_shape<INTERLEAVED, LINES, RADICES...> shape;
    return {shape::points,
            LINES,
            (uint32_t)THREADS,
            shape::radix_at(0),
            shape::radix_at(shape::n - 1),
            shape::n,
            launch_fixed<shape, THREADS, KIND>};
}

template <bool INTERLEAVED, uint32_t LINES, int THREADS, uint32_t... RADICES>
constexpr fixed_entry entry()
{
    return entry_of<INTERLEAVED, TRANSFORM, LINES, THREADS, RADICES...>();
}

/* The entry of just this plan, NULL if there is none. */
inline launcher *find_fixed(const fixed_entry *entries, size_t count, const weir_fft_shape &s)
{
    for (size_t i = 0; i < count; i++) {
        const fixed_entry &e = entries[i];
        if (e.length == s.length && e.lines == s.lines && e.threads == s.threads &&
            e.n_stages == s.n_stages && e.first_radix == s.radix[0] &&
            e.last_radix == s.radix[s.n_stages - 1]) {
            return e.run;
        }
    }
    return nullptr;
}

} /* namespace weir_fft */

#endif
