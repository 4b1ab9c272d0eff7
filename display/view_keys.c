/* The key table: what each key does and what the help says of it. */
#include "display/view_state.h"

#define SHIFT_DB 5.0f
#define RESIZE_DB 10.0f
#define ZOOM_FACTOR 0.5
#define PAN_PART 0.1
#define HIGHEST_NOTE_HZ 20e3

static void quit(weir_view *view, int unused)
{
    (void)unused;
    view->wants_quit = true;
}

static void help(weir_view *view, int unused)
{
    (void)unused;
    view->help_page++; /* drawing it finds out whether there is such a page */
}

static void escape(weir_view *view, int unused)
{
    (void)unused;
    view->help_page = 0;
    view->shows_log = false;
    view->has_cursor = false;
    view->message[0] = '\0';
}

static void pause_or_go(weir_view *view, int unused)
{
    (void)unused;
    view->is_paused = !view->is_paused;
    view->is_stepping = false;
    if (view->config.actions.set_paused) {
        view->config.actions.set_paused(view->config.actions.user, view->is_paused);
    }
}

static void shift_range(weir_view *view, int steps)
{
    weir_range_shift(&view->range, SHIFT_DB * (float)steps);
}

static void resize_range(weir_view *view, int steps)
{
    weir_range_resize(&view->range, RESIZE_DB * (float)steps);
}

static void automatic_range(weir_view *view, int unused)
{
    (void)unused;
    weir_range_set_automatic(&view->range);
}

static void zoom(weir_view *view, int steps)
{
    weir_view_axis_zoom(view, steps > 0 ? ZOOM_FACTOR : 1.0 / ZOOM_FACTOR);
}

static void pan(weir_view *view, int steps)
{
    weir_view_pan_or_tune(view, PAN_PART * steps);
}

static void whole_span(weir_view *view, int unused)
{
    (void)unused;
    weir_view_axis_reset(view);
}

static void hold_max(weir_view *view, int unused)
{
    (void)unused;
    view->holds_max = !view->holds_max;
}

static void hold_min(weir_view *view, int unused)
{
    (void)unused;
    view->holds_min = !view->holds_min;
}

static void reset_holds(weir_view *view, int unused)
{
    (void)unused;
    weir_history_reset_hold(view->history);
    weir_view_message(view, false, "holds start anew");
}

static void change_map(weir_view *view, int steps)
{
    size_t n = 0;
    while (weir_colormap_at(n)) {
        n++;
    }
    n += view->own_colormap != NULL;
    if (n == 0) {
        return;
    }
    view->colormap_index = (view->colormap_index + n + (size_t)(steps > 0 ? 1 : n - 1)) % n;
    weir_view_make_palette(view);
    weir_view_message(view, false, "colour map %s", weir_colormap_name(weir_view_colormap(view)));
}

static void toggle_spectrum(weir_view *view, int unused)
{
    (void)unused;
    view->has_spectrum_panel = !view->has_spectrum_panel;
}

static void change_time(weir_view *view, int steps)
{
    view->groups_automatically = false;
    if (steps > 0 && view->lines_per_row < 1u << 20) {
        view->lines_per_row *= 2;
    } else if (steps < 0 && view->lines_per_row > 1) {
        view->lines_per_row /= 2;
    }
    weir_view_message(view, false, "%llu lines per row", (unsigned long long)view->lines_per_row);
}

/* Older lines are positive. A pause begins by itself. */
static void scroll_back(weir_view *view, int64_t lines)
{
    uint64_t first, end;
    if (!view->is_paused) {
        pause_or_go(view, 0);
    }
    view->is_stepping = false;
    weir_history_extent(view->history, &first, &end);
    int64_t top = (int64_t)view->top_line - lines;
    top = top > (int64_t)end ? (int64_t)end : top;
    view->top_line = top <= (int64_t)first ? (first < end ? first + 1 : end) : (uint64_t)top;
}

static void scroll_pages(weir_view *view, int halves)
{
    uint64_t first, end, rows = view->layout.waterfall.n_rows * weir_view_rows_per_cell(view);
    int64_t lines = halves * (int64_t)((rows / 2 + 1) * view->lines_per_row);
    weir_history_extent(view->history, &first, &end);
    /* Back to where the oldest line is the lowest; single rows go on from there. */
    int64_t most = (int64_t)view->top_line - (int64_t)(first + rows * view->lines_per_row);
    scroll_back(view, lines > most ? (most > 0 ? most : 0) : lines);
}

static void scroll_row(weir_view *view, int rows)
{
    scroll_back(view, rows * (int64_t)view->lines_per_row);
}

static void newest(weir_view *view, int unused)
{
    uint64_t first;
    (void)unused;
    weir_history_extent(view->history, &first, &view->top_line);
}

