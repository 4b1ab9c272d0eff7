/* ctest-labels: unit clock
 * ctest-timeout: 300
 * capture/rtlsdr.c against a fake librtlsdr (tests/fakes/fake_rtlsdr.c): every sample of a
 * ramp, losses at their place, tuning, devices that stall and vanish, and what is refused. */
#include "base/log.h"
#include "tests/fakes/live.h"
#include "weir_config.h"

#include <dlfcn.h>

#if WEIR_HAVE_RTLSDR

#define RATE_HZ 2.4e6
#define CENTER_HZ 100e6
#define CHANCES 5 /* for what a busy machine may spoil */

static const live_config plain = {.seconds = 1,
                                  .stop_after = INFINITY,
                                  .value = live_value_cu8,
                                  .mask = 0xffff,
                                  .ring_bytes = LIVE_USUAL_RING_BYTES};

static void fake_is(const char *what)
{
    setenv("FAKE_RTLSDR", what, 1);
}

static weir_source *open_fake(const char *argument, const char *const *pairs)
{
    weir_error err;
    weir_source *source = NULL;
    weir_status status = live_open(&source, argument, RATE_HZ, CENTER_HZ, pairs, &err);
    CHECK_MSG(status == WEIR_OK, "%s: %s", argument, err.text);
    return source;
}

static void run_fake(const char *const *pairs, const live_config *config, live_result *r)
{
    weir_source *source = open_fake("rtlsdr", pairs);
    if (source) {
        live_run(source, config, r);
    }
    weir_source_close(source);
}

/* No sample is lost, repeated or altered. */
static void test_ramp(void)
{
    live_result r;
    live_config config = plain;
    config.ring_bytes = LIVE_RING_BYTES;
    config.seconds = live_seconds(2);
    fake_is("");
    double begun = live_now();
    run_fake(NULL, &config, &r);
    CHECK(r.status == WEIR_OK);
    CHECK(r.samples == (uint64_t)(config.seconds * RATE_HZ) && r.lost == 0);
    CHECK(r.jumps == 0 && r.n_segments == 1);
    CHECK(r.segments[0].rate_hz == RATE_HZ && r.segments[0].center_hz == CENTER_HZ);
    printf("# %.3f s: %llu samples, %llu lost, %llu jumps\n", live_now() - begun,
           (unsigned long long)r.samples, (unsigned long long)r.lost, (unsigned long long)r.jumps);
}

/* Blocks that end between I and Q keep the pairs together. */
static void test_odd_blocks(void)
{
    live_result r;
    live_config config = plain;
    config.seconds = 0.5;
    fake_is("odd");
    run_fake(NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0 && r.lost == 0);
    CHECK(r.samples == (uint64_t)(config.seconds * RATE_HZ));
}

/* A consumer that sleeps longer than the ring holds: what is lost is counted exactly, and
 * the ramp jumps by as much, there. */
static void test_forced_overflow(void)
{
    live_result r;
    live_config config = plain;
    config.ring_bytes = (size_t)64 << 10;
    config.pause_at = 0.2;
    config.pause = 0.3;
    fake_is("");
    run_fake(NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0);
    CHECK(r.lost > (uint64_t)(0.2 * RATE_HZ) && r.n_segments >= 2);
    CHECK(r.marked_jumps == r.n_segments - 1);
    CHECK(r.samples + r.lost == (uint64_t)(config.seconds * RATE_HZ));
}

typedef struct live_knob {
    double at; /* when to turn the knob */
    const char *key;
    double value;
    double began, took; /* filled in */
    weir_status status;
} live_knob;

static void turn_knob(void *user, double seconds, weir_source *source)
{
    live_knob *t = user;
    if (seconds > t->at && t->began == 0) {
        weir_error err;
        t->began = live_now();
        t->status = source->class_->control(source, t->key, t->value, &err);
        t->took = live_now() - t->began;
    }
}

