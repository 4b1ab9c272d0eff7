#include "dsp/correct.h"

#include "dsp/band.h"

#include <math.h>

enum {
    SIDE_BINS = 4,
    BLOCK = 512,
    FEWEST_SAMPLES = 100,
};

/* ---- DC ---- */

weir_bin_range weir_dc_bins(const weir_spectrum *spectrum, double main_lobe_bins)
{
    bool is_real = weir_spectrum_is_real(spectrum);
    double at = is_real ? 0 : round((spectrum->center_hz - spectrum->start_hz) / spectrum->bin_hz);
    double half = fmax(ceil(main_lobe_bins - 0.01) - 1, 0), last = (double)spectrum->n_bins - 1;
    if (at + half < 0 || at - half > last) {
        return (weir_bin_range){0, 0};
    }
    size_t first = (size_t)fmax(at - half, 0);
    return (weir_bin_range){first, (size_t)fmin(at + half, last) - first + 1};
}

/* Mean power of the bins next to the range; 0 if there are none. */
static double side_mean(const weir_spectrum *s, const float *power, weir_bin_range range,
                        bool above)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < SIDE_BINS; i++) {
        size_t k = above ? range.first + range.count + i : range.first - 1 - i;
        if (k >= s->n_bins) { /* also past 0, where it wraps */
            break;
        }
        sum += (double)power[k];
        n++;
    }
    return n ? sum / (double)n : 0;
}

weir_bin_range weir_interpolate_dc(const weir_spectrum *spectrum, double main_lobe_bins,
                                   float *power)
{
    weir_bin_range range = weir_dc_bins(spectrum, main_lobe_bins);
    double below = side_mean(spectrum, power, range, false);
    double above = side_mean(spectrum, power, range, true);
    if (weir_spectrum_is_real(spectrum) || below <= 0) {
        below = above;
    }
    above = above > 0 ? above : below;
    for (size_t i = 0; i < range.count; i++) {
        double part = ((double)i + 1) / ((double)range.count + 1);
        double value = below > 0 ? below * pow(above / below, part) : 0;
        power[range.first + i] = (float)value;
    }
    if (weir_spectrum_is_real(spectrum) && range.count > 0 && range.first == 0) {
        power[0] /= 2; /* as the bin at 0 is not doubled */
    }
    return range;
}

/* Some run's end is above low_hz, and the first such run begins below high_hz. */
bool weir_made_up_between(const weir_made_up *made_up, double low_hz, double high_hz)
{
    double run = made_up->step_hz > 0 ? ceil((low_hz - made_up->high_hz) / made_up->step_hz) : 0;
    run = fmax(run, 0);
    return run < (double)made_up->n_runs && made_up->low_hz + run * made_up->step_hz <= high_hz &&
           made_up->high_hz + run * made_up->step_hz >= low_hz;
}

bool weir_made_up_at(const weir_made_up *made_up, double hz, double bin_hz)
{
    const double half = 0.499; /* what lies right between two is taken as measured */
    return weir_made_up_between(made_up, hz - half * bin_hz, hz + half * bin_hz);
}

static bool is_near(double a, double b)
{
    const double rounding = 1e-12;
    return fabs(a - b) <= rounding * fmax(fabs(a), fabs(b));
}

bool weir_made_up_same(const weir_made_up *a, const weir_made_up *b)
{
    return a->n_runs == b->n_runs &&
           (a->n_runs == 0 || (is_near(a->low_hz, b->low_hz) && is_near(a->high_hz, b->high_hz) &&
                               is_near(a->step_hz, b->step_hz)));
}

/* ---- IQ imbalance ---- */

static weir_iq_stats block_sums(const double *x, size_t n)
{
    weir_iq_stats block = {.weight = (double)n};
    for (size_t i = 0; i < n; i++) {
        block.sum_i += x[2 * i];
        block.sum_q += x[2 * i + 1];
        block.sum_ii += x[2 * i] * x[2 * i];
        block.sum_qq += x[2 * i + 1] * x[2 * i + 1];
        block.sum_iq += x[2 * i] * x[2 * i + 1];
    }
    return block;
}

