/* The title and the status line: tables of items, the important ones kept when there
 * is little room. */
#include "display/view_state.h"

#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define ITEMS_MAX 20
#define GAP_COLUMNS 3
#define STATUS_MARKS 2 /* the first of the status: paused, recording */
#define MARKS_FROM_COLUMNS 60
#define MESSAGE_ROWS_MAX 3

typedef enum shown { HIDDEN, PLAIN, ALARM } shown;

typedef struct item {
    const char *label;
    int priority; /* the highest goes first into the room there is */
    shown (*write)(const weir_view *view, char *value, size_t size);
    bool may_be_cut; /* to half the room: a long path must not push out the rest */
} item;

static shown write_source(const weir_view *view, char *value, size_t size)
{
    const char *slash = strrchr(view->stream.source, '/'); /* of a path the name will do */
    weir_snprintf(value, size, "%s", slash && slash[1] ? slash + 1 : view->stream.source);
    return PLAIN;
}

static shown write_description(const weir_view *view, char *value, size_t size)
{
    weir_snprintf(value, size, "%s", view->stream.description);
    return value[0] ? PLAIN : HIDDEN;
}

static shown write_center(const weir_view *view, char *value, size_t size)
{
    double hz = weir_view_center_hz(view);
    weir_format_hz(value, size, hz, 0.0);
    return hz != 0.0 ? PLAIN : HIDDEN;
}

static shown write_rate(const weir_view *view, char *value, size_t size)
{
    weir_format_hz(value, size, weir_view_rate_hz(view), 0.0);
    size_t n = strlen(value);
    if (n > 2 && n < size && strcmp(value + n - 2, "Hz") == 0) {
        memcpy(value + n - 2, "S/s", size - n > 1 ? 4 : 0);
    }
    return PLAIN;
}

static shown write_rbw(const weir_view *view, char *value, size_t size)
{
    double rbw = view->stream.enbw_bins * weir_view_rate_hz(view) / (double)view->stream.n_fft;
    char number[32];
    weir_snprintf(value, size, "%sHz", weir_format_si(number, sizeof number, rbw));
    return PLAIN;
}

static shown write_n(const weir_view *view, char *value, size_t size)
{
    weir_snprintf(value, size, "%zu %s", view->stream.n_fft, view->stream.window);
    return PLAIN;
}

static shown write_overlap(const weir_view *view, char *value, size_t size)
{
    double n_fft = (double)view->stream.n_fft, hop = (double)view->stream.hop;
    double percent = 100.0 * (1.0 - hop / n_fft);
    if (hop > n_fft) {
        weir_snprintf(value, size, "sparse, %.3g %%", 100.0 * n_fft / hop);
        return ALARM; /* samples are passed over */
    }
    weir_snprintf(value, size, "%.3g %%", percent);
    return PLAIN;
}

static void write_average(char *value, size_t size, const char *kind, uint64_t frames,
                          double seconds)
{
    char number[32];
    if (frames) {
        weir_snprintf(value, size, "%s%llu", kind, (unsigned long long)frames);
    } else {
        weir_snprintf(value, size, "%s%ss", kind, weir_format_si(number, sizeof number, seconds));
    }
}

/* Of the lines. */
static shown write_averages(const weir_view *view, char *value, size_t size)
{
    uint64_t frames = view->stream.frames_per_spectrum;
    const weir_averages *apart = &view->stream.averages;
    if (apart->trace.kind != WEIR_TRACE_AS_LINES) {
        write_average(value, size, "line ", apart->line_frames, apart->line_seconds);
    } else if (view->stream.exponential_alpha > 0.0) {
        weir_snprintf(value, size, "exp %.3g", view->stream.exponential_alpha);
    } else if (frames == 0) {
        weir_snprintf(value, size, "all");
    } else {
        weir_snprintf(value, size, "%llu", (unsigned long long)frames);
    }
    return PLAIN;
}

static shown write_trace_average(const weir_view *view, char *value, size_t size)
{
    static const char *const kinds[] = {
        [WEIR_TRACE_AS_LINES] = "",
        [WEIR_TRACE_MEAN_OF] = "mean ",
        [WEIR_TRACE_EXPONENTIAL] = "exp ",
    };
    const weir_trace_average *trace = &view->stream.averages.trace;
    write_average(value, size, kinds[trace->kind], trace->frames, trace->seconds);
    return trace->kind == WEIR_TRACE_AS_LINES ? HIDDEN : PLAIN;
}