/* Tuning: the rubbish while the PLL locks never comes out, and the new segment says where. */
static double check_retune(void)
{
    live_result r;
    live_knob tuner = {.at = 0.3, .key = "center_hz", .value = 433.92e6};
    live_config config = plain;
    const char *const pairs[] = {"settle=50ms", NULL};
    config.poke = turn_knob;
    config.user = &tuner;
    fake_is("pll=8000,tune=5000");
    run_fake(pairs, &config, &r);
    CHECK(r.status == WEIR_OK && tuner.status == WEIR_OK);
    CHECK_MSG(r.n_segments == 2 && r.jumps == 0 && r.marked_jumps == 1,
              "%u segments, %llu jumps, %llu as marked", r.n_segments, (unsigned long long)r.jumps,
              (unsigned long long)r.marked_jumps);
    CHECK(r.segments[1].center_hz == 433.92e6 && r.segments[1].rate_hz == RATE_HZ);
    CHECK(r.segments[1].lost_before >= (uint64_t)(0.050 * RATE_HZ));
    /* The change itself, 50 ms of settling, and one block on either side. */
    CHECK((double)r.segments[1].lost_before < (tuner.took + 0.095) * RATE_HZ);
    double effect = r.seen[1] - tuner.began;
    printf("# control() took %.1f ms; key to effect %.1f ms, of that 50 ms settling\n",
           1e3 * tuner.took, 1e3 * effect);
    return effect;
}

static void test_retune(void)
{
    double effect = INFINITY;
    for (unsigned i = 0; i < CHANCES && effect > 0.150; i++) {
        effect = check_retune();
    }
    CHECK_MSG(effect < 0.150, "from key to effect %.1f ms", 1e3 * effect);
}

#define MOST_DELAY_SECONDS 0.020 /* settling is 30 ms, of which the PLL may have 5 */

/* The fake's, which this program is not linked with by name. */
static double least_delay(void)
{
    typedef int64_t asked(void);
    union {
        void *object;
        asked *call;
    } fake = {.object = dlsym(RTLD_DEFAULT, "fake_rtlsdr_least_delay_ns")};
    return fake.object ? 1e-9 * (double)fake.call() : NAN;
}

typedef struct watched_knob {
    live_knob knob;
    uint64_t wrong, of_each[2]; /* samples that are of another centre than their mark says */
} watched_knob;

static void look_at_centers(void *user, const weir_ring_view *view)
{
    watched_knob *w = user;
    const unsigned char *bytes = view->samples;
    bool changed = view->segment.center_hz != CENTER_HZ;
    for (size_t i = 0; i < view->n_samples; i++) {
        w->wrong += bytes[2 * i + 1] != (unsigned char)(view->segment.center_hz / 1e6);
    }
    w->of_each[changed] += view->n_samples;
}

/* What was taken before the change and comes long after it is not the new setting's: blocks
 * are held back for 150 ms, the change is in the middle of that, and settling is short. Samples
 * are dated by the block that came with the least delay (capture/sample_clock.h): a machine so busy
 * that not one came within the settling time proves nothing, and gets another chance. */
static bool check_late_blocks(const char *fake)
{
    live_result r;
    watched_knob watched = {.knob = {.at = 0.33, .key = "center_hz", .value = 433e6}};
    const char *const pairs[] = {"settle=30ms", NULL};
    live_config config = plain;
    config.value = NULL;
    config.poke = turn_knob;
    config.look = look_at_centers;
    config.user = &watched;
    fake_is(fake);
    run_fake(pairs, &config, &r);
    if (least_delay() > MOST_DELAY_SECONDS) {
        return false;
    }
    CHECK(r.status == WEIR_OK && watched.knob.status == WEIR_OK && r.n_segments == 2);
    CHECK_MSG(watched.wrong == 0, "%llu samples of another centre",
              (unsigned long long)watched.wrong);
    CHECK(watched.of_each[0] > (uint64_t)(0.3 * RATE_HZ) && watched.of_each[1] > 0);
    CHECK(r.samples + r.lost == (uint64_t)(config.seconds * RATE_HZ));
    /* The change itself, 30 ms of settling, a block on either side, and the least delay. */
    CHECK_MSG((double)r.lost < (watched.knob.took + 0.05) * RATE_HZ, "%llu lost in %.3f s",
              (unsigned long long)r.lost, watched.knob.took);
    return true;
}

