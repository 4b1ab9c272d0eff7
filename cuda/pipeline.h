/* The way of a batch over the GPU and back: samples up, kernels, results down, with the
 * transfers of one batch beside the arithmetic of another.
 *
 * A pipeline has a few slots, used in turn. submit puts a batch into the next slot and
 * returns; nothing is allocated and nothing waited for, unless the host's memory is not
 * page-locked (then samples are copied into the slot's own first). A small batch that is alone
 * goes as its slot's graph (batch_graph.h), any other by streams. Samples stay on the
 * device while later frames need them: each crosses the bus once. One thread, one
 * pipeline. Knows nothing of segments and spectra: that is engine_cuda.c's part.
 */
#ifndef WEIR_CUDA_PIPELINE_H
#define WEIR_CUDA_PIPELINE_H

#include "cuda/spectrum_kernels.h"
#include "dsp/format.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR_GPU_SLOTS = 4 };

typedef struct weir_gpu_pipeline weir_gpu_pipeline;

typedef struct weir_gpu_pipeline_config {
    weir_gpu_plan_config plan;
    size_t hop; /* <= n_fft: what is skipped never reaches the device */
    uint32_t group;
    uint64_t per_spectrum;
    unsigned traces;
    double alpha;
    bool detrend;
    bool count;         /* clipped and non-finite samples, on the device      */
    bool direct;        /* a group is a spectrum, and only the mean is wanted */
    size_t max_samples; /* new ones in a batch                         */
    uint32_t max_frames, max_groups, max_spectra; /* in a batch         */
} weir_gpu_pipeline_config;

weir_status weir_gpu_pipeline_create(weir_gpu_pipeline **out,
                                     const weir_gpu_pipeline_config *config, weir_error *err);
void weir_gpu_pipeline_destroy(weir_gpu_pipeline *pipeline);

/* NULL, or why CUDA made no graphs where they would have done; then small batches take longer. */
const char *weir_gpu_pipeline_without_graphs(const weir_gpu_pipeline *pipeline);

/* Where the new samples of a batch come from. */
typedef struct weir_gpu_source {
    const void *samples; /* of all channels, from the first new sample on; frames far
                            apart: from the first sample of the first frame               */
    size_t n_samples;    /* that are new on the device (frames far apart: of each frame)   */
    size_t n_pieces;     /* 1; frames far apart: of them                                   */
    size_t piece_step;   /* samples from one to the next                                   */
    const weir_sample_format *format;
    unsigned channel;
    bool as_is; /* the plan's layout is the format: copy; else unpack to float             */
} weir_gpu_source;

typedef struct weir_gpu_work {
    weir_gpu_source source;
    uint32_t n_frames; /* 0: only close */
    size_t n_kept;     /* samples of the first frame that are on the device already; 0: a new
                          beginning                                                             */
    size_t n_new_first;
    uint64_t phase;        /* frames of the first spectrum done before          */
    uint32_t row_phase;    /* groups of it, likewise; not direct                */
    bool restart;          /* of the exponential average                        */
    uint32_t n_spectra;    /* that will be finished, the closed one included    */
    uint64_t close_frames; /* frames of the spectrum to close at the end, or 0 */
    bool leaves_sums;      /* an unfinished spectrum or an average goes on after it */
} weir_gpu_work;

/* Results of the oldest batch: rows[trace] of n_spectra lines, two counts a group. */
typedef struct weir_gpu_result {
    const float *lines[WEIR_TRACE_COUNT];
    const uint32_t *counts;
} weir_gpu_result;

/* How many batches are on their way; submit needs fewer than WEIR_GPU_SLOTS. */
unsigned weir_gpu_pipeline_in_flight(const weir_gpu_pipeline *pipeline);
weir_status weir_gpu_pipeline_submit(weir_gpu_pipeline *pipeline, const weir_gpu_work *work,
                                     weir_error *err);
/* The oldest batch, if it is done (or waited for). *done false: not yet. The result is
 * valid until retire. */
weir_status weir_gpu_pipeline_poll(weir_gpu_pipeline *pipeline, bool wait, bool *done,
                                   weir_gpu_result *result, weir_error *err);
void weir_gpu_pipeline_retire(weir_gpu_pipeline *pipeline);

/* In the host's memory, what the batch last retired left of the unfinished spectrum (NULL for
 * what was not asked for; anything if it left nothing). Valid until the next retire; a GPU that
 * fails does not take it along. */
weir_gpu_sums weir_gpu_pipeline_sums(const weir_gpu_pipeline *pipeline);

#endif
