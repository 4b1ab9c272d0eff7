/* ctest-labels: unit prop
 * capture/capture.h: accounting, cuts, loops, pacing, errors, interruption, with fake pull
 * and push sources. Sample n of a fake carries the number n. */
#include "capture/capture.h"
#include "tests/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* ---- a fake pull source ---- */

typedef struct fake {
    weir_source base;
    uint64_t next, total; /* stored samples */
    uint64_t stored;      /* delivered since the last seek */
    size_t longest_read;
    uint64_t gap_at, gap;   /* before stream sample gap_at, if gap > 0  */
    uint64_t retune_at;     /* new rate and centre; 0 never             */
    uint64_t error_at;      /* fails there; 0 never                     */
    uint64_t block_at;      /* blocks there until interrupted; 0 never  */
    uint64_t trailing_lost; /* reported with the end                    */
    unsigned seeks;
    atomic_bool interrupted;
    bool signals_blocked;
    bool empty_after_seek;
    double read_seconds; /* a live source takes its time */
} fake;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t stop_before(uint64_t next, uint64_t limit, uint64_t at)
{
    return at > next && at < limit ? at : limit;
}

static weir_status fake_read(weir_source *source, void *memory, size_t max_samples,
                             weir_read *result, weir_error *err)
{
    fake *f = (fake *)source;
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    f->signals_blocked = sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGTERM) == 1;
    if (f->error_at && f->next == f->error_at) {
        return weir_fail(err, WEIR_ERR_IO, "fake: broken at %llu", (unsigned long long)f->next);
    }
    while (f->block_at && f->next == f->block_at) {
        if (atomic_load(&f->interrupted)) {
            return weir_fail(err, WEIR_ERR_IO, "fake: interrupted");
        }
        usleep(1000);
    }
    if (f->read_seconds > 0) {
        usleep((useconds_t)(f->read_seconds * 1e6));
    }
    if (f->gap && f->next == f->gap_at - f->gap) {
        f->next = f->gap_at;
        result->new_segment = true;
        result->lost_before = f->gap;
    }
    if (result->new_segment || (f->retune_at && f->next == f->retune_at)) {
        bool retuned = f->retune_at && f->next >= f->retune_at;
        result->new_segment = true;
        result->rate_hz = retuned ? f->base.info.rate_hz * 2 : f->base.info.rate_hz;
        result->center_hz = retuned ? 2e6 : 1e6;
        result->time_unix_ns = WEIR_UNKNOWN_TIME;
    }
    uint64_t limit = f->next + max_samples;
    limit = f->next + f->longest_read < limit ? f->next + f->longest_read : limit;
    limit = stop_before(f->next, limit, f->gap ? f->gap_at - f->gap : 0);
    limit = stop_before(f->next, limit, f->retune_at);
    limit = stop_before(f->next, limit, f->error_at);
    limit = stop_before(f->next, limit, f->block_at);
    limit = limit < f->total ? limit : f->total;
    uint32_t *out = memory;
    while (f->next < limit) {
        out[result->n_samples++] = (uint32_t)f->next++;
    }
    if (result->n_samples == 0) {
        result->lost_before = f->trailing_lost;
    }
    return WEIR_OK;
}

static weir_status fake_seek(weir_source *source, uint64_t sample, weir_error *err)
{
    fake *f = (fake *)source;
    (void)err;
    f->next = sample;
    f->seeks++;
    f->total = f->empty_after_seek ? 0 : f->total;
    return WEIR_OK;
}

static void fake_interrupt(weir_source *source)
{
    atomic_store(&((fake *)source)->interrupted, true);
}

static const weir_source_class fake_class = {
    .name = "fake", .read = fake_read, .seek = fake_seek, .interrupt = fake_interrupt};

