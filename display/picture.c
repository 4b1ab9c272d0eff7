#include "display/picture.h"

#include "base/text.h"
#include "display/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EDGE = 16,           /* between text and the border of the picture */
    RIGHT_OF_GRAPH = 40, /* room for half a label */
    BAR_GAP = 32,
    BAR_WIDTH = 22,
    RIGHT_OF_PLOT = 184, /* the colour bar       */
    GRAPH_HEIGHT = 520,
    LEAST_HEIGHT = 480, /* short spectrograms are stretched to about this */
};

#define LABELS_KEPT 64
#define LABEL_HEIGHT (WEIR_TEXT_HEIGHT + 2)
#define LEAST_LABEL 20 /* pixels */

static const float widest_range_db = 120.0f; /* of a colour range chosen automatically */
static const float least_range_db = 20.0f;

/* What the parts of one drawing share. */
typedef struct drawing {
    const weir_picture *picture;
    weir_plot plot;
    double start_s, seconds; /* of the top; from top to bottom */
    size_t n_rows;
    weir_level16 *row; /* scratch: width levels */
} drawing;

/* ---- colours ---- */

static weir_rgb darkened(weir_rgb c, unsigned percent)
{
    return (weir_rgb){(uint8_t)(c.r * percent / 100), (uint8_t)(c.g * percent / 100),
                      (uint8_t)(c.b * percent / 100)};
}

void weir_picture_palette(const weir_colormap *map, weir_rgb palette[WEIR_INK_COUNT])
{
    for (int i = 0; i < WEIR_INK_LEVELS; i++) {
        float position = (float)i / (float)(WEIR_INK_LEVELS - 1);
        palette[i] = weir_colormap_at_position(map, position);
    }
    weir_rgb curve = weir_colormap_at_position(map, 0.8f);
    palette[WEIR_INK_PAGE] = (weir_rgb){18, 20, 24};
    palette[WEIR_INK_EMPTY] = (weir_rgb){10, 11, 13};
    palette[WEIR_INK_GAP] = weir_colormap_at_position(map, NAN);
    palette[WEIR_INK_TEXT] = (weir_rgb){232, 234, 237};
    palette[WEIR_INK_FAINT_TEXT] = (weir_rgb){158, 166, 176};
    palette[WEIR_INK_FRAME] = (weir_rgb){120, 128, 138};
    palette[WEIR_INK_GRID] = (weir_rgb){46, 51, 58};
    palette[WEIR_INK_CURVE] = curve;
    palette[WEIR_INK_UNDER_CURVE] = darkened(curve, 30);
    palette[WEIR_INK_LOSS] = (weir_rgb){255, 92, 92};
}

static uint8_t level_ink(const drawing *d, weir_level16 level)
{
    if (level == 0) {
        return WEIR_INK_EMPTY;
    }
    float position = (weir_level16_db(level) - d->plot.low_db) / (d->plot.high_db - d->plot.low_db);
    position = fminf(fmaxf(position, 0.0f), 1.0f);
    return (uint8_t)(position * (float)(WEIR_INK_LEVELS - 1) + 0.5f);
}

/* ---- ranges ---- */

/* Whole fives around nearly all levels, so that noise is dark and a rare click does not
 * darken the rest; bounds given by the user stand. */
static void choose_range(drawing *d, double low_part, double high_part)
{
    const weir_picture *p = d->picture;
    float low = weir_spectrogram_percentile(p->spectrogram, low_part);
    float high = weir_spectrogram_percentile(p->spectrogram, high_part);
    if (isnan(low) || isnan(high)) { /* nothing above the floor */
        low = -widest_range_db;
        high = 0.0f;
    }
    high = 5.0f * ceilf((high + 1.0f) / 5.0f);
    low = 5.0f * floorf(low / 5.0f);
    d->plot.high_db = isnan(p->high_db) ? high : p->high_db;
    low = fmaxf(low, d->plot.high_db - widest_range_db);
    d->plot.low_db = isnan(p->low_db) ? fminf(low, d->plot.high_db - least_range_db) : p->low_db;
    if (!(d->plot.low_db <
          d->plot.high_db)) { /* only a chosen bound can be in the way of a given one */
        d->plot.high_db = d->plot.low_db + least_range_db;
    }
}

/* ---- axes ---- */

