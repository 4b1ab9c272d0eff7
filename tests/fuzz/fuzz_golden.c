/* Any text as a golden result. */
#include "dsp/golden.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_golden golden;
    weir_error err;
    FILE *file = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (file) {
        weir_golden_parse(&golden, file, "fuzz", &err);
        weir_golden_free(&golden);
        fclose(file);
    }
    return 0;
}