static void set_info(weir_source *source, const weir_source_class *class_, double rate_hz)
{
    source->class_ = class_;
    source->info = (weir_source_info){
        .name = "fake",
        .format = {.scalar = WEIR_S16LE, .is_complex = true, .channels = 1},
        .rate_hz = rate_hz,
        .center_hz = 1e6,
        .n_samples = WEIR_UNKNOWN_SAMPLES,
        .time_unix_ns = WEIR_UNKNOWN_TIME,
    };
}

static fake make_fake(double rate_hz, uint64_t total)
{
    fake f = {.total = total, .longest_read = SIZE_MAX / 2};
    set_info(&f.base, &fake_class, rate_hz);
    f.base.info.can_seek = true;
    return f;
}

static weir_capture_config all_at_once(void)
{
    return (weir_capture_config){.duration_seconds = INFINITY};
}

/* ---- what a consumer sees of a whole stream ---- */

typedef struct seen {
    uint64_t samples, lost, segments, wrong;
    uint64_t first; /* stream index of the first sample      */
    uint64_t next;  /* after the last                        */
    uint64_t lost_at_end;
    weir_ring_segment last; /* the last segment                      */
    double seconds;
    double last_at; /* when the last sample came             */
    size_t largest_view;
} seen;

/* start: seconds_now() before the capture's start, for the times.
 * Checks numbers against the stream index modulo the source's length (loops). */
static seen drain(weir_ring *ring, double start, uint64_t total, unsigned delay_us)
{
    seen s = {0};
    uint64_t segment = UINT64_MAX;
    weir_ring_view view;
    for (;;) {
        if (!weir_ring_peek(ring, &view)) {
            weir_ring_wait_data(ring, 0, 50);
            continue;
        }
        if (view.n_samples > 0 && view.segment.segment != segment) {
            s.wrong += view.first_sample != s.next + view.segment.lost_before && s.samples > 0;
            s.first = s.samples == 0 ? view.first_sample : s.first;
            s.segments++;
            s.lost += view.segment.lost_before;
            s.last = view.segment;
            segment = view.segment.segment;
        }
        const uint32_t *at = view.samples;
        for (size_t i = 0; i < view.n_samples; i++) {
            s.wrong += at[i] != (uint32_t)((view.first_sample + i) % total);
        }
        s.largest_view = view.n_samples > s.largest_view ? view.n_samples : s.largest_view;
        s.samples += view.n_samples;
        s.next = view.n_samples ? view.first_sample + view.n_samples : s.next;
        s.last_at = view.n_samples ? seconds_now() - start : s.last_at;
        weir_ring_release(ring, view.n_samples);
        if (view.ended) {
            s.lost_at_end = view.lost_at_end;
            s.lost += view.lost_at_end;
            s.seconds = seconds_now() - start;
            return s;
        }
        usleep(delay_us);
    }
}

typedef struct outcome {
    seen seen;
    uint64_t received, lost;
    weir_status status;
    weir_error err;
} outcome;

static outcome run(weir_source *source, const weir_capture_config *config, uint64_t total,
                   unsigned delay_us)
{
    outcome o = {0};
    weir_capture *capture = NULL;
    CHECK_MSG(weir_capture_create(&capture, source, config, &o.err) == WEIR_OK, "%s", o.err.text);
    double start = seconds_now();
    CHECK_MSG(weir_capture_start(capture, &o.err) == WEIR_OK, "%s", o.err.text);
    o.seen = drain(weir_capture_ring(capture), start, total, delay_us);
    o.status = weir_capture_join(capture, &o.err);
    o.received = weir_capture_received(capture);
    o.lost = weir_capture_lost(capture);
    CHECK(o.received == o.seen.samples + o.seen.lost);
    CHECK(o.lost == o.seen.lost);
    CHECK_MSG(o.seen.wrong == 0, "%llu wrong samples", (unsigned long long)o.seen.wrong);
    weir_capture_destroy(capture);
    return o;
}

/* ---- tests ---- */

