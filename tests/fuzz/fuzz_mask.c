/* Any bytes as a limit mask: what is taken for one has limits that can be compared with. */
#include "dsp/mask.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

#define BINS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    fuzz_file memory = fuzz_file_of(data + 1, size - 1);
    weir_mask mask;
    weir_error err = {0};
    if (weir_mask_load(&mask, memory.path, data[0] & 1, &err) == WEIR_OK) {
        float lower[BINS], upper[BINS];
        weir_mask_shift shift = {.hz = 0, .db = 3};
        size_t n = weir_mask_limits(&mask, &shift, 0, 1e6, BINS, lower, upper);
        fuzz_require(n <= BINS && mask.n_points >= 2);
        for (size_t i = 0; i < BINS; i++) {
            fuzz_require(!isnan(lower[i]) && !isnan(upper[i]));
        }
    } else {
        fuzz_require(err.text[0] != '\0');
    }
    weir_mask_free(&mask);
    fuzz_file_close(&memory);
    return 0;
}
