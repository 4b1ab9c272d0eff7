/* Lines for reading, ASCII only: time, the peak at the strongest bin (between the bins, as the view
 * and --to peaks read it), and the spectrum as a row of characters.
 * What `weir view` prints when there is no terminal to draw on. Every 24 lines a heading says
 * the axis and what the characters stand for. */
#include "base/text.h"
#include "base/units.h"
#include "display/peak_list.h"
#include "display/sinks.h"
#include "display/text_sink.h"

#include <math.h>
#include <string.h>

enum { BAR_COLUMNS = 60, LINES_PER_HEADING = 24 };

/* From quiet to loud. */
static const char shades[] = " .:-=+*#%@";
enum { SHADE_COUNT = sizeof shades - 1 };

typedef struct text_sink {
    weir_text_sink text;
    unsigned lines; /* since the heading */
    float low_db, high_db;
    weir_peak_lobe lobe;
} text_sink;

static weir_status text_open(weir_sink **out, const weir_sink_config *config,
                             const weir_stream_info *stream, weir_error *err)
{
    weir_text_sink *sink;
    weir_status status = weir_text_sink_open(sizeof(text_sink), &sink, config, stream, err);
    if (status == WEIR_OK) {
        weir_stream_lobe(&((text_sink *)sink)->lobe, stream);
        const char *name = weir_source_name(stream, config->reproducible);
        size_t length = strlen(name);
        weir_line_name(&sink->line, name);
        weir_line_text(&sink->line, length > 0 && name[length - 1] == ':' ? " " : ": ");
        weir_line_name(&sink->line, stream->description ? stream->description : "");
        weir_line_text(&sink->line, "\n");
        weir_text_sink_made_up(sink, &stream->made_up);
        *out = &sink->sink;
    }
    return status;
}

/* The levels in the bar's columns: each the highest of its bins. */
static void fill_columns(const weir_selection *levels, float columns_db[BAR_COLUMNS])
{
    size_t n = levels->n_bins;
    for (size_t c = 0; c < BAR_COLUMNS; c++) {
        size_t from = c * n / BAR_COLUMNS, to = (c + 1) * n / BAR_COLUMNS;
        columns_db[c] = levels->db[from];
        for (size_t i = from + 1; i < to; i++) {
            columns_db[c] = fmaxf(columns_db[c], levels->db[i]);
        }
    }
}

/* Whole tens around what is there: the weakest column, at most 100 dB below the strongest. */
static void choose_range(text_sink *sink, const float columns_db[BAR_COLUMNS])
{
    float least = columns_db[0], most = columns_db[0];
    for (size_t c = 1; c < BAR_COLUMNS; c++) {
        least = fminf(least, columns_db[c]);
        most = fmaxf(most, columns_db[c]);
    }
    float high = ceilf(most / 10.0f) * 10.0f;
    float low = fminf(floorf(least / 10.0f) * 10.0f, high - 30.0f);
    const weir_sink_config *config = &sink->text.config;
    sink->high_db = isnan(config->high_db) ? high : config->high_db;
    sink->low_db = isnan(config->low_db) ? fmaxf(low, sink->high_db - 100.0f) : config->low_db;
    if (!(sink->low_db < sink->high_db)) {
        sink->high_db = sink->low_db + 30.0f;
    }
}

static void heading(text_sink *sink, const weir_spectrum *spectrum)
{
    const weir_selection *levels = &sink->text.levels;
    weir_line *line = &sink->text.line;
    char unit[32], low[40], high[40], axis[BAR_COLUMNS + 1];
    weir_scale_unit(&sink->text.stream->scale, unit, sizeof unit);
    weir_format_hz(low, sizeof low, weir_selection_hz(levels, 0), spectrum->bin_hz);
    weir_format_hz(high, sizeof high, weir_selection_hz(levels, levels->n_bins - 1),
                   spectrum->bin_hz);
    int gap = BAR_COLUMNS - (int)strlen(low) - (int)strlen(high);
    weir_snprintf(axis, sizeof axis, "%s%*s%s", low, gap > 1 ? gap : 1, "", high);
    weir_line_printf(line, "%12s  %18s  %8s  |%-*s| '%c' %.0f .. '%c' %.0f %s\n", "time", "peak",
                     unit, BAR_COLUMNS, axis, shades[0], (double)sink->low_db,
                     shades[SHADE_COUNT - 1], (double)sink->high_db, unit);
}

