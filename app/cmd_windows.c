/* weir windows: the window table with its figures, computed. */
#include "app/commands.h"
#include "base/text.h"
#include "dsp/window.h"

#include <stdio.h>
#include <stdlib.h>

#define FIGURE_POINTS 1024

static weir_status print_row(const weir_window *window, double *coefficients, weir_error *err)
{
    const weir_window *found;
    weir_window_figures f;
    double parameter;
    weir_status status = weir_window_parse(weir_window_name(window), &found, &parameter, err);
    if (status == WEIR_OK) {
        status = weir_window_fill(window, parameter, coefficients, FIGURE_POINTS, err);
    }
    if (status == WEIR_OK) {
        status = weir_window_measure(coefficients, FIGURE_POINTS, &f, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    char line[256];
    weir_snprintf(line, sizeof line, "%-18s %8.4f %8.4f %9.4f %9.1f %7.2f  %s",
                  weir_window_name(window), f.enbw_bins, f.coherent_gain, f.scalloping_db,
                  f.highest_sidelobe_db, f.main_lobe_bins, weir_window_help(window));
    puts(line);
    return WEIR_OK;
}

weir_status weir_cmd_windows(const weir_settings *settings, int n_arguments, char **arguments,
                             weir_error *err)
{
    (void)settings;
    (void)n_arguments;
    (void)arguments;
    double *coefficients = malloc(FIGURE_POINTS * sizeof *coefficients);
    if (!coefficients) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    printf("%-18s %8s %8s %9s %9s %7s\n", "window", "ENBW", "gain", "scallop", "sidelobe", "null");
    printf("%-18s %8s %8s %9s %9s %7s\n", "", "bins", "", "dB", "dB", "bins");
    weir_status status = WEIR_OK;
    const weir_window *window;
    for (size_t i = 0; (window = weir_window_at(i)) && status == WEIR_OK; i++) {
        status = print_row(window, coefficients, err);
    }
    free(coefficients);
    return status;
}
