/* Any bytes as a calibration curve; the first chooses what kind it is taken for. */
#include "dsp/curve.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    fuzz_file file = fuzz_file_of(data + 1, size - 1);
    weir_curve curve;
    weir_error err;
    double factor_db;
    weir_curve_kind kind = (weir_curve_kind)(data[0] % 3);
    if (weir_curve_load(file.path, kind, &curve, &factor_db, &err) == WEIR_OK) {
        fuzz_require(!isnan(weir_curve_db(&curve, 0)));
        fuzz_require(!isnan(weir_curve_db(&curve, 1000)));
    }
    weir_curve_free(&curve);
    fuzz_file_close(&file);
    return 0;
}
