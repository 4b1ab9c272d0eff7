#include "app/view_memory.h"

#include "app/corrections.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text.h"
#include "base/units.h"
#include "display/colormap.h"
#include "dsp/window.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_LINE "weir view state 1"
#define LONGEST_LINE 512

#define NUMBER(name, least, most)                                                                  \
    {                                                                                              \
#name, offsetof(weir_view_memory, name), 0, least, most                                    \
    }
#define FLAG(name) NUMBER(name, 0, 1)
#define TEXT(name)                                                                                 \
    {                                                                                              \
#name, offsetof(weir_view_memory, name), sizeof(((weir_view_memory *)0)->name), 0, 0       \
    }

static const struct row {
    const char *key;
    size_t offset;
    size_t text_size; /* 0: a number */
    double least, most;
} rows[] = {
    TEXT(source),
    TEXT(colormap),
    TEXT(window),
    FLAG(range_automatic),
    NUMBER(low_db, -1000, 1000),
    NUMBER(high_db, -1000, 1000),
    FLAG(shows_all),
    NUMBER(low_hz, -1e15, 1e15),
    NUMBER(high_hz, -1e15, 1e15),
    NUMBER(axis, 0, WEIR_AXIS_NOTES),
    FLAG(is_offset),
    FLAG(is_braille),
    FLAG(hides_spectrum),
    FLAG(holds_max),
    FLAG(holds_min),
    NUMBER(persistence, 0, 2),
    FLAG(hides_notes),
    NUMBER(lines_per_row, 0, 1 << 20),
    NUMBER(detector, 0, WEIR_TRACE_COUNT - 1),
    NUMBER(n_fft, 2, 1 << 24),
    NUMBER(overlap, -1, 0.999),
    NUMBER(average_seconds, 0, 3600),
    FLAG(is_tuned),
    NUMBER(center_hz, -1e15, 1e15),
    NUMBER(rate_hz, 0, 1e12),
    FLAG(has_gain),
    NUMBER(gain_db, -200, 200),
};

/* ---- the file ---- */

/* Its folder is made if it is wanted. False: there is no home to put it in. */
static bool find_path(char *path, size_t size, bool makes_folder)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool has_state = state && state[0] == '/';
    if (!has_state && !(home && home[0] == '/')) {
        return false;
    }
    int n = has_state ? snprintf(path, size, "%s/weir/view", state)
                      : snprintf(path, size, "%s/.local/state/weir/view", home);
    if (n < 0 || (size_t)n >= size) {
        return false;
    }
    for (char *slash = strchr(path + 1, '/'); makes_folder && slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* what is wrong shows when the file is written */
        *slash = '/';
    }
    return true;
}

static bool take_value(weir_view_memory *memory, const struct row *row, const char *text)
{
    char *field = (char *)memory + row->offset;
    double value;
    if (row->text_size > 0) {
        bool fits = strlen(text) < row->text_size;
        memcpy(field, text, fits ? strlen(text) + 1 : 0);
        return fits;
    }
    if (weir_parse_number(text, &value, NULL) != WEIR_OK || !(value >= row->least) ||
        !(value <= row->most)) {
        return false;
    }
    memcpy(field, &value, sizeof value);
    return true;
}

static bool take_line(weir_view_memory *memory, char *line)
{
    char *blank = strchr(line, ' ');
    if (!blank) {
        return false;
    }
    *blank = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].key, line) == 0) {
            return take_value(memory, &rows[i], blank + 1);
        }
    }
    return false;
}

/* A whole line without its end; false at the end of the file, or of a line that is too long. */
static bool read_line(FILE *file, char line[LONGEST_LINE], bool *is_bad)
{
    if (!fgets(line, LONGEST_LINE, file)) {
        return false;
    }
    size_t n = strlen(line);
    *is_bad = n == 0 || line[n - 1] != '\n';
    line[n > 0 ? n - 1 : 0] = '\0';
    return !*is_bad;
}

static bool makes_sense(const weir_view_memory *memory)
{
    const weir_window *window;
    double parameter;
    return memory->low_db < memory->high_db && memory->low_hz < memory->high_hz &&
           (!memory->colormap[0] || weir_colormap_find(memory->colormap)) &&
           weir_window_parse(memory->window, &window, &parameter, NULL) == WEIR_OK;
}

