#include "app/pipeline.h"

#include "app/transform.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/capture.h"
#include "cuda/engine_cuda.h"
#include "dsp/curve.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define VIEW_LINE_SECONDS 0.04
#define FILE_LINE_SECONDS 0.1
#define TICK_NS 100000000
#define POLL_MS 20
#define USUAL_RING_BYTES ((size_t)1 << 20)

struct weir_pipeline {
    weir_pipeline_config config;
    weir_source *source;
    weir_capture *capture;
    weir_ring *ring;
    weir_engine *engine;
    weir_transform transform;
    weir_stream_info stream;
    weir_curve curve; /* of --calibration; empty without it */
    bool ring_is_pinned;
    bool engine_may_change; /* --engine auto: a GPU that fails gives way to the CPU */
    char wisdom_path[512];
    weir_totals past; /* of engines that were replaced */
    weir_status callback_status;
    weir_error callback_error;
    atomic_bool stop;
    _Atomic uint64_t totals_snapshot[10]; /* weir_totals, for other threads */
    int64_t next_tick_ns;
    uint64_t shown_end; /* stream index: what on_samples has seen */
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- opening ---- */

static weir_status open_source(weir_pipeline *p, weir_error *err)
{
    const weir_settings *s = p->config.settings;
    weir_source_options options;
    weir_settings_source_options(s, &options);
    weir_status status = weir_source_open(&p->source, p->config.source, &options, err);
    if (status != WEIR_OK) {
        return status;
    }
    const weir_source_info *info = &p->source->info;
    if (s->channel < 1 || s->channel > info->format.channels) {
        return weir_fail(err, WEIR_ERR_USAGE, "--channel %llu: %s has %u channel%s",
                         (unsigned long long)s->channel, info->name, info->format.channels,
                         info->format.channels == 1 ? "" : "s");
    }
    if (!(info->rate_hz > 0) || !isfinite(info->rate_hz)) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: the sample rate is not known; say --rate HZ",
                         info->name);
    }
    return WEIR_OK;
}

/* A ring for several transforms; 0 (the capture thread's default) is enough for most. */
static size_t ring_bytes_for(const weir_pipeline *p, size_t n_fft)
{
    size_t wanted = 4 * n_fft * weir_format_stride_bytes(&p->source->info.format);
    return wanted > USUAL_RING_BYTES ? wanted : 0;
}

static weir_status start_capture(weir_pipeline *p, size_t n_fft, weir_error *err)
{
    const weir_settings *s = p->config.settings;
    double default_speed = p->config.for_view ? 1 : 0;
    weir_capture_config config = {
        .start_seconds = s->start_seconds,
        .duration_seconds = s->duration_seconds,
        .loop = s->loop,
        .speed = isnan(s->speed) ? default_speed : s->speed,
        .ring_bytes = ring_bytes_for(p, n_fft),
    };
    weir_status status = weir_capture_create(&p->capture, p->source, &config, err);
    if (status != WEIR_OK) {
        return status;
    }
    p->ring = weir_capture_ring(p->capture);
    return weir_capture_start(p->capture, err);
}

/* Waits until n samples of the first segment are there, or it ends with fewer. */
static size_t first_samples(weir_pipeline *p, size_t n)
{
    weir_ring_view view = {0};
    size_t capacity = weir_ring_capacity_samples(p->ring);
    while (!atomic_load(&p->stop)) {
        if (weir_ring_peek(p->ring, &view) &&
            (view.n_samples >= n || view.segment_ends || view.ended)) {
            return view.n_samples;
        }
        if (view.n_samples >= capacity) {
            return view.n_samples;
        }
        weir_ring_wait_data(p->ring, view.n_samples, POLL_MS);
    }
    return view.n_samples;
}

/* A recording shorter than one transform is transformed whole, as SciPy does. Only the
 * first segment is looked at: later ones that are too short go into the tail. */
