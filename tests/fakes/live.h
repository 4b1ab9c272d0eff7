/* What the tests of live sources share: fakes in place of libraries, and a consumer that
 * checks a ramp. WEIR_LIVE_SECONDS makes the long checks that long (default: seconds). */
#ifndef WEIR_TESTS_FAKES_LIVE_H
#define WEIR_TESTS_FAKES_LIVE_H

#include "capture/capture.h"
#include "tests/check.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static inline double live_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double live_seconds(double usual)
{
    const char *text = getenv("WEIR_LIVE_SECONDS");
    return text ? atof(text) : usual;
}

/* 20 MS/s; what checks each sample is too slow for that under a sanitizer. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LIVE_FAST_HZ 5e6
#else
#define LIVE_FAST_HZ 20e6
#endif
/* Patience with a machine that does other things. */
#define LIVE_RING_BYTES ((size_t)64 << 20)
#define LIVE_USUAL_RING_BYTES ((size_t)8 << 20)

/* Starts this program again with a variable that must be there before it is loaded. */
static inline void live_with_environment(char **argv, const char *name, const char *folder)
{
    char value[1024];
    const char *build = getenv("WEIR_BUILD_DIR");
    snprintf(value, sizeof value, "%s/tests/fakes/%s", build ? build : "build", folder);
    if (getenv("WEIR_LIVE_AGAIN")) {
        return;
    }
    setenv("WEIR_LIVE_AGAIN", "1", 1);
    setenv(name, value, 1);
    execv("/proc/self/exe", argv);
}

/* ---- chances ----
 * What comes in real time is promised by program and machine together. RUN_LIVE runs a test in a
 * process of its own, with a thread beside it that is due every millisecond; where checks have
 * failed and that thread was late, or the processors had little time to spare, the machine was too
 * busy for the test to prove anything, and it gets another chance, with fakes as new. On a machine
 * that was not late it has failed. */

#define LIVE_CHANCES 6
#define LIVE_LATE_SECONDS 0.005
#define LIVE_LATE_PART 0.15 /* of the time, in sum; a timer's own slack is half of that */
#define LIVE_IDLE_PART 0.25 /* of the processors' time */

typedef struct live_trial {
    atomic_bool stop;
    bool is_late;
    unsigned passed, failed;
} live_trial;

typedef struct live_cpus {
    double idle, all; /* of those there are for this process */
} live_cpus;

static inline live_cpus live_cpu_times(void)
{
    live_cpus sums = {0};
    char line[300];
    cpu_set_t ours;
    FILE *file = fopen("/proc/stat", "r");
    CPU_ZERO(&ours);
    sched_getaffinity(0, sizeof ours, &ours);
    while (file && fgets(line, sizeof line, file)) {
        unsigned cpu;
        double t[8];
        if (sscanf(line, "cpu%u %lf %lf %lf %lf %lf %lf %lf %lf", &cpu, &t[0], &t[1], &t[2], &t[3],
                   &t[4], &t[5], &t[6], &t[7]) == 9 &&
            cpu < CPU_SETSIZE && CPU_ISSET(cpu, &ours)) {
            sums.idle += t[3];
            sums.all += t[0] + t[1] + t[2] + t[3] + t[4] + t[5] + t[6] + t[7];
        }
    }
    if (file) {
        fclose(file);
    }
    return sums;
}

static inline void *live_watch(void *user)
{
    live_trial *t = (live_trial *)user;
    double begun = live_now(), worst = 0, sum = 0;
    live_cpus before = live_cpu_times();
    while (!atomic_load(&t->stop)) {
        double due = live_now() + 0.001;
        usleep(1000);
        double late = live_now() - due;
        worst = fmax(worst, late);
        sum += late;
    }
    live_cpus after = live_cpu_times();
    t->is_late = worst > LIVE_LATE_SECONDS || sum > LIVE_LATE_PART * (live_now() - begun) ||
                 after.idle - before.idle < LIVE_IDLE_PART * (after.all - before.all);
    return NULL;
}

/* In a child; what it found is in *t. */
static inline void live_try(live_trial *t, void (*test)(void))
{
    pthread_t watch;
    *t = (live_trial){.failed = 1}; /* unless it comes to its end */
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unsigned passed = check_passed, failed = check_failed;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        bool watched = pthread_create(&watch, NULL, live_watch, t) == 0;
        test();
        atomic_store(&t->stop, true);
        if (watched) {
            pthread_join(watch, NULL);
        }
        t->passed = check_passed - passed;
        t->failed = check_failed - failed;
        exit(0);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        t->is_late = false;
        t->failed += t->failed == 0; /* a sanitizer's word at its end */
    }
}

static inline void live_run_test(const char *name, void (*test)(void))
{
    live_trial *t =
        mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(t != MAP_FAILED);
    for (unsigned chance = 1; t != MAP_FAILED; chance++) {
        printf("# %s\n", name);
        live_try(t, test);
        if (t->failed == 0 || !t->is_late || chance == LIVE_CHANCES) {
            check_passed += t->passed;
            check_failed += t->failed;
            munmap(t, sizeof *t);
            return;
        }
        printf("# the machine was late; chance %u of %d\n", chance + 1, LIVE_CHANCES);
    }
}

#define RUN_LIVE(test) live_run_test(#test, test)

#define LIVE_MOST_SEGMENTS 64

