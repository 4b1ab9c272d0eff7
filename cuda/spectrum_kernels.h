/* The GPU side of the CUDA engine: tables, kernels and their launchers, in plain C.
 *
 * A weir_gpu_plan holds on the device what one transform size needs: the window and
 * the twiddles. Launchers put work on a stream (a cudaStream_t, here void *), check the
 * launch and return; nothing here synchronises except create. Device memory of inputs
 * and outputs is the caller's. A plan may be used from one thread and on one stream at a
 * time.
 *
 * Work is a batch: n_frames frames, frame f beginning at sample f * hop of `raw`, cut
 * into groups as the framer cuts blocks: at the multiples of `group` within each spectrum
 * of `per_spectrum` frames, `phase` frames of the first one being done before the batch.
 * (A per_spectrum of 2^31 or more counts as endless: no batch may go beyond its end.) Each group's
 * powers are summed in order, in single precision, on chip, and written once as a row.
 *
 * Power: the window given to create carries all scale factors, so a row of one frame
 * is the spectrum of dsp/spectrum.h: natural (shifted) order for complex input, one-sided
 * with doubled inner bins for real input.
 */
#ifndef WEIR_CUDA_SPECTRUM_KERNELS_H
#define WEIR_CUDA_SPECTRUM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/status.h"

/* Sample layouts the kernels read: one channel, little-endian. */
typedef enum weir_gpu_layout {
    WEIR_GPU_U8, /* offset by bias (127.5 or 128) */
    WEIR_GPU_S8,
    WEIR_GPU_S16, /* little-endian                 */
    WEIR_GPU_F32, /* non-finite values read as 0, finite ones within +-WEIR_SAMPLE_LIMIT */
    WEIR_GPU_LAYOUT_COUNT
} weir_gpu_layout;

size_t weir_gpu_sample_bytes(weir_gpu_layout layout, bool is_complex);

/* Powers of two in these bounds have kernels of their own; all other sizes from 2 on share
 * those of spectrum_any.cuh (to 2^28, with prime factors above 13 to 2^23). */
#define WEIR_GPU_MIN_FFT 32u
#define WEIR_GPU_MAX_FFT (1u << 20)

typedef struct weir_gpu_plan weir_gpu_plan;

typedef struct weir_gpu_plan_config {
    size_t n_fft; /* >= 2 */
    weir_gpu_layout layout;
    bool is_complex;
    double bias;          /* of U8                                                   */
    uint32_t clip_codes;  /* integers: so many codes at either end count as clipped  */
    const double *window; /* n_fft coefficients in full-scale units, e.g. w / sum(w) */
    uint32_t max_frames;  /* in a batch, as far as known; 0: any number              */
    bool mirror;          /* I and Q are exchanged: frequencies change sign          */
} weir_gpu_plan_config;

/* For the device that is current. WEIR_ERR_UNSUPPORTED names a size that has no
 * kernel, WEIR_ERR_DEVICE carries CUDA's text, WEIR_ERR_NOMEM what was too large. */
weir_status weir_gpu_plan_create(weir_gpu_plan **out, const weir_gpu_plan_config *config,
                                 weir_error *err);
void weir_gpu_plan_destroy(weir_gpu_plan *plan);
/* Floats in a row: n_fft, or n_fft / 2 + 1 for real input. */
size_t weir_gpu_plan_bins(const weir_gpu_plan *plan);

typedef struct weir_gpu_batch {
    const void *raw;         /* device: first sample of frame 0                             */
    size_t hop;              /* samples from frame to frame                                 */
    uint32_t n_frames;       /* >= 1                                                        */
    uint32_t group;          /* frames per row, at most                                     */
    uint64_t per_spectrum;   /* frames per spectrum, 0: no end                              */
    uint64_t phase;          /* frames of the first spectrum before this batch              */
    bool mean;               /* rows are divided by the frames in them                      */
    const float *frame_mean; /* device, NULL: none; n_frames values (pairs) to subtract     */
    float *rows;             /* device: one per group                                       */
} weir_gpu_batch;

