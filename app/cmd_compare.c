/* weir compare: a stream against a golden result or the limits of a mask; makes the former. */
#include "app/commands.h"
#include "app/compare_picture.h"
#include "app/compare_report.h"
#include "app/options.h"
#include "app/pipeline.h"
#include "app/progress.h"
#include "app/signals.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "capture/source.h"
#include "display/selection.h"
#include "dsp/collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const weighting_names[] = {"Z", "A", "C"};

/* Far above the rounding noise of single precision, far below any converter's own noise. */
static const double default_floor_db = -150;

typedef struct compare_run {
    weir_settings settings; /* the user's, completed by the golden result; borrows all texts */
    const char *golden_path;
    weir_pipeline *pipeline;
    const weir_stream_info *stream;
    weir_progress progress;
    weir_collect *collect;
    weir_mask_rules mask;
    weir_check *line_check; /* of --check lines; NULL: none */
    float *levels_db;       /* a line's */
    weir_timeline timeline;
    weir_reports reports;
    weir_outfile *golden_file, *picture_file;
    weir_comparison result;
    char source_name[256], golden_name[256], mask_name[256];
} compare_run;

/* ---- before the stream ---- */

static weir_status check_usage(const compare_run *run, weir_error *err)
{
    const weir_settings *s = &run->settings;
    if (s->bless && !run->golden_path) {
        return weir_fail(err, WEIR_ERR_USAGE, "--bless: say which file to make");
    }
    if (s->bless && (s->mask || s->diff_png || s->reports.n)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--bless compares nothing: leave out --mask, --report and --diff-png");
    }
    if (!run->golden_path && !s->mask) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "compare with what? Give a golden result (--bless makes one) or --mask");
    }
    if (!s->mask && (s->allow > 0 || s->mask_log || s->mask_relative != WEIR_MASK_ABSOLUTE ||
                     !isnan(s->mask_carrier_hz))) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--allow, --mask-relative, --mask-carrier and --mask-log are of a mask; "
                         "add --mask FILE (--tolerance is for golden results)");
    }
    if (!isnan(s->mask_carrier_hz) && s->mask_relative != WEIR_MASK_CARRIER) {
        return weir_fail(err, WEIR_ERR_USAGE, "--mask-carrier needs --mask-relative carrier");
    }
    if (!run->golden_path && (s->tolerances_db.n || s->tolerances_hz.n)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--tolerance is for golden results; a mask has --allow PERCENT");
    }
    if (s->check == WEIR_CHECK_LINES && !s->mask) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--check lines needs --mask: a golden result has no lines");
    }
    return WEIR_OK;
}

static bool said(const weir_settings *s, const char *option)
{
    return weir_option_given(s, option);
}

static void follow_golden_levels(weir_settings *s, weir_golden *g)
{
    for (int i = 0; !said(s, "weighting") && i <= WEIR_WEIGHT_C; i++) {
        s->weighting = strcmp(weighting_names[i], g->weighting) == 0 ? i : s->weighting;
    }
    if (!said(s, "full-scale") && !said(s, "offset")) { /* volts are an offset, too */
        s->offset_db = g->offset_db;
        s->unit = said(s, "unit") ? s->unit : g->unit;
    }
    if (!said(s, "per-root-hz")) {
        s->density = said(s, "density") ? s->density : g->density;
    }
}

/* Where the user said nothing, the golden result's settings hold. Its texts are borrowed. */
static void follow_golden(weir_settings *s, weir_golden *g)
{
    if (!said(s, "fft") && !said(s, "rbw")) {
        s->n_fft = g->n_fft;
    }
    if (!said(s, "hop") && !said(s, "overlap")) {
        s->hop = g->hop;
    }
    if (!said(s, "average")) {
        s->average.kind = g->frames_per_spectrum ? WEIR_AVERAGE_FRAMES : WEIR_AVERAGE_ALL;
        s->average.frames = g->frames_per_spectrum;
    }
    s->window = said(s, "window") ? s->window : g->window;
    s->channel = said(s, "channel") ? s->channel : g->channel;
    s->smooth_seconds = said(s, "smooth") ? s->smooth_seconds : g->smooth_seconds;
    s->detrend = said(s, "detrend") ? s->detrend : g->detrend;
    s->iq_swap = said(s, "iq-swap") ? s->iq_swap : g->iq_swap;
    follow_golden_levels(s, g);
}

