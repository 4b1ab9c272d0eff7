/* ctest-labels: unit clock
 * ctest-timeout: 300
 * capture/soapy.c with a driver of ours (tests/fakes/fake_soapy.cpp): every sample of a ramp
 * in each native format, overflows by timestamps, loss, settings, refusals. */
#include "base/log.h"
#include "tests/fakes/live.h"
#include "weir_config.h"

#if WEIR_HAVE_SOAPY

#define RATE_HZ 2.4e6
#define FAKE "soapy:driver=weirfake"

static uint64_t value_cs16(const void *samples, size_t n)
{
    return ((const uint32_t *)samples)[n];
}

static uint64_t value_cs8(const void *samples, size_t n)
{
    return ((const uint16_t *)samples)[n];
}

static uint64_t value_cf32(const void *samples, size_t n)
{
    const float *f = (const float *)samples + 2 * n;
    return (uint64_t)(f[0] * 65536) | (uint64_t)(f[1] * 65536) << 16;
}

static const live_config plain = {.seconds = 1,
                                  .stop_after = INFINITY,
                                  .value = value_cs16,
                                  .mask = UINT32_MAX,
                                  .ring_bytes = LIVE_USUAL_RING_BYTES};

static bool have_fake(void)
{
    weir_error err;
    weir_source *source = NULL;
    weir_status status = live_open(&source, FAKE, RATE_HZ, NAN, NULL, &err);
    weir_source_close(source);
    if (status != WEIR_OK) {
        printf("# %s\n", err.text);
    }
    return status == WEIR_OK;
}

static void run(const char *argument, double rate_hz, const char *const *pairs,
                const live_config *config, live_result *r)
{
    weir_error err;
    weir_source *source = NULL;
    *r = (live_result){.status = WEIR_ERR_INTERNAL};
    weir_status status = live_open(&source, argument, rate_hz, 100e6, pairs, &err);
    CHECK_MSG(status == WEIR_OK, "%s: %s", argument, err.text);
    if (source) {
        live_run(source, config, r);
    }
    weir_source_close(source);
}

static void check_ramp(const char *argument, double rate_hz, live_value *value, uint64_t mask)
{
    live_result r;
    live_config config = plain;
    config.ring_bytes = LIVE_RING_BYTES;
    config.seconds = live_seconds(1);
    config.value = value;
    config.mask = mask;
    double begun = live_now();
    run(argument, rate_hz, NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0 && r.lost == 0 && r.n_segments == 1);
    CHECK(r.samples == (uint64_t)(config.seconds * rate_hz));
    printf("# %s at %.1f MS/s, %.3f s: %llu samples, %llu lost, %llu jumps\n", argument,
           rate_hz * 1e-6, live_now() - begun, (unsigned long long)r.samples,
           (unsigned long long)r.lost, (unsigned long long)r.jumps);
}

static void test_ramp(void)
{
    check_ramp(FAKE ",format=CS16", RATE_HZ, value_cs16, UINT32_MAX);
    check_ramp(FAKE ",format=CS8", RATE_HZ, value_cs8, UINT16_MAX);
    check_ramp(FAKE ",format=CU8", RATE_HZ, value_cs8, UINT16_MAX);
    check_ramp(FAKE ",format=CF32", RATE_HZ, value_cf32, UINT32_MAX);
}

static void test_ramp_fast(void)
{
    check_ramp(FAKE ",format=CS16", LIVE_FAST_HZ, value_cs16, UINT32_MAX);
}

