/* weir view: the waterfall in the terminal, or text lines where there is none. */
#include "app/commands.h"
#include "app/pipeline.h"
#include "app/progress.h"
#include "app/signals.h"
#include "base/log.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

typedef struct view_run {
    const weir_settings *settings;
    weir_pipeline *pipeline;
    weir_view *view;
    weir_sink *text; /* instead of a view */
    atomic_bool stop;
    weir_status status; /* of the engine's thread, after it ended */
    weir_error *err;
} view_run;

static weir_status on_spectrum(void *user, const weir_spectrum *spectrum, weir_error *err)
{
    view_run *run = user;
    if (run->text) {
        return weir_sink_write(run->text, spectrum, err);
    }
    weir_view_push(run->view, spectrum);
    return WEIR_OK;
}

static bool on_tick(void *user)
{
    view_run *run = user;
    return !atomic_load(&run->stop) && !weir_signals_caught();
}

static void set_paused(void *user, bool paused)
{
    view_run *run = user;
    weir_pipeline_set_paused(run->pipeline, paused);
}

static void read_totals(void *user, weir_totals *totals)
{
    view_run *run = user;
    weir_pipeline_totals(run->pipeline, totals);
}

static weir_view_config view_config_of(view_run *run)
{
    const weir_settings *s = run->settings;
    weir_view_config config;
    weir_view_config_init(&config);
    config.charset = s->ascii  ? WEIR_CHARSET_ASCII
                     : s->utf8 ? WEIR_CHARSET_UTF8
                               : WEIR_CHARSET_AUTO;
    config.color = (weir_view_color)s->color;
    config.colormap = s->colormap;
    config.low_db = (float)s->levels_db.low;
    config.high_db = (float)s->levels_db.high;
    config.low_hz = s->range_hz.low;
    config.high_hz = s->range_hz.high;
    config.max_fps = s->fps;
    config.exit_at_end = s->exit_at_end;
    config.actions =
        (weir_view_actions){.user = run, .set_paused = set_paused, .totals = read_totals};
    return config;
}

static void *engine_thread(void *user)
{
    view_run *run = user;
    weir_totals totals;
    run->status = weir_pipeline_run(run->pipeline, run->err);
    weir_pipeline_totals(run->pipeline, &totals);
    weir_view_end(run->view, &totals, run->status == WEIR_OK ? NULL : run->err);
    return NULL;
}

/* Only the main thread takes signals: the terminal is its business. */
static int start_thread(pthread_t *thread, view_run *run)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(thread, NULL, engine_thread, run);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

static weir_status run_in_terminal(view_run *run, int *signal_number, weir_error *err)
{
    pthread_t thread;
    int result = start_thread(&thread, run);
    if (result != 0) {
        return weir_fail(err, WEIR_ERR_INTERNAL, "cannot start a thread: %s", strerror(result));
    }
    *signal_number = weir_view_run(run->view);
    atomic_store(&run->stop, true);
    weir_pipeline_set_paused(run->pipeline, false);
    weir_pipeline_stop(run->pipeline);
    pthread_join(thread, NULL);
    return run->status;
}

static weir_status run_as_text(view_run *run, weir_error *err)
{
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = "-";
    config.low_hz = run->settings->range_hz.low;
    config.high_hz = run->settings->range_hz.high;
    config.low_db = (float)run->settings->levels_db.low;
    config.high_db = (float)run->settings->levels_db.high;
    weir_totals totals;
    const weir_sink_class *class_ = weir_sink_class_find("text", "-", err);
    if (!class_) {
        return err->status;
    }
    weir_status status =
        weir_sink_open(&run->text, class_, &config, weir_pipeline_stream(run->pipeline), err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_signals_install();
    status = weir_pipeline_run(run->pipeline, err);
    weir_pipeline_totals(run->pipeline, &totals);
    if (status == WEIR_OK) {
        status = weir_sink_finish(run->text, &totals, err);
    }
    weir_sink_close(run->text);
    return status;
}

/* A terminal that cannot draw (TERM unknown or dumb) gets text lines and a word why. */
static weir_status open_view(view_run *run, weir_error *err)
{
    if (!weir_view_possible()) {
        return WEIR_OK;
    }
    weir_view_config config = view_config_of(run);
    weir_status status =
        weir_view_open(&run->view, &config, weir_pipeline_stream(run->pipeline), err);
    if (status == WEIR_ERR_UNSUPPORTED) {
        weir_log(WEIR_LOG_NOTICE, "%s; showing text lines", err->text);
        return WEIR_OK;
    }
    return status;
}

weir_status weir_cmd_view(const weir_settings *settings, int n_arguments, char **arguments,
                          weir_error *err)
{
    (void)n_arguments;
    int signal_number = 0;
    weir_totals totals;
    view_run run = {.settings = settings, .err = err};
    weir_pipeline_config config = {
        .settings = settings,
        .source = arguments[0],
        .for_view = true,
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN) | WEIR_TRACE_BIT(WEIR_TRACE_MAX),
        .on_spectrum = on_spectrum,
        .on_tick = on_tick,
        .user = &run,
    };
    weir_status status = weir_pipeline_open(&run.pipeline, &config, err);
    if (status == WEIR_OK) {
        status = open_view(&run, err);
    }
    if (status == WEIR_OK) {
        status = run.view ? run_in_terminal(&run, &signal_number, err) : run_as_text(&run, err);
    }
    if (run.pipeline) {
        weir_pipeline_totals(run.pipeline, &totals);
    }
    weir_view_close(run.view); /* before anything is printed */
    if (run.pipeline && status == WEIR_OK) {
        weir_accounts_log(&totals);
    }
    weir_pipeline_close(run.pipeline);
    if (signal_number) {
        weir_signals_raise_again(signal_number);
    }
    return status;
}
