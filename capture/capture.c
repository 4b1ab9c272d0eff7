#include "capture/capture.h"

#include "base/clock.h"
#include "base/thread.h"
#include "capture/mapping.h"
#include "capture/utc.h"
#include "capture/writer.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
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
#define MAPPED_VIEW_BYTES ((size_t)8 << 20) /* work for several cores, little memory */
#define PIECE_SECONDS 0.010

#define NEVER_MIND_BEHIND_NS 1000000000 /* later than this (a stopped process): no catching up */
#define LONGEST_SLEEP_NS 20000000
#define PAUSE_STEP_NS 5000000
#define WAIT_SPACE_MS 50
#define JOIN_STEP_NS 2000000
#define MAPPED_STEP_NS 500000

/* When the samples of a paced source are due: the anchor and the samples since. */
typedef struct pacer {
    bool running;
    int64_t anchor_ns; /* weir_now_ns */
    uint64_t anchor_sample;
    uint64_t last_sample; /* published up to here */
    double rate_hz;       /* for which the anchor stands */
    double speed;
} pacer;

/* From that stream index on, the recording is read from that sample on. */
typedef struct jump {
    uint64_t stream_sample, place;
} jump;

#define JUMPS 256

struct weir_capture {
    weir_source *source;
    weir_capture_config config;
    weir_ring *ring;
    weir_mapping *mapping; /* NULL: the ring has memory of its own */
    weir_read mapped;      /* what it shows */
    weir_writer writer;
    pacer pacer;
    bool any_since_rewind;  /* the thread's own, as the pacer */
    size_t piece_samples;   /* the most that one read asks for                     */
    unsigned char *scratch; /* of a live pull source: what finds the ring full     */
    bool threaded;          /* the thread runs or waits to be joined               */
    bool pushing;           /* a push source was started                           */
    pthread_t thread;
    pthread_mutex_t jump_lock; /* the two below */
    jump jumps[JUMPS];
    uint64_t n_jumps;
    pthread_mutex_t stop_lock; /* stopping a push source: one does, others wait    */
    atomic_bool stop;
    atomic_bool paused;
    atomic_bool loop;
    atomic_bool holds_at_end;
    atomic_bool at_end; /* and held there */
    _Atomic double speed;
    _Atomic uint64_t step_samples; /* let through while paused                  */
    _Atomic uint64_t seek_sample;  /* NO_SEEK: none is wanted                   */
    _Atomic uint64_t position;     /* in the recording, of the next sample read */
};

#define NO_SEEK UINT64_MAX

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

/* A source that cannot be mapped is read; why does not matter. */
static bool try_mapping(weir_capture *capture)
{
    const weir_source *source = capture->source;
    const weir_capture_config *config = &capture->config;
    uint64_t start = to_samples(config->start_seconds, source->info.rate_hz);
    bool may = config->may_map && config->speed == 0 && !config->loop && source->class_->map;
    return may && source->class_->map(capture->source, start, &capture->mapping, &capture->mapped,
                                      NULL) == WEIR_OK;
}

static weir_status allocate(weir_capture *capture, weir_error *err)
{
    const weir_source_info *info = &capture->source->info;
    size_t stride = weir_format_stride_bytes(&info->format);
    if (try_mapping(capture)) {
        size_t most = MAPPED_VIEW_BYTES > capture->config.ring_bytes ? MAPPED_VIEW_BYTES
                                                                     : capture->config.ring_bytes;
        return weir_ring_create_over(&capture->ring, weir_mapping_memory(capture->mapping),
                                     capture->mapped.n_samples, stride, at_least_one(most / stride),
                                     err);
    }
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
    pthread_mutex_init(&capture->jump_lock, NULL);
    atomic_init(&capture->speed, config->speed);
    atomic_init(&capture->loop, config->loop);
    atomic_init(&capture->seek_sample, NO_SEEK);
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
    weir_mapping_destroy(capture->mapping);
    free(capture->scratch);
    pthread_mutex_destroy(&capture->stop_lock);
    pthread_mutex_destroy(&capture->jump_lock);
    free(capture);
}

/* ---- pacing ---- */

static int64_t wall_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
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
    int64_t now = weir_now_ns();
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

/* While paused: n samples more, as far as steps were asked for. */
static bool takes_step(weir_capture *capture, uint64_t n)
{
    uint64_t left = atomic_load(&capture->step_samples);
    while (left > 0) {
        if (atomic_compare_exchange_weak(&capture->step_samples, &left, left > n ? left - n : 0)) {
            return true;
        }
    }
    return atomic_load(&capture->seek_sample) != NO_SEEK;
}

