#include "display/view_history.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MIN 128
#define LINES_MAX 65536
#define GAP_LINES_MAX 32
#define NOISE_HALF_BINS 8 /* least, on either side of a noise marker */

struct weir_history {
    pthread_mutex_t lock; /* all below */
    size_t budget_bytes;
    size_t stride;   /* floats a line has room for */
    size_t capacity; /* lines */
    uint64_t begin;  /* lines before it are forgotten */
    double rate_hz;  /* of the newest spectrum: since the sample that came at the time below */
    uint64_t anchor_sample;
    double anchor_s;
    uint64_t end;
    float *power; /* [capacity][stride] */
    weir_view_line *lines;
    float *held[WEIR_HELD_COUNT]; /* [stride] */
    weir_view_line newest;
    bool has_newest, has_hold;
    atomic_int detector;  /* weir_trace */
    weir_reducer reducer; /* of the main thread, without the lock */
};

static size_t stride_for(const weir_history *history, size_t n_bins)
{
    size_t longest = history->budget_bytes / LINES_MIN / sizeof(float);
    return n_bins == 0 ? 1 : n_bins < longest ? n_bins : longest;
}

static void release(weir_history *history)
{
    free(history->power);
    free(history->lines);
    for (int i = 0; i < WEIR_HELD_COUNT; i++) {
        free(history->held[i]);
        history->held[i] = NULL;
    }
    history->power = NULL;
    history->lines = NULL;
}

/* Room for lines of n_bins, in what is zero before. False: no memory; release it. */
static bool allocate(weir_history *history, size_t n_bins)
{
    history->stride = stride_for(history, n_bins);
    size_t fitting = history->budget_bytes / (history->stride * sizeof(float));
    history->capacity = fitting < LINES_MAX ? fitting : LINES_MAX;
    history->power = calloc(history->capacity * history->stride, sizeof *history->power);
    history->lines = calloc(history->capacity, sizeof *history->lines);
    bool is_ok = history->power && history->lines;
    for (int i = 0; i < WEIR_HELD_COUNT; i++) {
        history->held[i] = calloc(history->stride, sizeof(float));
        is_ok &= history->held[i] != NULL;
    }
    return is_ok;
}

static size_t fold_of(size_t stride, size_t n_bins)
{
    return (n_bins + stride - 1) / stride;
}

static size_t fold_factor(const weir_history *history, size_t n_bins)
{
    return fold_of(history->stride, n_bins);
}

/* The transform became longer: the newest lines move over to longer places. Without memory
 * for that, lines are folded. Only the pushing thread writes, so that only the exchange
 * itself needs the lock. */
static void grow(weir_history *history, size_t n_bins)
{
    weir_history longer = {.budget_bytes = history->budget_bytes};
    if (stride_for(history, n_bins) <= history->stride) {
        return;
    }
    if (!allocate(&longer, n_bins)) {
        release(&longer);
        return;
    }
    uint64_t kept = history->end < history->capacity ? history->end : history->capacity;
    kept = kept < longer.capacity ? kept : longer.capacity;
    for (uint64_t i = history->end - kept; i < history->end; i++) {
        size_t from = i % history->capacity, to = i % longer.capacity;
        size_t n_line = history->lines[from].info.n_bins;
        longer.lines[to] = history->lines[from];
        if (fold_of(history->stride, n_line) != fold_of(longer.stride, n_line)) {
            longer.lines[to].is_gap = true; /* was folded, and would now be taken for whole */
            continue;
        }
        memcpy(longer.power + to * longer.stride, history->power + from * history->stride,
               history->stride * sizeof *longer.power);
    }
    pthread_mutex_lock(&history->lock);
    weir_history old = {.power = history->power, .lines = history->lines};
    memcpy(old.held, history->held, sizeof old.held);
    history->power = longer.power;
    history->lines = longer.lines;
    memcpy(history->held, longer.held, sizeof old.held);
    history->stride = longer.stride;
    history->capacity = longer.capacity;
    history->has_newest = history->has_hold = false;
    pthread_mutex_unlock(&history->lock);
    release(&old);
}

