/* The terminal view: spectrum above, waterfall below, a status line, keys.
 *
 * Two threads. The engine's thread calls weir_view_push for every spectrum: it copies
 * the line into the history under a short lock and never waits for the terminal, so a
 * slow or blocked terminal costs frames of the picture and no data. The main thread
 * calls weir_view_run, which owns the terminal, draws at most max_fps times a second
 * and returns when the user quits, a signal asks for it, or weir_view_end was called
 * and the user (or `exit_at_end`) is done.
 *
 * The source may be exchanged while it runs (weir_view_set_source, from the engine's thread).
 *
 * weir_view_push and weir_view_end may still be called when weir_view_run has returned,
 * until weir_view_close; join the engine's thread before that. One view at a time.
 *
 * The terminal is restored by weir_view_run on every way out, and by an at-exit and
 * a fatal-signal handler that open installs. Keys come from the terminal even when
 * standard input carries samples.
 */
#ifndef WEIR_DISPLAY_VIEW_H
#define WEIR_DISPLAY_VIEW_H

#include "base/status.h"
#include "display/sink.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct weir_view weir_view;

/* What keys change of the transform, by steps up or down. */
typedef enum weir_view_change {
    WEIR_CHANGE_N,
    WEIR_CHANGE_OVERLAP,
    WEIR_CHANGE_WINDOW,
    WEIR_CHANGE_AVERAGES,     /* of the waterfall's lines */
    WEIR_CHANGE_TRACE_TIME,   /* of the spectrum trace    */
    WEIR_CHANGE_TRACE_AVERAGE /* its kind                 */
} weir_view_change;

/* What of a recording under way is shown. */
typedef struct weir_view_recording {
    double seconds;
    uint64_t n_bytes;
} weir_view_recording;

/* What the user asks of the rest of the program; called on the main thread. */
typedef struct weir_view_actions {
    void *user;
    void (*set_paused)(void *user, bool paused);
    void (*totals)(void *user, weir_totals *totals); /* for the status line */

    /* NULL where that cannot be had. What fails is said in the message line. */
    weir_status (*control)(void *user, const char *key, double value, weir_error *err);
    /* What the source is set to, after control has changed it: of the title. */
    void (*describe)(void *user, char *text, size_t size);
    bool moves_center_only; /* control knows "center_hz" alone: a zoom in what cannot be tuned */
    weir_status (*transform)(void *user, weir_view_change change, int steps, weir_error *err);
    weir_status (*seek)(void *user, double seconds, weir_error *err);
    weir_status (*set_loop)(void *user, bool loops, weir_error *err);
    void (*set_speed)(void *user, double speed);
    void (*step)(void *user, uint64_t n_samples);
    bool (*at_end)(void *user);                         /* the replay waits at its end for a seek */
    weir_status (*record)(void *user, weir_error *err); /* begins recording, or ends it */
    bool (*recording)(void *user, weir_view_recording *state);            /* false: there is none */
    weir_status (*change_source)(void *user, int steps, weir_error *err); /* to another, in turn */
    double (*position)(void *user);                           /* seconds in the recording */
    uint64_t (*place_of)(void *user, uint64_t stream_sample); /* samples in it */
    /* What the source has delivered by now, as a position in the stream: how far the picture
     * lags behind is told from it. NULL: unknown. */
    uint64_t (*received)(void *user);
    /* How busy the GPU is, 0 to 1; negative: there is none, or it is not known. */
    double (*gpu_load)(void *user);
    /* The view is done: once, before the terminal is given back, so that the rest of the program
     * ends meanwhile. NULL: that is told from weir_view_run's return alone. */
    void (*quit)(void *user);
} weir_view_actions;

typedef enum weir_view_charset {
    WEIR_CHARSET_AUTO,
    WEIR_CHARSET_ASCII,
    WEIR_CHARSET_UTF8
} weir_view_charset;
typedef enum weir_view_color {
    WEIR_COLOR_AUTO, /* terminfo, COLORTERM, NO_COLOR */
    WEIR_COLOR_NONE,
    WEIR_COLOR_8,
    WEIR_COLOR_16,
    WEIR_COLOR_256,
    WEIR_COLOR_DIRECT,
} weir_view_color;

/* What the frequency axis is to begin with. */
typedef enum weir_view_axis {
    WEIR_AXIS_LINEAR,
    WEIR_AXIS_LOG,
    WEIR_AXIS_NOTES, /* a log axis that names the notes of music */
} weir_view_axis;

/* Pictures in the terminal, for the resolution of pixels. */
typedef enum weir_view_pictures {
    WEIR_PICTURES_AUTO, /* what the terminal says it knows */
    WEIR_PICTURES_KITTY,
    WEIR_PICTURES_SIXEL,
    WEIR_PICTURES_OFF,
} weir_view_pictures;

