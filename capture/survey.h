/* Surveys that other programs wrote: the CSV of rtl_power, soapy_power and hackrf_sweep.
 *
 *     date, time, Hz low, Hz high, Hz step, samples, dB, dB, ...
 *
 * A row is one tuning; rows of all tunings make a pass. What real files have, and what is made
 * of it:
 *   - rtl_power writes the last level of a row twice, and Hz low is the middle of the first. In
 *     rows with just as many levels as there is room for, as hackrf_sweep's, it is the lower edge;
 *     soapy_power writes no level twice, Hz low is the middle, and has a decimal point
 *   - Levels are placed by their frequency on one grid, that of the finest rows, whatever the
 *     order of rows; one of a coarser row takes as many bins as it is wide.
 *   - several ranges, and tunings that are missing: holes, which stay holes
 *   - "nan", "-inf", "-1.#J" are holes, and counted
 *   - a new pass begins where a row would lie over one of the pass, or where the time changes,
 *     if it is in whole seconds (hackrf_sweep's rows have times of their own)
 *   - time that steps back (it is local, there is daylight saving): order and distance are
 *     those of the file, the step takes the usual time of a pass
 *   - CRLF; a last line that was cut off is left out, and counted
 *
 * Memory grows with the file and with no number in it. The file does not say its time zone: it
 * is taken for UTC. Not thread-safe.
 */
#ifndef WEIR_CAPTURE_SURVEY_H
#define WEIR_CAPTURE_SURVEY_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_SURVEY_MAX_BINS ((size_t)1 << 24)

typedef struct weir_survey weir_survey;

typedef struct weir_survey_info {
    size_t n_rows, n_passes;
    size_t n_bins; /* at most WEIR_SURVEY_MAX_BINS      */
    double start_hz, bin_hz;
    double pass_s;       /* the usual time of a pass          */
    uint64_t n_unusable; /* levels that were no number        */
    bool was_cut;        /* the last line was incomplete      */
} weir_survey_info;

typedef struct weir_survey_pass {
    double time_s;        /* since the first pass; ascends                      */
    int64_t time_unix_ns; /* as the file has it                                 */
    uint64_t n_frames;    /* the smallest count of "samples" of its rows        */
    bool has_holes;
} weir_survey_pass;

/* WEIR_ERR_NO_INPUT; WEIR_ERR_DATA, naming file and line, for what is no such row, for no row
 * at all, and for rows too far apart for their step. parse reads an open stream; name stands
 * for it in errors. */
weir_status weir_survey_read(weir_survey **out, const char *path, weir_error *err);
weir_status weir_survey_parse(weir_survey **out, FILE *file, const char *name, weir_error *err);
const weir_survey_info *weir_survey_about(const weir_survey *survey);
/* Levels of one pass, n_bins of them in dB; NAN is a hole. */
void weir_survey_pass_at(const weir_survey *survey, size_t index, float *levels_db,
                         weir_survey_pass *pass);
void weir_survey_destroy(weir_survey *survey); /* NULL does nothing */

#endif
