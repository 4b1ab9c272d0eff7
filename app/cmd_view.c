/* weir view: the waterfall in the terminal, or text lines where there is none. */
#include "app/commands.h"
#include "app/pipeline.h"
#include "app/progress.h"
#include "app/signals.h"
#include "app/view_changes.h"
#include "app/view_memory.h"
#include "app/view_once.h"
#include "app/view_record.h"
#include "app/view_settings.h"
#include "app/view_sources.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/units.h"

#include <math.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct view_run {
    const weir_settings *settings;
    weir_view_sources *sources;
    weir_view *view;
    weir_sink *text; /* instead of a view */
    weir_view_record *record;
    weir_view_changes changes; /* with the sources held */
    weir_view_memory memory;   /* of --remember */
    atomic_bool stop;
    weir_status status; /* the first failure of a source; of the engine's thread */
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

static void on_samples(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples)
{
    view_run *run = user;
    if (run->record) {
        weir_view_record_samples(run->record, segment, first_sample, samples, n_samples);
    }
}

static bool on_tick(void *user)
{
    view_run *run = user;
    return !atomic_load(&run->stop) && !weir_signals_caught();
}

static void on_change(void *user, const weir_stream_info *stream)
{
    view_run *run = user;
    if (run->view) {
        weir_view_set_stream(run->view, stream);
    }
}

/* ---- what the view asks for: of the pipeline that is at work just then ---- */

typedef struct held {
    view_run *run;
    weir_pipeline *pipeline; /* is not replaced until release */
} held;

static held hold(void *user)
{
    view_run *run = user;
    return (held){run, weir_view_sources_hold(run->sources)};
}

static void release(const held *now)
{
    weir_view_sources_release(now->run->sources);
}

/* Holds the pipeline at work to the end of the block. */
#define HOLD(now, user) held now __attribute__((cleanup(release))) = hold(user)

static void set_paused(void *user, bool paused)
{
    HOLD(now, user);
    weir_pipeline_set_paused(now.pipeline, paused);
}

static void read_totals(void *user, weir_totals *totals)
{
    HOLD(now, user);
    weir_pipeline_totals(now.pipeline, totals);
}

static weir_status control(void *user, const char *key, double value, weir_error *err)
{
    HOLD(now, user);
    return weir_pipeline_control(now.pipeline, key, value, err);
}

static void describe(void *user, char *text, size_t size)
{
    HOLD(now, user);
    weir_pipeline_describe(now.pipeline, text, size);
    weir_view_record_describe(now.run->record, text);
}

static weir_status transform(void *user, weir_view_change change, int steps, weir_error *err)
{
    HOLD(now, user);
    return weir_view_changes_step(&now.run->changes, now.pipeline, change, steps, err);
}

static weir_status seek(void *user, double seconds, weir_error *err)
{
    HOLD(now, user);
    return weir_pipeline_seek(now.pipeline, seconds, err);
}

static weir_status set_loop(void *user, bool loops, weir_error *err)
{
    HOLD(now, user);
    return weir_pipeline_set_loop(now.pipeline, loops, err);
}

static void set_speed(void *user, double speed)
{
    HOLD(now, user);
    weir_pipeline_set_speed(now.pipeline, speed);
}

static void step(void *user, uint64_t n_samples)
{
    HOLD(now, user);
    weir_pipeline_step(now.pipeline, n_samples);
}

static double position(void *user)
{
    HOLD(now, user);
    return weir_pipeline_position(now.pipeline);
}

static bool at_end(void *user)
{
    HOLD(now, user);
    return weir_pipeline_at_end(now.pipeline);
}

static uint64_t place_of(void *user, uint64_t stream_sample)
{
    HOLD(now, user);
    return weir_pipeline_place_of(now.pipeline, stream_sample);
}

static uint64_t received(void *user)
{
    HOLD(now, user);
    return weir_pipeline_received(now.pipeline);
}

static double gpu_load(void *user)
{
    HOLD(now, user);
    return weir_pipeline_gpu_load(now.pipeline);
}

static weir_status toggle_recording(void *user, weir_error *err)
{
    view_run *run = user;
    return weir_view_record_toggle(run->record, err);
}

static bool recording(void *user, weir_view_recording *state)
{
    view_run *run = user;
    return weir_view_record_state(run->record, state);
}

static weir_status change_source(void *user, int steps, weir_error *err)
{
    view_run *run = user;
    return weir_view_sources_change(run->sources, steps, err);
}

static void quit(void *user)
{
    view_run *run = user;
    atomic_store(&run->stop, true);
    weir_view_sources_quit(run->sources);
}

static double gain_of(const weir_settings *s)
{
    double db = NAN;
    if (s->gain) {
        (void)weir_parse_db(s->gain, &db, NULL); /* "auto" stays what it is */
    }
    return db;
}

