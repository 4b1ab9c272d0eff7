#include "capture/tuner.h"

#include "base/text.h"
#include "base/units.h"
#include "capture/sources.h"
#include "capture/synth_encode.h"
#include "capture/synth_recipe.h"
#include "capture/synth_signal.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "tuner:"
#define BLOCK WEIR_SYNTH_BLOCK
#define MOST_TEXT 4096
#define MOST_HZ 1e11
#define FLAT_PART 0.75
#define RUBBISH_KEY UINT64_C(0x7275626269736800)

typedef struct tuner {
    weir_source base;
    weir_synth_recipe recipe;
    double full_amplitude[WEIR_SYNTH_CARRIERS]; /* before the filter */
    weir_synth_signal *signal;
    double settle_seconds, rolloff_db, step_hz;
    uint64_t next;         /* stream sample              */
    uint64_t settled_from; /* before it there is rubbish */
    double center_hz;
    _Atomic double wanted_hz;
} tuner;

const char *weir_tuner_help(void)
{
    return "carrier=HZ@DBFS  a carrier at this absolute frequency; may be repeated\n"
           "settle=TIME      what comes as rubbish after a change of tuning; 2ms\n"
           "rolloff=DB       how far the filter is down at the band's edges; 0\n"
           "step=HZ          it tunes to whole multiples of this only; 1\n"
           "and the items of synth:\n";
}

/* ---- tuning ---- */

/* Flat in the middle, then down by the square of the way to the edge. */
static double filter_gain(const tuner *t, double offset_hz)
{
    double edge = fabs(offset_hz) / (t->recipe.rate_hz / 2);
    double way = (edge - FLAT_PART) / (1 - FLAT_PART);
    return way > 0 ? pow(10, -t->rolloff_db * way * way / 20) : 1;
}

static void tune(tuner *t, double center_hz)
{
    for (size_t i = 0; i < t->recipe.n_carriers; i++) {
        weir_synth_carrier *c = &t->recipe.carriers[i];
        double offset_hz = c->hz + t->recipe.center_hz - center_hz;
        c->amplitude = t->full_amplitude[i] * filter_gain(t, offset_hz);
    }
    t->center_hz = center_hz;
    weir_synth_signal_tune(t->signal, center_hz);
}

static weir_status tuner_control(weir_source *source, const char *key, double value,
                                 weir_error *err)
{
    tuner *t = (tuner *)source;
    if (strcmp(key, "center_hz") != 0) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "%s: has no setting \"%.32s\"",
                         source->info.name, key);
    }
    if (!(fabs(value) <= MOST_HZ)) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: cannot tune to %g Hz", source->info.name, value);
    }
    atomic_store(&t->wanted_hz, round(value / t->step_hz) * t->step_hz);
    return WEIR_OK;
}

/* ---- samples ---- */

static void write_rubbish(const tuner *t, size_t n, unsigned char *out)
{
    const weir_sample_format *f = &t->recipe.format;
    size_t bytes = weir_scalar_bytes(f->scalar), parts = f->is_complex ? 2 : 1;
    for (size_t k = 0; k < n; k++) {
        uint64_t h = weir_synth_hash(RUBBISH_KEY + t->recipe.seed, t->next + k);
        float values[2] = {(float)(int32_t)h * 0x1p-31f, (float)(int32_t)(h >> 32) * 0x1p-31f};
        weir_synth_encode(f->scalar, values, NULL, parts, out + k * parts * bytes, bytes);
    }
}

static void write_signal(tuner *t, size_t n, unsigned char *out)
{
    const weir_sample_format *f = &t->recipe.format;
    size_t bytes = weir_scalar_bytes(f->scalar), stride = weir_format_stride_bytes(f);
    for (size_t done = 0; done < n;) {
        uint64_t at = t->next + done;
        size_t offset = (size_t)(at % BLOCK);
        size_t run = BLOCK - offset < n - done ? BLOCK - offset : n - done;
        const float *part[2];
        weir_synth_signal_block(t->signal, at / BLOCK, 0, &part[0], &part[1]);
        for (size_t p = 0; p < (f->is_complex ? 2u : 1u); p++) {
            weir_synth_encode(f->scalar, part[p] + offset, NULL, run,
                              out + done * stride + p * bytes, stride);
        }
        done += run;
    }
}

