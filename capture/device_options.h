/* The "key=value" pairs of weir_source_options.device_options, read by device sources.
 *
 * Pure functions, any thread. A key that is not given leaves the value as it was, so that
 * a caller fills in its defaults first. Errors name source, key and what would be right.
 */
#ifndef WEIR_CAPTURE_DEVICE_OPTIONS_H
#define WEIR_CAPTURE_DEVICE_OPTIONS_H

#include "capture/source.h"

/* The value of the last pair with that key; NULL if there is none. */
const char *weir_devopt_text(const weir_source_options *options, const char *key);

/* Refuses keys that are not in known (NULL-terminated) and pairs without "=". */
weir_status weir_devopt_check_keys(const weir_source_options *options, const char *source,
                                   const char *const *known, weir_error *err);

/* "1", "on", "yes", "true" or their opposites. */
weir_status weir_devopt_flag(const weir_source_options *options, const char *source,
                             const char *key, bool *value, weir_error *err);
weir_status weir_devopt_hz(const weir_source_options *options, const char *source, const char *key,
                           double *value, weir_error *err);
weir_status weir_devopt_number(const weir_source_options *options, const char *source,
                               const char *key, double *value, weir_error *err);
weir_status weir_devopt_seconds(const weir_source_options *options, const char *source,
                                const char *key, double *value, weir_error *err);
/* "auto" is NAN; else decibels. */
weir_status weir_devopt_gain(const weir_source_options *options, const char *source,
                             const char *key, double *gain_db, weir_error *err);
/* "settle": how long samples are spoilt after a change of tuning, at most 10 s. */
weir_status weir_devopt_settle(const weir_source_options *options, const char *source,
                               double *seconds, weir_error *err);
/* "on-loss": what to do when the device is gone; exit or retry. */
weir_status weir_devopt_retries(const weir_source_options *options, const char *source,
                                bool *retries, weir_error *err);

/* Which of the words (NULL-terminated) it is: its index. */
weir_status weir_devopt_choice(const weir_source_options *options, const char *source,
                               const char *key, const char *const *words, int *value,
                               weir_error *err);

#endif
