/* The view as a picture of pixels: the same panels, the waterfall and the traces at the
 * resolution of the pixels instead of the cells. */
#include "display/view_state.h"

#include "base/text.h"
#include "display/canvas.h"
#include "display/png_file.h"
#include "weir_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if WEIR_HAVE_PNG

enum {
    CELL_WIDTH = 12,
    CELL_HEIGHT = 24,
    STROKE = 2, /* of lines */
    MOST_COLORS = 256,
};

static const weir_rgb page = {14, 16, 20}, ink = {222, 226, 236};

typedef struct painting {
    weir_view *view;
    weir_canvas canvas;
    weir_rgb palette[MOST_COLORS];
    weir_color keys[MOST_COLORS]; /* what each entry was made of */
    size_t n_colors;
    size_t n_pixels;                         /* across the plot        */
    float *values, *line;                    /* n_pixels each          */
    uint8_t shades[WEIR_PALETTE_LEVELS + 1]; /* of the view's palette */
} painting;

/* Entry 0 is the page, 1 the ink. A palette that is full gives the nearest thing: ink. */
static uint8_t entry(painting *p, weir_color color, bool is_background)
{
    if (color == WEIR_COLOR_DEFAULT) {
        return is_background ? 0 : 1;
    }
    for (size_t i = 2; i < p->n_colors; i++) {
        if (p->keys[i] == color) {
            return (uint8_t)i;
        }
    }
    if (p->n_colors == MOST_COLORS) {
        return 1;
    }
    p->palette[p->n_colors] =
        (weir_rgb){(uint8_t)(color >> 16), (uint8_t)(color >> 8), (uint8_t)color};
    p->keys[p->n_colors] = color;
    return (uint8_t)p->n_colors++;
}

/* ---- the waterfall ---- */

/* Lines [from, end) by maximum into p->line; false where none is, *is_gap where one is lost. */
static bool join_lines(painting *p, uint64_t from, uint64_t end, bool *is_gap)
{
    weir_view *view = p->view;
    bool is_there = false;
    *is_gap = false;
    for (size_t i = 0; i < p->n_pixels; i++) {
        p->line[i] = NAN;
    }
    for (uint64_t k = from; k < end && k < view->top_line; k++) {
        weir_view_line line;
        if (!weir_history_line(view->history, k, &view->axis, p->n_pixels, p->values, &line)) {
            continue;
        }
        is_there = true;
        *is_gap |= line.is_gap;
        weir_picture_levels(&view->stream.scale, &line.info, &view->axis, p->n_pixels, p->values);
        for (size_t i = 0; i < p->n_pixels; i++) {
            p->line[i] = fmaxf(p->line[i], p->values[i]);
        }
    }
    return is_there;
}

static void paint_line(painting *p, int y, bool is_gap)
{
    const weir_rect *rect = &p->view->layout.waterfall;
    int left = (int)rect->column * CELL_WIDTH;
    for (size_t i = 0; i < p->n_pixels; i++) {
        float level = p->line[i];
        uint8_t color = is_gap         ? p->shades[WEIR_PALETTE_LEVELS]
                        : isnan(level) ? 0
                                       : p->shades[weir_view_shade(p->view, level)];
        weir_canvas_set(&p->canvas, left + (int)i, y, color);
    }
}

/* A cell's lines fill its height, the newest on top. */
static void paint_waterfall(painting *p)
{
    weir_view *view = p->view;
    const weir_rect *rect = &view->layout.waterfall;
    uint64_t per_cell = weir_view_rows_per_cell(view) * view->lines_per_row;
    uint64_t pairs = weir_view_pairs(view), shown_from = UINT64_MAX, shown_end = 0;
    bool is_there = false, is_gap = false;
    for (size_t y = 0; y < rect->n_rows * CELL_HEIGHT && y / CELL_HEIGHT < pairs; y++) {
        uint64_t pair = pairs - 1 - y / CELL_HEIGHT;
        uint64_t up = CELL_HEIGHT - 1 - y % CELL_HEIGHT;
        uint64_t from = pair * per_cell + up * per_cell / CELL_HEIGHT;
        uint64_t end = pair * per_cell + (up + 1) * per_cell / CELL_HEIGHT;
        end = end > from ? end : from + 1;
        if (from != shown_from || end != shown_end) {
            is_there = join_lines(p, from, end, &is_gap);
            shown_from = from;
            shown_end = end;
        }
        if (is_there) {
            paint_line(p, (int)(rect->row * CELL_HEIGHT + y), is_gap);
        }
    }
}

