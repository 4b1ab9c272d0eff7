#include "app/alerts.h"

#include "app/alert_actions.h"
#include "app/alert_clips.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/record.h"
#include "display/json_out.h"
#include "dsp/alert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_A_TIME 5 /* of a rule: so finely it should be seen */

struct weir_alerts {
    weir_alerts_config config;
    weir_alert alerts[WEIR_MAX_OUTPUTS];
    bool told_unseen[WEIR_MAX_OUTPUTS];
    unsigned n;
    weir_alert_actions *actions;
    weir_alert_clips *clips; /* NULL: no recordings */
    weir_line line;
};

/* ---- opening ---- */

static weir_status parse_rule(const weir_settings *s, unsigned i, weir_alert_rule *rule,
                              weir_error *err)
{
    if (weir_alert_parse(s->alerts.paths[i], rule, err) != WEIR_OK) {
        return weir_fail_context(err, "--alert");
    }
    if (!rule->name[0]) {
        snprintf(rule->name, sizeof rule->name, "alert%u", i + 1);
    }
    return WEIR_OK;
}

double weir_alerts_line_seconds(const weir_settings *s, double most_seconds)
{
    double shortest = most_seconds * LINES_A_TIME;
    for (unsigned i = 0; i < s->alerts.n; i++) {
        weir_alert_rule rule;
        if (parse_rule(s, i, &rule, NULL) == WEIR_OK && rule.for_seconds > 0) {
            shortest = fmin(shortest, rule.for_seconds);
        }
    }
    return shortest / LINES_A_TIME;
}

weir_status weir_alerts_check(const weir_settings *s, weir_error *err)
{
    if (s->alerts.n == 0 && (s->alert_run || s->alert_record || s->alert_log || s->alert_shell)) {
        return weir_fail(err, WEIR_ERR_USAGE, "there is no --alert that this could be for");
    }
    if (s->alert_shell && !s->alert_run) {
        return weir_fail(err, WEIR_ERR_USAGE, "--alert-shell: there is no --alert-run");
    }
    for (unsigned i = 0; i < s->alerts.n; i++) {
        weir_alert_rule rule;
        weir_status status = parse_rule(s, i, &rule, err);
        if (status != WEIR_OK) {
            return status;
        }
    }
    return s->alert_record ? weir_alert_clips_check(s->alert_record, err) : WEIR_OK;
}

static weir_status check_unit(const weir_alerts *a, const weir_alert_rule *rule, weir_error *err)
{
    const char *unit = a->config.stream->scale.unit;
    if (rule->unit[0] && strcmp(rule->unit, unit) != 0) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--alert: levels are in %s here, not in %s (--unit and --offset set it)",
                         unit, rule->unit);
    }
    return WEIR_OK;
}

static double line_seconds(const weir_alerts *a)
{
    const weir_stream_info *stream = a->config.stream;
    double frames = (double)(stream->frames_per_spectrum ? stream->frames_per_spectrum : 1);
    return (frames * (double)stream->hop + (double)stream->n_fft) / stream->rate_hz;
}

/* A rule can only be counted in lines: a burst that fills a part of one fills it. */
static void say_too_long_lines(const weir_alerts *a)
{
    double line = line_seconds(a);
    for (unsigned i = 0; i < a->n && !(a->config.round_seconds > 0); i++) {
        const weir_alert_rule *rule = &a->alerts[i].rule;
        if (rule->for_seconds > 0 && line > rule->for_seconds / 2) {
            weir_log(WEIR_LOG_WARNING,
                     "--alert %s: lines of %.3g ms cannot tell %.3g ms from shorter times: take "
                     "--average %.3gms, or a smaller --fft",
                     rule->name, 1e3 * line, 1e3 * rule->for_seconds,
                     1e3 * rule->for_seconds / LINES_A_TIME);
        }
    }
}

/* Back to where the longest rule begins to count, with the line it is seen in: the line before
 * it, or the round. */
static double history_seconds(const weir_alerts *a)
{
    double longest = 0, round = a->config.round_seconds;
    for (unsigned i = 0; i < a->n; i++) {
        longest = fmax(longest, a->alerts[i].rule.for_seconds);
    }
    double line = round > 0 ? round : line_seconds(a);
    return longest + 2 * line + (longest > 0 ? a->config.idle_seconds : 0);
}

