/* Plans of cuda/fft.h: tables, the work area, and the kernels one after the other. */
#include "cuda/fft_chirp.h"
#include "cuda/fft_config.h"
#include "cuda/fft_launch.cuh"
#include "cuda/fft_prime.h"
#include "cuda/fft_tables.cuh"
#include "cuda/fft_wide.h"

#include <new>
#include <stdlib.h>
#include <string.h>
#include <vector>

extern "C" {
#include "dsp/fft_f64.h"
}

using namespace weir_fft;

struct weir_gpu_fft {
    weir_gpu_fft_config config;
    weir_fft_layout layout;
    bool packed, on_host;
    launch launches[3];
    unsigned n_launches;
    const wide_kernel *wide; /* instead of the launches */
    wide_args wide_plan;
    const chirp_kernel *chirp;
    chirp_args chirp_plan;
    weir_fft_prime prime; /* units 0: not so */
    const float4 *matrix;
    size_t at_once; /* transforms that the work area has room for */
    float2 *work;
    bool own_work;
    void *memory[16]; /* tables */
    unsigned n_memory;
    void *staging_in, *staging_out; /* weir_gpu_fft_run */
};

namespace {

weir_status checked(cudaError_t result, const char *what, weir_error *err)
{
    if (result == cudaSuccess) {
        return WEIR_OK;
    }
    (void)cudaGetLastError(); /* dealt with: no later launch is to blame */
    const weir_status status =
        result == cudaErrorMemoryAllocation ? WEIR_ERR_NOMEM : WEIR_ERR_DEVICE;
    return weir_fail(err, status, "CUDA: %s: %s", what, cudaGetErrorString(result));
}

/* ---- memory, on either side ---- */

weir_status allocate(const weir_gpu_fft *fft, void **memory, size_t bytes, weir_error *err)
{
    if (!fft->on_host) {
        return checked(cudaMalloc(memory, bytes), "device memory for a transform", err);
    }
    *memory = malloc(bytes);
    return *memory ? WEIR_OK : weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
}

void release(const weir_gpu_fft *fft, void *memory)
{
    if (fft->on_host) {
        free(memory);
    } else if (memory) {
        cudaFree(memory);
    }
}

/* Memory that lives as long as the plan; NULL if there is none. */
template <class T> T *keep(weir_gpu_fft *fft, size_t count, weir_error *err)
{
    void *memory = nullptr;
    if (allocate(fft, &memory, count * sizeof(T), err) != WEIR_OK) {
        return nullptr;
    }
    fft->memory[fft->n_memory++] = memory;
    return static_cast<T *>(memory);
}

template <class T>
weir_status keep_copy(weir_gpu_fft *fft, const T *values, size_t count, const T **kept,
                      weir_error *err)
{
    T *memory = keep<T>(fft, count, err);
    *kept = memory;
    if (!memory) {
        return err ? err->status : WEIR_ERR_NOMEM;
    }
    if (fft->on_host) {
        memcpy(memory, values, count * sizeof(T));
        return WEIR_OK;
    }
    return checked(cudaMemcpy(memory, values, count * sizeof(T), cudaMemcpyHostToDevice),
                   "copying a table", err);
}

__global__ void fill_table(const table_job job, float2 *table)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < job.count;
         i += (size_t)gridDim.x * blockDim.x) {
        table[i] = table_value(job, i);
    }
}

weir_status keep_table(weir_gpu_fft *fft, const table_job &job, const float2 **table,
                       weir_error *err)
{
    *table = nullptr;
    if (job.count == 0) {
        return WEIR_OK;
    }
    float2 *memory = keep<float2>(fft, job.count, err);
    *table = memory;
    if (!memory) {
        return err ? err->status : WEIR_ERR_NOMEM;
    }
    if (fft->on_host) {
        for (size_t i = 0; i < job.count; i++) {
            memory[i] = table_value(job, i);
        }
        return WEIR_OK;
    }
    const size_t blocks = (job.count + 255) / 256;
    fill_table<<<(unsigned)(blocks < 4096 ? blocks : 4096), 256>>>(job, memory);
    return checked(cudaGetLastError(), "filling a table", err);
}

weir_status keep_twiddles(weir_gpu_fft *fft, launch *l, weir_error *err)
{
    table_job job = {};
    job.kind = STAGES;
    job.count = l->args.shape.table_size;
    job.shape = l->args.shape;
    return keep_table(fft, job, &l->args.twiddles, err);
}

/* Column c, point k times W_of^(c k): k = low + m r, low < m. */
weir_status keep_turns(weir_gpu_fft *fft, uint64_t of, uint64_t columns, uint32_t m, uint32_t radix,
                       const float2 **base, const float2 **step, weir_error *err)
{
    table_job job = {};
    job.kind = GRID;
    job.columns = columns;
    job.of = of;
    job.count = m * columns;
    job.factor = 1;
    weir_status status = keep_table(fft, job, base, err);
    if (status == WEIR_OK) {
        job.count = (radix - 1) * columns;
        job.first = 1;
        job.factor = m;
        status = keep_table(fft, job, step, err);
    }
    return status;
}

