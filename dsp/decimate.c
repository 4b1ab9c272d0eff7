#include "dsp/decimate.h"

#include "dsp/window.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define STOP_DB 110.0
#define KAISER_BETA (0.1102 * (STOP_DB - 8.7)) /* Kaiser 1974 */

/* Four floats at once, in any compiler that knows GNU vectors, on any machine. */
typedef float float4 __attribute__((vector_size(16)));

static inline float4 load4(const float *p)
{
    float4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store4(float *p, float4 v)
{
    memcpy(p, &v, sizeof v);
}

/* Taps for a transition band, as a part of the rate (Kaiser's estimate). */
static size_t taps_needed(double transition)
{
    return (size_t)ceil((STOP_DB - 7.95) / (14.36 * transition)) + 1;
}

/* A low-pass of odd length, cut-off as a part of the rate, with gain 1 at 0. */
static weir_status design(double cutoff, size_t n_taps, double *taps, weir_error *err)
{
    const weir_window *kaiser;
    double unused, sum = 0;
    weir_status status = weir_window_parse("kaiser", &kaiser, &unused, err);
    if (!status) {
        /* The periodic form of one less is the symmetric one without its last sample. */
        status = weir_window_fill(kaiser, KAISER_BETA, taps, n_taps - 1, err);
    }
    if (status) {
        return status;
    }
    taps[n_taps - 1] = taps[0];
    for (size_t i = 0; i < n_taps; i++) {
        double x = (double)i - (double)(n_taps / 2);
        taps[i] *= x == 0 ? 2 * cutoff : sin(2 * M_PI * cutoff * x) / (M_PI * x);
        sum += taps[i];
    }
    for (size_t i = 0; i < n_taps; i++) {
        taps[i] /= sum;
    }
    return WEIR_OK;
}

static weir_status no_memory(weir_error *err)
{
    return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a decimating filter");
}

/* ---- by 2 ----
 *
 * All taps at an even distance from the middle are 0 but the middle, 1/2. With even and
 * odd samples apart, e and o, and P pairs of taps h:
 *     y[m] = o[m + P - 1] / 2 + sum over j < P of h[j] (e[m + P - 1 - j] + e[m + P + j]) */

typedef struct halves {
    float *even, *odd;
} halves;

struct weir_halfband {
    size_t pairs;
    float *pair;    /* h */
    halves part[2]; /* re, im */
    size_t n_even, n_odd;
};

static size_t halfband_room(size_t pairs, size_t max_push)
{
    return max_push / 2 + 2 * pairs + 2 + WEIR_DECIMATE_SLACK;
}

static weir_status design_halfband(weir_halfband *f, weir_error *err)
{
    size_t n_taps = 4 * f->pairs - 1;
    double *taps = malloc(n_taps * sizeof *taps);
    if (!taps) {
        return no_memory(err);
    }
    weir_status status = design(0.25, n_taps, taps, err);
    double sum = 0;
    for (size_t j = 0; j < f->pairs && !status; j++) {
        sum += taps[2 * f->pairs - 1 + 2 * j + 1];
    }
    for (size_t j = 0; j < f->pairs && !status; j++) {
        /* All pairs together are the other half of the gain of 1. */
        f->pair[j] = (float)(taps[2 * f->pairs - 1 + 2 * j + 1] * 0.25 / sum);
    }
    free(taps);
    return status;
}

weir_status weir_halfband_create(weir_halfband **out, double pass_edge, size_t max_push,
                                 weir_error *err)
{
    *out = NULL;
    if (!(pass_edge > 0 && pass_edge < 0.25) || max_push > SIZE_MAX / 64) {
        return weir_fail(err, WEIR_ERR_USAGE, "a half-band filter cannot keep %g of its rate",
                         pass_edge);
    }
    size_t pairs = (taps_needed(0.5 - 2 * pass_edge) + 1 + 3) / 4;
    size_t room = halfband_room(pairs, max_push);
    weir_halfband *f = calloc(1, sizeof *f);
    float *memory = calloc(pairs + 4 * room, sizeof *memory);
    if (!f || !memory) {
        free(f);
        free(memory);
        return no_memory(err);
    }
    f->pairs = pairs;
    f->pair = memory;
    for (int p = 0; p < 2; p++) {
        f->part[p].even = memory + pairs + (size_t)(2 * p) * room;
        f->part[p].odd = f->part[p].even + room;
    }
    weir_status status = design_halfband(f, err);
    if (status) {
        weir_halfband_destroy(f);
        return status;
    }
    *out = f;
    return WEIR_OK;
}

static void append_halves(halves part, const float *x, size_t n, size_t n_even, size_t n_odd)
{
    float *restrict even = part.even + n_even, *restrict odd = part.odd + n_odd;
    size_t i = 0;
    if (n_even > n_odd && n > 0) {
        *odd++ = x[i++];
    }
    size_t whole = (n - i) / 2;
    const float *restrict from = x + i;
    for (size_t k = 0; k < whole; k++) {
        even[k] = from[2 * k];
        odd[k] = from[2 * k + 1];
    }
    if ((n - i) % 2) {
        even[whole] = from[2 * whole];
    }
}

/* 16 outputs at a time, all of them: what lies beyond n is never looked at. */
static void filter_halves(const weir_halfband *f, halves part, size_t n, float *y)
{
    size_t pairs = f->pairs;
    for (size_t m = 0; m < n; m += 16) {
        const float *odd = part.odd + m + pairs - 1, *even = part.even + m + pairs - 1;
        float4 a = load4(odd) * 0.5f, b = load4(odd + 4) * 0.5f;
        float4 c = load4(odd + 8) * 0.5f, d = load4(odd + 12) * 0.5f;
        for (size_t j = 0; j < pairs; j++) {
            const float *left = even - j, *right = even + 1 + j;
            float h = f->pair[j];
            a += (load4(left) + load4(right)) * h;
            b += (load4(left + 4) + load4(right + 4)) * h;
            c += (load4(left + 8) + load4(right + 8)) * h;
            d += (load4(left + 12) + load4(right + 12)) * h;
        }
        store4(y + m, a);
        store4(y + m + 4, b);
        store4(y + m + 8, c);
        store4(y + m + 12, d);
    }
}

size_t weir_halfband_push(weir_halfband *filter, const float *re, const float *im, size_t n,
                          float *out_re, float *out_im)
{
    weir_halfband *f = filter;
    append_halves(f->part[0], re, n, f->n_even, f->n_odd);
    append_halves(f->part[1], im, n, f->n_even, f->n_odd);
    size_t total = f->n_even + f->n_odd + n;
    f->n_odd = total / 2;
    f->n_even = total - f->n_odd;
    size_t span = 2 * f->pairs - 1; /* of even samples, less one */
    size_t by_even = f->n_even > span ? f->n_even - span : 0;
    size_t by_odd = f->n_odd >= f->pairs ? f->n_odd - f->pairs + 1 : 0;
    size_t n_out = by_even < by_odd ? by_even : by_odd;
    if (n_out == 0) {
        return 0;
    }
    filter_halves(f, f->part[0], n_out, out_re);
    filter_halves(f, f->part[1], n_out, out_im);
    f->n_even -= n_out;
    f->n_odd -= n_out;
    for (int p = 0; p < 2; p++) {
        memmove(f->part[p].even, f->part[p].even + n_out, f->n_even * sizeof(float));
        memmove(f->part[p].odd, f->part[p].odd + n_out, f->n_odd * sizeof(float));
    }
    return n_out;
}

size_t weir_halfband_delay(const weir_halfband *filter)
{
    return 2 * filter->pairs - 1;
}

void weir_halfband_reset(weir_halfband *filter)
{
    filter->n_even = filter->n_odd = 0;
}

void weir_halfband_destroy(weir_halfband *filter)
{
    if (filter) {
        free(filter->pair);
        free(filter);
    }
}

/* ---- by any factor ---- */

struct weir_decimator {
    size_t factor;
    size_t n_taps;  /* odd                                    */
    size_t n_steps; /* of eight taps, those beyond n_taps are 0 */
    float *taps;
    float *part[2]; /* re, im */
    size_t n_held;
};

weir_status weir_decimator_create(weir_decimator **out, size_t factor, double pass_edge,
                                  double stop_edge, size_t max_push, weir_error *err)
{
    *out = NULL;
    if (factor < 2 || factor > 1u << 20 || !(pass_edge > 0) || !(stop_edge - pass_edge > 1e-3) ||
        stop_edge > 1 || max_push > SIZE_MAX / 64) {
        return weir_fail(err, WEIR_ERR_USAGE, "a filter cannot decimate by %zu", factor);
    }
    size_t n_taps = taps_needed((stop_edge - pass_edge) / (double)factor) | 1;
    size_t n_steps = (n_taps + 7) / 8;
    size_t room = n_taps + factor + max_push + 8;
    weir_decimator *f = calloc(1, sizeof *f);
    float *memory = calloc(8 * n_steps + 2 * room, sizeof *memory);
    double *design_taps = calloc(n_taps, sizeof *design_taps);
    weir_status status = f && memory && design_taps ? WEIR_OK : no_memory(err);
    if (!status) {
        status = design((pass_edge + stop_edge) / 2 / (double)factor, n_taps, design_taps, err);
    }
    if (status) {
        free(f);
        free(memory);
        free(design_taps);
        return status;
    }
    *f = (weir_decimator){.factor = factor, .n_taps = n_taps, .n_steps = n_steps, .taps = memory};
    f->part[0] = memory + 8 * n_steps;
    f->part[1] = f->part[0] + room;
    for (size_t i = 0; i < n_taps; i++) {
        f->taps[i] = (float)design_taps[i];
    }
    free(design_taps);
    *out = f;
    return WEIR_OK;
}

static float dot(const float *taps, const float *x, size_t n_steps)
{
    float4 a = {0, 0, 0, 0}, b = {0, 0, 0, 0};
    for (size_t i = 0; i < 8 * n_steps; i += 8) {
        a += load4(taps + i) * load4(x + i);
        b += load4(taps + i + 4) * load4(x + i + 4);
    }
    a += b;
    return (a[0] + a[1]) + (a[2] + a[3]);
}

size_t weir_decimator_push(weir_decimator *filter, const float *re, const float *im, size_t n,
                           float *out_re, float *out_im)
{
    weir_decimator *f = filter;
    memcpy(f->part[0] + f->n_held, re, n * sizeof(float));
    memcpy(f->part[1] + f->n_held, im, n * sizeof(float));
    f->n_held += n;
    size_t n_out = 0, at = 0;
    for (; at + f->n_taps <= f->n_held; at += f->factor) {
        out_re[n_out] = dot(f->taps, f->part[0] + at, f->n_steps);
        out_im[n_out++] = dot(f->taps, f->part[1] + at, f->n_steps);
    }
    /* A filter has more taps than its factor, so all that is passed over is held. */
    f->n_held -= at;
    memmove(f->part[0], f->part[0] + at, f->n_held * sizeof(float));
    memmove(f->part[1], f->part[1] + at, f->n_held * sizeof(float));
    return n_out;
}

size_t weir_decimator_delay(const weir_decimator *filter)
{
    return filter->n_taps / 2;
}

void weir_decimator_reset(weir_decimator *filter)
{
    filter->n_held = 0;
}

void weir_decimator_destroy(weir_decimator *filter)
{
    if (filter) {
        free(filter->taps);
        free(filter);
    }
}
