#include "capture/capture.h"

#include "capture/writer.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Tuning: the sizes that keep a ring of files inside the L2 cache, and a picture smooth. */
#define FILE_RING_BYTES ((size_t)4 << 20)
#define LEAST_RING_BYTES ((size_t)1 << 20)
#define MOST_RING_BYTES ((size_t)64 << 20)
#define LIVE_RING_SECONDS 0.25
#define PIECE_BYTES ((size_t)256 << 10)
#define PIECE_SECONDS 0.010

#define NEVER_MIND_BEHIND_NS 1000000000 /* later than this (a stopped process): no catching up */
#define LONGEST_SLEEP_NS 20000000
#define PAUSE_STEP_NS 5000000
#define WAIT_SPACE_MS 50
#define JOIN_STEP_NS 2000000

/* When the samples of a paced source are due: the anchor and the samples since. */
typedef struct pacer {
    bool running;
    int64_t anchor_ns; /* CLOCK_MONOTONIC */
    uint64_t anchor_sample;
    uint64_t last_sample; /* published up to here */
    double rate_hz;       /* for which the anchor stands */
    double speed;
} pacer;

struct weir_capture {
    weir_source *source;
    weir_capture_config config;
    weir_ring *ring;
    weir_writer writer;
    pacer pacer;
    bool any_since_rewind;  /* the thread's own, as the pacer */
    size_t piece_samples;   /* the most that one read asks for                     */
    unsigned char *scratch; /* of a live pull source: what finds the ring full     */
    bool threaded;          /* the thread runs or waits to be joined               */
    bool pushing;           /* a push source was started                           */
    pthread_t thread;
    pthread_mutex_t stop_lock; /* stopping a push source: one does, others wait    */
    atomic_bool stop;
    atomic_bool paused;
    _Atomic double speed;
};

static bool is_push(const weir_capture *capture)
{
    return capture->source->class_->start != NULL;
}

static bool giving_up(const weir_capture *capture)
{
    return atomic_load(&capture->stop) || weir_ring_cancelled(capture->ring);
}

/* ---- create and destroy ---- */

static uint64_t to_samples(double seconds, double rate_hz)
{
    double samples = round(seconds * rate_hz);
    return samples < 0x1p63 ? (uint64_t)samples : UINT64_MAX;
}

static weir_status check_source(const weir_source *source, weir_error *err)
{
    const weir_source_info *info = &source->info;
    if (!(info->rate_hz > 0) || !isfinite(info->rate_hz)) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: a sample rate of %g Hz: it must be above 0",
                         info->name, info->rate_hz);
    }
    return WEIR_OK;
}

static weir_status check_config(const weir_source *source, const weir_capture_config *config,
                                weir_error *err)
{
    const weir_source_info *info = &source->info;
    if (!isfinite(config->start_seconds) || config->start_seconds < 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "start: it must be 0 s or later");
    }
    if (!(config->duration_seconds > 0)) {
        return weir_fail(err, WEIR_ERR_USAGE, "duration: it must be above 0 s");
    }
    if (!isfinite(config->speed) || config->speed < 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "speed: 1 is real time, 0 as fast as it goes");
    }
    if (config->loop && (!info->can_seek || !source->class_->seek)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "%s: cannot go back to its beginning, so it cannot "
                         "be looped; a file can",
                         info->name);
    }
    bool has_length = !info->is_live && info->n_samples != WEIR_UNKNOWN_SAMPLES;
    uint64_t start = to_samples(config->start_seconds, info->rate_hz);
    if (start > 0 && has_length && start >= info->n_samples) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "%s: lasts %.6g s, so there is nothing at a start of "
                         "%.6g s",
                         info->name, (double)info->n_samples / info->rate_hz,
                         config->start_seconds);
    }
    return WEIR_OK;
}

static size_t ring_bytes(const weir_source_info *info, const weir_capture_config *config)
{
    if (config->ring_bytes > 0) {
        return config->ring_bytes;
    }
    double stride = (double)weir_format_stride_bytes(&info->format);
    double wanted = LIVE_RING_SECONDS * info->rate_hz * stride;
    size_t least = info->is_live ? LEAST_RING_BYTES : FILE_RING_BYTES;
    if (config->speed == 0 && !info->is_live) {
        return FILE_RING_BYTES;
    }
    if (wanted > (double)MOST_RING_BYTES) {
        return MOST_RING_BYTES;
    }
    return (size_t)wanted > least ? (size_t)wanted : least;
}

