#include "cuda/convolve.h"

#include "cuda/convolve_tile.cuh"
#include "cuda/fft.h"

#include <algorithm>
#include <math.h>
#include <new>
#include <vector>

extern "C" {
#include "base/text.h"
}

using namespace weir_fft;

struct weir_gpu_convolver {
    weir_gpu_convolver_config config;
    plan_memory memory;
    convolve_args args;
    bool fused;
    weir_gpu_fft *filter_fft, *forward, *back;
    void *staging[3]; /* weir_gpu_convolver_run: a, b, c */

    weir_gpu_convolver(const weir_gpu_convolver_config *wanted, bool on_host)
        : config(*wanted), memory(on_host), args(), fused(false), filter_fft(nullptr),
          forward(nullptr), back(nullptr), staging()
    {
        config.batch = config.batch ? config.batch : 1;
    }
    ~weir_gpu_convolver()
    {
        weir_gpu_fft_destroy(filter_fft);
        weir_gpu_fft_destroy(forward);
        weir_gpu_fft_destroy(back);
    }
};

namespace {

constexpr size_t longest_saved_filter = 8192, most_lines = (size_t)1 << 30;

/* ---- kernels, and the same on the host ---- */

__global__ void __launch_bounds__(lines_threads)
    fused_kernel(const __grid_constant__ convolve_args a)
{
    extern __shared__ float2 shared[];
    const convolve_worker me(a, shared, threadIdx.x, blockIdx.x);
    me.load();
    for (uint32_t p = 0; p < me.phases_between(); p++) {
        __syncthreads();
        me.phase_between(p);
    }
    __syncthreads();
    me.store();
}

void rehearse_fused(const convolve_args &a, uint32_t blocks)
{
    std::vector<float2> shared(a.lines.tile.shape.shared_bytes / sizeof(float2),
                               make_float2(NAN, NAN));
    for (uint32_t block = 0; block < blocks; block++) {
        const auto each = [&](auto f) {
            for (uint32_t t = 0; t < a.lines.threads; t++) {
                f(convolve_worker(a, shared.data(), t, block));
            }
        };
        const uint32_t phases = convolve_worker(a, shared.data(), 0, block).phases_between();
        each([](const convolve_worker &me) { me.load(); });
        for (uint32_t p = 0; p < phases; p++) {
            each([&](const convolve_worker &me) { me.phase_between(p); });
        }
        each([](const convolve_worker &me) { me.store(); });
    }
}

enum element { FILTER_IN, WHOLE_IN, WHOLE_PRODUCT, WHOLE_OUT };

template <int WHAT> WEIR_HD void do_element(const convolve_args &a, uint32_t row, size_t n)
{
    if constexpr (WHAT == FILTER_IN) {
        put_filter(a, row, n);
    } else if constexpr (WHAT == WHOLE_IN) {
        whole_in(a, row, n);
    } else if constexpr (WHAT == WHOLE_PRODUCT) {
        whole_product(a, row, n);
    } else {
        whole_out(a, row, n);
    }
}

/* Rows beyond the grid's limit are walked through. */
template <int WHAT>
__global__ void element_kernel(const __grid_constant__ convolve_args a, uint32_t rows)
{
    for (uint32_t row = blockIdx.y; row < rows; row += gridDim.y) {
        for (size_t n = blockIdx.x * (size_t)blockDim.x + threadIdx.x; n < a.m;
             n += (size_t)gridDim.x * blockDim.x) {
            do_element<WHAT>(a, row, n);
        }
    }
}

template <int WHAT>
weir_status each_element(const weir_gpu_convolver *v, uint32_t rows, cudaStream_t stream,
                         weir_error *err)
{
    const convolve_args &a = v->args;
    if (!v->memory.on_host) {
        const size_t wide = std::min<size_t>((a.m + 255) / 256, 4096);
        const dim3 grid((unsigned)wide, std::min(rows, 32768u));
        element_kernel<WHAT><<<grid, 256, 0, stream>>>(a, rows);
        return cuda_status(cudaGetLastError(), "starting a kernel", err);
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (size_t n = 0; n < a.m; n++) {
            do_element<WHAT>(a, row, n);
        }
    }
    return WEIR_OK;
}

/* ---- which way ---- */

/* Cost of a sample of the result with blocks of m points. */
double cost_of_block(size_t m, size_t n_b)
{
    return (double)m * (log2((double)m) + 4.0) / (double)(m - n_b + 1);
}

bool plan_tile(weir_gpu_convolver *v, size_t m, size_t limit)
{
    v->args.m = m;
    return m <= WEIR_FFT_MAX_TILE && plan_lines(&v->args.lines, m, m, true, limit);
}

/* All of a signal in one block: of the period itself where that is possible. */
bool plan_one_block(weir_gpu_convolver *v, size_t limit)
{
    convolve_args *a = &v->args;
    const size_t period = a->period, all = a->n_a + a->n_b - 1;
    if (v->config.block || v->config.whole) {
        return false;
    }
    if (period && weir_fft_is_smooth(period) && plan_tile(v, period, limit)) {
        a->step = period;
    } else if (all <= WEIR_FFT_MAX_TILE && plan_tile(v, weir_fft_next_smooth(all), limit)) {
        a->step = a->n_c;
        a->fold = period > 0;
    } else {
        return false;
    }
    a->pieces = 1;
    return true;
}

bool plan_overlap_save(weir_gpu_convolver *v, size_t limit)
{
    convolve_args *a = &v->args;
    size_t best = v->config.block;
    if (v->config.whole || (!best && a->n_b > longest_saved_filter)) {
        return false;
    }
    for (size_t m = 1024; !v->config.block && m <= 16384; m *= 2) {
        const bool better = !best || cost_of_block(m, a->n_b) < cost_of_block(best, a->n_b);
        best = m >= 2 * a->n_b && better ? m : best;
    }
    if (best < a->n_b || !plan_tile(v, best, limit)) {
        return false;
    }
    a->lead = a->n_b - 1;
    a->step = best - a->lead;
    a->pieces = (uint32_t)((a->n_c + a->step - 1) / a->step);
    return true;
}

void plan_whole(convolve_args *a)
{
    const bool exact = a->period && weir_fft_is_smooth(a->period);
    a->m = exact ? a->period : weir_fft_next_smooth(a->n_a + a->n_b - 1);
    a->fold = a->period && !exact;
    a->step = a->n_c;
    a->lead = 0;
    a->pieces = 1;
}

weir_status new_fft(const weir_gpu_convolver *v, size_t batch, bool inverse, weir_gpu_fft **fft,
                    weir_error *err)
{
    weir_gpu_fft_config c = {};
    c.n = v->args.m;
    c.batch = batch;
    c.inverse = inverse;
    c.unscaled = true;
    return v->memory.on_host ? weir_gpu_fft_rehearse(fft, &c, err)
                             : weir_gpu_fft_create(fft, &c, err);
}

/* How many transforms, and whether two real pieces share one. */
weir_status count_lines(weir_gpu_convolver *v, weir_error *err)
{
    convolve_args *a = &v->args;
    const size_t pieces = a->n_filters > 1 ? a->pieces : (size_t)a->pieces * a->batch;
    a->paired = a->real && pieces > 1;
    const size_t lines =
        (a->paired ? (pieces + 1) / 2 : pieces) * (a->n_filters > 1 ? a->batch : 1);
    a->n_lines = (uint32_t)lines;
    return lines <= most_lines ? WEIR_OK
                               : weir_fail(err, WEIR_ERR_UNSUPPORTED,
                                           "a convolution of %zu blocks is too long", lines);
}

weir_status build_fused(weir_gpu_convolver *v, size_t limit, weir_error *err)
{
    lines_args *lines = &v->args.lines;
    lines->tile.spectrum = v->args.filters;
    lines->tile.spectrum_rows = v->args.n_filters;
    lines->tile.n_lines = v->args.n_lines;
    weir_status status = keep_lines_twiddles(&v->memory, lines, err);
    if (!status && !v->memory.on_host) {
        /* To the limit: it is the kernel's, and with it that of all plans at once. */
        status =
            cuda_status(cudaFuncSetAttribute(
                            fused_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)limit),
                        "preparing a kernel", err);
    }
    return status;
}