/* Twelve bits in sixteen would read 24 dB low: then floats are asked for. */
static void test_formats(void)
{
    static const struct {
        const char *argument;
        weir_scalar scalar;
    } rows[] = {{FAKE ",format=CS16", WEIR_S16LE},
                {FAKE ",format=CS16,scale=2048", WEIR_F32LE},
                {FAKE ",format=CS16,scale=32767", WEIR_S16LE},
                {FAKE ",format=CS8", WEIR_S8},
                {FAKE ",format=CU8", WEIR_U8},
                {FAKE ",format=CS12,scale=2048", WEIR_F32LE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_error err;
        weir_source *source = NULL;
        CHECK(live_open(&source, rows[i].argument, RATE_HZ, NAN, NULL, &err) == WEIR_OK);
        CHECK_MSG(source && source->info.format.scalar == rows[i].scalar &&
                      source->info.format.is_complex,
                  "%s: another format", rows[i].argument);
        weir_source_close(source);
    }
}

/* By the driver's timestamps an overflow is counted to the sample, where it happened. */
static void test_overflow(void)
{
    live_result r;
    run(FAKE ",drop_at=1000003,drop=12345", RATE_HZ, NULL, &plain, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0 && r.n_segments == 2 && r.marked_jumps == 1);
    CHECK(r.segments[1].lost_before == 12345 && r.segments[1].first_sample == 1000003 + 12345);
    run(FAKE ",drop_at=1000003,drop=1", 20e6, NULL, &plain, &r);
    CHECK(r.segments[1].lost_before == 1 && r.jumps == 0);
}

/* Without timestamps the length is a guess, the place is not. */
static void test_overflow_without_time(void)
{
    live_result r;
    run(FAKE ",drop_at=1000003,drop=480000,stamps=no", RATE_HZ, NULL, &plain, &r);
    CHECK(r.status == WEIR_OK && r.n_segments == 2);
    CHECK(r.segments[1].first_sample - r.segments[1].lost_before == 1000003);
    CHECK_NEAR((double)r.segments[1].lost_before / RATE_HZ, 0.2, 0.05);
}

static void test_forced_overflow_of_ours(void)
{
    live_result r;
    live_config config = plain;
    config.ring_bytes = (size_t)64 << 10;
    config.pause_at = 0.2;
    config.pause = 0.3;
    run(FAKE, RATE_HZ, NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0 && r.lost > (uint64_t)(0.2 * RATE_HZ));
    CHECK(r.n_segments >= 2 && r.marked_jumps == r.n_segments - 1);
}

static void check_exit(const char *argument, const char *word)
{
    live_result r;
    live_config config = plain;
    config.seconds = INFINITY;
    config.stop_after = 5;
    double begun = live_now();
    run(argument, RATE_HZ, NULL, &config, &r);
    CHECK_MSG(r.status == WEIR_ERR_DEVICE && strstr(r.err.text, word), "%s", r.err.text);
    double silent = r.ended - begun - (double)r.samples / RATE_HZ;
    CHECK_MSG(silent < 1.3, "it took %.2f s to notice", silent); /* 1 s, and opening */
}

static void test_loss(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    check_exit(FAKE ",stall_at=500000", "no data");
    check_exit(FAKE ",vanish_at=500000,away_ms=10", "STREAM_ERROR");
    usleep(20000);
    config.value = NULL;
    config.seconds = 3;
    config.stop_after = 8;
    double started = live_now();
    run(FAKE ",vanish_at=500001,away_ms=600", RATE_HZ, pairs, &config, &r);
    CHECK(r.status == WEIR_OK && r.n_segments == 2);
    CHECK(r.segments[1].lost_before > (uint64_t)(0.55 * RATE_HZ));
    CHECK_NEAR(live_now() - started, 3, 0.3); /* the clock agrees with the count */
    config.seconds = 2;
    config.stop_after = 0.5;
    double begun = live_now();
    run(FAKE ",stall_at=100000", RATE_HZ, pairs, &config, &r);
    CHECK(r.status == WEIR_OK);
    CHECK_MSG(live_now() - begun < 0.9, "stopping took %.2f s", live_now() - begun - 0.5);
}

/* It is there again, but its stream takes time to begin, and does not at first: all that time is
 * of the same loss. */
static void test_loss_that_lasts(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.value = NULL;
    config.seconds = 4;
    config.stop_after = 8;
    run(FAKE ",vanish_at=500002,away_ms=100,slow_ms=300,refuse=2", RATE_HZ, pairs, &config, &r);
    CHECK_MSG(r.status == WEIR_OK && r.n_segments == 2, "%s", r.err.text);
    /* It is looked for every 0.5 s, three times, and each time takes 0.3 s to begin. */
    CHECK(r.segments[1].lost_before > (uint64_t)(2.3 * RATE_HZ));
    CHECK(r.ended - r.seen[0] > 3.7); /* nor is more counted than passed; a busy machine is later */
}

static void keep_words(void *user, weir_log_level level, const char *text)
{
    char *all = user;
    if (level <= WEIR_LOG_WARNING) {
        snprintf(all + strlen(all), 2000 - strlen(all), "%s\n", text);
    }
}

static void look_at_letters(void *user, const weir_ring_view *view)
{
    uint64_t *of_letter = user;
    for (size_t i = 0; i < view->n_samples; i++) {
        of_letter[value_cs16(view->samples, i) >> 24]++;
    }
}

/* Another device is never taken for the one that was lost. */
static void check_coming_back(unsigned turn, const char *args, const char *word, bool comes_back)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    char argument[200], words[2000] = "";
    uint64_t of_letter[256] = {0};
    config.value = NULL;
    config.seconds = 2.5; /* and it ends, whether the device is there then or not */
    config.stop_after = 6;
    config.look = look_at_letters;
    config.user = of_letter;
    snprintf(argument, sizeof argument, FAKE ",vanish_at=%u,away_ms=200,%s", 300000 + turn, args);
    weir_log_set_sink(keep_words, words);
    double begun = live_now();
    run(argument, RATE_HZ, pairs, &config, &r);
    weir_log_set_sink(NULL, NULL);
    CHECK(r.status == WEIR_OK && r.samples + r.lost == (uint64_t)(2.5 * RATE_HZ));
    CHECK_NEAR(r.ended - begun, 2.5, 0.75); /* it is looked at twice a second */
    CHECK_MSG((r.n_segments == 2) == comes_back, "%s: %u segments", args, r.n_segments);
    CHECK_MSG(of_letter['A'] == r.samples, "%s: of another device", args);
    CHECK_MSG(strstr(words, word), "\"%s\" is not in \"%s\"", word, words);
}

