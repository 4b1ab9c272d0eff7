/* The loops of the CPU engine, compiled for several instruction sets.
 *
 * Pure functions, thread-safe. "n" counts floats: components, so 2 per complex sample.
 * float buffers come from weir_fft_alloc (64-byte aligned), raw bytes may lie anywhere.
 * The sets may differ in the last bit (fused multiply-add); each one by itself gives the
 * same bits every time.
 */
#ifndef WEIR_DSP_KERNELS_CPU_H
#define WEIR_DSP_KERNELS_CPU_H

#include "dsp/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* out[i] = (raw[i] - zero) * weight[i] */
typedef void weir_unpack_kernel(const uint8_t *raw, float zero, const float *weight, float *out,
                                size_t n);

/* x: n_bins complex values; p[k] = |x_k|^2. keep and gain only where named. */
typedef void weir_power_kernel(const float *x, float *line, size_t n_bins, float keep, float gain);

/* Samples of one channel that clip; see dsp/format.c. flip makes offset binary of a signed
 * code. n <= 65535. Pairs: two components, n samples. */
typedef uint64_t weir_count_kernel(const uint8_t *raw, size_t n, uint32_t flip, uint32_t low);
typedef void weir_count_float_kernel(const uint8_t *raw, size_t n, weir_sample_counts *counts);

typedef struct weir_cpu_kernels {
    const char *name; /* "AVX-512" */
    bool (*supported)(void);
    weir_unpack_kernel *unpack_u8, *unpack_s8, *unpack_s16;
    weir_unpack_kernel *unpack_f32; /* non-finite is 0, limited to WEIR_SAMPLE_LIMIT */
    /* x[i] *= weight[i] */
    void (*multiply)(float *x, const float *weight, size_t n);
    /* x[i] = (x[i] - mean[i % 2]) * weight[i], n even or both means the same */
    void (*detrend)(float *x, const float *mean, const float *weight, size_t n);
    /* sums[0] and [1]: over even and odd i, in double */
    void (*sum)(const float *x, size_t n, double *sums);
    weir_power_kernel *power_store; /* line = gain p                */
    weir_power_kernel *power_add;   /* line += p                    */
    weir_power_kernel *power_decay; /* line = keep line + gain p    */
    weir_power_kernel *power_max;   /* line = max(line, p)          */
    weir_power_kernel *power_min;
    weir_count_kernel *count_8, *count_pairs_8, *count_16, *count_pairs_16;
    weir_count_float_kernel *count_f32, *count_pairs_f32;
} weir_cpu_kernels;

/* The fastest set that this processor has. */
const weir_cpu_kernels *weir_cpu_kernels_best(void);
/* All sets of this build, best first; NULL past the end. For tests. */
const weir_cpu_kernels *weir_cpu_kernels_at(size_t index);

#endif
