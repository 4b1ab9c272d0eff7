/* Kernels over raw samples that are not transforms: counting and frame means. */
#include "cuda/plan.cuh"

namespace weir {

/* Where a group's samples lie: one range when frames overlap or touch, else one a frame. */
struct count_args {
    power_args batch;
    uint32_t n_fft, n_new_first, clip_codes;
};

struct flags {
    bool clipped, nonfinite;
};

/* The integer in offset binary: clipped when within clip_codes of either end. */
template <int BITS> __device__ __forceinline__ bool at_end(uint32_t code, uint32_t clip_codes)
{
    const uint32_t mask = (1u << BITS) - 1;
    return ((code + clip_codes) & mask) < 2 * clip_codes;
}

template <int LAYOUT, bool COMPLEX>
__device__ __forceinline__ flags flags_at(const unsigned char *raw, size_t i, uint32_t codes)
{
    constexpr int parts = COMPLEX ? 2 : 1;
    flags found = {false, false};
#pragma unroll
    for (int c = 0; c < parts; c++) {
        const size_t at = i * parts + c;
        if constexpr (LAYOUT == U8) {
            found.clipped |= at_end<8>(raw[at], codes);
        } else if constexpr (LAYOUT == S8) {
            found.clipped |= at_end<8>(raw[at] ^ 0x80u, codes);
        } else if constexpr (LAYOUT == S16) {
            const uint32_t v = reinterpret_cast<const unsigned short *>(raw)[at];
            found.clipped |= at_end<16>(v ^ 0x8000u, codes);
        } else {
            const uint32_t v = reinterpret_cast<const uint32_t *>(raw)[at] & 0x7fffffffu;
            found.clipped |= v > 0x3f800000u && v <= 0x7f800000u;
            found.nonfinite |= v >= 0x7f800000u;
        }
    }
    return found;
}

__device__ __forceinline__ uint32_t sum_of_warp(uint32_t value)
{
    for (int apart = 16; apart > 0; apart /= 2) {
        value += __shfl_xor_sync(~0u, value, apart);
    }
    return value;
}

/* Block (g, part): the part-th of gridDim.y shares of group g. With more than one share
 * counts must be 0 before. */
template <int LAYOUT, bool COMPLEX>
__global__ void count_samples(const count_args a, uint32_t *counts)
{
    const group_span span = span_of(a.batch, blockIdx.x);
    const size_t hop = a.batch.hop;
    const uint32_t each = hop < a.n_fft ? (uint32_t)hop : a.n_fft;
    const uint32_t first = span.first == 0 ? a.n_new_first : each;
    const size_t total = first + (size_t)(span.count - 1) * each;
    const size_t start = span.first * hop + a.n_fft - first;
    uint32_t clipped = 0, nonfinite = 0;
    for (size_t i = blockIdx.y * (size_t)blockDim.x + threadIdx.x; i < total;
         i += gridDim.y * (size_t)blockDim.x) {
        size_t at = start + i;
        if (hop > a.n_fft && i >= first) { /* frames apart: skip what lies between */
            at += (1 + (i - first) / each) * (hop - a.n_fft);
        }
        const flags found = flags_at<LAYOUT, COMPLEX>(a.batch.raw, at, a.clip_codes);
        clipped += found.clipped;
        nonfinite += found.nonfinite;
    }
    __shared__ uint32_t partial[2][8];
    const int warp = threadIdx.x / 32;
    clipped = sum_of_warp(clipped);
    nonfinite = sum_of_warp(nonfinite);
    if (threadIdx.x % 32 == 0) {
        partial[0][warp] = clipped;
        partial[1][warp] = nonfinite;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        uint32_t sum = 0;
        for (uint32_t w = 0; w < blockDim.x / 32; w++) {
            sum += partial[threadIdx.x][w];
        }
        uint32_t *to = counts + 2 * blockIdx.x + threadIdx.x;
        if (gridDim.y == 1) {
            *to = sum;
        } else if (sum > 0) {
            atomicAdd(to, sum);
        }
    }
}

template <int LAYOUT, bool COMPLEX>
__device__ __forceinline__ float2 value_at(const unsigned char *raw, size_t i, float bias)
{
    if constexpr (COMPLEX) {
        typedef typename scalar_of<LAYOUT>::pair pair;
        return pair_value<LAYOUT>(reinterpret_cast<const pair *>(raw)[i], bias);
    } else {
        typedef typename scalar_of<LAYOUT>::type scalar;
        return make_float2(one_value<LAYOUT>(reinterpret_cast<const scalar *>(raw)[i], bias), 0.0f);
    }
}

/* Block f: the mean of frame f, summed in double. */
template <int LAYOUT, bool COMPLEX>
__global__ void mean_frames(const power_args a, uint32_t n_fft, float *means)
{
    __shared__ double partial[2][8];
    double re = 0, im = 0;
    for (uint32_t i = threadIdx.x; i < n_fft; i += blockDim.x) {
        const float2 v = value_at<LAYOUT, COMPLEX>(a.raw, blockIdx.x * a.hop + i, a.bias);
        re += v.x;
        im += v.y;
    }
    for (int apart = 16; apart > 0; apart /= 2) {
        re += __shfl_xor_sync(~0u, re, apart);
        im += __shfl_xor_sync(~0u, im, apart);
    }
    if (threadIdx.x % 32 == 0) {
        partial[0][threadIdx.x / 32] = re;
        partial[1][threadIdx.x / 32] = im;
    }
    __syncthreads();
    if (threadIdx.x < (COMPLEX ? 2 : 1)) {
        double sum = 0;
        for (uint32_t w = 0; w < blockDim.x / 32; w++) {
            sum += partial[threadIdx.x][w];
        }
        means[blockIdx.x * (COMPLEX ? 2 : 1) + threadIdx.x] = (float)(sum / n_fft);
    }
}

/* Rows by layout, columns by real and complex. */
typedef void count_kernel(const count_args, uint32_t *);
typedef void mean_kernel(const power_args, uint32_t, float *);

static count_kernel *const count_kernels[WEIR_GPU_LAYOUT_COUNT][2] = {
    {count_samples<U8, false>, count_samples<U8, true>},
    {count_samples<S8, false>, count_samples<S8, true>},
    {count_samples<S16, false>, count_samples<S16, true>},
    {count_samples<F32, false>, count_samples<F32, true>},
};
static mean_kernel *const mean_kernels[WEIR_GPU_LAYOUT_COUNT][2] = {
    {mean_frames<U8, false>, mean_frames<U8, true>},
    {mean_frames<S8, false>, mean_frames<S8, true>},
    {mean_frames<S16, false>, mean_frames<S16, true>},
    {mean_frames<F32, false>, mean_frames<F32, true>},
};

} /* namespace weir */

