/* Plans, and the launch of the power kernels. */
#include "cuda/spectrum_kernels.h"

#include "cuda/plan.cuh"
#include "cuda/spectrum_tables.h"

#include <stdlib.h>
#include <string.h>

namespace weir {

weir_status check(cudaError_t result, const char *what, weir_error *err)
{
    if (result == cudaSuccess) {
        return WEIR_OK;
    }
    (void)cudaGetLastError(); /* dealt with: no later launch is to blame */
    const weir_status status =
        result == cudaErrorMemoryAllocation ? WEIR_ERR_NOMEM : WEIR_ERR_DEVICE;
    return weir_fail(err, status, "CUDA, %s: %s", what, cudaGetErrorString(result));
}

/* ---- rows of 1024: the second kernel for large N ---- */

constexpr int row_warps = 8;
constexpr size_t row_shared_bytes = row_warps * warp_area * sizeof(float2);
constexpr int row_pitch = 1024 + 32 / row_warps;

/* Block (r, g): warps_per_row warps share the units of a row of the g-th group at hand,
 * and 8 / warps_per_row rows a block. Sums go to a.rows in final order if finish is set,
 * else to a.rows plain, added to what is there if keep is set. */
__global__ void __launch_bounds__(32 * row_warps, 2)
    row_pass(const power_args a, int log2n, int warps_per_row, bool finish)
{
    extern __shared__ float4 shared[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int rows_here = row_warps / warps_per_row, first_row = blockIdx.x * rows_here;
    const int row_number = first_row + warp / warps_per_row, part = warp % warps_per_row;
    const size_t n = (size_t)1 << log2n;
    float2 *area = reinterpret_cast<float2 *>(shared) + warp * warp_area;
    const float4 *warp_pairs = a.warp_pairs + row_number * 8;
    const float4 *lane_pairs = a.lane_pairs + (size_t)row_number * 256 + lane;
    const group_span span = span_of(a, a.first_group + blockIdx.y);
    const uint32_t units = a.paired ? (span.count + 1) / 2 : span.count;
    const uint32_t here = min(a.n_units, units - min(units, a.first_unit));
    const float2 *from =
        a.columns + (size_t)blockIdx.y * a.n_units * n + (size_t)row_number * 1024 + lane;
    float acc[32];
    clear<32>(acc);
    for (uint32_t u = part; u < here; u += warps_per_row) {
        float2 x[32];
#pragma unroll
        for (int n1 = 0; n1 < 32; n1++) {
            x[n1] = from[u * n + 32 * n1];
        }
        warp_transform(x, area, warp_pairs, lane_pairs, lane, [] {});
        add_power<32>(acc, x);
    }
    /* Rows side by side, so that neighbours are written together. */
    float *own = reinterpret_cast<float *>(shared);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 32; e++) {
        own[warp * row_pitch + lane + 32 * reversed(e, 5)] = acc[e];
    }
    __syncthreads();
    const float scale = a.mean ? 1.0f / (float)span.count : 1.0f;
    float *row =
        finish ? a.rows + (a.first_group + blockIdx.y) * a.row_pitch : a.rows + blockIdx.y * n;
    for (int i = threadIdx.x; i < rows_here * 1024; i += 32 * row_warps) {
        const int r = i % rows_here, rest = i / rows_here;
        const size_t k = first_row + r + ((size_t)rest << (log2n - 10));
        float p = 0.0f;
        for (int w = 0; w < warps_per_row; w++) {
            p += own[(r * warps_per_row + w) * row_pitch + rest];
        }
        if (finish) {
            row[(a.mirror ? (n - k) & (n - 1) : k) ^ (n / 2)] = p * scale;
        } else {
            row[k] = a.keep ? row[k] + p : p;
        }
    }
}

/* Sums of the g-th group at hand to its row. */
__global__ void finish_rows(const power_args a, const float *sums, int log2n, bool is_complex)
{
    const size_t n = (size_t)1 << log2n, bins = is_complex ? n : n / 2 + 1;
    const size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k >= bins) {
        return;
    }
    const group_span span = span_of(a, a.first_group + blockIdx.y);
    const float scale = a.mean ? 1.0f / (float)span.count : 1.0f;
    const float *z = sums + blockIdx.y * n;
    float *row = a.rows + (a.first_group + blockIdx.y) * a.row_pitch;
    if (is_complex) {
        row[(a.mirror ? (n - k) & (n - 1) : k) ^ (n / 2)] = z[k] * scale;
    } else {
        row[k] = scale * (k == 0 || k == n / 2 ? z[k] : z[k] + z[n - k]);
    }
}

