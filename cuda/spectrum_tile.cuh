/* Power spectra of any length: the fused tile. A block takes raw samples, unpacks and
 * windows them on their way into shared memory, transforms them there (the stages of
 * fft_tile.cuh) and adds |X|^2 to rows of powers, unit after unit.
 *
 * A *unit* is a frame, or of a group of real frames two: z = x1 + i x2, since
 * |X1|^2 + |X2|^2 at k is (|Z(k)|^2 + |Z(N-k)|^2) / 2. A line of the tile is a group; the
 * units of a group are dealt out to `parts` blocks in turn (unit u to part u mod parts, a
 * number of the plan's), whose sums are added in order afterwards: the same bits however
 * the stream is cut into batches.
 *
 * Lengths with prime factors above 13 go by Bluestein: window times chirp on the way in;
 * on the way out the chirp has modulus 1 and drops out of the power.
 *
 * Host code too, for the rehearsal (spectrum_any.cu).
 */
#ifndef WEIR_CUDA_SPECTRUM_TILE_CUH
#define WEIR_CUDA_SPECTRUM_TILE_CUH

#include "cuda/fft_lines.cuh"
#include "cuda/power_kernels.cuh"

namespace weir {

struct spectrum_args {
    power_args batch; /* first_group, first_unit, n_units: the part at hand */
    weir_fft::lines_args lines;
    const float *window;        /* n                    */
    const float2 *chirp;        /* Bluestein: n, else NULL */
    uint32_t n, bins, n_groups; /* n_groups: of the part at hand */
    int layout;
    bool is_complex;
    float bias;
    uint32_t parts;
    float *partial; /* parts > 1: bins of each part of each group */
    float2 *units;  /* lengths beyond a tile: n values of each unit */
};

/* ---- samples ---- */

template <int LAYOUT> struct raw_of;
template <> struct raw_of<U8> {
    typedef unsigned char one;
    typedef uchar2 two;
};
template <> struct raw_of<S8> {
    typedef signed char one;
    typedef char2 two;
};
template <> struct raw_of<S16> {
    typedef short one;
    typedef short2 two;
};
template <> struct raw_of<F32> {
    typedef float one;
    typedef float2 two;
};

template <int LAYOUT, class T> WEIR_HD float unpacked(T v, float bias)
{
    if constexpr (LAYOUT == F32) { /* as limited() */
        const float inside = fminf(fmaxf(v, -1e18f), 1e18f);
        return fabsf(v) <= 3.402823466e+38f ? inside : 0.0f;
    } else {
        return (float)v - bias;
    }
}

/* Calls f with the layout as a constant. */
template <class F> WEIR_HD void with_layout(int layout, const F &f)
{
    switch (layout) {
    case U8:
        f(weir_fft::index_of<U8>());
        break;
    case S8:
        f(weir_fft::index_of<S8>());
        break;
    case S16:
        f(weir_fft::index_of<S16>());
        break;
    default:
        f(weir_fft::index_of<F32>());
    }
}

WEIR_HD uint32_t units_of(const power_args &a, uint32_t frames)
{
    return a.paired ? (frames + 1) / 2 : frames;
}

/* The frames of a unit: first, and of real ones perhaps the next. */
struct unit_frames {
    uint32_t first;
    bool two;
};

WEIR_HD unit_frames frames_of(const power_args &a, const group_span &span, uint32_t unit)
{
    const uint32_t frame = a.paired ? 2 * unit : unit;
    return {span.first + frame, a.paired && frame + 1 < span.count};
}

/* Sample i of a unit, windowed. */
template <int LAYOUT>
WEIR_HD float2 unit_sample(const spectrum_args &a, const unit_frames &unit, uint32_t i)
{
    typedef typename raw_of<LAYOUT>::one one;
    typedef typename raw_of<LAYOUT>::two two;
    const size_t at = unit.first * a.batch.hop + i;
    const float *mean = a.batch.frame_mean;
    const float w = a.window[i];
    float2 v;
    if (a.is_complex) {
        const two raw = reinterpret_cast<const two *>(a.batch.raw)[at];
        v = make_float2(unpacked<LAYOUT>(raw.x, a.bias), unpacked<LAYOUT>(raw.y, a.bias));
        if (mean) {
            v = make_float2(v.x - mean[2 * unit.first], v.y - mean[2 * unit.first + 1]);
        }
    } else {
        const one *raw = reinterpret_cast<const one *>(a.batch.raw);
        v = make_float2(unpacked<LAYOUT>(raw[at], a.bias),
                        unit.two ? unpacked<LAYOUT>(raw[at + a.batch.hop], a.bias) : 0.0f);
        if (mean) {
            v = make_float2(v.x - mean[unit.first], unit.two ? v.y - mean[unit.first + 1] : 0.0f);
        }
    }
    return make_float2(v.x * w, v.y * w);
}

/* ---- powers ---- */

WEIR_HD float squared(float2 z)
{
    return z.x * z.x + z.y * z.y;
}

/* Bins 1 .. of a real signal below half the rate have a mirror image that counts. */
WEIR_HD bool has_mirror(const spectrum_args &a, uint32_t k)
{
    return !a.is_complex && k > 0 && 2 * k != a.n;
}

/* Where bin k of the transform stands in a row. */
WEIR_HD uint32_t row_position(const spectrum_args &a, uint32_t k)
{
    if (!a.is_complex) {
        return k;
    }
    const uint32_t bin = a.batch.mirror && k > 0 ? a.n - k : k, at = bin + a.n / 2;
    return at >= a.n ? at - a.n : at;
}

WEIR_HD float mean_scale(const power_args &a, const group_span &span)
{
    return a.mean ? 1.0f / (float)span.count : 1.0f;
}

/* ---- one thread of the tile ---- */

struct spectrum_worker : weir_fft::lines_worker {
    const spectrum_args &s;
    const uint32_t part;

