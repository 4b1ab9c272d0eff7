/* Everything a user can ask for, in one struct: filled from defaults, configuration
 * files and options (app/options.h), read by the commands. Main thread only.
 */
#ifndef WEIR_APP_SETTINGS_H
#define WEIR_APP_SETTINGS_H

#include "display/view.h"
#include "dsp/compare.h"
#include "dsp/engine.h"
#include "dsp/reduce.h"
#include "dsp/scale.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_MAX_OUTPUTS 8
#define WEIR_MAX_DEVICE_OPTIONS 16
#define WEIR_MAX_TOLERANCES 64
#define WEIR_MOST_OPTIONS 200 /* rows in the option table (app/options.h) */

typedef enum weir_engine_choice {
    WEIR_ENGINE_AUTO,
    WEIR_ENGINE_CPU,
    WEIR_ENGINE_CUDA
} weir_engine_choice;
typedef enum weir_convolve_mode { WEIR_CONVOLVE_LINEAR, WEIR_CONVOLVE_CIRCULAR } weir_convolve_mode;
typedef enum weir_pad { WEIR_PAD_NONE, WEIR_PAD_SMOOTH, WEIR_PAD_POWER } weir_pad;
typedef enum weir_tristate { WEIR_AUTO, WEIR_YES, WEIR_NO } weir_tristate;

/* How many frames make a line: a count, a time, or all of the stream. */
typedef struct weir_line_average {
    enum { WEIR_AVERAGE_DEFAULT, WEIR_AVERAGE_FRAMES, WEIR_AVERAGE_SECONDS, WEIR_AVERAGE_ALL } kind;
    uint64_t frames;
    double seconds;
} weir_line_average;

/* What --trace can be; "rms" and "average" are names of the mean: all means are of power. */
typedef enum weir_detector {
    WEIR_DETECT_MEAN,
    WEIR_DETECT_MAX,
    WEIR_DETECT_MIN,
    WEIR_DETECT_SAMPLE, /* one transform of every line's, the others passed over */
    WEIR_DETECT_RMS,
    WEIR_DETECT_AVERAGE
} weir_detector;

typedef enum weir_dc { WEIR_DC_OFF, WEIR_DC_INTERPOLATE, WEIR_DC_REMOVE } weir_dc;
typedef enum weir_hold { WEIR_HOLD_OFF, WEIR_HOLD_MAX, WEIR_HOLD_MIN } weir_hold;
typedef enum weir_what { WEIR_WHAT_AUTO, WEIR_WHAT_RF, WEIR_WHAT_AUDIO } weir_what;

typedef struct weir_outputs {
    char *paths[WEIR_MAX_OUTPUTS];
    unsigned n;
} weir_outputs;

/* --device-option, each as it was written */
typedef struct weir_pairs {
    char *pairs[WEIR_MAX_DEVICE_OPTIONS];
    unsigned n;
} weir_pairs;

typedef weir_outputs weir_texts; /* what an option that may be repeated was given */

/* What a sweep does against the spike in the middle of a tuning. */
typedef enum weir_spike {
    WEIR_SPIKE_AUTO,
    WEIR_SPIKE_OFFSET,
    WEIR_SPIKE_INTERPOLATE,
    WEIR_SPIKE_KEEP
} weir_spike;

typedef struct weir_range {
    double low, high; /* NAN: not given */
} weir_range;

typedef struct weir_tolerance_list {
    weir_tolerance rows[WEIR_MAX_TOLERANCES];
    size_t n;
} weir_tolerance_list;

/* What of a stream is held against a golden result (mean, max) or a mask. */
typedef enum weir_check_choice {
    WEIR_CHECK_AUTO, /* golden: mean and max; mask: mean */
    WEIR_CHECK_MEAN,
    WEIR_CHECK_MAX,
    WEIR_CHECK_LINES, /* masks: every line */
} weir_check_choice;

/* A bit for each row of the option table; read by weir_option_given, weir_option_typed. */
typedef struct weir_option_bits {
    uint64_t words[(WEIR_MOST_OPTIONS + 63) / 64];
} weir_option_bits;

