#include "app/measure_sound.h"

#include "dsp/engine.h"
#include "dsp/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half of it is a quarter of the fast time constant. */
#define LONGEST_SECONDS (2 * WEIR_TAU_FAST_S / 4)
#define LEAST_POINTS ((size_t)16)
#define BUFFER_FRAMES ((size_t)16)

static const struct {
    weir_weighting weighting;
    double tau_s;
} kinds[WEIR_SOUND_COUNT] = {
    [WEIR_SOUND_AF] = {WEIR_WEIGHT_A, WEIR_TAU_FAST_S},
    [WEIR_SOUND_AS] = {WEIR_WEIGHT_A, WEIR_TAU_SLOW_S},
    [WEIR_SOUND_CF] = {WEIR_WEIGHT_C, WEIR_TAU_FAST_S},
    [WEIR_SOUND_CS] = {WEIR_WEIGHT_C, WEIR_TAU_SLOW_S},
    [WEIR_SOUND_ZF] = {WEIR_WEIGHT_Z, WEIR_TAU_FAST_S},
};

struct weir_sound {
    weir_engine *engine;
    weir_scale scales[WEIR_SOUND_COUNT];
    weir_sound_meter meters[WEIR_SOUND_COUNT];
    weir_spectrum last; /* without its powers */
    size_t stride_bytes, capacity, used;
    uint64_t first_sample; /* of the buffer */
    uint64_t segment, lost_before;
    double rate_hz;
    bool started;
    unsigned char *buffer;
};

static void on_spectrum(void *user, const weir_spectrum *spectrum)
{
    weir_sound *s = user;
    s->last = *spectrum;
    memset(s->last.power, 0, sizeof s->last.power);
    for (int k = 0; k < WEIR_SOUND_COUNT; k++) {
        weir_sound_meter_add(&s->meters[k], spectrum, WEIR_TRACE_MEAN, &s->scales[k]);
    }
}

static weir_status create_engine(weir_sound *s, const weir_sample_format *format, unsigned channel,
                                 size_t n, weir_error *err)
{
    const weir_window *window;
    double parameter;
    double *coefficients = malloc(n * sizeof *coefficients);
    if (!coefficients) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for the sound level meter");
    }
    weir_status status = weir_window_parse("hann", &window, &parameter, err);
    if (status == WEIR_OK) {
        status = weir_window_fill(window, parameter, coefficients, n, err);
    }
    weir_engine_config config = {
        .format = *format,
        .channel = channel,
        .n_fft = n,
        .hop = n / 4, /* squares of hann then add up to a constant: no sample counts for more */
        .window = coefficients,
        .frames_per_spectrum = 1,
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
        .threads = 1,
        .plan = WEIR_PLAN_ESTIMATE,
        .on_spectrum = on_spectrum,
        .user = s,
    };
    if (status == WEIR_OK) {
        status = weir_engine_cpu_create(&s->engine, &config, err);
    }
    free(coefficients);
    return status;
}

weir_status weir_sound_create(weir_sound **out, const weir_sample_format *format, unsigned channel,
                              double rate_hz, const weir_scale *scale, weir_error *err)
{
    *out = NULL;
    size_t n = LEAST_POINTS;
    while ((double)(2 * n) <= rate_hz * LONGEST_SECONDS) {
        n *= 2;
    }
    weir_sound *s = calloc(1, sizeof *s);
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for the sound level meter");
    }
    s->stride_bytes = weir_format_stride_bytes(format);
    s->capacity = BUFFER_FRAMES * n;
    s->rate_hz = rate_hz;
    s->buffer = calloc(s->capacity, s->stride_bytes);
    for (int k = 0; k < WEIR_SOUND_COUNT; k++) {
        s->scales[k] = *scale;
        s->scales[k].quantity = WEIR_SPECTRUM;
        s->scales[k].weighting = kinds[k].weighting;
        weir_sound_meter_init(&s->meters[k], kinds[k].tau_s);
    }
    weir_status status =
        s->buffer ? create_engine(s, format, channel, n, err)
                  : weir_fail(err, WEIR_ERR_NOMEM, "no memory for the sound level meter");
    if (status != WEIR_OK) {
        weir_sound_destroy(s);
        return status;
    }
    *out = s;
    return WEIR_OK;
}

static weir_status push(weir_sound *s, weir_error *err)
{
    weir_run run = {
        .samples = s->buffer,
        .n_samples = s->used,
        .first_sample = s->first_sample,
        .rate_hz = s->rate_hz,
        .lost_before = s->lost_before,
        .segment = s->segment,
        .time_unix_ns = INT64_MIN,
    };
    size_t released;
    weir_status status = weir_engine_push(s->engine, &run, &released, err);
    if (status == WEIR_OK) {
        s->used -= released;
        s->first_sample += released;
        memmove(s->buffer, s->buffer + released * s->stride_bytes, s->used * s->stride_bytes);
    }
    return status;
}

weir_status weir_sound_add(weir_sound *s, uint64_t first_sample, const void *samples,
                           size_t n_samples, weir_error *err)
{
    const unsigned char *from = samples;
    if (first_sample != s->first_sample + s->used) { /* after a gap */
        s->lost_before = s->started ? first_sample - (s->first_sample + s->used) : 0;
        s->segment++;
        s->used = 0;
        s->first_sample = first_sample;
    }
    s->started = true;
    while (n_samples > 0) {
        size_t room = s->capacity - s->used, n = n_samples < room ? n_samples : room;
        memcpy(s->buffer + s->used * s->stride_bytes, from, n * s->stride_bytes);
        s->used += n;
        from += n * s->stride_bytes;
        n_samples -= n;
        weir_status status = push(s, err);
        if (status != WEIR_OK) {
            return status;
        }
    }
    return WEIR_OK;
}

weir_sound_level weir_sound_read(const weir_sound *sound, weir_sound_kind kind)
{
    if (!sound || !sound->meters[kind].started) {
        return (weir_sound_level){NAN, NAN, NAN, 0};
    }
    return weir_sound_meter_read(&sound->meters[kind], &sound->last, &sound->scales[kind]);
}

void weir_sound_restart(weir_sound *sound)
{
    for (int k = 0; k < WEIR_SOUND_COUNT; k++) {
        weir_sound_meter *meter = &sound->meters[k];
        meter->max_fs2 = meter->now_fs2;
        meter->energy_fs2_s = meter->seconds = 0;
    }
}

void weir_sound_destroy(weir_sound *sound)
{
    if (sound) {
        weir_engine_destroy(sound->engine);
        free(sound->buffer);
        free(sound);
    }
}