/* What depends on the source at work. */
static void describe_source(view_run *run, weir_view_config *config)
{
    weir_pipeline *pipeline = weir_view_sources_hold(run->sources);
    const weir_source_info *info = weir_pipeline_source(pipeline);
    config->notes = weir_pipeline_stream(pipeline)->notes;
    config->n_notes = weir_pipeline_stream(pipeline)->n_notes;
    config->is_replay = !info->is_live;
    config->speed = isnan(run->settings->speed) ? 1 : run->settings->speed;
    config->gain_db = gain_of(run->settings);
    config->loops = run->settings->loop;
    weir_view_changes_init(&run->changes, run->settings, weir_pipeline_stream(pipeline));
    weir_pipeline_hold_at_end(pipeline, !run->settings->exit_at_end);
    config->actions = (weir_view_actions){
        .user = run,
        .set_paused = set_paused,
        .totals = read_totals,
        .control = weir_pipeline_can_control(pipeline) ? control : NULL,
        .describe = describe,
        .moves_center_only = !weir_pipeline_can_tune(pipeline),
        .transform = transform,
        .seek = seek,
        .set_loop = set_loop,
        .set_speed = set_speed,
        .step = step,
        .at_end = at_end,
        .record = toggle_recording,
        .recording = recording,
        .change_source = change_source,
        .position = position,
        .place_of = place_of,
        .received = received,
        .gpu_load = gpu_load,
        .quit = quit,
    };
    weir_view_sources_release(run->sources);
}

static weir_status set_record_source(view_run *run, weir_error *err)
{
    weir_pipeline *pipeline = weir_view_sources_pipeline(run->sources);
    return weir_view_record_source(run->record, weir_pipeline_source(pipeline),
                                   weir_pipeline_most_samples(pipeline), err);
}

/* The source has come to its end, or somebody asked for another one. */
static void end_source(view_run *run, weir_status status, const weir_error *why)
{
    weir_view_sources_book(run->sources);
    (void)weir_view_record_source(run->record, NULL, 0, NULL); /* no error without a source */
    if (status != WEIR_OK && run->status == WEIR_OK) {
        run->status = weir_fail(run->err, status, "%s", why->text);
    }
}

static void end_view(view_run *run, weir_status status, const weir_error *why)
{
    weir_totals totals;
    weir_pipeline_totals(weir_view_sources_pipeline(run->sources), &totals);
    weir_view_end(run->view, &totals, status == WEIR_OK ? NULL : why);
}

static weir_status begin_source(view_run *run, weir_error *err)
{
    weir_view_config config = weir_view_config_of(run->settings);
    describe_source(run, &config);
    const weir_pipeline *pipeline = weir_view_sources_pipeline(run->sources);
    weir_status status =
        weir_view_set_source(run->view, &config, weir_pipeline_stream(pipeline), err);
    return status == WEIR_OK ? set_record_source(run, err) : status;
}

static void *engine_thread(void *user)
{
    view_run *run = user;
    bool goes_on = run->settings->exit_at_end, has_source = true;
    while (has_source) {
        weir_error why = {0};
        weir_status status = weir_pipeline_run(weir_view_sources_pipeline(run->sources), &why);
        end_source(run, status, &why);
        if (!goes_on) {
            end_view(run, status, &why);
        }
        has_source = weir_view_sources_next(run->sources, goes_on);
        if (!has_source && goes_on) {
            end_view(run, status, &why);
        }
        if (has_source && begin_source(run, &why) != WEIR_OK) {
            weir_log(WEIR_LOG_WARNING, "%s", why.text);
        }
    }
    return NULL;
}

static weir_status run_in_terminal(view_run *run, int *signal_number, weir_error *err)
{
    pthread_t thread;
    weir_status status = weir_thread_start(&thread, "weir-engine", engine_thread, run, err);
    if (status != WEIR_OK) {
        return status;
    }
    *signal_number = weir_view_run(run->view);
    pthread_join(thread, NULL);
    return run->status;
}

static weir_status write_text(view_run *run, weir_error *err)
{
    weir_sink_config config;
    weir_pipeline *pipeline = weir_view_sources_pipeline(run->sources);
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
        weir_sink_open(&run->text, class_, &config, weir_pipeline_stream(pipeline), err);
    if (status != WEIR_OK) {
        return status;
    }
    status = weir_pipeline_run(pipeline, err);
    weir_pipeline_totals(pipeline, &totals);
    if (status == WEIR_OK) {
        status = weir_sink_finish(run->text, &totals, err);
    }
    weir_sink_close(run->text);
    run->text = NULL;
    weir_view_sources_book(run->sources);
    return status;
}

