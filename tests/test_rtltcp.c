/* ctest-labels: unit clock
 * ctest-timeout: 300
 * capture/rtltcp.c against a server with faults (tests/fakes/fake_rtltcp.h), on the
 * loopback: every sample of a ramp, greetings, pairing, stalls, reconnecting, refusals. */
#include "base/log.h"
#include "tests/fakes/fake_rtltcp.h"
#include "tests/fakes/live.h"

#include <dlfcn.h>
#include <netdb.h>

#define RATE_HZ 2.4e6
#define CENTER_HZ 100e6
enum { TUNER_OTHER = 0, TUNER_R820T = 5 };

static const live_config plain = {.seconds = 1,
                                  .stop_after = INFINITY,
                                  .value = live_value_cu8,
                                  .mask = 0xffff,
                                  .ring_bytes = LIVE_USUAL_RING_BYTES};

static char address[64];

static fake_server *new_server(double rate_hz, unsigned char tuner)
{
    fake_server *f = malloc(sizeof *f);
    fake_server_init(f, rate_hz, tuner);
    return f;
}

static void start(fake_server *f)
{
    CHECK(fake_server_start(f));
    snprintf(address, sizeof address, f->ipv6 ? "rtltcp:[::1]:%u" : "rtltcp:127.0.0.1:%u", f->port);
}

static void end(fake_server *f)
{
    fake_server_stop(f);
    free(f);
}

/* One capture from a server, which is gone afterwards. */
static void run(fake_server *f, const char *const *pairs, const live_config *config, live_result *r)
{
    weir_error err;
    weir_source *source = NULL;
    *r = (live_result){.status = WEIR_ERR_INTERNAL};
    start(f);
    weir_status status = live_open(&source, address, f->rate_hz, CENTER_HZ, pairs, &err);
    CHECK_MSG(status == WEIR_OK, "%s", err.text);
    if (source) {
        live_run(source, config, r);
    }
    weir_source_close(source);
}

static void check_ramp(double rate_hz, unsigned char tuner)
{
    live_result r;
    live_config config = plain;
    config.ring_bytes = LIVE_RING_BYTES;
    config.seconds = live_seconds(2);
    fake_server *f = new_server(rate_hz, tuner);
    double begun = live_now();
    run(f, NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0 && r.lost == 0 && r.n_segments == 1);
    CHECK(r.samples == (uint64_t)(config.seconds * rate_hz));
    printf("# %.1f MS/s, %.3f s: %llu samples, %llu lost, %llu jumps\n", rate_hz * 1e-6,
           live_now() - begun, (unsigned long long)r.samples, (unsigned long long)r.lost,
           (unsigned long long)r.jumps);
    end(f);
}

static void test_ramp(void)
{
    check_ramp(RATE_HZ, TUNER_R820T);
}

static void test_ramp_fast(void)
{
    check_ramp(LIVE_FAST_HZ, TUNER_OTHER);
}

static void test_packets_of_any_size(void)
{
    live_result r;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    f->split_greeting = true;
    f->odd = true;
    run(f, NULL, &plain, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0 && r.lost == 0);
    CHECK(r.samples == (uint64_t)RATE_HZ);
    end(f);
}

static void test_ipv6(void)
{
    live_result r;
    live_config config = plain;
    config.seconds = 0.1;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    f->ipv6 = true;
    if (!fake_server_start(f)) {
        printf("# there is no IPv6 here\n");
        free(f);
        return;
    }
    fake_server_stop(f);
    atomic_store(&f->stop, false);
    run(f, NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0);
    end(f);
}

/* The consumer sleeps: what the ring could not take is counted exactly, where it was. */
static void test_forced_overflow(void)
{
    live_result r;
    live_config config = plain;
    config.ring_bytes = (size_t)64 << 10;
    config.pause_at = 0.2;
    config.pause = 0.3;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    run(f, NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0 && r.lost > (uint64_t)(0.2 * RATE_HZ));
    CHECK(r.n_segments >= 2 && r.marked_jumps == r.n_segments - 1);
    end(f);
}

