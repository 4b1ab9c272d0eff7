/* Memory that lives as long as a plan: on the device, or for rehearsals on the host. */
#ifndef WEIR_CUDA_PLAN_MEMORY_CUH
#define WEIR_CUDA_PLAN_MEMORY_CUH

#include "cuda/fft_tables.cuh"

#include <new>
#include <stdlib.h>
#include <string.h>
#include <vector>

extern "C" {
#include "base/status.h"
}

namespace weir_fft {

/* CUDA's own text for a failed call: WEIR_OK, WEIR_ERR_NOMEM or WEIR_ERR_DEVICE. */
inline weir_status cuda_status(cudaError_t result, const char *what, weir_error *err)
{
    if (result == cudaSuccess) {
        return WEIR_OK;
    }
    (void)cudaGetLastError(); /* dealt with: no later launch is to blame */
    const weir_status status =
        result == cudaErrorMemoryAllocation ? WEIR_ERR_NOMEM : WEIR_ERR_DEVICE;
    return weir_fail(err, status, "CUDA, %s: %s", what, cudaGetErrorString(result));
}

/* What `build` says; WEIR_ERR_NOMEM if a vector in it found no memory. C callers do not know
 * of exceptions. */
template <class BUILD>
inline weir_status or_no_memory(const BUILD &build, const char *what, weir_error *err)
{
    try {
        return build();
    } catch (const std::bad_alloc &) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %s", what);
    }
}

struct plan_memory {
    bool on_host;
    std::vector<void *> parts;

    explicit plan_memory(bool host) : on_host(host)
    {
    }
    plan_memory(const plan_memory &) = delete;
    plan_memory &operator=(const plan_memory &) = delete;
    ~plan_memory()
    {
        for (void *part : parts) {
            release(part);
        }
    }

    void release(void *part) const
    {
        if (on_host) {
            free(part);
        } else {
            cudaFree(part);
        }
    }

    /* Room for count values, at least one. */
    template <class T> weir_status keep(size_t count, T **kept, const char *what, weir_error *err)
    {
        const size_t bytes = (count > 0 ? count : 1) * sizeof(T);
        void *memory = nullptr;
        weir_status status = WEIR_OK;
        if (!on_host) {
            status = cuda_status(cudaMalloc(&memory, bytes), what, err);
        } else if (!(memory = malloc(bytes))) {
            status = weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %s", what);
        }
        if (!status) {
            const auto remember = [&] {
                parts.push_back(memory);
                return WEIR_OK;
            };
            status = or_no_memory(remember, what, err);
        }
        if (status && memory) {
            release(memory);
            memory = nullptr;
        }
        *kept = static_cast<T *>(memory);
        return status;
    }

    template <class T>
    weir_status keep_copy(const std::vector<T> &values, const T **kept, weir_error *err)
    {
        T *memory = nullptr;
        const size_t bytes = values.size() * sizeof(T);
        const weir_status status = keep(values.size(), &memory, "tables", err);
        *kept = memory;
        if (status || bytes == 0) {
            return status;
        }
        if (on_host) {
            memcpy(memory, values.data(), bytes);
            return WEIR_OK;
        }
        return cuda_status(cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice),
                           "tables", err);
    }

    weir_status keep_table(const table_job &job, const float2 **kept, weir_error *err)
    {
        std::vector<float2> values(job.count);
        for (size_t i = 0; i < job.count; i++) {
            values[i] = table_value(job, i);
        }
        return keep_copy(values, kept, err);
    }
};

/* Bytes of shared memory that a block may have; on the host as on Hopper. */
inline weir_status shared_limit(bool on_host, size_t *bytes, weir_error *err)
{
    int device = 0, limit = 227 * 1024;
    weir_status status = WEIR_OK;
    if (!on_host) {
        status = cuda_status(cudaGetDevice(&device), "asking the device", err);
        if (!status) {
            status = cuda_status(
                cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                "asking the device", err);
        }
    }
    *bytes = (size_t)limit;
    return status;
}

} /* namespace weir_fft */

#endif
