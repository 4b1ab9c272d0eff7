#include "capture/synth_signal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK WEIR_SYNTH_BLOCK
#define TURN 6.28318530717958647692
#define TABLE_BITS 10
#define TABLE ((size_t)1 << TABLE_BITS)

/* Keys of the hash, apart for each use. */
#define NOISE_KEY UINT64_C(0x6e6f697365000000)
#define BITS_KEY UINT64_C(0x6269747300000000)

/* Phases and steps are fixed-point: 2^64 is one turn, and overflow is the reduction. */
typedef struct carrier {
    const weir_synth_carrier *recipe;
    bool audible;   /* within the band the receiver is tuned to */
    uint64_t phase; /* at sample 0 */
    uint64_t step;
    float amplitude;
    float re[BLOCK], im[BLOCK]; /* tone: what the step does in a block */
    /* chirp */
    uint64_t acceleration;
    /* fm */
    uint64_t audio_step;
    double swing_turns;
    /* fsk */
    uint64_t shift_step; /* half the shift */
    uint64_t symbol_samples;
    uint64_t key;
    uint64_t burst, symbol; /* where `sum` stands */
    int64_t sum;            /* of the signs of the symbols before it */
} carrier;

struct weir_synth_signal {
    const weir_synth_recipe *recipe;
    double center_hz;
    bool has_block;
    uint64_t block;
    float re[BLOCK], im[BLOCK];         /* the carriers' sum      */
    float out_re[BLOCK], out_im[BLOCK]; /* with a channel's noise */
    float cosine[TABLE], sine[TABLE];
    carrier carriers[];
};

/* ---- phases ---- */

static uint64_t fixed_turns(long double turns)
{
    long double scaled = roundl((turns - floorl(turns)) * 0x1p64L);
    return scaled >= 0x1p64L ? 0 : (uint64_t)scaled;
}

static double radians(uint64_t phase)
{
    return (double)(int64_t)phase * (TURN * 0x1p-64);
}

/* exp(i phase) of a 32-bit phase: a table and the first three terms of what is left, good
 * to 2^-24. */
static inline void phasor(const weir_synth_signal *s, uint32_t phase, float *re, float *im)
{
    uint32_t half = UINT32_C(1) << (31 - TABLE_BITS);
    uint32_t index = (phase + half) >> (32 - TABLE_BITS);
    int32_t rest = (int32_t)(phase - (index << (32 - TABLE_BITS)));
    float d = (float)rest * (float)(TURN * 0x1p-32);
    float c = 1 - 0.5f * d * d;
    float t_re = s->cosine[index % TABLE], t_im = s->sine[index % TABLE];
    *re = t_re * c - t_im * d;
    *im = t_im * c + t_re * d;
}

static void fill_table(weir_synth_signal *s)
{
    for (size_t i = 0; i < TABLE; i++) {
        s->cosine[i] = (float)cos(TURN * (double)i / (double)TABLE);
        s->sine[i] = (float)sin(TURN * (double)i / (double)TABLE);
    }
}

/* ---- the carriers ---- */

static void tune_carrier(const weir_synth_signal *s, carrier *c)
{
    const weir_synth_recipe *r = s->recipe;
    double shift_hz = r->center_hz - s->center_hz;
    double hz = c->recipe->hz + shift_hz;
    c->step = fixed_turns((long double)hz / (long double)r->rate_hz);
    double far = hz + (c->recipe->kind == WEIR_SYNTH_CHIRP ? c->recipe->width_hz : 0);
    c->audible = fabs(hz) <= r->rate_hz / 2 || fabs(far) <= r->rate_hz / 2;
    for (size_t k = 0; c->recipe->kind == WEIR_SYNTH_TONE && k < BLOCK; k++) {
        c->re[k] = (float)cos(radians(c->step * k));
        c->im[k] = (float)sin(radians(c->step * k));
    }
}

static void init_carrier(const weir_synth_signal *s, carrier *c, size_t index)
{
    const weir_synth_carrier *from = &s->recipe->carriers[index];
    long double rate = (long double)s->recipe->rate_hz;
    c->recipe = from;
    c->phase = fixed_turns((long double)from->phase_turns);
    c->amplitude = (float)from->amplitude;
    if (from->kind == WEIR_SYNTH_CHIRP) {
        c->acceleration =
            fixed_turns((long double)from->width_hz / rate / (long double)from->period_samples);
    } else if (from->kind == WEIR_SYNTH_FM) {
        c->audio_step = fixed_turns((long double)from->modulation_hz / rate);
        c->swing_turns = from->width_hz / from->modulation_hz / TURN;
    } else if (from->kind == WEIR_SYNTH_FSK) {
        c->shift_step = fixed_turns((long double)from->width_hz / 2 / rate);
        double symbol = round(s->recipe->rate_hz / from->modulation_hz);
        /* A bit longer than the burst is as long as the burst. */
        symbol = fmin(symbol, (double)from->on_samples);
        c->symbol_samples = symbol < 1 ? 1 : (uint64_t)symbol;
        c->key = weir_synth_hash(BITS_KEY + s->recipe->seed, index);
        c->burst = UINT64_MAX;
    }
}

