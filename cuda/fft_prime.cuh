/* Lengths p m with a prime p of 17 to 127 and m with factors to 13: a tile (fft_tile.cuh)
 * whose first stage is the direct sum over p points, as products of matrices.
 *
 * From sums and differences of mirrored points, (p - 1)^2 multiply-adds make all the bins
 * of a butterfly: fewer operations than a convolution of twice the length has, to 127
 * (docs/fft-on-gpu.md). A *column* is one butterfly of the stage. A thread makes `bins`
 * bins, and their mirror images, of two columns at once, in registers: a sum and difference
 * that it reads serve 4 bins multiply-adds, a coefficient four. The results overwrite what
 * they are made of, so a barrier stands between; on the host they go to other memory.
 */
#ifndef WEIR_CUDA_FFT_PRIME_CUH
#define WEIR_CUDA_FFT_PRIME_CUH

#include "cuda/fft_prime.h"

namespace weir_fft {

struct prime_worker : worker<runtime_shape, PLAIN_END, PLAIN_END> {
    typedef worker<runtime_shape, PLAIN_END, PLAIN_END> tile_worker;
    static constexpr int bins = WEIR_FFT_PRIME_BINS, columns_each = 2, reads = 4;
    const weir_fft_prime &prime;
    const float4 *matrix;
    const float4 *pairs; /* sum and difference of points k and p - k: row k - 1    */
    const float2 *zeros; /* point 0                                               */

    WEIR_HD prime_worker(const prime_args &args, float2 *memory, float2 *results, uint32_t t,
                         uint32_t block)
        : tile_worker(args.tile, runtime_shape(args.tile.shape), results, t,
                      args.tile.shape.threads, block),
          prime(args.prime), matrix(args.matrix), pairs(reinterpret_cast<const float4 *>(memory)),
          zeros(memory + 2 * args.prime.half * args.prime.pitch)
    {
    }

    WEIR_HD float2 value(uint32_t l, uint32_t n) const
    {
        const uint32_t line = line_of(l);
        return there(line) ? static_cast<const float2 *>(
                                 a.in.base)[line_offset(a.in, line) + n * (uint32_t)a.in.element]
                           : make_float2(0.0f, 0.0f);
    }

    /* Pair e of the tile: of which line, at which row and column. */
    WEIR_HD void locate_pair(uint32_t e, uint32_t &l, uint32_t &row, uint32_t &j) const
    {
        const uint32_t m = shape.after(0);
        l = quotient(e, prime.by_pairs);
        e -= l * prime.half * m;
        row = shape.by_after(e, 0);
        j = e - row * m;
    }

    WEIR_HD void gather() const
    {
        const uint32_t m = shape.after(0), total = shape.lines() * prime.half * m;
        float4 *rows = const_cast<float4 *>(pairs);
        for (uint32_t first = thread; first < total; first += reads * threads) {
            float2 x[reads], y[reads];
            unrolled<0, reads>([&](auto i) {
                uint32_t l, row, j;
                const uint32_t e = first + decltype(i)::value * threads;
                x[decltype(i)::value] = y[decltype(i)::value] = make_float2(0.0f, 0.0f);
                if (e < total) {
                    locate_pair(e, l, row, j);
                    x[decltype(i)::value] = value(l, (row + 1) * m + j);
                    y[decltype(i)::value] = value(l, (shape.radix(0) - 1 - row) * m + j);
                }
            });
            unrolled<0, reads>([&](auto i) {
                uint32_t l, row, j;
                const uint32_t e = first + decltype(i)::value * threads;
                if (e < total) {
                    locate_pair(e, l, row, j);
                    const float2 u = swapped(x[decltype(i)::value], a.swap_in);
                    const float2 v = swapped(y[decltype(i)::value], a.swap_in);
                    rows[row * prime.pitch + l * m + j] =
                        make_float4(u.x + v.x, u.y + v.y, u.x - v.x, u.y - v.y);
                }
            });
        }
        for (uint32_t c = thread; c < prime.columns; c += threads) {
            const uint32_t l = shape.by_after(c, 0);
            const_cast<float2 *>(zeros)[c] = swapped(value(l, c - l * m), a.swap_in);
        }
    }