static size_t at_least_one(size_t n)
{
    return n > 0 ? n : 1;
}

static weir_status allocate(weir_capture *capture, weir_error *err)
{
    const weir_source_info *info = &capture->source->info;
    size_t stride = weir_format_stride_bytes(&info->format);
    weir_status status =
        weir_ring_create(&capture->ring, ring_bytes(info, &capture->config), stride, err);
    if (status != WEIR_OK) {
        return status;
    }
    size_t quarter = weir_ring_capacity_samples(capture->ring) / 4;
    size_t piece = PIECE_BYTES / stride;
    capture->piece_samples = at_least_one(piece < quarter ? piece : quarter);
    if (info->is_live && !is_push(capture)) {
        capture->scratch = malloc(capture->piece_samples * stride);
        if (!capture->scratch) {
            return weir_fail(err, WEIR_ERR_NOMEM, "capture: out of memory");
        }
    }
    return WEIR_OK;
}

weir_status weir_capture_create(weir_capture **out, weir_source *source,
                                const weir_capture_config *config, weir_error *err)
{
    *out = NULL;
    weir_status status = check_source(source, err);
    status = status == WEIR_OK ? check_config(source, config, err) : status;
    if (status != WEIR_OK) {
        return status;
    }
    weir_capture *capture = calloc(1, sizeof *capture);
    if (!capture) {
        return weir_fail(err, WEIR_ERR_NOMEM, "capture: out of memory");
    }
    capture->source = source;
    capture->config = *config;
    pthread_mutex_init(&capture->stop_lock, NULL);
    atomic_init(&capture->speed, config->speed);
    status = allocate(capture, err);
    if (status != WEIR_OK) {
        weir_capture_destroy(capture);
        return status;
    }
    weir_writer_init(&capture->writer, capture->ring, &source->info, 0,
                     to_samples(config->duration_seconds, source->info.rate_hz));
    *out = capture;
    return WEIR_OK;
}

void weir_capture_destroy(weir_capture *capture)
{
    if (!capture) {
        return;
    }
    if (capture->threaded || capture->pushing) {
        weir_capture_stop(capture);
        weir_capture_join(capture, NULL);
    }
    weir_ring_destroy(capture->ring);
    free(capture->scratch);
    pthread_mutex_destroy(&capture->stop_lock);
    free(capture);
}

/* ---- pacing ---- */

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_ns(int64_t ns)
{
    struct timespec step = {.tv_nsec = (long)(ns < LONGEST_SLEEP_NS ? ns : LONGEST_SLEEP_NS)};
    nanosleep(&step, NULL);
}

/* Nanoseconds until `sample` is due, by a clock that starts anew when rate or speed change. */
static int64_t due_in_ns(pacer *p, uint64_t sample, double rate_hz, double speed)
{
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    if (!p->running || p->rate_hz != rate_hz || p->speed != speed) {
        *p = (pacer){true, now, p->last_sample, p->last_sample, rate_hz, speed};
    }
    double since_ns = (double)(sample - p->anchor_sample) / (rate_hz * speed) * 1e9;
    int64_t left = since_ns < 0x1p62 ? p->anchor_ns + (int64_t)since_ns - now : INT64_MAX;
    if (left < -NEVER_MIND_BEHIND_NS) {
        p->running = false;
    }
    return left;
}

/* Sleeps until the samples before `sample` may be shown. */
static void wait_until_due(weir_capture *capture, uint64_t sample)
{
    pacer *p = &capture->pacer;
    while (!capture->source->info.is_live && !giving_up(capture)) {
        double speed = atomic_load(&capture->speed);
        if (atomic_load(&capture->paused)) {
            p->running = false;
            sleep_ns(PAUSE_STEP_NS);
            continue;
        }
        if (speed == 0) {
            p->running = false;
            break;
        }
        int64_t left = due_in_ns(p, sample, capture->writer.rate_hz, speed);
        if (left <= 0) {
            break;
        }
        sleep_ns(left);
    }
    p->last_sample = sample;
}

/* ---- the thread of a pull source ---- */

