/* The public C API: a facade of the engine, the sources and the measurements. Text settings go
 * through one table; both ways in (a source, the caller's samples) end in a ring, from which
 * the engine is fed. */
#include "weir/weir.h"

#include "base/log.h"
#include "base/status.h"
#include "base/units.h"
#include "capture/capture.h"
#include "capture/ring.h"
#include "capture/run.h"
#include "capture/source.h"
#include "dsp/band.h"
#include "dsp/engine.h"
#include "dsp/measure_audio.h"
#include "dsp/measure_rf.h"
#include "dsp/peaks.h"
#include "dsp/scale.h"
#include "dsp/window.h"
#include "weir_config.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_MS 20
#define MIN_RING_BYTES ((size_t)1 << 20)

typedef struct settings {
    uint64_t n_fft, hop, n_frames; /* hop 0: half of n_fft */
    uint64_t channel, channels;    /* channels 0: not given */
    uint64_t threads, density;
    const weir_window *window;
    double window_parameter;
    double offset_db;
    double rate_hz, center_hz; /* 0, NAN: not given */
    double start_seconds, duration_seconds;
    weir_weighting weighting;
    char unit[16];
    char format[32]; /* "": not given */
} settings;

typedef enum phase { SETTING, OPENED, FEEDING, ENDED } phase;

struct weir_analyzer {
    settings set;
    phase phase;
    weir_source *source;
    weir_capture *capture;
    weir_ring *ring;     /* in use */
    weir_ring *own_ring; /* when fed; NULL with a source */
    weir_sample_format format;
    double rate_hz, center_hz;
    uint64_t n_fed; /* counting gaps */
    uint64_t n_gap; /* lost since the last sample fed */
    bool in_segment;
    weir_engine *engine;
    double *window;
    float *level_db;
    size_t level_bins;
    double main_lobe_bins;
    weir_peak_lobe lobe;
    weir_scale scale;
    char unit[32];
    weir_analyzer_callback *callback;
    void *user;
    const weir_spectrum *current; /* inside the callback */
    bool enough;                  /* the callback said so */
    atomic_bool stop;
    weir_error err;
};