/* The block's first phase in double, then products of unit phasors: no error adds up. */
static void add_tone(weir_synth_signal *s, carrier *c, uint64_t first)
{
    double phase = radians(c->phase + c->step * first);
    float a_re = (float)(c->recipe->amplitude * cos(phase));
    float a_im = (float)(c->recipe->amplitude * sin(phase));
    for (size_t k = 0; k < BLOCK; k++) {
        s->re[k] += a_re * c->re[k] - a_im * c->im[k];
        s->im[k] += a_re * c->im[k] + a_im * c->re[k];
    }
}

static void add_one(weir_synth_signal *s, size_t k, uint32_t phase, float amplitude)
{
    float re, im;
    phasor(s, phase, &re, &im);
    s->re[k] += amplitude * re;
    s->im[k] += amplitude * im;
}

/* Phase after r samples of a sweep: step r + acceleration r (r - 1) / 2. */
static uint64_t chirp_phase(const carrier *c, uint64_t r)
{
    uint64_t pairs = r % 2 ? r * ((r - 1) / 2) : r / 2 * (r - 1);
    return c->step * r + c->acceleration * pairs;
}

static void add_chirp(weir_synth_signal *s, carrier *c, uint64_t first)
{
    uint64_t period = c->recipe->period_samples, r = first % period;
    double hz = c->recipe->hz + s->recipe->center_hz - s->center_hz +
                c->recipe->width_hz * (double)r / (double)period;
    if (fabs(hz) > s->recipe->rate_hz / 2) {
        return;
    }
    uint64_t phase = c->phase + first / period * chirp_phase(c, period) + chirp_phase(c, r);
    uint64_t step = c->step + c->acceleration * r;
    for (size_t k = 0; k < BLOCK; k++) {
        add_one(s, k, (uint32_t)(phase >> 32), c->amplitude);
        phase += step;
        step += c->acceleration;
        if (++r == period) {
            r = 0;
            step = c->step;
        }
    }
}

static void add_fm(weir_synth_signal *s, carrier *c, uint64_t first)
{
    uint64_t phase = c->phase + c->step * first, audio = c->audio_step * first;
    for (size_t k = 0; k < BLOCK; k++) {
        float re, im;
        phasor(s, (uint32_t)(audio >> 32), &re, &im);
        int64_t swing = (int64_t)(c->swing_turns * (double)im * 0x1p32);
        add_one(s, k, (uint32_t)(phase >> 32) + (uint32_t)swing, c->amplitude);
        phase += c->step;
        audio += c->audio_step;
    }
}

static int64_t sign_of(const carrier *c, uint64_t burst, uint64_t symbol)
{
    return weir_synth_hash(c->key + burst * UINT64_C(0xd1342543de82ef95), symbol) & 1 ? 1 : -1;
}

/* Brings `sum` to the symbol; only after a seek is that far. */
static void go_to_symbol(carrier *c, uint64_t burst, uint64_t symbol)
{
    if (c->burst != burst || c->symbol > symbol) {
        c->burst = burst;
        c->symbol = 0;
        c->sum = 0;
    }
    while (c->symbol < symbol) {
        c->sum += sign_of(c, burst, c->symbol++);
    }
}

/* Bursts rise and fall in a symbol, or they would splatter over the band. */
static float edge_gain(const carrier *c, uint64_t r)
{
    uint64_t on = c->recipe->on_samples;
    uint64_t edge = c->symbol_samples < on / 4 ? c->symbol_samples : on / 4;
    uint64_t from_edge = r + 1 < on - r ? r + 1 : on - r;
    return from_edge <= edge ? (float)from_edge / (float)(edge + 1) : 1.0f;
}

/* The samples of one symbol, or of the silence, from sample n = first + k on. */
static size_t add_symbol(weir_synth_signal *s, carrier *c, uint64_t n, size_t k)
{
    uint64_t period = c->recipe->period_samples, on = c->recipe->on_samples;
    uint64_t burst = n / period, r = n % period, symbol = r / c->symbol_samples;
    uint64_t end = (symbol + 1) * c->symbol_samples;
    end = r >= on ? period : (end < on ? end : on);
    size_t run = end - r < BLOCK - k ? (size_t)(end - r) : BLOCK - k;
    if (r >= on) {
        return run;
    }
    go_to_symbol(c, burst, symbol);
    uint64_t sign = (uint64_t)sign_of(c, burst, symbol);
    uint64_t shifted = (uint64_t)c->sum * c->symbol_samples + sign * (r % c->symbol_samples);
    uint64_t phase = c->phase + c->step * n + c->shift_step * shifted;
    for (size_t i = 0; i < run; i++) {
        add_one(s, k + i, (uint32_t)(phase >> 32), c->amplitude * edge_gain(c, r + i));
        phase += c->step + sign * c->shift_step;
    }
    return run;
}

