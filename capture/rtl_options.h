/* The settings of an RTL2832U, on USB or behind rtl_tcp: what the options say, and what they are
 * while it runs. The caller locks. */
#ifndef WEIR_CAPTURE_RTL_OPTIONS_H
#define WEIR_CAPTURE_RTL_OPTIONS_H

#include "capture/control.h"
#include "capture/source.h"

typedef struct weir_rtl_settings {
    weir_tuned now;
    double gain_db; /* NAN: automatic */
    double ppm, bandwidth_hz;
    int direct_sampling; /* 0 off, 1 I, 2 Q */
    bool agc, bias_tee, offset_tuning, test_mode;
    bool retries; /* when the device is gone */
} weir_rtl_settings;

extern const char *const weir_rtl_device_keys[]; /* NULL-terminated */

/* Refuses what is unknown or malformed, and what the chip cannot hold, at the first that is wrong;
 * the rate is the caller's to check. settle_seconds is the usual one of this way to the chip. */
weir_status weir_rtl_read_options(weir_rtl_settings *settings, const weir_source_options *options,
                                  const char *source, double settle_seconds, weir_error *err);

#endif
