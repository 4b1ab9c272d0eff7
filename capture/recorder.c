#include "capture/recorder.h"

#include "base/log.h"
#include "base/thread.h"
#include "capture/utc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_MS 20
#define RING_SECONDS 2
#define LEAST_RING_BYTES ((size_t)8 << 20)
#define MOST_RING_BYTES ((size_t)256 << 20)
#define MOST_BYTES ((size_t)1 << 20) /* a write; so that totals move and ends are seen */

struct weir_recorder {
    weir_record *record;
    weir_ring *ring;
    weir_ring *own_ring;
    size_t stride_bytes;
    pthread_t thread;
    bool threaded;
    atomic_bool done;
    atomic_bool dropping; /* destroyed before its end */
    weir_status status;   /* the thread's; read after join */
    weir_error err;
    _Atomic uint64_t written, lost, gaps, retunes;

    /* The pushing side. */
    bool ended;
    bool any;
    bool seam; /* the next sample must begin a segment */
    uint64_t source_segment;
    uint64_t next_sample;
    uint64_t end_sample; /* of what was pushed, taken or not */

    pthread_mutex_t annotate_lock; /* for the list */
    weir_annotation *annotations;  /* labels owned */
    size_t n_annotations;
};

/* ---- the thread ---- */

static void publish(weir_recorder *r)
{
    weir_record_totals totals;
    weir_record_totals_get(r->record, &totals);
    atomic_store_explicit(&r->written, totals.written, memory_order_relaxed);
    atomic_store_explicit(&r->lost, totals.lost, memory_order_relaxed);
    atomic_store_explicit(&r->gaps, totals.gaps, memory_order_relaxed);
    atomic_store_explicit(&r->retunes, totals.retunes, memory_order_relaxed);
}

/* Writes what is in the ring until its end. *lost_at_end: what the stream lost after that. */
static weir_status drain(weir_recorder *r, uint64_t *lost_at_end, weir_error *err)
{
    weir_ring_view view;
    size_t most = MOST_BYTES / r->stride_bytes + 1;
    while (!atomic_load(&r->dropping) && !weir_record_is_full(r->record)) {
        if (!weir_ring_peek(r->ring, &view)) {
            weir_ring_wait_data(r->ring, 0, WAIT_MS);
            continue;
        }
        size_t n = view.n_samples < most ? view.n_samples : most;
        weir_status status =
            weir_record_write(r->record, &view.segment, view.first_sample, view.samples, n, err);
        publish(r);
        if (status != WEIR_OK) {
            return status;
        }
        if (view.ended && n == view.n_samples) {
            *lost_at_end = view.lost_at_end;
            return WEIR_OK;
        }
        weir_ring_release(r->ring, n);
        if (n == view.n_samples && !view.segment_ends) {
            weir_ring_wait_data(r->ring, 0, WAIT_MS);
        }
    }
    return WEIR_OK;
}

static weir_status annotate_all(weir_recorder *r, weir_error *err)
{
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&r->annotate_lock);
    for (size_t i = 0; i < r->n_annotations && status == WEIR_OK; i++) {
        status = weir_record_annotate(r->record, &r->annotations[i], err);
    }
    pthread_mutex_unlock(&r->annotate_lock);
    return status;
}

static void *thread_main(void *arg)
{
    weir_recorder *r = arg;
    uint64_t lost_at_end = 0;
    weir_error finish_err = {0};
    r->status = drain(r, &lost_at_end, &r->err);
    weir_ring_cancel(r->ring); /* a producer that waits for room does not wait for us */
    if (!atomic_load(&r->dropping) && r->status != WEIR_PIPE_CLOSED) {
        weir_status finished = annotate_all(r, &finish_err);
        if (finished == WEIR_OK) {
            finished = weir_record_finish(r->record, lost_at_end, &finish_err);
        }
        if (r->status == WEIR_OK && finished != WEIR_OK) {
            r->status = finished;
            r->err = finish_err;
        } else if (finished != WEIR_OK) {
            weir_log(WEIR_LOG_WARNING, "the recording could not be completed: %s", finish_err.text);
        }
    }
    publish(r);
    atomic_store(&r->done, true);
    return NULL;
}

/* ---- create and destroy ---- */

size_t weir_recorder_ring_bytes(const weir_source_info *info)
{
    double wanted = RING_SECONDS * info->rate_hz * (double)weir_format_stride_bytes(&info->format);
    return wanted < (double)LEAST_RING_BYTES  ? LEAST_RING_BYTES
           : wanted > (double)MOST_RING_BYTES ? MOST_RING_BYTES
                                              : (size_t)wanted;
}

static weir_status start_thread(weir_recorder *r, weir_error *err)
{
    weir_status status = weir_thread_start(&r->thread, "weir-recorder", thread_main, r, err);
    r->threaded = status == WEIR_OK;
    return status == WEIR_OK ? status : weir_fail_context(err, "recorder");
}

weir_status weir_recorder_create(weir_recorder **out, const weir_recorder_config *config,
                                 weir_error *err)
{
    *out = NULL;
    weir_recorder *r = calloc(1, sizeof *r);
    if (!r) {
        weir_record_destroy(config->record);
        return weir_fail(err, WEIR_ERR_NOMEM, "recorder: out of memory");
    }
    pthread_mutex_init(&r->annotate_lock, NULL);
    r->record = config->record;
    r->ring = config->ring;
    r->stride_bytes = config->stride_bytes;
    weir_status status = WEIR_OK;
    if (!r->ring) {
        status = weir_ring_create_for_segments(&r->own_ring, config->ring_bytes,
                                               config->stride_bytes, config->ring_segments, err);
        r->ring = r->own_ring;
    }
    if (status == WEIR_OK) {
        status = start_thread(r, err);
    }
    if (status != WEIR_OK) {
        weir_recorder_destroy(r);
        return status;
    }
    *out = r;
    return WEIR_OK;
}

