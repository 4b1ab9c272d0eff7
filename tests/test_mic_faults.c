/* ctest-labels: unit clock
 * ctest-timeout: 300
 * capture/mic.c with a fake PortAudio (tests/fakes/fake_portaudio.c): overflow flags, another
 * rate than asked, inputs that die or fall silent, and their return. */
#include "tests/fakes/live.h"
#include "weir_config.h"

#if WEIR_HAVE_PORTAUDIO

#include <signal.h>
#include <sys/wait.h>

#define RATE_HZ 48000.0

static uint64_t value_s16(const void *samples, size_t n)
{
    return ((const uint16_t *)samples)[n];
}

static const live_config plain = {
    .seconds = 1, .stop_after = 6, .value = value_s16, .mask = UINT16_MAX};

static weir_source *open_named(const char *name, const char *fake, double rate_hz,
                               const char *const *pairs)
{
    weir_error err = {0};
    weir_source *source = NULL;
    weir_source_options options;
    weir_source_options_init(&options);
    options.rate_hz = rate_hz;
    options.format = "s16";
    options.device_options = pairs;
    setenv("FAKE_PORTAUDIO", fake, 1);
    weir_status status = weir_source_open(&source, name, &options, &err);
    CHECK_MSG(status == WEIR_OK, "%s", err.text);
    return source;
}

static weir_source *open_fake(const char *fake, double rate_hz, const char *const *pairs)
{
    return open_named("mic:microphone", fake, rate_hz, pairs);
}

static void run(const char *fake, const char *const *pairs, const live_config *config,
                live_result *r)
{
    weir_source *source = open_fake(fake, RATE_HZ, pairs);
    *r = (live_result){.status = WEIR_ERR_INTERNAL};
    if (source) {
        live_run(source, config, r);
    }
    weir_source_close(source);
}

static void test_ramp(void)
{
    live_result r;
    run("", NULL, &plain, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0 && r.lost == 0);
    CHECK(r.samples == (uint64_t)RATE_HZ);
}

/* The stream's clock says how many are missing; the fake's is exact, so the count is. */
static void test_overflow_flag(void)
{
    live_result r;
    run("drop=9600/1234", NULL, &plain, &r);
    CHECK(r.status == WEIR_OK && r.jumps == 0 && r.n_segments == 2 && r.marked_jumps == 1);
    CHECK(r.segments[1].lost_before == 1234 && r.segments[1].first_sample == 9600 + 1234);
}

/* Axis and times follow the rate that the device has. */
static void test_other_rate(void)
{
    weir_source *source = open_fake("rate=48000", 44100, NULL);
    CHECK(source && source->info.rate_hz == 48000);
    weir_source_close(source);
    source = open_fake("", 0, NULL);
    CHECK(source && source->info.rate_hz == 44100); /* its own */
    weir_source_close(source);
}

static void check_exit(const char *fake, const char *word)
{
    live_result r;
    live_config config = plain;
    config.seconds = INFINITY;
    double begun = live_now();
    run(fake, NULL, &config, &r);
    CHECK_MSG(r.status == WEIR_ERR_DEVICE && strstr(r.err.text, word), "%s", r.err.text);
    double silent = r.ended - begun - (double)r.samples / RATE_HZ;
    CHECK_MSG(silent < 1 && r.jumps == 0, "it took %.2f s to notice", silent);
}

static void test_loss(void)
{
    check_exit("die=14400/0", "its stream ended");
    check_exit("stall=14400", "no data came");
}

/* Ctrl-Z and fg: whatever of it is noticed first, it is no loss of the input's. */
static void test_standstill(void)
{
    live_result r;
    live_config config = plain;
    config.seconds = 3;
    config.value = NULL; /* the gap is an estimate */
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        usleep(500000);
        kill(parent, SIGSTOP);
        usleep(1200000);
        kill(parent, SIGCONT);
        _exit(0);
    }
    double begun = live_now();
    run("", NULL, &config, &r);
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
    CHECK_MSG(r.status == WEIR_OK, "%s", r.err.text);
    CHECK(r.received == (uint64_t)(3 * RATE_HZ) && r.samples + r.lost == r.received);
    CHECK_NEAR(live_now() - begun, 3, 0.3);
}

static void test_return(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.seconds = 3;
    config.value = NULL; /* the gap is an estimate */
    double begun = live_now();
    run("die=14880/700", pairs, &config, &r);
    CHECK(r.status == WEIR_OK && r.n_segments == 2);
    CHECK(r.segments[1].lost_before > (uint64_t)(0.7 * RATE_HZ));
    CHECK_NEAR(live_now() - begun, 3, 0.3); /* the clock agrees with the count */
}

/* Whatever it was found by, the input that is waited for is that one, and no other. */
static void test_no_other(void)
{
    static const char *const names[] = {"mic", "mic:0", "mic:microphone"};
    static const char *const fakes[] = {"die=16000/1600,other", "die=16001/1600,other",
                                        "die=16002/1600,other"};
    const char *const pairs[] = {"on-loss=retry", NULL};
    live_config config = plain;
    config.seconds = 2.5;
    config.value = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        live_result r;
        weir_source *source = open_named(names[i], fakes[i], RATE_HZ, pairs);
        live_run(source, &config, &r);
        CHECK_MSG(r.lost > (uint64_t)(1.5 * RATE_HZ), "%s: back after %.2f s", names[i],
                  (double)r.lost / RATE_HZ);
        weir_source_close(source);
    }
}

static void test_stop_is_prompt(void)
{
    live_result r;
    live_config config = plain;
    const char *const pairs[] = {"on-loss=retry", NULL};
    config.seconds = INFINITY;
    config.stop_after = 0.6;
    double begun = live_now();
    run("die=15360/60000", pairs, &config, &r);
    CHECK(r.status == WEIR_OK);
    CHECK_MSG(live_now() - begun < 1, "%.2f s", live_now() - begun);
}

int main(int argc, char **argv)
{
    (void)argc;
    live_with_environment(argv, "LD_LIBRARY_PATH", "audio");
    RUN_LIVE(test_ramp);
    RUN_LIVE(test_overflow_flag);
    RUN_LIVE(test_other_rate);
    RUN_LIVE(test_loss);
    RUN_LIVE(test_standstill);
    RUN_LIVE(test_return);
    RUN_LIVE(test_no_other);
    RUN_LIVE(test_stop_is_prompt);
    return check_finish();
}

#else

int main(void)
{
    return check_skip("this build has no PortAudio");
}

#endif
