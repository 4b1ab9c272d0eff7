/* ctest-labels: prop
 * app/pipeline.h while it runs: transforms changed, sources tuned, paused and stopped at random
 * moments, from its own callbacks and from another thread. However it goes, run returns WEIR_OK
 * (it checks the books itself), the totals balance, and on_samples has shown every sample once. */
#include "app/pipeline.h"
#include "tests/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct session {
    weir_pipeline *pipeline;
    weir_settings settings;
    check_rng rng;       /* of the thread of run */
    uint64_t keys_seed;  /* of another */
    bool at_random;      /* changes come from the callbacks */
    bool stops_and_asks; /* at the first spectrum */
    uint64_t n_spectra, n_calls, calls_until_stop;
    uint64_t shown_end, n_shown; /* by on_samples */
    bool torn;                   /* it showed one twice */
    atomic_bool done;
    _Atomic double asked_hz, seen_hz; /* centres */
    bool arrived;                     /* where it was tuned to last */
    atomic_bool refused;              /* a change; the checks belong to the thread of main */
} session;

static void ask_for_another(session *s, check_rng *rng)
{
    static const char *const windows[] = {"hann", "flattop", "rect", "kaiser:9"};
    weir_settings other = s->settings;
    weir_error err;
    other.n_fft = (uint64_t)2 << check_random(rng) % 13;
    other.n_fft += check_random(rng) % 3;
    other.window = (char *)windows[check_random(rng) % 4];
    other.overlap = (double)(check_random(rng) % 10) / 10;
    other.hop = check_random(rng) % 4 == 0 ? 1 + 2 * other.n_fft : 0; /* sparse, too */
    if (weir_pipeline_reconfigure(s->pipeline, &other, &err) != WEIR_OK) {
        atomic_store(&s->refused, true);
    }
}

static void perhaps_change(session *s)
{
    if (!s->at_random) {
        return;
    }
    if (++s->n_calls == s->calls_until_stop) {
        weir_pipeline_stop(s->pipeline);
    }
    if (check_random(&s->rng) % 4 == 0) {
        ask_for_another(s, &s->rng);
    }
}

/* Until the source has delivered so many samples more, so that there is another view. */
static void wait_for_more(const session *s, uint64_t n_samples)
{
    uint64_t begin = weir_pipeline_received(s->pipeline);
    for (int i = 0; i < 5000 && weir_pipeline_received(s->pipeline) < begin + n_samples; i++) {
        usleep(1000);
    }
}

static weir_status on_spectrum(void *user, const weir_spectrum *spectrum, weir_error *err)
{
    session *s = user;
    (void)err;
    CHECK(spectrum->n_frames > 0);
    atomic_store(&s->seen_hz, spectrum->center_hz);
    perhaps_change(s);
    if (s->n_spectra++ == 0 && s->stops_and_asks) {
        wait_for_more(s, 10000);
        weir_pipeline_stop(s->pipeline);
        ask_for_another(s, &s->rng);
    }
    return WEIR_OK;
}

static void on_samples(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples)
{
    session *s = user;
    (void)segment;
    (void)samples;
    s->torn = s->torn || (s->n_shown > 0 && first_sample < s->shown_end);
    s->shown_end = first_sample + n_samples;
    s->n_shown += n_samples;
    perhaps_change(s);
}

static void open_session(session *s, const char *source, bool gives_up)
{
    weir_pipeline_config config = {.settings = &s->settings,
                                   .source = source,
                                   .for_view = true,
                                   .gives_up_at_stop = gives_up,
                                   .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
                                   .on_spectrum = on_spectrum,
                                   .on_samples = on_samples,
                                   .user = s};
    weir_error err;
    CHECK_MSG(weir_pipeline_open(&s->pipeline, &config, &err) == WEIR_OK, "%s", err.text);
}

static void run_and_close(session *s, const char *what)
{
    weir_totals totals = {0};
    weir_error err = {0};
    weir_status status = weir_pipeline_run(s->pipeline, &err);
    atomic_store(&s->done, true);
    CHECK_MSG(status == WEIR_OK, "%s: %s", what, err.text);
    weir_pipeline_totals(s->pipeline, &totals);
    CHECK_MSG(weir_totals_balance(&totals), "%s: the books", what);
    CHECK_MSG(totals.received == weir_pipeline_received(s->pipeline), "%s: received", what);
    if (!(s->settings.span_hz > 0)) {
        CHECK_MSG(!s->torn && s->n_shown == totals.received - totals.lost,
                  "%s: %llu of %llu samples shown%s", what, (unsigned long long)s->n_shown,
                  (unsigned long long)(totals.received - totals.lost), s->torn ? ", torn" : "");
    }
}

static void close_session(session *s)
{
    CHECK(!atomic_load(&s->refused));
    weir_pipeline_close(s->pipeline);
    weir_settings_free(&s->settings);
}

/* What the engine that gave up has released is in its tail, but no longer in the ring. */
static void test_a_change_asked_for_at_the_stop(void)
{
    for (int gives_up = 0; gives_up < 2; gives_up++) {
        session s = {.rng = check_rng_fresh(), .stops_and_asks = true};
        weir_settings_init(&s.settings);
        s.settings.n_fft = 256;
        open_session(&s, "tuner:", gives_up);
        run_and_close(&s, gives_up ? "gives up" : "transforms the rest");
        CHECK(s.n_spectra > 0);
        close_session(&s);
    }
}

