/* weir_view_demo: drives the terminal view with a synthetic band, without the rest of
 * the program. For the tests of the view, for measuring it, and for looking at it.
 *
 *     weir_view_demo [name=value ...]
 *       rate=2.4e6 centre=433.92e6 n=4096 lps=30 (lines a second) seconds=0 (endless)
 *       real=0 gap=0 (a loss every so many lines)
 *       color=auto|none|8|16|256|direct charset=auto|ascii|utf8 map=NAME fps=30
 *       low=dB high=dB stats=0 (figures on stderr afterwards) noise=0 (stderr chatter)
 *       stay=0 (after the end) graphics=auto|kitty|sixel|off
 *       crash=0 (1: at SIGUSR1 the engine's thread aborts; otherwise its stream ends then)
 */
#include "display/view.h"

#include "base/log.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FRAMES_PER_SPECTRUM 8

typedef struct options {
    double rate, centre, n, lps, seconds, real, gap, crash, fps, low, high, stats, noise, stay;
    const char *color, *charset, *map, *graphics;
} options;

typedef struct demo {
    options options;
    weir_view *view;
    atomic_bool is_stopping, is_paused;
    pthread_mutex_t lock; /* of totals */
    weir_totals totals;
    size_t n_bins;
    float *mean, *max;
    uint64_t random;
} demo;

static atomic_bool is_told; /* by SIGUSR1 */

static void on_told(int number)
{
    (void)number;
    atomic_store(&is_told, true);
}

static float uniform(demo *d)
{
    d->random ^= d->random << 13;
    d->random ^= d->random >> 7;
    d->random ^= d->random << 17;
    return (float)(d->random >> 41) * 0x1p-23f + 0x1p-24f;
}

/* Mean and maximum power of 8 frames of noise: the sum is gamma distributed, near
 * enough a normal one; the maximum is drawn from its own distribution. */
static void noise(demo *d, float level)
{
    for (size_t k = 0; k < d->n_bins; k++) {
        float sum = uniform(d) + uniform(d) + uniform(d) - 1.5f; /* variance 1/4 */
        float mean = 1.0f + sum * 2.0f / sqrtf(FRAMES_PER_SPECTRUM);
        d->mean[k] = level * (mean > 0.05f ? mean : 0.05f);
        d->max[k] = fmaxf(d->mean[k], -level * logf(fmaxf(1.0f - powf(uniform(d), 0.125f), 1e-4f)));
    }
}

/* A peak with a window's main lobe, and skirts. */
static void carrier(demo *d, double position, float level_db, double width_bins)
{
    double centre = position * (double)d->n_bins;
    for (size_t k = 0; k < d->n_bins; k++) {
        double away = ((double)k - centre) / (1.0 + width_bins);
        if (fabs(away) > 6.0) {
            continue;
        }
        float power = powf(10.0f, level_db / 10.0f) * (float)exp(-0.7 * away * away);
        d->mean[k] += power;
        d->max[k] += 1.4f * power;
    }
}

static void band(demo *d, uint64_t line)
{
    double t = (double)line / d->options.lps;
    noise(d, 1e-9f);
    carrier(d, 0.25, -32.0f, 0.0);
    carrier(d, 0.7 + 0.004 * sin(5.0 * t), -48.0f, (double)d->n_bins / 160.0);
    carrier(d, 0.44 + 0.08 * sin(0.6 * t), -62.0f, (double)d->n_bins / 900.0);
    for (int i = 0; i < 7; i++) {
        carrier(d, 0.80 + 0.018 * i, -68.0f + (float)(i % 3) * 5.0f, (double)d->n_bins / 1500.0);
    }
    if (line % 60 < 9) {
        carrier(d, line % 6 < 3 ? 0.57 : 0.585, -45.0f, (double)d->n_bins / 700.0);
    }
    if (line % 97 == 0) {
        for (size_t k = 0; k < d->n_bins; k++) {
            d->max[k] += 3e-8f; /* a click: all frequencies, one frame */
        }
    }
}

