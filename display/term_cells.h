/* A picture made of character cells, and the bytes that bring the terminal to it.
 *
 * The caller draws a whole picture into the cells each frame; render compares it with
 * what the terminal shows and writes only what differs. scroll moves what the
 * terminal shows, so that a waterfall costs one row instead of all. No I/O here:
 * everything is tested by playing the bytes into a model of a terminal.
 * Belongs to one thread.
 */
#ifndef WEIR_DISPLAY_TERM_CELLS_H
#define WEIR_DISPLAY_TERM_CELLS_H

#include "display/term_bytes.h"
#include "display/term_color.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_STYLE_BOLD 1u
#define WEIR_STYLE_DIM 2u
#define WEIR_STYLE_REVERSE 4u

/* Colours and style of a stretch of cells. */
typedef struct weir_pen {
    weir_color fg, bg;
    uint32_t style;
} weir_pen;

typedef struct weir_cell {
    uint32_t glyph; /* code point; 0: the right half of a wide one */
    weir_pen pen;
} weir_cell;

typedef struct weir_cells weir_cells;

/* At least 1x1. NULL when out of memory. */
weir_cells *weir_cells_create(size_t n_columns, size_t n_rows, bool is_utf8);
void weir_cells_destroy(weir_cells *cells);
size_t weir_cells_columns(const weir_cells *cells);
size_t weir_cells_rows(const weir_cells *cells);
/* From now on only glyphs that code page 437 has, and with it the fonts of the Linux console:
 * the others that the view draws with become the nearest of these. */
void weir_cells_set_few_glyphs(weir_cells *cells, bool has_few);

/* Drawing. Whatever lies outside is cut off. Without UTF-8, a code point beyond ASCII
 * becomes '?'. */
void weir_cells_clear(weir_cells *cells);
void weir_cells_put(weir_cells *cells, size_t column, size_t row, uint32_t glyph, weir_pen pen);
void weir_cells_fill(weir_cells *cells, size_t column, size_t row, size_t n_columns, size_t n_rows,
                     uint32_t glyph, weir_pen pen);
/* UTF-8 text, at most n_columns wide (a longer one ends in an ellipsis). Bad bytes and
 * control characters show as '?', never reach the terminal. Returns columns used. */
size_t weir_cells_text(weir_cells *cells, size_t column, size_t row, size_t n_columns,
                       const char *text, weir_pen pen);
/* What will be drawn at a place; a blank outside. */
weir_cell weir_cells_at(const weir_cells *cells, size_t column, size_t row);

/* Forget what the terminal shows: the next render clears and draws all of it. */
void weir_cells_invalidate(weir_cells *cells);

/* ---- where the terminal shows pictures behind or among the text ---- */

/* If all must be drawn, clears the screen now, not in render, so that pictures can follow. */
void weir_cells_begin(weir_cells *cells, weir_bytes *out);
/* Writes those of n_columns cells that have become blank, or (all) every one as a blank; what
 * they hide of a picture is gone. False if there were none. The pen must be the default one. */
bool weir_cells_blank(weir_cells *cells, size_t column, size_t row, size_t n_columns, bool all,
                      weir_bytes *out);
/* A picture was drawn over these: what text they have is written again. */
void weir_cells_rewrite(weir_cells *cells, size_t column, size_t row, size_t n_columns);

/* Moves rows [top, top + n_rows) down by count, on the terminal only (VT100 scroll
 * region and reverse index); draw the moved picture afterwards. */
void weir_cells_scroll_down(weir_cells *cells, size_t top, size_t n_rows, size_t count,
                            weir_bytes *out);

/* Appends what makes the terminal show the picture. The bytes must then be sent in
 * order; if they are lost, invalidate. Leaves the terminal's pen at its default. */
void weir_cells_render(weir_cells *cells, weir_bytes *out);

#endif