/* A library is silent unless asked; the program weir sets its own level. */
static void say_nothing(void *user, weir_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

__attribute__((constructor)) static void be_silent(void)
{
    weir_log_set_sink(say_nothing, NULL);
}

/* ---- results ---- */

const char *weir_version(void)
{
    return WEIR_VERSION;
}

static const struct {
    weir_result result;
    const char *text;
} result_texts[] = {
    {WEIR_RESULT_OK, "success"},
    {WEIR_RESULT_USAGE, "wrong argument, setting or order of calls"},
    {WEIR_RESULT_DATA, "the input is malformed or cannot be read by this build"},
    {WEIR_RESULT_NO_INPUT, "there is no such input"},
    {WEIR_RESULT_DEVICE, "the device is unavailable or lost"},
    {WEIR_RESULT_INTERNAL, "a bug in libweir"},
    {WEIR_RESULT_NO_MEMORY, "out of memory"},
    {WEIR_RESULT_IO, "reading failed"},
};

const char *weir_result_text(weir_result result)
{
    for (size_t i = 0; i < sizeof result_texts / sizeof result_texts[0]; i++) {
        if (result_texts[i].result == result) {
            return result_texts[i].text;
        }
    }
    return "unknown result";
}

/* The results are the exit codes of weir. */
static weir_result result_of(weir_status status)
{
    return (weir_result)weir_status_exit_code(status);
}

static weir_result refuse(weir_analyzer *a, const char *text)
{
    return result_of(weir_fail(&a->err, WEIR_ERR_USAGE, "%s", text));
}

const char *weir_analyzer_error(const weir_analyzer *analyzer)
{
    return analyzer->err.text;
}

/* ---- settings ---- */

typedef weir_status setter(settings *set, size_t offset, const char *value, weir_error *err);

static weir_status set_count(settings *set, size_t offset, const char *value, weir_error *err)
{
    return weir_parse_count(value, (uint64_t *)(void *)((char *)set + offset), err);
}

static weir_status set_hz(settings *set, size_t offset, const char *value, weir_error *err)
{
    return weir_parse_hz(value, (double *)(void *)((char *)set + offset), err);
}

static weir_status set_seconds(settings *set, size_t offset, const char *value, weir_error *err)
{
    return weir_parse_seconds(value, (double *)(void *)((char *)set + offset), err);
}

static weir_status set_db(settings *set, size_t offset, const char *value, weir_error *err)
{
    return weir_parse_db(value, (double *)(void *)((char *)set + offset), err);
}

static weir_status set_window(settings *set, size_t offset, const char *value, weir_error *err)
{
    (void)offset;
    return weir_window_parse(value, &set->window, &set->window_parameter, err);
}

static weir_status set_format(settings *set, size_t offset, const char *value, weir_error *err)
{
    weir_sample_format format = {.channels = 1};
    weir_status status = weir_format_parse(value, &format, err);
    if (status == WEIR_OK) {
        weir_format_name(&format, (char *)set + offset, sizeof set->format);
    }
    return status;
}

static weir_status set_unit(settings *set, size_t offset, const char *value, weir_error *err)
{
    if (strlen(value) >= sizeof set->unit) {
        return weir_fail(err, WEIR_ERR_USAGE, "longer than %zu characters", sizeof set->unit - 1);
    }
    snprintf((char *)set + offset, sizeof set->unit, "%s", value);
    return WEIR_OK;
}

static weir_status set_weighting(settings *set, size_t offset, const char *value, weir_error *err)
{
    static const char letters[] = "ZAC"; /* in the order of weir_weighting */
    const char *at = value[0] && !value[1] ? strchr(letters, value[0]) : NULL;
    (void)offset;
    if (!at) {
        return weir_fail(err, WEIR_ERR_USAGE, "Z, A or C, not \"%.16s\"", value);
    }
    set->weighting = (weir_weighting)(at - letters);
    return WEIR_OK;
}

#define FIELD(name) offsetof(settings, name)
static const struct {
    const char *key;
    setter *set;
    size_t offset;
} keys[] = {
    {"fft", set_count, FIELD(n_fft)},
    {"hop", set_count, FIELD(hop)},
    {"window", set_window, 0},
    {"frames", set_count, FIELD(n_frames)},
    {"channel", set_count, FIELD(channel)},
    {"threads", set_count, FIELD(threads)},
    {"density", set_count, FIELD(density)},
    {"offset", set_db, FIELD(offset_db)},
    {"unit", set_unit, FIELD(unit)},
    {"weighting", set_weighting, 0},
    {"format", set_format, FIELD(format)},
    {"channels", set_count, FIELD(channels)},
    {"rate", set_hz, FIELD(rate_hz)},
    {"center", set_hz, FIELD(center_hz)},
    {"start", set_seconds, FIELD(start_seconds)},
    {"duration", set_seconds, FIELD(duration_seconds)},
};

weir_result weir_analyzer_set(weir_analyzer *a, const char *key, const char *value)
{
    if (a->phase != SETTING) {
        return refuse(a, "settings come before open or begin");
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].key, key) == 0) {
            weir_status status = keys[i].set(&a->set, keys[i].offset, value, &a->err);
            if (status != WEIR_OK) {
                weir_fail_context(&a->err, "%s", key);
            }
            return result_of(status);
        }
    }
    return result_of(weir_fail(&a->err, WEIR_ERR_USAGE,
                               "there is no setting \"%.32s\"; weir.h lists them", key));
}

weir_result weir_analyzer_create(weir_analyzer **out)
{
    weir_analyzer *a = calloc(1, sizeof *a);
    *out = a;
    if (!a) {
        return WEIR_RESULT_NO_MEMORY;
    }
    a->set = (settings){.n_fft = 4096,
                        .n_frames = 16,
                        .channel = 1,
                        .center_hz = NAN,
                        .duration_seconds = INFINITY};
    weir_status status =
        weir_window_parse("hann", &a->set.window, &a->set.window_parameter, &a->err);
    return result_of(status);
}

void weir_analyzer_destroy(weir_analyzer *a)
{
    if (!a) {
        return;
    }
    if (a->capture) {
        weir_ring_cancel(a->ring);
        weir_capture_stop(a->capture);
    }
    weir_engine_destroy(a->engine);
    weir_capture_destroy(a->capture);
    weir_ring_destroy(a->own_ring);
    weir_source_close(a->source);
    free(a->window);
    free(a->level_db);
    free(a);
}

/* ---- spectra to the callback ---- */

