/* Everything a user can ask for, in one struct: filled from defaults, configuration
 * files and options (app/options.h), read by the commands. Main thread only.
 */
#ifndef WEIR_APP_SETTINGS_H
#define WEIR_APP_SETTINGS_H

#include "display/view.h"
#include "dsp/engine.h"
#include "dsp/reduce.h"
#include "dsp/scale.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_MAX_OUTPUTS 8

typedef enum weir_engine_choice {
    WEIR_ENGINE_AUTO,
    WEIR_ENGINE_CPU,
    WEIR_ENGINE_CUDA
} weir_engine_choice;
typedef enum weir_convolve_mode {
    WEIR_CONVOLVE_LINEAR,
    WEIR_CONVOLVE_CIRCULAR
} weir_convolve_mode;
typedef enum weir_tristate { WEIR_AUTO, WEIR_YES, WEIR_NO } weir_tristate;

/* How many frames make a line: a count, a time, or all of the stream. */
typedef struct weir_average {
    enum { WEIR_AVERAGE_DEFAULT, WEIR_AVERAGE_FRAMES, WEIR_AVERAGE_SECONDS, WEIR_AVERAGE_ALL } kind;
    uint64_t frames;
    double seconds;
} weir_average;

typedef struct weir_outputs {
    char *paths[WEIR_MAX_OUTPUTS];
    unsigned n;
} weir_outputs;

typedef struct weir_range {
    double low, high; /* NAN: not given */
} weir_range;

typedef struct weir_settings {
    /* input */
    char *format;
    double rate_hz;    /* 0: not given   */
    double center_hz;  /* NAN: not given */
    uint64_t channels; /* 0: not given  */
    uint64_t channel;  /* from 1        */
    int iq;            /* weir_tristate */
    bool checksum;
    double start_seconds;
    double duration_seconds; /* INFINITY: to the end */
    bool loop;
    double speed; /* 0: as fast as it goes; NAN: the command's default */

    /* transform */
    uint64_t n_fft; /* 0: the default */
    double rbw_hz;  /* 0: not given   */
    char *window;
    double overlap; /* 0 .. <1; NAN: not given */
    uint64_t hop;   /* 0: from overlap         */
    weir_average average;
    double smooth_seconds; /* 0: off */
    bool detrend;
    bool iq_swap;
    int engine;       /* weir_engine_choice */
    uint64_t threads; /* 0: one per core    */
    int plan;         /* weir_tristate-like: 0 auto, 1 estimate, 2 background, 3 measure */
    uint64_t device;

    /* levels */
    bool density;
    char *unit;
    double offset_db;
    int weighting; /* weir_weighting */
    char *calibration;

    /* output */
    weir_outputs outputs;
    char *to;
    int trace;   /* weir_trace   */
    int reducer; /* weir_reducer */
    weir_range range_hz;
    weir_range levels_db;
    uint64_t width, height;
    char *colormap;
    char *title;
    bool reproducible;

    /* view */
    bool ascii, utf8;
    int color; /* weir_view_color */
    double fps;
    bool exit_at_end;

    /* vectors */
    bool half, correlate;
    int convolve_mode; /* weir_convolve_mode */
    uint64_t explain;  /* 0: not given */

    /* general */
    char *config;
    bool dump_config;
    bool help, version, quiet;
    unsigned verbose;
} weir_settings;

void weir_settings_init(weir_settings *settings);
void weir_settings_free(weir_settings *settings);

#endif
