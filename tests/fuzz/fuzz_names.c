/* Any text as a file name. */
#include "capture/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    weir_name_facts facts;
    weir_names_parse(text, &facts);
    if (!isfinite(facts.rate_hz) || facts.rate_hz < 0 || isinf(facts.center_hz)) {
        abort();
    }
    free(text);
    return 0;
}
