/* weir spectra: spectra without a terminal, as files or text. */
#include "app/alerts.h"
#include "app/commands.h"
#include "app/outputs.h"
#include "app/pipeline.h"
#include "app/progress.h"
#include "app/signals.h"
#include "base/log.h"
#include "dsp/average.h"

#include <string.h>

typedef struct spectra_run {
    weir_pipeline *pipeline;
    weir_outputs_set outputs;
    weir_alerts *alerts;
    weir_progress progress;
    bool output_failed;
    weir_trace trace;
    weir_average *hold; /* NULL: none */
    weir_average_mode hold_mode;
} spectra_run;

/* With --span a retune may bring more of the span into what is received. */
static weir_status make_room(spectra_run *run, size_t n_bins, weir_error *err)
{
    if (n_bins <= weir_average_max_bins(run->hold)) {
        return WEIR_OK;
    }
    weir_average_destroy(run->hold);
    return weir_average_create(&run->hold, run->hold_mode, 0, n_bins, err);
}

static weir_status on_spectrum(void *user, const weir_spectrum *spectrum, weir_error *err)
{
    spectra_run *run = user;
    weir_alerts_spectrum(run->alerts, spectrum);
    weir_spectrum held = *spectrum;
    if (run->hold) { /* place and counts stay those of the line */
        if (make_room(run, spectrum->n_bins, err) != WEIR_OK) {
            return err->status;
        }
        held.power[run->trace] =
            weir_average_add(run->hold, spectrum, run->trace)->power[run->trace];
    }
    weir_status status = weir_outputs_write(&run->outputs, &held, err);
    run->output_failed = status != WEIR_OK;
    return status;
}

static void on_samples(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples)
{
    spectra_run *run = user;
    weir_alerts_samples(run->alerts, segment, first_sample, samples, n_samples);
}

static bool on_tick(void *user)
{
    spectra_run *run = user;
    weir_totals totals;
    weir_pipeline_totals(run->pipeline, &totals);
    weir_progress_show(&run->progress, &totals);
    return !weir_signals_caught();
}

/* Where all that came was shorter than a transform, the output is whole, and empty. */
static void say_if_empty(const weir_stream_info *stream, const weir_totals *totals)
{
    if (totals->received > 0 && totals->n_frames == 0) {
        weir_log(WEIR_LOG_WARNING,
                 "%s: no segment was as long as a transform (%zu samples): there are no spectra",
                 stream->source, stream->n_fft);
    }
}

/* Input that fails in the middle does not spoil what was measured before: outputs are
 * completed, and the failure is reported after that. Recordings of alerts are completed whatever
 * failed. */
static weir_status run_and_finish(spectra_run *run, weir_error *err)
{
    weir_error finish_err = {0};
    weir_totals totals;
    weir_status status = weir_pipeline_run(run->pipeline, err);
    weir_progress_clear(&run->progress);
    if (run->output_failed || status == WEIR_ERR_INTERNAL) {
        (void)weir_alerts_finish(run->alerts, NULL);
        return status;
    }
    weir_pipeline_totals(run->pipeline, &totals);
    weir_status finished = weir_outputs_finish(&run->outputs, &totals, &finish_err);
    weir_accounts_log(&totals);
    say_if_empty(weir_pipeline_stream(run->pipeline), &totals);
    weir_status alerts = weir_alerts_finish(run->alerts, finished == WEIR_OK ? &finish_err : NULL);
    finished = finished == WEIR_OK ? alerts : finished;
    if (status == WEIR_OK && finished != WEIR_OK) {
        return weir_fail(err, finished, "%s", finish_err.text);
    }
    return status;
}

static weir_status open_alerts(spectra_run *run, const weir_settings *settings, weir_error *err)
{
    weir_alerts_config config = {
        .settings = settings,
        .stream = weir_pipeline_stream(run->pipeline),
        .info = weir_pipeline_source(run->pipeline),
        .most_samples = weir_pipeline_most_samples(run->pipeline),
        .stdout_is_taken = weir_outputs_take_stdout(settings),
    };
    return weir_alerts_open(&run->alerts, &config, err);
}

/* Persistence counts transforms, so that each is a line of its own unless told otherwise. */
static weir_settings spectra_settings(const weir_settings *given)
{
    weir_settings settings = *given;
    bool counts = given->to && strcmp(given->to, "persistence") == 0;
    if (counts && given->average.kind == WEIR_AVERAGE_DEFAULT) {
        settings.average = (weir_line_average){.kind = WEIR_AVERAGE_FRAMES, .frames = 1};
    }
    return settings;
}

/* A file's option may be for other traces; who typed one wants to know that it does nothing. */
static void tell_unused(const weir_settings *s)
{
    if (weir_settings_trace(s) != WEIR_TRACE_MEAN && s->smooth_seconds > 0 &&
        weir_option_typed(s, "smooth")) {
        weir_log(WEIR_LOG_NOTICE, "--smooth is not used: it is of the mean (--trace)");
    }
}

static weir_status create_hold(spectra_run *run, int hold, weir_error *err)
{
    if (hold == WEIR_HOLD_OFF) {
        return WEIR_OK;
    }
    run->hold_mode = hold == WEIR_HOLD_MAX ? WEIR_AVERAGE_MAX : WEIR_AVERAGE_MIN;
    size_t n_bins = weir_pipeline_stream(run->pipeline)->n_bins;
    return weir_average_create(&run->hold, run->hold_mode, 0, n_bins, err);
}

weir_status weir_cmd_spectra(const weir_settings *given, int n_arguments, char **arguments,
                             weir_error *err)
{
    (void)n_arguments;
    weir_settings effective = spectra_settings(given);
    const weir_settings *settings = &effective;
    spectra_run run = {.trace = weir_settings_trace(settings)};
    weir_pipeline_config config = {
        .settings = settings,
        .source = arguments[0],
        .traces = WEIR_TRACE_BIT(weir_settings_trace(settings)),
        .on_spectrum = on_spectrum,
        .on_samples = settings->alert_record ? on_samples : NULL,
        .on_tick = on_tick,
        .user = &run,
    };
    weir_status status = weir_outputs_check(settings, "csv", err);
    if (status == WEIR_OK) {
        status = weir_alerts_check(settings, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    status = weir_pipeline_open(&run.pipeline, &config, err);
    if (status == WEIR_OK) {
        weir_signals_install(); /* before this there is nothing to complete */
        tell_unused(settings);
        const weir_stream_info *stream = weir_pipeline_stream(run.pipeline);
        weir_progress_start(&run.progress, stream, settings->duration_seconds, settings->quiet);
        status = create_hold(&run, settings->hold, err);
    }
    if (status == WEIR_OK) {
        const weir_stream_info *stream = weir_pipeline_stream(run.pipeline);
        status = weir_outputs_open(&run.outputs, settings, "csv", stream, err);
    }
    if (status == WEIR_OK) {
        status = open_alerts(&run, settings, err);
    }
    if (status == WEIR_OK) {
        status = run_and_finish(&run, err);
    }
    weir_alerts_destroy(run.alerts);
    weir_average_destroy(run.hold);
    weir_outputs_close(&run.outputs);
    weir_pipeline_close(run.pipeline);
    return status;
}
