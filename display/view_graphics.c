/* The waterfall and the traces as pictures in the terminal, at the resolution of its pixels.
 *
 * Sixels lie among the cells and move with them: a row of cells of the waterfall is a picture,
 * the terminal scrolls, and only the newest row is sent, a few lines at a time. Kitty's pictures
 * lie behind the text and have names: strips of some lines each, which are moved down by a line
 * with every line that comes. Either way each pixel of the waterfall is sent about once. The
 * traces are a picture that is sent whole, as often as its bytes allow.
 *
 * Help and messages are text on the bare screen: pictures would cover them, or shine through. */
#include "base/clock.h"
#include "display/view_paint.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRIP_LINES 8            /* of kitty's strips */
#define STEPS_PER_CELL 6         /* how often sixels of a row that fills are sent */
#define TRACES_NAME 1            /* kitty's names */
#define STRIP_NAME 16            /* and what follows, in a ring */
#define TRACES_PER_SECOND 25     /* at most */
#define TRACES_BYTES_PER_S 400e3 /* likewise */
#define LEAST_CELL 4
#define MOST_CELL 100

/* A picture of the waterfall that the terminal shows: lines [n * size, n * size + n_lines). */
typedef struct strip {
    uint64_t n;
    size_t n_lines; /* 0: none */
    int64_t y;      /* pixels down the panel; kitty's only */
} strip;

/* What all pixels depend on; anything else there, and they are drawn anew. */
typedef struct look {
    weir_axis axis;
    float low_db, high_db;
    size_t colormap_index;
    uint64_t lines_per_row;
} look;

/* What the places depend on; anything else there, and the screen is cleared first. */
typedef struct frame {
    weir_rect spectrum, waterfall;
    int cell_width, cell_height;
    weir_graphics kind;
    bool has_traces, is_hidden;
} frame;

struct weir_view_graphics {
    weir_picture *lines; /* as wide as the pixels */
    strip *strips;       /* sixels: by row; kitty: by number, in a ring */
    size_t n_strips;
    look look;
    frame frame;
    int64_t traces_due_ns;
    bool has_traces;   /* are on the screen */
    weir_bytes traces; /* their pixels */
    weir_bytes work;
};

static bool same_rect(const weir_rect *a, const weir_rect *b)
{
    return a->column == b->column && a->row == b->row && a->n_columns == b->n_columns &&
           a->n_rows == b->n_rows;
}

static bool same_frame(const frame *a, const frame *b)
{
    return same_rect(&a->spectrum, &b->spectrum) && same_rect(&a->waterfall, &b->waterfall) &&
           a->cell_width == b->cell_width && a->cell_height == b->cell_height &&
           a->kind == b->kind && a->has_traces == b->has_traces && a->is_hidden == b->is_hidden;
}

static bool same_look(const look *a, const look *b)
{
    return a->axis.low_hz == b->axis.low_hz && a->axis.high_hz == b->axis.high_hz &&
           a->axis.is_log == b->axis.is_log && a->low_db == b->low_db && a->high_db == b->high_db &&
           a->colormap_index == b->colormap_index && a->lines_per_row == b->lines_per_row;
}

static look look_of(const weir_view *view)
{
    return (look){view->axis, view->range.low_db, view->range.high_db, view->colormap_index,
                  view->lines_per_row};
}

static frame frame_of(const weir_view *view)
{
    const weir_layout *layout = &view->layout;
    return (frame){
        .spectrum = layout->spectrum,
        .waterfall = layout->waterfall,
        .cell_width = view->cell_width,
        .cell_height = view->cell_height,
        .kind = view->caps.graphics,
        .has_traces =
            layout->spectrum.n_rows > 0 && view->persistence_layer == WEIR_PERSISTENCE_OFF,
        .is_hidden = view->help_page > 0 || view->shows_log || layout->is_too_small,
    };
}

