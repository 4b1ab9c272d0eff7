/* The fused kernels: raw samples in, summed powers out. Only included by .cu files.
 *
 * N = 32 .. 1024: a team of N/32 lanes of a warp does a transform, in two register
 * passes (radix 32, radix N/32) with one exchange through the warp's own shared memory.
 * N = 2048 .. 32768: R = N/1024 warps do a radix-R pass, exchange through shared memory
 * (of two blocks in a cluster for 32768), and each warp does one transform of 1024.
 * Larger: the radix-N/1024 pass is a kernel of its own (columns), which leaves
 * its result in device memory for the transforms of 1024 (rows).
 *
 * Index arithmetic. n = n' + (N/R) n0 and k = k0 + R k': the first pass is over
 * n0, the rest over n' with the twiddle W_N^(k0 n'). n' = n2 + 32 n1, k' = k1 + 32 k2, so
 * that twiddle is (W_(N/32)^k0)^n1 W_N^(k0 n2): the first factor is the same for a whole
 * warp and goes into the pass over n1, the second joins W_1024^(k1 n2) in the pass over
 * n2 as (W_N^(k0 + R k1))^n2. No twiddle is multiplied by itself.
 *
 * Tables (spectrum_tables.c), float4 = two pairs (c, t), see fft_device.cuh:
 *   window[8][N/32]      float4: window of samples t + (N/32)(4i .. 4i+3)  (columns: plain)
 *   warp_pairs[R][8]     W_(N/32)^k0
 *   lane_pairs[R][8][32] W_N^(k0 + R k1); N <= 1024: [8][N/32], those of each k1 in turn
 *   column_pairs[8][R/32] of the second pass of a column
 */
#ifndef WEIR_CUDA_POWER_KERNELS_CUH
#define WEIR_CUDA_POWER_KERNELS_CUH

#include "cuda/fft_device.cuh"

#include <cooperative_groups.h>
#include <stdint.h>