weir_status build_whole(weir_gpu_convolver *v, weir_error *err)
{
    convolve_args *a = &v->args;
    weir_status status = v->memory.keep((size_t)a->n_lines * a->m, &a->z, "a convolution", err);
    if (!status) {
        status = new_fft(v, a->n_lines, false, &v->forward, err);
    }
    return status ? status : new_fft(v, a->n_lines, true, &v->back, err);
}

weir_status build(weir_gpu_convolver *v, weir_error *err)
{
    size_t limit;
    weir_status status = shared_limit(v->memory.on_host, &limit, err);
    if (status) {
        return status;
    }
    convolve_args *a = &v->args;
    v->fused = plan_one_block(v, limit) || plan_overlap_save(v, limit);
    if (!v->fused && v->config.block) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "blocks of %zu points do not do: of a filter's length (%zu) at least, "
                         "with prime factors to 13, and within shared memory",
                         v->config.block, a->n_b);
    }
    if (!v->fused) {
        plan_whole(a);
    }
    status = count_lines(v, err);
    if (!status) {
        status = v->memory.keep(a->n_filters * a->m, &a->filters, "filters", err);
    }
    if (!status) {
        status = new_fft(v, a->n_filters, false, &v->filter_fft, err);
    }
    if (!status) {
        status = v->fused ? build_fused(v, limit, err) : build_whole(v, err);
    }
    return status;
}

