/* weir sweep: a wide spectrum, made of many tunings. */
#include "app/alerts.h"
#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/signals.h"
#include "app/sweep_view.h"
#include "app/sweeper.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define CROP 0.25
#define DEFAULT_SINK "csv"
#define RATE_TOLERANCE_HZ 1.0 /* an RTL2832U's divider is this near, and rtl_power asks no more */

typedef struct sweep_run {
    const weir_settings *settings;
    weir_sweeper *sweeper;
    weir_sweep_plan plans[WEIR_MAX_OUTPUTS];
    unsigned n_plans;
    weir_outputs_set outputs;
    weir_axis_correction axis;
    weir_alerts *alerts;
    weir_sweep_view *view; /* NULL: none */
    bool idles;            /* between passes */
    weir_progress progress;
} sweep_run;

/* ---- what to sweep ---- */

/* In the frequencies of the device. */
static weir_status parse_ranges(const sweep_run *run, weir_sweep_range *ranges, weir_error *err)
{
    const weir_settings *s = run->settings;
    if (s->sweep_ranges.n == 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "say what to sweep with -f LO:HI[:BIN]: 88M:108M");
    }
    for (unsigned i = 0; i < s->sweep_ranges.n; i++) {
        if (weir_sweep_range_parse(s->sweep_ranges.paths[i], &ranges[i], err) != WEIR_OK) {
            return weir_fail_context(err, "--freq");
        }
        ranges[i].low_hz = weir_device_hz(&run->axis, ranges[i].low_hz);
        ranges[i].high_hz = weir_device_hz(&run->axis, ranges[i].high_hz);
        ranges[i].bin_hz /= 1 + 1e-6 * run->axis.ppm;
    }
    return WEIR_OK;
}

/* rtl_power chooses the rate by the range; so does this when its rows are all that is asked
 * for, and neither rate nor crop nor transform are given. */
static bool plans_as_rtl_power(const weir_settings *s)
{
    return s->to && strcmp(s->to, "rtl_power") == 0 && s->sweep_ranges.n == 1 && s->rate_hz == 0 &&
           isnan(s->crop) && s->n_fft == 0 && s->rbw_hz == 0 && s->spike != WEIR_SPIKE_OFFSET;
}

static double finest_bin(const weir_sweep_range *ranges, unsigned n)
{
    double finest = 0;
    for (unsigned i = 0; i < n; i++) {
        double bin = ranges[i].bin_hz;
        finest = bin > 0 && (finest == 0 || bin < finest) ? bin : finest;
    }
    return finest;
}

static void on_samples(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples)
{
    sweep_run *run = user;
    weir_alerts_samples(run->alerts, segment, first_sample, samples, n_samples);
    if (run->idles) {
        weir_alerts_known(run->alerts, first_sample + n_samples);
    }
}

static bool is_stopped(void *user)
{
    const sweep_run *run = user;
    return weir_signals_caught() != 0 || weir_sweep_view_stopped(run->view);
}

/* With a view, results go to files only, and only if there are any. */
static bool has_output(const weir_settings *s)
{
    return !s->sweep_view || s->outputs.n > 0;
}

static weir_status check_trace(const sweep_run *run, weir_error *err)
{
    return run->plans[0].joins && weir_settings_trace(run->settings) != WEIR_TRACE_MEAN
               ? weir_fail(err, WEIR_ERR_USAGE,
                           "--trace: a bin that is a whole tuning is the mean of its power")
               : WEIR_OK;
}

/* What would fail at the second range, after the first was swept. */
static weir_status check_axes(const sweep_run *run, weir_error *err)
{
    const char *path = weir_outputs_with_one_axis(run->settings, DEFAULT_SINK);
    const weir_sweep_plan *first = &run->plans[0];
    for (unsigned i = 1; path && has_output(run->settings) && i < run->n_plans; i++) {
        const weir_sweep_plan *plan = &run->plans[i];
        if (plan->start_hz != first->start_hz || plan->bin_hz != first->bin_hz ||
            plan->n_bins != first->n_bins) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "-o %.200s: an array has one axis, and the ranges of -f are several; "
                             "write csv or jsonl, or sweep one range at a time",
                             path);
        }
    }
    return WEIR_OK;
}

