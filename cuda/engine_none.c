/* The CUDA interface in a build without CUDA. */
#include "cuda/engine_cuda.h"

weir_status weir_engine_cuda_create(weir_engine **out, const weir_engine_config *config,
                                    weir_error *err)
{
    (void)config;
    *out = NULL;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "this build has no CUDA engine; use --engine cpu, or build with "
                     "-DWEIR_CUDA=ON");
}

weir_status weir_cuda_pin(void *memory, size_t bytes, weir_error *err)
{
    (void)memory;
    (void)bytes;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED, "this build has no CUDA");
}

void weir_cuda_unpin(void *memory)
{
    (void)memory;
}

bool weir_cuda_built(void)
{
    return false;
}

size_t weir_cuda_device_count(weir_error *err)
{
    (void)weir_fail(err, WEIR_ERR_UNSUPPORTED, "this build has no CUDA");
    return 0;
}

weir_status weir_cuda_use_device(int number, weir_error *err)
{
    (void)number;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "this build has no CUDA; use --engine cpu, or build with -DWEIR_CUDA=ON");
}

bool weir_cuda_bus_id(int number, char *id, size_t size)
{
    (void)number, (void)id, (void)size;
    return false;
}

weir_status weir_cuda_device_info(int number, weir_cuda_device *device, weir_error *err)
{
    (void)device;
    return weir_fail(err, WEIR_ERR_DEVICE, "no CUDA device %d: this build has no CUDA", number);
}