/* ---- launches ---- */

constexpr uint32_t no_split = ~0u;

side plain_side(size_t item, size_t line, size_t element)
{
    side s = {};
    s.item = item;
    s.line = line;
    s.element = element;
    s.split = no_split;
    s.stride = 1;
    s.form = COMPLEX;
    return s;
}

int form_in(const weir_gpu_fft *fft)
{
    const bool real = fft->config.real, inverse = fft->config.inverse;
    return !real     ? COMPLEX
           : inverse ? (fft->packed ? HALF_PACKED : HALF)
                     : (fft->packed ? PACKED : REAL);
}

int form_out(const weir_gpu_fft *fft)
{
    const bool real = fft->config.real, inverse = fft->config.inverse;
    return !real     ? COMPLEX
           : inverse ? (fft->packed ? PACKED : REAL)
                     : (fft->packed ? HALF_PACKED : HALF);
}

/* Packed real values that lie side by side are complex values already. */
bool dense(size_t stride, size_t distance)
{
    return stride == 1 && distance % 2 == 0;
}

/* The plain kernels count the places within a transform in 32 bits. */
bool far(size_t n, size_t stride)
{
    return n * stride > (size_t)1 << 31;
}

/* The caller's end. A tile of rows has one transform a line, a tile of columns one an item:
 * `g_line` and `g_element` place a point in the transform. */
void caller_side(side *s, bool rows, size_t distance, size_t stride, int form, size_t g_line,
                 size_t g_element)
{
    *s = side{};
    s->item = rows ? 0 : distance;
    s->line = rows ? distance : 0;
    s->split = no_split;
    s->stride = stride;
    s->form = form;
    s->g_line = g_line;
    s->g_element = g_element;
}

/* Where point and line alone say the address, the plain kernel does it. */
void simplify(side *s, bool rows)
{
    if (s->form == PACKED) {
        s->item /= 2;
        s->line /= 2;
        s->form = COMPLEX;
    }
    s->element = s->g_element * s->stride;
    if (!rows) {
        s->line = s->g_line * s->stride;
    }
}

void set_input(weir_gpu_fft *fft, launch *l, bool rows, size_t g_line, size_t g_element)
{
    const weir_gpu_fft_config *c = &fft->config;
    const int form = form_in(fft);
    tile_args *a = &l->args;
    caller_side(&a->in, rows, c->distance_in, c->stride_in, form, g_line, g_element);
    a->n = fft->layout.n;
    a->n_in = c->length_in;
    a->swap_in = c->inverse;
    const bool whole = c->length_in == weir_gpu_fft_values_in(c);
    l->general_in = far(c->n, c->stride_in) || a->chirp_in || a->order_in || !whole ||
                    !(form == COMPLEX || (form == PACKED && dense(c->stride_in, c->distance_in)));
    if (!l->general_in) {
        simplify(&a->in, rows);
    }
}

void set_output(weir_gpu_fft *fft, launch *l, bool rows, size_t g_line, size_t g_element)
{
    const weir_gpu_fft_config *c = &fft->config;
    const int form = form_out(fft);
    tile_args *a = &l->args;
    caller_side(&a->out, rows, c->distance_out, c->stride_out, form, g_line, g_element);
    a->n = fft->layout.n;
    a->swap_out = c->inverse;
    a->scale = c->inverse && !c->unscaled ? (float)(1.0 / (double)c->n) : 1.0f;
    l->general_out =
        (a->scale != 1.0f && !a->swap_out) || far(c->n, c->stride_out) || a->chirp_out ||
        a->order_out ||
        !(form == COMPLEX || (form == PACKED && dense(c->stride_out, c->distance_out)));
    if (!l->general_out) {
        simplify(&a->out, rows);
    }
}

launch *new_launch(weir_gpu_fft *fft, unsigned shape)
{
    launch *l = &fft->launches[fft->n_launches++];
    *l = launch{};
    l->args.shape = fft->layout.shapes[shape];
    l->args.scale = 1.0f;
    l->args.in.split = l->args.out.split = no_split;
    return l;
}

void set_columns(launch *l, size_t n_lines)
{
    l->args.n_lines = (uint32_t)n_lines;
    l->args.n_columns = (uint32_t)n_lines;
    l->args.tiles_per_item = (uint32_t)((n_lines + l->args.shape.lines - 1) / l->args.shape.lines);
}

void set_rows(launch *l)
{
    l->args.tiles_per_item = ~0u;
}

weir_status keep_half_roots(weir_gpu_fft *fft, const float2 **roots, weir_error *err)
{
    table_job job = {};
    job.kind = GRID; /* one row: W_2n^k */
    job.first = job.factor = 1;
    job.of = 2 * fft->layout.n;
    job.columns = job.count = fft->layout.n / 2 + 1;
    return keep_table(fft, job, roots, err);
}

