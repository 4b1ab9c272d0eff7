/* Where the panels of the view go, at any size. Pure. */
#ifndef WEIR_DISPLAY_VIEW_LAYOUT_H
#define WEIR_DISPLAY_VIEW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#define WEIR_LAYOUT_MIN_COLUMNS 20
#define WEIR_LAYOUT_MIN_ROWS 5

/* A panel that is not there has n_rows 0. */
typedef struct weir_rect {
    size_t column, row, n_columns, n_rows;
} weir_rect;

/* Spectrum, axis and waterfall share their columns, so that a frequency has one place.
 * Left of them is the gutter: level scale, unit, times; n_columns 0 where the width
 * does not allow one. */
typedef struct weir_layout {
    size_t n_columns, n_rows;
    bool is_too_small;
    weir_rect title, spectrum, axis, waterfall, status;
    size_t gutter; /* its columns */
} weir_layout;

/* with_spectrum false: the waterfall has all the room. */
weir_layout weir_layout_make(size_t n_columns, size_t n_rows, bool with_spectrum);

#endif
