/* What a recording's metadata say of places in it, drawn on the waterfall: brackets at the
 * frequencies, the label where it begins. */
#include "display/view_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_IN_A_ROW 32
#define LEAST_LABEL 4 /* columns of one that is cut */

weir_note *weir_notes_copy(const weir_note *notes, size_t n)
{
    size_t bytes = n * sizeof *notes;
    for (size_t i = 0; i < n; i++) {
        bytes += notes[i].label ? strlen(notes[i].label) + 1 : 0;
    }
    weir_note *copy = n > 0 ? malloc(bytes) : NULL;
    char *label = copy ? (char *)(copy + n) : NULL;
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = notes[i];
        if (notes[i].label) {
            size_t length = strlen(notes[i].label) + 1;
            copy[i].label = memcpy(label, notes[i].label, length);
            label += length;
        }
    }
    return copy;
}

/* The first note that may reach a place: they are sorted by their begin. */
static size_t first_note(const weir_view *view, uint64_t place)
{
    uint64_t longest = view->longest_note;
    uint64_t from = place > longest ? place - longest : 0;
    size_t low = 0, high = view->config.n_notes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (view->config.notes[middle].first_sample < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static size_t column_in(const weir_view *view, double hz)
{
    const weir_rect *rect = &view->layout.waterfall;
    double column = floor(weir_axis_column(&view->axis, rect->n_columns, hz));
    return rect->column + (size_t)fmin(fmax(column, 0.0), (double)rect->n_columns - 1.0);
}

/* What of the recording a row shows: up to where the row above it begins, or as long as its lines
 * are. */
typedef struct stretch {
    uint64_t from, end;
    bool is_first; /* the lines before it are not below: notes under way begin here */
} stretch;

/* Columns of a row that labels have taken. */
typedef struct taken {
    size_t first[LABELS_IN_A_ROW], end[LABELS_IN_A_ROW];
    size_t n;
} taken;

/* Not where it would cover one that is there, or what is left of it says nothing. */
static void draw_label(weir_view *view, taken *row, size_t screen_row, size_t from,
                       const char *label)
{
    const weir_rect *rect = &view->layout.waterfall;
    size_t end = rect->column + rect->n_columns, length = weir_text_columns(label);
    bool fits = row->n < LABELS_IN_A_ROW;
    for (size_t i = 0; fits && i < row->n; i++) {
        fits = from < row->first[i] || from > row->end[i];
        end = from < row->first[i] && row->first[i] - 1 < end ? row->first[i] - 1 : end;
    }
    size_t room = end > from ? end - from : 0;
    if (!fits || length == 0 || (room < length && room < LEAST_LABEL)) {
        return;
    }
    row->first[row->n] = from;
    row->end[row->n++] = from + weir_cells_text(view->cells, from, screen_row, room, label,
                                                weir_view_pen(view, WEIR_INK_CURSOR));
}

static void draw_bar(weir_view *view, const taken *row, size_t screen_row, size_t column)
{
    for (size_t i = 0; i < row->n; i++) {
        if (column >= row->first[i] && column < row->end[i]) {
            return;
        }
    }
    weir_cells_put(view->cells, column, screen_row, view->caps.is_utf8 ? 0x2502 : '|',
                   weir_view_pen(view, WEIR_INK_CURSOR));
}

/* A note in the row of cells that shows places [from, end). */
static void draw_note(weir_view *view, const weir_note *note, taken *row, size_t screen_row,
                      const stretch *shown)
{
    double low = isnan(note->low_hz) ? view->axis.low_hz : note->low_hz;
    double high = isnan(note->high_hz) ? view->axis.high_hz : note->high_hz;
    bool begins =
        (shown->is_first || note->first_sample >= shown->from) && note->first_sample < shown->end;
    if (high <= view->axis.low_hz || low >= view->axis.high_hz) {
        return;
    }
    size_t left = column_in(view, low), right = column_in(view, high);
    draw_bar(view, row, screen_row, left);
    draw_bar(view, row, screen_row, right);
    if (begins && note->label) {
        draw_label(view, row, screen_row, left + 1, note->label);
    }
}

static stretch stretch_of(const weir_view *view, const weir_picture_row *row, uint64_t lines,
                          const stretch *above)
{
    const weir_view_actions *actions = &view->config.actions;
    stretch s = {.from = row->info.first_sample};
    if (actions->place_of) {
        s.from = actions->place_of(actions->user, s.from);
    }
    s.end = s.from + (row->info.end_sample - row->info.first_sample) * lines;
    if (above->from > s.from && above->from < s.end) {
        s.end = above->from;
    }
    return s;
}

/* The stretch of a pair of rows; false where there is none. */
static bool find_stretch(weir_view *view, uint64_t pair, const stretch *above, stretch *shown)
{
    uint64_t per_cell = weir_view_rows_per_cell(view);
    weir_picture_row row;
    if (!weir_picture_get(view->picture, view->history, &view->stream.scale, pair * per_cell,
                          &row) ||
        row.is_gap) {
        return false;
    }
    *shown = stretch_of(view, &row, per_cell * view->lines_per_row, above);
    return true;
}

/* After a jump of the replay, that is. */
static bool does_not_follow(const stretch *shown, const stretch *below)
{
    return below->from > shown->from || below->end + (shown->end - shown->from) < shown->from;
}

static void draw_row(weir_view *view, size_t screen_row, const stretch *shown)
{
    taken row = {.n = 0};
    for (size_t i = first_note(view, shown->from); i < view->config.n_notes; i++) {
        const weir_note *note = &view->config.notes[i];
        if (note->first_sample >= shown->end) {
            break;
        }
        if (note->first_sample + note->n_samples >= shown->from) {
            draw_note(view, note, &row, screen_row, shown);
        }
    }
}

void weir_view_draw_notes(weir_view *view)
{
    const weir_rect *rect = &view->layout.waterfall;
    uint64_t pairs = weir_view_pairs(view);
    if (view->hides_notes || view->config.n_notes == 0) {
        return;
    }
    for (size_t i = 0; view->longest_note == 0 && i < view->config.n_notes; i++) {
        uint64_t n = view->config.notes[i].n_samples;
        view->longest_note = n > view->longest_note ? n : view->longest_note;
    }
    stretch shown = {0}, below = {0};
    bool is_there = pairs > 0 && find_stretch(view, pairs - 1, &shown, &below);
    for (uint64_t r = 0; r < rect->n_rows && r < pairs; r++) {
        bool is_shown = is_there;
        uint64_t pair = pairs - 1 - r;
        shown = is_there ? below : shown;
        is_there = pair > 0 && find_stretch(view, pair - 1, &shown, &below);
        shown.is_first = pair == 0 || (is_there && does_not_follow(&shown, &below));
        if (is_shown) {
            draw_row(view, rect->row + (size_t)r, &shown);
        }
    }
}
