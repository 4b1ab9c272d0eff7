/* The driver's management library, for the tests: one GPU, whose load is what FAKE_NVML says in
 * percent; "init" or "device": that call fails; "none": it does not tell. */
#include <stdlib.h>
#include <string.h>

typedef struct nvml_device *nvml_handle;
struct nvml_device {
    int users;
};
typedef struct nvml_utilization {
    unsigned gpu, memory;
} nvml_utilization;

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvml_handle *device);
int nvmlDeviceGetUtilizationRates(nvml_handle device, nvml_utilization *utilization);

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, DRIVER_NOT_LOADED = 9 };
static struct nvml_device gpu;

static const char *wish(void)
{
    const char *text = getenv("FAKE_NVML");
    return text ? text : "0";
}

int nvmlInit_v2(void)
{
    return strcmp(wish(), "init") == 0 ? DRIVER_NOT_LOADED : SUCCESS;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvml_handle *device)
{
    if (strcmp(wish(), "device") == 0 || strcmp(bus_id, "0000:01:00.0") != 0) {
        return NOT_FOUND;
    }
    *device = &gpu;
    return SUCCESS;
}

int nvmlDeviceGetUtilizationRates(nvml_handle device, nvml_utilization *utilization)
{
    if (device != &gpu || strcmp(wish(), "none") == 0) {
        return NOT_SUPPORTED;
    }
    utilization->gpu = (unsigned)atoi(wish());
    utilization->memory = 1;
    return SUCCESS;
}
