#include "app/sweeper.h"

#include "app/corrections.h"
#include "app/device_pairs.h"
#include "app/scaling.h"
#include "app/transform.h"
#include "base/clock.h"
#include "base/log.h"
#include "capture/capture.h"
#include "capture/run.h"
#include "capture/utc.h"
#include "cuda/engine_cuda.h"
#include "dsp/curve.h"
#include "dsp/engine.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define HOP_SECONDS 0.01
#define SETTLE_SECONDS 0.005
#define TUNE_SECONDS 5.0      /* a tuning that has not come by then does not come */
#define AWAY_SECONDS 1.0      /* nothing for so long: there is no device to be tuned */
#define TUNING_TOLERANCE 0.02 /* of the rate */
#define TUNING_SECONDS 0.02   /* what it takes at most, usually */
#define POLL_MS 20
#define MOST_SAMPLES (UINT64_C(1) << 62) /* of one tuning, or its settling */
#define LEAST_RING_BYTES ((size_t)1 << 16)

struct weir_sweeper {
    weir_sweeper_config config;
    weir_source *source;
    weir_capture *capture;
    weir_ring *ring;
    weir_engine *engine;
    weir_transform transform;
    weir_stream_info stream;
    weir_curve curve;
    weir_iq_correction iq;
    uint64_t shown_end; /* what on_samples has seen */
    uint64_t settle_samples;
    weir_trace trace;
    bool ended;
    bool integrates;
    uint64_t seen_segment;
    double told_hz;   /* where the device was sent last, or is from the start    */
    double seen_hz;   /* the centre of what was seen last                        */
    double old_hz;    /* that, when the device was sent away ...                 */
    uint64_t old_end; /* ... and from this sample on it can be of the new tuning */
    uint64_t lost, gaps, skipped;
    uint64_t engine_segment; /* ordinals of the runs given to the engine */

    /* The tuning at work: what its spectra add up to. */
    double *sum;      /* n_fft                   */
    double center_hz; /* as the device chose it  */
    uint64_t frames;
    uint64_t clipped, nonfinite, lost_inside;

    /* The pass: */
    float *whole;
    size_t whole_room;
    uint64_t first_sample, end_sample, index;
    int64_t time_unix_ns;
    double least_off_bins, most_off_bins; /* of its tunings, as the device chose them; or 0 */
};

static bool stopped(const weir_sweeper *s)
{
    return s->config.stopped && s->config.stopped(s->config.user);
}

/* ---- opening ---- */

static weir_status open_source(weir_sweeper *s, weir_error *err)
{
    weir_settings asked = *s->config.settings; /* shallow: only read */
    if (s->config.rate_hz > 0) {
        asked.rate_hz = s->config.rate_hz;
    }
    weir_status status =
        weir_settings_open_source(&asked, s->config.source, false, &s->source, err);
    if (status != WEIR_OK) {
        return status;
    }
    const weir_source_info *info = &s->source->info;
    if (!s->source->class_->control) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "%s: cannot be tuned; a sweep needs a receiver, or tuner: to try it out",
                         info->name);
    }
    if (!info->format.is_complex) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: a sweep needs complex samples (I and Q)",
                         info->name);
    }
    return WEIR_OK;
}

static weir_status choose_transform(weir_sweeper *s, weir_error *err)
{
    const weir_settings *settings = s->config.settings;
    double rate_hz = s->source->info.rate_hz;
    size_t n_fft = s->config.n_fft;
    weir_status status = WEIR_OK;
    if (n_fft == 0 && s->config.bin_hz > 0) {
        if (settings->n_fft || settings->rbw_hz != 0) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "the bins of --freq and --fft or --rbw both choose N: give one");
        }
        n_fft = weir_sweep_fft_size(rate_hz, s->config.bin_hz);
    } else if (n_fft == 0) {
        status = weir_transform_size(settings, rate_hz, &n_fft, err);
    }
    if (settings->average.kind == WEIR_AVERAGE_ALL || settings->smooth_seconds > 0) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--average says how long a sweep stays at each tuning: 16, 50ms");
    }
    if (status == WEIR_OK) {
        status = weir_transform_init(&s->transform, settings, rate_hz, n_fft, HOP_SECONDS, err);
    }
    if (status == WEIR_OK &&
        s->transform.frames_per_spectrum > (MOST_SAMPLES - n_fft) / s->transform.hop) {
        return weir_fail(err, WEIR_ERR_USAGE, "--average: no tuning lasts that long");
    }
    s->sum = status == WEIR_OK ? calloc(n_fft, sizeof *s->sum) : NULL;
    if (status == WEIR_OK && !s->sum) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    return status;
}