static void on_spectrum(void *user, const weir_spectrum *s)
{
    weir_analyzer *a = user;
    if (a->enough || s->n_bins > a->level_bins) {
        return;
    }
    weir_scale_trace_db(&a->scale, s, WEIR_TRACE_MEAN, a->level_db);
    weir_analyzer_spectrum shown = {
        .struct_size = sizeof shown,
        .level_db = a->level_db,
        .n_bins = s->n_bins,
        .start_hz = s->start_hz,
        .bin_hz = s->bin_hz,
        .rate_hz = s->rate_hz,
        .center_hz = s->center_hz,
        .unit = a->unit,
        .index = s->index,
        .first_sample = s->first_sample,
        .end_sample = s->end_sample,
        .n_frames = s->n_frames,
        .lost = s->lost_before + s->lost_inside,
        .clipped = s->clipped,
        .nonfinite = s->nonfinite,
        .is_partial = s->is_partial,
    };
    a->current = s;
    a->enough = a->callback(a->user, a, &shown) != 0;
    a->current = NULL;
}

/* ---- the engine ---- */

static weir_status fill_window(weir_analyzer *a, weir_error *err)
{
    size_t n = (size_t)a->set.n_fft;
    weir_window_figures figures;
    a->window = malloc(n * sizeof *a->window);
    a->level_db = malloc(n * sizeof *a->level_db); /* n / 2 + 1 are needed for real samples */
    a->level_bins = n;
    if (!a->window || !a->level_db) {
        return weir_fail(err, WEIR_ERR_NOMEM, "fft: no memory for %zu points", n);
    }
    weir_status status =
        weir_window_fill(a->set.window, a->set.window_parameter, a->window, n, err);
    if (status == WEIR_OK) { /* the main lobe in bins hardly depends on n */
        double small[256];
        status = weir_window_fill(a->set.window, a->set.window_parameter, small, 256, err);
        if (status == WEIR_OK) {
            status = weir_window_measure(small, 256, &figures, err);
        }
        a->main_lobe_bins = status == WEIR_OK ? figures.main_lobe_bins : 0;
        weir_peak_lobe_init(&a->lobe, a->set.window, a->set.window_parameter, n);
    }
    return status;
}

static weir_status check_sizes(const weir_analyzer *a, weir_error *err)
{
    if (a->set.n_fft < 2 || a->set.n_fft > WEIR_MAX_FFT) {
        return weir_fail(err, WEIR_ERR_USAGE, "fft: 2 to %zu points, not %llu", WEIR_MAX_FFT,
                         (unsigned long long)a->set.n_fft);
    }
    if (a->set.hop > WEIR_MAX_HOP || a->set.threads > 1024) {
        return weir_fail(err, WEIR_ERR_USAGE, "hop or threads: too large");
    }
    if (a->set.channel < 1 || a->set.channel > a->format.channels) {
        return weir_fail(err, WEIR_ERR_USAGE, "channel: the input has %u, not %llu",
                         a->format.channels, (unsigned long long)a->set.channel);
    }
    if (!(a->rate_hz > 0)) {
        return weir_fail(err, WEIR_ERR_USAGE, "rate: it is not known, and must be set");
    }
    return WEIR_OK;
}

static void init_scale(weir_analyzer *a)
{
    weir_scale_init(&a->scale);
    a->scale.quantity = a->set.density ? WEIR_DENSITY : WEIR_SPECTRUM;
    a->scale.offset_db = a->set.offset_db;
    a->scale.weighting = a->set.weighting;
    if (a->set.unit[0]) {
        snprintf(a->scale.unit, sizeof a->scale.unit, "%s", a->set.unit);
    }
    weir_scale_unit(&a->scale, a->unit, sizeof a->unit);
}

static weir_status create_engine(weir_analyzer *a, weir_error *err)
{
    weir_status status = fill_window(a, err);
    if (status != WEIR_OK) {
        return status;
    }
    init_scale(a);
    weir_engine_config config = {
        .format = a->format,
        .channel = (unsigned)a->set.channel - 1,
        .n_fft = (size_t)a->set.n_fft,
        .hop = (size_t)(a->set.hop ? a->set.hop : a->set.n_fft / 2),
        .window = a->window,
        .frames_per_spectrum = a->set.n_frames,
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
        .threads = (unsigned)a->set.threads,
        .plan = WEIR_PLAN_ESTIMATE,
        .on_spectrum = on_spectrum,
        .user = a,
    };
    return weir_engine_cpu_create(&a->engine, &config, err);
}

/* For several transforms and a little more. */
static size_t ring_bytes(const weir_analyzer *a)
{
    size_t wanted = 4 * (size_t)a->set.n_fft * weir_format_stride_bytes(&a->format);
    return wanted > MIN_RING_BYTES ? wanted : MIN_RING_BYTES;
}

