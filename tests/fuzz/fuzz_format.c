/* Any text as the name of a sample format, and as a name to be shown; and its bytes as
 * samples of that format. */
#include "capture/source.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

static void unpack(const weir_sample_format *format, const uint8_t *data, size_t size)
{
    size_t n = size / weir_format_stride_bytes(format), parts = format->is_complex ? 2 : 1;
    double *doubles = malloc((n * parts + 1) * sizeof *doubles);
    float *floats = malloc((n * parts + 1) * sizeof *floats);
    weir_sample_counts counts = {0};
    if (doubles && floats) {
        weir_format_unpack(format, 0, data, n, floats);
        weir_format_unpack_f64(format, 0, data, n, doubles);
        weir_format_count(format, 0, data, n, &counts);
        for (size_t i = 0; i < n * parts; i++) {
            fuzz_require(isfinite(doubles[i]) && isfinite(floats[i]));
        }
        fuzz_require(counts.clipped <= n && counts.nonfinite <= n);
    }
    free(doubles);
    free(floats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    weir_sample_format format = {.channels = 1};
    weir_error err;
    char shown[40];
    if (weir_format_parse(text, &format, &err) == WEIR_OK) {
        char name[32];
        fuzz_require(weir_format_stride_bytes(&format) > 0);
        fuzz_require(strlen(weir_format_name(&format, name, sizeof name)) > 1);
        unpack(&format, data, size);
    }
    weir_printable(shown, sizeof shown, text);
    for (const char *c = shown; *c; c++) {
        fuzz_require((unsigned char)*c >= ' ' && *c != 0x7f);
    }
    free(text);
    return 0;
}
