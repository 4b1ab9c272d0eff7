#include "capture/fault.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/sources.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PREFIX "fault:"
#define NEVER UINT64_MAX
#define SLEEP_STEP_NS 5000000

typedef struct spec {
    uint64_t seed;
    bool short_reads, live;
    uint64_t lose_every, lose_most;
    uint64_t delay_every;
    double delay_seconds;
    uint64_t stall_at;
    double stall_seconds;
    uint64_t error_at, vanish_at;
} spec;

/* A stream of random numbers of its own for each use, so that none disturbs another. */
typedef struct schedule {
    uint64_t random;
    uint64_t every; /* 0: never */
    uint64_t next;
} schedule;

typedef struct fault {
    weir_source base;
    weir_source *inner;
    spec spec;
    uint64_t next; /* stored sample of the inner source */
    bool stalled;
    double live_began;   /* by base/clock.h, 0: not yet */
    double live_seconds; /* the time of what was read since */
    schedule losses, delays;
    uint64_t short_random;
    double rate_hz, center_hz; /* as last heard */
    weir_read carried;         /* what lost samples leave to the read after them */
    atomic_bool interrupted;
} fault;

/* ---- random schedules ---- */

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The next event 1 to 2 EVERY - 1 samples after `from`. */
static void draw_next(schedule *s, uint64_t from)
{
    uint64_t gap = s->every ? 1 + draw(&s->random) % (2 * s->every - 1) : NEVER;
    s->next = gap > NEVER - from ? NEVER : from + gap;
}

static void begin_at(fault *f, uint64_t sample)
{
    f->next = sample;
    f->losses = (schedule){.random = f->spec.seed * 3 + 1, .every = f->spec.lose_every};
    f->delays = (schedule){.random = f->spec.seed * 3 + 2, .every = f->spec.delay_every};
    f->short_random = f->spec.seed * 3;
    f->carried = (weir_read){0};
    f->stalled = sample > f->spec.stall_at;
    draw_next(&f->losses, sample);
    draw_next(&f->delays, sample);
}

/* ---- reading ---- */

static void wait_seconds(fault *f, double seconds)
{
    struct timespec step = {.tv_nsec = SLEEP_STEP_NS};
    double end = weir_now_seconds() + seconds;
    while (!atomic_load(&f->interrupted)) {
        double left = end - weir_now_seconds();
        if (left <= 0) {
            return;
        }
        step.tv_nsec = left < 5e-3 ? (long)(left * 1e9) : SLEEP_STEP_NS;
        nanosleep(&step, NULL);
    }
}

static uint64_t at_most(uint64_t n, uint64_t next, uint64_t event)
{
    return event > next && event - next < n ? event - next : n;
}

/* How much may be read before something happens. */
static size_t quiet_run(fault *f, size_t max_samples)
{
    uint64_t n = max_samples;
    if (f->spec.short_reads) {
        n = 1 + draw(&f->short_random) % n;
    }
    n = at_most(n, f->next, f->losses.next);
    n = at_most(n, f->next, f->spec.stall_at);
    n = at_most(n, f->next, f->spec.error_at);
    return (size_t)at_most(n, f->next, f->spec.vanish_at);
}

static weir_status fail_if_due(const fault *f, weir_error *err)
{
    unsigned long long at = f->next;
    if (f->next >= f->spec.error_at) {
        return weir_fail(err, WEIR_ERR_IO, "%s: read error at sample %llu, as asked for",
                         f->base.info.name, at);
    }
    if (f->next >= f->spec.vanish_at) {
        return weir_fail(err, WEIR_ERR_DEVICE,
                         "%s: the device vanished at sample %llu, as "
                         "asked for",
                         f->base.info.name, at);
    }
    return WEIR_OK;
}

static void wait_if_due(fault *f)
{
    if (!f->stalled && f->next >= f->spec.stall_at) {
        f->stalled = true;
        wait_seconds(f, f->spec.stall_seconds);
    }
    if (f->next >= f->delays.next) {
        double share = (double)(draw(&f->delays.random) >> 11) * 0x1p-53;
        draw_next(&f->delays, f->next);
        wait_seconds(f, share * f->spec.delay_seconds);
    }
}

