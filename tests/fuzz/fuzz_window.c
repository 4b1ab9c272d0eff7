/* Any text as a window's name and parameter, then the window itself. */
#include "dsp/window.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

static void fill(const weir_window *window, double parameter, size_t n)
{
    weir_error err;
    double *coefficients = malloc(n * sizeof *coefficients);
    if (coefficients && weir_window_fill(window, parameter, coefficients, n, &err) == WEIR_OK) {
        for (size_t i = 0; i < n; i++) {
            fuzz_require(isfinite(coefficients[i]));
        }
    }
    free(coefficients);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t sizes[] = {1, 2, 3, 8, 33};
    char *text = fuzz_text(data, size);
    const weir_window *window;
    double parameter;
    weir_error err;
    if (weir_window_parse(text, &window, &parameter, &err) == WEIR_OK) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            fill(window, parameter, sizes[i]);
        }
    }
    free(text);
    return 0;
}