static void test_gain_and_rate_while_running(void)
{
    live_result r;
    live_knob gain = {.at = 0.2, .key = "gain_db", .value = 30};
    live_config config = plain;
    config.poke = turn_knob;
    config.user = &gain;
    fake_is("");
    run_fake(NULL, &config, &r);
    CHECK(r.status == WEIR_OK && gain.status == WEIR_OK && r.n_segments == 2 && r.jumps == 0);
    CHECK(r.segments[1].center_hz == CENTER_HZ && r.segments[1].lost_before > 0);
    live_knob rate = {.at = 0.2, .key = "rate_hz", .value = 1e6};
    config.user = &rate;
    config.stop_after = 0.6;
    run_fake(NULL, &config, &r);
    CHECK(rate.status == WEIR_OK && r.n_segments == 2 && r.segments[1].rate_hz == 1e6);
    live_knob wrong = {.at = 0.1, .key = "rate_hz", .value = 500e3};
    config.user = &wrong;
    run_fake(NULL, &config, &r);
    CHECK(wrong.status == WEIR_ERR_USAGE);
    live_knob unknown = {.at = 0.1, .key = "colour", .value = 1};
    config.user = &unknown;
    run_fake(NULL, &config, &r);
    CHECK(unknown.status == WEIR_ERR_USAGE && r.n_segments == 1);
}

/* The device is gone, or silent: within a second the stream ends, with a word why. */
static void check_exit(const char *fake, const char *word)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=exit", NULL};
    config.seconds = INFINITY;
    config.stop_after = 5;
    fake_is(fake);
    double begun = live_now();
    run_fake(pairs, &config, &r);
    CHECK(r.status == WEIR_ERR_DEVICE && strstr(r.err.text, word));
    CHECK(r.jumps == 0 && r.samples > 0);
    double silent = r.ended - begun - (double)r.samples / RATE_HZ;
    CHECK_MSG(silent < 1, "it took %.2f s to notice", silent);
}

/* It comes back: one gap, as long as the clock says, and the stream goes on. */
static void check_retry(const char *fake, double least_seconds)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.seconds = 3;
    config.value = NULL; /* the gap is an estimate */
    config.stop_after = 8;
    fake_is(fake);
    double begun = live_now();
    run_fake(pairs, &config, &r);
    CHECK(r.status == WEIR_OK && r.n_segments == 2);
    CHECK(r.segments[1].lost_before > (uint64_t)(least_seconds * RATE_HZ));
    double total = (double)(r.samples + r.lost) / RATE_HZ;
    CHECK_NEAR(total, 3, 1e-6);
    CHECK_NEAR(live_now() - begun, total, 0.3); /* the clock agrees with the count */
}

/* Samples of the fake count on from test to test, so each event is a little further. */
static const char *event_at(const char *what, double seconds, const char *rest)
{
    static char text[200];
    static double all; /* more than all samples so far */
    all += 60e6 + live_seconds(2) * RATE_HZ;
    snprintf(text, sizeof text, "speed=1,%s=%.0f%s,begin=%.0f", what, all + seconds * RATE_HZ, rest,
             all);
    return text;
}

static void test_late_blocks(void)
{
    static const char *const fakes[] = {"/150,where,tune=3000", "/150,where,tune=3000,pll=5000"};
    for (size_t i = 0; i < sizeof fakes / sizeof fakes[0]; i++) {
        unsigned chances = CHANCES;
        while (!check_late_blocks(event_at("late", 0.25, fakes[i])) && --chances > 0) {
        }
        if (chances == 0) {
            printf("# too busy a machine for late blocks\n");
        }
    }
}