/* ---- batches ---- */

power_args batch_args(const weir_gpu_plan *plan, const weir_gpu_batch *batch)
{
    const uint32_t endless = 0x7fffffffu; /* more frames than any batch has */
    const uint64_t per = batch->per_spectrum;
    const bool whole = per != 0 && per <= endless;
    power_args a = {};
    a.raw = static_cast<const unsigned char *>(batch->raw);
    a.window = reinterpret_cast<const float4 *>(plan->window);
    a.warp_pairs = plan->warp_pairs;
    a.lane_pairs = plan->lane_pairs;
    a.column_pairs = plan->column_pairs;
    a.frame_mean = batch->frame_mean;
    a.rows = batch->rows;
    a.columns = plan->columns;
    a.hop = batch->hop;
    a.row_pitch = plan->n_bins;
    a.n_frames = batch->n_frames;
    a.n_groups = weir_gpu_batch_groups(batch);
    a.group = batch->group;
    /* Without an end in sight the batch may as well lie near the beginning. */
    a.per_spectrum = whole ? (uint32_t)per : endless;
    a.phase = (uint32_t)(whole ? batch->phase : batch->phase % batch->group);
    a.groups_per_spectrum = groups_of(a.per_spectrum, batch->group);
    a.phase_groups = a.phase / batch->group;
    a.bias = plan->magic_bias;
    a.mirror = plan->config.mirror;
    a.mean = batch->mean;
    a.paired = batch->group > 1 && !plan->config.is_complex;
    return a;
}

static weir_status launch(const kernel_info &kernel, dim3 grid, const power_args &args,
                          cudaStream_t stream, weir_error *err)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)kernel.blocks_of_cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3((unsigned)kernel.threads);
    config.dynamicSmemBytes = kernel.shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = kernel.blocks_of_cluster > 1 ? 1 : 0;
    void *pointers[] = {const_cast<power_args *>(&args)};
    return check(cudaLaunchKernelExC(&config, kernel.function, pointers), "starting a kernel", err);
}

/* Of the group's size only, so that the order of a sum is the same in every batch. */
static int warps_for_row(const weir_gpu_plan *plan, const power_args &a)
{
    const size_t units = min((size_t)(a.paired ? (a.group + 1) / 2 : a.group), plan->units_at_once);
    int warps = 1;
    while (warps < row_warps && 2 * (size_t)warps <= units) {
        warps *= 2;
    }
    return warps;
}

/* One part of a batch: n_groups groups, or n_units units of one. */
static weir_status launch_part(const weir_gpu_plan *plan, power_args a, uint32_t n_groups,
                               bool is_last, cudaStream_t stream, weir_error *err)
{
    const size_t n = plan->config.n_fft;
    const bool direct = plan->config.is_complex && !a.keep && is_last;
    const unsigned width = 1024 / (unsigned)plan->kernel.column_width;
    const unsigned enough = 2 * plan->resident_blocks / (width * n_groups) + 1;
    const dim3 columns(width, min(a.n_units, enough), n_groups);
    weir_status status = launch(plan->kernel, columns, a, stream, err);
    if (status) {
        return status;
    }
    power_args r = a;
    r.rows = direct ? a.rows : plan->sums;
    const int warps = warps_for_row(plan, a);
    row_pass<<<dim3((unsigned)(n / 1024 * warps / row_warps), n_groups), 32 * row_warps,
               row_shared_bytes, stream>>>(r, plan->log2n, warps, direct);
    if (!direct && is_last) {
        finish_rows<<<dim3((unsigned)((plan->n_bins + 255) / 256), n_groups), 256, 0, stream>>>(
            a, plan->sums, plan->log2n, plan->config.is_complex);
    }
    return check(cudaGetLastError(), "starting a kernel", err);
}

