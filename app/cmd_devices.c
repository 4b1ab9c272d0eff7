/* weir devices: what this machine has. Nothing found is not an error. */
#include "app/commands.h"
#include "app/device_test.h"
#include "base/text.h"
#include "capture/source.h"
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

static void print_gpus(void)
{
    weir_error why = {0};
    size_t n = weir_cuda_device_count(&why);
    printf("GPUs:\n");
    if (n == 0) {
        printf("  none (%s); the CPU is used\n", why.text[0] ? why.text : "no device");
    }
    for (size_t i = 0; i < n; i++) {
        print_gpu((int)i);
    }
}

/* Names come from the devices: nothing of them may steer the terminal. */
static void print_device(void *user, const char *argument, const char *what, const char *abilities)
{
    char text[3][800];
    ++*(unsigned *)user;
    printf("  %s  (%s)\n", weir_printable(text[0], sizeof text[0], argument),
           weir_printable(text[1], sizeof text[1], what));
    if (abilities[0]) {
        printf("      %s\n", weir_printable(text[2], sizeof text[2], abilities));
    }
}

static void print_devices_of(const weir_source_class *class_)
{
    unsigned n = 0;
    weir_error why = {0};
    if (!class_->devices_title) {
        return;
    }
    printf("%s:\n", class_->devices_title);
    if (!class_->list) {
        printf("  not in this build\n");
    } else if (class_->list(print_device, &n, &why) != WEIR_OK) {
        printf("  none (%s)\n", why.text);
    } else if (n == 0) {
        printf("  none\n");
    }
}

weir_status weir_cmd_devices(const weir_settings *settings, int n_arguments, char **arguments,
                             weir_error *err)
{
    const weir_source_class *class_;
    (void)n_arguments;
    (void)arguments;
    if (settings->test) {
        return weir_device_test(settings, settings->test, err);
    }
    for (size_t i = 0; (class_ = weir_source_class_at(i)); i++) {
        print_devices_of(class_);
    }
    print_gpus();
    return WEIR_OK;
}
