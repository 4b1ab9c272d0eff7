/* What a recording's file name says about it.
 *
 * Pure function over a string; nothing is opened. Knows the conventions of
 *   gqrx       gqrx_YYYYMMDD_HHMMSS_<Hz>_<rate>_fc.raw               UTC, cf32
 *   SDR#       SDRSharp_YYYYMMDD_HHMMSSZ_<Hz>_IQ.wav                 UTC
 *   HDSDR      HDSDR_YYYYMMDD_HHMMSSZ_<kHz>kHz_RF.wav (also SDRuno)  UTC with the Z
 *   SDR++      baseband_<Hz>Hz_HH-MM-SS_DD-MM-YYYY.wav               local time
 *   SigDigger  sigdigger_YYYYMMDD_HHMMSSZ_<rate>_<Hz>_float32_iq.raw UTC
 *   rtl_433    g001_433.92M_250k.cu8   (M: centre, k: rate; 2M4 as a second one: rate)
 * and the endings that weir_format_parse knows: .cu8 .cs16 .cf32 ..., those of inspectrum
 * (.sc16, .c8), Universal Radio Hacker (.complex16s is cs8) and GNU Radio (.cfile). Anything
 * else is simply not known.
 */
#ifndef WEIR_CAPTURE_NAMES_H
#define WEIR_CAPTURE_NAMES_H

#include "dsp/format.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct weir_name_facts {
    bool has_format;
    weir_sample_format format; /* channels 1; valid with has_format               */
    bool is_iq;                /* the name says that two channels are I and Q     */
    double rate_hz;            /* 0 unknown                                       */
    double center_hz;          /* NAN unknown                                     */
    int64_t time_unix_ns;      /* WEIR_UNKNOWN_TIME if not said. With time_is_local */
    bool time_is_local;        /* it is the clock as written, read as if it were UTC */
} weir_name_facts;

/* Folders in the path are ignored. */
void weir_names_parse(const char *path, weir_name_facts *facts);

/* The clock as written, in this machine's time zone, to UTC (not pure: reads TZ). */
int64_t weir_names_local_to_utc(int64_t clock_ns);

#endif