/* Small for a source that waits: what is in the ring when the tuning changes is in vain. */
static weir_status start_capture(weir_sweeper *s, weir_error *err)
{
    const weir_source_info *info = &s->source->info;
    size_t wanted = 4 * s->transform.n_fft * weir_format_stride_bytes(&info->format);
    size_t least = wanted > LEAST_RING_BYTES ? wanted : LEAST_RING_BYTES;
    const weir_settings *settings = s->config.settings;
    weir_capture_config config = {
        .duration_seconds = settings->duration_seconds,
        .speed = isnan(settings->speed) ? 0 : settings->speed,
        .ring_bytes = info->is_live && wanted < ((size_t)1 << 20) ? 0 : least,
    };
    weir_status status = weir_capture_create(&s->capture, s->source, &config, err);
    if (status != WEIR_OK) {
        return status;
    }
    s->ring = weir_capture_ring(s->capture);
    return weir_capture_start(s->capture, err);
}

/* One for all tunings: each alone is too short to find it from. */
static weir_status find_iq_correction(weir_sweeper *s, weir_error *err)
{
    weir_iq_wish wish = {.kind = WEIR_IQ_FIXED};
    const char *text = s->config.settings->iq_correct;
    weir_status status = text ? weir_iq_wish_parse(text, &wish, err) : WEIR_OK;
    if (status == WEIR_OK && wish.kind != WEIR_IQ_FIXED) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--iq-correct: a sweep's tunings are too short to find it from; "
                         "give DB:DEGREES (0.5:-2)");
    }
    s->iq = wish.fixed;
    return status;
}

static void on_spectrum(void *user, const weir_spectrum *spectrum);

static weir_status create_engine(weir_sweeper *s, weir_error *err)
{
    const weir_settings *settings = s->config.settings;
    weir_engine_config config = {
        .format = s->source->info.format,
        .channel = (unsigned)settings->channel - 1,
        .n_fft = s->transform.n_fft,
        .hop = s->transform.hop,
        .window = s->transform.window,
        .frames_per_spectrum = s->transform.frames_per_spectrum,
        .traces = WEIR_TRACE_BIT(s->trace),
        .detrend = settings->detrend || s->config.removes_dc,
        .iq_swap = settings->iq_swap,
        .threads = (unsigned)settings->threads,
        .plan = WEIR_PLAN_ESTIMATE,
        .device = (int)settings->device,
        .on_spectrum = on_spectrum,
        .user = s,
    };
    if (settings->iq_correct) {
        memcpy(config.iq_matrix, s->iq.matrix, sizeof config.iq_matrix);
    }
    return settings->engine == WEIR_ENGINE_CUDA ? weir_engine_cuda_create(&s->engine, &config, err)
                                                : weir_engine_cpu_create(&s->engine, &config, err);
}

static void describe_stream(weir_sweeper *s, const weir_scale *scale)
{
    const weir_settings *settings = s->config.settings;
    const weir_source_info *info = &s->source->info;
    s->stream = (weir_stream_info){
        .source = info->name,
        .description = info->description,
        .format = info->format,
        .channel = (unsigned)settings->channel - 1,
        .rate_hz = info->rate_hz,
        .center_hz = info->center_hz,
        .n_fft = s->transform.n_fft,
        .hop = s->transform.hop,
        .window = settings->window ? settings->window : "hann",
        .enbw_bins = s->transform.enbw_bins,
        .coherent_gain = s->transform.coherent_gain,
        .frames_per_spectrum = s->transform.frames_per_spectrum,
        .detrend = settings->detrend || s->config.removes_dc,
        .engine = weir_engine_describe(s->engine),
        .time_unix_ns = info->time_unix_ns,
        .n_samples = WEIR_UNKNOWN_SAMPLES,
        .scale = *scale,
        .iq_corrected = settings->iq_correct != NULL,
        .iq_gain_db = settings->iq_correct ? 20 * log10(s->iq.gain) : 0,
        .iq_phase_deg = s->iq.phase_rad * 180 / M_PI,
        .ppm = settings->ppm,
        .transverter_hz = settings->transverter_hz,
    };
}

