#include "app/view_changes.h"

#include "base/text.h"
#include "dsp/window.h"

#include <math.h>
#include <string.h>

#define LEAST_N 16
#define LEAST_LINE_SECONDS 1e-3
#define MOST_LINE_SECONDS 60.0
#define FIRST_TRACE_SECONDS 1.0
#define MOST_TRACE_FRAMES 1e9

void weir_view_changes_init(weir_view_changes *changes, const weir_settings *settings,
                            const weir_stream_info *stream)
{
    double n = (double)stream->n_fft, hop = (double)stream->hop;
    size_t decimation = stream->decimation ? (size_t)stream->decimation : 1;
    const weir_averages *apart = &stream->averages;
    *changes = (weir_view_changes){.wanted = *settings, .rate_hz = stream->rate_hz};
    weir_snprintf(changes->window, sizeof changes->window, "%s", stream->window);
    changes->wanted.n_fft = stream->n_fft / decimation; /* of what is transformed */
    changes->wanted.rbw_hz = 0;
    changes->wanted.hop = hop > n ? stream->hop / decimation : 0;
    changes->wanted.overlap = hop > n ? NAN : 1 - hop / n;
    uint64_t frames = apart->line_frames ? apart->line_frames : stream->frames_per_spectrum;
    changes->line_seconds = apart->line_seconds > 0 && !apart->line_frames
                                ? apart->line_seconds
                                : (double)frames * hop / stream->rate_hz;
}

static weir_status step_n(weir_view_changes *c, int steps, weir_error *err)
{
    uint64_t n = c->wanted.n_fft;
    if (steps < 0 && n < 2 * LEAST_N) {
        return weir_fail(err, WEIR_ERR_USAGE, "N = %llu is the least here", (unsigned long long)n);
    }
    c->wanted.n_fft = steps > 0 ? 2 * n : n / 2;
    return WEIR_OK;
}

static weir_status step_overlap(weir_view_changes *c, int steps, weir_error *err)
{
    static const double ladder[] = {0, 0.25, 0.5, 0.75, 0.875};
    size_t n = sizeof ladder / sizeof *ladder;
    double now = c->wanted.hop ? -1 : c->wanted.overlap;
    for (size_t i = 0; i < n; i++) {
        size_t at = steps > 0 ? i : n - 1 - i;
        bool is_next = steps > 0 ? ladder[at] > now + 0.01 : ladder[at] < now - 0.01;
        if (is_next) {
            c->wanted.overlap = ladder[at];
            c->wanted.hop = 0;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_ERR_USAGE, "an overlap of %.3g %% is the last step", 100 * now);
}

static size_t window_index(const char *name)
{
    size_t i = 0;
    size_t length = strcspn(name, ":");
    for (; weir_window_at(i); i++) {
        const char *row = weir_window_name(weir_window_at(i));
        if (strncmp(row, name, length) == 0 && row[length] == '\0') {
            break;
        }
    }
    return i;
}

static weir_status step_window(weir_view_changes *c, int steps, weir_error *err)
{
    size_t n = 0;
    const weir_window *window;
    double parameter;
    while (weir_window_at(n)) {
        n++;
    }
    size_t at = window_index(c->window) + (steps > 0 ? 1 : n - 1);
    at = at < n ? at : at - n;
    const char *name = weir_window_name(weir_window_at(at));
    weir_status status = weir_window_parse(name, &window, &parameter, err);
    if (status == WEIR_OK) {
        weir_snprintf(c->window, sizeof c->window, "%s", name);
    }
    return status;
}

static weir_status check_time(const char *what, double seconds, weir_error *err)
{
    return seconds >= LEAST_LINE_SECONDS && seconds <= MOST_LINE_SECONDS
               ? WEIR_OK
               : weir_fail(err, WEIR_ERR_USAGE, "a %s of %.3g s: it can be %g ms to %g s", what,
                           seconds, 1e3 * LEAST_LINE_SECONDS, MOST_LINE_SECONDS);
}

static weir_status step_averages(weir_view_changes *c, int steps, weir_error *err)
{
    double seconds = steps > 0 ? 2 * c->line_seconds : c->line_seconds / 2;
    weir_status status = check_time("line", seconds, err);
    c->line_seconds = status == WEIR_OK ? seconds : c->line_seconds;
    return status;
}

static weir_status step_trace_time(weir_view_changes *c, int steps, weir_error *err)
{
    weir_trace_average *trace = &c->wanted.trace_average;
    double factor = steps > 0 ? 2 : 0.5, seconds = factor * trace->seconds;
    if (trace->kind == WEIR_TRACE_AS_LINES) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "the trace is as the lines; ' gives it an average of its own");
    }
    if (trace->frames) {
        double frames = floor(factor * (double)trace->frames);
        trace->frames = frames < 1                   ? 1
                        : frames > MOST_TRACE_FRAMES ? trace->frames
                                                     : (uint64_t)frames;
        return WEIR_OK;
    }
    weir_status status = check_time("trace", seconds, err);
    trace->seconds = status == WEIR_OK ? seconds : trace->seconds;
    return status;
}

/* As the lines, mean, exponential, and again; times are kept. */
static weir_status step_trace_average(weir_view_changes *c, int steps, weir_error *err)
{
    weir_trace_average *trace = &c->wanted.trace_average;
    const int n = WEIR_TRACE_EXPONENTIAL + 1, now = (int)trace->kind;
    if (!(c->line_seconds > 0)) {
        return weir_fail(err, WEIR_ERR_USAGE, "one line of all: the trace is that line");
    }
    trace->kind = (weir_trace_average_kind)((now + n + steps) % n);
    if (trace->kind == WEIR_TRACE_EXPONENTIAL) {
        trace->frames = 0;
    }
    if (!(trace->seconds > 0)) {
        trace->seconds = FIRST_TRACE_SECONDS;
    }
    return WEIR_OK;
}

weir_status weir_view_changes_step(weir_view_changes *changes, weir_pipeline *pipeline,
                                   weir_view_change change, int steps, weir_error *err)
{
    static weir_status (*const step[])(weir_view_changes *, int, weir_error *) = {
        [WEIR_CHANGE_N] = step_n,
        [WEIR_CHANGE_OVERLAP] = step_overlap,
        [WEIR_CHANGE_WINDOW] = step_window,
        [WEIR_CHANGE_AVERAGES] = step_averages,
        [WEIR_CHANGE_TRACE_TIME] = step_trace_time,
        [WEIR_CHANGE_TRACE_AVERAGE] = step_trace_average,
    };
    weir_view_changes next = *changes;
    weir_status status = step[change](&next, steps, err);
    if (status != WEIR_OK) {
        return status;
    }
    next.wanted.window = next.window;
    if (next.line_seconds > 0) {
        next.wanted.average =
            (weir_line_average){.kind = WEIR_AVERAGE_SECONDS, .seconds = next.line_seconds};
    }
    status = weir_pipeline_reconfigure(pipeline, &next.wanted, err);
    if (status == WEIR_OK) {
        *changes = next;
    }
    return status;
}
