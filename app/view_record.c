#include "app/view_record.h"

#include "app/clips_closing.h"
#include "base/log.h"
#include "base/stamp.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/backlog.h"
#include "capture/recorder.h"
#include "weir_config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_BEFORE_SECONDS 1.0
#define USUAL_BEFORE_BYTES 64e6 /* nobody asked for it: not more than that */
#define RING_SECONDS 2.0        /* what the disk may pause */
#define LEAST_RING_BYTES 8e6
#define MOST_RING_BYTES 256e6

/* What a recording of the source needs to know. */
typedef struct stream {
    weir_source_info info;
    bool is_there;
    uint64_t generation; /* of sources and rates */
    size_t most_samples; /* that are shown before the spectrum they are part of */
    double center_hz;    /* of the newest segment */
    uint64_t n_before;   /* samples */
    uint64_t n_history;  /* that the history may hold */
} stream;

struct weir_view_record {
    const weir_settings *settings;
    pthread_mutex_t lock; /* all below; held for no longer than a copy of samples takes */
    stream stream;
    weir_backlog *history;
    weir_clip now;
    size_t stride_bytes; /* of its samples */
    bool is_fresh;       /* nothing was pushed yet */
    bool is_over;        /* nothing more will be   */

    /* The main thread's. */
    weir_clips_closing closing;
    weir_view_recording shown;
};

weir_status weir_view_record_create(weir_view_record **out, const weir_settings *settings,
                                    weir_error *err)
{
    weir_view_record *r = calloc(1, sizeof *r);
    *out = r;
    if (!r) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    r->settings = settings;
    r->closing.who = "";
    pthread_mutex_init(&r->lock, NULL);
    return WEIR_OK;
}

/* ---- the engine's thread ---- */

static weir_status make_history(weir_view_record *r, weir_error *err)
{
    double seconds = r->settings->record_before_seconds;
    const weir_source_info *info = &r->stream.info;
    size_t stride = weir_format_stride_bytes(&info->format);
    double samples = (isnan(seconds) ? USUAL_BEFORE_SECONDS : seconds) * info->rate_hz;
    samples = isnan(seconds) ? fmin(samples, USUAL_BEFORE_BYTES / (double)stride) : samples;
    samples = fmin(samples, 0x1p60);
    r->stream.n_before = (uint64_t)samples;
    r->stream.n_history = r->stream.n_before + r->stream.most_samples + 1;
    weir_status status = weir_backlog_create(&r->history, r->stream.n_history, stride, err);
    return status == WEIR_OK ? status : weir_fail_context(err, "--record-before %g s", seconds);
}

weir_status weir_view_record_source(weir_view_record *r, const weir_source_info *info,
                                    size_t most_samples, weir_error *err)
{
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&r->lock);
    if (r->now.recorder) {
        weir_recorder_end(r->now.recorder);
        r->is_over = true;
    }
    weir_backlog_destroy(r->history);
    r->history = NULL;
    r->stream.generation++;
    if (info) {
        r->stream.info = *info;
        r->stream.info.annotations = NULL; /* the source's own */
        r->stream.info.n_annotations = 0;
        r->stream.center_hz = info->center_hz;
        r->stream.most_samples = most_samples;
        status = make_history(r, err);
    }
    r->stream.is_there = r->history != NULL;
    pthread_mutex_unlock(&r->lock);
    return status;
}

static void push_piece(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples)
{
    weir_view_record *r = user;
    weir_recorder_push(r->now.recorder, segment, first_sample, samples, n_samples,
                       !r->stream.info.is_live);
}

/* A file has one rate: what came at another one can be in no recording that begins from now on. */
static void change_rate(weir_view_record *r, double rate_hz)
{
    weir_error err = {0};
    weir_backlog_destroy(r->history);
    r->history = NULL;
    r->stream.generation++;
    r->stream.info.rate_hz = rate_hz;
    if (make_history(r, &err) != WEIR_OK) {
        weir_log(WEIR_LOG_WARNING, "%s", err.text);
    }
    r->stream.is_there = r->history != NULL;
}

void weir_view_record_samples(weir_view_record *r, const weir_ring_segment *segment,
                              uint64_t first_sample, const void *samples, size_t n_samples)
{
    pthread_mutex_lock(&r->lock);
    if (r->history && segment->rate_hz != r->stream.info.rate_hz) {
        change_rate(r, segment->rate_hz);
    }
    if (r->history) {
        weir_backlog_push(r->history, segment, first_sample, samples, n_samples);
    }
    r->stream.center_hz = segment->center_hz;
    bool records = r->now.recorder && !r->is_over;
    if (records && r->is_fresh) {
        uint64_t before = r->stream.n_before;
        weir_backlog_visit(r->history, first_sample > before ? first_sample - before : 0,
                           push_piece, r);
        r->is_fresh = false;
    } else if (records) {
        push_piece(r, segment, first_sample, samples, n_samples);
    }
    pthread_mutex_unlock(&r->lock);
}

/* ---- the main thread ---- */

void weir_view_record_describe(weir_view_record *r, const char *description)
{
    pthread_mutex_lock(&r->lock);
    weir_snprintf(r->stream.info.description, sizeof r->stream.info.description, "%s", description);
    pthread_mutex_unlock(&r->lock);
}

