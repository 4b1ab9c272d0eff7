/* Rows of powers to spectra: long means, maximum, minimum, exponential average. One
 * thread a bin goes through its rows in order, so results do not depend on the cutting. */
#include "cuda/plan.cuh"

namespace weir {

struct row_range {
    uint32_t first, end;
    bool continues; /* what an earlier batch began */
    bool finishes;
};

__device__ __forceinline__ row_range rows_of(const weir_gpu_reduction &r, uint32_t spectrum)
{
    const uint32_t per = r.rows_per_spectrum, phase = r.row_phase;
    if (per == 0) {
        return {0, r.n_rows, phase > 0, false};
    }
    const uint32_t first = spectrum == 0 ? 0 : spectrum * per - phase;
    const uint32_t end = (spectrum + 1) * per - phase;
    const bool finishes = end < r.n_rows || (end == r.n_rows && !r.closes);
    return {first, min(end, r.n_rows), spectrum == 0 && phase > 0, finishes};
}

/* One bin of the s-th spectrum of the batch; not the exponential mean. */
__device__ __forceinline__ void reduce_bin(const weir_gpu_reduction &r, size_t k, uint32_t s)
{
    const row_range range = rows_of(r, s);
    const bool wants_sum = r.before.sum && r.alpha == 0;
    double sum = 0;
    float highest = 0, lowest = __int_as_float(0x7f800000);
    if (range.continues) {
        sum = wants_sum ? r.before.sum[k] : 0;
        highest = r.before.max ? r.before.max[k] : highest;
        lowest = r.before.min ? r.before.min[k] : lowest;
    }
    for (uint32_t i = range.first; i < range.end; i++) {
        const float p = r.rows[i * r.n_bins + k];
        sum += p;
        highest = fmaxf(highest, p);
        lowest = fminf(lowest, p);
    }
    const size_t to = range.finishes ? s * r.n_bins + k : k;
    if (wants_sum && range.finishes) {
        r.out[0][to] = (float)(sum / (double)r.per_spectrum);
    } else if (wants_sum) {
        r.after.sum[k] = sum;
    }
    if (r.before.max) {
        (range.finishes ? r.out[1] : r.after.max)[to] = highest;
    }
    if (r.before.min) {
        (range.finishes ? r.out[2] : r.after.min)[to] = lowest;
    }
}

/* Block (b, s): 128 bins of the s-th spectrum. The first one takes up what the last batch
 * left, the last one leaves it for the next. */
__global__ void reduce_rows(const weir_gpu_reduction r)
{
    const size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k < r.n_bins) {
        reduce_bin(r, k, blockIdx.y);
    }
}

/* One thread a bin: the average goes on through all spectra of the batch. */
__global__ void average_rows(const weir_gpu_reduction r)
{
    const size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k >= r.n_bins) {
        return;
    }
    double average = r.before.sum[k];
    uint32_t left = r.rows_per_spectrum - r.row_phase;
    float *out = r.out[0] + k;
    for (uint32_t i = 0; i < r.n_rows; i++) {
        const double p = r.rows[i * r.n_bins + k];
        average = r.restart && i == 0 ? p : average + r.alpha * (p - average);
        if (--left == 0) {
            *out = (float)average;
            out += r.n_bins;
            left = r.rows_per_spectrum;
        }
    }
    r.after.sum[k] = average;
}

__global__ void close_rows(const weir_gpu_reduction r, double n_frames)
{
    const size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k >= r.n_bins) {
        return;
    }
    if (r.before.sum) {
        const double sum = r.before.sum[k];
        r.out[0][k] = (float)(r.alpha == 0 ? sum / n_frames : sum);
    }
    if (r.before.max) {
        r.out[1][k] = r.before.max[k];
    }
    if (r.before.min) {
        r.out[2][k] = r.before.min[k];
    }
}

static unsigned blocks_for(size_t n_bins)
{
    return (unsigned)((n_bins + 127) / 128);
}

} /* namespace weir */

using namespace weir;

extern "C" {

static bool averages(const weir_gpu_reduction *r)
{
    return r->alpha != 0 && r->before.sum;
}

static bool reduces(const weir_gpu_reduction *r)
{
    return r->alpha == 0 || r->before.max || r->before.min;
}

/* A bin and a spectrum a thread. */
static dim3 reducing_blocks(const weir_gpu_reduction *r)
{
    const uint32_t per = r->rows_per_spectrum;
    return dim3(blocks_for(r->n_bins), per == 0 ? 1 : (r->row_phase + r->n_rows + per - 1) / per);
}

weir_status weir_gpu_reduce(const weir_gpu_reduction *r, void *stream, weir_error *err)
{
    const cudaStream_t on = static_cast<cudaStream_t>(stream);
    if (averages(r)) {
        average_rows<<<blocks_for(r->n_bins), 128, 0, on>>>(*r);
    }
    if (reduces(r)) {
        reduce_rows<<<reducing_blocks(r), 128, 0, on>>>(*r);
    }
    return check(cudaGetLastError(), "reducing rows", err);
}

bool weir_gpu_reduce_launch(const weir_gpu_reduction *r, weir_gpu_launch *launch)
{
    if (averages(r) == reduces(r)) {
        return false;
    }
    if (averages(r)) {
        describe_launch(launch, (const void *)average_rows, dim3(blocks_for(r->n_bins)), 128, *r);
    } else {
        describe_launch(launch, (const void *)reduce_rows, reducing_blocks(r), 128, *r);
    }
    return true;
}

weir_status weir_gpu_reduce_close(const weir_gpu_reduction *r, uint64_t n_frames, void *stream,
                                  weir_error *err)
{
    close_rows<<<blocks_for(r->n_bins), 128, 0, static_cast<cudaStream_t>(stream)>>>(
        *r, (double)n_frames);
    return check(cudaGetLastError(), "closing a spectrum", err);
}

} /* extern "C" */