static void test_everything_arrives_whatever_the_reads(void)
{
    check_rng rng = check_rng_fresh();
    for (int k = 0; k < 20; k++) {
        uint64_t total = check_random(&rng) % 200000;
        fake f = make_fake(1e6, total);
        f.longest_read = 1 + (size_t)(check_random(&rng) % 3000);
        weir_capture_config config = all_at_once();
        config.ring_bytes = 1 + (size_t)(check_random(&rng) % 40000);
        outcome o = run(&f.base, &config, UINT64_MAX, 0);
        CHECK(o.status == WEIR_OK && o.seen.samples == total && o.lost == 0);
        CHECK(o.seen.segments == (total > 0) && f.signals_blocked);
    }
}

static void test_gaps_are_marked_and_time_goes_on(void)
{
    fake f = make_fake(1000, 5000);
    f.gap_at = 3000;
    f.gap = 1000;
    f.trailing_lost = 7;
    f.base.info.time_unix_ns = 1000000000;
    weir_capture_config config = all_at_once();
    outcome o = run(&f.base, &config, UINT64_MAX, 0);
    CHECK(o.status == WEIR_OK && o.seen.samples == 4000 && o.lost == 1007);
    CHECK(o.seen.segments == 2 && o.seen.last.first_sample == 3000);
    CHECK(o.seen.last.lost_before == 1000 && o.seen.lost_at_end == 7);
    CHECK(o.seen.last.time_unix_ns == 4000000000);
    CHECK(o.seen.last.center_hz == 1e6 && o.seen.last.rate_hz == 1000);
}

static void test_a_retune_is_a_segment(void)
{
    fake f = make_fake(1000, 5000);
    f.retune_at = 2000;
    f.gap_at = 4500;
    f.gap = 500;
    f.base.info.time_unix_ns = 0;
    weir_capture_config config = all_at_once();
    outcome o = run(&f.base, &config, UINT64_MAX, 0);
    CHECK(o.seen.samples == 4500 && o.seen.segments == 3 && o.lost == 500);
    CHECK(o.seen.last.center_hz == 2e6 && o.seen.last.rate_hz == 2000);
    CHECK(o.seen.last.time_unix_ns == 3250000000); /* 2000 / 1 kHz + 2500 / 2 kHz */
}

