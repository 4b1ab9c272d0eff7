/* N = 2048 and 4096: a team of N/32 threads does a transform, in passes of radix R = N/256,
 * 16 and 16. Only included by power_kernels.cuh.
 *
 * n = n2 + 16 n1 + 256 n0 and k = k0 + R (k1 + 16 k2). A thread holds two neighbouring
 * columns (32 values), so that samples are loaded and values exchanged two at a time, 16
 * bytes of shared memory an access. The first exchange is the team's, R rows (k0) of 256;
 * the second stays in a row, which eight lanes of one warp own. Rows lie 288 apart, so
 * that in the second exchange sixteen lines of 18 fit; no access has a bank conflict.
 *
 * One block a multiprocessor: its teams share the tables, wait for each other by barriers of
 * their own, and leave the first-level cache what they do not take of shared memory.
 *
 * Tables (spectrum_tables.c), float4:
 *   window[8][N/32]      of samples 2t + h + N/16 (4i .. 4i+3), [2 i + h][t]
 *   outer[8][N/32]       third pass, pairs of (W_N^(k0 + R k1))^n2, of k1 = t % 8, then + 8
 *   inner[R][4]          second pass, pairs of (W_(N/16)^k0)^n1
 */
#ifndef WEIR_CUDA_POWER_WIDE_CUH
#define WEIR_CUDA_POWER_WIDE_CUH

template <int LOG2N> struct wide_shape {
    static constexpr int n = 1 << LOG2N;
    static constexpr int radix = n / 256, columns = 16 / radix;
    static constexpr int lanes = n / 32;     /* threads of a team          */
    static constexpr int most_threads = 512; /* of a block                 */
    static constexpr int pitch = 288, line = 18, area = radix * pitch; /* float2 */
    static constexpr int table = n / 4;                                /* float4 */
    static constexpr size_t tables_bytes = (2 * table + 4 * radix) * sizeof(float4);
    static constexpr size_t team_bytes = area * sizeof(float2);
};

__device__ __forceinline__ void wide_barrier(int team, int n_threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(1 + team), "r"(n_threads) : "memory");
}

/* Two neighbouring samples of one channel or of I and Q, as they are loaded. */
template <int LAYOUT, bool COMPLEX> struct two_samples;
template <> struct two_samples<U8, false> {
    typedef unsigned short type;
};
template <> struct two_samples<U8, true> {
    typedef unsigned type;
};
template <> struct two_samples<S8, false> {
    typedef unsigned short type;
};
template <> struct two_samples<S8, true> {
    typedef unsigned type;
};
template <> struct two_samples<S16, false> {
    typedef unsigned type;
};
template <> struct two_samples<S16, true> {
    typedef uint2 type;
};
template <> struct two_samples<F32, false> {
    typedef float2 type;
};
template <> struct two_samples<F32, true> {
    typedef float4 type;
};

__device__ __forceinline__ unsigned short joined(unsigned char a, unsigned char b)
{
    return (unsigned short)(a | b << 8);
}

__device__ __forceinline__ unsigned joined(unsigned short a, unsigned short b)
{
    return a | (unsigned)b << 16;
}

__device__ __forceinline__ uint2 joined(unsigned a, unsigned b)
{
    return make_uint2(a, b);
}

__device__ __forceinline__ float2 joined(float a, float b)
{
    return make_float2(a, b);
}

__device__ __forceinline__ float4 joined(float2 a, float2 b)
{
    return make_float4(a.x, a.y, b.x, b.y);
}

