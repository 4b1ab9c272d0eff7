/* The text of `synth:RECIPE` (grammar: synth.h) read into numbers. Pure functions. */
#ifndef WEIR_CAPTURE_SYNTH_RECIPE_H
#define WEIR_CAPTURE_SYNTH_RECIPE_H

#include "capture/source.h"

#define WEIR_SYNTH_CARRIERS 64
#define WEIR_SYNTH_EVENTS 256

typedef enum weir_synth_kind {
    WEIR_SYNTH_TONE,
    WEIR_SYNTH_CHIRP,
    WEIR_SYNTH_FM,
    WEIR_SYNTH_FSK,
} weir_synth_kind;

typedef struct weir_synth_carrier {
    weir_synth_kind kind;
    double hz; /* relative to the first centre; chirp: where it begins */
    double amplitude;
    double phase_turns;
    double width_hz;      /* chirp: end - begin; fm: deviation; fsk: shift */
    double modulation_hz; /* fm: audio; fsk: baud                          */
    uint64_t on_samples;  /* fsk                                           */
    uint64_t period_samples;
} weir_synth_carrier;

typedef struct weir_synth_drop {
    uint64_t first, end; /* stream samples [first, end) are lost */
} weir_synth_drop;

typedef struct weir_synth_retune {
    uint64_t sample;
    double center_hz;
} weir_synth_retune;

typedef struct weir_synth_recipe {
    weir_sample_format format;
    double rate_hz, center_hz;
    uint64_t n_samples; /* of the stream, lost ones too; WEIR_UNKNOWN_SAMPLES: endless */
    uint64_t seed;
    bool dither, clip, ramp;
    double noise_sigma; /* of each component */
    double dc;
    bool has_iq;
    double iq_gain, iq_phase_rad;
    weir_synth_carrier carriers[WEIR_SYNTH_CARRIERS];
    size_t n_carriers;
    weir_synth_drop drops[WEIR_SYNTH_EVENTS]; /* sorted, apart */
    size_t n_drops;
    weir_synth_retune retunes[WEIR_SYNTH_EVENTS]; /* sorted */
    size_t n_retunes;
    uint64_t nans[WEIR_SYNTH_EVENTS]; /* sorted */
    size_t n_nans;
} weir_synth_recipe;

/* options (format, rate, centre, channels) hold where the recipe says nothing. Errors
 * name the item and what would be right. */
weir_status weir_synth_recipe_parse(weir_synth_recipe *recipe, const char *text,
                                    const weir_source_options *options, weir_error *err);

#endif
