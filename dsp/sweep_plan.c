#include "dsp/sweep_plan.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_FFT 16
#define MOST_FFT ((size_t)1 << 27)

/* rtl_power's constants. */
#define RTL_MAXIMUM_RATE 2800000
#define RTL_MINIMUM_RATE 1000000
#define RTL_MOST_TUNES 3000
#define RTL_BUFFER_SAMPLES 8192 /* whose mean it takes off giant bins */

weir_status weir_sweep_range_parse(const char *text, weir_sweep_range *range, weir_error *err)
{
    char copy[128], *parts[4];
    size_t n = 0;
    double values[3] = {0, 0, 0};
    if (strlen(text) >= sizeof copy) {
        return weir_fail(err, WEIR_ERR_USAGE, "a range is LO:HI or LO:HI:BIN: 88M:108M:10k");
    }
    strcpy(copy, text);
    for (char *rest = copy; rest && n < 4; n++) {
        parts[n] = strsep(&rest, ":");
    }
    if (n < 2 || n > 3) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "\"%.64s\": a range is LO:HI or LO:HI:BIN: 88M:108M:10k", text);
    }
    for (size_t i = 0; i < n; i++) {
        weir_status status = weir_parse_hz(parts[i], &values[i], err);
        if (status != WEIR_OK) {
            return status;
        }
    }
    if (!(values[1] > values[0])) {
        return weir_fail(err, WEIR_ERR_USAGE, "\"%.64s\": it ends where it begins, or before",
                         text);
    }
    if (n == 3 && !(values[2] > 0)) {
        return weir_fail(err, WEIR_ERR_USAGE, "\"%.64s\": bins must be wider than 0 Hz", text);
    }
    *range = (weir_sweep_range){values[0], values[1], values[2]};
    return WEIR_OK;
}

size_t weir_sweep_fft_size(double rate_hz, double bin_hz)
{
    double n = 2 * ceil(rate_hz / bin_hz / 2 - 1e-9);
    return n < LEAST_FFT ? LEAST_FFT : n > (double)MOST_FFT ? MOST_FFT : (size_t)n;
}

/* Bins above the centre that its spike can reach: 1/64 of the band, but never less than a
 * window's main lobe with its first side lobes, as far as a short transform has room. */
static size_t guard_bins(size_t n_fft)
{
    size_t lobe = n_fft / 8 < 16 ? n_fft / 8 : 16;
    return n_fft / 64 > lobe ? n_fft / 64 : lobe;
}

weir_status weir_sweep_plan_make(weir_sweep_plan *plan, const weir_sweep_range *range,
                                 double rate_hz, size_t n_fft, double crop, bool offset,
                                 weir_error *err)
{
    double bin_hz = rate_hz / (double)n_fft;
    double bins = floor((range->high_hz - range->low_hz) / bin_hz + 1e-6) + 1;
    size_t half = (size_t)floor((double)n_fft * (1 - crop) / 2); /* used on either side */
    size_t guard = offset ? guard_bins(n_fft) : 0;
    if (n_fft < LEAST_FFT || n_fft % 2 != 0) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "a sweep needs a transform of an even number of samples, %d or more, "
                         "not %zu",
                         LEAST_FFT, n_fft);
    }
    if (!(bins <= (double)WEIR_SWEEP_MAX_BINS)) {
        return weir_fail(err, WEIR_ERR_USAGE, "%.6g bins are more than %zu: make them wider", bins,
                         WEIR_SWEEP_MAX_BINS);
    }
    if (half <= guard) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "cropping %.0f %% of the band leaves nothing of a transform of %zu",
                         100 * crop, n_fft);
    }
    *plan = (weir_sweep_plan){
        .rate_hz = rate_hz,
        .n_fft = n_fft,
        .bin_hz = bin_hz,
        .start_hz = range->low_hz,
        .n_bins = (size_t)bins,
        .hop_bins = offset ? half - guard : 2 * half,
        .first_bin = offset ? n_fft / 2 + guard : n_fft / 2 - half,
    };
    plan->n_hops = (plan->n_bins + plan->hop_bins - 1) / plan->hop_bins;
    return WEIR_OK;
}