weir_history *weir_history_create(size_t n_bins, size_t budget_bytes)
{
    weir_history *history = calloc(1, sizeof *history);
    if (!history || budget_bytes / LINES_MIN < sizeof(float)) {
        free(history);
        return NULL;
    }
    pthread_mutex_init(&history->lock, NULL);
    history->budget_bytes = budget_bytes;
    atomic_init(&history->detector, WEIR_TRACE_MAX);
    history->reducer = WEIR_REDUCE_MAX;
    if (!allocate(history, n_bins)) {
        weir_history_destroy(history);
        return NULL;
    }
    return history;
}

void weir_history_destroy(weir_history *history)
{
    if (!history) {
        return;
    }
    pthread_mutex_destroy(&history->lock);
    release(history);
    free(history);
}

static const float *trace_or(const weir_spectrum *spectrum, weir_trace first, weir_trace second,
                             weir_trace third)
{
    const float *power = spectrum->power[first];
    power = power ? power : spectrum->power[second];
    return power ? power : spectrum->power[third];
}

/* The maximum of a group of factor bins. */
static float folded(const float *from, size_t n_bins, size_t factor, size_t group)
{
    size_t first = group * factor, end = first + factor < n_bins ? first + factor : n_bins;
    float highest = from[first];
    for (size_t k = first + 1; k < end; k++) {
        highest = highest > from[k] ? highest : from[k];
    }
    return highest;
}

static void copy_folded(const float *from, size_t n_bins, size_t factor, float *to)
{
    if (factor == 1) {
        memcpy(to, from, n_bins * sizeof *to);
        return;
    }
    for (size_t i = 0; i * factor < n_bins; i++) {
        to[i] = folded(from, n_bins, factor, i);
    }
}

/* max or min of what was held and the new trace; a first one is copied. */
static void hold(weir_history *history, const weir_spectrum *spectrum, weir_held held,
                 const float *trace)
{
    size_t n_bins = spectrum->n_bins, factor = fold_factor(history, n_bins);
    float *to = history->held[held];
    if (!history->has_hold) {
        copy_folded(trace, n_bins, factor, to);
        return;
    }
    for (size_t i = 0; i * factor < n_bins; i++) {
        float now = folded(trace, n_bins, factor, i);
        bool replaces = held == WEIR_HELD_MAX ? now > to[i] : now < to[i];
        to[i] = replaces ? now : to[i];
    }
}

/* Sample numbers are times only as long as the rate stays. */
static void follow_rate(weir_history *history, const weir_spectrum *spectrum)
{
    double since = (double)(spectrum->first_sample - history->anchor_sample);
    if (history->rate_hz == spectrum->rate_hz) {
        return;
    }
    if (history->rate_hz > 0.0) {
        history->anchor_s += since / history->rate_hz;
        history->anchor_sample = spectrum->first_sample;
    }
    history->rate_hz = spectrum->rate_hz;
}

static weir_view_line line_of(const weir_history *history, const weir_spectrum *spectrum,
                              bool is_gap)
{
    double since = (double)spectrum->first_sample - (double)history->anchor_sample;
    weir_view_line line = {.info = *spectrum,
                           .is_gap = is_gap,
                           .begin_s = history->anchor_s + since / spectrum->rate_hz};
    memset(line.info.power, 0, sizeof line.info.power);
    return line;
}

static void push_gap(weir_history *history, const weir_spectrum *spectrum)
{
    uint64_t lost = spectrum->lost_before + spectrum->lost_inside;
    uint64_t span = spectrum->end_sample - spectrum->first_sample;
    if (lost == 0) {
        return;
    }
    uint64_t n = span ? (lost + span / 2) / span : 1;
    n = n < 1 ? 1 : n > GAP_LINES_MAX ? GAP_LINES_MAX : n;
    for (uint64_t i = 0; i < n; i++) {
        history->lines[history->end % history->capacity] = line_of(history, spectrum, true);
        history->end++;
    }
}