namespace weir {

struct power_args {
    const unsigned char *raw;
    const float4 *window, *warp_pairs, *lane_pairs, *column_pairs;
    const float *frame_mean;
    float *rows;
    float2 *columns; /* large N: frames x N between the two kernels */
    size_t hop, row_pitch;
    uint32_t n_frames, n_groups, group, per_spectrum, groups_per_spectrum;
    uint32_t phase, phase_groups;
    float bias; /* what the loader subtracts: the offset and its magic number */
    uint32_t mirror, mean, paired;
    /* Large N, the part at hand: units are frames, or pairs of real frames. */
    uint32_t first_group, first_unit, n_units;
    uint32_t keep; /* rows: add to what they hold */
};

/* ---- which frames a group has ---- */

struct group_span {
    uint32_t first, count;
};

__device__ __forceinline__ group_span span_of(const power_args &a, uint32_t index)
{
    const uint32_t g = a.phase_groups + index;
    const uint32_t spectrum = g / a.groups_per_spectrum, part = g % a.groups_per_spectrum;
    const uint32_t begin = spectrum * a.per_spectrum + part * a.group;
    const uint32_t end = begin + min(a.group, a.per_spectrum - part * a.group);
    /* The first group may have begun before the batch. */
    const uint32_t first = max(begin, a.phase) - a.phase;
    return {first, min(end - a.phase, a.n_frames) - first};
}

__device__ __forceinline__ uint32_t largest_of_warp(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(~0u, value);
#else
    for (int apart = 16; apart > 0; apart /= 2) {
        value = max(value, __shfl_xor_sync(~0u, value, apart));
    }
    return value;
#endif
}

/* ---- loading: one sample of one frame (complex) or of two frames (real) ---- */

enum layout { U8, S8, S16, F32 };

/* An 8- or 16-bit integer put into the mantissa of 2^15 or 2^23: exact, and cheaper than
 * a conversion. Subtracting the magic number and the offset in one go is exact too. */
__device__ __forceinline__ float from_byte(uint32_t v, uint32_t select, float bias)
{
    return __uint_as_float(__byte_perm(v, 0x47000000u, select)) - bias;
}

__device__ __forceinline__ float from_short(uint32_t v, uint32_t select, float bias)
{
    return __uint_as_float(__byte_perm(v, 0x4b000000u, select)) - bias;
}

/* dsp/format.h: not finite reads as 0, beyond +-WEIR_SAMPLE_LIMIT as that. */
__device__ __forceinline__ float limited(float x)
{
    const float inside = fminf(fmaxf(x, -1e18f), 1e18f);
    return fabsf(x) <= 3.402823466e+38f ? inside : 0.0f;
}

template <int LAYOUT> struct scalar_of;
template <> struct scalar_of<U8> {
    typedef unsigned char type;
    typedef unsigned short pair;
};
template <> struct scalar_of<S8> {
    typedef unsigned char type;
    typedef unsigned short pair;
};
template <> struct scalar_of<S16> {
    typedef unsigned short type;
    typedef unsigned pair;
};
template <> struct scalar_of<F32> {
    typedef float type;
    typedef float2 pair;
};

template <int LAYOUT>
__device__ __forceinline__ float one_value(typename scalar_of<LAYOUT>::type v, float bias)
{
    if constexpr (LAYOUT == U8) {
        return from_byte(v, 0x7604, bias);
    } else if constexpr (LAYOUT == S8) {
        return from_byte(v ^ 0x80u, 0x7604, bias);
    } else if constexpr (LAYOUT == S16) {
        return from_short(v ^ 0x8000u, 0x7610, bias);
    } else {
        return limited(v);
    }
}

template <int LAYOUT>
__device__ __forceinline__ float2 pair_value(typename scalar_of<LAYOUT>::pair v, float bias)
{
    if constexpr (LAYOUT == U8) {
        return make_float2(from_byte(v, 0x7604, bias), from_byte(v, 0x7614, bias));
    } else if constexpr (LAYOUT == S8) {
        const uint32_t u = v ^ 0x8080u;
        return make_float2(from_byte(u, 0x7604, bias), from_byte(u, 0x7614, bias));
    } else if constexpr (LAYOUT == S16) {
        const uint32_t u = v ^ 0x80008000u;
        return make_float2(from_short(u, 0x7610, bias), from_short(u, 0x7632, bias));
    } else {
        return make_float2(limited(v.x), limited(v.y));
    }
}

/* Samples at, at + step, ... of one complex frame; or of two real frames, the second as
 * imaginary part (times `second`, 0 when there is none). */
template <int LAYOUT, bool COMPLEX, int STEP, int COUNT>
__device__ __forceinline__ void load_samples(const power_args &a, uint32_t frame, uint32_t offset,
                                             uint32_t apart, float second, float2 *x)
{
    if constexpr (COMPLEX) {
        typedef typename scalar_of<LAYOUT>::pair pair;
        const pair *p = reinterpret_cast<const pair *>(a.raw) + frame * a.hop + offset;
#pragma unroll
        for (int j = 0; j < COUNT; j++) {
            x[j] = pair_value<LAYOUT>(__ldg(p + j * STEP), a.bias);
        }
        if (a.frame_mean) {
            const float re = a.frame_mean[2 * frame], im = a.frame_mean[2 * frame + 1];
#pragma unroll
            for (int j = 0; j < COUNT; j++) {
                x[j] = make_float2(x[j].x - re, x[j].y - im);
            }
        }
    } else {
        typedef typename scalar_of<LAYOUT>::type scalar;
        const scalar *p = reinterpret_cast<const scalar *>(a.raw) + frame * a.hop + offset;
        const scalar *q = p + apart * a.hop;
#pragma unroll
        for (int j = 0; j < COUNT; j++) {
            x[j] = make_float2(one_value<LAYOUT>(__ldg(p + j * STEP), a.bias),
                               one_value<LAYOUT>(__ldg(q + j * STEP), a.bias));
        }
        const bool centred = a.frame_mean != nullptr;
        const float re = centred ? a.frame_mean[frame] : 0.0f;
        const float im = centred ? a.frame_mean[frame + apart] : 0.0f;
#pragma unroll
        for (int j = 0; j < COUNT; j++) {
            x[j] = make_float2(x[j].x - re, (x[j].y - im) * second);
        }
    }
}

__device__ __forceinline__ float2 pair_of(const float4 &v, int p)
{
    return p & 1 ? make_float2(v.z, v.w) : make_float2(v.x, v.y);
}

/* The window on x[0..31] and the first stage, in which x[r] and x[r + 16] meet whatever
 * the radix. */
template <int STEP> __device__ __forceinline__ void apply_window(float2 *x, const float4 *window)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float4 lo = window[i * STEP], hi = window[(i + 4) * STEP];
        const float l[4] = {lo.x, lo.y, lo.z, lo.w}, h[4] = {hi.x, hi.y, hi.z, hi.w};
#pragma unroll
        for (int e = 0; e < 4; e++) {
            windowed_butterfly(x[4 * i + e], x[4 * i + e + 16], l[e], h[e]);
        }
    }
}