static weir_peak strongest(const text_sink *sink, const weir_spectrum *spectrum)
{
    const weir_selection *levels = &sink->text.levels;
    size_t peak = 0;
    for (size_t i = 1; i < levels->n_bins; i++) {
        peak = levels->db[i] > levels->db[peak] ? i : peak;
    }
    return weir_peak_at(spectrum, sink->text.config.trace, &sink->text.stream->scale, &sink->lobe,
                        levels->first + peak);
}

static char shade(const text_sink *sink, float db)
{
    float position = (db - sink->low_db) / (sink->high_db - sink->low_db);
    position = fminf(fmaxf(position, 0.0f), 1.0f);
    return shades[(size_t)(position * (SHADE_COUNT - 1) + 0.5f)];
}

static void row(text_sink *sink, const weir_spectrum *spectrum, const float columns_db[BAR_COLUMNS])
{
    const weir_selection *levels = &sink->text.levels;
    char time[40], hz[40], bar[BAR_COLUMNS];
    weir_peak peak = strongest(sink, spectrum);
    double step_s = (double)sink->text.stream->hop / spectrum->rate_hz;
    for (size_t c = 0; c < BAR_COLUMNS; c++) {
        bar[c] = shade(sink, columns_db[c]);
    }
    weir_line_printf(&sink->text.line, "%12s  %18s  %8.2f  |%.*s|%s%s\n",
                     weir_format_seconds(time, sizeof time, levels->time_s, step_s),
                     weir_format_hz(hz, sizeof hz, peak.hz, spectrum->bin_hz / 10), peak.level_db,
                     BAR_COLUMNS, bar, spectrum->clipped ? " clipped" : "",
                     spectrum->nonfinite ? " non-finite" : "");
}

static weir_status text_write(weir_sink *base, const weir_spectrum *spectrum, weir_error *err)
{
    text_sink *sink = (text_sink *)base;
    weir_status status = weir_text_sink_take(&sink->text, spectrum, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (spectrum->lost_before > 0) {
        weir_line_text(&sink->text.line, "-- lost ");
        weir_line_unsigned(&sink->text.line, spectrum->lost_before);
        weir_line_text(&sink->text.line, " samples here --\n");
    }
    weir_text_sink_made_up(&sink->text, &spectrum->made_up);
    float columns_db[BAR_COLUMNS];
    fill_columns(&sink->text.levels, columns_db);
    if (sink->lines % LINES_PER_HEADING == 0 || sink->text.levels.new_axis) {
        sink->lines = 0;
        choose_range(sink, columns_db);
        heading(sink, spectrum);
    }
    sink->lines++;
    row(sink, spectrum, columns_db);
    return weir_text_sink_put(&sink->text, err);
}

static weir_status text_finish(weir_sink *base, const weir_totals *totals, weir_error *err)
{
    weir_text_sink *sink = (weir_text_sink *)base;
    weir_line_printf(&sink->line,
                     "received %llu samples = %llu transformed + %llu skipped + %llu lost + %llu "
                     "tail\n",
                     (unsigned long long)totals->received, (unsigned long long)totals->transformed,
                     (unsigned long long)totals->skipped, (unsigned long long)totals->lost,
                     (unsigned long long)totals->tail);
    return weir_text_sink_finish(sink, err);
}

const weir_sink_class weir_sink_text = {
    .name = "text",
    .endings = ".txt",
    .help = "lines for reading: time, strongest peak, the spectrum in characters",
    .open = text_open,
    .write = text_write,
    .finish = text_finish,
    .close = weir_text_sink_close,
};
