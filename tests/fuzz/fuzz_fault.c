/* Any text as the specification of the fault source. It is opened and not read: what it
 * asks for may be to wait. What follows a colon would be a source of its own: cut off. */
#include "capture/source.h"
#include "tests/fuzz/in_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char inner[] = ":synth:ramp";
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
        weir_source_close(source);
    }
    free(argument);
    free(text);
    return 0;
}
