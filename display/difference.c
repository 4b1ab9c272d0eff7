#include "display/difference.h"

#include "base/text.h"
#include "display/picture.h"

#include <math.h>
#include <stdlib.h>

enum {
    EDGE = 16,
    WIDTH = 1024,
    LEVELS_HEIGHT = 400,
    BETWEEN = 48, /* the legend stands there */
    DIFFERENCE_HEIGHT = 200,
    RIGHT = 40,
    THICK = 2,
};

static const float widest_range_db = 150.0f;

/* A pixel column's part of everything; NAN: nothing to draw. */
typedef struct column {
    float measured_db, low_db, high_db;
    float difference_db, allowed_db;
} column;

typedef struct drawing {
    const weir_difference *what;
    weir_canvas *canvas;
    column *columns; /* WIDTH */
    bool limits;     /* low and high are limits, not golden levels */
} drawing;

/* ---- bins to columns ---- */

static void join_bin(const drawing *d, size_t bin, column *c)
{
    const weir_difference *w = d->what;
    c->measured_db =
        fmaxf(c->measured_db, w->measured_db[bin]); /* of NAN and a number: the number */
    if (d->limits) {
        c->low_db = isfinite(w->low_db[bin]) ? fmaxf(c->low_db, w->low_db[bin]) : c->low_db;
        c->high_db = isfinite(w->high_db[bin]) ? fminf(c->high_db, w->high_db[bin]) : c->high_db;
    } else {
        c->high_db = fmaxf(c->high_db, w->high_db[bin]);
    }
    float excess = fabsf(w->difference_db[bin]) - w->allowed_db[bin];
    if (!(excess <= fabsf(c->difference_db) - c->allowed_db)) {
        c->difference_db = w->difference_db[bin];
        c->allowed_db = w->allowed_db[bin];
    }
}

static void fill_columns(const drawing *d)
{
    size_t n = d->what->n_bins;
    for (size_t x = 0; x < WIDTH; x++) {
        size_t from = x * n / WIDTH, to = (x + 1) * n / WIDTH;
        column *c = &d->columns[x];
        *c = (column){NAN, NAN, NAN, NAN, NAN};
        for (size_t bin = from; bin < to || bin == from; bin++) {
            join_bin(d, bin, c);
        }
    }
}

/* ---- ranges ---- */

static float floor_to(float value, float step)
{
    return step * floorf(value / step);
}

/* Whole tens around all levels, and not the rounding noise far below them. */
static void choose_levels(const drawing *d, weir_plot *plot)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t x = 0; x < WIDTH; x++) {
        const column *c = &d->columns[x];
        low = fminf(low, fminf(c->measured_db, fminf(c->low_db, c->high_db)));
        high = fmaxf(high, fmaxf(c->measured_db, fmaxf(c->low_db, c->high_db)));
    }
    plot->high_db = -floor_to(-high - 1.0f, 10.0f);
    plot->low_db = fmaxf(floor_to(low - 1.0f, 10.0f), plot->high_db - widest_range_db);
}

/* Around zero, and wide enough for the worst difference and the narrowest tolerance. */
static void choose_differences(const drawing *d, weir_plot *plot)
{
    float worst = 0.0f, narrowest = INFINITY;
    for (size_t x = 0; x < WIDTH; x++) {
        worst = fmaxf(worst, fabsf(d->columns[x].difference_db));
        narrowest = fminf(narrowest, d->columns[x].allowed_db);
    }
    float most = fmaxf(1.25f * worst, 2.0f * narrowest);
    plot->high_db = fminf(fmaxf(most, 0.1f), widest_range_db);
    plot->low_db = -plot->high_db;
}

/* ---- curves ---- */

static int row_of(const weir_plot *plot, float db)
{
    int up = weir_plot_place((double)db, (double)plot->low_db, (double)plot->high_db, plot->height);
    return plot->top + plot->height - 1 - up;
}

/* One field of the columns as a line, broken where there is nothing. */
static void draw_curve(const drawing *d, const weir_plot *plot, size_t field, float sign,
                       uint8_t ink)
{
    bool connected = false;
    for (int x = 0, before = 0; x < WIDTH; x++) {
        float db = *(const float *)(const void *)((const char *)&d->columns[x] + field);
        if (!isfinite(db)) {
            connected = false;
            continue;
        }
        int y = row_of(plot, sign * db), from = connected ? before : y;
        int upper = y < from ? y : from, lower = y < from ? from : y;
        weir_canvas_fill(d->canvas, plot->left + x, upper, THICK, lower - upper + THICK, ink);
        connected = true;
        before = y;
    }
}

static void draw_bad_columns(const drawing *d, const weir_plot *plot)
{
    for (int x = 0; x < WIDTH; x++) {
        const column *c = &d->columns[x];
        if (fabsf(c->difference_db) > c->allowed_db) {
            int zero = row_of(plot, 0.0f), y = row_of(plot, c->difference_db);
            int upper = y < zero ? y : zero, lower = y < zero ? zero : y;
            weir_canvas_fill(d->canvas, plot->left + x, upper, THICK, lower - upper + THICK,
                             WEIR_INK_LOSS);
        }
    }
}

