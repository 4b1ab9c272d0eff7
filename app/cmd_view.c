/* weir view: the waterfall in the terminal, or text lines where there is none. */
#include "app/commands.h"
#include "app/pipeline.h"
#include "app/progress.h"
#include "app/signals.h"
#include "app/view_changes.h"
#include "app/view_once.h"
#include "base/log.h"
#include "base/units.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct view_run {
    const weir_settings *settings;
    weir_pipeline *pipeline;
    weir_view *view;
    weir_sink *text; /* instead of a view */
    weir_view_changes changes;
    weir_view_note *notes; /* of the source's annotations */
    size_t n_notes;
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

static void on_change(void *user, const weir_stream_info *stream)
{
    view_run *run = user;
    if (run->view) {
        weir_view_set_stream(run->view, stream);
    }
}

static weir_status control(void *user, const char *key, double value, weir_error *err)
{
    view_run *run = user;
    return weir_pipeline_control(run->pipeline, key, value, err);
}

static weir_status transform(void *user, weir_view_change change, int steps, weir_error *err)
{
    view_run *run = user;
    return weir_view_changes_step(&run->changes, run->pipeline, change, steps, err);
}

static weir_status seek(void *user, double seconds, weir_error *err)
{
    view_run *run = user;
    return weir_pipeline_seek(run->pipeline, seconds, err);
}

static weir_status set_loop(void *user, bool loops, weir_error *err)
{
    view_run *run = user;
    return weir_pipeline_set_loop(run->pipeline, loops, err);
}

static void set_speed(void *user, double speed)
{
    view_run *run = user;
    weir_pipeline_set_speed(run->pipeline, speed);
}

static void step(void *user, uint64_t n_samples)
{
    view_run *run = user;
    weir_pipeline_step(run->pipeline, n_samples);
}

static double position(void *user)
{
    view_run *run = user;
    return weir_pipeline_position(run->pipeline);
}

static uint64_t place_of(void *user, uint64_t stream_sample)
{
    view_run *run = user;
    return weir_pipeline_place_of(run->pipeline, stream_sample);
}

static uint64_t received(void *user)
{
    view_run *run = user;
    return weir_pipeline_received(run->pipeline);
}

/* Without memory for them, the recording is shown without its annotations. */
static void take_notes(view_run *run)
{
    const weir_source_info *info = weir_pipeline_source(run->pipeline);
    run->notes = info->n_annotations ? calloc(info->n_annotations, sizeof *run->notes) : NULL;
    run->n_notes = run->notes ? info->n_annotations : 0;
    for (size_t i = 0; i < run->n_notes; i++) {
        const weir_annotation *a = &info->annotations[i];
        run->notes[i] = (weir_view_note){.first_sample = a->first_sample,
                                         .n_samples = a->n_samples,
                                         .low_hz = a->low_hz,
                                         .high_hz = a->high_hz,
                                         .label = a->label};
    }
}

static double gain_of(const weir_settings *s)
{
    double db = NAN;
    if (s->gain) {
        (void)weir_parse_db(s->gain, &db, NULL); /* "auto" stays what it is */
    }
    return db;
}

/* What depends on the source, once it is open. */
static void describe_source(view_run *run, weir_view_config *config)
{
    const weir_source_info *info = weir_pipeline_source(run->pipeline);
    take_notes(run);
    config->notes = run->notes;
    config->n_notes = run->n_notes;
    config->is_replay = !info->is_live;
    weir_view_changes_init(&run->changes, run->settings, weir_pipeline_stream(run->pipeline));
    config->actions = (weir_view_actions){
        .user = run,
        .set_paused = set_paused,
        .totals = read_totals,
        .control = weir_pipeline_can_control(run->pipeline) ? control : NULL,
        .transform = transform,
        .seek = seek,
        .set_loop = set_loop,
        .set_speed = set_speed,
        .step = step,
        .position = position,
        .place_of = place_of,
        .received = received,
    };
}

static weir_view_config view_config_of(const weir_settings *s)
{
    weir_view_config config;
    weir_view_config_init(&config);
    config.charset = s->ascii  ? WEIR_CHARSET_ASCII
                     : s->utf8 ? WEIR_CHARSET_UTF8
                               : WEIR_CHARSET_AUTO;
    config.color = (weir_view_color)s->color;
    config.pictures = (weir_view_pictures)s->graphics;
    config.colormap = s->colormap;
    config.keys = s->keys;
    config.labels = s->labels;
    config.axis = (weir_view_axis)s->axis;
    config.low_db = (float)s->levels_db.low;
    config.high_db = (float)s->levels_db.high;
    config.low_hz = s->range_hz.low;
    config.high_hz = s->range_hz.high;
    config.max_fps = s->fps;
    config.exit_at_end = s->exit_at_end;
    config.speed = isnan(s->speed) ? 1 : s->speed;
    config.gain_db = gain_of(s);
    config.loops = s->loop;
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
    weir_view_config config = view_config_of(run->settings);
    describe_source(run, &config);
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
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN) | WEIR_TRACE_BIT(WEIR_TRACE_MAX) |
                  WEIR_TRACE_BIT(WEIR_TRACE_MIN),
        .on_spectrum = on_spectrum,
        .on_tick = on_tick,
        .on_change = on_change,
        .user = &run,
    };
    if (settings->once || settings->png) {
        weir_view_config view = view_config_of(settings);
        return weir_view_once(settings, &view, arguments[0], err);
    }
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
    free(run.notes);
    if (signal_number) {
        weir_signals_raise_again(signal_number);
    }
    return status;
}
