/* Calendar times to nanoseconds since 1970-01-01T00:00:00Z, without the C library's
 * time zone and locale. All functions are pure.
 */
#ifndef WEIR_CAPTURE_UTC_H
#define WEIR_CAPTURE_UTC_H

#include <stdbool.h>
#include <stdint.h>

typedef struct weir_civil_time {
    int year, month, day; /* month 1..12, day 1..31 */
    int hour, minute;
    int second;     /* 0..60: a leap second counts as the next second */
    int nanosecond; /* 0..999999999                                   */
} weir_civil_time;

/* False, and *unix_ns untouched, for a date that does not exist or lies outside
 * 1678..2261 (what 64-bit nanoseconds can say). */
bool weir_utc_from_civil(const weir_civil_time *civil, int64_t *unix_ns);

/* RFC 3339 in UTC: "2021-06-18T23:17:51.163959Z", the whole text. Digits beyond the
 * ninth decimal are cut. */
bool weir_utc_parse(const char *text, int64_t *unix_ns);

/* The time of a sample, n_samples after the one of unix_ns; WEIR_UNKNOWN_TIME (source.h)
 * if that is not known or the sum is beyond what can be said. */
int64_t weir_time_after(int64_t unix_ns, uint64_t n_samples, double rate_hz);

#endif
