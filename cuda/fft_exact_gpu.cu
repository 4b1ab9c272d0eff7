/* Exact convolutions on the GPU: the transforms of fft_exact.c, four stages a launch in
 * registers, all primes at once (a row of the grid each); then the remainders are joined
 * where they are, and 16 bytes a coefficient go back. */
#include "cuda/fft_field.h"
#include "cuda/plan_memory.cuh"

#include <algorithm>

namespace {

using weir_fft::cuda_status;
using weir_fft::plan_memory;

struct exact_args {
    weir_exact_size size;
    size_t n_a, n_b;
    const int64_t *a, *b;
    uint32_t *x, *y;        /* n_fields times n */
    weir_multiplier *roots; /* the same         */
    weir_int128 *c;
};

__device__ size_t index_here()
{
    return blockIdx.x * (size_t)blockDim.x + threadIdx.x;
}

/* roots[half + i] = w_(2 half)^i */
__global__ void roots_kernel(const __grid_constant__ exact_args e)
{
    const size_t at = index_here(), n = e.size.n;
    if (at == 0 || at >= n) {
        return;
    }
    const weir_field f = e.size.fields[blockIdx.y];
    const size_t half = (size_t)1 << (63 - __clzll((long long)at));
    const uint32_t w =
        weir_field_power(f.generator, (uint32_t)((f.prime - 1) / (2 * half)), f.prime);
    const uint32_t root = weir_field_power(w, (uint32_t)(at - half), f.prime);
    e.roots[blockIdx.y * n + at] = weir_multiplier_of(root, f.prime);
}

__global__ void reduce_kernel(const __grid_constant__ exact_args e)
{
    const size_t i = index_here(), n = e.size.n;
    if (i < n) {
        const uint32_t p = e.size.fields[blockIdx.y].prime;
        e.x[blockIdx.y * n + i] = i < e.n_a ? weir_field_reduce(e.a[i], p) : 0;
        e.y[blockIdx.y * n + i] = i < e.n_b ? weir_field_reduce(e.b[i], p) : 0;
    }
}

/* The stages of half = SPAN/2 step .. step, on SPAN values `step` apart. */
template <int SPAN>
__device__ void stages_forward(uint32_t *x, const weir_multiplier *roots, size_t step, size_t low,
                               uint32_t p)
{
#pragma unroll
    for (int half = SPAN / 2; half > 0; half /= 2) {
#pragma unroll
        for (int j = 0; j < SPAN; j++) {
            if ((j & half) == 0) {
                const uint32_t u = x[j], v = x[j + half];
                const size_t i = (size_t)(j % half) * step + low;
                x[j] = weir_field_plus(u, v, p);
                x[j + half] =
                    weir_field_times(weir_field_minus(u, v, p), roots[half * step + i], p);
            }
        }
    }
}

template <int SPAN>
__device__ void stages_back(uint32_t *x, const weir_multiplier *roots, size_t step, size_t low,
                            uint32_t p)
{
#pragma unroll
    for (int half = 1; half < SPAN; half *= 2) {
#pragma unroll
        for (int j = 0; j < SPAN; j++) {
            if ((j & half) == 0) {
                const size_t i = (size_t)(j % half) * step + low;
                const uint32_t u = x[j],
                               v = weir_field_times(x[j + half], roots[half * step + i], p);
                x[j] = weir_field_plus(u, v, p);
                x[j + half] = weir_field_minus(u, v, p);
            }
        }
    }
}

/* Natural order in, bit-reversed out; or back, where the result runs backwards. */
template <int SPAN, bool FORWARD>
__global__ void stages_kernel(const __grid_constant__ exact_args e, uint32_t *values, size_t step)
{
    const size_t t = index_here(), n = e.size.n;
    if (t >= n / SPAN) {
        return;
    }
    const uint32_t p = e.size.fields[blockIdx.y].prime;
    const weir_multiplier *roots = e.roots + blockIdx.y * n;
    const size_t low = t % step;
    uint32_t *at = values + blockIdx.y * n + t / step * (SPAN * step) + low;
    uint32_t x[SPAN];
#pragma unroll
    for (int j = 0; j < SPAN; j++) {
        x[j] = at[j * step];
    }
    if constexpr (FORWARD) {
        stages_forward<SPAN>(x, roots, step, low, p);
    } else {
        stages_back<SPAN>(x, roots, step, low, p);
    }
#pragma unroll
    for (int j = 0; j < SPAN; j++) {
        at[j * step] = x[j];
    }
}

/* The product of the spectra, over n. */
__global__ void product_kernel(const __grid_constant__ exact_args e,
                               const __grid_constant__ weir_garner inverse_n)
{
    const size_t i = index_here(), n = e.size.n;
    if (i < n) {
        const uint32_t p = e.size.fields[blockIdx.y].prime;
        uint32_t *x = e.x + blockIdx.y * n + i;
        const uint32_t xy = (uint32_t)((uint64_t)*x * e.y[blockIdx.y * n + i] % p);
        *x = weir_field_times(xy, inverse_n.inverses[0][blockIdx.y], p);
    }
}

__global__ void join_kernel(const __grid_constant__ exact_args e,
                            const __grid_constant__ weir_garner g)
{
    const size_t k = index_here(), n = e.size.n;
    if (k < e.size.n_c) {
        uint32_t residues[WEIR_MAX_FIELDS] = {};
        for (unsigned f = 0; f < e.size.n_fields; f++) {
            residues[f] = e.x[f * n + (k ? n - k : 0)];
        }
        e.c[k] = weir_garner_join(&g, residues);
    }
}

/* ---- launches ---- */

constexpr unsigned threads = 128;

dim3 grid_of(const exact_args &e, size_t count)
{
    return dim3((unsigned)((count + threads - 1) / threads), e.size.n_fields);
}

typedef void stages_function(exact_args, uint32_t *, size_t);

/* Stages from half = span step / 2 down to step (or up), span values a thread. */
template <bool FORWARD>
void run_stages(const exact_args &e, uint32_t *values, size_t span, size_t step)
{
    static stages_function *const kernels[] = {stages_kernel<2, FORWARD>, stages_kernel<4, FORWARD>,
                                               stages_kernel<8, FORWARD>,
                                               stages_kernel<16, FORWARD>};
    const int which = span == 2 ? 0 : span == 4 ? 1 : span == 8 ? 2 : 3;
    kernels[which]<<<grid_of(e, e.size.n / span), threads>>>(e, values, step);
}

void forward(const exact_args &e, uint32_t *values)
{
    for (size_t left = e.size.n; left > 1;) {
        const size_t span = std::min<size_t>(left, 16);
        run_stages<true>(e, values, span, left / span);
        left /= span;
    }
}

void back(const exact_args &e, uint32_t *values)
{
    for (size_t step = 1; step < e.size.n;) {
        const size_t span = std::min<size_t>(e.size.n / step, 16);
        run_stages<false>(e, values, span, step);
        step *= span;
    }
}

void convolve(const exact_args &e)
{
    const dim3 all = grid_of(e, e.size.n);
    weir_garner inverse_n = {};
    for (unsigned f = 0; f < e.size.n_fields; f++) {
        const uint32_t p = e.size.fields[f].prime;
        const uint32_t inverse = weir_field_inverse((uint32_t)(e.size.n % p), p);
        inverse_n.inverses[0][f] = weir_multiplier_of(inverse, p);
    }
    roots_kernel<<<all, threads>>>(e);
    reduce_kernel<<<all, threads>>>(e);
    forward(e, e.x);
    forward(e, e.y);
    product_kernel<<<all, threads>>>(e, inverse_n);
    back(e, e.x);
    const unsigned blocks = (unsigned)((e.size.n_c + threads - 1) / threads);
    join_kernel<<<blocks, threads>>>(e, weir_garner_of(&e.size));
}

weir_status upload(plan_memory *memory, const int64_t *values, size_t n, const int64_t **kept,
                   weir_error *err)
{
    int64_t *to = nullptr;
    const weir_status status = memory->keep(n, &to, "coefficients", err);
    *kept = to;
    return status ? status
                  : cuda_status(cudaMemcpy(to, values, n * sizeof *to, cudaMemcpyHostToDevice),
                                "copying to the device", err);
}

weir_status reserve(plan_memory *memory, exact_args *e, weir_error *err)
{
    const size_t all = e->size.n * e->size.n_fields;
    weir_status status = memory->keep(all, &e->x, "residues", err);
    if (!status) {
        status = memory->keep(all, &e->y, "residues", err);
    }
    if (!status) {
        status = memory->keep(all, &e->roots, "roots", err);
    }
    return status ? status : memory->keep(e->size.n_c, &e->c, "coefficients", err);
}

} /* namespace */

extern "C" weir_status weir_exact_convolve_gpu(const int64_t *a, size_t n_a, const int64_t *b,
                                               size_t n_b, weir_int128 *c, weir_error *err)
{
    plan_memory memory(false);
    exact_args e = {};
    e.n_a = n_a;
    e.n_b = n_b;
    weir_status status = weir_exact_plan(&e.size, a, n_a, b, n_b, err);
    if (!status) {
        status = upload(&memory, a, n_a, &e.a, err);
    }
    if (!status) {
        status = upload(&memory, b, n_b, &e.b, err);
    }
    if (!status) {
        status = reserve(&memory, &e, err);
    }
    if (status) {
        return status;
    }
    convolve(e);
    status = cuda_status(cudaGetLastError(), "starting a kernel", err);
    if (!status) {
        status = cuda_status(cudaMemcpy(c, e.c, e.size.n_c * sizeof *c, cudaMemcpyDeviceToHost),
                             "copying from the device", err);
    }
    if (!status && !weir_exact_check(a, n_a, b, n_b, c, (uint64_t)c[0] + n_a + 31 * n_b)) {
        status = weir_fail(err, WEIR_ERR_DEVICE,
                           "the GPU's product fails its check: a digit of it is wrong");
    }
    return status;
}