static weir_status read_references(compare_run *run, weir_error *err)
{
    weir_settings *s = &run->settings;
    weir_status status = WEIR_OK;
    if (s->mask) {
        run->mask.relative = (weir_mask_relative)s->mask_relative;
        run->mask.carrier_hz = s->mask_carrier_hz;
        status = weir_mask_load(&run->mask.mask, s->mask, s->mask_log, err);
    }
    if (status == WEIR_OK && run->golden_path && !s->bless) {
        status = weir_golden_read(&run->result.golden, run->golden_path, err);
        if (status == WEIR_OK) {
            follow_golden(s, &run->result.golden);
        }
    }
    return status;
}

static weir_status open_outputs(compare_run *run, weir_error *err)
{
    const weir_settings *s = &run->settings;
    weir_status status = WEIR_OK;
    if (s->diff_png) {
        status = weir_comparison_picture_open(&run->picture_file, s->diff_png, err);
    }
    if (status == WEIR_OK && s->bless) {
        status = weir_outfile_open(&run->golden_file, run->golden_path, false, err);
    }
    return status;
}

/* ---- the stream ---- */

static weir_status check_line(compare_run *run, const weir_spectrum *spectrum, weir_error *err)
{
    weir_scale_trace_db(&run->stream->scale, spectrum, WEIR_TRACE_MEAN, run->levels_db);
    double time_s = weir_timeline_seconds(&run->timeline, spectrum);
    return weir_check_line(run->line_check, &run->mask, run->levels_db, time_s, err);
}

static weir_status start_lines(compare_run *run, const weir_spectrum *first, weir_error *err)
{
    run->levels_db = calloc(first->n_bins, sizeof *run->levels_db);
    if (!run->levels_db) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    weir_comparison *c = &run->result;
    weir_status status = weir_check_init(&c->checks[0], "mask lines", true, true, first->n_bins,
                                         first->start_hz, first->bin_hz, err);
    if (status == WEIR_OK) {
        run->line_check = &c->checks[0];
        c->n_checks = 1;
    }
    return status;
}

static weir_status on_spectrum(void *user, const weir_spectrum *spectrum, weir_error *err)
{
    compare_run *run = user;
    weir_status status = weir_collect_add(run->collect, spectrum, err);
    bool lines = run->settings.mask && run->settings.check == WEIR_CHECK_LINES;
    if (status == WEIR_OK && lines && !run->line_check) {
        status = start_lines(run, spectrum, err);
    }
    return status == WEIR_OK && lines ? check_line(run, spectrum, err) : status;
}

static bool on_tick(void *user)
{
    compare_run *run = user;
    weir_totals totals;
    weir_pipeline_totals(run->pipeline, &totals);
    weir_progress_show(&run->progress, &totals);
    return !weir_signals_caught();
}

static void describe_settings(const compare_run *run, weir_golden *g)
{
    const weir_stream_info *stream = run->stream;
    const weir_settings *s = &run->settings;
    g->is_complex = stream->format.is_complex;
    g->channel = s->channel;
    g->rate_hz = stream->rate_hz;
    g->center_hz = stream->center_hz;
    uint64_t decimation = stream->decimation ? stream->decimation : 1;
    g->span_hz = s->span_hz;
    g->n_fft = stream->n_fft / decimation;
    g->hop = stream->hop / decimation;
    g->frames_per_spectrum = stream->frames_per_spectrum;
    g->smooth_seconds = s->smooth_seconds;
    g->detrend = stream->detrend;
    g->iq_swap = s->iq_swap;
    g->density = s->density;
    g->offset_db = stream->scale.offset_db;
    g->calibration = stream->scale.curve != NULL;
    g->iq_corrected = stream->iq_corrected;
    g->dc_interpolated = stream->made_up.n_runs > 0;
    g->ppm = stream->ppm;
    g->transverter_hz = stream->transverter_hz;
    g->enbw_bins = stream->enbw_bins;
    weir_snprintf(g->source, sizeof g->source, "%s", weir_source_name(stream, true));
    weir_snprintf(g->description, sizeof g->description, "%s", stream->description);
    weir_snprintf(g->window, sizeof g->window, "%s", stream->window);
    weir_snprintf(g->unit, sizeof g->unit, "%s", stream->scale.unit);
    weir_snprintf(g->weighting, sizeof g->weighting, "%s", weighting_names[s->weighting]);
}

static weir_status check_same_settings(const compare_run *run, const weir_golden *measured,
                                       weir_error *err)
{
    char what[400];
    return weir_golden_settings_differ(&run->result.golden, measured, what, sizeof what)
               ? weir_fail(err, WEIR_ERR_USAGE,
                           "%s cannot be compared with this: %s; use the same settings, or "
                           "--bless it again",
                           run->golden_name, what)
               : WEIR_OK;
}

