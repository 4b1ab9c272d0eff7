/* Numbers with units, read and written the same way whatever the locale.
 *
 * All functions are pure and thread-safe. Parsers accept the whole string or
 * nothing; on failure the value is untouched and err says what would be right.
 * A comma is refused with a hint, never read as a separator.
 */
#ifndef WEIR_BASE_UNITS_H
#define WEIR_BASE_UNITS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* "100.3M", "2.4M", "44.1k", "-5e6", "1090MHz", "2.4MS/s": suffixes k M G T
 * (also K), then optionally Hz, S/s or sps. NaN and infinity are refused. */
weir_status weir_parse_hz(const char *text, double *hz, weir_error *err);

/* Seconds: "1.5", "1.5s", "200ms", "50us", "2m", "1h", "1d", "01:02:03.5"; also
 * sec, min, ns. >= 0 and finite. */
weir_status weir_parse_seconds(const char *text, double *seconds, weir_error *err);

/* A whole number: "4096", "4k" = 4000, "4Ki" = 4096, "2^12", "1M", "1Mi". */
weir_status weir_parse_count(const char *text, uint64_t *count, weir_error *err);

/* A plain number with an optional "dB..." suffix is allowed: "-40", "-40dBFS". */
weir_status weir_parse_db(const char *text, double *db, weir_error *err);

/* A plain finite number ("." decimal), the whole text. */
weir_status weir_parse_number(const char *text, double *value, weir_error *err);

/* "433.920000 MHz": the unit chosen by the magnitude of hz, as many decimals as
 * it takes to tell apart values step_hz apart (step_hz <= 0: up to 6, trailing
 * zeros cut). Returns buffer. */
char *weir_format_hz(char *buffer, size_t size, double hz, double step_hz);

/* "1.23 M", "12.0 k", "999 ": three digits and the SI prefix (f..T). Returns buffer. */
char *weir_format_si(char *buffer, size_t size, double value);

/* "0:01.250", "2:03.5", "1:02:03": as many decimals as step_seconds needs. */
char *weir_format_seconds(char *buffer, size_t size, double seconds, double step_seconds);

/* RFC 3339 in UTC, "2026-11-30T12:00:00.123Z"; decimals 0..9. Returns buffer. */
char *weir_format_utc(char *buffer, size_t size, int64_t unix_ns, int decimals);

#endif
