#include "capture/stored.h"

#include "base/log.h"
#include "capture/utc.h"

#include <stdlib.h>
#include <string.h>

struct weir_stored {
    weir_input *input;
    const char *name;
    size_t stride_bytes;
    size_t scalar_bytes;
    double rate_hz;
    weir_extent *extents;
    size_t n_extents;
    size_t extent;        /* the one being read                             */
    uint64_t done;        /* samples of it already delivered                */
    bool begins_segment;  /* the next read says new_segment                 */
    uint64_t lost_before; /* and this many lost                             */
    bool expand24;
    bool any; /* something was delivered */
    bool ended;
    size_t n_carried; /* bytes of a sample whose rest has not come yet */
    uint8_t *carried; /* stride_bytes of memory                        */
};

weir_status weir_stored_create(weir_stored **out, weir_input *input, const char *name,
                               const weir_sample_format *format, double rate_hz,
                               const weir_extent *extents, size_t n_extents, weir_error *err)
{
    *out = NULL;
    weir_stored *s = calloc(1, sizeof *s);
    if (s) {
        s->stride_bytes = weir_format_stride_bytes(format);
        s->scalar_bytes = weir_scalar_bytes(format->scalar);
        s->carried = malloc(s->stride_bytes);
        s->extents = calloc(n_extents, sizeof *s->extents);
    }
    if (!s || !s->carried || !s->extents) {
        weir_stored_destroy(s);
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    s->input = input;
    s->name = name;
    s->rate_hz = rate_hz;
    memcpy(s->extents, extents, n_extents * sizeof *extents);
    s->n_extents = n_extents;
    *out = s;
    return WEIR_OK;
}

void weir_stored_destroy(weir_stored *stored)
{
    if (stored) {
        free(stored->carried);
        free(stored->extents);
        free(stored);
    }
}

void weir_stored_expand24(weir_stored *stored)
{
    stored->expand24 = true;
}

uint64_t weir_stored_samples(const weir_stored *stored)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < stored->n_extents; i++) {
        if (stored->extents[i].n_samples == WEIR_UNKNOWN_SAMPLES) {
            return WEIR_UNKNOWN_SAMPLES;
        }
        sum += stored->extents[i].n_samples;
    }
    return sum;
}

static void next_extent(weir_stored *s)
{
    while (s->extent < s->n_extents && s->done >= s->extents[s->extent].n_samples) {
        s->extent++;
        s->done = 0;
        s->n_carried = 0;
        if (s->extent < s->n_extents) {
            s->lost_before += s->extents[s->extent].lost_before;
            s->begins_segment = true;
        }
    }
}

static weir_status read_file(weir_stored *s, void *memory, size_t n_bytes, size_t *got,
                             weir_error *err)
{
    uint64_t at = s->extents[s->extent].offset_bytes + s->done * s->stride_bytes;
    weir_status status = weir_input_read_at(s->input, at, memory, n_bytes, got, err);
    s->n_carried = *got % s->stride_bytes;
    return status;
}

/* Until there is one whole sample, or the end. */
static weir_status read_stream(weir_stored *s, void *memory, size_t n_bytes, size_t *got,
                               weir_error *err)
{
    weir_status status = WEIR_OK;
    if (s->done == 0 && s->n_carried == 0) {
        status = weir_input_move(s->input, s->extents[s->extent].offset_bytes, err);
    }
    memcpy(memory, s->carried, s->n_carried);
    *got = s->n_carried;
    while (status == WEIR_OK && *got < s->stride_bytes && !s->ended) {
        size_t more;
        status = weir_input_read(s->input, (char *)memory + *got, n_bytes - *got, &more, err);
        if (status == WEIR_OK) {
            *got += more;
            s->ended = more == 0;
        }
    }
    s->n_carried = *got % s->stride_bytes;
    memcpy(s->carried, (char *)memory + *got - s->n_carried, s->n_carried);
    return status;
}

/* Right-aligned 24-bit integers in little-endian words become left-aligned ones. */
static void expand_words(void *memory, size_t n_bytes)
{
    uint8_t *byte = memory;
    for (size_t i = 0; i + 4 <= n_bytes; i += 4) {
        byte[i + 3] = byte[i + 2];
        byte[i + 2] = byte[i + 1];
        byte[i + 1] = byte[i];
        byte[i] = 0;
    }
}

