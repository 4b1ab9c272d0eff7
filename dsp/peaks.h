/* Peaks of a spectrum: frequency and level between the bins, the strongest, markers.
 *
 * Pure functions, thread-safe, without allocation.
 *
 * Method. How much higher in amplitude the bin's upper neighbour is than the lower one, over the
 * bin itself, is looked up in what the window makes of a lone tone: where the tone then is, and
 * how far the bin lies below it. For a lone tone that is right to 0.002 bins and 0.002 dB with
 * every window. Near 0 Hz and fs/2 a real tone is not alone, its mirror image is beside it: hann is
 * off by 0.02 dB two bins away, by 0.001 dB five. What is no tone is read as if it were one: what
 * is wide and even stays as it is, but the highest of 16 bins of noise is raised, in the mean by
 * 0.23 dB (hann; of 100 transforms' mean 0.006 dB), with rectangular by 1.6 dB.
 * Without a window's lobe it is the vertex of the parabola through the decibels of the three:
 * exact for a Gaussian, with hann wrong by up to 0.016 bins and 0.32 dB.
 * The first and the last bin of a spectrum are taken as they are.
 */
#ifndef WEIR_DSP_PEAKS_H
#define WEIR_DSP_PEAKS_H

#include "dsp/scale.h"
#include "dsp/spectrum.h"
#include "dsp/window.h"

#include <stdbool.h>
#include <stddef.h>

/* What a window makes of a tone that is i / (2 WEIR_PEAK_LOBE_STEPS) bins off the bin's centre,
 * i = 0 .. WEIR_PEAK_LOBE_STEPS. */
#define WEIR_PEAK_LOBE_STEPS 64
typedef struct weir_peak_lobe {
    bool is_known;                            /* false: nothing but the parabola */
    double slope[WEIR_PEAK_LOBE_STEPS + 1];   /* from neighbour to neighbour, over the bin */
    double loss_np[WEIR_PEAK_LOBE_STEPS + 1]; /* ln of the tone's power over the bin's     */
} weir_peak_lobe;

/* Of the window's n points, or of 512 if there are more: the lobe hardly depends on it. What
 * cannot be made (weir_window_fill) is not known, nor one wider than so few points can show (a
 * flat-top of 4 or 6). Takes 1 to 3 ms. */
void weir_peak_lobe_init(weir_peak_lobe *lobe, const weir_window *window, double parameter,
                         size_t n);

/* The vertex of the parabola through (-1, a), (0, b), (1, c): its place, and its height over b;
 * both 0 unless b is the highest. */
double weir_peak_vertex(double a, double b, double c, double *height);

typedef struct weir_peak {
    size_t bin;
    double hz;       /* interpolated                                              */
    double fs2;      /* interpolated linear power, as of the spectrum's bins      */
    double level_db; /* of fs2, by the scale: weighted and calibrated at hz       */
} weir_peak;

typedef struct weir_peak_search {
    const weir_peak_lobe *lobe; /* the window's; NULL: the parabola. Not owned */
    double low_hz, high_hz;     /* only bins centred in here; NAN: no limit                  */
    double min_prominence_db;   /* drop on both sides before anything higher, or the edge    */
    double min_spacing_hz;      /* between two peaks, the weaker of which is left out        */
    double min_level_db;        /* by the scale; -INFINITY: any                              */
} weir_peak_search;

/* Parabolic, everywhere, 6 dB, no spacing, any level. */
void weir_peak_search_init(weir_peak_search *search);

/* The peak at one bin, whatever it is. */
weir_peak weir_peak_at(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                       const weir_peak_lobe *lobe, size_t bin);
/* The same of one bin as it is. */
weir_peak weir_peak_of_bin(const weir_spectrum *spectrum, weir_trace trace, const weir_scale *scale,
                           size_t bin);

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
