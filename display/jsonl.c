/* JSON lines: a header object, one object per spectrum, totals. docs/json.md is the reference. */
#include "base/units.h"
#include "display/json_out.h"
#include "display/peak_list.h"
#include "display/sinks.h"
#include "display/text_sink.h"

#include <math.h>

/* Finer than a float's own step at any level below 2048 dB is of no use to anyone. */
enum { LEVEL_DECIMALS = 4 };

typedef struct jsonl_sink {
    weir_text_sink text;  /* first */
    weir_peak_list peaks; /* n_asked 0: no such member */
} jsonl_sink;

static const char *const weighting_names[] = {"Z", "A", "C"};

static void member_time(weir_json *json, const char *name, int64_t unix_ns, int decimals)
{
    char text[40];
    bool known = unix_ns != INT64_MIN;
    weir_json_string(json, name,
                     known ? weir_format_utc(text, sizeof text, unix_ns, decimals) : NULL);
}

/* A count for which one value means "unknown" or "all". */
static void member_count(weir_json *json, const char *name, uint64_t value, uint64_t none)
{
    if (value == none) {
        weir_json_null(json, name);
    } else {
        weir_json_unsigned(json, name, value);
    }
}

static void open_object(weir_json *json, const char *schema)
{
    weir_json_open(json, NULL, '{');
    weir_json_string(json, "schema", schema);
}

static void close_object(weir_json *json)
{
    weir_json_close(json, '}');
    weir_line_bytes(json->line, "\n", 1);
}

static void members_transform(weir_json *json, const weir_text_sink *sink)
{
    const weir_stream_info *stream = sink->stream;
    weir_json_unsigned(json, "n_fft", stream->n_fft);
    weir_json_unsigned(json, "hop", stream->hop);
    weir_json_string(json, "window", stream->window);
    weir_json_number(json, "enbw_bins", stream->enbw_bins);
    weir_json_number(json, "coherent_gain", stream->coherent_gain);
    weir_json_number(json, "rbw_hz", stream->enbw_bins * stream->rate_hz / (double)stream->n_fft);
    member_count(json, "frames_per_spectrum", stream->frames_per_spectrum, 0);
    if (stream->exponential_alpha > 0.0 && sink->config.trace == WEIR_TRACE_MEAN) {
        weir_json_exact(json, "exponential_alpha", stream->exponential_alpha);
    } else {
        weir_json_null(json, "exponential_alpha");
    }
    weir_json_bool(json, "detrend", stream->detrend);
}

static void members_level(weir_json *json, const weir_text_sink *sink)
{
    const weir_scale *scale = &sink->stream->scale;
    char unit[32];
    weir_json_string(json, "trace", weir_trace_name(sink->config.trace));
    if (sink->config.hold) {
        weir_json_string(json, "hold", sink->config.hold);
    } else {
        weir_json_null(json, "hold");
    }
    weir_json_string(json, "quantity", scale->quantity == WEIR_DENSITY ? "density" : "spectrum");
    weir_json_string(json, "unit", weir_selection_unit(&sink->config, scale, unit, sizeof unit));
    weir_json_string(json, "full_scale", sink->stream->format.is_complex ? "complex tone" : "sine");
    weir_json_exact(json, "offset_db", scale->offset_db);
    weir_json_string(json, "weighting", weighting_names[scale->weighting]);
    weir_json_bool(json, "calibration_curve", scale->curve != NULL);
    weir_json_number(json, "floor_db", (double)WEIR_FLOOR_DB);
}

/* What is not in force is null. */
static void members_corrections(weir_json *json, const weir_stream_info *stream)
{
    const struct {
        const char *name;
        bool known;
        double value;
    } members[] = {
        {"dc_interpolated_low_hz", stream->made_up.n_runs == 1, stream->made_up.low_hz},
        {"dc_interpolated_high_hz", stream->made_up.n_runs == 1, stream->made_up.high_hz},
        {"iq_gain_db", stream->iq_corrected, stream->iq_gain_db},
        {"iq_phase_deg", stream->iq_corrected, stream->iq_phase_deg},
        {"iq_tracking_s", stream->iq_track_seconds > 0, stream->iq_track_seconds},
        {"ppm", stream->ppm != 0, stream->ppm},
        {"transverter_hz", stream->transverter_hz != 0, stream->transverter_hz},
    };
    member_count(json, "decimation", stream->decimation, 0);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        weir_json_exact(json, members[i].name, members[i].known ? members[i].value : NAN);
    }
}

static void member_powers(weir_json *json, const char *name, const weir_selection *powers)
{
    weir_json_open(json, name, '[');
    for (size_t i = 0; i < powers->n_bins; i++) {
        weir_json_number(json, NULL, (double)powers->db[i]);
    }
    weir_json_close(json, ']');
}

/* Pairs, where there are any. */
static void member_made_up(weir_json *json, const weir_made_up *made_up)
{
    if (made_up->n_runs == 0) {
        return;
    }
    weir_json_open(json, "dc_interpolated_hz", '[');
    for (size_t i = 0; i < made_up->n_runs; i++) {
        weir_json_open(json, NULL, '[');
        weir_json_exact(json, NULL, made_up->low_hz + (double)i * made_up->step_hz);
        weir_json_exact(json, NULL, made_up->high_hz + (double)i * made_up->step_hz);
        weir_json_close(json, ']');
    }
    weir_json_close(json, ']');
}

