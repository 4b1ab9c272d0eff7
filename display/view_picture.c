#include "display/view_picture.h"

#include "display/view_join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct slot {
    uint64_t row;
    uint64_t n_lines; /* of the row's lines taken so far; 0: the slot is empty */
    bool is_gap;
    weir_spectrum info;
    double begin_s;
} slot;

struct weir_picture {
    weir_axis axis;
    size_t n_columns, n_rows;
    uint64_t lines_per_row;
    slot *slots;      /* [n_rows] */
    float *levels_db; /* [n_rows][n_columns] */
    float *scratch;   /* [n_columns] */
    weir_join *join;
};

weir_picture *weir_picture_create(void)
{
    return calloc(1, sizeof(weir_picture));
}

static void drop(weir_picture *picture)
{
    free(picture->slots);
    free(picture->levels_db);
    free(picture->scratch);
    weir_join_destroy(picture->join);
    *picture = (weir_picture){.n_rows = 0};
}

void weir_picture_destroy(weir_picture *picture)
{
    if (picture) {
        drop(picture);
        free(picture);
    }
}

static bool is_same(const weir_picture *picture, const weir_axis *axis, size_t n_columns,
                    size_t n_rows, uint64_t lines_per_row)
{
    return picture->n_columns == n_columns && picture->n_rows == n_rows &&
           picture->lines_per_row == lines_per_row && picture->axis.low_hz == axis->low_hz &&
           picture->axis.high_hz == axis->high_hz && picture->axis.is_log == axis->is_log;
}

bool weir_picture_set(weir_picture *picture, const weir_axis *axis, size_t n_columns, size_t n_rows,
                      uint64_t lines_per_row)
{
    if (is_same(picture, axis, n_columns, n_rows, lines_per_row)) {
        return picture->slots != NULL;
    }
    if (picture->n_columns != n_columns || picture->n_rows != n_rows) {
        drop(picture);
        picture->slots = calloc(n_rows, sizeof *picture->slots);
        picture->levels_db = calloc(n_rows * n_columns, sizeof *picture->levels_db);
        picture->scratch = calloc(n_columns, sizeof *picture->scratch);
        picture->join = weir_join_create(n_columns);
        if (!picture->slots || !picture->levels_db || !picture->scratch || !picture->join) {
            drop(picture);
            return false;
        }
    }
    picture->axis = *axis;
    picture->n_columns = n_columns;
    picture->n_rows = n_rows;
    picture->lines_per_row = lines_per_row;
    weir_picture_forget(picture);
    return true;
}

void weir_picture_forget(weir_picture *picture)
{
    if (picture->slots) {
        memset(picture->slots, 0, picture->n_rows * sizeof *picture->slots);
    }
}

/* Lines that came since, up to end, into the row. */
static void take_lines(weir_picture *picture, weir_history *history, const weir_scale *scale,
                       slot *s, uint64_t end, float *levels_db)
{
    weir_joined joined;
    uint64_t first = s->row * picture->lines_per_row;
    float *values = s->n_lines == 0 ? levels_db : picture->scratch;
    if (!weir_join_lines(picture->join, history, scale, first + s->n_lines, end, &picture->axis,
                         values, &joined)) {
        return;
    }
    if (s->n_lines == 0) {
        s->info = joined.first.info;
        s->begin_s = joined.first.begin_s;
        s->is_gap = joined.is_gap;
    } else {
        s->is_gap |= joined.is_gap;
        for (size_t c = 0; c < picture->n_columns; c++) {
            levels_db[c] = fmaxf(levels_db[c], values[c]); /* the number wins over a NAN */
        }
    }
    s->n_lines = end - first;
}

bool weir_picture_get(weir_picture *picture, weir_history *history, const weir_scale *scale,
                      uint64_t r, weir_picture_row *row)
{
    if (!picture->slots) {
        return false;
    }
    slot *s = &picture->slots[r % picture->n_rows];
    float *levels_db = picture->levels_db + (r % picture->n_rows) * picture->n_columns;
    if (s->row != r) {
        *s = (slot){.row = r};
    }
    uint64_t there, end, row_end = (r + 1) * picture->lines_per_row;
    uint64_t wanted = r * picture->lines_per_row + s->n_lines;
    weir_history_extent(history, &there, &end);
    end = end < row_end ? end : row_end;
    if (wanted >= there && wanted < end) {
        take_lines(picture, history, scale, s, end, levels_db);
    }
    *row = (weir_picture_row){
        .levels_db = levels_db, .is_gap = s->is_gap, .info = s->info, .begin_s = s->begin_s};
    return s->n_lines > 0;
}

double weir_axis_hz(const weir_axis *axis, size_t n_columns, double column)
{
    double part = column / (double)n_columns;
    if (axis->is_log) {
        return axis->low_hz * pow(axis->high_hz / axis->low_hz, part);
    }
    return axis->low_hz + part * (axis->high_hz - axis->low_hz);
}

double weir_axis_column(const weir_axis *axis, size_t n_columns, double hz)
{
    double part = axis->is_log ? log(hz / axis->low_hz) / log(axis->high_hz / axis->low_hz)
                               : (hz - axis->low_hz) / (axis->high_hz - axis->low_hz);
    return part * (double)n_columns;
}

void weir_picture_levels(const weir_scale *scale, const weir_spectrum *info, const weir_axis *axis,
                         size_t n_columns, float *values)
{
    for (size_t c = 0; c < n_columns; c++) {
        if (isnan(values[c])) {
            continue;
        }
        double hz = weir_axis_hz(axis, n_columns, (double)c + 0.5);
        double bin = floor((hz - info->start_hz) / info->bin_hz + 0.5);
        bin = bin < 0.0 ? 0.0 : bin > (double)(info->n_bins - 1) ? (double)(info->n_bins - 1) : bin;
        values[c] = weir_scale_level_db(scale, info, (size_t)bin, values[c]);
    }
}
