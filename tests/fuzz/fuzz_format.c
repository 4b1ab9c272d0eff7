/* Any text as the name of a sample format, and as a name to be shown. */
#include "capture/source.h"
#include "tests/fuzz/in_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    weir_sample_format format = {.channels = 1};
    weir_error err;
    char shown[40];
    if (weir_format_parse(text, &format, &err) == WEIR_OK) {
        fuzz_require(weir_format_stride_bytes(&format) > 0);
    }
    weir_printable(shown, sizeof shown, text);
    for (const char *c = shown; *c; c++) {
        fuzz_require((unsigned char)*c >= ' ' && *c != 0x7f);
    }
    free(text);
    return 0;
}
