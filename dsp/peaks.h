/* Peaks of a spectrum: frequency and level between the bins, the strongest, markers.
 *
 * Pure functions, thread-safe, without allocation.
 *
 * Methods. Parabolic: the vertex of a parabola through the decibels of the highest bin
 * and its neighbours; exact for a Gaussian window; for others its worst error over a bin,
 * frequency in bins and level in dB: rectangular 0.169/2.73, hann 0.0160/0.324, hamming
 * 0.0160/0.398, blackman 0.0066/0.091, blackman-harris 0.0032/0.032, gaussian:0.125
 * 0.0001/0.0007. Flat-top: frequency from the parabola (0.141 bins), level of the bin
 * itself, which is right to the window's max_error_db (0.0098 dB and less).
 * The first and the last bin of a spectrum are taken as they are.
 */
#ifndef WEIR_DSP_PEAKS_H
#define WEIR_DSP_PEAKS_H

#include "dsp/scale.h"
#include "dsp/spectrum.h"
#include "dsp/window.h"

#include <stddef.h>

typedef enum weir_peak_method { WEIR_PEAK_PARABOLIC, WEIR_PEAK_FLAT_TOP } weir_peak_method;

/* The method for a window of the table. */
weir_peak_method weir_peak_method_of(const weir_window *window);

typedef struct weir_peak {
    size_t bin;
    double hz;       /* interpolated                                              */
    double fs2;      /* interpolated linear power, as of the spectrum's bins      */
    double level_db; /* of fs2, by the scale: weighted and calibrated at its bin */
} weir_peak;

typedef struct weir_peak_search {
    weir_peak_method method;
    double low_hz, high_hz;   /* only bins centred in here; NAN: no limit                  */
    double min_prominence_db; /* drop on both sides before anything higher, or the edge    */
    double min_spacing_hz;    /* between two peaks, the weaker of which is left out        */
    double min_level_db;      /* by the scale; -INFINITY: any                              */
} weir_peak_search;

/* Parabolic, everywhere, 6 dB, no spacing, any level. */
void weir_peak_search_init(weir_peak_search *search);

/* The peak at one bin, whatever it is. */
weir_peak weir_peak_at(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                       weir_peak_method method, size_t bin);

/* The n strongest (by their bins' levels, after weighting), in order of their own levels,
 * strongest first. Returns how many. A
 * plateau of equal bins is one peak, at its first bin. Time: n times n_bins at worst. */
size_t weir_peaks_find(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                       const weir_peak_search *search, size_t n, weir_peak *peaks);

/* ---- markers ---- */

typedef struct weir_marker {
    double hz; /* centre of the bin it sits on */
    double level_db;
    double noise_db_per_hz; /* mean power of 2 half_width + 1 bins around, per hertz, with
                               offset, weighting and curve, whatever the scale's quantity  */
} weir_marker;

weir_marker weir_marker_at(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                           double hz, size_t half_width_bins);

typedef struct weir_marker_delta {
    double delta_hz;
    double delta_db;
} weir_marker_delta;

/* to less from. */
weir_marker_delta weir_marker_difference(const weir_marker *from, const weir_marker *to);

/* Level of the power between two frequencies (weir_band_power_fs2). */
double weir_marker_band_db(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                           double low_hz, double high_hz);

/* "A4 +3.2 cents", in equal temperament with A4 at a4_hz (usually 440); "" for a
 * frequency that is not positive. Returns buffer. */
char *weir_note_name(char *buffer, size_t size, double hz, double a4_hz);

#endif
