/* From linear power to the number a person reads. The one place where dB are made.
 *
 * Pure functions, thread-safe.
 */
#ifndef WEIR_DSP_SCALE_H
#define WEIR_DSP_SCALE_H

#include "base/status.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stddef.h>

/* What zero power (digital silence) reads, so that no sink ever prints -inf. */
#define WEIR_FLOOR_DB (-300.0f)

typedef enum weir_quantity {
    WEIR_SPECTRUM, /* a tone reads its level: "dBFS"                   */
    WEIR_DENSITY,  /* per hertz: "dBFS/Hz"                             */
} weir_quantity;

typedef enum weir_weighting { WEIR_WEIGHT_Z, WEIR_WEIGHT_A, WEIR_WEIGHT_C } weir_weighting;

/* A calibration curve: offset_db is added at frequency; linear in log f between
 * points (linear in f where a frequency is not positive), constant outside. */
typedef struct weir_curve {
    size_t n_points;
    double *hz; /* ascending */
    double *offset_db;
} weir_curve;

typedef struct weir_scale {
    weir_quantity quantity;
    bool is_per_root_hz; /* a density is called "dBFS/rtHz" (the same number), and linear ones
                            are amplitudes: FS/rtHz                        */
    double offset_db;    /* dBFS + offset = unit                            */
    char unit[16];       /* "dBFS", "dBm", "dBV", "dB SPL"                  */
    weir_weighting weighting;
    const weir_curve *curve; /* or NULL; borrowed                               */
} weir_scale;

void weir_scale_init(weir_scale *scale); /* spectrum, dBFS, Z */

/* "dBFS", "dBFS/Hz", "dBm", "dB SPL(A)" ... Returns buffer. */
char *weir_scale_unit(const weir_scale *scale, char *buffer, size_t size);

/* The level of one bin's linear power; never below WEIR_FLOOR_DB, never NaN. Exactly what
 * weir_scale_trace_db gives for that bin; right to 1e-4 dB. scale NULL: dBFS. */
float weir_scale_level_db(const weir_scale *scale, const weir_spectrum *spectrum, size_t bin,
                          float power);
/* The same of a power at any frequency, as of a tone between two bins. */
float weir_scale_level_at_db(const weir_scale *scale, const weir_spectrum *spectrum, double hz,
                             float power);

/* n_bins levels of one trace. out: n_bins floats. The trace must be there. scale NULL:
 * dBFS. */
void weir_scale_trace_db(const weir_scale *scale, const weir_spectrum *spectrum, weir_trace trace,
                         float *out_db);

/* IEC 61672-1 A and C weighting in dB at a frequency (0 Hz: WEIR_FLOOR_DB). Z: 0. */
double weir_weighting_db(weir_weighting weighting, double hz);

/* Weighting and curve of scale together at a frequency, as a factor of power; 1 for a
 * scale without either, or NULL. For sums over bins (dsp/band.h). */
double weir_scale_correction(const weir_scale *scale, double hz);

#endif
