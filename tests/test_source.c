/* ctest-labels: unit prop
 * capture/source.h: the table, printable text, refusals; and fault:, the wrapper by which
 * the capture thread meets losses, errors and stalls. */
#include "capture/capture.h"
#include "capture/fault.h"
#include "capture/source.h"
#include "tests/check.h"

#include <pthread.h>
#include <unistd.h>

/* ---- printable text ---- */

static void test_printable_text(void)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"", ""},
        {"plain name.wav", "plain name.wav"},
        {"a\nb\tc", "a\\x0ab\\x09c"},
        {"\x1b[31mred", "\\x1b[31mred"},
        {"del\x7f", "del\\x7f"},
        {"f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x8e\xb5", "f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x8e\xb5"},
        {"c1 \xc2\x9b", "c1 \\xc2\\x9b"},                  /* an escape in UTF-8          */
        {"\xe2\x80\xaegpj.exe", "\\xe2\\x80\\xaegpj.exe"}, /* an override; NOLINT */
        {"bad \xff\xc3", "bad \\xff\\xc3"},                /* never valid; cut short      */
        {"\xc0\xaf", "\\xc0\\xaf"},                        /* overlong                    */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},               /* a surrogate                 */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},      /* beyond the last code point  */
    };
    char buffer[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(weir_printable(buffer, sizeof buffer, cases[i].text) == buffer);
        CHECK_STR(buffer, cases[i].shown);
    }
}

/* Cut anywhere, it stays within size and never ends in half an escape or character. */
static void test_printable_text_is_cut_whole(void)
{
    const char *text = "ab\x1b\xe2\x82\xac.";
    static const char *const cuts[] = {"",
                                       "",
                                       "a",
                                       "ab",
                                       "ab",
                                       "ab",
                                       "ab",
                                       "ab\\x1b",
                                       "ab\\x1b",
                                       "ab\\x1b",
                                       "ab\\x1b\xe2\x82\xac",
                                       "ab\\x1b\xe2\x82\xac."};
    for (size_t size = 0; size < sizeof cuts / sizeof cuts[0]; size++) {
        char buffer[16];
        memset(buffer, 'X', sizeof buffer);
        weir_printable(buffer, size, text);
        CHECK(buffer[size] == 'X');
        if (size > 0) {
            CHECK_STR(buffer, cuts[size]);
        }
    }
    check_rng rng = check_rng_fresh();
    for (int k = 0; k < 20000; k++) {
        char random[24], shown[24];
        for (size_t i = 0; i < sizeof random; i++) {
            random[i] = (char)(check_random(&rng) >> 9);
        }
        random[sizeof random - 1] = '\0';
        weir_printable(shown, sizeof shown, random);
        for (size_t i = 0; shown[i]; i++) {
            CHECK((unsigned char)shown[i] >= 0x20 && shown[i] != 0x7f);
        }
    }
}

/* ---- the table ---- */

static void test_every_row_is_whole(void)
{
    size_t n = 0;
    const weir_source_class *row = NULL;
    for (; weir_source_class_at(n); n++) {
        row = weir_source_class_at(n);
        CHECK(row->name && row->syntax && row->help && row->accepts && (row->open || row->missing));
        CHECK(!strchr(row->help, '\n'));
    }
    CHECK(n >= 3 && weir_source_class_at(n + 100) == NULL);
    CHECK_STR(row ? row->name : NULL, "file"); /* it takes anything, so it must come last */
    weir_source_close(NULL);
}

static void test_refusals(void)
{
    weir_source *source = NULL;
    weir_source_options options;
    weir_error err = {0};
    weir_source_options_init(&options);
    CHECK(!options.format && options.rate_hz == 0 && isnan(options.center_hz));
    CHECK(options.channels == 0 && options.iq == -1 && !options.verify_checksum);
    CHECK(!options.device_options);
    CHECK(weir_source_open(&source, "", &options, &err) == WEIR_ERR_USAGE && !source);
    CHECK(weir_source_open(&source, NULL, &options, &err) == WEIR_ERR_USAGE && !source);
    static const double bad_rates[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        options.rate_hz = bad_rates[i];
        CHECK(weir_source_open(&source, "synth:", &options, &err) == WEIR_ERR_USAGE);
        CHECK(strstr(err.text, "sample rate") != NULL);
    }
    weir_source_options_init(&options);
    options.center_hz = INFINITY;
    CHECK(weir_source_open(&source, "synth:", &options, &err) == WEIR_ERR_USAGE);

    /* A mistyped prefix is a file that is not there; the report shows the sources. */
    CHECK(weir_source_open(&source, "snyth:tone=1k@-10", NULL, &err) == WEIR_ERR_NO_INPUT);
    CHECK_MSG(strstr(err.text, "\"snyth\"") && strstr(err.text, "synth:RECIPE"), "%s", err.text);
    CHECK(weir_source_open(&source, "/no/such\x1b/file", NULL, &err) == WEIR_ERR_NO_INPUT);
    CHECK_MSG(strstr(err.text, "\\x1b") && !strstr(err.text, "RECIPE"), "%s", err.text);
}

