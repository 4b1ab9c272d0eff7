/* What the view's own files share: the state of the picture, and who draws what.
 *
 * Private to display/view*.c. Everything belongs to the main thread except the
 * history (its own lock) and what `shared` holds (its lock).
 */
#ifndef WEIR_DISPLAY_VIEW_STATE_H
#define WEIR_DISPLAY_VIEW_STATE_H

#include "display/colormap.h"
#include "display/labels.h"
#include "display/term_cells.h"
#include "display/term_screen.h"
#include "display/term_text.h"
#include "display/view.h"
#include "display/view_history.h"
#include "display/view_layout.h"
#include "display/view_picture.h"
#include "display/view_range.h"

#include "dsp/persistence.h"

#include <pthread.h>

#define WEIR_PALETTE_LEVELS 128
#define WEIR_MARKERS_MAX 6

/* Another source, until the main thread takes it. */
typedef struct weir_view_source {
    weir_view_config config;
    weir_note *notes; /* owned */
} weir_view_source;

typedef struct weir_view_shared {
    pthread_mutex_t lock;
    bool has_ended, has_stream;
    weir_view_source *source; /* of weir_view_set_source; or NULL */
    weir_totals totals;       /* of the end */
    weir_stream_info stream;  /* with has_stream: a new one; its strings: below */
    char strings[4][256];
    weir_error error; /* likewise   */
} weir_view_shared;

/* How a pixel of the waterfall becomes a cell. */
typedef enum weir_pixels {
    WEIR_PIXELS_HALVES,  /* two rows a cell, half block    */
    WEIR_PIXELS_BLANKS,  /* one row, coloured blanks       */
    WEIR_PIXELS_LETTERS, /* one row, a ramp of characters  */
} weir_pixels;

#define WEIR_BINDINGS_MAX 64

/* A key that does what another one is for; 0: nothing. */
typedef struct weir_view_binding {
    int key, meaning;
} weir_view_binding;

/* What a user may type. */
typedef enum weir_prompt {
    WEIR_PROMPT_NONE,
    WEIR_PROMPT_FREQUENCY,
    WEIR_PROMPT_RATE,
    WEIR_PROMPT_GAIN,
    WEIR_PROMPT_PLACE,
} weir_prompt;

/* The density shown and what it is of (view_persistence.c). */
typedef struct weir_persistence_state {
    weir_persistence *grid; /* NULL: none */
    uint64_t next_line;     /* of the history */
    weir_axis axis;
    size_t n_columns, n_levels;
    float low_db, high_db;
    float *density; /* of the counts, as drawn */
} weir_persistence_state;

/* What of it the spectrum panel shows. */
typedef enum weir_persistence_layer {
    WEIR_PERSISTENCE_OFF,
    WEIR_PERSISTENCE_FADING,
    WEIR_PERSISTENCE_COUNTS, /* hits / lines, of the last 200 and those to come */
    WEIR_PERSISTENCE_LAYERS
} weir_persistence_layer;

/* What a marker reads. */
typedef enum weir_marker_kind {
    WEIR_MARKER_LEVEL,
    WEIR_MARKER_DELTA, /* frequency and level less those of the first marker     */
    WEIR_MARKER_NOISE, /* power per hertz around it                              */
} weir_marker_kind;

typedef struct weir_view_marker {
    double hz;
    weir_marker_kind kind;
} weir_view_marker;

/* Colours of text, by meaning; all fall back to the terminal's own without colour. */
typedef enum weir_ink {
    WEIR_INK_TEXT,
    WEIR_INK_FAINT,  /* scales, rulers            */
    WEIR_INK_STRONG, /* the numbers of the status */
    WEIR_INK_ALARM,  /* lost, clipped, errors     */
    WEIR_INK_HOLD,
    WEIR_INK_CURSOR,
    WEIR_INK_COUNT
} weir_ink;

struct weir_view {
    weir_view_config config;
    weir_stream_info stream; /* strings point into strings */
    char strings[4][256];
    char unit[24];
    weir_peak_lobe peak_lobe;

    weir_screen *screen;
    weir_term_caps caps;
    weir_cells *cells; /* NULL: no memory for this size */
    weir_layout layout;

    weir_history *history;
    weir_picture *picture;
    float *traces[WEIR_HELD_COUNT]; /* dB, n_trace each; NULL: no memory       */
    size_t n_trace;                 /* one or (Braille) two for each column    */
    bool has_trace[WEIR_HELD_COUNT];
    float *scratch;
    weir_totals totals;
    weir_spectrum newest; /* of the live trace; n_bins 0: none yet */
    double newest_begin_s;
    weir_view_shared shared;
    weir_split_average *split; /* of the engine's thread, with the next; NULL: none */
    size_t split_bins;
    weir_averages split_of;

