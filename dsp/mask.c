#include "dsp/mask.h"

#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_BYTES = 1024, MAX_POINTS = 1000000, MAX_COLUMNS = 3, LOBE_BINS = 4 };

typedef enum column { COLUMN_HZ, COLUMN_UPPER, COLUMN_LOWER } column;

typedef struct loader {
    const char *name;
    size_t line; /* counted from 1 */
    weir_mask *mask;
    size_t capacity;
    size_t n_columns; /* 0: not known yet */
    column columns[MAX_COLUMNS];
} loader;

static weir_status bad_line(const loader *l, weir_error *err, const char *what)
{
    return weir_fail(err, WEIR_ERR_DATA, "%s, line %zu: %s", l->name, l->line, what);
}

/* ---- points ---- */

static bool grow(double **array, size_t capacity)
{
    double *more = realloc(*array, capacity * sizeof **array);
    if (!more) {
        return false;
    }
    *array = more;
    return true;
}

static weir_status make_room(loader *l, weir_error *err)
{
    weir_mask *m = l->mask;
    if (m->n_points < l->capacity) {
        return WEIR_OK;
    }
    if (m->n_points >= MAX_POINTS) {
        return bad_line(l, err, "more than a million points");
    }
    size_t capacity = l->capacity ? 2 * l->capacity : 64;
    if (!grow(&m->hz, capacity) || !grow(&m->upper_db, capacity) || !grow(&m->lower_db, capacity)) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: no memory for the mask", l->name);
    }
    l->capacity = capacity;
    return WEIR_OK;
}

static weir_status check_order(const loader *l, double hz, weir_error *err)
{
    const weir_mask *m = l->mask;
    size_t n = m->n_points;
    if (m->log_hz && !(hz > 0)) {
        return bad_line(l, err, "a mask over log f has frequencies above 0");
    }
    if (n > 0 && hz < m->hz[n - 1]) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "%s, line %zu: frequency %.15g Hz is below the one before (%.15g Hz)",
                         l->name, l->line, hz, m->hz[n - 1]);
    }
    if (n > 1 && hz <= m->hz[n - 2]) {
        return bad_line(l, err, "the same frequency three times; two make a step");
    }
    return WEIR_OK;
}

static weir_status add_point(loader *l, const double values[MAX_COLUMNS], weir_error *err)
{
    weir_mask *m = l->mask;
    double hz = values[COLUMN_HZ], upper = values[COLUMN_UPPER], lower = values[COLUMN_LOWER];
    weir_status status = check_order(l, hz, err);
    if (status == WEIR_OK && upper < lower) {
        status = bad_line(l, err, "the upper limit is below the lower one");
    }
    if (status == WEIR_OK) {
        status = make_room(l, err);
    }
    if (status == WEIR_OK) {
        m->hz[m->n_points] = hz;
        m->upper_db[m->n_points] = upper;
        m->lower_db[m->n_points] = lower;
        m->n_points++;
    }
    return status;
}

/* ---- lines ---- */

/* Cuts at the commas; blanks around the columns go. Returns how many there are in the line,
 * of which the first MAX_COLUMNS are kept. */
static size_t split(char *text, char *words[MAX_COLUMNS])
{
    size_t n = 0;
    for (char *end = text; end; text = end + 1, n++) {
        end = strchr(text, ',');
        char *stop = end ? end : text + strlen(text);
        if (end) {
            *end = '\0';
        }
        text += strspn(text, " \t");
        while (stop > text && strchr(" \t", stop[-1])) {
            *--stop = '\0';
        }
        if (n < MAX_COLUMNS) {
            words[n] = text;
        }
        if (!end) {
            return n + 1;
        }
    }
    return n;
}

/* "frequency", "upper_db", "Lower (dBm)": the first letters decide. */
static bool column_of_name(const char *word, column *which)
{
    static const struct {
        const char *begin;
        column column;
    } names[] = {
        {"freq", COLUMN_HZ}, {"hz", COLUMN_HZ}, {"upper", COLUMN_UPPER}, {"lower", COLUMN_LOWER}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncasecmp(word, names[i].begin, strlen(names[i].begin)) == 0) {
            *which = names[i].column;
            return true;
        }
    }
    return false;
}

