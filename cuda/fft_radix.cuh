/* Transforms of 2 .. 16 values held in registers, natural order in and out, for device
 * and host alike. Constants are folded at compile time from double precision.
 */
#ifndef WEIR_CUDA_FFT_RADIX_CUH
#define WEIR_CUDA_FFT_RADIX_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#define WEIR_HD __host__ __device__ __forceinline__
#define WEIR_INLINED __attribute__((always_inline))

namespace weir_fft {

/* ---- cos and sin of 2 pi k / n, exact to the last bit of a float ---- */

__host__ __device__ constexpr double taylor(double x2, double term, int from)
{
    double sum = term;
    for (int i = from; i < from + 24; i += 2) {
        term *= -x2 / (i * (i + 1));
        sum += term;
    }
    return sum;
}

/* |part / of| <= 1/8 of a turn */
__host__ __device__ constexpr double small_cos(int part, int of)
{
    const double x = 6.283185307179586476925 * part / of;
    return taylor(x * x, 1.0, 1);
}

__host__ __device__ constexpr double small_sin(int part, int of)
{
    const double x = 6.283185307179586476925 * part / of;
    return taylor(x * x, x, 2);
}

/* Nearest quarter turn q, then the rest. */
__host__ __device__ constexpr double cos_of(int k, int n)
{
    const int q = (8 * (k % n) + n) / (2 * n);
    const int part = 4 * (k % n) - q * n;
    switch (q % 4) {
    case 0:
        return small_cos(part, 4 * n);
    case 1:
        return -small_sin(part, 4 * n);
    case 2:
        return -small_cos(part, 4 * n);
    default:
        return small_sin(part, 4 * n);
    }
}

__host__ __device__ constexpr double sin_of(int k, int n)
{
    return cos_of(4 * k + 3 * n, 4 * n);
}

template <int K, int N> struct root { /* exp(-2 pi i K / N) */
    static constexpr float c = (float)cos_of(K, N);
    static constexpr float s = (float)-sin_of(K, N);
};

/* ---- complex arithmetic ---- */

WEIR_HD float2 add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

WEIR_HD float2 sub(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

WEIR_HD float2 mul(float2 a, float2 b)
{
    return make_float2(fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x));
}

WEIR_HD float2 swapped(float2 a, bool yes)
{
    return yes ? make_float2(a.y, a.x) : a;
}

template <int K, int N> WEIR_HD float2 times_root(float2 a)
{
    constexpr int k = K % N;
    if constexpr (k == 0) {
        return a;
    } else if constexpr (4 * k == N) {
        return make_float2(a.y, -a.x);
    } else if constexpr (2 * k == N) {
        return make_float2(-a.x, -a.y);
    } else if constexpr (4 * k == 3 * N) {
        return make_float2(-a.y, a.x);
    } else if constexpr (8 * k == N || 8 * k == 5 * N) {
        constexpr float c = 8 * k == N ? 0.70710678118654752440f : -0.70710678118654752440f;
        return make_float2(c * (a.x + a.y), c * (a.y - a.x));
    } else if constexpr (8 * k == 3 * N || 8 * k == 7 * N) {
        constexpr float c = 8 * k == 3 * N ? 0.70710678118654752440f : -0.70710678118654752440f;
        return make_float2(c * (a.y - a.x), -c * (a.x + a.y));
    } else {
        constexpr float c = root<k, N>::c, s = root<k, N>::s;
        return make_float2(fmaf(a.x, c, -(a.y * s)), fmaf(a.x, s, a.y * c));
    }
}

/* ---- loops with constant indices ---- */

template <int I> struct index_of {
    static constexpr int value = I;
};

template <int FROM, int TO, class F> WEIR_HD void unrolled(const F &body)
{
    if constexpr (FROM < TO) {
        body(index_of<FROM>());
        unrolled<FROM + 1, TO>(body);
    }
}

/* ---- transforms ---- */

/* The smallest factor worth splitting off first; itself for the primes and 4. */
__host__ __device__ constexpr int first_factor(int r)
{
    return r == 8 || r == 12 || r == 16 || r == 32 ? 4
           : r % 2 == 0 && r > 4                   ? 2
           : r == 9 || r == 15                     ? 3
                                                   : r;
}

template <int P> WEIR_HD void odd_prime(float2 *x)
{
    constexpr int half = (P - 1) / 2;
    float2 sum[half], difference[half];
    const float2 x0 = x[0];
    float2 total = x0;
    unrolled<0, half>([&](auto i) {
        constexpr int k = decltype(i)::value + 1;
        sum[k - 1] = add(x[k], x[P - k]);
        difference[k - 1] = sub(x[k], x[P - k]);
        total = add(total, sum[k - 1]);
    });
    x[0] = total;
    unrolled<1, half + 1>([&](auto i) {
        constexpr int m = decltype(i)::value;
        float2 a = x0, b = make_float2(0.0f, 0.0f);
        unrolled<1, half + 1>([&](auto j) {
            constexpr int k = decltype(j)::value;
            constexpr float c = root<m * k % P, P>::c, s = root<m * k % P, P>::s;
            a.x = fmaf(c, sum[k - 1].x, a.x);
            a.y = fmaf(c, sum[k - 1].y, a.y);
            /* times i s, s = -sin */
            b.x = k == 1 ? -s * difference[0].y : fmaf(-s, difference[k - 1].y, b.x);
            b.y = k == 1 ? s * difference[0].x : fmaf(s, difference[k - 1].x, b.y);
        });
        x[m] = add(a, b);
        x[P - m] = sub(a, b);
    });
}

WEIR_HD void four(float2 *x)
{
    const float2 a = add(x[0], x[2]), b = sub(x[0], x[2]);
    const float2 c = add(x[1], x[3]), d = sub(x[1], x[3]);
    x[0] = add(a, c);
    x[1] = make_float2(b.x + d.y, b.y - d.x);
    x[2] = sub(a, c);
    x[3] = make_float2(b.x - d.y, b.y + d.x);
}

/* X[k] = sum x[n] exp(-2 pi i n k / R) */
template <int R> WEIR_HD void dft(float2 *x)
{
    constexpr int A = first_factor(R), B = R / A;
    if constexpr (R == 1) {
        return;
    } else if constexpr (R == 2) {
        const float2 a = x[0];
        x[0] = add(a, x[1]);
        x[1] = sub(a, x[1]);
    } else if constexpr (R == 4) {
        four(x);
    } else if constexpr (A == R) {
        odd_prime<R>(x);
    } else {
        /* n = B n1 + n2, k = k1 + A k2 */
        float2 y[R];
        unrolled<0, B>([&](auto i) {
            constexpr int n2 = decltype(i)::value;
            float2 column[A];
            unrolled<0, A>(
                [&](auto j) { column[decltype(j)::value] = x[B * decltype(j)::value + n2]; });
            dft<A>(column);
            unrolled<0, A>([&](auto j) {
                constexpr int k1 = decltype(j)::value;
                y[B * k1 + n2] = times_root<n2 * k1, R>(column[k1]);
            });
        });
        unrolled<0, A>([&](auto i) {
            constexpr int k1 = decltype(i)::value;
            dft<B>(y + B * k1);
            unrolled<0, B>([&](auto j) {
                constexpr int k2 = decltype(j)::value;
                x[k1 + A * k2] = y[B * k1 + k2];
            });
        });
    }
}

} /* namespace weir_fft */

#endif
