/* Any bytes as a configuration file. What is understood is printed as a file that says
 * the same. */
#include "app/config.h"
#include "tests/fuzz/in_memory.h"

/* The dump goes to standard output, wherever that leads. */
static char *dump(const weir_settings *settings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *usual = stdout;
    stdout = open_memstream(&text, &size);
    fuzz_require(stdout != NULL);
    weir_config_dump(settings);
    fclose(stdout);
    stdout = usual;
    return text;
}

static void check_round_trip(const weir_settings *settings)
{
    char *text = dump(settings);
    fuzz_file file = fuzz_file_of((const uint8_t *)text, strlen(text));
    weir_settings again;
    weir_error err = {0};
    weir_settings_init(&again);
    fuzz_require(weir_config_read(file.path, &again, &err) == WEIR_OK);
    char *same = dump(&again);
    fuzz_require(strcmp(text, same) == 0);
    weir_settings_free(&again);
    fuzz_file_close(&file);
    free(same);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file file = fuzz_file_of(data, size);
    weir_settings settings;
    weir_error err = {0};
    weir_settings_init(&settings);
    weir_status status = weir_config_read(file.path, &settings, &err);
    fuzz_require(status == WEIR_OK || err.text[0] != '\0');
    if (status == WEIR_OK) {
        check_round_trip(&settings);
    }
    weir_settings_free(&settings);
    fuzz_file_close(&file);
    return 0;
}
