#include "capture/synth_recipe.h"

#include "base/text.h"
#include "base/units.h"
#include "capture/synth.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define MAX_TEXT 16384
#define MAX_FIELDS 6
#define MAX_SYMBOLS (UINT64_C(1) << 20) /* a burst is walked through after a seek */
#define MAX_PERIOD_SAMPLES 0x1p48
#define MAX_CHANNELS 64

/* One item's text, cut into "a:b:c" and what follows "@". */
typedef struct fields {
    char *part[MAX_FIELDS];
    size_t n;
    char *level;
} fields;

typedef enum item_kind {
    STREAM,  /* what the others are checked against: read first, given once */
    SETTING, /* of the stream, or what goes wrong                           */
    SIGNAL,
    CARRIER, /* a signal with "@DBFS" */
} item_kind;

typedef struct item {
    const char *name;
    const char *syntax;
    item_kind kind;
    size_t n_fields; /* before "@"; 0: a word alone */
    weir_status (*set)(weir_synth_recipe *r, const fields *f, weir_error *err);
} item;

/* ---- setters of the stream ---- */

static weir_status set_format(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    return weir_format_parse(f->part[0], &r->format, err);
}

static weir_status set_rate(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    double hz;
    weir_status status = weir_parse_hz(f->part[0], &hz, err);
    if (status == WEIR_OK && !(hz > 0)) {
        return weir_fail(err, WEIR_ERR_USAGE, "a rate is above 0 Hz");
    }
    r->rate_hz = status == WEIR_OK ? hz : r->rate_hz;
    return status;
}

static weir_status set_center(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    return weir_parse_hz(f->part[0], &r->center_hz, err);
}

static weir_status set_channels(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    uint64_t n;
    weir_status status = weir_parse_count(f->part[0], &n, err);
    if (status == WEIR_OK && (n < 1 || n > MAX_CHANNELS)) {
        return weir_fail(err, WEIR_ERR_USAGE, "1 to %d channels are possible", MAX_CHANNELS);
    }
    r->format.channels = status == WEIR_OK ? (unsigned)n : 1;
    return status;
}

static weir_status set_seconds(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    double seconds;
    weir_status status = weir_parse_seconds(f->part[0], &seconds, err);
    if (status != WEIR_OK) {
        return status;
    }
    double samples = round(seconds * r->rate_hz);
    if (!(samples >= 1 && samples < 0x1p63)) {
        return weir_fail(err, WEIR_ERR_USAGE, "a length from one sample to 2^63 is possible");
    }
    r->n_samples = (uint64_t)samples;
    return WEIR_OK;
}

static weir_status set_seed(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    return weir_parse_count(f->part[0], &r->seed, err);
}

static weir_status set_dither(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    uint64_t on;
    weir_status status = weir_parse_count(f->part[0], &on, err);
    if (status == WEIR_OK && on > 1) {
        return weir_fail(err, WEIR_ERR_USAGE, "0 or 1");
    }
    r->dither = status == WEIR_OK && on == 1;
    return status;
}

static weir_status too_many(weir_error *err, size_t most)
{
    return weir_fail(err, WEIR_ERR_USAGE, "at most %zu of these are possible", most);
}

static weir_status set_drop(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    uint64_t sample, count;
    weir_status status = weir_parse_count(f->part[0], &sample, err);
    status = status == WEIR_OK ? weir_parse_count(f->part[1], &count, err) : status;
    if (status != WEIR_OK) {
        return status;
    }
    if (count < 1 || count > sample) {
        return weir_fail(err, WEIR_ERR_USAGE, "from 1 to SAMPLE samples can be lost before it");
    }
    if (r->n_drops == WEIR_SYNTH_EVENTS) {
        return too_many(err, WEIR_SYNTH_EVENTS);
    }
    r->drops[r->n_drops++] = (weir_synth_drop){sample - count, sample};
    return WEIR_OK;
}

