/* The CUDA runtime's calls of weir_faulty, in a build that has CUDA. Each is counted, and the N-th
 * fails (WEIR_FAULT=cuda:N), once or, as a GPU that has gone, from there on (cuda:N+). What fails
 * is not done.
 *
 * WEIR_FAKE_GPU=1: there is a GPU that does nothing at once: memory is the host's, copies are
 * copies, kernels leave what they should have written as it was. All levels are wrong, and every
 * way through the program that a failing call can take is the same as with a real one.
 *
 * Linked by --wrap: tests/CMakeLists.txt takes the names from the lines that begin with CALL. A
 * call that the program makes and that is not here goes to the real runtime, which has no GPU:
 * test_cuda_faults.py then fails. */
#include "tests/fakes/faults.h"

#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* CALL(name, (parameters), (arguments), what the fake does: an expression that is true if well) */
#define CALL(name, parameters, arguments, fake)                                                    \
    cudaError_t __real_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        if (weir_fault_cuda_is_due()) {                                                            \
            return cudaErrorLaunchFailure;                                                         \
        }                                                                                          \
        if (getenv("WEIR_FAKE_GPU")) {                                                             \
            return (fake) ? cudaSuccess : cudaErrorMemoryAllocation;                               \
        }                                                                                          \
        return __real_##name arguments;                                                            \
    }

static void *not_null = &not_null;

static int attribute_of(enum cudaDeviceAttr attribute)
{
    switch (attribute) { /* an H200's */
    case cudaDevAttrComputeCapabilityMajor:
        return 9;
    case cudaDevAttrMultiProcessorCount:
        return 132;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return 232448;
    default:
        return 0;
    }
}

static int properties_of(struct cudaDeviceProp *properties)
{
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "none, a fake");
    properties->major = 9;
    properties->multiProcessorCount = 132;
    return 1;
}

static int attributes_of(struct cudaPointerAttributes *attributes, const void *memory)
{
    memset(attributes, 0, sizeof *attributes);
    attributes->type = cudaMemoryTypeHost;
    attributes->devicePointer = attributes->hostPointer = (void *)(uintptr_t)memory;
    return 1;
}

static int memory_of(void **memory, size_t size)
{
    *memory = calloc(1, size);
    return *memory != NULL;
}

/* clang-format off */
CALL(cudaSetDevice, (int device), (device), device == 0)
CALL(cudaDeviceSynchronize, (void), (), 1)
CALL(cudaGetDevice, (int *device), (device), (*device = 0, 1))
CALL(cudaGetDeviceCount, (int *count), (count), (*count = 1))
CALL(cudaGetDeviceProperties, (struct cudaDeviceProp *properties, int device), (properties, device),
     properties_of(properties))
CALL(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
     (value, attribute, device), (*value = attribute_of(attribute), 1))
CALL(cudaMemGetInfo, (size_t *available, size_t *total), (available, total),
     (*available = *total = (size_t)1 << 33))
CALL(cudaMalloc, (void **memory, size_t size), (memory, size), memory_of(memory, size))
CALL(cudaFree, (void *memory), (memory), (free(memory), 1))
CALL(cudaHostAlloc, (void **memory, size_t size, unsigned flags), (memory, size, flags),
     memory_of(memory, size))
CALL(cudaFreeHost, (void *memory), (memory), (free(memory), 1))
CALL(cudaHostRegister, (void *memory, size_t size, unsigned flags), (memory, size, flags), 1)
CALL(cudaHostUnregister, (void *memory), (memory), 1)
CALL(cudaPointerGetAttributes, (struct cudaPointerAttributes *attributes, const void *memory),
     (attributes, memory), attributes_of(attributes, memory))
CALL(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
     (to, from, size, kind), memcpy(to, from, size))
CALL(cudaMemcpyAsync,
     (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, size, kind, stream), memcpy(to, from, size))
CALL(cudaMemset, (void *memory, int value, size_t size), (memory, value, size),
     memset(memory, value, size))
CALL(cudaMemsetAsync, (void *memory, int value, size_t size, cudaStream_t stream),
     (memory, value, size, stream), memset(memory, value, size))
CALL(cudaStreamCreateWithFlags, (cudaStream_t *stream, unsigned flags), (stream, flags),
     (*stream = not_null))
CALL(cudaStreamDestroy, (cudaStream_t stream), (stream), 1)
CALL(cudaStreamSynchronize, (cudaStream_t stream), (stream), 1)
CALL(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
     (stream, event, flags), 1)
CALL(cudaEventCreateWithFlags, (cudaEvent_t *event, unsigned flags), (event, flags),
     (*event = not_null))
CALL(cudaEventDestroy, (cudaEvent_t event), (event), 1)
CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream), 1)
CALL(cudaEventQuery, (cudaEvent_t event), (event), 1)
CALL(cudaEventSynchronize, (cudaEvent_t event), (event), 1)
CALL(cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attribute, int value),
     (function, attribute, value), 1)
CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, const void *function, int threads, size_t shared),
     (blocks, function, threads, shared), (*blocks = 1))
CALL(cudaOccupancyMaxActiveClusters,
     (int *clusters, const void *function, const cudaLaunchConfig_t *config),
     (clusters, function, config), (*clusters = 1))
CALL(cudaLaunchKernelExC,
     (const cudaLaunchConfig_t *config, const void *function, void **arguments),
     (config, function, arguments), 1)
#if CUDART_VERSION >= 13000
CALL(__cudaGetKernel, (cudaKernel_t *kernel, const void *function), (kernel, function),
     (*kernel = not_null))
CALL(__cudaLaunchKernel,
     (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
      cudaStream_t stream), (kernel, grid, block, arguments, shared, stream), 1)
#else
CALL(cudaLaunchKernel,
     (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
      cudaStream_t stream), (function, grid, block, arguments, shared, stream), 1)
#endif
CALL(cudaGraphCreate, (cudaGraph_t *graph, unsigned flags), (graph, flags), (*graph = not_null))
CALL(cudaGraphDestroy, (cudaGraph_t graph), (graph), 1)
CALL(cudaGraphAddKernelNode,
     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n_after,
      const struct cudaKernelNodeParams *params), (node, graph, after, n_after, params),
     (*node = not_null))
CALL(cudaGraphAddMemcpyNode1D,
     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n_after,
      void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
     (node, graph, after, n_after, to, from, size, kind), (*node = not_null))
CALL(cudaGraphInstantiateWithFlags,
     (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags), (exec, graph, flags),
     (*exec = not_null))
CALL(cudaGraphExecDestroy, (cudaGraphExec_t exec), (exec), 1)
CALL(cudaGraphExecKernelNodeSetParams,
     (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params),
     (exec, node, params), 1)
CALL(cudaGraphExecMemcpyNodeSetParams1D,
     (cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t size,
      enum cudaMemcpyKind kind), (exec, node, to, from, size, kind), 1)
CALL(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream), 1)
CALL(cudaGetLastError, (void), (), 1)
/* clang-format on */