void weir_view_graphics_prepare(weir_view *view, const weir_screen_size *size)
{
    bool is_sane = size->cell_width >= LEAST_CELL && size->cell_width <= MOST_CELL &&
                   size->cell_height >= LEAST_CELL && size->cell_height <= MOST_CELL;
    bool is_on = view->caps.graphics != WEIR_GRAPHICS_NONE && is_sane;
    view->cell_width = is_on ? size->cell_width : 0;
    view->cell_height = is_on ? size->cell_height : 0;
    view->is_in_pixels = is_on;
    if (is_on && !view->graphics) {
        view->graphics = calloc(1, sizeof *view->graphics);
    }
    view->is_in_pixels &= view->graphics != NULL;
}

void weir_view_graphics_destroy(weir_view *view)
{
    if (view->graphics) {
        weir_picture_destroy(view->graphics->lines);
        free(view->graphics->strips);
        weir_bytes_free(&view->graphics->traces);
        weir_bytes_free(&view->graphics->work);
        free(view->graphics);
        view->graphics = NULL;
    }
}

static void forget_strips(struct weir_view_graphics *g)
{
    for (size_t i = 0; i < g->n_strips; i++) {
        g->strips[i] = (strip){0};
    }
}

/* They are on the screen, but no longer right: kitty's go away, sixels are written over. */
static void outdate_strips(weir_view *view, weir_bytes *out)
{
    struct weir_view_graphics *g = view->graphics;
    for (size_t i = 0; i < g->n_strips; i++) {
        if (g->strips[i].n_lines > 0 && view->caps.graphics == WEIR_GRAPHICS_KITTY) {
            weir_kitty_drop(STRIP_NAME + (unsigned)i, out);
            g->strips[i] = (strip){0};
        }
        g->strips[i].n = UINT64_MAX; /* no row has this number */
    }
}

void weir_view_graphics_forget(weir_view *view)
{
    if (view->graphics) {
        forget_strips(view->graphics);
        view->graphics->has_traces = false;
        view->graphics->traces_due_ns = 0;
    }
}

/* Room for the pictures of this frame; false when out of memory. */
static bool make_room(weir_view *view)
{
    struct weir_view_graphics *g = view->graphics;
    const weir_rect *rect = &view->layout.waterfall;
    size_t n_lines = rect->n_rows * (size_t)view->cell_height;
    size_t wanted =
        view->caps.graphics == WEIR_GRAPHICS_KITTY ? n_lines / STRIP_LINES + 3 : rect->n_rows;
    if (!g->lines) {
        g->lines = weir_picture_create();
    }
    if (wanted != g->n_strips) {
        free(g->strips);
        g->strips = calloc(wanted, sizeof *g->strips);
        g->n_strips = g->strips ? wanted : 0;
    }
    return g->lines && g->strips &&
           weir_picture_set(g->lines, &view->axis, rect->n_columns * (size_t)view->cell_width,
                            n_lines + 2, view->lines_per_row);
}

/* Lines that are whole. */
static uint64_t lines_done(const weir_view *view)
{
    return view->top_line / view->lines_per_row;
}

/* Lines [from, from + n), the newest on top; places of lines that have yet to come are left. */
static void paint_strip(weir_painting *p, uint64_t from, size_t n, size_t height)
{
    weir_view *view = p->view;
    memset(p->canvas.pixels, 255, (size_t)p->canvas.width * height);
    for (size_t i = 0; i < n; i++) {
        weir_picture_row row;
        if (weir_picture_get(view->graphics->lines, view->history, &view->stream.scale, from + i,
                             &row)) {
            weir_paint_levels(p, row.levels_db, row.is_gap, 0, (int)(height - 1 - i));
        }
    }
}

static weir_image image_of(const weir_painting *p, size_t n_rows)
{
    return (weir_image){&p->canvas, (int)n_rows, p->palette, p->n_colors};
}

static void emit_place(weir_bytes *out, size_t column, size_t row)
{
    weir_bytes_text(out, "\033[");
    weir_bytes_decimal(out, (unsigned)row + 1);
    weir_bytes_text(out, ";");
    weir_bytes_decimal(out, (unsigned)column + 1);
    weir_bytes_text(out, "H");
}

/* ---- sixels ---- */