/* In one access where they are aligned to it. */
template <int LAYOUT, bool COMPLEX, bool ALIGNED>
__device__ __forceinline__ typename two_samples<LAYOUT, COMPLEX>::type
load_two(const unsigned char *at)
{
    typedef typename two_samples<LAYOUT, COMPLEX>::type two;
    typedef typename scalar_of<LAYOUT>::type scalar;
    typedef typename scalar_of<LAYOUT>::pair pair;
    if constexpr (ALIGNED) {
        return __ldg(reinterpret_cast<const two *>(at));
    } else if constexpr (COMPLEX) {
        const pair *p = reinterpret_cast<const pair *>(at);
        return joined(__ldg(p), __ldg(p + 1));
    } else {
        const scalar *p = reinterpret_cast<const scalar *>(at);
        return joined(__ldg(p), __ldg(p + 1));
    }
}

/* The h-th of two complex samples. */
template <int LAYOUT>
__device__ __forceinline__ float2 complex_of(const typename two_samples<LAYOUT, true>::type &v,
                                             int h, float bias)
{
    if constexpr (LAYOUT == U8 || LAYOUT == S8) {
        const uint32_t u = LAYOUT == S8 ? v ^ 0x80808080u : v;
        return make_float2(from_byte(u, h ? 0x7624 : 0x7604, bias),
                           from_byte(u, h ? 0x7634 : 0x7614, bias));
    } else if constexpr (LAYOUT == S16) {
        return pair_value<S16>(h ? v.y : v.x, bias);
    } else {
        return pair_value<F32>(h ? make_float2(v.z, v.w) : make_float2(v.x, v.y), bias);
    }
}

/* Two real samples. */
template <int LAYOUT>
__device__ __forceinline__ float2 reals_of(const typename two_samples<LAYOUT, false>::type &v,
                                           float bias)
{
    return pair_value<LAYOUT>(v, bias);
}

/* A frame's samples 2t + h + (N/16) i as x[h][i]; or two real frames, the second as imaginary
 * part. What a thread loads, and may load long before it is needed. */
template <int LAYOUT, bool COMPLEX, int STEP> struct wide_samples {
    typedef typename two_samples<LAYOUT, COMPLEX>::type two;
    static constexpr int frames = COMPLEX ? 1 : 2;
    static constexpr int bytes = sizeof(two) / 2;
    /* How many of the next frame's are loaded a pass ahead; a register each. */
    static constexpr int early = COMPLEX && sizeof(two) == 4 ? 0 : 0;
    two raw[frames][16];

    template <int FROM, int END, bool ALIGNED>
    __device__ __forceinline__ void load(const unsigned char *at, size_t apart)
    {
#pragma unroll
        for (int f = 0; f < frames; f++) {
#pragma unroll
            for (int i = FROM; i < END; i++) {
                raw[f][i] = load_two<LAYOUT, COMPLEX, ALIGNED>(at + f * apart + i * STEP * bytes);
            }
        }
    }

    /* Of `lanes` threads, each a sector of 32 bytes after the other. */
    __device__ __forceinline__ void prefetch(const unsigned char *at, int lanes)
    {
#pragma unroll
        for (int i = 0; i < 32 * bytes / 32; i++) {
            asm volatile("prefetch.global.L1 [%0];" ::"l"(at + 32 * lanes * i));
        }
    }

    __device__ __forceinline__ void unpack(float bias, float second, float2 (*x)[16]) const
    {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            if constexpr (COMPLEX) {
                x[0][i] = complex_of<LAYOUT>(raw[0][i], 0, bias);
                x[1][i] = complex_of<LAYOUT>(raw[0][i], 1, bias);
            } else {
                const float2 re = reals_of<LAYOUT>(raw[0][i], bias);
                const float2 im = reals_of<LAYOUT>(raw[frames - 1][i], bias);
                x[0][i] = make_float2(re.x, im.x * second);
                x[1][i] = make_float2(re.y, im.y * second);
            }
        }
    }
};

template <bool COMPLEX>
__device__ __forceinline__ void subtract_means(const power_args &a, uint32_t frame, bool two,
                                               float2 (*x)[16])
{
    float re, im;
    if constexpr (COMPLEX) {
        re = a.frame_mean[2 * frame];
        im = a.frame_mean[2 * frame + 1];
    } else {
        re = a.frame_mean[frame];
        im = two ? a.frame_mean[frame + 1] : 0.0f;
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            x[h][i] = make_float2(x[h][i].x - re, x[h][i].y - im);
        }
    }
}