static size_t piece_size(const weir_capture *capture)
{
    const weir_writer *w = &capture->writer;
    double speed = capture->source->info.is_live ? 1 : atomic_load(&capture->speed);
    double paced = w->rate_hz * speed * PIECE_SECONDS;
    size_t n = capture->piece_samples;
    if (w->skip_samples > 0) {
        return w->skip_samples < n ? (size_t)w->skip_samples : n;
    }
    if (speed > 0 && paced < (double)n) {
        n = at_least_one((size_t)paced);
    }
    return weir_writer_left(w) < n ? (size_t)weir_writer_left(w) : n;
}

/* Where to read to; *n may shrink. NULL: the wait for room was given up. */
static void *place_for(weir_capture *capture, size_t *n)
{
    if (capture->source->info.is_live) {
        size_t room = *n;
        void *memory = weir_writer_room(&capture->writer, &room);
        *n = room > 0 ? room : *n;
        return room > 0 ? memory : capture->scratch;
    }
    while (!weir_ring_wait_space(capture->ring, *n, WAIT_SPACE_MS)) {
        if (giving_up(capture)) {
            return NULL;
        }
    }
    size_t room = 0;
    return weir_ring_reserve(capture->ring, &room);
}

/* Publishes what was read into the ring; counts as lost what was read into scratch. */
static void publish(weir_capture *capture, const void *place, size_t n)
{
    weir_writer *w = &capture->writer;
    bool fits = place != capture->scratch && weir_writer_ready(w);
    while (!fits && !capture->source->info.is_live && !giving_up(capture)) {
        sleep_ns(1000000);
        fits = weir_writer_ready(w);
    }
    if (fits) {
        weir_writer_commit(w, n);
    } else if (capture->source->info.is_live) {
        w->overflowing = true;
        weir_writer_lost(w, n);
    }
}

/* Throws away what lies before the start; returns how many samples are left at place. */
static size_t skip_some(weir_capture *capture, unsigned char *place, size_t n)
{
    weir_writer *w = &capture->writer;
    if (w->skip_samples == 0) {
        return n;
    }
    size_t skipped = w->skip_samples < n ? (size_t)w->skip_samples : n;
    memmove(place, place + skipped * w->stride_bytes, (n - skipped) * w->stride_bytes);
    weir_writer_skip(w, skipped);
    capture->pacer.last_sample = w->next_sample;
    return n - skipped;
}

static void take(weir_capture *capture, const weir_read *read, void *place)
{
    weir_writer *w = &capture->writer;
    weir_writer_lost(w, read->lost_before);
    if (read->new_segment) {
        weir_writer_seam(w, read->rate_hz, read->center_hz, read->time_unix_ns);
    }
    size_t n = skip_some(capture, place, read->n_samples);
    n = n < weir_writer_left(w) ? n : (size_t)weir_writer_left(w);
    if (w->skip_samples == 0) {
        wait_until_due(capture, w->next_sample + n);
    }
    if (n > 0) {
        publish(capture, place, n);
    }
}

static weir_status move_piece(weir_capture *capture, bool *at_end, weir_error *err)
{
    size_t n = piece_size(capture);
    void *place = place_for(capture, &n);
    if (!place) {
        return WEIR_OK;
    }
    weir_read read = {0};
    weir_source *source = capture->source;
    weir_status status = source->class_->read(source, place, n, &read, err);
    if (status != WEIR_OK) {
        return status;
    }
    assert(read.n_samples <= n);
    take(capture, &read, place);
    capture->any_since_rewind = capture->any_since_rewind || read.n_samples > 0;
    *at_end = read.n_samples == 0;
    return WEIR_OK;
}

/* At the end of the source: back to its beginning, or *done. */
static weir_status end_or_rewind(weir_capture *capture, bool *done, weir_error *err)
{
    weir_source *source = capture->source;
    weir_writer *w = &capture->writer;
    if (w->skip_samples > 0 && !giving_up(capture)) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: ends after %.6g s, before the start at %.6g s",
                         source->info.name, (double)w->next_sample / w->rate_hz,
                         capture->config.start_seconds);
    }
    if (!capture->config.loop || !capture->any_since_rewind) {
        *done = true;
        return WEIR_OK;
    }
    capture->any_since_rewind = false;
    weir_writer_seam(w, source->info.rate_hz, source->info.center_hz, WEIR_UNKNOWN_TIME);
    return source->class_->seek(source, 0, err);
}

