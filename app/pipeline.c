#include "app/pipeline.h"

#include "app/corrections.h"
#include "app/device_pairs.h"
#include "app/notes.h"
#include "app/scaling.h"
#include "app/transform.h"
#include "app/zoom_stage.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/backlog.h"
#include "capture/capture.h"
#include "capture/run.h"
#include "cuda/engine_cuda.h"
#include "cuda/gpu_load.h"
#include "dsp/curve.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define VIEW_LINE_SECONDS 0.04
#define FILE_LINE_SECONDS 0.1
#define TICK_NS 100000000
#define POLL_MS 20
#define PATIENCE_NS 100000000 /* with shows_early */
#define MOST_RING_BYTES ((size_t)1 << 26)
#define USUAL_RING_BYTES ((size_t)1 << 20)
#define VIEW_RING_SAMPLES ((size_t)1 << 20)
/* Several times what the GPU engine must see at once (cuda/engine_cuda.h). */
#define GPU_RING_SAMPLES ((size_t)1 << 18)
#define VIEW_ZOOM_SAMPLES ((size_t)1 << 17)

struct weir_pipeline {
    weir_pipeline_config config;
    weir_settings settings; /* config's, with the command's defaults; its texts are borrowed */
    weir_source *source;
    weir_capture *capture;
    weir_ring *ring;        /* the capture's                      */
    weir_ring *engine_ring; /* the zoom's, or the capture's       */
    weir_zoom_stage *zoom;  /* NULL: none                         */
    weir_corrections corrections;
    weir_iq_tracker iq; /* as it begins; a zoom stage has its own copy */
    bool corrects_iq, tracks_iq;
    double iq_track_seconds;
    weir_ring_view view; /* of the engine's ring, last seen */
    uint64_t tapped_to;  /* on_raw had all samples before   */
    weir_engine *engine;
    weir_engine_config engine_config; /* what it was made with */
    weir_transform transform;
    weir_stream_info stream;
    weir_note *notes;          /* the stream's */
    weir_axis_correction axis; /* of corrections */
    double zoom_center_hz;     /* as asked for last, the device's; with control_lock */
    double input_center_hz;    /* and with a zoom the source's                       */
    bool is_running;           /* weir_pipeline_run was called */
    weir_backlog *early;       /* what a zoom took before that, for on_samples; or NULL */
    weir_curve curve;          /* of --calibration; empty without it */
    bool ring_is_pinned;
    weir_gpu_load *gpu_load; /* of a view; NULL: not known, or no GPU was ever used */
    atomic_bool is_on_gpu;
    bool engine_may_change; /* --engine auto: a GPU that fails gives way to the CPU */
    char wisdom_path[512];
    pthread_mutex_t control_lock; /* one change of the source at a time */
    weir_totals past;             /* of engines that were replaced */
    uint64_t known_segment;       /* an earlier engine has booked what was lost before it */
    char window[64];              /* its name */

    pthread_mutex_t change_lock; /* the three below */
    weir_transform wanted;
    char wanted_window[64];
    atomic_bool has_wish;
    weir_status callback_status;
    weir_error callback_error;
    atomic_bool stop;
    _Atomic uint64_t totals_snapshot[10]; /* weir_totals, for other threads */
    int64_t next_tick_ns;
    uint64_t shown_end; /* stream index: what on_samples has seen */
};

/* ---- opening ---- */