weir_status keep_chirp(weir_gpu_fft *fft, const float2 **chirp, weir_error *err)
{
    table_job job = {};
    job.kind = CHIRP;
    job.count = job.n = fft->layout.n;
    return keep_table(fft, job, chirp, err);
}

/* ---- one kernel ---- */

weir_status build_one(weir_gpu_fft *fft, weir_error *err)
{
    launch *l = new_launch(fft, 0);
    set_rows(l);
    set_input(fft, l, true, 0, 1);
    set_output(fft, l, true, 0, 1);
    return keep_twiddles(fft, l, err);
}

weir_status build_prime(weir_gpu_fft *fft, weir_error *err)
{
    const weir_fft_prime *prime = &fft->prime;
    const uint32_t p = prime->shape.radix[0], bins = prime->groups * WEIR_FFT_PRIME_BINS;
    std::vector<float2> values((size_t)prime->half * bins);
    for (size_t i = 0; i < values.size(); i++) {
        const double2 w = exact_root((i / bins + 1) * (i % bins + 1), p);
        values[i] = make_float2((float)w.x, (float)w.y);
    }
    const float2 *matrix;
    const weir_status status = keep_copy(fft, values.data(), values.size(), &matrix, err);
    fft->matrix = reinterpret_cast<const float4 *>(matrix);
    fft->layout.shapes[0] = prime->shape;
    return status == WEIR_OK ? build_one(fft, err) : status;
}

weir_status execute_prime(const weir_gpu_fft *fft, size_t count, const void *in, void *out,
                          cudaStream_t stream, weir_error *err)
{
    prime_args args = {fft->launches[0].args, fft->prime, fft->matrix};
    const uint32_t lines = args.tile.shape.lines;
    const uint32_t blocks = (uint32_t)((count + lines - 1) / lines);
    args.tile.n_lines = (uint32_t)count;
    args.tile.in.base = const_cast<void *>(in);
    args.tile.out.base = out;
    if (fft->on_host) {
        rehearse_prime(args, blocks);
        return WEIR_OK;
    }
    return checked(transform_prime(args, blocks, stream), "launching a transform", err);
}