/* ---- N = 32 .. 1024: teams within a warp ---- */

template <int LOG2N> struct team_shape {
    static constexpr int n = 1 << LOG2N;
    static constexpr int lanes = n / per_thread; /* of a team, = radix of pass two */
    static constexpr int teams = 32 / lanes;     /* in a warp                      */
    static constexpr bool wide = lanes >= 16;    /* read back 16 bytes at a time   */
    static constexpr int pitch = lanes == 1 ? 1 : lanes + (wide ? 2 : 1);
    /* Teams of a warp begin so many float2 apart that no two of 16 lanes share a bank. */
    static constexpr int area = 32 * pitch + (lanes < 16 ? lanes : 0);
    static constexpr int warps = 4;
    static constexpr int threads = 32 * warps;
    static constexpr int table_float4 = 16 * lanes; /* window, pairs */
    static constexpr size_t shared_bytes =
        table_float4 * sizeof(float4) + (size_t)warps * teams * area * sizeof(float2);
};

/* x[k1 reversed] of lane n2 -> x[i * lanes + n2] of lane k1 % lanes, k1 = lane + lanes i. */
template <class SHAPE>
__device__ __forceinline__ void team_exchange(float2 *x, float2 *area, int lane)
{
    constexpr int lanes = SHAPE::lanes, pitch = SHAPE::pitch;
    __syncwarp();
#pragma unroll
    for (int k1 = 0; k1 < 32; k1++) {
        area[k1 * pitch + lane] = x[reversed(k1, 5)];
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 32 / lanes; i++) {
        const float2 *from = area + (lane + lanes * i) * pitch;
        if constexpr (SHAPE::wide) {
#pragma unroll
            for (int n2 = 0; n2 < lanes; n2 += 2) {
                const float4 v = *reinterpret_cast<const float4 *>(from + n2);
                x[i * lanes + n2] = make_float2(v.x, v.y);
                x[i * lanes + n2 + 1] = make_float2(v.z, v.w);
            }
        } else {
#pragma unroll
            for (int n2 = 0; n2 < lanes; n2++) {
                x[i * lanes + n2] = from[n2];
            }
        }
    }
}

/* The bins of register e after pass two: k = k1 + 32 k2. */
template <int LANES> __device__ __forceinline__ int team_bin(int e, int lane)
{
    constexpr int bits = log2_of(LANES);
    return lane + LANES * (e / LANES) + 32 * reversed(e % LANES, bits);
}

template <int N> __device__ __forceinline__ int shifted(int k, uint32_t mirror)
{
    return (mirror ? (N - k) & (N - 1) : k) ^ (N / 2);
}

/* One-sided power from the powers z of two real frames transformed as one. */
template <int N, int STEP>
__device__ __forceinline__ void fold(const float *z, float *row, int from, float scale)
{
    for (int k = from; k <= N / 2; k += STEP) {
        const float p = z[k];
        row[k] = scale * (k == 0 || k == N / 2 ? p : p + z[N - k]);
    }
}