/* ---- the traces ---- */

static bool take_trace(painting *p, weir_held held)
{
    weir_view *view = p->view;
    weir_view_line line;
    bool is_there =
        view->is_paused && held == WEIR_HELD_LIVE && view->top_line > 0
            ? weir_history_line(view->history, view->top_line - 1, &view->axis, p->n_pixels,
                                p->values, &line)
            : weir_history_trace(view->history, held, &view->axis, p->n_pixels, p->values, &line);
    if (is_there) {
        weir_picture_levels(&view->stream.scale, &line.info, &view->axis, p->n_pixels, p->values);
    }
    return is_there;
}

/* Pixels above the panel's floor. */
static int height_of(const painting *p, float level_db)
{
    const weir_range *range = &p->view->range;
    int height = (int)p->view->layout.spectrum.n_rows * CELL_HEIGHT;
    float part = (level_db - range->low_db) / (range->high_db - range->low_db);
    return !(part > 0.0f) ? 0 : part >= 1.0f ? height - 1 : (int)(part * (float)height);
}

static void paint_area(painting *p)
{
    const weir_rect *rect = &p->view->layout.spectrum;
    int left = (int)rect->column * CELL_WIDTH, height = (int)rect->n_rows * CELL_HEIGHT;
    int floor_y = (int)rect->row * CELL_HEIGHT + height - 1;
    for (size_t i = 0; i < p->n_pixels; i++) {
        int top = isnan(p->values[i]) ? -1 : height_of(p, p->values[i]);
        for (int up = 0; up <= top; up++) {
            float part = 0.2f + 0.8f * (float)up / (float)height;
            uint8_t color = p->shades[(size_t)(part * (WEIR_PALETTE_LEVELS - 1))];
            weir_canvas_set(&p->canvas, left + (int)i, floor_y - up, color);
        }
    }
}

static void paint_curve(painting *p, uint8_t color)
{
    const weir_rect *rect = &p->view->layout.spectrum;
    int left = (int)rect->column * CELL_WIDTH;
    int floor_y = (int)(rect->row + rect->n_rows) * CELL_HEIGHT - 1;
    for (size_t i = 0; i < p->n_pixels; i++) {
        if (isnan(p->values[i])) {
            continue;
        }
        int here = height_of(p, p->values[i]);
        int last = i > 0 && !isnan(p->values[i - 1]) ? height_of(p, p->values[i - 1]) : here;
        int low = here < last ? here : last, high = here > last ? here : last;
        weir_canvas_fill(&p->canvas, left + (int)i, floor_y - high, 1, high - low + STROKE, color);
    }
}

static void paint_spectrum(painting *p)
{
    weir_view *view = p->view;
    if (view->layout.spectrum.n_rows == 0) {
        return;
    }
    if (!view->has_persistence && take_trace(p, WEIR_HELD_LIVE)) {
        if (!view->is_braille) {
            paint_area(p);
        }
        paint_curve(p, 1);
    }
    uint8_t hold = entry(p, weir_view_pen(view, WEIR_INK_HOLD).fg, false);
    if (view->holds_min && take_trace(p, WEIR_HELD_MIN)) {
        paint_curve(p, hold);
    }
    if (view->holds_max && take_trace(p, WEIR_HELD_MAX)) {
        paint_curve(p, hold);
    }
}

/* ---- cells ---- */

enum { LEFT = 1, RIGHT = 2, UP = 4, DOWN = 8 };

static const struct {
    uint32_t glyph;
    unsigned arms;
} lines[] = {
    {0x2500, LEFT | RIGHT},      {0x2502, UP | DOWN},    {0x2524, UP | DOWN | LEFT},
    {0x251c, UP | DOWN | RIGHT}, {0x253c, 15},           {0x252c, LEFT | RIGHT | DOWN},
    {0x2534, LEFT | RIGHT | UP}, {0x256d, RIGHT | DOWN}, {0x256e, LEFT | DOWN},
    {0x2570, RIGHT | UP},        {0x256f, LEFT | UP},
};

