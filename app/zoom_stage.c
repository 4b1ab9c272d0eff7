#include "app/zoom_stage.h"

#include "base/log.h"
#include "capture/utc.h"
#include "dsp/count_log.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Input samples of one push, and of one pump: work in pieces, so that the engine gets its turn
 * even where the input comes faster than this goes. */
#define PIECE_SAMPLES ((size_t)1 << 16)
#define MOST_COUNTS ((size_t)1 << 18)
#define COUNT_BLOCK 64            /* samples of the engine that share one count of clipped ones */
#define MOST_TUNINGS ((size_t)64) /* whose spectra have not all come out */

struct weir_zoom_stage {
    weir_zoom_stage_config config;
    weir_zoom *zoom;
    weir_ring *out;
    weir_iq_tracker iq;
    size_t stride_bytes;
    bool in_segment, closed;
    uint64_t segment;      /* the input ring's ordinal; UINT64_MAX before the first */
    uint64_t to_skip;      /* before the zoom begins            */
    uint64_t segment_in;   /* samples of the segment, as skipped or pushed */
    uint64_t segment_out;  /* samples given for them            */
    uint64_t n_inputs;     /* of all segments                   */
    uint64_t rest;         /* of n_inputs, what no output stands for */
    bool passes_over;      /* the segment's band does not hold the zoom's centre */
    uint64_t skipped;      /* of n_inputs, those of such segments                 */
    uint64_t lost_pending; /* lost before such segments                           */
    size_t n_tunings;      /* at least the one it was created with */
    weir_zoom_tuning tunings[MOST_TUNINGS];
    _Atomic double move_hz;                        /* wanted by weir_zoom_stage_move; or NAN */
    _Atomic double input_center_hz, input_rate_hz; /* of the newest segment */
    weir_sample_counts all, taken; /* taken: of spectra that came out, as an engine counts */
    weir_count_log *counts;        /* of clipped samples, until their spectrum comes out */
};

static weir_status make_zoom(weir_zoom_stage *s, weir_error *err)
{
    weir_zoom_config *zoom = &s->config.zoom;
    zoom->offset_hz = s->config.center_hz - s->config.stream_center_hz;
    weir_zoom_destroy(s->zoom);
    return weir_zoom_create(&s->zoom, zoom, err);
}

static weir_zoom_tuning tuning_of(const weir_zoom_stage *s, double center_hz, double rate_hz)
{
    bool is_complex = s->config.zoom.format.is_complex;
    return (weir_zoom_tuning){.center_hz = center_hz,
                              .low_hz = is_complex ? center_hz - rate_hz / 2 : center_hz,
                              .high_hz = center_hz + rate_hz / 2,
                              .is_real = !is_complex};
}

static void keep_tuning(weir_zoom_stage *s, double center_hz, double rate_hz, uint64_t first_sample)
{
    const weir_zoom_tuning *last = &s->tunings[s->n_tunings - 1];
    weir_zoom_tuning tuning = tuning_of(s, center_hz, rate_hz);
    if (tuning.low_hz == last->low_hz && tuning.high_hz == last->high_hz) {
        return;
    }
    if (s->n_tunings == MOST_TUNINGS) {
        s->n_tunings--;
        memmove(s->tunings, s->tunings + 1, s->n_tunings * sizeof s->tunings[0]);
    }
    tuning.first_sample = first_sample;
    s->tunings[s->n_tunings++] = tuning;
}

/* Room for all that may be on its way: the engine's ring, and the filters. */
static weir_status make_counts(weir_zoom_stage *s, weir_error *err)
{
    const weir_zoom_config *zoom = &s->config.zoom;
    uint64_t share = zoom->decimation > 1 ? COUNT_BLOCK : 1; /* else exact, as the engine's */
    uint64_t block = share * zoom->decimation;
    size_t ring = weir_ring_capacity_samples(s->out) / (size_t)share;
    ring = ring < MOST_COUNTS ? ring : MOST_COUNTS;
    size_t filters = (size_t)(2 * weir_zoom_delay_samples(s->zoom) / block);
    return weir_count_log_create(&s->counts, &zoom->format, zoom->channel, block,
                                 ring + filters + 16, err);
}

