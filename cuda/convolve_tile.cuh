/* The values of a convolution (convolve.h) on their way in and out, for device and host.
 *
 * A *line* is one transform of m points: a piece of one signal, or of two real ones (or two
 * pieces of one) as real and imaginary parts. Pieces lie `step` apart; point n of a piece
 * stands for sample n - lead, lead = n_b - 1 where what wraps around is thrown away
 * (overlap-save), 0 where all of the signal is one piece.
 */
#ifndef WEIR_CUDA_CONVOLVE_TILE_CUH
#define WEIR_CUDA_CONVOLVE_TILE_CUH

#include "cuda/fft_lines.cuh"

namespace weir_fft {

struct convolve_args {
    lines_args lines;
    const void *a, *b;
    void *c;
    float2 *z; /* whole: lines of m points         */
    float2 *filters;
    size_t n_a, n_b, n_c, m, period; /* period: 0 where linear   */
    size_t step, lead;
    uint32_t pieces, batch, n_filters, n_lines;
    bool real, correlate, paired; /* paired: two pieces a line  */
    bool fold;                    /* c[k] = y[k] + y[k + period] */
};

struct piece {
    uint32_t item, number;
    bool there;
};

/* Piece `which` (0; 1 where paired) of a line. With a filter each the signals take turns,
 * so that line mod batch is the signal; else pieces of all signals follow each other. */
WEIR_HD piece piece_of(const convolve_args &a, uint32_t line, uint32_t which)
{
    const uint32_t each = a.paired ? 2 : 1;
    if (a.n_filters > 1) {
        const uint32_t number = line / a.batch * each + which;
        return {line % a.batch, number, number < a.pieces};
    }
    const size_t index = (size_t)line * each + which;
    const uint32_t item = (uint32_t)(index / a.pieces);
    return {item, (uint32_t)(index % a.pieces), item < a.batch};
}

/* Index of the sample that point n of a piece stands for; n_a or more: a zero. */
WEIR_HD size_t sample_at(const convolve_args &a, const piece &p, size_t n)
{
    const size_t ahead = p.number * a.step + n;
    if (!p.there) {
        return a.n_a;
    }
    return ahead >= a.lead ? ahead - a.lead : a.period ? ahead + a.period - a.lead : a.n_a;
}

WEIR_HD float real_sample(const convolve_args &a, const piece &p, size_t n)
{
    const size_t at = sample_at(a, p, n);
    return at < a.n_a ? static_cast<const float *>(a.a)[p.item * a.n_a + at] : 0.0f;
}

WEIR_HD float2 line_sample(const convolve_args &a, uint32_t line, size_t n)
{
    const piece first = piece_of(a, line, 0);
    if (a.real) {
        return make_float2(real_sample(a, first, n),
                           a.paired ? real_sample(a, piece_of(a, line, 1), n) : 0.0f);
    }
    const size_t at = sample_at(a, first, n);
    return at < a.n_a ? static_cast<const float2 *>(a.a)[first.item * a.n_a + at]
                      : make_float2(0.0f, 0.0f);
}

/* Point n of the result of a line, y(n): to where it belongs, if anywhere. */
template <class Y>
WEIR_HD void put_result(const convolve_args &a, uint32_t line, size_t n, const Y &y)
{
    if (n < a.lead || n - a.lead >= a.step) {
        return;
    }
    float2 v = y(n);
    if (a.fold && n + a.period < a.n_a + a.n_b - 1) {
        v = add(v, y(n + a.period));
    }
    for (uint32_t which = 0; which < (a.paired ? 2u : 1u); which++) {
        const piece p = piece_of(a, line, which);
        const size_t k = p.number * a.step + n - a.lead;
        if (!p.there || k >= a.n_c) {
            continue;
        }
        if (a.real) {
            static_cast<float *>(a.c)[p.item * a.n_c + k] = which ? v.y : v.x;
        } else {
            static_cast<float2 *>(a.c)[p.item * a.n_c + k] = v;
        }
    }
}

/* Point n of the filter of an item, padded, and scaled for the way back. */
WEIR_HD void put_filter(const convolve_args &a, uint32_t item, size_t n)
{
    float2 v = make_float2(0.0f, 0.0f);
    if (n < a.n_b) {
        const size_t at = item * a.n_b + (a.correlate ? a.n_b - 1 - n : n);
        v = a.real ? make_float2(static_cast<const float *>(a.b)[at], 0.0f)
                   : static_cast<const float2 *>(a.b)[at];
        v.y = a.correlate ? -v.y : v.y;
    }
    const float scale = 1.0f / (float)a.m;
    a.filters[item * a.m + n] = make_float2(v.x * scale, v.y * scale);
}

/* ---- whole transforms, a value at a time ---- */

WEIR_HD void whole_in(const convolve_args &a, uint32_t line, size_t n)
{
    a.z[line * a.m + n] = line_sample(a, line, n);
}

WEIR_HD void whole_product(const convolve_args &a, uint32_t line, size_t n)
{
    float2 *z = a.z + line * a.m + n;
    *z = mul(*z, a.filters[line % a.n_filters * a.m + n]);
}

WEIR_HD void whole_out(const convolve_args &a, uint32_t line, size_t n)
{
    const float2 *z = a.z + line * a.m;
    put_result(a, line, n, [&](size_t k) { return z[k]; });
}

/* ---- one thread of a fused block ---- */

struct convolve_worker : lines_worker {
    const convolve_args &c;

    WEIR_HD convolve_worker(const convolve_args &args, float2 *memory, uint32_t t, uint32_t block)
        : lines_worker(args.lines, memory, t, block), c(args)
    {
    }

    WEIR_HD void load() const
    {
        each_line([&](uint32_t l, uint32_t line) {
            fill_line(l, [&](uint32_t n) WEIR_INLINED { return line_sample(c, line, n); });
        });
    }

    WEIR_HD void store() const
    {
        each_line([&](uint32_t l, uint32_t line) {
            for (uint32_t n = lane; n < shape.length(); n += lanes) {
                put_result(c, line, n, [&](size_t k) { return result(l, (uint32_t)k); });
            }
        });
    }
};

} /* namespace weir_fft */

#endif