static const float *shown_by(const weir_spectrum *spectrum, weir_trace detector)
{
    static const weir_trace next_best[WEIR_TRACE_COUNT][2] = {
        [WEIR_TRACE_MEAN] = {WEIR_TRACE_MAX, WEIR_TRACE_MIN},
        [WEIR_TRACE_MAX] = {WEIR_TRACE_MEAN, WEIR_TRACE_MIN},
        [WEIR_TRACE_MIN] = {WEIR_TRACE_MEAN, WEIR_TRACE_MAX},
    };
    return trace_or(spectrum, detector, next_best[detector][0], next_best[detector][1]);
}

/* With the lock, as the next. */
static void push_line(weir_history *history, const weir_spectrum *spectrum)
{
    push_gap(history, spectrum);
    size_t slot = history->end % history->capacity;
    copy_folded(shown_by(spectrum, (weir_trace)atomic_load(&history->detector)), spectrum->n_bins,
                fold_factor(history, spectrum->n_bins), history->power + slot * history->stride);
    history->lines[slot] = line_of(history, spectrum, false);
    history->end++;
}

static void push_trace(weir_history *history, const weir_spectrum *spectrum,
                       const weir_spectrum *live)
{
    bool is_same = weir_spectrum_same_axis(&history->newest.info, spectrum);
    if (history->has_newest && !is_same) {
        history->has_hold = false; /* retuned: what was held lies elsewhere */
    }
    hold(history, spectrum, WEIR_HELD_MAX, shown_by(spectrum, WEIR_TRACE_MAX));
    hold(history, spectrum, WEIR_HELD_MIN, shown_by(spectrum, WEIR_TRACE_MIN));
    if (live) {
        copy_folded(shown_by(live, WEIR_TRACE_MEAN), live->n_bins,
                    fold_factor(history, live->n_bins), history->held[WEIR_HELD_LIVE]);
        history->has_newest = true;
    }
    if (live || is_same) { /* a mean that goes on: its time does, too */
        history->newest = line_of(history, spectrum, false);
    }
    history->has_hold = true;
}

static bool has_power(const weir_spectrum *spectrum)
{
    return shown_by(spectrum, WEIR_TRACE_MEAN) && spectrum->n_bins > 0;
}

void weir_history_push(weir_history *history, const weir_spectrum *spectrum)
{
    weir_history_push_both(history, spectrum, spectrum, spectrum);
}

void weir_history_push_both(weir_history *history, const weir_spectrum *spectrum,
                            const weir_spectrum *line, const weir_spectrum *live)
{
    if (!has_power(spectrum)) {
        return;
    }
    grow(history, spectrum->n_bins);
    pthread_mutex_lock(&history->lock);
    follow_rate(history, spectrum);
    push_trace(history, spectrum, live);
    if (line) {
        push_line(history, line);
    }
    pthread_mutex_unlock(&history->lock);
}

void weir_history_set_detector(weir_history *history, weir_trace trace)
{
    atomic_store(&history->detector, trace);
}

weir_trace weir_history_detector(const weir_history *history)
{
    return (weir_trace)atomic_load(&history->detector);
}

void weir_history_set_reducer(weir_history *history, weir_reducer reducer)
{
    history->reducer = reducer;
}

weir_reducer weir_history_reducer(const weir_history *history)
{
    return history->reducer;
}

void weir_history_reset_hold(weir_history *history)
{
    pthread_mutex_lock(&history->lock);
    history->has_hold = false;
    pthread_mutex_unlock(&history->lock);
}

void weir_history_clear(weir_history *history)
{
    pthread_mutex_lock(&history->lock);
    history->begin = history->end;
    history->rate_hz = history->anchor_s = 0.0;
    history->anchor_sample = 0;
    history->has_newest = history->has_hold = false;
    pthread_mutex_unlock(&history->lock);
}

