#include "display/plot.h"

#include "base/text.h"
#include "display/ticks.h"

#include <math.h>

enum { EDGE = 16 }; /* between text and the border of the picture */

void weir_plot_frame(const weir_plot *plot)
{
    int right = plot->left + plot->width, bottom = plot->top + plot->height;
    weir_canvas_fill(plot->canvas, plot->left - 1, plot->top - 1, plot->width + 2, 1,
                     WEIR_INK_FRAME);
    weir_canvas_fill(plot->canvas, plot->left - 1, bottom, plot->width + 2, 1, WEIR_INK_FRAME);
    weir_canvas_fill(plot->canvas, plot->left - 1, plot->top - 1, 1, plot->height + 2,
                     WEIR_INK_FRAME);
    weir_canvas_fill(plot->canvas, right, plot->top - 1, 1, plot->height + 2, WEIR_INK_FRAME);
}

int weir_plot_place(double value, double low, double high, int length)
{
    int at = (int)floor((value - low) / (high - low) * length);
    return at < 0 ? 0 : at >= length ? length - 1 : at;
}

void weir_plot_text_centered(const weir_plot *plot, int x, int y, uint8_t ink, const char *text)
{
    weir_canvas_text(plot->canvas, x - weir_text_width(text) / 2, y, ink, text);
}

/* The marks' labels must not touch: fewer marks until they do not. */
static size_t frequency_ticks(const weir_plot *plot, weir_tick *ticks, char unit[8])
{
    size_t most = WEIR_PLOT_TICKS, n = 0;
    for (; most > 1; most--) {
        n = weir_ticks_hz(plot->low_hz, plot->high_hz, most, ticks, unit);
        int widest = 0;
        for (size_t i = 0; i < n; i++) {
            int width = weir_text_width(ticks[i].label);
            widest = width > widest ? width : widest;
        }
        if ((int)n * (widest + 36) <= plot->width) {
            break;
        }
    }
    return n;
}

void weir_plot_frequency_grid(const weir_plot *plot)
{
    weir_tick ticks[WEIR_PLOT_TICKS];
    char unit[8];
    size_t n = frequency_ticks(plot, ticks, unit);
    for (size_t i = 0; i < n; i++) {
        int x =
            plot->left + weir_plot_place(ticks[i].value, plot->low_hz, plot->high_hz, plot->width);
        weir_canvas_fill(plot->canvas, x, plot->top, 1, plot->height, WEIR_INK_GRID);
    }
}

void weir_plot_frequency_axis(const weir_plot *plot)
{
    weir_tick ticks[WEIR_PLOT_TICKS];
    char unit[8], title[40];
    size_t n = frequency_ticks(plot, ticks, unit);
    int bottom = plot->top + plot->height;
    for (size_t i = 0; i < n; i++) {
        int x =
            plot->left + weir_plot_place(ticks[i].value, plot->low_hz, plot->high_hz, plot->width);
        weir_canvas_fill(plot->canvas, x, bottom, 2, WEIR_PLOT_TICK, WEIR_INK_FRAME);
        weir_plot_text_centered(plot, x, bottom + WEIR_PLOT_TICK + 6, WEIR_INK_TEXT,
                                ticks[i].label);
    }
    weir_snprintf(title, sizeof title, "frequency (%s)", unit);
    weir_plot_text_centered(plot, plot->left + plot->width / 2, bottom + WEIR_PLOT_TICK + 36,
                            WEIR_INK_FAINT_TEXT, title);
}

void weir_plot_left_tick(const weir_plot *plot, int y, const char *label)
{
    weir_canvas_fill(plot->canvas, plot->left - WEIR_PLOT_TICK - 1, y, WEIR_PLOT_TICK, 2,
                     WEIR_INK_FRAME);
    weir_canvas_text(plot->canvas, plot->left - WEIR_PLOT_TICK - 6 - weir_text_width(label),
                     y - WEIR_TEXT_CAPITALS / 2 + 1, WEIR_INK_TEXT, label);
}

void weir_plot_left_title(const weir_plot *plot, const char *title)
{
    int below = plot->top + (plot->height + weir_text_width(title)) / 2;
    weir_canvas_text_up(plot->canvas, EDGE, below, WEIR_INK_FAINT_TEXT, title);
}

size_t weir_plot_ticks_for_height(int height)
{
    int fit = height / 48;
    return fit < 2 ? 2 : fit > WEIR_PLOT_TICKS ? WEIR_PLOT_TICKS : (size_t)fit;
}

void weir_plot_level_axis(const weir_plot *plot, const char *title)
{
    weir_tick ticks[WEIR_PLOT_TICKS];
    double low = (double)plot->low_db, high = (double)plot->high_db;
    size_t n = weir_ticks_db(low, high, weir_plot_ticks_for_height(plot->height), ticks);
    for (size_t i = 0; i < n; i++) {
        int y =
            plot->top + plot->height - 1 - weir_plot_place(ticks[i].value, low, high, plot->height);
        weir_canvas_fill(plot->canvas, plot->left, y, plot->width, 1, WEIR_INK_GRID);
        weir_plot_left_tick(plot, y, ticks[i].label);
    }
    weir_plot_left_title(plot, title);
}