static void test_vanish(void)
{
    check_exit(event_at("vanish", 0.3, "/200"), "unplugged");
}

static void test_stall(void)
{
    check_exit(event_at("stall", 0.3, ""), "no data");
}

static void test_vanish_and_return(void)
{
    check_retry(event_at("vanish", 0.5, "/600"), 0.55);
}

static void test_stall_and_reopen(void)
{
    check_retry(event_at("stall", 0.5, ""), 0.5);
}

/* What is seen of a dongle that is lost while its ramp goes on. */
typedef struct coming_back {
    const char *argument, *serials, *left, *after, *words;
    bool comes_back;
} coming_back;

static void keep_words(void *user, weir_log_level level, const char *text)
{
    char *all = user;
    if (level <= WEIR_LOG_WARNING) {
        snprintf(all + strlen(all), 2000 - strlen(all), "%s\n", text);
    }
}

static void check_coming_back(const coming_back *c, live_result *r)
{
    const char *const pairs[] = {"on-loss=retry", NULL};
    char fake[300], words[2000] = "";
    live_config config = plain;
    weir_error err;
    weir_source *source = NULL;
    config.value = NULL;
    config.seconds = INFINITY;
    config.stop_after = 1.6;
    snprintf(fake, sizeof fake, "%s,serials=%s,left=%s,after=%s", event_at("vanish", 0.1, "/400"),
             c->serials, c->left, c->after);
    fake_is(fake);
    double begun = live_now();
    CHECK(live_open(&source, c->argument, RATE_HZ, CENTER_HZ, pairs, &err) == WEIR_OK);
    weir_log_set_sink(keep_words, words);
    live_run(source, &config, r);
    weir_log_set_sink(NULL, NULL);
    weir_source_close(source);
    CHECK_MSG(r->status == WEIR_OK && (r->n_segments == 2) == c->comes_back,
              "%s of %s, then %s, then %s: %u segments", c->argument, c->serials, c->left, c->after,
              r->n_segments);
    CHECK_MSG(strstr(words, c->words), "\"%s\" is not in \"%s\"", c->words, words);
    /* Seen or counted as lost, up to the stop, whether it came back or not. */
    CHECK_NEAR((double)(r->samples + r->lost) / RATE_HZ, r->ended - begun, 0.3);
}