static weir_status set_retune(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    weir_synth_retune retune;
    weir_status status = weir_parse_count(f->part[0], &retune.sample, err);
    status = status == WEIR_OK ? weir_parse_hz(f->part[1], &retune.center_hz, err) : status;
    if (status != WEIR_OK) {
        return status;
    }
    if (!r->format.is_complex) {
        return weir_fail(err, WEIR_ERR_USAGE, "only complex formats have a centre to change");
    }
    if (r->n_retunes == WEIR_SYNTH_EVENTS) {
        return too_many(err, WEIR_SYNTH_EVENTS);
    }
    r->retunes[r->n_retunes++] = retune;
    return WEIR_OK;
}

/* ---- setters of signals ---- */

static weir_status level_of(const fields *f, double *amplitude, weir_error *err)
{
    double db;
    weir_status status = weir_parse_db(f->level, &db, err);
    if (status == WEIR_OK && !(db >= -400 && db <= 60)) {
        return weir_fail(err, WEIR_ERR_USAGE, "a level from -400 to 60 dBFS is possible");
    }
    *amplitude = status == WEIR_OK ? pow(10, db / 20) : 0;
    return status;
}

/* A frequency that lies in the band. */
static weir_status in_band(const weir_synth_recipe *r, double hz, weir_error *err)
{
    double low = r->format.is_complex ? -r->rate_hz / 2 : 0;
    if (hz >= low && hz <= r->rate_hz / 2) {
        return WEIR_OK;
    }
    char shown[3][48];
    return weir_fail(err, WEIR_ERR_USAGE, "%s lies outside the band, %s to %s",
                     weir_format_hz(shown[0], sizeof shown[0], hz, 0),
                     weir_format_hz(shown[1], sizeof shown[1], low, 0),
                     weir_format_hz(shown[2], sizeof shown[2], r->rate_hz / 2, 0));
}

static weir_status add_carrier(weir_synth_recipe *r, const weir_synth_carrier *carrier,
                               weir_error *err)
{
    weir_status status = in_band(r, carrier->hz, err);
    if (status == WEIR_OK && r->n_carriers == WEIR_SYNTH_CARRIERS) {
        return too_many(err, WEIR_SYNTH_CARRIERS);
    }
    if (status == WEIR_OK) {
        r->carriers[r->n_carriers++] = *carrier;
    }
    return status;
}

/* The first n fields as frequencies, and the level. */
static weir_status hz_and_level(const fields *f, size_t n, double *hz, double *amplitude,
                                weir_error *err)
{
    for (size_t i = 0; i < n; i++) {
        weir_status status = weir_parse_hz(f->part[i], &hz[i], err);
        if (status != WEIR_OK) {
            return status;
        }
    }
    return level_of(f, amplitude, err);
}

static weir_status set_tone(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    weir_synth_carrier c = {.kind = WEIR_SYNTH_TONE};
    /* The phase follows the level: "@-10:90". */
    fields own = *f;
    char *degrees = strchr(own.level, ':');
    if (degrees) {
        *degrees++ = '\0';
        double value;
        weir_status status = weir_parse_number(degrees, &value, err);
        if (status != WEIR_OK) {
            return status;
        }
        c.phase_turns = fmod(value, 360) / 360;
    }
    weir_status status = hz_and_level(&own, 1, &c.hz, &c.amplitude, err);
    return status == WEIR_OK ? add_carrier(r, &c, err) : status;
}

static weir_status period_of(const weir_synth_recipe *r, double seconds, uint64_t *samples,
                             weir_error *err)
{
    double n = round(seconds * r->rate_hz);
    if (!(n >= 1 && n <= MAX_PERIOD_SAMPLES)) {
        return weir_fail(err, WEIR_ERR_USAGE, "a time of at least one sample (%.3g s) is needed",
                         1 / r->rate_hz);
    }
    *samples = (uint64_t)n;
    return WEIR_OK;
}