static void test_duration_cuts_to_the_sample(void)
{
    static const struct {
        double seconds;
        uint64_t samples, lost;
    } cases[] = {{1, 1000, 0},        {2.5, 2000, 500}, {3.0, 2000, 1000},
                 {3.001, 2001, 1000}, {0.0014, 1, 0},   {99, 4000, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake f = make_fake(1000, 5000);
        f.gap_at = 3000;
        f.gap = 1000;
        weir_capture_config config = all_at_once();
        config.duration_seconds = cases[i].seconds;
        outcome o = run(&f.base, &config, UINT64_MAX, 0);
        CHECK_MSG(o.seen.samples == cases[i].samples && o.lost == cases[i].lost,
                  "%g s: %llu samples, %llu lost", cases[i].seconds,
                  (unsigned long long)o.seen.samples, (unsigned long long)o.lost);
    }
}

static void test_start_by_seek_and_by_reading(void)
{
    for (int can_seek = 0; can_seek < 2; can_seek++) {
        fake f = make_fake(1000, 5000);
        f.base.info.can_seek = can_seek;
        f.base.info.time_unix_ns = 0;
        weir_capture_config config = all_at_once();
        config.start_seconds = 1.5;
        config.duration_seconds = 2;
        outcome o = run(&f.base, &config, UINT64_MAX, 0);
        CHECK(o.seen.first == 1500 && o.seen.samples == 2000 && o.received == 2000);
        CHECK(o.seen.last.time_unix_ns == 1500000000);
        CHECK(f.seeks == (unsigned)can_seek);
    }
}

/* The start lies in a gap, or where one read goes over it: exact to the sample. */
static void test_start_near_a_gap(void)
{
    static const struct {
        double seconds;
        uint64_t first, samples, lost;
    } cases[] = {{1.999, 1999, 2001, 1000},
                 {2.25, 3000, 2000, 750},
                 {3, 3000, 2000, 0},
                 {3.05, 3050, 1950, 0},
                 {3.9, 3900, 1100, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake f = make_fake(1000, 5000);
        f.base.info.can_seek = false;
        f.gap_at = 3000;
        f.gap = 1000;
        weir_capture_config config = all_at_once();
        config.start_seconds = cases[i].seconds;
        outcome o = run(&f.base, &config, UINT64_MAX, 0);
        CHECK_MSG(o.seen.first == cases[i].first && o.seen.samples == cases[i].samples &&
                      o.lost == cases[i].lost,
                  "start %g s: first %llu, %llu samples, %llu lost", cases[i].seconds,
                  (unsigned long long)o.seen.first, (unsigned long long)o.seen.samples,
                  (unsigned long long)o.lost);
    }
}

static void test_start_beyond_the_end(void)
{
    fake f = make_fake(1000, 5000);
    f.base.info.can_seek = false;
    weir_capture_config config = all_at_once();
    config.start_seconds = 10;
    outcome o = run(&f.base, &config, UINT64_MAX, 0);
    CHECK(o.status == WEIR_ERR_DATA && o.received == 0);
    CHECK(strstr(o.err.text, "before the start") != NULL);
}

static void test_loops_make_seams(void)
{
    fake f = make_fake(1000, 700);
    weir_capture_config config = all_at_once();
    config.loop = true;
    config.duration_seconds = 3;
    outcome o = run(&f.base, &config, 700, 0);
    CHECK(o.status == WEIR_OK && o.seen.samples == 3000 && o.lost == 0);
    CHECK(o.seen.segments == 5 && f.seeks == 4);
    CHECK(o.seen.last.first_sample == 2800 && o.seen.last.lost_before == 0);

    fake empty = make_fake(1000, 0);
    config.duration_seconds = INFINITY;
    o = run(&empty.base, &config, 700, 0);
    CHECK(o.status == WEIR_OK && o.received == 0);

    fake shrinks = make_fake(1000, 700); /* or it would go round for ever */
    shrinks.empty_after_seek = true;
    o = run(&shrinks.base, &config, 700, 0);
    CHECK(o.status == WEIR_OK && o.received == 700);
}

static void test_an_error_comes_after_the_samples(void)
{
    fake f = make_fake(1000, 5000);
    f.error_at = 1234;
    weir_capture_config config = all_at_once();
    outcome o = run(&f.base, &config, UINT64_MAX, 0);
    CHECK(o.status == WEIR_ERR_IO && o.seen.samples == 1234);
    CHECK_STR(o.err.text, "fake: broken at 1234");
}

static void test_bad_configurations(void)
{
    fake f = make_fake(1000, 5000);
    f.base.info.n_samples = 5000;
    f.base.info.can_seek = false;
    weir_capture *capture = NULL;
    weir_error err = {0};
    const struct {
        weir_capture_config config;
        const char *word;
    } cases[] = {
        {{.start_seconds = -1, .duration_seconds = 1}, "start"},
        {{.start_seconds = NAN, .duration_seconds = 1}, "start"},
        {{.start_seconds = 5, .duration_seconds = 1}, "lasts 5 s"},
        {{.duration_seconds = 0}, "duration"},
        {{.duration_seconds = NAN}, "duration"},
        {{.duration_seconds = 1, .speed = -1}, "speed"},
        {{.duration_seconds = 1, .speed = NAN}, "speed"},
        {{.duration_seconds = 1, .loop = true}, "looped"},
        {{.duration_seconds = 1, .ring_bytes = SIZE_MAX}, "at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_status status = weir_capture_create(&capture, &f.base, &cases[i].config, &err);
        CHECK(status == WEIR_ERR_USAGE && !capture);
        CHECK_MSG(strstr(err.text, cases[i].word), "case %zu: %s", i, err.text);
    }
    static const double rates[] = {0, -1, NAN, INFINITY};
    weir_capture_config config = all_at_once();
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        f.base.info.rate_hz = rates[i];
        CHECK(weir_capture_create(&capture, &f.base, &config, &err) == WEIR_ERR_USAGE);
        CHECK(strstr(err.text, "sample rate") != NULL);
    }
    weir_capture_destroy(NULL);
}

static void test_default_ring_sizes(void)
{
    static const struct {
        double rate_hz, speed;
        bool live;
        size_t bytes;
    } cases[] = {
        {48000, 0, false, 4 << 20}, {48000, 1, false, 4 << 20}, {48000, 1, true, 1 << 20},
        {2.4e6, 1, true, 4 << 20},  {1e8, 0, false, 4 << 20},   {1e9, 1, true, 64 << 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake f = make_fake(cases[i].rate_hz, 1);
        f.base.info.is_live = cases[i].live;
        weir_capture_config config = all_at_once();
        config.speed = cases[i].speed;
        weir_capture *capture = NULL;
        weir_error err = {0};
        CHECK(weir_capture_create(&capture, &f.base, &config, &err) == WEIR_OK);
        CHECK(weir_ring_capacity_samples(weir_capture_ring(capture)) * 4 == cases[i].bytes);
        weir_capture_destroy(capture);
    }
}

/* 0.3 s of stream, 0.1 s of it lost, takes 0.3 s, in pieces small enough for a picture. */
static void test_pacing_takes_the_time_of_all_samples(void)
{
    fake f = make_fake(100000, 30000);
    f.gap_at = 20000;
    f.gap = 10000;
    weir_capture_config config = all_at_once();
    config.speed = 1;
    outcome o = run(&f.base, &config, UINT64_MAX, 0);
    /* Never early; late by what a busy machine may take. */
    CHECK_MSG(o.seen.last_at >= 0.3 && o.seen.last_at < 1.5, "took %g s", o.seen.last_at);
    config.speed = 10;
    fake g = make_fake(100000, 100000);
    o = run(&g.base, &config, UINT64_MAX, 0);
    CHECK_MSG(o.seen.last_at >= 0.1 && o.seen.last_at < 0.9, "took %g s", o.seen.last_at);
}

typedef struct control {
    weir_capture *capture;
    double wait_seconds;
} control;

static void *stop_later(void *arg)
{
    control *c = arg;
    usleep((useconds_t)(c->wait_seconds * 1e6));
    weir_capture_stop(c->capture);
    return NULL;
}

static void test_stop_ends_a_blocked_read(void)
{
    fake f = make_fake(1000, 5000);
    f.block_at = 100;
    weir_capture_config config = all_at_once();
    control c = {.wait_seconds = 0.03};
    weir_error err = {0};
    CHECK(weir_capture_create(&c.capture, &f.base, &config, &err) == WEIR_OK);
    CHECK(weir_capture_start(c.capture, &err) == WEIR_OK);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, stop_later, &c) == 0);
    seen s = drain(weir_capture_ring(c.capture), seconds_now(), UINT64_MAX, 0);
    CHECK(s.samples == 100 && s.seconds < 10);
    CHECK(weir_capture_join(c.capture, &err) == WEIR_OK);
    CHECK(weir_capture_join(c.capture, &err) == WEIR_OK);
    pthread_join(thread, NULL);
    weir_capture_destroy(c.capture);
}

/* Stop and destroy with the ring full, paused, waiting for time, and never started. */
static void test_destroy_from_any_state(void)
{
    weir_error err = {0};
    for (int state = 0; state < 5; state++) {
        fake f = make_fake(1000, 5000000);
        weir_capture_config config = all_at_once();
        config.ring_bytes = 4096;
        config.speed = state == 2 ? 0.001 : 0;
        weir_capture *capture = NULL;
        CHECK(weir_capture_create(&capture, &f.base, &config, &err) == WEIR_OK);
        weir_capture_set_paused(capture, state == 1);
        if (state < 4) {
            CHECK(weir_capture_start(capture, &err) == WEIR_OK);
            usleep(10000);
        }
        if (state == 3) {
            weir_ring_cancel(weir_capture_ring(capture));
            CHECK(weir_capture_join(capture, &err) == WEIR_OK);
        }
        double start = seconds_now();
        weir_capture_destroy(capture);
        CHECK(seconds_now() - start < 5);
    }
}

static void test_pause_and_speed_while_running(void)
{
    fake f = make_fake(1000, 1000000);
    weir_capture_config config = all_at_once();
    config.speed = 0.5;
    weir_capture *capture = NULL;
    weir_error err = {0};
    CHECK(weir_capture_create(&capture, &f.base, &config, &err) == WEIR_OK);
    weir_capture_set_paused(capture, true);
    CHECK(weir_capture_start(capture, &err) == WEIR_OK);
    usleep(50000);
    CHECK(weir_capture_received(capture) == 0);
    weir_capture_set_paused(capture, false);
    double start = seconds_now();
    uint64_t received = 0;
    while (received == 0 && seconds_now() - start < 10) {
        usleep(1000);
        received = weir_capture_received(capture);
    }
    /* 500 samples a second, and what a busy machine may add before this line. */
    CHECK_MSG(received > 0 && received < 5000, "%llu", (unsigned long long)received);
    weir_capture_set_speed(capture, 0);
    seen s = drain(weir_capture_ring(capture), seconds_now(), UINT64_MAX, 0);
    CHECK(s.samples == 1000000 && s.segments == 1 && s.wrong == 0 && s.seconds < 20);
    weir_capture_destroy(capture);
}

/* A live source and a consumer too slow for it: lost, marked in place, all accounted. */
static void test_live_pull_never_waits(void)
{
    fake f = make_fake(1e6, 400000);
    f.base.info.is_live = true;
    f.base.info.can_seek = false;
    f.longest_read = 2000;
    f.read_seconds = 0.0001;
    weir_capture_config config = all_at_once();
    config.ring_bytes = 16384;
    outcome o = run(&f.base, &config, UINT64_MAX, 20000);
    CHECK(o.status == WEIR_OK && o.received == 400000 && o.lost > 0 && o.seen.samples > 4096);
    /* One stall is one gap: after an overflow a quarter of the ring must be free. */
    CHECK_MSG(o.seen.segments <= 1 + o.seen.samples / 1024, "%llu segments of %llu samples",
              (unsigned long long)o.seen.segments, (unsigned long long)o.seen.samples);
    CHECK(o.seen.last.time_unix_ns > INT64_C(1500000000) * 1000000000);
}

static void test_live_start_and_duration(void)
{
    fake f = make_fake(1000, 5000);
    f.base.info.is_live = true;
    f.base.info.can_seek = false;
    f.longest_read = 777;
    weir_capture_config config = all_at_once();
    config.start_seconds = 1;
    config.duration_seconds = 2.001;
    outcome o = run(&f.base, &config, UINT64_MAX, 0);
    CHECK(o.seen.first == 1000 && o.received == 2001 && o.lost == 0);
}

/* ---- a fake push source ---- */

typedef struct pusher {
    weir_source base;
    pthread_t thread;
    weir_writer *writer;
    atomic_bool quit;
    check_rng rng;
    uint64_t total;
    uint64_t device_lost; /* told to the writer */
    bool fails;           /* ends with an error */
    bool slow;
    atomic_int stops;
} pusher;

static void push_one(pusher *p, uint32_t *block, uint64_t *next)
{
    uint64_t n = 1 + check_random(&p->rng) % 500;
    n = *next + n > p->total ? p->total - *next : n;
    if (check_random(&p->rng) % 40 == 0) {
        weir_writer_lost(p->writer, n);
        p->device_lost += n;
        *next += n;
        return;
    }
    if (check_random(&p->rng) % 100 == 0) {
        weir_writer_retuned(p->writer, 1000, 1e6 + (double)*next);
    }
    for (uint64_t i = 0; i < n; i++) {
        block[i] = (uint32_t)(*next + i);
    }
    weir_writer_push(p->writer, block, (size_t)n);
    *next += n;
}

static void *push_thread(void *arg)
{
    pusher *p = arg;
    uint32_t block[500];
    uint64_t next = 0;
    while (next < p->total && !atomic_load(&p->quit)) {
        push_one(p, block, &next);
        usleep(p->slow ? 1000 : 20);
    }
    weir_error err = {.status = WEIR_ERR_DEVICE, .text = "fake: the device vanished"};
    weir_writer_ended(p->writer, p->fails ? &err : NULL);
    weir_writer_push(p->writer, block, 1); /* too late: ignored */
    weir_writer_lost(p->writer, 1);
    return NULL;
}

static weir_status push_start(weir_source *source, weir_writer *writer, weir_error *err)
{
    pusher *p = (pusher *)source;
    (void)err;
    p->writer = writer;
    return pthread_create(&p->thread, NULL, push_thread, p) == 0 ? WEIR_OK : WEIR_ERR_DEVICE;
}

static void push_stop(weir_source *source)
{
    pusher *p = (pusher *)source;
    atomic_fetch_add(&p->stops, 1);
    atomic_store(&p->quit, true);
    pthread_join(p->thread, NULL);
}

static const weir_source_class push_class = {
    .name = "push", .start = push_start, .stop = push_stop};

static pusher make_pusher(check_rng *rng, uint64_t total)
{
    pusher p = {.total = total, .rng = check_rng_from(check_random(rng))};
    set_info(&p.base, &push_class, 1000);
    p.base.info.is_live = true;
    return p;
}

static void test_push_accounts_for_every_sample(void)
{
    check_rng rng = check_rng_fresh();
    for (int slow_consumer = 0; slow_consumer < 2; slow_consumer++) {
        pusher p = make_pusher(&rng, 300000);
        weir_capture_config config = all_at_once();
        config.ring_bytes = slow_consumer ? 4096 : 4 << 20;
        outcome o = run(&p.base, &config, UINT64_MAX, slow_consumer ? 10000 : 0);
        CHECK(o.status == WEIR_OK && o.received == 300000);
        CHECK(slow_consumer ? o.lost > p.device_lost : o.lost == p.device_lost);
        CHECK(o.seen.samples > 0 && o.seen.last.center_hz >= 1e6);
        CHECK(atomic_load(&p.stops) == 1);
    }
}

static void test_push_error_start_and_duration(void)
{
    check_rng rng = check_rng_fresh();
    pusher p = make_pusher(&rng, 50000);
    p.fails = true;
    weir_capture_config config = all_at_once();
    outcome o = run(&p.base, &config, UINT64_MAX, 0);
    CHECK(o.status == WEIR_ERR_DEVICE && o.received == 50000);
    CHECK_STR(o.err.text, "fake: the device vanished");

    p = make_pusher(&rng, 50000);
    config.start_seconds = 10;
    config.duration_seconds = 12.345;
    o = run(&p.base, &config, UINT64_MAX, 0);
    CHECK(o.status == WEIR_OK && o.received == 12345);
    CHECK(o.seen.next + o.seen.lost_at_end == 22345);
}

/* ---- a push source driven by hand ---- */

typedef struct manual {
    weir_source base;
    weir_writer *writer;
    uint64_t next;
} manual;

static weir_status manual_start(weir_source *source, weir_writer *writer, weir_error *err)
{
    (void)err;
    ((manual *)source)->writer = writer;
    return WEIR_OK;
}

static void manual_stop(weir_source *source)
{
    (void)source;
}

static const weir_source_class manual_class = {
    .name = "manual", .start = manual_start, .stop = manual_stop};

static void manual_push(manual *m, size_t n)
{
    uint32_t block[4096];
    for (size_t i = 0; i < n; i++) {
        block[i] = (uint32_t)m->next++;
    }
    weir_writer_push(m->writer, block, n);
}

/* After an overflow nothing goes in until more than a quarter is free: one gap, not ten. */
static void test_an_overflow_is_one_gap(void)
{
    manual m = {0};
    weir_capture *capture = NULL;
    weir_capture_config config = all_at_once();
    weir_error err = {0};
    weir_ring_view view;
    config.ring_bytes = 4096;
    set_info(&m.base, &manual_class, 1000);
    m.base.info.is_live = true;
    CHECK(weir_capture_create(&capture, &m.base, &config, &err) == WEIR_OK);
    CHECK(weir_capture_start(capture, &err) == WEIR_OK);
    weir_ring *ring = weir_capture_ring(capture);
    CHECK(weir_ring_capacity_samples(ring) == 1024);
    manual_push(&m, 1034);
    CHECK(weir_capture_received(capture) == 1034 && weir_capture_lost(capture) == 10);
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 1024);
    weir_ring_release(ring, 256);
    manual_push(&m, 100);
    CHECK(weir_capture_lost(capture) == 110);
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 768);
    weir_ring_release(ring, 1);
    manual_push(&m, 100);
    weir_writer_lost(m.writer, 5);
    CHECK(weir_ring_peek(ring, &view) && view.n_samples == 767 && view.segment_ends);
    weir_ring_release(ring, 767);
    CHECK(weir_ring_peek(ring, &view) && view.first_sample == 1134 && view.n_samples == 100);
    CHECK(view.segment.lost_before == 110 && ((const uint32_t *)view.samples)[0] == 1134);
    weir_ring_release(ring, 100);
    weir_capture_stop(capture);
    CHECK(weir_ring_peek(ring, &view) && view.ended && view.lost_at_end == 5);
    CHECK(weir_capture_join(capture, &err) == WEIR_OK);
    weir_capture_destroy(capture);
}

