#include "dsp/curve.h"

#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    LINE_BYTES = 1024,
    MAX_POINTS = 1000000,
};
#define MOST_DB 1000.0

typedef struct loader {
    const char *path;
    size_t line; /* counted from 1 */
    weir_curve *curve;
    size_t capacity;
    double sens_factor_db;
} loader;

static weir_status bad_line(const loader *l, weir_error *err, const char *what)
{
    return weir_fail(err, WEIR_ERR_DATA, "%s, line %zu: %s", l->path, l->line, what);
}

static weir_status make_room(loader *l, weir_error *err)
{
    weir_curve *c = l->curve;
    if (c->n_points < l->capacity) {
        return WEIR_OK;
    }
    if (c->n_points >= MAX_POINTS) {
        return bad_line(l, err, "more than a million points");
    }
    size_t capacity = l->capacity ? 2 * l->capacity : 64;
    double *hz = realloc(c->hz, capacity * sizeof *hz);
    if (hz) {
        c->hz = hz;
    }
    double *db = realloc(c->offset_db, capacity * sizeof *db);
    if (db) {
        c->offset_db = db;
    }
    if (!hz || !db) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: no memory for the curve", l->path);
    }
    l->capacity = capacity;
    return WEIR_OK;
}

static weir_status add_point(loader *l, double hz, double db, weir_error *err)
{
    weir_curve *c = l->curve;
    if (c->n_points > 0 && !(hz > c->hz[c->n_points - 1])) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "%s, line %zu: frequency %g Hz is not above the one before (%g Hz)",
                         l->path, l->line, hz, c->hz[c->n_points - 1]);
    }
    weir_status status = make_room(l, err);
    if (status) {
        return status;
    }
    c->hz[c->n_points] = hz;
    c->offset_db[c->n_points] = db;
    c->n_points++;
    return WEIR_OK;
}

/* "Sens Factor =-1.378dB, SERNO: 7001234" */
static void read_sens_factor(loader *l, const char *text)
{
    const char *at = strcasestr(text, "sens factor");
    if (!at) {
        return;
    }
    at += strcspn(at, "=");
    at += strspn(at, "= \t");
    char number[32];
    size_t length = strspn(at, "+-.0123456789eE");
    if (length == 0 || length >= sizeof number) {
        return;
    }
    memcpy(number, at, length);
    number[length] = '\0';
    double value;
    if (weir_parse_number(number, &value, NULL) == WEIR_OK) {
        l->sens_factor_db = value;
    }
}

/* With a comma in the line, commas part the columns: "20,5 1,3" must not be read. */
static size_t split_columns(char *text, char *columns[4])
{
    bool commas = strchr(text, ',') != NULL;
    size_t n = 0;
    while (n < 4) {
        text += strspn(text, " \t");
        if (!*text) {
            break;
        }
        columns[n++] = text;
        size_t length = strcspn(text, commas ? "," : " \t");
        char *end = text + length;
        text = end + (*end ? 1 : 0);
        *end = '\0';
        while (end > columns[n - 1] && strchr(" \t", end[-1])) {
            *--end = '\0';
        }
    }
    return n;
}

static weir_status read_line(loader *l, char *text, weir_error *err)
{
    if (l->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
    }
    text += strspn(text, " \t");
    if (!*text) {
        return WEIR_OK;
    }
    if (strchr("*#;\"", *text) || strncasecmp(text, "sens factor", 11) == 0) {
        read_sens_factor(l, text);
        return WEIR_OK;
    }
    char *columns[4];
    double value[3];
    size_t n = split_columns(text, columns);
    if (n < 2 || n > 3) {
        return bad_line(l, err, "expected frequency in Hz and dB (and perhaps phase)");
    }
    for (size_t i = 0; i < n; i++) {
        if (weir_parse_number(columns[i], &value[i], err)) {
            weir_fail_context(err, "%s, line %zu", l->path, l->line);
            if (err) {
                err->status = WEIR_ERR_DATA;
            }
            return WEIR_ERR_DATA;
        }
    }
    if (!(fabs(value[1]) <= MOST_DB)) {
        return weir_fail(err, WEIR_ERR_DATA, "%s, line %zu: %g dB is no calibration", l->path,
                         l->line, value[1]);
    }
    return add_point(l, value[0], value[1], err);
}

