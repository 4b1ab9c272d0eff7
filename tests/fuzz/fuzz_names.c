/* Any text as a file name. */
#include "capture/names.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    weir_name_facts facts;
    weir_names_parse(text, &facts);
    if (!isfinite(facts.rate_hz) || facts.rate_hz < 0 || isinf(facts.center_hz)) {
        abort();
    }
    free(text);
    return 0;
}
