/* weir record: the samples of a source into a file, bit for bit. */
#include "app/alerts.h"
#include "app/commands.h"
#include "app/device_pairs.h"
#include "app/record_alerts.h"
#include "app/signals.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/capture.h"
#include "capture/recorder.h"
#include "weir_config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS 50000000
#define TICKS_A_LINE 10

typedef struct record_run {
    const weir_settings *settings;
    weir_source *source;
    weir_capture *capture;
    weir_recorder *recorder;
    bool shows_progress, shown;
} record_run;

/* ---- opening ---- */

static weir_status check_settings(const weir_settings *s, weir_error *err)
{
    if (s->outputs.n > 1) {
        return weir_fail(err, WEIR_ERR_USAGE, "record writes one file: give one -o");
    }
    if (s->outputs.n == 0 && isatty(STDOUT_FILENO)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "say where to with -o FILE (.sigmf-meta, .wav, .cu8 ...)");
    }
    return WEIR_OK;
}

static weir_status open_source(record_run *run, const char *argument, weir_error *err)
{
    return weir_settings_open_source(run->settings, argument, false, &run->source, err);
}

static weir_record_config record_config_of(const record_run *run)
{
    const weir_settings *s = run->settings;
    return (weir_record_config){
        .path = s->outputs.n ? s->outputs.paths[0] : "-",
        .kind = s->to,
        .info = &run->source->info,
        .recorder = "weir " WEIR_VERSION,
        .max_bytes = s->max_size_bytes,
    };
}

/* Everything that can be wrong is found before the capture starts. */
static weir_status open_all(record_run *run, const char *argument, weir_error *err)
{
    const weir_settings *s = run->settings;
    weir_record *record;
    weir_status status = open_source(run, argument, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_capture_config config = {
        .start_seconds = s->start_seconds,
        .duration_seconds = s->duration_seconds,
        .loop = s->loop,
        .speed = isnan(s->speed) ? 0 : s->speed,
        .ring_bytes = run->source->info.is_live ? weir_recorder_ring_bytes(&run->source->info) : 0,
    };
    weir_record_config record_config = record_config_of(run);
    status = weir_record_check(&record_config, err);
    if (status == WEIR_OK) {
        status = weir_capture_create(&run->capture, run->source, &config, err);
    }
    if (status == WEIR_OK) {
        weir_signals_install(); /* from here on there is a file to complete */
        status = weir_record_open(&record, &record_config, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    weir_recorder_config recorder_config = {
        .record = record,
        .ring = weir_capture_ring(run->capture),
        .stride_bytes = weir_format_stride_bytes(&run->source->info.format),
    };
    status = weir_recorder_create(&run->recorder, &recorder_config, err);
    return status == WEIR_OK ? weir_capture_start(run->capture, err) : status;
}

/* ---- running ---- */

static void show_progress(record_run *run)
{
    weir_recorder_totals totals;
    char size[32], lost[64] = "", time[32];
    weir_recorder_totals_get(run->recorder, &totals);
    const weir_source_info *info = &run->source->info;
    double bytes = (double)totals.written * (double)weir_format_stride_bytes(&info->format);
    weir_format_si(size, sizeof size, bytes);
    weir_format_seconds(time, sizeof time, (double)totals.written / info->rate_hz, 0.1);
    if (totals.lost) {
        weir_snprintf(lost, sizeof lost, ", %" PRIu64 " samples lost", totals.lost);
    }
    fprintf(stderr, "\rweir: recorded %s, %sB%s   ", time, size, lost);
    fflush(stderr);
    run->shown = true;
}

static void wait_for_end(record_run *run)
{
    bool stopped = false;
    const struct timespec tick = {.tv_nsec = TICK_NS};
    for (unsigned n = 1; !weir_recorder_is_done(run->recorder); n++) {
        nanosleep(&tick, NULL);
        if (!stopped && weir_signals_caught()) {
            weir_capture_stop(run->capture); /* what is in the ring is still written */
            stopped = true;
        }
        if (run->shows_progress && n % TICKS_A_LINE == 0) {
            show_progress(run);
        }
    }
    if (run->shown) {
        fprintf(stderr, "\r\033[K");
    }
}

/* What was received and is neither written nor lost came after the limit or the error. */
static weir_status accounts(const record_run *run, bool complete, weir_error *err)
{
    weir_recorder_totals totals;
    weir_recorder_totals_get(run->recorder, &totals);
    uint64_t received = weir_capture_received(run->capture);
    uint64_t accounted = totals.written + totals.lost;
    if (accounted > received || (complete && accounted != received)) {
        return weir_fail(err, WEIR_ERR_INTERNAL,
                         "samples are unaccounted for: %" PRIu64 " received, %" PRIu64
                         " written, %" PRIu64 " lost (please report this)",
                         received, totals.written, totals.lost);
    }
    weir_log(WEIR_LOG_NOTICE,
             "%" PRIu64 " samples received = %" PRIu64 " written + %" PRIu64 " lost + %" PRIu64
             " after the end; %" PRIu64 " gap%s",
             received, totals.written, totals.lost, received - accounted, totals.gaps,
             totals.gaps == 1 ? "" : "s");
    return WEIR_OK;
}

static void say_what_is_unmarked(const record_run *run)
{
    weir_recorder_totals totals;
    weir_recorder_totals_get(run->recorder, &totals);
    weir_record_config config = record_config_of(run);
    if (!weir_record_marks_gaps(&config) && totals.gaps + totals.retunes > 0) {
        weir_log(WEIR_LOG_WARNING,
                 "%" PRIu64 " gaps and %" PRIu64
                 " changes of tuning are not marked in this file; .sigmf-meta marks them",
                 totals.gaps, totals.retunes);
    }
}

static weir_status run_to_end(record_run *run, weir_error *err)
{
    weir_error capture_err = {0};
    wait_for_end(run);
    weir_status status = weir_recorder_join(run->recorder, err);
    weir_capture_stop(run->capture);
    weir_status captured = weir_capture_join(run->capture, &capture_err);
    if (status == WEIR_PIPE_CLOSED) {
        return status;
    }
    bool complete = status == WEIR_OK && run->settings->max_size_bytes == 0;
    weir_error books_err = {0};
    weir_status books = accounts(run, complete, &books_err);
    say_what_is_unmarked(run);
    if (status == WEIR_OK && captured != WEIR_OK) {
        return weir_fail(err, captured, "%s", capture_err.text);
    }
    return status == WEIR_OK && books != WEIR_OK ? weir_fail(err, books, "%s", books_err.text)
                                                 : status;
}

weir_status weir_cmd_record(const weir_settings *settings, int n_arguments, char **arguments,
                            weir_error *err)
{
    (void)n_arguments;
    record_run run = {
        .settings = settings,
        .shows_progress = !settings->quiet && isatty(STDERR_FILENO),
    };
    weir_status status = check_settings(settings, err);
    if (status == WEIR_OK && settings->alerts.n > 0) {
        return weir_record_with_alerts(settings, arguments[0], err);
    }
    if (status == WEIR_OK) {
        status = weir_alerts_check(settings, err);
    }
    if (status == WEIR_OK) {
        status = open_all(&run, arguments[0], err);
    }
    if (status == WEIR_OK) {
        status = run_to_end(&run, err);
    }
    weir_recorder_destroy(run.recorder);
    weir_capture_destroy(run.capture);
    weir_source_close(run.source);
    return status;
}