/* Another dongle is never taken for the one that was lost. */
static void test_only_the_same(void)
{
    static const coming_back rows[] = {
        {"rtlsdr:A", "A;B", "B", "B;A", "the device is back", true}, /* by another number */
        {"rtlsdr", "A", "", "B", "waiting for it", false},
        {"rtlsdr:A", "A;B", "B", "B", "waiting for it", false},
        {"rtlsdr:1", "7;1", "0;7", "0;7", "waiting for it", false}, /* 1 is a number then */
        {"rtlsdr", "A;A", "A", "A;A", "2 dongles have the serial number \"A\"", false},
        {"rtlsdr:1", "A;A", "A", "A", "none is opened", false},
        {"rtlsdr", "A", "", "A;A", "2 dongles have the serial number \"A\"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        live_result r;
        check_coming_back(&rows[i], &r);
    }
}

/* A duration is of time: it ends also if the device does not come back before. */
static void test_duration_while_away(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.seconds = 1;
    config.stop_after = 8;
    config.value = NULL;
    fake_is(event_at("vanish", 0.2, "/1400"));
    double begun = live_now();
    run_fake(pairs, &config, &r);
    CHECK(r.status == WEIR_OK && r.samples + r.lost == (uint64_t)RATE_HZ);
    CHECK_NEAR(r.ended - begun, 1, 0.5); /* it is looked at 4 times a second */
    CHECK(r.samples >= (uint64_t)(0.15 * RATE_HZ) && r.lost > (uint64_t)(0.5 * RATE_HZ));
}

static void test_stop_is_prompt(void)
{
    live_result r;
    live_config config = plain;
    config.seconds = INFINITY;
    config.stop_after = 0.2;
    fake_is("");
    double begun = live_now();
    run_fake(NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0);
    CHECK_MSG(live_now() - begun < 0.6, "%.3f s", live_now() - begun);
    const char *const pairs[] = {"on-loss=retry", NULL};
    fake_is(event_at("vanish", 0.1, "/60000"));
    config.stop_after = 0.5;
    config.value = NULL;
    begun = live_now();
    run_fake(pairs, &config, &r); /* also while it waits for the device */
    CHECK(r.status == WEIR_OK);
    CHECK_MSG(live_now() - begun < 1, "%.3f s", live_now() - begun);
}

static void refuse(const char *fake, const char *argument, double rate_hz, double center_hz,
                   const char *pair, weir_status expected, const char *word)
{
    weir_error err;
    weir_source *source = NULL;
    const char *const pairs[] = {pair, NULL};
    fake_is(fake);
    weir_status status =
        live_open(&source, argument, rate_hz, center_hz, pair ? pairs : NULL, &err);
    CHECK_MSG(status == expected && err.status == expected, "%s %g %s: status %d: %s", argument,
              rate_hz, pair ? pair : "", (int)status, err.text);
    CHECK_MSG(strstr(err.text, word) && !strchr(err.text, '\n'), "\"%s\" is not in \"%s\"", word,
              err.text);
    weir_source_close(source);
}

/* Of several wrong options one is refused, with its own status and words. */
static void test_first_refusal(void)
{
    const char *const pairs[] = {"ppm=much", "agc=perhaps", "on-loss=cry", NULL};
    weir_error err;
    weir_source *source = NULL;
    fake_is("");
    CHECK(live_open(&source, "rtlsdr", 0, NAN, pairs, &err) == WEIR_ERR_USAGE);
    CHECK_MSG(err.status == WEIR_ERR_USAGE && strstr(err.text, "agc"), "\"%s\"", err.text);
    const char *const unknown[] = {"colour=red", "gain=loud", NULL};
    CHECK(live_open(&source, "rtlsdr", 0, NAN, unknown, &err) == WEIR_ERR_USAGE);
    CHECK_MSG(strstr(err.text, "colour"), "\"%s\"", err.text);
}

static void test_refusals(void)
{
    refuse("", "rtlsdr", 500e3, NAN, NULL, WEIR_ERR_USAGE, "225001 to 300000");
    refuse("", "rtlsdr", 225000, NAN, NULL, WEIR_ERR_USAGE, "900001");
    refuse("", "rtlsdr", 300001, NAN, NULL, WEIR_ERR_USAGE, "900001");
    refuse("", "rtlsdr", 900000, NAN, NULL, WEIR_ERR_USAGE, "900001");
    refuse("", "rtlsdr", 3200001, NAN, NULL, WEIR_ERR_USAGE, "3200000");
    refuse("", "rtlsdr", 2.4e6, 5e9, NULL, WEIR_ERR_USAGE, "4294967295");
    refuse("", "rtlsdr", 2.4e6, -1, NULL, WEIR_ERR_USAGE, "4294967295");
    refuse("", "rtlsdr", 0, NAN, "gain=loud", WEIR_ERR_USAGE, "gain");
    refuse("", "rtlsdr", 0, NAN, "colour=red", WEIR_ERR_USAGE, "offset-tuning");
    refuse("", "rtlsdr", 0, NAN, "on-loss=cry", WEIR_ERR_USAGE, "exit, retry");
    refuse("", "rtlsdr", 0, NAN, "agc=perhaps", WEIR_ERR_USAGE, "agc");
    refuse("", "rtlsdr", 0, NAN, "ppm=1001", WEIR_ERR_USAGE, "-1000 to 1000");
    refuse("", "rtlsdr", 0, NAN, "bandwidth=-5", WEIR_ERR_USAGE, "a bandwidth of -5 Hz");
    refuse("", "rtlsdr", 0, NAN, "bandwidth=5G", WEIR_ERR_USAGE, "4294967295");
    refuse("serials=", "rtlsdr", 0, NAN, NULL, WEIR_ERR_DEVICE, "no dongle");
    refuse("serials=A;B", "rtlsdr:C", 0, NAN, NULL, WEIR_ERR_DEVICE, "0: A, 1: B");
    refuse("serials=A;B", "rtlsdr:2", 0, NAN, NULL, WEIR_ERR_DEVICE, "0: A, 1: B");
    refuse("busy", "rtlsdr", 0, NAN, NULL, WEIR_ERR_DEVICE, "another program");
}

/* What the device chose is what counts. */
static void test_other_rate(void)
{
    fake_is("rate=2399999");
    weir_source *source = open_fake("rtlsdr", NULL);
    CHECK(source && source->info.rate_hz == 2399999);
    weir_source_close(source);
}

static bool log_has(const char *path, const char *line)
{
    char text[200];
    bool found = false;
    FILE *log = fopen(path, "r");
    while (log && fgets(text, sizeof text, log)) {
        text[strcspn(text, "\n")] = '\0';
        found = found || strcmp(text, line) == 0;
    }
    if (log) {
        fclose(log);
    }
    return found;
}

/* Every option reaches the device. */
static void test_settings(void)
{
    char path[] = "/tmp/weir-test-rtlsdr-XXXXXX", fake[100];
    static const char *const lines[] = {
        "open 1",   "gain 297", "manual 1",     "ppm -3",           "agc 1",           "bias 1",
        "direct 2", "offset 1", "rate 2400000", "bandwidth 300000", "center 100000000"};
    const char *const pairs[] = {"gain=29",           "agc=on",     "ppm=-3",
                                 "bandwidth=300k",    "bias-tee=1", "direct-sampling=q",
                                 "offset-tuning=yes", NULL};
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    snprintf(fake, sizeof fake, "serials=7;0,log=%s", path);
    fake_is(fake);
    weir_source *source = open_fake("rtlsdr:0", pairs); /* a serial goes before an index */
    CHECK(source && strstr(source->info.description, "gain 29.7 dB"));
    weir_source_close(source);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        CHECK_MSG(log_has(path, lines[i]), "\"%s\" was not called", lines[i]);
    }
    CHECK(log_has(path, "close 1"));
    close(fd);
    unlink(path);
}

