/* Any bytes as a configuration file. */
#include "app/config.h"
#include "tests/fuzz/in_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file file = fuzz_file_of(data, size);
    weir_settings settings;
    weir_error err = {0};
    weir_settings_init(&settings);
    weir_status status = weir_config_read(file.path, &settings, &err);
    fuzz_require(status == WEIR_OK || err.text[0] != '\0');
    weir_settings_free(&settings);
    fuzz_file_close(&file);
    return 0;
}