static weir_status tuner_read(weir_source *source, void *memory, size_t max_samples,
                              weir_read *result, weir_error *err)
{
    tuner *t = (tuner *)source;
    double wanted_hz = atomic_load(&t->wanted_hz);
    (void)err;
    if (wanted_hz != t->center_hz) {
        tune(t, wanted_hz);
        t->settled_from = t->next + (uint64_t)(t->settle_seconds * t->recipe.rate_hz);
        result->new_segment = true;
        result->rate_hz = t->recipe.rate_hz;
        result->center_hz = wanted_hz;
        result->time_unix_ns = WEIR_UNKNOWN_TIME;
    }
    uint64_t left = t->recipe.n_samples - t->next;
    size_t n = left < max_samples ? (size_t)left : max_samples;
    if (t->next < t->settled_from) {
        n = t->settled_from - t->next < n ? (size_t)(t->settled_from - t->next) : n;
        write_rubbish(t, n, memory);
    } else {
        write_signal(t, n, memory);
    }
    t->next += n;
    result->n_samples = n;
    return WEIR_OK;
}

/* ---- the recipe ---- */

typedef struct own_carriers {
    double hz[WEIR_SYNTH_CARRIERS], dbfs[WEIR_SYNTH_CARRIERS];
    size_t n;
} own_carriers;

static weir_status add_carrier(own_carriers *carriers, char *value, weir_error *err)
{
    char *at = strchr(value, '@');
    if (!at) {
        return weir_fail(err, WEIR_ERR_USAGE, "it is a frequency and a level: 100.3M@-20");
    }
    if (carriers->n == WEIR_SYNTH_CARRIERS) {
        return weir_fail(err, WEIR_ERR_USAGE, "at most %d carriers", WEIR_SYNTH_CARRIERS);
    }
    *at = '\0';
    weir_status status = weir_parse_hz(value, &carriers->hz[carriers->n], err);
    if (status == WEIR_OK) {
        status = weir_parse_db(at + 1, &carriers->dbfs[carriers->n], err);
    }
    carriers->n += status == WEIR_OK;
    return status;
}

/* One item: ours, or *rest gets it for the synthesizer. */
static weir_status read_item(tuner *t, own_carriers *carriers, char *item, char *rest,
                             weir_error *err)
{
    char shown[80];
    weir_printable(shown, sizeof shown, item);
    char *value = strchr(item, '=');
    size_t length = value ? (size_t)(value - item) : 0;
    weir_status status = WEIR_OK;
    if (length == 7 && strncmp(item, "carrier", 7) == 0) {
        status = add_carrier(carriers, value + 1, err);
    } else if (length == 6 && strncmp(item, "settle", 6) == 0) {
        status = weir_parse_seconds(value + 1, &t->settle_seconds, err);
    } else if (length == 7 && strncmp(item, "rolloff", 7) == 0) {
        status = weir_parse_db(value + 1, &t->rolloff_db, err);
    } else if (length == 4 && strncmp(item, "step", 4) == 0) {
        status = weir_parse_hz(value + 1, &t->step_hz, err);
        if (status == WEIR_OK && !(t->step_hz > 0)) {
            status = weir_fail(err, WEIR_ERR_USAGE, "it must be above 0 Hz");
        }
    } else {
        strcat(strcat(rest, ","), item);
    }
    return status == WEIR_OK ? WEIR_OK : weir_fail_context(err, "tuner: %s", shown);
}

/* What is heard when nothing is said: stations of different strength. */
static void add_default_band(own_carriers *carriers)
{
    for (int i = 0; i < 20; i++) {
        carriers->hz[carriers->n] = 88.5e6 + 1e6 * i;
        carriers->dbfs[carriers->n++] = -20 - 7 * (i % 5);
    }
}

static weir_status add_to_recipe(tuner *t, const own_carriers *carriers, weir_error *err)
{
    weir_synth_recipe *r = &t->recipe;
    if (r->n_carriers + carriers->n > WEIR_SYNTH_CARRIERS) {
        return weir_fail(err, WEIR_ERR_USAGE, "tuner: at most %d carriers", WEIR_SYNTH_CARRIERS);
    }
    for (size_t i = 0; i < carriers->n; i++) {
        r->carriers[r->n_carriers++] = (weir_synth_carrier){
            .kind = WEIR_SYNTH_TONE,
            .hz = carriers->hz[i] - r->center_hz,
            .amplitude = pow(10, carriers->dbfs[i] / 20),
            .phase_turns = 0.37 * (double)i, /* so that their peaks do not all add up */
        };
    }
    for (size_t i = 0; i < r->n_carriers; i++) {
        t->full_amplitude[i] = r->carriers[i].amplitude;
    }
    return WEIR_OK;
}