    /* The sums over all rows, for one thread: even + i odd is a bin, even - i odd its image. */
    struct sums {
        float2 even[columns_each][bins], odd[columns_each][bins], zero[columns_each];
    };

    WEIR_HD void add_row(sums &s, uint32_t row, uint32_t group, const uint32_t *column) const
    {
        const float4 *w = matrix + (row * prime.groups + group) * (bins / 2);
        float4 v[columns_each];
        unrolled<0, columns_each>([&](auto c) {
            constexpr int b = decltype(c)::value;
            v[b] = pairs[row * prime.pitch + column[b]];
            s.zero[b] = make_float2(s.zero[b].x + v[b].x, s.zero[b].y + v[b].y);
        });
        unrolled<0, bins / 2>([&](auto i) {
            constexpr int t = 2 * decltype(i)::value;
            const float4 both = w[t / 2];
            unrolled<0, columns_each>([&](auto c) {
                constexpr int b = decltype(c)::value;
                float2 *even = s.even[b] + t, *odd = s.odd[b] + t;
                even[0] =
                    make_float2(fmaf(both.x, v[b].x, even[0].x), fmaf(both.x, v[b].y, even[0].y));
                odd[0] =
                    make_float2(fmaf(-both.y, v[b].w, odd[0].x), fmaf(both.y, v[b].z, odd[0].y));
                even[1] =
                    make_float2(fmaf(both.z, v[b].x, even[1].x), fmaf(both.z, v[b].y, even[1].y));
                odd[1] =
                    make_float2(fmaf(-both.w, v[b].w, odd[1].x), fmaf(both.w, v[b].z, odd[1].y));
            });
        });
    }

    WEIR_HD void put_bins(const sums &s, uint32_t group, const uint32_t *column) const
    {
        const uint32_t m = shape.after(0), pitch = shape.first_pitch();
        unrolled<0, columns_each>([&](auto c) {
            constexpr int b = decltype(c)::value;
            const uint32_t l = shape.by_after(column[b], 0), at = place(l, column[b] - l * m);
            if (group == 0) {
                shared[at] = s.zero[b];
            }
            unrolled<0, bins>([&](auto i) {
                constexpr int t = decltype(i)::value;
                const uint32_t k = group * bins + t + 1;
                if (k <= prime.half) {
                    shared[at + k * pitch] = add(s.even[b][t], s.odd[b][t]);
                    shared[at + (shape.radix(0) - k) * pitch] = sub(s.even[b][t], s.odd[b][t]);
                }
            });
        });
    }

    /* Every thread of the block must come here. */
    WEIR_HD void multiply() const
    {
        const bool mine = thread < prime.units;
        const uint32_t unit = mine ? thread : prime.units - 1;
        const uint32_t apart = (prime.columns + 1) / columns_each;
        const uint32_t group = quotient(unit, prime.by_apart), first = unit - group * apart;
        const uint32_t last = prime.columns - 1;
        const uint32_t column[columns_each] = {first, first + apart < last ? first + apart : last};
        sums s;
        unrolled<0, columns_each>([&](auto c) {
            constexpr int b = decltype(c)::value;
            s.zero[b] = zeros[column[b]];
            unrolled<0, bins>([&](auto i) {
                s.even[b][decltype(i)::value] = s.zero[b];
                s.odd[b][decltype(i)::value] = make_float2(0.0f, 0.0f);
            });
        });
#ifdef __CUDA_ARCH__
#pragma unroll 2
#endif
        for (uint32_t row = 0; row < prime.half; row++) {
            add_row(s, row, group, column);
        }
#ifdef __CUDA_ARCH__
        __syncthreads();
#endif
        if (mine) {
            put_bins(s, group, column);
        }
    }

    /* The stages after it, or the results of the only one. */
    WEIR_HD void stage(uint32_t s) const
    {
        if (shape.stages() == 1) {
            copy_out(false);
        } else if (s + 1 < shape.stages()) {
            shape.with_radix(s, [&](auto r) WEIR_INLINED { middle<decltype(r)::value>(s); });
        } else {
            shape.with_radix(s, [&](auto r) WEIR_INLINED { last<decltype(r)::value>(false); });
        }
    }

    WEIR_HD uint32_t stages_after() const
    {
        return shape.stages() == 1 ? 1 : shape.stages() - 1;
    }
};

} /* namespace weir_fft */

#endif
