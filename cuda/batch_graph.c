#include "cuda/batch_graph.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

struct weir_gpu_graph {
    cudaGraph_t graph; /* its nodes are named in updates */
    cudaGraphExec_t exec;
    cudaGraphNode_t copies[WEIR_GPU_COPIES], kernels[WEIR_GPU_KERNELS]; /* NULL: none */
    weir_gpu_copy last[WEIR_GPU_COPIES];
};

static const enum cudaMemcpyKind directions[WEIR_GPU_COPIES] = {
    cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToHost};

static weir_status check(cudaError_t result, const char *what, weir_error *err)
{
    if (result == cudaSuccess) {
        return WEIR_OK;
    }
    (void)cudaGetLastError(); /* dealt with: no later launch is to blame */
    return weir_fail(err, result == cudaErrorMemoryAllocation ? WEIR_ERR_NOMEM : WEIR_ERR_DEVICE,
                     "CUDA, %s: %s", what, cudaGetErrorString(result));
}

static struct cudaKernelNodeParams node_params(const weir_gpu_launch *launch)
{
    return (struct cudaKernelNodeParams){
        .func = launch->function,
        .gridDim = {launch->blocks[0], launch->blocks[1], 1},
        .blockDim = {launch->threads, 1, 1},
        .sharedMemBytes = launch->shared_bytes,
        .kernelParams = (void **)launch->arguments,
    };
}

/* ---- create ---- */

/* After one node, or two, or (NULL) none. */
typedef struct dependencies {
    cudaGraphNode_t nodes[2];
} dependencies;

static size_t count_of(const dependencies *d)
{
    return d->nodes[0] == NULL ? 0 : d->nodes[1] == NULL ? 1 : 2;
}

static cudaError_t add_kernel(weir_gpu_graph *g, const weir_gpu_graph_work *work, int which,
                              dependencies after)
{
    if (!work->kernels[which].function) {
        return cudaSuccess;
    }
    const struct cudaKernelNodeParams params = node_params(&work->kernels[which]);
    return cudaGraphAddKernelNode(&g->kernels[which], g->graph, after.nodes, count_of(&after),
                                  &params);
}

static cudaError_t add_copy(weir_gpu_graph *g, const weir_gpu_graph_work *work, int which,
                            dependencies after)
{
    const weir_gpu_copy *copy = &work->copies[which];
    if (copy->bytes == 0) {
        return cudaSuccess;
    }
    g->last[which] = *copy;
    return cudaGraphAddMemcpyNode1D(&g->copies[which], g->graph, after.nodes, count_of(&after),
                                    copy->to, copy->from, copy->bytes, directions[which]);
}

static cudaError_t add_nodes(weir_gpu_graph *g, const weir_gpu_graph_work *work)
{
    cudaError_t result = add_copy(g, work, WEIR_GPU_UP, (dependencies){{NULL, NULL}});
    const dependencies samples = {{g->copies[WEIR_GPU_UP], NULL}};
    if (result == cudaSuccess) {
        result = add_kernel(g, work, WEIR_GPU_POWER, samples);
    }
    if (result == cudaSuccess) {
        result = add_kernel(g, work, WEIR_GPU_COUNT, samples);
    }
    if (result == cudaSuccess) {
        result = add_kernel(g, work, WEIR_GPU_REDUCE,
                            (dependencies){{g->kernels[WEIR_GPU_POWER], NULL}});
    }
    const bool reduces = g->kernels[WEIR_GPU_REDUCE] != NULL;
    cudaGraphNode_t lines = g->kernels[reduces ? WEIR_GPU_REDUCE : WEIR_GPU_POWER];
    if (result == cudaSuccess) {
        result =
            add_copy(g, work, WEIR_GPU_DOWN, (dependencies){{lines, g->kernels[WEIR_GPU_COUNT]}});
    }
    if (result == cudaSuccess) {
        result = add_copy(g, work, WEIR_GPU_SUMS_DOWN, (dependencies){{lines, NULL}});
    }
    return result;
}

weir_status weir_gpu_graph_create(weir_gpu_graph **out, const weir_gpu_graph_work *work,
                                  weir_error *err)
{
    *out = NULL;
    weir_gpu_graph *g = calloc(1, sizeof *g);
    if (!g) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a graph");
    }
    cudaError_t result = cudaGraphCreate(&g->graph, 0);
    if (result == cudaSuccess) {
        result = add_nodes(g, work);
    }
    if (result == cudaSuccess) {
        result = cudaGraphInstantiateWithFlags(&g->exec, g->graph, 0);
    }
    if (result != cudaSuccess) {
        weir_gpu_graph_destroy(g);
        return check(result, "making a graph", err);
    }
    *out = g;
    return WEIR_OK;
}

void weir_gpu_graph_destroy(weir_gpu_graph *g)
{
    if (!g) {
        return;
    }
    if (g->exec) {
        cudaGraphExecDestroy(g->exec);
    }
    if (g->graph) {
        cudaGraphDestroy(g->graph);
    }
    free(g);
}

/* ---- start ---- */

static cudaError_t update_kernel(const weir_gpu_graph *g, const weir_gpu_graph_work *work,
                                 int which)
{
    if (!g->kernels[which]) {
        return cudaSuccess;
    }
    const struct cudaKernelNodeParams params = node_params(&work->kernels[which]);
    return cudaGraphExecKernelNodeSetParams(g->exec, g->kernels[which], &params);
}

static cudaError_t update_copy(weir_gpu_graph *g, const weir_gpu_graph_work *work, int which)
{
    const weir_gpu_copy *copy = &work->copies[which], *last = &g->last[which];
    const bool same =
        copy->to == last->to && copy->from == last->from && copy->bytes == last->bytes;
    if (!g->copies[which] || same) {
        return cudaSuccess;
    }
    g->last[which] = *copy;
    return cudaGraphExecMemcpyNodeSetParams1D(g->exec, g->copies[which], copy->to, copy->from,
                                              copy->bytes, directions[which]);
}

weir_status weir_gpu_graph_start(weir_gpu_graph *g, const weir_gpu_graph_work *work, void *stream,
                                 weir_error *err)
{
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < WEIR_GPU_KERNELS && result == cudaSuccess; i++) {
        result = update_kernel(g, work, i);
    }
    for (int i = 0; i < WEIR_GPU_COPIES && result == cudaSuccess; i++) {
        result = update_copy(g, work, i);
    }
    if (result == cudaSuccess) {
        result = cudaGraphLaunch(g->exec, stream);
    }
    return check(result, "starting a graph", err);
}
