/* ctest-labels: unit clock
 * ctest-timeout: 300
 * capture/mic.c for real: PortAudio over the monitor of a PulseAudio null sink, which plays
 * a ramp, and over ALSA's file plugin, which comes faster than anyone can take it. Needs no
 * sound card; without pulseaudio or the plugins the parts that need them are left out. */
#include "base/log.h"
#include "capture/sources.h"
#include "tests/fakes/live.h"
#include "weir_config.h"

#if WEIR_HAVE_PORTAUDIO

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define RATE_HZ 48000.0

/* The sanitizer sees only half of the libraries, whose locks are made of system calls. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:libpulse\nrace:libportaudio\n";
}

static char folder[] = "/tmp/weir-test-mic-XXXXXX";
static unsigned *parts_run; /* a test in a process of its own counts as well */

static uint64_t value_s16(const void *samples, size_t n)
{
    return ((const uint16_t *)samples)[n];
}

static const live_config plain = {
    .seconds = 2, .stop_after = 12, .value = value_s16, .mask = UINT16_MAX};

/* 65536 different samples, again and again. */
static void write_ramp(const char *path, unsigned rounds)
{
    static uint16_t ramp[65536];
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; i < 65536; i++) {
        ramp[i] = (uint16_t)i;
    }
    for (unsigned i = 0; file && i < rounds; i++) {
        CHECK(fwrite(ramp, sizeof ramp, 1, file) == 1);
    }
    CHECK(file && fclose(file) == 0);
}

static void write_asoundrc(const char *format)
{
    char path[200];
    snprintf(path, sizeof path, "%s/.asoundrc", folder);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (file) {
        fprintf(file, format, folder);
        fclose(file);
    }
}

static weir_status open_mic(weir_source **source, const char *argument, const char *format,
                            const char *const *pairs, weir_error *err)
{
    weir_source_options options;
    weir_source_options_init(&options);
    options.rate_hz = RATE_HZ;
    options.channels = 1;
    options.format = format;
    options.device_options = pairs;
    *err = (weir_error){0};
    return weir_source_open(source, argument, &options, err);
}

static void run(const char *argument, const char *const *pairs, const live_config *config,
                live_result *r)
{
    weir_error err;
    weir_source *source = NULL;
    *r = (live_result){.status = WEIR_ERR_INTERNAL};
    weir_status status = open_mic(&source, argument, "s16", pairs, &err);
    CHECK_MSG(status == WEIR_OK, "%s: %s", argument, err.text);
    if (source) {
        CHECK(source->info.rate_hz == RATE_HZ && source->info.is_live);
        live_run(source, config, r);
    }
    weir_source_close(source);
}

/* ---- ALSA's file plugin ---- */

static bool have_file_plugin(void)
{
    weir_error err;
    weir_source *source = NULL;
    write_asoundrc("pcm.weirramp { type file; slave.pcm null; file /dev/null; "
                   "infile \"%s/ramp\"; format raw }\n");
    weir_status status = open_mic(&source, "mic:weirramp", "s16", NULL, &err);
    weir_source_close(source);
    if (status != WEIR_OK) {
        printf("# %s\n", err.text);
    }
    return status == WEIR_OK;
}

/* Some 3e8 samples a second come, and the consumer sleeps: what does not fit is counted, and
 * nothing else. (Not looked at as a ramp: with PortAudio's memory-mapped access the plugin
 * reads parts of the file twice.) */
static void test_overflow(void)
{
    live_result r;
    live_config config = plain;
    config.seconds = 200;
    config.value = NULL;
    config.ring_bytes = (size_t)64 << 10;
    config.pause = 0.1;
    run("mic:weirramp", NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.lost > 0 && r.samples > 0);
    CHECK(r.samples + r.lost == (uint64_t)(200 * RATE_HZ));
}

