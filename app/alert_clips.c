#include "app/alert_clips.h"

#include "app/clips_closing.h"
#include "base/stamp.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/backlog.h"
#include "capture/recorder.h"
#include "weir_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RULES 8
#define RING_SECONDS 0.5 /* what the disk may pause, at least */
#define LEAST_RING_BYTES ((size_t)4 << 20)
#define SEGMENTS 256 /* that may come while the history is written */
#define MOST_FILES 1000000u

typedef struct recording {
    weir_clip clip;
    uint64_t first_sample;
    uint64_t next_sample; /* what the recorder has not been given yet */
    uint64_t end_sample;  /* UINT64_MAX while its alert lasts         */
} recording;

struct weir_alert_clips {
    weir_alert_clips_config config;
    weir_backlog *history;
    size_t stride_bytes;
    recording clips[RULES];
    weir_clips_closing closing;
    unsigned next_number;
};

weir_status weir_alert_clips_check(const char *pattern, weir_error *err)
{
    if (!strstr(pattern, "{n}") && !strstr(pattern, "{time}")) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--alert-record %s: every recording would take the place of the last; "
                         "put {n} or {time} into the name",
                         pattern);
    }
    return WEIR_OK;
}

static uint64_t samples_of(const weir_alert_clips *c, double seconds)
{
    double samples = seconds * c->config.info->rate_hz;
    return samples < 0x1p62 ? (uint64_t)samples : UINT64_MAX / 4;
}

weir_status weir_alert_clips_open(weir_alert_clips **out, const weir_alert_clips_config *config,
                                  weir_error *err)
{
    *out = NULL;
    weir_record_config record = {.path = config->pattern, .info = config->info};
    weir_status status = weir_record_check(&record, err);
    if (status != WEIR_OK) {
        return weir_fail_context(err, "--alert-record");
    }
    weir_alert_clips *c = calloc(1, sizeof *c);
    if (!c) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    c->config = *config;
    c->next_number = 1;
    c->closing.who = "--alert-record: ";
    c->stride_bytes = weir_format_stride_bytes(&config->info->format);
    uint64_t capacity = samples_of(c, config->before_seconds + config->look_back_seconds) +
                        config->most_samples + 1;
    status = weir_backlog_create(&c->history, capacity, c->stride_bytes, err);
    if (status != WEIR_OK) {
        weir_fail_context(err, "--alert-before %g s", config->before_seconds);
        free(c);
        return status;
    }
    *out = c;
    return WEIR_OK;
}

/* ---- file names ---- */

/* {n}, {time} and {rule} filled in; false: too long. */
static bool fill_pattern(char *path, size_t size, const char *pattern, unsigned n, const char *time,
                         const char *rule)
{
    char number[16];
    snprintf(number, sizeof number, "%u", n);
    const struct {
        const char *key, *value;
    } keys[] = {{"{n}", number}, {"{time}", time}, {"{rule}", rule}};
    size_t used = 0;
    while (*pattern) {
        const char *part = pattern;
        size_t length = 1, skip = 1;
        for (size_t i = 0; i < 3; i++) {
            if (strncmp(pattern, keys[i].key, strlen(keys[i].key)) == 0) {
                part = keys[i].value;
                length = strlen(part);
                skip = strlen(keys[i].key);
            }
        }
        if (used + length >= size) {
            return false;
        }
        memcpy(path + used, part, length);
        used += length;
        pattern += skip;
    }
    path[used] = '\0';
    return true;
}

/* "20261130T120000.123Z"; a stream without a clock has the time since its beginning. */
static void time_text(const weir_alert_clips *c, const weir_alert_event *event, char text[40])
{
    if (event->time_unix_ns == INT64_MIN) {
        weir_snprintf(text, 40, "%.3fs", (double)event->first_sample / c->config.info->rate_hz);
        return;
    }
    char utc[40];
    weir_format_utc(utc, sizeof utc, event->time_unix_ns, 3);
    size_t n = 0;
    for (const char *at = utc; *at; at++) {
        if (*at != '-' && *at != ':') {
            text[n++] = *at;
        }
    }
    text[n] = '\0';
}

/* A file is there, or will be when a recording of ours is complete. */
static bool is_taken(const weir_alert_clips *c, const char *path)
{
    bool taken = weir_recording_is_there(path);
    for (unsigned i = 0; i < RULES; i++) {
        taken = taken || (c->clips[i].clip.recorder && strcmp(c->clips[i].clip.path, path) == 0);
    }
    for (unsigned i = 0; i < c->closing.n; i++) {
        taken = taken || strcmp(c->closing.clips[i].path, path) == 0;
    }
    return taken;
}

/* The first number whose name is not taken; without {n} it follows the time, from 2 on. */
static bool choose_path(weir_alert_clips *c, const weir_alert_rule *rule,
                        const weir_alert_event *event, char *path, size_t size)
{
    char time[64];
    bool counts = strstr(c->config.pattern, "{n}") != NULL;
    time_text(c, event, time);
    size_t length = strlen(time);
    for (unsigned n = counts ? c->next_number : 1; n < MOST_FILES; n++) {
        if (!counts && n > 1) {
            snprintf(time + length, sizeof time - length, "-%u", n);
        }
        if (!fill_pattern(path, size, c->config.pattern, n, time, rule->name)) {
            return false;
        }
        if (!is_taken(c, path)) {
            c->next_number = counts ? n + 1 : c->next_number;
            return true;
        }
    }
    return false;
}

/* ---- recordings ---- */