static void add_fsk(weir_synth_signal *s, carrier *c, uint64_t first)
{
    for (size_t k = 0; k < BLOCK;) {
        k += add_symbol(s, c, first + k, k);
    }
}

static void (*const adders[])(weir_synth_signal *s, carrier *c, uint64_t first) = {
    [WEIR_SYNTH_TONE] = add_tone,
    [WEIR_SYNTH_CHIRP] = add_chirp,
    [WEIR_SYNTH_FM] = add_fm,
    [WEIR_SYNTH_FSK] = add_fsk,
};

/* ---- noise ---- */

/* Box and Muller: a Rayleigh radius and an angle, from one hash a sample. */
static void add_noise(weir_synth_signal *s, uint64_t first, unsigned channel)
{
    uint64_t key = weir_synth_hash(NOISE_KEY + s->recipe->seed, channel);
    float sigma = (float)s->recipe->noise_sigma;
    uint32_t angle[BLOCK];
    float radius[BLOCK];
    for (size_t k = 0; k < BLOCK; k++) {
        uint64_t h = weir_synth_hash(key, first + k);
        angle[k] = (uint32_t)(h >> 32);
        radius[k] = ((float)(uint32_t)h + 0.5f) * 0x1p-32f;
    }
    for (size_t k = 0; k < BLOCK; k++) {
        radius[k] = sigma * sqrtf(-2 * logf(radius[k]));
    }
    for (size_t k = 0; k < BLOCK; k++) {
        float re, im;
        phasor(s, angle[k], &re, &im);
        s->out_re[k] += radius[k] * re;
        s->out_im[k] += radius[k] * im;
    }
}

/* ---- the whole ---- */

static void make_carriers(weir_synth_signal *s, uint64_t block)
{
    memset(s->re, 0, sizeof s->re);
    memset(s->im, 0, sizeof s->im);
    for (size_t i = 0; i < s->recipe->n_carriers; i++) {
        carrier *c = &s->carriers[i];
        if (c->audible) {
            adders[c->recipe->kind](s, c, block * BLOCK);
        }
    }
    s->block = block;
    s->has_block = true;
}

/* Q' = gain (Q cos + I sin): louder, and leaning into I. */
static void unbalance(weir_synth_signal *s)
{
    float gain = (float)s->recipe->iq_gain;
    float c = gain * (float)cos(s->recipe->iq_phase_rad);
    float i = gain * (float)sin(s->recipe->iq_phase_rad);
    for (size_t k = 0; k < BLOCK; k++) {
        s->out_im[k] = c * s->out_im[k] + i * s->out_re[k];
    }
}

static void clip(float *values)
{
    for (size_t k = 0; k < BLOCK; k++) {
        values[k] = values[k] > 1 ? 1 : values[k] < -1 ? -1 : values[k];
    }
}

void weir_synth_signal_block(weir_synth_signal *s, uint64_t block, unsigned channel,
                             const float **re, const float **im)
{
    const weir_synth_recipe *r = s->recipe;
    if (!s->has_block || s->block != block) {
        make_carriers(s, block);
    }
    float gain = (float)pow(10, -(double)channel / 20), dc = (float)r->dc;
    for (size_t k = 0; k < BLOCK; k++) {
        s->out_re[k] = gain * s->re[k] + dc;
        s->out_im[k] = gain * s->im[k];
    }
    if (r->noise_sigma > 0) {
        add_noise(s, block * BLOCK, channel);
    }
    if (r->has_iq) {
        unbalance(s);
    }
    if (r->clip) {
        clip(s->out_re);
        clip(s->out_im);
    }
    *re = s->out_re;
    *im = s->out_im;
}

void weir_synth_signal_tune(weir_synth_signal *s, double center_hz)
{
    s->center_hz = center_hz;
    s->has_block = false;
    for (size_t i = 0; i < s->recipe->n_carriers; i++) {
        tune_carrier(s, &s->carriers[i]);
    }
}

weir_status weir_synth_signal_create(weir_synth_signal **out, const weir_synth_recipe *recipe,
                                     weir_error *err)
{
    weir_synth_signal *s = calloc(1, sizeof *s + recipe->n_carriers * sizeof s->carriers[0]);
    *out = s;
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, "synth: out of memory");
    }
    s->recipe = recipe;
    fill_table(s);
    for (size_t i = 0; i < recipe->n_carriers; i++) {
        init_carrier(s, &s->carriers[i], i);
    }
    weir_synth_signal_tune(s, recipe->center_hz);
    return WEIR_OK;
}

void weir_synth_signal_destroy(weir_synth_signal *signal)
{
    free(signal);
}