static weir_spectrum describe(const demo *d)
{
    const options *o = &d->options;
    double bin_hz = o->rate / o->n;
    bool is_real = o->real != 0.0;
    return (weir_spectrum){
        .power = {d->mean, d->max, NULL},
        .n_bins = d->n_bins,
        .start_hz = is_real ? 0.0 : o->centre - floor(o->n / 2.0) * bin_hz,
        .bin_hz = bin_hz,
        .rate_hz = o->rate,
        .center_hz = is_real ? 0.0 : o->centre,
        .enbw_bins = 1.5,
        .coherent_gain = 0.5,
        .full_scale_power = is_real ? 0.5 : 1.0,
        .n_frames = FRAMES_PER_SPECTRUM,
        .time_unix_ns = INT64_MIN,
    };
}

static void wait_for_line(double lps, struct timespec *due)
{
    due->tv_nsec += (long)(1e9 / lps);
    while (due->tv_nsec >= 1000000000) {
        due->tv_nsec -= 1000000000;
        due->tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL);
}

static void account(demo *d, weir_spectrum *s, uint64_t line, uint64_t *position)
{
    uint64_t span = (uint64_t)(d->options.rate / d->options.lps);
    uint64_t every = (uint64_t)d->options.gap;
    s->index = line;
    s->lost_before = every && line % every == every - 1 ? 3 * span : 0;
    s->first_sample = *position + s->lost_before;
    s->end_sample = s->first_sample + span;
    *position = s->end_sample;
    pthread_mutex_lock(&d->lock);
    d->totals.received += span + s->lost_before;
    d->totals.transformed += span;
    d->totals.lost += s->lost_before;
    d->totals.clipped += line % 97 == 0;
    d->totals.n_spectra++;
    pthread_mutex_unlock(&d->lock);
}

static void *engine(void *user)
{
    demo *d = user;
    struct timespec due;
    uint64_t position = 0;
    clock_gettime(CLOCK_MONOTONIC, &due);
    uint64_t n_lines =
        d->options.seconds > 0.0 ? (uint64_t)(d->options.seconds * d->options.lps) : UINT64_MAX;
    for (uint64_t line = 0; line < n_lines && !atomic_load(&d->is_stopping); line++) {
        while (atomic_load(&d->is_paused) && !atomic_load(&d->is_stopping)) {
            wait_for_line(d->options.lps, &due);
        }
        weir_spectrum s = describe(d);
        band(d, line);
        account(d, &s, line, &position);
        weir_view_push(d->view, &s);
        if (d->options.noise != 0.0 && line % 30 == 0) {
            fprintf(stderr, "ALSA lib noise.c:%llu: chatter\n", (unsigned long long)line);
        }
        if (atomic_load(&is_told)) {
            if (d->options.crash != 0.0) {
                abort();
            }
            break;
        }
        wait_for_line(d->options.lps, &due);
    }
    weir_view_end(d->view, &d->totals, NULL);
    return NULL;
}

static bool set_option(options *o, const char *text)
{
    const struct {
        const char *name;
        double *number;
        const char **word;
    } names[] = {
        {"rate", &o->rate, NULL},
        {"centre", &o->centre, NULL},
        {"n", &o->n, NULL},
        {"lps", &o->lps, NULL},
        {"seconds", &o->seconds, NULL},
        {"real", &o->real, NULL},
        {"gap", &o->gap, NULL},
        {"crash", &o->crash, NULL},
        {"fps", &o->fps, NULL},
        {"low", &o->low, NULL},
        {"high", &o->high, NULL},
        {"stats", &o->stats, NULL},
        {"noise", &o->noise, NULL},
        {"color", NULL, &o->color},
        {"charset", NULL, &o->charset},
        {"map", NULL, &o->map},
        {"stay", &o->stay, NULL},
        {"graphics", NULL, &o->graphics},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i].name);
        if (strncmp(text, names[i].name, n) == 0 && text[n] == '=') {
            if (names[i].number) {
                *names[i].number = strtod(text + n + 1, NULL);
            } else {
                *names[i].word = text + n + 1;
            }
            return true;
        }
    }
    fprintf(stderr, "weir_view_demo: no option \"%s\"\n", text);
    return false;
}