/* The number of the line that is wrong, or 0. */
static unsigned read_file(weir_view_memory *memory, FILE *file)
{
    char line[LONGEST_LINE];
    bool is_bad = false;
    unsigned number = 1;
    if (!read_line(file, line, &is_bad) || strcmp(line, FIRST_LINE) != 0) {
        return number;
    }
    while (read_line(file, line, &is_bad)) {
        number++;
        if (!take_line(memory, line)) {
            return number;
        }
    }
    return is_bad || number != 1 + sizeof rows / sizeof *rows || !makes_sense(memory) ? number + 1
                                                                                      : 0;
}

void weir_view_memory_load(weir_view_memory *memory)
{
    char path[512];
    *memory = (weir_view_memory){.is_there = false};
    FILE *file = find_path(path, sizeof path, false) ? fopen(path, "re") : NULL;
    if (!file) {
        return; /* the first time */
    }
    unsigned wrong = read_file(memory, file);
    fclose(file);
    memory->is_there = wrong == 0;
    if (wrong > 0) {
        weir_log(WEIR_LOG_WARNING, "--remember: %s, line %u: not as weir writes it; begins afresh",
                 path, wrong);
        *memory = (weir_view_memory){.is_there = false};
    }
}

static weir_status write_row(weir_outfile *file, const weir_view_memory *memory,
                             const struct row *row, weir_error *err)
{
    const char *field = (const char *)memory + row->offset;
    double value;
    if (row->text_size > 0) {
        return weir_outfile_printf(file, err, "%s %s\n", row->key, field);
    }
    memcpy(&value, field, sizeof value);
    value = isfinite(value) ? fmin(fmax(value, row->least), row->most) : row->least;
    return weir_outfile_printf(file, err, "%s %.17g\n", row->key, value);
}

static weir_status write_file(const weir_view_memory *memory, const char *path, weir_error *err)
{
    weir_outfile *file = NULL;
    weir_status status = weir_outfile_open(&file, path, false, err);
    if (status == WEIR_OK) {
        status = weir_outfile_printf(file, err, "%s\n", FIRST_LINE);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == WEIR_OK; i++) {
        status = write_row(file, memory, &rows[i], err);
    }
    if (status == WEIR_OK) {
        status = weir_outfile_finish(file, err);
    }
    weir_outfile_destroy(file);
    return status;
}

/* ---- into the settings and the view ---- */

static void apply_transform(weir_view_memory *m, weir_settings *s)
{
    if (s->n_fft == 0 && s->rbw_hz == 0) {
        s->n_fft = (uint64_t)m->n_fft;
    }
    s->window = s->window ? s->window : m->window;
    if (isnan(s->overlap) && s->hop == 0 && m->overlap >= 0) {
        s->overlap = m->overlap;
    }
    if (s->average.kind == WEIR_AVERAGE_DEFAULT && s->smooth_seconds == 0 &&
        m->average_seconds > 0) {
        s->average =
            (weir_line_average){.kind = WEIR_AVERAGE_SECONDS, .seconds = m->average_seconds};
    }
}

/* Of the same source only. */
static void apply_place(weir_view_memory *m, weir_settings *s)
{
    bool says_where = !isnan(s->center_hz) || s->span_hz != 0;
    if (m->is_tuned != 0 && !says_where) {
        s->center_hz = m->center_hz;
    }
    if (m->is_tuned != 0 && s->rate_hz == 0) {
        s->rate_hz = m->rate_hz;
    }
    if (m->has_gain != 0 && !s->gain) {
        weir_snprintf(m->gain, sizeof m->gain, "%.9g", m->gain_db);
        s->gain = m->gain;
    }
    bool has_range = !isnan(s->range_hz.low) || !isnan(s->range_hz.high);
    if (m->shows_all == 0 && !has_range && !says_where) {
        s->range_hz = (weir_range){m->low_hz, m->high_hz};
    }
}