static weir_status power_of_columns(const weir_gpu_plan *plan, power_args a, cudaStream_t stream,
                                    weir_error *err)
{
    const uint32_t frames = min(a.group, a.n_frames);
    const uint32_t units = a.paired ? (frames + 1) / 2 : frames;
    const uint32_t room = (uint32_t)plan->units_at_once;
    const uint32_t groups = units <= room ? room / units : 1;
    for (uint32_t g = 0; g < a.n_groups; g += groups) {
        for (uint32_t u = 0; u < units; u += room) {
            a.first_group = g;
            a.first_unit = u;
            a.n_units = min(units - u, room);
            a.keep = u > 0;
            weir_status status =
                launch_part(plan, a, min(groups, a.n_groups - g), u + room >= units, stream, err);
            if (status) {
                return status;
            }
        }
    }
    return WEIR_OK;
}

/* ---- plans ---- */

static kernel_info find_kernel_of(const weir_gpu_plan_config *config, const device_limits &device)
{
    static kernel_info (*const find[])(bool, size_t, const device_limits &) = {find_u8, find_s8,
                                                                               find_s16, find_f32};
    return find[config->layout](config->is_complex, config->n_fft, device);
}

/* A device that has failed answers nothing, and must not be taken for a small one. */
static weir_status ask_device(int *major, int *shared_limit, int *sms, weir_error *err)
{
    const struct {
        cudaDeviceAttr attribute;
        int *value;
    } questions[] = {{cudaDevAttrComputeCapabilityMajor, major},
                     {cudaDevAttrMaxSharedMemoryPerBlockOptin, shared_limit},
                     {cudaDevAttrMultiProcessorCount, sms}};
    int device = 0;
    weir_status status = check(cudaGetDevice(&device), "asking the device", err);
    for (const auto &question : questions) {
        if (!status) {
            status = check(cudaDeviceGetAttribute(question.value, question.attribute, device),
                           "asking the device", err);
        }
    }
    return status;
}

/* Which kernel does this size on this device, and how much of it runs at once. */
static weir_status choose_kernel(weir_gpu_plan *plan, weir_error *err)
{
    int major = 0, shared_limit = 0, sms = 0, blocks = 0;
    weir_status status = ask_device(&major, &shared_limit, &sms, err);
    if (status) {
        return status;
    }
    const device_limits limits = {(size_t)shared_limit, major >= 9};
    plan->kernel = find_kernel_of(&plan->config, limits);
    const bool columns = plan->kernel.kind == COLUMNS;
    const size_t shared_bytes =
        columns ? max(plan->kernel.shared_bytes, row_shared_bytes) : plan->kernel.shared_bytes;
    if (shared_bytes > (size_t)shared_limit) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "a transform of %zu points takes %zu KiB of shared memory, and this GPU "
                         "has %d KiB",
                         plan->config.n_fft, shared_bytes >> 10, shared_limit >> 10);
    }
    status = check(cudaFuncSetAttribute(plan->kernel.function,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)plan->kernel.shared_bytes),
                   "preparing a kernel", err);
    if (!status && columns) {
        status = check(cudaFuncSetAttribute(row_pass, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            (int)row_shared_bytes),
                       "preparing a kernel", err);
    }
    if (!status) {
        status = check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plan->kernel.function,
                                                                     plan->kernel.threads,
                                                                     plan->kernel.shared_bytes),
                       "preparing a kernel", err);
    }
    plan->resident_blocks = (unsigned)(sms * max(blocks, 1));
    return status;
}

template <class T>
static weir_status upload(T **to, const void *from, size_t bytes, weir_error *err)
{
    weir_status status = check(cudaMalloc(reinterpret_cast<void **>(to), bytes), "tables", err);
    if (!status) {
        status = check(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice), "tables", err);
    }
    return status;
}