/* The upper rows of the canvas, in pieces of whole cells that every terminal takes. */
static void emit_sixels(weir_painting *p, size_t n_rows, size_t column, size_t row, weir_bytes *out)
{
    weir_image image = image_of(p, n_rows);
    int most = WEIR_SIXEL_MOST_WIDTH / p->cell_width * p->cell_width, width = (int)p->n_pixels;
    for (int x = 0; x < width; x += most) {
        emit_place(out, column + (size_t)(x / p->cell_width), row);
        weir_sixel_encode(&image, x, width - x < most ? width - x : most, &p->view->graphics->work,
                          out);
    }
}

/* The rows moved down by the terminal, with what they show. */
static void scroll_strips(struct weir_view_graphics *g, size_t scrolled)
{
    size_t n = scrolled < g->n_strips ? scrolled : g->n_strips;
    memmove(g->strips + n, g->strips, (g->n_strips - n) * sizeof *g->strips);
    for (size_t i = 0; i < n; i++) {
        g->strips[i] = (strip){0};
    }
}

/* A row of cells that fills is sent now and then, since all of it is sent. */
static bool is_worth_sending(const strip *shown, const strip *wanted, size_t per_cell)
{
    size_t step = per_cell / STEPS_PER_CELL + 1;
    return shown->n != wanted->n || shown->n_lines > wanted->n_lines || shown->n_lines == 0 ||
           wanted->n_lines == per_cell || wanted->n_lines >= shown->n_lines + step;
}

static void emit_sixel_row(weir_painting *p, size_t r, strip wanted, bool is_torn, weir_bytes *out)
{
    weir_view *view = p->view;
    struct weir_view_graphics *g = view->graphics;
    const weir_rect *rect = &view->layout.waterfall;
    size_t height = (size_t)p->cell_height;
    strip *shown = &g->strips[r];
    bool is_same = shown->n == wanted.n && shown->n_lines == wanted.n_lines;
    if (wanted.n_lines == 0 ||
        (!is_torn && (is_same || !is_worth_sending(shown, &wanted, height)))) {
        if (wanted.n_lines == 0 && shown->n_lines > 0) {
            weir_cells_blank(view->cells, rect->column, rect->row + r, rect->n_columns, true, out);
            *shown = wanted;
        }
        return;
    }
    if (shown->n_lines > 0 && wanted.n_lines < height && !(shown->n == wanted.n)) {
        weir_cells_blank(view->cells, rect->column, rect->row + r, rect->n_columns, true, out);
    }
    paint_strip(p, wanted.n * height, wanted.n_lines, height);
    emit_sixels(p, height, rect->column, rect->row + r, out);
    weir_cells_rewrite(view->cells, rect->column, rect->row + r, rect->n_columns);
    *shown = wanted;
}

static void emit_sixel_rows(weir_painting *p, weir_bytes *out)
{
    weir_view *view = p->view;
    const weir_rect *rect = &view->layout.waterfall;
    uint64_t height = (uint64_t)p->cell_height, pairs = weir_view_pairs(view);
    uint64_t done = lines_done(view);
    for (size_t r = 0; r < rect->n_rows; r++) {
        strip wanted = {0};
        if (r < pairs && (pairs - 1 - r) * height < done) {
            wanted.n = pairs - 1 - r;
            uint64_t left = done - wanted.n * height;
            wanted.n_lines = (size_t)(left < height ? left : height);
        }
        bool is_torn =
            weir_cells_blank(view->cells, rect->column, rect->row + r, rect->n_columns, false, out);
        emit_sixel_row(p, r, wanted, is_torn, out);
    }
}

/* ---- kitty ---- */

static void show_strip(weir_painting *p, unsigned name, int64_t y, size_t n_lines, weir_bytes *out)
{
    const weir_rect *rect = &p->view->layout.waterfall;
    int64_t height = (int64_t)rect->n_rows * p->cell_height, left = height - y;
    weir_kitty_place place = {.name = name,
                              .column = rect->column,
                              .row = rect->row + (size_t)(y / p->cell_height),
                              .y = (int)(y % p->cell_height),
                              .width = (int)p->n_pixels,
                              .height = left < (int64_t)n_lines ? (int)left : (int)n_lines};
    weir_kitty_show(&place, out);
}