static weir_status open_source(weir_pipeline *p, weir_error *err)
{
    const weir_settings *s = &p->settings;
    weir_status status =
        weir_settings_open_source(s, p->config.source, p->config.for_view, &p->source, err);
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

/* A view may be asked for longer transforms while it runs. */
static size_t longest_in_view(size_t n_fft)
{
    return n_fft < VIEW_RING_SAMPLES ? VIEW_RING_SAMPLES : n_fft;
}

/* A ring for several transforms; 0 (the capture thread's default) is enough for most. */
static size_t ring_bytes_for(const weir_pipeline *p, size_t n_fft)
{
    size_t stride = weir_format_stride_bytes(&p->source->info.format);
    size_t n = p->config.for_view ? longest_in_view(n_fft) : n_fft;
    size_t wanted = 4 * n * stride;
    if (p->settings.iq_correct) { /* the first second is looked at in one piece */
        double second = fmin(p->source->info.rate_hz * (double)stride, (double)MOST_RING_BYTES);
        wanted = wanted > (size_t)second ? wanted : (size_t)second;
    }
    return wanted > USUAL_RING_BYTES ? wanted : 0;
}

static bool may_take_gpu(const weir_pipeline *p)
{
    return p->settings.engine == WEIR_ENGINE_CUDA ||
           (p->settings.engine == WEIR_ENGINE_AUTO && weir_cuda_built() &&
            weir_cuda_device_count(NULL) > 0);
}

/* A GPU copies from page-locked memory, which a mapped file is not; and a view pauses, seeks
 * and loops. */
static bool may_map(const weir_pipeline *p)
{
    return !p->config.for_view && !may_take_gpu(p);
}

static weir_status start_capture(weir_pipeline *p, size_t n_fft, weir_error *err)
{
    const weir_settings *s = &p->settings;
    double default_speed = p->config.for_view ? 1 : 0;
    weir_capture_config config = {
        .start_seconds = s->start_seconds,
        .duration_seconds = s->duration_seconds,
        .loop = s->loop,
        .speed = isnan(s->speed) ? default_speed : s->speed,
        .may_map = may_map(p),
        .ring_bytes = ring_bytes_for(p, n_fft),
    };
    weir_status status = weir_capture_create(&p->capture, p->source, &config, err);
    if (status != WEIR_OK) {
        return status;
    }
    p->ring = weir_capture_ring(p->capture);
    return weir_capture_start(p->capture, err);
}

static weir_status pump(weir_pipeline *p, weir_error *err)
{
    return p->zoom ? weir_zoom_stage_pump(p->zoom, p->ring, err) : WEIR_OK;
}

/* A zoom leaves nothing in the capture's ring but what does not fit. */
static void wait_for_input(weir_pipeline *p, size_t n_seen)
{
    weir_ring_wait_data(p->ring, p->zoom ? 0 : n_seen, POLL_MS);
}

/* Waits until a ring has n samples of the first segment, or it ends with fewer, but not past
 * end_ns. */
static weir_status first_samples(weir_pipeline *p, weir_ring *ring, size_t n, int64_t end_ns,
                                 size_t *there, weir_error *err)
{
    weir_ring_view view = {0};
    size_t capacity = weir_ring_capacity_samples(ring);
    bool complete = false;
    while (!complete && !atomic_load(&p->stop) && weir_now_ns() < end_ns) {
        weir_status status = pump(p, err);
        if (status != WEIR_OK) {
            return status;
        }
        complete =
            weir_ring_peek(ring, &view) && (view.n_samples >= n || view.segment_ends || view.ended);
        complete = complete || view.n_samples >= capacity;
        if (!complete) {
            wait_for_input(p, view.n_samples);
        }
    }
    *there = view.n_samples;
    return WEIR_OK;
}

static weir_status look_at_first_second(weir_pipeline *p, weir_iq_stats *stats, weir_error *err)
{
    const weir_source_info *info = &p->source->info;
    size_t n;
    weir_ring_view view = {0};
    weir_status status =
        first_samples(p, p->ring, (size_t)fmin(info->rate_hz, 1e9), INT64_MAX, &n, err);
    if (status == WEIR_OK && weir_ring_peek(p->ring, &view)) {
        n = (double)view.n_samples < info->rate_hz ? view.n_samples : (size_t)info->rate_hz;
        weir_iq_stats_add(stats, &info->format, (unsigned)p->settings.channel - 1, view.samples, n);
    }
    return status;
}

/* What --iq-correct asks for, or what the first second says. */
static weir_status find_iq_correction(weir_pipeline *p, weir_error *err)
{
    const char *text = p->settings.iq_correct;
    const weir_source_info *info = &p->source->info;
    weir_iq_wish wish;
    weir_iq_stats stats = {0};
    weir_iq_correction correction;
    if (!text) {
        return WEIR_OK;
    }
    if (!info->format.is_complex) {
        return weir_fail(err, WEIR_ERR_USAGE, "--iq-correct: %s is not complex", info->name);
    }
    weir_status status = weir_iq_wish_parse(text, &wish, err);
    if (status == WEIR_OK && wish.kind != WEIR_IQ_FIXED) {
        status = look_at_first_second(p, &stats, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    bool is_known = weir_iq_estimate(&stats, &correction);
    if (wish.kind == WEIR_IQ_AUTO && !is_known) {
        weir_log(WEIR_LOG_WARNING,
                 "--iq-correct auto: nothing to go by in the first second of "
                 "%s; not corrected",
                 info->name);
        return WEIR_OK;
    }
    p->corrects_iq = true;
    p->tracks_iq = wish.kind == WEIR_IQ_TRACK;
    if (p->tracks_iq) {
        weir_iq_tracker_follow(&p->iq, &stats, info->rate_hz, wish.seconds);
        p->iq_track_seconds = wish.seconds;
    } else {
        weir_iq_tracker_fix(&p->iq, wish.kind == WEIR_IQ_FIXED ? &wish.fixed : &correction);
    }
    return WEIR_OK;
}

static void on_zoom_raw(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                        const void *samples, size_t n_samples)
{
    weir_pipeline *p = user;
    if (p->config.on_raw) {
        p->config.on_raw(p->config.user, &p->source->info.format, first_sample, samples, n_samples);
    }
    if (p->config.on_samples && p->is_running) {
        p->config.on_samples(p->config.user, segment, first_sample, samples, n_samples);
    } else if (p->early) {
        weir_backlog_push(p->early, segment, first_sample, samples, n_samples);
    }
}

/* The CPU engine takes out a constant imbalance as it unpacks. What drifts cannot be part of
 * overlapping transforms, and the GPU engine does not. */
static bool needs_iq_stage(const weir_pipeline *p)
{
    return p->corrects_iq && (p->tracks_iq || may_take_gpu(p));
}

/* A view begins with what comes when it runs. */
static weir_status keep_early(weir_pipeline *p, weir_error *err)
{
    size_t stride = weir_format_stride_bytes(&p->source->info.format);
    return p->config.on_samples && !p->config.for_view
               ? weir_backlog_create(&p->early, weir_pipeline_most_samples(p), stride, err)
               : WEIR_OK;
}

/* --span: the zoom, on a centre and with a decimation that keep the span usable. Decimation 0:
 * only IQ is put right. */
static weir_status create_zoom(weir_pipeline *p, size_t n_fft, double center_hz,
                               uint64_t decimation, weir_error *err)
{
    const weir_settings *s = &p->settings;
    const weir_source_info *info = &p->source->info;
    bool only_iq = decimation == 0;
    size_t in_view = only_iq                     ? longest_in_view(n_fft)
                     : n_fft < VIEW_ZOOM_SAMPLES ? VIEW_ZOOM_SAMPLES
                                                 : n_fft;
    size_t longest = p->config.for_view ? in_view : n_fft;
    weir_zoom_stage_config config = {
        .zoom = {.format = info->format,
                 .channel = (unsigned)s->channel - 1,
                 .rate_hz = info->rate_hz,
                 .decimation = only_iq ? 1 : decimation,
                 .iq_swap = s->iq_swap,
                 .iq = p->corrects_iq ? &p->iq : NULL},
        .center_hz = only_iq ? info->center_hz : center_hz,
        .stream_center_hz = info->center_hz,
        .follows_center = only_iq,
        .ring_samples =
            may_take_gpu(p) && 4 * longest < GPU_RING_SAMPLES ? GPU_RING_SAMPLES : 4 * longest,
        .on_raw = p->config.on_raw || p->config.on_samples ? on_zoom_raw : NULL,
        .user = p,
    };
    weir_status status = weir_zoom_stage_create(&p->zoom, &config, err);
    if (status != WEIR_OK) {
        return status;
    }
    p->engine_ring = weir_zoom_stage_ring(p->zoom);
    p->corrections.zoom = p->zoom;
    if (!only_iq) {
        p->corrections.span_hz = s->span_hz;
        p->zoom_center_hz = center_hz;
        p->input_center_hz = info->center_hz;
    }
    return keep_early(p, err);
}

/* center_hz: as the device says it. */
static weir_status check_zoom_center(const weir_pipeline *p, double center_hz, weir_error *err)
{
    const weir_source_info *info = &p->source->info;
    double half_hz = info->rate_hz / 2, low_hz = info->center_hz, high_hz = low_hz + half_hz;
    char low[40], high[40];
    low_hz -= info->format.is_complex ? half_hz : 0;
    if (center_hz >= low_hz && center_hz <= high_hz) {
        return WEIR_OK;
    }
    weir_format_hz(low, sizeof low, weir_true_hz(&p->axis, low_hz), info->rate_hz / 1000);
    weir_format_hz(high, sizeof high, weir_true_hz(&p->axis, high_hz), info->rate_hz / 1000);
    return weir_fail(err, WEIR_ERR_USAGE,
                     "--zoom-center %.9g Hz: this centre is not received; %s has %s to %s",
                     p->settings.zoom_center_hz, info->name, low, high);
}

/* The rate that the engine will see, and what the zoom needs to make it. */
static weir_status plan_zoom(weir_pipeline *p, double *rate_hz, double *center_hz,
                             uint64_t *decimation, weir_error *err)
{
    const weir_settings *s = &p->settings;
    const weir_source_info *info = &p->source->info;
    *rate_hz = info->rate_hz;
    *decimation = 0;
    if (s->span_hz == 0) {
        return isnan(s->zoom_center_hz)
                   ? WEIR_OK
                   : weir_fail(err, WEIR_ERR_USAGE, "--zoom-center needs --span HZ");
    }
    *decimation = s->span_hz > 0 ? weir_zoom_decimation_for(info->rate_hz, s->span_hz) : 0;
    if (*decimation < 2) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--span %.9g Hz: more than 0, and at most %.9g Hz at this rate; --range "
                         "chooses a wider part of the band",
                         s->span_hz, info->rate_hz * WEIR_ZOOM_USABLE / 2);
    }
    *center_hz = info->format.is_complex ? info->center_hz : info->center_hz + s->span_hz / 2;
    if (!isnan(s->zoom_center_hz)) {
        *center_hz = weir_device_hz(&p->axis, s->zoom_center_hz);
    }
    *rate_hz = info->rate_hz / (double)*decimation;
    return isnan(s->zoom_center_hz) ? WEIR_OK : check_zoom_center(p, *center_hz, err);
}

/* Samples that come from the start on, as far as that is known; UINT64_MAX: no end is. */
static uint64_t expected_samples(const weir_pipeline *p)
{
    const weir_source_info *info = &p->source->info;
    const weir_settings *s = &p->settings;
    double left = INFINITY;
    if (info->n_samples != WEIR_UNKNOWN_SAMPLES) {
        left = (double)info->n_samples - ceil(s->start_seconds * info->rate_hz);
    }
    left = fmin(left, floor(s->duration_seconds * info->rate_hz));
    return left < 0x1p63 ? (uint64_t)fmax(left, 0.0) : UINT64_MAX;
}

/* The longest run that a recording will ever give: no transform spans the seam of a loop. */
static uint64_t longest_pass(const weir_pipeline *p)
{
    const weir_source_info *info = &p->source->info;
    bool loops = p->settings.loop && info->n_samples != WEIR_UNKNOWN_SAMPLES && !info->is_live;
    return loops ? info->n_samples : expected_samples(p);
}

/* How long the first transform's samples are waited for, to see whether there are so many. Only a
 * pipe may end before them where the picture does not wait. */
static int64_t patience_end_ns(const weir_pipeline *p, size_t n_fft)
{
    const weir_source_info *info = &p->source->info;
    uint64_t needed = n_fft * (p->zoom ? weir_zoom_stage_decimation(p->zoom) : 1);
    bool may_be_short = p->zoom && expected_samples(p) < 2 * needed;
    if (!p->config.shows_early || may_be_short) {
        return INT64_MAX;
    }
    bool is_pipe = info->n_samples == WEIR_UNKNOWN_SAMPLES && !info->is_live && !info->can_seek;
    return is_pipe ? weir_now_ns() + PATIENCE_NS : 0;
}

/* A recording shorter than one transform is transformed whole, as SciPy does. Only the
 * first segment is looked at: later ones that are too short go into the tail. */
static weir_status fit_size(weir_pipeline *p, size_t *n_fft, weir_error *err)
{
    const weir_source_info *info = &p->source->info;
    weir_ring_view view = {0};
    size_t there = 0;
    int64_t end_ns = patience_end_ns(p, *n_fft);
    weir_status status = first_samples(p, p->engine_ring, *n_fft, end_ns, &there, err);
    if (status != WEIR_OK) {
        return status;
    }
    bool whole = weir_ring_peek(p->engine_ring, &view) && view.ended;
    there = whole ? view.n_samples : there;
    bool is_known = end_ns != INT64_MAX || p->settings.loop;
    if (is_known && !whole && !p->zoom && longest_pass(p) < *n_fft) {
        there = (size_t)longest_pass(p);
        whole = true;
    }
    if (there >= *n_fft || !whole) {
        return WEIR_OK;
    }
    const char *of = p->settings.span_hz > 0 ? " of --span's lower rate" : "";
    if (there < 2) {
        weir_capture_stop(p->capture); /* a loop has no end */
        return weir_capture_join(p->capture, err) != WEIR_OK
                   ? err->status
                   : weir_fail(err, WEIR_ERR_DATA, "%s: %s%s; at least 2 are needed", info->name,
                               there ? "only one sample" : "no samples", of);
    }
    weir_log(WEIR_LOG_NOTICE,
             "%s holds %zu samples%s, fewer than one transform of %zu: using N = %zu", info->name,
             there, of, *n_fft, there);
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
    switch ((&p->settings)->plan) {
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

/* Shows on_raw what it has not seen of the samples before a stream index. */
static void tap_to(weir_pipeline *p, uint64_t end_sample)
{
    const weir_ring_view *view = &p->view;
    uint64_t seen_end = view->first_sample + view->n_samples;
    uint64_t from = p->tapped_to > view->first_sample ? p->tapped_to : view->first_sample;
    uint64_t to = end_sample < seen_end ? end_sample : seen_end;
    if (p->config.on_raw && !p->zoom && to > from) {
        size_t stride = weir_format_stride_bytes(&p->source->info.format);
        const char *samples = view->samples;
        p->config.on_raw(p->config.user, &p->source->info.format, from,
                         samples + (size_t)(from - view->first_sample) * stride,
                         (size_t)(to - from));
        p->tapped_to = to;
    }
}

static void on_spectrum(void *user, const weir_spectrum *spectrum)
{
    weir_pipeline *p = user;
    weir_spectrum corrected;
    if (p->callback_status != WEIR_OK) {
        return;
    }
    tap_to(p, spectrum->end_sample);
    weir_corrections_apply(&p->corrections, spectrum, &corrected);
    if (p->zoom) { /* the engine saw no raw samples */
        weir_sample_counts counts = weir_zoom_stage_take_counts(p->zoom, corrected.end_sample);
        corrected.clipped = counts.clipped;
        corrected.nonfinite = counts.nonfinite;
    }
    p->callback_status = weir_capture_check(p->capture, &p->callback_error);
    if (p->callback_status == WEIR_OK) {
        p->callback_status = p->config.on_spectrum(p->config.user, &corrected, &p->callback_error);
    }
}

static bool gives_up(void *user)
{
    const weir_pipeline *p = user;
    return atomic_load(&p->stop);
}

/* A zoom hands out complex floats, one channel, with IQ put right. */
static weir_sample_format engine_format(const weir_pipeline *p)
{
    weir_sample_format zoomed = {.scalar = WEIR_F32LE, .is_complex = true, .channels = 1};
    return p->zoom ? zoomed : p->source->info.format;
}

static weir_engine_config engine_config_of(weir_pipeline *p)
{
    const weir_settings *s = &p->settings;
    weir_plan_effort plan = plan_of(p);
    weir_engine_config config = {
        .format = engine_format(p),
        .channel = p->zoom ? 0 : (unsigned)s->channel - 1,
        .n_fft = p->transform.n_fft,
        .hop = p->transform.hop,
        .window = p->transform.window,
        .frames_per_spectrum = p->transform.frames_per_spectrum,
        .traces = p->config.traces,
        .exponential_alpha = p->transform.exponential_alpha,
        .detrend = s->detrend || s->dc == WEIR_DC_REMOVE,
        .iq_swap = s->iq_swap && !p->zoom,
        .threads = (unsigned)s->threads,
        .plan = plan,
        .wisdom_path = plan == WEIR_PLAN_ESTIMATE ? NULL : find_wisdom_path(p),
        .device = (int)s->device,
        .on_spectrum = on_spectrum,
        .gives_up = p->config.gives_up_at_stop ? gives_up : NULL,
        .user = p,
    };
    if (p->corrects_iq && !p->zoom) {
        const weir_iq_correction *iq = &p->iq.next;
        memcpy(config.iq_matrix, iq->matrix, sizeof config.iq_matrix);
        config.iq_offset[0] = iq->dc_i;
        config.iq_offset[1] = iq->dc_q;
    }
    return config;
}

/* Once: what asks for the load may run already when the transform changes. */
static void watch_gpu(weir_pipeline *p)
{
    char id[16];
    if (p->config.for_view && !p->is_running && !p->gpu_load &&
        weir_cuda_bus_id((int)p->settings.device, id, sizeof id)) {
        p->gpu_load = weir_gpu_load_open(id);
    }
    atomic_store(&p->is_on_gpu, true);
}

static weir_status create_cuda(weir_pipeline *p, weir_error *err)
{
    weir_status status = weir_engine_cuda_create(&p->engine, &p->engine_config, err);
    if (status == WEIR_OK) {
        size_t bytes;
        void *memory = weir_ring_memory(p->engine_ring, &bytes);
        p->ring_is_pinned = p->ring_is_pinned || weir_cuda_pin(memory, bytes, NULL) == WEIR_OK;
        watch_gpu(p);
    }
    return status;
}

static weir_status create_engine(weir_pipeline *p, weir_error *err)
{
    const weir_settings *s = &p->settings;
    p->engine_config = engine_config_of(p);
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
    return weir_engine_cpu_create(&p->engine, &p->engine_config, err);
}

static bool decimates(const weir_pipeline *p)
{
    return p->zoom && weir_zoom_stage_decimation(p->zoom) > 1;
}

/* The first spectrum's axis, as the engine will make it and corrected. */
static void describe_axis(weir_pipeline *p)
{
    weir_stream_info *stream = &p->stream;
    bool is_complex = engine_format(p).is_complex;
    uint64_t decimation = p->zoom ? weir_zoom_stage_decimation(p->zoom) : 1;
    size_t n = p->transform.n_fft;
    weir_spectrum engine = {
        .n_bins = is_complex ? n : n / 2 + 1,
        .first_sample = UINT64_MAX, /* as the input is tuned now */
        .rate_hz = p->source->info.rate_hz / (double)decimation,
        .center_hz = decimates(p) ? weir_zoom_stage_center_hz(p->zoom) : p->source->info.center_hz,
        .full_scale_power = is_complex ? 1 : 0.5,
    };
    engine.bin_hz = engine.rate_hz / (double)n;
    engine.start_hz = engine.center_hz - (is_complex ? (double)(n / 2) * engine.bin_hz : 0);
    weir_spectrum first;
    weir_corrections_apply(&p->corrections, &engine, &first);
    stream->n_bins = first.n_bins;
    stream->start_hz = first.start_hz;
    stream->bin_hz = first.bin_hz;
    stream->center_hz = first.center_hz;
    stream->rate_hz = first.rate_hz;
    stream->made_up = first.made_up;
    stream->format.is_complex = is_complex;
    stream->decimation = decimates(p) ? decimation : 0;
    stream->n_fft *= (size_t)decimation;
    stream->hop *= (size_t)decimation;
}

static void describe_stream(weir_pipeline *p, const weir_scale *scale)
{
    const weir_settings *s = &p->settings;
    const weir_source_info *info = &p->source->info;
    p->stream = (weir_stream_info){
        .source = info->name,
        .description = info->description,
        .format = info->format,
        .channel = (unsigned)s->channel - 1,
        .n_fft = p->transform.n_fft,
        .hop = p->transform.hop,
        .window = p->window,
        .enbw_bins = p->transform.enbw_bins,
        .coherent_gain = p->transform.coherent_gain,
        .frames_per_spectrum = p->transform.frames_per_spectrum,
        .exponential_alpha = p->transform.exponential_alpha,
        .averages = p->transform.averages,
        .detrend = s->detrend || s->dc == WEIR_DC_REMOVE,
        .engine = weir_engine_describe(p->engine),
        .time_unix_ns = info->time_unix_ns,
        .n_samples = info->n_samples,
        .scale = *scale,
        .iq_corrected = p->corrects_iq,
        .iq_gain_db = p->corrects_iq ? 20 * log10(p->iq.next.gain) : 0,
        .iq_phase_deg = p->iq.next.phase_rad * 180 / M_PI,
        .iq_track_seconds = p->iq_track_seconds,
        .ppm = s->ppm,
        .transverter_hz = s->transverter_hz,
    };
    p->notes = weir_notes_of(info, &p->axis, &p->stream.n_notes);
    p->stream.notes = p->notes;
    describe_axis(p);
}

/* From the source to the first samples that the engine will see. */
static weir_status open_input(weir_pipeline *p, double *rate_hz, size_t *n_fft, weir_error *err)
{
    uint64_t decimation = 0;
    double zoom_center_hz = 0;
    weir_status status = open_source(p, err);
    if (status == WEIR_OK && p->config.for_measure) {
        weir_measure_defaults(&p->settings, p->source->info.format.is_complex,
                              p->source->info.rate_hz);
    }
    if (status == WEIR_OK) {
        status = plan_zoom(p, rate_hz, &zoom_center_hz, &decimation, err);
    }
    if (status == WEIR_OK) {
        status = weir_transform_size(&p->settings, *rate_hz, n_fft, err);
    }
    if (status == WEIR_OK) {
        status = start_capture(p, decimation ? 0 : *n_fft, err);
        p->engine_ring = p->ring;
    }
    if (status == WEIR_OK) {
        status = find_iq_correction(p, err);
    }
    if (status == WEIR_OK && (decimation || needs_iq_stage(p))) {
        status = create_zoom(p, *n_fft, zoom_center_hz, decimation, err);
    }
    return status == WEIR_OK ? fit_size(p, n_fft, err) : status;
}

/* The spike at DC is as wide as the main lobe of the transform's window. */
static weir_status init_dc(weir_pipeline *p, weir_error *err)
{
    size_t n_fft = p->transform.n_fft;
    size_t n_bins = engine_format(p).is_complex ? n_fft : n_fft / 2 + 1;
    weir_corrections_free(&p->corrections);
    return weir_corrections_init_dc(&p->corrections, p->settings.dc, p->window, n_fft, n_bins, err);
}

static double line_seconds(const weir_pipeline *p)
{
    return p->config.for_view ? VIEW_LINE_SECONDS : FILE_LINE_SECONDS;
}

static weir_status open_all(weir_pipeline *p, weir_error *err)
{
    const weir_settings *s = &p->settings;
    weir_scale scale;
    size_t n_fft = 0;
    double rate_hz = 0;
    weir_corrections_init_axis(&p->corrections, s);
    p->axis = p->corrections.axis;
    weir_status status = weir_scaling_init(&scale, &p->curve, s, err);
    if (p->config.for_measure) { /* whatever a configuration file says: its units are of powers */
        scale.quantity = WEIR_SPECTRUM;
        scale.is_per_root_hz = false;
    }
    if (status == WEIR_OK) {
        status = open_input(p, &rate_hz, &n_fft, err);
    }
    if (status == WEIR_OK) {
        status = weir_transform_init(&p->transform, s, rate_hz, n_fft, line_seconds(p), err);
    }
    if (status == WEIR_OK) {
        weir_snprintf(p->window, sizeof p->window, "%s", s->window ? s->window : "hann");
        status = init_dc(p, err);
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
    p->known_segment = UINT64_MAX;
    pthread_mutex_init(&p->control_lock, NULL);
    pthread_mutex_init(&p->change_lock, NULL);
    p->settings = *config->settings;
    if (!config->for_view) { /* a file's, perhaps */
        p->settings.trace_average = (weir_trace_average){.kind = WEIR_TRACE_AS_LINES};
    }
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
    size_t most = weir_ring_capacity_samples(p->ring);
    if (p->zoom && !p->config.for_view) {
        size_t ahead = weir_ring_capacity_samples(p->engine_ring);
        most += ahead * (size_t)weir_zoom_stage_decimation(p->zoom);
    }
    return most;
}

static void show_piece(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples)
{
    const weir_pipeline *p = user;
    p->config.on_samples(p->config.user, segment, first_sample, samples, n_samples);
}

static void show_early(weir_pipeline *p)
{
    if (p->early) {
        weir_backlog_visit(p->early, 0, show_piece, p);
        weir_backlog_destroy(p->early);
        p->early = NULL;
    }
}

/* ---- running ---- */

static weir_run run_of(const weir_pipeline *p, const weir_ring_view *view)
{
    weir_run run = weir_run_of(view);
    run.lost_before = view->segment.segment == p->known_segment ? 0 : run.lost_before;
    return run;
}

_Static_assert(sizeof(weir_totals) == 10 * sizeof(uint64_t), "the snapshot copies ten counters");

static void publish_totals(weir_pipeline *p)
{
    weir_totals totals;
    uint64_t words[10];
    weir_engine_totals(p->engine, &totals);
    weir_totals_add(&totals, &p->past);
    if (p->zoom) {
        weir_zoom_stage_totals(p->zoom, &totals);
    }
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
    int64_t now = weir_now_ns();
    if (now < p->next_tick_ns) {
        return;
    }
    p->next_tick_ns = now + TICK_NS;
    if (p->config.on_tick && !p->config.on_tick(p->config.user)) {
        weir_pipeline_stop(p);
    }
}

/* --engine auto: where the GPU failed, the CPU goes on. False: it may not, or cannot. */
static bool change_to_cpu(weir_pipeline *p, weir_status status, weir_error *err)
{
    const weir_engine_state *state = weir_engine_state_after_failure(p->engine);
    if (status != WEIR_ERR_DEVICE || !p->engine_may_change || !state) {
        return false;
    }
    weir_engine *cpu = NULL;
    weir_error why = *err;
    if (weir_engine_cpu_resume(&cpu, &p->engine_config, state, err) != WEIR_OK) {
        return false;
    }
    weir_log(WEIR_LOG_WARNING, "the GPU failed (%s); going on with the CPU, nothing is lost",
             why.text);
    weir_engine_destroy(p->engine);
    atomic_store(&p->is_on_gpu, false);
    p->engine = cpu;
    p->engine_may_change = false;
    p->stream.engine = weir_engine_describe(cpu);
    return true;
}

static weir_status push(weir_pipeline *p, const weir_run *run, size_t *released, weir_error *err)
{
    weir_status status = weir_engine_push(p->engine, run, released, err);
    return change_to_cpu(p, status, err) ? weir_engine_push(p->engine, run, released, err) : status;
}

static weir_status flush(weir_pipeline *p, uint64_t lost_at_end, weir_error *err)
{
    weir_status status = weir_engine_flush(p->engine, lost_at_end, err);
    return change_to_cpu(p, status, err) ? weir_engine_flush(p->engine, lost_at_end, err) : status;
}

/* Has the engine finish with what it has seen, as if the segment ended there. *kept: the
 * samples in view that no transform covered. An engine that gave up books as tail at the
 * segment's end what it has released since: that is not in view any more. */
static weir_status close_engine(weir_pipeline *p, size_t *kept, weir_error *err)
{
    weir_totals before, after;
    weir_run run = run_of(p, &p->view);
    weir_sample_format format = engine_format(p);
    size_t released = 0, stride = weir_format_stride_bytes(&format);
    run.ends = true;
    weir_engine_totals(p->engine, &before);
    weir_status status = WEIR_OK;
    while (status == WEIR_OK && run.n_samples > 0) {
        status = push(p, &run, &released, err);
        run.samples = (const char *)run.samples + released * stride;
        run.n_samples -= released;
        run.first_sample += released;
        if (weir_engine_busy(p->engine)) {
            sched_yield();
        }
    }
    status = status == WEIR_OK ? flush(p, 0, err) : status;
    if (status != WEIR_OK) {
        return status;
    }
    weir_engine_totals(p->engine, &after);
    uint64_t uncovered = after.tail - before.tail;
    *kept = uncovered < p->view.n_samples ? (size_t)uncovered : p->view.n_samples;
    after.received -= *kept; /* the next engine receives them */
    after.tail -= *kept;
    weir_totals_add(&p->past, &after);
    return WEIR_OK;
}

static void take_wish(weir_pipeline *p, weir_transform *transform)
{
    pthread_mutex_lock(&p->change_lock);
    *transform = p->wanted;
    p->wanted = (weir_transform){.window = NULL};
    weir_snprintf(p->window, sizeof p->window, "%s", p->wanted_window);
    atomic_store(&p->has_wish, false);
    pthread_mutex_unlock(&p->change_lock);
}

static void describe_transform(weir_pipeline *p)
{
    p->stream.n_fft = p->transform.n_fft;
    p->stream.hop = p->transform.hop;
    p->stream.enbw_bins = p->transform.enbw_bins;
    p->stream.coherent_gain = p->transform.coherent_gain;
    p->stream.frames_per_spectrum = p->transform.frames_per_spectrum;
    p->stream.exponential_alpha = p->transform.exponential_alpha;
    p->stream.averages = p->transform.averages;
    p->stream.engine = weir_engine_describe(p->engine);
    describe_axis(p);
    if (p->config.on_change) {
        p->config.on_change(p->config.user, &p->stream);
    }
}

/* What goes with one transform. */
typedef struct analysis {
    weir_engine *engine;
    weir_engine_config engine_config;
    weir_transform transform;
    weir_corrections corrections;
    char window[64];
} analysis;

_Static_assert(sizeof((analysis *)0)->window == sizeof((weir_pipeline *)0)->window, "copied");

static analysis analysis_of(const weir_pipeline *p)
{
    analysis a = {.engine = p->engine,
                  .engine_config = p->engine_config,
                  .transform = p->transform,
                  .corrections = p->corrections};
    memcpy(a.window, p->window, sizeof a.window);
    return a;
}

static void set_analysis(weir_pipeline *p, const analysis *a)
{
    p->engine = a->engine;
    p->engine_config = a->engine_config;
    p->transform = a->transform;
    p->corrections = a->corrections;
    memcpy(p->window, a->window, sizeof a->window);
}

static void free_analysis(analysis *a)
{
    weir_engine_destroy(a->engine);
    weir_transform_free(&a->transform);
    weir_corrections_free(&a->corrections);
}

/* In the place of what is at work, which the caller keeps. */
static weir_status make_wanted(weir_pipeline *p, weir_error *err)
{
    take_wish(p, &p->transform);
    p->engine = NULL;
    p->corrections.copies = NULL; /* the old one's */
    weir_status status = init_dc(p, err);
    return status == WEIR_OK ? create_engine(p, err) : status;
}

/* The new engine is there before the old one is given up. */
static weir_status change_transform(weir_pipeline *p, weir_error *err)
{
    analysis old = analysis_of(p), new;
    weir_error why = {0};
    size_t kept = 0;
    if (make_wanted(p, &why) != WEIR_OK) {
        weir_log(WEIR_LOG_WARNING, "that transform cannot be had: %s", why.text);
        new = analysis_of(p);
        free_analysis(&new);
        set_analysis(p, &old);
        return WEIR_OK;
    }
    new = analysis_of(p);
    set_analysis(p, &old);
    weir_status status = close_engine(p, &kept, err);
    old.engine = p->engine; /* or what went on for it */
    set_analysis(p, &new);
    free_analysis(&old);
    if (status != WEIR_OK) {
        return status;
    }
    size_t released = p->view.n_samples - kept;
    tap_to(p, p->view.first_sample + released);
    p->known_segment = p->view.segment.segment;
    weir_ring_release(p->engine_ring, released);
    describe_transform(p);
    return WEIR_OK;
}

/* The ring shows what is not released again; on_samples sees it once. */
static void show_new_samples(weir_pipeline *p, const weir_ring_view *view)
{
    uint64_t end = view->first_sample + view->n_samples;
    uint64_t from = view->first_sample > p->shown_end ? view->first_sample : p->shown_end;
    if (p->config.on_samples && !p->zoom && from < end) {
        size_t stride = weir_format_stride_bytes(&p->source->info.format);
        const unsigned char *samples = view->samples;
        p->config.on_samples(p->config.user, &view->segment, from,
                             samples + (size_t)(from - view->first_sample) * stride,
                             (size_t)(end - from));
        p->shown_end = end;
    }
}

/* What is in view, through the engine. *finished: all is done. */
static weir_status advance(weir_pipeline *p, bool *finished, weir_error *err)
{
    show_new_samples(p, &p->view);
    if (atomic_load(&p->has_wish) && p->view.n_samples > 0) {
        return change_transform(p, err);
    }
    weir_run run = run_of(p, &p->view);
    size_t released = 0;
    weir_error why = {0};
    weir_status status = push(p, &run, &released, &why);
    tap_to(p, run.first_sample + released);
    if (status != WEIR_OK) {
        return weir_fail(err, status, "%s", why.text);
    }
    if (p->callback_status != WEIR_OK) {
        return weir_fail(err, p->callback_status, "%s", p->callback_error.text);
    }
    *finished = p->view.ended && released == p->view.n_samples;
    if (*finished) {
        return WEIR_OK;
    }
    weir_ring_release(p->engine_ring, released);
    if (weir_engine_busy(p->engine)) {
        sched_yield();
    } else if (released == 0 || !p->view.segment_ends) {
        wait_for_input(p, p->view.n_samples - released);
    }
    return WEIR_OK;
}

/* One look into the ring and what can be done with it. */
static weir_status step(weir_pipeline *p, bool *finished, weir_error *err)
{
    *finished = false;
    weir_status status = pump(p, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (!weir_ring_peek(p->engine_ring, &p->view)) {
        wait_for_input(p, 0);
        return WEIR_OK;
    }
    if (p->view.ended && p->view.n_samples == 0) { /* perhaps there never was a segment */
        *finished = true;
        return WEIR_OK;
    }
    return advance(p, finished, err);
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

static void log_imbalance(const weir_pipeline *p)
{
    const weir_iq_correction *iq = p->tracks_iq ? weir_zoom_stage_iq(p->zoom) : NULL;
    if (iq) {
        weir_log(WEIR_LOG_INFO,
                 "IQ imbalance at the end: Q %+.3f dB, %+.3f degrees; uncorrected, an image is "
                 "%.1f dB down",
                 20 * log10(iq->gain), iq->phase_rad * 180 / M_PI, iq->image_rejection_db);
    }
}

static weir_status finish(weir_pipeline *p, uint64_t lost_at_end, weir_error *err)
{
    log_imbalance(p);
    tap_to(p, UINT64_MAX);
    weir_status status = flush(p, lost_at_end, err);
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
    show_early(p);
    p->is_running = true;
    while (!finished) {
        if (!stopping && atomic_load(&p->stop)) {
            weir_capture_stop(p->capture); /* what is in the ring is still accounted */
            stopping = true;
        }
        weir_status status = step(p, &finished, err);
        if (status != WEIR_OK) {
            weir_ring_cancel(p->ring);
            weir_capture_stop(p->capture);
            return status;
        }
        publish_totals(p);
        tick(p);
    }
    return finish(p, p->view.lost_at_end, err);
}

void weir_pipeline_stop(weir_pipeline *p)
{
    atomic_store(&p->stop, true);
}

void weir_pipeline_set_paused(weir_pipeline *p, bool paused)
{
    weir_capture_set_paused(p->capture, paused);
}

weir_status weir_pipeline_reconfigure(weir_pipeline *p, const weir_settings *settings,
                                      weir_error *err)
{
    double decimation = p->zoom ? (double)weir_zoom_stage_decimation(p->zoom) : 1;
    double rate_hz = p->source->info.rate_hz / decimation; /* of what the engine sees */
    weir_transform transform;
    size_t n_fft, most = weir_ring_capacity_samples(p->engine_ring) / 2;
    weir_status status = weir_transform_size(settings, rate_hz, &n_fft, err);
    if (status == WEIR_OK && n_fft > most) {
        status =
            weir_fail(err, WEIR_ERR_UNSUPPORTED, "N = %zu while running: at most %zu", n_fft, most);
    }
    if (status == WEIR_OK) {
        status = weir_transform_init(&transform, settings, rate_hz, n_fft, line_seconds(p), err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    pthread_mutex_lock(&p->change_lock);
    weir_transform_free(&p->wanted); /* an earlier wish that was not taken yet */
    p->wanted = transform;
    weir_snprintf(p->wanted_window, sizeof p->wanted_window, "%s",
                  settings->window ? settings->window : "hann");
    atomic_store(&p->has_wish, true);
    pthread_mutex_unlock(&p->change_lock);
    return WEIR_OK;
}

double weir_pipeline_gpu_load(const weir_pipeline *p)
{
    return p->gpu_load && atomic_load(&p->is_on_gpu) ? weir_gpu_load_share(p->gpu_load) : -1;
}

uint64_t weir_pipeline_received(const weir_pipeline *p)
{
    return weir_capture_received(p->capture);
}

void weir_pipeline_set_speed(weir_pipeline *p, double speed)
{
    weir_capture_set_speed(p->capture, speed);
}

void weir_pipeline_step(weir_pipeline *p, uint64_t n_samples)
{
    weir_capture_step(p->capture, n_samples);
}

weir_status weir_pipeline_seek(weir_pipeline *p, double seconds, weir_error *err)
{
    return weir_capture_seek(p->capture, seconds, err);
}

weir_status weir_pipeline_set_loop(weir_pipeline *p, bool loops, weir_error *err)
{
    return weir_capture_set_loop(p->capture, loops, err);
}

void weir_pipeline_hold_at_end(weir_pipeline *p, bool holds)
{
    weir_capture_hold_at_end(p->capture, holds);
}

bool weir_pipeline_at_end(const weir_pipeline *p)
{
    return weir_capture_at_end(p->capture);
}

double weir_pipeline_position(const weir_pipeline *p)
{
    return weir_capture_position(p->capture);
}

uint64_t weir_pipeline_place_of(const weir_pipeline *p, uint64_t stream_sample)
{
    return weir_capture_place_of(p->capture, stream_sample);
}

bool weir_pipeline_can_tune(const weir_pipeline *p)
{
    return p->source->class_->control != NULL;
}

bool weir_pipeline_can_control(const weir_pipeline *p)
{
    return weir_pipeline_can_tune(p) || decimates(p);
}

static weir_status control_source(weir_pipeline *p, const char *key, double value, weir_error *err)
{
    const weir_source_class *class_ = p->source->class_;
    return class_->control ? class_->control(p->source, key, value, err)
                           : weir_fail(err, WEIR_ERR_UNSUPPORTED, "%s: it cannot be tuned",
                                       p->source->info.name);
}

/* Within what is received the zoom moves; else the source is tuned too, which keeps the zoom
 * as far from the source's centre as it is. What was asked for counts, not what has arrived:
 * keys come faster than a tuner follows. */
static weir_status tune_zoom(weir_pipeline *p, double hz, weir_error *err)
{
    bool can_tune = weir_pipeline_can_tune(p);
    double half_span_hz = can_tune ? 0.5 * p->settings.span_hz : 0;
    double input_hz = can_tune ? p->input_center_hz : weir_zoom_stage_input_center_hz(p->zoom);
    if (weir_zoom_stage_reaches(p->zoom, input_hz, hz, half_span_hz)) {
        p->zoom_center_hz = hz;
        weir_zoom_stage_move(p->zoom, hz);
        return WEIR_OK;
    }
    if (!can_tune) {
        char text[48];
        weir_format_hz(text, sizeof text, weir_true_hz(&p->axis, hz), 0);
        return weir_fail(err, WEIR_ERR_USAGE, "%s lies outside what is received", text);
    }
    input_hz += hz - p->zoom_center_hz;
    weir_zoom_stage_move(p->zoom, hz); /* before samples tuned so can come */
    weir_status status = control_source(p, "center_hz", input_hz, err);
    if (status != WEIR_OK) {
        weir_zoom_stage_move(p->zoom, p->zoom_center_hz);
        return status;
    }
    p->zoom_center_hz = hz;
    p->input_center_hz = input_hz;
    return WEIR_OK;
}

weir_status weir_pipeline_control(weir_pipeline *p, const char *key, double value, weir_error *err)
{
    bool is_center = strcmp(key, "center_hz") == 0;
    if (isnan(value) && strcmp(key, "gain_db") != 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: not a number", key);
    }
    value = is_center ? weir_device_hz(&p->axis, value) : value;
    pthread_mutex_lock(&p->control_lock);
    weir_status status =
        is_center && decimates(p) ? tune_zoom(p, value, err) : control_source(p, key, value, err);
    pthread_mutex_unlock(&p->control_lock);
    return status;
}

void weir_pipeline_describe(const weir_pipeline *p, char *text, size_t size)
{
    weir_source *source = p->source;
    if (source->class_->describe) {
        source->class_->describe(source, text, size);
    } else {
        weir_snprintf(text, size, "%s", source->info.description);
    }
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
        weir_cuda_unpin(weir_ring_memory(p->engine_ring, &bytes));
    }
    weir_gpu_load_close(p->gpu_load);
    weir_zoom_stage_destroy(p->zoom);
    weir_backlog_destroy(p->early);
    weir_capture_destroy(p->capture);
    weir_source_close(p->source);
    weir_transform_free(&p->transform);
    weir_corrections_free(&p->corrections);
    free(p->notes);
    weir_curve_free(&p->curve);
    weir_transform_free(&p->wanted);
    pthread_mutex_destroy(&p->control_lock);
    pthread_mutex_destroy(&p->change_lock);
    free(p);
}