static void test_push_stop(void)
{
    check_rng rng = check_rng_fresh();
    pusher p = make_pusher(&rng, UINT64_MAX);
    p.slow = true;
    weir_capture_config config = all_at_once();
    control c[2] = {{.wait_seconds = 0.03}, {.wait_seconds = 0.03}};
    weir_error err = {0};
    CHECK(weir_capture_create(&c[0].capture, &p.base, &config, &err) == WEIR_OK);
    CHECK(weir_capture_start(c[0].capture, &err) == WEIR_OK);
    c[1].capture = c[0].capture;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, stop_later, &c[i]) == 0);
    }
    seen s = drain(weir_capture_ring(c[0].capture), seconds_now(), UINT64_MAX, 0);
    CHECK(weir_capture_join(c[0].capture, &err) == WEIR_OK);
    CHECK(weir_capture_received(c[0].capture) == s.samples + s.lost);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    weir_capture_destroy(c[0].capture);
    CHECK(atomic_load(&p.stops) == 1);
}

int main(void)
{
    RUN(test_everything_arrives_whatever_the_reads);
    RUN(test_gaps_are_marked_and_time_goes_on);
    RUN(test_a_retune_is_a_segment);
    RUN(test_duration_cuts_to_the_sample);
    RUN(test_start_by_seek_and_by_reading);
    RUN(test_start_near_a_gap);
    RUN(test_start_beyond_the_end);
    RUN(test_loops_make_seams);
    RUN(test_an_error_comes_after_the_samples);
    RUN(test_bad_configurations);
    RUN(test_default_ring_sizes);
    RUN(test_pacing_takes_the_time_of_all_samples);
    RUN(test_stop_ends_a_blocked_read);
    RUN(test_destroy_from_any_state);
    RUN(test_pause_and_speed_while_running);
    RUN(test_live_pull_never_waits);
    RUN(test_live_start_and_duration);
    RUN(test_push_accounts_for_every_sample);
    RUN(test_push_error_start_and_duration);
    RUN(test_an_overflow_is_one_gap);
    RUN(test_push_stop);
    return check_finish();
}
