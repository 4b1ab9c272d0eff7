/* weir measure: figures instead of spectra. */
#include "app/commands.h"
#include "app/measure_what.h"
#include "app/options.h"
#include "app/pipeline.h"
#include "app/progress.h"
#include "app/signals.h"
#include "base/log.h"
#include "base/text.h"
#include "dsp/average.h"
#include "dsp/correct.h"
#include "dsp/level_log.h"
#include "dsp/window.h"

#include <math.h>
#include <stdlib.h>

typedef struct measure_run {
    const weir_settings *settings;
    weir_pipeline *pipeline;
    const weir_stream_info *stream;
    bool is_audio;
    weir_average *mean;
    weir_kurtosis *kurtosis; /* RF, without overlap */
    float *kurtosis_values;
    weir_level_log *levels;
    weir_sound *sound; /* audio */
    bool raw_failed;
    weir_error raw_error;
    weir_window_sketch window;
    weir_peak_lobe lobe;  /* its */
    weir_spectrum newest; /* without its powers */
    weir_made_up said_made_up;
    uint64_t n_reports;
    uint64_t frames, frames_per_report; /* 0: one report for all */
    const weir_report_writer *writer;
    weir_outfile *file;
    weir_line line;
    weir_progress progress;
} measure_run;

/* ---- gathering ---- */

static void on_raw(void *user, const weir_sample_format *format, uint64_t first_sample,
                   const void *samples, size_t n_samples)
{
    measure_run *run = user;
    unsigned channel = (unsigned)run->settings->channel - 1;
    weir_error *err = &run->raw_error;
    weir_status status = WEIR_OK;
    if (run->raw_failed) {
        return;
    }
    if (!run->levels) {
        status = weir_level_log_create(&run->levels, format, channel, err);
    }
    if (status == WEIR_OK) {
        weir_level_log_add(run->levels, first_sample, samples, n_samples);
    }
    if (status == WEIR_OK && run->is_audio && !run->sound) {
        status = weir_sound_create(&run->sound, format, channel, run->stream->rate_hz,
                                   &run->stream->scale, err);
    }
    if (status == WEIR_OK && run->is_audio) {
        status = weir_sound_add(run->sound, first_sample, samples, n_samples, err);
    }
    run->raw_failed = status != WEIR_OK;
}

static weir_status create_sums(measure_run *run, size_t n_bins, weir_error *err)
{
    weir_status status = weir_average_create(&run->mean, WEIR_AVERAGE_MEAN, INFINITY, n_bins, err);
    if (status == WEIR_OK && !run->is_audio && run->stream->hop >= run->stream->n_fft) {
        status = weir_kurtosis_create(&run->kurtosis, n_bins, 1, err);
        run->kurtosis_values = calloc(n_bins, sizeof *run->kurtosis_values);
        if (status == WEIR_OK && !run->kurtosis_values) {
            status = weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu bins", n_bins);
        }
    }
    return status;
}

static void destroy_sums(measure_run *run)
{
    weir_average_destroy(run->mean);
    weir_kurtosis_destroy(run->kurtosis);
    free(run->kurtosis_values);
    run->mean = NULL;
    run->kurtosis = NULL;
    run->kurtosis_values = NULL;
}

static void restart(measure_run *run)
{
    if (run->sound) {
        weir_sound_restart(run->sound);
    }
    if (run->kurtosis) {
        weir_kurtosis_reset(run->kurtosis);
    }
}

/* ---- reporting ---- */

/* levels_end: the samples before it, and of no report yet, are this one's. */
static void fill_report(measure_run *run, const weir_spectrum *spectrum, uint64_t levels_end,
                        weir_report *report)
{
    weir_level_sums sums = weir_level_log_take(run->levels, levels_end);
    const weir_stream_info *stream = run->stream;
    const weir_window_sketch *window = &run->window;
    double hop_part = (double)stream->hop / (double)stream->n_fft;
    weir_measure_input in = {
        .settings = run->settings,
        .stream = stream,
        .spectrum = spectrum,
        .levels = weir_level_sums_read(&sums),
        .lobe = &run->lobe,
        .main_lobe_bins = window->figures.main_lobe_bins,
        .n_independent =
            weir_window_independent(window->coefficients, window->n, hop_part, spectrum->n_frames),
        .kurtosis = run->kurtosis,
        .kurtosis_values = run->kurtosis_values,
        .sound = run->sound,
    };
    *report = (weir_report){
        .is_audio = run->is_audio,
        .index = run->n_reports,
        .first_sample = spectrum->first_sample,
        .end_sample = spectrum->end_sample,
        .n_frames = spectrum->n_frames,
        .lost = spectrum->lost_before + spectrum->lost_inside,
        .clipped = spectrum->clipped,
        .nonfinite = spectrum->nonfinite,
        .center_hz = spectrum->center_hz,
        .made_up = spectrum->made_up,
        .is_newly_made_up = !weir_made_up_same(&spectrum->made_up, &run->said_made_up),
        .time_s = (double)spectrum->first_sample / spectrum->rate_hz,
        .seconds = (double)(spectrum->end_sample - spectrum->first_sample) / spectrum->rate_hz,
    };
    weir_scale_unit(&stream->scale, report->unit, sizeof report->unit);
    weir_measure_levels(report, &in);
    (run->is_audio ? weir_measure_audio : weir_measure_rf)(report, &in);
    weir_measure_peaks(report, &in);
}

