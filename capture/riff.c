#include "capture/riff.h"

#include "capture/source.h"
#include "capture/utc.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define MAX_CHUNKS 100000 /* a walk over a hostile file of empty chunks ends some day */

static bool is_id(const char *id, const char *name)
{
    return memcmp(id, name, 4) == 0;
}

static uint32_t get16(const weir_riff *riff, const uint8_t *p)
{
    return riff->is_big_endian ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static uint32_t get32(const weir_riff *riff, const uint8_t *p)
{
    return riff->is_big_endian ? get16(riff, p) << 16 | get16(riff, p + 2)
                               : get16(riff, p + 2) << 16 | get16(riff, p);
}

static uint64_t get64_le(const uint8_t *p)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) {
        value = value << 8 | p[i];
    }
    return value;
}

static bool is_container(const char *id)
{
    return is_id(id, "RIFF") || is_id(id, "RIFX") || is_id(id, "RF64") || is_id(id, "BW64");
}

bool weir_riff_is_wave(const uint8_t *head, size_t n)
{
    if (n < 4 || !is_container((const char *)head)) {
        return false;
    }
    return n < 12 || is_id((const char *)head + 8, "WAVE");
}

static void want(weir_riff *riff, weir_riff_state state, uint64_t offset, size_t n)
{
    riff->state = state;
    riff->want_offset = offset;
    riff->want_bytes = n;
}

static void finish(weir_riff *riff)
{
    want(riff, WEIR_RIFF_DONE, riff->want_offset, 0);
}

void weir_riff_begin(weir_riff *riff, uint64_t file_bytes)
{
    *riff = (weir_riff){.center_hz = NAN, .time_unix_ns = WEIR_UNKNOWN_TIME};
    riff->file_bytes = file_bytes;
    want(riff, WEIR_RIFF_HEADER, 0, 12);
}

/* The file ends here. That is how a file with samples ends. */
static weir_status file_ends(weir_riff *riff, weir_error *err)
{
    bool complete = riff->has_data;
    finish(riff);
    if (complete) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_DATA, "the WAV file ends before its samples begin (no %s chunk)",
                     riff->has_fmt ? "data" : "fmt");
}

/* To the next chunk: past the body and its pad byte. */
static weir_status next_chunk(weir_riff *riff, weir_error *err)
{
    uint64_t padded = riff->chunk_bytes + (riff->chunk_bytes & 1);
    if (++riff->chunks > MAX_CHUNKS) {
        return riff->has_data ? file_ends(riff, err)
                              : weir_fail(err, WEIR_ERR_DATA, "more than %d chunks", MAX_CHUNKS);
    }
    /* Unknown of a pipe is the largest value, so the one comparison serves both. */
    if (padded < riff->chunk_bytes || riff->chunk_offset > riff->file_bytes ||
        padded >= riff->file_bytes - riff->chunk_offset) {
        return file_ends(riff, err);
    }
    want(riff, WEIR_RIFF_CHUNK, riff->chunk_offset + padded, 8);
    return WEIR_OK;
}

static weir_status feed_header(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err)
{
    if (n < 12) {
        return weir_fail(err, WEIR_ERR_DATA, "only %zu bytes: not even the header of a WAV file",
                         n);
    }
    if (!weir_riff_is_wave(bytes, n)) {
        return weir_fail(err, WEIR_ERR_DATA, "is not a WAV file");
    }
    riff->is_big_endian = is_id((const char *)bytes, "RIFX");
    riff->is_64 = is_id((const char *)bytes, "RF64") || is_id((const char *)bytes, "BW64");
    want(riff, WEIR_RIFF_CHUNK, 12, 8);
    return WEIR_OK;
}

/* ---- fmt ---- */

static weir_status check_fmt(const weir_riff_fmt *fmt, weir_error *err)
{
    if (fmt->channels == 0) {
        return weir_fail(err, WEIR_ERR_DATA, "the WAV header says 0 channels");
    }
    if (fmt->rate_hz == 0) {
        return weir_fail(err, WEIR_ERR_DATA, "the WAV header says a sample rate of 0 Hz");
    }
    bool pcm = fmt->tag == WEIR_WAVE_PCM, ieee = fmt->tag == WEIR_WAVE_FLOAT;
    if ((pcm && (fmt->bits < 1 || fmt->bits > 32)) ||
        (ieee && fmt->bits != 32 && fmt->bits != 64)) {
        return weir_fail(err, WEIR_ERR_DATA, "the WAV header says %s samples of %u bits",
                         pcm ? "integer" : "float", fmt->bits);
    }
    return WEIR_OK;
}