/* The spectrum of the other factor of a convolution, in double precision, scaled. */
weir_status keep_spectrum(weir_gpu_fft *fft, std::vector<double> &values, const float2 **spectrum,
                          weir_error *err)
{
    const size_t m = fft->layout.m;
    weir_fft_f64 *f64;
    weir_status status = weir_fft_f64_create(&f64, m, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_fft_f64_forward(f64, values.data());
    weir_fft_f64_destroy(f64);
    std::vector<float2> rounded(m);
    for (size_t i = 0; i < m; i++) {
        rounded[i] =
            make_float2((float)(values[2 * i] / (double)m), (float)(values[2 * i + 1] / (double)m));
    }
    return keep_copy(fft, rounded.data(), m, spectrum, err);
}

weir_status build_rader(weir_gpu_fft *fft, weir_error *err)
{
    const uint32_t p = (uint32_t)fft->layout.n, m = p - 1;
    const uint32_t g = fft->layout.generator, back = weir_fft_power_mod(g, p - 2, p);
    std::vector<uint32_t> forth(m), inverse(m);
    std::vector<double> values(2 * (size_t)m);
    uint64_t up = 1, down = 1;
    for (uint32_t j = 0; j < m; j++, up = up * g % p, down = down * back % p) {
        forth[j] = (uint32_t)up;
        inverse[j] = (uint32_t)down;
        const double2 w = exact_root(down, p);
        values[2 * (size_t)j] = w.x;
        values[2 * (size_t)j + 1] = w.y;
    }
    launch *l = new_launch(fft, 0);
    tile_args *a = &l->args;
    weir_status status = keep_copy<uint32_t>(fft, forth.data(), m, &a->order_in, err);
    if (status == WEIR_OK) {
        status = keep_copy<uint32_t>(fft, inverse.data(), m, &a->order_out, err);
    }
    if (status == WEIR_OK) {
        status = keep_spectrum(fft, values, &a->spectrum, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    l->convolve = true;
    a->spectrum_rows = 1;
    set_rows(l);
    set_input(fft, l, true, 0, 1);
    set_output(fft, l, true, 0, 1);
    return keep_twiddles(fft, l, err);
}

/* The spectrum of the chirp that Bluestein's convolution has. */
weir_status keep_chirp_spectrum(weir_gpu_fft *fft, const float2 **spectrum, weir_error *err)
{
    const size_t n = fft->layout.n, m = fft->layout.m;
    std::vector<double> values(2 * m);
    for (size_t i = 0; i < n; i++) {
        const double2 w = chirp(i, n);
        const size_t other = i == 0 ? 0 : m - i;
        values[2 * i] = values[2 * other] = w.x;
        values[2 * i + 1] = values[2 * other + 1] = -w.y;
    }
    return keep_spectrum(fft, values, spectrum, err);
}

weir_status build_bluestein(weir_gpu_fft *fft, weir_error *err)
{
    launch *l = new_launch(fft, 0);
    tile_args *a = &l->args;
    weir_status status = keep_chirp_spectrum(fft, &a->spectrum, err);
    if (status == WEIR_OK) {
        status = keep_chirp(fft, &a->chirp, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    l->convolve = a->chirp_in = a->chirp_out = true;
    a->spectrum_rows = 1;
    set_rows(l);
    set_input(fft, l, true, 0, 1);
    set_output(fft, l, true, 0, 1);
    return keep_twiddles(fft, l, err);
}

/* ---- a block or a cluster a transform ---- */

/* W_of^(r k), k < columns, r = 1 .. rows. */
weir_status keep_grid(weir_gpu_fft *fft, uint64_t of, uint64_t columns, uint64_t rows,
                      const float2 **table, weir_error *err)
{
    table_job job = {};
    job.kind = GRID;
    job.columns = columns;
    job.first = job.factor = 1;
    job.of = of;
    job.count = rows * columns;
    return keep_table(fft, job, table, err);
}

weir_status build_wide(weir_gpu_fft *fft, weir_error *err)
{
    const weir_gpu_fft_config *c = &fft->config;
    const uint32_t *r = fft->layout.wide.radix, n1 = r[0] * r[1], n2 = r[2] * r[3];
    wide_args *a = &fft->wide_plan;
    a->item_in = c->distance_in;
    a->item_out = c->distance_out;
    a->element_in = (uint32_t)c->stride_in;
    a->element_out = (uint32_t)c->stride_out;
    a->swap = c->inverse;
    a->scale = c->inverse && !c->unscaled ? (float)(1.0 / (double)c->n) : 1.0f;
    weir_status status = keep_grid(fft, n1, r[0], r[1] - 1, &a->columns, err);
    if (status == WEIR_OK) {
        status = keep_grid(fft, n2, r[2], r[3] - 1, &a->rows, err);
    }
    const bool two = r[1] > 1;
    return status == WEIR_OK ? keep_turns(fft, c->n, n2, two ? r[0] : 1, two ? r[1] : r[0],
                                          &a->base, &a->step, err)
                             : status;
}

weir_status build_chirp(weir_gpu_fft *fft, weir_error *err)
{
    const weir_gpu_fft_config *c = &fft->config;
    const uint32_t *r = fft->layout.chirp.radix;
    chirp_args *a = &fft->chirp_plan;
    fft->chirp = find_chirp(fft->layout.chirp);
    if (!fft->chirp) {
        return weir_fail(err, WEIR_ERR_INTERNAL, "no kernel for %zu points", c->n);
    }
    a->line_in = c->distance_in;
    a->line_out = c->distance_out;
    a->element_in = (uint32_t)c->stride_in;
    a->element_out = (uint32_t)c->stride_out;
    a->n = (uint32_t)c->n;
    a->n_lines = (uint32_t)c->batch;
    a->swap = c->inverse;
    a->scale = c->inverse && !c->unscaled ? (float)(1.0 / (double)c->n) : 1.0f;
    weir_status status = keep_grid(fft, (uint64_t)r[0] * r[1], r[0], r[1] - 1, &a->second, err);
    if (status == WEIR_OK) {
        status = keep_grid(fft, fft->layout.m, (uint64_t)r[0] * r[1], r[2] - 1, &a->third, err);
    }
    if (status == WEIR_OK) {
        status = keep_chirp(fft, &a->chirp, err);
    }
    return status == WEIR_OK ? keep_chirp_spectrum(fft, &a->spectrum, err) : status;
}

weir_status execute_chirp(const weir_gpu_fft *fft, size_t count, const void *in, void *out,
                          cudaStream_t stream, weir_error *err)
{
    chirp_args args = fft->chirp_plan;
    args.n_lines = (uint32_t)count;
    args.in = static_cast<const float2 *>(in);
    args.out = static_cast<float2 *>(out);
    if (fft->on_host) {
        fft->chirp->rehearse(args);
        return WEIR_OK;
    }
    return checked(fft->chirp->run(args, stream), "launching a transform", err);
}

weir_status execute_wide(const weir_gpu_fft *fft, size_t count, const void *in, void *out,
                         cudaStream_t stream, weir_error *err)
{
    wide_args args = fft->wide_plan;
    args.in = static_cast<const float2 *>(in);
    args.out = static_cast<float2 *>(out);
    args.pairs = args.element_in == 1 && args.item_in % 2 == 0 &&
                 reinterpret_cast<uintptr_t>(in) % sizeof(float4) == 0;
    if (fft->on_host) {
        fft->wide->rehearse(args, count);
        return WEIR_OK;
    }
    return checked(fft->wide->run(args, count, stream), "launching a transform", err);
}

/* ---- passes ---- */

weir_status keep_turns_after(weir_gpu_fft *fft, launch *l, uint64_t of, weir_error *err)
{
    const weir_fft_shape *s = &l->args.shape;
    const uint32_t last = s->n_stages - 1;
    return keep_turns(fft, of, l->args.n_columns, s->before[last], s->radix[last],
                      &l->args.base_after, &l->args.step_after, err);
}

weir_status build_first_pass(weir_gpu_fft *fft, weir_error *err)
{
    const size_t m = fft->layout.m, columns = m / fft->layout.factors[0];
    launch *l = &fft->launches[0];
    set_columns(l, columns);
    set_input(fft, l, false, 1, columns);
    l->args.out = plain_side(m, 1, columns);
    const weir_status status = keep_twiddles(fft, l, err);
    return status == WEIR_OK ? keep_turns_after(fft, l, m, err) : status;
}

weir_status build_middle_pass(weir_gpu_fft *fft, weir_error *err)
{
    const size_t m = fft->layout.m / fft->layout.factors[0], columns = fft->layout.factors[2];
    launch *l = new_launch(fft, 1);
    set_columns(l, columns);
    l->args.in = l->args.out = plain_side(m, 1, columns);
    const weir_status status = keep_twiddles(fft, l, err);
    return status == WEIR_OK ? keep_turns_after(fft, l, m, err) : status;
}

/* Line q holds the points of bins q + Q k, in the work area at row k1 = q mod N1 and, with
 * three passes, k2 = q / N1 within it. */
weir_status build_last_pass(weir_gpu_fft *fft, weir_error *err)
{
    const weir_fft_layout *y = &fft->layout;
    const size_t length = y->factors[y->n_passes - 1], lines = y->m / length;
    launch *l = new_launch(fft, y->n_passes - 1);
    tile_args *a = &l->args;
    set_columns(l, lines);
    a->in = plain_side(y->m, y->m / y->factors[0], 1);
    a->in.split = y->n_passes == 3 ? y->factors[0] : no_split;
    a->in.line_high = length;
    a->rows_first = true;
    set_output(fft, l, false, 1, lines);
    if (a->out.form == HALF_PACKED) {
        a->mirrored = true;
        const size_t half = a->shape.lines / 2;
        a->tiles_per_item = (uint32_t)((lines / 2 + 1 + half - 1) / half);
    }
    return keep_twiddles(fft, l, err);
}

weir_status build_passes(weir_gpu_fft *fft, weir_error *err)
{
    new_launch(fft, 0);
    weir_status status = build_first_pass(fft, err);
    if (status == WEIR_OK && fft->layout.n_passes == 3) {
        status = build_middle_pass(fft, err);
    }
    return status == WEIR_OK ? build_last_pass(fft, err) : status;
}

weir_status execute_launch(const weir_gpu_fft *fft, const launch *l, const void *in, void *out,
                           size_t items, cudaStream_t stream, weir_error *err);

/* The chirp's spectrum in the order of the rows: its first pass, then rows in place. */
weir_status keep_row_spectrum(weir_gpu_fft *fft, launch *rows, weir_error *err)
{
    const weir_fft_layout *y = &fft->layout;
    table_job job = {};
    job.kind = CHIRP_CYCLE;
    job.count = job.of = y->m;
    job.n = y->n;
    const float2 *table;
    weir_status status = keep_table(fft, job, &table, err);
    if (status != WEIR_OK) {
        return status;
    }
    launch columns = fft->launches[0], row = *rows;
    columns.general_in = false;
    columns.args.swap_in = false;
    columns.args.in = columns.args.out;
    row.convolve = false;
    float2 *memory = const_cast<float2 *>(table);
    status = execute_launch(fft, &columns, memory, memory, 1, nullptr, err);
    if (status == WEIR_OK) {
        status = execute_launch(fft, &row, memory, memory, y->factors[0], nullptr, err);
    }
    rows->args.spectrum = table;
    return status;
}

weir_status build_large_rows(weir_gpu_fft *fft, weir_error *err)
{
    const weir_fft_layout *y = &fft->layout;
    launch *l = new_launch(fft, 1);
    set_rows(l);
    l->convolve = true;
    l->args.spectrum_rows = y->factors[0];
    l->args.in = l->args.out = plain_side(0, y->factors[1], 1);
    const weir_status status = keep_twiddles(fft, l, err);
    return status == WEIR_OK ? keep_row_spectrum(fft, l, err) : status;
}

weir_status build_large_back(weir_gpu_fft *fft, weir_error *err)
{
    const weir_fft_layout *y = &fft->layout;
    launch *l = new_launch(fft, 0);
    tile_args *a = &l->args;
    const weir_fft_shape *s = &a->shape;
    set_columns(l, y->factors[1]);
    a->in = plain_side(y->m, 1, y->factors[1]);
    a->swap_in = a->undo = a->chirp_out = true;
    a->chirp = fft->launches[0].args.chirp;
    a->twiddles = fft->launches[0].args.twiddles;
    set_output(fft, l, false, 1, y->factors[1]);
    return keep_turns(fft, y->m, y->factors[1], s->after[0], s->radix[0], &a->base_before,
                      &a->step_before, err);
}

weir_status build_bluestein_passes(weir_gpu_fft *fft, weir_error *err)
{
    launch *first = new_launch(fft, 0);
    first->args.chirp_in = true;
    weir_status status = keep_chirp(fft, &first->args.chirp, err);
    if (status == WEIR_OK) {
        status = build_first_pass(fft, err);
    }
    if (status == WEIR_OK) {
        status = build_large_rows(fft, err);
    }
    return status == WEIR_OK ? build_large_back(fft, err) : status;
}

/* ---- running ---- */

uint32_t blocks_of(launch *l, size_t items)
{
    if (l->args.tiles_per_item != ~0u) {
        return (uint32_t)(l->args.tiles_per_item * items);
    }
    l->args.n_lines = (uint32_t)items;
    return (uint32_t)((items + l->args.shape.lines - 1) / l->args.shape.lines);
}

launcher *first_found(fixed_finder *const *finders, size_t count, const weir_fft_shape &shape)
{
    launcher *found = nullptr;
    for (size_t i = 0; i < count && !found; i++) {
        found = finders[i](shape);
    }
    return found;
}

launcher *fixed_launcher(const weir_fft_shape &shape)
{
    static fixed_finder *const finders[] = {
        fixed_short_rows, fixed_rows,     fixed_smooth_0,  fixed_smooth_1, fixed_smooth_2,
        fixed_smooth_3,   fixed_smooth_4, fixed_smooth_5,  fixed_smooth_6, fixed_smooth_7,
        fixed_smooth_8,   fixed_smooth_9, fixed_smooth_10, fixed_smooth_11};
    return shape.interleaved ? fixed_columns(shape)
                             : first_found(finders, sizeof finders / sizeof finders[0], shape);
}

launcher *fixed_convolution(const weir_fft_shape &shape)
{
    static fixed_finder *const finders[] = {fixed_convolution_0, fixed_convolution_1,
                                            fixed_convolution_2, fixed_convolution_3};
    return first_found(finders, sizeof finders / sizeof finders[0], shape);
}

/* A whole real transform by one kernel. */
launcher *fixed_real(const launch &l)
{
    static real_finder *const finders[] = {fixed_real_0, fixed_real_1, fixed_real_2, fixed_real_3};
    const bool back = l.general_in && l.args.in.form == HALF_PACKED;
    const bool there = l.general_out && l.args.out.form == HALF_PACKED;
    launcher *found = nullptr;
    if (l.general_in != l.general_out && (back || there) && l.args.tiles_per_item == ~0u) {
        for (size_t i = 0; i < sizeof finders / sizeof finders[0] && !found; i++) {
            found = finders[i](l.args.shape, back);
        }
    }
    return found;
}

launcher *launcher_of(const launch &l)
{
    if (l.convolve) {
        launcher *fixed = l.general_in && l.general_out ? fixed_convolution(l.args.shape) : nullptr;
        if (fixed) {
            return fixed;
        }
        return l.general_in || l.general_out ? convolve_general : convolve_plain;
    }
    if (launcher *real = fixed_real(l)) {
        return real;
    }
    if (l.general_in) {
        return l.general_out ? transform_both : transform_in;
    }
    if (l.general_out) {
        return transform_out;
    }
    launcher *fixed = fixed_launcher(l.args.shape);
    return fixed ? fixed : transform_plain;
}

weir_status execute_launch(const weir_gpu_fft *fft, const launch *l, const void *in, void *out,
                           size_t items, cudaStream_t stream, weir_error *err)
{
    launch now = *l;
    now.args.in.base = const_cast<void *>(in);
    now.args.out.base = out;
    const uint32_t blocks = blocks_of(&now, items);
    if (fft->on_host) {
        rehearse_launch(now, blocks);
        return WEIR_OK;
    }
    return checked(launcher_of(now)(now.args, blocks, stream), "launching a transform", err);
}

const void *ahead(const void *base, size_t values, bool real)
{
    return static_cast<const char *>(base) + values * (real ? sizeof(float) : sizeof(float2));
}

/* `items` transforms from `first` on, through the work area. */
weir_status execute_part(const weir_gpu_fft *fft, const void *in, void *out, size_t first,
                         size_t items, cudaStream_t stream, weir_error *err)
{
    const weir_gpu_fft_config *c = &fft->config;
    const void *from = ahead(in, first * c->distance_in, c->real && !c->inverse);
    void *to = const_cast<void *>(ahead(out, first * c->distance_out, c->real && c->inverse));
    weir_status status = WEIR_OK;
    for (unsigned p = 0; p < fft->n_launches && status == WEIR_OK; p++) {
        const launch *l = &fft->launches[p];
        const bool is_last = p + 1 == fft->n_launches;
        size_t count = items;
        if (p > 0 && !is_last) { /* each transform of the first pass left N1 rows */
            count *= fft->layout.factors[0];
        }
        status = execute_launch(fft, l, p == 0 ? from : fft->work, is_last ? to : fft->work, count,
                                stream, err);
    }
    return status;
}

weir_status build(weir_gpu_fft *fft, weir_error *err)
{
    if (fft->prime.units > 0) {
        return build_prime(fft, err);
    }
    switch (fft->layout.method) {
    case WEIR_FFT_ONE_KERNEL:
        return build_one(fft, err);
    case WEIR_FFT_RADER:
        return build_rader(fft, err);
    case WEIR_FFT_BLUESTEIN:
        return build_bluestein(fft, err);
    case WEIR_FFT_WIDE:
        return build_wide(fft, err);
    case WEIR_FFT_CHIRP:
        return build_chirp(fft, err);
    case WEIR_FFT_PASSES:
        return build_passes(fft, err);
    case WEIR_FFT_BLUESTEIN_PASSES:
        return build_bluestein_passes(fft, err);
    }
    return weir_fail(err, WEIR_ERR_INTERNAL, "unknown method");
}

weir_status add_half_roots(weir_gpu_fft *fft, weir_error *err)
{
    const float2 *roots;
    const weir_status status = keep_half_roots(fft, &roots, err);
    for (unsigned p = 0; p < fft->n_launches; p++) {
        fft->launches[p].args.half_roots = roots;
    }
    return status;
}

/* As many transforms at once as make the work area, and the spectrum that a convolution
 * has in memory, no larger than the input: all of the batch, or the part of it that a
 * convolution leaves, which is longer than its transform. One has to fit, whatever. */
size_t most_at_once(const weir_gpu_fft *fft)
{
    const weir_gpu_fft_config *c = &fft->config;
    const size_t half = c->real && !fft->packed ? 2 : 1, m = fft->layout.m;
    const size_t spectra = fft->layout.method == WEIR_FFT_BLUESTEIN_PASSES ? 1 : 0;
    const size_t room = (size_t)((double)c->batch * (double)fft->layout.n / (double)(half * m));
    return room > spectra ? room - spectra : 1;
}

weir_status add_work(weir_gpu_fft *fft, weir_error *err)
{
    const size_t bytes = fft->layout.m * sizeof(float2);
    fft->at_once = most_at_once(fft);
    if (fft->config.work) {
        fft->work = static_cast<float2 *>(fft->config.work);
        return WEIR_OK;
    }
    weir_status status = WEIR_ERR_NOMEM;
    for (;; fft->at_once /= 2) { /* less where the device has not so much */
        void *memory = nullptr;
        status = allocate(fft, &memory, fft->at_once * bytes, err);
        fft->work = static_cast<float2 *>(memory);
        if (status != WEIR_ERR_NOMEM || fft->at_once == 1) {
            break;
        }
        (void)cudaGetLastError(); /* the refusal is dealt with */
    }
    fft->own_work = status == WEIR_OK;
    return status;
}

/* What the current device has. */
weir_status device_limits(weir_gpu_fft_limits *limits, weir_error *err)
{
    int device = 0, bytes = 0, clusters = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess) {
        result = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    if (result == cudaSuccess) {
        result = cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
    }
    limits->shared_kib = (unsigned)bytes / 1024;
    limits->cluster = clusters ? 16 : 1;
    return checked(result, "asking the device", err);
}

/* The plan for what the device has, with smaller clusters where it has no room for those
 * that were planned. */
weir_status resolve(weir_gpu_fft *fft, const weir_gpu_fft_config *config, weir_error *err)
{
    weir_gpu_fft_limits limits = {};
    weir_status status = fft->on_host ? WEIR_OK : device_limits(&limits, err);
    while (status == WEIR_OK) {
        status = weir_gpu_fft_resolve(config, &limits, &fft->config, &fft->layout, &fft->prime,
                                      &fft->packed, err);
        if (status != WEIR_OK || fft->layout.method != WEIR_FFT_WIDE) {
            return status;
        }
        fft->wide = find_wide(fft->layout.wide);
        if (fft->wide && (fft->on_host || fft->wide->possible())) {
            return WEIR_OK;
        }
        if (limits.cluster == 1) {
            return weir_fail(err, WEIR_ERR_DEVICE, "no kernel for %zu points runs here", config->n);
        }
        limits.cluster = limits.cluster > 8 ? 8 : 1;
    }
    return status;
}

weir_status create(weir_gpu_fft **out, const weir_gpu_fft_config *config, bool on_host,
                   weir_error *err)
{
    *out = nullptr;
    weir_gpu_fft *fft = new (std::nothrow) weir_gpu_fft();
    if (!fft) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    fft->on_host = on_host;
    weir_status status = resolve(fft, config, err);
    fft->at_once = fft->config.batch;
    if (status == WEIR_OK) {
        try {
            status = build(fft, err);
        } catch (const std::bad_alloc &) { /* C callers do not know of exceptions */
            status = weir_fail(err, WEIR_ERR_NOMEM, "out of memory for the tables");
        }
    }
    if (status == WEIR_OK && fft->packed) {
        status = add_half_roots(fft, err);
    }
    if (status == WEIR_OK && fft->n_launches > 1) {
        status = add_work(fft, err);
    }
    if (status == WEIR_OK && !on_host) {
        status = checked(cudaStreamSynchronize(nullptr), "building the tables", err);
    }
    if (status != WEIR_OK) {
        weir_gpu_fft_destroy(fft);
        return status;
    }
    *out = fft;
    return WEIR_OK;
}

/* From the first value of the first transform past the last of the last. */
size_t extent(size_t values, size_t stride, size_t distance, size_t batch)
{
    return (batch - 1) * distance + (values - 1) * stride + 1;
}

weir_status stage(weir_gpu_fft *fft, size_t bytes_in, size_t bytes_out, weir_error *err)
{
    weir_status status = WEIR_OK;
    if (!fft->staging_in) {
        status = allocate(fft, &fft->staging_in, bytes_in, err);
    }
    if (status == WEIR_OK && !fft->staging_out) {
        status = allocate(fft, &fft->staging_out, bytes_out, err);
    }
    return status;
}

} /* namespace */

extern "C" weir_status weir_gpu_fft_create(weir_gpu_fft **out, const weir_gpu_fft_config *config,
                                           weir_error *err)
{
    return create(out, config, false, err);
}

extern "C" weir_status weir_gpu_fft_rehearse(weir_gpu_fft **out, const weir_gpu_fft_config *config,
                                             weir_error *err)
{
    return create(out, config, true, err);
}

extern "C" weir_status weir_gpu_fft_execute_first(weir_gpu_fft *fft, size_t count, const void *in,
                                                  void *out, void *stream, weir_error *err)
{
    weir_status status = WEIR_OK;
    if (fft->prime.units > 0) {
        return execute_prime(fft, count, in, out, static_cast<cudaStream_t>(stream), err);
    }
    if (fft->layout.method == WEIR_FFT_WIDE) {
        return execute_wide(fft, count, in, out, static_cast<cudaStream_t>(stream), err);
    }
    if (fft->layout.method == WEIR_FFT_CHIRP) {
        return execute_chirp(fft, count, in, out, static_cast<cudaStream_t>(stream), err);
    }
    for (size_t done = 0; done < count && status == WEIR_OK; done += fft->at_once) {
        const size_t left = count - done;
        status = execute_part(fft, in, out, done, left < fft->at_once ? left : fft->at_once,
                              static_cast<cudaStream_t>(stream), err);
    }
    return status;
}

extern "C" weir_status weir_gpu_fft_execute(weir_gpu_fft *fft, const void *in, void *out,
                                            void *stream, weir_error *err)
{
    return weir_gpu_fft_execute_first(fft, fft->config.batch, in, out, stream, err);
}

extern "C" weir_status weir_gpu_fft_run(weir_gpu_fft *fft, const void *in, void *out,
                                        weir_error *err)
{
    const weir_gpu_fft_config *c = &fft->config;
    const size_t unit_in = c->real && !c->inverse ? sizeof(float) : sizeof(float2);
    const size_t unit_out = c->real && c->inverse ? sizeof(float) : sizeof(float2);
    const size_t bytes_in = unit_in * extent(c->length_in, c->stride_in, c->distance_in, c->batch);
    const size_t bytes_out =
        unit_out * extent(weir_gpu_fft_values_out(c), c->stride_out, c->distance_out, c->batch);
    if (fft->on_host) {
        return weir_gpu_fft_execute(fft, in, out, nullptr, err);
    }
    weir_status status = stage(fft, bytes_in, bytes_out, err);
    if (status == WEIR_OK) {
        status = checked(cudaMemcpy(fft->staging_in, in, bytes_in, cudaMemcpyHostToDevice),
                         "copying to the device", err);
    }
    if (status == WEIR_OK) {
        status = weir_gpu_fft_execute(fft, fft->staging_in, fft->staging_out, nullptr, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    return checked(cudaMemcpy(out, fft->staging_out, bytes_out, cudaMemcpyDeviceToHost),
                   "copying from the device", err);
}

extern "C" size_t weir_gpu_fft_work_bytes(const weir_gpu_fft *fft)
{
    return fft->n_launches > 1 ? fft->at_once * fft->layout.m * sizeof(float2) : 0;
}

extern "C" void weir_gpu_fft_destroy(weir_gpu_fft *fft)
{
    if (!fft) {
        return;
    }
    for (unsigned i = 0; i < fft->n_memory; i++) {
        release(fft, fft->memory[i]);
    }
    if (fft->own_work) {
        release(fft, fft->work);
    }
    release(fft, fft->staging_in);
    release(fft, fft->staging_out);
    delete fft;
}