static shown write_engine(const weir_view *view, char *value, size_t size)
{
    weir_snprintf(value, size, "%s", view->stream.engine);
    return value[0] && !view->is_offscreen ? PLAIN : HIDDEN; /* a picture is of the signal */
}

static shown write_fps(const weir_view *view, char *value, size_t size)
{
    weir_snprintf(value, size, "%2.0f", view->fps);
    return view->is_offscreen ? HIDDEN : PLAIN;
}

static shown write_load(const weir_view *view, char *value, size_t size)
{
    weir_snprintf(value, size, "%.0f %%", 100.0 * view->processor_load);
    return view->is_offscreen || view->processor_load < 0.0 ? HIDDEN : PLAIN;
}

static shown write_gpu_load(const weir_view *view, char *value, size_t size)
{
    weir_snprintf(value, size, "%.0f %%", 100.0 * view->gpu_load);
    return view->is_offscreen || view->gpu_load < 0.0 ? HIDDEN : PLAIN;
}

static shown write_latency(const weir_view *view, char *value, size_t size)
{
    bool is_long = view->lag_seconds >= 9.9995;
    weir_snprintf(value, size, is_long ? "%.0f s" : "%.0f ms",
                  is_long ? view->lag_seconds : 1e3 * view->lag_seconds);
    return view->lag_seconds < 0.0 || view->is_paused || view->has_ended ? HIDDEN : PLAIN;
}

static shown write_time(const weir_view *view, char *value, size_t size)
{
    if (!view->newest.n_bins || !(weir_view_rate_hz(view) > 0.0)) {
        return HIDDEN;
    }
    double samples = (double)(view->newest.end_sample - view->newest.first_sample);
    double begin_s = weir_view_begin_s(view, &view->newest, view->newest_begin_s);
    weir_format_seconds(value, size, begin_s + samples / weir_view_rate_hz(view), 0.1);
    return PLAIN;
}

static shown write_utc(const weir_view *view, char *value, size_t size)
{
    if (!view->newest.n_bins || view->newest.time_unix_ns == INT64_MIN) {
        return HIDDEN;
    }
    weir_format_utc(value, size, view->newest.time_unix_ns, 1);
    return PLAIN;
}

static void write_samples(char *value, size_t size, uint64_t samples)
{
    if (samples < 10000) {
        weir_snprintf(value, size, "%llu", (unsigned long long)samples);
        return;
    }
    weir_format_si(value, size, (double)samples);
}

static shown write_received(const weir_view *view, char *value, size_t size)
{
    write_samples(value, size, view->totals.received);
    return PLAIN;
}

static shown write_lost(const weir_view *view, char *value, size_t size)
{
    write_samples(value, size, view->totals.lost);
    return view->totals.lost ? ALARM : PLAIN;
}

static shown write_clipped(const weir_view *view, char *value, size_t size)
{
    write_samples(value, size, view->totals.clipped);
    return view->totals.clipped ? ALARM : PLAIN;
}

static shown write_bad(const weir_view *view, char *value, size_t size)
{
    write_samples(value, size, view->totals.nonfinite);
    return view->totals.nonfinite ? ALARM : HIDDEN;
}

static shown write_state(const weir_view *view, char *value, size_t size)
{
    const weir_view_actions *actions = &view->config.actions;
    bool is_over = view->has_ended || (actions->at_end && actions->at_end(actions->user));
    weir_snprintf(value, size, "%s", view->is_paused ? "PAUSED" : is_over ? "END" : "");
    return value[0] && !view->is_offscreen ? ALARM : HIDDEN;
}

/* "REC 0:12 57.6 MB" */
static shown write_recording(const weir_view *view, char *value, size_t size)
{
    weir_view_recording now;
    char bytes[32], seconds[32];
    const weir_view_actions *actions = &view->config.actions;
    if (!actions->recording || !actions->recording(actions->user, &now)) {
        return HIDDEN;
    }
    weir_snprintf(value, size, "REC %s %sB",
                  weir_format_seconds(seconds, sizeof seconds, now.seconds, 1.0),
                  weir_format_si(bytes, sizeof bytes, (double)now.n_bytes));
    return ALARM;
}

static shown write_cursor(const weir_view *view, char *value, size_t size)
{
    return weir_view_cursor_text(view, value, size) ? PLAIN : HIDDEN;
}

