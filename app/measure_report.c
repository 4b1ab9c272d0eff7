#include "app/measure_report.h"

#include "base/text.h"
#include "display/peak_list.h"
#include "display/selection.h"
#include "display/text_sink.h"

#include <math.h>
#include <string.h>

#define A4_HZ 440.0
#define KURTOSIS_DECIMALS 4

void weir_report_add(weir_report *report, const char *section, const char *name, const char *label,
                     double value, const char *unit, unsigned decimals)
{
    if (report->n_values == WEIR_REPORT_VALUES) {
        return;
    }
    weir_report_value *v = &report->values[report->n_values++];
    *v = (weir_report_value){section, name, label, "", value, decimals};
    weir_snprintf(v->unit, sizeof v->unit, "%s", unit ? unit : report->unit);
}

static double rbw_hz(const weir_stream_info *stream)
{
    return stream->enbw_bins * stream->rate_hz / (double)stream->n_fft;
}

/* ---- table ---- */

enum { LABEL_COLUMNS = 36 };

static void heading(weir_line *line, const char *text)
{
    weir_line_printf(line, "\n%s\n", text);
}

/* "0.00", not "-0.00". */
static void print_number(char *buffer, size_t size, double value, unsigned decimals)
{
    weir_snprintf(buffer, size, "%.*f", (int)decimals, value);
    if (buffer[0] == '-' && buffer[strspn(buffer, "-0.")] == '\0') {
        memmove(buffer, buffer + 1, strlen(buffer));
    }
}

/* What begins with a blank, or has no label, belongs to the row before. */
static bool is_detail(const weir_report_value *v)
{
    return v->label[0] == ' ' || v->label[0] == '\0';
}

static void table_values(weir_line *line, const weir_report *report)
{
    const char *section = "";
    bool is_known = true; /* what the details are of */
    for (size_t i = 0; i < report->n_values; i++) {
        const weir_report_value *v = &report->values[i];
        is_known = is_detail(v) ? is_known : !isnan(v->value);
        if (!is_known || isnan(v->value)) {
            continue;
        }
        if (strcmp(section, v->section) != 0) {
            section = v->section;
            heading(line, section);
        }
        char number[48];
        print_number(number, sizeof number, v->value, v->decimals);
        weir_line_printf(line, "  %-*s%16s%s%s\n", LABEL_COLUMNS, v->label, number,
                         v->unit[0] ? " " : "", v->unit);
    }
}

static void table_bands(weir_line *line, const weir_report *report)
{
    for (size_t k = 0; k < report->n_bands; k++) {
        const weir_report_bands *set = &report->bands[k];
        bool has_heading = false;
        for (size_t i = 0; i < set->n; i++) {
            if (isnan(set->levels[i].level_db)) {
                continue;
            }
            if (!has_heading) {
                heading(line, set->label);
            }
            has_heading = true;
            weir_line_printf(line, "  %6s Hz %10.2f %s\n", set->bands[i].name,
                             set->levels[i].level_db, report->unit);
        }
    }
}

static void table_peaks(weir_line *line, const weir_report *report)
{
    if (report->n_peaks) {
        heading(line, "Strongest peaks");
    }
    for (size_t i = 0; i < report->n_peaks; i++) {
        const weir_peak *peak = &report->peaks[i];
        char note[32] = "";
        if (report->is_audio) {
            weir_note_name(note, sizeof note, peak->hz, A4_HZ);
        }
        weir_line_printf(line, "  %3zu %18.3f Hz %10.2f %s%s%s\n", i + 1, peak->hz, peak->level_db,
                         report->unit, note[0] ? "  " : "", note);
    }
}

static void table_harmonics(weir_line *line, const weir_report *report)
{
    if (report->n_harmonics) {
        heading(line, "Harmonics");
    }
    for (size_t i = 0; i < report->n_harmonics; i++) {
        const weir_harmonic *h = &report->harmonics[i];
        weir_line_printf(line, "  %3u %18.3f Hz %10.2f %s %10.2f dBc\n", h->order, h->hz,
                         h->level_db, report->unit, h->level_dbc);
    }
}