/* The pairs that the kernel's family reads beside the window. */
static weir_status upload_pairs(weir_gpu_plan *plan, weir_twiddle *pairs, weir_error *err)
{
    const size_t n = plan->config.n_fft, radix = n / 1024;
    const family kind = plan->kernel.kind;
    if (kind == TEAMS) {
        weir_table_team_pairs(n, pairs);
        return upload(&plan->lane_pairs, pairs, n * sizeof(float), err);
    }
    if (kind == WIDE) {
        weir_table_wide_outer(n, pairs);
        weir_status status = upload(&plan->lane_pairs, pairs, n * sizeof(float), err);
        weir_table_wide_inner(n, pairs);
        return status ? status : upload(&plan->warp_pairs, pairs, n / 256 * 8 * sizeof *pairs, err);
    }
    weir_table_lane_pairs(n, pairs);
    weir_status status = upload(&plan->lane_pairs, pairs, n * sizeof(float), err);
    weir_table_warp_pairs(n, pairs);
    status = status ? status : upload(&plan->warp_pairs, pairs, radix * 16 * sizeof *pairs, err);
    if (!status && kind == COLUMNS && radix >= 64) {
        weir_table_team_pairs(radix, pairs);
        status = upload(&plan->column_pairs, pairs, radix / 2 * sizeof *pairs, err);
    }
    return status;
}

/* work: 4 * n_fft bytes at least, 8 KiB at least. */
static weir_status upload_tables(weir_gpu_plan *plan, const double *window, float *work,
                                 weir_error *err)
{
    const size_t n = plan->config.n_fft;
    for (size_t i = 0; i < n; i++) {
        work[i] = (float)window[i];
    }
    weir_status status = upload(&plan->plain_window, work, n * sizeof(float), err);
    if (plan->kernel.kind == WIDE) {
        weir_table_wide_window(window, n, work);
    } else if (plan->kernel.kind != COLUMNS) {
        weir_table_window(window, n, work);
    }
    status = status ? status : upload(&plan->window, work, n * sizeof(float), err);
    if (!status && n > 32) {
        status = upload_pairs(plan, reinterpret_cast<weir_twiddle *>(work), err);
    }
    return status;
}

static weir_status allocate_columns(weir_gpu_plan *plan, weir_error *err)
{
    if (plan->kernel.kind != COLUMNS) {
        return WEIR_OK;
    }
    /* Long launches matter more than the second-level cache: with 32 MiB, which stays in
     * an H200's, it takes 1.3 times as long as with 512 MiB (docs/cuda.md). */
    const size_t n = plan->config.n_fft;
    size_t free_bytes = 0, total_bytes = 0;
    weir_status failed = check(cudaMemGetInfo(&free_bytes, &total_bytes), "memory", err);
    if (failed) {
        return failed;
    }
    const size_t bytes_at_once = min((size_t)512 << 20, total_bytes / 16);
    plan->units_at_once = max(bytes_at_once / (n * sizeof(float2)), (size_t)2);
    if (plan->config.max_frames > 0) {
        plan->units_at_once =
            min(plan->units_at_once, max((size_t)plan->config.max_frames, (size_t)2));
    }
    const size_t bytes = plan->units_at_once * n * sizeof(float2);
    weir_status status = check(cudaMalloc(reinterpret_cast<void **>(&plan->columns), bytes),
                               "memory between two passes", err);
    if (!status) {
        status = check(cudaMalloc(reinterpret_cast<void **>(&plan->sums), bytes / 2),
                       "memory between two passes", err);
    }
    return status;
}

static float magic_bias(const weir_gpu_plan_config *config)
{
    switch (config->layout) {
    case WEIR_GPU_U8:
        return 32768.0f + (float)config->bias;
    case WEIR_GPU_S8:
        return 32768.0f + 128.0f;
    case WEIR_GPU_S16:
        return 8388608.0f + 32768.0f;
    default:
        return 0.0f;
    }
}

} /* namespace weir */

using namespace weir;

