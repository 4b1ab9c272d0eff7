/* Any bytes as channel names: what is taken for a list is in order, and every name that a frequency
 * gets has it within its band. */
#include "display/labels.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file memory = fuzz_file_of(data, size);
    weir_labels labels = {0};
    weir_error err = {0};
    if (weir_labels_load(&labels, memory.path, &err) == WEIR_OK) {
        for (size_t i = 0; i < labels.n; i++) {
            const weir_label *row = &labels.rows[i];
            fuzz_require(isfinite(row->low_hz) && isfinite(row->high_hz) && row->name[0] != '\0');
            fuzz_require(row->low_hz <= row->high_hz);
            fuzz_require(i == 0 || labels.rows[i - 1].low_hz <= row->low_hz);
            const weir_label *found = weir_labels_at(&labels, row->low_hz, 0.0);
            fuzz_require(found && found->low_hz <= row->low_hz && found->high_hz >= row->low_hz);
        }
    } else {
        fuzz_require(err.text[0] != '\0' && labels.n == 0);
    }
    weir_labels_free(&labels);
    fuzz_file_close(&memory);
    return 0;
}
