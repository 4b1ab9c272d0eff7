/* Any text as a golden result. What is understood is written as one that reads as the same. */
#include "base/outfile.h"
#include "dsp/golden.h"
#include "tests/fuzz/in_memory.h"

static void check_round_trip(const weir_golden *golden)
{
    char path[64], text[256];
    weir_outfile *file;
    weir_golden again;
    weir_error err;
    snprintf(path, sizeof path, "/tmp/weir-fuzz-%ld.golden", (long)getpid());
    fuzz_require(weir_outfile_open(&file, path, false, &err) == WEIR_OK);
    fuzz_require(weir_golden_write(golden, file, &err) == WEIR_OK);
    fuzz_require(weir_outfile_finish(file, &err) == WEIR_OK);
    weir_outfile_destroy(file);
    fuzz_require(weir_golden_read(&again, path, &err) == WEIR_OK);
    fuzz_require(!weir_golden_settings_differ(golden, &again, text, sizeof text));
    fuzz_require(again.n_bins == golden->n_bins);
    weir_golden_count count;
    for (size_t i = 0; weir_golden_count_at(golden, &again, i, &count); i++) {
        fuzz_require(count.golden == count.measured);
    }
    again.n_fft++; /* a setting: they cannot be compared, and it says why */
    fuzz_require(weir_golden_settings_differ(golden, &again, text, sizeof text));
    fuzz_require(strstr(text, "n_fft") || strstr(text, " is "));
    weir_golden_free(&again);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_golden golden;
    weir_error err;
    FILE *file = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (file) {
        if (weir_golden_parse(&golden, file, "fuzz", &err) == WEIR_OK) {
            check_round_trip(&golden);
        }
        weir_golden_free(&golden);
        fclose(file);
    }
    return 0;
}