/* Gives the engine what the ring has. *progress: something was released, or the end. */
static weir_status advance(weir_analyzer *a, weir_ring_view *view, bool *progress, bool *finished)
{
    *progress = *finished = false;
    if (!weir_ring_peek(a->ring, view)) {
        view->n_samples = 0;
        return WEIR_OK;
    }
    if (view->ended && view->n_samples == 0) {
        *finished = *progress = true;
        return WEIR_OK;
    }
    weir_run run = weir_run_of(view);
    size_t released = 0;
    weir_status status = weir_engine_push(a->engine, &run, &released, &a->err);
    if (status != WEIR_OK) {
        return status;
    }
    *finished = view->ended && released == view->n_samples;
    *progress = released > 0 || *finished || weir_engine_busy(a->engine);
    if (!*finished) {
        weir_ring_release(a->ring, released);
    }
    return WEIR_OK;
}

/* ---- a source ---- */

weir_result weir_analyzer_open(weir_analyzer *a, const char *source)
{
    if (a->phase != SETTING) {
        return refuse(a, "open: this analyzer has its input already");
    }
    weir_source_options options;
    weir_source_options_init(&options);
    options.format = a->set.format[0] ? a->set.format : NULL;
    options.rate_hz = a->set.rate_hz;
    options.center_hz = a->set.center_hz;
    options.channels = a->set.channels <= UINT16_MAX ? (unsigned)a->set.channels : UINT16_MAX;
    weir_status status = weir_source_open(&a->source, source, &options, &a->err);
    if (status != WEIR_OK) {
        return result_of(status);
    }
    a->format = a->source->info.format;
    a->rate_hz = a->source->info.rate_hz;
    status = check_sizes(a, &a->err);
    if (status != WEIR_OK) {
        weir_source_close(a->source);
        a->source = NULL;
        return result_of(status);
    }
    a->phase = OPENED;
    return WEIR_RESULT_OK;
}

static weir_status start_capture(weir_analyzer *a)
{
    weir_capture_config config = {.start_seconds = a->set.start_seconds,
                                  .duration_seconds = a->set.duration_seconds,
                                  .ring_bytes = ring_bytes(a)};
    weir_status status = weir_capture_create(&a->capture, a->source, &config, &a->err);
    if (status == WEIR_OK) {
        a->ring = weir_capture_ring(a->capture);
        status = create_engine(a, &a->err);
    }
    return status == WEIR_OK ? weir_capture_start(a->capture, &a->err) : status;
}

static weir_status run_to_end(weir_analyzer *a)
{
    weir_ring_view view = {0};
    bool finished = false, stopping = false;
    while (!finished) {
        if (!stopping && (a->enough || atomic_load(&a->stop))) {
            weir_capture_stop(a->capture);
            stopping = true;
        }
        bool progress;
        size_t seen = 0;
        weir_status status = advance(a, &view, &progress, &finished);
        if (status != WEIR_OK) {
            return status;
        }
        seen = view.n_samples;
        if (!progress) {
            weir_ring_wait_data(a->ring, seen, POLL_MS);
        }
    }
    weir_status status = weir_engine_flush(a->engine, view.lost_at_end, &a->err);
    return status == WEIR_OK ? weir_capture_join(a->capture, &a->err) : status;
}

weir_result weir_analyzer_run(weir_analyzer *a, weir_analyzer_callback *callback, void *user)
{
    if (a->phase != OPENED) {
        return refuse(a, "run: open a source first; each is run once");
    }
    a->callback = callback;
    a->user = user;
    a->phase = ENDED;
    weir_status status = start_capture(a);
    return result_of(status == WEIR_OK ? run_to_end(a) : status);
}

void weir_analyzer_stop(weir_analyzer *a)
{
    atomic_store(&a->stop, true);
}

/* ---- samples of the caller ---- */

static weir_status prepare_feed(weir_analyzer *a)
{
    a->format = (weir_sample_format){.scalar = WEIR_F32LE, .channels = 1};
    weir_status status =
        a->set.format[0] ? weir_format_parse(a->set.format, &a->format, &a->err) : WEIR_OK;
    if (status != WEIR_OK) {
        return status;
    }
    a->format.channels = a->set.channels <= UINT16_MAX ? (unsigned)a->set.channels : UINT16_MAX;
    a->format.channels = a->format.channels ? a->format.channels : 1;
    a->rate_hz = a->set.rate_hz;
    a->center_hz = isnan(a->set.center_hz) ? 0 : a->set.center_hz;
    status = check_sizes(a, &a->err);
    if (status == WEIR_OK) {
        status = weir_ring_create(&a->own_ring, ring_bytes(a), weir_format_stride_bytes(&a->format),
                                  &a->err);
    }
    a->ring = a->own_ring;
    return status == WEIR_OK ? create_engine(a, &a->err) : status;
}