/* Of settings that forbid a comparison the user hears before a long stream is read. */
static weir_status check_settings(const compare_run *run, weir_error *err)
{
    const weir_golden *golden = &run->result.golden;
    if (!run->golden_path || run->settings.bless) {
        return WEIR_OK;
    }
    /* Its axis is known to the last bit with its first spectrum only. */
    weir_golden to_be = {
        .n_bins = golden->n_bins, .start_hz = golden->start_hz, .bin_hz = golden->bin_hz};
    describe_settings(run, &to_be);
    return check_same_settings(run, &to_be, err);
}

static weir_status run_stream(compare_run *run, const char *source, weir_error *err)
{
    weir_pipeline_config config = {
        .settings = &run->settings,
        .source = source,
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN) | WEIR_TRACE_BIT(WEIR_TRACE_MAX),
        .on_spectrum = on_spectrum,
        .on_tick = on_tick,
        .user = run,
    };
    weir_status status = weir_pipeline_open(&run->pipeline, &config, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_signals_install();
    run->stream = weir_pipeline_stream(run->pipeline);
    status = check_settings(run, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_progress_start(&run->progress, run->stream, run->settings.duration_seconds,
                        run->settings.quiet);
    size_t n_bins;
    double start_hz, bin_hz;
    weir_stream_axis(run->stream, &n_bins, &start_hz, &bin_hz);
    status = weir_collect_create(&run->collect, n_bins, err);
    if (status == WEIR_OK) {
        status = weir_pipeline_run(run->pipeline, err);
        weir_progress_clear(&run->progress);
    }
    return status;
}

/* ---- after it ---- */

/* The stream's own result, as it would be blessed. */
static weir_status measure(compare_run *run, weir_error *err)
{
    weir_golden *g = &run->result.measured;
    const weir_spectrum *whole = weir_collect_result(run->collect);
    if (!whole) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: shorter than one transform", run->source_name);
    }
    weir_status status = weir_golden_allocate(g, whole->n_bins, err);
    if (status != WEIR_OK) {
        return status;
    }
    describe_settings(run, g);
    g->start_hz = whole->start_hz;
    g->bin_hz = whole->bin_hz;
    weir_pipeline_totals(run->pipeline, &g->totals);
    weir_scale_unit(&run->stream->scale, run->result.unit, sizeof run->result.unit);
    weir_scale_trace_db(&run->stream->scale, whole, WEIR_TRACE_MEAN, g->mean_db);
    weir_scale_trace_db(&run->stream->scale, whole, WEIR_TRACE_MAX, g->max_db);
    weir_accounts_log(&g->totals);
    return WEIR_OK;
}

static weir_status bless(compare_run *run, weir_error *err)
{
    weir_status status = weir_golden_write(&run->result.measured, run->golden_file, err);
    return status == WEIR_OK ? weir_outfile_finish(run->golden_file, err) : status;
}

static double floor_of(const compare_run *run)
{
    const weir_golden *g = &run->result.measured;
    if (!isnan(run->settings.ignore_below_db)) {
        return run->settings.ignore_below_db;
    }
    double per_hz_db = g->density ? 10 * log10(g->enbw_bins * g->bin_hz) : 0;
    return default_floor_db + g->offset_db - per_hz_db;
}

static weir_status add_golden_check(compare_run *run, const char *name, const float *golden_db,
                                    const float *measured_db, weir_error *err)
{
    weir_comparison *c = &run->result;
    const weir_golden *g = &c->measured;
    const weir_settings *s = &run->settings;
    weir_check *check = &c->checks[c->n_checks];
    weir_compare_config config = {.n_bins = g->n_bins,
                                  .start_hz = g->start_hz,
                                  .bin_hz = g->bin_hz,
                                  .db = {s->tolerances_db.rows, s->tolerances_db.n},
                                  .hz = {s->tolerances_hz.rows, s->tolerances_hz.n},
                                  .floor_db = floor_of(run)};
    weir_status status =
        weir_check_init(check, name, false, false, g->n_bins, g->start_hz, g->bin_hz, err);
    if (status == WEIR_OK) {
        c->n_checks++;
        status = weir_check_golden(check, &config, golden_db, measured_db, err);
    }
    return status;
}

static weir_status compare_golden(compare_run *run, weir_error *err)
{
    weir_comparison *c = &run->result;
    weir_status status = check_same_settings(run, &c->measured, err);
    if (status != WEIR_OK) {
        return status;
    }
    int check = run->settings.check;
    if (check != WEIR_CHECK_MAX) {
        status = add_golden_check(run, "mean", c->golden.mean_db, c->measured.mean_db, err);
    }
    if (check != WEIR_CHECK_MEAN && status == WEIR_OK) {
        status = add_golden_check(run, "max", c->golden.max_db, c->measured.max_db, err);
    }
    c->counts_checked = !run->settings.ignore_counts;
    weir_golden_count count;
    for (size_t i = 0;
         c->counts_checked && weir_golden_count_at(&c->golden, &c->measured, i, &count); i++) {
        c->n_counts_differ += count.golden != count.measured;
    }
    return status;
}