/* ---- fault: ---- */

static weir_source *open_source(const char *argument)
{
    weir_source *source = NULL;
    weir_error err = {0};
    weir_status status = weir_source_open(&source, argument, NULL, &err);
    CHECK_MSG(status == WEIR_OK, "%s", err.text);
    if (!source) {
        exit(1);
    }
    return source;
}

typedef struct outcome {
    uint64_t samples, lost, segments, wrong, received, reported_lost;
    uint64_t fingerprint; /* of where the losses lie */
    weir_status status;
    char text[512];
    double seconds;
} outcome;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A cu8 ramp counts to 65536: every sample is checked against its stream index. */
static void look_at(outcome *o, const weir_ring_view *view, uint64_t *segment)
{
    if (view->n_samples > 0 && view->segment.segment != *segment) {
        *segment = view->segment.segment;
        o->segments++;
        o->lost += view->segment.lost_before;
        o->fingerprint =
            (o->fingerprint ^ view->segment.first_sample) * 1000003 + view->segment.lost_before;
    }
    const unsigned char *at = view->samples;
    for (size_t i = 0; i < view->n_samples; i++) {
        uint64_t n = view->first_sample + i;
        o->wrong += at[2 * i] != n % 256 || at[2 * i + 1] != n / 256 % 256;
    }
    o->samples += view->n_samples;
}

static outcome run_all(const char *argument, size_t ring_bytes, unsigned delay_us)
{
    outcome o = {0};
    weir_error err = {0};
    weir_source *source = open_source(argument);
    weir_capture *capture = NULL;
    weir_capture_config config = {.duration_seconds = INFINITY, .ring_bytes = ring_bytes};
    CHECK(weir_capture_create(&capture, source, &config, &err) == WEIR_OK);
    double start = seconds_now();
    CHECK(weir_capture_start(capture, &err) == WEIR_OK);
    weir_ring *ring = weir_capture_ring(capture);
    weir_ring_view view = {0};
    uint64_t segment = UINT64_MAX;
    while (!view.ended) {
        if (!weir_ring_peek(ring, &view)) {
            weir_ring_wait_data(ring, 0, 100);
            continue;
        }
        look_at(&o, &view, &segment);
        weir_ring_release(ring, view.n_samples);
        usleep(delay_us);
    }
    o.lost += view.lost_at_end;
    o.status = weir_capture_join(capture, &err);
    o.seconds = seconds_now() - start;
    o.received = weir_capture_received(capture);
    o.reported_lost = weir_capture_lost(capture);
    snprintf(o.text, sizeof o.text, "%s", err.text);
    weir_capture_destroy(capture);
    weir_source_close(source);
    CHECK(o.received == o.samples + o.lost && o.reported_lost == o.lost);
    CHECK_MSG(o.wrong == 0, "%s: %llu wrong", argument, (unsigned long long)o.wrong);
    return o;
}

#define RAMP "synth:ramp,rate=1M,seconds=1"

static void test_losses_are_exact_and_repeatable(void)
{
    outcome a = run_all("fault:lose=5k/300:" RAMP, 0, 0);
    CHECK(a.status == WEIR_OK && a.received == 1000000 && a.lost > 0);
    CHECK_MSG(a.segments > 100 && a.segments < 400, "%llu", (unsigned long long)a.segments);
    /* Other cuts, the same losses. */
    outcome b = run_all("fault:short,lose=5k/300:" RAMP, 4096, 0);
    CHECK(b.received == 1000000 && b.lost == a.lost && b.fingerprint == a.fingerprint);
    outcome c = run_all("fault:seed=2,lose=5k/300:" RAMP, 0, 0);
    CHECK(c.received == 1000000 && c.fingerprint != a.fingerprint);
    /* The wrapped source's own gaps add up with them, and losses may reach the end. */
    outcome d = run_all("fault:lose=5k/3k:" RAMP ",drop=1M:4000,drop=10k:8k,drop=600k:100k", 0, 0);
    CHECK(d.received == 1000000 && d.lost > 112000);
}

static void test_errors_after_the_samples_before_them(void)
{
    outcome o = run_all("fault:error=12345:" RAMP, 0, 0);
    CHECK(o.status == WEIR_ERR_IO && o.samples == 12345 && strstr(o.text, "12345"));
    o = run_all("fault:short,vanish=54321:" RAMP, 0, 0);
    CHECK(o.status == WEIR_ERR_DEVICE && o.samples == 54321 && strstr(o.text, "vanished"));
}

static void test_delays_and_stalls_change_nothing_but_the_time(void)
{
    outcome o = run_all("fault:delay=100k/5ms,stall=500k/0.1:" RAMP, 0, 0);
    CHECK(o.status == WEIR_OK && o.samples == 1000000 && o.segments == 1);
    CHECK_MSG(o.seconds >= 0.1 && o.seconds < 10, "%g s", o.seconds);
}