    /* What is shown */
    weir_axis axis;
    double full_low_hz, full_high_hz, bin_hz; /* of the spectra */
    bool has_axis;
    bool names_notes; /* on a log axis */
    weir_labels labels;
    bool hides_labels;
    weir_range range;
    size_t colormap_index;
    weir_colormap *own_colormap; /* a file's, the last in turn; NULL: none */
    weir_view_binding bindings[WEIR_BINDINGS_MAX];
    size_t n_bindings;
    weir_pen pens[WEIR_INK_COUNT], bar_pens[WEIR_INK_COUNT];
    weir_color palette[WEIR_PALETTE_LEVELS + 1]; /* the last: a gap */
    bool holds_max, holds_min;
    bool has_spectrum_panel, is_braille, is_offset;
    bool is_paused, has_ended, wants_quit, wants_redraw;
    bool is_stepping;                    /* paused, but what steps bring is shown      */
    bool is_offscreen;                   /* no terminal: no rates, no hints            */
    bool is_in_pixels;                   /* waterfall and traces are painted elsewhere */
    int cell_width, cell_height;         /* pixels, while the terminal is given pictures; else 0 */
    struct weir_view_graphics *graphics; /* what it shows; NULL: none yet */
    bool hides_range_state;              /* the range was fitted, not fixed by a user  */
    weir_persistence_layer persistence_layer;
    weir_persistence_state persistence;
    bool shows_log;
    char log_text[8192]; /* the newest messages, while shown */
    bool loops;
    double speed, gain_db;
    char described[256]; /* what keys set of the source; empty: it is as the stream says */
    weir_note *notes;    /* the config's, owned */
    bool hides_notes;
    uint64_t longest_note; /* samples; 0: not looked for yet */
    weir_prompt prompt;
    char typed[32];           /* so far */
    weir_prompt refused;      /* not asked, for there is nothing to set; */
    int64_t refused_until_ns; /* who types the value all the same till then gives no commands */
    uint64_t lines_per_row;
    bool groups_automatically;
    uint64_t top_line; /* the newest line shown is the one before it */
    size_t help_page;  /* 0: not shown, 1 ... */
    bool has_cursor;
    double cursor_hz;
    weir_view_marker markers[WEIR_MARKERS_MAX];
    size_t n_markers;

    /* The mouse */
    bool wants_mouse, has_mouse; /* has: the terminal was told */
    bool is_pressed, has_dragged;
    double pressed_hz;
    bool is_over_waterfall;
    size_t over_row; /* of the waterfall, from its top */

    char message[256];
    bool message_is_error;
    bool message_is_report; /* not the answer to a key: the next key leaves it */
    int64_t message_until_ns, quiet_until_ns;

    /* What the terminal shows of the waterfall, for scrolling */
    uint64_t shown_pairs;
    bool can_scroll_from_shown;

    /* Rates, measured */
    int64_t second_began_ns, last_frame_ns;
    uint64_t second_lines;
    unsigned second_frames;
    double fps, lines_per_second;
    int64_t second_processor_ns; /* of the process, as the second began           */
    double processor_load;       /* of the process, in cores; negative: not known */
    double gpu_load;             /* 0 to 1; negative: not known, or no GPU       */
    double second_lag_seconds;   /* the longest of this second                    */
    double lag_seconds;          /* of the last second; negative: not known       */
    weir_view_stats stats;
};

/* A view without a terminal: weir_view_open less the screen (tests, pictures). caps must
 * be set before drawing. */
weir_status weir_view_create(weir_view **out, const weir_view_config *config,
                             const weir_stream_info *stream, weir_error *err);
void weir_view_set_caps(weir_view *view, weir_term_caps caps);
/* Draws all panels into view->cells, made for that size; seconds since the last time.
 * False when out of memory. */
bool weir_view_draw(weir_view *view, size_t n_columns, size_t n_rows, float seconds);

/* What weir_view_set_stream brought, if anything. Main thread. */
void weir_view_take_stream(weir_view *view);
/* Likewise of weir_view_set_source. Before the stream's. */
void weir_view_take_source(weir_view *view);
/* Likewise of weir_view_end. */
void weir_view_take_end(weir_view *view);

