/* Radio: channel and adjacent power, occupied bandwidth, noise floor, kurtosis. */
#include "app/measure_what.h"

#include "base/text.h"
#include "dsp/band.h"

#include <math.h>

/* Far from 1 by so many standard errors of Gaussian noise, a bin is flagged: of a million
 * bins of noise, less than a handful. */
#define KURTOSIS_SIGMAS 5.0

/* The channel asked for; else all that there is. *given says which. */
static weir_channel channel_of(const weir_measure_input *in, bool *given)
{
    const weir_settings *s = in->settings;
    double low = weir_spectrum_low_hz(in->spectrum), high = weir_spectrum_high_hz(in->spectrum);
    weir_channel channel = {(low + high) / 2, high - low};
    *given = !isnan(s->channel_band.low) || s->bandwidth_hz > 0;
    if (!isnan(s->channel_band.low)) {
        channel.center_hz = (s->channel_band.low + s->channel_band.high) / 2;
        channel.width_hz = s->channel_band.high - s->channel_band.low;
    } else if (*given) {
        channel.center_hz = in->spectrum->center_hz;
    }
    if (s->bandwidth_hz > 0) {
        channel.width_hz = s->bandwidth_hz;
    }
    return channel;
}

static void add_channel(weir_report *report, const weir_measure_input *in, weir_channel channel)
{
    static const char section[] = "Channel";
    char unit[24];
    weir_channel_power power =
        weir_measure_channel(in->spectrum, WEIR_TRACE_MEAN, &in->stream->scale, channel);
    weir_snprintf(unit, sizeof unit, "%s/Hz", report->unit);
    bool is_received = power.covered > 0;
    weir_report_add(report, section, "channel_low_hz", "from",
                    channel.center_hz - channel.width_hz / 2, "Hz", 3);
    weir_report_add(report, section, "channel_high_hz", "to",
                    channel.center_hz + channel.width_hz / 2, "Hz", 3);
    weir_report_add(report, section, "channel_power_db", "power",
                    is_received ? power.power_db : NAN, NULL, 2);
    weir_report_add(report, section, "channel_density_db_per_hz", "mean density",
                    is_received ? power.density_db_per_hz : NAN, unit, 2);
    weir_report_add(report, section, "channel_covered_percent", "part of it received",
                    power.covered * 100, "%", 1);
}

static double if_covered(double value, const weir_channel_power *power)
{
    return power->covered > 0.999 ? value : NAN;
}

/* NAN where the channel or its neighbour is not wholly received. */
static void add_adjacent(weir_report *report, const weir_measure_input *in, weir_channel channel,
                         bool given)
{
    static const char section[] = "Adjacent channels";
    double offset = in->settings->adjacent_hz > 0 ? in->settings->adjacent_hz : channel.width_hz;
    weir_adjacent_power adjacent = weir_measure_adjacent(in->spectrum, WEIR_TRACE_MEAN,
                                                         &in->stream->scale, channel, offset, 0);
    if (!given) {
        adjacent.lower.covered = adjacent.upper.covered = 0;
    }
    weir_report_add(report, section, "adjacent_offset_hz", "offset", given ? offset : NAN, "Hz", 3);
    weir_report_add(report, section, "adjacent_lower_db", "lower, power",
                    if_covered(adjacent.lower.power_db, &adjacent.lower), NULL, 2);
    weir_report_add(report, section, "adjacent_lower_dbc", "lower, ratio",
                    if_covered(adjacent.lower_dbc, &adjacent.lower), "dBc", 2);
    weir_report_add(report, section, "adjacent_upper_db", "upper, power",
                    if_covered(adjacent.upper.power_db, &adjacent.upper), NULL, 2);
    weir_report_add(report, section, "adjacent_upper_dbc", "upper, ratio",
                    if_covered(adjacent.upper_dbc, &adjacent.upper), "dBc", 2);
}

static void add_occupied(weir_report *report, const weir_measure_input *in)
{
    static const char section[] = "Occupied bandwidth";
    const weir_settings *s = in->settings;
    weir_occupied_band part =
        weir_measure_occupied(in->spectrum, WEIR_TRACE_MEAN, &in->stream->scale, s->range_hz.low,
                              s->range_hz.high, s->occupied_percent / 100);
    weir_occupied_band x_db =
        weir_measure_x_db_band(in->spectrum, WEIR_TRACE_MEAN, &in->stream->scale, s->range_hz.low,
                               s->range_hz.high, s->x_db);
    weir_report_add(report, section, "occupied_hz", "of the power", part.width_hz, "Hz", 3);
    weir_report_add(report, section, "occupied_percent", "  that is", s->occupied_percent, "%", 2);
    weir_report_add(report, section, "occupied_low_hz", "  from", part.low_hz, "Hz", 3);
    weir_report_add(report, section, "occupied_high_hz", "  to", part.high_hz, "Hz", 3);
    weir_report_add(report, section, "x_db_hz", "between the edges of x dB", x_db.width_hz, "Hz",
                    3);
    weir_report_add(report, section, "x_db", "  that is", s->x_db, "dB", 2);
    weir_report_add(report, section, "x_db_low_hz", "  from", x_db.low_hz, "Hz", 3);
    weir_report_add(report, section, "x_db_high_hz", "  to", x_db.high_hz, "Hz", 3);
}

