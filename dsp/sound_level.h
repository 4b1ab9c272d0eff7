/* A sound level meter over successive spectra: frequency and time weighting, Leq, max.
 *
 * Time weighting is exponential in mean square (IEC 61672-1): with alpha = 1 - exp(-t/tau)
 * for the time t a spectrum adds, tau 0.125 s (fast) or 1 s (slow): a signal that stops
 * decays by 34.7 or 4.34 dB/s. It starts at the first spectrum's power instead of rising
 * from silence. Spectra should come at least every tau/4; longer ones are averages already.
 * Plain values: the caller owns the struct; one thread.
 */
#ifndef WEIR_DSP_SOUND_LEVEL_H
#define WEIR_DSP_SOUND_LEVEL_H

#include "dsp/scale.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_TAU_FAST_S 0.125
#define WEIR_TAU_SLOW_S 1.0

typedef struct weir_sound_meter {
    double tau_s;
    bool started;
    double now_fs2, max_fs2; /* time-weighted */
    double energy_fs2_s;     /* for Leq       */
    double seconds;          /* measured, without lost samples */
    uint64_t end_sample;
} weir_sound_meter;

typedef struct weir_sound_level {
    double now_db; /* LAF, LAS, LCF ... by the scale's weighting and tau_s */
    double max_db; /* LAFmax ...                                           */
    double leq_db; /* LAeq ...: mean power over all of `seconds`           */
    double seconds;
} weir_sound_level;

/* tau_s > 0 */
void weir_sound_meter_init(weir_sound_meter *meter, double tau_s);

/* Adds the power of the whole spectrum, weighted by the scale. Time that passed is taken
 * from the sample positions, so the spectra must come in order, from one stream. */
void weir_sound_meter_add(weir_sound_meter *meter, const weir_spectrum *spectrum, weir_trace trace,
                          const weir_scale *scale);

/* WEIR_FLOOR_DB before the first spectrum. spectrum: any of the stream. */
weir_sound_level weir_sound_meter_read(const weir_sound_meter *meter, const weir_spectrum *spectrum,
                                       const weir_scale *scale);

#endif