void weir_recorder_destroy(weir_recorder *r)
{
    if (!r) {
        return;
    }
    if (r->threaded) {
        atomic_store(&r->dropping, true);
        pthread_join(r->thread, NULL);
    }
    weir_record_destroy(r->record);
    weir_ring_destroy(r->own_ring);
    for (size_t i = 0; i < r->n_annotations; i++) {
        free((char *)(uintptr_t)r->annotations[i].label);
    }
    free(r->annotations);
    pthread_mutex_destroy(&r->annotate_lock);
    free(r);
}

/* ---- pushing ---- */

/* The ring counts from the mark on, so that the mark stands for the first sample pushed. */
static bool begin_segment(weir_recorder *r, const weir_ring_segment *segment, uint64_t first)
{
    uint64_t ahead = first - segment->first_sample;
    weir_ring_segment mine = *segment;
    mine.first_sample = first;
    mine.lost_before = r->any ? first - r->next_sample : 0;
    mine.time_unix_ns = weir_time_after(segment->time_unix_ns, ahead, segment->rate_hz);
    return weir_ring_begin_segment(r->ring, &mine);
}

/* As many as fit; a seam if there must be one. */
static size_t push_some(weir_recorder *r, const weir_ring_segment *segment, uint64_t first_sample,
                        const void *samples, size_t n_samples)
{
    size_t room = 0;
    void *place = weir_ring_reserve(r->ring, &room);
    bool new_segment = !r->any || r->seam || segment->segment != r->source_segment ||
                       first_sample != r->next_sample;
    size_t n = n_samples < room ? n_samples : room;
    if (n > 0 && new_segment) {
        n = begin_segment(r, segment, first_sample) ? n : 0;
    }
    if (n > 0) {
        memcpy(place, samples, n * r->stride_bytes);
        weir_ring_commit(r->ring, n);
        r->any = true;
        r->seam = false;
        r->source_segment = segment->segment;
        r->next_sample = first_sample + n;
    }
    return n;
}

/* False: there will be none, the recorder is done. */
static bool wait_for_room(const weir_recorder *r, size_t n_samples)
{
    size_t quarter = weir_ring_capacity_samples(r->ring) / 4;
    size_t n = n_samples < quarter ? n_samples : quarter;
    const struct timespec step = {.tv_nsec = 1000000};
    nanosleep(&step, NULL); /* also where it is the queue of marks that is full */
    while (!weir_ring_cancelled(r->ring)) {
        if (weir_ring_wait_space(r->ring, n, WAIT_MS)) {
            return true;
        }
    }
    return false;
}

void weir_recorder_push(weir_recorder *r, const weir_ring_segment *segment, uint64_t first_sample,
                        const void *samples, size_t n_samples, bool waits)
{
    const unsigned char *at = samples;
    r->end_sample = first_sample + n_samples;
    while (n_samples > 0) {
        size_t n = push_some(r, segment, first_sample, at, n_samples);
        at += n * r->stride_bytes;
        first_sample += n;
        n_samples -= n;
        if (n_samples > 0 && (!waits || !wait_for_room(r, n_samples))) {
            break;
        }
    }
    r->seam = n_samples > 0;
}

void weir_recorder_end(weir_recorder *r)
{
    if (r->own_ring && !r->ended) {
        r->ended = true;
        weir_ring_close(r->own_ring, r->any ? r->end_sample - r->next_sample : 0);
    }
}

/* ---- control ---- */

bool weir_recorder_is_done(const weir_recorder *r)
{
    return atomic_load(&r->done);
}

void weir_recorder_totals_get(const weir_recorder *r, weir_recorder_totals *totals)
{
    *totals = (weir_recorder_totals){
        .written = atomic_load_explicit(&r->written, memory_order_relaxed),
        .lost = atomic_load_explicit(&r->lost, memory_order_relaxed),
        .gaps = atomic_load_explicit(&r->gaps, memory_order_relaxed),
        .retunes = atomic_load_explicit(&r->retunes, memory_order_relaxed),
    };
}

weir_status weir_recorder_join(weir_recorder *r, weir_error *err)
{
    if (r->threaded) {
        pthread_join(r->thread, NULL);
        r->threaded = false;
    }
    return r->status == WEIR_OK ? WEIR_OK : weir_fail(err, r->status, "%s", r->err.text);
}

weir_status weir_recorder_annotate(weir_recorder *r, const weir_annotation *annotation,
                                   weir_error *err)
{
    weir_status status = WEIR_OK;
    char *label = strdup(annotation->label ? annotation->label : "");
    pthread_mutex_lock(&r->annotate_lock);
    size_t n = r->n_annotations;
    weir_annotation *more = realloc(r->annotations, (n + 1) * sizeof *more);
    if (more) {
        r->annotations = more;
    }
    if (more && label) {
        more[n] = *annotation;
        more[n].label = label;
        r->n_annotations = n + 1;
    } else {
        free(label);
        status = weir_fail(err, WEIR_ERR_NOMEM, "recorder: out of memory");
    }
    pthread_mutex_unlock(&r->annotate_lock);
    return status;
}