/* Faster than the tuner follows: the last one holds, and what is received there is not skipped. */
static void *tune_quickly(void *user)
{
    session *s = user;
    check_rng rng = check_rng_fresh();
    weir_error err;
    for (int i = 0; i < 40; i++) {
        double hz = 1e6 * (double)(90 + check_random(&rng) % 20);
        if (weir_pipeline_control(s->pipeline, "center_hz", hz, &err) != WEIR_OK) {
            atomic_store(&s->refused, true);
        }
        atomic_store(&s->asked_hz, hz);
        usleep((useconds_t)(check_random(&rng) % 2000));
    }
    for (int i = 0; i < 5000 && atomic_load(&s->seen_hz) != atomic_load(&s->asked_hz); i++) {
        usleep(1000);
    }
    s->arrived = atomic_load(&s->seen_hz) == atomic_load(&s->asked_hz);
    weir_pipeline_stop(s->pipeline);
    return NULL;
}

static void test_quick_retunes_of_a_zoom(void)
{
    for (int i = 0; i < 5; i++) {
        session s = {.rng = check_rng_fresh()};
        pthread_t keys;
        weir_settings_init(&s.settings);
        s.settings.n_fft = 256;
        s.settings.span_hz = 50e3;
        s.settings.zoom_center_hz = 100e6 + 1e5 * (i - 2);
        open_session(&s, "tuner:", true);
        CHECK(pthread_create(&keys, NULL, tune_quickly, &s) == 0);
        run_and_close(&s, "quick retunes");
        pthread_join(keys, NULL);
        CHECK_MSG(s.arrived, "tuned to %.9g Hz, asked for %.9g Hz", s.seen_hz, s.asked_hz);
        close_session(&s);
    }
}

/* Too short for any transform, again and again: refused, and not waited for. */
static void test_one_sample_in_a_loop(void)
{
    char path[] = "/tmp/weir-pipeline-XXXXXX.cu8";
    int fd = mkstemps(path, 4);
    CHECK(fd >= 0 && write(fd, "ab", 2) == 2 && close(fd) == 0);
    for (int view = 0; view < 2; view++) {
        weir_settings settings;
        weir_settings_init(&settings);
        settings.rate_hz = 1e5;
        settings.loop = true;
        weir_pipeline_config config = {.settings = &settings, .source = path, .for_view = view};
        weir_pipeline *pipeline;
        weir_error err = {0};
        CHECK(weir_pipeline_open(&pipeline, &config, &err) == WEIR_ERR_DATA && !pipeline);
        CHECK_MSG(strstr(err.text, "only one sample"), "%s", err.text);
        weir_settings_free(&settings);
    }
    unlink(path);
}

/* Keys, from the thread of the terminal. */
static void *press(void *user)
{
    session *s = user;
    check_rng rng = check_rng_from(s->keys_seed);
    weir_error err;
    while (!atomic_load(&s->done)) {
        switch (check_random(&rng) % 5) {
        case 0:
            ask_for_another(s, &rng);
            break;
        case 1: /* beyond what can be tuned to: refused */
            (void)weir_pipeline_control(s->pipeline, "center_hz",
                                        1e6 * (double)(80 + check_random(&rng) % 40), &err);
            break;
        case 2:
            weir_pipeline_set_paused(s->pipeline, true);
            break;
        case 3:
            weir_pipeline_step(s->pipeline, check_random(&rng) % 10000);
            break;
        default:
            weir_pipeline_set_paused(s->pipeline, false);
        }
        usleep((useconds_t)(check_random(&rng) % 3000));
    }
    return NULL;
}

static void random_session(check_rng *rng)
{
    static const char *const sources[] = {
        "tuner:", "synth:", "synth:tone=1k@-20,drop=5000:700,drop=90000:1"};
    session s = {.rng = check_rng_from(check_random(rng)),
                 .keys_seed = check_random(rng),
                 .at_random = true};
    const char *source = sources[check_random(rng) % 3];
    char what[160];
    pthread_t keys;
    weir_settings_init(&s.settings);
    s.settings.n_fft = 512;
    s.settings.span_hz = check_random(rng) % 4 == 0 ? 50e3 : 0;
    s.calls_until_stop = 1 + check_random(rng) % 60;
    bool gives_up = check_random(rng) % 2 == 0;
    snprintf(what, sizeof what, "%s, span %g Hz, stop at call %llu%s", source, s.settings.span_hz,
             (unsigned long long)s.calls_until_stop, gives_up ? ", gives up" : "");
    open_session(&s, source, gives_up);
    CHECK(pthread_create(&keys, NULL, press, &s) == 0);
    run_and_close(&s, what);
    pthread_join(keys, NULL);
    close_session(&s);
}

static void test_changes_at_random(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 30; i++) {
        random_session(&rng);
    }
}

int main(void)
{
    RUN(test_a_change_asked_for_at_the_stop);
    RUN(test_quick_retunes_of_a_zoom);
    RUN(test_one_sample_in_a_loop);
    RUN(test_changes_at_random);
    return check_finish();
}
