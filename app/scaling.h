/* From the options about levels (--density, --offset, --unit, --full-scale, --weighting,
 * --calibration) to a scale. Main thread only. */
#ifndef WEIR_APP_SCALING_H
#define WEIR_APP_SCALING_H

#include "app/settings.h"
#include "base/status.h"
#include "dsp/scale.h"

/* Loads the calibration into *curve, which the scale borrows and the caller frees (it is
 * empty without one). */
weir_status weir_scaling_init(weir_scale *scale, weir_curve *curve, const weir_settings *settings,
                              weir_error *err);

#endif