static void refuse(const char *argument, const char *format, const char *pair, weir_status expected,
                   const char *word)
{
    weir_error err;
    weir_source *source = NULL;
    const char *const pairs[] = {pair, NULL};
    weir_status status = open_mic(&source, argument, format, pair ? pairs : NULL, &err);
    CHECK_MSG(status == expected && strstr(err.text, word) && !strchr(err.text, '\n'),
              "%s: status %d: \"%s\", expected \"%s\"", argument, (int)status, err.text, word);
    weir_source_close(source);
}

/* A name that does not fit, or fits twice, is refused with the list; no other is taken. */
static void test_names(void)
{
    write_asoundrc("pcm.weirone { type file; slave.pcm null; file /dev/null; "
                   "infile \"%1$s/ramp\"; format raw }\n"
                   "pcm.weirtwo { type file; slave.pcm null; file /dev/null; "
                   "infile \"%1$s/ramp\"; format raw }\n"
                   "pcm.weiron { type file; slave.pcm null; file /dev/null; "
                   "infile \"%1$s/ramp\"; format raw }\n");
    refuse("mic:weir", "s16", NULL, WEIR_ERR_DEVICE, "fits several inputs; there are");
    refuse("mic:nobody", "s16", NULL, WEIR_ERR_DEVICE, "is no audio input; there are");
    refuse("mic:9999", "s16", NULL, WEIR_ERR_DEVICE, "weirtwo");
    refuse("mic:weiron", "s16", NULL, WEIR_OK, ""); /* exact, though a part of another */
    refuse("mic:WEIRTWO", "s16", NULL, WEIR_OK, "");
    refuse("mic:irtw", "s16", NULL, WEIR_OK, "");
    refuse("mic:weirone", "cu8", NULL, WEIR_ERR_USAGE, "s16, s24 and f32");
    refuse("mic:weirone", "s16", "gain=3", WEIR_ERR_USAGE, "on-loss");
}