static weir_status fit_size(weir_pipeline *p, size_t *n_fft, weir_error *err)
{
    const weir_source_info *info = &p->source->info;
    weir_ring_view view = {0};
    size_t there = first_samples(p, *n_fft);
    bool whole = weir_ring_peek(p->ring, &view) && view.ended;
    if (there >= *n_fft || !whole) {
        return WEIR_OK;
    }
    if (there < 2) {
        return weir_capture_join(p->capture, err) != WEIR_OK
                   ? err->status
                   : weir_fail(err, WEIR_ERR_DATA, "%s: %s; at least 2 are needed", info->name,
                               there ? "only one sample" : "no samples");
    }
    weir_log(WEIR_LOG_NOTICE,
             "%s holds %zu samples, fewer than one transform of %zu: using N = %zu", info->name,
             there, *n_fft, there);
    *n_fft = there;
    return WEIR_OK;
}

/* FFTW's wisdom lives in the user's cache; no cache folder, no wisdom. */
static const char *find_wisdom_path(weir_pipeline *p)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *path = p->wisdom_path;
    size_t size = sizeof p->wisdom_path;
    int length = -1;
    if (cache && cache[0] == '/') {
        length = snprintf(path, size, "%s/weir", cache);
    } else if (home && home[0] == '/') {
        length = snprintf(path, size, "%s/.cache/weir", home);
    }
    if (length < 0 || (size_t)length + sizeof "/wisdom" > size) {
        return NULL;
    }
    char *slash = strrchr(path, '/');
    *slash = '\0';
    (void)mkdir(path, 0700); /* errors show up when wisdom is written */
    *slash = '/';
    (void)mkdir(path, 0700);
    memcpy(path + length, "/wisdom", sizeof "/wisdom");
    return path;
}

static weir_plan_effort plan_of(const weir_pipeline *p)
{
    switch (p->config.settings->plan) {
    case 1:
        return WEIR_PLAN_ESTIMATE;
    case 2:
        return WEIR_PLAN_BACKGROUND;
    case 3:
        return WEIR_PLAN_MEASURE;
    default: /* a result that is the same every run, but for the view */
        return p->config.for_view ? WEIR_PLAN_BACKGROUND : WEIR_PLAN_ESTIMATE;
    }
}

static void on_spectrum(void *user, const weir_spectrum *spectrum)
{
    weir_pipeline *p = user;
    if (p->callback_status == WEIR_OK) {
        p->callback_status = p->config.on_spectrum(p->config.user, spectrum, &p->callback_error);
    }
}

static weir_engine_config engine_config_of(weir_pipeline *p)
{
    const weir_settings *s = p->config.settings;
    weir_plan_effort plan = plan_of(p);
    return (weir_engine_config){
        .format = p->source->info.format,
        .channel = (unsigned)s->channel - 1,
        .n_fft = p->transform.n_fft,
        .hop = p->transform.hop,
        .window = p->transform.window,
        .frames_per_spectrum = p->transform.frames_per_spectrum,
        .traces = p->config.traces,
        .exponential_alpha = p->transform.exponential_alpha,
        .detrend = s->detrend,
        .iq_swap = s->iq_swap,
        .threads = (unsigned)s->threads,
        .plan = plan,
        .wisdom_path = plan == WEIR_PLAN_ESTIMATE ? NULL : find_wisdom_path(p),
        .device = (int)s->device,
        .on_spectrum = on_spectrum,
        .user = p,
    };
}

static weir_status create_cuda(weir_pipeline *p, weir_error *err)
{
    weir_engine_config config = engine_config_of(p);
    weir_status status = weir_engine_cuda_create(&p->engine, &config, err);
    if (status == WEIR_OK) {
        size_t bytes;
        void *memory = weir_ring_memory(p->ring, &bytes);
        p->ring_is_pinned = weir_cuda_pin(memory, bytes, NULL) == WEIR_OK;
    }
    return status;
}