void weir_iq_stats_add(weir_iq_stats *stats, const weir_sample_format *format, unsigned channel,
                       const void *raw, size_t n_samples)
{
    double x[2 * BLOCK];
    const unsigned char *at = raw;
    while (n_samples > 0) {
        size_t n = n_samples < BLOCK ? n_samples : BLOCK;
        weir_format_unpack_f64(format, channel, at, n, x);
        weir_iq_stats block = block_sums(x, n);
        stats->weight += block.weight;
        stats->sum_i += block.sum_i;
        stats->sum_q += block.sum_q;
        stats->sum_ii += block.sum_ii;
        stats->sum_qq += block.sum_qq;
        stats->sum_iq += block.sum_iq;
        at += n * weir_format_stride_bytes(format);
        n_samples -= n;
    }
}

void weir_iq_stats_forget(weir_iq_stats *stats, double factor)
{
    stats->weight *= factor;
    stats->sum_i *= factor;
    stats->sum_q *= factor;
    stats->sum_ii *= factor;
    stats->sum_qq *= factor;
    stats->sum_iq *= factor;
}

bool weir_iq_estimate(const weir_iq_stats *stats, weir_iq_correction *correction)
{
    *correction =
        (weir_iq_correction){.gain = 1, .image_rejection_db = 300, .matrix = {{1, 0}, {0, 1}}};
    if (stats->weight < FEWEST_SAMPLES) {
        return false;
    }
    double n = stats->weight, dc_i = stats->sum_i / n, dc_q = stats->sum_q / n;
    double ii = stats->sum_ii / n - dc_i * dc_i, qq = stats->sum_qq / n - dc_q * dc_q;
    double iq = stats->sum_iq / n - dc_i * dc_q;
    double determinant = ii * qq - iq * iq;
    if (!(ii > 0 && qq > 0 && determinant > 1e-9 * ii * qq)) {
        return false;
    }
    double gain = sqrt(qq / ii), sine = iq / sqrt(ii * qq), cosine = sqrt(1 - sine * sine);
    double image = 1 - 2 * gain * cosine + gain * gain;
    double wanted = 1 + 2 * gain * cosine + gain * gain;
    correction->gain = gain;
    correction->phase_rad = asin(sine);
    correction->dc_i = dc_i;
    correction->dc_q = dc_q;
    correction->image_rejection_db = image > 0 ? fmin(10 * log10(wanted / image), 300) : 300;
    correction->matrix[1][0] = -sine / cosine;
    correction->matrix[1][1] = 1 / (gain * cosine);
    return true;
}

void weir_iq_apply(const weir_iq_correction *correction, float *samples, size_t n_samples)
{
    float m00 = (float)correction->matrix[0][0], m01 = (float)correction->matrix[0][1];
    float m10 = (float)correction->matrix[1][0], m11 = (float)correction->matrix[1][1];
    float dc_i = (float)correction->dc_i, dc_q = (float)correction->dc_q;
    for (size_t k = 0; k < n_samples; k++) {
        float i = samples[2 * k] - dc_i, q = samples[2 * k + 1] - dc_q;
        samples[2 * k] = m00 * i + m01 * q;
        samples[2 * k + 1] = m10 * i + m11 * q;
    }
}

/* ---- frequency ---- */

double weir_true_hz(const weir_axis_correction *correction, double device_hz)
{
    return device_hz + device_hz * (correction->ppm * 1e-6) + correction->offset_hz;
}

double weir_device_hz(const weir_axis_correction *correction, double true_hz)
{
    return (true_hz - correction->offset_hz) / (1 + correction->ppm * 1e-6);
}

void weir_correct_axis(const weir_axis_correction *correction, weir_spectrum *spectrum)
{
    double factor = 1 + correction->ppm * 1e-6;
    spectrum->start_hz = weir_true_hz(correction, spectrum->start_hz);
    spectrum->center_hz = weir_true_hz(correction, spectrum->center_hz);
    spectrum->made_up.low_hz = weir_true_hz(correction, spectrum->made_up.low_hz);
    spectrum->made_up.high_hz = weir_true_hz(correction, spectrum->made_up.high_hz);
    spectrum->made_up.step_hz *= factor;
    spectrum->bin_hz *= factor;
    spectrum->rate_hz *= factor;
}
