/* The fused kernels: raw samples in, summed powers out. Only included by .cu files.
 *
 * N = 32 .. 1024: a team of N/32 lanes of a warp does a transform, in two register passes
 * (radix 32, radix N/32) with one exchange through shared memory of its own.
 * N = 2048, 4096: power_wide.cuh.
 * N = 8192 .. 32768: R = N/1024 warps do a radix-R pass, exchange through shared memory
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
 *   window[8][N/32]      float4: window of samples t + (N/32)(4i .. 4i+3) (columns: plain)
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

__host__ __device__ __forceinline__ group_span span_of(const power_args &a, uint32_t index)
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

/* Touches every sector of a frame, so that its samples come from the first-level cache
 * when they are wanted. LANES threads, EACH samples each. */
template <int LAYOUT, bool COMPLEX, int EACH, int LANES>
__device__ __forceinline__ void prefetch_frame(const power_args &a, uint32_t frame, int lane)
{
    constexpr int bytes = sizeof(typename scalar_of<LAYOUT>::type) * (COMPLEX ? 2 : 1);
    const unsigned char *p = a.raw + frame * a.hop * bytes + 32 * lane;
#pragma unroll
    for (int i = 0; i < bytes * EACH / 32; i++) {
        asm volatile("prefetch.global.L1 [%0];" ::"l"(p + 32 * LANES * i));
    }
}

/* The same value, but the compiler does not know: what follows from it is computed where it
 * is used, not kept in registers over a loop. */
__device__ __forceinline__ int hidden(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

__device__ __forceinline__ float2 pair_of(const float4 &v, int p)
{
    return p & 1 ? make_float2(v.z, v.w) : make_float2(v.x, v.y);
}

/* The window on x[0 .. EACH-1] and the first stage, in which x[r] and x[r + EACH/2] meet
 * whatever the radix. */
template <int EACH, int STEP>
__device__ __forceinline__ void apply_window(float2 *x, const float4 *window)
{
#pragma unroll
    for (int i = 0; i < EACH / 8; i++) {
        const float4 lo = window[i * STEP], hi = window[(i + EACH / 8) * STEP];
        const float l[4] = {lo.x, lo.y, lo.z, lo.w}, h[4] = {hi.x, hi.y, hi.z, hi.w};
#pragma unroll
        for (int e = 0; e < 4; e++) {
            windowed_butterfly(x[4 * i + e], x[4 * i + e + EACH / 2], l[e], h[e]);
        }
    }
}

template <int EACH> __device__ __forceinline__ void clear(float *acc)
{
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        acc[e] = 0.0f;
    }
}

template <int EACH> __device__ __forceinline__ void add_power(float *acc, const float2 *x)
{
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        acc[e] = fmaf(x[e].x, x[e].x, fmaf(x[e].y, x[e].y, acc[e]));
    }
}

/* ---- N = 32 .. 1024: teams of a warp or less ---- */

template <int LOG2N> struct team_shape {
    static constexpr int n = 1 << LOG2N;
    static constexpr int each = 32;           /* values of a thread, = radix one */
    static constexpr int lanes = n / each;    /* of a team, = radix of pass two  */
    static constexpr bool wide = lanes >= 16; /* read back 16 bytes at a time    */
    static constexpr int pitch = lanes == 1 ? 1 : lanes + (wide ? 2 : 1);
    /* Teams of a warp begin so many float2 apart that no two of 16 lanes share a bank. */
    static constexpr int area = each * pitch + (lanes < 16 ? lanes : 0);
    static constexpr int threads = 128;
    static constexpr int teams = threads / lanes;  /* of a block */
    static constexpr int table = each / 4 * lanes; /* float4 of one table */
    static constexpr size_t shared_bytes =
        2 * table * sizeof(float4) + (size_t)teams * area * sizeof(float2);
    static constexpr bool prefetches = n >= 512; /* where it was measured to pay */
};