static weir_status open_clips(weir_alerts *a, weir_error *err)
{
    const weir_settings *s = a->config.settings;
    const weir_record_config file = {.path = s->alert_record, .info = a->config.info};
    if (a->config.round_seconds > 0 && !weir_record_marks_gaps(&file)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--alert-record: only SigMF keeps the tunings of a sweep apart: name it "
                         "{n}.sigmf-meta");
    }
    weir_alert_clips_config config = {
        .pattern = s->alert_record,
        .info = a->config.info,
        .before_seconds = isnan(s->alert_before_seconds) ? 1 : s->alert_before_seconds,
        .after_seconds = isnan(s->alert_after_seconds) ? 1 : s->alert_after_seconds,
        .longest_seconds = s->alert_longest_seconds > 0 ? s->alert_longest_seconds : 60,
        .look_back_seconds = history_seconds(a),
        .most_samples = a->config.most_samples,
    };
    return weir_alert_clips_open(&a->clips, &config, err);
}

weir_status weir_alerts_open(weir_alerts **out, const weir_alerts_config *config, weir_error *err)
{
    *out = NULL;
    const weir_settings *s = config->settings;
    if (s->alerts.n == 0) {
        return WEIR_OK;
    }
    weir_alerts *a = calloc(1, sizeof *a);
    if (!a) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    a->config = *config;
    weir_status status = WEIR_OK;
    for (a->n = 0; a->n < s->alerts.n && status == WEIR_OK; a->n++) {
        weir_alert_rule *rule = &a->alerts[a->n].rule;
        status = parse_rule(s, a->n, rule, err);
        status = status == WEIR_OK ? check_unit(a, rule, err) : status;
    }
    if (status == WEIR_OK && s->alert_record) {
        status = open_clips(a, err);
    }
    if (status == WEIR_OK) {
        weir_alert_actions_config actions = {.log = s->alert_log,
                                             .to_stderr = config->stdout_is_taken,
                                             .command = s->alert_run,
                                             .shell = s->alert_shell};
        status = weir_alert_actions_open(&a->actions, &actions, err);
        say_too_long_lines(a);
    }
    if (status != WEIR_OK) {
        weir_alerts_destroy(a);
        return status;
    }
    *out = a;
    return WEIR_OK;
}

void weir_alerts_destroy(weir_alerts *a)
{
    if (a) {
        weir_alert_clips_destroy(a->clips);
        weir_alert_actions_destroy(a->actions);
        weir_line_free(&a->line);
        free(a);
    }
}

/* ---- telling ---- */

static void put_json(weir_alerts *a, const weir_alert_rule *rule, const weir_alert_event *event,
                     const char *file, const char *utc)
{
    weir_json json = {.line = &a->line};
    char unit[32];
    bool ends = event->kind == WEIR_ALERT_ENDS;
    a->line.used = 0;
    weir_json_open(&json, NULL, '{');
    weir_json_string(&json, "schema", "weir.alert/1");
    weir_json_string(&json, "rule", rule->name);
    weir_json_string(&json, "event", ends ? "end" : "begin");
    weir_json_string(&json, "measure", rule->is_peak ? "peak" : "band");
    weir_json_exact(&json, "low_hz", rule->low_hz);
    weir_json_exact(&json, "high_hz", rule->high_hz);
    weir_json_string(&json, "comparison", rule->is_below ? "<" : ">");
    weir_json_number(&json, "threshold_db", rule->level_db);
    weir_json_number(&json, "level_db", event->level_db);
    weir_json_number(&json, "extreme_db", event->extreme_db);
    weir_json_string(&json, "unit",
                     rule->is_peak ? weir_scale_unit(&a->config.stream->scale, unit, sizeof unit)
                                   : a->config.stream->scale.unit);
    weir_json_number(&json, "time_s", (double)event->first_sample / a->config.stream->rate_hz);
    weir_json_string(&json, "utc", utc[0] ? utc : NULL);
    weir_json_unsigned(&json, "first_sample", event->first_sample);
    weir_json_unsigned(&json, "end_sample", event->end_sample);
    weir_json_number(&json, "seconds", event->seconds);
    weir_json_string(&json, "file", file && file[0] ? file : NULL);
    weir_json_close(&json, '}');
    weir_line_text(&a->line, "\n");
}