/* 0.3 s in real time into a small ring whose reader dozes: it loses, and says what. */
static void test_live_loses_what_does_not_fit(void)
{
    outcome o = run_all("fault:live:synth:ramp,rate=1M,seconds=0.3", 16384, 30000);
    CHECK(o.status == WEIR_OK && o.received == 300000 && o.lost > 0 && o.samples > 8192);
    CHECK_MSG(o.seconds >= 0.29 && o.seconds < 10, "%g s", o.seconds);
    o = run_all("fault:live:synth:ramp,rate=1M,seconds=0.1", 1 << 20, 0);
    CHECK(o.samples == 100000 && o.lost == 0);
}

static void *stop_soon(void *arg)
{
    usleep(30000);
    weir_capture_stop(arg);
    return NULL;
}

static void test_a_stalled_source_can_be_stopped(void)
{
    weir_source *source = open_source("fault:stall=1000/1h:" RAMP);
    weir_capture *capture = NULL;
    weir_capture_config config = {.duration_seconds = INFINITY};
    weir_error err = {0};
    pthread_t thread;
    CHECK(weir_capture_create(&capture, source, &config, &err) == WEIR_OK);
    CHECK(weir_capture_start(capture, &err) == WEIR_OK);
    CHECK(pthread_create(&thread, NULL, stop_soon, capture) == 0);
    double start = seconds_now();
    CHECK(weir_capture_join(capture, &err) == WEIR_OK);
    CHECK(seconds_now() - start < 10);
    pthread_join(thread, NULL);
    weir_capture_destroy(capture);
    weir_source_close(source);
}

static void test_seeking_repeats_the_same_faults(void)
{
    weir_source *source = open_source("fault:lose=300/100:" RAMP);
    unsigned char first[2000] = {0}, again[2000] = {0};
    weir_error err = {0};
    weir_read read[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
        size_t done = 0;
        CHECK(source->class_->seek(source, 5000, &err) == WEIR_OK);
        while (done < 1000) {
            weir_read one = {0};
            unsigned char *at = (k ? again : first) + 2 * done;
            CHECK(source->class_->read(source, at, 1000 - done, &one, &err) == WEIR_OK);
            done += one.n_samples;
            read[k].lost_before += one.lost_before;
        }
    }
    CHECK(memcmp(first, again, sizeof first) == 0);
    CHECK(read[0].lost_before > 0 && read[0].lost_before == read[1].lost_before);
    CHECK(source->class_->seek(source, UINT64_C(1) << 40, &err) == WEIR_ERR_USAGE);
    weir_source_close(source);
}

static void test_fault_errors(void)
{
    static const struct {
        const char *argument, *word;
        weir_status status;
    } cases[] = {
        {"fault:short", "fault:SPEC:SOURCE", WEIR_ERR_USAGE},
        {"fault:looose=1/1:synth:", "items: seed, short, lose", WEIR_ERR_USAGE},
        {"fault:lose=1:synth:", "lose=EVERY/MOST", WEIR_ERR_USAGE},
        {"fault:lose=0/1:synth:", "EVERY", WEIR_ERR_USAGE},
        {"fault:lose=10/0:synth:", "MOST", WEIR_ERR_USAGE},
        {"fault:delay=10/x:synth:", "delay=EVERY/TIME", WEIR_ERR_USAGE},
        {"fault:stall=10:synth:", "stall=SAMPLE/TIME", WEIR_ERR_USAGE},
        {"fault:error:synth:", "error=SAMPLE", WEIR_ERR_USAGE},
        {"fault:vanish=soon:synth:", "vanish=SAMPLE", WEIR_ERR_USAGE},
        {"fault:short=1:synth:", "no value", WEIR_ERR_USAGE},
        {"fault::synth:tome", "\"tome\"", WEIR_ERR_USAGE},
        {"fault:::", "", WEIR_ERR_NO_INPUT},
        {"fault::fault::synth:", "one", WEIR_ERR_USAGE},
        {"fault::/no/such/file", "/no/such/file", WEIR_ERR_NO_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_source *source = NULL;
        weir_error err = {0};
        weir_status status = weir_source_open(&source, cases[i].argument, NULL, &err);
        CHECK_MSG(status == cases[i].status && !source, "%s: %s", cases[i].argument, err.text);
        CHECK_MSG(strstr(err.text, cases[i].word), "%s: %s", cases[i].argument, err.text);
    }
    CHECK(strstr(weir_fault_help(), "vanish=SAMPLE") != NULL);
    weir_source *plain = open_source("fault::synth:format=s16,rate=8k");
    CHECK(plain->info.rate_hz == 8000 && plain->info.can_seek && !plain->info.is_live);
    CHECK(strstr(plain->info.description, "with faults: ") != NULL);
    weir_source_close(plain);
}

int main(void)
{
    RUN(test_printable_text);
    RUN(test_printable_text_is_cut_whole);
    RUN(test_every_row_is_whole);
    RUN(test_refusals);
    RUN(test_losses_are_exact_and_repeatable);
    RUN(test_errors_after_the_samples_before_them);
    RUN(test_delays_and_stalls_change_nothing_but_the_time);
    RUN(test_live_loses_what_does_not_fit);
    RUN(test_a_stalled_source_can_be_stopped);
    RUN(test_seeking_repeats_the_same_faults);
    RUN(test_fault_errors);
    return check_finish();
}