static weir_status plan_and_open(sweep_run *run, const char *source, weir_error *err)
{
    const weir_settings *s = run->settings;
    weir_sweep_range ranges[WEIR_MAX_OUTPUTS];
    weir_status status = parse_ranges(run, ranges, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_sweeper_config config = {.settings = s,
                                  .source = source,
                                  .spike = s->spike == WEIR_SPIKE_AUTO ? WEIR_SPIKE_OFFSET
                                                                       : (weir_spike)s->spike,
                                  .bin_hz = finest_bin(ranges, s->sweep_ranges.n),
                                  .axis = run->axis,
                                  .on_samples = s->alert_record ? on_samples : NULL,
                                  .stopped = is_stopped,
                                  .user = run};
    run->n_plans = s->sweep_ranges.n;
    bool as_rtl_power = plans_as_rtl_power(s) && ranges[0].bin_hz > 0;
    if (as_rtl_power) {
        status = weir_sweep_plan_rtl_power(&run->plans[0], &ranges[0], err);
        status = status == WEIR_OK ? check_trace(run, err) : status;
        config.rate_hz = run->plans[0].rate_hz;
        config.n_fft = run->plans[0].n_fft;
        config.spike = s->spike == WEIR_SPIKE_AUTO ? WEIR_SPIKE_INTERPOLATE : (weir_spike)s->spike;
        config.removes_dc = run->plans[0].joins && config.spike == WEIR_SPIKE_INTERPOLATE;
    }
    if (status == WEIR_OK) {
        status = weir_sweeper_open(&run->sweeper, &config, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    const weir_stream_info *stream = weir_sweeper_stream(run->sweeper);
    if (as_rtl_power && fabs(stream->rate_hz - config.rate_hz) > RATE_TOLERANCE_HZ) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "%s gives %.0f S/s, and not the %.0f that rtl_power's plan needs; say "
                         "--rate, and the plan is made for that",
                         stream->source, stream->rate_hz, config.rate_hz);
    }
    for (unsigned i = 0; i < run->n_plans && status == WEIR_OK && !as_rtl_power; i++) {
        status = weir_sweep_plan_make(&run->plans[i], &ranges[i], stream->rate_hz, stream->n_fft,
                                      isnan(s->crop) ? CROP : s->crop,
                                      config.spike == WEIR_SPIKE_OFFSET, err);
    }
    if (status == WEIR_OK) {
        weir_sweeper_set_axis(run->sweeper, &run->plans[0]);
        status = check_axes(run, err);
    }
    return status;
}

/* ---- the output ---- */

/* A row a tuning, as rtl_power has them: all with the time of the end of the pass. */
static weir_status write_hops(const sweep_run *run, weir_sink *sink, const weir_sweep_plan *plan,
                              const weir_spectrum *whole, weir_error *err)
{
    weir_trace trace = weir_settings_trace(run->settings);
    weir_status status = WEIR_OK;
    for (size_t hop = 0; hop < plan->n_hops && status == WEIR_OK; hop++) {
        size_t at = hop * plan->hop_bins;
        weir_spectrum part = *whole;
        part.power[trace] = whole->power[trace] + at;
        part.n_bins = weir_sweep_hop_bins(plan, hop);
        part.start_hz = plan->start_hz + (double)at * plan->bin_hz;
        part.start_hz -= plan->joins ? plan->bin_hz / 2 : 0; /* its row says where it begins */
        part.bin_hz = plan->bin_hz;
        part.center_hz = weir_sweep_center_hz(plan, hop);
        weir_correct_axis(&run->axis, &part);
        status = weir_sink_write(sink, &part, err);
    }
    return status;
}

static weir_status write_pass(sweep_run *run, const weir_sweep_plan *plan,
                              const weir_spectrum *whole, weir_error *err)
{
    weir_status status = WEIR_OK;
    for (unsigned i = 0; i < run->outputs.n && status == WEIR_OK; i++) {
        weir_sink *sink = run->outputs.sinks[i];
        bool by_hops = strcmp(sink->class_->name, "rtl_power") == 0;
        status =
            by_hops ? write_hops(run, sink, plan, whole, err) : weir_sink_write(sink, whole, err);
    }
    return status;
}

/* ---- running ---- */

static weir_status one_round(sweep_run *run, weir_error *err)
{
    for (unsigned i = 0; i < run->n_plans; i++) {
        weir_spectrum whole;
        bool complete;
        weir_totals totals;
        weir_status status =
            weir_sweeper_pass(run->sweeper, &run->plans[i], &whole, &complete, err);
        if (status == WEIR_OK && complete) {
            weir_alerts_spectrum(run->alerts, &whole);
            weir_alerts_known(run->alerts, whole.end_sample);
            status = write_pass(run, &run->plans[i], &whole, err);
        }
        if (status != WEIR_OK || !complete) {
            return status;
        }
        weir_sweeper_totals(run->sweeper, &totals);
        weir_sweep_view_push(run->view, i, &whole, &totals);
        weir_progress_show(&run->progress, &totals);
    }
    return WEIR_OK;
}

static bool is_over(sweep_run *run, double seconds, uint64_t passes)
{
    const weir_settings *s = run->settings;
    bool repeats =
        !isnan(s->interval_seconds) || s->exit_after_seconds > 0 || s->passes > 0 || run->view;
    return is_stopped(run) || weir_sweeper_ended(run->sweeper) || (!repeats && passes == 1) ||
           (s->passes > 0 && passes >= s->passes) ||
           (s->exit_after_seconds > 0 && seconds >= s->exit_after_seconds);
}

/* Passes begin at multiples of the interval; one that takes longer leaves some out. */
static weir_status sweep(sweep_run *run, weir_error *err)
{
    double interval = isnan(run->settings->interval_seconds) ? 0 : run->settings->interval_seconds;
    double start = weir_now_seconds();
    uint64_t passes = 0;
    while (!is_over(run, weir_now_seconds() - start, passes)) {
        weir_status status = one_round(run, err);
        if (status != WEIR_OK) {
            return status;
        }
        passes++;
        if (interval > 0 && !is_over(run, weir_now_seconds() - start, passes)) {
            double since = weir_now_seconds() - start;
            double next = interval * ceil(since / interval);
            double limit = run->settings->exit_after_seconds;
            next = limit > 0 && next > limit ? limit : next;
            run->idles = true;
            weir_sweeper_idle(run->sweeper, next - since);
            run->idles = false;
        }
    }
    return WEIR_OK;
}

static weir_status sweep_in_view(void *user, weir_error *err)
{
    return sweep(user, err);
}

static weir_status run_and_finish(sweep_run *run, int *signal_number, weir_error *err)
{
    weir_error late_err = {0};
    weir_totals totals;
    weir_status status =
        run->view ? weir_sweep_view_run(run->view, sweep_in_view, run, signal_number, err)
                  : sweep(run, err);
    weir_progress_clear(&run->progress);
    if (status == WEIR_ERR_IO || status == WEIR_PIPE_CLOSED) { /* the output failed */
        (void)weir_alerts_finish(run->alerts, NULL);
        return status;
    }
    weir_status late = weir_sweeper_finish(run->sweeper, &totals, &late_err);
    if (late == WEIR_OK) {
        late = weir_outputs_finish(&run->outputs, &totals, &late_err);
        weir_accounts_log(&totals);
    }
    weir_status alerts = weir_alerts_finish(run->alerts, late == WEIR_OK ? &late_err : NULL);
    late = late == WEIR_OK ? alerts : late;
    return status == WEIR_OK && late != WEIR_OK ? weir_fail(err, late, "%s", late_err.text)
                                                : status;
}

static void say_the_plan(const sweep_run *run)
{
    for (unsigned i = 0; i < run->n_plans; i++) {
        const weir_sweep_plan *p = &run->plans[i];
        char low[40], high[40], bin[40];
        double last_hz = p->start_hz + (double)(p->n_bins - 1) * p->bin_hz;
        weir_format_hz(low, sizeof low, weir_true_hz(&run->axis, p->start_hz), p->bin_hz);
        weir_format_hz(high, sizeof high, weir_true_hz(&run->axis, last_hz), p->bin_hz);
        weir_format_hz(bin, sizeof bin, p->bin_hz, 0);
        weir_log(WEIR_LOG_NOTICE, "%s to %s: %zu tunings, %zu bins of %s", low, high, p->n_hops,
                 p->n_bins, bin);
    }
}

static weir_status check_options(const weir_settings *s, weir_error *err)
{
    if (s->dc != WEIR_DC_OFF) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--dc: a sweep has --spike for that: offset, interpolate or keep");
    }
    return weir_alerts_check(s, err);
}

