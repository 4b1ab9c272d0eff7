#include "dsp/split_average.h"

#include "dsp/average.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* An exponential average is to move in steps that are small against its time. */
#define STEPS_A_TIME 8

struct weir_split_average {
    weir_average *line[WEIR_TRACE_COUNT]; /* of each trace; the mean says when a line ends */
    weir_average *smooth;                 /* NULL: none */
    weir_average *trace;
    bool has_trace;       /* a mean was complete, of this axis */
    weir_spectrum newest; /* for its axis                      */
    weir_spectrum complete;
};

static weir_status make_mean(weir_average **out, uint64_t frames, double seconds, size_t max_bins,
                             weir_error *err)
{
    weir_status status =
        weir_average_create(out, WEIR_AVERAGE_MEAN, frames ? INFINITY : seconds, max_bins, err);
    if (status == WEIR_OK && frames) {
        weir_average_set_frames(*out, frames);
    }
    return status;
}

static weir_status make_all(weir_split_average *a, const weir_averages *w, size_t max_bins,
                            weir_error *err)
{
    const weir_trace_average *trace = &w->trace;
    weir_status status =
        make_mean(&a->line[WEIR_TRACE_MEAN], w->line_frames, w->line_seconds, max_bins, err);
    if (status == WEIR_OK) {
        status = weir_average_create(&a->line[WEIR_TRACE_MAX], WEIR_AVERAGE_MAX, 0, max_bins, err);
    }
    if (status == WEIR_OK) {
        status = weir_average_create(&a->line[WEIR_TRACE_MIN], WEIR_AVERAGE_MIN, 0, max_bins, err);
    }
    if (status == WEIR_OK && w->line_smooth_seconds > 0) {
        status = weir_average_create(&a->smooth, WEIR_AVERAGE_EXPONENTIAL, w->line_smooth_seconds,
                                     max_bins, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    return trace->kind == WEIR_TRACE_EXPONENTIAL
               ? weir_average_create(&a->trace, WEIR_AVERAGE_EXPONENTIAL, trace->seconds, max_bins,
                                     err)
               : make_mean(&a->trace, trace->frames, trace->seconds, max_bins, err);
}

weir_status weir_split_average_create(weir_split_average **out, const weir_averages *averages,
                                      size_t max_bins, weir_error *err)
{
    *out = NULL;
    weir_split_average *a = calloc(1, sizeof *a);
    if (!a) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for averages");
    }
    weir_status status = make_all(a, averages, max_bins, err);
    if (status != WEIR_OK) {
        weir_split_average_destroy(a);
        return status;
    }
    *out = a;
    return WEIR_OK;
}

static const weir_spectrum *add_to_line(weir_split_average *a, const weir_spectrum *s)
{
    const weir_spectrum *mean = weir_average_add(a->line[WEIR_TRACE_MEAN], s, WEIR_TRACE_MEAN);
    const weir_spectrum *smooth =
        a->smooth ? weir_average_add(a->smooth, s, WEIR_TRACE_MEAN) : NULL;
    const float *extremes[WEIR_TRACE_COUNT] = {NULL};
    for (int t = WEIR_TRACE_MAX; t <= WEIR_TRACE_MIN; t++) {
        extremes[t] = s->power[t] ? weir_average_add(a->line[t], s, (weir_trace)t)->power[t] : NULL;
    }
    if (!mean) {
        return NULL;
    }
    a->complete = *mean;
    for (int t = WEIR_TRACE_MAX; t <= WEIR_TRACE_MIN; t++) {
        a->complete.power[t] = extremes[t];
        weir_average_reset(a->line[t]);
    }
    if (smooth) {
        a->complete.power[WEIR_TRACE_MEAN] = smooth->power[WEIR_TRACE_MEAN];
    }
    return &a->complete;
}

void weir_split_average_add(weir_split_average *average, const weir_spectrum *spectrum,
                            const weir_spectrum **line, const weir_spectrum **trace)
{
    *line = *trace = NULL;
    if (!spectrum->power[WEIR_TRACE_MEAN] || spectrum->n_frames == 0 ||
        spectrum->n_bins > weir_average_max_bins(average->trace)) {
        return;
    }
    average->has_trace &= weir_spectrum_same_axis(&average->newest, spectrum);
    average->newest = *spectrum;
    *line = add_to_line(average, spectrum);
    *trace = weir_average_add(average->trace, spectrum, WEIR_TRACE_MEAN);
    average->has_trace |= *trace != NULL;
    if (!average->has_trace) {
        *trace = weir_average_so_far(average->trace);
    }
}

void weir_split_average_destroy(weir_split_average *average)
{
    if (average) {
        for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
            weir_average_destroy(average->line[t]);
        }
        weir_average_destroy(average->smooth);
        weir_average_destroy(average->trace);
        free(average);
    }
}

static double frames_in(double seconds, double hop_seconds)
{
    return fmax(floor(seconds / hop_seconds * (1 + 1e-9)), 1);
}

uint64_t weir_split_frames(const weir_averages *averages, double hop_seconds)
{
    const weir_trace_average *trace = &averages->trace;
    double part = trace->kind == WEIR_TRACE_EXPONENTIAL ? STEPS_A_TIME : 1;
    double line = averages->line_frames ? (double)averages->line_frames
                                        : frames_in(averages->line_seconds, hop_seconds);
    double own = trace->kind == WEIR_TRACE_AS_LINES ? line
                 : trace->frames                    ? (double)trace->frames
                                                    : frames_in(trace->seconds / part, hop_seconds);
    double finer = fmin(line, own), coarser = fmax(line, own);
    for (double n = finer; n >= finer / 2; n--) {
        if (fmod(finer, n) == 0 && fmod(coarser, n) == 0) {
            return (uint64_t)n;
        }
    }
    return (uint64_t)finer;
}
