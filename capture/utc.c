#include "capture/utc.h"

#include "capture/source.h"

#include <math.h>
#include <stddef.h>

/* Days from 1970-01-01, proleptic Gregorian; the year is taken to begin in March so
 * that the leap day is its last. */
static int64_t days_from_civil(int year, int month, int day)
{
    int64_t y = year - (month <= 2);
    int64_t era = y / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static int days_in_month(int year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static bool in_range(int value, int low, int high)
{
    return value >= low && value <= high;
}

bool weir_utc_from_civil(const weir_civil_time *c, int64_t *unix_ns)
{
    bool exists = in_range(c->year, 1678, 2261) && in_range(c->month, 1, 12) &&
                  in_range(c->day, 1, days_in_month(c->year, c->month)) &&
                  in_range(c->hour, 0, 23) && in_range(c->minute, 0, 59) &&
                  in_range(c->second, 0, 60) && in_range(c->nanosecond, 0, 999999999);
    if (!exists) {
        return false;
    }
    int64_t seconds = days_from_civil(c->year, c->month, c->day) * 86400 + c->hour * 3600 +
                      c->minute * 60 + c->second;
    *unix_ns = seconds * INT64_C(1000000000) + c->nanosecond;
    return true;
}

/* Reads exactly `digits` digits and, unless it is '\0', the character after them. */
static bool take(const char **text, int digits, char after, int *value)
{
    int sum = 0;
    for (int i = 0; i < digits; i++, (*text)++) {
        if (**text < '0' || **text > '9') {
            return false;
        }
        sum = sum * 10 + (**text - '0');
    }
    *value = sum;
    if (after != '\0') {
        if (**text != after) {
            return false;
        }
        (*text)++;
    }
    return true;
}

static bool take_fraction(const char **text, int *nanosecond)
{
    if (**text != '.') {
        return true;
    }
    (*text)++;
    int scale = 100000000, digits = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++, digits++) {
        *nanosecond += (**text - '0') * scale;
        scale /= 10;
    }
    return digits > 0;
}

bool weir_utc_parse(const char *text, int64_t *unix_ns)
{
    weir_civil_time c = {0};
    const char *p = text;
    bool ok = take(&p, 4, '-', &c.year) && take(&p, 2, '-', &c.month) && take(&p, 2, '\0', &c.day);
    if (!ok || (*p != 'T' && *p != 't')) {
        return false;
    }
    p++;
    ok = take(&p, 2, ':', &c.hour) && take(&p, 2, ':', &c.minute) && take(&p, 2, '\0', &c.second) &&
         take_fraction(&p, &c.nanosecond);
    if (!ok || (*p != 'Z' && *p != 'z') || p[1] != '\0') {
        return false;
    }
    return weir_utc_from_civil(&c, unix_ns);
}

int64_t weir_time_after(int64_t unix_ns, uint64_t n_samples, double rate_hz)
{
    double ns = (double)n_samples * 1e9 / rate_hz;
    int64_t sum;
    bool known = unix_ns != WEIR_UNKNOWN_TIME && ns < 0x1p62 &&
                 !__builtin_add_overflow(unix_ns, (int64_t)llround(ns), &sum);
    return known ? sum : WEIR_UNKNOWN_TIME;
}
