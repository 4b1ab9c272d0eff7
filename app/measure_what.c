#include "app/measure_what.h"

#include <math.h>

#define DEFAULT_PEAKS 10

void weir_measure_levels(weir_report *report, const weir_measure_input *in)
{
    static const char section[] = "Level of the samples";
    const weir_levels *levels = &in->levels;
    double offset = in->stream->scale.offset_db;
    const char *unit = in->stream->scale.unit;
    weir_report_add(report, section, "n_samples", "samples", (double)levels->n_samples, "", 0);
    weir_report_add(report, section, "rms_db", "RMS", levels->rms_dbfs + offset, unit, 2);
    weir_report_add(report, section, "rms_ac_db", "RMS without DC", levels->rms_ac_dbfs + offset,
                    unit, 2);
    weir_report_add(report, section, "peak_dbfs", "peak sample", levels->peak_dbfs,
                    "dB of full scale", 2);
    weir_report_add(report, section, "crest_factor_db", "crest factor", levels->crest_factor_db,
                    "dB", 2);
    weir_report_add(report, section, "dc_fs", "DC", levels->dc_i_fs, "of full scale", 6);
    if (in->levels.n_samples && report->is_audio == false) {
        weir_report_add(report, section, "dc_q_fs", "DC of Q", levels->dc_q_fs, "of full scale", 6);
    }
}

void weir_measure_peaks(weir_report *report, const weir_measure_input *in)
{
    const weir_settings *s = in->settings;
    weir_peak_search search;
    weir_peak_search_init(&search);
    search.lobe = in->lobe;
    search.low_hz = s->range_hz.low;
    search.high_hz = s->range_hz.high;
    search.min_prominence_db = s->prominence_db;
    search.min_spacing_hz = s->spacing_hz;
    size_t n = s->n_peaks ? (size_t)s->n_peaks : DEFAULT_PEAKS;
    n = n < WEIR_REPORT_PEAKS ? n : WEIR_REPORT_PEAKS;
    report->n_peaks_asked = n;
    report->n_peaks = weir_peaks_find(in->spectrum, WEIR_TRACE_MEAN, &in->stream->scale, &search, n,
                                      report->peaks);
}