/* Window and the pass over n0, of both columns; then to the rows of the team. */
template <class SHAPE>
__device__ __forceinline__ void wide_first(float2 (*x)[16], const float4 *window, float2 *area,
                                           int team, int t)
{
    constexpr int columns = SHAPE::columns, radix = SHAPE::radix, lanes = SHAPE::lanes;
    constexpr int bits = log2_of(radix);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        apply_window<16, 2 * lanes>(x[h], window + h * lanes + t);
#pragma unroll
        for (int c = 0; c < columns; c++) {
            dft<radix, columns, 1>(x[h] + c);
        }
    }
    wide_barrier(team, lanes); /* all have read what is there */
#pragma unroll
    for (int c = 0; c < columns; c++) {
#pragma unroll
        for (int k = 0; k < radix; k++) {
            const float2 v = x[0][c + columns * reversed(k, bits)];
            const float2 w = x[1][c + columns * reversed(k, bits)];
            *reinterpret_cast<float4 *>(area + k * SHAPE::pitch + 2 * lanes * c + 2 * t) =
                make_float4(v.x, v.y, w.x, w.y);
        }
    }
    wide_barrier(team, lanes);
}

/* The pass over n1 of n2 = 2m and 2m + 1, and the exchange within the row. */
template <class SHAPE>
__device__ __forceinline__ void wide_second(float2 (*x)[16], const float4 *inner, float2 *row,
                                            int m)
{
#pragma unroll
    for (int n1 = 0; n1 < 16; n1++) {
        const float4 v = *reinterpret_cast<const float4 *>(row + 16 * n1 + 2 * m);
        x[0][n1] = make_float2(v.x, v.y);
        x[1][n1] = make_float2(v.z, v.w);
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        dft_twiddled<16, 1>(x[h], [&](int p) { return pair_of(inner[p / 2], p); });
    }
    __syncwarp();
#pragma unroll
    for (int k1 = 0; k1 < 16; k1++) {
        const float2 v = x[0][reversed(k1, 4)], w = x[1][reversed(k1, 4)];
        *reinterpret_cast<float4 *>(row + SHAPE::line * k1 + 2 * m) =
            make_float4(v.x, v.y, w.x, w.y);
    }
    __syncwarp();
}

/* The pass over n2 of k1 = m + 8h. */
template <class SHAPE>
__device__ __forceinline__ void wide_third(float2 *x, const float4 *outer, const float2 *row, int m,
                                           int h)
{
#pragma unroll
    for (int n2 = 0; n2 < 16; n2 += 2) {
        const float4 v = *reinterpret_cast<const float4 *>(row + SHAPE::line * (m + 8 * h) + n2);
        x[n2] = make_float2(v.x, v.y);
        x[n2 + 1] = make_float2(v.z, v.w);
    }
    dft_twiddled<16, 1>(x,
                        [&](int p) { return pair_of(outer[(4 * h + p / 2) * SHAPE::lanes], p); });
}

/* Powers in order, with a gap after each 32 so that no bank is hit often. */
__device__ __forceinline__ int spread(int k)
{
    return k + k / 32;
}

template <class SHAPE, bool COMPLEX>
__device__ __forceinline__ void wide_store(const power_args &a, const float (*acc)[16], float *own,
                                           float *row, int team, int t, float scale)
{
    constexpr int N = SHAPE::n, lanes = SHAPE::lanes;
    wide_barrier(team, lanes);
#pragma unroll
    for (int h = 0; h < 2; h++) {
#pragma unroll
        for (int e = 0; e < 16; e++) {
            const int k = t / 8 + SHAPE::radix * (t % 8 + 8 * h + 16 * reversed(e, 4));
            own[spread(k)] = acc[h][e];
        }
    }
    wide_barrier(team, lanes);
    if constexpr (COMPLEX) {
        for (int k = t; k < N; k += lanes) {
            row[shifted<N>(k, a.mirror)] = own[spread(k)] * scale;
        }
    } else {
        for (int k = t; k <= N / 2; k += lanes) {
            const float p = own[spread(k)];
            row[k] = scale * (k == 0 || k == N / 2 ? p : p + own[spread(N - k)]);
        }
    }
}