weir_result weir_analyzer_begin(weir_analyzer *a, weir_analyzer_callback *callback, void *user)
{
    if (a->phase != SETTING) {
        return refuse(a, "begin: this analyzer has its input already");
    }
    a->callback = callback;
    a->user = user;
    a->phase = ENDED; /* a failed begin cannot be repeated */
    weir_status status = prepare_feed(a);
    if (status == WEIR_OK) {
        a->phase = FEEDING;
    }
    return result_of(status);
}

/* Everything in the ring that the engine can take now. */
static weir_status drain(weir_analyzer *a)
{
    weir_ring_view view;
    bool progress = true, finished = false;
    while (progress && !finished) {
        weir_status status = advance(a, &view, &progress, &finished);
        if (status != WEIR_OK) {
            return status;
        }
    }
    return finished ? weir_engine_flush(a->engine, view.lost_at_end, &a->err) : WEIR_OK;
}

static bool begin_segment(weir_analyzer *a)
{
    weir_ring_segment segment = {.first_sample = a->n_fed + a->n_gap,
                                 .lost_before = a->n_gap,
                                 .rate_hz = a->rate_hz,
                                 .center_hz = a->center_hz,
                                 .time_unix_ns = WEIR_UNKNOWN_TIME};
    if (!weir_ring_begin_segment(a->ring, &segment)) {
        return false;
    }
    a->n_fed += a->n_gap;
    a->n_gap = 0;
    a->in_segment = true;
    return true;
}

weir_result weir_analyzer_feed(weir_analyzer *a, const void *samples, size_t n)
{
    if (a->phase != FEEDING || a->current) {
        return refuse(a, "feed: not between begin and finish, or inside a callback");
    }
    size_t stride = weir_format_stride_bytes(&a->format);
    const char *from = samples;
    while (n > 0) {
        size_t room = 0;
        void *to = a->in_segment || begin_segment(a) ? weir_ring_reserve(a->ring, &room) : NULL;
        size_t part = n < room ? n : room;
        if (part > 0) {
            memcpy(to, from, part * stride);
            weir_ring_commit(a->ring, part);
            a->n_fed += part;
            from += part * stride;
            n -= part;
        }
        weir_status status = drain(a);
        if (status != WEIR_OK) {
            return result_of(status);
        }
    }
    return WEIR_RESULT_OK;
}

weir_result weir_analyzer_gap(weir_analyzer *a, uint64_t n)
{
    if (a->phase != FEEDING || a->current) {
        return refuse(a, "gap: not between begin and finish, or inside a callback");
    }
    a->n_gap += n;
    a->in_segment = a->in_segment && n == 0;
    return WEIR_RESULT_OK;
}

weir_result weir_analyzer_finish(weir_analyzer *a)
{
    if (a->phase != FEEDING || a->current) {
        return refuse(a, "finish: not after begin, or inside a callback");
    }
    a->phase = ENDED;
    weir_ring_close(a->ring, a->n_gap);
    return result_of(drain(a));
}

/* ---- results ---- */

/* Copies as much of a result as the caller knows of. */
static weir_result give(weir_analyzer *a, void *to, const void *result, size_t size)
{
    size_t known;
    memcpy(&known, to, sizeof known);
    if (known < sizeof known || known > 65536) {
        return refuse(a, "struct_size is not set");
    }
    size_t copied = known < size ? known : size;
    memcpy((char *)to + sizeof known, (const char *)result + sizeof known, copied - sizeof known);
    return WEIR_RESULT_OK;
}

weir_result weir_analyzer_get_totals(weir_analyzer *a, weir_analyzer_totals *totals)
{
    weir_totals t = {0};
    if (a->engine) {
        weir_engine_totals(a->engine, &t);
    }
    weir_analyzer_totals result = {.received = t.received,
                                   .transformed = t.transformed,
                                   .skipped = t.skipped,
                                   .lost = t.lost,
                                   .tail = t.tail,
                                   .clipped = t.clipped,
                                   .nonfinite = t.nonfinite,
                                   .n_spectra = t.n_spectra};
    return give(a, totals, &result, sizeof result);
}