/* What came out of the ring. */
typedef struct live_result {
    uint64_t samples, lost, jumps; /* jumps: places where the ramp did not go on     */
    uint64_t marked_jumps;         /* where the ramp jumped as the mark before it said */
    uint64_t received;             /* as the capture counts                          */
    unsigned n_segments;
    weir_ring_segment segments[LIVE_MOST_SEGMENTS];
    double seen[LIVE_MOST_SEGMENTS]; /* when, by live_now                            */
    double ended;
    weir_status status; /* what ended it */
    weir_error err;
} live_result;

/* value(sample) & mask is the ramp's number. */
typedef uint64_t live_value(const void *samples, size_t n);

typedef struct live_config {
    double seconds;         /* of samples; INFINITY */
    double stop_after;      /* by the clock; INFINITY */
    size_t ring_bytes;      /* 0: the default */
    live_value *value;      /* of sample n; NULL: not checked */
    uint64_t mask;          /* of the ramp */
    double pause_at, pause; /* the consumer sleeps so long, at that time; 0: never */
    void (*look)(void *user, const weir_ring_view *view);          /* at all samples; or NULL */
    void (*poke)(void *user, double seconds, weir_source *source); /* now and then; or NULL */
    void *user;
} live_config;

static inline void live_check_run(live_result *r, const live_config *c, const weir_ring_view *view,
                                  uint64_t *next, bool *known)
{
    for (size_t i = 0; i < view->n_samples && c->value; i++) {
        uint64_t value = c->value(view->samples, i) & c->mask;
        if (*known && value != (*next & c->mask)) {
            r->jumps++;
        }
        *next = value + 1;
        *known = true;
    }
}

/* At a new segment: if the ramp jumps by exactly what the mark says, that is right. */
static inline void live_new_segment(live_result *r, const live_config *c,
                                    const weir_ring_view *view, uint64_t *next, bool known)
{
    if (r->n_segments < LIVE_MOST_SEGMENTS) {
        r->segments[r->n_segments] = view->segment;
        r->seen[r->n_segments] = live_now();
    }
    r->n_segments++;
    r->lost += view->segment.lost_before;
    if (known && c->value) {
        *next += view->segment.lost_before;
        r->marked_jumps += (c->value(view->samples, 0) & c->mask) == (*next & c->mask);
    }
}

static inline void live_consume(weir_capture *capture, weir_source *source, const live_config *c,
                                live_result *r)
{
    weir_ring *ring = weir_capture_ring(capture);
    uint64_t segment = UINT64_MAX, next = 0;
    bool known = false, paused = false, stopped = false;
    double begun = live_now();
    for (;;) {
        weir_ring_view view = {0};
        double seconds = live_now() - begun;
        if (c->poke) {
            c->poke(c->user, seconds, source);
        }
        if (c->pause > 0 && !paused && seconds > c->pause_at && r->samples > 0) {
            usleep((useconds_t)(c->pause * 1e6));
            paused = true;
        }
        if (seconds > c->stop_after && !stopped) {
            weir_capture_stop(capture);
            stopped = true;
        }
        if (!weir_ring_peek(ring, &view)) {
            weir_ring_wait_data(ring, 0, 5);
            continue;
        }
        if (view.n_samples > 0 && view.segment.segment != segment) {
            segment = view.segment.segment;
            live_new_segment(r, c, &view, &next, known);
        }
        if (c->look) {
            c->look(c->user, &view);
        }
        live_check_run(r, c, &view, &next, &known);
        r->samples += view.n_samples;
        weir_ring_release(ring, view.n_samples);
        if (view.ended) {
            r->lost += view.lost_at_end;
            r->ended = live_now();
            return;
        }
        if (view.n_samples == 0) {
            usleep(1000);
        }
    }
}

/* Captures and consumes; r->status is also that of create and start. */
static inline void live_run(weir_source *source, const live_config *c, live_result *r)
{
    weir_capture *capture = NULL;
    const weir_capture_config config = {.duration_seconds = c->seconds,
                                        .ring_bytes = c->ring_bytes};
    *r = (live_result){.status = WEIR_OK};
    r->status = weir_capture_create(&capture, source, &config, &r->err);
    r->status = r->status == WEIR_OK ? weir_capture_start(capture, &r->err) : r->status;
    if (r->status == WEIR_OK) {
        live_consume(capture, source, c, r);
        r->status = weir_capture_join(capture, &r->err);
        r->received = weir_capture_received(capture);
    }
    weir_capture_destroy(capture);
    CHECK_MSG(r->received == r->samples + r->lost, "received %llu, seen %llu + lost %llu",
              (unsigned long long)r->received, (unsigned long long)r->samples,
              (unsigned long long)r->lost);
}

static inline weir_status live_open(weir_source **source, const char *argument, double rate_hz,
                                    double center_hz, const char *const *pairs, weir_error *err)
{
    weir_source_options options;
    weir_source_options_init(&options);
    options.rate_hz = rate_hz;
    options.center_hz = center_hz;
    options.device_options = pairs;
    *err = (weir_error){0};
    return weir_source_open(source, argument, &options, err);
}

static inline uint64_t live_value_cu8(const void *samples, size_t n)
{
    const unsigned char *bytes = (const unsigned char *)samples + 2 * n;
    return bytes[0] | (uint64_t)bytes[1] << 8;
}

#endif
