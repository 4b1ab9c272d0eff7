#include "display/labels.h"

#include "base/text.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 100000

/* Cuts the blanks at both ends, in place. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r\n\"");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n\"", text[n - 1])) {
        text[--n] = '\0';
    }
    return text;
}

/* The field before the next comma; *rest is what follows it, or NULL. */
static char *next_field(char *line, char **rest)
{
    char *comma = strchr(line, ',');
    *rest = comma ? comma + 1 : NULL;
    if (comma) {
        *comma = '\0';
    }
    return trim(line);
}

/* False: not a row. The line is cut into pieces. */
static bool parse_row(char *line, weir_label *label)
{
    char *rest, *name, *second;
    if (weir_parse_hz(next_field(line, &rest), &label->low_hz, NULL) != WEIR_OK || !rest) {
        return false;
    }
    char kept[256];
    weir_snprintf(kept, sizeof kept, "%s", rest);
    second = next_field(rest, &name);
    label->high_hz = label->low_hz;
    double high_hz;
    if (name && weir_parse_hz(second, &high_hz, NULL) == WEIR_OK) {
        label->high_hz = high_hz;
    } else { /* a name, with a comma in it perhaps */
        name = kept;
    }
    name = trim(name);
    weir_snprintf(label->name, sizeof label->name, "%s", name);
    return name[0] != '\0' && label->high_hz >= label->low_hz;
}

static int by_low(const void *a, const void *b)
{
    const weir_label *x = a, *y = b;
    return x->low_hz < y->low_hz ? -1 : x->low_hz > y->low_hz;
}

static weir_status append(weir_labels *labels, size_t *capacity, const weir_label *label,
                          const char *path, weir_error *err)
{
    if (labels->n == MOST_ROWS) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: more than %d labels", path, MOST_ROWS);
    }
    if (labels->n == *capacity) {
        size_t wanted = *capacity ? 2 * *capacity : 64;
        weir_label *rows = realloc(labels->rows, wanted * sizeof *rows);
        if (!rows) {
            return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", path);
        }
        labels->rows = rows;
        *capacity = wanted;
    }
    labels->rows[labels->n++] = *label;
    return WEIR_OK;
}

static weir_status read_rows(weir_labels *labels, FILE *file, const char *path, weir_error *err)
{
    char line[256];
    size_t capacity = 0;
    weir_status status = WEIR_OK;
    for (unsigned number = 1; status == WEIR_OK && fgets(line, sizeof line, file); number++) {
        weir_label label;
        char *text = trim(line);
        if (text[0] == '\0' || text[0] == '#') {
            continue;
        }
        if (parse_row(text, &label)) {
            status = append(labels, &capacity, &label, path, err);
        } else if (number > 1) {
            status = weir_fail(err, WEIR_ERR_DATA,
                               "%s:%u: not a label; write frequency,name or low,high,name", path,
                               number);
        }
    }
    if (status == WEIR_OK && ferror(file)) {
        status = weir_fail(err, WEIR_ERR_IO, "%s: %s", path, strerror(errno));
    }
    return status;
}

weir_status weir_labels_load(weir_labels *labels, const char *path, weir_error *err)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        return weir_fail(err, WEIR_ERR_NO_INPUT, "%s: %s", path, strerror(errno));
    }
    weir_status status = read_rows(labels, file, path, err);
    fclose(file);
    if (status != WEIR_OK) {
        weir_labels_free(labels);
        return status;
    }
    if (labels->n > 0) {
        qsort(labels->rows, labels->n, sizeof *labels->rows, by_low);
    }
    return WEIR_OK;
}

void weir_labels_free(weir_labels *labels)
{
    free(labels->rows);
    *labels = (weir_labels){0};
}

const weir_label *weir_labels_at(const weir_labels *labels, double hz, double slack_hz)
{
    const weir_label *best = NULL;
    for (size_t i = 0; i < labels->n && labels->rows[i].low_hz <= hz + slack_hz; i++) {
        const weir_label *row = &labels->rows[i];
        double slack = row->high_hz > row->low_hz ? 0.0 : slack_hz;
        bool is_there = hz >= row->low_hz - slack && hz <= row->high_hz + slack;
        if (is_there && (!best || row->high_hz - row->low_hz <= best->high_hz - best->low_hz)) {
            best = row;
        }
    }
    return best;
}