using namespace weir;

extern "C" {

/* Blocks that share a group. */
static unsigned count_shares(const weir_gpu_plan *plan, const weir_gpu_batch *batch)
{
    const size_t new_samples =
        (size_t)min(batch->group, batch->n_frames) * min(batch->hop, plan->config.n_fft);
    return (unsigned)min((new_samples + 8191) / 8192, (size_t)64);
}

static count_args count_args_of(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                                size_t n_new_first)
{
    return {batch_args(plan, batch), (uint32_t)plan->config.n_fft, (uint32_t)n_new_first,
            plan->config.clip_codes};
}

static count_kernel *count_kernel_of(const weir_gpu_plan *plan)
{
    return count_kernels[plan->config.layout][plan->config.is_complex];
}

weir_status weir_gpu_count(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                           size_t n_new_first, uint32_t *counts, void *stream, weir_error *err)
{
    const count_args a = count_args_of(plan, batch, n_new_first);
    const uint32_t groups = a.batch.n_groups;
    const cudaStream_t on = static_cast<cudaStream_t>(stream);
    const unsigned shares = count_shares(plan, batch);
    if (shares > 1) {
        weir_status status = check(cudaMemsetAsync(counts, 0, groups * 2 * sizeof *counts, on),
                                   "clearing counts", err);
        if (status) {
            return status;
        }
    }
    count_kernel_of(plan)<<<dim3(groups, shares), 256, 0, on>>>(a, counts);
    return check(cudaGetLastError(), "counting samples", err);
}

bool weir_gpu_count_launch(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                           size_t n_new_first, uint32_t *counts, weir_gpu_launch *launch)
{
    if (count_shares(plan, batch) > 1) {
        return false;
    }
    const count_args a = count_args_of(plan, batch, n_new_first);
    describe_launch(launch, (const void *)count_kernel_of(plan), dim3(a.batch.n_groups), 256, a,
                    counts);
    return true;
}

weir_status weir_gpu_frame_means(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                                 float *means, void *stream, weir_error *err)
{
    mean_kernels[plan->config.layout]
                [plan->config
                     .is_complex]<<<batch->n_frames, 256, 0, static_cast<cudaStream_t>(stream)>>>(
                    batch_args(plan, batch), (uint32_t)plan->config.n_fft, means);
    return check(cudaGetLastError(), "averaging frames", err);
}

} /* extern "C" */