static uint64_t first_line(const weir_history *history)
{
    uint64_t oldest = history->end > history->capacity ? history->end - history->capacity : 0;
    return oldest > history->begin ? oldest : history->begin;
}

static bool has_line(const weir_history *history, uint64_t index)
{
    return index >= first_line(history) && index < history->end;
}

void weir_history_extent(weir_history *history, uint64_t *first, uint64_t *end)
{
    pthread_mutex_lock(&history->lock);
    *end = history->end;
    *first = first_line(history);
    pthread_mutex_unlock(&history->lock);
}

static weir_view_bins bins_of(const weir_history *history, const weir_spectrum *info,
                              const float *power)
{
    size_t factor = fold_factor(history, info->n_bins);
    double middle_hz = 0.5 * (double)(factor - 1) * info->bin_hz;
    return (weir_view_bins){.power = power,
                            .n = (info->n_bins + factor - 1) / factor,
                            .start_hz = info->start_hz + middle_hz,
                            .bin_hz = info->bin_hz * (double)factor};
}

static void reduce(const weir_history *history, const weir_view_bins *bins, const weir_axis *axis,
                   size_t n_columns, float *out)
{
    weir_reduce_bins(history->reducer, bins->power, bins->n, bins->start_hz, bins->bin_hz, axis,
                     n_columns, out);
}

bool weir_history_visit(weir_history *history, uint64_t index,
                        void (*look)(void *user, const weir_view_line *line,
                                     const weir_view_bins *bins),
                        void *user)
{
    pthread_mutex_lock(&history->lock);
    bool is_there = has_line(history, index);
    if (is_there) {
        size_t slot = index % history->capacity;
        const weir_view_line *line = &history->lines[slot];
        const float *power = line->is_gap ? NULL : history->power + slot * history->stride;
        weir_view_bins bins = bins_of(history, &line->info, power);
        look(user, line, &bins);
    }
    pthread_mutex_unlock(&history->lock);
    return is_there;
}

/* Where weir_history_line puts what it finds. */
typedef struct reading_line {
    const weir_history *history;
    const weir_axis *axis;
    size_t n_columns;
    float *out;
    weir_view_line *line;
} reading_line;

static void read_line(void *user, const weir_view_line *line, const weir_view_bins *bins)
{
    const reading_line *r = user;
    *r->line = *line;
    if (bins->power) {
        reduce(r->history, bins, r->axis, r->n_columns, r->out);
    }
}

bool weir_history_line(weir_history *history, uint64_t index, const weir_axis *axis,
                       size_t n_columns, float *out, weir_view_line *line)
{
    reading_line reading = {history, axis, n_columns, out, line};
    bool is_there = weir_history_visit(history, index, read_line, &reading);
    for (size_t c = 0; is_there && line->is_gap && c < n_columns; c++) {
        out[c] = NAN;
    }
    return is_there;
}

bool weir_history_trace(weir_history *history, weir_held held, const weir_axis *axis,
                        size_t n_columns, float *out, weir_view_line *line)
{
    pthread_mutex_lock(&history->lock);
    bool is_there = history->has_newest && (held == WEIR_HELD_LIVE || history->has_hold);
    if (is_there) {
        *line = history->newest;
        weir_view_bins bins = bins_of(history, &line->info, history->held[held]);
        reduce(history, &bins, axis, n_columns, out);
    }
    pthread_mutex_unlock(&history->lock);
    return is_there;
}

static size_t clamp_bin(double bin, size_t n)
{
    return bin < 0.0 ? 0 : bin >= (double)n ? n - 1 : (size_t)bin;
}