static weir_status create_engine(weir_pipeline *p, weir_error *err)
{
    const weir_settings *s = p->config.settings;
    if (s->engine == WEIR_ENGINE_CUDA) {
        return create_cuda(p, err);
    }
    weir_error why = {0};
    bool gpu = s->engine == WEIR_ENGINE_AUTO && weir_cuda_built() && weir_cuda_device_count(&why);
    if (gpu && create_cuda(p, &why) == WEIR_OK) {
        p->engine_may_change = true;
        return WEIR_OK;
    }
    if (s->engine == WEIR_ENGINE_AUTO && weir_cuda_built()) {
        weir_log(gpu ? WEIR_LOG_NOTICE : WEIR_LOG_INFO, "using the CPU: %s", why.text);
    }
    weir_engine_config config = engine_config_of(p);
    return weir_engine_cpu_create(&p->engine, &config, err);
}

static weir_status make_scale(weir_pipeline *p, weir_scale *scale, weir_error *err)
{
    const weir_settings *s = p->config.settings;
    weir_scale_init(scale);
    scale->quantity = s->density ? WEIR_DENSITY : WEIR_SPECTRUM;
    scale->offset_db = s->offset_db;
    scale->weighting = (weir_weighting)s->weighting;
    if (s->unit) {
        if (strlen(s->unit) >= sizeof scale->unit) {
            return weir_fail(err, WEIR_ERR_USAGE, "--unit \"%.32s\" is longer than %zu characters",
                             s->unit, sizeof scale->unit - 1);
        }
        weir_printable(scale->unit, sizeof scale->unit, s->unit);
    }
    if (s->calibration) {
        scale->curve = &p->curve;
        return weir_curve_load(s->calibration, WEIR_CURVE_AUTO, &p->curve, NULL, err);
    }
    return WEIR_OK;
}

static void describe_stream(weir_pipeline *p, const weir_scale *scale)
{
    const weir_settings *s = p->config.settings;
    const weir_source_info *info = &p->source->info;
    p->stream = (weir_stream_info){
        .source = info->name,
        .description = info->description,
        .format = info->format,
        .channel = (unsigned)s->channel - 1,
        .rate_hz = info->rate_hz,
        .center_hz = info->center_hz,
        .n_fft = p->transform.n_fft,
        .hop = p->transform.hop,
        .window = s->window ? s->window : "hann",
        .enbw_bins = p->transform.enbw_bins,
        .coherent_gain = p->transform.coherent_gain,
        .frames_per_spectrum = p->transform.frames_per_spectrum,
        .exponential_alpha = p->transform.exponential_alpha,
        .detrend = s->detrend,
        .engine = weir_engine_describe(p->engine),
        .time_unix_ns = info->time_unix_ns,
        .n_samples = info->n_samples,
        .scale = *scale,
    };
}

static weir_status open_all(weir_pipeline *p, weir_error *err)
{
    weir_scale scale;
    size_t n_fft;
    weir_status status = make_scale(p, &scale, err);
    if (status == WEIR_OK) {
        status = open_source(p, err);
    }
    if (status == WEIR_OK) {
        status = weir_transform_size(p->config.settings, p->source->info.rate_hz, &n_fft, err);
    }
    if (status == WEIR_OK) {
        status = start_capture(p, n_fft, err);
    }
    if (status == WEIR_OK) {
        status = fit_size(p, &n_fft, err);
    }
    if (status == WEIR_OK) {
        double line_seconds = p->config.for_view ? VIEW_LINE_SECONDS : FILE_LINE_SECONDS;
        status = weir_transform_init(&p->transform, p->config.settings, p->source->info.rate_hz,
                                     n_fft, line_seconds, err);
    }
    if (status == WEIR_OK) {
        status = create_engine(p, err);
    }
    if (status == WEIR_OK) {
        describe_stream(p, &scale);
    }
    return status;
}

weir_status weir_pipeline_open(weir_pipeline **out, const weir_pipeline_config *config,
                               weir_error *err)
{
    *out = NULL;
    weir_pipeline *p = calloc(1, sizeof *p);
    if (!p) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    p->config = *config;
    weir_status status = open_all(p, err);
    if (status != WEIR_OK) {
        weir_pipeline_close(p);
        return status;
    }
    *out = p;
    return WEIR_OK;
}

