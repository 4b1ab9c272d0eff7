/* Device-side building blocks of the fused kernels: radix-2^k transforms of values
 * held in registers. Only included by .cu files.
 *
 * Decimation in time, natural order in, bit-reversed order out, every radix-2
 * butterfly a +- w b in the six fused multiply-adds of Linzer and Feig (1993):
 * w = c (1 + i t), c = cos, t = tan. A twiddle between two passes is
 * not a multiplication of its own: it is w to the power of the index, and the powers
 * go into the butterflies (sum over n of x[n] w^n W^(nk), evaluated by halving), so a
 * radix-R transform needs R/2 pairs (c, t) and no other table.
 *
 * c and t come from double precision (spectrum_tables.c). Where the cosine vanishes,
 * the table holds 1e-12 and 1e12 instead: c t is the sine still, and c alone is noise
 * of 1e-12; the rounding of b.x - t b.y is relative to |t b.y| and shrinks with c.
 */
#ifndef WEIR_CUDA_FFT_DEVICE_CUH
#define WEIR_CUDA_FFT_DEVICE_CUH

#include <cuda_runtime.h>

namespace weir {

__host__ __device__ constexpr int log2_of(int n)
{
    return n <= 1 ? 0 : 1 + log2_of(n / 2);
}

/* The low `bits` (at most 6) bits of k, reversed. Without a loop, so that indices of
 * register arrays fold to constants. */
__host__ __device__ __forceinline__ constexpr int reversed(int k, int bits)
{
    return ((k & 1) << 5 | (k & 2) << 3 | (k & 4) << 1 | (k & 8) >> 1 | (k & 16) >> 3 |
            (k & 32) >> 5) >>
           (6 - bits);
}

/* cos and tan of 2 pi k / 64, k = 0 .. 15; folded to constants in unrolled loops. */
__device__ __forceinline__ float cosine64(int k)
{
    switch (k) {
    case 1:
        return 0.99518472667219693f;
    case 2:
        return 0.98078528040323043f;
    case 3:
        return 0.95694033573220882f;
    case 4:
        return 0.92387953251128674f;
    case 5:
        return 0.88192126434835505f;
    case 6:
        return 0.83146961230254524f;
    case 7:
        return 0.77301045336273699f;
    case 8:
        return 0.70710678118654757f;
    case 9:
        return 0.63439328416364549f;
    case 10:
        return 0.55557023301960229f;
    case 11:
        return 0.47139673682599781f;
    case 12:
        return 0.38268343236508984f;
    case 13:
        return 0.29028467725446233f;
    case 14:
        return 0.19509032201612833f;
    case 15:
        return 0.09801714032956077f;
    default:
        return 1.0f;
    }
}

__device__ __forceinline__ float tangent64(int k)
{
    switch (k) {
    case 1:
        return 0.09849140335716425f;
    case 2:
        return 0.19891236737965801f;
    case 3:
        return 0.30334668360734240f;
    case 4:
        return 0.41421356237309503f;
    case 5:
        return 0.53451113595079158f;
    case 6:
        return 0.66817863791929888f;
    case 7:
        return 0.82067879082866024f;
    case 8:
        return 0.99999999999999989f;
    case 9:
        return 1.21850352558797637f;
    case 10:
        return 1.49660576266548895f;
    case 11:
        return 1.87086841178938879f;
    case 12:
        return 2.41421356237309492f;
    case 13:
        return 3.29655820893832097f;
    case 14:
        return 5.02733949212584630f;
    case 15:
        return 10.15317038760884216f;
    default:
        return 0.0f;
    }
}

/* a, b = a + b, a - b */
__device__ __forceinline__ void butterfly(float2 &a, float2 &b)
{
    const float2 d = make_float2(a.x - b.x, a.y - b.y);
    a = make_float2(a.x + b.x, a.y + b.y);
    b = d;
}

/* a, b = a - i b, a + i b */
__device__ __forceinline__ void butterfly_i(float2 &a, float2 &b)
{
    const float2 d = make_float2(a.x - b.y, a.y + b.x);
    a = make_float2(a.x + b.y, a.y - b.x);
    b = d;
}

/* a, b = a + w b, a - w b with w = c (1 + i t) */
__device__ __forceinline__ void butterfly_w(float2 &a, float2 &b, float c, float t)
{
    const float re = fmaf(-t, b.y, b.x), im = fmaf(t, b.x, b.y);
    b = make_float2(fmaf(-c, re, a.x), fmaf(-c, im, a.y));
    a = make_float2(fmaf(c, re, a.x), fmaf(c, im, a.y));
}

/* a, b = a - i w b, a + i w b */
__device__ __forceinline__ void butterfly_iw(float2 &a, float2 &b, float c, float t)
{
    const float re = fmaf(-t, b.y, b.x), im = fmaf(t, b.x, b.y);
    b = make_float2(fmaf(-c, im, a.x), fmaf(c, re, a.y));
    a = make_float2(fmaf(c, im, a.x), fmaf(-c, re, a.y));
}

/* Stages S .. log2(R)-1 of the transform of x[0], x[STEP], ... x[(R-1) STEP]. Stage s
 * joins transforms of m = 2^s points: partners lie R/2m apart. */
template <int R, int STEP, int S = 0> __device__ __forceinline__ void dft(float2 *x)
{
    if constexpr ((1 << S) < R) {
        constexpr int m = 1 << S, half = m / 2, apart = R >> (S + 1);
#pragma unroll
        for (int i = 0; i < R / 2; i++) {
            const int k = i / apart, q = k % (half > 0 ? half : 1) * (32 / m); /* 2 pi q / 64 */
            const int at = reversed(k, S) * 2 * apart + i % apart;
            float2 &a = x[at * STEP], &b = x[(at + apart) * STEP];
            if (k == 0) {
                butterfly(a, b);
            } else if (k < half) {
                butterfly_w(a, b, cosine64(q), -tangent64(q));
            } else if (k == half) {
                butterfly_i(a, b);
            } else {
                butterfly_iw(a, b, cosine64(q), -tangent64(q));
            }
        }
        dft<R, STEP, S + 1>(x);
    }
}

/* The same with x[n] multiplied by w^n first. pair(p), p = 0 .. R/2-1, are the (c, t)
 * of w^apart W_2m^k: p = 0 for the first stage, m/2 + k (k < m/2) for the others. */
template <int R, int STEP, int S = 0, class PAIR>
__device__ __forceinline__ void dft_twiddled(float2 *x, const PAIR &pair)
{
    if constexpr ((1 << S) < R) {
        constexpr int m = 1 << S, half = m / 2, apart = R >> (S + 1);
#pragma unroll
        for (int i = 0; i < R / 2; i++) {
            const int k = i / apart, at = reversed(k, S) * 2 * apart + i % apart;
            const float2 ct = pair(half == 0 ? 0 : half + k % (half > 0 ? half : 1));
            float2 &a = x[at * STEP], &b = x[(at + apart) * STEP];
            if (half > 0 && k >= half) {
                butterfly_iw(a, b, ct.x, ct.y);
            } else {
                butterfly_w(a, b, ct.x, ct.y);
            }
        }
        dft_twiddled<R, STEP, S + 1>(x, pair);
    }
}

/* The first stage with the window on the way: a, b = v a + w b, v a - w b; six operations
 * where multiplications before and a butterfly after take eight. */
__device__ __forceinline__ void windowed_butterfly(float2 &a, float2 &b, float v, float w)
{
    const float re = b.x * w, im = b.y * w;
    b = make_float2(fmaf(a.x, v, -re), fmaf(a.y, v, -im));
    a = make_float2(fmaf(a.x, v, re), fmaf(a.y, v, im));
}

} /* namespace weir */

#endif