static weir_status set_chirp(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    weir_synth_carrier c = {.kind = WEIR_SYNTH_CHIRP};
    double hz[2], seconds;
    weir_status status = hz_and_level(f, 2, hz, &c.amplitude, err);
    status = status == WEIR_OK ? weir_parse_seconds(f->part[2], &seconds, err) : status;
    status = status == WEIR_OK ? period_of(r, seconds, &c.period_samples, err) : status;
    status = status == WEIR_OK ? in_band(r, hz[1], err) : status;
    if (status != WEIR_OK) {
        return status;
    }
    c.hz = hz[0];
    c.width_hz = hz[1] - hz[0];
    return add_carrier(r, &c, err);
}

static weir_status set_fm(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    weir_synth_carrier c = {.kind = WEIR_SYNTH_FM};
    double hz[3];
    weir_status status = hz_and_level(f, 3, hz, &c.amplitude, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (!(hz[1] >= 0 && hz[1] <= r->rate_hz / 2 && hz[2] > 0 && hz[1] / hz[2] <= 1e6)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "DEVIATION is 0 to half the rate, AUDIO above a millionth of it");
    }
    c.hz = hz[0];
    c.width_hz = hz[1];
    c.modulation_hz = hz[2];
    return add_carrier(r, &c, err);
}

/* A carrier with a cosine on it is three tones. */
static weir_status set_am(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    const double depth = 0.5;
    weir_synth_carrier c = {.kind = WEIR_SYNTH_TONE};
    double hz[2];
    weir_status status = hz_and_level(f, 2, hz, &c.amplitude, err);
    double level = c.amplitude;
    for (int side = -1; side <= 1 && status == WEIR_OK; side++) {
        c.hz = hz[0] + side * hz[1];
        c.amplitude = side == 0 ? level : level * depth / 2;
        status = add_carrier(r, &c, err);
    }
    return status;
}

/* Milliseconds, unless there is a unit. */
static weir_status parse_ms(const char *text, double *seconds, weir_error *err)
{
    char with_unit[64];
    size_t length = strlen(text);
    bool plain =
        length > 0 && (isdigit((unsigned char)text[length - 1]) || text[length - 1] == '.');
    weir_snprintf(with_unit, sizeof with_unit, "%s%s", text, plain ? "ms" : "");
    return weir_parse_seconds(with_unit, seconds, err);
}

static weir_status set_fsk(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    weir_synth_carrier c = {.kind = WEIR_SYNTH_FSK};
    double hz[3], on, period;
    weir_status status = hz_and_level(f, 3, hz, &c.amplitude, err);
    status = status == WEIR_OK ? parse_ms(f->part[3], &on, err) : status;
    status = status == WEIR_OK ? parse_ms(f->part[4], &period, err) : status;
    status = status == WEIR_OK ? period_of(r, on, &c.on_samples, err) : status;
    status = status == WEIR_OK ? period_of(r, period, &c.period_samples, err) : status;
    if (status != WEIR_OK) {
        return status;
    }
    if (!(hz[2] > 0 && hz[2] <= r->rate_hz) || c.on_samples > c.period_samples) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "BAUD is above 0, at most the rate; ON at most PERIOD");
    }
    if ((double)c.on_samples / r->rate_hz * hz[2] > (double)MAX_SYMBOLS) {
        return weir_fail(err, WEIR_ERR_USAGE, "at most 2^20 bits a burst are possible");
    }
    c.hz = hz[0];
    c.width_hz = hz[1];
    c.modulation_hz = hz[2];
    return add_carrier(r, &c, err);
}

/* The power of a full-scale sine is 1/2, that of a complex tone 1 = 2 * 1/2: either way
 * 0 dBFS is a variance of 1/2 in each component. */
