/* The wiring: source -> capture thread -> ring -> engine -> callback.
 *
 *   open    opens the source, starts the capture thread, waits for the first N samples
 *           (or the end: a stream shorter than one transform gets a shorter one, said
 *           in a notice), creates the engine. The stream is then fully described.
 *   run     moves samples from the ring through the engine until the stream ends or
 *           stop is asked for; spectra come back through the callback on this thread.
 *   close   in any state.
 *
 * With --span a zoom (app/zoom_stage.h) and a ring of its own stand before the engine. What
 * comes back has its frequencies corrected (app/corrections.h), and is in samples of the
 * input either way.
 *
 * One thread calls open, run and close. stop may be called from any thread. totals may
 * be called from any thread while run runs (a snapshot), exact afterwards.
 */
#ifndef WEIR_APP_PIPELINE_H
#define WEIR_APP_PIPELINE_H

#include "app/settings.h"
#include "base/status.h"
#include "capture/ring.h"
#include "capture/source.h"
#include "display/sink.h"
#include "dsp/spectrum.h"

#include <stdbool.h>

typedef struct weir_pipeline weir_pipeline;

typedef struct weir_pipeline_config {
    const weir_settings *settings; /* borrowed                                   */
    const char *source;            /* the argument                               */
    bool for_view;                 /* its defaults: real time, 25 lines a second */
    /* Open does not wait until a slow stream has brought the samples of a transform, which it
     * does to find out whether there are fewer. Of a recording it knows. */
    bool shows_early;
    /* After a stop no further transform begins (dsp/engine.h: gives_up): what was received is
     * then tail. Else what the ring holds is transformed first. */
    bool gives_up_at_stop;
    /* its defaults: one transform a spectrum, a window and N for figures */
    bool for_measure;
    /* WEIR_TRACE_BIT()s to compute */
    unsigned traces;
    /* A status other than WEIR_OK stops the pipeline, and run returns it. */
    weir_status (*on_spectrum)(void *user, const weir_spectrum *spectrum, weir_error *err);
    /* Shows every sample once, in order and before the spectra it is part of, on the thread of
     * run; with a zoom in a view not those that open took. May be NULL. */
    void (*on_samples)(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples);
    /* Called every 0.1 s or so by run, for progress; false asks for the end. May be NULL. */
    bool (*on_tick)(void *user);
    /* After weir_pipeline_reconfigure: what holds from the next spectrum on. On the thread
     * of run. May be NULL. */
    void (*on_change)(void *user, const weir_stream_info *stream);
    /* May be NULL. Gets the raw samples (all channels) in order, each once, from the thread
     * of run (with a zoom, of open too), never across a gap. Those up to a spectrum's end_sample
     * come before that spectrum; with a zoom, earlier still. */
    void (*on_raw)(void *user, const weir_sample_format *format, uint64_t first_sample,
                   const void *samples, size_t n_samples);
    void *user;
} weir_pipeline_config;

weir_status weir_pipeline_open(weir_pipeline **out, const weir_pipeline_config *config,
                               weir_error *err);
/* What holds for the stream as it was opened; valid until close, not to be read while run
 * runs and transforms are changed. */
const weir_stream_info *weir_pipeline_stream(const weir_pipeline *pipeline);
/* Valid until close. */
const weir_source_info *weir_pipeline_source(const weir_pipeline *pipeline);
/* The most samples that on_samples shows before a spectrum that they are part of. */
size_t weir_pipeline_most_samples(const weir_pipeline *pipeline);
weir_status weir_pipeline_run(weir_pipeline *pipeline, weir_error *err);
void weir_pipeline_stop(weir_pipeline *pipeline);
void weir_pipeline_set_paused(weir_pipeline *pipeline, bool paused);
/* What the source has delivered or reported lost so far. Any thread. */
uint64_t weir_pipeline_received(const weir_pipeline *pipeline);
/* How busy the engine's GPU is (cuda/gpu_load.h), 0 to 1; negative without one, where it is not
 * known, and in a pipeline that is not for a view. One thread at a time. */
double weir_pipeline_gpu_load(const weir_pipeline *pipeline);
/* Changes a setting of the source while it runs: the keys of weir_source_class.control
 * ("center_hz", "rate_hz", "gain_db" ...). Any thread, from open to close; it may take some
 * 10 ms. What was changed shows in the spectra of the segment that begins then. A centre is
 * what the axis says (--transverter, --ppm); with a zoom it is the zoom's, which is moved within
 * what is received, or else with the source. A source that cannot: WEIR_ERR_UNSUPPORTED. */
weir_status weir_pipeline_control(weir_pipeline *pipeline, const char *key, double value,
                                  weir_error *err);
/* The source's description with what control has changed. Any thread; it may wait as control. */
void weir_pipeline_describe(const weir_pipeline *pipeline, char *text, size_t size);
/* Asks for another transform: N, window, overlap, averages of the settings given (which are
 * not kept). Any thread; checked here, applied by the thread of run between two pushes: the
 * spectrum in progress ends, and what no transform has covered goes to the new one, so
 * that no sample is lost. One that fails to start then leaves the old one, with a warning. */
weir_status weir_pipeline_reconfigure(weir_pipeline *pipeline, const weir_settings *settings,
                                      weir_error *err);
/* Replay, from any thread. Speed: 0 as fast as it goes. seek: seconds of the recording; a
 * source that cannot: WEIR_ERR_UNSUPPORTED. step: so many samples more, while paused. */
void weir_pipeline_set_speed(weir_pipeline *pipeline, double speed);
void weir_pipeline_step(weir_pipeline *pipeline, uint64_t n_samples);
weir_status weir_pipeline_seek(weir_pipeline *pipeline, double seconds, weir_error *err);
weir_status weir_pipeline_set_loop(weir_pipeline *pipeline, bool loops, weir_error *err);
/* A recording that can be sought in stays at its end until then, or until stop. */
void weir_pipeline_hold_at_end(weir_pipeline *pipeline, bool holds);
bool weir_pipeline_at_end(const weir_pipeline *pipeline); /* and stays there */
/* The place in the recording of what is read next, in seconds. */
double weir_pipeline_position(const weir_pipeline *pipeline);
/* The recording's sample at a stream index (capture/capture.h). */
uint64_t weir_pipeline_place_of(const weir_pipeline *pipeline, uint64_t stream_sample);
bool weir_pipeline_can_control(const weir_pipeline *pipeline);
/* The source itself: false where a zoom's centre is all that can be moved. */
bool weir_pipeline_can_tune(const weir_pipeline *pipeline);
void weir_pipeline_totals(weir_pipeline *pipeline, weir_totals *totals);
void weir_pipeline_close(weir_pipeline *pipeline);

#endif
