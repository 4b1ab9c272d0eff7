#include "dsp/levels.h"

#include "dsp/scale.h"

#include <math.h>

enum { BLOCK = 512 };

void weir_level_sums_init(weir_level_sums *sums, const weir_sample_format *format, unsigned channel)
{
    *sums = (weir_level_sums){
        .format = *format, .channel = channel, .lowest = INFINITY, .highest = -INFINITY};
}

/* Summed by blocks, so that the sums keep their digits over hours. */
static void add_block(weir_level_sums *sums, const double *x, size_t n)
{
    double sum[2] = {0, 0}, squares = 0;
    size_t components = sums->format.is_complex ? 2 : 1;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t c = 0; c < components; c++) {
            double value = x[i * components + c];
            sum[c] += value;
            square += value * value;
            sums->lowest = fmin(sums->lowest, value);
            sums->highest = fmax(sums->highest, value);
        }
        squares += square;
        sums->peak_square = fmax(sums->peak_square, square);
    }
    sums->sum_i += sum[0];
    sums->sum_q += sum[1];
    sums->sum_squares += squares;
    sums->n_samples += n;
}

void weir_level_sums_add(weir_level_sums *sums, const void *raw, size_t n_samples)
{
    double block[2 * BLOCK];
    size_t stride = weir_format_stride_bytes(&sums->format);
    const unsigned char *at = raw;
    while (n_samples > 0) {
        size_t n = n_samples < BLOCK ? n_samples : BLOCK;
        weir_format_unpack_f64(&sums->format, sums->channel, at, n, block);
        add_block(sums, block, n);
        at += n * stride;
        n_samples -= n;
    }
}

void weir_level_sums_join(weir_level_sums *sums, const weir_level_sums *more)
{
    sums->n_samples += more->n_samples;
    sums->sum_i += more->sum_i;
    sums->sum_q += more->sum_q;
    sums->sum_squares += more->sum_squares;
    sums->lowest = fmin(sums->lowest, more->lowest);
    sums->highest = fmax(sums->highest, more->highest);
    sums->peak_square = fmax(sums->peak_square, more->peak_square);
}

static double power_db(double power)
{
    return power > 0 ? fmax(10 * log10(power), (double)WEIR_FLOOR_DB) : (double)WEIR_FLOOR_DB;
}

weir_levels weir_level_sums_read(const weir_level_sums *sums)
{
    if (sums->n_samples == 0) {
        return (weir_levels){.dc_i_fs = NAN,
                             .dc_q_fs = NAN,
                             .rms_fs = NAN,
                             .rms_dbfs = NAN,
                             .rms_ac_fs = NAN,
                             .rms_ac_dbfs = NAN,
                             .peak_fs = NAN,
                             .peak_dbfs = NAN,
                             .lowest_fs = NAN,
                             .highest_fs = NAN,
                             .crest_factor_db = NAN};
    }
    double n = (double)sums->n_samples, full_scale = sums->format.is_complex ? 1 : 0.5;
    double dc_i = sums->sum_i / n, dc_q = sums->sum_q / n, square = sums->sum_squares / n;
    double ac = fmax(square - dc_i * dc_i - dc_q * dc_q, 0);
    return (weir_levels){.n_samples = sums->n_samples,
                         .dc_i_fs = dc_i,
                         .dc_q_fs = dc_q,
                         .rms_fs = sqrt(square),
                         .rms_dbfs = power_db(square / full_scale),
                         .rms_ac_fs = sqrt(ac),
                         .rms_ac_dbfs = power_db(ac / full_scale),
                         .peak_fs = sqrt(sums->peak_square),
                         .peak_dbfs = power_db(sums->peak_square),
                         .lowest_fs = sums->lowest,
                         .highest_fs = sums->highest,
                         .crest_factor_db =
                             square > 0 ? power_db(sums->peak_square / square) : NAN};
}