const weir_stream_info *weir_pipeline_stream(const weir_pipeline *p)
{
    return &p->stream;
}

const weir_source_info *weir_pipeline_source(const weir_pipeline *p)
{
    return &p->source->info;
}

size_t weir_pipeline_most_samples(const weir_pipeline *p)
{
    return weir_ring_capacity_samples(p->ring);
}

/* ---- running ---- */

static weir_run run_of(const weir_ring_view *view)
{
    return (weir_run){
        .samples = view->samples,
        .n_samples = view->n_samples,
        .first_sample = view->first_sample,
        .rate_hz = view->segment.rate_hz,
        .center_hz = view->segment.center_hz,
        .lost_before = view->segment.lost_before,
        .segment = view->segment.segment,
        .ends = view->segment_ends,
        .time_unix_ns = view->segment.time_unix_ns,
        .segment_first_sample = view->segment.first_sample,
    };
}

static void add_totals(weir_totals *sum, const weir_totals *part)
{
    sum->received += part->received;
    sum->transformed += part->transformed;
    sum->skipped += part->skipped;
    sum->lost += part->lost;
    sum->tail += part->tail;
    sum->clipped += part->clipped;
    sum->nonfinite += part->nonfinite;
    sum->n_frames += part->n_frames;
    sum->n_spectra += part->n_spectra;
    sum->n_gaps += part->n_gaps;
}

_Static_assert(sizeof(weir_totals) == 10 * sizeof(uint64_t), "the snapshot copies ten counters");

static void publish_totals(weir_pipeline *p)
{
    weir_totals totals;
    uint64_t words[10];
    weir_engine_totals(p->engine, &totals);
    add_totals(&totals, &p->past);
    memcpy(words, &totals, sizeof words);
    for (size_t i = 0; i < 10; i++) {
        atomic_store_explicit(&p->totals_snapshot[i], words[i], memory_order_relaxed);
    }
}

void weir_pipeline_totals(weir_pipeline *p, weir_totals *totals)
{
    uint64_t words[10];
    for (size_t i = 0; i < 10; i++) {
        words[i] = atomic_load_explicit(&p->totals_snapshot[i], memory_order_relaxed);
    }
    memcpy(totals, words, sizeof words);
}

static void tick(weir_pipeline *p)
{
    int64_t now = now_ns();
    if (now < p->next_tick_ns) {
        return;
    }
    p->next_tick_ns = now + TICK_NS;
    if (p->config.on_tick && !p->config.on_tick(p->config.user)) {
        weir_pipeline_stop(p);
    }
}

/* --engine auto: what the GPU had not finished is done again by the CPU from the ring. */
static weir_status change_to_cpu(weir_pipeline *p, const weir_error *why, weir_error *err)
{
    weir_totals totals;
    weir_log(WEIR_LOG_WARNING, "the GPU failed (%s); going on with the CPU", why->text);
    weir_engine_totals(p->engine, &totals);
    add_totals(&p->past, &totals);
    weir_engine_destroy(p->engine);
    p->engine = NULL;
    p->engine_may_change = false;
    weir_engine_config config = engine_config_of(p);
    return weir_engine_cpu_create(&p->engine, &config, err);
}

/* The ring shows what is not released again; on_samples sees it once. */
static void show_new_samples(weir_pipeline *p, const weir_ring_view *view)
{
    uint64_t end = view->first_sample + view->n_samples;
    uint64_t from = view->first_sample > p->shown_end ? view->first_sample : p->shown_end;
    if (p->config.on_samples && from < end) {
        size_t stride = weir_format_stride_bytes(&p->source->info.format);
        const unsigned char *samples = view->samples;
        p->config.on_samples(p->config.user, &view->segment, from,
                             samples + (size_t)(from - view->first_sample) * stride,
                             (size_t)(end - from));
        p->shown_end = end;
    }
}

