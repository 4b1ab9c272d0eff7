/* Raw samples that lie in a file or come down a pipe, delivered as they are.
 *
 * The samples are a list of extents: runs of bytes, each with its own centre and time.
 * A reader of a file format finds the extents; this delivers them, straight into the
 * caller's memory. From a stream, whatever odd sizes it comes in, only whole samples
 * are handed out. One thread at a time.
 */
#ifndef WEIR_CAPTURE_STORED_H
#define WEIR_CAPTURE_STORED_H

#include "base/status.h"
#include "capture/input.h"
#include "capture/source.h"

typedef struct weir_extent {
    uint64_t offset_bytes; /* in the input                                       */
    uint64_t n_samples;    /* WEIR_UNKNOWN_SAMPLES: to the end (the last extent) */
    uint64_t lost_before;
    double center_hz;
    int64_t time_unix_ns; /* of its first sample, or WEIR_UNKNOWN_TIME */
} weir_extent;

typedef struct weir_stored weir_stored;

/* Borrows the input and `name` (for notices); copies the extents (one at least), which
 * lie in the order of their offsets. `expand24`: 32-bit words hold right-aligned 24-bit
 * integers, and are shifted to the left. */
weir_status weir_stored_create(weir_stored **out, weir_input *input, const char *name,
                               const weir_sample_format *format, double rate_hz,
                               const weir_extent *extents, size_t n_extents, weir_error *err);
void weir_stored_destroy(weir_stored *stored); /* NULL-safe */
void weir_stored_expand24(weir_stored *stored);

/* All extents together, or WEIR_UNKNOWN_SAMPLES. */
uint64_t weir_stored_samples(const weir_stored *stored);

/* As the source contract says. A read never crosses from one extent to the next; the
 * first read of an extent, and the first after a seek, says new_segment. The stream may
 * end before its extents do: a notice is logged. */
weir_status weir_stored_read(weir_stored *stored, void *memory, size_t max_samples,
                             weir_read *result, weir_error *err);
/* All samples from `sample` on as memory, and their segment as a first read would describe it.
 * WEIR_ERR_UNSUPPORTED if they do not lie there as one run of whole, aligned samples. */
weir_status weir_stored_map(weir_stored *stored, uint64_t sample, weir_mapping **out,
                            weir_read *whole, weir_error *err);
/* Files only. Beyond the end is the end. */
weir_status weir_stored_seek(weir_stored *stored, uint64_t sample, weir_error *err);

#endif
