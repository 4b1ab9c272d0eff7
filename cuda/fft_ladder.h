/* The textbook ladder of the FFT on a GPU: reference kernels, told in docs/fft-on-gpu.md.
 *
 * Each computes X[k] = sum x[n] exp(-2 pi i n k / N) of `batch` transforms one after the
 * other in device memory, twiddles by sincospi; N a power of two from 2 (the direct sum
 * takes any N, the last step up to 4096). in and out differ; a stream is a cudaStream_t.
 * Slow on purpose, except in their order. WEIR_ERR_UNSUPPORTED in a build without CUDA.
 */
#ifndef WEIR_CUDA_FFT_LADDER_H
#define WEIR_CUDA_FFT_LADDER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/status.h"

typedef enum weir_ladder_step {
    WEIR_LADDER_DIRECT, /* N^2: a thread a bin                               */
    WEIR_LADDER_GLOBAL, /* bit reversal, then a launch a stage, radix 2       */
    WEIR_LADDER_SHARED, /* the same stages in shared memory, one launch       */
    WEIR_LADDER_STEPS
} weir_ladder_step;

const char *weir_ladder_name(weir_ladder_step step);
weir_status weir_ladder_execute(weir_ladder_step step, const float *in, float *out, size_t n,
                                size_t batch, void *stream, weir_error *err);
/* The same for host memory: copies, transforms, copies back, waits. */
weir_status weir_ladder_run(weir_ladder_step step, const float *in, float *out, size_t n,
                            size_t batch, weir_error *err);
/* Bit reversal alone: out[reversed(i)] = in[i]. */
weir_status weir_ladder_bit_reverse(const float *in, float *out, size_t n, size_t batch,
                                    void *stream, weir_error *err);

#ifdef __cplusplus
}
#endif

#endif
