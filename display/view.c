#include "display/view.h"

#include "base/clock.h"
#include "base/text.h"
#include "display/peak_list.h"
#include "display/view_state.h"
#include "weir_config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HISTORY_BYTES ((size_t)64 << 20)
#define DEFAULT_FPS 30.0
#define MESSAGE_SECONDS 4
#define SECOND_NS INT64_C(1000000000)
/* Rows a second that the eye follows: more lines are put together, fewer are not. */
#define ROWS_PER_SECOND_MAX 45.0
#define ROWS_PER_SECOND_MIN 10.0

void weir_view_message(weir_view *view, bool is_error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    weir_vsnprintf(view->message, sizeof view->message, format, args);
    va_end(args);
    view->message_is_error = is_error;
    view->message_is_report = false;
    view->message_until_ns = weir_now_ns() + MESSAGE_SECONDS * SECOND_NS;
}

void weir_view_config_init(weir_view_config *config)
{
    *config = (weir_view_config){
        .low_db = NAN, .high_db = NAN, .low_hz = NAN, .high_hz = NAN, .gain_db = NAN};
}

bool weir_view_possible(void)
{
    return WEIR_HAVE_NCURSES && weir_screen_possible();
}

static const char *keep(char kept[256], const char *text)
{
    weir_snprintf(kept, 256, "%s", text ? text : "");
    return kept;
}

/* With its strings. */
static void keep_stream(weir_stream_info *to, char strings[4][256], const weir_stream_info *from)
{
    *to = *from;
    to->source = keep(strings[0], from->source);
    to->description = keep(strings[1], from->description);
    to->window = keep(strings[2], from->window);
    to->engine = keep(strings[3], from->engine);
    to->notes = NULL; /* the view has its own */
    to->n_notes = 0;
}

static void copy_stream(weir_view *view, const weir_stream_info *stream)
{
    keep_stream(&view->stream, view->strings, stream);
    if (view->described[0]) {
        view->stream.description = view->described;
    }
    weir_scale_unit(&view->stream.scale, view->unit, sizeof view->unit);
    weir_stream_lobe(&view->peak_lobe, &view->stream);
}

/* What the engine's spectra will cover, so that the axis is there before them. */
static void expect_axis(weir_view *view)
{
    const weir_stream_info *stream = &view->stream;
    if (!(stream->rate_hz > 0.0) || stream->n_fft == 0) {
        return;
    }
    weir_spectrum expected = {0};
    weir_stream_axis(stream, &expected.n_bins, &expected.start_hz, &expected.bin_hz);
    weir_view_axis_follow(view, &expected);
}

static weir_status find_colormap(weir_view *view, const char *name, weir_error *err)
{
    const weir_colormap *map;
    weir_status status = weir_colormap_named(&map, &view->own_colormap, name, err);
    view->colormap_index = 0;
    while (status == WEIR_OK && weir_colormap_at(view->colormap_index) &&
           weir_colormap_at(view->colormap_index) != map) {
        view->colormap_index++;
    }
    return status;
}

const weir_colormap *weir_view_colormap(const weir_view *view)
{
    const weir_colormap *map = weir_colormap_at(view->colormap_index);
    return map ? map : view->own_colormap;
}

/* What is of the source in a configuration. The notes become the view's. */
static void keep_source(weir_view *view, const weir_view_config *config, weir_note *notes)
{
    view->config.is_replay = config->is_replay;
    view->config.actions = config->actions;
    free(view->notes);
    view->config.notes = view->notes = notes;
    view->config.n_notes = notes ? config->n_notes : 0;
    view->longest_note = 0;
    view->speed = config->speed;
    view->gain_db = config->gain_db;
    view->described[0] = '\0';
    view->loops = config->loops;
}