static weir_status open_alerts(sweep_run *run, weir_error *err)
{
    const weir_settings *s = run->settings;
    weir_alerts_config config = {.settings = s,
                                 .stream = weir_sweeper_stream(run->sweeper),
                                 .info = weir_sweeper_source(run->sweeper),
                                 .most_samples = weir_sweeper_most_samples(run->sweeper),
                                 .stdout_is_taken = s->sweep_view || weir_outputs_take_stdout(s)};
    for (unsigned i = 0; i < run->n_plans; i++) {
        config.round_seconds += weir_sweeper_pass_seconds(run->sweeper, &run->plans[i]);
    }
    config.idle_seconds = isnan(s->interval_seconds) ? 0 : s->interval_seconds;
    return weir_alerts_open(&run->alerts, &config, err);
}

static weir_status check_view(const weir_settings *s, weir_error *err)
{
    return s->sweep_view && has_output(s) && weir_outputs_take_stdout(s)
               ? weir_fail(err, WEIR_ERR_USAGE, "--view has the terminal; give a file with -o")
               : WEIR_OK;
}

static weir_status open_view(sweep_run *run, weir_error *err)
{
    weir_sweep_view_config config = {.settings = run->settings,
                                     .stream = weir_sweeper_stream(run->sweeper),
                                     .plans = run->plans,
                                     .n_plans = run->n_plans};
    return run->settings->sweep_view ? weir_sweep_view_open(&run->view, &config, err) : WEIR_OK;
}

