/* A source to begin with: copy it to capture/NAME.c and replace "steps" by your name.
 * "steps:COUNT" counts upwards, COUNT samples, real s16 at 48 kHz. */
#include "base/printable.h"
#include "base/units.h"
#include "capture/sources.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "steps:"

typedef struct steps {
    weir_source base; /* first, so that a weir_source * is a steps * */
    uint64_t position;
} steps;

/* Here, because this file is compiled as it stands by a test; yours is in sources.h. */
extern const weir_source_class weir_source_steps;

static bool steps_accepts(const char *argument)
{
    return strncmp(argument, PREFIX, strlen(PREFIX)) == 0;
}

static void steps_close(weir_source *source)
{
    free(source);
}

static weir_status steps_open(weir_source **out, const char *argument,
                              const weir_source_options *options, weir_error *err)
{
    uint64_t count;
    (void)options; /* format, rate and centre of raw files; keys for a device */
    if (weir_parse_count(argument + strlen(PREFIX), &count, err) != WEIR_OK) {
        return weir_fail_context(err, "steps");
    }
    steps *s = calloc(1, sizeof *s);
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, "steps: out of memory");
    }
    s->base.class_ = &weir_source_steps;
    weir_source_info *info = &s->base.info;
    weir_printable(info->name, sizeof info->name, argument);
    strcpy(info->description, "steps, s16");
    info->format = (weir_sample_format){.scalar = WEIR_S16LE, .channels = 1};
    info->rate_hz = 48000; /* what the device chose, not what was asked for */
    info->n_samples = count;
    info->time_unix_ns = WEIR_UNKNOWN_TIME;
    *out = &s->base;
    return WEIR_OK;
}

static weir_status steps_read(weir_source *source, void *memory, size_t max_samples,
                              weir_read *result, weir_error *err)
{
    steps *s = (steps *)source;
    int16_t *to = memory;
    (void)err;
    uint64_t left = source->info.n_samples - s->position;
    size_t n = left < max_samples ? (size_t)left : max_samples;
    for (size_t i = 0; i < n; i++) {
        to[i] = (int16_t)((s->position + i) & 0x7fff);
    }
    s->position += n;
    result->n_samples = n; /* 0: the end. A gap: new_segment, lost_before, rate, centre, time */
    return WEIR_OK;
}

const weir_source_class weir_source_steps = {
    .name = "steps",
    .syntax = "steps:COUNT",
    .help = "COUNT samples that count upwards",
    .accepts = steps_accepts,
    .open = steps_open,
    .close = steps_close,
    .read = steps_read,
};
