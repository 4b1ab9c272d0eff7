/* Any text as the specification of the fault source. It is read only if it does not ask
 * to wait. What follows a colon would be a source of its own: cut off. */
#include "capture/source.h"
#include "tests/fuzz/in_memory.h"

static void read_some(weir_source *source)
{
    uint8_t samples[200]; /* of two bytes each */
    weir_error err;
    for (int i = 0; i < 20; i++) {
        weir_read read = {0};
        if (source->class_->read(source, samples, 100, &read, &err) != WEIR_OK ||
            read.n_samples == 0) {
            break;
        }
        fuzz_require(read.n_samples <= 100);
    }
    if (source->class_->seek(source, 50, &err) == WEIR_OK) {
        weir_read read = {0};
        source->class_->read(source, samples, 100, &read, &err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char inner[] = ":synth:ramp,format=cu8,rate=1k,seconds=1";
    char *text = fuzz_text(data, size);
    text[strcspn(text, ":")] = '\0';
    size_t length = strlen(text) + sizeof "fault:" + sizeof inner;
    char *argument = malloc(length);
    weir_source_options options;
    weir_source *source;
    weir_error err;
    weir_source_options_init(&options);
    if (!argument) {
        abort();
    }
    snprintf(argument, length, "fault:%s%s", text, inner);
    if (weir_source_open(&source, argument, &options, &err) == WEIR_OK) {
        if (!strstr(text, "delay") && !strstr(text, "stall") && !strstr(text, "live")) {
            read_some(source);
        }
        weir_source_close(source);
    }
    free(argument);
    free(text);
    return 0;
}