template <int LOG2N, bool COMPLEX>
__device__ __forceinline__ void team_store(const power_args &a, const float *acc, float *area,
                                           float *row, int lane, bool valid, float scale)
{
    typedef team_shape<LOG2N> shape;
    constexpr int N = shape::n, lanes = shape::lanes;
    if constexpr (COMPLEX) {
#pragma unroll
        for (int e = 0; e < 32; e++) {
            const int k = lanes == 1 ? reversed(e, 5) : team_bin<lanes>(e, lane);
            if (valid) {
                row[shifted<N>(k, a.mirror)] = acc[e] * scale;
            }
        }
    } else {
        __syncwarp();
#pragma unroll
        for (int e = 0; e < 32; e++) {
            area[lanes == 1 ? reversed(e, 5) : team_bin<lanes>(e, lane)] = acc[e];
        }
        __syncwarp();
        if (valid) {
            fold<N, lanes>(area, row, lane, scale);
        }
    }
}

template <int LAYOUT, bool COMPLEX, int LOG2N>
__global__ void __launch_bounds__(team_shape<LOG2N>::threads, 4) team_power(const power_args a)
{
    typedef team_shape<LOG2N> shape;
    constexpr int lanes = shape::lanes;
    extern __shared__ float4 shared[];
    for (int i = threadIdx.x; i < 8 * lanes; i += shape::threads) {
        shared[i] = a.window[i];
        if (lanes > 1) {
            shared[8 * lanes + i] = a.lane_pairs[i];
        }
    }
    __syncthreads();
    const int lane = threadIdx.x % lanes, team = threadIdx.x / lanes;
    const float4 *window = shared + lane, *pairs = shared + 8 * lanes + lane;
    float2 *area = reinterpret_cast<float2 *>(shared + shape::table_float4) + team * shape::area;
    const uint32_t teams = gridDim.x * (shape::threads / lanes);
    const uint32_t step = COMPLEX || !a.paired ? 1 : 2;

    /* All lanes of a warp go round together; a team without a group works on group 0 and
     * keeps nothing. */
    uint32_t mine = blockIdx.x * (shape::threads / lanes) + team;
    for (uint32_t base = mine - (threadIdx.x % 32) / lanes; base < a.n_groups;
         base += teams, mine += teams) {
        const bool valid = mine < a.n_groups;
        const group_span span = span_of(a, valid ? mine : 0);
        const uint32_t rounds = lanes == 32 ? span.count : largest_of_warp(span.count);
        float acc[32];
#pragma unroll
        for (int e = 0; e < 32; e++) {
            acc[e] = 0.0f;
        }
        for (uint32_t f = 0; f < rounds; f += step) {
            const bool there = lanes == 32 || f < span.count;
            const uint32_t frame = span.first + (there ? f : 0);
            const bool two = !COMPLEX && step == 2 && there && f + 1 < span.count;
            float2 x[32];
            load_samples<LAYOUT, COMPLEX, lanes, 32>(a, frame, lane, two, two ? 1.0f : 0.0f, x);
            apply_window<lanes>(x, window);
            dft<32, 1, 1>(x);
            if constexpr (lanes > 1) {
                team_exchange<shape>(x, area, lane);
#pragma unroll
                for (int i = 0; i < 32 / lanes; i++) {
                    dft_twiddled<lanes, 1>(x + i * lanes, [&](int p) {
                        const int q = i * (lanes / 2) + p;
                        return pair_of(pairs[q / 2 * lanes], q);
                    });
                }
            }
            if (there) {
#pragma unroll
                for (int e = 0; e < 32; e++) {
                    acc[e] = fmaf(x[e].x, x[e].x, fmaf(x[e].y, x[e].y, acc[e]));
                }
            }
        }
        team_store<LOG2N, COMPLEX>(a, acc, reinterpret_cast<float *>(area),
                                   a.rows + mine * a.row_pitch, lane, valid,
                                   a.mean ? 1.0f / (float)span.count : 1.0f);
    }
}

/* ---- transforms of 1024 by one warp, from x[n1] of lane n2 on ---- */

constexpr int warp_pitch = 34;
constexpr int warp_area = 32 * warp_pitch; /* float2 */

struct warp_shape {
    static constexpr int lanes = 32, pitch = warp_pitch;
    static constexpr bool wide = true;
};

__device__ __forceinline__ void warp_transform(float2 *x, float2 *area, const float4 *warp_pairs,
                                               const float4 *lane_pairs, int lane)
{
    dft_twiddled<32, 1>(x, [&](int p) { return pair_of(__ldg(warp_pairs + p / 2), p); });
    team_exchange<warp_shape>(x, area, lane);
    dft_twiddled<32, 1>(x, [&](int p) { return pair_of(__ldg(lane_pairs + p / 2 * 32), p); });
}