static weir_status pump(weir_capture *capture, weir_error *err)
{
    bool done = false;
    while (!done && !giving_up(capture) && weir_writer_left(&capture->writer) > 0) {
        bool at_end = false;
        weir_status status = move_piece(capture, &at_end, err);
        if (status == WEIR_OK && at_end) {
            status = end_or_rewind(capture, &done, err);
        }
        if (status != WEIR_OK) {
            return giving_up(capture) ? WEIR_OK : status; /* an interrupted read is no error */
        }
    }
    return WEIR_OK;
}

/* The start: by seeking where that is possible, else what comes first is thrown away. */
static weir_status go_to_start(weir_capture *capture, weir_error *err)
{
    weir_source *source = capture->source;
    weir_writer *w = &capture->writer;
    uint64_t start = to_samples(capture->config.start_seconds, source->info.rate_hz);
    w->skip_samples = start;
    if (start == 0 || source->info.is_live || !source->info.can_seek || !source->class_->seek) {
        return WEIR_OK;
    }
    weir_writer_skip(w, start);
    capture->pacer.last_sample = start;
    return source->class_->seek(source, start, err);
}

static void *thread_main(void *arg)
{
    weir_capture *capture = arg;
    weir_error err = {0};
    weir_status status = go_to_start(capture, &err);
    status = status == WEIR_OK ? pump(capture, &err) : status;
    err.status = status;
    weir_writer_ended(&capture->writer, &err);
    return NULL;
}

/* ---- control ---- */

static weir_status start_thread(weir_capture *capture, weir_error *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&capture->thread, NULL, thread_main, capture);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        return weir_fail(err, WEIR_ERR_NOMEM, "capture: cannot start a thread: %s",
                         strerror(error));
    }
    pthread_setname_np(capture->thread, "weir-capture");
    capture->threaded = true;
    return WEIR_OK;
}

weir_ring *weir_capture_ring(weir_capture *capture)
{
    return capture->ring;
}

weir_status weir_capture_start(weir_capture *capture, weir_error *err)
{
    weir_source *source = capture->source;
    assert(!capture->threaded && !capture->pushing);
    if (source->info.is_live && source->info.time_unix_ns == WEIR_UNKNOWN_TIME) {
        capture->writer.time_ns = clock_ns(CLOCK_REALTIME);
    }
    if (!is_push(capture)) {
        return start_thread(capture, err);
    }
    capture->writer.skip_samples = to_samples(capture->config.start_seconds, source->info.rate_hz);
    weir_status status = source->class_->start(source, &capture->writer, err);
    capture->pushing = status == WEIR_OK;
    return status;
}

void weir_capture_stop(weir_capture *capture)
{
    weir_source *source = capture->source;
    atomic_store(&capture->stop, true);
    if (!is_push(capture)) {
        if (source->class_->interrupt) {
            source->class_->interrupt(source);
        }
        return;
    }
    pthread_mutex_lock(&capture->stop_lock);
    if (capture->pushing) {
        capture->pushing = false;
        source->class_->stop(source);
        weir_writer_close(&capture->writer);
    }
    pthread_mutex_unlock(&capture->stop_lock);
}

void weir_capture_set_paused(weir_capture *capture, bool paused)
{
    atomic_store(&capture->paused, paused);
}

void weir_capture_set_speed(weir_capture *capture, double speed)
{
    atomic_store(&capture->speed, isfinite(speed) && speed > 0 ? speed : 0);
}

weir_status weir_capture_join(weir_capture *capture, weir_error *err)
{
    if (is_push(capture)) {
        weir_capture_stop(capture);
    } else if (capture->threaded) {
        while (!atomic_load(&capture->writer.closed)) {
            if (atomic_load(&capture->stop)) {
                weir_capture_stop(capture); /* again: the first may have come before the read */
            }
            sleep_ns(JOIN_STEP_NS);
        }
        pthread_join(capture->thread, NULL);
        capture->threaded = false;
    }
    if (err && capture->writer.err.status != WEIR_OK) {
        *err = capture->writer.err;
    }
    return capture->writer.err.status;
}

uint64_t weir_capture_received(const weir_capture *capture)
{
    return atomic_load_explicit(&capture->writer.received, memory_order_relaxed);
}

uint64_t weir_capture_lost(const weir_capture *capture)
{
    return atomic_load_explicit(&capture->writer.lost, memory_order_relaxed);
}