weir_status weir_view_create(weir_view **out, const weir_view_config *config,
                             const weir_stream_info *stream, weir_error *err)
{
    weir_status status;
    *out = NULL;
    weir_view *view = calloc(1, sizeof *view);
    if (!view) {
        return weir_fail(err, WEIR_ERR_NOMEM, "terminal view: out of memory");
    }
    pthread_mutex_init(&view->shared.lock, NULL);
    view->config = *config;
    keep_source(view, config, weir_notes_copy(config->notes, config->n_notes));
    view->lines_per_row = 1;
    view->processor_load = view->gpu_load = view->lag_seconds = view->second_lag_seconds =
        -1.0; /* not known */
    view->groups_automatically = view->has_spectrum_panel = true;
    copy_stream(view, stream);
    view->split_of = stream->averages;
    expect_axis(view);
    weir_range_init(&view->range, config->low_db, config->high_db);
    status = find_colormap(view, config->colormap, err);
    if (status == WEIR_OK && config->labels) {
        status = weir_labels_load(&view->labels, config->labels, err);
    }
    status = status == WEIR_OK && config->keys ? weir_view_bind(view, config->keys, err) : status;
    if (status) {
        goto fail;
    }
    size_t n_bins;
    double start_hz, bin_hz;
    weir_stream_axis(stream, &n_bins, &start_hz, &bin_hz);
    view->history = weir_history_create(n_bins, HISTORY_BYTES);
    if (view->history) {
        weir_history_set_reducer(view->history, config->reducer);
    }
    view->picture = weir_picture_create();
    if (!view->history || !view->picture) {
        status = weir_fail(err, WEIR_ERR_NOMEM, "terminal view: out of memory");
        goto fail;
    }
    *out = view;
    return WEIR_OK;
fail:
    weir_view_close(view);
    return status;
}

void weir_view_set_caps(weir_view *view, weir_term_caps caps)
{
    view->caps = caps;
    view->wants_mouse = caps.has_mouse;
    weir_view_make_pens(view);
    weir_view_make_palette(view);
}

weir_status weir_view_open(weir_view **out, const weir_view_config *config,
                           const weir_stream_info *stream, weir_error *err)
{
    weir_view *view;
    *out = NULL;
    weir_status status = weir_view_create(&view, config, stream, err);
    if (status) {
        return status;
    }
    status = weir_screen_open(&view->screen, config->color, config->charset, config->pictures, err);
    if (status) {
        weir_view_close(view);
        return status;
    }
    weir_view_set_caps(view, weir_screen_caps(view->screen));
    *out = view;
    return WEIR_OK;
}

static void free_source(weir_view_source *source)
{
    if (source) {
        free(source->notes);
        free(source);
    }
}

void weir_view_close(weir_view *view)
{
    if (!view) {
        return;
    }
    weir_screen_close(view->screen);
    weir_cells_destroy(view->cells);
    weir_picture_destroy(view->picture);
    weir_history_destroy(view->history);
    weir_split_average_destroy(view->split);
    for (int i = 0; i < WEIR_HELD_COUNT; i++) {
        free(view->traces[i]);
    }
    weir_view_free_persistence(view);
    weir_view_graphics_destroy(view);
    weir_colormap_destroy(view->own_colormap);
    weir_labels_free(&view->labels);
    free(view->scratch);
    free_source(view->shared.source);
    free(view->notes);
    pthread_mutex_destroy(&view->shared.lock);
    free(view);
}

/* Engine's thread. Without memory for it lines and trace stay together. */
static void make_split(weir_view *view, size_t n_bins)
{
    weir_split_average_destroy(view->split);
    view->split = NULL;
    view->split_bins = n_bins;
    if (view->split_of.trace.kind != WEIR_TRACE_AS_LINES) {
        (void)weir_split_average_create(&view->split, &view->split_of, n_bins, NULL);
    }
}

void weir_view_push(weir_view *view, const weir_spectrum *spectrum)
{
    const weir_spectrum *line, *trace;
    if (spectrum->n_bins > view->split_bins) {
        make_split(view, spectrum->n_bins);
    }
    if (!view->split) {
        weir_history_push(view->history, spectrum);
        return;
    }
    weir_split_average_add(view->split, spectrum, &line, &trace);
    weir_history_push_both(view->history, spectrum, line, trace);
}

