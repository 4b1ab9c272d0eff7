#include "display/spectrogram.h"

#include "dsp/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum row_state {
    ROW_HAS_DATA = 1,
    ROW_HAS_LOSS = 2,
} row_state;

struct weir_spectrogram {
    size_t width, capacity; /* capacity is even */
    weir_reducer reducer;
    double row_s, start_s; /* of the first row: what lies before it has no rows */
    uint64_t n_added;
    size_t n_rows;        /* the last of them is still being joined  */
    weir_level16 *levels; /* capacity x width                        */
    uint8_t *states;      /* capacity: row_state bits                */
    float *sums;          /* width: power of the last row            */
    uint32_t *hits;       /* width: spectra in it                    */
    bool is_unsettled;    /* the last row's levels are not written   */
};

/* Times that are a whole number of rows but for rounding belong to the later row. */
static const double slack_rows = 1e-6;

weir_level16 weir_level16_from_power(float power)
{
    if (isnan(power)) {
        return 0;
    }
    float db = power > 0.0f ? 10.0f * log10f(power) : WEIR_FLOOR_DB;
    float steps = 1.0f + rintf((db - WEIR_FLOOR_DB) * 100.0f);
    return (weir_level16)fminf(fmaxf(steps, 1.0f), 65535.0f);
}

float weir_level16_db(weir_level16 level)
{
    return level ? WEIR_FLOOR_DB + (float)(level - 1) / 100.0f : NAN;
}

static float level16_power(weir_level16 level)
{
    return powf(10.0f, weir_level16_db(level) / 10.0f);
}

weir_status weir_spectrogram_create(weir_spectrogram **out, size_t width, size_t height,
                                    weir_reducer reducer, double row_s, weir_error *err)
{
    *out = NULL;
    if (width == 0 || height == 0 || height > SIZE_MAX / 4 || width > SIZE_MAX / (4 * height)) {
        return weir_fail(err, WEIR_ERR_USAGE, "a picture cannot have %zu x %zu pixels", width,
                         height);
    }
    weir_spectrogram *s = calloc(1, sizeof *s);
    if (s) {
        s->width = width;
        s->capacity = 2 * height;
        s->reducer = reducer;
        s->row_s = row_s;
        s->levels = malloc(s->capacity * width * sizeof *s->levels);
        s->states = calloc(s->capacity, sizeof *s->states);
        s->sums = calloc(width, sizeof *s->sums);
        s->hits = calloc(width, sizeof *s->hits);
    }
    if (!s || !s->levels || !s->states || !s->sums || !s->hits) {
        weir_spectrogram_destroy(s);
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a picture of %zu x %zu pixels",
                         width, height);
    }
    *out = s;
    return WEIR_OK;
}

void weir_spectrogram_destroy(weir_spectrogram *s)
{
    if (s) {
        free(s->levels);
        free(s->states);
        free(s->sums);
        free(s->hits);
        free(s);
    }
}

static weir_level16 *row_levels(const weir_spectrogram *s, size_t row)
{
    return s->levels + row * s->width;
}

/* ---- joining ---- */

static weir_level16 join_two(weir_reducer reducer, weir_level16 a, weir_level16 b)
{
    if (!a || !b) {
        return a ? a : b;
    }
    switch (reducer) {
    case WEIR_REDUCE_MAX:
        return a > b ? a : b;
    case WEIR_REDUCE_MIN:
        return a < b ? a : b;
    case WEIR_REDUCE_MEAN:
        return weir_level16_from_power(0.5f * (level16_power(a) + level16_power(b)));
    default:
        return a;
    }
}

/* Row `row` becomes rows 2 row and 2 row + 1 in one. */
static void join_pair(weir_spectrogram *s, size_t row)
{
    size_t a = 2 * row, b = a + 1;
    weir_level16 *to = row_levels(s, row);
    const weir_level16 *from_a = row_levels(s, a), *from_b = row_levels(s, b);
    uint8_t state_a = s->states[a], state_b = b < s->n_rows ? s->states[b] : 0;
    if ((state_a & state_b & ROW_HAS_DATA) != 0) {
        for (size_t i = 0; i < s->width; i++) {
            to[i] = join_two(s->reducer, from_a[i], from_b[i]);
        }
    } else if ((state_a | state_b) & ROW_HAS_DATA) {
        memmove(to, state_a & ROW_HAS_DATA ? from_a : from_b, s->width * sizeof *to);
    }
    s->states[row] = state_a | state_b;
}

static void halve_rows(weir_spectrogram *s)
{
    size_t left = (s->n_rows + 1) / 2;
    for (size_t row = 0; row < left; row++) {
        join_pair(s, row);
    }
    memset(s->states + left, 0, s->capacity - left);
    s->n_rows = left;
    s->row_s *= 2.0;
}

/* ---- adding ---- */

static void begin_row(weir_spectrogram *s)
{
    memset(s->sums, 0, s->width * sizeof *s->sums);
    memset(s->hits, 0, s->width * sizeof *s->hits);
}

static void take_in(weir_spectrogram *s, const float *columns)
{
    for (size_t i = 0; i < s->width; i++) {
        if (isnan(columns[i])) {
            continue;
        }
        bool first = s->hits[i] == 0;
        bool replaces = first || (s->reducer == WEIR_REDUCE_MAX && columns[i] > s->sums[i]) ||
                        (s->reducer == WEIR_REDUCE_MIN && columns[i] < s->sums[i]);
        if (s->reducer == WEIR_REDUCE_MEAN) {
            s->sums[i] += columns[i];
        } else if (replaces) {
            s->sums[i] = columns[i];
        }
        s->hits[i]++;
    }
}

