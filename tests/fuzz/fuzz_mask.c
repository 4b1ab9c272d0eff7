/* Any bytes as a limit mask: what is taken for one has limits that can be compared with. */
#include "dsp/mask.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

#define BINS 16

/* Wherever the mask is put on these levels, by the peak or a carrier. */
static void place(uint8_t choice)
{
    static const float levels_db[BINS] = {-90, -INFINITY, -20, -80, -30};
    weir_mask_relative relative = (weir_mask_relative)(choice % 3);
    double carrier_hz = choice & 1 ? NAN : 1e5 * choice;
    weir_mask_shift shift = {.hz = NAN, .db = NAN};
    weir_error err = {0};
    if (weir_mask_place(relative, carrier_hz, levels_db, 0, 1e6, BINS, &shift, &err) == WEIR_OK) {
        fuzz_require(isfinite(shift.hz) && !isnan(shift.db));
    } else {
        fuzz_require(err.text[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    place(data[0] >> 1);
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
