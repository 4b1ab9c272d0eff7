/* Raw sample formats: what a source delivers and an engine unpacks.
 *
 * A sample is one instant of one channel: one scalar (real) or two (complex, I
 * first). A frame of the stream is `channels` samples side by side. Samples of
 * the stream are counted per channel everywhere ("sample index"), so one count
 * is weir_format_stride_bytes() bytes of the stream.
 *
 * Scale (0 dBFS is a full-scale sine, or a full-scale complex tone):
 *   u8 (x-127.5)/127.5   u8 audio (x-128)/128   s8 x/128   s16 x/32768
 *   s24 x/2^23   s32 x/2^31   u16 (x-2^15)/2^15   u32 (x-2^31)/2^31   floats as they are
 * (limited to +-WEIR_SAMPLE_LIMIT, so that no power can overflow a float).
 *
 * Pure functions, thread-safe. The host is little-endian.
 */
#ifndef WEIR_DSP_FORMAT_H
#define WEIR_DSP_FORMAT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_SAMPLE_LIMIT 1e17

typedef enum weir_scalar {
    WEIR_U8,
    WEIR_U8_AUDIO, /* offset 128, as 8-bit WAV is defined */
    WEIR_S8,
    WEIR_U16LE,
    WEIR_U16BE,
    WEIR_S16LE,
    WEIR_S16BE,
    WEIR_S24LE, /* packed, 3 bytes */
    WEIR_S24BE,
    WEIR_U32LE,
    WEIR_U32BE,
    WEIR_S32LE,
    WEIR_S32BE,
    WEIR_F32LE,
    WEIR_F32BE,
    WEIR_F64LE,
    WEIR_F64BE,
    WEIR_SCALAR_COUNT
} weir_scalar;

typedef struct weir_sample_format {
    weir_scalar scalar;
    bool is_complex;
    unsigned channels;   /* >= 1 */
    unsigned valid_bits; /* of an integer scalar, left-aligned (24 in an s32); 0 = all */
} weir_sample_format;

size_t weir_scalar_bytes(weir_scalar scalar);
bool weir_scalar_is_float(weir_scalar scalar);

/* Bytes from one sample of a channel to the next of the same channel. */
size_t weir_format_stride_bytes(const weir_sample_format *format);

/* "cu8", "s16le", "cf32", "rs24be" ... also SigMF ("ci16_le", "ru8") and the
 * names other tools use for raw files (cs8, cs16, complex16s, complex, f32 ...).
 * channels is left as it was; returns WEIR_ERR_USAGE with the list of names. */
weir_status weir_format_parse(const char *name, weir_sample_format *format, weir_error *err);
/* The canonical name ("cs16le"), for display; writes at most size bytes; returns buffer. */
char *weir_format_name(const weir_sample_format *format, char *buffer, size_t size);

/* Unpacks n samples of one channel to float (complex: 2n floats), scaled as above.
 * `raw` is the first sample's frame. Non-finite floats become 0. The reference
 * for every faster path; used as it is where speed does not matter. */
void weir_format_unpack(const weir_sample_format *format, unsigned channel, const void *raw,
                        size_t n_samples, float *out);
/* The same in double precision, for measurements and tests. */
void weir_format_unpack_f64(const weir_sample_format *format, unsigned channel, const void *raw,
                            size_t n_samples, double *out);

typedef struct weir_sample_counts {
    uint64_t clipped;   /* samples with a component at the integer's extreme code, or |x| > 1 */
    uint64_t nonfinite; /* samples with a NaN or infinite component (they count as 0)         */
} weir_sample_counts;

/* Adds the counts of n samples of one channel. Vectorised for u8, s8, s16 and f32. */
void weir_format_count(const weir_sample_format *format, unsigned channel, const void *raw,
                       size_t n_samples, weir_sample_counts *counts);

#endif
