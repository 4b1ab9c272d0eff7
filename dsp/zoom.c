#include "dsp/zoom.h"

#include "dsp/decimate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 2048,    /* samples that go through all stages at a time: what a cache holds */
    LO_BLOCK = 256,  /* samples of one oscillator table, aligned to the sample number     */
    MAX_STAGES = 24, /* half-bands */
    MAX_ODD = 4095,
};
#define MAX_DECIMATION (UINT64_C(1) << 24)
#define PASS_EDGE (WEIR_ZOOM_USABLE / 2) /* of the output rate */
/* What would alias to just outside of the usable span is taken out too, for the window of a
 * transform spreads it into the span: this much is 4 bins of 400, the main lobe of a good one. */
#define MARGIN 0.01

/* n components (not samples) of an interleaved stream to floats, as weir_format_unpack. */
typedef void expand_function(const void *raw, size_t n, float *out);

struct weir_zoom {
    weir_zoom_config config;
    size_t stride_bytes;
    expand_function *expand; /* NULL: weir_format_unpack */
    uint64_t step;           /* of the oscillator per sample, 2^64 is a turn */
    uint64_t sample;         /* number of the next */
    uint64_t delay;
    size_t n_stages;
    weir_halfband *stages[MAX_STAGES];
    weir_decimator *last; /* NULL for decimation 1 */
    float table_re[LO_BLOCK], table_im[LO_BLOCK];
    float unpacked[2 * LO_BLOCK];
    float re[CHUNK + WEIR_DECIMATE_SLACK], im[CHUNK + WEIR_DECIMATE_SLACK];
};

/* ---- fast paths for the formats that arrive fast ---- */

static void expand_u8(const void *raw, size_t n, float *out)
{
    const uint8_t *p = raw;
    for (size_t i = 0; i < n; i++) {
        out[i] = ((float)p[i] - 127.5f) * (1 / 127.5f);
    }
}

static void expand_s8(const void *raw, size_t n, float *out)
{
    const int8_t *p = raw;
    for (size_t i = 0; i < n; i++) {
        out[i] = (float)p[i] * (1 / 128.0f);
    }
}

static void expand_s16(const void *raw, size_t n, float *out)
{
    const unsigned char *p = raw;
    for (size_t i = 0; i < n; i++) {
        int16_t value;
        memcpy(&value, p + 2 * i, sizeof value);
        out[i] = (float)value * (1 / 32768.0f);
    }
}

static void expand_f32(const void *raw, size_t n, float *out)
{
    static const float limit = (float)WEIR_SAMPLE_LIMIT;
    const unsigned char *p = raw;
    for (size_t i = 0; i < n; i++) {
        float value;
        memcpy(&value, p + 4 * i, sizeof value);
        float limited = value > limit ? limit : value < -limit ? -limit : value;
        out[i] = fabsf(value) <= FLT_MAX ? limited : 0; /* not NaN, not infinite */
    }
}

static expand_function *fast_path(const weir_sample_format *format)
{
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (format->channels != 1) {
        return NULL;
    }
    switch (format->scalar) {
    case WEIR_U8:
        return expand_u8;
    case WEIR_S8:
        return expand_s8;
    case WEIR_S16LE:
        return little ? expand_s16 : NULL;
    case WEIR_F32LE:
        return little ? expand_f32 : NULL;
    default:
        return NULL;
    }
}

/* ---- making one ---- */

static uint64_t odd_part(uint64_t n)
{
    while (n > 1 && n % 2 == 0) {
        n /= 2;
    }
    return n;
}

uint64_t weir_zoom_decimation_for(double rate_hz, double span_hz)
{
    double most = WEIR_ZOOM_USABLE * rate_hz / span_hz * (1 + 1e-12);
    if (!(most >= 2)) {
        return 1;
    }
    uint64_t d = most >= (double)MAX_DECIMATION ? MAX_DECIMATION : (uint64_t)most;
    /* Small odd parts: the last filter is the longer, the larger its factor. */
    while (odd_part(d) > 15) {
        d--;
    }
    return d;
}