static bool paint_line_glyph(painting *p, int x, int y, uint32_t glyph, uint8_t color)
{
    int cx = x + CELL_WIDTH / 2 - 1, cy = y + CELL_HEIGHT / 2 - 1;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (lines[i].glyph != glyph) {
            continue;
        }
        unsigned arms = lines[i].arms;
        int left = arms & LEFT ? x : cx, right = arms & RIGHT ? x + CELL_WIDTH : cx + STROKE;
        int top = arms & UP ? y : cy, bottom = arms & DOWN ? y + CELL_HEIGHT : cy + STROKE;
        weir_canvas_fill(&p->canvas, left, cy, right - left, arms & (LEFT | RIGHT) ? STROKE : 0,
                         color);
        weir_canvas_fill(&p->canvas, cx, top, arms & (UP | DOWN) ? STROKE : 0, bottom - top, color);
        return true;
    }
    return false;
}

static void paint_braille(painting *p, int x, int y, uint32_t dots, uint8_t color)
{
    static const uint8_t bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    for (int column = 0; column < 2; column++) {
        for (int row = 0; row < 4; row++) {
            if (dots & bits[column][row]) {
                weir_canvas_fill(&p->canvas, x + column * 6 + 1, y + row * 6 + 1, 4, 4, color);
            }
        }
    }
}

static void paint_mark(painting *p, int x, int y, uint32_t glyph, uint8_t color)
{
    weir_canvas *canvas = &p->canvas;
    int cx = x + CELL_WIDTH / 2 - 1;
    if (glyph == 0x250a) { /* a dashed line down */
        for (int dash = 0; dash < 4; dash++) {
            weir_canvas_fill(canvas, cx, y + dash * 6, STROKE, 3, color);
        }
    } else if (glyph == 0x25b2 || glyph == 0x25bc) { /* a triangle up, down */
        for (int i = 0; i < 6; i++) {
            int down = glyph == 0x25b2 ? i : 5 - i;
            weir_canvas_fill(canvas, cx - i, y + 6 + 2 * down, 2 * i + STROKE, 2, color);
        }
    } else if (glyph == 0x00b7) {
        weir_canvas_fill(canvas, cx, y + CELL_HEIGHT / 2 - 1, 2, 2, color);
    } else if (glyph == 0x2026) {
        for (int dot = 0; dot < 3; dot++) {
            weir_canvas_fill(canvas, x + 1 + 4 * dot, y + 15, 2, 2, color);
        }
    } else {
        weir_canvas_text(canvas, x + 1, y + 3, color, "?");
    }
}

static void paint_glyph(painting *p, int x, int y, uint32_t glyph, uint8_t color)
{
    int eighth = CELL_HEIGHT / 8;
    if (glyph <= ' ') {
        return;
    }
    if (glyph < 0x7f) {
        char text[2] = {(char)glyph, '\0'};
        weir_canvas_text(&p->canvas, x + 1, y + 3, color, text);
    } else if (glyph == 0x2580) {
        weir_canvas_fill(&p->canvas, x, y, CELL_WIDTH, CELL_HEIGHT / 2, color);
    } else if (glyph > 0x2580 && glyph <= 0x2588) {
        int height = (int)(glyph - 0x2580) * eighth;
        weir_canvas_fill(&p->canvas, x, y + CELL_HEIGHT - height, CELL_WIDTH, height, color);
    } else if (glyph == 0x2594) {
        weir_canvas_fill(&p->canvas, x, y, CELL_WIDTH, eighth, color);
    } else if (glyph >= 0x2800 && glyph <= 0x28ff) {
        paint_braille(p, x, y, glyph & 0xff, color);
    } else if (!paint_line_glyph(p, x, y, glyph, color)) {
        paint_mark(p, x, y, glyph, color);
    }
}