static weir_status feed_fmt(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err)
{
    if (n < 16 || riff->chunk_bytes < 16) {
        return weir_fail(err, WEIR_ERR_DATA, "the fmt chunk has only %zu bytes, 16 are the least",
                         n);
    }
    weir_riff_fmt fmt = {.tag = get16(riff, bytes), .channels = get16(riff, bytes + 2)};
    fmt.rate_hz = get32(riff, bytes + 4);
    fmt.bits = fmt.valid_bits = get16(riff, bytes + 14);
    if (fmt.tag == WEIR_WAVE_EXTENSIBLE) {
        if (n < 40) {
            return weir_fail(err, WEIR_ERR_DATA,
                             "the extensible fmt chunk has only %zu bytes, 40 are the least", n);
        }
        unsigned valid = get16(riff, bytes + 18);
        fmt.valid_bits = valid > 0 && valid < fmt.bits ? valid : fmt.bits;
        fmt.tag = get32(riff, bytes + 24); /* the sub-format's GUID begins with the tag */
    }
    if (riff->has_fmt && memcmp(&fmt, &riff->fmt, sizeof fmt) != 0) {
        return weir_fail(err, WEIR_ERR_DATA, "two fmt chunks contradict each other");
    }
    riff->fmt = fmt;
    riff->has_fmt = true;
    return check_fmt(&fmt, err);
}

/* ---- metadata ---- */

static weir_status feed_ds64(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err)
{
    if (n < 24) {
        return weir_fail(err, WEIR_ERR_DATA, "the ds64 chunk has only %zu bytes, 24 are the least",
                         n);
    }
    riff->ds64_data_bytes = get64_le(bytes + 8);
    return WEIR_OK;
}

/* SYSTEMTIME start, SYSTEMTIME stop, u32 centre, ... Other programs put other things into
 * a chunk of this name: a start that is no date says so, and then the rest is not read. */
static weir_status feed_auxi(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err)
{
    (void)err;
    riff->has_auxi = true;
    if (n < 36) {
        return WEIR_OK;
    }
    weir_civil_time start = {.year = (int)get16(riff, bytes), .month = (int)get16(riff, bytes + 2)};
    start.day = (int)get16(riff, bytes + 6);
    start.hour = (int)get16(riff, bytes + 8);
    start.minute = (int)get16(riff, bytes + 10);
    start.second = (int)get16(riff, bytes + 12);
    unsigned ms = get16(riff, bytes + 14);
    start.nanosecond = ms < 1000 ? (int)ms * 1000000 : -1;
    static const uint8_t no_time[16];
    if (weir_utc_from_civil(&start, &riff->time_unix_ns) || memcmp(bytes, no_time, 16) == 0) {
        riff->center_hz = get32(riff, bytes + 32);
    }
    return WEIR_OK;
}

/* Perseus: i32 centre, i32 rate index, time_t32 start. */
static weir_status feed_rcvr(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err)
{
    (void)err;
    riff->has_rcvr = true;
    if (n < 12) {
        return WEIR_OK;
    }
    int32_t center = (int32_t)get32(riff, bytes), start = (int32_t)get32(riff, bytes + 8);
    riff->center_hz = center;
    if (start > 0) {
        riff->time_unix_ns = (int64_t)start * 1000000000;
    }
    return WEIR_OK;
}

/* ---- chunks ---- */

static const struct {
    const char *id;
    size_t bytes; /* of the body that are looked at */
    weir_status (*feed)(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err);
} bodies[] = {
    {"fmt ", 40, feed_fmt},
    {"ds64", 24, feed_ds64},
    {"auxi", 36, feed_auxi},
    {"rcvr", 12, feed_rcvr},
};
enum { BODY_COUNT = sizeof bodies / sizeof bodies[0] };

static weir_status feed_body(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err)
{
    for (int i = 0; i < BODY_COUNT; i++) {
        if (is_id(riff->chunk, bodies[i].id)) {
            weir_status status = bodies[i].feed(riff, bytes, n, err);
            return status == WEIR_OK ? next_chunk(riff, err) : status;
        }
    }
    return next_chunk(riff, err);
}

/* What writers put who cannot go back to write the right size: ffmpeg 0xffffffff, sox
 * 0x7ffff000 and a little, others one of these less a header. */
static bool never_written(uint64_t size)
{
    return (size >= 0x7ffff000 && size <= 0x7fffffff) || (size >= 0xfffff000 && size <= UINT32_MAX);
}

static void data_to_the_end(weir_riff *riff)
{
    riff->data_bytes = WEIR_RIFF_UNKNOWN;
    riff->data_unfinished = true;
    finish(riff);
}

