#include "capture/rtl_rates.h"

#include "base/log.h"

#include <math.h>
#include <stdint.h>

#define CRYSTAL_HZ 28.8e6
#define MOST_PPM 1000

weir_status weir_rtl_check_rate(const char *source, double rate_hz, weir_error *err)
{
    if ((rate_hz > 225000 && rate_hz <= 300000) || (rate_hz > 900000 && rate_hz <= 3200000)) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_USAGE,
                     "%s: %.0f samples a second are not possible; 225001 to 300000 and 900001 to "
                     "3200000 are (above 2.4M expect losses)",
                     source, rate_hz);
}

weir_status weir_rtl_check_center(const char *source, double center_hz, weir_error *err)
{
    if (center_hz >= 0 && center_hz <= UINT32_MAX) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_USAGE, "%s: a centre of %.0f Hz: 0 to 4294967295 are possible",
                     source, center_hz);
}

weir_status weir_rtl_check_ppm(const char *source, double *ppm, weir_error *err)
{
    double rounded = round(*ppm);
    if (!(fabs(rounded) <= MOST_PPM)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "%s: a frequency correction of %g parts per million: -%d to %d are "
                         "possible",
                         source, *ppm, MOST_PPM, MOST_PPM);
    }
    if (rounded != *ppm) {
        weir_log(WEIR_LOG_NOTICE,
                 "%s: it corrects by whole parts per million: %.0f, not %g (--ppm takes any)",
                 source, rounded, *ppm);
    }
    *ppm = rounded;
    return WEIR_OK;
}

weir_status weir_rtl_check_bandwidth(const char *source, double bandwidth_hz, weir_error *err)
{
    if (bandwidth_hz >= 0 && bandwidth_hz <= UINT32_MAX) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_USAGE,
                     "%s: a bandwidth of %.0f Hz: 0 to 4294967295 are possible", source,
                     bandwidth_hz);
}

double weir_rtl_real_rate(double rate_hz)
{
    /* The ratio is a 28-bit number whose two lowest bits are not there, and whose top bit
     * is doubled. */
    uint32_t ratio = (uint32_t)(CRYSTAL_HZ * 0x1p22 / rate_hz) & 0x0ffffffc;
    uint32_t real = ratio | ((ratio & 0x08000000) << 1);
    return CRYSTAL_HZ * 0x1p22 / real;
}