static weir_status write_report(measure_run *run, const weir_spectrum *spectrum,
                                uint64_t levels_end, weir_error *err)
{
    bool reproducible = run->settings->reproducible;
    weir_report *report = malloc(sizeof *report);
    if (!report) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    fill_report(run, spectrum, levels_end, report);
    if (run->n_reports == 0 && run->writer->header) {
        run->writer->header(&run->line, report, run->stream, reproducible);
    }
    run->writer->write(&run->line, report, run->stream, reproducible);
    run->said_made_up = report->made_up;
    free(report);
    run->n_reports++;
    restart(run);
    weir_status status = weir_line_put(&run->line, run->file, err);
    return status == WEIR_OK ? weir_outfile_flush(run->file, err) : status;
}

/* A mean has one axis: what was measured before a retune is a result of its own. */
static weir_status report_before_retune(measure_run *run, const weir_spectrum *spectrum,
                                        weir_error *err)
{
    bool is_same = weir_spectrum_same_axis(&run->newest, spectrum);
    const weir_spectrum *before = is_same || !run->mean ? NULL : weir_average_flush(run->mean);
    bool is_resized = run->newest.n_bins != spectrum->n_bins;
    weir_status status = WEIR_OK;
    run->newest = *spectrum;
    if (before) {
        run->frames = 0;
        status = write_report(run, before, spectrum->first_sample, err);
    }
    if (status == WEIR_OK && is_resized) { /* or what is received of --span has changed */
        destroy_sums(run);
        status = create_sums(run, spectrum->n_bins, err);
    }
    return status;
}

static weir_status on_spectrum(void *user, const weir_spectrum *spectrum, weir_error *err)
{
    measure_run *run = user;
    if (run->raw_failed) {
        return weir_fail(err, run->raw_error.status, "%s", run->raw_error.text);
    }
    weir_status status = report_before_retune(run, spectrum, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (run->kurtosis) {
        weir_kurtosis_add(run->kurtosis, spectrum->power[WEIR_TRACE_MEAN]);
    }
    (void)weir_average_add(run->mean, spectrum, WEIR_TRACE_MEAN);
    if (++run->frames < run->frames_per_report || run->frames_per_report == 0) {
        return WEIR_OK;
    }
    run->frames = 0;
    return write_report(run, weir_average_flush(run->mean), spectrum->end_sample, err);
}

static bool on_tick(void *user)
{
    measure_run *run = user;
    weir_totals totals;
    weir_pipeline_totals(run->pipeline, &totals);
    weir_progress_show(&run->progress, &totals);
    return !weir_signals_caught();
}

/* ---- setting up ---- */

static weir_status choose_output(measure_run *run, weir_error *err)
{
    const weir_settings *s = run->settings;
    const char *path = s->outputs.n ? s->outputs.paths[0] : "-";
    if (s->outputs.n > 1) {
        return weir_fail(err, WEIR_ERR_USAGE, "measure writes one output; -o is given %u times",
                         s->outputs.n);
    }
    run->writer = s->every_seconds > 0 ? &weir_report_csv : &weir_report_table;
    if (s->json || weir_path_ending(path, ".json .jsonl")) {
        run->writer = &weir_report_json;
    } else if (weir_path_ending(path, ".csv")) {
        run->writer = &weir_report_csv;
    }
    return weir_outfile_open(&run->file, path, false, err);
}

static weir_status check_settings(const weir_settings *s, weir_error *err)
{
    const struct {
        const char *name;
        double value, high;
    } percents[] = {{"occupied", s->occupied_percent, 100}, {"percentile", s->percentile, 100}};
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        if (!(percents[i].value < percents[i].high)) {
            return weir_fail(err, WEIR_ERR_USAGE, "--%s %g is not between 0 and 100 percent",
                             percents[i].name, percents[i].value);
        }
    }
    if (s->average.kind != WEIR_AVERAGE_DEFAULT || s->smooth_seconds != 0) { /* a file's, perhaps */
        weir_log(WEIR_LOG_NOTICE,
                 "the mean of all, or of --every TIME: --average and --smooth are not used");
    }
    if (s->harmonics > 1000) {
        return weir_fail(err, WEIR_ERR_USAGE, "--harmonics %llu: at most 1000",
                         (unsigned long long)s->harmonics);
    }
    if (s->n_peaks > WEIR_REPORT_PEAKS) {
        return weir_fail(err, WEIR_ERR_USAGE, "--peaks %llu: measure gives at most %d",
                         (unsigned long long)s->n_peaks, WEIR_REPORT_PEAKS);
    }
    return WEIR_OK;
}

