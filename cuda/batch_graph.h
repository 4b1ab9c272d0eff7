/* The way of a small batch over the GPU as one CUDA graph: samples up, then power and counting
 * side by side, then the reduction, then results down. Starting it takes one call where streams
 * take six, and CUDA is told only what has changed since the last batch.
 *
 * A graph belongs to a slot of a pipeline (pipeline.h), whose thread alone uses it, and is not
 * started again before its last batch has come back.
 */
#ifndef WEIR_CUDA_BATCH_GRAPH_H
#define WEIR_CUDA_BATCH_GRAPH_H

#include "cuda/spectrum_kernels.h"

typedef struct weir_gpu_copy {
    void *to;
    const void *from;
    size_t bytes; /* 0: none */
} weir_gpu_copy;

enum { WEIR_GPU_UP, WEIR_GPU_DOWN, WEIR_GPU_SUMS_DOWN, WEIR_GPU_COPIES };
enum { WEIR_GPU_POWER, WEIR_GPU_COUNT, WEIR_GPU_REDUCE, WEIR_GPU_KERNELS };

/* What a graph does; power and the copies up and down are always there. Host memory is
 * page-locked. The arguments of kernels point into it: it stays where it was filled in. */
typedef struct weir_gpu_graph_work {
    weir_gpu_copy copies[WEIR_GPU_COPIES];
    weir_gpu_launch kernels[WEIR_GPU_KERNELS]; /* function NULL: none */
} weir_gpu_graph_work;

typedef struct weir_gpu_graph weir_gpu_graph;

/* A graph that has the parts of `work`, and only those, in every batch. Starts nothing. */
weir_status weir_gpu_graph_create(weir_gpu_graph **out, const weir_gpu_graph_work *work,
                                  weir_error *err);
void weir_gpu_graph_destroy(weir_gpu_graph *graph);

/* Puts the batch on the stream (a cudaStream_t). */
weir_status weir_gpu_graph_start(weir_gpu_graph *graph, const weir_gpu_graph_work *work,
                                 void *stream, weir_error *err);

#endif
