/* Two traces of levels, bin by bin: how far apart, how far they may be, and where they differ.
 *
 * Pure but for scratch memory; thread-safe. Levels in dB, all arrays n_bins long. A bin
 * differs where |difference| > allowed; masks (dsp/mask.h) use the same two arrays.
 */
#ifndef WEIR_DSP_COMPARE_H
#define WEIR_DSP_COMPARE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define WEIR_DEFAULT_TOLERANCE_DB 0.1

typedef struct weir_tolerance {
    double low_hz, high_hz; /* both belong to it; -INFINITY, INFINITY: everywhere */
    double most;            /* dB, or Hz */
} weir_tolerance;

/* The last one that holds a frequency counts. */
typedef struct weir_tolerances {
    const weir_tolerance *rows;
    size_t n;
} weir_tolerances;

typedef struct weir_compare_config {
    size_t n_bins;
    double start_hz, bin_hz;
    weir_tolerances db; /* where none holds a bin, WEIR_DEFAULT_TOLERANCE_DB  */
    weir_tolerances hz; /* levels may lie this much aside; where none holds a bin, 0 */
    double floor_db;    /* levels below count as this level; -INFINITY: off */
} weir_compare_config;

/* difference_db[k]: measured - golden, both raised to the floor.
 *
 * Where there is a tolerance in hertz of w whole bins, the distance to the nearest golden level of
 * bins k-w .. k+w if the measured level is outside their range; and likewise of the golden level
 * from the measured ones, so that neither a new line nor a missing one goes unseen. The
 * larger of the two, 0 if both are inside. */
weir_status weir_compare_levels(const weir_compare_config *config, const float *golden,
                                const float *measured, float *difference_db, float *allowed_db,
                                weir_error *err);

/* Bins that differ, at most join_bins - 1 good ones between any two of them. */
typedef struct weir_region {
    size_t first, last; /* bins, both differ */
    size_t n_bad;
    size_t worst; /* the bin furthest beyond what is allowed */
} weir_region;

typedef struct weir_regions {
    weir_region *rows; /* ascending; owned */
    size_t n;
    size_t n_bad;   /* bins in all                                     */
    size_t worst;   /* furthest beyond what is allowed, or nearest to it */
    size_t largest; /* the largest |difference|                        */
} weir_regions;

weir_status weir_regions_find(weir_regions *regions, const float *difference_db,
                              const float *allowed_db, size_t n_bins, size_t join_bins,
                              weir_error *err);
void weir_regions_free(weir_regions *regions); /* NULL does nothing */

#endif
