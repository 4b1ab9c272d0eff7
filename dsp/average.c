#include "dsp/average.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct weir_average {
    weir_average_mode mode;
    double seconds;
    uint64_t frames; /* of a mean; 0: by seconds */
    size_t max_bins;
    double *sum;          /* state, max_bins */
    float *power;         /* result, max_bins */
    weir_spectrum result; /* counts so far   */
    double spanned_s;     /* of a mean       */
    uint64_t index;
    bool empty;
};

/* Combines a spectrum into the state; the first one is taken as it is, with weight
 * n_frames for the mean. */
typedef void combine_function(double *state, const float *power, size_t n, double weight);

static void add_mean(double *state, const float *power, size_t n, double frames)
{
    for (size_t i = 0; i < n; i++) {
        state[i] += frames * (double)power[i];
    }
}

static void add_exponential(double *state, const float *power, size_t n, double alpha)
{
    for (size_t i = 0; i < n; i++) {
        state[i] += alpha * ((double)power[i] - state[i]);
    }
}

static void add_max(double *state, const float *power, size_t n, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++) {
        state[i] = (double)power[i] > state[i] ? (double)power[i] : state[i];
    }
}

static void add_min(double *state, const float *power, size_t n, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++) {
        state[i] = (double)power[i] < state[i] ? (double)power[i] : state[i];
    }
}

static const struct {
    const char *name;
    combine_function *combine;
} modes[WEIR_AVERAGE_COUNT] = {
    [WEIR_AVERAGE_MEAN] = {"mean", add_mean},
    [WEIR_AVERAGE_EXPONENTIAL] = {"exponential", add_exponential},
    [WEIR_AVERAGE_MAX] = {"max", add_max},
    [WEIR_AVERAGE_MIN] = {"min", add_min},
};

weir_status weir_average_create(weir_average **out, weir_average_mode mode, double seconds,
                                size_t max_bins, weir_error *err)
{
    *out = NULL;
    bool timed = mode == WEIR_AVERAGE_MEAN || mode == WEIR_AVERAGE_EXPONENTIAL;
    if (timed && !(seconds > 0)) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s average: %g seconds, must be above 0",
                         modes[mode].name, seconds);
    }
    weir_average *a = calloc(1, sizeof *a);
    if (a) {
        *a = (weir_average){.mode = mode, .seconds = seconds, .max_bins = max_bins, .empty = true};
        a->sum = calloc(max_bins, sizeof *a->sum);
        a->power = calloc(max_bins, sizeof *a->power);
    }
    if (!a || !a->sum || !a->power) {
        weir_average_destroy(a);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for an average of %zu bins", max_bins);
    }
    *out = a;
    return WEIR_OK;
}

static void begin(weir_average *a, const weir_spectrum *s, weir_trace trace)
{
    a->result = *s;
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        a->result.power[t] = NULL;
    }
    a->result.power[trace] = a->power;
    a->result.is_partial = false;
    a->spanned_s = 0;
    a->empty = false;
    double weight = a->mode == WEIR_AVERAGE_MEAN ? (double)s->n_frames : 1;
    for (size_t i = 0; i < s->n_bins; i++) {
        a->sum[i] = weight * (double)s->power[trace][i];
    }
}

static void combine(weir_average *a, const weir_spectrum *s, weir_trace trace)
{
    weir_spectrum *r = &a->result;
    double weight = (double)s->n_frames;
    if (a->mode == WEIR_AVERAGE_EXPONENTIAL) {
        double passed = (double)s->end_sample - (double)r->end_sample;
        weight = -expm1(-fmax(passed, 0) / s->rate_hz / a->seconds);
    }
    modes[a->mode].combine(a->sum, s->power[trace], s->n_bins, weight);
    r->end_sample = s->end_sample;
    r->n_frames += s->n_frames;
    r->lost_inside += s->lost_before + s->lost_inside;
    r->clipped += s->clipped;
    r->nonfinite += s->nonfinite;
}

void weir_average_set_frames(weir_average *average, uint64_t frames)
{
    average->frames = frames;
}

size_t weir_average_max_bins(const weir_average *average)
{
    return average->max_bins;
}

static const weir_spectrum *show(weir_average *a, bool is_partial)
{
    double scale = a->mode == WEIR_AVERAGE_MEAN ? 1 / (double)a->result.n_frames : 1;
    for (size_t i = 0; i < a->result.n_bins; i++) {
        a->power[i] = (float)(scale * a->sum[i]);
    }
    a->result.is_partial = is_partial;
    a->result.index = a->index;
    return &a->result;
}

static const weir_spectrum *result(weir_average *a, bool is_partial)
{
    (void)show(a, is_partial);
    a->index++;
    a->empty = a->mode == WEIR_AVERAGE_MEAN;
    return &a->result;
}

/* A billionth, for T that is a whole number of spectra but for rounding. */
static bool is_complete(const weir_average *a)
{
    return a->mode != WEIR_AVERAGE_MEAN ||
           (a->frames ? a->result.n_frames >= a->frames : a->spanned_s >= a->seconds * (1 - 1e-9));
}

const weir_spectrum *weir_average_add(weir_average *average, const weir_spectrum *spectrum,
                                      weir_trace trace)
{
    if (spectrum->n_bins > average->max_bins || spectrum->n_frames == 0) {
        return NULL;
    }
    uint64_t from = average->result.end_sample;
    if (average->empty || !weir_spectrum_same_axis(&average->result, spectrum)) {
        from = spectrum->first_sample;
        begin(average, spectrum, trace);
    } else {
        combine(average, spectrum, trace);
    }
    average->spanned_s += ((double)spectrum->end_sample - (double)from) / spectrum->rate_hz;
    return is_complete(average) ? result(average, false) : NULL;
}

const weir_spectrum *weir_average_so_far(weir_average *average)
{
    return average->empty ? NULL : show(average, true);
}

const weir_spectrum *weir_average_flush(weir_average *average)
{
    if (average->empty || average->mode != WEIR_AVERAGE_MEAN) {
        return NULL;
    }
    return result(average, true);
}

void weir_average_reset(weir_average *average)
{
    average->empty = true;
}

void weir_average_destroy(weir_average *average)
{
    if (average) {
        free(average->sum);
        free(average->power);
        free(average);
    }
}