/* One look into the ring and what can be done with it. *finished: all is done. */
static weir_status step(weir_pipeline *p, weir_ring_view *view, bool *finished, weir_error *err)
{
    *finished = false;
    if (!weir_ring_peek(p->ring, view)) {
        weir_ring_wait_data(p->ring, 0, POLL_MS);
        return WEIR_OK;
    }
    if (view->ended && view->n_samples == 0) { /* perhaps there never was a segment */
        *finished = true;
        return WEIR_OK;
    }
    show_new_samples(p, view);
    weir_run run = run_of(view);
    size_t released = 0;
    weir_error why = {0};
    weir_status status = weir_engine_push(p->engine, &run, &released, &why);
    if (status == WEIR_ERR_DEVICE && p->engine_may_change) {
        weir_ring_release(p->ring, released);
        return change_to_cpu(p, &why, err);
    }
    if (status != WEIR_OK) {
        return weir_fail(err, status, "%s", why.text);
    }
    if (p->callback_status != WEIR_OK) {
        return weir_fail(err, p->callback_status, "%s", p->callback_error.text);
    }
    *finished = view->ended && released == view->n_samples;
    if (*finished) {
        return WEIR_OK;
    }
    weir_ring_release(p->ring, released);
    if (weir_engine_busy(p->engine)) {
        sched_yield();
    } else if (released == 0 || !view->segment_ends) {
        weir_ring_wait_data(p->ring, view->n_samples - released, POLL_MS);
    }
    return WEIR_OK;
}

/* The books must balance: what the source says it delivered is what the engine saw. */
static weir_status check_accounts(weir_pipeline *p, weir_error *err)
{
    weir_totals totals;
    weir_pipeline_totals(p, &totals);
    uint64_t received = weir_capture_received(p->capture);
    if (weir_totals_balance(&totals) && totals.received == received) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_INTERNAL,
                     "samples are unaccounted for: source %llu, engine %llu = %llu transformed + "
                     "%llu skipped + %llu lost + %llu tail (please report this)",
                     (unsigned long long)received, (unsigned long long)totals.received,
                     (unsigned long long)totals.transformed, (unsigned long long)totals.skipped,
                     (unsigned long long)totals.lost, (unsigned long long)totals.tail);
}

static weir_status finish(weir_pipeline *p, uint64_t lost_at_end, weir_error *err)
{
    weir_status status = weir_engine_flush(p->engine, lost_at_end, err);
    if (status != WEIR_OK) {
        return status;
    }
    publish_totals(p);
    if (p->callback_status != WEIR_OK) {
        return weir_fail(err, p->callback_status, "%s", p->callback_error.text);
    }
    status = weir_capture_join(p->capture, err);
    return status != WEIR_OK ? status : check_accounts(p, err);
}

weir_status weir_pipeline_run(weir_pipeline *p, weir_error *err)
{
    bool stopping = false, finished = false;
    weir_ring_view view = {0};
    while (!finished) {
        if (!stopping && atomic_load(&p->stop)) {
            weir_capture_stop(p->capture); /* what is in the ring is still used */
            stopping = true;
        }
        weir_status status = step(p, &view, &finished, err);
        if (status != WEIR_OK) {
            weir_ring_cancel(p->ring);
            weir_capture_stop(p->capture);
            return status;
        }
        publish_totals(p);
        tick(p);
    }
    return finish(p, view.lost_at_end, err);
}

void weir_pipeline_stop(weir_pipeline *p)
{
    atomic_store(&p->stop, true);
}

void weir_pipeline_set_paused(weir_pipeline *p, bool paused)
{
    weir_capture_set_paused(p->capture, paused);
}

void weir_pipeline_close(weir_pipeline *p)
{
    if (!p) {
        return;
    }
    if (p->capture) {
        weir_ring_cancel(p->ring);
        weir_capture_stop(p->capture);
    }
    weir_engine_destroy(p->engine);
    if (p->ring_is_pinned) {
        size_t bytes;
        weir_cuda_unpin(weir_ring_memory(p->ring, &bytes));
    }
    weir_capture_destroy(p->capture);
    weir_source_close(p->source);
    weir_transform_free(&p->transform);
    weir_curve_free(&p->curve);
    free(p);
}
