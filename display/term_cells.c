#include "display/term_cells.h"

#include "display/term_text.h"

#include <stdlib.h>
#include <string.h>

struct weir_cells {
    size_t n_columns, n_rows;
    bool is_utf8, has_few_glyphs;
    bool is_known; /* shown is what the terminal shows */
    weir_cell *next;
    weir_cell *shown;
};

static const weir_pen default_pen = {WEIR_COLOR_DEFAULT, WEIR_COLOR_DEFAULT, 0};

static bool same_pen(const weir_pen *a, const weir_pen *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->style == b->style;
}

static bool same_cell(const weir_cell *a, const weir_cell *b)
{
    return a->glyph == b->glyph && same_pen(&a->pen, &b->pen);
}

static void blank(weir_cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cells[i] = (weir_cell){' ', default_pen};
    }
}

weir_cells *weir_cells_create(size_t n_columns, size_t n_rows, bool is_utf8)
{
    if (n_columns == 0 || n_rows == 0 || n_columns > 1u << 16 || n_rows > 1u << 16) {
        return NULL;
    }
    weir_cells *cells = calloc(1, sizeof *cells);
    if (!cells) {
        return NULL;
    }
    size_t n = n_columns * n_rows;
    *cells = (weir_cells){.n_columns = n_columns, .n_rows = n_rows, .is_utf8 = is_utf8};
    cells->next = calloc(n, sizeof *cells->next);
    cells->shown = calloc(n, sizeof *cells->shown);
    if (!cells->next || !cells->shown) {
        weir_cells_destroy(cells);
        return NULL;
    }
    blank(cells->next, n);
    return cells;
}

void weir_cells_destroy(weir_cells *cells)
{
    if (cells) {
        free(cells->next);
        free(cells->shown);
        free(cells);
    }
}

size_t weir_cells_columns(const weir_cells *cells)
{
    return cells->n_columns;
}

size_t weir_cells_rows(const weir_cells *cells)
{
    return cells->n_rows;
}

void weir_cells_set_few_glyphs(weir_cells *cells, bool has_few)
{
    cells->has_few_glyphs = has_few;
}

