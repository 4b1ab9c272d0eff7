/* Bluestein's transform of up to 8192 points by one block: complex values times a chirp,
 * a cyclic convolution of M = R1 R2 R3 points in shared memory, times the chirp again.
 *
 * Everything but n is known when it is compiled, because these kernels are bound by the
 * instructions they issue: a value costs about 80 operations of arithmetic, and cost as
 * many again while addresses and ends were found at run time (fft_tile.cuh).
 *
 * n <= M/2, so half of the first step's values are zero and half of the last step's are not
 * wanted. Point (d1 d2 d3) lies at d1 pitch + d2 R3 + d3 (R2 may be 1); the forward steps
 * leave the spectrum in the order of the butterflies, it is multiplied in registers, and
 * the steps are undone on conjugated values (fft_tile.cuh says why that works).
 *
 * Banks: steps 1 and 2 go along d3, sixteen values at least; in step 3 eight lanes read 16
 * bytes of as many d1, whose pitch is twice an odd number of values.
 */
#ifndef WEIR_CUDA_FFT_CHIRP_CUH
#define WEIR_CUDA_FFT_CHIRP_CUH

#include "cuda/fft_radix.cuh"

namespace weir_fft {

/* Value j of transform i at i line + j element, in complex values. */
struct chirp_args {
    const float2 *in;
    float2 *out;
    size_t line_in, line_out;
    uint32_t element_in, element_out;
    uint32_t n, n_lines;
    bool swap; /* real and imaginary parts, both ends: the inverse */
    float scale;
    const float2 *chirp;
    const float2 *spectrum;       /* of the conjugate chirp, in natural order, over M      */
    const float2 *second, *third; /* W_(R1 R2)^(r k) at (r-1) R1 + k, W_M^(r k) likewise */
};

/* The transform of R values whose upper half is zero. */
template <int R> WEIR_HD void dft_of_half(float2 *x)
{
    float2 odd[R / 2];
    unrolled<0, R / 2>([&](auto i) {
        constexpr int r = decltype(i)::value;
        odd[r] = times_root<r, R>(x[r]);
    });
    dft<R / 2>(x);
    dft<R / 2>(odd);
    unrolled<0, R / 2>([&](auto i) {
        constexpr int r = R / 2 - 1 - decltype(i)::value;
        x[2 * r] = x[r];
        x[2 * r + 1] = odd[r];
    });
}

/* The lower half of the transform of R values. */
template <int R> WEIR_HD void half_of_dft(float2 *x)
{
    float2 odd[R / 2];
    unrolled<0, R / 2>([&](auto i) {
        constexpr int r = decltype(i)::value;
        odd[r] = x[2 * r + 1];
        x[r] = x[2 * r];
    });
    dft<R / 2>(x);
    dft<R / 2>(odd);
    unrolled<0, R / 2>([&](auto i) {
        constexpr int r = decltype(i)::value;
        x[r] = add(x[r], times_root<r, R>(odd[r]));
    });
}

template <int LINES, int THREADS, int R1, int R2, int R3> struct chirp_worker {
    static constexpr uint32_t threads = THREADS, lines = LINES, points = R1 * R2 * R3;
    static constexpr uint32_t pitch = R2 * R3 + 2, line_pitch = R1 * pitch;
    static constexpr uint32_t words = LINES * line_pitch;
    static constexpr bool three = R2 > 1;
    const chirp_args &a;
    float2 *shared;
    uint32_t thread;
    size_t first_line;

    /* f(line, j) for this thread's share of PER butterflies a line. */
    template <uint32_t PER, class F> WEIR_HD void each(const F &f) const
    {
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (uint32_t b = thread; b < PER * LINES; b += THREADS) {
            f(b / PER, b % PER);
        }
    }

    template <int R> WEIR_HD static void twiddle(float2 *x, const float2 *table, uint32_t apart)
    {
        unrolled<1, R>([&](auto i) {
            constexpr int r = decltype(i)::value;
            x[r] = mul(x[r], table[(r - 1) * apart]);
        });
    }

    /* The same as products of few: these tables are as long as the convolution, and where
     * they outgrow the first cache their loads are what the others wait for. */
    template <int R> WEIR_HD static void turn(float2 *x, const float2 *table, uint32_t apart)
    {
        constexpr int fine = R > 16 ? 8 : 4;
        float2 low[fine];
        unrolled<1, fine>([&](auto i) {
            constexpr int r = decltype(i)::value;
            low[r] = table[(r - 1) * apart];
            x[r] = mul(x[r], low[r]);
        });
        unrolled<1, R / fine>([&](auto i) {
            constexpr int from = decltype(i)::value * fine;
            const float2 high = table[(from - 1) * apart];
            x[from] = mul(x[from], high);
            unrolled<1, fine>([&](auto j) {
                constexpr int r = decltype(j)::value;
                x[from + r] = mul(x[from + r], mul(high, low[r]));
            });
        });
    }

    /* ---- the phases ---- */

    WEIR_HD void first() const
    {
        constexpr uint32_t apart = R2 * R3;
        each<apart>([&](uint32_t l, uint32_t j) {
            float2 x[R1];
            const bool there = first_line + l < a.n_lines;
            const float2 *from = a.in + (first_line + l) * a.line_in;
            unrolled<0, R1 / 2>([&](auto i) {
                constexpr int r = decltype(i)::value;
                const uint32_t g = j + r * apart;
                x[r] = make_float2(0.0f, 0.0f);
                if (there && g < a.n) {
                    x[r] = mul(swapped(from[g * a.element_in], a.swap), a.chirp[g]);
                }
            });
            dft_of_half<R1>(x);
            float2 *at = shared + l * line_pitch + j;
            unrolled<0, R1>(
                [&](auto i) { at[decltype(i)::value * pitch] = x[decltype(i)::value]; });
        });
    }

    template <bool BACK> WEIR_HD void second() const
    {
        each<R1 * R3>([&](uint32_t l, uint32_t j) {
            const uint32_t k = j / R3;
            float2 *at = shared + l * line_pitch + k * pitch + j % R3;
            float2 x[R2];
            unrolled<0, R2>([&](auto i) { x[decltype(i)::value] = at[decltype(i)::value * R3]; });
            if constexpr (!BACK) {
                twiddle<R2>(x, a.second + k, R1);
            }
            dft<R2>(x);
            if constexpr (BACK) {
                twiddle<R2>(x, a.second + k, R1);
            }
            unrolled<0, R2>([&](auto i) { at[decltype(i)::value * R3] = x[decltype(i)::value]; });
        });
    }

    /* The last step there, the product, and the first step back. */
    WEIR_HD void turning() const
    {
        each<R1 * R2>([&](uint32_t l, uint32_t k) {
            float4 *at =
                reinterpret_cast<float4 *>(shared + l * line_pitch + k % R1 * pitch + k / R1 * R3);
            float2 x[R3];
            unrolled<0, R3 / 2>([&](auto i) {
                constexpr int r = 2 * decltype(i)::value;
                const float4 both = at[r / 2];
                x[r] = make_float2(both.x, both.y);
                x[r + 1] = make_float2(both.z, both.w);
            });
            turn<R3>(x, a.third + k, R1 * R2);
            dft<R3>(x);
            unrolled<0, R3>([&](auto i) {
                constexpr int r = decltype(i)::value;
                x[r] = mul(x[r], a.spectrum[k + r * (R1 * R2)]);
                x[r].y = -x[r].y;
            });
            dft<R3>(x);
#ifdef __CUDA_ARCH__
            asm volatile("" ::: "memory"); /* read the twiddles again: registers are scarcer */
#endif
            turn<R3>(x, a.third + k, R1 * R2);
            unrolled<0, R3 / 2>([&](auto i) {
                constexpr int r = 2 * decltype(i)::value;
                at[r / 2] = make_float4(x[r].x, x[r].y, x[r + 1].x, x[r + 1].y);
            });
        });
    }

    WEIR_HD void last() const
    {
        constexpr uint32_t apart = R2 * R3;
        each<apart>([&](uint32_t l, uint32_t j) {
            const float2 *at = shared + l * line_pitch + j;
            float2 x[R1];
            unrolled<0, R1>(
                [&](auto i) { x[decltype(i)::value] = at[decltype(i)::value * pitch]; });
            half_of_dft<R1>(x);
            const bool there = first_line + l < a.n_lines;
            float2 *to = a.out + (first_line + l) * a.line_out;
            unrolled<0, R1 / 2>([&](auto i) {
                constexpr int r = decltype(i)::value;
                const uint32_t g = j + r * apart;
                if (there && g < a.n) {
                    const float2 v = swapped(mul(make_float2(x[r].x, -x[r].y), a.chirp[g]), a.swap);
                    to[g * a.element_out] = make_float2(v.x * a.scale, v.y * a.scale);
                }
            });
        });
    }
};

} /* namespace weir_fft */

#endif