static weir_status check_config(const weir_zoom_config *c, weir_error *err)
{
    if (!(c->rate_hz > 0) || isinf(c->rate_hz)) {
        return weir_fail(err, WEIR_ERR_USAGE, "zoom: a sample rate of %g Hz is not possible",
                         c->rate_hz);
    }
    double low = c->format.is_complex ? -c->rate_hz / 2 : 0;
    if (!(c->offset_hz >= low && c->offset_hz <= c->rate_hz / 2)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "zoom: the centre is %.9g Hz off, must be %.9g to %.9g Hz", c->offset_hz,
                         low, c->rate_hz / 2);
    }
    uint64_t least = c->format.is_complex ? 1 : 2;
    if (c->decimation < least || c->decimation > MAX_DECIMATION ||
        odd_part(c->decimation) > MAX_ODD) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "zoom: decimation by %llu is not possible: %llu to 2^24, a power of two "
                         "times an odd number up to %d",
                         (unsigned long long)c->decimation, (unsigned long long)least, MAX_ODD);
    }
    if (c->channel >= c->format.channels) {
        return weir_fail(err, WEIR_ERR_USAGE, "zoom: no channel %u of %u", c->channel,
                         c->format.channels);
    }
    return WEIR_OK;
}

/* Half-bands while the rest is even and more than 2; the last filter, whose transition is
 * the sharp one, does the rest. */
static weir_status make_filters(weir_zoom *z, weir_error *err)
{
    uint64_t rest = z->config.decimation, rate = 1;
    weir_status status = WEIR_OK;
    while (rest > 2 && rest % 2 == 0) {
        weir_halfband **stage = &z->stages[z->n_stages];
        status = weir_halfband_create(stage, PASS_EDGE / (double)rest, CHUNK, err);
        if (status) {
            return status;
        }
        z->n_stages++;
        z->delay += rate * weir_halfband_delay(*stage);
        rest /= 2;
        rate *= 2;
    }
    if (rest > 1) {
        status = weir_decimator_create(&z->last, (size_t)rest, PASS_EDGE, 1 - PASS_EDGE - MARGIN,
                                       CHUNK, err);
        z->delay += status ? 0 : rate * weir_decimator_delay(z->last);
    }
    return status;
}

static void make_oscillator(weir_zoom *z)
{
    double turns = z->config.offset_hz / z->config.rate_hz;
    uint64_t forward = (uint64_t)ldexp(fabs(turns), 64); /* at most half a turn */
    z->step = turns > 0 ? 0 - forward : forward;
    double gain = z->config.format.is_complex ? 1 : 2;
    for (uint64_t k = 0; k < LO_BLOCK; k++) {
        double angle = 2 * M_PI * ldexp((double)(int64_t)(k * z->step), -64);
        z->table_re[k] = (float)(gain * cos(angle));
        z->table_im[k] = (float)(gain * sin(angle));
    }
}

weir_status weir_zoom_create(weir_zoom **out, const weir_zoom_config *config, weir_error *err)
{
    *out = NULL;
    weir_status status = check_config(config, err);
    if (status) {
        return status;
    }
    weir_zoom *z = calloc(1, sizeof *z);
    if (!z) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for the zoom");
    }
    z->config = *config;
    z->stride_bytes = weir_format_stride_bytes(&config->format);
    z->expand = fast_path(&config->format);
    make_oscillator(z);
    status = make_filters(z, err);
    if (status) {
        weir_zoom_destroy(z);
        return status;
    }
    *out = z;
    return WEIR_OK;
}

void weir_zoom_begin(weir_zoom *zoom, uint64_t first_sample)
{
    zoom->sample = first_sample;
    for (size_t i = 0; i < zoom->n_stages; i++) {
        weir_halfband_reset(zoom->stages[i]);
    }
    if (zoom->last) {
        weir_decimator_reset(zoom->last);
    }
}

/* ---- running ---- */

static void unpack(weir_zoom *z, const void *raw, size_t n)
{
    if (z->expand) {
        z->expand(raw, z->config.format.is_complex ? 2 * n : n, z->unpacked);
    } else {
        weir_format_unpack(&z->config.format, z->config.channel, raw, n, z->unpacked);
    }
    if (z->config.iq && z->config.format.is_complex) {
        weir_iq_tracker_apply(z->config.iq, z->unpacked, n);
    }
}