/* A file's option may be for other inputs; who typed one wants to know that it does nothing. */
static void tell_unused(const weir_settings *s, bool is_audio)
{
    static const struct {
        const char *name;
        bool is_audio;
    } options[] = {{"channel-band", false},  {"bandwidth", false}, {"adjacent", false},
                   {"occupied", false},      {"x-db", false},      {"percentile", false},
                   {"kurtosis-bins", false}, {"harmonics", true},  {"fundamental", true}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].is_audio != is_audio && weir_option_typed(s, options[i].name)) {
            weir_log(WEIR_LOG_NOTICE, "--%s is not used: it is of %s (--what)", options[i].name,
                     is_audio ? "radio, and this is measured as audio"
                              : "audio, and this is measured as radio");
        }
    }
}

static weir_status prepare(measure_run *run, weir_error *err)
{
    const weir_settings *s = run->settings;
    run->stream = weir_pipeline_stream(run->pipeline);
    run->said_made_up = run->stream->made_up;
    bool is_complex = run->stream->format.is_complex;
    run->is_audio = s->what == WEIR_WHAT_AUDIO || (s->what == WEIR_WHAT_AUTO && !is_complex);
    if (run->is_audio && is_complex) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--what audio needs real samples, and no --span; %s is complex here",
                         run->stream->source);
    }
    tell_unused(s, run->is_audio);
    if (s->every_seconds > 0) {
        double frames = s->every_seconds * run->stream->rate_hz / (double)run->stream->hop;
        run->frames_per_report = frames < 1 ? 1 : (uint64_t)(frames + 0.5);
    }
    weir_window_sketch *window = &run->window;
    weir_status status = weir_window_draw(window, run->stream->window, run->stream->n_fft, err);
    if (status == WEIR_OK) {
        weir_peak_lobe_init(&run->lobe, window->window, window->parameter, window->n);
    }
    return status;
}

static weir_status finish(measure_run *run, weir_error *err)
{
    weir_totals totals;
    const weir_spectrum *rest = run->mean ? weir_average_flush(run->mean) : NULL;
    weir_status status = WEIR_OK;
    if (rest) {
        status = write_report(run, rest, UINT64_MAX, err);
    }
    weir_pipeline_totals(run->pipeline, &totals);
    weir_accounts_log(&totals);
    if (status == WEIR_OK && run->n_reports == 0) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "%s: no segment is as long as a transform (%zu samples)",
                         run->stream->source, run->stream->n_fft);
    }
    return status == WEIR_OK ? weir_outfile_finish(run->file, err) : status;
}

static void tear_down(measure_run *run)
{
    weir_pipeline_close(run->pipeline);
    destroy_sums(run);
    free(run->window.coefficients);
    weir_level_log_destroy(run->levels);
    weir_sound_destroy(run->sound);
    weir_outfile_destroy(run->file);
    weir_line_free(&run->line);
}

weir_status weir_cmd_measure(const weir_settings *settings, int n_arguments, char **arguments,
                             weir_error *err)
{
    (void)n_arguments;
    measure_run run = {.settings = settings};
    weir_pipeline_config config = {
        .settings = settings,
        .source = arguments[0],
        .for_measure = true,
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
        .on_spectrum = on_spectrum,
        .on_tick = on_tick,
        .on_raw = on_raw,
        .user = &run,
    };
    weir_status status = check_settings(settings, err);
    if (status == WEIR_OK) {
        status = weir_pipeline_open(&run.pipeline, &config, err);
    }
    if (status == WEIR_OK) {
        status = prepare(&run, err);
    }
    if (status == WEIR_OK) {
        status = choose_output(&run, err);
    }
    if (status == WEIR_OK) {
        weir_signals_install();
        weir_progress_start(&run.progress, run.stream, settings->duration_seconds, settings->quiet);
        status = weir_pipeline_run(run.pipeline, err);
        weir_progress_clear(&run.progress);
    }
    if (status == WEIR_OK) {
        status = finish(&run, err);
    }
    tear_down(&run);
    return status;
}
