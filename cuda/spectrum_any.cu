#include "cuda/spectrum_any.cuh"

#include "cuda/fft.h"
#include "cuda/plan.cuh"
#include "cuda/spectrum_tile.cuh"

#include <algorithm>
#include <math.h>
#include <new>
#include <vector>

extern "C" {
#include "dsp/fft_f64.h"
}

namespace weir {

using weir_fft::chirp;
using weir_fft::plan_memory;
using weir_fft::table_job;

struct any_spectrum {
    plan_memory memory;
    spectrum_args args;    /* without a batch */
    size_t partial_groups; /* that `partial` has room for */
    weir_gpu_fft *fft;     /* beyond a tile, else NULL    */
    uint32_t room;         /* transforms of it at once    */

    explicit any_spectrum(bool on_host) : memory(on_host), args(), partial_groups(0), fft(nullptr)
    {
    }
    ~any_spectrum()
    {
        weir_gpu_fft_destroy(fft);
    }
};

namespace {

constexpr size_t partial_bytes = (size_t)64 << 20;
constexpr size_t units_bytes = (size_t)256 << 20;
constexpr uint32_t most_slots = 32768;

/* ---- kernels ---- */

__global__ void __launch_bounds__(weir_fft::lines_threads)
    spectrum_kernel(const __grid_constant__ spectrum_args a)
{
    extern __shared__ float2 shared[];
    const spectrum_worker me(a, shared, threadIdx.x, blockIdx.x, blockIdx.y);
    for (uint32_t unit = me.part; unit < me.rounds_end(); unit += a.parts) {
        me.load(unit);
        for (uint32_t p = 0; p < me.phases_between(); p++) {
            __syncthreads();
            me.phase_between(p);
        }
        __syncthreads();
        me.add(unit);
        __syncthreads(); /* before the next unit takes the place of this one */
    }
}

__global__ void parts_kernel(const __grid_constant__ spectrum_args a)
{
    const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < a.bins) {
        add_parts(a, blockIdx.y, k);
    }
}

__global__ void unpack_kernel(const __grid_constant__ spectrum_args a)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * blockDim.x) {
        unpack_unit(a, blockIdx.y, i);
    }
}

__global__ void units_kernel(const __grid_constant__ spectrum_args a)
{
    const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < a.bins) {
        add_units(a, blockIdx.y, k);
    }
}

/* ---- the same on the host ---- */

void rehearse_block(const spectrum_args &a, float2 *shared, uint32_t tile, uint32_t part)
{
    const auto worker = [&](uint32_t t) { return spectrum_worker(a, shared, t, tile, part); };
    const uint32_t threads = a.lines.threads;
    for (uint32_t unit = part; unit < worker(0).rounds_end(); unit += a.parts) {
        for (uint32_t t = 0; t < threads; t++) {
            worker(t).load(unit);
        }
        for (uint32_t p = 0; p < worker(0).phases_between(); p++) {
            for (uint32_t t = 0; t < threads; t++) {
                worker(t).phase_between(p);
            }
        }
        for (uint32_t t = 0; t < threads; t++) {
            worker(t).add(unit);
        }
    }
}

void rehearse_tiles(const spectrum_args &a, uint32_t tiles)
{
    std::vector<float2> shared(a.lines.tile.shape.shared_bytes / sizeof(float2),
                               make_float2(NAN, NAN));
    for (uint32_t tile = 0; tile < tiles; tile++) {
        for (uint32_t part = 0; part < a.parts; part++) {
            rehearse_block(a, shared.data(), tile, part);
        }
    }
}

typedef void host_element(const spectrum_args &, uint32_t, uint32_t);

void rehearse_elements(const spectrum_args &a, host_element *element, uint32_t rows, uint32_t count)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t i = 0; i < count; i++) {
            element(a, r, i);
        }
    }
}

void host_add_parts(const spectrum_args &a, uint32_t r, uint32_t i)
{
    add_parts(a, r, i);
}

void host_unpack(const spectrum_args &a, uint32_t r, uint32_t i)
{
    unpack_unit(a, r, i);
}

void host_add_units(const spectrum_args &a, uint32_t r, uint32_t i)
{
    add_units(a, r, i);
}

/* ---- tables ---- */