static void draw_time_axis(const drawing *d)
{
    weir_tick ticks[WEIR_PLOT_TICKS];
    double end_s = d->start_s + d->seconds;
    size_t n =
        weir_ticks_seconds(d->start_s, end_s, weir_plot_ticks_for_height(d->plot.height), ticks);
    for (size_t i = 0; i < n; i++) {
        weir_plot_left_tick(&d->plot,
                            d->plot.top +
                                weir_plot_place(ticks[i].value, d->start_s, end_s, d->plot.height),
                            ticks[i].label);
    }
    bool as_clock = n > 0 && strchr(ticks[0].label, ':');
    weir_plot_left_title(&d->plot, as_clock ? "time (min:s)" : "time (s)");
}

/* Above the plot: the title and two lines of what it is. */
static void draw_heading(const drawing *d)
{
    const weir_picture *p = d->picture;
    int room = d->plot.canvas->width - 2 * EDGE;
    weir_canvas_text_within(d->plot.canvas, EDGE, 16, room, WEIR_INK_TEXT, p->title);
    weir_canvas_text_within(d->plot.canvas, EDGE, 44, room, WEIR_INK_FAINT_TEXT, p->subtitle);
    weir_canvas_text_within(d->plot.canvas, EDGE, 70, room, WEIR_INK_FAINT_TEXT, p->settings);
}

/* ---- the spectrogram ---- */

static void draw_color_bar(const drawing *d)
{
    int x = d->plot.left + d->plot.width + BAR_GAP, right = x + BAR_WIDTH;
    int height = d->plot.height < 600 ? d->plot.height : 600;
    weir_canvas_fill(d->plot.canvas, x - 1, d->plot.top - 1, BAR_WIDTH + 2, height + 2,
                     WEIR_INK_FRAME);
    for (int y = 0; y < height; y++) {
        int ink = (height - 1 - y) * (WEIR_INK_LEVELS - 1) / (height > 1 ? height - 1 : 1);
        weir_canvas_fill(d->plot.canvas, x, d->plot.top + y, BAR_WIDTH, 1, (uint8_t)ink);
    }
    weir_tick ticks[WEIR_PLOT_TICKS];
    size_t n = weir_ticks_db((double)d->plot.low_db, (double)d->plot.high_db,
                             weir_plot_ticks_for_height(height), ticks);
    for (size_t i = 0; i < n; i++) {
        int up = weir_plot_place(ticks[i].value, (double)d->plot.low_db, (double)d->plot.high_db,
                                 height);
        int y = d->plot.top + height - 1 - up;
        weir_canvas_fill(d->plot.canvas, right + 1, y, WEIR_PLOT_TICK, 2, WEIR_INK_FRAME);
        weir_canvas_text(d->plot.canvas, right + WEIR_PLOT_TICK + 6, y - WEIR_TEXT_CAPITALS / 2 + 1,
                         WEIR_INK_TEXT, ticks[i].label);
    }
    const char *unit = d->picture->unit;
    weir_canvas_text_up(d->plot.canvas, d->plot.canvas->width - EDGE - WEIR_TEXT_HEIGHT,
                        d->plot.top + (height + weir_text_width(unit)) / 2, WEIR_INK_FAINT_TEXT,
                        unit);
}

/* Pixel row y stands for whole rows of the spectrogram, or for a part of one. */
static void draw_row(const drawing *d, int y)
{
    size_t height = (size_t)d->plot.height, at = (size_t)y;
    size_t from = at * d->n_rows / height, to = (at + 1) * d->n_rows / height;
    bool lost, has_data = weir_spectrogram_join(d->picture->spectrogram, from,
                                                to > from ? to : from + 1, d->row, &lost);
    uint8_t *pixels = d->plot.canvas->pixels +
                      (size_t)(d->plot.top + y) * (size_t)d->plot.canvas->width +
                      (size_t)d->plot.left;
    for (int x = 0; x < d->plot.width; x++) {
        pixels[x] = has_data ? level_ink(d, d->row[x]) : WEIR_INK_GAP;
    }
    if (lost) {
        weir_canvas_fill(d->plot.canvas, d->plot.left + d->plot.width + 3, d->plot.top + y, 10, 1,
                         WEIR_INK_LOSS);
    }
}

/* Where labels stand, the last ones. */
typedef struct label_boxes {
    struct {
        int left, top, right;
    } box[LABELS_KEPT];
    size_t n;
} label_boxes;

