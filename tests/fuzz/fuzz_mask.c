/* Any text as a limit mask, and what it allows at some bins. */
#include "dsp/mask.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { N = 64 };
    float low[N], high[N];
    weir_mask mask;
    weir_error err;
    weir_mask_shift shift = {1, -1};
    if (size < 2) {
        return 0;
    }
    FILE *file = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    if (file && weir_mask_parse(&mask, file, "fuzz", data[0] & 1, &err) == WEIR_OK) {
        double first = mask.hz[0], last = mask.hz[mask.n_points - 1];
        double step = fmax((last - first) / N, 1);
        weir_mask_limits(&mask, &shift, first, step, N, low, high);
        for (int i = 0; i < N; i++) { /* limits never cross, and are never NaN */
            if (!(low[i] <= high[i])) {
                abort();
            }
        }
    }
    if (file) {
        weir_mask_free(&mask);
        fclose(file);
    }
    return 0;
}