/* Sleeps until the samples before `sample` may be shown. */
static void wait_until_due(weir_capture *capture, uint64_t sample)
{
    pacer *p = &capture->pacer;
    while (!capture->source->info.is_live && !giving_up(capture)) {
        double speed = atomic_load(&capture->speed);
        if (atomic_load(&capture->paused)) {
            p->running = false;
            if (takes_step(capture, sample - p->last_sample)) {
                break;
            }
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
    atomic_fetch_add_explicit(&capture->position, read.n_samples, memory_order_relaxed);
    take(capture, &read, place);
    capture->any_since_rewind = capture->any_since_rewind || read.n_samples > 0;
    *at_end = read.n_samples == 0 && !read.is_away;
    return WEIR_OK;
}

static void note_jump(weir_capture *capture, uint64_t place)
{
    atomic_store(&capture->position, place);
    pthread_mutex_lock(&capture->jump_lock);
    capture->jumps[capture->n_jumps++ % JUMPS] = (jump){capture->writer.next_sample, place};
    pthread_mutex_unlock(&capture->jump_lock);
}

static bool is_called_away(const weir_capture *capture)
{
    return atomic_load(&capture->seek_sample) != NO_SEEK ||
           (atomic_load(&capture->loop) && capture->any_since_rewind);
}

/* Stays at the end until somebody seeks or loops; the last segment is over meanwhile. False: the
 * end is final. */
static bool hold_at_end(weir_capture *capture)
{
    weir_writer *w = &capture->writer;
    if (!atomic_load(&capture->holds_at_end)) {
        return false;
    }
    weir_writer_seam(w, w->rate_hz, w->center_hz, WEIR_UNKNOWN_TIME);
    (void)weir_writer_ready(w); /* no room for the mark: it ends when that is left */
    capture->pacer.running = false;
    atomic_store(&capture->at_end, true);
    while (!giving_up(capture) && atomic_load(&capture->holds_at_end) && !is_called_away(capture)) {
        sleep_ns(PAUSE_STEP_NS);
    }
    atomic_store(&capture->at_end, false);
    return is_called_away(capture);
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
    if (!is_called_away(capture) && !hold_at_end(capture)) {
        *done = true;
        return WEIR_OK;
    }
    if (atomic_load(&capture->seek_sample) != NO_SEEK) {
        return WEIR_OK;
    }
    capture->any_since_rewind = false;
    weir_writer_seam(w, source->info.rate_hz, source->info.center_hz, WEIR_UNKNOWN_TIME);
    note_jump(capture, 0);
    return source->class_->seek(source, 0, err);
}

/* What somebody asked for with weir_capture_seek, if anything. */
static weir_status seek_if_wanted(weir_capture *capture, weir_error *err)
{
    uint64_t sample = atomic_exchange(&capture->seek_sample, NO_SEEK);
    const weir_source_info *info = &capture->source->info;
    if (sample == NO_SEEK || capture->writer.skip_samples > 0) {
        return WEIR_OK;
    }
    int64_t time_ns = weir_time_after(info->time_unix_ns, sample, info->rate_hz);
    weir_writer_seam(&capture->writer, info->rate_hz, info->center_hz, time_ns);
    note_jump(capture, sample);
    return capture->source->class_->seek(capture->source, sample, err);
}

static weir_status pump(weir_capture *capture, weir_error *err)
{
    bool done = false;
    while (!done && !giving_up(capture) && weir_writer_left(&capture->writer) > 0) {
        bool at_end = false;
        weir_status status = seek_if_wanted(capture, err);
        status = status == WEIR_OK ? move_piece(capture, &at_end, err) : status;
        if (status == WEIR_OK && at_end && atomic_load(&capture->seek_sample) == NO_SEEK) {
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
    atomic_store(&capture->position, start);
    return source->class_->seek(source, start, err);
}

/* ---- the thread of a mapped source: nothing is moved ---- */

/* Waits until at most one view's worth lies before the consumer; lets go of what it has done
 * with. *dropped: the bytes that were let go already. */
static bool wait_until_wanted(weir_capture *capture, uint64_t shown, size_t *dropped)
{
    size_t stride = capture->writer.stride_bytes;
    size_t most = weir_ring_capacity_samples(capture->ring);
    for (;;) {
        uint64_t released = weir_ring_released(capture->ring);
        size_t done = (size_t)released * stride;
        weir_mapping_done_with(capture->mapping, *dropped, done);
        *dropped = done;
        if (giving_up(capture)) {
            return false;
        }
        if (shown - released <= most) {
            return true;
        }
        sleep_ns(MAPPED_STEP_NS);
    }
}

static void show_mapping(weir_capture *capture)
{
    weir_writer *w = &capture->writer;
    const weir_read *whole = &capture->mapped;
    uint64_t start = to_samples(capture->config.start_seconds, whole->rate_hz);
    size_t stride = w->stride_bytes, dropped = 0;
    w->skip_samples = start;
    weir_writer_skip(w, start);
    weir_writer_seam(w, whole->rate_hz, whole->center_hz, whole->time_unix_ns);
    uint64_t left = weir_writer_left(w) < whole->n_samples ? weir_writer_left(w) : whole->n_samples;
    size_t piece = weir_ring_capacity_samples(capture->ring);
    uint64_t shown = 0;
    while (shown < left && wait_until_wanted(capture, shown, &dropped)) {
        size_t n = left - shown < piece ? (size_t)(left - shown) : piece;
        weir_mapping_will_need(capture->mapping, (size_t)shown * stride,
                               (size_t)(shown + n) * stride);
        atomic_store(&capture->position, start + shown + n);
        (void)weir_writer_ready(w); /* one segment: there is room for its mark */
        weir_writer_commit(w, n);
        shown += n;
    }
}

static void *thread_main(void *arg)
{
    weir_capture *capture = arg;
    weir_error err = {0};
    weir_status status = WEIR_OK;
    if (capture->mapping) {
        show_mapping(capture);
    } else {
        status = go_to_start(capture, &err);
        status = status == WEIR_OK ? pump(capture, &err) : status;
    }
    err.status = status;
    weir_writer_ended(&capture->writer, &err);
    return NULL;
}

/* ---- control ---- */

static weir_status start_thread(weir_capture *capture, weir_error *err)
{
    weir_status status =
        weir_thread_start(&capture->thread, "weir-capture", thread_main, capture, err);
    capture->threaded = status == WEIR_OK;
    return status == WEIR_OK ? status : weir_fail_context(err, "capture");
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
        capture->writer.time_ns = wall_clock_ns();
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
    atomic_store(&capture->step_samples, 0);
    atomic_store(&capture->paused, paused);
}

void weir_capture_set_speed(weir_capture *capture, double speed)
{
    atomic_store(&capture->speed, isfinite(speed) && speed > 0 ? speed : 0);
}

static weir_status check_seekable(const weir_capture *capture, weir_error *err)
{
    const weir_source *source = capture->source;
    if (source->info.is_live || !source->info.can_seek || !source->class_->seek) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "%s: there is no going back in it; a file can",
                         source->info.name);
    }
    if (atomic_load(&capture->writer.closed)) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "%s: the replay has ended", source->info.name);
    }
    return WEIR_OK;
}

