/* soak [SECONDS [RATE_HZ]]: the chain of capture thread, ring and engine, again and again,
 * with a live source whose every sample says its place in the stream.
 *
 * In turn, sessions of a few seconds:
 *   rated    at RATE_HZ: nothing may be lost
 *   double   at twice that, with drops and retunes at known places
 *   slow     the same, and a sink that now and then stalls for longer than the ring lasts
 * In every session each view into the ring holds the samples that its index says, the
 * accounts balance, and what was received is exactly what the time asked for holds. After
 * the first round neither memory nor descriptors may grow.
 *
 * Exit 0: all held. ./dev soak runs it for 10 minutes; tests/test_soak.sh for a few seconds.
 */
#include "base/log.h"
#include "capture/capture.h"
#include "capture/run.h"
#include "dsp/engine.h"
#include "dsp/window.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RATED_HZ 5e6
#define N_FFT 4096
#define FRAMES_PER_SPECTRUM 64
#define SESSION_SECONDS 2.0
#define RING_SECONDS 0.5
#define STALL_SECONDS 0.9 /* longer than the ring lasts */
#define STALL_EVERY 50    /* spectra */
#define DROPS 20
#define DROP_SAMPLES 777
#define SPARE_KIB 4096 /* how much memory may grow: caches of the C library and of FFTW */

typedef enum soak_kind { RATED, DOUBLE, SLOW, KINDS } soak_kind;
static const char *const kind_names[KINDS] = {"rated", "double", "slow"};

typedef struct session {
    soak_kind kind;
    double rate_hz;
    uint64_t n_samples, forced; /* of the stream; lost on purpose */
    uint64_t n_spectra, wrong;
    weir_source *source;
    weir_capture *capture;
    weir_engine *engine;
    weir_totals totals;
} session;

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- what the process holds ---- */

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%*d %ld", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static unsigned open_descriptors(void)
{
    unsigned n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) {
        n++;
    }
    if (folder) {
        closedir(folder);
    }
    return n;
}

/* ---- one session ---- */

/* By the stream's own clock: on a loaded machine the source is slower than it says, and fills the
 * ring later. No longer than 10 s or so, should it be stuck. */
static void stall(const session *s)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    uint64_t begin = weir_capture_received(s->capture), now = begin;
    uint64_t enough = (uint64_t)(STALL_SECONDS * s->rate_hz);
    for (int i = 0; i < 1000 && now - begin < enough && now < s->n_samples; i++) {
        nanosleep(&moment, NULL);
        now = weir_capture_received(s->capture);
    }
}

static void on_spectrum(void *user, const weir_spectrum *spectrum)
{
    session *s = user;
    (void)spectrum;
    if (s->kind == SLOW && ++s->n_spectra % STALL_EVERY == 0) {
        stall(s);
    }
}

/* The ramp in cu8: I is the stream index modulo 256, Q how often it went round. Looks at
 * the first samples, the last ones and some between. */
static void check_ramp(session *s, const weir_ring_view *view)
{
    const uint8_t *bytes = view->samples;
    size_t step = view->n_samples / 64 + 1;
    for (size_t i = 0; i < view->n_samples; i += i < 8 ? 1 : step) {
        uint64_t index = view->first_sample + i;
        s->wrong += bytes[2 * i] != (uint8_t)index || bytes[2 * i + 1] != (uint8_t)(index >> 8);
    }
    if (view->n_samples > 0) {
        size_t last = view->n_samples - 1;
        s->wrong += bytes[2 * last] != (uint8_t)(view->first_sample + last);
    }
}

/* fault:live makes it keep time and not wait; drops and retunes are the synthesizer's. */
static void make_recipe(session *s, char *text, size_t size)
{
    int used = snprintf(text, size, "fault:live:synth:ramp,format=cu8,rate=%.0f", s->rate_hz);
    if (s->kind == RATED) {
        return;
    }
    for (uint64_t i = 1; i <= DROPS; i++) {
        uint64_t at = s->n_samples / (DROPS + 2) * i;
        used += snprintf(text + used, size - (size_t)used,
                         ",drop=%" PRIu64 ":%d,retune=%" PRIu64 ":%" PRIu64 "M", at, DROP_SAMPLES,
                         at + 100000, 100 + i % 7);
    }
    s->forced = (uint64_t)DROPS * DROP_SAMPLES;
}