static void tell(weir_alerts *a, unsigned i, const weir_alert_event *event)
{
    const weir_alert_rule *rule = &a->alerts[i].rule;
    weir_alert_post post = {.runs_command = event->kind == WEIR_ALERT_BEGINS, .rule_index = i};
    const char *file = a->clips ? weir_alert_clips_file(a->clips, i) : NULL;
    if (event->time_unix_ns != INT64_MIN) {
        weir_format_utc(post.time, sizeof post.time, event->time_unix_ns, 6);
    }
    put_json(a, rule, event, file, post.time);
    if (file && a->line.used >= sizeof post.json) { /* control characters, written with six each */
        weir_log(WEIR_LOG_WARNING, "alert %s: told without its recording, whose path is too long",
                 rule->name);
        file = NULL;
        put_json(a, rule, event, file, post.time);
    }
    if (a->line.out_of_memory) {
        return;
    }
    memcpy(post.json, a->line.text, a->line.used);
    snprintf(post.rule, sizeof post.rule, "%s", rule->name);
    snprintf(post.event, sizeof post.event, "%s",
             event->kind == WEIR_ALERT_BEGINS ? "begin" : "end");
    weir_snprintf(post.level_db, sizeof post.level_db, "%.2f", event->level_db);
    snprintf(post.file, sizeof post.file, "%s", file ? file : "");
    weir_alert_actions_post(a->actions, &post);
}

static void happened(weir_alerts *a, unsigned i, const weir_alert_event *event)
{
    const weir_alert_rule *rule = &a->alerts[i].rule;
    if (a->clips && event->kind == WEIR_ALERT_BEGINS) {
        weir_alert_clips_begin(a->clips, i, rule, event);
    }
    tell(a, i, event);
    if (a->clips && event->kind == WEIR_ALERT_ENDS) {
        weir_alert_clips_end(a->clips, i, rule, event);
    }
}

/* ---- the stream ---- */

void weir_alerts_samples(weir_alerts *a, const weir_ring_segment *segment, uint64_t first_sample,
                         const void *samples, size_t n_samples)
{
    if (a && a->clips) {
        weir_alert_clips_samples(a->clips, segment, first_sample, samples, n_samples);
    }
}

static void say_unseen(weir_alerts *a, unsigned i, const weir_spectrum *spectrum)
{
    if (!a->told_unseen[i] && !weir_alert_sees(&a->alerts[i].rule, spectrum)) {
        a->told_unseen[i] = true;
        weir_log(WEIR_LOG_WARNING,
                 "--alert %s: its band lies outside what is received, %.6f to %.6f MHz",
                 a->alerts[i].rule.name, 1e-6 * spectrum->start_hz,
                 1e-6 * (spectrum->start_hz + (double)spectrum->n_bins * spectrum->bin_hz));
    }
}

void weir_alerts_spectrum(weir_alerts *a, const weir_spectrum *spectrum)
{
    weir_trace trace = a ? weir_settings_trace(a->config.settings) : WEIR_TRACE_MEAN;
    for (unsigned i = 0; a && i < a->n; i++) {
        weir_alert_event event;
        if (!(a->config.round_seconds > 0)) {
            say_unseen(a, i, spectrum);
        }
        if (weir_alert_update(&a->alerts[i], spectrum, trace, &a->config.stream->scale, &event)) {
            happened(a, i, &event);
        }
    }
    if (a) {
        weir_alerts_known(a, spectrum->first_sample);
    }
}

void weir_alerts_known(weir_alerts *a, uint64_t sample)
{
    if (a && a->clips) {
        weir_alert_clips_advance(a->clips, sample);
    }
}

weir_status weir_alerts_finish(weir_alerts *a, weir_error *err)
{
    weir_error clips_err = {0};
    weir_alert_event event;
    if (!a) {
        return WEIR_OK;
    }
    for (unsigned i = 0; i < a->n; i++) {
        if (weir_alert_finish(&a->alerts[i], &event)) {
            happened(a, i, &event);
        }
    }
    weir_status clips = a->clips ? weir_alert_clips_finish(a->clips, &clips_err) : WEIR_OK;
    weir_status status = weir_alert_actions_finish(a->actions, err);
    return clips != WEIR_OK ? weir_fail(err, clips, "%s", clips_err.text) : status;
}