static void test_only_the_same(void)
{
    check_coming_back(0, "serials=A,after=A", "waiting for it", true);
    check_coming_back(1, "serials=A;B,after=B;A", "waiting for it", true);
    check_coming_back(2, "serials=A;B,after=B", "waiting for it", false);
    check_coming_back(3, "serials=A,after=B", "waiting for it", false);
    check_coming_back(4, "serials=A;A,after=A", "2 devices are called \"A\"", false);
    check_coming_back(5, "serials=A,after=A;A", "2 devices are called \"A\"", false);
}

/* What is lost until the user stops is counted. */
static void test_stop_while_away(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.value = NULL;
    config.seconds = INFINITY;
    config.stop_after = 1.5;
    double begun = live_now();
    run(FAKE ",vanish_at=400000,away_ms=2500", RATE_HZ, pairs, &config, &r);
    CHECK(r.status == WEIR_OK && r.n_segments == 1);
    CHECK(r.lost > (uint64_t)(1.2 * RATE_HZ));
    CHECK_NEAR((double)(r.samples + r.lost) / RATE_HZ, r.ended - begun, 0.2);
}

typedef struct knob {
    const char *key;
    double value, began, took;
    weir_status status;
} knob;

static void turn_knob(void *user, double seconds, weir_source *source)
{
    knob *k = user;
    weir_error err;
    if (seconds > 0.3 && k->began == 0) {
        k->began = live_now();
        k->status = source->class_->control(source, k->key, k->value, &err);
        k->took = live_now() - k->began;
    }
}

static double check_retune(void)
{
    live_result r;
    knob k = {.key = "center_hz", .value = 5.8e9};
    live_config config = plain;
    config.poke = turn_knob;
    config.user = &k;
    run(FAKE, RATE_HZ, NULL, &config, &r);
    CHECK(r.status == WEIR_OK && k.status == WEIR_OK && r.n_segments == 2 && r.jumps == 0);
    CHECK(r.segments[1].center_hz == 5.8e9 && r.marked_jumps == 1);
    CHECK(r.segments[1].lost_before >= (uint64_t)(0.020 * RATE_HZ));
    double effect = r.seen[1] - k.began;
    printf("# control() took %.2f ms; key to effect %.1f ms, of that 20 ms settling\n",
           1e3 * k.took, 1e3 * effect);
    return effect;
}