/* With the lock. */
static void share_stream(weir_view *view, const weir_stream_info *stream)
{
    keep_stream(&view->shared.stream, view->shared.strings, stream);
    view->shared.has_stream = true;
}

void weir_view_set_stream(weir_view *view, const weir_stream_info *stream)
{
    view->split_of = stream->averages;
    make_split(view, view->split_bins);
    pthread_mutex_lock(&view->shared.lock);
    share_stream(view, stream);
    pthread_mutex_unlock(&view->shared.lock);
}

weir_status weir_view_set_source(weir_view *view, const weir_view_config *config,
                                 const weir_stream_info *stream, weir_error *err)
{
    weir_view_source *source = malloc(sizeof *source);
    if (!source) {
        return weir_fail(err, WEIR_ERR_NOMEM, "terminal view: out of memory");
    }
    source->config = *config;
    source->notes = weir_notes_copy(config->notes, config->n_notes);
    weir_history_clear(view->history);
    view->split_of = stream->averages;
    make_split(view, view->split_bins);
    pthread_mutex_lock(&view->shared.lock);
    share_stream(view, stream);
    free_source(view->shared.source); /* one that was never shown */
    view->shared.source = source;
    view->shared.has_ended = false;
    pthread_mutex_unlock(&view->shared.lock);
    return WEIR_OK;
}

/* What a user pointed at was in the source before. */
static void start_anew(weir_view *view)
{
    weir_picture_forget(view->picture);
    weir_view_free_persistence(view);
    view->newest = (weir_spectrum){.n_bins = 0};
    view->has_axis = view->has_cursor = view->is_over_waterfall = false;
    view->n_markers = 0;
    view->is_paused = view->is_stepping = view->has_ended = false;
    view->axis.is_log = view->names_notes = false;
    view->can_scroll_from_shown = false;
    if (view->message_until_ns == INT64_MAX) { /* how the source before ended */
        view->message[0] = '\0';
    }
}

/* A key that came before may have been for the source that was taken already. */
static void set_replay_as_shown(const weir_view *view)
{
    const weir_view_actions *actions = &view->config.actions;
    weir_error ignored;
    if (actions->set_paused) {
        actions->set_paused(actions->user, view->is_paused);
    }
    if (view->config.is_replay && actions->set_speed) {
        actions->set_speed(actions->user, view->speed);
    }
    if (view->config.is_replay && actions->set_loop) {
        (void)actions->set_loop(actions->user, view->loops, &ignored); /* what cannot, does not */
    }
}

void weir_view_take_source(weir_view *view)
{
    pthread_mutex_lock(&view->shared.lock);
    weir_view_source *source = view->shared.source;
    view->shared.source = NULL;
    pthread_mutex_unlock(&view->shared.lock);
    if (!source) {
        return;
    }
    keep_source(view, &source->config, source->notes);
    free(source);
    start_anew(view);
    set_replay_as_shown(view);
    weir_view_take_stream(view);
    expect_axis(view);
}

void weir_view_take_stream(weir_view *view)
{
    pthread_mutex_lock(&view->shared.lock);
    if (view->shared.has_stream && !view->shared.source) { /* else it comes with that */
        copy_stream(view, &view->shared.stream);
        view->shared.has_stream = false;
        view->can_scroll_from_shown = false;
    }
    pthread_mutex_unlock(&view->shared.lock);
}

void weir_view_end(weir_view *view, const weir_totals *totals, const weir_error *err)
{
    pthread_mutex_lock(&view->shared.lock);
    view->shared.totals = *totals;
    view->shared.error = err ? *err : (weir_error){WEIR_OK, ""};
    view->shared.has_ended = true;
    pthread_mutex_unlock(&view->shared.lock);
}