__device__ __forceinline__ void add_power(float *acc, const float2 *x)
{
#pragma unroll
    for (int e = 0; e < 32; e++) {
        acc[e] = fmaf(x[e].x, x[e].x, fmaf(x[e].y, x[e].y, acc[e]));
    }
}

/* ---- N = 2048 .. 32768: R warps, of one block or a cluster of two ---- */

template <int LOG2N> struct block_shape {
    static constexpr int n = 1 << LOG2N;
    static constexpr int radix = n / 1024;
    static constexpr int blocks = radix > 16 ? 2 : 1; /* of a cluster */
    static constexpr int rows = radix / blocks;       /* = warps of a block */
    static constexpr int threads = 32 * rows;
    static constexpr int all_threads = 32 * radix;
    static constexpr int store_pitch = 1024 + (rows < 32 ? 32 / rows : 1); /* floats */
    static constexpr size_t shared_bytes = (size_t)rows * warp_area * sizeof(float2);
};

template <int BLOCKS> __device__ __forceinline__ void block_barrier()
{
    if constexpr (BLOCKS == 1) {
        __syncthreads();
    } else {
#if __CUDA_ARCH__ >= 900
        cooperative_groups::this_cluster().sync();
#endif
    }
}

template <int BLOCKS> __device__ __forceinline__ float2 *rows_of_block(float2 *own, int block)
{
#if __CUDA_ARCH__ >= 900
    if constexpr (BLOCKS > 1) {
        return cooperative_groups::this_cluster().map_shared_rank(own, block);
    }
#endif
    (void)block;
    return own;
}

/* Through shared memory, so that the row is written in order. */
template <int LOG2N, bool COMPLEX>
__device__ __forceinline__ void block_store(const power_args &a, const float *acc, float2 *area,
                                            float *row, int warp, int lane, int rank, float scale)
{
    typedef block_shape<LOG2N> shape;
    constexpr int N = shape::n, radix = shape::radix, rows = shape::rows;
    float *own = reinterpret_cast<float *>(area);
    block_barrier<shape::blocks>();
#pragma unroll
    for (int e = 0; e < 32; e++) {
        own[warp * shape::store_pitch + lane + 32 * reversed(e, 5)] = acc[e];
    }
    block_barrier<shape::blocks>();
    for (int i = threadIdx.x; i < rows * 1024; i += shape::threads) {
        const int k0 = i % rows, rest = i / rows;
        const int k = rank * rows + k0 + radix * rest;
        const float p = own[k0 * shape::store_pitch + rest];
        if constexpr (COMPLEX) {
            row[shifted<N>(k, a.mirror)] = p * scale;
        } else if (k <= N / 2) {
            const int other = N - k, row_there = other % radix;
            const float *there = reinterpret_cast<const float *>(
                rows_of_block<shape::blocks>(area, row_there / rows));
            const bool alone = k == 0 || k == N / 2;
            row[k] = scale *
                     (alone ? p : p + there[row_there % rows * shape::store_pitch + other / radix]);
        }
    }
}