weir_status check_config(const weir_gpu_convolver_config *c, weir_error *err)
{
    if (c->n_a == 0 || c->n_b == 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "nothing to convolve: a vector is empty");
    }
    if (c->n_a > (size_t)1 << 40 || c->n_b > (size_t)1 << 28 || c->batch > (size_t)1 << 24) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "%zu convolutions of %zu with %zu values: too large", c->batch, c->n_a,
                         c->n_b);
    }
    return WEIR_OK;
}

weir_status create(weir_gpu_convolver **out, const weir_gpu_convolver_config *config, bool on_host,
                   weir_error *err)
{
    *out = nullptr;
    weir_status status = check_config(config, err);
    if (status) {
        return status;
    }
    weir_gpu_convolver *v = new (std::nothrow) weir_gpu_convolver(config, on_host);
    if (!v) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    convolve_args *a = &v->args;
    a->n_a = config->n_a;
    a->n_b = config->n_b;
    a->n_c = weir_gpu_convolver_length(config);
    a->period = config->circular ? a->n_c : 0;
    a->batch = (uint32_t)v->config.batch;
    a->n_filters = config->one_filter ? 1 : a->batch;
    a->real = config->real;
    a->correlate = config->correlate;
    status = or_no_memory([&] { return build(v, err); }, "a convolution", err);
    if (status) {
        delete v;
        return status;
    }
    *out = v;
    return WEIR_OK;
}

weir_status run_whole(const weir_gpu_convolver *v, void *stream, weir_error *err)
{
    const convolve_args &a = v->args;
    const cudaStream_t on = static_cast<cudaStream_t>(stream);
    weir_status status = each_element<WHOLE_IN>(v, a.n_lines, on, err);
    if (!status) {
        status = weir_gpu_fft_execute(v->forward, a.z, a.z, stream, err);
    }
    if (!status) {
        status = each_element<WHOLE_PRODUCT>(v, a.n_lines, on, err);
    }
    if (!status) {
        status = weir_gpu_fft_execute(v->back, a.z, a.z, stream, err);
    }
    return status ? status : each_element<WHOLE_OUT>(v, a.n_lines, on, err);
}

/* The caller's vectors on the device, at the first run. */
weir_status stage(weir_gpu_convolver *v, const size_t bytes[3], weir_error *err)
{
    weir_status status = WEIR_OK;
    for (int i = 0; i < 3 && !status && !v->staging[2]; i++) {
        char *memory = nullptr;
        status = v->memory.keep(bytes[i], &memory, "vectors", err);
        v->staging[i] = memory;
    }
    return status;
}

} /* namespace */