typedef struct weir_settings {
    weir_option_bits given; /* on the command line or by a configuration file */
    weir_option_bits typed; /* on the command line                            */

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

    /* devices */
    char *gain; /* decibels, "auto", or NULL */
    bool agc;
    double device_ppm;
    double tuner_bandwidth_hz; /* 0: not given */
    bool bias_tee;
    int direct_sampling; /* 0 off, 1 I, 2 Q */
    bool offset_tuning;
    char *antenna;
    int on_loss; /* 0: the command's default, 1 exit, 2 retry */
    weir_pairs device_options;
    char *test; /* weir devices --test */

    /* transform */
    uint64_t n_fft; /* 0: the default */
    double rbw_hz;  /* 0: not given   */
    char *window;
    double overlap; /* 0 .. <1; NAN: not given */
    uint64_t hop;   /* 0: from overlap         */
    weir_line_average average;
    double smooth_seconds; /* 0: off */
    bool detrend;
    bool iq_swap;
    int engine;       /* weir_engine_choice */
    uint64_t threads; /* 0: one per core    */
    int plan;         /* weir_tristate-like: 0 auto, 1 estimate, 2 background, 3 measure */
    uint64_t device;

    /* levels */
    bool density, per_root_hz;
    char *unit;
    double offset_db;
    double full_scale_volts; /* 0: not given */
    double ohms;             /* 0: not given */
    int weighting;           /* weir_weighting */
    char *calibration;

    /* output */
    weir_outputs outputs;
    char *to;
    int trace;   /* weir_detector */
    int reducer; /* weir_reducer, and twice more its mean */
    int hold;    /* weir_hold    */
    bool linear;
    double decay_seconds; /* of persistence; 0: not given */
    weir_range range_hz;
    weir_range levels_db;
    uint64_t width, height;
    char *colormap;
    char *title;
    bool reproducible;

    /* view */
    bool ascii, utf8;
    int color;    /* weir_view_color */
    int graphics; /* weir_view_pictures */
    double fps;
    weir_trace_average trace_average; /* of the view's trace, apart from its lines' */
    bool exit_at_end;
    bool once;
    char *png;
    char *size; /* COLUMNSxROWS */
    char *keys;
    char *labels;
    int axis; /* weir_view_axis */

    /* record */
    uint64_t max_size_bytes; /* 0: no limit */

    /* sweep */
    weir_texts sweep_ranges;   /* "LO:HI[:BIN]" */
    double interval_seconds;   /* NAN: one pass */
    double exit_after_seconds; /* 0: not given  */
    uint64_t passes;           /* 0: not given  */
    double settle_seconds;     /* NAN: default  */
    double crop;               /* NAN: default  */
    int spike;                 /* weir_spike    */

    /* alerts */
    weir_texts alerts;
    char *alert_log, *alert_run, *alert_record;
    bool alert_shell;
    double alert_before_seconds, alert_after_seconds; /* NAN: default */
    double alert_longest_seconds;                     /* 0: default   */

    /* vectors */
    bool half, correlate;
    int pad;           /* weir_pad           */
    int convolve_mode; /* weir_convolve_mode */
    uint64_t explain;  /* 0: not given */

    /* zoom */
    double span_hz;        /* 0: the whole band    */
    double zoom_center_hz; /* NAN: the input's own */

    /* corrections */
    char *iq_correct; /* "auto", "track[:TIME]" or "DB:DEGREES"; NULL: none */
    int dc;           /* weir_dc                            */
    double transverter_hz;
    double ppm;

    /* peaks */
    uint64_t n_peaks; /* 0: the default */
    double prominence_db;
    double spacing_hz;

    /* measurements */
    int what; /* weir_what */
    bool json, kurtosis_bins;
    double every_seconds; /* 0: one result for all */
    weir_range channel_band;
    double bandwidth_hz; /* 0: not given        */
    double adjacent_hz;  /* 0: the channel's width */
    double occupied_percent;
    double x_db;
    double percentile;
    uint64_t harmonics;
    double fundamental_hz; /* NAN: the strongest */
    /* compare */
    bool bless;
    weir_tolerance_list tolerances_db, tolerances_hz;
    double ignore_below_db; /* NAN: not given */
    bool ignore_counts;
    int check; /* weir_check_choice */
    char *mask;
    int mask_relative;      /* weir_mask_relative */
    double mask_carrier_hz; /* NAN: not given */
    bool mask_log;
    double allow; /* part of the values that may be outside of a mask, 0 .. 1 */
    weir_outputs reports;
    char *diff_png;

    /* the view's files */
    char *folder;                 /* NULL: the working directory */
    double record_before_seconds; /* NAN: the default */
    bool remember;
    bool sweep_view;

    /* general */
    char *config;
    bool dump_config;
    bool help, version, quiet;
    unsigned verbose;
} weir_settings;

struct weir_source_options;
/* What the settings say about the input. Borrows their texts. */
void weir_settings_source_options(const weir_settings *settings,
                                  struct weir_source_options *options);

void weir_settings_init(weir_settings *settings);
/* The trace that --trace asks the engine for, and the reducer of --reduce. */
weir_trace weir_settings_trace(const weir_settings *settings);
weir_reducer weir_settings_reducer(const weir_settings *settings);
void weir_settings_free(weir_settings *settings);

#endif
