/* Distortion and noise of one tone, from one spectrum: THD, THD+N, SINAD, SNR, SFDR, ENOB.
 *
 * Pure, thread-safe, without allocation. For real samples (a one-sided spectrum).
 *
 * A tone's power is the sum of the bins within its window's main lobe, divided by ENBW.
 * Left out of noise and distortion are the main lobe of DC and that of the fundamental:
 * excluded_half_width_hz says how wide. The noise under them is not replaced: with few
 * bins use a longer transform. Windows: blackman-harris or a flat-top from hft90d up, whose
 * side lobes must be below what is to be measured; rectangular only for whole cycles in N.
 * A spectrum of single-precision transforms has a floor near -150 dB per bin.
 */
#ifndef WEIR_DSP_MEASURE_AUDIO_H
#define WEIR_DSP_MEASURE_AUDIO_H

#include "base/status.h"
#include "dsp/peaks.h"
#include "dsp/scale.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stddef.h>

#define WEIR_HARMONICS_KEPT 20

typedef struct weir_distortion_options {
    double fundamental_hz;      /* NAN: the strongest in the band */
    double low_hz, high_hz;     /* band of noise and distortion; NAN: all */
    unsigned highest_harmonic;  /* 10, as IEEE 1057 and data sheets       */
    bool fold;                  /* look for harmonics above fs/2 where they alias to; else
                                   they are left out and counted in n_harmonics_cut */
    double main_lobe_bins;      /* weir_window_figures.main_lobe_bins     */
    const weir_peak_lobe *lobe; /* for the level of the largest spur; or NULL. Not owned */
} weir_distortion_options;

/* Strongest tone, whole band, 10 harmonics, folded, blackman-harris (4 bins). */
void weir_distortion_options_init(weir_distortion_options *options);

typedef struct weir_harmonic {
    unsigned order; /* 2 .. */
    double hz;      /* where it is, after folding */
    double level_db;
    double level_dbc; /* against the fundamental */
} weir_harmonic;

/* _f: against the fundamental, _r: against the whole signal (fundamental, harmonics and,
 * for THD+N, noise) as an instrument with a notch reads it. dB: 20 log10 of the ratio. */
typedef struct weir_distortion {
    double fundamental_hz;
    double fundamental_db;   /* in the unit of the scale */
    double fundamental_dbfs; /* without its offset       */
    double thd_f_percent, thd_f_db;
    double thd_r_percent, thd_r_db;
    double thdn_f_percent, thdn_f_db;
    double thdn_r_percent, thdn_r_db;
    double sinad_db; /* fundamental to noise and distortion        */
    double snr_db;   /* fundamental to noise without the harmonics */
    double sfdr_db;  /* fundamental to the largest spur; NAN: none  */
    double spur_hz;
    double enob_bits;            /* (SINAD - 1.76) / 6.02                   */
    double enob_full_scale_bits; /* as if the tone were at full scale       */
    double noise_db;             /* without harmonics, in the scale's unit  */
    double excluded_half_width_hz;
    unsigned n_harmonics;     /* summed in THD                                        */
    unsigned n_harmonics_cut; /* not: above fs/2, outside the band, or on another line */
    weir_harmonic harmonics[WEIR_HARMONICS_KEPT]; /* the first of them */
    size_t n_harmonics_kept;
} weir_distortion;

/* WEIR_ERR_UNSUPPORTED for a complex spectrum; WEIR_ERR_USAGE if the band has no tone
 * that stands clear of DC (by two main lobes), or the options make no sense. Ratios
 * without a denominator or numerator read 300 or -300 dB. */
weir_status weir_measure_distortion(const weir_spectrum *spectrum, weir_trace trace,
                                    const weir_scale *scale, const weir_distortion_options *options,
                                    weir_distortion *result, weir_error *err);

#endif