/* The first format that holds these samples. */
static const char *ending_for(const weir_source_info *info)
{
    static const char *const endings[] = {".sigmf-meta", ".wav"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char path[32];
        weir_error ignored;
        weir_snprintf(path, sizeof path, "x%s", endings[i]);
        weir_record_config config = {.path = path, .info = info};
        if (weir_record_check(&config, &ignored) == WEIR_OK) {
            return endings[i];
        }
    }
    return ".raw";
}

/* "100.3MHz"; nothing for audio. */
static void write_detail(double center_hz, char detail[48])
{
    char text[48];
    size_t n = 0;
    weir_format_hz(text, sizeof text, center_hz, 0.0);
    for (const char *at = text; *at && center_hz != 0.0; at++) {
        if (*at != ' ') {
            detail[n++] = *at;
        }
    }
    detail[n] = '\0';
}

static size_t ring_bytes(const stream *from, size_t stride)
{
    double pause = RING_SECONDS * from->info.rate_hz * (double)stride;
    double history = (double)from->n_history * (double)stride;
    return (size_t)(history + fmin(fmax(pause, LEAST_RING_BYTES), MOST_RING_BYTES));
}

static weir_status open_recording(const weir_view_record *r, const stream *from, weir_clip *clip,
                                  weir_error *err)
{
    char detail[48];
    const weir_source_info *info = &from->info;
    size_t stride = weir_format_stride_bytes(&info->format);
    write_detail(from->center_hz, detail);
    weir_status status = weir_stamp_path(clip->path, sizeof clip->path, r->settings->folder, detail,
                                         ending_for(info), err);
    weir_record_config record = {
        .path = clip->path, .info = info, .recorder = "weir " WEIR_VERSION};
    weir_recorder_config config = {.ring_bytes = ring_bytes(from, stride), .stride_bytes = stride};
    clip->rate_hz = info->rate_hz;
    if (status == WEIR_OK) {
        status = weir_record_open(&config.record, &record, err);
    }
    return status == WEIR_OK ? weir_recorder_create(&clip->recorder, &config, err) : status;
}

/* The file is opened without the lock: a slow disk must not stop the engine's thread. */
static weir_status begin(weir_view_record *r, const stream *from, weir_error *err)
{
    weir_clip clip = {.recorder = NULL};
    weir_status status = open_recording(r, from, &clip, err);
    if (status != WEIR_OK) {
        return status;
    }
    pthread_mutex_lock(&r->lock);
    bool is_there = r->stream.generation == from->generation;
    if (is_there) {
        r->now = clip;
        r->stride_bytes = weir_format_stride_bytes(&from->info.format);
        r->is_fresh = true;
        r->is_over = false;
    }
    pthread_mutex_unlock(&r->lock);
    if (!is_there) {
        weir_recorder_destroy(clip.recorder);
        return weir_fail(err, WEIR_ERR_DATA,
                         "the source or its rate changed before it could be recorded");
    }
    weir_log(WEIR_LOG_NOTICE, "recording to %s", clip.path);
    return WEIR_OK;
}

weir_status weir_view_record_toggle(weir_view_record *r, weir_error *err)
{
    weir_clips_tidy(&r->closing);
    pthread_mutex_lock(&r->lock);
    stream from = r->stream;
    bool begins = !r->now.recorder;
    bool may_end = !begins && r->closing.n < WEIR_MOST_CLOSING;
    if (may_end) {
        weir_clips_close(&r->closing, &r->now);
    }
    pthread_mutex_unlock(&r->lock);
    if (!from.is_there && begins) {
        return weir_fail(err, WEIR_ERR_USAGE, "there is nothing to record");
    }
    if (!begins && !may_end) {
        return weir_fail(err, WEIR_ERR_IO, "the disk has %d recordings still to take",
                         WEIR_MOST_CLOSING);
    }
    return begins ? begin(r, &from, err) : WEIR_OK;
}

bool weir_view_record_state(weir_view_record *r, weir_view_recording *state)
{
    if (pthread_mutex_trylock(&r->lock) != 0) { /* in the middle of a copy */
        *state = r->shown;
        return state->n_bytes > 0;
    }
    weir_recorder *recorder = r->now.recorder;
    r->shown = (weir_view_recording){.n_bytes = 0};
    if (recorder) {
        weir_recorder_totals totals;
        weir_recorder_totals_get(recorder, &totals);
        r->shown.seconds = (double)totals.written / r->now.rate_hz;
        r->shown.n_bytes = totals.written * r->stride_bytes;
    }
    bool is_over = recorder && weir_recorder_is_done(recorder); /* an error, or its source's end */
    if (is_over && r->closing.n < WEIR_MOST_CLOSING) {
        weir_clips_close(&r->closing, &r->now);
    }
    pthread_mutex_unlock(&r->lock);
    weir_clips_tidy(&r->closing);
    *state = r->shown;
    return recorder && !is_over;
}

weir_status weir_view_record_finish(weir_view_record *r, weir_error *err)
{
    if (r->now.recorder) {
        weir_recorder_end(r->now.recorder);
        weir_clips_complete(&r->closing, &r->now);
    }
    return weir_clips_finish(&r->closing, err);
}

void weir_view_record_destroy(weir_view_record *r)
{
    if (!r) {
        return;
    }
    weir_recorder_destroy(r->now.recorder);
    weir_clips_drop(&r->closing);
    weir_backlog_destroy(r->history);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
