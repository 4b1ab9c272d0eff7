#include "capture/rtl_options.h"

#include "capture/device_options.h"
#include "capture/rtl_rates.h"

#include <math.h>

const char *const weir_rtl_device_keys[] = {
    "gain",          "agc",       "ppm",     "bandwidth",
    "bias-tee",      "settle",    "on-loss", "direct-sampling",
    "offset-tuning", "test-mode", NULL};
static const char *const branches[] = {"off", "I", "Q", NULL};

weir_status weir_rtl_read_options(weir_rtl_settings *settings, const weir_source_options *o,
                                  const char *source, double settle_seconds, weir_error *err)
{
    weir_rtl_settings *s = settings;
    weir_error own = {0};
    err = err ? err : &own;
    *s = (weir_rtl_settings){
        .gain_db = NAN,
        .now = {.rate_hz = o->rate_hz > 0 ? o->rate_hz : WEIR_RTL_DEFAULT_RATE_HZ,
                .center_hz = isnan(o->center_hz) ? WEIR_RTL_DEFAULT_CENTER_HZ : o->center_hz,
                .settle_seconds = settle_seconds},
    };
    /* The first that is wrong is the one that is said. */
    bool good = weir_devopt_check_keys(o, source, weir_rtl_device_keys, err) == WEIR_OK &&
                weir_devopt_gain(o, source, "gain", &s->gain_db, err) == WEIR_OK &&
                weir_devopt_flag(o, source, "agc", &s->agc, err) == WEIR_OK &&
                weir_devopt_number(o, source, "ppm", &s->ppm, err) == WEIR_OK &&
                weir_devopt_hz(o, source, "bandwidth", &s->bandwidth_hz, err) == WEIR_OK &&
                weir_devopt_flag(o, source, "bias-tee", &s->bias_tee, err) == WEIR_OK &&
                weir_devopt_settle(o, source, &s->now.settle_seconds, err) == WEIR_OK &&
                weir_devopt_choice(o, source, "direct-sampling", branches, &s->direct_sampling,
                                   err) == WEIR_OK &&
                weir_devopt_flag(o, source, "offset-tuning", &s->offset_tuning, err) == WEIR_OK &&
                weir_devopt_flag(o, source, "test-mode", &s->test_mode, err) == WEIR_OK &&
                weir_devopt_retries(o, source, &s->retries, err) == WEIR_OK &&
                weir_rtl_check_ppm(source, &s->ppm, err) == WEIR_OK &&
                weir_rtl_check_bandwidth(source, s->bandwidth_hz, err) == WEIR_OK &&
                weir_rtl_check_center(source, s->now.center_hz, err) == WEIR_OK;
    return good ? WEIR_OK : err->status;
}
