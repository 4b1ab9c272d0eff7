/* Bins to columns: many bins into few pixels (or few into many) without losing a peak.
 *
 * Pure, thread-safe. Works on linear power. Column c of n covers the frequencies
 * [low + c*w, low + (c+1)*w) with w = (high-low)/n; a bin covers half a step on either
 * side of its centre. A bin belongs to the column that its centre falls into (one at
 * high_hz itself, to the last), so that with MAX every peak of the picture is in it. A
 * column that no bin centre falls into takes the bin that its own centre lies in. Columns
 * outside the spectrum get NAN; so do all if the axis is empty or not finite. Powers are 0 or
 * more; a power of NAN is a hole, and a column of nothing but holes is one.
 */
#ifndef WEIR_DSP_REDUCE_H
#define WEIR_DSP_REDUCE_H

#include <stddef.h>

typedef enum weir_reducer {
    WEIR_REDUCE_MAX, /* default: a narrow peak never vanishes */
    WEIR_REDUCE_MEAN,
    WEIR_REDUCE_MIN,
    WEIR_REDUCE_SAMPLE, /* the bin nearest the column's centre */
    WEIR_REDUCE_COUNT
} weir_reducer;

typedef struct weir_axis {
    double low_hz, high_hz; /* edges of the picture */
    int is_log;             /* columns evenly spaced in log f; low_hz > 0 */
} weir_axis;

void weir_reduce_bins(weir_reducer reducer, const float *power, size_t n_bins, double start_hz,
                      double bin_hz, const weir_axis *axis, size_t n_columns, float *out);

/* The bins of each column, first .. end-1, by the same rules: at least one (the one that
 * the column's centre lies in), or first == end outside the spectrum. */
typedef struct weir_bin_span {
    size_t first, end;
} weir_bin_span;

void weir_reduce_spans(size_t n_bins, double start_hz, double bin_hz, const weir_axis *axis,
                       size_t n_columns, weir_bin_span *spans);

/* The bins that weir_reduce_bins looks at for each column, which with SAMPLE is one; and what
 * it makes of them: NAN of none. For many lines of the same axis. */
void weir_reduce_spans_of(weir_reducer reducer, size_t n_bins, double start_hz, double bin_hz,
                          const weir_axis *axis, size_t n_columns, weir_bin_span *spans);
float weir_reduce_span(weir_reducer reducer, const float *power, weir_bin_span span);

#endif
