/* Limit masks: from a file, and what they allow at a frequency.
 *
 * A mask is a CSV file of frequency, upper limit and, if there is a third column, lower limit:
 *
 *     # anything
 *     frequency,upper,lower
 *     88M,-60,
 *     100M,-60,-120
 *     100M,-20,-120
 *     100.2M,-20,
 *
 * The line of names may be left out, or name the columns in another order. Frequencies take
 * suffixes, ascend, and may come twice, for a step; there the looser of both limits holds. An
 * empty limit is none, from there to the points next to it. Between points limits are linear
 * in f, or in log f. Outside of the points there are none. Numbers have "." whatever the
 * locale.
 *
 * Thread-safe. The caller owns the mask; load allocates, free releases.
 */
#ifndef WEIR_DSP_MASK_H
#define WEIR_DSP_MASK_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct weir_mask {
    size_t n_points;
    double *hz; /* ascending, at most two alike */
    double *upper_db;
    double *lower_db; /* NAN: no limit; not above upper_db */
    bool log_hz;      /* linear in log f; all frequencies are above 0 */
} weir_mask;

/* Errors name file and line: WEIR_ERR_NO_INPUT; WEIR_ERR_DATA for lines of unequal length,
 * what is no number, frequencies that descend, an upper limit below the lower one, fewer than
 * two points, more than a million, or no limit at all. On an error the mask is empty.
 * weir_mask_parse reads an open stream; name stands for it in errors. */
weir_status weir_mask_load(weir_mask *mask, const char *path, bool log_hz, weir_error *err);
weir_status weir_mask_parse(weir_mask *mask, FILE *file, const char *name, bool log_hz,
                            weir_error *err);
void weir_mask_free(weir_mask *mask); /* NULL does nothing */

/* Where a mask lies: added to its frequencies and to its levels. */
typedef struct weir_mask_shift {
    double hz, db;
} weir_mask_shift;

typedef enum weir_mask_relative {
    WEIR_MASK_ABSOLUTE, /* as in the file                                                  */
    WEIR_MASK_PEAK,     /* levels from the highest level                                   */
    WEIR_MASK_CARRIER,  /* levels and frequencies from those of the carrier                */
} weir_mask_relative;

/* Where a mask lies on these levels. carrier_hz NAN: the carrier is the bin with the highest
 * level; else its level is the highest within 4 bins of it (a window's main lobe).
 * WEIR_ERR_USAGE: a carrier outside of the bins. */
weir_status weir_mask_place(weir_mask_relative relative, double carrier_hz, const float *levels_db,
                            double start_hz, double bin_hz, size_t n_bins, weir_mask_shift *shift,
                            weir_error *err);

/* The limits at each of n_bins bins; -INFINITY, INFINITY where there is none. Returns how many
 * bins have a limit. */
size_t weir_mask_limits(const weir_mask *mask, const weir_mask_shift *shift, double start_hz,
                        double bin_hz, size_t n_bins, float *lower_db, float *upper_db);

/* How far a level is outside: above 0 over the upper limit, below 0 under the lower, else 0. */
float weir_mask_excess(float level_db, float lower_db, float upper_db);

#endif
