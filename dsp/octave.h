/* Octave and fractional-octave bands: exact frequencies, names, levels from bins.
 *
 * Frequencies of IEC 61260-1: G = 10^0.3, mid-band 1000 G^(x/b) for odd b, 1000
 * G^((2x+1)/2b) for even b, edges at G^(+-1/2b). Levels are sums of spectrum bins with
 * the edge bins split by fraction (dsp/band.h): this is *not* a class 1 filter bank, and
 * no class is claimed. `bins` says how many bins make a band; below about 5 (and for
 * tones near an edge) take a longer transform.
 *
 * Pure functions, thread-safe, without allocation.
 */
#ifndef WEIR_DSP_OCTAVE_H
#define WEIR_DSP_OCTAVE_H

#include "dsp/scale.h"
#include "dsp/spectrum.h"

#include <stddef.h>

#define WEIR_OCTAVE_MAX_PER_OCTAVE 96

typedef struct weir_octave_band {
    double mid_hz, low_hz, high_hz; /* exact */
    char name[16];                  /* nominal, "31.5", "1k"; for b other than 1 and 3
                                       three digits of mid_hz */
} weir_octave_band;

typedef struct weir_octave_level {
    double level_db; /* in the unit of the scale */
    double fs2;
    double bins;    /* width of the band in bins                       */
    double covered; /* part of the band that the spectrum covers, 0..1 */
} weir_octave_level;

/* The bands from the one that low_hz lies in to the one that high_hz lies in; writes at
 * most max of them and returns how many there are. bands may be NULL if max is 0. 0 for
 * an empty or non-positive range, or per_octave not in 1 .. WEIR_OCTAVE_MAX_PER_OCTAVE. */
size_t weir_octave_bands(unsigned per_octave, double low_hz, double high_hz,
                         weir_octave_band *bands, size_t max);

void weir_octave_measure(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                         const weir_octave_band *bands, size_t n, weir_octave_level *levels);

#endif
