#include "display/view_history.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MIN 128
#define LINES_MAX 65536
#define GAP_LINES_MAX 32

struct weir_history {
    pthread_mutex_t lock; /* all below */
    size_t budget_bytes;
    size_t stride;   /* floats a line has room for */
    size_t capacity; /* lines */
    uint64_t begin;  /* lines before it are forgotten */
    uint64_t end;
    float *power; /* [capacity][stride] */
    weir_view_line *lines;
    float *held[WEIR_HELD_COUNT]; /* [stride] */
    weir_view_line newest;
    bool has_newest, has_hold;
    atomic_int detector; /* weir_trace */
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

/* Groups of factor bins become their maximum. */
static void copy_folded(const float *from, size_t n_bins, size_t factor, float *to)
{
    if (factor == 1) {
        memcpy(to, from, n_bins * sizeof *to);
        return;
    }
    for (size_t i = 0; i * factor < n_bins; i++) {
        size_t end = (i + 1) * factor < n_bins ? (i + 1) * factor : n_bins;
        to[i] = from[i * factor];
        for (size_t k = i * factor + 1; k < end; k++) {
            to[i] = to[i] > from[k] ? to[i] : from[k];
        }
    }
}

static bool is_same_axis(const weir_spectrum *a, const weir_spectrum *b)
{
    return a->n_bins == b->n_bins && a->start_hz == b->start_hz && a->bin_hz == b->bin_hz;
}

/* max or min of what was held and the new trace; a first one is copied. */
static void hold(weir_history *history, const weir_spectrum *spectrum, weir_held held,
                 const float *trace, float *scratch)
{
    size_t factor = fold_factor(history, spectrum->n_bins);
    size_t n = (spectrum->n_bins + factor - 1) / factor;
    float *to = history->held[held];
    copy_folded(trace, spectrum->n_bins, factor, history->has_hold ? scratch : to);
    if (!history->has_hold) {
        return;
    }
    for (size_t i = 0; held == WEIR_HELD_MAX && i < n; i++) {
        to[i] = scratch[i] > to[i] ? scratch[i] : to[i];
    }
    for (size_t i = 0; held == WEIR_HELD_MIN && i < n; i++) {
        to[i] = scratch[i] < to[i] ? scratch[i] : to[i];
    }
}

static weir_view_line line_of(const weir_spectrum *spectrum, bool is_gap)
{
    weir_view_line line = {.info = *spectrum, .is_gap = is_gap};
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
        history->lines[history->end % history->capacity] = line_of(spectrum, true);
        history->end++;
    }
}

void weir_history_push(weir_history *history, const weir_spectrum *spectrum)
{
    const float *mean = trace_or(spectrum, WEIR_TRACE_MEAN, WEIR_TRACE_MAX, WEIR_TRACE_MIN);
    const float *max = trace_or(spectrum, WEIR_TRACE_MAX, WEIR_TRACE_MEAN, WEIR_TRACE_MIN);
    const float *min = trace_or(spectrum, WEIR_TRACE_MIN, WEIR_TRACE_MEAN, WEIR_TRACE_MAX);
    if (!mean || spectrum->n_bins == 0) {
        return;
    }
    grow(history, spectrum->n_bins);
    pthread_mutex_lock(&history->lock);
    push_gap(history, spectrum);
    if (history->has_newest && !is_same_axis(&history->newest.info, spectrum)) {
        history->has_hold = false; /* retuned: what was held lies elsewhere */
    }
    size_t factor = fold_factor(history, spectrum->n_bins);
    size_t slot = history->end % history->capacity;
    float *line = history->power + slot * history->stride;
    /* The line's own slot is scratch until the line itself is copied. */
    hold(history, spectrum, WEIR_HELD_MAX, max, line);
    hold(history, spectrum, WEIR_HELD_MIN, min, line);
    copy_folded(mean, spectrum->n_bins, factor, history->held[WEIR_HELD_LIVE]);
    const float *shown[] = {
        [WEIR_TRACE_MEAN] = mean, [WEIR_TRACE_MAX] = max, [WEIR_TRACE_MIN] = min};
    copy_folded(shown[atomic_load(&history->detector)], spectrum->n_bins, factor, line);
    history->lines[slot] = line_of(spectrum, false);
    history->newest = history->lines[slot];
    history->has_newest = history->has_hold = true;
    history->end++;
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

static void reduce(const weir_history *history, const weir_spectrum *info, const float *power,
                   const weir_axis *axis, size_t n_columns, float *out)
{
    size_t factor = fold_factor(history, info->n_bins);
    size_t n = (info->n_bins + factor - 1) / factor;
    double middle_hz = 0.5 * (double)(factor - 1) * info->bin_hz;
    weir_reduce_bins(WEIR_REDUCE_MAX, power, n, info->start_hz + middle_hz,
                     info->bin_hz * (double)factor, axis, n_columns, out);
}

bool weir_history_line(weir_history *history, uint64_t index, const weir_axis *axis,
                       size_t n_columns, float *out, weir_view_line *line)
{
    pthread_mutex_lock(&history->lock);
    bool is_there = has_line(history, index);
    if (is_there) {
        size_t slot = index % history->capacity;
        *line = history->lines[slot];
        if (!line->is_gap) {
            reduce(history, &line->info, history->power + slot * history->stride, axis, n_columns,
                   out);
        }
    }
    pthread_mutex_unlock(&history->lock);
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
        reduce(history, &line->info, history->held[held], axis, n_columns, out);
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
    weir_peak_method method = factor == 1 ? how->method : WEIR_PEAK_FLAT_TOP;
    *peak = weir_peak_at(&folded, WEIR_TRACE_MEAN, how->scale, method, best);
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

bool weir_history_trace_band(weir_history *history, weir_held held, double low_hz, double high_hz,
                             const weir_scale *scale, double *level_db)
{
    pthread_mutex_lock(&history->lock);
    weir_spectrum spectrum = history->newest.info;
    bool is_there = history->has_newest && (held == WEIR_HELD_LIVE || history->has_hold) &&
                    fold_factor(history, spectrum.n_bins) == 1;
    if (is_there) {
        spectrum.power[WEIR_TRACE_MEAN] = history->held[held];
        *level_db = weir_marker_band_db(&spectrum, WEIR_TRACE_MEAN, scale, low_hz, high_hz);
    }
    pthread_mutex_unlock(&history->lock);
    return is_there;
}
