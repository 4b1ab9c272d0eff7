#include "capture/synth.h"

#include "base/text.h"
#include "base/units.h"
#include "capture/sources.h"
#include "capture/synth_encode.h"
#include "capture/synth_recipe.h"
#include "capture/synth_signal.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "synth:"
#define BLOCK WEIR_SYNTH_BLOCK
#define DITHER_KEY UINT64_C(0x6469746865720000)

typedef struct synth {
    weir_source base;
    weir_synth_recipe recipe;
    weir_synth_signal *signal;
    uint64_t next; /* stream sample                                    */
    size_t drop;   /* the first one not behind us                      */
    size_t retune; /* the same                                         */
    bool announce; /* the next read begins a segment, whatever it says */
    double center_hz;
} synth;

/* ---- what lies ahead ---- */

static uint64_t lost_in_all(const weir_synth_recipe *r)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < r->n_drops; i++) {
        lost += r->drops[i].end - r->drops[i].first;
    }
    return lost;
}

/* Passes the drops and retunes at the position; returns how many samples were lost. */
static uint64_t pass_events(synth *s)
{
    const weir_synth_recipe *r = &s->recipe;
    uint64_t lost = 0;
    while (s->drop < r->n_drops && r->drops[s->drop].first <= s->next) {
        lost += r->drops[s->drop].end - s->next;
        s->next = r->drops[s->drop++].end;
    }
    double center_hz = s->center_hz;
    while (s->retune < r->n_retunes && r->retunes[s->retune].sample <= s->next) {
        center_hz = r->retunes[s->retune++].center_hz;
    }
    if (center_hz != s->center_hz) {
        s->center_hz = center_hz;
        s->announce = true;
        weir_synth_signal_tune(s->signal, center_hz);
    }
    s->announce = s->announce || lost > 0;
    return lost;
}

/* How many samples there are until the next event or the end. */
static size_t run_length(const synth *s, size_t max_samples)
{
    const weir_synth_recipe *r = &s->recipe;
    uint64_t end = r->n_samples;
    if (s->drop < r->n_drops && r->drops[s->drop].first < end) {
        end = r->drops[s->drop].first;
    }
    if (s->retune < r->n_retunes && r->retunes[s->retune].sample < end) {
        end = r->retunes[s->retune].sample;
    }
    return end - s->next < max_samples ? (size_t)(end - s->next) : max_samples;
}

/* ---- samples ---- */

/* Triangular, between -1 and 1 code, of its own for every scalar of the stream. */
static const float *make_dither(const synth *s, uint64_t first, unsigned lane, size_t n,
                                float *dither)
{
    if (!s->recipe.dither) {
        return NULL;
    }
    uint64_t key = weir_synth_hash(DITHER_KEY + s->recipe.seed, lane);
    for (size_t k = 0; k < n; k++) {
        uint64_t h = weir_synth_hash(key, first + k);
        dither[k] = ((float)(uint32_t)h - (float)(h >> 32)) * 0x1p-32f;
    }
    return dither;
}

/* n samples of one block, from its offset on. */
static void write_block(synth *s, uint64_t block, size_t offset, size_t n, unsigned char *out)
{
    const weir_sample_format *f = &s->recipe.format;
    size_t stride = weir_format_stride_bytes(f), bytes = weir_scalar_bytes(f->scalar);
    float dither[BLOCK];
    unsigned lane = 0;
    for (unsigned c = 0; c < f->channels; c++) {
        const float *part[2];
        weir_synth_signal_block(s->signal, block, c, &part[0], &part[1]);
        for (int p = 0; p < (f->is_complex ? 2 : 1); p++, lane++) {
            const float *d = make_dither(s, block * BLOCK + offset, lane, n, dither);
            weir_synth_encode(f->scalar, part[p] + offset, d, n, out + lane * bytes, stride);
        }
    }
}

static void write_signal(synth *s, size_t n, unsigned char *out)
{
    size_t stride = weir_format_stride_bytes(&s->recipe.format);
    for (size_t done = 0; done < n;) {
        uint64_t at = s->next + done;
        size_t offset = (size_t)(at % BLOCK);
        size_t run = BLOCK - offset < n - done ? BLOCK - offset : n - done;
        write_block(s, at / BLOCK, offset, run, out + done * stride);
        done += run;
    }
}

static void write_ramp(const synth *s, size_t n, unsigned char *out)
{
    const weir_sample_format *f = &s->recipe.format;
    size_t bytes = weir_scalar_bytes(f->scalar);
    for (size_t k = 0; k < n; k++) {
        for (unsigned c = 0; c < f->channels; c++) {
            uint64_t rounds = weir_synth_encode_count(f->scalar, s->next + k, out);
            out += bytes;
            if (f->is_complex) {
                weir_synth_encode_count(f->scalar, rounds, out);
                out += bytes;
            }
        }
    }
}

