/* The walk over the chunks of a WAV file: RIFF, RIFX (big-endian), RF64 and BW64.
 *
 * A pure state machine: it says which bytes it wants next, the caller fetches them from
 * a file or a pipe, and nothing is allocated. The wanted offsets never go back to before
 * the last one, so that a pipe can follow.
 *
 *     weir_riff_begin(&riff, file_bytes_or_unknown);
 *     while (riff.want_bytes > 0) {
 *         got = read up to riff.want_bytes bytes at riff.want_offset;
 *         status = weir_riff_feed(&riff, bytes, got, err);    // fewer: the file ends there
 *     }
 *
 * Chunks are walked by size and pad byte; unknown ones are skipped. Not trusted:
 * nBlockAlign, the RIFF size, `fact`, and a data size of 0, 0xffffffff, beyond the end or
 * short of it by a multiple of 4 GiB.
 * Of a file, the chunks after the samples are looked at too.
 */
#ifndef WEIR_CAPTURE_RIFF_H
#define WEIR_CAPTURE_RIFF_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_RIFF_MAX_WANT 64
#define WEIR_RIFF_UNKNOWN UINT64_MAX

enum { WEIR_WAVE_PCM = 1, WEIR_WAVE_FLOAT = 3, WEIR_WAVE_EXTENSIBLE = 0xfffe };

typedef struct weir_riff_fmt {
    unsigned tag; /* of the sub-format, where the file is WAVE_FORMAT_EXTENSIBLE */
    unsigned channels;
    unsigned bits; /* of the container */
    unsigned valid_bits;
    uint32_t rate_hz;
} weir_riff_fmt;

typedef enum weir_riff_state {
    WEIR_RIFF_HEADER,
    WEIR_RIFF_CHUNK,
    WEIR_RIFF_BODY,
    WEIR_RIFF_AFTER_EMPTY_DATA, /* is it really empty, or was the size never written? */
    WEIR_RIFF_DONE,
} weir_riff_state;

typedef struct weir_riff {
    /* What the machine wants next; 0 bytes: it is done. */
    uint64_t want_offset;
    size_t want_bytes;

    bool has_fmt;
    weir_riff_fmt fmt;
    bool is_big_endian;
    bool has_data;
    uint64_t data_offset;
    uint64_t data_bytes;  /* as said; WEIR_RIFF_UNKNOWN: to the end of the file       */
    bool data_unfinished; /* the size was never written, or is too small by 2^32        */
    bool has_auxi, has_rcvr;
    double center_hz;     /* of auxi or rcvr; NAN unknown                              */
    int64_t time_unix_ns; /* the same; WEIR_UNKNOWN_TIME. Taken as UTC: auxi has no zone */

    /* Internal. */
    weir_riff_state state;
    uint64_t file_bytes;
    bool is_64;
    uint64_t ds64_data_bytes;
    char chunk[4];
    uint64_t chunk_offset, chunk_bytes; /* of its body */
    unsigned chunks;
} weir_riff;

/* True if the first 12 bytes are those of a WAV file, or all of a shorter file. */
bool weir_riff_is_wave(const uint8_t *head, size_t n);
/* file_bytes: WEIR_RIFF_UNKNOWN for a pipe; then the walk ends where the samples begin. */
void weir_riff_begin(weir_riff *riff, uint64_t file_bytes);
/* Errors are WEIR_ERR_DATA and final. After the last call has_fmt and has_data hold. */
weir_status weir_riff_feed(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err);

#endif