static weir_status open_all(weir_sweeper *s, weir_error *err)
{
    const weir_settings *settings = s->config.settings;
    weir_scale scale;
    weir_status status = weir_scaling_init(&scale, &s->curve, settings, err);
    if (status == WEIR_OK) {
        status = find_iq_correction(s, err);
    }
    if (status == WEIR_OK) {
        status = open_source(s, err);
    }
    if (status == WEIR_OK &&
        (settings->channel < 1 || settings->channel > s->source->info.format.channels)) {
        status = weir_fail(err, WEIR_ERR_USAGE, "--channel %llu: there are %u",
                           (unsigned long long)settings->channel, s->source->info.format.channels);
    }
    if (status == WEIR_OK) {
        status = choose_transform(s, err);
    }
    if (status == WEIR_OK) {
        status = create_engine(s, err);
    }
    if (status == WEIR_OK) {
        status = start_capture(s, err);
    }
    if (status == WEIR_OK) {
        double settle = isnan(settings->settle_seconds) ? SETTLE_SECONDS : settings->settle_seconds;
        double samples = settle * s->source->info.rate_hz;
        s->settle_samples = samples < (double)MOST_SAMPLES ? (uint64_t)samples : MOST_SAMPLES;
        s->told_hz = s->seen_hz = s->old_hz = s->source->info.center_hz;
        describe_stream(s, &scale);
    }
    return status;
}

weir_status weir_sweeper_open(weir_sweeper **out, const weir_sweeper_config *config,
                              weir_error *err)
{
    *out = NULL;
    weir_sweeper *s = calloc(1, sizeof *s);
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    s->config = *config;
    s->trace = weir_settings_trace(config->settings);
    s->seen_segment = UINT64_MAX;
    weir_status status = open_all(s, err);
    if (status != WEIR_OK) {
        weir_sweeper_close(s);
        return status;
    }
    *out = s;
    return WEIR_OK;
}

/* How far from the middle of a tuning the spike is interpolated, in bins; 0: it is not. */
static size_t spike_reach(const weir_sweeper *s, const weir_sweep_plan *plan)
{
    size_t reach = (size_t)ceil(1.5 * s->transform.enbw_bins);
    bool has_neighbours = s->transform.n_fft / 2 > reach + 1;
    bool is_asked = s->config.spike == WEIR_SPIKE_INTERPOLATE && !plan->joins;
    return is_asked && has_neighbours ? reach : 0;
}

/* In every tuning; where the device did not hit the frequency, in any of them. */
static weir_made_up made_up_of(const weir_sweeper *s, const weir_sweep_plan *plan)
{
    double reach = (double)spike_reach(s, plan), last = (double)plan->hop_bins - 1;
    double middle = (double)(s->transform.n_fft / 2) - (double)plan->first_bin;
    double low = fmax(middle - reach - s->most_off_bins, 0);
    double high = fmin(middle + reach - s->least_off_bins, last);
    bool is_in_last = low < (double)weir_sweep_hop_bins(plan, plan->n_hops - 1);
    if (reach == 0 || low > last || high < 0) {
        return (weir_made_up){0};
    }
    return (weir_made_up){.low_hz = plan->start_hz + low * plan->bin_hz,
                          .high_hz = plan->start_hz + high * plan->bin_hz,
                          .step_hz = (double)plan->hop_bins * plan->bin_hz,
                          .n_runs = plan->n_hops - !is_in_last};
}

/* Without its powers. */
static weir_spectrum spectrum_of(const weir_sweeper *s, const weir_sweep_plan *plan)
{
    weir_spectrum spectrum = {
        .n_bins = plan->n_bins,
        .start_hz = plan->start_hz,
        .bin_hz = plan->bin_hz,
        .rate_hz = plan->rate_hz,
        .center_hz = plan->start_hz + (double)(plan->n_bins / 2) * plan->bin_hz,
        .enbw_bins = plan->joins ? 1 : s->transform.enbw_bins,
        .coherent_gain = s->transform.coherent_gain,
        .full_scale_power = 1,
        .index = s->index,
        .first_sample = s->first_sample,
        .end_sample = s->end_sample,
        .n_frames = s->transform.frames_per_spectrum,
        .lost_inside = s->lost_inside,
        .clipped = s->clipped,
        .nonfinite = s->nonfinite,
        .time_unix_ns = s->time_unix_ns,
        .made_up = made_up_of(s, plan),
    };
    weir_correct_axis(&s->config.axis, &spectrum);
    return spectrum;
}