static bool has_current(weir_analyzer *a)
{
    if (!a->current) {
        refuse(a, "measurements are made inside a callback");
    }
    return a->current != NULL;
}

static double low_of(const weir_analyzer *a, double hz)
{
    return isnan(hz) ? weir_spectrum_low_hz(a->current) : hz;
}

static double high_of(const weir_analyzer *a, double hz)
{
    return isnan(hz) ? weir_spectrum_high_hz(a->current) : hz;
}

weir_result weir_analyzer_peak(weir_analyzer *a, double low_hz, double high_hz, double *hz,
                               double *level_db)
{
    if (!has_current(a)) {
        return WEIR_RESULT_USAGE;
    }
    weir_peak_search search;
    weir_peak peak;
    weir_peak_search_init(&search);
    search.lobe = &a->lobe;
    search.low_hz = low_hz;
    search.high_hz = high_hz;
    if (weir_peaks_find(a->current, WEIR_TRACE_MEAN, &a->scale, &search, 1, &peak) == 0) {
        return result_of(weir_fail(&a->err, WEIR_ERR_DATA, "there is no peak in the band"));
    }
    *hz = peak.hz;
    *level_db = peak.level_db;
    return WEIR_RESULT_OK;
}

weir_result weir_analyzer_band(weir_analyzer *a, double low_hz, double high_hz, double *level_db)
{
    if (!has_current(a)) {
        return WEIR_RESULT_USAGE;
    }
    double power = weir_band_power_fs2(a->current, WEIR_TRACE_MEAN, &a->scale, low_of(a, low_hz),
                                       high_of(a, high_hz));
    *level_db = weir_band_level_db(a->current, &a->scale, power);
    return WEIR_RESULT_OK;
}

weir_result weir_analyzer_occupied(weir_analyzer *a, double low_hz, double high_hz, double part,
                                   double *from_hz, double *to_hz)
{
    if (!has_current(a)) {
        return WEIR_RESULT_USAGE;
    }
    if (!(part > 0 && part < 1)) {
        return refuse(a, "occupied: the part lies between 0 and 1, as 0.99");
    }
    weir_occupied_band band =
        weir_measure_occupied(a->current, WEIR_TRACE_MEAN, &a->scale, low_hz, high_hz, part);
    if (isnan(band.low_hz)) {
        return result_of(weir_fail(&a->err, WEIR_ERR_DATA, "there is no power in the band"));
    }
    *from_hz = band.low_hz;
    *to_hz = band.high_hz;
    return WEIR_RESULT_OK;
}

weir_result weir_analyzer_noise(weir_analyzer *a, double low_hz, double high_hz,
                                double *level_db_per_hz)
{
    if (!has_current(a)) {
        return WEIR_RESULT_USAGE;
    }
    weir_noise_floor floor;
    weir_status status = weir_measure_noise_floor(a->current, WEIR_TRACE_MEAN, &a->scale, low_hz,
                                                  high_hz, 0.5, 0, &floor, &a->err);
    if (status == WEIR_OK) {
        *level_db_per_hz = floor.density_db_per_hz;
    }
    return result_of(status);
}

weir_result weir_analyzer_measure_distortion(weir_analyzer *a, double low_hz, double high_hz,
                                             weir_analyzer_distortion *distortion)
{
    if (!has_current(a)) {
        return WEIR_RESULT_USAGE;
    }
    weir_distortion_options options;
    weir_distortion found;
    weir_distortion_options_init(&options);
    options.low_hz = low_hz;
    options.high_hz = high_hz;
    options.main_lobe_bins = a->main_lobe_bins;
    options.lobe = &a->lobe;
    weir_status status =
        weir_measure_distortion(a->current, WEIR_TRACE_MEAN, &a->scale, &options, &found, &a->err);
    if (status != WEIR_OK) {
        return result_of(status);
    }
    weir_analyzer_distortion result = {.fundamental_hz = found.fundamental_hz,
                                       .fundamental_db = found.fundamental_db,
                                       .thd_db = found.thd_f_db,
                                       .thdn_db = found.thdn_f_db,
                                       .snr_db = found.snr_db,
                                       .sinad_db = found.sinad_db,
                                       .sfdr_db = found.sfdr_db,
                                       .enob_bits = found.enob_bits};
    return give(a, distortion, &result, sizeof result);
}