/* Strip k has lines k * STRIP_LINES on; the newest line is on top of the panel. */
static void emit_kitty_strip(weir_painting *p, uint64_t k, uint64_t done, weir_bytes *out)
{
    struct weir_view_graphics *g = p->view->graphics;
    assert(g->n_strips > 0); /* make_room */
    size_t slot = (size_t)(k % g->n_strips);
    strip *shown = &g->strips[slot];
    unsigned name = STRIP_NAME + (unsigned)slot;
    uint64_t from = k * STRIP_LINES, left = done - from;
    size_t n_lines = (size_t)(left < STRIP_LINES ? left : STRIP_LINES);
    int64_t y = (int64_t)(done - from - n_lines);
    bool is_sent = shown->n == k && shown->n_lines == n_lines;
    if (is_sent && shown->y == y) {
        return;
    }
    if (!is_sent) {
        paint_strip(p, from, n_lines, n_lines);
        weir_image image = image_of(p, n_lines);
        if (!weir_kitty_send(&image, name, &g->work, out)) {
            return;
        }
    }
    show_strip(p, name, y, n_lines, out);
    *shown = (strip){k, n_lines, y};
}

static void emit_kitty_strips(weir_painting *p, weir_bytes *out)
{
    weir_view *view = p->view;
    struct weir_view_graphics *g = view->graphics;
    uint64_t done = lines_done(view), height = view->layout.waterfall.n_rows;
    height *= (uint64_t)p->cell_height;
    uint64_t oldest = done > height ? done - height : 0;
    uint64_t first = oldest / STRIP_LINES, end = (done + STRIP_LINES - 1) / STRIP_LINES;
    for (size_t i = 0; i < g->n_strips; i++) {
        strip *s = &g->strips[i];
        if (s->n_lines > 0 && (s->n < first || s->n >= end)) {
            weir_kitty_drop(STRIP_NAME + (unsigned)i, out);
            *s = (strip){0};
        }
    }
    for (uint64_t k = first; k < end; k++) {
        emit_kitty_strip(p, k, done, out);
    }
}

/* ---- the traces ---- */

/* Lines and dots become part of the picture, under the traces; letters stay letters, on the
 * picture's ground and not on the terminal's, which may be light. */
static void move_mark(weir_painting *p, size_t c, size_t r, weir_color ground)
{
    const weir_rect *rect = &p->view->layout.spectrum;
    size_t column = rect->column + c, row = rect->row + r;
    weir_cell cell = weir_cells_at(p->view->cells, column, row);
    if (weir_paint_is_drawing(cell.glyph)) {
        weir_paint_glyph(p, (int)c * p->cell_width, (int)r * p->cell_height, cell.glyph,
                         weir_painting_color(p, cell.pen.fg, false));
        weir_cells_put(p->view->cells, column, row, ' ', (weir_pen){0});
    } else if (cell.glyph > ' ' && cell.pen.bg == WEIR_COLOR_DEFAULT) {
        cell.pen.bg = ground;
        weir_cells_put(p->view->cells, column, row, cell.glyph, cell.pen);
    }
}

static void move_marks(weir_painting *p)
{
    const weir_rect *rect = &p->view->layout.spectrum;
    weir_color ground = weir_color_reduce(p->palette[0], p->view->caps.color);
    for (size_t r = 0; r < rect->n_rows; r++) {
        for (size_t c = 0; c < rect->n_columns; c++) {
            move_mark(p, c, r, ground);
        }
    }
}

/* False: the pixels are those on the screen. */
static bool take_new_traces(weir_painting *p, size_t height)
{
    weir_bytes *last = &p->view->graphics->traces;
    size_t n = (size_t)p->canvas.width * height;
    if (p->view->graphics->has_traces && last->size == n &&
        memcmp(last->data, p->canvas.pixels, n) == 0) {
        return false;
    }
    weir_bytes_clear(last);
    weir_bytes_append(last, p->canvas.pixels, n);
    return true;
}