const weir_stream_info *weir_sweeper_stream(const weir_sweeper *s)
{
    return &s->stream;
}

static uint64_t samples_for(const weir_sweeper *s, uint64_t frames)
{
    return (frames - 1) * s->transform.hop + s->transform.n_fft;
}

double weir_sweeper_pass_seconds(const weir_sweeper *s, const weir_sweep_plan *plan)
{
    bool waits = !s->source->info.is_live; /* then the ring is full of what is in vain */
    uint64_t in_vain = s->settle_samples + (waits ? weir_ring_capacity_samples(s->ring) : 0);
    uint64_t hop = samples_for(s, s->transform.frames_per_spectrum) + in_vain;
    return (double)plan->n_hops * ((double)hop / s->source->info.rate_hz + TUNING_SECONDS);
}

const weir_source_info *weir_sweeper_source(const weir_sweeper *s)
{
    return &s->source->info;
}

size_t weir_sweeper_most_samples(const weir_sweeper *s)
{
    return weir_ring_capacity_samples(s->ring);
}

void weir_sweeper_set_axis(weir_sweeper *s, const weir_sweep_plan *plan)
{
    weir_spectrum axis = spectrum_of(s, plan);
    s->stream.n_bins = axis.n_bins;
    s->stream.start_hz = axis.start_hz;
    s->stream.bin_hz = axis.bin_hz;
    s->stream.enbw_bins = axis.enbw_bins;
    s->stream.made_up = axis.made_up;
}

void weir_sweeper_close(weir_sweeper *s)
{
    if (!s) {
        return;
    }
    if (s->capture) {
        weir_ring_cancel(s->ring);
        weir_capture_stop(s->capture);
    }
    weir_engine_destroy(s->engine);
    weir_capture_destroy(s->capture);
    weir_source_close(s->source);
    weir_transform_free(&s->transform);
    weir_curve_free(&s->curve);
    free(s->sum);
    free(s->whole);
    free(s);
}

/* ---- the ring ---- */

/* What is not released is seen again; on_samples sees it once. */
static void show_new_samples(weir_sweeper *s, const weir_ring_view *view)
{
    uint64_t end = view->first_sample + view->n_samples;
    uint64_t from = view->first_sample > s->shown_end ? view->first_sample : s->shown_end;
    if (s->config.on_samples && from < end) {
        size_t stride = weir_format_stride_bytes(&s->source->info.format);
        const unsigned char *samples = view->samples;
        s->config.on_samples(s->config.user, &view->segment, from,
                             samples + (size_t)(from - view->first_sample) * stride,
                             (size_t)(end - from));
        s->shown_end = end;
    }
}

/* What is in sight; a segment's losses are counted when it is seen first. False: nothing. */
static bool look(weir_sweeper *s, weir_ring_view *view)
{
    if (s->ended || !weir_ring_peek(s->ring, view)) {
        return false;
    }
    if (view->n_samples > 0 && view->segment.segment != s->seen_segment) {
        s->seen_segment = view->segment.segment;
        s->seen_hz = view->segment.center_hz;
        s->lost += view->segment.lost_before;
        s->gaps += view->segment.lost_before > 0;
        /* While it tunes nothing is missing in what is shown, whatever a device drops then. */
        s->lost_inside += s->integrates ? view->segment.lost_before : 0;
    }
    show_new_samples(s, view);
    return true;
}

static void skip(weir_sweeper *s, const weir_ring_view *view, size_t n)
{
    s->skipped += n;
    if (view->ended && n == view->n_samples) {
        s->ended = true;
        s->lost += view->lost_at_end;
        return;
    }
    weir_ring_release(s->ring, n);
}

void weir_sweeper_idle(weir_sweeper *s, double seconds)
{
    double end = weir_now_seconds() + seconds;
    weir_ring_view view;
    for (double left = seconds; left > 0 && !s->ended && !stopped(s);
         left = end - weir_now_seconds()) {
        if (look(s, &view)) {
            skip(s, &view, view.n_samples);
        } else {
            weir_ring_wait_data(s->ring, 0, left < 0.02 ? (int)(left * 1e3) + 1 : POLL_MS);
        }
    }
}

/* ---- one tuning ---- */

