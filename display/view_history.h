/* What the view remembers: the last lines at full resolution, and the traces.
 *
 * Push is for the engine's thread, all else for the main thread; a mutex is held only
 * while one line is copied or reduced to columns, never while anything is drawn or
 * written. Everything the view draws comes from here, so that a new size, zoom or
 * range redraws old lines as sharp as new ones.
 *
 * The ring is bounded in bytes. A line too long for it (more bins than budget/128
 * holds) is folded: neighbouring bins become their maximum. Lines are numbered from 0
 * for the whole stream. Lost samples show as gap lines before the line that follows,
 * as many as the time lost would have made, 32 at most.
 */
#ifndef WEIR_DISPLAY_VIEW_HISTORY_H
#define WEIR_DISPLAY_VIEW_HISTORY_H

#include "dsp/peaks.h"
#include "dsp/reduce.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_history weir_history;

typedef struct weir_view_line {
    weir_spectrum info; /* of the spectrum; its power pointers are NULL */
    bool is_gap;        /* nothing arrived: info is the spectrum's after it */
    double begin_s;     /* when its first sample came, by the rates up to there */
} weir_view_line;

/* How a level is read off a bin. */
typedef struct weir_reading {
    const weir_scale *scale;
    const weir_peak_lobe *lobe; /* of the window, or NULL */
} weir_reading;

typedef enum weir_held {
    WEIR_HELD_LIVE, /* the newest line's mean (or what there is) */
    WEIR_HELD_MAX,  /* since the last reset, of the maxima       */
    WEIR_HELD_MIN,  /* likewise, of the minima                   */
    WEIR_HELD_COUNT
} weir_held;

/* NULL when out of memory. n_bins: of the spectra to come. */
weir_history *weir_history_create(size_t n_bins, size_t budget_bytes);
void weir_history_destroy(weir_history *history);

/* Copies: the detector's trace (at first the maximum, so that no burst vanishes), else the
 * next best. */
void weir_history_push(weir_history *history, const weir_spectrum *spectrum);
/* Where lines and the live trace are averages of their own: the holds are of the spectrum,
 * line and live are added if there are any (not NULL), of the same bins. */
void weir_history_push_both(weir_history *history, const weir_spectrum *spectrum,
                            const weir_spectrum *line, const weir_spectrum *live);
/* Which trace lines to come show. */
void weir_history_set_detector(weir_history *history, weir_trace trace);
weir_trace weir_history_detector(const weir_history *history);
/* How bins become columns; at first the maximum. Main thread. */
void weir_history_set_reducer(weir_history *history, weir_reducer reducer);
weir_reducer weir_history_reducer(const weir_history *history);
void weir_history_reset_hold(weir_history *history);

/* Forgets all lines and traces; their numbers go on. Pushing thread. */
void weir_history_clear(weir_history *history);

/* Lines [first, end) can be read. */
void weir_history_extent(weir_history *history, uint64_t *first, uint64_t *end);

/* Line `index` reduced to columns of linear power (NAN in a gap and outside the
 * spectrum). False when it is not there (any more). */
bool weir_history_line(weir_history *history, uint64_t index, const weir_axis *axis,
                       size_t n_columns, float *out, weir_view_line *line);
/* As a line is kept: n bins of linear power, of which the first has its centre at start_hz.
 * Of a gap power is NULL. */
typedef struct weir_view_bins {
    const float *power;
    size_t n;
    double start_hz, bin_hz;
} weir_view_bins;

/* Shows line `index` as it is kept, with the lock held: look shall be quick, and ask nothing of
 * the history. False when it is not there (any more). */
bool weir_history_visit(weir_history *history, uint64_t index,
                        void (*look)(void *user, const weir_view_line *line,
                                     const weir_view_bins *bins),
                        void *user);

/* A trace likewise. False before the first spectrum. */
bool weir_history_trace(weir_history *history, weir_held held, const weir_axis *axis,
                        size_t n_columns, float *out, weir_view_line *line);

/* The highest bin of a trace whose centre lies in [low_hz, high_hz), or the nearest bin
 * where there is none between; read as dsp/peaks.h does, between the bins too. False
 * before the first spectrum. A folded line is read as it is: good to the fold. */
bool weir_history_trace_peak(weir_history *history, weir_held held, double low_hz, double high_hz,
                             const weir_reading *how, weir_peak *peak);
/* Level of the power of a trace between two frequencies; false before the first spectrum,
 * and of a folded trace, which has maxima only. */
bool weir_history_trace_band(weir_history *history, weir_held held, double low_hz, double high_hz,
                             const weir_scale *scale, double *level_db);
/* Power per hertz around a frequency (dsp/peaks.h: a noise marker), over a width in hertz but
 * not less than 17 bins; false as above. */
bool weir_history_trace_noise(weir_history *history, weir_held held, double hz, double width_hz,
                              const weir_scale *scale, double *db_per_hz);
/* The highest bin of a line likewise; false too in a gap. */
bool weir_history_line_peak(weir_history *history, uint64_t index, double low_hz, double high_hz,
                            const weir_reading *how, weir_peak *peak);

#endif