static void send_traces(weir_painting *p, bool is_torn, weir_bytes *out)
{
    weir_view *view = p->view;
    struct weir_view_graphics *g = view->graphics;
    const weir_rect *rect = &view->layout.spectrum;
    size_t height = rect->n_rows * (size_t)p->cell_height;
    weir_paint_spectrum(p, 0, 0);
    if (!take_new_traces(p, height) && !is_torn) {
        return;
    }
    if (view->caps.graphics == WEIR_GRAPHICS_SIXEL) {
        emit_sixels(p, height, rect->column, rect->row, out);
        for (size_t r = 0; r < rect->n_rows; r++) {
            weir_cells_rewrite(view->cells, rect->column, rect->row + r, rect->n_columns);
        }
    } else {
        weir_image image = image_of(p, height);
        weir_kitty_place place = {.name = TRACES_NAME,
                                  .column = rect->column,
                                  .row = rect->row,
                                  .width = (int)p->n_pixels,
                                  .height = (int)height};
        if (weir_kitty_send(&image, TRACES_NAME, &g->work, out)) {
            weir_kitty_show(&place, out);
        }
    }
    g->has_traces = true;
}

/* Where text has gone from a sixel picture there is a hole, so that it is sent at once. */
static void emit_traces(weir_painting *p, weir_bytes *out)
{
    weir_view *view = p->view;
    struct weir_view_graphics *g = view->graphics;
    const weir_rect *rect = &view->layout.spectrum;
    int64_t now = weir_now_ns();
    bool is_torn = !g->has_traces;
    move_marks(p);
    for (size_t r = 0; view->caps.graphics == WEIR_GRAPHICS_SIXEL && r < rect->n_rows; r++) {
        is_torn |=
            weir_cells_blank(view->cells, rect->column, rect->row + r, rect->n_columns, false, out);
    }
    if (!is_torn && now < g->traces_due_ns) {
        return;
    }
    size_t before = out->size;
    send_traces(p, is_torn, out);
    double seconds =
        fmax((double)(out->size - before) / TRACES_BYTES_PER_S, 1.0 / TRACES_PER_SECOND);
    g->traces_due_ns = now + (int64_t)(seconds * 1e9);
}

/* ---- all of it ---- */

static void emit_pictures(weir_view *view, size_t scrolled, weir_bytes *out)
{
    struct weir_view_graphics *g = view->graphics;
    weir_painting p;
    weir_error ignored;
    size_t rows = view->layout.spectrum.n_rows > 0 ? view->layout.spectrum.n_rows : 1;
    if (!make_room(view) || !weir_painting_begin(&p, view, view->cell_width, view->cell_height)) {
        return;
    }
    if (weir_canvas_init(&p.canvas, (int)p.n_pixels, (int)rows * p.cell_height, &ignored) ==
        WEIR_OK) {
        if (g->frame.has_traces) {
            emit_traces(&p, out);
        }
        if (view->caps.graphics == WEIR_GRAPHICS_SIXEL) {
            scroll_strips(g, scrolled);
            emit_sixel_rows(&p, out);
        } else {
            emit_kitty_strips(&p, out);
        }
        weir_canvas_deinit(&p.canvas);
    }
    weir_painting_end(&p);
}

void weir_view_graphics_emit(weir_view *view, size_t scrolled, weir_bytes *out)
{
    struct weir_view_graphics *g = view->graphics;
    if (!g) {
        return;
    }
    frame now = frame_of(view);
    look looks = look_of(view);
    now.is_hidden |= view->cell_height == 0;
    if (!same_frame(&now, &g->frame)) {
        bool was_kitty = g->frame.kind == WEIR_GRAPHICS_KITTY && !g->frame.is_hidden;
        weir_bytes_text(out, was_kitty ? WEIR_KITTY_DROP_ALL : "");
        weir_cells_invalidate(view->cells);
        weir_view_graphics_forget(view);
        g->frame = now;
    }
    weir_cells_begin(view->cells, out);
    if (!same_look(&looks, &g->look)) {
        g->look = looks;
        g->traces_due_ns = 0;
        weir_bytes_clear(&g->traces); /* the same pixels may be of other colours */
        outdate_strips(view, out);
    }
    if (!now.is_hidden) {
        emit_pictures(view, scrolled, out);
    }
}
