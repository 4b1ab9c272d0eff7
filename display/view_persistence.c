/* The spectrum panel as density: how often each level was seen lately, in each column. */
#include "display/view_state.h"

#include "dsp/persistence.h"

#include <math.h>
#include <stdlib.h>

#define DECAY_SECONDS 3.0
/* Lines taken again after a change of size, range or axis. */
#define LINES_BACK 200
#define LEAST_DENSITY 0.004f

static size_t levels_per_cell(const weir_view *view)
{
    return weir_view_pixels(view) == WEIR_PIXELS_HALVES ? 2 : 1;
}

/* Made anew when what is shown changes. Columns are its frequencies: that suits a
 * logarithmic axis too. */
static bool prepare(weir_view *view)
{
    const weir_rect *rect = &view->layout.spectrum;
    weir_persistence_config config = {
        .axis = {.low_hz = 0.0, .high_hz = (double)rect->n_columns},
        .n_columns = rect->n_columns,
        .n_levels = rect->n_rows * levels_per_cell(view),
        .low_db = view->range.low_db,
        .high_db = view->range.high_db,
        .decay_s = view->config.decay_s > 0.0 ? view->config.decay_s : DECAY_SECONDS,
    };
    weir_persistence_state *state = &view->persistence;
    bool is_same = state->grid && state->n_columns == config.n_columns &&
                   state->n_levels == config.n_levels && state->low_db == config.low_db &&
                   state->high_db == config.high_db && state->axis.low_hz == view->axis.low_hz &&
                   state->axis.high_hz == view->axis.high_hz &&
                   state->axis.is_log == view->axis.is_log;
    if (is_same) {
        return true;
    }
    weir_view_free_persistence(view);
    *state = (weir_persistence_state){.axis = view->axis,
                                      .n_columns = config.n_columns,
                                      .n_levels = config.n_levels,
                                      .low_db = config.low_db,
                                      .high_db = config.high_db};
    weir_error ignored;
    state->density = calloc(config.n_columns * config.n_levels, sizeof *state->density);
    return state->density && weir_persistence_create(&state->grid, &config, &ignored) == WEIR_OK;
}

void weir_view_free_persistence(weir_view *view)
{
    weir_persistence_destroy(view->persistence.grid);
    free(view->persistence.density);
    view->persistence = (weir_persistence_state){.grid = NULL};
}

static const float *layer_of(weir_view *view)
{
    weir_persistence_state *state = &view->persistence;
    if (view->persistence_layer == WEIR_PERSISTENCE_FADING) {
        return weir_persistence_glow(state->grid);
    }
    weir_persistence_density(state->grid, state->density);
    return state->density;
}

static void add_line(weir_view *view, uint64_t index)
{
    size_t n = view->layout.spectrum.n_columns;
    weir_view_line line;
    float *levels = view->scratch;
    if (!weir_history_line(view->history, index, &view->axis, n, levels, &line) || line.is_gap) {
        return;
    }
    weir_picture_levels(&view->stream.scale, &line.info, &view->axis, n, levels);
    for (size_t c = 0; c < n; c++) {
        levels[c] = isnan(levels[c]) ? view->range.low_db - 1.0f : levels[c];
    }
    weir_spectrum columns = line.info;
    columns.n_bins = n;
    columns.start_hz = 0.5;
    columns.bin_hz = 1.0;
    weir_persistence_add(view->persistence.grid, &columns, levels);
}

static weir_color color_of(const weir_view *view, float density)
{
    if (!(density > LEAST_DENSITY)) {
        return WEIR_COLOR_DEFAULT;
    }
    float part = powf(fminf(density, 1.0f), 0.35f); /* rare ones must show */
    return view->palette[(size_t)(part * (WEIR_PALETTE_LEVELS - 1))];
}

static void draw_cell(weir_view *view, const float *column, size_t c, size_t from_bottom)
{
    const weir_rect *rect = &view->layout.spectrum;
    size_t row = rect->row + rect->n_rows - 1 - from_bottom;
    if (levels_per_cell(view) == 2) {
        weir_color bottom = color_of(view, column[2 * from_bottom]);
        weir_color top = color_of(view, column[2 * from_bottom + 1]);
        if (top != WEIR_COLOR_DEFAULT) {
            weir_cells_put(view->cells, rect->column + c, row, 0x2580,
                           (weir_pen){.fg = top, .bg = bottom});
        } else if (bottom != WEIR_COLOR_DEFAULT) {
            weir_cells_put(view->cells, rect->column + c, row, 0x2584, (weir_pen){.fg = bottom});
        }
        return;
    }
    static const char ramp[] = " .:-=+*#%@";
    float part = powf(fminf(column[from_bottom], 1.0f), 0.35f);
    if (column[from_bottom] > LEAST_DENSITY) {
        weir_cells_put(view->cells, rect->column + c, row, (uint32_t)ramp[(size_t)(part * 9.0f)],
                       (weir_pen){.fg = color_of(view, column[from_bottom])});
    }
}

bool weir_view_draw_persistence(weir_view *view)
{
    const weir_rect *rect = &view->layout.spectrum;
    if (view->persistence_layer == WEIR_PERSISTENCE_OFF || rect->n_rows == 0 || !prepare(view)) {
        return false;
    }
    weir_persistence_state *state = &view->persistence;
    uint64_t from = view->top_line > LINES_BACK ? view->top_line - LINES_BACK : 0;
    if (state->next_line > view->top_line) { /* looking back: only what lies before */
        weir_persistence_reset(state->grid);
        state->next_line = from;
    }
    for (uint64_t k = state->next_line > from ? state->next_line : from; k < view->top_line; k++) {
        add_line(view, k);
    }
    state->next_line = view->top_line;
    const float *layer = layer_of(view);
    for (size_t c = 0; layer && c < rect->n_columns; c++) {
        for (size_t i = 0; i < rect->n_rows; i++) {
            draw_cell(view, layer + c * state->n_levels, c, i);
        }
    }
    return true;
}