/* Of the whole stream; lines were checked as they came. */
static weir_status compare_mask(compare_run *run, weir_error *err)
{
    weir_comparison *c = &run->result;
    const weir_golden *g = &c->measured;
    weir_check *check = run->line_check;
    weir_status status = WEIR_OK;
    if (!check) {
        bool max = run->settings.check == WEIR_CHECK_MAX;
        check = &c->checks[c->n_checks];
        status = weir_check_init(check, max ? "mask max" : "mask mean", true, false, g->n_bins,
                                 g->start_hz, g->bin_hz, err);
        if (status == WEIR_OK) {
            c->n_checks++;
            status = weir_check_line(check, &run->mask, max ? g->max_db : g->mean_db, 0, err);
        }
    }
    return status == WEIR_OK ? weir_check_finish(check, run->settings.allow, err) : status;
}

static weir_status compare(compare_run *run, weir_error *err)
{
    weir_comparison *c = &run->result;
    weir_status status = run->settings.mask ? compare_mask(run, err) : WEIR_OK;
    if (status == WEIR_OK && run->golden_path) {
        status = compare_golden(run, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    bool passed = c->n_counts_differ == 0;
    for (size_t i = 0; i < c->n_checks; i++) {
        passed = passed && c->checks[i].passed;
    }
    c->status = passed ? WEIR_OK : WEIR_DIFFERS;
    status = weir_comparison_print(c, err);
    if (status == WEIR_OK && run->picture_file) {
        status = weir_comparison_picture_write(run->picture_file, c, run->stream, err);
    }
    return status == WEIR_OK ? c->status : status;
}

static weir_status do_all(compare_run *run, const char *source, weir_error *err)
{
    weir_status status = weir_reports_open(&run->reports, &run->settings.reports, err);
    if (status == WEIR_OK) {
        status = check_usage(run, err); /* of which a report tells, too */
    }
    if (status == WEIR_OK) {
        status = open_outputs(run, err);
    }
    if (status == WEIR_OK) {
        status = read_references(run, err);
    }
    if (status == WEIR_OK) {
        status = run_stream(run, source, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    if (weir_signals_caught()) { /* a part of the stream is no result */
        return weir_fail(err, WEIR_ERR_IO, "interrupted: nothing was compared");
    }
    status = measure(run, err);
    if (status != WEIR_OK) {
        return status;
    }
    return run->settings.bless ? bless(run, err) : compare(run, err);
}

/* Errors are reported too: a CI system shows them beside the tests that failed. */
static weir_status report(compare_run *run, weir_status status, double seconds, weir_error *err)
{
    weir_comparison *c = &run->result;
    weir_error write_err = {0};
    c->status = status;
    c->error = status == WEIR_OK || status == WEIR_DIFFERS ? NULL : err->text;
    c->seconds = seconds;
    weir_status written = weir_reports_write(&run->reports, c, &write_err);
    return c->error || written == WEIR_OK ? status : weir_fail(err, written, "%s", write_err.text);
}

static void close_run(compare_run *run)
{
    weir_reports_close(&run->reports);
    weir_outfile_destroy(run->golden_file);
    weir_outfile_destroy(run->picture_file);
    weir_comparison_free(&run->result);
    weir_mask_free(&run->mask.mask);
    weir_collect_destroy(run->collect);
    free(run->levels_db);
    weir_pipeline_close(run->pipeline);
}

weir_status weir_cmd_compare(const weir_settings *settings, int n_arguments, char **arguments,
                             weir_error *err)
{
    double began = weir_now_seconds();
    compare_run run = {.settings = *settings, .golden_path = n_arguments > 1 ? arguments[1] : NULL};
    weir_comparison *c = &run.result;
    c->source = weir_printable(run.source_name, sizeof run.source_name, arguments[0]);
    if (run.golden_path) {
        c->golden_path = weir_printable(run.golden_name, sizeof run.golden_name, run.golden_path);
    }
    if (settings->mask) {
        c->mask_path = weir_printable(run.mask_name, sizeof run.mask_name, settings->mask);
    }
    weir_status status = do_all(&run, arguments[0], err);
    status = report(&run, status, weir_now_seconds() - began, err);
    close_run(&run);
    return status;
}