void weir_view_message(weir_view *view, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

weir_pen weir_view_pen(const weir_view *view, weir_ink ink);
/* The same on the bars of the title and the status. */
weir_pen weir_view_bar_pen(const weir_view *view, weir_ink ink);
/* Rebuild what depends on the terminal's colours, and on the colour map. */
void weir_view_make_pens(weir_view *view);
void weir_view_make_palette(weir_view *view);
const weir_colormap *weir_view_colormap(const weir_view *view);
/* Index into the palette. */
size_t weir_view_shade(const weir_view *view, float level_db);
weir_pixels weir_view_pixels(const weir_view *view);
/* Rows of the picture in a cell. */
uint64_t weir_view_rows_per_cell(const weir_view *view);

/* Brings traces, picture and range up to date with history and axis, seconds after the
 * last time. The layout must have been made. */
void weir_view_take_traces(weir_view *view, float seconds);
/* When a line begins: in a replay by the recording, wherever in it the replay has jumped to; else
 * since the beginning, as the history has it. */
double weir_view_begin_s(const weir_view *view, const weir_spectrum *line, double begin_s);
/* The panels; each draws its rectangle of the layout into the cells. */
void weir_view_draw_title(weir_view *view);
void weir_view_draw_spectrum(weir_view *view);
void weir_view_draw_axis(weir_view *view);
void weir_view_draw_waterfall(weir_view *view);
void weir_view_draw_status(weir_view *view);
void weir_view_draw_help(weir_view *view);
void weir_view_draw_cursor(weir_view *view); /* and the markers, over the spectrum */
/* The "|" between gutter and plot, with a label (ASCII) and a mark at it (label "" = none). */
void weir_view_draw_gutter(weir_view *view, size_t row, const char *label, weir_ink ink);

/* Cursor and markers (view_cursor.c). */
void weir_view_move_cursor(weir_view *view, int columns);
void weir_view_find_peak(weir_view *view, int which); /* 0 highest, 1 next lower, -1 higher */
void weir_view_add_marker(weir_view *view, weir_marker_kind kind);
/* "433.3200 MHz -32.1 dBFS", and the difference to the first marker if there is one.
 * False without a cursor. */
bool weir_view_cursor_text(const weir_view *view, char *text, size_t size);

/* A copy of notes and labels in one piece of memory, for free; NULL: none, or no memory. */
weir_note *weir_notes_copy(const weir_note *notes, size_t n);
void weir_view_draw_notes(weir_view *view);
void weir_view_draw_log(weir_view *view);
bool weir_view_draw_persistence(weir_view *view); /* false: not wanted, or no memory */
void weir_view_free_persistence(weir_view *view);
/* Into the working directory; the message line says the name, or why not. */
void weir_view_save_screenshot(weir_view *view);
void weir_view_save_traces(weir_view *view);

/* What asks something of the rest of the program (view_control.c). */
void weir_view_change_transform(weir_view *view, weir_view_change change, int steps);
/* Pans by a part of the span; at the end of what is received, tunes by it. */
void weir_view_pan_or_tune(weir_view *view, double part);
void weir_view_step_gain(weir_view *view, int steps);
void weir_view_change_speed(weir_view *view, int steps);
void weir_view_seek_by(weir_view *view, double seconds);
void weir_view_toggle_loop(weir_view *view);
void weir_view_toggle_recording(weir_view *view);
void weir_view_change_source(weir_view *view, int steps);
void weir_view_step_replay(weir_view *view);
void weir_view_go_to_note(weir_view *view, int direction);
void weir_view_ask(weir_view *view, weir_prompt prompt);
bool weir_view_prompt_text(const weir_view *view, char *text, size_t size); /* false: none */
bool weir_view_type(weir_view *view, int key); /* false: nothing is being asked */

/* The line of the history under the mouse; false if it is not over one. */
bool weir_view_line_under_mouse(const weir_view *view, uint64_t *line);
void weir_view_take_mouse(weir_view *view, const weir_mouse *mouse);

/* The key table (view_keys.c). */
typedef struct weir_view_command {
    const char *keys; /* as help shows them */
    const char *help;
    void (*run)(weir_view *view, int argument);
    struct {
        int key, argument;
    } bound[4]; /* key 0: unused */
} weir_view_command;
const weir_view_command *weir_view_command_at(size_t index); /* NULL past the end */
/* False: the key does nothing. */
bool weir_view_press(weir_view *view, int key);

/* Pictures in the terminal (view_graphics.c): whether there are any, for the frame to come;
 * their bytes, before the cells' (scrolled: rows that the terminal has moved down). */
void weir_view_graphics_prepare(weir_view *view, const weir_screen_size *size);
void weir_view_graphics_emit(weir_view *view, size_t scrolled, weir_bytes *out);
void weir_view_graphics_forget(weir_view *view); /* the terminal shows none */
void weir_view_graphics_destroy(weir_view *view);

/* Keys of the user's own (view_bindings.c): "h=Left l=Right x=q q=none". */
weir_status weir_view_bind(weir_view *view, const char *text, weir_error *err);
int weir_view_bound_key(const weir_view *view, int key);

/* Frequency axis: the whole span, follow a new axis of the spectra, keep inside. */
void weir_view_axis_reset(weir_view *view);
void weir_view_axis_follow(weir_view *view, const weir_spectrum *spectrum);
void weir_view_axis_zoom(weir_view *view, double factor);
void weir_view_axis_pan(weir_view *view, double part);
/* False where that cannot be (frequencies below zero). */
bool weir_view_axis_set(weir_view *view, weir_view_axis kind);
weir_view_axis weir_view_axis_kind(const weir_view *view);
void weir_view_draw_labels(weir_view *view); /* over the ruler (view_labels.c) */

/* Cell rows' worth of picture rows so far: the waterfall's top cell shows the newest. */
uint64_t weir_view_pairs(const weir_view *view);

#endif