static weir_status read_names(loader *l, char *const *words, weir_error *err)
{
    unsigned seen = 0;
    for (size_t i = 0; i < l->n_columns; i++) {
        if (!column_of_name(words[i], &l->columns[i])) {
            return weir_fail(err, WEIR_ERR_DATA,
                             "%s, line %zu: a column \"%.32s\"; there are frequency, upper, lower",
                             l->name, l->line, words[i]);
        }
        if (seen & (1u << l->columns[i])) {
            return bad_line(l, err, "a column is named twice");
        }
        seen |= 1u << l->columns[i];
    }
    return seen & 1u << COLUMN_HZ ? WEIR_OK : bad_line(l, err, "there is no column \"frequency\"");
}

static weir_status read_value(const loader *l, column which, const char *word, double *value,
                              weir_error *err)
{
    if (which != COLUMN_HZ && !*word) {
        *value = NAN;
        return WEIR_OK;
    }
    weir_error why = {0};
    weir_status status =
        which == COLUMN_HZ ? weir_parse_hz(word, value, &why) : weir_parse_db(word, value, &why);
    return status == WEIR_OK ? WEIR_OK : bad_line(l, err, why.text);
}

static weir_status read_point(loader *l, char *const *words, weir_error *err)
{
    double values[MAX_COLUMNS] = {NAN, NAN, NAN};
    for (size_t i = 0; i < l->n_columns; i++) {
        column which = l->columns[i];
        weir_status status = read_value(l, which, words[i], &values[which], err);
        if (status != WEIR_OK) {
            return status;
        }
    }
    return add_point(l, values, err);
}

/* The first line with anything in it says how many columns there are. */
static weir_status check_columns(loader *l, size_t n, weir_error *err)
{
    if (n < 2 || n > MAX_COLUMNS) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "%s, line %zu: %zu column%s; expected frequency,upper or "
                         "frequency,upper,lower (a decimal sign is a point)",
                         l->name, l->line, n, n == 1 ? "" : "s");
    }
    if (l->n_columns && n != l->n_columns) {
        return weir_fail(err, WEIR_ERR_DATA, "%s, line %zu: %zu columns, %zu in the lines before",
                         l->name, l->line, n, l->n_columns);
    }
    return WEIR_OK;
}

static weir_status read_line(loader *l, char *text, weir_error *err)
{
    text[strcspn(text, "\r\n")] = '\0';
    if (l->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
    }
    text += strspn(text, " \t");
    if (!*text || *text == '#') {
        return WEIR_OK;
    }
    char *words[MAX_COLUMNS];
    size_t n = split(text, words);
    weir_status status = check_columns(l, n, err);
    if (status != WEIR_OK) {
        return status;
    }
    bool is_first = l->n_columns == 0;
    l->n_columns = n;
    column ignored;
    if (is_first && (isalpha((unsigned char)words[0][0]) || column_of_name(words[0], &ignored))) {
        return read_names(l, words, err);
    }
    return read_point(l, words, err);
}

static weir_status check_mask(const loader *l, weir_error *err)
{
    const weir_mask *m = l->mask;
    if (m->n_points < 2) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: %s; a mask has at least two", l->name,
                         m->n_points ? "only one point" : "no line with a frequency and a limit");
    }
    for (size_t i = 0; i < m->n_points; i++) {
        if (!isnan(m->upper_db[i]) || !isnan(m->lower_db[i])) {
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_ERR_DATA, "%s: there is no limit in it", l->name);
}

weir_status weir_mask_parse(weir_mask *mask, FILE *file, const char *name, bool log_hz,
                            weir_error *err)
{
    char text[LINE_BYTES];
    *mask = (weir_mask){.log_hz = log_hz};
    loader l = {.name = name, .mask = mask, .columns = {COLUMN_HZ, COLUMN_UPPER, COLUMN_LOWER}};
    weir_status status = WEIR_OK;
    while (status == WEIR_OK && fgets(text, sizeof text, file)) {
        l.line++;
        status = strlen(text) + 1 == sizeof text
                     ? bad_line(&l, err, "too long for a line of two or three numbers")
                     : read_line(&l, text, err);
    }
    if (status == WEIR_OK && ferror(file)) {
        status = weir_fail(err, WEIR_ERR_IO, "%s: %s", name, strerror(errno));
    }
    if (status == WEIR_OK) {
        status = check_mask(&l, err);
    }
    if (status != WEIR_OK) {
        weir_mask_free(mask);
    }
    return status;
}

weir_status weir_mask_load(weir_mask *mask, const char *path, bool log_hz, weir_error *err)
{
    *mask = (weir_mask){0};
    FILE *file = fopen(path, "re");
    if (!file) {
        return weir_fail(err, WEIR_ERR_NO_INPUT, "%s: %s", path, strerror(errno));
    }
    weir_status status = weir_mask_parse(mask, file, path, log_hz, err);
    fclose(file);
    return status;
}

