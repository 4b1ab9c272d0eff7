/* What happens to a spectrum between the engine and whoever shows it: the spike at DC, the
 * part of the band that a zoom is for, and the frequency axis. And how --iq-correct is read.
 *
 * In this order: DC interpolation (around the receiver's own centre), sample numbers of a
 * zoom's input, the cut to --span, then --ppm and --transverter on the axis. One thread.
 */
#ifndef WEIR_APP_CORRECTIONS_H
#define WEIR_APP_CORRECTIONS_H

#include "app/settings.h"
#include "app/zoom_stage.h"
#include "base/status.h"
#include "display/sink.h"
#include "dsp/iq_tracker.h"

#include <stdbool.h>

typedef struct weir_corrections {
    weir_axis_correction axis;
    bool interpolates_dc;
    bool halves_zero; /* a zoom of real input: its bin at 0 Hz, once as without a zoom */
    double main_lobe_bins;
    weir_zoom_stage *zoom; /* borrowed; NULL: none                              */
    double span_hz;        /* around the zoom's centre, of the bins kept; 0: all */
    float *copies;         /* of traces, where one of the two is so             */
    size_t n_bins;
} weir_corrections;

/* The frequency options alone: enough for weir_true_hz and weir_device_hz. */
void weir_corrections_init_axis(weir_corrections *corrections, const weir_settings *settings);
/* The rest: how (weir_dc), a window as it is named, n_fft points, bins of the engine. */
weir_status weir_corrections_init_dc(weir_corrections *corrections, int dc, const char *window,
                                     size_t n_fft, size_t n_bins, weir_error *err);
/* *out borrows from in and from the corrections until the next call, and says which of its bins
 * are interpolated. in may be without powers: then it is of the axis alone. */
void weir_corrections_apply(weir_corrections *corrections, const weir_spectrum *in,
                            weir_spectrum *out);
void weir_corrections_free(weir_corrections *corrections);

/* How --iq-correct wants it. */
typedef struct weir_iq_wish {
    enum { WEIR_IQ_FIXED, WEIR_IQ_AUTO, WEIR_IQ_TRACK } kind;
    weir_iq_correction fixed; /* of WEIR_IQ_FIXED                            */
    double seconds;           /* of WEIR_IQ_TRACK: time constant             */
} weir_iq_wish;

/* "auto", "track", "track:TIME" or "DB:DEGREES". */
weir_status weir_iq_wish_parse(const char *text, weir_iq_wish *wish, weir_error *err);

#endif
