/* The sink contract and registry: where spectra go.
 *
 * One file per sink and one row in the table of sink.c; a row has a name and the file
 * endings that pick it. All calls come from one thread. A sink owns its output file
 * (base/outfile.h: whole or not at all) and copies what it keeps of a spectrum.
 */
#ifndef WEIR_DISPLAY_SINK_H
#define WEIR_DISPLAY_SINK_H

#include "base/status.h"
#include "dsp/format.h"
#include "dsp/reduce.h"
#include "dsp/scale.h"
#include "dsp/spectrum.h"
#include "dsp/split_average.h"

#include <stdbool.h>
#include <stdint.h>

/* A stretch of a recording that somebody described. */
typedef struct weir_note {
    uint64_t first_sample, n_samples; /* in the recording; n 0: not known */
    double low_hz, high_hz;           /* NAN: not known */
    const char *label;                /* may be NULL */
} weir_note;

/* What holds for the whole stream; borrowed for the sink's life. */
typedef struct weir_stream_info {
    const char *source;      /* printable name                    */
    const char *description; /* "WAV, s16, 2 channels, 48 kHz"    */
    weir_sample_format format;
    unsigned channel;
    double rate_hz;
    double center_hz;
    size_t n_fft;
    size_t hop;
    const char *window; /* "hann", "kaiser:9.42"             */
    double enbw_bins;
    double coherent_gain;
    uint64_t frames_per_spectrum; /* 0 = all                      */
    double exponential_alpha;
    /* Of a view, where its trace has an average of its own: lines and trace are made of the
     * spectra, which are finer than either. */
    weir_averages averages;
    bool detrend;
    const char *engine;   /* weir_engine_describe              */
    int64_t time_unix_ns; /* of sample 0; INT64_MIN unknown    */
    uint64_t n_samples;   /* UINT64_MAX unknown                */
    weir_scale scale;

    /* The axis of the first spectrum to come; n_bins 0: as rate and N say. */
    size_t n_bins;
    double start_hz, bin_hz;
    /* A zoom (--span): n_fft and hop above are then in samples of the input, like all sample
     * numbers; the transforms have n_fft / decimation points. 0: none. */
    uint64_t decimation;
    /* Corrections in force */
    weir_made_up made_up; /* of the first spectrum; others say theirs */
    bool iq_corrected;
    double iq_gain_db, iq_phase_deg; /* at the beginning  */
    double iq_track_seconds;         /* time constant of a correction that is followed; 0: none */
    double ppm, transverter_hz;      /* are in all frequencies */

    const weir_note *notes; /* sorted by sample */
    size_t n_notes;
} weir_stream_info;

/* The axis that the first spectrum will have. */
void weir_stream_axis(const weir_stream_info *stream, size_t *n_bins, double *start_hz,
                      double *bin_hz);

typedef struct weir_sink_config {
    const char *path;       /* "-" = standard output                               */
    weir_trace trace;       /* the trace written by sinks that take one             */
    const char *hold;       /* "max", "min": of all lines so far; NULL: of each     */
    bool linear;            /* FS^2 or FS^2/Hz instead of dB: csv, jsonl, npy        */
    unsigned n_peaks;       /* peaks: how many a spectrum; 0 = default; jsonl: none  */
    double decay_s;         /* persistence: fades; 0 = hits / spectra of all        */
    double prominence_db;   /* peaks                                                */
    double spacing_hz;      /* peaks                                                */
    weir_reducer reducer;   /* bins to pixels                                       */
    double low_hz, high_hz; /* the part written; NAN = all                        */
    unsigned width, height; /* pictures: plot area in pixels; 0 = default         */
    float low_db, high_db;  /* pictures: colour range; NAN = automatic            */
    const char *colormap;   /* "viridis" ..., or a file; NULL = default           */
    const char *title;      /* NULL = the source's name                           */
    bool reproducible;      /* no wall clock in the output where it is not data   */
} weir_sink_config;

void weir_sink_config_init(weir_sink_config *config);

typedef struct weir_sink weir_sink;

typedef struct weir_sink_class {
    const char *name;    /* "csv"                                        */
    const char *endings; /* ".csv", or several with spaces between; ""   */
    const char *help;
    bool writes_linear; /* knows config.linear */
    bool has_one_axis;  /* refuses a spectrum of other frequencies than the first one's */
    weir_status (*open)(weir_sink **out, const weir_sink_config *config,
                        const weir_stream_info *stream, weir_error *err);
    weir_status (*write)(weir_sink *sink, const weir_spectrum *spectrum, weir_error *err);
    /* The end of the stream: completes the output. Only then does it exist. */
    weir_status (*finish)(weir_sink *sink, const weir_totals *totals, weir_error *err);
    void (*close)(weir_sink *sink); /* without finish: the output is taken away */
} weir_sink_class;

struct weir_sink {
    const weir_sink_class *class_;
};

const weir_sink_class *weir_sink_class_at(size_t index);
/* By name ("csv"), else by the path's ending. NULL with an error listing what there is. */
const weir_sink_class *weir_sink_class_find(const char *name, const char *path, weir_error *err);

weir_status weir_sink_open(weir_sink **out, const weir_sink_class *class_,
                           const weir_sink_config *config, const weir_stream_info *stream,
                           weir_error *err);
weir_status weir_sink_write(weir_sink *sink, const weir_spectrum *spectrum, weir_error *err);
weir_status weir_sink_finish(weir_sink *sink, const weir_totals *totals, weir_error *err);
void weir_sink_close(weir_sink *sink); /* NULL-safe */

#endif
