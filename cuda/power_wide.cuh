/* N = 2048 and 4096: a team of N/32 threads does a transform, in passes of radix R = N/256,
 * 16 and 16. Only included by power_kernels.cuh.
 *
 * n = n2 + 16 n1 + 256 n0 and k = k0 + R (k1 + 16 k2). A thread has two shares of 16 values,
 * v = t and t + N/32: in the first pass column v, in the second k0 = v/16 and n2 = v%16, in
 * the third k0 and k1 = v%16. The first exchange is the team's, R rows (k0) of 256; the
 * second stays in a row, which 16 lanes of one warp own. Rows lie 288 apart, so that in the
 * second exchange sixteen lines of 18 fit; no access has a bank conflict.
 *
 * One block a multiprocessor: its teams share the tables, wait for each other by barriers of
 * their own, and leave the first-level cache what they do not take of shared memory.
 *
 * Tables (spectrum_tables.c), float4:
 *   window[4][N/16]      of samples v + N/16 (4i .. 4i+3)
 *   outer[4][N/16]       third pass, pairs of (W_N^(k0 + R k1))^n2
 *   inner[R][4]          second pass, pairs of (W_(N/16)^k0)^n1
 */
#ifndef WEIR_CUDA_POWER_WIDE_CUH
#define WEIR_CUDA_POWER_WIDE_CUH

template <int LOG2N> struct wide_shape {
    static constexpr int n = 1 << LOG2N;
    static constexpr int radix = n / 256, columns = 16 / radix;
    static constexpr int lanes = n / 32;     /* threads of a team          */
    static constexpr int shares = n / 16;    /* of a transform             */
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

/* The pass over n0 of both shares, to the rows of the team. */
template <class SHAPE>
__device__ __forceinline__ void wide_first(float2 (*x)[16], const float4 *window, float2 *area,
                                           int team, int t)
{
    constexpr int columns = SHAPE::columns, radix = SHAPE::radix, lanes = SHAPE::lanes;
    constexpr int bits = log2_of(radix);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        apply_window<16, SHAPE::shares>(x[h], window + t + lanes * h);
#pragma unroll
        for (int c = 0; c < columns; c++) {
            dft<radix, columns, 1>(x[h] + c);
        }
    }
    wide_barrier(team, lanes); /* all have read what is there */
#pragma unroll
    for (int h = 0; h < 2; h++) {
#pragma unroll
        for (int c = 0; c < columns; c++) {
#pragma unroll
            for (int k = 0; k < radix; k++) {
                area[k * SHAPE::pitch + t + lanes * h + SHAPE::shares * c] =
                    x[h][c + columns * reversed(k, bits)];
            }
        }
    }
    wide_barrier(team, lanes);
}

/* The passes over n1 and n2 of a share, with the exchange within its row between them. inner
 * and outer: its pairs. */
template <class SHAPE>
__device__ __forceinline__ void wide_rest(float2 *x, float2 *row, const float4 *inner,
                                          const float4 *outer, int low)
{
#pragma unroll
    for (int n1 = 0; n1 < 16; n1++) {
        x[n1] = row[low + 16 * n1];
    }
    dft_twiddled<16, 1>(x, [&](int p) { return pair_of(inner[p / 2], p); });
    __syncwarp();
#pragma unroll
    for (int k1 = 0; k1 < 16; k1++) {
        row[SHAPE::line * k1 + low] = x[reversed(k1, 4)];
    }
    __syncwarp();
#pragma unroll
    for (int n2 = 0; n2 < 16; n2 += 2) {
        const float4 two = *reinterpret_cast<const float4 *>(row + SHAPE::line * low + n2);
        x[n2] = make_float2(two.x, two.y);
        x[n2 + 1] = make_float2(two.z, two.w);
    }
    dft_twiddled<16, 1>(x, [&](int p) { return pair_of(outer[p / 2 * SHAPE::shares], p); });
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
        const int v = t + lanes * h;
#pragma unroll
        for (int e = 0; e < 16; e++) {
            own[spread(v / 16 + SHAPE::radix * (v % 16 + 16 * reversed(e, 4)))] = acc[h][e];
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
    constexpr int lanes = shape::lanes, shares = shape::shares;
    extern __shared__ float4 shared[];
    for (int i = threadIdx.x; i < shape::table; i += blockDim.x) {
        shared[i] = a.window[i];
        shared[shape::table + i] = a.lane_pairs[i];
    }
    for (int i = threadIdx.x; i < 4 * shape::radix; i += blockDim.x) {
        shared[2 * shape::table + i] = a.warp_pairs[i];
    }
    __syncthreads();
    const int team = threadIdx.x / lanes, t = threadIdx.x % lanes;
    float2 *area = reinterpret_cast<float2 *>(shared + 2 * shape::table + 4 * shape::radix) +
                   team * shape::area;
    float2 *row = area + t / 16 * shape::pitch;
    const float4 *outer = shared + shape::table + t;
    const float4 *inner = shared + 2 * shape::table + t / 16 * 4;
    constexpr int bytes = sample_bytes<LAYOUT, COMPLEX>();
    const uint32_t step = COMPLEX || !a.paired ? 1 : 2, teams = blockDim.x / lanes;
    const size_t step_bytes = step * a.hop * bytes;
    for (uint32_t g = blockIdx.x * teams + team; g < a.n_groups; g += gridDim.x * teams) {
        const group_span span = span_of(a, g);
        const unsigned char *at = a.raw + (span.first * a.hop + t) * bytes;
        float acc[2][16];
        clear<16>(acc[0]);
        clear<16>(acc[1]);
#pragma unroll 1
        for (uint32_t f = 0; f < span.count; f += step) {
            const bool two = !COMPLEX && step == 2 && f + 1 < span.count;
            float2 x[2][16];
#pragma unroll
            for (int h = 0; h < 2; h++) {
                load_values<LAYOUT, COMPLEX, shares, 16>(a, at + lanes * h * bytes, two, x[h]);
            }
            if (!COMPLEX || a.frame_mean) {
                for (int h = 0; h < 2; h++) {
                    centre_values<COMPLEX, 16>(a, span.first + f, two, two ? 1.0f : 0.0f, x[h]);
                }
            }
            at += step_bytes;
            if (f + step < span.count) {
                prefetch_sectors<bytes, lanes>(at + t * (32 - bytes));
            }
            wide_first<shape>(x, shared, area, team, t);
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const int rows = lanes / 16 * h; /* from the first share's */
                wide_rest<shape>(x[h], row + rows * shape::pitch, inner + rows * 4,
                                 outer + lanes * h, t % 16);
                add_power<16>(acc[h], x[h]);
            }
        }
        wide_store<shape, COMPLEX>(a, acc, reinterpret_cast<float *>(area),
                                   a.rows + g * a.row_pitch, team, t,
                                   a.mean ? 1.0f / (float)span.count : 1.0f);
    }
}

#endif