template <int LAYOUT, bool COMPLEX, int LOG2N>
__global__ void __launch_bounds__(block_shape<LOG2N>::threads, 512 / block_shape<LOG2N>::threads)
    block_power(const power_args a)
{
    typedef block_shape<LOG2N> shape;
    constexpr int radix = shape::radix, T = shape::all_threads, columns = 32 / radix;
    constexpr int bits = log2_of(radix);
    extern __shared__ float4 shared[];
    float2 *area = reinterpret_cast<float2 *>(shared);
    const int rank = shape::blocks == 1 ? 0 : (int)(blockIdx.x % shape::blocks);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, k0 = rank * shape::rows + warp;
    const int t = rank * shape::threads + threadIdx.x;
    float2 *halves[shape::blocks];
#pragma unroll
    for (int b = 0; b < shape::blocks; b++) {
        halves[b] = rows_of_block<shape::blocks>(area, b) + t;
    }
    float2 *own = area + warp * warp_area;
    const float4 *window = a.window + t, *warp_pairs = a.warp_pairs + k0 * 8;
    const float4 *lane_pairs = a.lane_pairs + k0 * 256 + lane;
    const uint32_t step = COMPLEX || !a.paired ? 1 : 2;

    for (uint32_t g = blockIdx.x / shape::blocks; g < a.n_groups; g += gridDim.x / shape::blocks) {
        const group_span span = span_of(a, g);
        float acc[32];
#pragma unroll
        for (int e = 0; e < 32; e++) {
            acc[e] = 0.0f;
        }
        for (uint32_t f = 0; f < span.count; f += step) {
            const bool two = !COMPLEX && step == 2 && f + 1 < span.count;
            float2 x[32];
            load_samples<LAYOUT, COMPLEX, T, 32>(a, span.first + f, t, two, two ? 1.0f : 0.0f, x);
            apply_window<T>(x, window);
#pragma unroll
            for (int i = 0; i < columns; i++) {
                dft<radix, columns, 1>(x + i);
            }
            block_barrier<shape::blocks>(); /* all rows have been read */
#pragma unroll
            for (int i = 0; i < columns; i++) {
#pragma unroll
                for (int k = 0; k < radix; k++) {
                    halves[k / shape::rows][k % shape::rows * warp_area + T * i] =
                        x[i + columns * reversed(k, bits)];
                }
            }
            block_barrier<shape::blocks>();
#pragma unroll
            for (int n1 = 0; n1 < 32; n1++) {
                x[n1] = own[lane + 32 * n1];
            }
            warp_transform(x, own, warp_pairs, lane_pairs, lane);
            add_power(acc, x);
        }
        block_store<LOG2N, COMPLEX>(a, acc, area, a.rows + g * a.row_pitch, warp, lane, rank,
                                    a.mean ? 1.0f / (float)span.count : 1.0f);
    }
    block_barrier<shape::blocks>(); /* the other block may still read this one's rows */
}

/* ---- N > 32768: columns of R = N/1024 points, then rows of 1024 ---- */

template <int RADIX> struct column_shape {
    static constexpr int width = RADIX > 512 ? 16 : 32; /* adjacent columns of a block */
    static constexpr int second = RADIX / 32;           /* radix of the second pass    */
    static constexpr int threads = width * second;
    static constexpr size_t shared_bytes = second == 1 ? 0 : (size_t)RADIX * width * sizeof(float2);
};

/* Block (c, u, g): columns c * width ... of the u-th frame (or pair) at hand of group g. */
template <int LAYOUT, bool COMPLEX, int RADIX>
__global__ void __launch_bounds__(column_shape<RADIX>::threads, 512 / column_shape<RADIX>::threads)
    column_pass(const power_args a)
{
    typedef column_shape<RADIX> shape;
    constexpr int width = shape::width, second = shape::second, each = 32 / second;
    constexpr int bits = log2_of(second);
    extern __shared__ float4 shared[];
    float2 *area = reinterpret_cast<float2 *>(shared);
    const int lane = threadIdx.x % width, sub = threadIdx.x / width;
    const int column = blockIdx.x * width + lane;
    const uint32_t step = COMPLEX || !a.paired ? 1 : 2;
    const group_span span = span_of(a, a.first_group + blockIdx.z);
    const uint32_t f = (a.first_unit + blockIdx.y) * step;
    if (f >= span.count) {
        return;
    }
    const bool two = !COMPLEX && step == 2 && f + 1 < span.count;
    float2 x[32];
    load_samples<LAYOUT, COMPLEX, second * 1024, 32>(a, span.first + f, column + 1024 * sub, two,
                                                     two ? 1.0f : 0.0f, x);
    const float *window = reinterpret_cast<const float *>(a.window) + column + 1024 * sub;
#pragma unroll
    for (int j = 0; j < 16; j++) {
        const float l = __ldg(window + j * second * 1024);
        const float h = __ldg(window + (j + 16) * second * 1024);
        windowed_butterfly(x[j], x[j + 16], l, h);
    }
    dft<32, 1, 1>(x);
    float2 *out = a.columns + ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * RADIX * 1024 + column;
    if constexpr (second == 1) {
#pragma unroll
        for (int k = 0; k < 32; k++) {
            out[(size_t)k * 1024] = x[reversed(k, 5)];
        }
    } else {
#pragma unroll
        for (int k = 0; k < 32; k++) {
            area[(k * second + sub) * width + lane] = x[reversed(k, 5)];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < each; i++) {
            const int kb = sub + second * i;
#pragma unroll
            for (int n = 0; n < second; n++) {
                x[i * second + n] = area[(kb * second + n) * width + lane];
            }
            dft_twiddled<second, 1>(x + i * second, [&](int p) {
                const int q = i * (second / 2) + p;
                return pair_of(__ldg(a.column_pairs + q / 2 * second + sub), q);
            });
#pragma unroll
            for (int n = 0; n < second; n++) {
                const int k = kb + 32 * reversed(n, bits);
                out[(size_t)k * 1024] = x[i * second + n];
            }
        }
    }
}

