#include "app/check.h"

#include "base/text.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_ARRAYS = 7, JOIN_BINS = 4 };

weir_status weir_check_init(weir_check *check, const char *name, bool limits, bool with_time,
                            size_t n_bins, double start_hz, double bin_hz, weir_error *err)
{
    *check = (weir_check){.name = name,
                          .limits = limits,
                          .n_bins = n_bins,
                          .start_hz = start_hz,
                          .bin_hz = bin_hz,
                          .margin_db = INFINITY};
    float *memory = calloc(n_bins, N_ARRAYS * sizeof *memory);
    check->time_s = with_time ? calloc(n_bins, sizeof *check->time_s) : NULL;
    check->measured_db = memory; /* owns all of them */
    if (!memory || (with_time && !check->time_s)) {
        weir_check_free(check);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory to check %zu bins", n_bins);
    }
    check->difference_db = memory + n_bins;
    check->allowed_db = memory + 2 * n_bins;
    check->low_db = memory + 3 * n_bins;
    check->high_db = limits ? memory + 4 * n_bins : check->low_db;
    return WEIR_OK;
}

void weir_check_free(weir_check *check)
{
    free(check->measured_db);
    free(check->time_s);
    weir_regions_free(&check->regions);
    *check = (weir_check){0};
}

double weir_check_hz(const weir_check *check, size_t bin)
{
    return check->start_hz + (double)bin * check->bin_hz;
}

/* ---- golden ---- */

weir_status weir_check_golden(weir_check *check, const weir_compare_config *config,
                              const float *golden_db, const float *measured_db, weir_error *err)
{
    size_t n = check->n_bins;
    memcpy(check->measured_db, measured_db, n * sizeof *measured_db);
    memcpy(check->low_db, golden_db, n * sizeof *golden_db);
    weir_status status = weir_compare_levels(config, golden_db, measured_db, check->difference_db,
                                             check->allowed_db, err);
    if (status == WEIR_OK) {
        status = weir_regions_find(&check->regions, check->difference_db, check->allowed_db, n,
                                   JOIN_BINS, err);
    }
    check->n_checked = n;
    check->n_bad = check->regions.n_bad;
    check->passed = status == WEIR_OK && check->n_bad == 0;
    return status;
}

/* ---- limits ---- */

/* From the nearest limit; below 0: outside. */
static float margin(float level_db, float low_db, float high_db)
{
    return fminf(high_db - level_db, level_db - low_db);
}

weir_status weir_check_line(weir_check *check, const weir_mask_rules *rules, const float *levels_db,
                            double time_s, weir_error *err)
{
    size_t n = check->n_bins;
    float *low = check->measured_db + 5 * n, *high = check->measured_db + 6 * n; /* scratch */
    weir_mask_shift shift;
    weir_status status = weir_mask_place(rules->relative, rules->carrier_hz, levels_db,
                                         check->start_hz, check->bin_hz, n, &shift, err);
    if (status != WEIR_OK) {
        return status;
    }
    bool is_first = check->n_checked == 0;
    check->n_checked +=
        weir_mask_limits(&rules->mask, &shift, check->start_hz, check->bin_hz, n, low, high);
    for (size_t i = 0; i < n; i++) {
        float excess = weir_mask_excess(levels_db[i], low[i], high[i]);
        float here = margin(levels_db[i], low[i], high[i]);
        check->n_bad += excess != 0.0f;
        if (here < check->margin_db) {
            check->margin_db = here;
            check->margin_bin = i;
        }
        if (is_first || here < margin(check->measured_db[i], check->low_db[i], check->high_db[i])) {
            check->measured_db[i] = levels_db[i];
            check->low_db[i] = low[i];
            check->high_db[i] = high[i];
            check->difference_db[i] = excess;
            if (check->time_s) {
                check->time_s[i] = time_s;
            }
        }
    }
    return WEIR_OK;
}

weir_status weir_check_finish(weir_check *check, double allowed_part, weir_error *err)
{
    if (check->n_checked == 0) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "the mask has no limit inside of the spectrum, %.15g Hz to %.15g Hz",
                         check->start_hz, weir_check_hz(check, check->n_bins - 1));
    }
    check->allowed_part = allowed_part;
    check->passed = (double)check->n_bad <= allowed_part * (double)check->n_checked;
    return weir_regions_find(&check->regions, check->difference_db, check->allowed_db,
                             check->n_bins, JOIN_BINS, err);
}

/* ---- in words ---- */

static void describe_where(const weir_check *check, const weir_region *region, char *text,
                           size_t size)
{
    char first[40], last[40], worst[40];
    weir_format_hz(first, sizeof first, weir_check_hz(check, region->first), check->bin_hz);
    if (region->first == region->last) {
        weir_snprintf(text, size, "%s (bin %zu)", first, region->first);
        return;
    }
    weir_format_hz(last, sizeof last, weir_check_hz(check, region->last), check->bin_hz);
    weir_format_hz(worst, sizeof worst, weir_check_hz(check, region->worst), check->bin_hz);
    weir_snprintf(text, size, "%s .. %s (%zu bins), worst at %s (bin %zu)", first, last,
                  region->n_bad, worst, region->worst);
}

char *weir_check_region_text(const weir_check *check, const weir_region *region, const char *unit,
                             char *text, size_t size)
{
    char where[200], when[48] = "";
    size_t k = region->worst;
    double difference = (double)check->difference_db[k], measured = (double)check->measured_db[k];
    describe_where(check, region, where, sizeof where);
    if (check->time_s) {
        weir_snprintf(when, sizeof when, " at %.6g s", check->time_s[k]);
    }
    if (check->limits) {
        bool over = difference > 0;
        weir_snprintf(text, size, "%s: %s: %.2f dB %s limit; %.2f %s, limit %.2f%s", check->name,
                      where, fabs(difference), over ? "over the upper" : "under the lower",
                      measured, unit, (double)(over ? check->high_db[k] : check->low_db[k]), when);
    } else {
        weir_snprintf(text, size, "%s: %s: %+.2f dB, %.4g allowed; %.2f %s, golden %.2f",
                      check->name, where, difference, (double)check->allowed_db[k], measured, unit,
                      (double)check->low_db[k]);
    }
    return text;
}

static char *summary_of_limits(const weir_check *check, char *text, size_t size)
{
    char hz[40], allowed[64] = "";
    weir_format_hz(hz, sizeof hz, weir_check_hz(check, check->margin_bin), check->bin_hz);
    if (check->allowed_part > 0) {
        weir_snprintf(allowed, sizeof allowed, ", %.3g %% allowed", 100 * check->allowed_part);
    }
    weir_snprintf(text, size,
                  "%s: %" PRIu64 " of %" PRIu64 " values outside (%.3g %%%s), margin "
                  "%.2f dB at %s",
                  check->name, check->n_bad, check->n_checked,
                  100 * (double)check->n_bad / (double)check->n_checked, allowed,
                  (double)check->margin_db, hz);
    return text;
}

char *weir_check_summary(const weir_check *check, char *text, size_t size)
{
    char hz[40];
    if (check->limits) {
        return summary_of_limits(check, text, size);
    }
    size_t largest = check->regions.largest;
    weir_format_hz(hz, sizeof hz, weir_check_hz(check, largest), check->bin_hz);
    weir_snprintf(text, size, "%s: %" PRIu64 " of %" PRIu64 " bins differ, most %+.4f dB at %s",
                  check->name, check->n_bad, check->n_checked,
                  (double)check->difference_db[largest], hz);
    return text;
}
