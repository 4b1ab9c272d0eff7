#include "cuda/gpu_load.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/* As nvml.h (NVML API Reference, "Device Queries") has them; the header is not in every toolkit. */
typedef struct nvml_device *nvml_handle;
typedef struct nvml_utilization {
    unsigned gpu, memory; /* percent */
} nvml_utilization;
enum { NVML_SUCCESS = 0 };

struct weir_gpu_load {
    void *library;
    nvml_handle device;
    int (*shutdown)(void);
    int (*utilization)(nvml_handle device, nvml_utilization *utilization);
};

/* A function's address, in the way that POSIX gives for it. */
static bool find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    return *(void **)function != NULL;
}

static bool start(weir_gpu_load *load, const char *bus_id)
{
    int (*init)(void);
    int (*by_bus_id)(const char *bus_id, nvml_handle *device);
    if (!find(load->library, "nvmlInit_v2", &init) ||
        !find(load->library, "nvmlDeviceGetHandleByPciBusId_v2", &by_bus_id) ||
        !find(load->library, "nvmlDeviceGetUtilizationRates", &load->utilization) ||
        !find(load->library, "nvmlShutdown", &load->shutdown) || init() != NVML_SUCCESS) {
        return false;
    }
    if (by_bus_id(bus_id, &load->device) != NVML_SUCCESS) {
        (void)load->shutdown();
        return false;
    }
    return true;
}

weir_gpu_load *weir_gpu_load_open(const char *bus_id)
{
    weir_gpu_load *load = calloc(1, sizeof *load);
    if (!load) {
        return NULL;
    }
    load->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!load->library || !start(load, bus_id)) {
        if (load->library) {
            dlclose(load->library);
        }
        free(load);
        return NULL;
    }
    return load;
}

double weir_gpu_load_share(const weir_gpu_load *load)
{
    nvml_utilization now = {0, 0};
    return load->utilization(load->device, &now) == NVML_SUCCESS ? now.gpu / 100.0 : -1;
}

void weir_gpu_load_close(weir_gpu_load *load)
{
    if (load) {
        (void)load->shutdown();
        dlclose(load->library);
        free(load);
    }
}