/* One line without its end, which is LF, CR LF or CR. *is_read: false at the file's end. */
static weir_status next_line(loader *l, FILE *file, char *text, bool *is_read, weir_error *err)
{
    size_t n = 0;
    int c;
    l->line++;
    while ((c = getc(file)) != EOF && c != '\n' && c != '\r') {
        if (c == '\0') {
            return bad_line(l, err, "a zero byte; is it text, in UTF-8?");
        }
        if (n + 1 == LINE_BYTES) {
            return bad_line(l, err, "too long for a line of two or three numbers");
        }
        text[n++] = (char)c;
    }
    text[n] = '\0';
    *is_read = c != EOF || n > 0;
    if (c == '\r' && (c = getc(file)) != '\n' && c != EOF) {
        (void)ungetc(c, file);
    }
    return WEIR_OK;
}

static weir_status read_all(loader *l, FILE *file, weir_error *err)
{
    char text[LINE_BYTES];
    bool is_read = true;
    weir_status status = next_line(l, file, text, &is_read, err);
    while (status == WEIR_OK && is_read) {
        status = read_line(l, text, err);
        if (status == WEIR_OK) {
            status = next_line(l, file, text, &is_read, err);
        }
    }
    if (status == WEIR_OK && ferror(file)) {
        return weir_fail(err, WEIR_ERR_IO, "%s: %s", l->path, strerror(errno));
    }
    if (status == WEIR_OK && l->curve->n_points == 0) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: no line with a frequency and dB", l->path);
    }
    return status;
}

static bool is_response(const loader *l, weir_curve_kind kind)
{
    if (kind != WEIR_CURVE_AUTO) {
        return kind == WEIR_CURVE_RESPONSE;
    }
    const char *ending = strrchr(l->path, '.');
    return !isnan(l->sens_factor_db) ||
           (ending && (strcasecmp(ending, ".cal") == 0 || strcasecmp(ending, ".frd") == 0 ||
                       strcasecmp(ending, ".mic") == 0));
}

weir_status weir_curve_load(const char *path, weir_curve_kind kind, weir_curve *curve,
                            double *sens_factor_db, weir_error *err)
{
    *curve = (weir_curve){0};
    loader l = {.path = path, .curve = curve, .sens_factor_db = NAN};
    FILE *file = fopen(path, "re");
    if (!file) {
        return weir_fail(err, WEIR_ERR_NO_INPUT, "%s: %s", path, strerror(errno));
    }
    weir_status status = read_all(&l, file, err);
    fclose(file);
    if (status) {
        weir_curve_free(curve);
        return status;
    }
    if (is_response(&l, kind)) {
        for (size_t i = 0; i < curve->n_points; i++) {
            curve->offset_db[i] = -curve->offset_db[i];
        }
    }
    if (sens_factor_db) {
        *sens_factor_db = l.sens_factor_db;
    }
    return WEIR_OK;
}

double weir_curve_db(const weir_curve *curve, double hz)
{
    size_t n = curve->n_points;
    if (n == 0 || isnan(hz)) {
        return 0;
    }
    if (hz <= curve->hz[0]) {
        return curve->offset_db[0];
    }
    if (hz >= curve->hz[n - 1]) {
        return curve->offset_db[n - 1];
    }
    size_t low = 0, high = n - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(curve->hz[middle] <= hz ? &low : &high) = middle;
    }
    double a = curve->hz[low], b = curve->hz[high];
    double part = a > 0 ? log(hz / a) / log(b / a) : (hz - a) / (b - a);
    return curve->offset_db[low] + part * (curve->offset_db[high] - curve->offset_db[low]);
}

void weir_curve_free(weir_curve *curve)
{
    if (curve) {
        free(curve->hz);
        free(curve->offset_db);
        *curve = (weir_curve){0};
    }
}
