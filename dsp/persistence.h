/* A persistence (density) spectrum: how often each level was seen at each frequency.
 *
 * A grid of columns (frequency, by an axis as in dsp/reduce.h) and level cells in dB. Each
 * spectrum given counts as one transform (use one frame per spectrum for true densities).
 * Two layers: hits, exact counts since the reset; and glow, which decays with a time
 * constant for display. Levels outside the range count in the lowest or highest cell, so
 * the densities of a column add up to 1.
 *
 * One thread. create allocates everything; the grid is the object's.
 */
#ifndef WEIR_DSP_PERSISTENCE_H
#define WEIR_DSP_PERSISTENCE_H

#include "base/status.h"
#include "dsp/reduce.h"
#include "dsp/spectrum.h"

#include <stddef.h>
#include <stdint.h>

typedef struct weir_persistence_config {
    weir_axis axis;
    size_t n_columns, n_levels; /* >= 1 each; at most 2^26 cells */
    float low_db, high_db;
    double decay_s; /* time constant of the glow; 0: none is kept */
} weir_persistence_config;

typedef struct weir_persistence weir_persistence;

/* WEIR_ERR_USAGE names the field that is wrong. */
weir_status weir_persistence_create(weir_persistence **out, const weir_persistence_config *config,
                                    weir_error *err);

/* db: n_bins levels of one trace (weir_scale_trace_db). The glow decays by the time from
 * the last spectrum's end to this one's. A change of the spectrum's axis is followed. */
void weir_persistence_add(weir_persistence *persistence, const weir_spectrum *spectrum,
                          const float *db);

uint64_t weir_persistence_transforms(const weir_persistence *persistence);

/* n_columns * n_levels values in 0..1, column after column, lowest level first: hits
 * divided by the column's bins and transforms. All 0 for a column that was never covered. */
void weir_persistence_density(const weir_persistence *persistence, float *out);

/* Likewise, an exponentially weighted mean of each transform's densities, beginning at 0.
 * Borrowed until the next call; NULL if decay_s is 0. */
const float *weir_persistence_glow(const weir_persistence *persistence);

void weir_persistence_reset(weir_persistence *persistence);
void weir_persistence_destroy(weir_persistence *persistence); /* NULL does nothing */

#endif