/* A size that ran over 32 bits: what is missing is a multiple of 2^32, but for a little
 * that may follow the samples. */
static uint64_t unwrapped(const weir_riff *riff, uint64_t rest)
{
    uint64_t size = riff->chunk_bytes, beyond = rest > size ? rest - size : 0;
    bool wrapped = !riff->is_64 && riff->file_bytes != WEIR_RIFF_UNKNOWN &&
                   beyond >= UINT64_C(1) << 32 && (uint32_t)beyond < 65536;
    return wrapped ? size + beyond - (uint32_t)beyond : size;
}

static weir_status begin_data(weir_riff *riff, weir_error *err)
{
    if (!riff->has_fmt) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "the samples come before the fmt chunk that says what they are");
    }
    riff->has_data = true;
    riff->data_offset = riff->chunk_offset;
    if (riff->is_64 && riff->chunk_bytes == UINT32_MAX && riff->ds64_data_bytes > 0) {
        riff->chunk_bytes = riff->ds64_data_bytes;
    }
    bool is_pipe = riff->file_bytes == WEIR_RIFF_UNKNOWN;
    uint64_t rest = riff->file_bytes - riff->data_offset;
    uint64_t size = unwrapped(riff, rest);
    riff->data_unfinished = size != riff->chunk_bytes;
    riff->data_bytes = riff->chunk_bytes = size;
    if (riff->data_bytes == 0) {
        want(riff, WEIR_RIFF_AFTER_EMPTY_DATA, riff->data_offset, 8);
        return WEIR_OK;
    }
    if (never_written(riff->chunk_bytes) &&
        (riff->chunk_bytes == UINT32_MAX || is_pipe || riff->chunk_bytes > rest)) {
        data_to_the_end(riff);
        return WEIR_OK;
    }
    if (is_pipe || riff->chunk_bytes >= rest) {
        finish(riff);
        return WEIR_OK;
    }
    return next_chunk(riff, err);
}

static weir_status feed_chunk(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err)
{
    if (n < 8) {
        return file_ends(riff, err);
    }
    memcpy(riff->chunk, bytes, 4);
    riff->chunk_bytes = get32(riff, bytes + 4);
    riff->chunk_offset = riff->want_offset + 8;
    if (is_id(riff->chunk, "data") && !riff->has_data) {
        return begin_data(riff, err);
    }
    for (int i = 0; i < BODY_COUNT; i++) {
        if (is_id(riff->chunk, bodies[i].id)) {
            uint64_t size = riff->chunk_bytes;
            size_t looked_at = size < bodies[i].bytes ? (size_t)size : bodies[i].bytes;
            want(riff, WEIR_RIFF_BODY, riff->chunk_offset, looked_at);
            return looked_at == 0 ? feed_body(riff, bytes, 0, err) : WEIR_OK;
        }
    }
    return next_chunk(riff, err);
}

/* A size of 0 is true if nothing follows, or another chunk; else the writer died before
 * it could write the size. */
static weir_status feed_after_empty_data(weir_riff *riff, const uint8_t *bytes, size_t n,
                                         weir_error *err)
{
    static const char *const others[] = {"LIST", "auxi", "rcvr", "fact", "JUNK", "junk", "PAD ",
                                         "bext", "id3 ", "ID3 ", "cue ", "PEAK", "iXML", "_PMX",
                                         "smpl", "inst", "afsp", "LGWV", "cart"};
    bool is_empty = n == 0;
    for (size_t i = 0; n == 8 && i < sizeof others / sizeof others[0]; i++) {
        is_empty = is_empty || is_id((const char *)bytes, others[i]);
    }
    if (is_empty) {
        return weir_fail(err, WEIR_ERR_DATA, "holds no samples (its data chunk is empty)");
    }
    data_to_the_end(riff);
    return WEIR_OK;
}

weir_status weir_riff_feed(weir_riff *riff, const uint8_t *bytes, size_t n, weir_error *err)
{
    static weir_status (*const feeders[])(weir_riff *, const uint8_t *, size_t, weir_error *) = {
        [WEIR_RIFF_HEADER] = feed_header,
        [WEIR_RIFF_CHUNK] = feed_chunk,
        [WEIR_RIFF_BODY] = feed_body,
        [WEIR_RIFF_AFTER_EMPTY_DATA] = feed_after_empty_data,
    };
    assert(riff->state != WEIR_RIFF_DONE && n <= riff->want_bytes);
    weir_status status = feeders[riff->state](riff, bytes, n, err);
    if (status != WEIR_OK) {
        finish(riff);
    }
    return status;
}
