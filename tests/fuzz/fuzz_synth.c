/* Any text as a recipe for the synthesizer, and a few of its samples. */
#include "capture/source.h"
#include "tests/fuzz/in_memory.h"

#define SAMPLES 32

static void read_some(weir_source *source)
{
    size_t stride = weir_format_stride_bytes(&source->info.format);
    void *memory = malloc(SAMPLES * stride);
    weir_error err;
    for (int i = 0; memory && i < 4; i++) {
        weir_read read = {0};
        if (source->class_->read(source, memory, SAMPLES, &read, &err) != WEIR_OK ||
            read.n_samples == 0) {
            break;
        }
        fuzz_require(read.n_samples <= SAMPLES);
    }
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *recipe = fuzz_text(data, size);
    char *argument = malloc(size + sizeof "synth:");
    weir_source_options options;
    weir_source *source;
    weir_error err;
    weir_source_options_init(&options);
    if (!argument) {
        abort();
    }
    snprintf(argument, size + sizeof "synth:", "synth:%s", recipe);
    if (weir_source_open(&source, argument, &options, &err) == WEIR_OK) {
        read_some(source);
        weir_source_close(source);
    }
    free(argument);
    free(recipe);
    return 0;
}