/* A busy machine may spoil a few. */
static void test_retune(void)
{
    double effect = INFINITY;
    for (unsigned i = 0; i < 5 && effect > 0.120; i++) {
        effect = check_retune();
    }
    CHECK_MSG(effect < 0.120, "%.1f ms", 1e3 * effect);
    live_result r;
    live_config config = plain;
    config.poke = turn_knob;
    knob wrong = {.key = "center_hz", .value = 7e9};
    config.user = &wrong;
    run(FAKE, RATE_HZ, NULL, &config, &r);
    CHECK(wrong.status == WEIR_ERR_USAGE);
}

static void refuse(const char *argument, double rate_hz, const char *pair, weir_status expected,
                   const char *word)
{
    weir_error err;
    weir_source *source = NULL;
    const char *const pairs[] = {pair, NULL};
    weir_status status = live_open(&source, argument, rate_hz, NAN, pair ? pairs : NULL, &err);
    CHECK_MSG(status == expected && strstr(err.text, word) && !strchr(err.text, '\n'),
              "status %d: \"%s\", expected \"%s\"", (int)status, err.text, word);
    weir_source_close(source);
}

static void test_settings(void)
{
    refuse("soapy:driver=nobody", RATE_HZ, NULL, WEIR_ERR_DEVICE, "weir devices");
    refuse(FAKE, 500e3, NULL, WEIR_ERR_USAGE, "1.00 M to 40.0 M");
    refuse(FAKE ",rate_is=0", RATE_HZ, NULL, WEIR_ERR_USAGE, "--rate");
    refuse(FAKE, RATE_HZ, "antenna=C", WEIR_ERR_USAGE, "A, B");
    refuse(FAKE, RATE_HZ, "colour=red", WEIR_ERR_USAGE, "biastee");
    refuse(FAKE, RATE_HZ, "biastee=maybe", WEIR_ERR_DEVICE, "true or false");
    refuse(FAKE, RATE_HZ, "channel=1", WEIR_ERR_USAGE, "channel");
    refuse(FAKE, RATE_HZ, "channel=0.5", WEIR_ERR_USAGE, "channel 0.5");
    refuse(FAKE, RATE_HZ, "bandwidth=-5", WEIR_ERR_USAGE, "-5 Hz");
    refuse(FAKE, RATE_HZ, "gain=auto", WEIR_ERR_USAGE, "automatic");
    const char *const several[] = {"on-loss=cry", "gain=loud", NULL};
    weir_error err;
    weir_source *source = NULL;
    CHECK(live_open(&source, FAKE, RATE_HZ, NAN, several, &err) == WEIR_ERR_USAGE);
    CHECK_MSG(strstr(err.text, "gain"), "\"%s\"", err.text); /* as its status says: the first */
    refuse(FAKE, RATE_HZ, "antenna=B", WEIR_OK, "");
    refuse(FAKE, RATE_HZ, "biastee=true", WEIR_OK, "");
    CHECK(live_open(&source, FAKE ",rate_is=2399999", RATE_HZ, NAN, NULL, &err) == WEIR_OK);
    CHECK(source && source->info.rate_hz == 2399999);
    weir_source_close(source);
}

int main(int argc, char **argv)
{
    (void)argc;
    live_with_environment(argv, "SOAPY_SDR_PLUGIN_PATH", "soapy");
    if (!have_fake()) {
        return check_skip("no C++ compiler was there to build the test driver");
    }
    RUN_LIVE(test_ramp);
    RUN_LIVE(test_ramp_fast);
    RUN_LIVE(test_formats);
    RUN_LIVE(test_overflow);
    RUN_LIVE(test_overflow_without_time);
    RUN_LIVE(test_forced_overflow_of_ours);
    RUN_LIVE(test_loss);
    RUN_LIVE(test_loss_that_lasts);
    RUN_LIVE(test_only_the_same);
    RUN_LIVE(test_stop_while_away);
    RUN_LIVE(test_retune);
    RUN_LIVE(test_settings);
    return check_finish();
}

#else

int main(void)
{
    weir_error err = {0};
    weir_source *source = NULL;
    weir_status status = live_open(&source, "soapy", 0, NAN, NULL, &err);
    if (status != WEIR_ERR_UNSUPPORTED || !strstr(err.text, "SoapySDR")) {
        return 1;
    }
    return check_skip("this build has no SoapySDR; it says so");
}

#endif
