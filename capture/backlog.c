#include "capture/backlog.h"

#include <stdlib.h>
#include <string.h>

#define SEGMENTS 16384 /* a power of two; a sweep has one and more a tuning */

/* A run of samples of one segment. Positions count samples through the history from 0. */
typedef struct stretch {
    weir_ring_segment segment;
    uint64_t position;     /* of its first sample that was pushed */
    uint64_t first_sample; /* of that, in the stream              */
} stretch;

struct weir_backlog {
    unsigned char *memory;
    size_t stride;
    uint64_t capacity;
    uint64_t oldest, written; /* positions                         */
    stretch stretches[SEGMENTS];
    uint64_t first, end; /* ordinals of the stretches kept         */
    uint64_t next_sample;
};

weir_status weir_backlog_create(weir_backlog **out, uint64_t capacity_samples, size_t stride_bytes,
                                weir_error *err)
{
    *out = NULL;
    if (capacity_samples == 0 || capacity_samples > WEIR_BACKLOG_MAX_BYTES / stride_bytes) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "a backlog of %llu samples of %zu bytes: 1 to %zu can be kept",
                         (unsigned long long)capacity_samples, stride_bytes,
                         WEIR_BACKLOG_MAX_BYTES / stride_bytes);
    }
    weir_backlog *h = calloc(1, sizeof *h);
    if (h) {
        h->stride = stride_bytes;
        h->capacity = capacity_samples;
        h->memory = malloc((size_t)capacity_samples * stride_bytes);
    }
    if (!h || !h->memory) {
        weir_backlog_destroy(h);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a backlog of %llu samples",
                         (unsigned long long)capacity_samples);
    }
    *out = h;
    return WEIR_OK;
}

void weir_backlog_destroy(weir_backlog *h)
{
    if (h) {
        free(h->memory);
        free(h);
    }
}

static stretch *stretch_at(const weir_backlog *h, uint64_t ordinal)
{
    return (stretch *)(uintptr_t)&h->stretches[ordinal % SEGMENTS];
}

/* Where a stretch ends. */
static uint64_t end_of(const weir_backlog *h, uint64_t ordinal)
{
    return ordinal + 1 < h->end ? stretch_at(h, ordinal + 1)->position : h->written;
}

/* Stretches without samples left are forgotten, all but the last. */
static void forget(weir_backlog *h, uint64_t oldest)
{
    h->oldest = oldest > h->oldest ? oldest : h->oldest;
    while (h->first + 1 < h->end && end_of(h, h->first) <= h->oldest) {
        h->first++;
    }
}

static void begin_stretch(weir_backlog *h, const weir_ring_segment *segment, uint64_t first_sample)
{
    if (h->end - h->first == SEGMENTS) {
        forget(h, end_of(h, h->first));
    }
    *stretch_at(h, h->end++) = (stretch){*segment, h->written, first_sample};
}

static void copy_in(weir_backlog *h, const unsigned char *samples, size_t n)
{
    size_t at = (size_t)(h->written % h->capacity);
    size_t before_wrap = (size_t)h->capacity - at;
    size_t first = n < before_wrap ? n : before_wrap;
    memcpy(h->memory + at * h->stride, samples, first * h->stride);
    memcpy(h->memory, samples + first * h->stride, (n - first) * h->stride);
}

void weir_backlog_push(weir_backlog *h, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples)
{
    const unsigned char *bytes = samples;
    if (n_samples == 0) {
        return;
    }
    bool goes_on = h->end > h->first && h->next_sample == first_sample &&
                   stretch_at(h, h->end - 1)->segment.segment == segment->segment;
    if (!goes_on) {
        begin_stretch(h, segment, first_sample);
    }
    h->next_sample = first_sample + n_samples;
    uint64_t skip = n_samples > h->capacity ? n_samples - h->capacity : 0;
    h->written += skip; /* they would be overwritten at once */
    copy_in(h, bytes + (size_t)skip * h->stride, n_samples - (size_t)skip);
    h->written += n_samples - skip;
    if (h->written > h->capacity) {
        forget(h, h->written - h->capacity);
    }
}

size_t weir_backlog_segments(const weir_backlog *h)
{
    return (size_t)(h->end - h->first);
}

uint64_t weir_backlog_end(const weir_backlog *h)
{
    return h->next_sample;
}

static uint64_t stream_sample(const stretch *s, uint64_t position)
{
    return s->first_sample + (position - s->position);
}

uint64_t weir_backlog_begin(const weir_backlog *h)
{
    if (h->first == h->end) {
        return h->next_sample;
    }
    const stretch *s = stretch_at(h, h->first);
    return stream_sample(s, h->oldest > s->position ? h->oldest : s->position);
}

/* Part of one stretch, in the one or two pieces in which it lies. */
static void visit_positions(const weir_backlog *h, const stretch *s, uint64_t begin, uint64_t end,
                            weir_backlog_piece *piece, void *user)
{
    while (begin < end) {
        size_t at = (size_t)(begin % h->capacity);
        uint64_t before_wrap = h->capacity - at;
        size_t n = (size_t)(end - begin < before_wrap ? end - begin : before_wrap);
        piece(user, &s->segment, stream_sample(s, begin), h->memory + at * h->stride, n);
        begin += n;
    }
}

void weir_backlog_visit(const weir_backlog *h, uint64_t from, weir_backlog_piece *piece, void *user)
{
    for (uint64_t i = h->first; i < h->end; i++) {
        const stretch *s = stretch_at(h, i);
        uint64_t begin = s->position > h->oldest ? s->position : h->oldest;
        if (from > stream_sample(s, begin)) {
            begin += from - stream_sample(s, begin);
        }
        visit_positions(h, s, begin, end_of(h, i), piece, user);
    }
}