/* The conjugate chirp's spectrum, over m: what the convolution multiplies by. */
weir_status keep_chirp_spectrum(any_spectrum *any, weir_error *err)
{
    const size_t n = any->args.n, m = any->args.lines.tile.shape.length;
    std::vector<double> values(2 * m);
    for (size_t i = 0; i < n; i++) {
        const double2 w = chirp(i, n);
        const size_t other = i == 0 ? 0 : m - i;
        values[2 * i] = values[2 * other] = w.x;
        values[2 * i + 1] = values[2 * other + 1] = -w.y;
    }
    weir_fft_f64 *f64;
    const weir_status status = weir_fft_f64_create(&f64, m, err);
    if (status) {
        return status;
    }
    weir_fft_f64_forward(f64, values.data());
    weir_fft_f64_destroy(f64);
    std::vector<float2> rounded(m);
    for (size_t i = 0; i < m; i++) {
        rounded[i] =
            make_float2((float)(values[2 * i] / (double)m), (float)(values[2 * i + 1] / (double)m));
    }
    return any->memory.keep_copy(rounded, &any->args.lines.tile.spectrum, err);
}

weir_status build_tables(any_spectrum *any, const weir_gpu_plan_config *config, weir_error *err)
{
    spectrum_args *a = &any->args;
    std::vector<float> window(a->n);
    for (size_t i = 0; i < a->n; i++) {
        window[i] = (float)config->window[i];
    }
    weir_status status = any->memory.keep_copy(window, &a->window, err);
    if (status || any->fft) {
        return status;
    }
    status = keep_lines_twiddles(&any->memory, &a->lines, err);
    if (!status && a->lines.convolve) {
        table_job job = {};
        job.kind = weir_fft::CHIRP;
        job.count = job.n = a->n;
        status = any->memory.keep_table(job, &a->chirp, err);
        if (!status) {
            status = keep_chirp_spectrum(any, err);
        }
    }
    return status;
}

/* ---- plans ---- */

/* False: it does not fit. */
bool plan_tile(any_spectrum *any, size_t limit)
{
    spectrum_args *a = &any->args;
    const bool smooth = weir_fft_is_smooth(a->n);
    const size_t length = smooth                     ? a->n
                          : a->n < WEIR_FFT_MAX_TILE ? weir_fft_next_smooth(2 * (size_t)a->n - 1)
                                                     : 0;
    return plan_lines(&a->lines, length, a->bins, !smooth, limit);
}

/* Enough blocks for a batch of few groups of long transforms. */
uint32_t parts_for(size_t n, uint32_t units)
{
    return (uint32_t)std::min<size_t>(units, std::max<size_t>(1, n / 1024));
}

weir_status prepare_tile(any_spectrum *any, size_t limit, weir_error *err)
{
    if (any->memory.on_host) {
        return WEIR_OK;
    }
    /* To the limit: it is the kernel's, and with it that of all plans at once. */
    return check(cudaFuncSetAttribute(spectrum_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)limit),
                 "preparing a kernel", err);
}

weir_status plan_passes(any_spectrum *any, const weir_gpu_plan_config *config, weir_error *err)
{
    const size_t n = any->args.n, most = std::max<size_t>(1, units_bytes / (n * sizeof(float2)));
    any->room = (uint32_t)std::min<size_t>(most, most_slots);
    if (config->max_frames > 0) {
        any->room = std::min(any->room, config->max_frames);
    }
    weir_gpu_fft_config fft = {};
    fft.n = n;
    fft.batch = any->room;
    return any->memory.on_host ? weir_gpu_fft_rehearse(&any->fft, &fft, err)
                               : weir_gpu_fft_create(&any->fft, &fft, err);
}

weir_status build(any_spectrum *any, const weir_gpu_plan_config *config, weir_error *err)
{
    size_t limit;
    weir_status status = weir_fft::shared_limit(any->memory.on_host, &limit, err);
    if (status) {
        return status;
    }
    status = plan_tile(any, limit) ? prepare_tile(any, limit, err) : plan_passes(any, config, err);
    if (!status) {
        status = build_tables(any, config, err);
    }
    if (!status && any->fft) {
        status = any->memory.keep((size_t)any->room * any->args.n, &any->args.units,
                                  "the samples of transforms", err);
    } else if (!status) {
        any->partial_groups = partial_bytes / sizeof(float) / any->args.bins;
        status = any->memory.keep(any->partial_groups * any->args.bins, &any->args.partial,
                                  "sums of frames", err);
    }
    return status;
}

/* ---- running ---- */

weir_status launch_tile(const any_spectrum *any, spectrum_args a, cudaStream_t stream,
                        weir_error *err)
{
    a.lines.tile.n_lines = a.n_groups;
    const uint32_t tiles = line_blocks(a.lines, a.n_groups);
    if (any->memory.on_host) {
        rehearse_tiles(a, tiles);
        if (a.parts > 1) {
            rehearse_elements(a, host_add_parts, a.n_groups, a.bins);
        }
        return WEIR_OK;
    }
    spectrum_kernel<<<dim3(tiles, a.parts), a.lines.threads, a.lines.tile.shape.shared_bytes,
                      stream>>>(a);
    if (a.parts > 1) {
        parts_kernel<<<dim3((a.bins + 255) / 256, a.n_groups), 256, 0, stream>>>(a);
    }
    return check(cudaGetLastError(), "starting a kernel", err);
}

