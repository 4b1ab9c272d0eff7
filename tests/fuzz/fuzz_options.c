/* Any bytes as a command line: words are parted by line ends. Whatever value an option
 * takes reads back as the same. */
#include "app/commands.h"
#include "app/options.h"
#include "tests/fuzz/in_memory.h"

#define MOST_WORDS 16

/* The commands are not linked here; an error only names them. */
void weir_commands_taking(const weir_option *option, char *text, size_t size)
{
    snprintf(text, size, "those of --%s", option->name);
}

static void check_round_trip(const weir_option *option, const weir_settings *settings)
{
    char text[4200], again[4200];
    weir_settings copy;
    weir_error err = {0};
    weir_option_get(option, settings, text, sizeof text);
    if (text[0] == '\0' || strlen(text) + 1 == sizeof text) {
        return; /* not given; or cut, and it may mean something else */
    }
    weir_settings_init(&copy);
    fuzz_require(weir_option_set(option, &copy, text, &err) == WEIR_OK);
    weir_option_get(option, &copy, again, sizeof again);
    fuzz_require(strcmp(text, again) == 0);
    weir_settings_free(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *words[MOST_WORDS + 2] = {(char[]){"weir"}};
    int n = 1, first = 0;
    for (char *rest = text, *word; n <= MOST_WORDS && (word = strsep(&rest, "\n"));) {
        words[n++] = word;
    }
    weir_settings settings;
    weir_error err = {0};
    weir_settings_init(&settings);
    static const weir_option_scope all = {.groups = ~0u};
    int word = weir_options_first_word(n, words, &all);
    fuzz_require(word >= 1 && word <= n);
    if (weir_options_parse(n, words, &all, &settings, &first, &err) == WEIR_OK) {
        const weir_option *option;
        for (size_t i = 0; (option = weir_option_at(i)); i++) {
            check_round_trip(option, &settings);
        }
    } else {
        fuzz_require(err.text[0] != '\0');
    }
    weir_settings_free(&settings);
    free(text);
    return 0;
}