/* The server drops what it could not send: the gap is where it was, and about as long. */
static void test_stall_with_loss(void)
{
    live_result r;
    live_config config = plain;
    config.seconds = 4;
    config.mask = 0;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    const char *const pairs[] = {"settle=0", NULL};
    f->stall_at = 0.5 * RATE_HZ;
    f->stall_seconds = 1.5;
    run(f, pairs, &config, &r);
    CHECK(r.status == WEIR_OK && r.n_segments == 2);
    uint64_t before = r.segments[1].first_sample - r.segments[1].lost_before;
    /* The server's blocks are 8192 samples: the stall is at the first from 1200000 on. */
    CHECK_MSG(before >= 1200000 && before < 1200000 + 8192, "after %llu samples",
              (unsigned long long)before);
    CHECK_NEAR((double)r.segments[1].lost_before / RATE_HZ, 1.5, 0.1);
    end(f);
}

/* Nothing for 10 s is a lost connection, also to a server that says nothing of it. */
static void test_silence(void)
{
    live_result r;
    live_config config = plain;
    config.seconds = INFINITY;
    config.stop_after = 20;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    f->stall_at = 0.5 * RATE_HZ;
    f->stall_seconds = 30;
    double begun = live_now();
    run(f, NULL, &config, &r);
    double silent = r.ended - begun - 0.5;
    CHECK_MSG(r.status == WEIR_ERR_DEVICE && strstr(r.err.text, "no data came"), "%s", r.err.text);
    CHECK_MSG(silent > 9.5 && silent < 12, "given up after %.1f s", silent);
    CHECK(r.jumps == 0 && r.samples > 0);
    end(f);
}

/* The server had kept them: nothing is missing, and nothing is said to be. */
static void test_stall_without_loss(void)
{
    live_result r;
    live_config config = plain;
    config.seconds = 4;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    f->stall_at = 0.5 * RATE_HZ;
    config.ring_bytes = LIVE_RING_BYTES;
    f->stall_seconds = 1.5;
    f->stall_keeps = true;
    run(f, NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.n_segments == 1 && r.jumps == 0 && r.lost == 0);
    CHECK(r.samples == (uint64_t)(4 * RATE_HZ));
    end(f);
}

static void test_close_and_reconnect(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.seconds = 3;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    f->close_at = 0.5 * RATE_HZ;
    f->away_seconds = 0.7;
    run(f, pairs, &config, &r);
    CHECK(r.status == WEIR_OK && r.n_segments == 2);
    CHECK(atomic_load(&f->connections) == 2 && atomic_load(&f->counts[1]) == 2);
    CHECK(r.jumps <= 1); /* at the gap, whose length is an estimate; pairs stay pairs */
    double gap = (double)r.segments[1].lost_before / RATE_HZ;
    CHECK_MSG(gap > 0.6 && gap < 1.5, "a gap of %.2f s", gap);
    end(f);
}

/* A server that dies again and again, and sometimes before anything came: all the time that
 * passes is either samples or counted as lost, however many connections it takes. */
static void test_reconnect_storm(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.value = NULL; /* the gaps are estimates */
    config.seconds = INFINITY;
    config.stop_after = 6;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    f->storm = 6;
    f->away_seconds = 0.05;
    run(f, pairs, &config, &r);
    double passed = r.ended - r.seen[0], counted = (double)(r.samples + r.lost) / RATE_HZ;
    CHECK(r.status == WEIR_OK);
    CHECK_MSG(atomic_load(&f->connections) == f->storm + 1, "%u connections",
              atomic_load(&f->connections));
    /* Each connection comes 0.5 s after the one before. A busy machine may not get to the last
     * samples. */
    CHECK_MSG(counted < passed + 0.15 && counted > passed - 0.45, "%.2f of %.2f s counted", counted,
              passed);
    printf("# %.2f of %.2f s counted\n", counted, passed);
    end(f);
}

static void count_rate_warnings(void *user, weir_log_level level, const char *text)
{
    unsigned *n = user;
    *n += level == WEIR_LOG_WARNING && strstr(text, "samples a second come, not 2400000") != NULL;
}