weir_status power_of_tiles(const any_spectrum *any, spectrum_args a, cudaStream_t stream,
                           weir_error *err)
{
    const uint32_t n_groups = a.batch.n_groups;
    a.parts = parts_for(a.n, units_of(a.batch, a.batch.group));
    const uint32_t most =
        a.parts == 1 ? n_groups : (uint32_t)std::min<size_t>(any->partial_groups / a.parts, 65535);
    weir_status status = WEIR_OK;
    for (uint32_t g = 0; g < n_groups && !status; g += a.n_groups) {
        a.batch.first_group = g;
        a.n_groups = std::min(most, n_groups - g);
        status = launch_tile(any, a, stream, err);
    }
    return status;
}

weir_status launch_units(const any_spectrum *any, const spectrum_args &a, cudaStream_t stream,
                         weir_error *err)
{
    const uint32_t slots = a.n_groups * a.batch.n_units;
    const unsigned wide = (a.n + 255) / 256;
    if (any->memory.on_host) {
        rehearse_elements(a, host_unpack, slots, a.n);
    } else {
        unpack_kernel<<<dim3(std::min(wide, 1024u), slots), 256, 0, stream>>>(a);
    }
    weir_status status = weir_gpu_fft_execute_first(any->fft, slots, a.units, a.units, stream, err);
    if (status) {
        return status;
    }
    if (any->memory.on_host) {
        rehearse_elements(a, host_add_units, a.n_groups, a.bins);
        return WEIR_OK;
    }
    units_kernel<<<dim3((a.bins + 255) / 256, a.n_groups), 256, 0, stream>>>(a);
    return check(cudaGetLastError(), "starting a kernel", err);
}

/* As many groups at once as there is room for, or a group in portions of its units. */
weir_status power_of_passes(const any_spectrum *any, spectrum_args a, cudaStream_t stream,
                            weir_error *err)
{
    const uint32_t n_groups = a.batch.n_groups;
    const uint32_t units = units_of(a.batch, std::min(a.batch.group, a.batch.n_frames));
    const uint32_t groups = units <= any->room ? any->room / units : 1;
    weir_status status = WEIR_OK;
    for (uint32_t g = 0; g < n_groups; g += groups) {
        for (uint32_t u = 0; u < units && !status; u += any->room) {
            a.batch.first_group = g;
            a.batch.first_unit = u;
            a.batch.n_units = std::min(units - u, any->room);
            a.n_groups = std::min(groups, n_groups - g);
            status = launch_units(any, a, stream, err);
        }
    }
    return status;
}

} /* namespace */

weir_status any_create(any_spectrum **out, const weir_gpu_plan_config *config, bool on_host,
                       weir_error *err)
{
    *out = nullptr;
    any_spectrum *any = new (std::nothrow) any_spectrum(on_host);
    if (!any) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for the tables of the GPU");
    }
    spectrum_args *a = &any->args;
    a->n = (uint32_t)config->n_fft;
    a->bins = config->is_complex ? a->n : a->n / 2 + 1;
    a->layout = config->layout;
    a->is_complex = config->is_complex;
    a->bias = config->layout == WEIR_GPU_U8 ? (float)config->bias : 0.0f;
    const weir_status status = weir_fft::or_no_memory([&] { return build(any, config, err); },
                                                      "the tables of the GPU", err);
    if (status) {
        any_destroy(any);
        return status;
    }
    *out = any;
    return WEIR_OK;
}

weir_status any_power(const any_spectrum *any, const power_args &batch, cudaStream_t stream,
                      weir_error *err)
{
    spectrum_args a = any->args;
    a.batch = batch;
    return any->fft ? power_of_passes(any, a, stream, err) : power_of_tiles(any, a, stream, err);
}

void any_destroy(any_spectrum *any)
{
    delete any;
}

} /* namespace weir */

using namespace weir;

extern "C" weir_status weir_gpu_rehearse_power(const weir_gpu_plan_config *config,
                                               const weir_gpu_batch *batch, weir_error *err)
{
    weir_gpu_plan plan = {};
    plan.config = *config;
    plan.n_bins = config->is_complex ? config->n_fft : config->n_fft / 2 + 1;
    weir_status status = any_create(&plan.any, config, true, err);
    if (!status) {
        status = any_power(plan.any, batch_args(&plan, batch), nullptr, err);
    }
    any_destroy(plan.any);
    return status;
}
