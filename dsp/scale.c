#include "dsp/scale.h"

#include "dsp/curve.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void weir_scale_init(weir_scale *scale)
{
    *scale = (weir_scale){.quantity = WEIR_SPECTRUM, .unit = "dBFS", .weighting = WEIR_WEIGHT_Z};
}

char *weir_scale_unit(const weir_scale *scale, char *buffer, size_t size)
{
    static const char *const weighted[] = {
        [WEIR_WEIGHT_Z] = "", [WEIR_WEIGHT_A] = "(A)", [WEIR_WEIGHT_C] = "(C)"};
    snprintf(buffer, size, "%s%s%s", scale->unit, weighted[scale->weighting],
             scale->quantity != WEIR_DENSITY ? ""
             : scale->is_per_root_hz         ? "/rtHz"
                                             : "/Hz");
    return buffer;
}

/* 10 log10 of a positive normal number without a call, so that a loop of it becomes
 * vector code. log2 m = 2/ln 2 artanh s, s = (m-1)/(m+1), |s| < 0.172: five terms leave
 * an error below the last bit of a float. */
static inline float ten_log10(float power)
{
    uint32_t bits;
    memcpy(&bits, &power, sizeof bits);
    int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23; /* of m in [1/sqrt 2, sqrt 2) */
    bits -= (uint32_t)exponent << 23;
    float m;
    memcpy(&m, &bits, sizeof m);
    float s = (m - 1.0f) / (m + 1.0f), q = s * s;
    float artanh = s + s * q * (1 / 3.0f + q * (1 / 5.0f + q * (1 / 7.0f + q * (1 / 9.0f))));
    return 3.01029995664f * (float)exponent + 8.68588963807f * artanh;
}

static inline float level_db(float power, float constant_db)
{
    float db = ten_log10(power) + constant_db;
    db = db > WEIR_FLOOR_DB ? db : WEIR_FLOOR_DB;
    return power >= FLT_MIN ? db : WEIR_FLOOR_DB; /* also for NaN */
}

/* What is the same for all bins. */
static float constant_db(const weir_scale *scale, const weir_spectrum *spectrum)
{
    double db = (scale ? scale->offset_db : 0) - 10 * log10(spectrum->full_scale_power);
    if (scale && scale->quantity == WEIR_DENSITY) {
        db -= 10 * log10(spectrum->enbw_bins * spectrum->bin_hz);
    }
    return (float)db;
}

/* What depends on frequency, added to a level that is not the floor already. */
static float corrected_db(const weir_scale *scale, double hz, float db)
{
    if (db <= WEIR_FLOOR_DB) {
        return WEIR_FLOOR_DB;
    }
    double correction = weir_weighting_db(scale->weighting, hz);
    if (scale->curve) {
        correction += weir_curve_db(scale->curve, hz);
    }
    return fmaxf((float)((double)db + correction), WEIR_FLOOR_DB);
}

static int depends_on_frequency(const weir_scale *scale)
{
    return scale && (scale->weighting != WEIR_WEIGHT_Z || scale->curve);
}

float weir_scale_level_at_db(const weir_scale *scale, const weir_spectrum *spectrum, double hz,
                             float power)
{
    float db = level_db(power, constant_db(scale, spectrum));
    return depends_on_frequency(scale) ? corrected_db(scale, hz, db) : db;
}

float weir_scale_level_db(const weir_scale *scale, const weir_spectrum *spectrum, size_t bin,
                          float power)
{
    double hz = spectrum->start_hz + (double)bin * spectrum->bin_hz;
    return weir_scale_level_at_db(scale, spectrum, hz, power);
}

void weir_scale_trace_db(const weir_scale *scale, const weir_spectrum *spectrum, weir_trace trace,
                         float *out_db)
{
    const float *restrict power = spectrum->power[trace];
    float *restrict out = out_db;
    float constant = constant_db(scale, spectrum);
    for (size_t i = 0; i < spectrum->n_bins; i++) {
        out[i] = level_db(power[i], constant);
    }
    if (!depends_on_frequency(scale)) {
        return;
    }
    for (size_t i = 0; i < spectrum->n_bins; i++) {
        out[i] = corrected_db(scale, spectrum->start_hz + (double)i * spectrum->bin_hz, out[i]);
    }
}

/* Squared magnitude of IEC 61672-1 annex E: double zeros at 0, poles at f1 and f4
 * (double), for A also at f2 and f3. */
static double weighting_power(weir_weighting weighting, double hz)
{
    static const double f1 = 20.598997, f2 = 107.65265, f3 = 737.86223, f4 = 12194.217;
    double f = hz * hz;
    double c = f / (f + f1 * f1) * (f4 * f4 / (f + f4 * f4));
    if (weighting == WEIR_WEIGHT_A) {
        return c * c * (f / (f + f2 * f2)) * (f / (f + f3 * f3));
    }
    return c * c;
}

double weir_weighting_db(weir_weighting weighting, double hz)
{
    if (weighting == WEIR_WEIGHT_Z) {
        return 0;
    }
    double power = weighting_power(weighting, hz) / weighting_power(weighting, 1000);
    return power > 0 ? fmax(10 * log10(power), (double)WEIR_FLOOR_DB) : (double)WEIR_FLOOR_DB;
}

double weir_scale_correction(const weir_scale *scale, double hz)
{
    if (!depends_on_frequency(scale)) {
        return 1;
    }
    double power = 1;
    if (scale->weighting != WEIR_WEIGHT_Z) {
        power = weighting_power(scale->weighting, hz) / weighting_power(scale->weighting, 1000);
    }
    return scale->curve ? power * pow(10, weir_curve_db(scale->curve, hz) / 10) : power;
}