static void move_cursor(weir_view *view, int columns)
{
    weir_view_move_cursor(view, columns);
}

static void find_peak(weir_view *view, int which)
{
    weir_view_find_peak(view, which);
}

static void mark(weir_view *view, int kind)
{
    weir_view_add_marker(view, (weir_marker_kind)kind);
}

static void drop_markers(weir_view *view, int unused)
{
    (void)unused;
    view->n_markers = 0;
}

static void toggle_braille(weir_view *view, int unused)
{
    (void)unused;
    if (!view->caps.is_utf8) {
        weir_view_message(view, true, "a Braille curve needs UTF-8");
        return;
    }
    if (view->caps.has_few_glyphs) {
        weir_view_message(view, true, "this terminal's fonts have no Braille");
        return;
    }
    view->is_braille = !view->is_braille;
}

/* Linear, logarithmic, with the names of notes. */
static void change_axis(weir_view *view, int unused)
{
    static const weir_view_axis next[] = {
        [WEIR_AXIS_LINEAR] = WEIR_AXIS_LOG,
        [WEIR_AXIS_LOG] = WEIR_AXIS_NOTES,
        [WEIR_AXIS_NOTES] = WEIR_AXIS_LINEAR,
    };
    (void)unused;
    weir_view_axis kind = next[weir_view_axis_kind(view)];
    if (kind == WEIR_AXIS_NOTES && view->axis.low_hz > HIGHEST_NOTE_HZ) {
        kind = WEIR_AXIS_LINEAR; /* nobody hears these */
    }
    if (!weir_view_axis_set(view, kind)) {
        weir_view_message(view, true, "a logarithmic axis needs frequencies above zero");
    }
}

static void toggle_labels(weir_view *view, int unused)
{
    (void)unused;
    if (view->labels.n == 0) {
        weir_view_message(view, false, "no channel names: --labels FILE brings some");
        return;
    }
    view->hides_labels = !view->hides_labels;
}

static void toggle_offset(weir_view *view, int unused)
{
    (void)unused;
    view->is_offset = !view->is_offset;
    weir_view_message(view, false,
                      view->is_offset ? "frequencies from the centre" : "frequencies as they are");
}

static void toggle_mouse(weir_view *view, int unused)
{
    (void)unused;
    if (!view->caps.has_mouse) {
        weir_view_message(view, true, "this terminal has no mouse");
        return;
    }
    view->wants_mouse = !view->wants_mouse;
    view->is_over_waterfall = view->is_pressed = false;
    weir_view_message(view, false,
                      view->wants_mouse ? "the mouse is ours" : "the mouse is the terminal's");
}

static void change_n(weir_view *view, int steps)
{
    weir_view_change_transform(view, WEIR_CHANGE_N, steps);
}

static void change_overlap(weir_view *view, int steps)
{
    weir_view_change_transform(view, WEIR_CHANGE_OVERLAP, steps);
}

static void change_window(weir_view *view, int steps)
{
    weir_view_change_transform(view, WEIR_CHANGE_WINDOW, steps);
}

static void change_averages(weir_view *view, int steps)
{
    weir_view_change_transform(view, WEIR_CHANGE_AVERAGES, steps);
}

static void change_trace_time(weir_view *view, int steps)
{
    weir_view_change_transform(view, WEIR_CHANGE_TRACE_TIME, steps);
}

static void change_trace_average(weir_view *view, int unused)
{
    (void)unused;
    weir_view_change_transform(view, WEIR_CHANGE_TRACE_AVERAGE, 1);
}

static void ask(weir_view *view, int prompt)
{
    weir_view_ask(view, (weir_prompt)prompt);
}

static void step_gain(weir_view *view, int steps)
{
    weir_view_step_gain(view, steps);
}

static void change_speed(weir_view *view, int steps)
{
    weir_view_change_speed(view, steps);
}

static void seek_by(weir_view *view, int seconds)
{
    weir_view_seek_by(view, seconds);
}

static void toggle_loop(weir_view *view, int unused)
{
    (void)unused;
    weir_view_toggle_loop(view);
}

static void step_replay(weir_view *view, int unused)
{
    (void)unused;
    weir_view_step_replay(view);
}

static void go_to_note(weir_view *view, int direction)
{
    weir_view_go_to_note(view, direction);
}

static void toggle_notes(weir_view *view, int unused)
{
    (void)unused;
    if (view->config.n_notes == 0) {
        weir_view_message(view, false, "this source has no annotations");
        return;
    }
    view->hides_notes = !view->hides_notes;
    weir_view_message(view, false, view->hides_notes ? "annotations hidden" : "annotations shown");
}

static void change_detector(weir_view *view, int unused)
{
    static const char *const names[] = {"means", "maxima", "minima"};
    (void)unused;
    weir_trace trace = weir_history_detector(view->history);
    trace = (weir_trace)((trace + 1) % WEIR_TRACE_COUNT);
    weir_history_set_detector(view->history, trace);
    weir_view_message(view, false, "new lines of the waterfall show %s", names[trace]);
}

