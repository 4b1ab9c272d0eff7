/* weir devices: what this machine has. Nothing found is not an error. */
#include "app/commands.h"
#include "base/text.h"
#include "cuda/engine_cuda.h"

#include <stdio.h>

static void print_gpu(int number)
{
    weir_cuda_device device;
    weir_error err = {0};
    if (weir_cuda_device_info(number, &device, &err) != WEIR_OK) {
        printf("  %d: %s\n", number, err.text);
        return;
    }
    char memory[64];
    weir_snprintf(memory, sizeof memory, "%.1f of %.1f GB free", (double)device.free_bytes * 1e-9,
                  (double)device.total_bytes * 1e-9);
    printf("  %d: %s, compute %d.%d, %u multiprocessors, %s\n", number, device.name,
           device.compute_major, device.compute_minor, device.multiprocessors, memory);
}

weir_status weir_cmd_devices(const weir_settings *settings, int n_arguments, char **arguments,
                             weir_error *err)
{
    (void)settings;
    (void)n_arguments;
    (void)arguments;
    (void)err;
    weir_error why = {0};
    size_t n = weir_cuda_device_count(&why);
    printf("GPUs:\n");
    if (n == 0) {
        printf("  none (%s); the CPU is used\n", why.text[0] ? why.text : "no device");
    }
    for (size_t i = 0; i < n; i++) {
        print_gpu((int)i);
    }
    return WEIR_OK;
}
