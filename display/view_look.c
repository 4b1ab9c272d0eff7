/* What is shown and how, as numbers: to begin there another time. */
#include "display/view_state.h"

#include <math.h>

void weir_view_get_look(const weir_view *view, weir_view_look *look)
{
    const weir_colormap *map = weir_colormap_at(view->colormap_index);
    double slack_hz = view->bin_hz;
    *look = (weir_view_look){
        .colormap = map ? weir_colormap_name(map) : NULL,
        .is_range_automatic = view->range.is_automatic,
        .low_db = view->range.low_db,
        .high_db = view->range.high_db,
        .shows_all = view->axis.low_hz <= view->full_low_hz + slack_hz &&
                     view->axis.high_hz >= view->full_high_hz - slack_hz,
        .low_hz = view->axis.low_hz,
        .high_hz = view->axis.high_hz,
        .axis = weir_view_axis_kind(view),
        .is_offset = view->is_offset,
        .is_braille = view->is_braille,
        .hides_spectrum = !view->has_spectrum_panel,
        .holds_max = view->holds_max,
        .holds_min = view->holds_min,
        .persistence = view->persistence_layer,
        .hides_notes = view->hides_notes,
        .lines_per_row = view->groups_automatically ? 0 : view->lines_per_row,
        .detector = weir_history_detector(view->history),
    };
}

void weir_view_set_look(weir_view *view, const weir_view_look *look)
{
    view->is_offset = look->is_offset;
    view->is_braille = look->is_braille && view->caps.is_utf8 && !view->caps.has_few_glyphs;
    view->has_spectrum_panel = !look->hides_spectrum;
    view->holds_max = look->holds_max;
    view->holds_min = look->holds_min;
    if (look->persistence < WEIR_PERSISTENCE_LAYERS) {
        view->persistence_layer = (weir_persistence_layer)look->persistence;
    }
    view->hides_notes = look->hides_notes;
    if (look->lines_per_row > 0) {
        view->lines_per_row = look->lines_per_row;
        view->groups_automatically = false;
    }
    weir_history_set_detector(view->history, look->detector);
}

const weir_stream_info *weir_view_stream(const weir_view *view)
{
    return &view->stream;
}

double weir_view_begin_s(const weir_view *view, const weir_spectrum *line, double begin_s)
{
    const weir_view_actions *actions = &view->config.actions;
    if (!view->config.is_replay || !actions->place_of || !(view->stream.rate_hz > 0.0)) {
        return begin_s;
    }
    return (double)actions->place_of(actions->user, line->first_sample) / view->stream.rate_hz;
}

double weir_view_center_hz(const weir_view *view)
{
    return view->newest.n_bins ? view->newest.center_hz : view->stream.center_hz;
}

double weir_view_rate_hz(const weir_view *view)
{
    return view->newest.n_bins ? view->newest.rate_hz : view->stream.rate_hz;
}

double weir_view_gain_db(const weir_view *view)
{
    return view->gain_db;
}