/* ---- what there is, for the launcher ---- */

struct kernel_info {
    const void *function;
    int threads, blocks_of_cluster, groups_per_block; /* groups: 0 for columns */
    int column_width;
    size_t shared_bytes;
};

template <int LAYOUT, bool COMPLEX, int LOG2N> kernel_info team_info()
{
    typedef team_shape<LOG2N> shape;
    return {(const void *)team_power<LAYOUT, COMPLEX, LOG2N>,
            shape::threads,
            1,
            shape::warps * shape::teams,
            0,
            shape::shared_bytes};
}

template <int LAYOUT, bool COMPLEX, int LOG2N> kernel_info block_info()
{
    typedef block_shape<LOG2N> shape;
    return {(const void *)block_power<LAYOUT, COMPLEX, LOG2N>,
            shape::threads,
            shape::blocks,
            1,
            0,
            shape::shared_bytes};
}

template <int LAYOUT, bool COMPLEX, int RADIX> kernel_info column_info()
{
    typedef column_shape<RADIX> shape;
    return {(const void *)column_pass<LAYOUT, COMPLEX, RADIX>,
            shape::threads,
            1,
            0,
            shape::width,
            shape::shared_bytes};
}

/* log2n = 5 .. 20; nothing (function NULL) for others. One call per layout and kind
 * instantiates all kernels of it. */
template <int LAYOUT, bool COMPLEX> kernel_info find_kernel(int log2n, bool columns)
{
    switch (log2n + (columns ? 100 : 0)) {
    case 5:
        return team_info<LAYOUT, COMPLEX, 5>();
    case 6:
        return team_info<LAYOUT, COMPLEX, 6>();
    case 7:
        return team_info<LAYOUT, COMPLEX, 7>();
    case 8:
        return team_info<LAYOUT, COMPLEX, 8>();
    case 9:
        return team_info<LAYOUT, COMPLEX, 9>();
    case 10:
        return team_info<LAYOUT, COMPLEX, 10>();
    case 11:
        return block_info<LAYOUT, COMPLEX, 11>();
    case 12:
        return block_info<LAYOUT, COMPLEX, 12>();
    case 13:
        return block_info<LAYOUT, COMPLEX, 13>();
    case 14:
        return block_info<LAYOUT, COMPLEX, 14>();
    case 15:
        return block_info<LAYOUT, COMPLEX, 15>();
    case 115:
        return column_info<LAYOUT, COMPLEX, 32>();
    case 116:
        return column_info<LAYOUT, COMPLEX, 64>();
    case 117:
        return column_info<LAYOUT, COMPLEX, 128>();
    case 118:
        return column_info<LAYOUT, COMPLEX, 256>();
    case 119:
        return column_info<LAYOUT, COMPLEX, 512>();
    case 120:
        return column_info<LAYOUT, COMPLEX, 1024>();
    default:
        return {};
    }
}

/* One file per layout, so that they compile side by side. */
kernel_info find_u8(bool is_complex, int log2n, bool columns);
kernel_info find_s8(bool is_complex, int log2n, bool columns);
kernel_info find_s16(bool is_complex, int log2n, bool columns);
kernel_info find_f32(bool is_complex, int log2n, bool columns);

} /* namespace weir */

#endif