/* The end of the stream, once. */
void weir_view_take_end(weir_view *view)
{
    pthread_mutex_lock(&view->shared.lock);
    bool is_new = view->shared.has_ended && !view->has_ended;
    weir_error error = {0};
    if (is_new) {
        view->has_ended = true;
        view->totals = view->shared.totals;
        error = view->shared.error;
    }
    pthread_mutex_unlock(&view->shared.lock);
    if (error.status != WEIR_OK) {
        weir_view_message(view, true, "%s", error.text);
        view->message_until_ns = INT64_MAX;
        view->message_is_report = true;
    }
}

static void free_for_size(weir_view *view)
{
    weir_cells_destroy(view->cells);
    view->cells = NULL;
    for (int i = 0; i < WEIR_HELD_COUNT; i++) {
        free(view->traces[i]);
        view->traces[i] = NULL;
        view->has_trace[i] = false;
    }
    free(view->scratch);
    view->scratch = NULL;
}

static bool allocate_for_size(weir_view *view, size_t n_columns, size_t n_rows)
{
    free_for_size(view);
    bool is_ok = true;
    for (int i = 0; i < WEIR_HELD_COUNT; i++) {
        view->traces[i] = calloc(2 * n_columns, sizeof(float)); /* Braille */
        is_ok &= view->traces[i] != NULL;
    }
    view->scratch = calloc(2 * n_columns, sizeof(float));
    view->cells = weir_cells_create(n_columns, n_rows, view->caps.is_utf8);
    if (!is_ok || !view->scratch || !view->cells) {
        free_for_size(view);
        return false;
    }
    weir_cells_set_few_glyphs(view->cells, view->caps.has_few_glyphs);
    return true;
}

static bool fit_to(weir_view *view, size_t n_columns, size_t n_rows)
{
    bool is_same = view->cells && weir_cells_columns(view->cells) == n_columns &&
                   weir_cells_rows(view->cells) == n_rows;
    if (!is_same) {
        view->can_scroll_from_shown = false;
        if (!allocate_for_size(view, n_columns, n_rows)) {
            return false;
        }
    }
    view->layout = weir_layout_make(n_columns, n_rows, view->has_spectrum_panel);
    return true;
}

static void take_trace(weir_view *view, weir_held held)
{
    weir_view_line line;
    float *trace = view->traces[held];
    view->has_trace[held] =
        weir_history_trace(view->history, held, &view->axis, view->n_trace, trace, &line);
    if (view->has_trace[held]) {
        weir_picture_levels(&view->stream.scale, &line.info, &view->axis, view->n_trace, trace);
    }
}

/* In a pause the newest line shown, so that the panels belong together. */
static void take_paused_trace(weir_view *view)
{
    weir_view_line line;
    float *trace = view->traces[WEIR_HELD_LIVE];
    bool is_there = weir_history_line(view->history, view->top_line - 1, &view->axis, view->n_trace,
                                      trace, &line);
    view->has_trace[WEIR_HELD_LIVE] = is_there;
    if (is_there) {
        view->newest = line.info;
        view->newest_begin_s = line.begin_s;
        weir_picture_levels(&view->stream.scale, &line.info, &view->axis, view->n_trace, trace);
    }
}

static void follow_range(weir_view *view, float seconds)
{
    float floor_db, peak_db, ignored;
    weir_picture_row row;
    uint64_t last_row = (view->top_line - 1) / view->lines_per_row;
    if (!view->has_trace[WEIR_HELD_LIVE] ||
        !weir_range_measure(view->traces[WEIR_HELD_LIVE], view->n_trace, view->scratch, &floor_db,
                            &peak_db)) {
        return;
    }
    /* The waterfall shows maxima, which lie higher. */
    if (weir_picture_get(view->picture, view->history, &view->stream.scale, last_row, &row)) {
        weir_range_measure(row.levels_db, view->layout.waterfall.n_columns, view->scratch, &ignored,
                           &peak_db);
    }
    weir_range_follow(&view->range, floor_db, peak_db, seconds);
}

