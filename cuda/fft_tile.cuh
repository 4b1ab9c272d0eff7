/* The work of one block of threads: a tile of transforms in shared memory (fft_plan.h).
 *
 * Written as phases, each a loop over the butterflies of one thread; between two phases
 * stands a barrier. A phase reads and writes the same places, so no thread of a phase
 * sees another's work: the host can run the threads one after the other (fft_rehearse
 * does, and so tests every index without a GPU).
 *
 * SHAPE is either a plan known at run time (runtime_shape) or one fixed at compile time
 * (fixed_shape): same code, folded indices.
 *
 * A convolution goes there and back: the forward stages leave the spectrum in the order
 * of the butterflies, it is multiplied in registers, and the stages are undone in reverse
 * order, on conjugated values so that butterflies and twiddles are the same.
 */
#ifndef WEIR_CUDA_FFT_TILE_CUH
#define WEIR_CUDA_FFT_TILE_CUH

#include "cuda/fft_plan.h"
#include "cuda/fft_radix.cuh"

namespace weir_fft {

/* What stands in the caller's memory at the two ends. */
enum form {
    COMPLEX,
    REAL,        /* in: imaginary part 0; out: the real part             */
    PACKED,      /* real, two neighbours as one complex value            */
    HALF,        /* n/2 + 1 bins of a real signal of odd n (or any n)     */
    HALF_PACKED, /* n + 1 bins of a real signal of 2n, as packed values   */
};

/* Point n of line l of item i is at
 *   i item + (l % split) line + (l / split) line_high + n element
 * and has the natural index l g_line + n g_element. The general form takes its place
 * from the natural index (times stride) and leaves the lines out where they are in it. */
struct side {
    void *base;
    size_t item, line, line_high, element;
    uint32_t split;
    size_t g_line, g_element, stride;
    int form;
};

struct tile_args {
    weir_fft_shape shape;
    const float2 *twiddles;
    uint32_t n_lines, tiles_per_item;
    side in, out;
    bool swap_in, swap_out; /* real and imaginary parts: the inverse transform      */
    bool rows_first;        /* an interleaved tile reads along its lines            */
    bool mirrored;          /* half of the lines are the mirror images of the others */
    float scale;
    /* Four-step: line c, point k times W^(c k), as base[k mod m][c] step[k / m][c]. */
    const float2 *base_before, *step_before, *base_after, *step_after;
    uint32_t n_columns;
    /* The general ends. */
    size_t n, n_in;      /* natural length; how much of the input there is (rest 0) */
    const float2 *chirp; /* Bluestein: times chirp[index], 0 from n on              */
    bool chirp_in, chirp_out;
    bool undo;                /* the last pass of a convolution: the inverse transform   */
    const float2 *half_roots; /* W_2n^k, k <= n/2                                        */
    const float2 *spectrum;   /* convolution, in natural order, scaled                   */
    uint32_t spectrum_rows;   /* how many there are, for line % rows                     */
    const uint32_t *order_in, *order_out; /* Rader: generator's powers                  */
};

/* ---- the ends in general ---- */

WEIR_HD float2 half_packed(const tile_args &a, const float2 *x, size_t k)
{
    const size_t n = a.n;
    if (k == 0) {
        const float p = x[0].x, q = x[n * a.in.stride].x;
        return make_float2(p + q, p - q);
    }
    const float2 v = x[k * a.in.stride], u = x[(n - k) * a.in.stride];
    const float2 even = make_float2(v.x + u.x, v.y - u.y);
    const float2 odd = make_float2(v.x - u.x, v.y + u.y);
    float2 w = a.half_roots[k <= n / 2 ? k : n - k];
    w = k <= n / 2 ? make_float2(w.x, -w.y) : make_float2(-w.x, -w.y);
    const float2 o = mul(odd, w);
    return make_float2(even.x - o.y, even.y + o.x);
}

/* Value g of a line that begins at `at`: every form there is, so that the kernels need
 * only the plain one in line. */
__host__ __device__ __noinline__ static float2 any_value(const tile_args &a, size_t at, size_t g)
{
    const float *real = static_cast<const float *>(a.in.base) + at;
    const float2 *cplx = static_cast<const float2 *>(a.in.base) + at;
    const size_t stride = a.in.stride;
    const float2 zero = make_float2(0.0f, 0.0f);
    switch (a.in.form) {
    case COMPLEX:
        return g < a.n_in ? cplx[g * stride] : zero;
    case REAL:
        return g < a.n_in ? make_float2(real[g * stride], 0.0f) : zero;
    case PACKED:
        return make_float2(2 * g < a.n_in ? real[2 * g * stride] : 0.0f,
                           2 * g + 1 < a.n_in ? real[(2 * g + 1) * stride] : 0.0f);
    case HALF: {
        const bool low = g <= a.n / 2;
        const float2 v = cplx[(low ? g : a.n - g) * stride];
        return make_float2(v.x, g == 0 || 2 * g == a.n ? 0.0f : low ? v.y : -v.y);
    }
    default:
        return half_packed(a, cplx, g);
    }
}

__host__ __device__ __noinline__ static void put_any(const tile_args &a, size_t at, size_t g,
                                                     float2 v)
{
    const size_t stride = a.out.stride;
    v = swapped(v, a.swap_out);
    v = make_float2(v.x * a.scale, v.y * a.scale);
    float *real = static_cast<float *>(a.out.base) + at;
    float2 *cplx = static_cast<float2 *>(a.out.base) + at;
    switch (a.out.form) {
    case COMPLEX:
        cplx[g * stride] = v;
        break;
    case REAL:
        real[g * stride] = v.x;
        break;
    case PACKED:
        real[2 * g * stride] = v.x;
        real[(2 * g + 1) * stride] = v.y;
        break;
    default:
        if (g <= a.n / 2) {
            cplx[g * stride] = v;
        }
    }
}

/* ---- shapes ---- */

WEIR_HD uint32_t high_product(uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
    return __umulhi(a, b);
#else
    return (uint32_t)((uint64_t)a * b >> 32);
#endif
}

WEIR_HD uint32_t quotient(uint32_t x, const weir_fft_divisor &by)
{
    return by.magic == 0 ? x : high_product(x, by.magic);
}

struct runtime_shape {
    const weir_fft_shape &s;
    WEIR_HD explicit runtime_shape(const weir_fft_shape &shape) : s(shape)
    {
    }
    WEIR_HD uint32_t stages() const
    {
        return s.n_stages;
    }
    WEIR_HD uint32_t length() const
    {
        return s.length;
    }
    WEIR_HD uint32_t before(uint32_t i) const
    {
        return s.before[i];
    }
    WEIR_HD uint32_t after(uint32_t i) const
    {
        return s.after[i];
    }
    WEIR_HD uint32_t radix(uint32_t i) const
    {
        return s.radix[i];
    }
    WEIR_HD uint32_t table(uint32_t i) const
    {
        return s.table[i];
    }
    WEIR_HD uint32_t first_pitch() const
    {
        return s.first_pitch;
    }
    WEIR_HD uint32_t lines() const
    {
        return s.lines;
    }
    WEIR_HD uint32_t pitch() const
    {
        return s.pitch;
    }
    WEIR_HD bool interleaved() const
    {
        return s.interleaved;
    }
    WEIR_HD uint32_t by_radix(uint32_t x, uint32_t i) const
    {
        return quotient(x, s.by_radix[i]);
    }
    WEIR_HD uint32_t by_after(uint32_t x, uint32_t i) const
    {
        return quotient(x, s.by_after[i]);
    }
    WEIR_HD uint32_t by_group(uint32_t x, uint32_t i) const
    {
        return quotient(x, s.by_group[i]);
    }
    WEIR_HD uint32_t by_butterflies(uint32_t x, uint32_t i) const
    {
        return quotient(x, s.by_butterflies[i]);
    }
    WEIR_HD uint32_t by_lines(uint32_t x) const
    {
        return quotient(x, s.by_lines);
    }
    WEIR_HD uint32_t by_length(uint32_t x) const
    {
        return quotient(x, s.by_length);
    }
    WEIR_HD bool staged() const
    {
        return s.staged;
    }
    WEIR_HD uint32_t by_before(uint32_t x, uint32_t i) const
    {
        return quotient(x, s.by_before[i]);
    }
    /* Calls f with the radix of stage i as a constant. */
    template <class F> WEIR_HD void with_radix(uint32_t i, const F &f) const
    {
        switch (s.radix[i]) {
#define WEIR_CASE(R)                                                                               \
    case R:                                                                                        \
        f(index_of<R>());                                                                          \
        break
            WEIR_CASE(1);
            WEIR_CASE(2);
            WEIR_CASE(3);
            WEIR_CASE(4);
            WEIR_CASE(5);
            WEIR_CASE(6);
            WEIR_CASE(7);
            WEIR_CASE(8);
            WEIR_CASE(9);
            WEIR_CASE(10);
            WEIR_CASE(11);
            WEIR_CASE(12);
            WEIR_CASE(13);
            WEIR_CASE(14);
            WEIR_CASE(15);
            WEIR_CASE(16);
#ifndef __CUDA_ARCH__
            WEIR_CASE(32); /* compiled kernels only, but the host goes through them too */
#endif
#undef WEIR_CASE
        }
    }
};

template <uint32_t FIRST, uint32_t...> struct radix_of_first {
    static constexpr uint32_t value = FIRST;
};

/* Radices and lines known at compile time; the pitches still come from the plan. */
template <bool INTERLEAVED, uint32_t LINES, uint32_t... RADICES> struct fixed_shape {
    const weir_fft_shape &s;
    static constexpr uint32_t n = sizeof...(RADICES);
    static constexpr uint32_t points = (RADICES * ...);
    static constexpr bool is_staged =
        !INTERLEAVED && points / radix_of_first<RADICES...>::value < WEIR_FFT_STAGED_BELOW;
    WEIR_HD explicit fixed_shape(const weir_fft_shape &shape) : s(shape)
    {
    }
    WEIR_HD static constexpr uint32_t radix_at(uint32_t i)
    {
        constexpr uint32_t r[] = {RADICES...};
        return r[i];
    }
    /* Loops, not recursion: they vanish where i is a constant. */
    WEIR_HD static constexpr uint32_t before_at(uint32_t i)
    {
        uint32_t product = 1;
        for (uint32_t j = 0; j < n; j++) {
            product *= j < i ? radix_at(j) : 1;
        }
        return product;
    }
    WEIR_HD static constexpr uint32_t table_at(uint32_t i)
    {
        uint32_t sum = 0;
        for (uint32_t j = 1; j < n; j++) {
            sum += j < i ? (radix_at(j) - 1) * before_at(j) : 0;
        }
        return sum;
    }
    WEIR_HD uint32_t stages() const
    {
        return n;
    }
    WEIR_HD uint32_t length() const
    {
        return points;
    }
    WEIR_HD uint32_t before(uint32_t i) const
    {
        return before_at(i);
    }
    WEIR_HD uint32_t after(uint32_t i) const
    {
        return points / (before_at(i) * radix_at(i));
    }
    WEIR_HD uint32_t radix(uint32_t i) const
    {
        return radix_at(i);
    }
    WEIR_HD uint32_t table(uint32_t i) const
    {
        return table_at(i);
    }
    WEIR_HD uint32_t first_pitch() const
    {
        return INTERLEAVED ? after(0) : s.first_pitch;
    }
    WEIR_HD uint32_t lines() const
    {
        return LINES;
    }
    WEIR_HD uint32_t pitch() const
    {
        return INTERLEAVED ? LINES + 1 : s.pitch;
    }
    WEIR_HD bool interleaved() const
    {
        return INTERLEAVED;
    }
    WEIR_HD bool staged() const
    {
        return is_staged;
    }
    WEIR_HD uint32_t by_radix(uint32_t x, uint32_t i) const
    {
        return x / radix_at(i);
    }
    WEIR_HD uint32_t by_after(uint32_t x, uint32_t i) const
    {
        return x / after(i);
    }
    WEIR_HD uint32_t by_group(uint32_t x, uint32_t i) const
    {
        return i == 0 ? x : x / (before(i) / radix(0));
    }
    WEIR_HD uint32_t by_butterflies(uint32_t x, uint32_t i) const
    {
        return x / (points / radix_at(i));
    }
    WEIR_HD uint32_t by_before(uint32_t x, uint32_t i) const
    {
        return x / before_at(i);
    }
    WEIR_HD uint32_t by_lines(uint32_t x) const
    {
        return x / LINES;
    }
    WEIR_HD uint32_t by_length(uint32_t x) const
    {
        return x / points;
    }
};

/* ---- one thread of a tile ---- */

/* An end of the tile: by point and line alone; of every form; a real signal's spectrum. */
enum end { PLAIN_END, ANY_END, HALF_END };

template <class SHAPE, int GENERAL_IN, int GENERAL_OUT> struct worker {
    const tile_args &a;
    const SHAPE shape;
    float2 *shared;
    uint32_t thread, threads;
    size_t item;
    uint32_t tile; /* within the item */

    WEIR_HD worker(const tile_args &args, const SHAPE &s, float2 *memory, uint32_t t, uint32_t n,
                   uint32_t block)
        : a(args), shape(s), shared(memory), thread(t), threads(n)
    {
        item = args.tiles_per_item == ~0u ? 0 : block / args.tiles_per_item;
        tile = block - (uint32_t)item * args.tiles_per_item;
        if (args.tiles_per_item == ~0u) {
            tile = block;
        }
    }

    /* ---- places ---- */

    WEIR_HD uint32_t line_of(uint32_t l) const
    {
        if (!a.mirrored) {
            return tile * shape.lines() + l;
        }
        const uint32_t half = shape.lines() / 2, q = tile * half + (l < half ? l : l - half);
        return l < half || q == 0 ? q : a.n_lines - q;
    }

    WEIR_HD bool there(uint32_t line) const
    {
        return line < a.n_lines;
    }

    WEIR_HD uint32_t place(uint32_t l, uint32_t p) const
    {
        return shape.interleaved() ? p * shape.pitch() + l : l * shape.pitch() + p;
    }

    WEIR_HD uint32_t step(uint32_t p) const
    {
        return shape.interleaved() ? p * shape.pitch() : p;
    }

    /* Butterfly b of the tile: which line, and which of its own. */
    WEIR_HD void locate(uint32_t b, uint32_t s, bool along_lines, uint32_t &l, uint32_t &j) const
    {
        if (along_lines) {
            l = shape.by_butterflies(b, s);
            j = b - l * (shape.length() / shape.radix(s));
        } else {
            j = shape.by_lines(b);
            l = b - j * shape.lines();
        }
    }

    WEIR_HD uint32_t butterflies(uint32_t s) const
    {
        return shape.lines() * (shape.length() / shape.radix(s));
    }

    WEIR_HD uint32_t last_position(uint32_t k) const
    {
        uint32_t p = 0;
        for (uint32_t s = 0; s + 1 < shape.stages(); s++) {
            const uint32_t rest = shape.by_radix(k, s);
            p += (k - rest * shape.radix(s)) * (s == 0 ? shape.first_pitch() : shape.after(s));
            k = rest;
        }
        return p;
    }

    WEIR_HD uint32_t middle_position(uint32_t s, uint32_t j, uint32_t &kp) const
    {
        kp = shape.by_after(j, s);
        const uint32_t n = j - kp * shape.after(s), pad = shape.first_pitch() - shape.after(0);
        return kp * shape.radix(s) * shape.after(s) + n + pad * shape.by_group(kp, s);
    }

    /* ---- reading ---- */

    WEIR_HD size_t line_offset(const side &s, uint32_t line) const
    {
        if (s.split == ~0u) {
            return item * s.item + (size_t)line * s.line;
        }
        const uint32_t high = line / s.split;
        return item * s.item + (size_t)(line - high * s.split) * s.line + high * s.line_high;
    }

    WEIR_HD float2 general_read(size_t at, uint32_t line, uint32_t n) const
    {
        size_t g = line * a.in.g_line + n * a.in.g_element;
        if (a.order_in) {
            g = a.order_in[n];
        }
        if (a.chirp_in && g >= a.n) {
            return make_float2(0.0f, 0.0f);
        }
        const bool plain = a.in.form == COMPLEX && a.n_in >= a.n;
        const float2 v =
            swapped(plain ? static_cast<const float2 *>(a.in.base)[at + g * a.in.stride]
                          : any_value(a, at, g),
                    a.swap_in);
        return a.chirp_in ? mul(v, a.chirp[g]) : v;
    }

    /* Points j, j + apart, ... of a line. */
    template <int R> WEIR_HD void read(float2 *x, uint32_t line, uint32_t j, uint32_t apart) const
    {
        const size_t at = line_offset(a.in, line);
        if constexpr (GENERAL_IN == HALF_END) {
            const float2 *from = static_cast<const float2 *>(a.in.base) + at;
            unrolled<0, R>([&](auto i) {
                constexpr int r = decltype(i)::value;
                x[r] = swapped(half_packed(a, from, j + r * apart), a.swap_in);
            });
        } else if constexpr (GENERAL_IN == ANY_END) {
            unrolled<0, R>([&](auto i) {
                constexpr int r = decltype(i)::value;
                x[r] = general_read(at, line, j + r * apart);
            });
        } else {
            const uint32_t element = (uint32_t)a.in.element, step = apart * element;
            const float2 *from = static_cast<const float2 *>(a.in.base) + at + j * element;
            unrolled<0, R>([&](auto i) {
                constexpr int r = decltype(i)::value;
                x[r] = from[r * step];
            });
            if (a.swap_in) {
                unrolled<0, R>(
                    [&](auto i) { x[decltype(i)::value] = swapped(x[decltype(i)::value], true); });
            }
        }
    }

    /* ---- writing ---- */

    WEIR_HD void general_write(size_t at, uint32_t line, uint32_t k, float2 v) const
    {
        size_t g = line * a.out.g_line + k * a.out.g_element;
        if (a.order_out) {
            g = a.order_out[k];
        }
        if (a.chirp_out) {
            if (g >= a.n) {
                return;
            }
            v = mul(swapped(v, a.undo), a.chirp[g]);
        }
        if (a.out.form == COMPLEX) {
            v = swapped(v, a.swap_out);
            static_cast<float2 *>(a.out.base)[at + g * a.out.stride] =
                make_float2(v.x * a.scale, v.y * a.scale);
        } else {
            put_any(a, at, g, v);
        }
    }

    template <int R> WEIR_HD void write(float2 *x, uint32_t line, uint32_t k, uint32_t apart) const
    {
        const size_t at = line_offset(a.out, line);
        if constexpr (GENERAL_OUT) {
            unrolled<0, R>([&](auto i) {
                constexpr int r = decltype(i)::value;
                general_write(at, line, k + r * apart, x[r]);
            });
        } else {
            if (a.swap_out) { /* an inverse transform: scaled as well, most often */
                unrolled<0, R>([&](auto i) {
                    constexpr int r = decltype(i)::value;
                    x[r] = make_float2(x[r].y * a.scale, x[r].x * a.scale);
                });
            }
            const uint32_t element = (uint32_t)a.out.element, step = apart * element;
            float2 *to = static_cast<float2 *>(a.out.base) + at + k * element;
            unrolled<0, R>([&](auto i) {
                constexpr int r = decltype(i)::value;
                to[r * step] = x[r];
            });
        }
    }

    /* ---- stages ---- */

    template <int R> WEIR_HD void take(float2 *x, uint32_t at, uint32_t apart) const
    {
        unrolled<0, R>([&](auto i) {
            constexpr int r = decltype(i)::value;
            x[r] = shared[at + r * apart];
        });
    }

    template <int R> WEIR_HD void leave(const float2 *x, uint32_t at, uint32_t apart) const
    {
        unrolled<0, R>([&](auto i) {
            constexpr int r = decltype(i)::value;
            shared[at + r * apart] = x[r];
        });
    }

    template <int R> WEIR_HD void twiddle(float2 *x, uint32_t s, uint32_t k) const
    {
        const float2 *table = a.twiddles + (shape.table(s) + k);
        const uint32_t before = shape.before(s);
        unrolled<1, R>([&](auto i) {
            constexpr int r = decltype(i)::value;
            x[r] = mul(x[r], table[(r - 1) * before]);
        });
    }

    /* Columns of a four-step: x[r] is point k0 + r m of column c. Products of few: loads
     * cost more. */
    template <int R>
    WEIR_HD void turn(float2 *x, const float2 *base, const float2 *steps, uint32_t k0,
                      uint32_t c) const
    {
        constexpr int fine = R % 8 == 0 && R > 16 ? 8 : R % 4 == 0 ? 4 : R;
        float2 low[fine];
        unrolled<1, fine>([&](auto i) {
            constexpr int r = decltype(i)::value;
            low[r] = steps[(r - 1) * a.n_columns + c];
        });
        const float2 first = base[(size_t)k0 * a.n_columns + c];
        unrolled<0, R / fine>([&](auto i) {
            constexpr int from = decltype(i)::value * fine;
            float2 w = first;
            if constexpr (from > 0) {
                w = mul(first, steps[(from - 1) * a.n_columns + c]);
            }
            x[from] = mul(x[from], w);
            unrolled<1, fine>([&](auto j) {
                constexpr int r = decltype(j)::value;
                x[from + r] = mul(x[from + r], mul(w, low[r]));
            });
        });
    }

    template <int R> WEIR_HD void write_last(float2 *x, uint32_t line, uint32_t k, uint32_t m) const
    {
        if (a.base_after) {
            turn<R>(x, a.base_after, a.step_after, k, line);
        }
        write<R>(x, line, k, m);
    }

    template <int R> WEIR_HD void first(bool keep) const
    {
        const bool along = !shape.interleaved() || a.rows_first;
        for (uint32_t b = thread; b < butterflies(0); b += threads) {
            uint32_t l, j;
            locate(b, 0, along, l, j);
            const uint32_t line = line_of(l), at = place(l, j);
            if (!there(line)) {
                continue; /* what its places hold goes nowhere */
            }
            float2 x[R];
            if (shape.staged()) {
                take<R>(x, at, step(shape.first_pitch()));
            } else {
                read<R>(x, line, j, shape.after(0));
                if (a.base_before) {
                    turn<R>(x, a.base_before, a.step_before, j, line);
                }
            }
            dft<R>(x);
            if (GENERAL_OUT != HALF_END && shape.stages() == 1 && !keep) {
                write_last<R>(x, line, 0, 1);
            } else {
                leave<R>(x, at, step(shape.first_pitch()));
            }
        }
    }

    template <int R> WEIR_HD void middle(uint32_t s) const
    {
        for (uint32_t b = thread; b < butterflies(s); b += threads) {
            uint32_t l, j, kp;
            locate(b, s, !shape.interleaved(), l, j);
            const uint32_t at = place(l, middle_position(s, j, kp)), apart = step(shape.after(s));
            float2 x[R];
            take<R>(x, at, apart);
            twiddle<R>(x, s, kp);
            dft<R>(x);
            leave<R>(x, at, apart);
        }
    }

    template <int R> WEIR_HD void last(bool keep) const
    {
        const uint32_t s = shape.stages() - 1;
        for (uint32_t b = thread; b < butterflies(s); b += threads) {
            uint32_t l, k;
            locate(b, s, !shape.interleaved(), l, k);
            const uint32_t line = line_of(l), at = place(l, last_position(k)), apart = step(1);
            float2 x[R];
            take<R>(x, at, apart);
            twiddle<R>(x, s, k);
            dft<R>(x);
            if constexpr (GENERAL_OUT == HALF_END) {
                leave<R>(x, at, apart);
            } else if (keep) {
                leave<R>(x, at, apart);
            } else if (there(line)) {
                write_last<R>(x, line, k, shape.before(s));
            }
        }
    }

    /* ---- short rows: whole lines through shared memory, so that lanes walk along them ---- */

    WEIR_HD uint32_t place_of_point(uint32_t l, uint32_t n) const
    {
        return place(l, n + (shape.first_pitch() - shape.after(0)) * shape.by_after(n, 0));
    }

    /* Rows side by side are one run of values; eight of them in flight a thread. */
    static constexpr int in_flight = 8;

    WEIR_HD uint32_t values_of_tile() const
    {
        const uint32_t left = a.n_lines - tile * shape.lines();
        return (left < shape.lines() ? left : shape.lines()) * shape.length();
    }

    WEIR_HD void copy_in() const
    {
        const uint32_t total = values_of_tile();
        const bool run = !GENERAL_IN && a.in.element == 1 && a.in.line == shape.length();
        const float2 *from = static_cast<const float2 *>(a.in.base) + line_offset(a.in, line_of(0));
        for (uint32_t first = thread; first < total; first += in_flight * threads) {
            float2 x[in_flight];
            unrolled<0, in_flight>([&](auto i) {
                const uint32_t e = first + decltype(i)::value * threads;
                if (e < total) {
                    if (run) {
                        x[decltype(i)::value] = swapped(from[e], a.swap_in);
                    } else {
                        const uint32_t l = shape.by_length(e);
                        read<1>(&x[decltype(i)::value], line_of(l), e - l * shape.length(), 0);
                    }
                }
            });
            unrolled<0, in_flight>([&](auto i) {
                const uint32_t e = first + decltype(i)::value * threads;
                if (e < total) {
                    const uint32_t l = shape.by_length(e);
                    shared[place_of_point(l, e - l * shape.length())] = x[decltype(i)::value];
                }
            });
        }
    }

    /* natural: a convolution leaves points, a transform leaves bins in butterfly order. */
    WEIR_HD void copy_out(bool natural) const
    {
        const uint32_t total = values_of_tile();
        const bool run = !GENERAL_OUT && a.out.element == 1 && a.out.line == shape.length();
        float2 *to = static_cast<float2 *>(a.out.base) + line_offset(a.out, line_of(0));
#ifdef __CUDA_ARCH__
#pragma unroll 8
#endif
        for (uint32_t e = thread; e < total; e += threads) {
            const uint32_t l = shape.by_length(e), k = e - l * shape.length();
            float2 x = shared[natural ? place_of_point(l, k) : place_of_bin(l, k)];
            if (run) {
                x = a.swap_out ? make_float2(x.y * a.scale, x.x * a.scale) : x;
                to[e] = x;
            } else {
                write<1>(&x, line_of(l), k, 0);
            }
        }
    }

    /* ---- the spectrum of a real signal from that of its packed halves ---- */

    WEIR_HD uint32_t place_of_bin(uint32_t l, uint32_t k) const
    {
        const uint32_t s = shape.stages() - 1;
        if (s == 0) {
            return place(l, k * shape.first_pitch());
        }
        const uint32_t m = shape.before(s), r = shape.by_before(k, s);
        return place(l, last_position(k - r * m) + r);
    }

    WEIR_HD void finish_pair(uint32_t line, size_t g, float2 z, float2 mirror) const
    {
        const size_t n = a.n, stride = a.out.stride;
        const float scale = 0.5f * a.scale;
        const float2 even = make_float2(z.x + mirror.x, z.y - mirror.y);
        const float2 odd = make_float2(z.y + mirror.y, mirror.x - z.x);
        float2 w = a.half_roots[g <= n / 2 ? g : n - g];
        w = g <= n / 2 ? w : make_float2(-w.x, w.y);
        const float2 o = mul(odd, w);
        float2 *x = static_cast<float2 *>(a.out.base) + line_offset(a.out, line);
        x[g * stride] = make_float2(scale * (even.x + o.x), scale * (even.y + o.y));
        x[(n - g) * stride] = make_float2(scale * (even.x - o.x), scale * (o.y - even.y));
    }

    WEIR_HD void finish_rows() const
    {
        const uint32_t n = shape.length(), bins = n / 2 + 1;
        for (uint32_t b = thread; b < bins * shape.lines(); b += threads) {
            const uint32_t l = b / bins, k = b - l * bins, line = line_of(l);
            if (there(line)) {
                finish_pair(line, k, shared[place_of_bin(l, k)],
                            shared[place_of_bin(l, k == 0 ? 0 : n - k)]);
            }
        }
    }

    /* Line q has the bins q + Q k; its mirror image is line Q - q. */
    WEIR_HD void finish_columns() const
    {
        const uint32_t n = shape.length(), half = shape.lines() / 2;
        for (uint32_t b = thread; b < n * half; b += threads) {
            const uint32_t k = b / half, l = b - k * half, q = tile * half + l;
            if (2 * q > a.n_lines || (q == 0 && 2 * k > n)) {
                continue;
            }
            const uint32_t other = q == 0 ? (k == 0 ? 0 : n - k) : n - 1 - k;
            finish_pair(0, q + (size_t)k * a.n_lines, shared[place_of_bin(l, k)],
                        shared[place_of_bin(l + half, other)]);
        }
    }

    /* ---- convolution ---- */

    template <int R> WEIR_HD void multiply(float2 *x, uint32_t line, uint32_t k, uint32_t m) const
    {
        const float2 *h = a.spectrum + k;
        if (a.spectrum_rows > 1) {
            h += (size_t)(line % a.spectrum_rows) * shape.length();
        }
        if (a.order_in && k == 0) { /* Rader: bin 0 apart, x[0] into every other */
            const float2 x0 = swapped(any_value(a, line_offset(a.in, line), 0), a.swap_in);
            put_any(a, line_offset(a.out, line), 0, add(x[0], x0));
            x[0] = mul(x[0], h[0]);
            x[0] = add(x[0], x0);
            x[0].y = -x[0].y;
        } else {
            x[0] = mul(x[0], h[0]);
            x[0].y = -x[0].y;
        }
        unrolled<1, R>([&](auto i) {
            constexpr int r = decltype(i)::value;
            x[r] = mul(x[r], h[r * m]);
            x[r].y = -x[r].y;
        });
    }

    /* The last stage there and the first back. */
    template <int R> WEIR_HD void turning() const
    {
        const uint32_t s = shape.stages() - 1;
        for (uint32_t b = thread; b < butterflies(s); b += threads) {
            uint32_t l, k;
            locate(b, s, true, l, k);
            const uint32_t line = line_of(l), apart = s == 0 ? shape.first_pitch() : 1;
            const uint32_t at = place(l, s == 0 ? 0 : last_position(k));
            float2 x[R];
            take<R>(x, at, apart);
            if (s > 0) {
                twiddle<R>(x, s, k);
                dft<R>(x);
            }
            if (there(line)) {
                multiply<R>(x, line, k, shape.before(s));
            }
            dft<R>(x);
            if (s > 0) {
                twiddle<R>(x, s, k);
            }
            leave<R>(x, at, apart);
        }
    }

    template <int R> WEIR_HD void middle_back(uint32_t s) const
    {
        for (uint32_t b = thread; b < butterflies(s); b += threads) {
            uint32_t l, j, kp;
            locate(b, s, true, l, j);
            const uint32_t at = place(l, middle_position(s, j, kp)), apart = shape.after(s);
            float2 x[R];
            take<R>(x, at, apart);
            dft<R>(x);
            twiddle<R>(x, s, kp);
            leave<R>(x, at, apart);
        }
    }

    template <int R> WEIR_HD void first_back() const
    {
        const bool one = shape.stages() == 1; /* then the turning did it all */
        for (uint32_t b = thread; b < butterflies(0); b += threads) {
            uint32_t l, j;
            locate(b, 0, true, l, j);
            const uint32_t line = line_of(l), apart = shape.first_pitch(), at = place(l, j);
            float2 x[R];
            take<R>(x, at, apart);
            if (!one) {
                dft<R>(x);
            }
            unrolled<0, R>([&](auto i) { x[decltype(i)::value].y = -x[decltype(i)::value].y; });
            if (shape.staged()) {
                leave<R>(x, at, apart);
            } else if (there(line)) {
                write<R>(x, line, j, shape.after(0));
            }
        }
    }

    /* ---- the phases, one after the other ---- */

    /* The phases of a fixed shape, with ends that are not ANY_END. */
    template <int PHASE> WEIR_HD void fixed_phase() const
    {
        constexpr int p = SHAPE::is_staged ? PHASE - 1 : PHASE, n = (int)SHAPE::n;
        if constexpr (p < 0) {
            copy_in();
        } else if constexpr (p == n && GENERAL_OUT == HALF_END) {
            finish_rows();
        } else if constexpr (p == n) {
            copy_out(false);
        } else if constexpr (p == 0) {
            first<(int)SHAPE::radix_at(0)>(SHAPE::is_staged);
        } else if constexpr (p + 1 < n) {
            middle<(int)SHAPE::radix_at(p)>(p);
        } else {
            last<(int)SHAPE::radix_at(n - 1)>(SHAPE::is_staged);
        }
    }

    /* There and back: first .. last but one, turning, last but one .. first. */
    template <int PHASE> WEIR_HD void fixed_convolution_phase() const
    {
        constexpr int p = SHAPE::is_staged ? PHASE - 1 : PHASE, n = (int)SHAPE::n;
        constexpr int back = 2 * (n - 1) - p;
        if constexpr (p < 0) {
            copy_in();
        } else if constexpr (p == 2 * n - 1) {
            copy_out(true);
        } else if constexpr (p == n - 1) {
            turning<(int)SHAPE::radix_at(n - 1)>();
        } else if constexpr (p == 0) {
            first<(int)SHAPE::radix_at(0)>(true);
        } else if constexpr (p < n - 1) {
            middle<(int)SHAPE::radix_at(p)>(p);
        } else if constexpr (back > 0) {
            middle_back<(int)SHAPE::radix_at(back)>(back);
        } else {
            first_back<(int)SHAPE::radix_at(0)>();
        }
    }

    WEIR_HD bool keeps() const
    {
        return shape.staged() || (GENERAL_OUT && a.out.form == HALF_PACKED);
    }

    WEIR_HD uint32_t transform_phases() const
    {
        return shape.stages() + (shape.staged() ? 1 : 0) + (keeps() ? 1 : 0);
    }

    WEIR_HD void finish() const
    {
        if (!GENERAL_OUT || a.out.form != HALF_PACKED) {
            copy_out(false);
        } else if (a.mirrored) {
            finish_columns();
        } else {
            finish_rows();
        }
    }

    WEIR_HD void transform_phase(uint32_t phase) const
    {
        if (shape.staged()) {
            if (phase == 0) {
                copy_in();
                return;
            }
            phase--;
        }
        if (phase == shape.stages()) {
            finish();
        } else if (phase == 0) {
            shape.with_radix(0, [&](auto r) WEIR_INLINED { first<decltype(r)::value>(keeps()); });
        } else if (phase + 1 < shape.stages()) {
            shape.with_radix(phase,
                             [&](auto r) WEIR_INLINED { middle<decltype(r)::value>(phase); });
        } else {
            shape.with_radix(phase,
                             [&](auto r) WEIR_INLINED { last<decltype(r)::value>(keeps()); });
        }
    }

    WEIR_HD uint32_t back_and_forth() const
    {
        return shape.stages() == 1 ? 3 : 2 * shape.stages() - 1;
    }

    WEIR_HD uint32_t convolution_phases() const
    {
        return back_and_forth() + (shape.staged() ? 2 : 0);
    }

    WEIR_HD void convolution_phase(uint32_t phase) const
    {
        const uint32_t s = shape.stages(), turn_at = s == 1 ? 1 : s - 1;
        if (shape.staged()) {
            if (phase == 0) {
                copy_in();
                return;
            }
            phase--;
            if (phase == back_and_forth()) {
                copy_out(true);
                return;
            }
        }
        if (phase == 0) {
            shape.with_radix(0, [&](auto r) WEIR_INLINED { first<decltype(r)::value>(true); });
        } else if (phase < turn_at) {
            shape.with_radix(phase,
                             [&](auto r) WEIR_INLINED { middle<decltype(r)::value>(phase); });
        } else if (phase == turn_at) {
            shape.with_radix(s - 1, [&](auto r) WEIR_INLINED { turning<decltype(r)::value>(); });
        } else if (phase + 1 < back_and_forth()) {
            const uint32_t back = 2 * (s - 1) - phase;
            shape.with_radix(back,
                             [&](auto r) WEIR_INLINED { middle_back<decltype(r)::value>(back); });
        } else {
            shape.with_radix(0, [&](auto r) WEIR_INLINED { first_back<decltype(r)::value>(); });
        }
    }
};

} /* namespace weir_fft */

#endif