/* x[k1 reversed] of lane n2 -> x[i * lanes + n2] of lane k1 % lanes, k1 = lane + lanes i. */
template <class SHAPE>
__device__ __forceinline__ void team_exchange(float2 *x, float2 *area, int lane)
{
    constexpr int each = SHAPE::each, lanes = SHAPE::lanes, pitch = SHAPE::pitch;
    constexpr int bits = log2_of(each);
    __syncwarp();
#pragma unroll
    for (int k1 = 0; k1 < each; k1++) {
        area[k1 * pitch + lane] = x[reversed(k1, bits)];
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < each / lanes; i++) {
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

/* The bin of register e after pass two: k = k1 + each k2. */
template <class SHAPE> __device__ __forceinline__ int team_bin(int e, int lane)
{
    constexpr int each = SHAPE::each, lanes = SHAPE::lanes;
    constexpr int bits = lanes == 1 ? log2_of(each) : log2_of(lanes);
    return lanes == 1 ? reversed(e, bits)
                      : lane + lanes * (e / lanes) + each * reversed(e % lanes, bits);
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

template <class SHAPE, bool COMPLEX>
__device__ __forceinline__ void team_store(const power_args &a, const float *acc, float *area,
                                           float *row, int lane, bool valid, float scale)
{
    constexpr int N = SHAPE::n, lanes = SHAPE::lanes;
    if constexpr (COMPLEX) {
#pragma unroll
        for (int e = 0; e < SHAPE::each; e++) {
            if (valid) {
                row[shifted<N>(team_bin<SHAPE>(e, lane), a.mirror)] = acc[e] * scale;
            }
        }
    } else {
        __syncwarp();
#pragma unroll
        for (int e = 0; e < SHAPE::each; e++) {
            area[team_bin<SHAPE>(e, lane)] = acc[e];
        }
        __syncwarp();
        if (valid) {
            fold<N, lanes>(area, row, lane, scale);
        }
    }
}

template <class SHAPE>
__device__ __forceinline__ void team_transform(float2 *x, const float4 *window, const float4 *pairs,
                                               float2 *area, int lane)
{
    constexpr int each = SHAPE::each, lanes = SHAPE::lanes;
    apply_window<each, lanes>(x, window);
    dft<each, 1, 1>(x);
    if constexpr (lanes > 1) {
        team_exchange<SHAPE>(x, area, lane);
#pragma unroll
        for (int i = 0; i < each / lanes; i++) {
            dft_twiddled<lanes, 1>(x + i * lanes, [&](int p) {
                const int q = i * (lanes / 2) + p;
                return pair_of(pairs[q / 2 * lanes], q);
            });
        }
    }
}

template <int LAYOUT, bool COMPLEX, int LOG2N>
__global__ void __launch_bounds__(team_shape<LOG2N>::threads, 4) team_power(const power_args a)
{
    typedef team_shape<LOG2N> shape;
    constexpr int each = shape::each, lanes = shape::lanes, teams_of_block = shape::teams;
    extern __shared__ float4 shared[];
    for (int i = threadIdx.x; i < shape::table; i += shape::threads) {
        shared[i] = a.window[i];
        if (lanes > 1) {
            shared[shape::table + i] = a.lane_pairs[i];
        }
    }
    __syncthreads();
    const int lane = threadIdx.x % lanes, team = threadIdx.x / lanes;
    const float4 *window = shared + lane, *pairs = shared + shape::table + lane;
    float2 *areas = reinterpret_cast<float2 *>(shared + 2 * shape::table);
    float2 *area = areas + team * shape::area;
    const uint32_t teams = gridDim.x * teams_of_block;
    const uint32_t step = COMPLEX || !a.paired ? 1 : 2;

    /* All lanes of a warp go round together; a team without a group works on group 0 and
     * keeps nothing. */
    constexpr int teams_of_warp = 32 / lanes;
    uint32_t mine = blockIdx.x * teams_of_block + team;
    for (uint32_t base = mine - team % teams_of_warp; base < a.n_groups;
         base += teams, mine += teams) {
        const bool valid = mine < a.n_groups;
        const group_span span = span_of(a, valid ? mine : 0);
        const uint32_t rounds = lanes >= 32 ? span.count : largest_of_warp(span.count);
        float acc[each];
        clear<each>(acc);
        for (uint32_t f = 0; f < rounds; f += step) {
            const bool there = lanes >= 32 || f < span.count;
            const uint32_t frame = span.first + (there ? f : 0);
            const bool two = !COMPLEX && step == 2 && there && f + 1 < span.count;
            float2 x[each];
            load_samples<LAYOUT, COMPLEX, lanes, each>(a, frame, lane, two, two ? 1.0f : 0.0f, x);
            if (shape::prefetches && f + step < span.count) {
                prefetch_frame<LAYOUT, COMPLEX, each, lanes>(a, frame + step, lane);
            }
            team_transform<shape>(x, window, pairs, area, lane);
            if (there) {
                add_power<each>(acc, x);
            }
        }
        team_store<shape, COMPLEX>(a, acc, reinterpret_cast<float *>(area),
                                   a.rows + mine * a.row_pitch, lane, valid,
                                   a.mean ? 1.0f / (float)span.count : 1.0f);
    }
}

#include "cuda/power_wide.cuh"

/* ---- transforms of 1024 by one warp, from x[n1] of lane n2 on ---- */

constexpr int warp_pitch = 34;
constexpr int warp_area = 32 * warp_pitch; /* float2 */

struct warp_shape {
    static constexpr int each = 32, lanes = 32, pitch = warp_pitch;
    static constexpr bool wide = true;
};

template <class DONE>
__device__ __forceinline__ void warp_transform(float2 *x, float2 *area, const float4 *warp_pairs,
                                               const float4 *lane_pairs, int lane,
                                               const DONE &area_read)
{
    dft_twiddled<32, 1>(x, [&](int p) { return pair_of(__ldg(warp_pairs + p / 2), p); });
    team_exchange<warp_shape>(x, area, lane);
    area_read();
    dft_twiddled<32, 1>(x, [&](int p) { return pair_of(__ldg(lane_pairs + p / 2 * 32), p); });
}

/* ---- N = 8192 .. 32768 (4096 where shared memory is short): R warps, of one block or a
 * cluster of two ---- */

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

/* Between the last reading of the rows and their next writing. In a cluster, where barriers
 * take long, every warp says early that it has read and waits much later. */
template <int BLOCKS> __device__ __forceinline__ void rows_were_read()
{
#if __CUDA_ARCH__ >= 900
    if constexpr (BLOCKS > 1) {
        cooperative_groups::this_cluster().barrier_arrive();
    }
#endif
}

template <int BLOCKS> __device__ __forceinline__ void wait_for_rows()
{
#if __CUDA_ARCH__ >= 900
    if constexpr (BLOCKS > 1) {
        cooperative_groups::this_cluster().barrier_wait();
        return;
    }
#endif
    __syncthreads();
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
    const uint32_t step = COMPLEX || !a.paired ? 1 : 2;
    if (shape::blocks > 1) {
        block_barrier<shape::blocks>(); /* the other block must be there to be written to */
    }

    for (uint32_t g = blockIdx.x / shape::blocks; g < a.n_groups; g += gridDim.x / shape::blocks) {
        const group_span span = span_of(a, g);
        float acc[32];
        clear<32>(acc);
        for (uint32_t f = 0; f < span.count; f += step) {
            const bool two = !COMPLEX && step == 2 && f + 1 < span.count;
            const int here = hidden(t), row = here / 32;
            float2 x[32];
            load_samples<LAYOUT, COMPLEX, T, 32>(a, span.first + f, here, two, two ? 1.0f : 0.0f,
                                                 x);
            apply_window<32, T>(x, a.window + here);
#pragma unroll
            for (int i = 0; i < columns; i++) {
                dft<radix, columns, 1>(x + i);
            }
            if (f > 0) {
                wait_for_rows<shape::blocks>();
            }
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
            const bool more = f + step < span.count;
            if (more) {
                prefetch_frame<LAYOUT, COMPLEX, 32, T>(a, span.first + f + step, here);
            }
            warp_transform(x, own, a.warp_pairs + row * 8, a.lane_pairs + row * 256 + lane, lane,
                           [&] {
                               if (more) {
                                   rows_were_read<shape::blocks>();
                               }
                           });
            add_power<32>(acc, x);
        }
        block_store<LOG2N, COMPLEX>(a, acc, area, a.rows + g * a.row_pitch, warp, lane, rank,
                                    a.mean ? 1.0f / (float)span.count : 1.0f);
        block_barrier<shape::blocks>(); /* all of the row has been read */
    }
}

/* ---- N > 32768: columns of R = N/1024 points, then rows of 1024 ---- */

template <int RADIX> struct column_shape {
    /* Adjacent columns of a block; of at most 256 threads, so that there are several. */
    static constexpr int width = RADIX > 256 ? 8192 / RADIX : 32;
    static constexpr int second = RADIX / 32; /* radix of the second pass    */
    static constexpr int threads = width * second;
    static constexpr size_t shared_bytes = second == 1 ? 0 : (size_t)RADIX * width * sizeof(float2);
};

/* After the pass over the high digit: exchange, the pass over the low one, and out. */
template <int RADIX>
__device__ __forceinline__ void column_finish(float2 *x, float2 *area, float2 *out,
                                              const float4 *pairs, int lane, int sub)
{
    typedef column_shape<RADIX> shape;
    constexpr int width = shape::width, second = shape::second, bits = log2_of(second);
    if constexpr (second == 1) {
#pragma unroll
        for (int k = 0; k < 32; k++) {
            out[(size_t)k * 1024] = x[reversed(k, 5)];
        }
        return;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k++) {
        area[(k * second + sub) * width + lane] = x[reversed(k, 5)];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32 / second; i++) {
        const int kb = sub + second * i;
#pragma unroll
        for (int n = 0; n < second; n++) {
            x[i * second + n] = area[(kb * second + n) * width + lane];
        }
        dft_twiddled<second, 1>(x + i * second, [&](int p) {
            const int q = i * (second / 2) + p;
            return pair_of(__ldg(pairs + q / 2 * second + sub), q);
        });
#pragma unroll
        for (int n = 0; n < second; n++) {
            out[(size_t)(kb + 32 * reversed(n, bits)) * 1024] = x[i * second + n];
        }
    }
}

/* Block (c, u, g): columns c * width ... of units u, u + gridDim.y ... at hand of group g;
 * the window stays in registers. */
template <int LAYOUT, bool COMPLEX, int RADIX>
__global__ void __launch_bounds__(column_shape<RADIX>::threads, 512 / column_shape<RADIX>::threads)
    column_pass(const power_args a)
{
    typedef column_shape<RADIX> shape;
    constexpr int width = shape::width, second = shape::second;
    extern __shared__ float4 shared[];
    float2 *area = reinterpret_cast<float2 *>(shared);
    const int lane = threadIdx.x % width, sub = threadIdx.x / width;
    const int column = blockIdx.x * width + lane, first = column + 1024 * sub;
    const uint32_t step = COMPLEX || !a.paired ? 1 : 2;
    const group_span span = span_of(a, a.first_group + blockIdx.z);
    float w[32];
#pragma unroll
    for (int j = 0; j < 32; j++) {
        w[j] = __ldg(reinterpret_cast<const float *>(a.window) + first + j * second * 1024);
    }
    for (uint32_t u = blockIdx.y; u < a.n_units; u += gridDim.y) {
        const uint32_t f = (a.first_unit + u) * step;
        if (f >= span.count) {
            return;
        }
        const bool two = !COMPLEX && step == 2 && f + 1 < span.count;
        float2 x[32];
        load_samples<LAYOUT, COMPLEX, second * 1024, 32>(a, span.first + f, first, two,
                                                         two ? 1.0f : 0.0f, x);
#pragma unroll
        for (int j = 0; j < 16; j++) {
            windowed_butterfly(x[j], x[j + 16], w[j], w[j + 16]);
        }
        dft<32, 1, 1>(x);
        float2 *out = a.columns + ((size_t)blockIdx.z * a.n_units + u) * RADIX * 1024 + column;
        column_finish<RADIX>(x, area, out, a.column_pairs, lane, sub);
    }
}

/* ---- what there is, for the launcher ---- */

/* How the work of a transform is shared out, and with that which tables it needs. */
enum family { NONE, TEAMS, WIDE, BLOCKS, COLUMNS };

struct kernel_info {
    family kind;
    const void *function;
    int threads, blocks_of_cluster, groups_per_block; /* groups: 0 for columns */
    int column_width;
    size_t shared_bytes;
};

template <int LAYOUT, bool COMPLEX, int LOG2N> kernel_info team_info()
{
    typedef team_shape<LOG2N> shape;
    return {TEAMS,
            (const void *)team_power<LAYOUT, COMPLEX, LOG2N>,
            shape::threads,
            1,
            shape::teams,
            0,
            shape::shared_bytes};
}

/* As many teams as there is shared memory for; none: no kernel. */
template <int LAYOUT, bool COMPLEX, int LOG2N> kernel_info wide_info(size_t shared_limit)
{
    typedef wide_shape<LOG2N> shape;
    const size_t room = shared_limit - min(shared_limit, shape::tables_bytes);
    const int teams = min((int)(room / shape::team_bytes), shape::most_threads / shape::lanes);
    if (teams == 0) {
        return {};
    }
    return {WIDE, (const void *)wide_power<LAYOUT, COMPLEX, LOG2N>, teams * shape::lanes, 1, teams,
            0,    shape::tables_bytes + teams * shape::team_bytes};
}

template <int LAYOUT, bool COMPLEX, int LOG2N> kernel_info block_info()
{
    typedef block_shape<LOG2N> shape;
    return {BLOCKS,
            (const void *)block_power<LAYOUT, COMPLEX, LOG2N>,
            shape::threads,
            shape::blocks,
            1,
            0,
            shape::shared_bytes};
}

template <int LAYOUT, bool COMPLEX, int RADIX> kernel_info column_info()
{
    typedef column_shape<RADIX> shape;
    return {COLUMNS,
            (const void *)column_pass<LAYOUT, COMPLEX, RADIX>,
            shape::threads,
            1,
            0,
            shape::width,
            shape::shared_bytes};
}

/* The table of kernels: which does n points on a device of this kind. NONE for what no
 * kernel does. One call per layout and kind instantiates all kernels of it. */
struct device_limits {
    size_t shared_bytes; /* of a block */
    bool has_clusters;
};

template <int LAYOUT, bool COMPLEX> kernel_info find_kernel(size_t n, const device_limits &device)
{
    const kernel_info wide_12 = wide_info<LAYOUT, COMPLEX, 12>(device.shared_bytes);
    switch (n) {
    case 1 << 5:
        return team_info<LAYOUT, COMPLEX, 5>();
    case 1 << 6:
        return team_info<LAYOUT, COMPLEX, 6>();
    case 1 << 7:
        return team_info<LAYOUT, COMPLEX, 7>();
    case 1 << 8:
        return team_info<LAYOUT, COMPLEX, 8>();
    case 1 << 9:
        return team_info<LAYOUT, COMPLEX, 9>();
    case 1 << 10:
        return team_info<LAYOUT, COMPLEX, 10>();
    case 1 << 11:
        return wide_info<LAYOUT, COMPLEX, 11>(device.shared_bytes);
    case 1 << 12:
        return wide_12.kind == WIDE ? wide_12 : block_info<LAYOUT, COMPLEX, 12>();
    case 1 << 13:
        return block_info<LAYOUT, COMPLEX, 13>();
    case 1 << 14:
        return block_info<LAYOUT, COMPLEX, 14>();
    case 1 << 15:
        return device.has_clusters ? block_info<LAYOUT, COMPLEX, 15>()
                                   : column_info<LAYOUT, COMPLEX, 32>();
    case 1 << 16:
        return column_info<LAYOUT, COMPLEX, 64>();
    case 1 << 17:
        return column_info<LAYOUT, COMPLEX, 128>();
    case 1 << 18:
        return column_info<LAYOUT, COMPLEX, 256>();
    case 1 << 19:
        return column_info<LAYOUT, COMPLEX, 512>();
    case 1 << 20:
        return column_info<LAYOUT, COMPLEX, 1024>();
    default:
        return {};
    }
}

/* One file per layout, so that they compile side by side. */
kernel_info find_u8(bool is_complex, size_t n, const device_limits &device);
kernel_info find_s8(bool is_complex, size_t n, const device_limits &device);
kernel_info find_s16(bool is_complex, size_t n, const device_limits &device);
kernel_info find_f32(bool is_complex, size_t n, const device_limits &device);

} /* namespace weir */

#endif