static void test_formats(void)
{
    static const struct {
        const char *name;
        weir_scalar scalar;
    } rows[] = {{"s16", WEIR_S16LE}, {"s24", WEIR_S24LE}, {"f32", WEIR_F32LE}, {NULL, WEIR_S24LE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_error err;
        weir_source *source = NULL;
        weir_status status = open_mic(&source, "mic:weirone", rows[i].name, NULL, &err);
        CHECK_MSG(status == WEIR_OK && source->info.format.scalar == rows[i].scalar, "%s: %s",
                  rows[i].name ? rows[i].name : "default", err.text);
        weir_source_close(source);
    }
}

/* Nothing of it may stand in the way of anything else, and the message says what is wrong. */
static void test_broken_configuration(void)
{
    write_asoundrc("pcm.bad { %s\n");
    refuse("mic", "s16", NULL, WEIR_ERR_DEVICE, "ALSA's configuration cannot be read");
}

/* ---- PulseAudio ---- */

static pid_t spawn(const char *const *argv)
{
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    return child;
}

static int run_to_end(const char *const *argv)
{
    int status = -1;
    pid_t child = spawn(argv);
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static void end_child(pid_t *child)
{
    if (*child > 0) {
        kill(*child, SIGKILL);
        waitpid(*child, NULL, 0);
    }
    *child = 0;
}

/* A server of our own, in its own folder. */
static pid_t start_server(void)
{
    static const char *const server[] = {
        "pulseaudio",
        "-n",
        "--daemonize=no",
        "--exit-idle-time=-1",
        "--disable-shm=yes",
        "-L",
        "module-null-sink sink_name=weirnull rate=48000 channels=1 format=s16le",
        "-L",
        "module-null-sink sink_name=weirlow rate=32000 channels=2 format=s16le",
        "-L",
        "module-native-protocol-unix",
        NULL};
    static const char *const ask[] = {"pactl", "list", "short", "sources", NULL};
    pid_t child = spawn(server);
    for (int i = 0; i < 50; i++) {
        if (run_to_end(ask) == 0) {
            return child;
        }
        usleep(100000);
    }
    end_child(&child);
    return 0;
}

static pid_t start_playing(void)
{
    static char path[100];
    static const char *play[] = {"pacat",
                                 "--playback",
                                 "--raw",
                                 "--format=s16le",
                                 "--rate=48000",
                                 "--channels=1",
                                 "--device=weirnull",
                                 path,
                                 NULL};
    snprintf(path, sizeof path, "%s/long", folder);
    return spawn(play);
}

/* The monitor gives what is played, bit for bit. It gives silence until the playing has
 * begun, so the ramp is looked at from then on. */
static void test_monitor(void)
{
    live_result r;
    live_config config = plain;
    config.seconds = live_seconds(2);
    config.stop_after = config.seconds + 10;
    run("mic:weirnull.monitor", NULL, &config, &r);
    CHECK(r.status == WEIR_OK && r.lost == 0 && r.n_segments == 1);
    CHECK(r.samples == (uint64_t)(config.seconds * RATE_HZ));
    CHECK_MSG(r.jumps == 0, "%llu jumps", (unsigned long long)r.jumps);
    printf("# monitor: %llu samples, %llu lost, %llu jumps\n", (unsigned long long)r.samples,
           (unsigned long long)r.lost, (unsigned long long)r.jumps);
}

typedef struct seen_log {
    char text[500];
} seen_log;

static void keep_log(void *user, weir_log_level level, const char *text)
{
    seen_log *log = user;
    (void)level;
    snprintf(log->text, sizeof log->text, "%s", text);
}

/* PortAudio knows a server as one device, at 44100 Hz; what counts is the source's own rate. */
static void check_rate(const char *argument, double asked_hz, double expected_hz, const char *said)
{
    seen_log log = {{0}};
    weir_error err = {0};
    weir_source *source = NULL;
    weir_source_options options;
    weir_source_options_init(&options);
    options.rate_hz = asked_hz;
    weir_log_set_sink(keep_log, &log);
    weir_status status = weir_source_open(&source, argument, &options, &err);
    weir_log_set_sink(NULL, NULL);
    CHECK_MSG(status == WEIR_OK, "%s: %s", argument, err.text);
    if (source) {
        CHECK_NEAR(source->info.rate_hz, expected_hz, 0);
        CHECK_MSG(said ? strstr(log.text, said) != NULL : log.text[0] == '\0', "%s: \"%s\"",
                  argument, log.text);
        CHECK(strstr(source->info.description, "weir") != NULL);
    }
    weir_source_close(source);
}

static void note_device(void *user, const char *argument, const char *what, const char *abilities)
{
    bool *found = user;
    found[0] = found[0] || (strcmp(argument, "mic:weirlow.monitor") == 0 &&
                            strstr(abilities, "2 channels, 32000 Hz"));
    found[1] = found[1] || (strcmp(argument, "mic:pulse") == 0 && strstr(what, "ALSA"));
}

static void test_server(void)
{
#if WEIR_HAVE_PULSE
    weir_error err = {0};
    bool found[2] = {false, false};
    CHECK(weir_source_mic.list(note_device, found, &err) == WEIR_OK && found[0] && found[1]);
    check_rate("mic:weirlow.monitor", 0, 32000, NULL);
    check_rate("mic:weirlow.monitor", 48000, 48000, "converts weirlow.monitor from 32000 Hz");
    check_rate("mic:weirnull.monitor", 0, 48000, NULL);
    check_rate("mic:pulse", 0, 48000, NULL); /* PULSE_SOURCE stands */
#endif
}

typedef struct killing {
    pid_t *server;
    double done;
} killing;

static void *kill_later(void *user)
{
    killing *k = user;
    usleep(3500000);
    end_child(k->server);
    k->done = live_now();
    return NULL;
}

/* The server dies: noticed within a second, and said, by weir alone. */
static void test_loss(pid_t *server)
{
    live_result r;
    live_config config = plain;
    pthread_t killer;
    config.seconds = INFINITY;
    config.stop_after = 9;
    config.value = NULL;
    killing k = {.server = server};
    int usual = dup(2), chatter = open(folder, O_TMPFILE | O_RDWR, 0600);
    char text[4000] = "";
    CHECK(usual >= 0 && chatter >= 0 && dup2(chatter, 2) == 2);
    CHECK(pthread_create(&killer, NULL, kill_later, &k) == 0);
    run("mic:weirnull.monitor", NULL, &config, &r);
    dup2(usual, 2);
    close(usual);
    CHECK(pread(chatter, text, sizeof text - 1, 0) >= 0);
    close(chatter);
    CHECK_MSG(!strstr(text, "Expression") && !strstr(text, "ALSA"), "seen: %s", text);
    pthread_join(killer, NULL);
    double noticed = r.ended - k.done;
    CHECK_MSG(r.status == WEIR_ERR_DEVICE && strstr(r.err.text, "input lost"), "%s", r.err.text);
    CHECK_MSG(r.samples > 0 && noticed < 1, "%llu samples, noticed after %.2f s",
              (unsigned long long)r.samples, noticed);
}

static void test_pulse(void)
{
    static const char *const version[] = {"pulseaudio", "--version", NULL};
    char path[100];
    if (run_to_end(version) != 0) {
        printf("# no pulseaudio: left out\n");
        return;
    }
    write_asoundrc("# %s\n");
    snprintf(path, sizeof path, "%s/long", folder);
    write_ramp(path, 20 + (unsigned)(live_seconds(2) * RATE_HZ / 65536));
    pid_t server = start_server(), player = server ? start_playing() : 0;
    weir_error err;
    weir_source *source = NULL;
    usleep(500000);
    bool usable = server && open_mic(&source, "mic:weirnull.monitor", "s16", NULL, &err) == WEIR_OK;
    weir_source_close(source);
    if (usable) {
        ++*parts_run;
        CHECK(open_mic(&source, "mic:weirnul", "s16", NULL, &err) == WEIR_ERR_DEVICE);
        CHECK_MSG(strstr(err.text, "of the sound server: ") && strstr(err.text, "weirnull.monitor"),
                  "%s", err.text);
        test_server();
        test_monitor();
        test_loss(&server);
    } else {
        printf("# %s: left out\n", server ? err.text : "pulseaudio does not start");
    }
    end_child(&player);
    end_child(&server);
}

static void set_folder(void)
{
    char path[200];
    parts_run =
        mmap(NULL, sizeof *parts_run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(mkdtemp(folder) != NULL && parts_run != MAP_FAILED);
    setenv("HOME", folder, 1);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    snprintf(path, sizeof path, "%s/pulse", folder);
    mkdir(path, 0700);
    setenv("PULSE_RUNTIME_PATH", path, 1);
    unsetenv("PULSE_SERVER");
    snprintf(path, sizeof path, "%s/ramp", folder);
    write_ramp(path, 1);
}

int main(void)
{
    static const char *const remove[] = {"rm", "-rf", folder, NULL};
    set_folder();
    RUN_LIVE(test_pulse); /* first: libpulse works in no child of a process that has used it */
    if (have_file_plugin()) {
        ++*parts_run;
        RUN(test_overflow);
        RUN(test_names);
        RUN(test_formats);
        RUN(test_broken_configuration);
    }
    run_to_end(remove);
    return *parts_run ? check_finish() : check_skip("neither ALSA's plugins nor pulseaudio");
}

#else

int main(void)
{
    weir_error err = {0};
    weir_source *source = NULL;
    weir_status status = live_open(&source, "mic", 0, NAN, NULL, &err);
    if (status != WEIR_ERR_UNSUPPORTED || !strstr(err.text, "PortAudio")) {
        return 1;
    }
    return check_skip("this build has no PortAudio; it says so");
}

#endif
