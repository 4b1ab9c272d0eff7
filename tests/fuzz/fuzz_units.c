/* Any text as a number with a unit: nothing but finite values, and written back they are
 * numbers again. */
#include "base/units.h"
#include "capture/utc.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

static void parse_as_everything(const char *text)
{
    double value = 0;
    uint64_t count = 0;
    int64_t time_ns = 0;
    char buffer[64];
    weir_error err;
    if (weir_parse_hz(text, &value, &err) == WEIR_OK) {
        fuzz_require(isfinite(value));
        weir_format_hz(buffer, sizeof buffer, value, fabs(value) / 3);
        weir_format_si(buffer, sizeof buffer, value);
    }
    if (weir_parse_seconds(text, &value, &err) == WEIR_OK) {
        fuzz_require(isfinite(value) && value >= 0);
        weir_format_seconds(buffer, sizeof buffer, value, 1e-3);
    }
    if (weir_parse_db(text, &value, &err) == WEIR_OK) {
        fuzz_require(isfinite(value));
    }
    if (weir_parse_number(text, &value, &err) == WEIR_OK) {
        fuzz_require(isfinite(value));
    }
    if (weir_parse_count(text, &count, &err) == WEIR_OK) {
        uint64_t again = 0;
        snprintf(buffer, sizeof buffer, "%llu", (unsigned long long)count);
        fuzz_require(weir_parse_count(buffer, &again, &err) == WEIR_OK && again == count);
    }
    if (weir_utc_parse(text, &time_ns)) {
        int64_t again = 0;
        weir_format_utc(buffer, sizeof buffer, time_ns, 9);
        fuzz_require(weir_utc_parse(buffer, &again) && again == time_ns);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    parse_as_everything(text);
    free(text);
    return 0;
}