static void paint_cells(painting *p)
{
    const weir_layout *layout = &p->view->layout;
    for (size_t row = 0; row < layout->n_rows; row++) {
        for (size_t column = 0; column < layout->n_columns; column++) {
            weir_cell cell = weir_cells_at(p->view->cells, column, row);
            bool is_reverse = cell.pen.style & WEIR_STYLE_REVERSE;
            uint8_t fg = entry(p, is_reverse ? cell.pen.bg : cell.pen.fg, is_reverse);
            uint8_t bg = entry(p, is_reverse ? cell.pen.fg : cell.pen.bg, !is_reverse);
            int x = (int)column * CELL_WIDTH, y = (int)row * CELL_HEIGHT;
            if (bg != 0) {
                weir_canvas_fill(&p->canvas, x, y, CELL_WIDTH, CELL_HEIGHT, bg);
            }
            paint_glyph(p, x, y, cell.glyph, fg);
        }
    }
}

/* ---- all of it ---- */

static bool prepare(painting *p)
{
    weir_view *view = p->view;
    p->palette[0] = page;
    p->palette[1] = ink;
    p->n_colors = 2;
    for (size_t i = 0; i <= WEIR_PALETTE_LEVELS; i++) {
        p->shades[i] = entry(p, view->palette[i], false);
    }
    p->n_pixels = view->layout.waterfall.n_columns * CELL_WIDTH;
    p->values = calloc(p->n_pixels + 1, sizeof *p->values);
    p->line = calloc(p->n_pixels + 1, sizeof *p->line);
    return p->values && p->line;
}

static weir_status write_file(painting *p, const char *path, weir_error *err)
{
    weir_outfile *file;
    const weir_png_text texts[] = {
        {"Title", p->view->stream.source},
        {"Description", p->view->stream.description},
        {"Software", "weir " WEIR_VERSION},
    };
    weir_status status = weir_outfile_open(&file, path, false, err);
    if (status != WEIR_OK) {
        return status;
    }
    status = weir_png_write(file, &p->canvas, p->palette, p->n_colors, texts,
                            sizeof texts / sizeof *texts, err);
    status = status == WEIR_OK ? weir_outfile_finish(file, err) : status;
    weir_outfile_destroy(file);
    return status;
}

static weir_status paint(weir_view *view, const char *path, weir_error *err)
{
    painting p = {.view = view};
    weir_status status = prepare(&p) ? WEIR_OK : weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    if (status == WEIR_OK) {
        status = weir_canvas_init(&p.canvas, (int)view->layout.n_columns * CELL_WIDTH,
                                  (int)view->layout.n_rows * CELL_HEIGHT, err);
    }
    if (status == WEIR_OK) {
        paint_waterfall(&p);
        paint_spectrum(&p);
        paint_cells(&p);
        status = write_file(&p, path, err);
        weir_canvas_deinit(&p.canvas);
    }
    free(p.values);
    free(p.line);
    return status;
}

/* Cells of the best kind, whatever the terminal's; afterwards all is as it was. */
weir_status weir_view_save_png(weir_view *view, size_t n_columns, size_t n_rows, const char *path,
                               weir_error *err)
{
    weir_cells *cells = view->cells;
    weir_term_caps caps = view->caps;
    size_t help_page = view->help_page;
    view->cells = weir_cells_create(n_columns, n_rows, true);
    view->caps = (weir_term_caps){.color = WEIR_COLOR_DIRECT, .is_utf8 = true};
    view->help_page = 0;
    view->is_in_pixels = true;
    weir_view_make_pens(view);
    weir_view_make_palette(view);
    bool is_drawn =
        view->cells && (view->is_offscreen ? weir_view_fit_history(view, n_columns, n_rows)
                                           : weir_view_draw(view, n_columns, n_rows, 0.0f));
    weir_status status = is_drawn ? paint(view, path, err)
                                  : weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a picture");
    weir_cells_destroy(view->cells);
    view->cells = cells;
    if (cells && (weir_cells_columns(cells) != n_columns || weir_cells_rows(cells) != n_rows)) {
        weir_cells_destroy(cells); /* the traces have that other size now */
        view->cells = NULL;
    }
    view->caps = caps;
    view->help_page = help_page;
    view->is_in_pixels = false;
    weir_view_make_pens(view);
    weir_view_make_palette(view);
    return status;
}

#else

weir_status weir_view_save_png(weir_view *view, size_t n_columns, size_t n_rows, const char *path,
                               weir_error *err)
{
    (void)view;
    (void)n_columns;
    (void)n_rows;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED, "%s: this build has no libpng for pictures", path);
}

#endif