static void mix_complex(const float *restrict x, const float *restrict y,
                        const float *restrict table_re, const float *restrict table_im,
                        const float turn[2], size_t n, float *restrict re, float *restrict im)
{
    for (size_t k = 0; k < n; k++) {
        float lo_re = table_re[k] * turn[0] - table_im[k] * turn[1];
        float lo_im = table_re[k] * turn[1] + table_im[k] * turn[0];
        re[k] = x[2 * k] * lo_re - y[2 * k] * lo_im;
        im[k] = x[2 * k] * lo_im + y[2 * k] * lo_re;
    }
}

static void mix_real(const float *restrict x, const float *restrict table_re,
                     const float *restrict table_im, const float turn[2], size_t n,
                     float *restrict re, float *restrict im)
{
    for (size_t k = 0; k < n; k++) {
        re[k] = x[k] * (table_re[k] * turn[0] - table_im[k] * turn[1]);
        im[k] = x[k] * (table_re[k] * turn[1] + table_im[k] * turn[0]);
    }
}

/* Up to the end of an oscillator block. The table is turned to the block's own phase,
 * which depends on the sample number alone. */
static size_t mix_block(weir_zoom *z, const void *raw, size_t n, float *re, float *im)
{
    size_t from = (size_t)(z->sample % LO_BLOCK);
    n = n < LO_BLOCK - from ? n : LO_BLOCK - from;
    uint64_t phase = (z->sample - from) * z->step;
    double angle = 2 * M_PI * ldexp((double)(int64_t)phase, -64);
    const float turn[2] = {(float)cos(angle), (float)sin(angle)};
    unpack(z, raw, n);
    const float *x = z->unpacked;
    if (!z->config.format.is_complex) {
        mix_real(x, z->table_re + from, z->table_im + from, turn, n, re, im);
    } else {
        bool swap = z->config.iq_swap;
        mix_complex(x + swap, x + !swap, z->table_re + from, z->table_im + from, turn, n, re, im);
    }
    z->sample += n;
    return n;
}

static size_t run_chunk(weir_zoom *z, const unsigned char *raw, size_t n, float *out)
{
    for (size_t done = 0; done < n;) {
        done += mix_block(z, raw + done * z->stride_bytes, n - done, z->re + done, z->im + done);
    }
    for (size_t i = 0; i < z->n_stages; i++) {
        n = weir_halfband_push(z->stages[i], z->re, z->im, n, z->re, z->im);
    }
    if (z->last) {
        n = weir_decimator_push(z->last, z->re, z->im, n, z->re, z->im);
    }
    for (size_t k = 0; k < n; k++) {
        out[2 * k] = z->re[k];
        out[2 * k + 1] = z->im[k];
    }
    return n;
}

size_t weir_zoom_push(weir_zoom *zoom, const void *raw, size_t n_samples, float *out)
{
    const unsigned char *at = raw;
    size_t n_out = 0;
    while (n_samples > 0) {
        size_t n = n_samples < CHUNK ? n_samples : CHUNK;
        n_out += run_chunk(zoom, at, n, out + 2 * n_out);
        at += n * zoom->stride_bytes;
        n_samples -= n;
    }
    return n_out;
}

uint64_t weir_zoom_outputs(const weir_zoom *zoom, uint64_t n_inputs)
{
    uint64_t span = 2 * zoom->delay + 1;
    return n_inputs < span ? 0 : (n_inputs - span) / zoom->config.decimation + 1;
}

uint64_t weir_zoom_delay_samples(const weir_zoom *zoom)
{
    return zoom->delay;
}

double weir_zoom_rate_hz(const weir_zoom *zoom)
{
    return zoom->config.rate_hz / (double)zoom->config.decimation;
}

double weir_zoom_usable_hz(const weir_zoom *zoom)
{
    return (zoom->last ? WEIR_ZOOM_USABLE : 1) * weir_zoom_rate_hz(zoom);
}

void weir_zoom_destroy(weir_zoom *zoom)
{
    if (!zoom) {
        return;
    }
    for (size_t i = 0; i < zoom->n_stages; i++) {
        weir_halfband_destroy(zoom->stages[i]);
    }
    weir_decimator_destroy(zoom->last);
    free(zoom);
}
