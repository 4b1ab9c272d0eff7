/* The level range shown, and how it follows the signal by itself. Pure state, no I/O.
 *
 * Automatic: the floor goes a little under the 10th percentile of the columns shown
 * (the noise), the top a little over the highest, both in steps of 5 dB. The top rises
 * at once and sinks slowly; each end moves only when the signal has left a dead zone,
 * so that the picture does not flicker. One thread.
 */
#ifndef WEIR_DISPLAY_VIEW_RANGE_H
#define WEIR_DISPLAY_VIEW_RANGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct weir_range {
    float low_db, high_db; /* read; low < high */
    bool is_automatic;
    bool has_seen; /* below: inner state */
    float floor_db, peak_db;
} weir_range;

/* NAN, or a range that is none: automatic. */
void weir_range_init(weir_range *range, float low_db, float high_db);
/* Floor and peak of a line of levels (NANs and digital silence do not count); false if
 * nothing counts. scratch: n_columns floats. */
bool weir_range_measure(const float *levels_db, size_t n_columns, float *scratch, float *floor_db,
                        float *peak_db);
/* Follows a line's floor and peak, seconds after the one before. True if the range
 * changed. Does nothing unless automatic. */
bool weir_range_follow(weir_range *range, float floor_db, float peak_db, float seconds);
/* By hand: ends the automatic. */
void weir_range_shift(weir_range *range, float db);
void weir_range_resize(weir_range *range, float db); /* moves the floor; to 10 dB at least */
void weir_range_set_automatic(weir_range *range);    /* takes the next line as it is */

#endif