static void on_spectrum(void *user, const weir_spectrum *spectrum)
{
    weir_sweeper *s = user;
    const float *power = spectrum->power[s->trace];
    double weight = (double)spectrum->n_frames;
    for (size_t k = 0; k < spectrum->n_bins; k++) {
        double p = (double)power[k];
        if (s->trace == WEIR_TRACE_MEAN) {
            s->sum[k] += weight * p;
        } else if (s->frames == 0 || (s->trace == WEIR_TRACE_MAX) == (p > s->sum[k])) {
            s->sum[k] = p;
        }
    }
    s->frames += spectrum->n_frames;
    s->clipped += spectrum->clipped;
    s->nonfinite += spectrum->nonfinite;
}

/* What was taken before the device was sent here, from a centre that may be as near as what it
 * chooses. One that chooses the same centre again shows that by all that comes. */
static bool is_old(const weir_sweeper *s, const weir_ring_view *view, double center_hz)
{
    return s->old_hz != center_hz && view->segment.center_hz == s->old_hz &&
           view->first_sample < s->old_end;
}

/* A device may not hit the frequency; what it chose is a part of a tuning's step away. */
static bool is_there(const weir_sweeper *s, const weir_ring_view *view, double center_hz)
{
    double tolerance_hz = s->source->info.rate_hz * TUNING_TOLERANCE;
    return view->n_samples > 0 && fabs(view->segment.center_hz - center_hz) <= tolerance_hz &&
           !is_old(s, view, center_hz);
}

/* A device that is gone is waited for. */
static bool waits_for_device(const weir_sweeper *s)
{
    return s->config.settings->on_loss == 2; /* retry */
}

/* Tells the device where to go. One that is away and waited for cannot be told: *told is false. */
static weir_status tell(weir_sweeper *s, double center_hz, bool *told, weir_error *err)
{
    weir_ring_view view = {.n_samples = 0};
    size_t capacity = weir_ring_capacity_samples(s->ring);
    (void)look(s, &view);
    weir_status status = s->source->class_->control(s->source, "center_hz", center_hz, err);
    *told = status == WEIR_OK;
    if (*told) {
        s->told_hz = center_hz;
        s->old_hz = s->seen_hz;
        s->old_end = view.first_sample + capacity + capacity / 2; /* what is on its way */
    }
    return status == WEIR_ERR_DEVICE && waits_for_device(s) ? WEIR_OK : status;
}

/* Passes what is of another tuning, or of this one and not settled yet. True: what is in sight
 * is of this tuning. */
static bool pass_unsettled(weir_sweeper *s, const weir_ring_view *view, double center_hz)
{
    bool right = is_there(s, view, center_hz);
    uint64_t settled = view->segment.first_sample + s->settle_samples;
    uint64_t n = right ? settled - view->first_sample : view->n_samples;
    skip(s, view, n < view->n_samples ? (size_t)n : view->n_samples);
    return right;
}

static bool is_settled(const weir_sweeper *s, const weir_ring_view *view, double center_hz)
{
    return is_there(s, view, center_hz) &&
           view->first_sample >= view->segment.first_sample + s->settle_samples;
}

/* Until samples of this tuning are in sight and it has settled. *there: false, stopped. */
static weir_status tune(weir_sweeper *s, double center_hz, bool *there, weir_error *err)
{
    weir_ring_view view;
    double give_up = weir_now_seconds() + TUNE_SECONDS, last_seen = weir_now_seconds();
    bool told = s->told_hz == center_hz;
    weir_status status = told ? WEIR_OK : tell(s, center_hz, &told, err);
    *there = false;
    while (status == WEIR_OK && !s->ended && !stopped(s)) {
        bool seen = look(s, &view), right = false;
        if (seen && is_settled(s, &view, center_hz)) {
            *there = true;
            return WEIR_OK;
        }
        if (seen) {
            last_seen = weir_now_seconds();
            right = pass_unsettled(s, &view, center_hz);
        } else {
            weir_ring_wait_data(s->ring, 0, POLL_MS);
            status = told ? WEIR_OK : tell(s, center_hz, &told, err);
        }
        double now = weir_now_seconds();
        if (waits_for_device(s) && now - last_seen > AWAY_SECONDS) {
            give_up = now + TUNE_SECONDS; /* which begins when there is something to tune */
        }
        if (!right && now > give_up) {
            return told ? weir_fail(err, WEIR_ERR_DEVICE, "%s: did not tune to %.0f Hz in %.0f s",
                                    s->source->info.name, center_hz, TUNE_SECONDS)
                        : WEIR_ERR_DEVICE; /* it said why it does not go there */
        }
    }
    return status;
}