weir_status weir_capture_seek(weir_capture *capture, double seconds, weir_error *err)
{
    const weir_source_info *info = &capture->source->info;
    weir_status status = check_seekable(capture, err);
    if (status != WEIR_OK) {
        return status;
    }
    uint64_t sample = to_samples(seconds > 0 ? seconds : 0, info->rate_hz);
    if (info->n_samples != WEIR_UNKNOWN_SAMPLES && sample >= info->n_samples) {
        sample = info->n_samples > 0 ? info->n_samples - 1 : 0;
    }
    atomic_store(&capture->seek_sample, sample == NO_SEEK ? NO_SEEK - 1 : sample);
    return WEIR_OK;
}

weir_status weir_capture_set_loop(weir_capture *capture, bool loop, weir_error *err)
{
    weir_status status = check_seekable(capture, err);
    if (status == WEIR_OK) {
        atomic_store(&capture->loop, loop);
    }
    return status;
}

void weir_capture_hold_at_end(weir_capture *capture, bool holds)
{
    const weir_source *source = capture->source;
    bool can = !source->info.is_live && source->info.can_seek && source->class_->seek;
    atomic_store(&capture->holds_at_end, holds && can);
}

bool weir_capture_at_end(const weir_capture *capture)
{
    return atomic_load(&capture->at_end);
}

void weir_capture_step(weir_capture *capture, uint64_t n_samples)
{
    atomic_fetch_add(&capture->step_samples, n_samples);
}

uint64_t weir_capture_place_of(weir_capture *capture, uint64_t stream_sample)
{
    uint64_t place = stream_sample;
    pthread_mutex_lock(&capture->jump_lock);
    uint64_t oldest = capture->n_jumps > JUMPS ? capture->n_jumps - JUMPS : 0;
    for (uint64_t i = capture->n_jumps; i > oldest; i--) {
        const jump *j = &capture->jumps[(i - 1) % JUMPS];
        if (j->stream_sample <= stream_sample) {
            place = j->place + (stream_sample - j->stream_sample);
            break;
        }
    }
    pthread_mutex_unlock(&capture->jump_lock);
    return place;
}

double weir_capture_position(const weir_capture *capture)
{
    return (double)atomic_load(&capture->position) / capture->source->info.rate_hz;
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
    if (weir_capture_check(capture, err) != WEIR_OK) {
        return WEIR_ERR_IO;
    }
    if (err && capture->writer.err.status != WEIR_OK) {
        *err = capture->writer.err;
    }
    return capture->writer.err.status;
}

weir_status weir_capture_check(const weir_capture *capture, weir_error *err)
{
    if (!capture->mapping || !weir_mapping_failed(capture->mapping)) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_IO, "%s: became shorter or unreadable while it was read",
                     capture->source->info.name);
}

uint64_t weir_capture_received(const weir_capture *capture)
{
    return atomic_load_explicit(&capture->writer.received, memory_order_relaxed);
}

uint64_t weir_capture_lost(const weir_capture *capture)
{
    return atomic_load_explicit(&capture->writer.lost, memory_order_relaxed);
}