void weir_spectrogram_settle(weir_spectrogram *s)
{
    if (!s->is_unsettled) {
        return;
    }
    s->is_unsettled = false;
    size_t row = s->n_rows - 1;
    weir_level16 *to = row_levels(s, row);
    for (size_t i = 0; i < s->width; i++) {
        float divisor = s->reducer == WEIR_REDUCE_MEAN ? (float)s->hits[i] : 1.0f;
        to[i] = s->hits[i] ? weir_level16_from_power(s->sums[i] / divisor) : 0;
    }
    s->states[row] |= ROW_HAS_DATA;
}

/* Rows between the last spectrum and the next: a gap where samples were lost, else the last
 * spectrum goes on. */
static void fill_between(weir_spectrogram *s, size_t end_row, double gap_from_s)
{
    size_t last = s->n_rows - 1;
    for (size_t row = last + 1; row < end_row; row++) {
        bool is_gap = ((double)row + 0.5) * s->row_s >= gap_from_s;
        s->states[row] = is_gap ? ROW_HAS_LOSS : ROW_HAS_DATA;
        if (!is_gap) {
            memcpy(row_levels(s, row), row_levels(s, last), s->width * sizeof *s->levels);
        }
    }
}

static double row_at(const weir_spectrogram *s, double time_s)
{
    return fmax(0.0, floor(time_s / s->row_s + slack_rows));
}

/* All rows that [from_s, to_s) touches, the last row at most. */
static void mark_loss(weir_spectrogram *s, double from_s, double to_s)
{
    size_t from = (size_t)row_at(s, from_s);
    double end = ceil(to_s / s->row_s - slack_rows);
    from = from < s->n_rows ? from : s->n_rows - 1;
    size_t to = end < (double)s->n_rows ? (size_t)end : s->n_rows;
    to = to > from ? to : from + 1;
    for (size_t row = from; row < to; row++) {
        s->states[row] |= ROW_HAS_LOSS;
    }
}

void weir_spectrogram_add(weir_spectrogram *s, double time_s, double lost_s, const float *columns)
{
    if (s->n_added == 0) {
        s->start_s = time_s - lost_s;
    }
    time_s -= s->start_s;
    while (row_at(s, time_s) >= (double)s->capacity) {
        weir_spectrogram_settle(s);
        halve_rows(s);
    }
    size_t row = (size_t)row_at(s, time_s);
    if (s->n_rows == 0 || row >= s->n_rows) {
        if (s->n_rows > 0) {
            weir_spectrogram_settle(s);
            fill_between(s, row, lost_s > 0.0 ? time_s - lost_s : (double)INFINITY);
        } else {
            memset(s->states, lost_s > 0.0 ? ROW_HAS_LOSS : 0, row);
        }
        s->n_rows = row + 1;
        begin_row(s);
    }
    take_in(s, columns);
    s->is_unsettled = true;
    if (lost_s > 0.0) {
        mark_loss(s, time_s - lost_s, time_s);
    }
    s->n_added++;
}

/* ---- reading ---- */

size_t weir_spectrogram_rows(const weir_spectrogram *s)
{
    return s->n_rows;
}

uint64_t weir_spectrogram_added(const weir_spectrogram *s)
{
    return s->n_added;
}

double weir_spectrogram_start_seconds(const weir_spectrogram *s)
{
    return s->start_s;
}

double weir_spectrogram_row_seconds(const weir_spectrogram *s)
{
    return s->row_s;
}

bool weir_spectrogram_join(const weir_spectrogram *s, size_t from, size_t to, weir_level16 *out,
                           bool *lost)
{
    unsigned states = 0;
    memset(out, 0, s->width * sizeof *out);
    for (size_t row = from; row < to; row++) {
        states |= s->states[row];
        if (!(s->states[row] & ROW_HAS_DATA)) {
            continue;
        }
        const weir_level16 *levels = row_levels(s, row);
        for (size_t i = 0; i < s->width; i++) {
            out[i] = join_two(s->reducer, out[i], levels[i]);
        }
    }
    if (lost) {
        *lost = (states & ROW_HAS_LOSS) != 0;
    }
    return (states & ROW_HAS_DATA) != 0;
}

static uint64_t count_levels(const weir_spectrogram *s, uint64_t *counts)
{
    uint64_t total = 0;
    for (size_t row = 0; row < s->n_rows; row++) {
        const weir_level16 *levels = row_levels(s, row);
        for (size_t i = 0; s->states[row] & ROW_HAS_DATA && i < s->width; i++) {
            counts[levels[i]]++;
            total += levels[i] > 1;
        }
    }
    return total;
}

float weir_spectrogram_percentile(const weir_spectrogram *s, double part)
{
    uint64_t *counts = calloc(65536, sizeof *counts);
    if (!counts) {
        return NAN;
    }
    uint64_t wanted = (uint64_t)(part * (double)count_levels(s, counts)), below = 0;
    float db = NAN;
    for (unsigned level = 2; level < 65536 && isnan(db); level++) {
        below += counts[level];
        if (counts[level] > 0 && below >= wanted) {
            db = weir_level16_db((weir_level16)level);
        }
    }
    free(counts);
    return db;
}
