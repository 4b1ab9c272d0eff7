/* A power of two in one pass over memory, by one block or by a cluster of blocks that
 * exchange through each other's shared memory.
 *
 * N = n1 n2, the four steps inside the cluster: block c holds n2 / BLOCKS columns,
 * transforms them (n1 points: radices A1, A2), multiplies by W_N^(n2 k1), and gives every
 * value to the block that owns its row; that one transforms n1 / BLOCKS rows (n2 points:
 * B1, B2) and writes runs of as many neighbouring bins. Each thread holds 32 values in
 * registers, of two neighbouring columns where they take two steps: their values travel
 * together. What a thread needs of tables it reads before it waits.
 *
 * Written as phases between barriers, for the device and for the host, as in fft_tile.cuh.
 * The exchange overwrites what the columns lay in, so it stands between two barriers of
 * the cluster; on the host it goes to other memory.
 *
 * Banks, sixteen 8-byte words at a time: the columns are contiguous. Lanes go along the
 * rows, an odd pitch apart where a half warp lies in 16 rows; with fewer rows by an odd
 * multiple of 16 / rows, and neighbouring groups of a row by an odd number. Pairs are 16
 * bytes: the third step goes along contiguous values, in the fourth eight lanes read as
 * many rows, whose pitch is twice an odd number of values.
 */
#ifndef WEIR_CUDA_FFT_WIDE_CUH
#define WEIR_CUDA_FFT_WIDE_CUH

#include "cuda/fft_radix.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define WEIR_HAS_CLUSTERS 1
#else
#define WEIR_HAS_CLUSTERS 0
#endif

