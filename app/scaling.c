#include "app/scaling.h"

#include "capture/source.h"
#include "dsp/curve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_DB 10000 /* beyond any unit, and no float overflows */

/* A full-scale sine of V volts at its peak has V^2 / 2; at R ohms V^2 / 2 R watts. */
static weir_status scale_by_volts(const weir_settings *s, weir_scale *scale, weir_error *err)
{
    if (s->full_scale_volts == 0 && s->ohms == 0) {
        return WEIR_OK;
    }
    if (!(s->full_scale_volts > 0) || s->ohms < 0) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--ohms needs --full-scale VOLTS, and both are above 0");
    }
    double per = s->ohms > 0 ? s->ohms * 1e-3 : 1;
    scale->offset_db += 10 * log10(s->full_scale_volts * s->full_scale_volts / 2 / per);
    snprintf(scale->unit, sizeof scale->unit, "%s", s->ohms > 0 ? "dBm" : "dBV");
    return WEIR_OK;
}

weir_status weir_scaling_init(weir_scale *scale, weir_curve *curve, const weir_settings *s,
                              weir_error *err)
{
    weir_scale_init(scale);
    scale->quantity = s->density || s->per_root_hz ? WEIR_DENSITY : WEIR_SPECTRUM;
    scale->is_per_root_hz = s->per_root_hz;
    scale->offset_db = s->offset_db;
    scale->weighting = (weir_weighting)s->weighting;
    if (scale_by_volts(s, scale, err) != WEIR_OK) {
        return err->status;
    }
    if (!(fabs(scale->offset_db) <= MOST_DB)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--offset, --full-scale, --ohms: %g dB are added to all levels; at most "
                         "%d are possible",
                         scale->offset_db, MOST_DB);
    }
    if (s->unit && s->unit[0]) { /* in a configuration file "" is what is not given */
        if (strlen(s->unit) >= sizeof scale->unit) {
            return weir_fail(err, WEIR_ERR_USAGE, "--unit \"%.32s\" is longer than %zu characters",
                             s->unit, sizeof scale->unit - 1);
        }
        weir_printable(scale->unit, sizeof scale->unit, s->unit);
    }
    if (s->calibration) {
        scale->curve = curve;
        return weir_curve_load(s->calibration, WEIR_CURVE_AUTO, curve, NULL, err);
    }
    return WEIR_OK;
}
