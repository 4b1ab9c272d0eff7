/* The stage between the capture's ring and the engine's when --span asks for a zoom, or IQ
 * imbalance is to be taken out for an engine that does not: takes raw samples, gives complex
 * samples, at a lower rate or the same (dsp/zoom.h), and keeps the accounts.
 *
 *   input ring --raw--> IQ --> zoom --complex float--> own ring --> engine
 *
 * Sample numbers. The engine counts the samples it sees; number z stands for input samples
 * from z * decimation on, and its filter is centred on input z * decimation + delay, which
 * weir_zoom_stage_position gives. A segment begins at a multiple of the decimation: up to
 * decimation - 1 samples before that, what fills the filters (2 * delay), and what is left
 * at the end, are its tail. A segment whose band does not hold the zoom's centre is skipped. So
 * received = transformed + skipped + lost + tail holds in input samples.
 *
 * The zoomed band may be moved while it runs: what the filters then hold is tail.
 *
 * All calls from the pipeline's thread, but for those that say so. create
 * allocates; pump does only where rate or centre change.
 */
#ifndef WEIR_APP_ZOOM_STAGE_H
#define WEIR_APP_ZOOM_STAGE_H

#include "base/status.h"
#include "capture/ring.h"
#include "dsp/spectrum.h"
#include "dsp/zoom.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct weir_zoom_stage weir_zoom_stage;

typedef struct weir_zoom_tuning {
    uint64_t first_sample; /* of the engine, from which it holds */
    double center_hz, low_hz, high_hz;
    bool is_real; /* low_hz is 0 Hz */
} weir_zoom_tuning;

/* Gets every input sample once, before it is gone. */
typedef void weir_zoom_on_raw(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                              const void *samples, size_t n_samples);

typedef struct weir_zoom_stage_config {
    weir_zoom_config zoom; /* offset_hz is set from the next two, at every retune; iq is copied */
    double center_hz;      /* of the zoomed band, in the device's frequencies     */
    double stream_center_hz;
    bool follows_center;      /* center_hz is wherever the stream is tuned to: no zoom, only IQ */
    size_t ring_samples;      /* at least, of the engine's ring */
    weir_zoom_on_raw *on_raw; /* or NULL */
    void *user;
} weir_zoom_stage_config;

weir_status weir_zoom_stage_create(weir_zoom_stage **out, const weir_zoom_stage_config *config,
                                   weir_error *err);
/* Moves what is there and fits, a piece at a time. */
weir_status weir_zoom_stage_pump(weir_zoom_stage *stage, weir_ring *input, weir_error *err);
weir_ring *weir_zoom_stage_ring(weir_zoom_stage *stage);

/* Centres the zoom elsewhere (device frequency): at once where the input covers that, else with
 * the next segment of another centre. Of several moves the last holds. Any thread. */
void weir_zoom_stage_move(weir_zoom_stage *stage, double center_hz);
/* Where the newest segment is tuned to. Any thread. */
double weir_zoom_stage_input_center_hz(const weir_zoom_stage *stage);
/* Whether an input tuned there covers center_hz with half_span_hz on both sides. Any thread. */
bool weir_zoom_stage_reaches(const weir_zoom_stage *stage, double input_center_hz, double center_hz,
                             double half_span_hz);
double weir_zoom_stage_center_hz(const weir_zoom_stage *stage);

uint64_t weir_zoom_stage_decimation(const weir_zoom_stage *stage);
uint64_t weir_zoom_stage_position(const weir_zoom_stage *stage, uint64_t engine_sample);
/* What the input covered, and where its own centre was, which DC falls on, when it delivered what
 * became an engine's sample: the stage is ahead of the spectra. */
weir_zoom_tuning weir_zoom_stage_tuning_at(const weir_zoom_stage *stage, uint64_t engine_sample);
/* The IQ correction in force now; NULL: none. */
const weir_iq_correction *weir_zoom_stage_iq(const weir_zoom_stage *stage);
/* Clipped and non-finite input samples before an input sample, in whole blocks of 64 times the
 * decimation (of 1: exactly), and not taken before. */
weir_sample_counts weir_zoom_stage_take_counts(weir_zoom_stage *stage, uint64_t end_sample);
/* From the engine's totals to those of the input. */
void weir_zoom_stage_totals(const weir_zoom_stage *stage, weir_totals *totals);
void weir_zoom_stage_destroy(weir_zoom_stage *stage); /* NULL does nothing */

#endif
