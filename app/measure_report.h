/* What `weir measure` found in one interval, and how it is written: table, JSON, CSV.
 *
 * Plain values; the caller owns the struct. A value that could not be measured is NAN: it
 * is left out of the table, null in JSON, empty in CSV. Names carry their unit and are the
 * interface to scripts (docs/json.md). Main thread only.
 */
#ifndef WEIR_APP_MEASURE_REPORT_H
#define WEIR_APP_MEASURE_REPORT_H

#include "display/line.h"
#include "display/sink.h"
#include "dsp/measure_audio.h"
#include "dsp/octave.h"
#include "dsp/peaks.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    WEIR_REPORT_VALUES = 64,
    WEIR_REPORT_PEAKS = 100,
    WEIR_REPORT_BANDS = 48,
};

typedef struct weir_report_value {
    const char *section; /* "Distortion"                    */
    const char *name;    /* "thd_f_percent"                 */
    const char *label;   /* "THD, against the fundamental"  */
    char unit[24];       /* "%"                             */
    double value;
    unsigned decimals; /* in the table */
} weir_report_value;

typedef struct weir_report_bands {
    const char *name; /* "octaves"                       */
    const char *label;
    weir_octave_band bands[WEIR_REPORT_BANDS];
    weir_octave_level levels[WEIR_REPORT_BANDS];
    size_t n;
} weir_report_bands;

typedef struct weir_report {
    bool is_audio;
    uint64_t index, first_sample, end_sample, n_frames, lost, clipped, nonfinite;
    double time_s, seconds;
    double center_hz; /* of this interval, as are those: */
    weir_made_up made_up;
    bool is_newly_made_up; /* they are not those of the report before (or of the stream) */
    char unit[32];         /* of levels                                   */
    char note[200];        /* what could not be measured, and why; or ""  */
    weir_report_value values[WEIR_REPORT_VALUES];
    size_t n_values;
    weir_report_bands bands[2];
    size_t n_bands;
    weir_harmonic harmonics[WEIR_HARMONICS_KEPT];
    size_t n_harmonics;
    weir_peak peaks[WEIR_REPORT_PEAKS];
    size_t n_peaks, n_peaks_asked;
    const float *kurtosis; /* a value a bin, borrowed; NULL: not asked for, or not known */
    size_t n_kurtosis;
    double kurtosis_start_hz, bin_hz;
} weir_report;

/* Appends a value. unit NULL: the report's. */
void weir_report_add(weir_report *report, const char *section, const char *name, const char *label,
                     double value, const char *unit, unsigned decimals);

/* How reports are written; each appends to a line. */
typedef struct weir_report_writer {
    const char *name; /* "table" */
    /* NULL: nothing. The first report says which columns there are. */
    void (*header)(weir_line *line, const weir_report *first, const weir_stream_info *stream,
                   bool reproducible);
    void (*write)(weir_line *line, const weir_report *report, const weir_stream_info *stream,
                  bool reproducible);
} weir_report_writer;

extern const weir_report_writer weir_report_table;
extern const weir_report_writer weir_report_json;
extern const weir_report_writer weir_report_csv;

#endif
