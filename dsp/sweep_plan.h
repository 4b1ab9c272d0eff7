/* A sweep's plan: which tunings cover a range, and which bins of each are used.
 *
 * Pure functions over numbers. All tunings lie on one grid of bins, so that the kept bins of
 * one go on exactly where those of the one before end: hop h is tuned to weir_sweep_center_hz,
 * and bins first_bin .. first_bin + weir_sweep_hop_bins - 1 of its spectrum (complex, ascending,
 * the centre at n_fft / 2) are bins h * hop_bins ... of the whole.
 *
 *   offset  only bins above the centre are used, from a guard on: the DC spike and its skirt
 *           are in none of them (offset tuning); twice the tunings
 *   whole   the middle of the band, the centre with it
 * In both, crop says how much of the band is left out at its edges.
 *
 * weir_sweep_plan_rtl_power is rtl_power's own arithmetic (osmocom src/rtl_power.c, function
 * frequency_range): the range is cut into equal parts as wide as 2.8 MS/s allow, the rate fits
 * the part, the bins are a power of two. "88M:108M:125k" is 8 parts of 32 bins of 78125 Hz.
 * Bins of 1 MHz and more (its "giant bins", to 2.8 MHz) are a tuning each: as many as fit into
 * the range, at a rate that is the bin's width, and all bins of a transform make one value.
 */
#ifndef WEIR_DSP_SWEEP_PLAN_H
#define WEIR_DSP_SWEEP_PLAN_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define WEIR_SWEEP_MAX_BINS ((size_t)1 << 24)

typedef struct weir_sweep_range {
    double low_hz, high_hz;
    double bin_hz; /* at most; 0: not given */
} weir_sweep_range;

typedef struct weir_sweep_plan {
    double rate_hz;
    size_t n_fft;
    double bin_hz;
    double start_hz; /* centre of the first bin of the whole */
    size_t n_bins;   /* of the whole                         */
    size_t n_hops;
    size_t hop_bins;  /* used of each tuning; the last may use fewer */
    size_t first_bin; /* of them in a tuning's spectrum              */
    bool joins;       /* a tuning's whole spectrum is one bin (first_bin: the middle) */
} weir_sweep_plan;

/* "88M:108M" or "88M:108M:10k". */
weir_status weir_sweep_range_parse(const char *text, weir_sweep_range *range, weir_error *err);

/* The transform for bins of at most bin_hz: even. */
size_t weir_sweep_fft_size(double rate_hz, double bin_hz);

/* crop: 0 .. <1 of the band, half of it at each edge. WEIR_ERR_USAGE for what leaves nothing to
 * use, or makes more than WEIR_SWEEP_MAX_BINS. */
weir_status weir_sweep_plan_make(weir_sweep_plan *plan, const weir_sweep_range *range,
                                 double rate_hz, size_t n_fft, double crop, bool offset,
                                 weir_error *err);
/* The range must give its bins. */
weir_status weir_sweep_plan_rtl_power(weir_sweep_plan *plan, const weir_sweep_range *range,
                                      weir_error *err);

double weir_sweep_center_hz(const weir_sweep_plan *plan, size_t hop);
size_t weir_sweep_hop_bins(const weir_sweep_plan *plan, size_t hop);

#endif