static void write_nans(const synth *s, size_t n, unsigned char *out)
{
    const weir_sample_format *f = &s->recipe.format;
    size_t stride = weir_format_stride_bytes(f), bytes = weir_scalar_bytes(f->scalar);
    for (size_t i = 0; i < s->recipe.n_nans; i++) {
        uint64_t sample = s->recipe.nans[i];
        if (sample < s->next || sample - s->next >= n) {
            continue;
        }
        unsigned char *at = out + (size_t)(sample - s->next) * stride;
        for (size_t b = 0; b < stride; b += bytes) {
            weir_synth_encode_nan(f->scalar, at + b);
        }
    }
}

/* ---- the source ---- */

static weir_status synth_read(weir_source *source, void *memory, size_t max_samples,
                              weir_read *result, weir_error *err)
{
    (void)err;
    synth *s = (synth *)source;
    result->lost_before = pass_events(s);
    if (s->announce) {
        result->new_segment = true;
        result->rate_hz = s->recipe.rate_hz;
        result->center_hz = s->center_hz;
        result->time_unix_ns = WEIR_UNKNOWN_TIME;
        s->announce = false;
    }
    size_t n = run_length(s, max_samples);
    if (s->recipe.ramp) {
        write_ramp(s, n, memory);
    } else {
        write_signal(s, n, memory);
    }
    write_nans(s, n, memory);
    s->next += n;
    result->n_samples = n;
    return WEIR_OK;
}

/* Stored samples are counted: the drops before the sample are passed, and not reported. */
static weir_status synth_seek(weir_source *source, uint64_t sample, weir_error *err)
{
    synth *s = (synth *)source;
    const weir_synth_recipe *r = &s->recipe;
    if (sample > s->base.info.n_samples) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: has %llu samples, so none at %llu",
                         s->base.info.name, (unsigned long long)s->base.info.n_samples,
                         (unsigned long long)sample);
    }
    s->next = sample;
    s->drop = 0;
    while (sample > 0 && s->drop < r->n_drops && r->drops[s->drop].first <= s->next) {
        s->next += r->drops[s->drop].end - r->drops[s->drop].first;
        s->drop++;
    }
    s->retune = 0;
    s->announce = true;
    s->center_hz = r->center_hz;
    weir_synth_signal_tune(s->signal, s->center_hz);
    return WEIR_OK;
}

static void synth_close(weir_source *source)
{
    if (source) {
        weir_synth_signal_destroy(((synth *)source)->signal);
        free(source);
    }
}

static void describe(synth *s, const char *argument)
{
    const weir_synth_recipe *r = &s->recipe;
    weir_source_info *info = &s->base.info;
    char format[32], rate[32];
    info->format = r->format;
    info->rate_hz = r->rate_hz;
    info->center_hz = r->center_hz;
    info->n_samples = r->n_samples;
    if (r->n_samples != WEIR_UNKNOWN_SAMPLES) {
        info->n_samples -= lost_in_all(r);
    }
    info->time_unix_ns = WEIR_UNKNOWN_TIME;
    info->can_seek = true;
    weir_printable(info->name, sizeof info->name, argument);
    weir_snprintf(
        info->description, sizeof info->description, "synthesizer, %s, %u channel%s, %sS/s",
        weir_format_name(&r->format, format, sizeof format), r->format.channels,
        r->format.channels == 1 ? "" : "s", weir_format_si(rate, sizeof rate, r->rate_hz));
}

static bool synth_accepts(const char *argument)
{
    return strncmp(argument, PREFIX, strlen(PREFIX)) == 0;
}

static weir_status synth_open(weir_source **out, const char *argument,
                              const weir_source_options *options, weir_error *err)
{
    synth *s = calloc(1, sizeof *s);
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, "synth: out of memory");
    }
    s->base.class_ = &weir_source_synth;
    weir_status status =
        weir_synth_recipe_parse(&s->recipe, argument + strlen(PREFIX), options, err);
    if (status == WEIR_OK) {
        status = weir_synth_signal_create(&s->signal, &s->recipe, err);
    }
    if (status != WEIR_OK) {
        synth_close(&s->base);
        return status;
    }
    s->center_hz = s->recipe.center_hz;
    describe(s, argument);
    *out = &s->base;
    return WEIR_OK;
}

const weir_source_class weir_source_synth = {
    .name = "synth",
    .syntax = "synth:RECIPE",
    .help = "signals that are known exactly; \"synth:\" is a demo band",
    .manual = weir_synth_help,
    .takes = WEIR_TAKES_RECIPE,
    .accepts = synth_accepts,
    .open = synth_open,
    .close = synth_close,
    .read = synth_read,
    .seek = synth_seek,
};
