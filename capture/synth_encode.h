/* Floats to raw samples: the other direction of dsp/format.h, for the synthesizer.
 * Rounds exactly (half away from 0) and saturates. Pure functions. */
#ifndef WEIR_CAPTURE_SYNTH_ENCODE_H
#define WEIR_CAPTURE_SYNTH_ENCODE_H

#include "dsp/format.h"

/* Writes n scalars, stride_bytes apart. dither: NULL, or n values in codes added before
 * rounding (integers only). */
void weir_synth_encode(weir_scalar scalar, const float *values, const float *dither, size_t n,
                       unsigned char *out, size_t stride_bytes);
/* Writes count modulo the scalar's range, as the code itself; floats: the number modulo
 * 2^24 (f64 2^53). Returns how often the count went round. */
uint64_t weir_synth_encode_count(weir_scalar scalar, uint64_t count, unsigned char *out);
/* Writes a NaN; float scalars only. */
void weir_synth_encode_nan(weir_scalar scalar, unsigned char *out);

#endif