typedef struct weir_view_config {
    weir_view_charset charset;
    weir_view_color color;
    weir_view_pictures pictures;
    const char *colormap; /* NULL = default; a path: a file of colours */
    const char *labels;   /* a file of channel names (display/labels.h); NULL: none */
    weir_view_axis axis;
    const char *keys;       /* "h=Left x=q": keys that do what others do; NULL: none */
    float low_db, high_db;  /* NAN = automatic            */
    double low_hz, high_hz; /* NAN = all                 */
    weir_reducer reducer;   /* bins to columns: the maximum unless told otherwise */
    double max_fps;         /* 0 = 30                     */
    double decay_s;         /* of persistence; 0 = 3      */
    bool exit_at_end;
    bool is_replay;         /* a recording: speed, steps and places in it have a meaning */
    double speed;           /* of the replay, to begin with; 0: as fast as it goes       */
    double gain_db;         /* of the device, as far as is known; NAN: automatic         */
    bool loops;             /* likewise                                                  */
    const weir_note *notes; /* sorted by sample; copied */
    size_t n_notes;
    const char *folder; /* for files that keys make; NULL: the working directory */
    weir_view_actions actions;
} weir_view_config;

/* What is shown, and how, for who wants to begin there again. Numbers and flags only. */
typedef struct weir_view_look {
    const char *colormap; /* one of the table's; NULL: a user's own. Static */
    bool is_range_automatic;
    float low_db, high_db;
    bool shows_all; /* the whole span */
    double low_hz, high_hz;
    weir_view_axis axis;
    bool is_offset, is_braille;
    bool hides_spectrum, holds_max, holds_min, hides_notes;
    unsigned persistence;   /* 0: off, 1: fading, 2: counts */
    uint64_t lines_per_row; /* 0: automatic */
    weir_trace detector;
} weir_view_look;

/* How the drawing went, for benchmarks and tests. */
typedef struct weir_view_stats {
    uint64_t n_frames;         /* pictures drawn                                       */
    uint64_t n_skipped;        /* not drawn: the terminal had not taken the last one   */
    uint64_t n_bytes;          /* written to the terminal                              */
    uint64_t frames_by_us[32]; /* [i]: frames of under 2^i us of processor time, and
                                  not under 2^(i-1)                                 */
    uint64_t longest_frame_ns; /* by the clock on the wall                          */
} weir_view_stats;

void weir_view_config_init(weir_view_config *config);

/* True if there is a terminal to draw on (standard output, and keys can be read). */
bool weir_view_possible(void);

/* Opens the terminal. WEIR_ERR_USAGE for a colour map that is not there;
 * WEIR_ERR_UNSUPPORTED with a clear text for an unknown or dumb
 * terminal (the caller then prints text lines). Copies config and stream. */
weir_status weir_view_open(weir_view **out, const weir_view_config *config,
                           const weir_stream_info *stream, weir_error *err);
void weir_view_push(weir_view *view, const weir_spectrum *spectrum); /* engine's thread */
void weir_view_end(weir_view *view, const weir_totals *totals, const weir_error *err); /* same */
/* The transform is another from the next spectrum on. Engine's thread; copies. */
void weir_view_set_stream(weir_view *view, const weir_stream_info *stream);
/* Another source from the next spectrum on: the history begins anew. Of the config counts what is
 * of a source: is_replay, speed, gain_db, loops, notes, actions. Engine's thread; copies. */
weir_status weir_view_set_source(weir_view *view, const weir_view_config *config,
                                 const weir_stream_info *stream, weir_error *err);
/* Main thread. set: before run; what this terminal or source cannot do is left out. Colour map,
 * range, span and axis are the configuration's. */
void weir_view_get_look(const weir_view *view, weir_view_look *look);
void weir_view_set_look(weir_view *view, const weir_view_look *look);
/* The stream as it is now: the transform that keys chose, the last tuning, rate and gain (NAN:
 * automatic). Main thread, before close. */
const weir_stream_info *weir_view_stream(const weir_view *view);
double weir_view_center_hz(const weir_view *view);
double weir_view_rate_hz(const weir_view *view);
double weir_view_gain_db(const weir_view *view);
/* Returns the signal that ended it (re-raise it), or 0. */
int weir_view_run(weir_view *view);
void weir_view_get_stats(const weir_view *view, weir_view_stats *stats); /* main thread */
void weir_view_close(weir_view *view);

/* Without a terminal: push lines, then fit (all lines become visible, and an automatic
 * range suits them), then print or save, as often as wanted. One thread. */
weir_status weir_view_open_offscreen(weir_view **out, const weir_view_config *config,
                                     const weir_stream_info *stream, weir_error *err);
uint64_t weir_view_lines(const weir_view *view); /* pushed so far, gaps too; any thread */
bool weir_view_fit_history(weir_view *view, size_t n_columns, size_t n_rows); /* false: no memory */
/* As text, with colours as `color` says (automatic: by TERM). */
weir_status weir_view_print(weir_view *view, size_t n_columns, size_t n_rows, FILE *out,
                            weir_error *err);
/* As a PNG of 12 x 24 pixels a cell, waterfall and traces at the resolution of pixels. Also
 * of a view in a terminal, whose picture stays as it is. Main thread. */
weir_status weir_view_save_png(weir_view *view, size_t n_columns, size_t n_rows, const char *path,
                               weir_error *err);

/* Row index of the key table, for manuals; false past the end. The strings are static. */
bool weir_view_key_help(size_t index, const char **keys, const char **help);

#endif