static weir_status check_tunes(int tunes, weir_error *err)
{
    return tunes > RTL_MOST_TUNES ? weir_fail(err, WEIR_ERR_USAGE, "%d tunings are more than %d",
                                              tunes, RTL_MOST_TUNES)
                                  : WEIR_OK;
}

/* What of the range is narrower than a bin is left out, as there. */
static weir_status plan_giant_bins(weir_sweep_plan *plan, int low, int span, double bin_hz,
                                   weir_error *err)
{
    if (bin_hz > RTL_MAXIMUM_RATE) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "rtl_power's bins are 2.8 MHz wide at most, not %.6g Hz", bin_hz);
    }
    int width = (int)bin_hz, tunes = span / width;
    if (tunes == 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "bins of %d Hz are wider than the range", width);
    }
    *plan = (weir_sweep_plan){
        .rate_hz = width,
        .n_fft = RTL_BUFFER_SAMPLES,
        .bin_hz = width,
        .start_hz = low + width / 2,
        .n_bins = (size_t)tunes,
        .n_hops = (size_t)tunes,
        .hop_bins = 1,
        .first_bin = RTL_BUFFER_SAMPLES / 2,
        .joins = true,
    };
    return check_tunes(tunes, err);
}

weir_status weir_sweep_plan_rtl_power(weir_sweep_plan *plan, const weir_sweep_range *range,
                                      weir_error *err)
{
    int low = (int)range->low_hz, span = (int)(range->high_hz - range->low_hz);
    if (range->high_hz > 2147483647.0 || range->low_hz < 0 || span < 1) {
        return weir_fail(err, WEIR_ERR_USAGE, "rtl_power's plan ends at 2147483647 Hz; say --rate");
    }
    if (!(range->bin_hz > 0)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "rtl_power's plan needs the width of its bins (88M:108M:125k)");
    }
    if (range->bin_hz >= RTL_MINIMUM_RATE) {
        return plan_giant_bins(plan, low, span, range->bin_hz, err);
    }
    int tunes = 1;
    while (span / tunes > RTL_MAXIMUM_RATE) {
        tunes++;
    }
    if (check_tunes(tunes, err) != WEIR_OK) {
        return WEIR_ERR_USAGE;
    }
    int seen = span / tunes, rate = seen;
    int finer = 1; /* a narrow range: a higher rate, of which the middle is used */
    if (rate < RTL_MINIMUM_RATE) {
        finer = RTL_MAXIMUM_RATE / rate;
        rate *= finer;
    }
    size_t bins = 2;
    while ((double)seen / (double)bins > range->bin_hz && bins < (size_t)1 << 21) {
        bins *= 2;
    }
    size_t n_fft = bins * (size_t)finer;
    *plan = (weir_sweep_plan){
        .rate_hz = rate,
        .n_fft = n_fft,
        .bin_hz = (double)rate / (double)n_fft,
        .start_hz = low,
        .n_bins = bins * (size_t)tunes,
        .n_hops = (size_t)tunes,
        .hop_bins = bins,
        .first_bin = (n_fft - bins) / 2,
    };
    return WEIR_OK;
}

double weir_sweep_center_hz(const weir_sweep_plan *plan, size_t hop)
{
    double bin = (double)(hop * plan->hop_bins) + (double)(plan->n_fft / 2);
    return plan->start_hz + (bin - (double)plan->first_bin) * plan->bin_hz;
}

size_t weir_sweep_hop_bins(const weir_sweep_plan *plan, size_t hop)
{
    size_t left = plan->n_bins - hop * plan->hop_bins;
    return left < plan->hop_bins ? left : plan->hop_bins;
}
