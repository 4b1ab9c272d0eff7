#include "display/view_join.h"

#include "display/view_picture.h"

#include <math.h>
#include <stdlib.h>

/* Neighbouring columns that hold the same bins. */
typedef struct group {
    weir_bin_span bins;
    size_t n_columns;
    float highest; /* of the lines so far; below 0: none had a number */
} group;

struct weir_join {
    size_t n_columns;
    weir_bin_span *spans; /* [n_columns] */
    group *groups;        /* likewise */
    float *values;        /* likewise */
    size_t n_groups;

    /* What the groups are good for; n_groups 0: nothing yet. */
    weir_axis axis;
    weir_reducer reducer;
    weir_spectrum info; /* of their first line */
    weir_view_bins bins;

    uint64_t n_steps;
};

/* What one call is about, for the line that is visited. */
typedef struct visit {
    weir_join *join;
    const weir_scale *scale;
    const weir_axis *axis;
    weir_reducer reducer;
    float *levels_db;
    weir_joined *joined;
    bool has_values; /* groups hold some that are not in levels_db */
} visit;

weir_join *weir_join_create(size_t n_columns)
{
    weir_join *join = calloc(1, sizeof *join);
    if (!join) {
        return NULL;
    }
    join->n_columns = n_columns;
    join->spans = calloc(n_columns, sizeof *join->spans);
    join->groups = calloc(n_columns, sizeof *join->groups);
    join->values = calloc(n_columns, sizeof *join->values);
    if (!join->spans || !join->groups || !join->values) {
        weir_join_destroy(join);
        return NULL;
    }
    return join;
}

void weir_join_destroy(weir_join *join)
{
    if (join) {
        free(join->spans);
        free(join->groups);
        free(join->values);
        free(join);
    }
}

uint64_t weir_join_steps(const weir_join *join)
{
    return join->n_steps;
}

static bool same_axis(const weir_axis *a, const weir_axis *b)
{
    return a->low_hz == b->low_hz && a->high_hz == b->high_hz && a->is_log == b->is_log;
}

/* Whether bins lie in the same columns, and the same power is the same level. */
static bool suits(const visit *v, const weir_spectrum *info, const weir_view_bins *bins)
{
    const weir_join *join = v->join;
    return join->n_groups > 0 && join->reducer == v->reducer && same_axis(&join->axis, v->axis) &&
           weir_spectrum_same_axis(&join->info, info) && join->bins.n == bins->n &&
           join->info.enbw_bins == info->enbw_bins &&
           join->info.full_scale_power == info->full_scale_power;
}

static void make_groups(const visit *v, const weir_spectrum *info, const weir_view_bins *bins)
{
    weir_join *join = v->join;
    weir_reduce_spans_of(v->reducer, bins->n, bins->start_hz, bins->bin_hz, v->axis,
                         join->n_columns, join->spans);
    join->n_groups = 0;
    for (size_t c = 0; c < join->n_columns; c++) {
        weir_bin_span span = join->spans[c], before = join->spans[c > 0 ? c - 1 : 0];
        if (c == 0 || span.first != before.first || span.end != before.end) {
            join->groups[join->n_groups++] = (group){.bins = span, .highest = -1};
        }
        join->groups[join->n_groups - 1].n_columns++;
    }
    join->axis = *v->axis;
    join->reducer = v->reducer;
    join->info = *info;
    join->bins = *bins;
    join->n_steps += join->n_columns;
}

/* From the groups to the columns; the groups are empty then. */
static void take_values(visit *v)
{
    weir_join *join = v->join;
    size_t c = 0;
    if (!v->has_values) {
        return;
    }
    for (size_t g = 0; g < join->n_groups; g++) {
        group *from = &join->groups[g];
        for (size_t end = c + from->n_columns; c < end; c++) {
            join->values[c] = from->highest < 0 ? NAN : from->highest;
        }
        from->highest = -1;
    }
    weir_picture_levels(v->scale, &join->info, &join->axis, join->n_columns, join->values);
    for (c = 0; c < join->n_columns; c++) {
        v->levels_db[c] = fmaxf(v->levels_db[c], join->values[c]); /* the number wins over a NAN */
    }
    join->n_steps += join->n_columns;
    v->has_values = false;
}

static void add_line(void *user, const weir_view_line *line, const weir_view_bins *bins)
{
    visit *v = user;
    weir_join *join = v->join;
    if (v->joined->n_lines++ == 0) {
        v->joined->first = *line;
    }
    v->joined->is_gap |= line->is_gap;
    if (line->is_gap) {
        return;
    }
    if (!suits(v, &line->info, bins)) {
        take_values(v);
        make_groups(v, &line->info, bins);
    }
    for (size_t g = 0; g < join->n_groups; g++) {
        group *to = &join->groups[g];
        float value = weir_reduce_span(v->reducer, bins->power, to->bins);
        to->highest = value > to->highest ? value : to->highest; /* a NAN never is */
        join->n_steps += to->bins.end - to->bins.first;
    }
    v->has_values = true;
}

bool weir_join_lines(weir_join *join, weir_history *history, const weir_scale *scale,
                     uint64_t first, uint64_t end, const weir_axis *axis, float *levels_db,
                     weir_joined *joined)
{
    uint64_t there, there_end;
    visit v = {.join = join,
               .scale = scale,
               .axis = axis,
               .reducer = weir_history_reducer(history),
               .levels_db = levels_db,
               .joined = joined};
    *joined = (weir_joined){.n_lines = 0};
    for (size_t c = 0; c < join->n_columns; c++) {
        levels_db[c] = NAN;
    }
    weir_history_extent(history, &there, &there_end);
    for (uint64_t k = first > there ? first : there; k < end && k < there_end; k++) {
        (void)weir_history_visit(history, k, add_line, &v); /* forgotten meanwhile: passed over */
    }
    take_values(&v);
    return joined->n_lines > 0;
}