/* Gives the engine what there is up to stream sample `end`. *done: that, or the segment's end. */
static weir_status feed(weir_sweeper *s, const weir_ring_view *view, uint64_t end, bool *done,
                        weir_error *err)
{
    uint64_t left = end - view->first_sample;
    size_t n = left < view->n_samples ? (size_t)left : view->n_samples;
    bool segment_ends = (view->segment_ends || view->ended) && n == view->n_samples;
    size_t released = 0;
    weir_run run = weir_run_of(view);
    run.n_samples = n;
    run.lost_before = 0; /* look has counted it */
    run.segment = s->engine_segment;
    run.ends = n == left || segment_ends;
    weir_status status = weir_engine_push(s->engine, &run, &released, err);
    if (status != WEIR_OK) {
        return status;
    }
    *done = run.ends && released == n;
    if (view->ended && segment_ends && *done) {
        s->ended = true;
        s->lost += view->lost_at_end;
        return WEIR_OK;
    }
    weir_ring_release(s->ring, released);
    if (weir_engine_busy(s->engine)) {
        sched_yield();
    } else if (!*done && released < n + (n == 0)) {
        weir_ring_wait_data(s->ring, view->n_samples - released, POLL_MS);
    }
    return WEIR_OK;
}

/* Stopped in the middle: what the engine has in hand ends there. */
static weir_status abandon(weir_sweeper *s, weir_error *err)
{
    weir_ring_view view;
    weir_status status = WEIR_OK;
    bool done = s->ended || !look(s, &view);
    uint64_t end = done ? 0 : view.first_sample + view.n_samples;
    while (!done && status == WEIR_OK) {
        status = feed(s, &view, end, &done, err);
        done = done || s->ended || !look(s, &view);
    }
    return status;
}

/* All frames of one tuning, over gaps if need be. */
static weir_status integrate(weir_sweeper *s, double center_hz, weir_error *err)
{
    uint64_t wanted = s->transform.frames_per_spectrum;
    weir_ring_view view;
    s->frames = 0;
    memset(s->sum, 0, s->transform.n_fft * sizeof *s->sum);
    while (s->frames < wanted && !s->ended && !stopped(s)) {
        bool done = false;
        uint64_t end = 0;
        s->engine_segment++;
        while (!done && !s->ended && !stopped(s)) {
            if (!look(s, &view)) {
                weir_ring_wait_data(s->ring, 0, POLL_MS);
                continue;
            }
            if (end == 0 && !is_there(s, &view, center_hz)) {
                return weir_fail(err, WEIR_ERR_DEVICE, "%s: its tuning changed by itself",
                                 s->source->info.name);
            }
            if (end == 0) {
                s->center_hz = view.segment.center_hz;
                end = view.first_sample + samples_for(s, wanted - s->frames);
                s->time_unix_ns =
                    s->first_sample == UINT64_MAX
                        ? weir_time_after(view.segment.time_unix_ns,
                                          view.first_sample - view.segment.first_sample,
                                          view.segment.rate_hz)
                        : s->time_unix_ns;
                s->first_sample =
                    s->first_sample < view.first_sample ? s->first_sample : view.first_sample;
            }
            weir_status status = feed(s, &view, end, &done, err);
            if (status != WEIR_OK) {
                return status;
            }
        }
        s->end_sample = end;
        if (!done && end != 0) {
            return abandon(s, err);
        }
    }
    return WEIR_OK;
}

/* ---- the whole ---- */

/* The bins the spike and the window's lobe around it reach, by a line between their neighbours. */
static void interpolate_dc(weir_sweeper *s, size_t reach)
{
    size_t middle = s->transform.n_fft / 2;
    double low = s->sum[middle - reach - 1], high = s->sum[middle + reach + 1];
    double steps = 2 * (double)reach + 2;
    for (size_t k = 1; k <= 2 * reach + 1; k++) {
        s->sum[middle - reach - 1 + k] = low + (high - low) * (double)k / steps;
    }
}

/* A window spreads every tone's power over as many bins as its noise bandwidth says. */
static double whole_power(const weir_sweeper *s)
{
    double all = 0;
    for (size_t k = 0; k < s->transform.n_fft; k++) {
        all += s->sum[k];
    }
    return all / s->transform.enbw_bins;
}