static void add_noise(weir_report *report, const weir_measure_input *in, weir_channel channel)
{
    static const char section[] = "Noise";
    const weir_settings *s = in->settings;
    const weir_scale *scale = &in->stream->scale;
    char unit[24];
    weir_noise_floor median = {NAN, NAN, NAN, 0}, other = {NAN, NAN, NAN, 0};
    weir_rf_snr snr = {NAN, NAN, NAN};
    weir_snprintf(unit, sizeof unit, "%s/Hz", report->unit);
    if (weir_measure_noise_floor(in->spectrum, WEIR_TRACE_MEAN, scale, s->range_hz.low,
                                 s->range_hz.high, 0.5, in->n_independent, &median,
                                 NULL) == WEIR_OK) {
        snr = weir_measure_rf_snr(in->spectrum, WEIR_TRACE_MEAN, scale, channel, &median);
        if (snr.signal_db <= (double)WEIR_FLOOR_DB) { /* nothing is left above the noise */
            snr.signal_db = snr.snr_db = NAN;
        }
        if (snr.noise_db <= (double)WEIR_FLOOR_DB) { /* none, or the channel is elsewhere */
            snr.noise_db = snr.snr_db = NAN;
        }
    }
    if (weir_measure_noise_floor(in->spectrum, WEIR_TRACE_MEAN, scale, s->range_hz.low,
                                 s->range_hz.high, s->percentile / 100, in->n_independent, &other,
                                 NULL) != WEIR_OK) {
        other.density_db_per_hz = NAN;
    }
    weir_report_add(report, section, "noise_floor_db_per_hz", "floor, median",
                    median.density_db_per_hz, unit, 2);
    weir_report_add(report, section, "noise_floor_db", "  in a bin", median.bin_db, NULL, 2);
    weir_report_add(report, section, "noise_percentile_db_per_hz", "floor, percentile",
                    other.density_db_per_hz, unit, 2);
    weir_report_add(report, section, "noise_percentile", "  that is", s->percentile, "%", 1);
    weir_report_add(report, section, "channel_noise_db", "noise in the channel", snr.noise_db, NULL,
                    2);
    weir_report_add(report, section, "channel_signal_db", "signal in the channel", snr.signal_db,
                    NULL, 2);
    weir_report_add(report, section, "channel_snr_db", "signal to noise", snr.snr_db, "dB", 2);
}

static void add_kurtosis(weir_report *report, const weir_measure_input *in)
{
    static const char section[] = "Spectral kurtosis (interference)";
    double lines = NAN, error = NAN, steady = NAN, bursts = NAN, worst = NAN, worst_hz = NAN;
    if (in->kurtosis && weir_kurtosis_lines(in->kurtosis) >= 2) {
        const float *values = in->kurtosis_values;
        weir_kurtosis_read(in->kurtosis, in->kurtosis_values);
        lines = (double)weir_kurtosis_lines(in->kurtosis);
        error = weir_kurtosis_error(in->kurtosis);
        if (in->settings->kurtosis_bins) {
            report->kurtosis = values;
            report->n_kurtosis = in->spectrum->n_bins;
            report->kurtosis_start_hz = in->spectrum->start_hz;
            report->bin_hz = in->spectrum->bin_hz;
        }
        steady = bursts = 0;
        worst = 1;
        for (size_t k = 0; k < in->spectrum->n_bins; k++) {
            double off = (double)values[k] - 1;
            steady += off < -KURTOSIS_SIGMAS * error;
            bursts += off > KURTOSIS_SIGMAS * error;
            if (fabs(off) > fabs(worst - 1)) {
                worst = (double)values[k];
                worst_hz = in->spectrum->start_hz + (double)k * in->spectrum->bin_hz;
            }
        }
        worst = isnan(worst_hz) ? NAN : worst;
    }
    weir_report_add(report, section, "kurtosis_lines", "transforms", lines, "", 0);
    weir_report_add(report, section, "kurtosis_error", "standard error for noise", error, "", 4);
    weir_report_add(report, section, "kurtosis_steady_bins", "flagged bins, steady (below 1)",
                    steady, "", 0);
    weir_report_add(report, section, "kurtosis_burst_bins", "flagged bins, bursts (above 1)",
                    bursts, "", 0);
    weir_report_add(report, section, "kurtosis_extreme", "farthest from 1", worst, "", 4);
    weir_report_add(report, section, "kurtosis_extreme_hz", "  at", worst_hz, "Hz", 3);
}

void weir_measure_rf(weir_report *report, const weir_measure_input *in)
{
    bool given;
    weir_channel channel = channel_of(in, &given);
    add_channel(report, in, channel);
    add_adjacent(report, in, channel, given);
    add_occupied(report, in);
    add_noise(report, in, channel);
    add_kurtosis(report, in);
}