static weir_status parse(tuner *t, const char *text, const weir_source_options *options,
                         weir_error *err)
{
    char copy[MOST_TEXT], rest[MOST_TEXT + 32] = "silence";
    own_carriers carriers = {.n = 0};
    if (strlen(text) >= sizeof copy) {
        return weir_fail(err, WEIR_ERR_USAGE, "tuner: a recipe has less than %d characters",
                         MOST_TEXT);
    }
    strcpy(copy, text);
    char *state = NULL;
    for (char *item = strtok_r(copy, ",", &state); item; item = strtok_r(NULL, ",", &state)) {
        weir_status status = read_item(t, &carriers, item, rest, err);
        if (status != WEIR_OK) {
            return status;
        }
    }
    weir_source_options own = *options;
    own.format = own.format ? own.format : "cs16";
    weir_status status = weir_synth_recipe_parse(&t->recipe, rest, &own, err);
    if (status != WEIR_OK) {
        return weir_fail_context(err, "tuner (its own items: carrier, settle, rolloff, step)");
    }
    const weir_synth_recipe *r = &t->recipe;
    if (r->n_drops || r->n_retunes || r->n_nans || r->ramp || r->format.channels != 1) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "tuner: drop, retune, nan, ramp and channels are for synth: only");
    }
    if (text[0] == '\0') {
        add_default_band(&carriers);
    }
    return add_to_recipe(t, &carriers, err);
}

/* ---- the source ---- */

static void tuner_close(weir_source *source)
{
    if (source) {
        weir_synth_signal_destroy(((tuner *)source)->signal);
        free(source);
    }
}

static void describe(tuner *t, const char *argument)
{
    weir_source_info *info = &t->base.info;
    char format[32], rate[32];
    info->format = t->recipe.format;
    info->rate_hz = t->recipe.rate_hz;
    info->center_hz = t->center_hz;
    info->n_samples = t->recipe.n_samples;
    info->time_unix_ns = WEIR_UNKNOWN_TIME;
    weir_printable(info->name, sizeof info->name, argument);
    weir_snprintf(info->description, sizeof info->description, "synthetic tuner, %s, %sS/s",
                  weir_format_name(&info->format, format, sizeof format),
                  weir_format_si(rate, sizeof rate, info->rate_hz));
}

static bool tuner_accepts(const char *argument)
{
    return strncmp(argument, PREFIX, strlen(PREFIX)) == 0;
}

static weir_status tuner_open(weir_source **out, const char *argument,
                              const weir_source_options *options, weir_error *err)
{
    tuner *t = calloc(1, sizeof *t);
    if (!t) {
        return weir_fail(err, WEIR_ERR_NOMEM, "tuner: out of memory");
    }
    t->base.class_ = &weir_source_tuner;
    t->settle_seconds = 0.002;
    t->step_hz = 1;
    weir_status status = parse(t, argument + strlen(PREFIX), options, err);
    if (status == WEIR_OK) {
        status = weir_synth_signal_create(&t->signal, &t->recipe, err);
    }
    if (status != WEIR_OK) {
        tuner_close(&t->base);
        return status;
    }
    tune(t, round(t->recipe.center_hz / t->step_hz) * t->step_hz);
    atomic_init(&t->wanted_hz, t->center_hz);
    describe(t, argument);
    *out = &t->base;
    return WEIR_OK;
}

const weir_source_class weir_source_tuner = {
    .name = "tuner",
    .syntax = "tuner:RECIPE",
    .help = "a receiver that can be tuned, over a made-up band; for sweeps and tests",
    .manual = weir_tuner_help,
    .takes = WEIR_TAKES_RECIPE,
    .accepts = tuner_accepts,
    .open = tuner_open,
    .close = tuner_close,
    .read = tuner_read,
    .control = tuner_control,
};