static void describe_segment(weir_stored *s, weir_read *result)
{
    const weir_extent *extent = &s->extents[s->extent];
    result->new_segment = true;
    result->lost_before = s->lost_before;
    result->rate_hz = s->rate_hz;
    result->center_hz = extent->center_hz;
    result->time_unix_ns = weir_time_after(extent->time_unix_ns, s->done, s->rate_hz);
    s->begins_segment = false;
    s->lost_before = 0;
}

static weir_status report_end(weir_stored *s, weir_error *err)
{
    const weir_extent *extent = &s->extents[s->extent];
    s->ended = true;
    if (s->n_carried > 0) {
        weir_log(WEIR_LOG_NOTICE, "%s: the last %zu bytes are not a whole sample, dropped", s->name,
                 s->n_carried);
    }
    if (extent->n_samples != WEIR_UNKNOWN_SAMPLES) {
        weir_log(WEIR_LOG_NOTICE, "%s: ends %llu samples earlier than it said", s->name,
                 (unsigned long long)(extent->n_samples - s->done));
    }
    if (!s->any) {
        return weir_fail(err, WEIR_ERR_DATA, "no samples came");
    }
    return WEIR_OK;
}

weir_status weir_stored_read(weir_stored *s, void *memory, size_t max_samples, weir_read *result,
                             weir_error *err)
{
    next_extent(s);
    if (s->extent >= s->n_extents || max_samples == 0 || s->ended) {
        return WEIR_OK;
    }
    uint64_t rest = s->extents[s->extent].n_samples - s->done;
    size_t n = rest < max_samples ? (size_t)rest : max_samples;
    n = n < SIZE_MAX / s->stride_bytes ? n : SIZE_MAX / s->stride_bytes;
    size_t got = 0;
    bool stream = weir_input_is_stream(s->input);
    weir_status status = stream ? read_stream(s, memory, n * s->stride_bytes, &got, err)
                                : read_file(s, memory, n * s->stride_bytes, &got, err);
    size_t whole = got / s->stride_bytes;
    if (whole == 0) {
        return status == WEIR_OK && !weir_input_interrupted(s->input) ? report_end(s, err) : status;
    }
    if (s->begins_segment) {
        describe_segment(s, result);
    }
    if (s->expand24) {
        expand_words(memory, whole * s->stride_bytes);
    }
    result->n_samples = whole;
    s->done += whole;
    s->any = true;
    return WEIR_OK;
}

static bool is_aligned(const weir_stored *s, const void *memory)
{
    bool is_power = (s->scalar_bytes & (s->scalar_bytes - 1)) == 0; /* 24 bits: read as bytes */
    return !is_power || (uintptr_t)memory % s->scalar_bytes == 0;
}

weir_status weir_stored_map(weir_stored *s, uint64_t sample, weir_mapping **out, weir_read *whole,
                            weir_error *err)
{
    const weir_extent *extent = &s->extents[0];
    *out = NULL;
    if (weir_input_is_stream(s->input) || s->n_extents != 1 || s->expand24 ||
        sample >= extent->n_samples) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "not one run of samples as they are needed");
    }
    uint64_t n = extent->n_samples - sample;
    weir_status status = weir_input_map(s->input, extent->offset_bytes + sample * s->stride_bytes,
                                        n * s->stride_bytes, out, err);
    if (status == WEIR_OK && !is_aligned(s, weir_mapping_memory(*out))) {
        weir_mapping_destroy(*out);
        *out = NULL;
        status = weir_fail(err, WEIR_ERR_UNSUPPORTED, "its samples are not aligned");
    }
    if (status == WEIR_OK) {
        whole->n_samples = (size_t)n;
        s->done = sample;
        describe_segment(s, whole);
    }
    return status;
}

weir_status weir_stored_seek(weir_stored *s, uint64_t sample, weir_error *err)
{
    if (weir_input_is_stream(s->input)) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "a pipe cannot go back or skip by seeking");
    }
    s->extent = 0;
    while (s->extent < s->n_extents && sample >= s->extents[s->extent].n_samples) {
        sample -= s->extents[s->extent++].n_samples;
    }
    s->done = s->extent < s->n_extents ? sample : 0;
    s->begins_segment = true;
    s->lost_before = 0;
    s->n_carried = 0;
    s->ended = false;
    return WEIR_OK;
}