void weir_view_take_traces(weir_view *view, float seconds)
{
    weir_view_line line;
    uint64_t first;
    float probe;
    if (!view->is_paused || view->is_stepping) {
        weir_history_extent(view->history, &first, &view->top_line);
    }
    if (weir_history_trace(view->history, WEIR_HELD_LIVE, &view->axis, 1, &probe, &line)) {
        view->newest = line.info;
        view->newest_begin_s = line.begin_s;
        weir_view_axis_follow(view, &view->newest);
    }
    view->n_trace = view->layout.waterfall.n_columns * (view->is_braille ? 2 : 1);
    size_t n_rows = view->layout.waterfall.n_rows * weir_view_rows_per_cell(view) + 2;
    if (!weir_picture_set(view->picture, &view->axis, view->layout.waterfall.n_columns, n_rows,
                          view->lines_per_row) ||
        view->top_line == 0) {
        return;
    }
    take_trace(view, WEIR_HELD_MAX);
    take_trace(view, WEIR_HELD_MIN);
    if (view->is_paused) {
        take_paused_trace(view);
        return;
    }
    take_trace(view, WEIR_HELD_LIVE);
    follow_range(view, seconds);
}

static void draw_too_small(weir_view *view)
{
    char text[48];
    weir_snprintf(text, sizeof text, "too small (%dx%d)", WEIR_LAYOUT_MIN_COLUMNS,
                  WEIR_LAYOUT_MIN_ROWS);
    weir_cells_text(view->cells, 0, 0, view->layout.n_columns, text, (weir_pen){0});
}

static void draw_panels(weir_view *view)
{
    weir_cells_clear(view->cells);
    if (view->layout.is_too_small) {
        draw_too_small(view);
        return;
    }
    weir_view_draw_title(view);
    weir_view_draw_spectrum(view);
    weir_view_draw_axis(view);
    weir_view_draw_cursor(view);
    weir_view_draw_waterfall(view);
    weir_view_draw_notes(view);
    weir_view_draw_log(view);
    weir_view_draw_status(view);
    weir_view_draw_help(view);
}

bool weir_view_draw(weir_view *view, size_t n_columns, size_t n_rows, float seconds)
{
    if (!fit_to(view, n_columns, n_rows)) {
        return false;
    }
    if (!view->layout.is_too_small) {
        weir_view_take_traces(view, seconds);
    }
    draw_panels(view);
    return true;
}

/* The terminal moves what it shows, so that only the new row is drawn. */
static size_t scroll_shown(weir_view *view, weir_bytes *out)
{
    size_t scrolled = 0;
    uint64_t pairs = weir_view_pairs(view);
    const weir_rect *rect = &view->layout.waterfall;
    bool can = view->can_scroll_from_shown && view->caps.can_scroll && view->help_page == 0 &&
               !view->layout.is_too_small && pairs > view->shown_pairs;
    if (can && pairs - view->shown_pairs < rect->n_rows &&
        !(view->cell_height > 0 && view->caps.graphics == WEIR_GRAPHICS_KITTY)) {
        scrolled = (size_t)(pairs - view->shown_pairs);
        weir_cells_scroll_down(view->cells, rect->row, rect->n_rows, scrolled, out);
    }
    view->shown_pairs = pairs;
    view->can_scroll_from_shown = true;
    return scrolled;
}

