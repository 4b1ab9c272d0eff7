#include "dsp/reduce.h"

#include <math.h>

typedef float reduce_function(const float *power, size_t n);

static float reduce_max(const float *power, size_t n)
{
    float best = power[0];
    for (size_t i = 1; i < n; i++) {
        best = power[i] > best ? power[i] : best;
    }
    return best;
}

static float reduce_min(const float *power, size_t n)
{
    float best = power[0];
    for (size_t i = 1; i < n; i++) {
        best = power[i] < best ? power[i] : best;
    }
    return best;
}

static float reduce_mean(const float *power, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)power[i];
    }
    return (float)(sum / (double)n);
}

static const struct {
    const char *name;
    reduce_function *of; /* NULL: the bin at the column's centre */
} reducers[WEIR_REDUCE_COUNT] = {
    [WEIR_REDUCE_MAX] = {"max", reduce_max},
    [WEIR_REDUCE_MEAN] = {"mean", reduce_mean},
    [WEIR_REDUCE_MIN] = {"min", reduce_min},
    [WEIR_REDUCE_SAMPLE] = {"sample", NULL},
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

static float bin_at(const float *power, size_t n_bins, double position)
{
    if (!(position >= -0.5 && position < (double)n_bins - 0.5)) {
        return NAN;
    }
    return power[clamp_index(floor(position + 0.5), n_bins - 1)];
}

void weir_reduce_bins(weir_reducer reducer, const float *power, size_t n_bins, double start_hz,
                      double bin_hz, const weir_axis *axis, size_t n_columns, float *out)
{
    int empty = axis_is_empty(axis) || n_bins == 0 || !(bin_hz > 0);
    reduce_function *of = reducers[reducer].of;
    /* Every edge is computed once: what ends one column begins the next. */
    size_t from =
        empty ? 0 : clamp_index(ceil(bin_position(axis->low_hz, start_hz, bin_hz)), n_bins);
    for (size_t c = 0; c < n_columns; c++) {
        if (empty) {
            out[c] = NAN;
            continue;
        }
        double edge =
            c + 1 == n_columns ? axis->high_hz : frequency_at(axis, (double)c + 1, n_columns);
        double end = ceil(bin_position(edge, start_hz, bin_hz));
        if (c + 1 == n_columns) {
            end = floor(bin_position(edge, start_hz, bin_hz)) + 1;
        }
        size_t to = clamp_index(end, n_bins);
        if (of && to > from) {
            out[c] = of(power + from, to - from);
        } else {
            double centre = frequency_at(axis, (double)c + 0.5, n_columns);
            out[c] = bin_at(power, n_bins, (centre - start_hz) / bin_hz);
        }
        from = to > from ? to : from;
    }
}

const char *weir_reducer_name(weir_reducer reducer)
{
    return reducers[reducer].name;
}