/* One source after the other. */
static weir_status run_as_text(view_run *run, weir_error *err)
{
    weir_signals_install();
    weir_status status = write_text(run, err);
    while (status == WEIR_OK && !weir_signals_caught() &&
           weir_view_sources_next(run->sources, true)) {
        status = write_text(run, err);
    }
    return status;
}

/* A terminal that cannot draw (TERM unknown or dumb) gets text lines and a word why. */
static weir_status open_view(view_run *run, weir_error *err)
{
    if (!weir_view_possible()) {
        return WEIR_OK;
    }
    weir_view_config config = weir_view_config_of(run->settings);
    const weir_pipeline *pipeline = weir_view_sources_pipeline(run->sources);
    weir_status status = weir_view_record_create(&run->record, run->settings, err);
    if (status == WEIR_OK) {
        status = set_record_source(run, err);
    }
    if (status == WEIR_OK) {
        describe_source(run, &config);
        status = weir_view_open(&run->view, &config, weir_pipeline_stream(pipeline), err);
    }
    if (status == WEIR_OK) {
        weir_view_memory_show(&run->memory, run->view);
    }
    if (status == WEIR_ERR_UNSUPPORTED) {
        weir_pipeline_hold_at_end(weir_view_sources_pipeline(run->sources), false);
        weir_log(WEIR_LOG_NOTICE, "%s; showing text lines", err->text);
        return WEIR_OK;
    }
    return status;
}

static weir_status open_sources(view_run *run, int n_arguments, char **arguments,
                                const weir_pipeline_config *pipeline, weir_error *err)
{
    weir_view_sources_config config = {
        .arguments = arguments, .n_arguments = n_arguments, .pipeline = pipeline};
    weir_status status = weir_view_sources_open(&run->sources, &config, err);
    return status == WEIR_OK ? open_view(run, err) : status;
}

static void remember(const view_run *run)
{
    bool can_tune = weir_pipeline_can_control(weir_view_sources_pipeline(run->sources));
    weir_view_memory_save(run->settings, weir_view_sources_argument(run->sources), can_tune,
                          run->view);
}

/* Returns whether all could be freed. The terminal is given back before anything is printed. */
static bool close_all(view_run *run, weir_status *status, weir_error *err)
{
    weir_error record_err = {0};
    if (run->view && run->settings->remember) {
        remember(run);
    }
    weir_view_close(run->view);
    weir_status recorded = run->view ? weir_view_record_finish(run->record, &record_err) : WEIR_OK;
    if (run->sources && *status == WEIR_OK) {
        weir_view_sources_log_accounts(run->sources);
    }
    if (*status == WEIR_OK && recorded != WEIR_OK) {
        *status = weir_fail(err, recorded, "%s", record_err.text);
    }
    weir_view_record_destroy(run->record);
    return weir_view_sources_close(run->sources);
}

/* Past what a thread that does not end may still use. */
static void leave_at_once(int signal_number, weir_status status)
{
    if (signal_number) {
        weir_signals_raise_again(signal_number);
    }
    _exit(weir_status_exit_code(status));
}

weir_status weir_cmd_view(const weir_settings *settings, int n_arguments, char **arguments,
                          weir_error *err)
{
    int signal_number = 0;
    weir_settings remembered = *settings; /* shallow: borrows its texts */
    view_run run = {.settings = &remembered, .err = err};
    weir_pipeline_config config = {
        .settings = &remembered,
        .for_view = true,
        .shows_early = weir_view_possible(),
        .gives_up_at_stop = true,
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN) | WEIR_TRACE_BIT(WEIR_TRACE_MAX) |
                  WEIR_TRACE_BIT(WEIR_TRACE_MIN),
        .on_spectrum = on_spectrum,
        .on_samples = on_samples,
        .on_tick = on_tick,
        .on_change = on_change,
        .user = &run,
    };
    if (settings->once || settings->png) {
        weir_view_config view = weir_view_config_of(settings);
        return n_arguments > 1 ? weir_fail(err, WEIR_ERR_USAGE, "--once and --png: of one source")
                               : weir_view_once(settings, &view, arguments[0], err);
    }
    if (settings->remember) {
        weir_view_memory_load(&run.memory);
        weir_view_memory_apply(&run.memory, arguments[0], &remembered);
    }
    weir_status status = open_sources(&run, n_arguments, arguments, &config, err);
    if (status == WEIR_OK) {
        status = run.view ? run_in_terminal(&run, &signal_number, err) : run_as_text(&run, err);
    }
    if (!close_all(&run, &status, err)) {
        leave_at_once(signal_number ? signal_number : weir_signals_caught(), status);
    }
    if (signal_number) {
        weir_signals_raise_again(signal_number);
    }
    return status;
}
