#include "cuda/fft_ladder.h"

#include <cuda_runtime.h>
#include <stdint.h>

namespace {

__device__ float2 root(uint32_t part, uint32_t of) /* exp(-2 pi i part / of) */
{
    float s, c;
    sincospif(-2.0f * (float)part / (float)of, &s, &c);
    return make_float2(c, s);
}

__device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* Bin k of transform b: the definition, N products, angles reduced in integers. */
__global__ void direct(const float2 *in, float2 *out, uint32_t n, size_t total)
{
    const size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at >= total) {
        return;
    }
    const float2 *x = in + at / n * n;
    const uint64_t k = at % n;
    float2 sum = make_float2(0.0f, 0.0f);
    for (uint32_t i = 0; i < n; i++) {
        const float2 term = times(x[i], root((uint32_t)(i * k % n), n));
        sum.x += term.x;
        sum.y += term.y;
    }
    out[at] = sum;
}

__global__ void bit_reverse(const float2 *in, float2 *out, int bits, size_t total)
{
    const size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at >= total) {
        return;
    }
    const uint32_t i = (uint32_t)at & ((1u << bits) - 1);
    out[at - i + (__brev(i) >> (32 - bits))] = in[at];
}

/* Stage `half`: transforms of `half` points, side by side, become ones of twice that. */
__device__ void butterfly(float2 *x, uint32_t first, uint32_t k, uint32_t half)
{
    const float2 u = x[first], v = times(x[first + half], root(k, 2 * half));
    x[first] = make_float2(u.x + v.x, u.y + v.y);
    x[first + half] = make_float2(u.x - v.x, u.y - v.y);
}

__global__ void stage(float2 *x, uint32_t half, size_t butterflies)
{
    const size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at >= butterflies) {
        return;
    }
    const uint32_t k = (uint32_t)at & (half - 1);
    butterfly(x + 2 * (at - k), k, k, half);
}

/* A block a transform: bit reversal on the way in, all stages, then out. */
__global__ void all_stages(const float2 *in, float2 *out, int bits)
{
    extern __shared__ float2 x[];
    const uint32_t n = 1u << bits;
    const size_t base = blockIdx.x * (size_t)n;
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        x[__brev(i) >> (32 - bits)] = in[base + i];
    }
    for (uint32_t half = 1; half < n; half *= 2) {
        __syncthreads();
        for (uint32_t b = threadIdx.x; b < n / 2; b += blockDim.x) {
            const uint32_t k = b & (half - 1);
            butterfly(x, 2 * (b - k) + k, k, half);
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        out[base + i] = x[i];
    }
}

unsigned blocks_for(size_t threads)
{
    return (unsigned)((threads + 255) / 256);
}

int bits_of(size_t n)
{
    int bits = 0;
    while (((size_t)1 << bits) < n) {
        bits++;
    }
    return bits;
}

weir_status launched(const char *what, weir_error *err)
{
    const cudaError_t result = cudaGetLastError();
    return result == cudaSuccess
               ? WEIR_OK
               : weir_fail(err, WEIR_ERR_DEVICE, "CUDA: %s: %s", what, cudaGetErrorString(result));
}

} /* namespace */

extern "C" const char *weir_ladder_name(weir_ladder_step step)
{
    static const char *const names[] = {"direct sum", "global memory", "shared memory"};
    return step < WEIR_LADDER_STEPS ? names[step] : "unknown";
}

extern "C" weir_status weir_ladder_bit_reverse(const float *in, float *out, size_t n, size_t batch,
                                               void *stream, weir_error *err)
{
    const size_t total = n * batch;
    bit_reverse<<<blocks_for(total), 256, 0, static_cast<cudaStream_t>(stream)>>>(
        reinterpret_cast<const float2 *>(in), reinterpret_cast<float2 *>(out), bits_of(n), total);
    return launched("bit reversal", err);
}

extern "C" weir_status weir_ladder_execute(weir_ladder_step step, const float *in, float *out,
                                           size_t n, size_t batch, void *stream, weir_error *err)
{
    const cudaStream_t on = static_cast<cudaStream_t>(stream);
    const float2 *from = reinterpret_cast<const float2 *>(in);
    float2 *to = reinterpret_cast<float2 *>(out);
    const int bits = bits_of(n);
    const size_t total = n * batch;
    if (step != WEIR_LADDER_DIRECT && (n < 2 || ((size_t)1 << bits) != n)) {
        return weir_fail(err, WEIR_ERR_USAGE, "the ladder takes powers of two, not %zu", n);
    }
    if (step == WEIR_LADDER_DIRECT) {
        direct<<<blocks_for(total), 256, 0, on>>>(from, to, (uint32_t)n, total);
        return launched("the direct sum", err);
    }
    if (step == WEIR_LADDER_SHARED) {
        if (n > 4096) {
            return weir_fail(err, WEIR_ERR_USAGE, "%zu points do not fit the textbook's block", n);
        }
        all_stages<<<(unsigned)batch, n / 2 < 256 ? (unsigned)(n / 2) : 256, n * sizeof(float2),
                     on>>>(from, to, bits);
        return launched("the transform in shared memory", err);
    }
    weir_status status = weir_ladder_bit_reverse(in, out, n, batch, stream, err);
    for (uint32_t half = 1; half < n && status == WEIR_OK; half *= 2) {
        stage<<<blocks_for(total / 2), 256, 0, on>>>(to, half, total / 2);
        status = launched("a stage", err);
    }
    return status;
}

extern "C" weir_status weir_ladder_run(weir_ladder_step step, const float *in, float *out, size_t n,
                                       size_t batch, weir_error *err)
{
    const size_t bytes = n * batch * sizeof(float2);
    void *from = nullptr, *to = nullptr;
    weir_status status = WEIR_OK;
    if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess ||
        cudaMemcpy(from, in, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
        status = launched("memory for the ladder", err);
    }
    if (status == WEIR_OK) {
        status = weir_ladder_execute(step, static_cast<float *>(from), static_cast<float *>(to), n,
                                     batch, nullptr, err);
    }
    if (status == WEIR_OK && cudaMemcpy(out, to, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) {
        status = launched("the ladder", err);
    }
    cudaFree(from);
    cudaFree(to);
    return status;
}
