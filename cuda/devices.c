/* The devices there are, and page-locking. */
#include "cuda/engine_cuda.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

bool weir_cuda_built(void)
{
    return true;
}

size_t weir_cuda_device_count(weir_error *err)
{
    int n = 0;
    cudaError_t result = cudaGetDeviceCount(&n);
    if (result != cudaSuccess || n <= 0) {
        (void)cudaGetLastError(); /* or the next call would report it again */
        (void)weir_fail(err, WEIR_ERR_DEVICE, "no CUDA device: %s",
                        result == cudaSuccess ? "the driver shows none"
                                              : cudaGetErrorString(result));
        return 0;
    }
    return (size_t)n;
}

static weir_status check_number(int number, weir_error *err)
{
    size_t n = weir_cuda_device_count(err);
    if (n == 0) {
        return WEIR_ERR_DEVICE;
    }
    if (number < 0 || (size_t)number >= n) {
        return weir_fail(err, WEIR_ERR_DEVICE, "no CUDA device %d: there are %zu, from 0", number,
                         n);
    }
    return WEIR_OK;
}

weir_status weir_cuda_use_device(int number, weir_error *err)
{
    weir_status status = check_number(number, err);
    cudaError_t result = status ? cudaSuccess : cudaSetDevice(number);
    if (result != cudaSuccess) {
        (void)cudaGetLastError();
        return weir_fail(err, WEIR_ERR_DEVICE, "CUDA device %d: %s", number,
                         cudaGetErrorString(result));
    }
    return status;
}

weir_status weir_cuda_device_info(int number, weir_cuda_device *device, weir_error *err)
{
    weir_status status = check_number(number, err);
    if (status) {
        return status;
    }
    struct cudaDeviceProp p;
    cudaError_t result = cudaGetDeviceProperties(&p, number);
    if (result == cudaSuccess) {
        result = cudaSetDevice(number);
    }
    size_t free_bytes = 0, total_bytes = 0;
    if (result == cudaSuccess) {
        result = cudaMemGetInfo(&free_bytes, &total_bytes);
    }
    if (result != cudaSuccess) {
        (void)cudaGetLastError();
        return weir_fail(err, WEIR_ERR_DEVICE, "CUDA device %d: %s", number,
                         cudaGetErrorString(result));
    }
    *device = (weir_cuda_device){
        .number = number,
        .compute_major = p.major,
        .compute_minor = p.minor,
        .total_bytes = total_bytes,
        .free_bytes = free_bytes,
        .multiprocessors = (unsigned)p.multiProcessorCount,
    };
    snprintf(device->name, sizeof device->name, "%s", p.name);
    return WEIR_OK;
}

bool weir_cuda_bus_id(int number, char *id, size_t size)
{
    if (cudaDeviceGetPCIBusId(id, (int)size, number) == cudaSuccess) {
        return true;
    }
    (void)cudaGetLastError();
    return false;
}

weir_status weir_cuda_pin(void *memory, size_t bytes, weir_error *err)
{
    cudaError_t result = cudaHostRegister(memory, bytes, cudaHostRegisterPortable);
    if (result != cudaSuccess) {
        (void)cudaGetLastError();
        return weir_fail(err, WEIR_ERR_DEVICE, "cannot page-lock %zu bytes for the GPU: %s", bytes,
                         cudaGetErrorString(result));
    }
    return WEIR_OK;
}

void weir_cuda_unpin(void *memory)
{
    (void)cudaHostUnregister(memory);
    (void)cudaGetLastError();
}