/* [first, last] of the view's own that code page 437 lacks. */
static uint32_t of_few_glyphs(uint32_t glyph)
{
    static const struct {
        uint32_t first, last, instead;
    } rows[] = {
        {0x2026, 0x2026, '>'},    {0x250a, 0x250a, 0x2502}, {0x256d, 0x256d, 0x250c},
        {0x256e, 0x256e, 0x2510}, {0x256f, 0x256f, 0x2518}, {0x2570, 0x2570, 0x2514},
        {0x2581, 0x2582, '_'},    {0x2583, 0x2585, 0x2584}, {0x2586, 0x2587, 0x2588},
        {0x2594, 0x2594, 0x2580}, {0x2800, 0x2800, ' '},    {0x2801, 0x28ff, 0xb7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (glyph >= rows[i].first && glyph <= rows[i].last) {
            return rows[i].instead;
        }
    }
    return glyph;
}

void weir_cells_clear(weir_cells *cells)
{
    blank(cells->next, cells->n_columns * cells->n_rows);
}

void weir_cells_put(weir_cells *cells, size_t column, size_t row, uint32_t glyph, weir_pen pen)
{
    if (column >= cells->n_columns || row >= cells->n_rows) {
        return;
    }
    if (!cells->is_utf8 && glyph > 0x7e) {
        glyph = '?';
    }
    if (cells->has_few_glyphs && glyph > 0x7e) {
        glyph = of_few_glyphs(glyph);
    }
    cells->next[row * cells->n_columns + column] = (weir_cell){glyph, pen};
}

void weir_cells_fill(weir_cells *cells, size_t column, size_t row, size_t n_columns, size_t n_rows,
                     uint32_t glyph, weir_pen pen)
{
    for (size_t r = row; r < row + n_rows && r < cells->n_rows; r++) {
        for (size_t c = column; c < column + n_columns && c < cells->n_columns; c++) {
            weir_cells_put(cells, c, r, glyph, pen);
        }
    }
}

size_t weir_cells_text(weir_cells *cells, size_t column, size_t row, size_t n_columns,
                       const char *text, weir_pen pen)
{
    bool is_cut = weir_text_columns(text) > n_columns;
    size_t room = is_cut && n_columns > 0 ? n_columns - 1 : n_columns;
    size_t used = 0;
    while (*text) {
        uint32_t glyph;
        text += weir_text_next(text, &glyph);
        size_t width = weir_glyph_columns(glyph);
        if (width == 0) {
            continue;
        }
        if (used + width > room) {
            break;
        }
        weir_cells_put(cells, column + used, row, glyph, pen);
        if (width == 2 && cells->is_utf8) {
            weir_cells_put(cells, column + used + 1, row, 0, pen);
        } else if (width == 2) {
            weir_cells_put(cells, column + used + 1, row, '?', pen);
        }
        used += width;
    }
    if (is_cut && n_columns > 0) {
        weir_cells_put(cells, column + used, row, cells->is_utf8 ? 0x2026 : '>', pen);
        used++;
    }
    return used;
}

weir_cell weir_cells_at(const weir_cells *cells, size_t column, size_t row)
{
    if (column >= cells->n_columns || row >= cells->n_rows) {
        return (weir_cell){' ', default_pen};
    }
    return cells->next[row * cells->n_columns + column];
}

void weir_cells_invalidate(weir_cells *cells)
{
    cells->is_known = false;
}

void weir_cells_scroll_down(weir_cells *cells, size_t top, size_t n_rows, size_t count,
                            weir_bytes *out)
{
    if (!cells->is_known || count == 0 || count >= n_rows || top + n_rows > cells->n_rows) {
        return; /* render draws all of it */
    }
    weir_bytes_text(out, "\033[");
    weir_bytes_decimal(out, (unsigned)top + 1);
    weir_bytes_text(out, ";");
    weir_bytes_decimal(out, (unsigned)(top + n_rows));
    weir_bytes_text(out, "r\033[");
    weir_bytes_decimal(out, (unsigned)top + 1);
    weir_bytes_text(out, ";1H");
    for (size_t i = 0; i < count; i++) {
        weir_bytes_text(out, "\033M");
    }
    weir_bytes_text(out, "\033[r");
    weir_cell *region = cells->shown + top * cells->n_columns;
    memmove(region + count * cells->n_columns, region,
            (n_rows - count) * cells->n_columns * sizeof *region);
    blank(region, count * cells->n_columns);
}

static void begin_parameter(weir_bytes *out, bool *is_first)
{
    weir_bytes_text(out, *is_first ? "\033[" : ";");
    *is_first = false;
}

static void emit_style(weir_bytes *out, uint32_t style, bool *is_first)
{
    static const struct {
        uint32_t bit;
        const char *code;
    } styles[] = {{WEIR_STYLE_BOLD, "1"}, {WEIR_STYLE_DIM, "2"}, {WEIR_STYLE_REVERSE, "7"}};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        if (style & styles[i].bit) {
            begin_parameter(out, is_first);
            weir_bytes_text(out, styles[i].code);
        }
    }
}

static void emit_color(weir_bytes *out, weir_color color, bool is_background, bool *is_first)
{
    char text[WEIR_COLOR_SGR_MAX];
    begin_parameter(out, is_first);
    weir_bytes_append(out, text, weir_color_sgr(color, is_background, text));
}

/* Brings the terminal's pen from one state to another. A style can only be added, so
 * that taking one away goes by a reset. */
static void emit_pen(weir_bytes *out, weir_pen *now, const weir_pen *wanted)
{
    if (same_pen(now, wanted)) {
        return;
    }
    bool is_first = true;
    if (now->style & ~wanted->style || same_pen(wanted, &default_pen)) {
        begin_parameter(out, &is_first);
        weir_bytes_text(out, "0");
        *now = default_pen;
    }
    emit_style(out, wanted->style & ~now->style, &is_first);
    if (now->fg != wanted->fg) {
        emit_color(out, wanted->fg, false, &is_first);
    }
    if (now->bg != wanted->bg) {
        emit_color(out, wanted->bg, true, &is_first);
    }
    weir_bytes_text(out, "m");
    *now = *wanted;
}

/* From after the cell last written to column. Up to three unchanged cells of the same
 * pen are cheaper written again than skipped. */
