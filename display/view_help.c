/* The help overlay, made from the key table. */
#include "display/view_state.h"

#include "base/text.h"

#include <string.h>

#define KEYS_COLUMNS 18
#define FRAME_COLUMNS 4

static size_t n_commands(void)
{
    size_t n = 0;
    while (weir_view_command_at(n)) {
        n++;
    }
    return n;
}

static size_t longest_help(void)
{
    size_t longest = 0;
    for (size_t i = 0; weir_view_command_at(i); i++) {
        size_t length = strlen(weir_view_command_at(i)->help);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void draw_frame(weir_view *view, const weir_rect *box)
{
    static const uint32_t lines[2][6] = {
        {'-', '|', '+', '+', '+', '+'},
        {0x2500, 0x2502, 0x256d, 0x256e, 0x2570, 0x256f},
    };
    const uint32_t *line = lines[view->caps.is_utf8];
    weir_pen pen = weir_view_pen(view, WEIR_INK_FAINT);
    size_t right = box->column + box->n_columns - 1, bottom = box->row + box->n_rows - 1;
    weir_cells_fill(view->cells, box->column, box->row, box->n_columns, box->n_rows, ' ',
                    (weir_pen){0});
    for (size_t c = box->column; c <= right; c++) {
        weir_cells_put(view->cells, c, box->row, line[0], pen);
        weir_cells_put(view->cells, c, bottom, line[0], pen);
    }
    for (size_t r = box->row; r <= bottom; r++) {
        weir_cells_put(view->cells, box->column, r, line[1], pen);
        weir_cells_put(view->cells, right, r, line[1], pen);
    }
    weir_cells_put(view->cells, box->column, box->row, line[2], pen);
    weir_cells_put(view->cells, right, box->row, line[3], pen);
    weir_cells_put(view->cells, box->column, bottom, line[4], pen);
    weir_cells_put(view->cells, right, bottom, line[5], pen);
}

static void draw_commands(weir_view *view, const weir_rect *box, size_t first, size_t n)
{
    size_t room = box->n_columns - FRAME_COLUMNS, left = box->column + FRAME_COLUMNS / 2;
    size_t keys_room = room > KEYS_COLUMNS + 8 ? KEYS_COLUMNS : room / 2;
    for (size_t i = 0; i < n; i++) {
        const weir_view_command *command = weir_view_command_at(first + i);
        size_t row = box->row + 1 + i;
        weir_cells_text(view->cells, left, row, keys_room - 1, command->keys,
                        weir_view_pen(view, WEIR_INK_STRONG));
        weir_cells_text(view->cells, left + keys_room, row, room - keys_room, command->help,
                        weir_view_pen(view, WEIR_INK_TEXT));
    }
}

static weir_rect box_for(const weir_view *view, size_t n_rows)
{
    size_t wanted = longest_help() + KEYS_COLUMNS + FRAME_COLUMNS;
    weir_rect box = {.n_columns = wanted, .n_rows = n_rows + 2};
    if (box.n_columns > view->layout.n_columns) {
        box.n_columns = view->layout.n_columns;
    }
    box.column = (view->layout.n_columns - box.n_columns) / 2;
    box.row = (view->layout.n_rows - box.n_rows) / 2;
    return box;
}

void weir_view_draw_help(weir_view *view)
{
    size_t n = n_commands(), n_rows = view->layout.n_rows;
    size_t per_page = n_rows > 3 ? n_rows - 2 : 1;
    per_page = n > 0 && n < per_page ? n : per_page;
    size_t n_pages = (n + per_page - 1) / per_page;
    if (view->help_page > n_pages) {
        view->help_page = 0;
    }
    if (view->help_page == 0) {
        return;
    }
    size_t first = (view->help_page - 1) * per_page;
    size_t shown = n - first < per_page ? n - first : per_page;
    weir_rect box = box_for(view, per_page);
    char title[48];
    weir_snprintf(title, sizeof title, n_pages > 1 ? " keys %zu/%zu " : " keys ", view->help_page,
                  n_pages);
    draw_frame(view, &box);
    weir_cells_text(view->cells, box.column + 2, box.row, box.n_columns - FRAME_COLUMNS, title,
                    weir_view_pen(view, WEIR_INK_STRONG));
    draw_commands(view, &box, first, shown);
}