void weir_mask_free(weir_mask *mask)
{
    if (mask) {
        free(mask->hz);
        free(mask->upper_db);
        free(mask->lower_db);
        *mask = (weir_mask){0};
    }
}

/* ---- where it lies ---- */

static size_t strongest(const float *levels_db, size_t from, size_t to)
{
    size_t best = from;
    for (size_t i = from; i < to; i++) {
        best = levels_db[i] > levels_db[best] ? i : best;
    }
    return best;
}

weir_status weir_mask_place(weir_mask_relative relative, double carrier_hz, const float *levels_db,
                            double start_hz, double bin_hz, size_t n_bins, weir_mask_shift *shift,
                            weir_error *err)
{
    *shift = (weir_mask_shift){0, 0};
    if (relative == WEIR_MASK_ABSOLUTE) {
        return WEIR_OK;
    }
    if (relative == WEIR_MASK_PEAK || isnan(carrier_hz)) {
        size_t peak = strongest(levels_db, 0, n_bins);
        shift->db = (double)levels_db[peak];
        shift->hz = relative == WEIR_MASK_PEAK ? 0 : start_hz + (double)peak * bin_hz;
        return WEIR_OK;
    }
    double bin = round((carrier_hz - start_hz) / bin_hz);
    if (!(bin >= 0 && bin < (double)n_bins)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "a carrier at %.15g Hz is outside of the spectrum, %.15g Hz to %.15g Hz",
                         carrier_hz, start_hz, start_hz + (double)(n_bins - 1) * bin_hz);
    }
    size_t at = (size_t)bin, from = at < LOBE_BINS ? 0 : at - LOBE_BINS;
    size_t to = n_bins - at <= LOBE_BINS ? n_bins : at + LOBE_BINS + 1;
    shift->db = (double)levels_db[strongest(levels_db, from, to)];
    shift->hz = carrier_hz;
    return WEIR_OK;
}

/* ---- limits ---- */

/* At a point itself. Two points at one frequency: the looser limit, and none is the loosest. */
static double at_point(const weir_mask *m, const double *limit_db, size_t i, bool is_upper)
{
    double none = is_upper ? INFINITY : -INFINITY;
    double a = isnan(limit_db[i]) ? none : limit_db[i];
    if (i == 0 || m->hz[i - 1] != m->hz[i]) {
        return a;
    }
    double b = isnan(limit_db[i - 1]) ? none : limit_db[i - 1];
    return is_upper ? fmax(a, b) : fmin(a, b);
}

/* Between points i and i + 1. */
static double between(const weir_mask *m, const double *limit_db, size_t i, double hz, double none)
{
    double a = m->hz[i], b = m->hz[i + 1];
    double part = m->log_hz ? log(hz / a) / log(b / a) : (hz - a) / (b - a);
    double limit = limit_db[i] + part * (limit_db[i + 1] - limit_db[i]);
    return isnan(limit) ? none : limit;
}

size_t weir_mask_limits(const weir_mask *mask, const weir_mask_shift *shift, double start_hz,
                        double bin_hz, size_t n_bins, float *lower_db, float *upper_db)
{
    const double near_hz = 1e-6 * bin_hz; /* a bin that should lie on a point does */
    size_t n_limited = 0, next = 0;       /* points before next are not above hz   */
    for (size_t k = 0; k < n_bins; k++) {
        double hz = start_hz + (double)k * bin_hz - shift->hz;
        double upper = INFINITY, lower = -INFINITY;
        while (next < mask->n_points && mask->hz[next] <= hz + near_hz) {
            next++;
        }
        if (next > 0 && hz - mask->hz[next - 1] <= near_hz) {
            upper = at_point(mask, mask->upper_db, next - 1, true);
            lower = at_point(mask, mask->lower_db, next - 1, false);
        } else if (next > 0 && next < mask->n_points) {
            upper = between(mask, mask->upper_db, next - 1, hz, INFINITY);
            lower = between(mask, mask->lower_db, next - 1, hz, -INFINITY);
        }
        upper_db[k] = (float)(upper + shift->db);
        lower_db[k] = (float)(lower + shift->db);
        n_limited += isfinite(upper) || isfinite(lower);
    }
    return n_limited;
}

float weir_mask_excess(float level_db, float lower_db, float upper_db)
{
    return level_db > upper_db   ? level_db - upper_db
           : level_db < lower_db ? level_db - lower_db
                                 : 0.0f;
}