weir_status weir_zoom_stage_create(weir_zoom_stage **out, const weir_zoom_stage_config *config,
                                   weir_error *err)
{
    *out = NULL;
    weir_zoom_stage *s = calloc(1, sizeof *s);
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for the zoom");
    }
    s->config = *config;
    s->segment = UINT64_MAX;
    atomic_init(&s->move_hz, NAN);
    atomic_init(&s->input_center_hz, config->stream_center_hz);
    atomic_init(&s->input_rate_hz, config->zoom.rate_hz);
    s->stride_bytes = weir_format_stride_bytes(&config->zoom.format);
    s->n_tunings = 1;
    s->tunings[0] = tuning_of(s, config->stream_center_hz, config->zoom.rate_hz);
    if (config->zoom.iq) {
        s->iq = *config->zoom.iq;
        s->config.zoom.iq = &s->iq;
    }
    weir_status status = make_zoom(s, err);
    if (status == WEIR_OK) {
        size_t bytes = config->ring_samples * 2 * sizeof(float);
        status = weir_ring_create(&s->out, bytes, 2 * sizeof(float), err);
    }
    if (status == WEIR_OK) {
        status = make_counts(s, err);
    }
    if (status != WEIR_OK) {
        weir_zoom_stage_destroy(s);
        return status;
    }
    *out = s;
    return WEIR_OK;
}

static bool covers(const weir_zoom_stage *s, const weir_ring_segment *segment, double hz)
{
    weir_zoom_tuning tuning = tuning_of(s, segment->center_hz, segment->rate_hz);
    return hz >= tuning.low_hz && hz <= tuning.high_hz;
}

/* A retune took the zoomed band away: what is received meanwhile is skipped. Where a move is
 * wanted, the retune for it is still to come. */
static void pass_over(weir_zoom_stage *s, const weir_ring_segment *segment)
{
    if (isnan(atomic_load(&s->move_hz))) {
        weir_log(WEIR_LOG_WARNING,
                 "the input was tuned to %.9g Hz, where --span around %.9g Hz is out of reach: "
                 "skipped",
                 segment->center_hz, s->config.center_hz);
    }
    s->lost_pending += segment->lost_before;
    s->segment = segment->segment;
    s->in_segment = s->passes_over = true;
}

static weir_status follow_tuning(weir_zoom_stage *s, const weir_ring_segment *segment,
                                 weir_error *err)
{
    double offset_hz = s->config.center_hz - segment->center_hz;
    s->config.stream_center_hz = segment->center_hz;
    if (segment->rate_hz == s->config.zoom.rate_hz && offset_hz == s->config.zoom.offset_hz) {
        return WEIR_OK;
    }
    s->config.zoom.rate_hz = segment->rate_hz;
    if (s->config.zoom.iq) {
        weir_iq_tracker_begin(&s->iq, true);
    }
    return make_zoom(s, err);
}

/* A comparison with NAN is false. */
static bool can_move(const weir_zoom_stage *s, const weir_ring_segment *segment)
{
    return covers(s, segment, atomic_load(&s->move_hz));
}

static void take_move(weir_zoom_stage *s, const weir_ring_segment *segment)
{
    if (s->config.follows_center) {
        s->config.center_hz = segment->center_hz;
    }
    double wanted = atomic_load(&s->move_hz), none = NAN;
    if (covers(s, segment, wanted)) {
        s->config.center_hz = wanted;
        /* Unless another was asked for meanwhile. */
        atomic_compare_exchange_strong(&s->move_hz, &wanted, none);
    }
    atomic_store(&s->input_center_hz, segment->center_hz);
    atomic_store(&s->input_rate_hz, segment->rate_hz);
}