static void find_peak(const weir_history *history, const weir_spectrum *info, const float *power,
                      double low_hz, double high_hz, const weir_reading *how, weir_peak *peak)
{
    size_t factor = fold_factor(history, info->n_bins);
    weir_spectrum folded = *info;
    folded.n_bins = (info->n_bins + factor - 1) / factor;
    folded.start_hz += 0.5 * (double)(factor - 1) * info->bin_hz;
    folded.bin_hz *= (double)factor;
    folded.enbw_bins /= (double)factor; /* a density stays per hertz of the true bin */
    folded.power[WEIR_TRACE_MEAN] = power;
    double first = ceil((low_hz - folded.start_hz) / folded.bin_hz);
    double end = ceil((high_hz - folded.start_hz) / folded.bin_hz);
    if (first >= end) { /* between two centres */
        first = floor((0.5 * (low_hz + high_hz) - folded.start_hz) / folded.bin_hz + 0.5);
    }
    size_t best = clamp_bin(first, folded.n_bins), last = clamp_bin(end - 1.0, folded.n_bins);
    for (size_t k = best; k <= last; k++) {
        best = power[k] > power[best] ? k : best;
    }
    *peak = factor == 1 ? weir_peak_at(&folded, WEIR_TRACE_MEAN, how->scale, how->lobe, best)
                        : weir_peak_of_bin(&folded, WEIR_TRACE_MEAN, how->scale, best);
}

bool weir_history_trace_peak(weir_history *history, weir_held held, double low_hz, double high_hz,
                             const weir_reading *how, weir_peak *peak)
{
    pthread_mutex_lock(&history->lock);
    bool is_there = history->has_newest && (held == WEIR_HELD_LIVE || history->has_hold);
    if (is_there) {
        find_peak(history, &history->newest.info, history->held[held], low_hz, high_hz, how, peak);
    }
    pthread_mutex_unlock(&history->lock);
    return is_there;
}

bool weir_history_line_peak(weir_history *history, uint64_t index, double low_hz, double high_hz,
                            const weir_reading *how, weir_peak *peak)
{
    pthread_mutex_lock(&history->lock);
    size_t slot = index % history->capacity;
    bool is_there = has_line(history, index) && !history->lines[slot].is_gap;
    if (is_there) {
        find_peak(history, &history->lines[slot].info, history->power + slot * history->stride,
                  low_hz, high_hz, how, peak);
    }
    pthread_mutex_unlock(&history->lock);
    return is_there;
}

/* Of a trace as it was measured; false if there is none, or folded: maxima only. */
static bool whole_trace(const weir_history *history, weir_held held, weir_spectrum *spectrum)
{
    bool is_there = history->has_newest && (held == WEIR_HELD_LIVE || history->has_hold) &&
                    fold_factor(history, history->newest.info.n_bins) == 1;
    *spectrum = history->newest.info;
    spectrum->power[WEIR_TRACE_MEAN] = is_there ? history->held[held] : NULL;
    return is_there;
}

bool weir_history_trace_band(weir_history *history, weir_held held, double low_hz, double high_hz,
                             const weir_scale *scale, double *level_db)
{
    weir_spectrum spectrum;
    pthread_mutex_lock(&history->lock);
    bool is_there = whole_trace(history, held, &spectrum);
    if (is_there) {
        *level_db = weir_marker_band_db(&spectrum, WEIR_TRACE_MEAN, scale, low_hz, high_hz);
    }
    pthread_mutex_unlock(&history->lock);
    return is_there;
}

bool weir_history_trace_noise(weir_history *history, weir_held held, double hz, double width_hz,
                              const weir_scale *scale, double *db_per_hz)
{
    weir_spectrum spectrum;
    pthread_mutex_lock(&history->lock);
    bool is_there = whole_trace(history, held, &spectrum);
    if (is_there) {
        double half = fmax(floor(width_hz / spectrum.bin_hz / 2), NOISE_HALF_BINS);
        *db_per_hz =
            weir_marker_at(&spectrum, WEIR_TRACE_MEAN, scale, hz, (size_t)half).noise_db_per_hz;
    }
    pthread_mutex_unlock(&history->lock);
    return is_there;
}
