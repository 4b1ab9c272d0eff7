/* The message log: what weir and the libraries have said, over the waterfall. */
#include "display/view_state.h"

#include "base/text.h"

#include <string.h>

/* Start of the line before `end`. */
static size_t line_start(const char *text, size_t end)
{
    while (end > 0 && text[end - 1] != '\n') {
        end--;
    }
    return end;
}

/* In as many rows as it takes, the last of them above `end`. Returns the first. */
static size_t draw_line(weir_view *view, const char *line, size_t end)
{
    const weir_rect *rect = &view->layout.waterfall;
    size_t room = rect->n_columns - 1, n_rows = 0, top = rect->row + 1;
    for (size_t at = 0; line[at]; at += weir_text_fit(line + at, room)) {
        n_rows++;
    }
    for (size_t i = 0; i < n_rows; i++) {
        char part[512];
        size_t n = weir_text_fit(line, room);
        weir_snprintf(part, sizeof part, "%.*s", (int)n, line);
        if (end + i >= top + n_rows) { /* what does not fit at the top is left out */
            weir_cells_text(view->cells, rect->column + 1, end + i - n_rows, room, part,
                            weir_view_pen(view, WEIR_INK_TEXT));
        }
        line += n;
    }
    return end > n_rows ? end - n_rows : 0;
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
    for (size_t row = rect->row + rect->n_rows; row > rect->row + 1 && end > 0;) {
        char line[512];
        end -= view->log_text[end - 1] == '\n';
        size_t start = line_start(view->log_text, end);
        weir_snprintf(line, sizeof line, "%.*s", (int)(end - start), view->log_text + start);
        row = draw_line(view, line, row);
        end = start;
    }
}