namespace weir_fft {

/* Value j of transform i at i item + j element, in complex values. */
struct wide_args {
    const float2 *in;
    float2 *out;
    size_t item_in, item_out;
    uint32_t element_in, element_out;
    bool pairs; /* neighbours side by side at multiples of 16 bytes */
    bool swap;  /* real and imaginary parts, both ends: the inverse */
    float scale;
    const float2 *columns, *rows; /* twiddles: W_n1^(r k) at (r-1) A1 + k, W_n2^(r k) */
    const float2 *base, *step;    /* W_N^(k1 c), k1 < A1; W_N^(m r c), r > 0, m = A1 or 1 */
};

template <int BLOCKS, int THREADS, int A1, int A2, int B1, int B2> struct wide_shape {
    static constexpr uint32_t blocks = BLOCKS, threads = THREADS;
    static constexpr uint32_t n1 = A1 * A2, n2 = B1 * B2, points = n1 * n2;
    static constexpr uint32_t columns = n2 / BLOCKS, rows = n1 / BLOCKS;
    static constexpr bool pairs = A2 > 1; /* a thread has two neighbouring columns */
    static constexpr uint32_t row_step = rows < 16 ? 16 / rows : 1;
    static constexpr uint32_t group = B2 + (rows < 16 && !pairs ? 1 : 0);
    static constexpr uint32_t pitch =
        pairs ? n2 + 2 : (B1 * group + row_step - 1) / (2 * row_step) * (2 * row_step) + row_step;
    static constexpr uint32_t words = n1 * columns > rows *pitch ? n1 *columns : rows *pitch;
    static constexpr uint32_t in_registers = points / (BLOCKS * THREADS);
};

WEIR_HD void cluster_arrive()
{
#if WEIR_HAS_CLUSTERS
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

WEIR_HD void cluster_wait()
{
#if WEIR_HAS_CLUSTERS
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

template <int BLOCKS, int THREADS, int A1, int A2, int B1, int B2> struct wide_worker {
    typedef wide_shape<BLOCKS, THREADS, A1, A2, B1, B2> shape;
    static constexpr int V = shape::pairs ? 2 : 1;
    const wide_args &a;
    float2 *mine;          /* shared memory of this block                         */
    float2 *const *theirs; /* on the host: of every block, for the time after the exchange */
    uint32_t thread, rank;
    size_t item;

    /* Between the last read of the columns and the first gift. */
    WEIR_HD static void arrive()
    {
        if constexpr (BLOCKS > 1) {
            cluster_arrive();
        }
    }

    WEIR_HD static void wait()
    {
        if constexpr (BLOCKS > 1) {
            cluster_wait();
        } else {
#ifdef __CUDA_ARCH__
            __syncthreads();
#endif
        }
    }

    /* V values of neighbouring columns at `at`, even where V is 2, of a row. */
    WEIR_HD void give(uint32_t row, uint32_t at, const float2 *v) const
    {
        const uint32_t owner = row / shape::rows, place = row % shape::rows * shape::pitch + at;
#if WEIR_HAS_CLUSTERS
        if constexpr (BLOCKS > 1) {
            const uint32_t here = (uint32_t)__cvta_generic_to_shared(mine + place);
            uint32_t there;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                         : "=r"(there)
                         : "r"(here), "r"(owner));
            if constexpr (V == 2) {
                asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(there),
                             "f"(v[0].x), "f"(v[0].y), "f"(v[1].x), "f"(v[1].y)
                             : "memory");
            } else {
                asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there), "f"(v[0].x),
                             "f"(v[0].y)
                             : "memory");
            }
            return;
        }
#endif
#ifdef __CUDA_ARCH__
        put(mine + place, v);
#else
        put(theirs[owner] + place, v);
#endif
    }

    /* V neighbours at once. */
    WEIR_HD static void get(float2 *v, const float2 *from)
    {
        if constexpr (V == 2) {
            const float4 both = *reinterpret_cast<const float4 *>(from);
            v[0] = make_float2(both.x, both.y);
            v[1] = make_float2(both.z, both.w);
        } else {
            v[0] = from[0];
        }
    }

    WEIR_HD static void put(float2 *to, const float2 *v)
    {
        if constexpr (V == 2) {
            *reinterpret_cast<float4 *>(to) = make_float4(v[0].x, v[0].y, v[1].x, v[1].y);
        } else {
            to[0] = v[0];
        }
    }

    template <int R> WEIR_HD static void twiddle(float2 *x, const float2 *table, uint32_t apart)
    {
        unrolled<1, R>([&](auto i) {
            constexpr int r = decltype(i)::value;
            x[r] = mul(x[r], table[(r - 1) * apart]);
        });
    }

    /* W_N^((k1 + m r) c) of V columns for every r, as products of few. */
    template <int R> struct turns {
        static constexpr int fine = R > 16 ? 8 : R < 4 ? R : 4, coarse = R / fine;
        float2 base[V], low[fine][V], high[coarse][V];
    };

    template <int R> WEIR_HD void get_turns(turns<R> *w, uint32_t k1, uint32_t column) const
    {
        constexpr int fine = turns<R>::fine;
        if constexpr (A2 > 1) {
            get(w->base, a.base + k1 * shape::n2 + column);
        }
        unrolled<1, fine>([&](auto i) {
            constexpr int r = decltype(i)::value;
            get(w->low[r], a.step + (r - 1) * shape::n2 + column);
        });
        unrolled<1, turns<R>::coarse>([&](auto i) {
            constexpr int r = decltype(i)::value;
            get(w->high[r], a.step + (r * fine - 1) * shape::n2 + column);
        });
    }

    template <int R> WEIR_HD static void turn(float2 *x, const turns<R> &w, int v)
    {
        constexpr int fine = turns<R>::fine;
        unrolled<0, turns<R>::coarse>([&](auto i) {
            constexpr int c = decltype(i)::value, from = c * fine;
            constexpr bool plain = A2 == 1 && c == 0;
            float2 first = w.base[v];
            if constexpr (c > 0) {
                first = A2 > 1 ? mul(first, w.high[c][v]) : w.high[c][v];
            }
            if constexpr (!plain) {
                x[from] = mul(x[from], first);
            }
            unrolled<1, fine>([&](auto j) {
                constexpr int r = decltype(j)::value;
                x[from + r] = mul(x[from + r], plain ? w.low[r][v] : mul(first, w.low[r][v]));
            });
        });
    }

    /* x[v][r] is row k1 + m r of column + v; to their owners. */
    template <int R> WEIR_HD void give_all(const float2 (*x)[R], uint32_t k1, uint32_t column) const
    {
        unrolled<0, R>([&](auto i) {
            constexpr int r = decltype(i)::value;
            float2 both[V];
            unrolled<0, V>([&](auto v) { both[decltype(v)::value] = x[decltype(v)::value][r]; });
            give(k1 + r * (A2 > 1 ? A1 : 1), column / B2 * shape::group + column % B2, both);
        });
    }

    /* Butterfly t of this thread along the columns: column l and the next, number j. */
    WEIR_HD void locate(uint32_t t, uint32_t &l, uint32_t &j) const
    {
        const uint32_t b = thread + t * THREADS;
        l = b % (shape::columns / V) * V;
        j = b / (shape::columns / V);
    }

    /* ---- the phases ---- */

    WEIR_HD void read(float2 (*x)[A1], uint32_t l, uint32_t j) const
    {
        const float2 *from =
            a.in + item * a.item_in + (j * shape::n2 + rank * shape::columns + l) * a.element_in;
        const uint32_t apart = A2 * shape::n2 * a.element_in;
        if (V == 2 && a.pairs) {
            unrolled<0, A1>([&](auto i) {
                constexpr int r = decltype(i)::value;
                float2 both[V];
                get(both, from + r * apart);
                unrolled<0, V>(
                    [&](auto v) { x[decltype(v)::value][r] = both[decltype(v)::value]; });
            });
        } else {
            unrolled<0, A1>([&](auto i) {
                constexpr int r = decltype(i)::value;
                unrolled<0, V>([&](auto v) {
                    constexpr int c = decltype(v)::value;
                    x[c][r] = from[r * apart + c * a.element_in];
                });
            });
        }
        if (a.swap) {
            unrolled<0, V * A1>([&](auto i) {
                float2 &value = x[decltype(i)::value / A1][decltype(i)::value % A1];
                value = swapped(value, true);
            });
        }
    }

    WEIR_HD void first() const
    {
        static_assert((int)shape::in_registers % (A1 * V) == 0 &&
                          (A2 > 1 || (int)shape::in_registers == A1),
                      "whole butterflies");
        unrolled<0, (int)shape::in_registers / A1 / V>([&](auto t) {
            uint32_t l, j;
            locate(decltype(t)::value, l, j);
            float2 x[V][A1];
            if constexpr (A2 > 1) {
                read(x, l, j);
                unrolled<0, V>([&](auto v) { dft<A1>(x[decltype(v)::value]); });
                unrolled<0, A1>([&](auto i) {
                    constexpr int k = decltype(i)::value;
                    float2 both[V];
                    unrolled<0, V>(
                        [&](auto v) { both[decltype(v)::value] = x[decltype(v)::value][k]; });
                    put(mine + (k * A2 + j) * shape::columns + l, both);
                });
            } else {
                const uint32_t column = rank * shape::columns + l;
                arrive();
                read(x, l, j);
                dft<A1>(x[0]);
                turns<A1> w;
                get_turns<A1>(&w, 0, column);
                turn<A1>(x[0], w, 0);
                if constexpr (BLOCKS > 1) {
                    wait(); /* until the others are there */
                }
                give_all<A1>(x, 0, column);
            }
        });
    }

    static constexpr int second_times = A2 > 1 ? (int)shape::in_registers / A2 / V : 0;
    struct before_second {
        turns<(A2 > 1 ? A2 : 2)> w[second_times > 0 ? second_times : 1];
    };

    WEIR_HD void prepare_second(before_second *ready) const
    {
        unrolled<0, second_times>([&](auto t) {
            uint32_t l, k1;
            locate(decltype(t)::value, l, k1);
            get_turns<A2>(&ready->w[decltype(t)::value], k1, rank * shape::columns + l);
        });
    }

    WEIR_HD void second(const before_second &ready) const
    {
        float2 x[second_times][V][A2];
        unrolled<0, second_times>([&](auto t) {
            uint32_t l, k1;
            locate(decltype(t)::value, l, k1);
            unrolled<0, A2>([&](auto i) {
                constexpr int r = decltype(i)::value;
                float2 both[V];
                get(both, mine + (k1 * A2 + r) * shape::columns + l);
                unrolled<0, V>([&](auto v) {
                    x[decltype(t)::value][decltype(v)::value][r] = both[decltype(v)::value];
                });
            });
        });
        arrive();
        unrolled<0, second_times>([&](auto t) {
            constexpr int i = decltype(t)::value;
            uint32_t l, k1;
            locate(i, l, k1);
            unrolled<0, V>([&](auto v) {
                float2 *y = x[i][decltype(v)::value];
                twiddle<A2>(y, a.columns + k1, A1);
                dft<A2>(y);
                turn<A2>(y, ready.w[i], decltype(v)::value);
            });
            if constexpr (i == 0) {
                wait();
            }
            give_all<A2>(x[i], k1, rank * shape::columns + l);
        });
    }

    WEIR_HD void third() const
    {
        unrolled<0, (int)shape::in_registers / B1>([&](auto t) {
            const uint32_t b = thread + decltype(t)::value * THREADS;
            const uint32_t row = shape::pairs ? b / B2 : b % shape::rows;
            float2 *at = mine + row * shape::pitch + (shape::pairs ? b % B2 : b / shape::rows);
            float2 x[B1];
            unrolled<0, B1>(
                [&](auto i) { x[decltype(i)::value] = at[decltype(i)::value * shape::group]; });
            dft<B1>(x);
            unrolled<0, B1>(
                [&](auto i) { at[decltype(i)::value * shape::group] = x[decltype(i)::value]; });
        });
    }

    WEIR_HD void fourth() const
    {
        unrolled<0, (int)shape::in_registers / B2>([&](auto t) {
            const uint32_t b = thread + decltype(t)::value * THREADS;
            const uint32_t row = b % shape::rows, k = b / shape::rows;
            const float2 *at = mine + row * shape::pitch + k * shape::group;
            float2 x[B2];
            unrolled<0, B2 / V>([&](auto i) {
                constexpr int r = V * decltype(i)::value;
                get(x + r, at + r);
            });
            twiddle<B2>(x, a.rows + k, B1);
            dft<B2>(x);
            float2 *to = a.out + item * a.item_out +
                         (rank * shape::rows + row + shape::n1 * k) * a.element_out;
            const uint32_t apart = shape::n1 * B1 * a.element_out;
            if (a.swap) {
                unrolled<0, B2>([&](auto i) {
                    constexpr int r = decltype(i)::value;
                    x[r] = make_float2(x[r].y * a.scale, x[r].x * a.scale);
                });
            }
            unrolled<0, B2>([&](auto i) {
                constexpr int r = decltype(i)::value;
                to[r * apart] = x[r];
            });
        });
    }
};

} /* namespace weir_fft */

#endif