/* What is in view as a segment: a moved zoom begins in the middle of one. */
static weir_ring_segment segment_in_view(const weir_zoom_stage *s, const weir_ring_view *view)
{
    weir_ring_segment segment = view->segment;
    bool is_new = segment.segment != s->segment;
    uint64_t since = view->first_sample - segment.first_sample;
    segment.lost_before = is_new ? segment.lost_before : 0;
    segment.first_sample = view->first_sample;
    segment.time_unix_ns = weir_time_after(segment.time_unix_ns, since, segment.rate_hz);
    return segment;
}

/* *begun: false where the ring's queue of marks is full. */
static weir_status begin_segment(weir_zoom_stage *s, const weir_ring_view *view, bool *begun,
                                 weir_error *err)
{
    weir_ring_segment segment = segment_in_view(s, view);
    take_move(s, &segment);
    if (!covers(s, &segment, s->config.center_hz)) {
        *begun = true;
        pass_over(s, &segment);
        return WEIR_OK;
    }
    weir_status status = follow_tuning(s, &segment, err);
    if (status != WEIR_OK) {
        return status;
    }
    uint64_t decimation = s->config.zoom.decimation, first = view->first_sample;
    uint64_t z = first / decimation + (first % decimation != 0);
    s->to_skip = z * decimation - first;
    segment.first_sample = z;
    segment.lost_before += s->lost_pending;
    segment.rate_hz = weir_zoom_rate_hz(s->zoom);
    segment.center_hz = s->config.center_hz;
    segment.time_unix_ns = weir_time_after(
        segment.time_unix_ns, s->to_skip + weir_zoom_delay_samples(s->zoom), view->segment.rate_hz);
    *begun = weir_ring_begin_segment(s->out, &segment);
    if (*begun) {
        keep_tuning(s, view->segment.center_hz, view->segment.rate_hz, z);
        weir_zoom_begin(s->zoom, z * decimation);
        if (s->config.zoom.iq) {
            weir_iq_tracker_begin(&s->iq, false);
        }
        s->segment = view->segment.segment;
        s->segment_in = s->segment_out = 0;
        s->in_segment = true;
        s->lost_pending = 0;
    }
    return WEIR_OK;
}

static void count_and_show(weir_zoom_stage *s, const weir_ring_view *view, size_t n)
{
    uint64_t first = view->first_sample;
    const void *samples = view->samples;
    weir_sample_counts counts = weir_count_log_add(s->counts, first, samples, n);
    s->all.clipped += counts.clipped;
    s->all.nonfinite += counts.nonfinite;
    if (s->config.on_raw) {
        s->config.on_raw(s->config.user, &view->segment, first, samples, n);
    }
}

/* Returns how many input samples were used. */
static size_t move(weir_zoom_stage *s, const weir_ring_view *view)
{
    if (s->passes_over) {
        count_and_show(s, view, view->n_samples);
        s->n_inputs += view->n_samples;
        s->skipped += view->n_samples;
        return view->n_samples;
    }
    size_t room = 0, n = view->n_samples < PIECE_SAMPLES ? view->n_samples : PIECE_SAMPLES;
    float *out = weir_ring_reserve(s->out, &room);
    uint64_t most = room < 2 ? 0 : (uint64_t)(room - 1) * s->config.zoom.decimation;
    n = n > most ? (size_t)most : n;
    if (n == 0) {
        return 0;
    }
    size_t skip = n < s->to_skip ? n : (size_t)s->to_skip;
    const unsigned char *raw = view->samples;
    count_and_show(s, view, n);
    size_t made = weir_zoom_push(s->zoom, raw + skip * s->stride_bytes, n - skip, out);
    weir_ring_commit(s->out, made);
    s->to_skip -= skip;
    s->segment_in += n;
    s->segment_out += made;
    s->n_inputs += n;
    return n;
}

static void end_segment(weir_zoom_stage *s)
{
    if (s->in_segment && !s->passes_over) {
        s->rest += s->segment_in - s->segment_out * s->config.zoom.decimation;
    }
    s->in_segment = s->passes_over = false;
}

static void close_ring(weir_zoom_stage *s, uint64_t lost_at_end)
{
    weir_ring_close(s->out, lost_at_end + s->lost_pending);
    s->closed = true;
}