/* A server with another rate than it was told is said once; one with the right rate never. */
static void check_rate_watch(double real_hz, unsigned warnings)
{
    live_result r;
    weir_error err;
    weir_source *source = NULL;
    unsigned n = 0;
    live_config config = plain;
    config.value = NULL;
    config.seconds = INFINITY;
    config.stop_after = 10;
    fake_server *f = new_server(real_hz, TUNER_R820T);
    start(f);
    CHECK(live_open(&source, address, RATE_HZ, CENTER_HZ, NULL, &err) == WEIR_OK);
    weir_log_set_sink(count_rate_warnings, &n);
    live_run(source, &config, &r);
    weir_log_set_sink(NULL, NULL);
    CHECK_MSG(n == warnings, "%u warnings at %.1f MS/s", n, 1e-6 * real_hz);
    weir_source_close(source);
    end(f);
}

static void test_rate_watch(void)
{
    check_rate_watch(1.25 * RATE_HZ, 1);
    if (live_seconds(0) >= 10) { /* in the soak */
        check_rate_watch(0.8 * RATE_HZ, 1);
        check_rate_watch(RATE_HZ, 0);
    }
}

static void test_close_and_exit(void)
{
    live_result r;
    live_config config = plain;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    f->close_at = 0.3 * RATE_HZ;
    f->away_seconds = 0.1;
    run(f, NULL, &config, &r);
    CHECK(r.status == WEIR_ERR_DEVICE && strstr(r.err.text, "closed") && r.jumps == 0);
    CHECK(r.samples >= (uint64_t)(0.3 * RATE_HZ) - (uint64_t)(0.1 * RATE_HZ)); /* settling */
    end(f);
}

static void test_stop_is_prompt(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.seconds = INFINITY;
    config.stop_after = 0.6;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    f->stall_at = 0.2 * RATE_HZ;
    f->stall_seconds = 3;
    double begun = live_now();
    run(f, pairs, &config, &r); /* in the middle of a stall */
    CHECK(r.status == WEIR_OK);
    CHECK_MSG(live_now() - begun < 0.9, "%.3f s", live_now() - begun);
    end(f);
    f = new_server(RATE_HZ, TUNER_R820T);
    f->close_at = 0.2 * RATE_HZ;
    f->away_seconds = 30;
    begun = live_now();
    run(f, pairs, &config, &r); /* while it tries to connect again */
    CHECK(r.status == WEIR_OK);
    CHECK_MSG(live_now() - begun < 0.9, "%.3f s", live_now() - begun);
    end(f);
}

/* A resolver that a name server keeps waiting. */
static atomic_int resolver_sleeps_ms;
static atomic_uint n_resolving;

int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                struct addrinfo **list)
{
    typedef int resolver(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    union {
        void *object;
        resolver *call;
    } real = {.object = dlsym(RTLD_NEXT, "getaddrinfo")};
    atomic_fetch_add(&n_resolving, 1);
    usleep((useconds_t)atomic_load(&resolver_sleeps_ms) * 1000);
    int result = real.call(host, port, hints, list);
    atomic_fetch_sub(&n_resolving, 1);
    return result;
}

static void slow_down_resolver(void *user, double seconds, weir_source *source)
{
    (void)user;
    (void)source;
    atomic_store(&resolver_sleeps_ms, seconds > 0.1 ? 1500 : 0);
}

/* Neither a stop nor the end of a duration waits for a name server; what is lost until then is
 * counted, and one query is asked at a time. */
static void check_slow_resolver(double seconds, double stop_after)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.value = NULL;
    config.seconds = seconds;
    config.stop_after = stop_after;
    config.poke = slow_down_resolver;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    f->close_at = 0.3 * RATE_HZ;
    f->away_seconds = 0.1;
    double begun = live_now();
    run(f, pairs, &config, &r);
    double end_s = fmin(seconds, stop_after);
    CHECK(r.status == WEIR_OK && r.n_segments == 1 && atomic_load(&n_resolving) == 1);
    CHECK_MSG(live_now() - begun < end_s + (isinf(seconds) ? 0.3 : 1.2), "%.3f s of %.1f",
              live_now() - begun, end_s);
    /* They settle for 0.1 s at first. */
    CHECK_NEAR((double)(r.samples + r.lost) / RATE_HZ, fmin(seconds, r.ended - begun - 0.1), 0.2);
    atomic_store(&resolver_sleeps_ms, 0);
    end(f);
    while (atomic_load(&n_resolving) > 0) {
        usleep(10000);
    }
}

