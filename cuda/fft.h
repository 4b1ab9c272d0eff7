/* Fourier transforms of any length on the GPU, for device memory and a stream of the
 * caller's. Single precision, error about that of the best CPU libraries.
 *
 *   forward  X[k] = sum x[n] exp(-2 pi i n k / N)
 *   inverse  x[n] = 1/N sum X[k] exp(+2 pi i n k / N)      (unscaled if asked)
 *
 * Complex values are two floats, real part first. Of a real signal's spectrum there are
 * the N/2 + 1 bins from 0 to half the rate; going back, the imaginary parts of the first
 * and (N even) the last do not count.
 *
 * Value j of transform b stands at pointer + b distance + j stride, counted in values
 * (floats or complex pairs) of that side. In place is allowed where both sides have the
 * same layout, or a real signal lies where its spectrum will (distance 2 (N/2 + 1)
 * floats). With `length_in` below N only so many values are read; zeros follow them.
 *
 * create plans by rule, builds the tables on the device and allocates one work area where
 * it takes one: of the size of the input, or less where the device has not so much. What one
 * kernel does takes none: products of 2 .. 13 to 16384 (complex powers of two to 2^17 on GPUs
 * with clusters), one prime to 127 times such a product to some 16000 (complex values that are
 * all there), all other lengths to 14336, and primes to 28672 of which p - 1 is such a
 * product. Lengths beyond with a prime factor above 13 work on as many convolutions at once
 * as make the area, with their spectrum, no larger than the input, one at least. Nothing is
 * allocated after that, but by the first weir_gpu_fft_run for its copies. A plan serves one
 * stream at a time.
 *
 * execute only enqueues; errors of the launch are reported at once. In a build without
 * CUDA create returns WEIR_ERR_UNSUPPORTED, without a usable device WEIR_ERR_DEVICE.
 * Plain C; a stream is a cudaStream_t, or NULL for the default one.
 */
#ifndef WEIR_CUDA_FFT_H
#define WEIR_CUDA_FFT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/status.h"

typedef struct weir_gpu_fft weir_gpu_fft;

typedef struct weir_gpu_fft_config {
    size_t n;
    size_t batch; /* 0: 1 */
    bool real;    /* forward: real to half a spectrum; inverse: back */
    bool inverse;
    bool unscaled;
    size_t length_in;                 /* values of the input that are there; 0: all        */
    size_t stride_in, stride_out;     /* 0: 1                                              */
    size_t distance_in, distance_out; /* 0: one transform after the other                */
    void *work; /* device memory of so many bytes as weir_gpu_fft_work_bytes says of a plan like
                   it; NULL: its own */
    /* Against the planner's rule, for tests and benchmarks (0: the rule). */
    unsigned passes; /* 1, 2 or 3 kernels for a smooth length            */
    bool bluestein;  /* whatever the length                              */
} weir_gpu_fft_config;

weir_status weir_gpu_fft_create(weir_gpu_fft **out, const weir_gpu_fft_config *config,
                                weir_error *err);
/* in and out: device memory. */
weir_status weir_gpu_fft_execute(weir_gpu_fft *fft, const void *in, void *out, void *stream,
                                 weir_error *err);
/* Only the first `count` transforms of the batch. */
weir_status weir_gpu_fft_execute_first(weir_gpu_fft *fft, size_t count, const void *in, void *out,
                                       void *stream, weir_error *err);
/* The same with host memory: copies, transforms, copies back, waits. The device's side of
 * both copies is allocated by the first call and kept. */
weir_status weir_gpu_fft_run(weir_gpu_fft *fft, const void *in, void *out, weir_error *err);
void weir_gpu_fft_destroy(weir_gpu_fft *fft); /* NULL does nothing */

size_t weir_gpu_fft_work_bytes(const weir_gpu_fft *fft);
/* Values of one transform on each side. */
size_t weir_gpu_fft_values_in(const weir_gpu_fft_config *config);
size_t weir_gpu_fft_values_out(const weir_gpu_fft_config *config);

/* How such a transform is or would be done, in words; needs no GPU. Returns text. */
weir_status weir_gpu_fft_explain(const weir_gpu_fft_config *config, char *text, size_t size,
                                 weir_error *err);

/* A plan whose kernels the CPU goes through thread by thread: every index, table and
 * twiddle of the GPU's, without a GPU. For tests; slow. in and out of execute are host
 * memory. WEIR_ERR_UNSUPPORTED in a build without CUDA. */
weir_status weir_gpu_fft_rehearse(weir_gpu_fft **out, const weir_gpu_fft_config *config,
                                  weir_error *err);

#ifdef __cplusplus
}
#endif

#endif