weir_status weir_zoom_stage_pump(weir_zoom_stage *s, weir_ring *input, weir_error *err)
{
    weir_ring_view view;
    uint64_t begin = s->n_inputs;
    while (!s->closed && s->n_inputs - begin < PIECE_SAMPLES && weir_ring_peek(input, &view)) {
        if (view.ended && view.n_samples == 0) {
            end_segment(s);
            close_ring(s, view.lost_at_end);
            return WEIR_OK;
        }
        bool begun =
            s->in_segment && view.segment.segment == s->segment && !can_move(s, &view.segment);
        if (!begun) {
            end_segment(s); /* it had ended before that could be seen */
            weir_status status = begin_segment(s, &view, &begun, err);
            if (status != WEIR_OK || !begun) {
                return status;
            }
        }
        size_t n = move(s, &view);
        if (n == 0) {
            return WEIR_OK;
        }
        weir_ring_release(input, n);
        if (view.segment_ends && n == view.n_samples) {
            end_segment(s);
            if (view.ended) {
                close_ring(s, view.lost_at_end);
            }
        }
    }
    return WEIR_OK;
}

weir_ring *weir_zoom_stage_ring(weir_zoom_stage *stage)
{
    return stage->out;
}

void weir_zoom_stage_move(weir_zoom_stage *stage, double center_hz)
{
    atomic_store(&stage->move_hz, center_hz);
}

double weir_zoom_stage_input_center_hz(const weir_zoom_stage *stage)
{
    return atomic_load(&stage->input_center_hz);
}

bool weir_zoom_stage_reaches(const weir_zoom_stage *stage, double input_center_hz, double center_hz,
                             double half_span_hz)
{
    weir_zoom_tuning input = tuning_of(stage, input_center_hz, atomic_load(&stage->input_rate_hz));
    return center_hz - half_span_hz >= input.low_hz && center_hz + half_span_hz <= input.high_hz;
}

double weir_zoom_stage_center_hz(const weir_zoom_stage *stage)
{
    return stage->config.center_hz;
}

uint64_t weir_zoom_stage_decimation(const weir_zoom_stage *stage)
{
    return stage->config.zoom.decimation;
}

uint64_t weir_zoom_stage_position(const weir_zoom_stage *stage, uint64_t engine_sample)
{
    return engine_sample * stage->config.zoom.decimation + weir_zoom_delay_samples(stage->zoom);
}

weir_zoom_tuning weir_zoom_stage_tuning_at(const weir_zoom_stage *stage, uint64_t engine_sample)
{
    size_t i = stage->n_tunings - 1;
    while (i > 0 && stage->tunings[i].first_sample > engine_sample) {
        i--;
    }
    return stage->tunings[i];
}

const weir_iq_correction *weir_zoom_stage_iq(const weir_zoom_stage *stage)
{
    return stage->config.zoom.iq ? &stage->iq.next : NULL;
}

weir_sample_counts weir_zoom_stage_take_counts(weir_zoom_stage *stage, uint64_t end_sample)
{
    weir_sample_counts counts = weir_count_log_take(stage->counts, end_sample);
    stage->taken.clipped += counts.clipped;
    stage->taken.nonfinite += counts.nonfinite;
    return counts;
}

void weir_zoom_stage_totals(const weir_zoom_stage *stage, weir_totals *totals)
{
    uint64_t decimation = stage->config.zoom.decimation;
    totals->received = stage->n_inputs + totals->lost;
    totals->transformed *= decimation;
    totals->skipped = totals->skipped * decimation + stage->skipped;
    totals->tail = totals->tail * decimation + stage->rest;
    const weir_sample_counts *counts = decimation > 1 ? &stage->all : &stage->taken;
    totals->clipped = counts->clipped;
    totals->nonfinite = counts->nonfinite;
}

void weir_zoom_stage_destroy(weir_zoom_stage *stage)
{
    if (stage) {
        weir_count_log_destroy(stage->counts);
        weir_zoom_destroy(stage->zoom);
        weir_ring_destroy(stage->out);
        free(stage);
    }
}
