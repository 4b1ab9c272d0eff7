/* What every RTL2832U can do, on USB or behind rtl_tcp. Pure functions.
 * Source: librtlsdr's rtlsdr_set_sample_rate and rtlsdr_set_center_freq. */
#ifndef WEIR_CAPTURE_RTL_RATES_H
#define WEIR_CAPTURE_RTL_RATES_H

#include "base/status.h"

#define WEIR_RTL_DEFAULT_RATE_HZ 2.4e6
#define WEIR_RTL_DEFAULT_CENTER_HZ 100e6

/* 225 001 .. 300 000 and 900 001 .. 3 200 000 samples a second. */
weir_status weir_rtl_check_rate(const char *source, double rate_hz, weir_error *err);
/* The interface has 32 bits of Hz. */
weir_status weir_rtl_check_center(const char *source, double center_hz, weir_error *err);
/* -1000 .. 1000 parts per million, in whole ones: what it is rounded to is said. */
weir_status weir_rtl_check_ppm(const char *source, double *ppm, weir_error *err);
/* 0: by the sample rate. */
weir_status weir_rtl_check_bandwidth(const char *source, double bandwidth_hz, weir_error *err);
/* The rate that the chip's divider really makes of one (crystal 28.8 MHz). */
double weir_rtl_real_rate(double rate_hz);

#endif
