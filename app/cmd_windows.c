/* weir windows: the window table, or the windows asked for, with their figures, computed. */
#include "app/commands.h"
#include "base/text.h"
#include "dsp/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FIGURE_POINTS 1024

/* As one would write it: with the parameter in force. */
static void print_row(const weir_window_sketch *sketch)
{
    const weir_window *window = sketch->window;
    const weir_window_figures *f = &sketch->figures;
    char line[256], name[48], sidelobe[16];
    double unused;
    if (weir_window_parameter(window, &unused)) {
        weir_snprintf(name, sizeof name, "%s:%.9g", weir_window_name(window), sketch->parameter);
    } else {
        weir_snprintf(name, sizeof name, "%s", weir_window_name(window));
    }
    if (isinf(f->highest_sidelobe_db)) {
        weir_snprintf(sidelobe, sizeof sidelobe, "none");
    } else {
        weir_snprintf(sidelobe, sizeof sidelobe, "%.1f", f->highest_sidelobe_db);
    }
    weir_snprintf(line, sizeof line, "%-20s %8.4f %8.4f %9.4f %9s %7.2f  %s", name, f->enbw_bins,
                  f->coherent_gain, f->scalloping_db, sidelobe, f->main_lobe_bins,
                  weir_window_help(window));
    puts(line);
}

static weir_status show_window(const char *text, weir_error *err)
{
    weir_window_sketch sketch;
    weir_status status = weir_window_draw(&sketch, text, FIGURE_POINTS, err);
    if (status == WEIR_OK) {
        print_row(&sketch);
    }
    free(sketch.coefficients);
    return status;
}

static weir_status check_names(int n_names, char **names, weir_error *err)
{
    const weir_window *window;
    double parameter;
    weir_status status = WEIR_OK;
    for (int i = 0; i < n_names && status == WEIR_OK; i++) {
        status = weir_window_parse(names[i], &window, &parameter, err);
    }
    return status;
}

weir_status weir_cmd_windows(const weir_settings *settings, int n_arguments, char **arguments,
                             weir_error *err)
{
    (void)settings;
    weir_status status = check_names(n_arguments, arguments, err);
    if (status != WEIR_OK) {
        return status;
    }
    printf("%-20s %8s %8s %9s %9s %7s\n", "window", "ENBW", "gain", "scallop", "sidelobe", "null");
    printf("%-20s %8s %8s %9s %9s %7s\n", "", "bins", "", "dB", "dB", "bins");
    for (int i = 0; i < n_arguments && status == WEIR_OK; i++) {
        status = show_window(arguments[i], err);
    }
    const weir_window *window;
    for (size_t i = 0; n_arguments == 0 && (window = weir_window_at(i)) && !status; i++) {
        status = show_window(weir_window_name(window), err);
    }
    return status;
}
