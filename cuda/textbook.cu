/* The textbook transform, as reference and as a peer in benchmarks: every step a kernel
 * of its own in global memory, radix 2, twiddles by sincospi. */
#include "cuda/plan.cuh"

namespace weir {

/* Frame f, sample i to the bit-reversed place. */
__global__ void textbook_unpack(const power_args a, const float *window, int layout,
                                bool is_complex, int log2n, float2 *work)
{
    const size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    const uint32_t n = 1u << log2n, i = (uint32_t)at & (n - 1);
    const size_t f = at >> log2n;
    if (f >= a.n_frames) {
        return;
    }
    const size_t parts = is_complex ? 2 : 1, first = (f * a.hop + i) * parts;
    float value[2] = {0.0f, 0.0f};
    for (size_t c = 0; c < parts; c++) {
        switch (layout) {
        case WEIR_GPU_U8:
            value[c] = (float)a.raw[first + c] - (a.bias - 32768.0f);
            break;
        case WEIR_GPU_S8:
            value[c] = (float)reinterpret_cast<const signed char *>(a.raw)[first + c];
            break;
        case WEIR_GPU_S16:
            value[c] = (float)reinterpret_cast<const short *>(a.raw)[first + c];
            break;
        default:
            value[c] = limited(reinterpret_cast<const float *>(a.raw)[first + c]);
            break;
        }
        value[c] -= a.frame_mean ? a.frame_mean[f * parts + c] : 0.0f;
    }
    work[(f << log2n) + (__brev(i) >> (32 - log2n))] =
        make_float2(value[0] * window[i], value[1] * window[i]);
}

__global__ void textbook_stage(float2 *work, size_t n_butterflies, uint32_t half)
{
    const size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at >= n_butterflies) {
        return;
    }
    const size_t k = at & (half - 1), first = (at - k) * 2 + k;
    float s, c;
    sincospif(-(float)k / (float)half, &s, &c);
    const float2 u = work[first], v = work[first + half];
    const float re = c * v.x - s * v.y, im = s * v.x + c * v.y;
    work[first] = make_float2(u.x + re, u.y + im);
    work[first + half] = make_float2(u.x - re, u.y - im);
}

__global__ void textbook_power(const power_args a, bool is_complex, int log2n, const float2 *work)
{
    const uint32_t n = 1u << log2n, bins = is_complex ? n : n / 2 + 1;
    const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= bins) {
        return;
    }
    for (uint32_t g = blockIdx.y; g < a.n_groups; g += gridDim.y) {
        const group_span span = span_of(a, g);
        float sum = 0;
        for (uint32_t f = span.first; f < span.first + span.count; f++) {
            const float2 v = work[((size_t)f << log2n) + k];
            sum += v.x * v.x + v.y * v.y;
        }
        if (!is_complex && k != 0 && k != n / 2) {
            sum *= 2;
        }
        const uint32_t to = is_complex ? (a.mirror ? (n - k) & (n - 1) : k) ^ (n / 2) : k;
        a.rows[g * a.row_pitch + to] = a.mean ? sum / (float)span.count : sum;
    }
}

} /* namespace weir */

using namespace weir;

extern "C" weir_status weir_gpu_textbook(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                                         void *work, void *stream, weir_error *err)
{
    const power_args a = batch_args(plan, batch);
    const cudaStream_t on = static_cast<cudaStream_t>(stream);
    const bool is_complex = plan->config.is_complex;
    const size_t points = (size_t)batch->n_frames << plan->log2n;
    float2 *x = static_cast<float2 *>(work);
    textbook_unpack<<<(unsigned)((points + 255) / 256), 256, 0, on>>>(
        a, plan->plain_window, plan->config.layout, is_complex, plan->log2n, x);
    for (int s = 0; s < plan->log2n; s++) {
        textbook_stage<<<(unsigned)((points / 2 + 255) / 256), 256, 0, on>>>(x, points / 2,
                                                                             1u << s);
    }
    const dim3 grid((unsigned)((plan->n_bins + 255) / 256), min(a.n_groups, 65535u));
    textbook_power<<<grid, 256, 0, on>>>(a, is_complex, plan->log2n, x);
    return check(cudaGetLastError(), "the textbook transform", err);
}