    WEIR_HD spectrum_worker(const spectrum_args &args, float2 *memory, uint32_t t, uint32_t block,
                            uint32_t of_part)
        : lines_worker(args.lines, memory, t, block), s(args), part(of_part)
    {
    }

    /* Units that the longest group can have: rounds for all lines alike. */
    WEIR_HD uint32_t rounds_end() const
    {
        const power_args &b = s.batch;
        return units_of(b, b.group < b.n_frames ? b.group : b.n_frames);
    }

    WEIR_HD group_span span_of_line(uint32_t line) const
    {
        return span_of(s.batch, s.batch.first_group + line);
    }

    template <int LAYOUT> WEIR_HD void load_lines(uint32_t unit) const
    {
        each_line([&](uint32_t l, uint32_t line) {
            const group_span span = span_of_line(line);
            if (unit >= units_of(s.batch, span.count)) {
                return;
            }
            const unit_frames frames = frames_of(s.batch, span, unit);
            fill_line(l, [&](uint32_t n) WEIR_INLINED {
                if (n >= s.n) {
                    return make_float2(0.0f, 0.0f);
                }
                const float2 v = unit_sample<LAYOUT>(s, frames, n);
                return s.chirp ? weir_fft::mul(v, s.chirp[n]) : v;
            });
        });
    }

    WEIR_HD void load(uint32_t unit) const
    {
        with_layout(s.layout,
                    [&](auto layout) WEIR_INLINED { load_lines<decltype(layout)::value>(unit); });
    }

    WEIR_HD void add_line(uint32_t unit, uint32_t l, uint32_t line, const group_span &span) const
    {
        float *row = s.parts > 1 ? s.partial + ((size_t)line * s.parts + part) * s.bins
                                 : s.batch.rows + (s.batch.first_group + line) * s.batch.row_pitch;
        const bool is_first = unit == part;
        const bool is_last = unit + s.parts >= units_of(s.batch, span.count);
        const float scale = s.parts == 1 && is_last ? mean_scale(s.batch, span) : 1.0f;
        for (uint32_t k = lane; k < s.bins; k += lanes) {
            float p = squared(result(l, k));
            if (has_mirror(s, k)) {
                p += squared(result(l, s.n - k));
            }
            float *to = row + row_position(s, k);
            *to = (is_first ? p : *to + p) * scale;
        }
    }

    WEIR_HD void add(uint32_t unit) const
    {
        each_line([&](uint32_t l, uint32_t line) {
            const group_span span = span_of_line(line);
            if (unit < units_of(s.batch, span.count)) {
                add_line(unit, l, line, span);
            }
        });
    }
};

/* ---- what else there is to do, a value at a time ---- */

/* Bin k (in the order of rows) of a group: the sums of its parts. */
WEIR_HD void add_parts(const spectrum_args &a, uint32_t line, uint32_t k)
{
    const group_span span = span_of(a.batch, a.batch.first_group + line);
    const uint32_t units = units_of(a.batch, span.count);
    const float *from = a.partial + (size_t)line * a.parts * a.bins + k;
    float sum = from[0];
    for (uint32_t p = 1; p < a.parts && p < units; p++) {
        sum += from[(size_t)p * a.bins];
    }
    a.batch.rows[(a.batch.first_group + line) * a.batch.row_pitch + k] =
        sum * mean_scale(a.batch, span);
}

/* Beyond a tile: value i of a slot. Slots are the n_units units from first_unit on of each
 * group at hand. */
WEIR_HD void unpack_unit(const spectrum_args &a, uint32_t slot, uint32_t i)
{
    const uint32_t line = slot / a.batch.n_units;
    const uint32_t unit = a.batch.first_unit + slot % a.batch.n_units;
    const group_span span = span_of(a.batch, a.batch.first_group + line);
    float2 v = make_float2(0.0f, 0.0f);
    if (unit < units_of(a.batch, span.count)) {
        with_layout(a.layout, [&](auto layout) WEIR_INLINED {
            v = unit_sample<decltype(layout)::value>(a, frames_of(a.batch, span, unit), i);
        });
    }
    a.units[(size_t)slot * a.n + i] = v;
}

/* Bin k of a group: the powers of its units at hand. */
WEIR_HD void add_units(const spectrum_args &a, uint32_t line, uint32_t k)
{
    const power_args &b = a.batch;
    const group_span span = span_of(b, b.first_group + line);
    const uint32_t units = units_of(b, span.count);
    if (b.first_unit >= units) {
        return;
    }
    const uint32_t left = units - b.first_unit, here = left < b.n_units ? left : b.n_units;
    const float2 *z = a.units + (size_t)line * b.n_units * a.n;
    float sum = 0.0f;
    for (uint32_t u = 0; u < here; u++, z += a.n) {
        sum += squared(z[k]);
        if (has_mirror(a, k)) {
            sum += squared(z[a.n - k]);
        }
    }
    float *to = b.rows + (b.first_group + line) * b.row_pitch + row_position(a, k);
    sum = b.first_unit > 0 ? *to + sum : sum;
    *to = here == left ? sum * mean_scale(b, span) : sum;
}

} /* namespace weir */

#endif
