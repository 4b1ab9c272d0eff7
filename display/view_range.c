#include "display/view_range.h"

#include <math.h>
#include <stdlib.h>

#define SILENCE_DB (-250.0f)
#define STEP_DB 5.0f
#define BELOW_FLOOR_DB 4.0f
#define ABOVE_PEAK_DB 5.0f
#define SPAN_MIN_DB 30.0f
#define FLOOR_DEAD_ZONE_DB 10.0f
#define PEAK_DEAD_ZONE_DB 20.0f
#define FLOOR_SECONDS 1.0f /* time constants of the two followers */
#define PEAK_SECONDS 8.0f
#define LIMIT_LOW_DB (-300.0f)
#define LIMIT_HIGH_DB 300.0f
#define SPAN_BY_HAND_MIN_DB 10.0f

void weir_range_init(weir_range *range, float low_db, float high_db)
{
    *range = (weir_range){.low_db = -120.0f, .high_db = 0.0f, .is_automatic = true};
    if (!isnan(low_db) && !isnan(high_db) && high_db > low_db) {
        *range = (weir_range){.low_db = low_db, .high_db = high_db};
    }
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

bool weir_range_measure(const float *levels_db, size_t n_columns, float *scratch, float *floor_db,
                        float *peak_db)
{
    size_t used = 0;
    for (size_t i = 0; i < n_columns; i++) {
        if (levels_db[i] > SILENCE_DB && levels_db[i] < LIMIT_HIGH_DB) { /* no NAN, no infinity */
            scratch[used++] = levels_db[i];
        }
    }
    if (used == 0) {
        return false;
    }
    qsort(scratch, used, sizeof *scratch, ascending);
    *floor_db = scratch[used / 10];
    *peak_db = scratch[used - 1];
    return true;
}

static float step_down(float db)
{
    return STEP_DB * floorf(db / STEP_DB);
}

static float step_up(float db)
{
    return STEP_DB * ceilf(db / STEP_DB) + 0.0f; /* no negative zero */
}

static void follow(weir_range *range, float floor_db, float peak_db, float seconds)
{
    if (!range->has_seen) {
        range->floor_db = floor_db;
        range->peak_db = peak_db;
        return;
    }
    float toward_floor = 1.0f - expf(-seconds / FLOOR_SECONDS);
    float toward_peak = peak_db > range->peak_db ? 1.0f : 1.0f - expf(-seconds / PEAK_SECONDS);
    range->floor_db += toward_floor * (floor_db - range->floor_db);
    range->peak_db += toward_peak * (peak_db - range->peak_db);
}

bool weir_range_follow(weir_range *range, float floor_db, float peak_db, float seconds)
{
    if (!range->is_automatic) {
        return false;
    }
    follow(range, floor_db, peak_db, seconds);
    float low = range->low_db, high = range->high_db;
    float want_low = range->floor_db - BELOW_FLOOR_DB, want_high = range->peak_db + ABOVE_PEAK_DB;
    bool is_first = !range->has_seen;
    if (is_first || want_low < low - STEP_DB || want_low > low + FLOOR_DEAD_ZONE_DB) {
        low = step_down(want_low);
    }
    if (is_first || range->peak_db > high || want_high < high - PEAK_DEAD_ZONE_DB) {
        high = step_up(want_high);
    }
    high = high < low + SPAN_MIN_DB ? low + SPAN_MIN_DB : high;
    bool has_changed = low != range->low_db || high != range->high_db;
    range->has_seen = true;
    range->low_db = low;
    range->high_db = high;
    return has_changed;
}

void weir_range_shift(weir_range *range, float db)
{
    range->is_automatic = false;
    if (range->low_db + db >= LIMIT_LOW_DB && range->high_db + db <= LIMIT_HIGH_DB) {
        range->low_db += db;
        range->high_db += db;
    }
}

void weir_range_resize(weir_range *range, float db)
{
    float low = range->low_db - db;
    range->is_automatic = false;
    low = low < LIMIT_LOW_DB ? LIMIT_LOW_DB : low;
    if (range->high_db - low >= SPAN_BY_HAND_MIN_DB) {
        range->low_db = low;
    }
}

void weir_range_set_automatic(weir_range *range)
{
    range->is_automatic = true;
    range->has_seen = false;
}