/* Labels are all of one height. */
static bool is_free(const label_boxes *labels, int left, int top, int right)
{
    size_t n = labels->n < LABELS_KEPT ? labels->n : LABELS_KEPT;
    for (size_t i = 0; i < n; i++) {
        if (left < labels->box[i].right && labels->box[i].left < right &&
            abs(top - labels->box[i].top) < LABEL_HEIGHT) {
            return false;
        }
    }
    return true;
}

/* Not where it would cover one that is there: neither could be read. */
static void draw_note_label(const drawing *d, label_boxes *labels, const char *label, int x, int y)
{
    int room = d->plot.left + d->plot.width - x - 4;
    if (!label || room < LEAST_LABEL || y + LABEL_HEIGHT > d->plot.top + d->plot.height) {
        return;
    }
    int text = weir_text_width(label), width = (text < room ? text : room) + 4;
    if (!is_free(labels, x, y, x + width)) {
        return;
    }
    size_t at = labels->n++ % LABELS_KEPT;
    labels->box[at].left = x;
    labels->box[at].top = y;
    labels->box[at].right = x + width;
    weir_canvas_fill(d->plot.canvas, x, y, width, LABEL_HEIGHT, WEIR_INK_PAGE);
    weir_canvas_text_within(d->plot.canvas, x + 2, y + 1, room, WEIR_INK_TEXT, label);
}

/* Its frame, open where it goes beyond the picture, and its label inside or below its top. */
static void draw_note(const drawing *d, label_boxes *labels, const weir_note *note)
{
    const weir_picture *p = d->picture;
    weir_canvas *canvas = d->plot.canvas;
    double per_second = (double)d->plot.height / d->seconds;
    double per_hz = (double)d->plot.width / (p->high_hz - p->low_hz);
    double top = ((double)note->first_sample / p->rate_hz - d->start_s) * per_second;
    double bottom = top + (double)note->n_samples / p->rate_hz * per_second;
    double left = isnan(note->low_hz) ? 0.0 : (note->low_hz - p->low_hz) * per_hz;
    double right = isnan(note->high_hz) ? d->plot.width : (note->high_hz - p->low_hz) * per_hz;
    int height = d->plot.height, width = d->plot.width;
    if (bottom < 0.0 || top >= height || right < 0.0 || left >= width) {
        return;
    }
    int x0 = (int)fmax(left, 0.0), x1 = (int)fmin(right, width - 1.0);
    int y0 = (int)fmax(top, 0.0), y1 = (int)fmin(fmax(bottom, top + 2.0), height - 1.0);
    x0 += d->plot.left;
    x1 += d->plot.left;
    y0 += d->plot.top;
    y1 += d->plot.top;
    weir_canvas_fill(canvas, x0, y0, 1, y1 - y0 + 1, WEIR_INK_TEXT);
    weir_canvas_fill(canvas, x1, y0, 1, y1 - y0 + 1, WEIR_INK_TEXT);
    weir_canvas_fill(canvas, x0, y0, x1 - x0 + 1, top >= 0.0 ? 1 : 0, WEIR_INK_TEXT);
    weir_canvas_fill(canvas, x0, y1, x1 - x0 + 1, bottom < height ? 1 : 0, WEIR_INK_TEXT);
    draw_note_label(d, labels, note->label, x0 + 2, y0 + 2);
}

static void draw_spectrogram(drawing *d)
{
    choose_range(d, 0.05, 0.9997); /* a carrier is 1 column of 1024 */
    for (int y = 0; y < d->plot.height; y++) {
        draw_row(d, y);
    }
    label_boxes labels = {.n = 0};
    for (size_t i = 0; i < d->picture->n_notes; i++) {
        draw_note(d, &labels, &d->picture->notes[i]);
    }
    weir_plot_frame(&d->plot);
    weir_plot_frequency_axis(&d->plot);
    draw_time_axis(d);
    draw_color_bar(d);
}

static int spectrogram_height(const weir_picture *p, size_t n_rows)
{
    size_t most = p->height ? (size_t)p->height : WEIR_PICTURE_MAX_ROWS;
    if (n_rows >= most) {
        return (int)most;
    }
    size_t wanted = p->height ? most : LEAST_HEIGHT;
    size_t stretch = wanted > n_rows ? wanted / n_rows : 1;
    return (int)(n_rows * stretch);
}

/* ---- the graph ---- */

static void draw_level_axis(const drawing *d)
{
    char title[64];
    weir_snprintf(title, sizeof title, "level (%s)", d->picture->unit);
    weir_plot_level_axis(&d->plot, title);
}