static shown write_range(const weir_view *view, char *value, size_t size)
{
    weir_snprintf(value, size, "%.0f..%.0f %s%s", (double)view->range.low_db,
                  (double)view->range.high_db, view->unit,
                  view->range.is_automatic || view->hides_range_state ? "" : " fixed");
    return PLAIN;
}

static shown write_speed(const weir_view *view, char *value, size_t size)
{
    char number[16] = "max";
    if (view->speed > 0.0) {
        weir_snprintf(number, sizeof number, "%.4g", view->speed);
    }
    weir_snprintf(value, size, "%s%s", number, view->loops ? " looped" : "");
    return view->config.is_replay && (view->speed != 1.0 || view->loops) ? PLAIN : HIDDEN;
}

static shown write_place(const weir_view *view, char *value, size_t size)
{
    const weir_view_actions *actions = &view->config.actions;
    if (!view->config.is_replay || !actions->position || view->has_ended) {
        return HIDDEN;
    }
    weir_format_seconds(value, size, actions->position(actions->user), 0.1);
    return PLAIN;
}

static shown write_hint(const weir_view *view, char *value, size_t size)
{
    weir_snprintf(value, size, view->layout.n_columns < 40 ? "? help" : "? help  q quit");
    return view->is_offscreen ? HIDDEN : PLAIN;
}

static const item title_items[] = {
    {"", 100, write_source, true},
    {"", 10, write_description, false},
    {"centre", 60, write_center, false},
    {"rate", 90, write_rate, false},
    {"RBW", 80, write_rbw, false},
    {"N", 70, write_n, false},
    {"overlap", 50, write_overlap, false},
    {"averages", 40, write_averages, false},
    {"trace", 39, write_trace_average, false},
};

static const item status_items[] = {
    {"", 100, write_state, false},
    {"", 98, write_recording, false},
    {"cursor", 99, write_cursor, false},
    {"", 30, write_time, false},
    {"", 25, write_utc, false},
    {"received", 60, write_received, false},
    {"lost", 97, write_lost, false},
    {"clipped", 80, write_clipped, false},
    {"not finite", 85, write_bad, false},
    {"range", 50, write_range, false},
    {"place", 45, write_place, false},
    {"speed", 55, write_speed, false},
    {"latency", 38, write_latency, false},
    {"GPU", 37, write_gpu_load, false},
    {"CPU", 36, write_load, false},
    {"fps", 20, write_fps, false},
    {"engine", 40, write_engine, false},
    {"", 95, write_hint, false},
};

typedef struct placed {
    char value[256];
    shown how;
    size_t n_columns;
    bool is_in;
} placed;

static size_t width_of(const item *i, const char *value)
{
    size_t label = weir_text_columns(i->label);
    return label + (label > 0) + weir_text_columns(value);
}

/* Takes items by priority while they fit, some columns apart. Returns columns used. */
static size_t choose(const item *items, size_t n, size_t room, placed *places)
{
    size_t used = 0;
    for (;;) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) {
            bool is_open = !places[i].is_in && places[i].how != HIDDEN;
            if (is_open && (best == n || items[i].priority > items[best].priority)) {
                best = i;
            }
        }
        if (best == n) {
            return used;
        }
        size_t wanted = places[best].n_columns + (used > 0 ? GAP_COLUMNS : 0);
        if (used + wanted <= room) {
            places[best].is_in = true;
            used += wanted;
        } else if (used == 0) { /* the most important one is cut, not left out */
            places[best].is_in = true;
            places[best].n_columns = room;
            return room;
        } else {
            places[best].how = HIDDEN;
        }
    }
}

static void draw_item(weir_view *view, const item *i, const placed *place, size_t column,
                      size_t row)
{
    size_t end = column + place->n_columns;
    bool is_strong = i->label[0] || i->may_be_cut;
    weir_ink ink = place->how == ALARM ? WEIR_INK_ALARM
                   : is_strong         ? WEIR_INK_STRONG
                                       : WEIR_INK_TEXT;
    bool is_cut = width_of(i, place->value) > place->n_columns; /* what is left is the value's */
    if (i->label[0] && !is_cut) {
        column += weir_cells_text(view->cells, column, row, end - column, i->label,
                                  weir_view_bar_pen(view, WEIR_INK_FAINT));
        column++;
    }
    if (column < end) {
        weir_cells_text(view->cells, column, row, end - column, place->value,
                        weir_view_bar_pen(view, ink));
    }
}

