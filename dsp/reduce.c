#include "dsp/reduce.h"

#include <math.h>

typedef float reduce_function(const float *power, size_t n);

/* No comparison with NAN is true: holes count for nothing where there is anything else. */
static float reduce_max(const float *power, size_t n)
{
    float best = -1;
    for (size_t i = 0; i < n; i++) {
        best = power[i] > best ? power[i] : best;
    }
    return best >= 0 ? best : NAN;
}

static float reduce_min(const float *power, size_t n)
{
    float best = INFINITY;
    for (size_t i = 0; i < n; i++) {
        best = power[i] < best ? power[i] : best;
    }
    return isinf(best) ? NAN : best;
}

static float mean_beside_holes(const float *power, size_t n)
{
    double sum = 0;
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        sum += isnan(power[i]) ? 0 : (double)power[i];
        found += isnan(power[i]) ? 0 : 1;
    }
    return found ? (float)(sum / (double)found) : NAN;
}

static float reduce_mean(const float *power, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)power[i];
    }
    return isnan(sum) ? mean_beside_holes(power, n) : (float)(sum / (double)n);
}

/* NULL: the bin at the column's centre. */
static reduce_function *const reducers[WEIR_REDUCE_COUNT] = {
    [WEIR_REDUCE_MAX] = reduce_max,
    [WEIR_REDUCE_MEAN] = reduce_mean,
    [WEIR_REDUCE_MIN] = reduce_min,
    [WEIR_REDUCE_SAMPLE] = NULL,
};

/* Frequency at a position along the picture, 0 .. n_columns. */
static double frequency_at(const weir_axis *axis, double position, size_t n_columns)
{
    double part = position / (double)n_columns;
    if (axis->is_log) {
        return axis->low_hz * pow(axis->high_hz / axis->low_hz, part);
    }
    return axis->low_hz + part * (axis->high_hz - axis->low_hz);
}

static double bin_position(double hz, double start_hz, double bin_hz)
{
    double position = (hz - start_hz) / bin_hz, whole = round(position);
    /* An edge meant to be on a bin's centre is, whatever the rounding of its hertz. */
    return fabs(position - whole) < 1e-6 ? whole : position;
}

static size_t clamp_index(double value, size_t n)
{
    return value <= 0 ? 0 : value >= (double)n ? n : (size_t)value;
}

static int axis_is_empty(const weir_axis *axis)
{
    return !isfinite(axis->low_hz) || !(axis->high_hz > axis->low_hz) || isinf(axis->high_hz) ||
           (axis->is_log && axis->low_hz <= 0);
}

/* Goes over the columns; every edge is computed once, so that what ends one column
 * begins the next. */
typedef struct walk {
    const weir_axis *axis;
    double start_hz, bin_hz;
    size_t n_bins, n_columns;
    size_t column; /* the next */
    size_t from;   /* its first bin */
    int empty;
} walk;

static walk walk_begin(size_t n_bins, double start_hz, double bin_hz, const weir_axis *axis,
                       size_t n_columns)
{
    walk w = {.axis = axis,
              .start_hz = start_hz,
              .bin_hz = bin_hz,
              .n_bins = n_bins,
              .n_columns = n_columns,
              .empty = axis_is_empty(axis) || n_bins == 0 || !(bin_hz > 0)};
    if (!w.empty) {
        w.from = clamp_index(ceil(bin_position(axis->low_hz, start_hz, bin_hz)), n_bins);
    }
    return w;
}

/* The bin that the centre of a column lies in, as a span. */
static weir_bin_span bin_at_centre(const walk *w, size_t column)
{
    double centre = frequency_at(w->axis, (double)column + 0.5, w->n_columns);
    double position = (centre - w->start_hz) / w->bin_hz;
    if (w->empty || !(position >= -0.5 && position < (double)w->n_bins - 0.5)) {
        return (weir_bin_span){0, 0};
    }
    size_t bin = clamp_index(floor(position + 0.5), w->n_bins - 1);
    return (weir_bin_span){bin, bin + 1};
}

static weir_bin_span walk_next(walk *w)
{
    size_t c = w->column++;
    if (w->empty) {
        return (weir_bin_span){0, 0};
    }
    double end;
    if (c + 1 == w->n_columns) {
        end = floor(bin_position(w->axis->high_hz, w->start_hz, w->bin_hz)) + 1;
    } else {
        double edge = frequency_at(w->axis, (double)c + 1, w->n_columns);
        end = ceil(bin_position(edge, w->start_hz, w->bin_hz));
    }
    weir_bin_span span = {w->from, clamp_index(end, w->n_bins)};
    if (span.end <= span.first) {
        return bin_at_centre(w, c);
    }
    w->from = span.end;
    return span;
}

static weir_bin_span next_of(weir_reducer reducer, walk *w)
{
    return reducers[reducer] ? walk_next(w) : bin_at_centre(w, w->column++);
}

float weir_reduce_span(weir_reducer reducer, const float *power, weir_bin_span span)
{
    if (span.end == span.first) {
        return NAN;
    }
    reduce_function *of = reducers[reducer];
    return of ? of(power + span.first, span.end - span.first) : power[span.first];
}

void weir_reduce_bins(weir_reducer reducer, const float *power, size_t n_bins, double start_hz,
                      double bin_hz, const weir_axis *axis, size_t n_columns, float *out)
{
    walk w = walk_begin(n_bins, start_hz, bin_hz, axis, n_columns);
    for (size_t c = 0; c < n_columns; c++) {
        out[c] = weir_reduce_span(reducer, power, next_of(reducer, &w));
    }
}

void weir_reduce_spans_of(weir_reducer reducer, size_t n_bins, double start_hz, double bin_hz,
                          const weir_axis *axis, size_t n_columns, weir_bin_span *spans)
{
    walk w = walk_begin(n_bins, start_hz, bin_hz, axis, n_columns);
    for (size_t c = 0; c < n_columns; c++) {
        spans[c] = next_of(reducer, &w);
    }
}

void weir_reduce_spans(size_t n_bins, double start_hz, double bin_hz, const weir_axis *axis,
                       size_t n_columns, weir_bin_span *spans)
{
    weir_reduce_spans_of(WEIR_REDUCE_MAX, n_bins, start_hz, bin_hz, axis, n_columns, spans);
}