static weir_status set_noise(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    fields level = {.level = f->part[0]};
    double amplitude = 0;
    weir_status status = level_of(&level, &amplitude, err);
    if (status == WEIR_OK) {
        r->noise_sigma = hypot(r->noise_sigma, amplitude * sqrt(0.5));
    }
    return status;
}

static weir_status set_dc(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    double level;
    weir_status status = weir_parse_number(f->part[0], &level, err);
    if (status == WEIR_OK && fabs(level) > 1000) {
        return weir_fail(err, WEIR_ERR_USAGE, "a level from -1000 to 1000 is possible");
    }
    r->dc += status == WEIR_OK ? level : 0;
    return status;
}

static weir_status set_silence(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    (void)r;
    (void)f;
    (void)err;
    return WEIR_OK;
}

static weir_status set_ramp(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    (void)f;
    (void)err;
    r->ramp = true;
    return WEIR_OK;
}

/* Looks good on a waterfall; in shares of the rate, so at any rate. */
static weir_status set_demo(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    (void)f;
    static const struct {
        weir_synth_kind kind;
        double at, db, width, modulation, on_seconds, period_seconds;
    } band[] = {
        {WEIR_SYNTH_TONE, -0.42, -34, 0, 0, 0, 0},
        {WEIR_SYNTH_TONE, -0.31, -52, 0, 0, 0, 0},
        {WEIR_SYNTH_TONE, -0.1333, -36, 0, 0, 0, 0}, /* with two sidebands: AM */
        {WEIR_SYNTH_TONE, -0.1313, -48, 0, 0, 0, 0},
        {WEIR_SYNTH_TONE, -0.1353, -48, 0, 0, 0, 0},
        {WEIR_SYNTH_TONE, 0.05, -20, 0, 0, 0, 0},
        {WEIR_SYNTH_TONE, 0.0917, -60, 0, 0, 0, 0},
        {WEIR_SYNTH_TONE, 0.40, -44, 0, 0, 0, 0},
        {WEIR_SYNTH_FM, 0.28, -24, 0.03125, 0.000625, 0, 0},
        {WEIR_SYNTH_FM, -0.05, -40, 0.005, 0.0003, 0, 0},
        {WEIR_SYNTH_FSK, -0.22, -28, 0.02, 0.004, 0.12, 0.5},
        {WEIR_SYNTH_FSK, 0.16, -38, 0.008, 0.002, 0.03, 0.21},
        {WEIR_SYNTH_CHIRP, -0.48, -46, 0.96, 0, 0, 8},
    };
    double scale = r->format.is_complex ? r->rate_hz : r->rate_hz / 2;
    double offset = r->format.is_complex ? 0 : 0.5; /* real formats: folded into 0 .. rate/2 */
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < sizeof band / sizeof band[0] && status == WEIR_OK; i++) {
        double on = fmin(band[i].on_seconds * r->rate_hz, MAX_PERIOD_SAMPLES);
        double period = fmin(band[i].period_seconds * r->rate_hz, MAX_PERIOD_SAMPLES);
        weir_synth_carrier c = {
            .kind = band[i].kind,
            .hz = (band[i].at + offset) * scale,
            .amplitude = pow(10, band[i].db / 20),
            .width_hz = band[i].width * scale,
            .modulation_hz = band[i].modulation * scale,
            .on_samples = 1 + (uint64_t)on,
            .period_samples = 2 + (uint64_t)period,
        };
        /* At extreme rates a burst stays within what can be walked through. */
        c.on_samples = c.on_samples < MAX_SYMBOLS * 64 ? c.on_samples : MAX_SYMBOLS * 64;
        status = add_carrier(r, &c, err);
    }
    r->noise_sigma = hypot(r->noise_sigma, pow(10, -42.0 / 20) * sqrt(0.5));
    return status;
}

