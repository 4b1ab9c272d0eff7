/* The message log: what weir and the libraries have said, over the waterfall. */
#include "display/view_state.h"

#include <string.h>

/* Start of the line before `end`. */
static size_t line_start(const char *text, size_t end)
{
    while (end > 0 && text[end - 1] != '\n') {
        end--;
    }
    return end;
}

void weir_view_draw_log(weir_view *view)
{
    const weir_rect *rect = &view->layout.waterfall;
    if (!view->shows_log || rect->n_rows < 2) {
        return;
    }
    weir_cells_fill(view->cells, rect->column, rect->row, rect->n_columns, rect->n_rows, ' ',
                    (weir_pen){0});
    weir_cells_text(view->cells, rect->column + 1, rect->row, rect->n_columns - 1,
                    "messages (m closes)", weir_view_pen(view, WEIR_INK_STRONG));
    size_t end = strlen(view->log_text);
    if (end == 0) {
        weir_cells_text(view->cells, rect->column + 1, rect->row + 1, rect->n_columns - 1,
                        "none so far", weir_view_pen(view, WEIR_INK_FAINT));
    }
    for (size_t row = rect->row + rect->n_rows - 1; row > rect->row && end > 0; row--) {
        char line[512];
        end -= view->log_text[end - 1] == '\n';
        size_t start = line_start(view->log_text, end);
        size_t length = end - start < sizeof line - 1 ? end - start : sizeof line - 1;
        memcpy(line, view->log_text + start, length);
        line[length] = '\0';
        weir_cells_text(view->cells, rect->column + 1, row, rect->n_columns - 1, line,
                        weir_view_pen(view, WEIR_INK_TEXT));
        end = start;
    }
}
