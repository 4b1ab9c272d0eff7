/* Any bytes as a WAV header, of a file and of a pipe. */
#include "capture/riff.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const uint8_t *data, size_t size, uint64_t file_bytes)
{
    weir_riff riff;
    weir_riff_begin(&riff, file_bytes);
    uint64_t last = 0;
    while (riff.want_bytes > 0) {
        if (riff.want_bytes > WEIR_RIFF_MAX_WANT || riff.want_offset < last) {
            abort();
        }
        last = riff.want_offset;
        size_t rest = last < size ? size - (size_t)last : 0;
        size_t got = rest < riff.want_bytes ? rest : riff.want_bytes;
        uint8_t *exact = malloc(got ? got : 1);
        memcpy(exact, data + (got ? last : 0), got);
        weir_status status = weir_riff_feed(&riff, exact, got, NULL);
        free(exact);
        if (status != WEIR_OK) {
            return;
        }
    }
    if (!riff.has_fmt || !riff.has_data || riff.fmt.channels == 0 || riff.fmt.rate_hz == 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    walk(data, size, size);
    walk(data, size, WEIR_RIFF_UNKNOWN);
    return 0;
}
