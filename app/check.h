/* One check of a comparison: measured levels against golden ones, or against the limits of a
 * mask, and what it says in words. Main thread only. */
#ifndef WEIR_APP_CHECK_H
#define WEIR_APP_CHECK_H

#include "base/status.h"
#include "dsp/compare.h"
#include "dsp/mask.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_check {
    const char *name; /* "mean", "max", "mask mean", "mask lines" ... */
    bool limits;      /* of a mask; else golden levels                */
    size_t n_bins;
    double start_hz, bin_hz;
    /* n_bins each, in one piece of memory. Golden: low and high are the same array. Limits of
     * several lines: those of the line in which the bin came nearest to them or most outside. */
    float *measured_db, *low_db, *high_db, *difference_db, *allowed_db;
    double *time_s; /* of that line; NULL without lines */
    weir_regions regions;
    uint64_t n_checked, n_bad; /* values: bins, times lines */
    double allowed_part;       /* of the values may be bad  */
    float margin_db;           /* limits: from the nearest one; below 0: outside. INFINITY: none */
    size_t margin_bin;
    bool passed;
} weir_check;

/* Zeroes the check and allocates. free in any state. */
weir_status weir_check_init(weir_check *check, const char *name, bool limits, bool with_time,
                            size_t n_bins, double start_hz, double bin_hz, weir_error *err);
void weir_check_free(weir_check *check);

/* Golden: all of it. config's axis is the check's. */
weir_status weir_check_golden(weir_check *check, const weir_compare_config *config,
                              const float *golden_db, const float *measured_db, weir_error *err);

/* Limits: one line of levels after the other, then finish. */
typedef struct weir_mask_rules {
    weir_mask mask;
    weir_mask_relative relative;
    double carrier_hz; /* NAN: the strongest bin */
} weir_mask_rules;
weir_status weir_check_line(weir_check *check, const weir_mask_rules *rules, const float *levels_db,
                            double time_s, weir_error *err);
/* WEIR_ERR_USAGE if the mask says nothing about any bin. */
weir_status weir_check_finish(weir_check *check, double allowed_part, weir_error *err);

double weir_check_hz(const weir_check *check, size_t bin);
/* "mean: 1.000 kHz (bin 85): +0.60 dB, 0.50 allowed; -19.40 dBFS, golden -20.00". Both return text.
 */
char *weir_check_region_text(const weir_check *check, const weir_region *region, const char *unit,
                             char *text, size_t size);
/* "mean: the same in 2049 bins, worst +0.0021 dB at 1.000 kHz" */
char *weir_check_summary(const weir_check *check, char *text, size_t size);

#endif