static void change_reducer(weir_view *view, int unused)
{
    static const char *const names[WEIR_REDUCE_COUNT] = {
        [WEIR_REDUCE_MAX] = "maximum",
        [WEIR_REDUCE_MEAN] = "mean",
        [WEIR_REDUCE_MIN] = "minimum",
        [WEIR_REDUCE_SAMPLE] = "middle",
    };
    (void)unused;
    weir_reducer reducer = weir_history_reducer(view->history);
    reducer = (weir_reducer)((reducer + 1) % WEIR_REDUCE_COUNT);
    weir_history_set_reducer(view->history, reducer);
    weir_picture_forget(view->picture);
    view->persistence.n_columns = 0; /* made anew */
    view->can_scroll_from_shown = false;
    weir_view_message(view, false, "a column shows the %s of its bins", names[reducer]);
}

static void toggle_persistence(weir_view *view, int unused)
{
    (void)unused;
    static const char *const layers[WEIR_PERSISTENCE_LAYERS] = {
        [WEIR_PERSISTENCE_OFF] = "the level now",
        [WEIR_PERSISTENCE_FADING] = "how often each level was seen lately",
        [WEIR_PERSISTENCE_COUNTS] = "how often each level was seen: hits / lines",
    };
    view->persistence_layer =
        (weir_persistence_layer)((view->persistence_layer + 1) % WEIR_PERSISTENCE_LAYERS);
    view->persistence.n_columns = 0; /* begun anew */
    weir_view_message(view, false, "%s", layers[view->persistence_layer]);
}

static void save_picture(weir_view *view, int unused)
{
    (void)unused;
    weir_view_save_screenshot(view);
}

static void save_data(weir_view *view, int unused)
{
    (void)unused;
    weir_view_save_traces(view);
}

static void toggle_log_panel(weir_view *view, int unused)
{
    (void)unused;
    view->shows_log = !view->shows_log;
}

static void toggle_recording(weir_view *view, int unused)
{
    (void)unused;
    weir_view_toggle_recording(view);
}

static void change_source(weir_view *view, int steps)
{
    weir_view_change_source(view, steps);
}

static void redraw(weir_view *view, int unused)
{
    (void)unused;
    view->wants_redraw = true;
}

