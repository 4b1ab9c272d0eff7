#include "display/view_layout.h"

/* "0:12.345" and the line beside it. */
#define GUTTER_COLUMNS 9
#define GUTTER_FROM_COLUMNS 48
#define TITLE_FROM_ROWS 9
#define TWO_ROW_AXIS_FROM_ROWS 14
#define SPECTRUM_FROM_ROWS 8

static weir_rect take(size_t *row, size_t column, size_t n_columns, size_t n_rows)
{
    weir_rect rect = {.column = column, .row = *row, .n_columns = n_columns, .n_rows = n_rows};
    *row += n_rows;
    return rect;
}

weir_layout weir_layout_make(size_t n_columns, size_t n_rows, bool with_spectrum)
{
    weir_layout layout = {.n_columns = n_columns, .n_rows = n_rows};
    if (n_columns < WEIR_LAYOUT_MIN_COLUMNS || n_rows < WEIR_LAYOUT_MIN_ROWS) {
        layout.is_too_small = true;
        return layout;
    }
    size_t gutter = n_columns >= GUTTER_FROM_COLUMNS ? GUTTER_COLUMNS : 0;
    size_t plot = n_columns - gutter;
    size_t title = n_rows >= TITLE_FROM_ROWS;
    size_t axis = n_rows >= TWO_ROW_AXIS_FROM_ROWS ? 2 : 1;
    size_t pictures = n_rows - title - axis - 1;
    size_t spectrum = with_spectrum && n_rows >= SPECTRUM_FROM_ROWS ? (pictures + 1) / 3 : 0;
    size_t row = 0;
    layout.gutter = gutter;
    layout.title = take(&row, 0, n_columns, title);
    layout.spectrum = take(&row, gutter, plot, spectrum);
    layout.axis = take(&row, gutter, plot, axis);
    layout.waterfall = take(&row, gutter, plot, pictures - spectrum);
    layout.status = take(&row, 0, n_columns, 1);
    return layout;
}
