/* Any bytes as an SDRangel recording: its header has no magic number, so the reader is
 * asked for by itself. */
#include "base/log.h"
#include "capture/file_reader.h"
#include "tests/fuzz/in_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file memory = fuzz_file_of(data, size);
    weir_file file = {.reader = &weir_reader_sdriq, .path = memory.path};
    weir_source_options options;
    weir_error err;
    weir_log_set_level(WEIR_LOG_ERROR);
    weir_source_options_init(&options);
    snprintf(file.base.info.name, sizeof file.base.info.name, "fuzz");
    if (weir_input_open(&file.input, memory.path, &err) == WEIR_OK) {
        const uint8_t *head;
        size_t got;
        if (weir_input_peek(file.input, WEIR_FILE_HEAD_BYTES, &head, &got, &err) == WEIR_OK) {
            file.reader->probe(&file, head, got);
        }
        if (file.reader->open(&file, &options, &err) == WEIR_OK) {
            fuzz_require(file.base.info.rate_hz > 0);
        }
        if (file.reader->close) {
            file.reader->close(&file);
        }
        weir_stored_destroy(file.stored);
        weir_input_close(file.input);
    }
    fuzz_file_close(&memory);
    return 0;
}