void weir_view_memory_apply(weir_view_memory *memory, const char *source, weir_settings *settings)
{
    if (!memory->is_there) {
        return;
    }
    bool has_levels = !isnan(settings->levels_db.low) || !isnan(settings->levels_db.high);
    if (memory->range_automatic == 0 && !has_levels) {
        settings->levels_db = (weir_range){memory->low_db, memory->high_db};
    }
    if (!settings->colormap && memory->colormap[0]) {
        settings->colormap = memory->colormap;
    }
    settings->axis = settings->axis ? settings->axis : (int)memory->axis;
    apply_transform(memory, settings);
    if (strcmp(memory->source, source) == 0) {
        apply_place(memory, settings);
    }
}

void weir_view_memory_show(const weir_view_memory *m, weir_view *view)
{
    weir_view_look look = {
        .is_offset = m->is_offset != 0,
        .is_braille = m->is_braille != 0,
        .hides_spectrum = m->hides_spectrum != 0,
        .holds_max = m->holds_max != 0,
        .holds_min = m->holds_min != 0,
        .persistence = (unsigned)m->persistence,
        .hides_notes = m->hides_notes != 0,
        .lines_per_row = (uint64_t)m->lines_per_row,
        .detector = (weir_trace)m->detector,
    };
    if (m->is_there) {
        weir_view_set_look(view, &look);
    }
}

static void take_look(weir_view_memory *m, const weir_view *view)
{
    weir_view_look look;
    weir_view_get_look(view, &look);
    weir_snprintf(m->colormap, sizeof m->colormap, "%s", look.colormap ? look.colormap : "");
    m->range_automatic = look.is_range_automatic;
    m->low_db = (double)look.low_db;
    m->high_db = (double)look.high_db;
    m->shows_all = look.shows_all;
    m->low_hz = look.low_hz;
    m->high_hz = look.high_hz;
    m->axis = (double)look.axis;
    m->is_offset = look.is_offset;
    m->is_braille = look.is_braille;
    m->hides_spectrum = look.hides_spectrum;
    m->holds_max = look.holds_max;
    m->holds_min = look.holds_min;
    m->persistence = look.persistence;
    m->hides_notes = look.hides_notes;
    m->lines_per_row = (double)look.lines_per_row;
    m->detector = (double)look.detector;
}

static void take_transform(weir_view_memory *m, const weir_stream_info *stream)
{
    double decimation = stream->decimation ? (double)stream->decimation : 1;
    double hop = (double)stream->hop, n_fft = (double)stream->n_fft;
    m->n_fft = n_fft / decimation;
    m->overlap = hop > n_fft ? -1 : 1 - hop / n_fft;
    m->average_seconds = (double)stream->frames_per_spectrum * hop / stream->rate_hz;
    weir_snprintf(m->window, sizeof m->window, "%s", stream->window);
}

void weir_view_memory_save(const weir_settings *settings, const char *source, bool can_tune,
                           const weir_view *view)
{
    char path[512];
    weir_error err = {0};
    weir_view_memory m = {.is_tuned = can_tune && settings->span_hz == 0};
    weir_corrections corrections;
    if (!find_path(path, sizeof path, true)) {
        weir_log(WEIR_LOG_WARNING, "--remember: neither XDG_STATE_HOME nor HOME is set");
        return;
    }
    weir_corrections_init_axis(&corrections, settings);
    /* A name with a line end in it, or a long one, is no source that will be opened again. */
    bool is_plain = strlen(source) < sizeof m.source && !strpbrk(source, "\n\r");
    weir_snprintf(m.source, sizeof m.source, "%s", is_plain ? source : "");
    take_look(&m, view);
    take_transform(&m, weir_view_stream(view));
    m.center_hz = weir_device_hz(&corrections.axis, weir_view_center_hz(view));
    m.rate_hz = weir_view_rate_hz(view);
    m.has_gain = can_tune && !isnan(weir_view_gain_db(view));
    m.gain_db = m.has_gain != 0 ? weir_view_gain_db(view) : 0;
    if (write_file(&m, path, &err) != WEIR_OK) {
        weir_log(WEIR_LOG_WARNING, "--remember: %s", err.text);
    }
}