/* What spoils the figures, or is no part of the signal. */
static void table_faults(weir_line *line, const weir_report *report)
{
    const struct {
        uint64_t n;
        const char *what;
    } faults[] = {{report->lost, "lost"},
                  {report->clipped, "clipped"},
                  {report->nonfinite, "not finite, taken as 0"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (faults[i].n > 0) {
            weir_line_printf(line, "note: %llu sample%s %s\n", (unsigned long long)faults[i].n,
                             faults[i].n == 1 ? "" : "s", faults[i].what);
        }
    }
    if (report->made_up.n_runs > 0) {
        weir_line_printf(line, "note: %.3f Hz to %.3f Hz: interpolated\n", report->made_up.low_hz,
                         report->made_up.high_hz);
    }
}

static void table_write(weir_line *line, const weir_report *report, const weir_stream_info *stream,
                        bool reproducible)
{
    weir_line_printf(line, "%s", report->index ? "\n" : "");
    weir_line_name(line, weir_source_name(stream, reproducible));
    weir_line_printf(line, "\n%.6f s to %.6f s, %llu transform%s of %zu samples, %s, RBW %.4g Hz\n",
                     report->time_s, report->time_s + report->seconds,
                     (unsigned long long)report->n_frames, report->n_frames == 1 ? "" : "s",
                     stream->n_fft, stream->window, rbw_hz(stream));
    if (report->note[0]) {
        weir_line_printf(line, "note: %s\n", report->note);
    }
    table_faults(line, report);
    table_values(line, report);
    table_harmonics(line, report);
    table_bands(line, report);
    table_peaks(line, report);
}

const weir_report_writer weir_report_table = {"table", NULL, table_write};

/* ---- JSON ---- */

static void json_values(weir_json *json, const weir_report *report)
{
    weir_json_open(json, "values", '{');
    for (size_t i = 0; i < report->n_values; i++) {
        weir_json_number(json, report->values[i].name, report->values[i].value);
    }
    weir_json_close(json, '}');
}

static void json_bands(weir_json *json, const weir_report_bands *set)
{
    weir_json_open(json, set->name, '[');
    for (size_t i = 0; i < set->n; i++) {
        weir_json_open(json, NULL, '{');
        weir_json_string(json, "name", set->bands[i].name);
        weir_json_number(json, "mid_hz", set->bands[i].mid_hz);
        weir_json_number(json, "low_hz", set->bands[i].low_hz);
        weir_json_number(json, "high_hz", set->bands[i].high_hz);
        weir_json_number(json, "level_db", set->levels[i].level_db);
        weir_json_number(json, "bins", set->levels[i].bins);
        weir_json_number(json, "covered", set->levels[i].covered);
        weir_json_close(json, '}');
    }
    weir_json_close(json, ']');
}

static void json_harmonics(weir_json *json, const weir_report *report)
{
    weir_json_open(json, "harmonics", '[');
    for (size_t i = 0; i < report->n_harmonics; i++) {
        weir_json_open(json, NULL, '{');
        weir_json_unsigned(json, "order", report->harmonics[i].order);
        weir_json_number(json, "hz", report->harmonics[i].hz);
        weir_json_number(json, "level_db", report->harmonics[i].level_db);
        weir_json_number(json, "level_dbc", report->harmonics[i].level_dbc);
        weir_json_close(json, '}');
    }
    weir_json_close(json, ']');
}

static void json_kurtosis(weir_json *json, const weir_report *report)
{
    if (!report->kurtosis) {
        return;
    }
    weir_json_open(json, "kurtosis", '{');
    weir_json_exact(json, "start_hz", report->kurtosis_start_hz);
    weir_json_exact(json, "bin_hz", report->bin_hz);
    weir_json_floats(json, "values", report->kurtosis, report->n_kurtosis, KURTOSIS_DECIMALS);
    weir_json_close(json, '}');
}

static void json_dc(weir_json *json, const weir_made_up *made_up)
{
    bool is_made_up = made_up->n_runs > 0;
    weir_json_exact(json, "dc_interpolated_low_hz", is_made_up ? made_up->low_hz : NAN);
    weir_json_exact(json, "dc_interpolated_high_hz", is_made_up ? made_up->high_hz : NAN);
}

static void json_write(weir_line *line, const weir_report *report, const weir_stream_info *stream,
                       bool reproducible)
{
    weir_json json = {.line = line};
    weir_json_open(&json, NULL, '{');
    weir_json_string(&json, "schema", "weir.measure/1");
    weir_json_string(&json, "source", weir_source_name(stream, reproducible));
    weir_json_string(&json, "what", report->is_audio ? "audio" : "rf");
    weir_json_unsigned(&json, "index", report->index);
    weir_json_exact(&json, "time_s", report->time_s);
    weir_json_exact(&json, "seconds", report->seconds);
    weir_json_unsigned(&json, "first_sample", report->first_sample);
    weir_json_unsigned(&json, "end_sample", report->end_sample);
    weir_json_unsigned(&json, "frames", report->n_frames);
    weir_json_unsigned(&json, "lost", report->lost);
    weir_json_unsigned(&json, "clipped", report->clipped);
    weir_json_unsigned(&json, "nonfinite", report->nonfinite);
    weir_json_exact(&json, "rate_hz", stream->rate_hz);
    weir_json_exact(&json, "center_hz", report->center_hz);
    weir_json_string(&json, "window", stream->window);
    weir_json_unsigned(&json, "n_fft", stream->n_fft);
    weir_json_number(&json, "rbw_hz", rbw_hz(stream));
    json_dc(&json, &report->made_up);
    weir_json_string(&json, "unit", report->unit);
    weir_json_string(&json, "note", report->note[0] ? report->note : NULL);
    json_values(&json, report);
    json_harmonics(&json, report);
    for (size_t k = 0; k < report->n_bands; k++) {
        json_bands(&json, &report->bands[k]);
    }
    weir_json_peaks(&json, report->peaks, report->n_peaks, report->is_audio);
    json_kurtosis(&json, report);
    weir_json_close(&json, '}');
    weir_line_bytes(line, "\n", 1);
}

const weir_report_writer weir_report_json = {"json", NULL, json_write};

/* ---- CSV ---- */

static void csv_header(weir_line *line, const weir_report *first, const weir_stream_info *stream,
                       bool reproducible)
{
    weir_line_text(line, "# schema: weir.measure.csv/1\n# source: ");
    weir_line_name(line, weir_source_name(stream, reproducible));
    weir_line_text(line, "\n# rate_hz: ");
    weir_line_exact(line, stream->rate_hz);
    weir_line_text(line, "\n# center_hz: ");
    weir_line_exact(line, stream->center_hz);
    weir_line_printf(line, "\n# window: %s\n# n_fft: %zu\n# rbw_hz: %.9g\n", stream->window,
                     stream->n_fft, rbw_hz(stream));
    if (stream->made_up.n_runs > 0) {
        weir_line_made_up(line, &stream->made_up);
    }
    weir_line_printf(line, "# unit: %s\n", first->unit);
    weir_line_text(line, "time_s,seconds,first_sample,end_sample,frames,lost,clipped,nonfinite");
    for (size_t i = 0; i < first->n_values; i++) {
        weir_line_printf(line, ",%s", first->values[i].name);
    }
    for (size_t k = 0; k < first->n_bands; k++) {
        for (size_t i = 0; i < first->bands[k].n; i++) {
            weir_line_printf(line, ",%s_%s_db", first->bands[k].name,
                             first->bands[k].bands[i].name);
        }
    }
    for (size_t i = 0; i < first->n_peaks_asked; i++) {
        weir_line_printf(line, ",peak%zu_hz,peak%zu_db", i + 1, i + 1);
    }
    weir_line_text(line, "\n");
}

static void csv_number(weir_line *line, double value)
{
    weir_line_text(line, ",");
    if (isfinite(value)) {
        weir_line_printf(line, "%.9g", value);
    }
}

static void csv_write(weir_line *line, const weir_report *report, const weir_stream_info *stream,
                      bool reproducible)
{
    (void)stream;
    (void)reproducible;
    const uint64_t counts[] = {report->first_sample, report->end_sample, report->n_frames,
                               report->lost,         report->clipped,    report->nonfinite};
    if (report->is_newly_made_up) {
        weir_line_made_up(line, &report->made_up);
    }
    weir_line_printf(line, "%.9f,%.9f", report->time_s, report->seconds);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        weir_line_text(line, ",");
        weir_line_unsigned(line, counts[i]);
    }
    for (size_t i = 0; i < report->n_values; i++) {
        csv_number(line, report->values[i].value);
    }
    for (size_t k = 0; k < report->n_bands; k++) {
        for (size_t i = 0; i < report->bands[k].n; i++) {
            csv_number(line, report->bands[k].levels[i].level_db);
        }
    }
    for (size_t i = 0; i < report->n_peaks_asked; i++) {
        bool there = i < report->n_peaks;
        weir_line_text(line, ",");
        if (there) {
            weir_line_exact(line, report->peaks[i].hz);
        }
        csv_number(line, there ? report->peaks[i].level_db : NAN);
    }
    weir_line_text(line, "\n");
}

const weir_report_writer weir_report_csv = {"csv", csv_header, csv_write};
