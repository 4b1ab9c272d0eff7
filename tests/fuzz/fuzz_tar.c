/* Any bytes as an archive: the walk ends, and goes forward. */
#include "capture/tar.h"
#include "tests/fuzz/in_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file file = fuzz_file_of(data, size);
    weir_input *input;
    weir_error err;
    if (size >= 512) {
        weir_tar_is_archive(data, 512);
    }
    if (weir_input_open(&input, file.path, &err) == WEIR_OK) {
        uint64_t offset = 0, before = 0;
        bool found = true;
        while (found) {
            weir_tar_entry entry;
            if (weir_tar_next(input, &offset, &entry, &found, &err) != WEIR_OK) {
                break;
            }
            fuzz_require(!found || offset > before);
            fuzz_require(!found || strlen(entry.name) < sizeof entry.name);
            before = offset;
        }
        weir_input_close(input);
    }
    fuzz_file_close(&file);
    return 0;
}