static int index_of(const char *name, const char *const *names)
{
    for (int i = 0; name && names[i]; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return 0;
}

static weir_view_config make_config(demo *d)
{
    static const char *const colors[] = {"auto", "none", "8", "16", "256", "direct", NULL};
    static const char *const pictures[] = {"auto", "kitty", "sixel", "off", NULL};
    static const char *const charsets[] = {"auto", "ascii", "utf8", NULL};
    weir_view_config config;
    weir_view_config_init(&config);
    config.color = (weir_view_color)index_of(d->options.color, colors);
    config.charset = (weir_view_charset)index_of(d->options.charset, charsets);
    config.pictures = (weir_view_pictures)index_of(d->options.graphics, pictures);
    config.colormap = d->options.map;
    config.max_fps = d->options.fps;
    config.low_db = (float)d->options.low;
    config.high_db = (float)d->options.high;
    config.exit_at_end = d->options.stay == 0.0;
    config.actions.user = d;
    return config;
}

static weir_stream_info make_stream(const demo *d)
{
    const options *o = &d->options;
    weir_stream_info stream = {
        .source = "synth:band",
        .description = "cs16, synthetic band",
        .format = {.is_complex = o->real == 0.0, .channels = 1},
        .rate_hz = o->rate,
        .center_hz = o->real != 0.0 ? 0.0 : o->centre,
        .n_fft = (size_t)o->n,
        .hop = (size_t)o->n / 2,
        .window = "hann",
        .enbw_bins = 1.5,
        .coherent_gain = 0.5,
        .frames_per_spectrum = (uint64_t)fmax(o->rate / o->lps / (o->n / 2.0), 1.0),
        .engine = "cpu, 2 threads",
        .time_unix_ns = INT64_MIN,
        .n_samples = UINT64_MAX,
    };
    weir_scale_init(&stream.scale);
    return stream;
}

static void set_paused(void *user, bool paused)
{
    atomic_store(&((demo *)user)->is_paused, paused);
}

static void totals(void *user, weir_totals *out)
{
    demo *d = user;
    pthread_mutex_lock(&d->lock);
    *out = d->totals;
    pthread_mutex_unlock(&d->lock);
}

static void print_stats(const weir_view *view, double seconds)
{
    weir_view_stats stats;
    weir_view_get_stats(view, &stats);
    fprintf(stderr, "seconds %.2f frames %llu skipped %llu bytes %llu longest_us %.0f\n", seconds,
            (unsigned long long)stats.n_frames, (unsigned long long)stats.n_skipped,
            (unsigned long long)stats.n_bytes, (double)stats.longest_frame_ns / 1e3);
    for (int i = 0; i < 32; i++) {
        if (stats.frames_by_us[i]) {
            fprintf(stderr, "below_us %lu frames %llu\n", 1ul << i,
                    (unsigned long long)stats.frames_by_us[i]);
        }
    }
}

static int run(demo *d)
{
    weir_error err;
    weir_view_config config = make_config(d);
    config.actions.set_paused = set_paused;
    config.actions.totals = totals;
    weir_stream_info stream = make_stream(d);
    weir_status status = weir_view_open(&d->view, &config, &stream, &err);
    if (status) {
        fprintf(stderr, "weir_view_demo: %s\n", err.text);
        return weir_status_exit_code(status);
    }
    pthread_t thread;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    pthread_create(&thread, NULL, engine, d);
    int end_signal = weir_view_run(d->view);
    clock_gettime(CLOCK_MONOTONIC, &to);
    atomic_store(&d->is_stopping, true);
    pthread_join(thread, NULL);
    if (d->options.stats != 0.0) {
        print_stats(d->view,
                    (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    }
    weir_view_close(d->view);
    if (end_signal) {
        raise(end_signal);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static demo d = {
        .options =
            {.rate = 2.4e6, .centre = 433.92e6, .n = 4096, .lps = 30, .low = NAN, .high = NAN},
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .random = 88172645463325252u,
    };
    alarm(600); /* one that a test forgot ends by itself */
    signal(SIGUSR1, on_told);
    for (int i = 1; i < argc; i++) {
        if (!set_option(&d.options, argv[i])) {
            return 64;
        }
    }
    d.n_bins = d.options.real != 0.0 ? (size_t)d.options.n / 2 + 1 : (size_t)d.options.n;
    d.mean = calloc(d.n_bins, sizeof(float));
    d.max = calloc(d.n_bins, sizeof(float));
    if (!d.mean || !d.max) {
        return 71;
    }
    if (!weir_view_possible()) {
        fprintf(stderr, "weir_view_demo: no terminal\n");
    }
    int code = run(&d);
    free(d.mean);
    free(d.max);
    return code;
}
