/* Many lines of the history joined into one row of columns, by maximum.
 *
 * Every line is reduced to the columns as weir_history_line does it, and the highest of each
 * column counts, in decibels. What lines of one axis have in common is done once for all of
 * them: which bins a column holds, and decibels. So a line costs no more than its bins,
 * whatever the number of columns.
 *
 * Main thread. The history's lock is held for one line at a time.
 */
#ifndef WEIR_DISPLAY_VIEW_JOIN_H
#define WEIR_DISPLAY_VIEW_JOIN_H

#include "display/view_history.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_join weir_join;

typedef struct weir_joined {
    uint64_t n_lines; /* of those asked for, there were */
    bool is_gap;      /* one of them is a gap */
    weir_view_line first;
} weir_joined;

/* Of rows with n_columns. NULL when out of memory. */
weir_join *weir_join_create(size_t n_columns);
void weir_join_destroy(weir_join *join);

/* Lines [first, end), those of them that are there, into n_columns levels: NAN in a column
 * that no line has a number for. False if there are none: levels are all NAN then. */
bool weir_join_lines(weir_join *join, weir_history *history, const weir_scale *scale,
                     uint64_t first, uint64_t end, const weir_axis *axis, float *levels_db,
                     weir_joined *joined);

/* Steps done so far, a bin read or a column written each. For tests. */
uint64_t weir_join_steps(const weir_join *join);

#endif