extern "C" {

size_t weir_gpu_convolver_length(const weir_gpu_convolver_config *config)
{
    return config->circular ? std::max(config->n_a, config->n_b) : config->n_a + config->n_b - 1;
}

weir_status weir_gpu_convolver_create(weir_gpu_convolver **out,
                                      const weir_gpu_convolver_config *config, weir_error *err)
{
    return create(out, config, false, err);
}

weir_status weir_gpu_convolver_rehearse(weir_gpu_convolver **out,
                                        const weir_gpu_convolver_config *config, weir_error *err)
{
    return create(out, config, true, err);
}

weir_status weir_gpu_convolver_set_filter(weir_gpu_convolver *v, const void *b, void *stream,
                                          weir_error *err)
{
    v->args.b = b;
    weir_status status =
        each_element<FILTER_IN>(v, v->args.n_filters, static_cast<cudaStream_t>(stream), err);
    return status
               ? status
               : weir_gpu_fft_execute(v->filter_fft, v->args.filters, v->args.filters, stream, err);
}

weir_status weir_gpu_convolver_execute(weir_gpu_convolver *v, const void *a, void *c, void *stream,
                                       weir_error *err)
{
    convolve_args *args = &v->args;
    args->a = a;
    args->c = c;
    if (!v->fused) {
        return run_whole(v, stream, err);
    }
    const uint32_t blocks = line_blocks(args->lines, args->n_lines);
    if (v->memory.on_host) {
        rehearse_fused(*args, blocks);
        return WEIR_OK;
    }
    fused_kernel<<<blocks, args->lines.threads, args->lines.tile.shape.shared_bytes,
                   static_cast<cudaStream_t>(stream)>>>(*args);
    return cuda_status(cudaGetLastError(), "starting a kernel", err);
}

weir_status weir_gpu_convolver_run(weir_gpu_convolver *v, const void *a, const void *b, void *c,
                                   weir_error *err)
{
    const convolve_args &x = v->args;
    const size_t unit = x.real ? sizeof(float) : sizeof(float2);
    const size_t bytes[3] = {unit * x.n_a * x.batch, unit * x.n_b * x.n_filters,
                             unit * x.n_c * x.batch};
    if (v->memory.on_host) {
        const weir_status status = weir_gpu_convolver_set_filter(v, b, nullptr, err);
        return status ? status : weir_gpu_convolver_execute(v, a, c, nullptr, err);
    }
    weir_status status = or_no_memory([&] { return stage(v, bytes, err); }, "vectors", err);
    const void *from[2] = {a, b};
    for (int i = 0; i < 2 && !status; i++) {
        status = cuda_status(cudaMemcpy(v->staging[i], from[i], bytes[i], cudaMemcpyHostToDevice),
                             "copying to the device", err);
    }
    if (!status) {
        status = weir_gpu_convolver_set_filter(v, v->staging[1], nullptr, err);
    }
    if (!status) {
        status = weir_gpu_convolver_execute(v, v->staging[0], v->staging[2], nullptr, err);
    }
    return status ? status
                  : cuda_status(cudaMemcpy(c, v->staging[2], bytes[2], cudaMemcpyDeviceToHost),
                                "copying from the device", err);
}

void weir_gpu_convolver_destroy(weir_gpu_convolver *v)
{
    delete v;
}

char *weir_gpu_convolver_explain(const weir_gpu_convolver *v, char *text, size_t size)
{
    const convolve_args &a = v->args;
    weir_snprintf(text, size, "%zu with %zu values: %s, %u transforms of %zu points%s", a.n_a,
                  a.n_b,
                  !v->fused      ? "whole transforms"
                  : a.pieces > 1 ? "overlap-save, one kernel"
                                 : "one block, one kernel",
                  a.n_lines, a.m, a.paired ? ", two real pieces each" : "");
    return text;
}

} /* extern "C" */