int main(int argc, char **argv)
{
    (void)argc;
    live_with_environment(argv, "LD_LIBRARY_PATH", "lib");
    RUN_LIVE(test_ramp);
    RUN_LIVE(test_odd_blocks);
    RUN_LIVE(test_forced_overflow);
    RUN_LIVE(test_retune);
    RUN_LIVE(test_gain_and_rate_while_running);
    RUN_LIVE(test_late_blocks);
    RUN_LIVE(test_vanish);
    RUN_LIVE(test_stall);
    RUN_LIVE(test_vanish_and_return);
    RUN_LIVE(test_stall_and_reopen);
    RUN_LIVE(test_only_the_same);
    RUN_LIVE(test_duration_while_away);
    RUN_LIVE(test_first_refusal);
    RUN_LIVE(test_refusals);
    RUN_LIVE(test_other_rate);
    RUN_LIVE(test_settings);
    RUN_LIVE(test_stop_is_prompt);
    return check_finish();
}

#else

int main(void)
{
    weir_error err = {0};
    weir_source *source = NULL;
    weir_status status = live_open(&source, "rtlsdr", 0, NAN, NULL, &err);
    if (status != WEIR_ERR_UNSUPPORTED || !strstr(err.text, "librtlsdr")) {
        return 1;
    }
    return check_skip("this build has no librtlsdr; it says so");
}

#endif
