/* weir survey: what rtl_power or hackrf_sweep wrote, as a picture or another kind of output. */
#include "app/commands.h"
#include "app/outputs.h"
#include "base/log.h"
#include "base/text.h"
#include "capture/survey.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_PER_SECOND 1e6 /* the "sample rate" of the times in the outputs */

typedef struct survey_run {
    const weir_settings *settings;
    weir_survey *survey;
    const weir_survey_info *info;
    weir_stream_info stream;
    char description[80];
    weir_outputs_set outputs;
    weir_trace trace;
    float *levels; /* of one pass: dB, then power */
    weir_totals totals;
} survey_run;

static uint64_t ticks(double seconds)
{
    return (uint64_t)llround(seconds * TICKS_PER_SECOND);
}

static void describe(survey_run *run, const char *source)
{
    const weir_survey_info *info = run->info;
    uint64_t pass = ticks(info->pass_s) > 0 ? ticks(info->pass_s) : 1;
    double n_fft = fmin(fmax(round(TICKS_PER_SECOND / info->bin_hz), 1), 1e9); /* for the RBW */
    weir_survey_pass first;
    weir_snprintf(run->description, sizeof run->description, "survey of %zu rows, %zu passes",
                  info->n_rows, info->n_passes);
    weir_survey_pass_at(run->survey, 0, run->levels, &first);
    run->stream = (weir_stream_info){
        .source = source,
        .description = run->description,
        .format = {.scalar = WEIR_F32LE, .is_complex = true, .channels = 1},
        .rate_hz = TICKS_PER_SECOND,
        .center_hz = info->start_hz + 0.5 * (double)(info->n_bins - 1) * info->bin_hz,
        .n_fft = (size_t)n_fft,
        .hop = (size_t)pass,
        .window = "unknown",
        .enbw_bins = 1,
        .coherent_gain = 1,
        .frames_per_spectrum = 1,
        .engine = "none",
        .time_unix_ns = first.time_unix_ns,
        .n_samples = UINT64_MAX,
        .n_bins = info->n_bins,
        .start_hz = info->start_hz,
        .bin_hz = info->bin_hz,
    };
    weir_scale_init(&run->stream.scale);
    strcpy(run->stream.scale.unit, "dB"); /* neither program calibrates */
}

static weir_status write_pass(survey_run *run, size_t index, weir_error *err)
{
    const weir_survey_info *info = run->info;
    weir_survey_pass pass;
    weir_survey_pass_at(run->survey, index, run->levels, &pass);
    for (size_t i = 0; i < info->n_bins; i++) {
        run->levels[i] = powf(10.0f, run->levels[i] / 10.0f);
    }
    uint64_t first = ticks(pass.time_s), before = run->totals.received;
    uint64_t lost = first > before + run->stream.hop / 2 ? first - before : 0;
    weir_spectrum spectrum = {.power = {[0] = NULL},
                              .n_bins = info->n_bins,
                              .start_hz = info->start_hz,
                              .bin_hz = info->bin_hz,
                              .rate_hz = TICKS_PER_SECOND,
                              .center_hz = run->stream.center_hz,
                              .enbw_bins = 1,
                              .coherent_gain = 1,
                              .full_scale_power = 1,
                              .index = index,
                              .first_sample = first,
                              .end_sample = first + run->stream.hop,
                              .n_frames = pass.n_frames,
                              .lost_before = lost,
                              .time_unix_ns = pass.time_unix_ns,
                              .is_partial = pass.has_holes};
    spectrum.power[run->trace] = run->levels;
    run->totals.lost += lost;
    run->totals.received = spectrum.end_sample;
    run->totals.transformed = run->totals.received - run->totals.lost;
    run->totals.n_spectra++;
    return weir_outputs_write(&run->outputs, &spectrum, err);
}

static void say_what_is_there(const survey_run *run)
{
    const weir_survey_info *info = run->info;
    weir_log(WEIR_LOG_NOTICE,
             "%zu rows, %zu passes of %.3g s, %zu bins of %.6g Hz; levels that were no number: "
             "%" PRIu64,
             info->n_rows, info->n_passes, info->pass_s, info->n_bins, info->bin_hz,
             info->n_unusable);
    if (info->was_cut) {
        weir_log(WEIR_LOG_WARNING, "the last line is cut off, and left out");
    }
}

static weir_status open_all(survey_run *run, const char *path, weir_error *err)
{
    weir_status status = weir_outputs_check(run->settings, "csv", err);
    if (status == WEIR_OK) {
        status = weir_survey_read(&run->survey, path, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    run->info = weir_survey_about(run->survey);
    run->levels = calloc(run->info->n_bins, sizeof *run->levels);
    if (!run->levels) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu levels", run->info->n_bins);
    }
    describe(run, path);
    say_what_is_there(run);
    return weir_outputs_open(&run->outputs, run->settings, "csv", &run->stream, err);
}

weir_status weir_cmd_survey(const weir_settings *given, int n_arguments, char **arguments,
                            weir_error *err)
{
    (void)n_arguments;
    weir_settings effective = *given;
    effective.hold = WEIR_HOLD_OFF; /* of a configuration file: every pass is its own */
    survey_run run = {.settings = &effective, .trace = weir_settings_trace(given)};
    weir_status status = open_all(&run, arguments[0], err);
    for (size_t i = 0; status == WEIR_OK && i < run.info->n_passes; i++) {
        status = write_pass(&run, i, err);
    }
    if (status == WEIR_OK) {
        status = weir_outputs_finish(&run.outputs, &run.totals, err);
    }
    weir_outputs_close(&run.outputs);
    free(run.levels);
    weir_survey_destroy(run.survey);
    return status;
}
