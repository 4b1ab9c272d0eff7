/* What `weir measure` measures: from one averaged spectrum, and what was gathered beside it,
 * to the values of a report. Main thread only; nothing allocates.
 */
#ifndef WEIR_APP_MEASURE_WHAT_H
#define WEIR_APP_MEASURE_WHAT_H

#include "app/measure_report.h"
#include "app/measure_sound.h"
#include "app/settings.h"
#include "dsp/levels.h"
#include "dsp/measure_rf.h"
#include "dsp/window.h"

typedef struct weir_measure_input {
    const weir_settings *settings;
    const weir_stream_info *stream;
    const weir_spectrum *spectrum; /* its mean trace                                      */
    weir_levels levels;            /* of the raw samples                                  */
    const weir_peak_lobe *lobe;    /* of the window                                       */
    double main_lobe_bins;         /* likewise                                            */
    double n_independent;          /* transforms without overlap that the mean is worth   */
    /* RF */
    const weir_kurtosis *kurtosis; /* or NULL, if transforms overlap */
    float *kurtosis_values;        /* room for a value a bin         */
    /* audio */
    const weir_sound *sound;
} weir_measure_input;

void weir_measure_rf(weir_report *report, const weir_measure_input *in);
void weir_measure_audio(weir_report *report, const weir_measure_input *in);
/* Common to both: RMS, peak, crest factor, DC; the strongest peaks. */
void weir_measure_levels(weir_report *report, const weir_measure_input *in);
void weir_measure_peaks(weir_report *report, const weir_measure_input *in);

#endif
