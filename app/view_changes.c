#include "app/view_changes.h"

#include "base/text.h"
#include "dsp/window.h"

#include <math.h>
#include <string.h>

#define LEAST_N 16
#define LEAST_LINE_SECONDS 1e-3
#define MOST_LINE_SECONDS 60.0

void weir_view_changes_init(weir_view_changes *changes, const weir_settings *settings,
                            const weir_stream_info *stream)
{
    size_t decimation = stream->decimation ? (size_t)stream->decimation : 1;
    double n = (double)stream->n_fft, hop = (double)stream->hop;
    *changes = (weir_view_changes){.wanted = *settings, .rate_hz = stream->rate_hz};
    weir_snprintf(changes->window, sizeof changes->window, "%s", stream->window);
    changes->wanted.n_fft = stream->n_fft / decimation; /* the stream counts input samples */
    changes->wanted.rbw_hz = 0;
    changes->wanted.hop = hop > n ? stream->hop / decimation : 0;
    changes->wanted.overlap = hop > n ? NAN : 1 - hop / n;
    changes->line_seconds =
        (double)stream->frames_per_spectrum * (double)stream->hop / stream->rate_hz;
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

static weir_status step_averages(weir_view_changes *c, int steps, weir_error *err)
{
    double seconds = steps > 0 ? 2 * c->line_seconds : c->line_seconds / 2;
    if (!(seconds >= LEAST_LINE_SECONDS && seconds <= MOST_LINE_SECONDS)) {
        return weir_fail(err, WEIR_ERR_USAGE, "a line of %.3g s: it can be %g ms to %g s", seconds,
                         1e3 * LEAST_LINE_SECONDS, MOST_LINE_SECONDS);
    }
    c->line_seconds = seconds;
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