static const weir_view_command commands[] = {
    {"q", "quit", quit, {{'q', 0}, {'Q', 0}}},
    {"Space", "pause and go on", pause_or_go, {{' ', 0}}},
    {"? h F1", "this help (again: next page)", help, {{'?', 0}, {'h', 0}, {WEIR_KEY_F1, 0}}},
    {"Esc", "close help, message, cursor", escape, {{WEIR_KEY_ESC, 0}}},
    {"+ -", "zoom in, out (at cursor or centre)", zoom, {{'+', 1}, {'=', 1}, {'-', -1}, {'_', -1}}},
    {"Left Right",
     "pan by a tenth; at the end, tune",
     pan,
     {{WEIR_KEY_LEFT, -1}, {WEIR_KEY_RIGHT, 1}}},
    {"Shift-Left Right",
     "pan or tune by half",
     pan,
     {{WEIR_KEY_LEFT | WEIR_KEY_SHIFT, -5}, {WEIR_KEY_RIGHT | WEIR_KEY_SHIFT, 5}}},
    {"0 Home", "the whole span", whole_span, {{'0', 0}, {WEIR_KEY_HOME, 0}}},
    {"Up Down", "range up, down by 5 dB", shift_range, {{WEIR_KEY_UP, 1}, {WEIR_KEY_DOWN, -1}}},
    {"[ ]", "range smaller, larger by 10 dB", resize_range, {{'[', -1}, {']', 1}}},
    {"a", "automatic range", automatic_range, {{'a', 0}}},
    {"x", "show maximum hold", hold_max, {{'x', 0}}},
    {"i", "show minimum hold", hold_min, {{'i', 0}}},
    {"r", "start holds anew", reset_holds, {{'r', 0}}},
    {"c C", "next, previous colour map", change_map, {{'c', 1}, {'C', -1}}},
    {"s", "spectrum panel on, off", toggle_spectrum, {{'s', 0}}},
    {"b", "spectrum as a curve (Braille)", toggle_braille, {{'b', 0}}},
    {"l", "frequencies: linear, logarithmic, notes", change_axis, {{'l', 0}}},
    {"o", "frequencies from the centre", toggle_offset, {{'o', 0}}},
    {"I", "channel names on, off", toggle_labels, {{'I', 0}}},
    {", . < >",
     "cursor left, right by 1, by 10",
     move_cursor,
     {{',', -1}, {'.', 1}, {'<', -10}, {'>', 10}}},
    {"p n N", "peak: highest, next lower, higher", find_peak, {{'p', 0}, {'n', 1}, {'N', -1}}},
    {"k", "set a marker", mark, {{'k', WEIR_MARKER_LEVEL}}},
    {"X", "set a delta marker (from marker 1)", mark, {{'X', WEIR_MARKER_DELTA}}},
    {"H", "set a noise marker (per hertz)", mark, {{'H', WEIR_MARKER_NOISE}}},
    {"K", "drop all markers", drop_markers, {{'K', 0}}},
    {"PgUp PgDn",
     "pause and look back, forward",
     scroll_pages,
     {{WEIR_KEY_PAGE_UP, 1}, {WEIR_KEY_PAGE_DOWN, -1}}},
    {"{ }", "back, forward by a row", scroll_row, {{'{', 1}, {'}', -1}}},
    {"End", "the newest line", newest, {{WEIR_KEY_END, 0}}},
    {"t T", "more, less time per row", change_time, {{'t', 1}, {'T', -1}}},
    {"M", "mouse: point, click marks, drag, wheel", toggle_mouse, {{'M', 0}}},
    {"z Z", "N: longer, shorter transforms", change_n, {{'z', 1}, {'Z', -1}}},
    {"w W", "next, previous window", change_window, {{'w', 1}, {'W', -1}}},
    {"v V", "more, less overlap", change_overlap, {{'v', 1}, {'V', -1}}},
    {"d D", "average lines longer, shorter", change_averages, {{'d', 1}, {'D', -1}}},
    {"; :", "average trace longer, shorter", change_trace_time, {{';', 1}, {':', -1}}},
    {"'", "trace: as lines, mean, exponential", change_trace_average, {{'\'', 0}}},
    {"e", "waterfall of maxima, minima, means", change_detector, {{'e', 0}}},
    {"Y", "columns: max, mean, min, sample of bins", change_reducer, {{'Y', 0}}},
    {"y", "persistence: fading, counts, off", toggle_persistence, {{'y', 0}}},
    {"f", "type a frequency (tunes a radio)", ask, {{'f', WEIR_PROMPT_FREQUENCY}}},
    {"R", "type a sample rate", ask, {{'R', WEIR_PROMPT_RATE}}},
    {"g", "type a gain", ask, {{'g', WEIR_PROMPT_GAIN}}},
    {"j J", "gain up, down by 3 dB", step_gain, {{'j', 1}, {'J', -1}}},
    {"( )", "replay slower, faster", change_speed, {{'(', -1}, {')', 1}}},
    {"u U", "replay: on, back by 5 s", seek_by, {{'u', 5}, {'U', -5}}},
    {"G", "replay: type a time to go to", ask, {{'G', WEIR_PROMPT_PLACE}}},
    {"/", "replay: one row more, paused", step_replay, {{'/', 0}}},
    {"O", "replay: loop", toggle_loop, {{'O', 0}}},
    {"Tab Shift-Tab",
     "next, previous annotation",
     go_to_note,
     {{WEIR_KEY_TAB, 1}, {WEIR_KEY_BACK_TAB, -1}}},
    {"A", "annotations on, off", toggle_notes, {{'A', 0}}},
    {"F B", "next source; the one before", change_source, {{'F', 1}, {'B', -1}}},
    {"S", "record the samples, and end that", toggle_recording, {{'S', 0}}},
    {"P", "save the picture as PNG", save_picture, {{'P', 0}}},
    {"E", "save the traces as CSV", save_data, {{'E', 0}}},
    {"m L", "messages so far", toggle_log_panel, {{'m', 0}, {'L', 0}}},
    {"Ctrl-L", "draw all anew", redraw, {{'L' - '@', 0}}},
};

const weir_view_command *weir_view_command_at(size_t index)
{
    return index < sizeof commands / sizeof *commands ? &commands[index] : NULL;
}

bool weir_view_press(weir_view *view, int key)
{
    if (!view->message_is_report) {
        view->message[0] = '\0'; /* what the key before was told */
    }
    if (weir_view_type(view, key)) {
        return true;
    }
    key = weir_view_bound_key(view, key);
    for (size_t i = 0; key && i < sizeof commands / sizeof *commands; i++) {
        for (size_t b = 0; b < sizeof commands[i].bound / sizeof *commands[i].bound; b++) {
            if (commands[i].bound[b].key == key) {
                commands[i].run(view, commands[i].bound[b].argument);
                return true;
            }
        }
    }
    return false;
}

bool weir_view_key_help(size_t index, const char **keys, const char **help)
{
    const weir_view_command *command = weir_view_command_at(index);
    if (!command) {
        return false;
    }
    *keys = command->keys;
    *help = command->help;
    return true;
}