static weir_status set_iq(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    double db, degrees;
    weir_status status = weir_parse_db(f->part[0], &db, err);
    status = status == WEIR_OK ? weir_parse_number(f->part[1], &degrees, err) : status;
    if (status != WEIR_OK) {
        return status;
    }
    if (!r->format.is_complex) {
        return weir_fail(err, WEIR_ERR_USAGE, "only complex formats have I and Q");
    }
    if (!(fabs(db) <= 100)) {
        return weir_fail(err, WEIR_ERR_USAGE, "a gain from -100 to 100 dB is possible");
    }
    r->has_iq = true;
    r->iq_gain = pow(10, db / 20);
    r->iq_phase_rad = fmod(degrees, 360) / 180 * PI;
    return WEIR_OK;
}

static weir_status set_clip(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    (void)f;
    (void)err;
    r->clip = true;
    return WEIR_OK;
}

static weir_status set_nan(weir_synth_recipe *r, const fields *f, weir_error *err)
{
    uint64_t sample;
    weir_status status = weir_parse_count(f->part[0], &sample, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (!weir_scalar_is_float(r->format.scalar)) {
        return weir_fail(err, WEIR_ERR_USAGE, "only float formats (cf32, f32 ...) have NaN");
    }
    if (r->n_nans == WEIR_SYNTH_EVENTS) {
        return too_many(err, WEIR_SYNTH_EVENTS);
    }
    r->nans[r->n_nans++] = sample;
    return WEIR_OK;
}

/* ---- the items ---- */

#define ITEMS(X)                                                                                   \
    X(format, "format=NAME", "cu8 (default), cs16, cf32, s16, f32 ...", STREAM, 1)                 \
    X(rate, "rate=HZ", "2.4M; real formats 48k", STREAM, 1)                                        \
    X(center, "center=HZ", "100M; real formats 0", STREAM, 1)                                      \
    X(channels, "channels=N", "1; channel c is c dB lower, with noise of its own", STREAM, 1)      \
    X(seed, "seed=N", "of noise, bits and dither; 1", STREAM, 1)                                   \
    X(dither, "dither=1", "triangular dither before rounding", STREAM, 1)                          \
    X(seconds, "seconds=TIME", "endless without it", SETTING, 1)                                   \
    X(drop, "drop=SAMPLE:N", "the N samples before that one are lost", SETTING, 2)                 \
    X(retune, "retune=SAMPLE:HZ", "another centre from that sample on", SETTING, 2)                \
    X(iq, "iq=DB:DEGREES", "imbalance of Q", SETTING, 2)                                           \
    X(clip, "clip", "floats limited to +-1", SETTING, 0)                                           \
    X(tone, "tone=HZ@DBFS[:DEGREES]", "a carrier", CARRIER, 1)                                     \
    X(chirp, "chirp=LO:HI:TIME@DBFS", "a sweep, again and again", CARRIER, 3)                      \
    X(fm, "fm=HZ:DEVIATION:AUDIO@DBFS", "frequency-modulated by a sine", CARRIER, 3)               \
    X(am, "am=HZ:AUDIO@DBFS", "amplitude-modulated by a sine, 50 %", CARRIER, 2)                   \
    X(fsk, "fsk=HZ:SHIFT:BAUD:ON:PERIOD@DBFS", "bursts of random bits; times in ms", CARRIER, 5)   \
    X(noise, "noise=DBFS", "white; its total power", SIGNAL, 1)                                    \
    X(dc, "dc=LEVEL", "added to I or the real sample; 1 is full scale", SIGNAL, 1)                 \
    X(silence, "silence", "nothing", SIGNAL, 0)                                                    \
    X(demo, "demo", "the demo band, which a recipe without signals is", SIGNAL, 0)                 \
    X(ramp, "ramp", "codes that count the samples", SIGNAL, 0)                                     \
    X(nan, "nan=SAMPLE", "that sample is not a number (float formats)", SIGNAL, 1)

#define ROW(name, syntax, help, kind, n_fields) {#name, syntax, kind, n_fields, set_##name},
static const item items[] = {ITEMS(ROW)};
enum { ITEM_COUNT = sizeof items / sizeof items[0] };

#define HELP(name, syntax, help, kind, n_fields) "  " syntax "\n        " help "\n"
const char *weir_synth_help(void)
{
    return "Items of synth:RECIPE, with commas between; HZ relative to the first centre:\n" ITEMS(
        HELP);
}

static const item *find_item(const char *name)
{
    for (size_t i = 0; i < ITEM_COUNT; i++) {
        if (strcmp(items[i].name, name) == 0) {
            return &items[i];
        }
    }
    return NULL;
}

static weir_status unknown_item(const char *name, weir_error *err)
{
    char list[256] = "", shown[64];
    for (size_t i = 0; i < ITEM_COUNT; i++) {
        weir_list_add(list, sizeof list, "%s", items[i].name);
    }
    return weir_fail(err, WEIR_ERR_USAGE, "synth: no item is called \"%s\"; items: %s",
                     weir_printable(shown, sizeof shown, name), list);
}

/* ---- reading ---- */

/* Cuts "a:b:c@level" in place. */
static weir_status cut(const item *it, char *value, fields *f, weir_error *err)
{
    *f = (fields){0};
    if (it->n_fields == 0) {
        return value ? weir_fail(err, WEIR_ERR_USAGE, "it takes no value") : WEIR_OK;
    }
    if (!value) {
        return weir_fail(err, WEIR_ERR_USAGE, "a value is missing");
    }
    f->level = it->kind == CARRIER ? strchr(value, '@') : NULL;
    if (it->kind == CARRIER && !f->level) {
        return weir_fail(err, WEIR_ERR_USAGE, "the level is missing");
    }
    if (f->level) {
        *f->level++ = '\0';
    }
    for (char *at = value; at && f->n < MAX_FIELDS; f->n++) {
        f->part[f->n] = at;
        at = strchr(at, ':');
        if (at) {
            *at++ = '\0';
        }
    }
    if (f->n != it->n_fields) {
        return weir_fail(err, WEIR_ERR_USAGE, "%zu values, %zu are needed", f->n, it->n_fields);
    }
    return WEIR_OK;
}

typedef struct reading {
    weir_synth_recipe *recipe;
    bool stream_pass; /* the first: STREAM items; the second: all others */
    bool any_signal;
    uint32_t given; /* a bit for each item */
} reading;

static weir_status read_item(reading *in, const char *text, weir_error *err)
{
    char name[256], shown[128];
    if (strlen(text) >= sizeof name) {
        return weir_fail(err, WEIR_ERR_USAGE, "synth: an item of %zu characters", strlen(text));
    }
    memcpy(name, text, strlen(text) + 1);
    char *value = strchr(name, '=');
    if (value) {
        *value++ = '\0';
    }
    const item *it = find_item(name);
    if (!it) {
        return unknown_item(name, err);
    }
    if ((it->kind == STREAM) != in->stream_pass) {
        return WEIR_OK;
    }
    uint32_t bit = UINT32_C(1) << (it - items);
    bool may_repeat = it->kind != STREAM && it->set != set_seconds;
    fields f;
    weir_status status = cut(it, value, &f, err);
    if (status == WEIR_OK && !may_repeat && (in->given & bit)) {
        status = weir_fail(err, WEIR_ERR_USAGE, "it is given twice");
    }
    status = status == WEIR_OK ? it->set(in->recipe, &f, err) : status;
    in->given |= bit;
    in->any_signal = in->any_signal || it->kind >= SIGNAL;
    if (status != WEIR_OK) {
        weir_fail_context(err, "synth: %s (%s)", weir_printable(shown, sizeof shown, text),
                          it->syntax);
    }
    return status;
}

static weir_status read_pass(reading *in, bool stream_pass, const char *text, weir_error *err)
{
    char copy[MAX_TEXT];
    memcpy(copy, text, strlen(text) + 1);
    in->stream_pass = stream_pass;
    char *rest = copy;
    for (char *one = strsep(&rest, ","); one; one = strsep(&rest, ",")) {
        weir_status status = *one ? read_item(in, one, err) : WEIR_OK;
        if (status != WEIR_OK) {
            return status;
        }
    }
    return WEIR_OK;
}

/* ---- defaults and checks ---- */

static weir_status begin_with_options(weir_synth_recipe *r, const weir_source_options *options,
                                      weir_error *err)
{
    *r = (weir_synth_recipe){
        .format = {.scalar = WEIR_U8, .is_complex = true, .channels = 1},
        .rate_hz = options->rate_hz,
        .center_hz = options->center_hz,
        .n_samples = WEIR_UNKNOWN_SAMPLES,
        .seed = 1,
    };
    if (options->channels > MAX_CHANNELS) {
        return weir_fail(err, WEIR_ERR_USAGE, "synth: 1 to %d channels are possible", MAX_CHANNELS);
    }
    r->format.channels = options->channels ? options->channels : 1;
    return options->format ? weir_format_parse(options->format, &r->format, err) : WEIR_OK;
}

static void fill_defaults(weir_synth_recipe *r)
{
    if (r->rate_hz == 0) {
        r->rate_hz = r->format.is_complex ? 2.4e6 : 48e3;
    }
    if (isnan(r->center_hz)) {
        r->center_hz = r->format.is_complex ? 100e6 : 0;
    }
    r->format.valid_bits = 0;
}

static int by_first(const void *a, const void *b)
{
    uint64_t x = ((const weir_synth_drop *)a)->first, y = ((const weir_synth_drop *)b)->first;
    return (x > y) - (x < y);
}

static int by_sample(const void *a, const void *b)
{
    uint64_t x = ((const weir_synth_retune *)a)->sample;
    uint64_t y = ((const weir_synth_retune *)b)->sample;
    return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static weir_status finish(weir_synth_recipe *r, weir_error *err)
{
    qsort(r->drops, r->n_drops, sizeof r->drops[0], by_first);
    qsort(r->retunes, r->n_retunes, sizeof r->retunes[0], by_sample);
    qsort(r->nans, r->n_nans, sizeof r->nans[0], by_value);
    for (size_t i = 0; i < r->n_drops; i++) {
        if (r->drops[i].end > r->n_samples || (i > 0 && r->drops[i].first < r->drops[i - 1].end)) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "synth: drop=%llu:%llu: drops lie within the "
                             "stream and do not overlap",
                             (unsigned long long)r->drops[i].end,
                             (unsigned long long)(r->drops[i].end - r->drops[i].first));
        }
    }
    if (r->ramp && (r->n_carriers || r->noise_sigma > 0 || r->dc != 0 || r->has_iq || r->dither)) {
        return weir_fail(err, WEIR_ERR_USAGE, "synth: ramp: it excludes other signals");
    }
    return WEIR_OK;
}

weir_status weir_synth_recipe_parse(weir_synth_recipe *recipe, const char *text,
                                    const weir_source_options *options, weir_error *err)
{
    if (strlen(text) >= MAX_TEXT) {
        return weir_fail(err, WEIR_ERR_USAGE, "synth: a recipe has less than %d characters",
                         MAX_TEXT);
    }
    weir_status status = begin_with_options(recipe, options, err);
    reading in = {.recipe = recipe};
    status = status == WEIR_OK ? read_pass(&in, true, text, err) : status;
    if (status != WEIR_OK) {
        return status;
    }
    fill_defaults(recipe);
    status = read_pass(&in, false, text, err);
    if (status == WEIR_OK && !in.any_signal) {
        status = set_demo(recipe, NULL, err);
    }
    return status == WEIR_OK ? finish(recipe, err) : status;
}