static void test_slow_resolver(void)
{
    check_slow_resolver(INFINITY, 0.9);
    check_slow_resolver(0.9, 5);
}

typedef struct knob {
    double began, took;
    weir_status status;
} knob;

static void turn_knob(void *user, double seconds, weir_source *source)
{
    knob *k = user;
    weir_error err;
    if (seconds > 0.3 && k->began == 0) {
        k->began = live_now();
        k->status = source->class_->control(source, "center_hz", 433.92e6, &err);
        k->took = live_now() - k->began;
    }
}

/* INFINITY: the machine was too busy for samples to keep coming. */
static double check_retune(void)
{
    live_result r;
    knob k = {0};
    live_config config = plain;
    config.poke = turn_knob;
    config.user = &k;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    run(f, NULL, &config, &r);
    CHECK(r.status == WEIR_OK && k.status == WEIR_OK && r.jumps == 0);
    CHECK(atomic_load(&f->commands[1]) == 433920000);
    if (r.n_segments != 2) {
        end(f);
        return INFINITY;
    }
    CHECK(r.segments[1].center_hz == 433.92e6 && r.marked_jumps == 1);
    CHECK(r.segments[1].lost_before >= (uint64_t)(0.1 * RATE_HZ));
    double effect = r.seen[1] - k.began;
    printf("# control() took %.2f ms; key to effect %.1f ms, of that 100 ms settling\n",
           1e3 * k.took, 1e3 * effect);
    end(f);
    return effect;
}

/* A busy machine may spoil a few. */
static void test_retune(void)
{
    double effect = INFINITY;
    for (unsigned i = 0; i < 5 && effect > 0.2; i++) {
        effect = check_retune();
    }
    CHECK_MSG(effect < 0.2, "%.1f ms", 1e3 * effect);
}

static void test_commands(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"gain=29.7",         "agc=on",     "ppm=-3",
                                 "bandwidth=300k",    "bias-tee=1", "direct-sampling=Q",
                                 "offset-tuning=yes", NULL};
    static const struct {
        unsigned command;
        uint32_t value;
    } expected[] = {{1, 100000000}, {2, 2400000}, {3, 1},  {4, 297},  {5, (uint32_t)-3},
                    {8, 1},         {9, 2},       {10, 1}, {0x0e, 1}, {0x40, 300000}};
    config.seconds = 0.2;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    run(f, pairs, &config, &r);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        unsigned c = expected[i].command;
        CHECK_MSG(atomic_load(&f->commands[c]) == expected[i].value, "command %u: %u", c,
                  atomic_load(&f->commands[c]));
    }
    end(f);
}

static void refuse_option(fake_server *f, double rate_hz, const char *pair, weir_status expected,
                          const char *word)
{
    weir_error err;
    weir_source *source = NULL;
    const char *const pairs[] = {pair, NULL};
    start(f);
    weir_status status = live_open(&source, address, rate_hz, NAN, pairs, &err);
    CHECK_MSG(status == expected && strstr(err.text, word) && !strchr(err.text, '\n'),
              "status %d: \"%s\", expected \"%s\"", (int)status, err.text, word);
    weir_source_close(source);
    end(f);
}

static void refuse(fake_server *f, double rate_hz, weir_status expected, const char *word)
{
    refuse_option(f, rate_hz, NULL, expected, word);
}