static void close_recording(weir_alert_clips *c, recording *now)
{
    weir_clips_tidy(&c->closing);
    if (c->closing.n == WEIR_MOST_CLOSING) { /* a disk that is this slow has to be waited for */
        weir_recorder_end(now->clip.recorder);
        weir_clips_complete(&c->closing, &now->clip);
    } else {
        weir_clips_close(&c->closing, &now->clip);
    }
}

static void push_piece(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples)
{
    const recording *now = user;
    uint64_t left = now->next_sample > first_sample ? now->next_sample - first_sample : 0;
    size_t n = left < n_samples ? (size_t)left : n_samples;
    if (n > 0) {
        weir_recorder_push(now->clip.recorder, segment, first_sample, samples, n, false);
    }
}

static void give_until(weir_alert_clips *c, recording *now, uint64_t sample)
{
    uint64_t from = now->next_sample;
    if (sample > from) {
        now->next_sample = sample;
        weir_backlog_visit(c->history, from, push_piece, now);
    }
}

void weir_alert_clips_advance(weir_alert_clips *c, uint64_t sample)
{
    for (unsigned i = 0; i < RULES; i++) {
        recording *now = &c->clips[i];
        if (!now->clip.recorder) {
            continue;
        }
        uint64_t longest = now->first_sample + samples_of(c, c->config.longest_seconds);
        uint64_t end = now->end_sample < longest ? now->end_sample : longest;
        give_until(c, now, sample < end ? sample : end);
        if (sample >= end || weir_recorder_is_done(now->clip.recorder)) {
            close_recording(c, now);
        }
    }
    weir_clips_tidy(&c->closing);
}

static size_t ring_bytes(const weir_alert_clips *c)
{
    uint64_t history = weir_backlog_end(c->history) - weir_backlog_begin(c->history);
    uint64_t samples = history + samples_of(c, RING_SECONDS) + c->config.most_samples;
    uint64_t bytes = samples * c->stride_bytes;
    return bytes > LEAST_RING_BYTES ? (size_t)bytes : LEAST_RING_BYTES;
}

static weir_status open_recording(weir_alert_clips *c, recording *now, weir_error *err)
{
    weir_recorder_config config = {.ring_bytes = ring_bytes(c),
                                   .ring_segments = weir_backlog_segments(c->history) + SEGMENTS,
                                   .stride_bytes = c->stride_bytes};
    weir_source_info info = *c->config.info;
    now->clip.rate_hz = info.rate_hz;
    weir_record_config record = {
        .path = now->clip.path, .info = &info, .recorder = "weir " WEIR_VERSION};
    weir_status status = weir_record_open(&config.record, &record, err);
    return status == WEIR_OK ? weir_recorder_create(&now->clip.recorder, &config, err) : status;
}

void weir_alert_clips_begin(weir_alert_clips *c, unsigned rule_index, const weir_alert_rule *rule,
                            const weir_alert_event *event)
{
    recording *now = &c->clips[rule_index % RULES];
    weir_error err = {0};
    if (now->clip.recorder) {
        now->end_sample = UINT64_MAX;
        return;
    }
    if (!choose_path(c, rule, event, now->clip.path, sizeof now->clip.path)) {
        weir_status status =
            weir_fail(&err, WEIR_ERR_CANT_CREATE, "%s: no name is left for it", c->config.pattern);
        weir_clips_keep_error(&c->closing, status, &err);
        return;
    }
    weir_status status = open_recording(c, now, &err);
    if (status != WEIR_OK) {
        weir_clips_keep_error(&c->closing, status, &err);
        return;
    }
    uint64_t before = samples_of(c, c->config.before_seconds);
    now->first_sample = event->first_sample > before ? event->first_sample - before : 0;
    now->next_sample = now->first_sample;
    now->end_sample = UINT64_MAX;
}

void weir_alert_clips_end(weir_alert_clips *c, unsigned rule_index, const weir_alert_rule *rule,
                          const weir_alert_event *event)
{
    recording *now = &c->clips[rule_index % RULES];
    if (!now->clip.recorder) {
        return;
    }
    weir_annotation note = {.first_sample = event->first_sample,
                            .n_samples = event->end_sample - event->first_sample,
                            .low_hz = rule->low_hz,
                            .high_hz = rule->high_hz,
                            .label = rule->name};
    weir_error err = {0};
    weir_status status = weir_recorder_annotate(now->clip.recorder, &note, &err);
    if (status != WEIR_OK) {
        weir_clips_keep_error(&c->closing, status, &err);
    }
    now->end_sample = event->end_sample + samples_of(c, c->config.after_seconds);
}

const char *weir_alert_clips_file(const weir_alert_clips *c, unsigned rule_index)
{
    const recording *now = &c->clips[rule_index % RULES];
    return now->clip.recorder ? now->clip.path : NULL;
}

void weir_alert_clips_samples(weir_alert_clips *c, const weir_ring_segment *segment,
                              uint64_t first_sample, const void *samples, size_t n_samples)
{
    weir_backlog_push(c->history, segment, first_sample, samples, n_samples);
}

weir_status weir_alert_clips_finish(weir_alert_clips *c, weir_error *err)
{
    weir_alert_clips_advance(c, weir_backlog_end(c->history));
    for (unsigned i = 0; i < RULES; i++) {
        if (c->clips[i].clip.recorder) {
            close_recording(c, &c->clips[i]);
        }
    }
    return weir_clips_finish(&c->closing, err);
}

void weir_alert_clips_destroy(weir_alert_clips *c)
{
    if (!c) {
        return;
    }
    for (unsigned i = 0; i < RULES; i++) {
        weir_recorder_destroy(c->clips[i].clip.recorder);
    }
    weir_clips_drop(&c->closing);
    weir_backlog_destroy(c->history);
    free(c);
}