/* Remembers what a read said about segments, for the next one that delivers samples. */
static void carry(fault *f, const weir_read *read)
{
    weir_read *c = &f->carried;
    c->lost_before += read->lost_before;
    if (read->new_segment) {
        f->rate_hz = read->rate_hz;
        f->center_hz = read->center_hz;
        c->new_segment = true;
        c->time_unix_ns = read->time_unix_ns;
    }
}

/* Reads samples and throws them away. *ended: the source had no more. */
static weir_status lose(fault *f, uint64_t count, void *memory, size_t max_samples, bool *ended,
                        weir_error *err)
{
    while (count > 0 && !*ended && !atomic_load(&f->interrupted)) {
        weir_read read = {0};
        size_t n = count < max_samples ? (size_t)count : max_samples;
        weir_status status = f->inner->class_->read(f->inner, memory, n, &read, err);
        if (status != WEIR_OK) {
            return status;
        }
        carry(f, &read);
        f->carried.new_segment = true;
        f->carried.time_unix_ns = WEIR_UNKNOWN_TIME; /* that of a lost sample, if any */
        f->carried.lost_before += read.n_samples;
        f->next += read.n_samples;
        count -= read.n_samples;
        *ended = read.n_samples == 0 && !read.is_away;
    }
    return WEIR_OK;
}

static weir_status lose_if_due(fault *f, void *memory, size_t max_samples, bool *ended,
                               weir_error *err)
{
    if (f->next < f->losses.next) {
        return WEIR_OK;
    }
    uint64_t count = 1 + draw(&f->losses.random) % f->spec.lose_most;
    weir_status status = lose(f, count, memory, max_samples, ended, err);
    draw_next(&f->losses, f->next);
    return status;
}

/* A live source delivers what was captured, and that takes its time. */
static void keep_live_pace(fault *f, const weir_read *read)
{
    if (!f->spec.live) {
        return;
    }
    double now = weir_now_seconds();
    f->live_began = f->live_began > 0 ? f->live_began : now;
    f->live_seconds += (double)(read->lost_before + read->n_samples) / f->rate_hz;
    wait_seconds(f, f->live_began + f->live_seconds - now);
}

