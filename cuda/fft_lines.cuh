/* Tiles whose lines come and go by a kernel's own rules (samples in, powers out; pieces of
 * a signal): it fills shared memory, lets the stages run, and reads what they left there.
 */
#ifndef WEIR_CUDA_FFT_LINES_CUH
#define WEIR_CUDA_FFT_LINES_CUH

#include "cuda/fft_tile.cuh"
#include "cuda/plan_memory.cuh"

namespace weir_fft {

struct lines_args {
    tile_args tile;
    uint32_t threads, lanes; /* lanes, a power of two, share a line */
    bool convolve;           /* there and back, with tile.spectrum in between */
};

/* One thread of a block. The phases of fft_tile.cuh between those at the ends. */
struct lines_worker : worker<runtime_shape, false, false> {
    const bool convolve;
    const uint32_t lane, lanes, first_line, line_step;

    WEIR_HD lines_worker(const lines_args &a, float2 *memory, uint32_t t, uint32_t block)
        : worker<runtime_shape, false, false>(a.tile, runtime_shape(a.tile.shape), memory, t,
                                              a.threads, block),
          convolve(a.convolve), lane(t & (a.lanes - 1)), lanes(a.lanes), first_line(t / a.lanes),
          line_step(a.threads / a.lanes)
    {
    }

    /* The lines that this thread has a share in: f(line of the tile, line of all). */
    template <class F> WEIR_HD void each_line(const F &f) const
    {
        for (uint32_t l = first_line; l < shape.lines(); l += line_step) {
            const uint32_t line = line_of(l);
            if (there(line)) {
                f(l, line);
            }
        }
    }

    /* All points of line l, `value` of each; several in flight. */
    template <class F> WEIR_HD void fill_line(uint32_t l, const F &value) const
    {
        for (uint32_t first = lane; first < shape.length(); first += in_flight * lanes) {
            float2 x[in_flight];
            unrolled<0, in_flight>([&](auto i) {
                const uint32_t n = first + decltype(i)::value * lanes;
                x[decltype(i)::value] = n < shape.length() ? value(n) : make_float2(0.0f, 0.0f);
            });
            unrolled<0, in_flight>([&](auto i) {
                const uint32_t n = first + decltype(i)::value * lanes;
                if (n < shape.length()) {
                    shared[place_of_point(l, n)] = x[decltype(i)::value];
                }
            });
        }
    }

    WEIR_HD uint32_t phases_between() const
    {
        return convolve ? back_and_forth() : shape.stages();
    }

    WEIR_HD void phase_between(uint32_t phase) const
    {
        if (convolve) {
            convolution_phase(phase + 1);
        } else {
            transform_phase(phase + 1);
        }
    }

    /* What the phases left: bin k, or with convolve point k of the convolution. */
    WEIR_HD float2 result(uint32_t l, uint32_t k) const
    {
        return shared[convolve ? place_of_point(l, k) : place_of_bin(l, k)];
    }
};

constexpr uint32_t lines_threads = 512; /* of a block, at most */

/* Lines of `length` points, which must be smooth, of which lanes share `shared_by` values.
 * False: shared memory does not hold one. */
inline bool plan_lines(lines_args *a, size_t length, size_t shared_by, bool convolve,
                       size_t shared_bytes)
{
    *a = lines_args();
    tile_args *t = &a->tile;
    if (length == 0 || !weir_fft_shape_plan(&t->shape, length, false) ||
        t->shape.shared_bytes > shared_bytes) {
        return false;
    }
    t->shape.staged = true; /* it begins and ends in shared memory */
    t->scale = 1.0f;
    t->tiles_per_item = ~0u;
    t->spectrum_rows = 1;
    a->convolve = convolve;
    a->threads = t->shape.threads < lines_threads ? t->shape.threads : lines_threads;
    a->lanes = 1;
    while (a->lanes < shared_by && 2 * a->lanes <= a->threads) {
        a->lanes *= 2;
    }
    a->threads -= a->threads % a->lanes;
    return true;
}

inline weir_status keep_lines_twiddles(plan_memory *memory, lines_args *a, weir_error *err)
{
    table_job job = {};
    job.kind = STAGES;
    job.shape = a->tile.shape;
    job.count = job.shape.table_size;
    return memory->keep_table(job, &a->tile.twiddles, err);
}

/* Blocks for n_lines lines. */
inline uint32_t line_blocks(const lines_args &a, uint32_t n_lines)
{
    return (n_lines + a.tile.shape.lines - 1) / a.tile.shape.lines;
}

} /* namespace weir_fft */

#endif