template <int LAYOUT, bool COMPLEX, int LOG2N>
__global__ void __launch_bounds__(wide_shape<LOG2N>::most_threads, 1) wide_power(const power_args a)
{
    typedef wide_shape<LOG2N> shape;
    typedef wide_samples<LAYOUT, COMPLEX, shape::n / 16> samples;
    constexpr int lanes = shape::lanes;
    extern __shared__ float4 shared[];
    const int team = threadIdx.x / lanes, t = threadIdx.x % lanes, m = t % 8;
    for (int i = threadIdx.x; i < shape::table; i += blockDim.x) {
        shared[i] = a.window[i];
        shared[shape::table + i] = a.lane_pairs[i];
    }
    for (int i = threadIdx.x; i < 4 * shape::radix; i += blockDim.x) {
        shared[2 * shape::table + i] = a.warp_pairs[i];
    }
    __syncthreads();
    const float4 *outer = shared + shape::table + t;
    const float4 *inner = shared + 2 * shape::table + t / 8 * 4;
    float2 *area = reinterpret_cast<float2 *>(shared + 2 * shape::table + 4 * shape::radix) +
                   team * shape::area;
    float2 *row = area + t / 8 * shape::pitch;

    const uint32_t step = COMPLEX || !a.paired ? 1 : 2, teams = blockDim.x / lanes;
    const size_t hop_bytes = a.hop * samples::bytes;
    const bool aligned = (((size_t)a.raw | hop_bytes) & (2 * samples::bytes - 1)) == 0;
    for (uint32_t g = blockIdx.x * teams + team; g < a.n_groups; g += gridDim.x * teams) {
        const group_span span = span_of(a, g);
        const unsigned char *at = a.raw + span.first * hop_bytes + 2 * t * samples::bytes;
        float acc[2][16];
        clear<16>(acc[0]);
        clear<16>(acc[1]);
        samples s;
        if (aligned) {
            s.template load<0, samples::early, true>(at, 0);
        }
        for (uint32_t f = 0; f < span.count; f += step) {
            const bool two = !COMPLEX && step == 2 && f + 1 < span.count;
            const bool more = f + step < span.count;
            float2 x[2][16];
            if (aligned) {
                s.template load<samples::early, 16, true>(at, two ? hop_bytes : 0);
            } else {
                s.template load<0, 16, false>(at, two ? hop_bytes : 0);
            }
            s.unpack(a.bias, two ? 1.0f : 0.0f, x);
            at += step * hop_bytes;
            if (more) {
                s.prefetch(at + t * (32 - 2 * samples::bytes), lanes);
            }
            if (a.frame_mean) {
                subtract_means<COMPLEX>(a, span.first + f, two, x);
            }
            wide_first<shape>(x, shared, area, team, t);
            wide_second<shape>(x, inner, row, m);
            wide_third<shape>(x[0], outer, row, m, 0);
            add_power<16>(acc[0], x[0]);
            if (more && aligned) {
                s.template load<0, samples::early, true>(at, 0);
            }
            wide_third<shape>(x[1], outer, row, m, 1);
            add_power<16>(acc[1], x[1]);
        }
        wide_store<shape, COMPLEX>(a, acc, reinterpret_cast<float *>(area),
                                   a.rows + g * a.row_pitch, team, t,
                                   a.mean ? 1.0f / (float)span.count : 1.0f);
    }
}

#endif
