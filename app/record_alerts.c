#include "app/record_alerts.h"

#include "app/alerts.h"
#include "app/pipeline.h"
#include "app/progress.h"
#include "app/signals.h"
#include "base/log.h"
#include "capture/recorder.h"
#include "weir_config.h"

#include <inttypes.h>
#include <string.h>

#define MOST_LINE_SECONDS 0.1 /* as in weir spectra */

typedef struct watched {
    const weir_settings *settings;
    weir_pipeline *pipeline;
    weir_recorder *recorder;
    weir_alerts *alerts;
    weir_progress progress;
    bool waits; /* the source does, so the recorder may too */
} watched;

static void on_samples(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples)
{
    watched *w = user;
    weir_recorder_push(w->recorder, segment, first_sample, samples, n_samples, w->waits);
    weir_alerts_samples(w->alerts, segment, first_sample, samples, n_samples);
    if (weir_recorder_is_done(w->recorder)) { /* the limit, or an error */
        weir_pipeline_stop(w->pipeline);
    }
}

static weir_status on_spectrum(void *user, const weir_spectrum *spectrum, weir_error *err)
{
    (void)err;
    watched *w = user;
    weir_alerts_spectrum(w->alerts, spectrum);
    return WEIR_OK;
}

static bool on_tick(void *user)
{
    watched *w = user;
    weir_totals totals;
    weir_pipeline_totals(w->pipeline, &totals);
    weir_progress_show(&w->progress, &totals);
    return !weir_signals_caught();
}

static const char *path_of(const weir_settings *s)
{
    return s->outputs.n ? s->outputs.paths[0] : "-";
}

static weir_status open_recorder(watched *w, weir_error *err)
{
    const weir_settings *s = w->settings;
    const weir_source_info *info = weir_pipeline_source(w->pipeline);
    weir_record_config record = {.path = path_of(s),
                                 .kind = s->to,
                                 .info = info,
                                 .recorder = "weir " WEIR_VERSION,
                                 .max_bytes = s->max_size_bytes};
    weir_recorder_config config = {.ring_bytes = weir_recorder_ring_bytes(info),
                                   .stride_bytes = weir_format_stride_bytes(&info->format)};
    w->waits = !info->is_live;
    weir_status status = weir_record_open(&config.record, &record, err);
    return status == WEIR_OK ? weir_recorder_create(&w->recorder, &config, err) : status;
}

static weir_status open_all(watched *w, const char *source, weir_error *err)
{
    const weir_settings *s = w->settings;
    weir_pipeline_config config = {
        .settings = s,
        .source = source,
        .traces = WEIR_TRACE_BIT(weir_settings_trace(s)),
        .on_spectrum = on_spectrum,
        .on_samples = on_samples,
        .on_tick = on_tick,
        .user = w,
    };
    weir_status status = weir_alerts_check(s, err);
    if (status == WEIR_OK) {
        status = weir_pipeline_open(&w->pipeline, &config, err);
    }
    if (status == WEIR_OK) {
        weir_signals_install(); /* from here on there is a file to complete */
        status = open_recorder(w, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    weir_alerts_config alerts = {.settings = s,
                                 .stream = weir_pipeline_stream(w->pipeline),
                                 .info = weir_pipeline_source(w->pipeline),
                                 .most_samples = weir_pipeline_most_samples(w->pipeline),
                                 .stdout_is_taken = strcmp(path_of(s), "-") == 0};
    return weir_alerts_open(&w->alerts, &alerts, err);
}

/* Everything is completed, whatever failed; the first failure is reported. */
static weir_status run_to_end(watched *w, weir_error *err)
{
    weir_error record_err = {0}, alerts_err = {0};
    weir_recorder_totals recorded;
    weir_totals totals;
    weir_status status = weir_pipeline_run(w->pipeline, err);
    weir_progress_clear(&w->progress);
    weir_recorder_end(w->recorder);
    weir_status record = weir_recorder_join(w->recorder, &record_err);
    weir_status alerts = weir_alerts_finish(w->alerts, &alerts_err);
    weir_pipeline_totals(w->pipeline, &totals);
    weir_recorder_totals_get(w->recorder, &recorded);
    weir_accounts_log(&totals);
    weir_log(WEIR_LOG_NOTICE,
             "%" PRIu64 " samples written, %" PRIu64 " lost among them in %" PRIu64 " gap%s",
             recorded.written, recorded.lost, recorded.gaps, recorded.gaps == 1 ? "" : "s");
    if (record != WEIR_OK) {
        return weir_fail(err, record, "%s", record_err.text);
    }
    return status == WEIR_OK && alerts != WEIR_OK ? weir_fail(err, alerts, "%s", alerts_err.text)
                                                  : status;
}

weir_status weir_record_with_alerts(const weir_settings *settings, const char *source,
                                    weir_error *err)
{
    weir_settings own = *settings; /* shallow: only read */
    watched w = {.settings = &own};
    if (own.average.kind == WEIR_AVERAGE_DEFAULT) { /* lines are for the rules only */
        own.average.kind = WEIR_AVERAGE_SECONDS;
        own.average.seconds = weir_alerts_line_seconds(settings, MOST_LINE_SECONDS);
    }
    weir_status status = open_all(&w, source, err);
    if (status == WEIR_OK) {
        weir_progress_start(&w.progress, weir_pipeline_stream(w.pipeline),
                            settings->duration_seconds, settings->quiet);
        status = run_to_end(&w, err);
    }
    weir_alerts_destroy(w.alerts);
    weir_recorder_destroy(w.recorder);
    weir_pipeline_close(w.pipeline);
    return status;
}
