/* Convolution and correlation on the GPU, in single precision, for device memory and a
 * stream of the caller's: a signal A of n_a values with a filter B of n_b.
 *
 *   linear    c[k] = sum over i of a[i] b[k - i],   k = 0 .. n_a + n_b - 2
 *   circular  the same with k - i modulo P = max(n_a, n_b), k = 0 .. P - 1
 *
 * With `correlate` the filter is conjugated and reversed first: b[i] becomes
 * conj(b[n_b - 1 - i]), so that c[n_b - 1] is the correlation without a shift.
 *
 * Three ways, by rule (weir_gpu_convolver_explain says which):
 *   one block      all of it in one kernel that transforms, multiplies and transforms back
 *                  in shared memory, up to about 28000 values
 *   overlap-save   a long signal in blocks, each as above; filters up to 8192 values
 *   whole          longer filters: transforms of cuda/fft.h, a product, and back
 * Real signals go two at a time, as real and imaginary parts, wherever two have the same
 * filter: two blocks of one signal, or two of a batch with one filter.
 *
 * Error: relative to the norms, |c - exact| <= about 3e-7 sqrt(log2 m) ||a|| ||b|| for a
 * transform of m points (a bound of transforms: values far below the largest have no more
 * digits than that). For integers see fft_exact.h.
 *
 * set_filter transforms B, once for any number of execute. Both only enqueue; a plan
 * serves one stream at a time. Values: floats, or pairs of them (real part first), item
 * after item without gaps. create builds tables and allocates all there is, but for what
 * weir_gpu_convolver_run keeps the host's vectors in (its first call does); without CUDA
 * in the build it returns WEIR_ERR_UNSUPPORTED, without a device WEIR_ERR_DEVICE.
 * Plain C; a stream is a cudaStream_t, or NULL for the default one.
 */
#ifndef WEIR_CUDA_CONVOLVE_H
#define WEIR_CUDA_CONVOLVE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/status.h"

typedef struct weir_gpu_convolver weir_gpu_convolver;

typedef struct weir_gpu_convolver_config {
    size_t n_a, n_b;
    size_t batch; /* signals; 0: 1                                        */
    bool real;    /* floats in and out, else complex                      */
    bool circular, correlate;
    bool one_filter; /* one B for the batch, else one for each signal    */
    /* Against the rule, for tests and benchmarks. */
    size_t block; /* overlap-save with blocks of so many points (smooth) */
    bool whole;
} weir_gpu_convolver_config;

weir_status weir_gpu_convolver_create(weir_gpu_convolver **out,
                                      const weir_gpu_convolver_config *config, weir_error *err);
/* b: device memory, batch (or 1) times n_b values. */
weir_status weir_gpu_convolver_set_filter(weir_gpu_convolver *convolver, const void *b,
                                          void *stream, weir_error *err);
/* a: batch times n_a values; c: batch times weir_gpu_convolver_length. Not in place. */
weir_status weir_gpu_convolver_execute(weir_gpu_convolver *convolver, const void *a, void *c,
                                       void *stream, weir_error *err);
/* Both with host memory: copies, convolves, copies back, waits. */
weir_status weir_gpu_convolver_run(weir_gpu_convolver *convolver, const void *a, const void *b,
                                   void *c, weir_error *err);
void weir_gpu_convolver_destroy(weir_gpu_convolver *convolver); /* NULL does nothing */

/* Values of each result. */
size_t weir_gpu_convolver_length(const weir_gpu_convolver_config *config);
/* In words, one line; returns text. */
char *weir_gpu_convolver_explain(const weir_gpu_convolver *convolver, char *text, size_t size);

/* A plan whose kernels the CPU goes through thread by thread, on host memory. For tests. */
weir_status weir_gpu_convolver_rehearse(weir_gpu_convolver **out,
                                        const weir_gpu_convolver_config *config, weir_error *err);

#ifdef __cplusplus
}
#endif

#endif