static void draw_legend(const drawing *d, int y)
{
    const weir_difference *w = d->what;
    const struct {
        const char *text;
        uint8_t ink;
    } entries[] = {{"measured", WEIR_INK_CURVE},
                   {w->reference, d->limits ? WEIR_INK_TEXT : WEIR_INK_FAINT_TEXT},
                   {"differs", WEIR_INK_LOSS}};
    int x = WEIR_PICTURE_LEFT;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        weir_canvas_fill(d->canvas, x, y + WEIR_TEXT_CAPITALS / 2 - 1, 32, 3, entries[i].ink);
        weir_canvas_text(d->canvas, x + 42, y, entries[i].ink, entries[i].text);
        x += 42 + weir_text_width(entries[i].text) + 40;
    }
}

/* ---- the two plots ---- */

static weir_plot empty_plot(const drawing *d, int top, int height)
{
    const weir_difference *w = d->what;
    weir_plot plot = {.canvas = d->canvas,
                      .left = WEIR_PICTURE_LEFT,
                      .top = top,
                      .width = WIDTH,
                      .height = height,
                      .low_hz = w->start_hz,
                      .high_hz = w->start_hz + (double)w->n_bins * w->bin_hz};
    weir_canvas_fill(d->canvas, plot.left, top, WIDTH, height, WEIR_INK_EMPTY);
    weir_plot_frequency_grid(&plot);
    return plot;
}

static void draw_levels(const drawing *d)
{
    char title[64];
    weir_plot plot = empty_plot(d, WEIR_PICTURE_TOP, LEVELS_HEIGHT);
    choose_levels(d, &plot);
    weir_snprintf(title, sizeof title, "level (%s)", d->what->unit);
    weir_plot_level_axis(&plot, title);
    uint8_t ink = d->limits ? WEIR_INK_TEXT : WEIR_INK_FAINT_TEXT;
    draw_curve(d, &plot, offsetof(column, low_db), 1.0f, ink);
    draw_curve(d, &plot, offsetof(column, high_db), 1.0f, ink);
    draw_curve(d, &plot, offsetof(column, measured_db), 1.0f, WEIR_INK_CURVE);
    weir_plot_frame(&plot);
}

static void draw_differences(const drawing *d, int top)
{
    weir_plot plot = empty_plot(d, top, DIFFERENCE_HEIGHT);
    choose_differences(d, &plot);
    weir_plot_level_axis(&plot, d->limits ? "outside (dB)" : "differs (dB)");
    if (!d->limits) {
        draw_curve(d, &plot, offsetof(column, allowed_db), 1.0f, WEIR_INK_FRAME);
        draw_curve(d, &plot, offsetof(column, allowed_db), -1.0f, WEIR_INK_FRAME);
    }
    draw_curve(d, &plot, offsetof(column, difference_db), 1.0f, WEIR_INK_CURVE);
    draw_bad_columns(d, &plot);
    weir_plot_frequency_axis(&plot);
    weir_plot_frame(&plot);
}

static void draw_heading(const drawing *d)
{
    const weir_difference *w = d->what;
    int room = d->canvas->width - 2 * EDGE;
    weir_canvas_text_within(d->canvas, EDGE, 16, room, WEIR_INK_TEXT, w->title);
    weir_canvas_text_within(d->canvas, EDGE, 44, room, WEIR_INK_FAINT_TEXT, w->subtitle);
    weir_canvas_text_within(d->canvas, EDGE, 70, room, WEIR_INK_FAINT_TEXT, w->settings);
}

weir_status weir_difference_draw(const weir_difference *difference, weir_canvas *canvas,
                                 weir_error *err)
{
    int second = WEIR_PICTURE_TOP + LEVELS_HEIGHT + BETWEEN;
    weir_status status = weir_canvas_init(canvas, WEIR_PICTURE_LEFT + WIDTH + RIGHT,
                                          second + DIFFERENCE_HEIGHT + WEIR_PLOT_BELOW, err);
    if (status != WEIR_OK) {
        return status;
    }
    drawing d = {
        .what = difference, .canvas = canvas, .limits = difference->low_db != difference->high_db};
    d.columns = calloc(WIDTH, sizeof *d.columns);
    if (!d.columns) {
        weir_canvas_deinit(canvas);
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a picture");
    }
    fill_columns(&d);
    weir_canvas_fill(canvas, 0, 0, canvas->width, canvas->height, WEIR_INK_PAGE);
    draw_heading(&d);
    draw_levels(&d);
    draw_legend(&d, WEIR_PICTURE_TOP + LEVELS_HEIGHT + BETWEEN / 2 - WEIR_TEXT_CAPITALS / 2);
    draw_differences(&d, second);
    free(d.columns);
    return WEIR_OK;
}