weir_status weir_cmd_sweep(const weir_settings *given, int n_arguments, char **arguments,
                           weir_error *err)
{
    (void)n_arguments;
    int signal_number = 0;
    weir_settings effective = *given;
    const weir_settings *settings = &effective;
    effective.hold = WEIR_HOLD_OFF; /* of a configuration file: every pass is its own */
    sweep_run run = {.settings = settings,
                     .axis = {.ppm = settings->ppm, .offset_hz = settings->transverter_hz}};
    weir_status status = weir_outputs_check(settings, DEFAULT_SINK, err);
    if (status == WEIR_OK) {
        status = check_options(settings, err);
    }
    if (status == WEIR_OK) {
        status = check_view(settings, err);
    }
    if (status == WEIR_OK) {
        status = plan_and_open(&run, arguments[0], err);
    }
    if (status == WEIR_OK) {
        if (!settings->sweep_view) { /* the terminal takes them */
            weir_signals_install();
        }
        const weir_stream_info *stream = weir_sweeper_stream(run.sweeper);
        say_the_plan(&run);
        weir_progress_start(&run.progress, stream, settings->duration_seconds,
                            settings->quiet || settings->sweep_view);
        status = has_output(settings)
                     ? weir_outputs_open(&run.outputs, settings, DEFAULT_SINK, stream, err)
                     : WEIR_OK;
    }
    if (status == WEIR_OK) {
        status = open_alerts(&run, err);
    }
    if (status == WEIR_OK) {
        status = open_view(&run, err);
    }
    if (status == WEIR_OK) {
        status = run_and_finish(&run, &signal_number, err);
    }
    weir_sweep_view_close(run.view);
    weir_alerts_destroy(run.alerts);
    weir_outputs_close(&run.outputs);
    weir_sweeper_close(run.sweeper);
    if (signal_number) {
        weir_signals_raise_again(signal_number);
    }
    return status;
}
