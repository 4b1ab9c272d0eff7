#include "app/view_once.h"

#include "app/pipeline.h"
#include "app/signals.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_COLUMNS 120
#define USUAL_ROWS 40
#define MOST_CELLS 1000

typedef struct view_size {
    size_t n_columns, n_rows;
} view_size;

typedef struct once {
    weir_view *view;
    weir_pipeline *pipeline;
    uint64_t most_lines; /* 0: all of the duration */
    weir_totals shown;   /* of the lines shown: how far the source had got is chance */
    bool is_full;
} once;

static void count(weir_totals *t, const weir_spectrum *spectrum)
{
    t->lost += spectrum->lost_before + spectrum->lost_inside;
    t->clipped += spectrum->clipped;
    t->nonfinite += spectrum->nonfinite;
    t->received = spectrum->end_sample;
    t->n_frames += spectrum->n_frames;
    t->n_spectra++;
}

static uint64_t place_of(void *user, uint64_t stream_sample)
{
    once *run = user;
    return weir_pipeline_place_of(run->pipeline, stream_sample);
}

static weir_status open_offscreen(once *run, weir_view_config *config, weir_error *err)
{
    const weir_stream_info *stream = weir_pipeline_stream(run->pipeline);
    config->actions = (weir_view_actions){.user = run, .place_of = place_of};
    config->is_replay = false;
    config->notes = stream->notes;
    config->n_notes = stream->n_notes;
    return weir_view_open_offscreen(&run->view, config, stream, err);
}

static weir_status parse_side(const char *text, size_t length, size_t *side, weir_error *err)
{
    char digits[16];
    uint64_t value = 0;
    if (length == 0 || length >= sizeof digits) {
        return weir_fail(err, WEIR_ERR_USAGE, "--size: write COLUMNSxROWS, as 120x40");
    }
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (weir_parse_count(digits, &value, NULL) != WEIR_OK || value < 1 || value > MOST_CELLS) {
        return weir_fail(err, WEIR_ERR_USAGE, "--size: \"%s\" is not in 1 .. %d", digits,
                         MOST_CELLS);
    }
    *side = (size_t)value;
    return WEIR_OK;
}

/* "COLUMNSxROWS"; NULL: the terminal's on standard output, else 120x40. */
static weir_status parse_size(const char *text, view_size *size, weir_error *err)
{
    struct winsize now;
    *size = (view_size){USUAL_COLUMNS, USUAL_ROWS};
    if (!text) {
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) == 0 && now.ws_col > 0 && now.ws_row > 1) {
            *size = (view_size){now.ws_col, now.ws_row - 1u}; /* a row for the prompt */
        }
        return WEIR_OK;
    }
    const char *x = strchr(text, 'x');
    size_t length = x ? (size_t)(x - text) : 0;
    weir_status status = parse_side(text, length, &size->n_columns, err);
    return status == WEIR_OK ? parse_side(x + 1, strlen(x + 1), &size->n_rows, err) : status;
}

static weir_status on_spectrum(void *user, const weir_spectrum *spectrum, weir_error *err)
{
    once *run = user;
    (void)err;
    if (run->most_lines == 0 || weir_view_lines(run->view) < run->most_lines) {
        weir_view_push(run->view, spectrum);
        count(&run->shown, spectrum);
    } else {
        run->is_full = true;
        weir_pipeline_stop(run->pipeline); /* what the ring still holds is accounted, not shown */
    }
    return WEIR_OK;
}

static bool on_tick(void *user)
{
    (void)user;
    return !weir_signals_caught();
}

static weir_status draw(const weir_settings *settings, weir_view *view, weir_error *err)
{
    view_size size;
    weir_status status = parse_size(settings->size, &size, err);
    if (status == WEIR_OK && !weir_view_fit_history(view, size.n_columns, size.n_rows)) {
        status = weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    if (status == WEIR_OK && settings->once) {
        status = weir_view_print(view, size.n_columns, size.n_rows, stdout, err);
    }
    if (status == WEIR_OK && settings->png) {
        status = weir_view_save_png(view, size.n_columns, size.n_rows, settings->png, err);
    }
    return status;
}

static weir_status run_to_the_end(once *run, const weir_settings *settings, weir_error *err)
{
    view_size size;
    weir_totals totals;
    weir_status status = parse_size(settings->size, &size, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (isinf(settings->duration_seconds)) {
        run->most_lines = 2 * size.n_rows;
    }
    weir_signals_install();
    status = weir_pipeline_run(run->pipeline, err);
    weir_pipeline_totals(run->pipeline, &totals);
    weir_view_end(run->view, run->is_full ? &run->shown : &totals, NULL); /* has the totals shown */
    return status;
}

weir_status weir_view_once(const weir_settings *settings, const weir_view_config *view_config,
                           const char *source, weir_error *err)
{
    once run = {.view = NULL};
    weir_settings quick = *settings;
    weir_view_config quiet = *view_config;
    weir_pipeline_config config = {
        .settings = &quick,
        .source = source,
        .for_view = true,
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN) | WEIR_TRACE_BIT(WEIR_TRACE_MAX) |
                  WEIR_TRACE_BIT(WEIR_TRACE_MIN),
        .on_spectrum = on_spectrum,
        .on_tick = on_tick,
        .user = &run,
    };
    quick.speed = isnan(settings->speed) ? 0 : settings->speed;
    quick.plan = settings->plan ? settings->plan : 1; /* the same bits every time */
    weir_status status = weir_pipeline_open(&run.pipeline, &config, err);
    if (status == WEIR_OK) {
        status = open_offscreen(&run, &quiet, err);
    }
    if (status == WEIR_OK) {
        status = run_to_the_end(&run, settings, err);
    }
    if (status == WEIR_OK) {
        status = draw(settings, run.view, err);
    }
    weir_view_close(run.view);
    weir_pipeline_close(run.pipeline);
    return status;
}
