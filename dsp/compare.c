#include "dsp/compare.h"

#include <math.h>
#include <stdlib.h>

/* ---- what is allowed ---- */

static double tolerance_at(const weir_compare_config *c, const weir_tolerances *tolerances,
                           size_t bin, double otherwise)
{
    double hz = c->start_hz + (double)bin * c->bin_hz;
    for (size_t i = tolerances->n; i-- > 0;) {
        if (hz >= tolerances->rows[i].low_hz && hz <= tolerances->rows[i].high_hz) {
            return tolerances->rows[i].most;
        }
    }
    return otherwise;
}

static void fill_allowed(const weir_compare_config *c, float *allowed_db)
{
    for (size_t i = 0; i < c->n_bins; i++) {
        allowed_db[i] = (float)tolerance_at(c, &c->db, i, WEIR_DEFAULT_TOLERANCE_DB);
    }
}

/* In whole bins. A billionth more, for a tolerance that is a whole number of them but for
 * rounding. */
static size_t width_of(const weir_compare_config *c, double hz)
{
    double bins = floor(hz / c->bin_hz * (1 + 1e-9));
    return bins >= (double)c->n_bins ? c->n_bins : bins > 0 ? (size_t)bins : 0;
}

/* ---- how far apart ---- */

/* The lowest and the highest level around each bin. */
typedef struct range {
    float *low, *high;
} range;

/* out[k] = the extreme of sign * in[k-w .. k+w], times sign: a queue of the bins that may
 * still become it, levels descending, so that all of it takes 2 n steps for any w. */
static void slide(const float *in, size_t n, size_t w, float sign, float *out, size_t *queue)
{
    size_t head = 0, tail = 0;
    for (size_t next = 0, k = 0; k < n; k++) {
        for (; next < n && next - k <= w; next++) {
            while (tail > head && sign * in[queue[tail - 1]] <= sign * in[next]) {
                tail--;
            }
            queue[tail++] = next;
        }
        while (queue[head] + w < k) {
            head++;
        }
        out[k] = in[queue[head]];
    }
}

static float outside(float level, float low, float high)
{
    return level > high ? level - high : level < low ? level - low : 0.0f;
}

static float raised(const weir_compare_config *c, float level)
{
    return fmaxf(level, (float)c->floor_db);
}

static void compare_in_place(const weir_compare_config *c, const float *golden,
                             const float *measured, float *difference_db)
{
    for (size_t i = 0; i < c->n_bins; i++) {
        difference_db[i] = raised(c, measured[i]) - raised(c, golden[i]);
    }
}

/* Raising to the floor keeps the order of levels, so it may come after the extremes. */
static float one_way(const weir_compare_config *c, float level, const range *around, size_t bin)
{
    return outside(raised(c, level), raised(c, around->low[bin]), raised(c, around->high[bin]));
}

static void find_ranges(const weir_compare_config *c, const float *levels, size_t w,
                        const range *around, size_t *queue)
{
    slide(levels, c->n_bins, w, -1.0f, around->low, queue);
    slide(levels, c->n_bins, w, 1.0f, around->high, queue);
}

static float further(float a, float b)
{
    return fabsf(b) > fabsf(a) ? b : a;
}

/* The bins whose tolerance in hertz is w bins wide. */
static void compare_around(const weir_compare_config *c, const float *golden, const float *measured,
                           size_t w, const range *around, size_t *queue, float *difference_db)
{
    find_ranges(c, golden, w, around, queue);
    for (size_t i = 0; i < c->n_bins; i++) {
        if (width_of(c, tolerance_at(c, &c->hz, i, 0)) == w) {
            difference_db[i] = one_way(c, measured[i], around, i);
        }
    }
    find_ranges(c, measured, w, around, queue);
    for (size_t i = 0; i < c->n_bins; i++) {
        if (width_of(c, tolerance_at(c, &c->hz, i, 0)) == w) {
            difference_db[i] = further(difference_db[i], -one_way(c, golden[i], around, i));
        }
    }
}

weir_status weir_compare_levels(const weir_compare_config *config, const float *golden,
                                const float *measured, float *difference_db, float *allowed_db,
                                weir_error *err)
{
    size_t n = config->n_bins;
    float *levels = calloc(n, 2 * sizeof *levels);
    size_t *queue = calloc(n, sizeof *queue);
    if (!levels || !queue) {
        free(levels);
        free(queue);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory to compare %zu bins", n);
    }
    range around = {levels, levels + n};
    fill_allowed(config, allowed_db);
    compare_in_place(config, golden, measured, difference_db);
    for (size_t i = 0; i < config->hz.n; i++) {
        size_t w = width_of(config, config->hz.rows[i].most);
        if (w > 0) {
            compare_around(config, golden, measured, w, &around, queue, difference_db);
        }
    }
    free(levels);
    free(queue);
    return WEIR_OK;
}

/* ---- where ---- */

static float excess(const float *difference_db, const float *allowed_db, size_t bin)
{
    return fabsf(difference_db[bin]) - allowed_db[bin];
}

static weir_status add_region(weir_regions *regions, size_t *capacity, size_t bin, weir_error *err)
{
    if (regions->n == *capacity) {
        size_t more = *capacity ? 2 * *capacity : 16;
        weir_region *rows = realloc(regions->rows, more * sizeof *rows);
        if (!rows) {
            return weir_fail(err, WEIR_ERR_NOMEM, "no memory for %zu differences", more);
        }
        regions->rows = rows;
        *capacity = more;
    }
    regions->rows[regions->n++] = (weir_region){.first = bin, .last = bin, .worst = bin};
    return WEIR_OK;
}

weir_status weir_regions_find(weir_regions *regions, const float *difference_db,
                              const float *allowed_db, size_t n_bins, size_t join_bins,
                              weir_error *err)
{
    size_t capacity = 0;
    *regions = (weir_regions){0};
    for (size_t i = 0; i < n_bins; i++) {
        float beyond = excess(difference_db, allowed_db, i);
        if (beyond > excess(difference_db, allowed_db, regions->worst)) {
            regions->worst = i;
        }
        if (fabsf(difference_db[i]) > fabsf(difference_db[regions->largest])) {
            regions->largest = i;
        }
        if (beyond <= 0.0f) {
            continue;
        }
        if (regions->n == 0 || i - regions->rows[regions->n - 1].last > join_bins) {
            weir_status status = add_region(regions, &capacity, i, err);
            if (status != WEIR_OK) {
                weir_regions_free(regions);
                return status;
            }
        }
        weir_region *region = &regions->rows[regions->n - 1];
        region->last = i;
        region->n_bad++;
        regions->n_bad++;
        if (beyond > excess(difference_db, allowed_db, region->worst)) {
            region->worst = i;
        }
    }
    return WEIR_OK;
}

void weir_regions_free(weir_regions *regions)
{
    if (regions) {
        free(regions->rows);
        *regions = (weir_regions){0};
    }
}
