/* The waterfall's rows in dB, computed once each from the history.
 *
 * A row is lines_per_row lines of the history (by maximum); row r holds the lines from
 * r * lines_per_row on, so that rows keep their place while more arrive. Rows are
 * kept until the axis, the width or the grouping changes; a new range or colour map
 * needs no new rows. dB are computed for the columns shown only. Main thread.
 */
#ifndef WEIR_DISPLAY_VIEW_PICTURE_H
#define WEIR_DISPLAY_VIEW_PICTURE_H

#include "display/view_history.h"
#include "dsp/reduce.h"
#include "dsp/scale.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_picture weir_picture;

typedef struct weir_picture_row {
    const float *levels_db; /* n_columns; NAN outside the spectrum and in a gap */
    bool is_gap;            /* a loss lies in this row                          */
    weir_spectrum info;     /* of the row's first line                          */
    double begin_s;         /* likewise                                         */
} weir_picture_row;

weir_picture *weir_picture_create(void);
void weir_picture_destroy(weir_picture *picture);

/* What is shown. Forgets the rows if anything differs from before. n_rows: that may be
 * asked for at a time. False when out of memory: nothing is shown then. */
bool weir_picture_set(weir_picture *picture, const weir_axis *axis, size_t n_columns, size_t n_rows,
                      uint64_t lines_per_row);
/* The rows are to be made anew: the history is another, or reduces them otherwise. */
void weir_picture_forget(weir_picture *picture);
/* Row r, from what is kept or else from the history; false where there is none. The
 * levels stay valid until n_rows other rows were asked for. */
bool weir_picture_get(weir_picture *picture, weir_history *history, const weir_scale *scale,
                      uint64_t r, weir_picture_row *row);

/* Columns of linear power into levels, in place. */
void weir_picture_levels(const weir_scale *scale, const weir_spectrum *info, const weir_axis *axis,
                         size_t n_columns, float *values);
/* Frequency at a fractional column (0 = left edge), and back. */
double weir_axis_hz(const weir_axis *axis, size_t n_columns, double column);
double weir_axis_column(const weir_axis *axis, size_t n_columns, double hz);

#endif
