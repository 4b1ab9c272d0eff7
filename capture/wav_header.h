/* The header of a WAV file, as bytes: RIFF, or RF64 (EBU Tech 3306) where 32 bits are not
 * enough. Pure functions.
 *
 * The header has the same length whatever the sizes: a JUNK chunk keeps the place of RF64's
 * ds64. So it is written first with the sizes unknown, and over that when they are known.
 * Complex samples are two channels, I and Q, with an `auxi` chunk of 164 bytes (RFSpace; as
 * SDRuno and ka9q-radio write it): start and stop in UTC, centre, rate.
 */
#ifndef WEIR_CAPTURE_WAV_HEADER_H
#define WEIR_CAPTURE_WAV_HEADER_H

#include "base/status.h"
#include "dsp/format.h"

#include <stddef.h>
#include <stdint.h>

#define WEIR_WAV_HEADER_MAX 320
#define WEIR_WAV_UNKNOWN UINT64_MAX

typedef struct weir_wav_spec {
    weir_sample_format format;
    double rate_hz;      /* rounded to whole hertz                                       */
    double center_hz;    /* auxi; it has 32 bits: 0 (unknown) is written for more         */
    int64_t start_ns;    /* auxi; WEIR_UNKNOWN_TIME: zeros                                */
    int64_t stop_ns;     /* the same                                                     */
    uint64_t data_bytes; /* of samples; WEIR_WAV_UNKNOWN: 0xffffffff, "to the end"        */
} weir_wav_spec;

/* WEIR_ERR_USAGE if WAV has no such samples; says why. */
weir_status weir_wav_check(const weir_sample_format *format, double rate_hz, weir_error *err);
/* Writes the header; returns its length, which depends on the format only. A data chunk of
 * odd length is followed by one byte more, which the sizes count. */
size_t weir_wav_header(const weir_wav_spec *spec, uint8_t header[WEIR_WAV_HEADER_MAX]);

#endif