static int64_t processor_ns(clockid_t whose)
{
    struct timespec now;
    clock_gettime(whose, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void count_frame(weir_view *view, int64_t began_ns, int64_t processor_began_ns)
{
    uint64_t took_ns = (uint64_t)(weir_now_ns() - began_ns);
    size_t i = 0;
    for (int64_t us = (processor_ns(CLOCK_THREAD_CPUTIME_ID) - processor_began_ns) / 1000;
         us > 0 && i < 31; us /= 2) {
        i++;
    }
    view->stats.frames_by_us[i]++;
    view->stats.n_frames++;
    view->second_frames++;
    if (took_ns > view->stats.longest_frame_ns) {
        view->stats.longest_frame_ns = took_ns;
    }
}

/* From the last sample in the picture to the last one that has arrived: what came meanwhile
 * is how long it took. By the stream's own clock, so that it needs no common one; a file read
 * as fast as it goes has none. */
static void measure_lag(weir_view *view)
{
    const weir_view_actions *actions = &view->config.actions;
    bool is_paced = !view->config.is_replay || view->speed > 0.0;
    if (!actions->received || view->newest.n_bins == 0 || !is_paced) {
        return;
    }
    uint64_t received = actions->received(actions->user), shown = view->newest.end_sample;
    double rate_hz = view->newest.rate_hz * (view->config.is_replay ? view->speed : 1.0);
    double lag = received > shown ? (double)(received - shown) / rate_hz : 0.0;
    view->second_lag_seconds = fmax(view->second_lag_seconds, lag);
}

static void draw_frame(weir_view *view)
{
    int64_t now = weir_now_ns(), processor_now = processor_ns(CLOCK_THREAD_CPUTIME_ID);
    float seconds = (float)(now - view->last_frame_ns) * 1e-9f;
    view->last_frame_ns = now;
    if (view->config.actions.totals && !view->has_ended) {
        view->config.actions.totals(view->config.actions.user, &view->totals);
    }
    /* The size may lag behind its signal, so that it is asked for every frame. */
    weir_screen_size size = weir_screen_size_now(view->screen);
    weir_view_graphics_prepare(view, &size);
    if (!weir_view_draw(view, size.n_columns, size.n_rows, seconds < 1.0f ? seconds : 1.0f)) {
        return;
    }
    if (view->wants_redraw) {
        weir_cells_invalidate(view->cells);
        weir_view_graphics_forget(view);
        view->wants_redraw = false;
    }
    weir_bytes *out = weir_screen_begin_frame(view->screen);
    weir_bytes_text(out, "\033[?2026h");
    size_t size_before = out->size;
    if (view->wants_mouse != view->has_mouse) { /* 1003: moves too, 1006: as decimals */
        weir_bytes_text(out,
                        view->wants_mouse ? "\033[?1003h\033[?1006h" : "\033[?1003l\033[?1006l");
        view->has_mouse = view->wants_mouse;
    }
    size_t scrolled = scroll_shown(view, out);
    weir_view_graphics_emit(view, scrolled, out);
    weir_cells_render(view->cells, out);
    if (out->size == size_before) {
        weir_bytes_clear(out); /* nothing changed, nothing is sent */
    } else {
        weir_bytes_text(out, "\033[?2026l");
    }
    weir_screen_end_frame(view->screen);
    measure_lag(view);
    count_frame(view, now, processor_now);
}

/* Once a second: rates, and how many lines make a row. */
static void measure_second(weir_view *view, int64_t now)
{
    uint64_t first, end;
    if (now - view->second_began_ns < SECOND_NS) {
        return;
    }
    double seconds = (double)(now - view->second_began_ns) * 1e-9;
    weir_history_extent(view->history, &first, &end);
    view->fps = view->second_frames / seconds;
    view->lines_per_second = (double)(end - view->second_lines) / seconds;
    int64_t processor = processor_ns(CLOCK_PROCESS_CPUTIME_ID);
    view->processor_load = (double)(processor - view->second_processor_ns) * 1e-9 / seconds;
    view->second_processor_ns = processor;
    const weir_view_actions *actions = &view->config.actions;
    view->gpu_load = actions->gpu_load ? actions->gpu_load(actions->user) : -1.0;
    view->lag_seconds = view->second_lag_seconds;
    view->second_lag_seconds = -1.0;
    view->second_began_ns = now;
    view->second_frames = 0;
    view->second_lines = end;
    if (!view->groups_automatically || view->is_paused || view->lines_per_second <= 0.0) {
        return;
    }
    uint64_t before = view->lines_per_row;
    double rows = view->lines_per_second / (double)before;
    for (; rows > ROWS_PER_SECOND_MAX; rows /= 2.0) {
        view->lines_per_row *= 2;
    }
    for (; rows < ROWS_PER_SECOND_MIN && view->lines_per_row > 1; rows *= 2.0) {
        view->lines_per_row /= 2;
    }
    if (view->lines_per_row != before) {
        view->can_scroll_from_shown = false;
    }
}

static void take_messages(weir_view *view, int64_t now)
{
    weir_stderr_capture *messages = weir_guard_messages();
    char line[sizeof view->message];
    if (messages && view->shows_log) {
        weir_stderr_tail(messages, view->log_text, sizeof view->log_text);
    }
    if (messages && weir_stderr_line(messages, line, sizeof line)) {
        bool is_ours = strncmp(line, "weir: ", 6) == 0;
        bool is_error =
            strncmp(line, "weir: error", 11) == 0 || strncmp(line, "weir: warning", 13) == 0;
        /* A library that goes on and on must not hide the status: it gets its turn. */
        if (is_ours || now > view->quiet_until_ns) {
            weir_view_message(view, is_error, "%s", line);
            view->message_is_report = true;
            view->quiet_until_ns = view->message_until_ns + 2 * MESSAGE_SECONDS * SECOND_NS;
        }
    }
    if (view->message[0] && now > view->message_until_ns) {
        view->message[0] = '\0';
    }
}

static void take_events(weir_view *view, const weir_guard_events *events)
{
    if (events->stop) {
        weir_screen_suspend(view->screen);
        view->wants_redraw = true;
        view->has_mouse = false;
    } else if (events->resume) {
        weir_screen_resume(view->screen);
        view->wants_redraw = true;
        view->has_mouse = false;
    }
    if (events->resize) {
        view->wants_redraw = true; /* the terminal may have moved what it shows */
    }
    int key;
    weir_mouse mouse;
    while ((key = weir_screen_key(view->screen, &mouse)) != WEIR_KEY_NONE) {
        if (key == WEIR_KEY_MOUSE) {
            weir_view_take_mouse(view, &mouse);
        } else if (key == WEIR_KEY_ANSWER) {
            view->caps.graphics = weir_screen_caps(view->screen).graphics;
        } else {
            weir_view_press(view, key);
        }
    }
}

static bool is_finished(const weir_view *view)
{
    return view->wants_quit || (view->has_ended && view->config.exit_at_end);
}

int weir_view_run(weir_view *view)
{
    double fps = view->config.max_fps > 0.0 ? view->config.max_fps : DEFAULT_FPS;
    int64_t period_ns = (int64_t)(1e9 / fps);
    int end_signal = 0;
    view->second_began_ns = weir_now_ns();
    view->second_processor_ns = processor_ns(CLOCK_PROCESS_CPUTIME_ID);
    int64_t due_ns = view->second_began_ns;
    while (end_signal == 0 && !is_finished(view)) {
        int64_t left_ns = due_ns - weir_now_ns();
        int wait_ms = left_ns > 0 ? (int)((left_ns + 999999) / 1000000) : 0;
        weir_guard_events events = weir_screen_wait(view->screen, wait_ms);
        end_signal = events.end_signal;
        take_events(view, &events);
        int64_t now = weir_now_ns();
        if (now < due_ns || end_signal) {
            continue;
        }
        weir_view_take_source(view);
        weir_view_take_end(view);
        weir_view_take_stream(view);
        take_messages(view, now);
        measure_second(view, now);
        if (weir_screen_is_ready(view->screen)) {
            draw_frame(view);
        } else {
            view->stats.n_skipped++;
        }
        due_ns = now - due_ns < period_ns ? due_ns + period_ns : now + period_ns;
    }
    if (view->config.actions.quit) {
        view->config.actions.quit(view->config.actions.user);
    }
    view->stats.n_bytes = weir_screen_bytes_written(view->screen);
    weir_screen_close(view->screen);
    view->screen = NULL;
    return end_signal;
}

void weir_view_get_stats(const weir_view *view, weir_view_stats *stats)
{
    *stats = view->stats;
}