static int curve_y(const drawing *d, weir_level16 level)
{
    double db = (double)weir_level16_db(level);
    return d->plot.height - 1 -
           weir_plot_place(db, (double)d->plot.low_db, (double)d->plot.high_db, d->plot.height);
}

/* The grid shows through the surface under the curve. */
static void draw_under_curve(const drawing *d, int x, int y)
{
    for (int row = y; row < d->plot.height; row++) {
        uint8_t *pixel = d->plot.canvas->pixels +
                         (size_t)(d->plot.top + row) * (size_t)d->plot.canvas->width +
                         (size_t)(d->plot.left + x);
        *pixel = *pixel == WEIR_INK_GRID ? WEIR_INK_GRID : WEIR_INK_UNDER_CURVE;
    }
}

static void draw_curve(const drawing *d)
{
    enum { THICK = 2 };
    weir_spectrogram_join(d->picture->spectrogram, 0, d->n_rows, d->row, NULL);
    for (int x = 0; x < d->plot.width; x++) {
        if (d->row[x]) {
            draw_under_curve(d, x, curve_y(d, d->row[x]));
        }
    }
    for (int x = 0, before = -1; x < d->plot.width; x++) {
        if (!d->row[x]) {
            before = -1;
            continue;
        }
        int y = curve_y(d, d->row[x]), from = before < 0 ? y : before;
        int upper = y < from ? y : from, lower = y < from ? from : y;
        weir_canvas_fill(d->plot.canvas, d->plot.left + x, d->plot.top + upper, THICK,
                         lower - upper + THICK, WEIR_INK_CURVE);
        before = y;
    }
}

static void draw_graph(drawing *d)
{
    choose_range(d, 0.01, 1.0);
    weir_canvas_fill(d->plot.canvas, d->plot.left, d->plot.top, d->plot.width, d->plot.height,
                     WEIR_INK_EMPTY);
    weir_plot_frequency_grid(&d->plot);
    weir_plot_frequency_axis(&d->plot);
    draw_level_axis(d);
    draw_curve(d);
    weir_plot_frame(&d->plot);
}

/* Nothing came: the empty plot says so. */
static void draw_nothing(drawing *d)
{
    weir_canvas_fill(d->plot.canvas, d->plot.left, d->plot.top, d->plot.width, d->plot.height,
                     WEIR_INK_EMPTY);
    weir_plot_frame(&d->plot);
    weir_plot_frequency_axis(&d->plot);
    weir_plot_text_centered(&d->plot, d->plot.left + d->plot.width / 2,
                            d->plot.top + d->plot.height / 2, WEIR_INK_FAINT_TEXT,
                            "no spectra: the stream is shorter than one transform");
}

/* ---- the whole ---- */

weir_status weir_picture_draw(const weir_picture *picture, weir_canvas *canvas, weir_error *err)
{
    *canvas = (weir_canvas){0};
    uint64_t n_spectra = weir_spectrogram_added(picture->spectrogram);
    drawing d = {.picture = picture,
                 .plot = {.canvas = canvas,
                          .left = WEIR_PICTURE_LEFT,
                          .top = WEIR_PICTURE_TOP,
                          .width = picture->width,
                          .height = picture->height ? picture->height : GRAPH_HEIGHT,
                          .low_hz = picture->low_hz,
                          .high_hz = picture->high_hz},
                 .n_rows = weir_spectrogram_rows(picture->spectrogram)};
    if (n_spectra > 1) {
        d.plot.height = spectrogram_height(picture, d.n_rows);
        d.start_s = weir_spectrogram_start_seconds(picture->spectrogram);
        d.seconds = (double)d.n_rows * weir_spectrogram_row_seconds(picture->spectrogram);
    }
    int right = n_spectra > 1 ? RIGHT_OF_PLOT : RIGHT_OF_GRAPH;
    weir_status status = weir_canvas_init(canvas, d.plot.left + d.plot.width + right,
                                          d.plot.top + d.plot.height + WEIR_PLOT_BELOW, err);
    if (status != WEIR_OK) {
        return status;
    }
    d.row = calloc((size_t)d.plot.width, sizeof *d.row);
    if (!d.row) {
        weir_canvas_deinit(canvas);
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a picture");
    }
    weir_canvas_fill(canvas, 0, 0, canvas->width, canvas->height, WEIR_INK_PAGE);
    draw_heading(&d);
    (n_spectra > 1 ? draw_spectrogram : n_spectra == 1 ? draw_graph : draw_nothing)(&d);
    free(d.row);
    return WEIR_OK;
}