static void member_peaks(weir_json *json, jsonl_sink *sink, const weir_spectrum *spectrum)
{
    const weir_text_sink *text = &sink->text;
    if (sink->peaks.n_asked == 0) {
        return;
    }
    weir_peak_list_find(&sink->peaks, spectrum, text->config.trace, &text->stream->scale);
    weir_json_peaks(json, sink->peaks.peaks, sink->peaks.n, !text->stream->format.is_complex);
}

static void header(weir_text_sink *sink)
{
    const weir_stream_info *stream = sink->stream;
    weir_json json = {.line = &sink->line};
    open_object(&json, "weir.stream/1");
    weir_json_string(&json, "source", weir_source_name(stream, sink->config.reproducible));
    weir_json_string(&json, "description", stream->description);
    weir_json_bool(&json, "is_complex", stream->format.is_complex);
    weir_json_unsigned(&json, "channel", (uint64_t)stream->channel + 1);
    weir_json_exact(&json, "rate_hz", stream->rate_hz);
    weir_json_exact(&json, "center_hz", stream->center_hz);
    member_count(&json, "n_samples", stream->n_samples, UINT64_MAX);
    member_time(&json, "start_time", stream->time_unix_ns, 9);
    members_transform(&json, sink);
    members_corrections(&json, stream);
    members_level(&json, sink);
    if (!sink->config.reproducible) {
        weir_json_string(&json, "engine", stream->engine);
    }
    close_object(&json);
}

static weir_status jsonl_open(weir_sink **out, const weir_sink_config *config,
                              const weir_stream_info *stream, weir_error *err)
{
    weir_text_sink *sink;
    weir_status status = weir_text_sink_open(sizeof(jsonl_sink), &sink, config, stream, err);
    if (status != WEIR_OK) {
        return status;
    }
    status = weir_peak_list_init(&((jsonl_sink *)sink)->peaks, config, stream, 0, err);
    if (status == WEIR_OK) {
        header(sink);
        status = weir_text_sink_put(sink, err);
    }
    if (status != WEIR_OK) {
        weir_text_sink_close(&sink->sink);
        return status;
    }
    *out = &sink->sink;
    return WEIR_OK;
}

static weir_status jsonl_write(weir_sink *base, const weir_spectrum *spectrum, weir_error *err)
{
    weir_text_sink *sink = (weir_text_sink *)base;
    weir_status status = weir_text_sink_take(sink, spectrum, err);
    if (status != WEIR_OK) {
        return status;
    }
    const weir_selection *levels = &sink->levels;
    weir_json json = {.line = &sink->line};
    open_object(&json, "weir.spectrum/1");
    weir_json_unsigned(&json, "index", spectrum->index);
    weir_json_exact(&json, "time_s", levels->time_s);
    member_time(&json, "utc", spectrum->time_unix_ns, 9);
    weir_json_unsigned(&json, "first_sample", spectrum->first_sample);
    weir_json_unsigned(&json, "end_sample", spectrum->end_sample);
    weir_json_unsigned(&json, "frames", spectrum->n_frames);
    weir_json_unsigned(&json, "lost_before", spectrum->lost_before);
    weir_json_unsigned(&json, "lost_inside", spectrum->lost_inside);
    weir_json_unsigned(&json, "clipped", spectrum->clipped);
    weir_json_unsigned(&json, "nonfinite", spectrum->nonfinite);
    weir_json_bool(&json, "partial", spectrum->is_partial);
    weir_json_exact(&json, "rate_hz", spectrum->rate_hz);
    weir_json_exact(&json, "center_hz", spectrum->center_hz);
    weir_json_exact(&json, "start_hz", weir_selection_hz(levels, 0));
    weir_json_exact(&json, "bin_hz", spectrum->bin_hz);
    member_made_up(&json, &spectrum->made_up);
    member_peaks(&json, (jsonl_sink *)base, spectrum);
    if (sink->config.linear) {
        member_powers(&json, "power", levels);
    } else {
        weir_json_floats(&json, "level_db", levels->db, levels->n_bins, LEVEL_DECIMALS);
    }
    close_object(&json);
    return weir_text_sink_put(sink, err);
}

static weir_status jsonl_finish(weir_sink *base, const weir_totals *totals, weir_error *err)
{
    weir_text_sink *sink = (weir_text_sink *)base;
    weir_json json = {.line = &sink->line};
    open_object(&json, "weir.totals/1");
    weir_json_unsigned(&json, "received", totals->received);
    weir_json_unsigned(&json, "transformed", totals->transformed);
    weir_json_unsigned(&json, "skipped", totals->skipped);
    weir_json_unsigned(&json, "lost", totals->lost);
    weir_json_unsigned(&json, "tail", totals->tail);
    weir_json_unsigned(&json, "clipped", totals->clipped);
    weir_json_unsigned(&json, "nonfinite", totals->nonfinite);
    weir_json_unsigned(&json, "frames", totals->n_frames);
    weir_json_unsigned(&json, "spectra", totals->n_spectra);
    weir_json_unsigned(&json, "gaps", totals->n_gaps);
    close_object(&json);
    return weir_text_sink_finish(sink, err);
}

const weir_sink_class weir_sink_jsonl = {
    .name = "jsonl",
    .endings = ".jsonl .ndjson",
    .help = "JSON lines: a header object, one object per spectrum, totals",
    .writes_linear = true,
    .open = jsonl_open,
    .write = jsonl_write,
    .finish = jsonl_finish,
    .close = weir_text_sink_close,
};