extern "C" {

size_t weir_gpu_sample_bytes(weir_gpu_layout layout, bool is_complex)
{
    static const size_t bytes[WEIR_GPU_LAYOUT_COUNT] = {1, 1, 2, 4};
    return bytes[layout] * (is_complex ? 2 : 1);
}

weir_status weir_gpu_plan_create(weir_gpu_plan **out, const weir_gpu_plan_config *config,
                                 weir_error *err)
{
    *out = NULL;
    const size_t n = config->n_fft;
    if (n < 2 || n > (size_t)1 << 28) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "the GPU transforms 2 to 2^28 points, not %zu",
                         n);
    }
    const bool own = n >= WEIR_GPU_MIN_FFT && n <= WEIR_GPU_MAX_FFT && (n & (n - 1)) == 0;
    weir_gpu_plan *plan = static_cast<weir_gpu_plan *>(calloc(1, sizeof *plan));
    float *work = static_cast<float *>(malloc(max(n * sizeof(float), (size_t)8192)));
    weir_status status = WEIR_OK;
    if (!plan || !work) {
        status = weir_fail(err, WEIR_ERR_NOMEM, "out of memory for the tables of the GPU");
    }
    if (!status) {
        plan->config = *config;
        plan->config.window = NULL;
        for (size_t i = n; i > 1; i /= 2) {
            plan->log2n++;
        }
        plan->n_bins = config->is_complex ? n : n / 2 + 1;
        plan->magic_bias = magic_bias(config);
        status = own ? choose_kernel(plan, err) : any_create(&plan->any, config, false, err);
    }
    if (!status && own) {
        status = upload_tables(plan, config->window, work, err);
    }
    if (!status && own) {
        status = allocate_columns(plan, err);
    }
    if (!status) { /* other streams do not wait for the tables */
        status = check(cudaDeviceSynchronize(), "tables", err);
    }
    free(work);
    if (status) {
        weir_gpu_plan_destroy(plan);
        return status;
    }
    *out = plan;
    return WEIR_OK;
}

void weir_gpu_plan_destroy(weir_gpu_plan *plan)
{
    if (!plan) {
        return;
    }
    void *const memory[] = {plan->window,     plan->plain_window, plan->warp_pairs,
                            plan->lane_pairs, plan->column_pairs, plan->columns,
                            plan->sums};
    for (void *p : memory) {
        cudaFree(p);
    }
    any_destroy(plan->any);
    free(plan);
}

size_t weir_gpu_plan_bins(const weir_gpu_plan *plan)
{
    return plan->n_bins;
}

uint32_t weir_gpu_batch_groups(const weir_gpu_batch *batch)
{
    const uint64_t end = batch->phase + batch->n_frames, per = batch->per_spectrum;
    if (per == 0 || per > 0x7fffffffu) {
        return groups_of(batch->phase % batch->group + batch->n_frames, batch->group);
    }
    const uint64_t before = batch->phase / batch->group;
    const uint64_t groups =
        end / per * groups_of(per, batch->group) + groups_of(end % per, batch->group);
    return (uint32_t)(groups - before);
}

/* Of a kernel that does groups one after the other. */
static unsigned blocks_for_groups(const weir_gpu_plan *plan, uint32_t n_groups)
{
    const unsigned cluster = (unsigned)plan->kernel.blocks_of_cluster;
    const unsigned per_block = (unsigned)plan->kernel.groups_per_block;
    const unsigned wanted = (n_groups + per_block - 1) / per_block * cluster;
    return min(wanted, plan->resident_blocks / cluster * cluster);
}

weir_status weir_gpu_power(const weir_gpu_plan *plan, const weir_gpu_batch *batch, void *stream,
                           weir_error *err)
{
    const power_args a = batch_args(plan, batch);
    const kernel_info &kernel = plan->kernel;
    if (plan->any) {
        return any_power(plan->any, a, static_cast<cudaStream_t>(stream), err);
    }
    if (kernel.kind == COLUMNS) {
        return power_of_columns(plan, a, static_cast<cudaStream_t>(stream), err);
    }
    return launch(kernel, dim3(blocks_for_groups(plan, a.n_groups)), a,
                  static_cast<cudaStream_t>(stream), err);
}

bool weir_gpu_power_launch(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                           weir_gpu_launch *launch)
{
    const kernel_info &kernel = plan->kernel;
    if (plan->any || kernel.kind == COLUMNS || kernel.blocks_of_cluster > 1) {
        return false;
    }
    const power_args a = batch_args(plan, batch);
    describe_launch(launch, kernel.function, dim3(blocks_for_groups(plan, a.n_groups)),
                    (unsigned)kernel.threads, a);
    launch->shared_bytes = (unsigned)kernel.shared_bytes;
    return true;
}

} /* extern "C" */