static weir_status open_session(session *s, weir_error *err)
{
    static double window[N_FFT];
    const weir_window *hann;
    double parameter;
    char recipe[4096];
    make_recipe(s, recipe, sizeof recipe);
    weir_capture_config capture = {.duration_seconds = (double)s->n_samples / s->rate_hz,
                                   .ring_bytes = (size_t)(RING_SECONDS * 2 * s->rate_hz)};
    weir_status status = weir_source_open(&s->source, recipe, NULL, err);
    if (status == WEIR_OK) {
        status = weir_capture_create(&s->capture, s->source, &capture, err);
    }
    if (status == WEIR_OK) {
        status = weir_window_parse("hann", &hann, &parameter, err);
    }
    if (status == WEIR_OK) {
        status = weir_window_fill(hann, parameter, window, N_FFT, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    weir_engine_config engine = {.format = s->source->info.format,
                                 .n_fft = N_FFT,
                                 .hop = N_FFT / 2,
                                 .window = window,
                                 .frames_per_spectrum = FRAMES_PER_SPECTRUM,
                                 .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
                                 .on_spectrum = on_spectrum,
                                 .user = s};
    return weir_engine_cpu_create(&s->engine, &engine, err);
}

static weir_status stream(session *s, weir_error *err)
{
    weir_ring *ring = weir_capture_ring(s->capture);
    weir_ring_view view;
    for (;;) {
        if (!weir_ring_peek(ring, &view)) {
            weir_ring_wait_data(ring, 0, 20);
            continue;
        }
        check_ramp(s, &view);
        weir_run run = weir_run_of(&view);
        size_t released = 0;
        weir_status status =
            view.n_samples > 0 ? weir_engine_push(s->engine, &run, &released, err) : WEIR_OK;
        if (status != WEIR_OK) {
            return status;
        }
        if (view.ended && released == view.n_samples) {
            break;
        }
        weir_ring_release(ring, released);
        if (released == 0 || !view.segment_ends) {
            weir_ring_wait_data(ring, view.n_samples - released, 20);
        }
    }
    weir_status status = weir_engine_flush(s->engine, view.lost_at_end, err);
    weir_engine_totals(s->engine, &s->totals);
    return status == WEIR_OK ? weir_capture_join(s->capture, err) : status;
}

static bool complain(const session *s, const char *what, uint64_t is, uint64_t expected)
{
    if (is != expected) {
        printf("FAILED: %s: %s: %" PRIu64 ", expected %" PRIu64 "\n", kind_names[s->kind], what, is,
               expected);
    }
    return is == expected;
}

static bool check_session(const session *s)
{
    const weir_totals *t = &s->totals;
    uint64_t sum = t->transformed + t->skipped + t->lost + t->tail;
    bool ok = complain(s, "samples at a wrong place", s->wrong, 0);
    ok = complain(s, "transformed + skipped + lost + tail", sum, t->received) && ok;
    ok = complain(s, "received", t->received, s->n_samples) && ok;
    ok = complain(s, "received by the capture thread", weir_capture_received(s->capture),
                  t->received) &&
         ok;
    ok = complain(s, "lost by the capture thread", weir_capture_lost(s->capture), t->lost) && ok;
    if (s->kind == RATED) {
        ok = complain(s, "lost at the rated speed", t->lost, 0) && ok;
    } else if (t->lost < s->forced) {
        ok = complain(s, "lost on purpose", t->lost, s->forced);
    }
    return ok;
}

static bool run_session(soak_kind kind, double rated_hz, uint64_t *lost)
{
    weir_error err = {0};
    session s = {.kind = kind, .rate_hz = kind == RATED ? rated_hz : 2 * rated_hz};
    s.n_samples = (uint64_t)(SESSION_SECONDS * s.rate_hz);
    weir_status status = open_session(&s, &err);
    if (status == WEIR_OK) {
        status = weir_capture_start(s.capture, &err);
    }
    if (status == WEIR_OK) {
        status = stream(&s, &err);
    }
    bool ok = status == WEIR_OK && check_session(&s);
    if (status != WEIR_OK) {
        printf("FAILED: %s: %s\n", kind_names[kind], err.text);
    }
    *lost += s.totals.lost - (ok ? s.forced : 0);
    weir_engine_destroy(s.engine);
    weir_capture_destroy(s.capture);
    weir_source_close(s.source);
    return ok;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 60;
    double rated_hz = argc > 2 ? strtod(argv[2], NULL) : RATED_HZ;
    double end = now_seconds() + seconds;
    uint64_t lost[KINDS] = {0};
    unsigned rounds = 0, descriptors = 0;
    long first_kib = 0, kib = 0;
    bool ok = true;
    weir_log_set_level(WEIR_LOG_ERROR);
    for (; ok && (rounds < 2 || now_seconds() < end); rounds++) {
        for (int k = 0; k < KINDS && ok; k++) {
            ok = run_session((soak_kind)k, rated_hz, &lost[k]);
        }
        kib = resident_kib();
        if (rounds == 0) { /* warm */
            first_kib = kib;
            descriptors = open_descriptors();
        }
    }
    printf("%u rounds at %.3g and %.3g MS/s; lost unforced: %" PRIu64 " rated, %" PRIu64
           " double, %" PRIu64 " slow; memory %ld KiB, then %ld KiB; descriptors %u, then %u\n",
           rounds, rated_hz / 1e6, 2 * rated_hz / 1e6, lost[RATED], lost[DOUBLE], lost[SLOW],
           first_kib, kib, descriptors, open_descriptors());
    if (kib > first_kib + SPARE_KIB || open_descriptors() != descriptors) {
        printf("FAILED: memory or descriptors grow\n");
        ok = false;
    }
    if (ok && lost[SLOW] == 0) {
        printf("FAILED: the slow sink lost nothing, so nothing was proved\n");
        ok = false;
    }
    return !ok;
}
