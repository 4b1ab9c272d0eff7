/* The view as a picture of pixels: the same panels, the waterfall and the traces at the
 * resolution of the pixels instead of the cells. */
#include "display/view_paint.h"

#include "display/png_file.h"
#include "weir_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if WEIR_HAVE_PNG

enum {
    CELL_WIDTH = 12,
    CELL_HEIGHT = 24,
};

static void paint_cells(weir_painting *p)
{
    const weir_layout *layout = &p->view->layout;
    for (size_t row = 0; row < layout->n_rows; row++) {
        for (size_t column = 0; column < layout->n_columns; column++) {
            weir_cell cell = weir_cells_at(p->view->cells, column, row);
            bool is_reverse = cell.pen.style & WEIR_STYLE_REVERSE;
            uint8_t fg = weir_painting_color(p, is_reverse ? cell.pen.bg : cell.pen.fg, is_reverse);
            uint8_t bg =
                weir_painting_color(p, is_reverse ? cell.pen.fg : cell.pen.bg, !is_reverse);
            int x = (int)column * p->cell_width, y = (int)row * p->cell_height;
            if (bg != 0) {
                weir_canvas_fill(&p->canvas, x, y, p->cell_width, p->cell_height, bg);
            }
            weir_paint_glyph(p, x, y, cell.glyph, fg);
        }
    }
}

/* ---- all of it ---- */

static weir_status write_file(weir_painting *p, const char *path, weir_error *err)
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
    weir_painting p;
    if (!weir_painting_begin(&p, view, CELL_WIDTH, CELL_HEIGHT)) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    weir_status status = weir_canvas_init(&p.canvas, (int)view->layout.n_columns * CELL_WIDTH,
                                          (int)view->layout.n_rows * CELL_HEIGHT, err);
    if (status == WEIR_OK) {
        const weir_rect *spectrum = &view->layout.spectrum;
        weir_paint_waterfall(&p);
        weir_paint_spectrum(&p, (int)spectrum->column * CELL_WIDTH,
                            (int)spectrum->row * CELL_HEIGHT);
        paint_cells(&p);
        status = write_file(&p, path, err);
        weir_canvas_deinit(&p.canvas);
    }
    weir_painting_end(&p);
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