/* How many rows a batch has. */
uint32_t weir_gpu_batch_groups(const weir_gpu_batch *batch);
weir_status weir_gpu_power(const weir_gpu_plan *plan, const weir_gpu_batch *batch, void *stream,
                           weir_error *err);

/* The kernels of spectrum_any.cuh, gone through on the CPU thread by thread: plans, runs one
 * batch in host memory, and forgets. For tests; slow. */
weir_status weir_gpu_rehearse_power(const weir_gpu_plan_config *config, const weir_gpu_batch *batch,
                                    weir_error *err);

/* Mean of each frame (full-scale-free, in units of the samples), for frame_mean. */
weir_status weir_gpu_frame_means(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                                 float *means, void *stream, weir_error *err);

/* Clipped and non-finite samples among those that each group covers first: the last
 * n_new_first samples of the batch's first frame, the last min(hop, n_fft) of the others.
 * counts: two uint32 a group. */
weir_status weir_gpu_count(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                           size_t n_new_first, uint32_t *counts, void *stream, weir_error *err);

/* What is known of an unfinished spectrum, on the device: n_bins each, NULL when not asked for.
 * sum is that of the powers, or the exponential average. */
typedef struct weir_gpu_sums {
    double *sum;
    float *max, *min;
} weir_gpu_sums;

typedef struct weir_gpu_reduction {
    const float *rows; /* n_rows of n_bins, in order                                        */
    uint32_t n_rows;
    size_t n_bins;
    uint32_t rows_per_spectrum; /* 0: no end                                                */
    uint32_t row_phase;         /* rows of the first spectrum before this batch             */
    bool closes;                /* the last one is left to reduce_close: it ends early, be it
                                   within its last row                                       */
    uint64_t per_spectrum;      /* frames: the divisor of the mean                          */
    weir_gpu_sums before;       /* what the rows go on from                                 */
    weir_gpu_sums after;        /* what they leave; not written where nothing is unfinished */
    double alpha;               /* 0: mean; else the exponential average is the sum         */
    bool restart;               /* exponential: the first row replaces the past             */
    float *out[3];              /* device: mean, max, min; n_bins for each finished spectrum */
} weir_gpu_reduction;

weir_status weir_gpu_reduce(const weir_gpu_reduction *reduction, void *stream, weir_error *err);
/* Writes the unfinished spectrum of n_frames frames, as it is in `before`, to out. */
weir_status weir_gpu_reduce_close(const weir_gpu_reduction *reduction, uint64_t n_frames,
                                  void *stream, weir_error *err);

/* ---- the same as nodes of a graph ---- */

/* One kernel, described instead of started. Its arguments point into it: it is used where it
 * was filled in. */
typedef struct weir_gpu_launch {
    void *function; /* NULL: none */
    unsigned blocks[2], threads, shared_bytes;
    void *arguments[2];
    uint64_t values[32];
} weir_gpu_launch;

/* What weir_gpu_power, _count and _reduce would start, if that is one kernel and nothing else;
 * false if not. */
bool weir_gpu_power_launch(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                           weir_gpu_launch *launch);
bool weir_gpu_count_launch(const weir_gpu_plan *plan, const weir_gpu_batch *batch,
                           size_t n_new_first, uint32_t *counts, weir_gpu_launch *launch);
bool weir_gpu_reduce_launch(const weir_gpu_reduction *reduction, weir_gpu_launch *launch);

/* The textbook, for tests and benchmarks only: bit reversal and one radix-2 stage a
 * launch in global memory, unfused. work: 8 * n_fft * n_frames bytes. */
weir_status weir_gpu_textbook(const weir_gpu_plan *plan, const weir_gpu_batch *batch, void *work,
                              void *stream, weir_error *err);

#ifdef __cplusplus
}
#endif

#endif
