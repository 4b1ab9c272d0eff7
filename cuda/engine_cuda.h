/* The CUDA engine: the contract of dsp/engine.h on a GPU.
 *
 * Plain C: no CUDA or C++ type crosses this header. In a build without CUDA
 * (cuda/engine_none.c) create returns WEIR_ERR_UNSUPPORTED and the device list is
 * empty; in a build with it, on a machine without a driver or a device, create
 * returns WEIR_ERR_DEVICE with a clear text. Neither is an abnormal state.
 */
#ifndef WEIR_CUDA_ENGINE_CUDA_H
#define WEIR_CUDA_ENGINE_CUDA_H

#include "dsp/engine.h"

#include <stdbool.h>
#include <stddef.h>

/* The engine takes whole blocks of frames, so the memory that runs are read from must be
 * able to show, unreleased, at least 73728 samples or three transforms, whichever is more,
 * and should hold several times that. Samples are released when their spectra have been
 * delivered: after WEIR_ERR_DEVICE another engine can go on from the first unreleased one.
 * WEIR_ERR_UNSUPPORTED: a size above 2^23 with a prime factor above 13, and IQ correction. */
weir_status weir_engine_cuda_create(weir_engine **out, const weir_engine_config *config,
                                    weir_error *err);

/* Page-locks memory that runs will be read from (a ring's), so that copies to the GPU
 * are asynchronous. Optional; failing is not an error of the engine (it then copies
 * through its own slots). Undo with unpin before the memory is freed. */
weir_status weir_cuda_pin(void *memory, size_t bytes, weir_error *err);
void weir_cuda_unpin(void *memory);

typedef struct weir_cuda_device {
    int number;
    char name[128];
    int compute_major, compute_minor;
    size_t total_bytes, free_bytes;
    unsigned multiprocessors;
} weir_cuda_device;

/* True if this build has CUDA code at all. */
bool weir_cuda_built(void);
/* Number of usable devices (0 without a driver: *err then says why). */
size_t weir_cuda_device_count(weir_error *err);
/* Makes it current for what this thread does without an engine (cuda/fft.h). */
weir_status weir_cuda_use_device(int number, weir_error *err);
weir_status weir_cuda_device_info(int number, weir_cuda_device *device, weir_error *err);
/* Its place on the bus, "0000:01:00.0" (16 bytes do), for gpu_load.h. */
bool weir_cuda_bus_id(int number, char *id, size_t size);

#endif