/* Returns the columns used. */
static size_t draw_items(weir_view *view, const weir_rect *rect, const item *items, size_t n,
                         bool last_at_right)
{
    placed places[ITEMS_MAX] = {0};
    size_t room = rect->n_columns > 2 ? rect->n_columns - 2 : 0;
    for (size_t i = 0; i < n; i++) {
        places[i].how = items[i].write(view, places[i].value, sizeof places[i].value);
        places[i].n_columns = width_of(&items[i], places[i].value);
        if (items[i].may_be_cut && places[i].n_columns > room / 2) {
            places[i].n_columns = room / 2;
        }
    }
    size_t used = choose(items, n, room, places);
    size_t column = rect->column + 1, end = column + room;
    for (size_t i = 0; i < n; i++) {
        if (!places[i].is_in) {
            continue;
        }
        if (last_at_right && i == n - 1) {
            column = end - places[i].n_columns;
        }
        draw_item(view, &items[i], &places[i], column, rect->row);
        column += places[i].n_columns + GAP_COLUMNS;
    }
    return used;
}

static void draw_bar(weir_view *view, const weir_rect *rect)
{
    weir_cells_fill(view->cells, rect->column, rect->row, rect->n_columns, rect->n_rows, ' ',
                    weir_view_bar_pen(view, WEIR_INK_TEXT));
}

void weir_view_draw_title(weir_view *view)
{
    if (view->layout.title.n_rows > 0) {
        draw_bar(view, &view->layout.title);
        draw_items(view, &view->layout.title, title_items, sizeof title_items / sizeof *title_items,
                   false);
    }
}

/* Rows that words need in so many columns, 3 at most. A picture's rows are not ours to write on. */
static size_t rows_for(const weir_view *view, const char *words, size_t n_columns)
{
    size_t n = 0;
    for (; *words && n < MESSAGE_ROWS_MAX && n_columns > 0; n++) {
        words += weir_text_fit(words, n_columns);
    }
    bool is_roomy = view->layout.waterfall.n_rows > MESSAGE_ROWS_MAX && !view->is_in_pixels;
    return n > 1 && is_roomy ? n : 1;
}

static const char *last_columns(const char *text, size_t n_columns)
{
    while (weir_text_columns(text) > n_columns) {
        uint32_t glyph;
        text += weir_text_next(text, &glyph);
    }
    return text;
}

/* In the place of the items, but for those that nothing may hide; upwards where they are long. */
static void draw_words(weir_view *view, const weir_rect *rect, const char *words, weir_ink ink)
{
    weir_rect bar = *rect, left = *rect;
    size_t column = rect->column + 1;
    if (rect->n_columns >= MARKS_FROM_COLUMNS) {
        left.n_columns /= 2;
        size_t used = draw_items(view, &left, status_items, STATUS_MARKS, false);
        column += used > 0 ? used + GAP_COLUMNS : 0;
    }
    size_t room = rect->column + rect->n_columns - 1 - column;
    bar.n_rows = rows_for(view, words, room) - 1;
    bar.row -= bar.n_rows;
    draw_bar(view, &bar);
    for (; bar.row < rect->row; bar.row++) {
        char line[256];
        size_t n = weir_text_fit(words, room);
        weir_snprintf(line, sizeof line, "%.*s", (int)n, words);
        weir_cells_text(view->cells, column, bar.row, room, line, weir_view_bar_pen(view, ink));
        words += n;
    }
    if (view->prompt != WEIR_PROMPT_NONE) {
        words = last_columns(words, room); /* what is being typed */
    }
    weir_cells_text(view->cells, column, rect->row, room, words, weir_view_bar_pen(view, ink));
}

void weir_view_draw_status(weir_view *view)
{
    const weir_rect *rect = &view->layout.status;
    char question[96];
    draw_bar(view, rect);
    if (weir_view_prompt_text(view, question, sizeof question)) {
        draw_words(view, rect, question, WEIR_INK_STRONG);
        return;
    }
    if (view->message[0]) {
        draw_words(view, rect, view->message,
                   view->message_is_error ? WEIR_INK_ALARM : WEIR_INK_STRONG);
        return;
    }
    draw_items(view, rect, status_items, sizeof status_items / sizeof *status_items, true);
}