static void test_wrong_options(void)
{
    static const struct {
        const char *pair, *word;
    } wrong[] = {{"ppm=-1001", "-1000 to 1000"},
                 {"bandwidth=-5", "a bandwidth of -5 Hz"},
                 {"bandwidth=5G", "4294967295"},
                 {"gain=300", "a gain of 300 dB"},
                 {"colour=red", "offset-tuning"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        refuse_option(new_server(RATE_HZ, TUNER_R820T), RATE_HZ, wrong[i].pair, WEIR_ERR_USAGE,
                      wrong[i].word);
    }
}

static void test_hostile_greetings(void)
{
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    memcpy(f->greeting, "HTTP", 4);
    refuse(f, RATE_HZ, WEIR_ERR_DEVICE, "RTL0");
    f = new_server(RATE_HZ, TUNER_R820T);
    memset(f->greeting + 8, 0xff, 4);
    refuse(f, RATE_HZ, WEIR_ERR_DEVICE, "4294967295 gains");
    f = new_server(RATE_HZ, TUNER_R820T);
    memset(f->greeting + 4, 0xff, 4);
    refuse(f, RATE_HZ, WEIR_ERR_DEVICE, "tuner type 4294967295");
    f = new_server(RATE_HZ, TUNER_R820T);
    f->greeting_bytes = 7;
    refuse(f, RATE_HZ, WEIR_ERR_DEVICE, "one client");
    f = new_server(RATE_HZ, TUNER_R820T);
    refuse(f, 500e3, WEIR_ERR_USAGE, "225001 to 300000");
    f = new_server(RATE_HZ, TUNER_R820T);
    refuse(f, 20e6, WEIR_ERR_USAGE, "3200000");
}

/* An RTL2832U's divider cannot make 1 MS/s exactly; the axis follows what it makes. */
static void test_real_rate(void)
{
    weir_error err;
    weir_source *source = NULL;
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    start(f);
    CHECK(live_open(&source, address, 1e6, NAN, NULL, &err) == WEIR_OK);
    /* 28.8 MHz * 2^22 / 120795952: librtlsdr prints "Exact sample rate is: 1000000.026491 Hz" */
    CHECK_NEAR(source->info.rate_hz, 1000000.026491, 1e-6);
    weir_source_close(source);
    end(f);
}

static void test_addresses(void)
{
    static const char *const bad[] = {
        "rtltcp:host:0",    "rtltcp:host:65536", "rtltcp:host:",  "rtltcp:[::1",
        "rtltcp:[::1]1234", "rtltcp:host:http",  "rtltcp:host:-1"};
    weir_error err;
    weir_source *source = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(live_open(&source, bad[i], 0, NAN, NULL, &err) == WEIR_ERR_USAGE);
        CHECK_MSG(strstr(err.text, "rtltcp:HOST:PORT"), "%s", err.text);
    }
    /* Nobody listens there. */
    fake_server *f = new_server(RATE_HZ, TUNER_R820T);
    start(f);
    end(f);
    CHECK(live_open(&source, address, 0, NAN, NULL, &err) == WEIR_ERR_DEVICE);
    CHECK_MSG(strstr(err.text, "refused"), "%s", err.text);
}

int main(void)
{
    RUN_LIVE(test_ramp);
    RUN_LIVE(test_ramp_fast);
    RUN_LIVE(test_packets_of_any_size);
    RUN_LIVE(test_ipv6);
    RUN_LIVE(test_forced_overflow);
    RUN_LIVE(test_stall_with_loss);
    RUN_LIVE(test_stall_without_loss);
    if (live_seconds(0) >= 10) { /* in the soak */
        RUN_LIVE(test_silence);
    }
    RUN_LIVE(test_close_and_reconnect);
    RUN_LIVE(test_reconnect_storm);
    RUN_LIVE(test_rate_watch);
    RUN_LIVE(test_close_and_exit);
    RUN_LIVE(test_stop_is_prompt);
    RUN_LIVE(test_slow_resolver);
    RUN_LIVE(test_retune);
    RUN_LIVE(test_commands);
    RUN_LIVE(test_wrong_options);
    RUN_LIVE(test_hostile_greetings);
    RUN_LIVE(test_real_rate);
    RUN_LIVE(test_addresses);
    return check_finish();
}