static void emit_move(weir_bytes *out, const weir_cell *row, size_t row_index, size_t from,
                      size_t column, const weir_pen *pen)
{
    if (from == column) {
        return;
    }
    bool rewrite = from < column && column - from <= 3;
    for (size_t c = from; rewrite && c < column; c++) {
        rewrite = row[c].glyph != 0 && row[c].glyph < 0x80 && same_pen(&row[c].pen, pen);
    }
    if (rewrite) {
        for (size_t c = from; c < column; c++) {
            weir_bytes_utf8(out, row[c].glyph);
        }
        return;
    }
    weir_bytes_text(out, "\033[");
    if (from < column) {
        if (column - from > 1) {
            weir_bytes_decimal(out, (unsigned)(column - from));
        }
        weir_bytes_text(out, "C");
        return;
    }
    weir_bytes_decimal(out, (unsigned)row_index + 1);
    weir_bytes_text(out, ";");
    weir_bytes_decimal(out, (unsigned)column + 1);
    weir_bytes_text(out, "H");
}

static void render_row(weir_cells *cells, size_t r, weir_pen *pen, weir_bytes *out)
{
    const weir_cell *next = cells->next + r * cells->n_columns;
    weir_cell *shown = cells->shown + r * cells->n_columns;
    size_t cursor = SIZE_MAX; /* not on this row */
    for (size_t c = 0; c < cells->n_columns; c++) {
        if (same_cell(&next[c], &shown[c])) {
            continue;
        }
        if (next[c].glyph == 0) {
            shown[c] = next[c]; /* written with its left half */
            continue;
        }
        emit_move(out, next, r, cursor, c, pen);
        emit_pen(out, pen, &next[c].pen);
        weir_bytes_utf8(out, next[c].glyph);
        shown[c] = next[c];
        cursor = c + 1 + (c + 1 < cells->n_columns && next[c + 1].glyph == 0);
    }
}

void weir_cells_begin(weir_cells *cells, weir_bytes *out)
{
    if (!cells->is_known) {
        weir_bytes_text(out, "\033[0m\033[r\033[H\033[2J");
        blank(cells->shown, cells->n_columns * cells->n_rows);
        cells->is_known = true;
    }
}

static const weir_cell blank_cell = {' ', {WEIR_COLOR_DEFAULT, WEIR_COLOR_DEFAULT, 0}};

bool weir_cells_blank(weir_cells *cells, size_t column, size_t row, size_t n_columns, bool all,
                      weir_bytes *out)
{
    size_t end = column + n_columns < cells->n_columns ? column + n_columns : cells->n_columns;
    size_t cursor = SIZE_MAX;
    bool is_any = false;
    for (size_t c = column; row < cells->n_rows && c < end; c++) {
        weir_cell *shown = &cells->shown[row * cells->n_columns + c];
        bool is_blank = same_cell(&cells->next[row * cells->n_columns + c], &blank_cell);
        if (!all && (!is_blank || same_cell(shown, &blank_cell))) {
            continue;
        }
        if (cursor != c) {
            weir_bytes_text(out, "\033[");
            weir_bytes_decimal(out, (unsigned)row + 1);
            weir_bytes_text(out, ";");
            weir_bytes_decimal(out, (unsigned)c + 1);
            weir_bytes_text(out, "H");
        }
        weir_bytes_text(out, " ");
        *shown = blank_cell;
        cursor = c + 1;
        is_any = true;
    }
    return is_any;
}

void weir_cells_rewrite(weir_cells *cells, size_t column, size_t row, size_t n_columns)
{
    size_t end = column + n_columns < cells->n_columns ? column + n_columns : cells->n_columns;
    for (size_t c = column; row < cells->n_rows && c < end; c++) {
        size_t i = row * cells->n_columns + c;
        if (!same_cell(&cells->next[i], &blank_cell)) {
            cells->shown[i].glyph = UINT32_MAX; /* unlike any */
        }
    }
}

void weir_cells_render(weir_cells *cells, weir_bytes *out)
{
    weir_pen pen = default_pen;
    weir_cells_begin(cells, out);
    for (size_t r = 0; r < cells->n_rows; r++) {
        render_row(cells, r, &pen, out);
    }
    emit_pen(out, &pen, &default_pen);
    if (out->has_failed) {
        cells->is_known = false;
    }
}