static weir_status fault_read(weir_source *source, void *memory, size_t max_samples,
                              weir_read *result, weir_error *err)
{
    fault *f = (fault *)source;
    bool ended = false;
    wait_if_due(f);
    weir_status status = lose_if_due(f, memory, max_samples, &ended, err);
    status = status == WEIR_OK ? fail_if_due(f, err) : status;
    if (status != WEIR_OK) {
        return status;
    }
    weir_read read = {0};
    if (!ended) {
        status = f->inner->class_->read(f->inner, memory, quiet_run(f, max_samples), &read, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    carry(f, &read);
    *result = f->carried;
    result->n_samples = read.n_samples;
    result->is_away = read.is_away;
    result->rate_hz = f->rate_hz;
    result->center_hz = f->center_hz;
    f->carried = (weir_read){0};
    f->next += read.n_samples;
    keep_live_pace(f, result);
    return WEIR_OK;
}

static weir_status fault_seek(weir_source *source, uint64_t sample, weir_error *err)
{
    fault *f = (fault *)source;
    weir_status status = f->inner->class_->seek(f->inner, sample, err);
    if (status == WEIR_OK) {
        begin_at(f, sample);
    }
    return status;
}

static void fault_interrupt(weir_source *source)
{
    fault *f = (fault *)source;
    atomic_store(&f->interrupted, true);
    if (f->inner->class_->interrupt) {
        f->inner->class_->interrupt(f->inner);
    }
}

static void fault_close(weir_source *source)
{
    if (source) {
        weir_source_close(((fault *)source)->inner);
        free(source);
    }
}

/* ---- SPEC ---- */

/* "EVERY/MOST": the second part, or NULL. */
static char *second_part(char *value)
{
    char *slash = strchr(value, '/');
    if (slash) {
        *slash++ = '\0';
    }
    return slash;
}

static weir_status set_seed(spec *s, char *value, weir_error *err)
{
    return weir_parse_count(value, &s->seed, err);
}

static weir_status set_short(spec *s, char *value, weir_error *err)
{
    (void)value;
    (void)err;
    s->short_reads = true;
    return WEIR_OK;
}

static weir_status set_live(spec *s, char *value, weir_error *err)
{
    (void)value;
    (void)err;
    s->live = true;
    return WEIR_OK;
}

static weir_status check_every(uint64_t every, weir_error *err)
{
    if (every < 1 || every > UINT64_MAX / 4) {
        return weir_fail(err, WEIR_ERR_USAGE, "EVERY is a number of samples from 1 on");
    }
    return WEIR_OK;
}

static weir_status set_lose(spec *s, char *value, weir_error *err)
{
    const char *most = second_part(value);
    weir_status status = weir_parse_count(value, &s->lose_every, err);
    status = status == WEIR_OK ? check_every(s->lose_every, err) : status;
    status = status == WEIR_OK ? weir_parse_count(most ? most : "", &s->lose_most, err) : status;
    if (status == WEIR_OK && s->lose_most < 1) {
        return weir_fail(err, WEIR_ERR_USAGE, "MOST is a number of samples from 1 on");
    }
    return status;
}

static weir_status set_delay(spec *s, char *value, weir_error *err)
{
    const char *most = second_part(value);
    weir_status status = weir_parse_count(value, &s->delay_every, err);
    status = status == WEIR_OK ? check_every(s->delay_every, err) : status;
    return status == WEIR_OK ? weir_parse_seconds(most ? most : "", &s->delay_seconds, err)
                             : status;
}

static weir_status set_stall(spec *s, char *value, weir_error *err)
{
    const char *most = second_part(value);
    weir_status status = weir_parse_count(value, &s->stall_at, err);
    return status == WEIR_OK ? weir_parse_seconds(most ? most : "", &s->stall_seconds, err)
                             : status;
}

static weir_status set_error(spec *s, char *value, weir_error *err)
{
    return weir_parse_count(value, &s->error_at, err);
}

static weir_status set_vanish(spec *s, char *value, weir_error *err)
{
    return weir_parse_count(value, &s->vanish_at, err);
}

typedef struct item {
    const char *name, *syntax;
    bool has_value;
    weir_status (*set)(spec *s, char *value, weir_error *err);
} item;

#define ITEMS(X)                                                                                   \
    X(seed, "seed=N", "of everything random; 1", true)                                             \
    X(short, "short", "reads deliver a random part of what was asked for", false)                  \
    X(lose, "lose=EVERY/MOST", "every EVERY samples or so, 1 to MOST are lost", true)              \
    X(delay, "delay=EVERY/TIME", "every EVERY samples or so, up to TIME passes", true)             \
    X(stall, "stall=SAMPLE/TIME", "nothing comes for TIME before that sample", true)               \
    X(error, "error=SAMPLE", "the read at that sample fails", true)                                \
    X(vanish, "vanish=SAMPLE", "the device is gone at that sample", true)                          \
    X(live, "live", "a live source, which must not be kept waiting", false)

#define ROW(name, syntax, help, has_value) {#name, syntax, has_value, set_##name},
static const item items[] = {ITEMS(ROW)};
enum { ITEM_COUNT = sizeof items / sizeof items[0] };

#define HELP(name, syntax, help, has_value) "  " syntax "\n        " help "\n"
const char *weir_fault_help(void)
{
    return "Items of SPEC in fault:SPEC:SOURCE, with commas between:\n" ITEMS(HELP);
}

static weir_status unknown_item(const char *name, weir_error *err)
{
    char list[256] = "", shown[64];
    for (size_t i = 0; i < ITEM_COUNT; i++) {
        weir_list_add(list, sizeof list, "%s", items[i].name);
    }
    return weir_fail(err, WEIR_ERR_USAGE, "fault: no item is called \"%s\"; items: %s",
                     weir_printable(shown, sizeof shown, name), list);
}

static weir_status read_item(spec *s, char *text, weir_error *err)
{
    char *value = strchr(text, '=');
    if (value) {
        *value++ = '\0';
    }
    for (size_t i = 0; i < ITEM_COUNT; i++) {
        if (strcmp(items[i].name, text) != 0) {
            continue;
        }
        weir_status status = WEIR_OK;
        if (items[i].has_value != (value != NULL)) {
            status = weir_fail(err, WEIR_ERR_USAGE, value ? "it takes no value" : "no value");
        } else {
            status = items[i].set(s, value, err);
        }
        if (status != WEIR_OK) {
            weir_fail_context(err, "fault: %s", items[i].syntax);
        }
        return status;
    }
    return unknown_item(text, err);
}

static weir_status read_spec(spec *s, const char *text, size_t length, weir_error *err)
{
    char copy[512];
    *s = (spec){.seed = 1, .stall_at = NEVER, .error_at = NEVER, .vanish_at = NEVER};
    if (length >= sizeof copy) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "fault: a SPEC of %zu characters, at most %zu are "
                         "possible",
                         length, sizeof copy - 1);
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *rest = copy;
    for (char *one = strsep(&rest, ","); one; one = strsep(&rest, ",")) {
        weir_status status = *one ? read_item(s, one, err) : WEIR_OK;
        if (status != WEIR_OK) {
            return status;
        }
    }
    return WEIR_OK;
}

/* ---- opening ---- */

static bool fault_accepts(const char *argument)
{
    return strncmp(argument, PREFIX, strlen(PREFIX)) == 0;
}

const char *weir_fault_inner(const char *argument)
{
    const char *colon = fault_accepts(argument) ? strchr(argument + strlen(PREFIX), ':') : NULL;
    return colon ? colon + 1 : NULL;
}

static void describe(fault *f, const char *argument)
{
    weir_source_info *info = &f->base.info;
    *info = f->inner->info;
    weir_printable(info->name, sizeof info->name, argument);
    weir_snprintf(info->description, sizeof info->description, "with faults: %s",
                  f->inner->info.description);
    info->is_live = info->is_live || f->spec.live;
    info->can_seek = info->can_seek && f->inner->class_->seek;
    f->rate_hz = info->rate_hz;
    f->center_hz = info->center_hz;
}

static weir_status fault_open(weir_source **out, const char *argument,
                              const weir_source_options *options, weir_error *err)
{
    const char *text = argument + strlen(PREFIX), *inner = weir_fault_inner(argument);
    if (!inner) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "fault: write fault:SPEC:SOURCE, e.g. "
                         "fault:lose=100k/500:synth:");
    }
    if (fault_accepts(inner)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "fault: another fault: cannot be wrapped; put the "
                         "items into one");
    }
    fault *f = calloc(1, sizeof *f);
    if (!f) {
        return weir_fail(err, WEIR_ERR_NOMEM, "fault: out of memory");
    }
    f->base.class_ = &weir_source_fault;
    weir_status status = read_spec(&f->spec, text, (size_t)(inner - 1 - text), err);
    status = status == WEIR_OK ? weir_source_open(&f->inner, inner, options, err) : status;
    if (status == WEIR_OK && !f->inner->class_->read) {
        status = weir_fail(err, WEIR_ERR_UNSUPPORTED,
                           "fault: %s: it delivers samples by itself; "
                           "only files, pipes and synth: can be wrapped",
                           f->inner->info.name);
    }
    if (status != WEIR_OK) {
        fault_close(&f->base);
        return status;
    }
    describe(f, argument);
    begin_at(f, 0);
    *out = &f->base;
    return WEIR_OK;
}

const weir_source_class weir_source_fault = {
    .name = "fault",
    .syntax = "fault:SPEC:SOURCE",
    .help = "another source with losses, delays and errors injected, for tests",
    .manual = weir_fault_help,
    .takes = WEIR_TAKES_ALL,
    .accepts = fault_accepts,
    .open = fault_open,
    .close = fault_close,
    .read = fault_read,
    .seek = fault_seek,
    .interrupt = fault_interrupt,
};