static void take_bins(weir_sweeper *s, const weir_sweep_plan *plan, size_t hop)
{
    /* Where the device went instead, to the nearest bin; below the first there is none. */
    double off_bins = round((weir_sweep_center_hz(plan, hop) - s->center_hz) / plan->bin_hz);
    double first = (double)plan->first_bin + off_bins;
    double last = (double)s->transform.n_fft - 1;
    double divisor = s->trace == WEIR_TRACE_MEAN ? (double)s->frames : 1;
    float *out = s->whole + hop * plan->hop_bins;
    if (plan->joins) {
        out[0] = (float)(whole_power(s) / divisor);
        return;
    }
    size_t reach = spike_reach(s, plan);
    if (reach > 0) {
        interpolate_dc(s, reach);
    }
    s->least_off_bins = fmin(s->least_off_bins, off_bins);
    s->most_off_bins = fmax(s->most_off_bins, off_bins);
    for (size_t k = 0; k < weir_sweep_hop_bins(plan, hop); k++) {
        double bin =
            fmin(fmax(first + (double)k, 0), last); /* what is past an edge has its level */
        out[k] = (float)(s->sum[(size_t)bin] / divisor);
    }
}

static weir_status begin_pass(weir_sweeper *s, const weir_sweep_plan *plan, weir_error *err)
{
    if (plan->n_bins > s->whole_room) {
        float *more = realloc(s->whole, plan->n_bins * sizeof *more);
        if (!more) {
            return weir_fail(err, WEIR_ERR_NOMEM, "no memory for %zu bins", plan->n_bins);
        }
        s->whole = more;
        s->whole_room = plan->n_bins;
    }
    s->first_sample = UINT64_MAX;
    s->time_unix_ns = WEIR_UNKNOWN_TIME;
    s->clipped = s->nonfinite = s->lost_inside = 0;
    s->least_off_bins = s->most_off_bins = 0;
    return WEIR_OK;
}

weir_status weir_sweeper_pass(weir_sweeper *s, const weir_sweep_plan *plan, weir_spectrum *whole,
                              bool *complete, weir_error *err)
{
    *complete = false;
    weir_status status = begin_pass(s, plan, err);
    for (size_t hop = 0; hop < plan->n_hops && status == WEIR_OK; hop++) {
        double center_hz = weir_sweep_center_hz(plan, hop);
        bool there = false;
        status = tune(s, center_hz, &there, err);
        if (status == WEIR_OK && there) {
            s->integrates = true;
            status = integrate(s, center_hz, err);
            s->integrates = false;
        }
        if (status != WEIR_OK || !there || s->frames < s->transform.frames_per_spectrum) {
            return status;
        }
        take_bins(s, plan, hop);
    }
    if (status == WEIR_OK) {
        *whole = spectrum_of(s, plan);
        whole->power[s->trace] = s->whole;
        s->index++;
        *complete = true;
    }
    return status;
}

bool weir_sweeper_ended(const weir_sweeper *s)
{
    return s->ended;
}

/* ---- the accounts ---- */

void weir_sweeper_totals(const weir_sweeper *s, weir_totals *totals)
{
    weir_engine_totals(s->engine, totals);
    totals->received += s->skipped + s->lost;
    totals->skipped += s->skipped;
    totals->lost += s->lost;
    totals->n_gaps = s->gaps;
    totals->n_spectra = s->index;
}

weir_status weir_sweeper_finish(weir_sweeper *s, weir_totals *totals, weir_error *err)
{
    weir_ring_view view;
    weir_capture_stop(s->capture);
    while (!s->ended) {
        if (look(s, &view)) {
            skip(s, &view, view.n_samples);
        } else {
            weir_ring_wait_data(s->ring, 0, POLL_MS);
        }
    }
    weir_status status = weir_engine_flush(s->engine, 0, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_sweeper_totals(s, totals);
    status = weir_capture_join(s->capture, err);
    uint64_t received = weir_capture_received(s->capture);
    if (status == WEIR_OK && (!weir_totals_balance(totals) || totals->received != received)) {
        return weir_fail(
            err, WEIR_ERR_INTERNAL,
            "samples are unaccounted for: source %llu, sweep %llu (please report this)",
            (unsigned long long)received, (unsigned long long)totals->received);
    }
    return status;
}
