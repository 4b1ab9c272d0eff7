/* A golden result: what a stream's spectrum once was, kept to be compared with later.
 *
 * One line a setting, then one line a bin; text, so that a version control system shows what
 * changed. docs/compare.md describes the file:
 *
 *     weir-golden 1
 *     source: tone.wav
 *     ... one "key: value" a line, all of them, in this order ...
 *     bins: 2049
 *     # frequency_hz mean max
 *     0 -91.2234573 -80.1234589
 *     ...
 *     end
 *
 * Levels have nine significant digits, which give back the same float; frequencies and other
 * numbers the shortest decimal that gives back the same double. Numbers have "." whatever the
 * locale. Not thread-safe.
 */
#ifndef WEIR_DSP_GOLDEN_H
#define WEIR_DSP_GOLDEN_H

#include "base/outfile.h"
#include "base/status.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_GOLDEN_VERSION 1

typedef struct weir_golden {
    /* for information; a difference in them does not matter */
    char source[256];
    char description[256];

    /* settings: a result with others cannot be compared */
    bool is_complex;
    uint64_t channel; /* from 1 */
    double rate_hz, center_hz;
    double span_hz;      /* of a zoom; 0: none */
    uint64_t n_fft, hop; /* in samples of the zoom, if there is one */
    char window[64];
    uint64_t frames_per_spectrum; /* 0 = all                */
    double smooth_seconds;        /* 0 = no exponential mean */
    bool detrend, iq_swap, density;
    char unit[16]; /* weir_scale.unit */
    double offset_db;
    char weighting[4]; /* "Z", "A", "C" */
    bool calibration;  /* by a curve     */
    bool iq_corrected, dc_interpolated;
    double ppm, transverter_hz;
    double enbw_bins;
    double start_hz, bin_hz;

    weir_totals totals;

    size_t n_bins;
    float *mean_db; /* n_bins, owned: power averaged over all of the stream */
    float *max_db;  /* n_bins, owned: the largest of any transform          */
} weir_golden;

/* Both arrays, for n_bins bins. */
weir_status weir_golden_allocate(weir_golden *golden, size_t n_bins, weir_error *err);
void weir_golden_free(weir_golden *golden); /* NULL does nothing */

/* Does not finish the file. */
weir_status weir_golden_write(const weir_golden *golden, weir_outfile *file, weir_error *err);

/* WEIR_ERR_NO_INPUT; WEIR_ERR_UNSUPPORTED for another version; WEIR_ERR_DATA, naming file and
 * line, for anything that weir_golden_write does not write. On an error the golden is empty.
 * weir_golden_parse reads an open stream; name stands for it in errors. */
weir_status weir_golden_read(weir_golden *golden, const char *path, weir_error *err);
weir_status weir_golden_parse(weir_golden *golden, FILE *file, const char *name, weir_error *err);

/* The first setting in which they differ, as "n_fft is 4096 there and 8192 here". False if
 * there is none. */
bool weir_golden_settings_differ(const weir_golden *golden, const weir_golden *measured, char *text,
                                 size_t size);

/* The counts, one by one: row 0, 1 ... until it returns false. */
typedef struct weir_golden_count {
    const char *name;
    uint64_t golden, measured;
} weir_golden_count;
bool weir_golden_count_at(const weir_golden *golden, const weir_golden *measured, size_t row,
                          weir_golden_count *count);

#endif
