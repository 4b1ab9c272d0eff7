/* The CUDA runtime's calls of weir_faulty, in a build that has CUDA: each is counted, and the N-th
 * fails (WEIR_FAULT=cuda:N), once or, as a GPU that has gone, from there on (cuda:N+). What fails
 * is not done. A failed launch of a kernel is one that cudaGetLastError tells of. Linked by
 * --wrap: tests/CMakeLists.txt takes the names from the lines that begin with CALL. */
#include "tests/fakes/faults.h"

#include <cuda_runtime_api.h>

#define CALL(name, parameters, arguments)                                                          \
    cudaError_t __real_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        return weir_fault_cuda_is_due() ? cudaErrorLaunchFailure : __real_##name arguments;        \
    }

CALL(cudaSetDevice, (int device), (device))
CALL(cudaGetDevice, (int *device), (device))
CALL(cudaGetDeviceCount, (int *count), (count))
CALL(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
     (value, attribute, device))
CALL(cudaMemGetInfo, (size_t * available, size_t *total), (available, total))
CALL(cudaMalloc, (void **memory, size_t size), (memory, size))
CALL(cudaFree, (void *memory), (memory))
CALL(cudaHostAlloc, (void **memory, size_t size, unsigned flags), (memory, size, flags))
CALL(cudaFreeHost, (void *memory), (memory))
CALL(cudaHostRegister, (void *memory, size_t size, unsigned flags), (memory, size, flags))
CALL(cudaHostUnregister, (void *memory), (memory))
CALL(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
     (to, from, size, kind))
CALL(cudaMemcpyAsync,
     (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, size, kind, stream))
CALL(cudaMemset, (void *memory, int value, size_t size), (memory, value, size))
CALL(cudaMemsetAsync, (void *memory, int value, size_t size, cudaStream_t stream),
     (memory, value, size, stream))
CALL(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
CALL(cudaStreamDestroy, (cudaStream_t stream), (stream))
CALL(cudaStreamSynchronize, (cudaStream_t stream), (stream))
CALL(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
     (stream, event, flags))
CALL(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
CALL(cudaEventDestroy, (cudaEvent_t event), (event))
CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
CALL(cudaEventQuery, (cudaEvent_t event), (event))
CALL(cudaEventSynchronize, (cudaEvent_t event), (event))
CALL(cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attribute, int value),
     (function, attribute, value))
CALL(cudaGetLastError, (void), ())
