#include "capture/wav_header.h"

#include "capture/riff.h"
#include "capture/source.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define AUXI_BYTES 164
#define DS64_BYTES 28
#define RIFF_MOST UINT64_C(0xfffffffe) /* 0xffffffff says "unknown" */

typedef struct bytes {
    uint8_t *data;
    size_t n;
} bytes;

static void put_id(bytes *b, const char *id)
{
    memcpy(b->data + b->n, id, 4);
    b->n += 4;
}

static void put_le(bytes *b, uint64_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        b->data[b->n++] = (uint8_t)(value >> 8 * i);
    }
}

static void put_zeros(bytes *b, size_t n)
{
    memset(b->data + b->n, 0, n);
    b->n += n;
}

/* ---- what WAV can hold ---- */

static unsigned wav_channels(const weir_sample_format *format)
{
    return format->channels * (format->is_complex ? 2 : 1);
}

weir_status weir_wav_check(const weir_sample_format *format, double rate_hz, weir_error *err)
{
    /* 8-bit I/Q has its zero at 127.5, by the custom of receivers, audio at 128. */
    bool known = format->scalar == WEIR_S16LE || format->scalar == WEIR_S24LE ||
                 format->scalar == WEIR_S32LE || format->scalar == WEIR_F32LE ||
                 format->scalar == WEIR_F64LE ||
                 format->scalar == (format->is_complex ? WEIR_U8 : WEIR_U8_AUDIO);
    if (!known) {
        char name[32];
        return weir_fail(err, WEIR_ERR_USAGE,
                         "WAV cannot hold %s samples as they are; record .sigmf-meta or raw",
                         weir_format_name(format, name, sizeof name));
    }
    if (wav_channels(format) > 256) {
        return weir_fail(err, WEIR_ERR_USAGE, "WAV: %u channels are too many (256)",
                         wav_channels(format));
    }
    if (!(rate_hz >= 1) || rate_hz > 4294967294.0) {
        return weir_fail(err, WEIR_ERR_USAGE, "WAV cannot say a rate of %g Hz", rate_hz);
    }
    return WEIR_OK;
}

/* ---- chunks ---- */

/* SYSTEMTIME: year, month, day of the week, day, hour, minute, second, milliseconds. */
static void put_systemtime(bytes *b, int64_t unix_ns)
{
    if (unix_ns == WEIR_UNKNOWN_TIME) {
        put_zeros(b, 16);
        return;
    }
    int64_t ms = (unix_ns - (unix_ns % 1000000 + 1000000) % 1000000) / 1000000;
    int64_t in_second = (ms % 1000 + 1000) % 1000;
    time_t seconds = (time_t)((ms - in_second) / 1000);
    struct tm t = {0};
    gmtime_r(&seconds, &t);
    const int fields[] = {t.tm_year + 1900, t.tm_mon + 1, t.tm_wday, t.tm_mday,
                          t.tm_hour,        t.tm_min,     t.tm_sec,  (int)in_second};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        put_le(b, (uint64_t)fields[i], 2);
    }
}

static void put_auxi(bytes *b, const weir_wav_spec *spec)
{
    double center = round(spec->center_hz);
    size_t begin = b->n + 8;
    put_id(b, "auxi");
    put_le(b, AUXI_BYTES, 4);
    put_systemtime(b, spec->start_ns);
    put_systemtime(b, spec->stop_ns);
    put_le(b, center > 0 && center < 0x1p32 ? (uint64_t)center : 0, 4);
    put_le(b, (uint64_t)llround(spec->rate_hz), 4);
    put_zeros(b, begin + AUXI_BYTES - b->n); /* intermediate frequency, bandwidth, next file */
}

static void put_fmt(bytes *b, const weir_wav_spec *spec)
{
    static const uint8_t guid_tail[14] = {0,    0,    0,    0,    0x10, 0,    0x80,
                                          0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71};
    const weir_sample_format *f = &spec->format;
    unsigned channels = wav_channels(f), scalar = (unsigned)weir_scalar_bytes(f->scalar);
    uint64_t rate = (uint64_t)llround(spec->rate_hz);
    bool is_float = weir_scalar_is_float(f->scalar);
    unsigned valid = f->valid_bits ? f->valid_bits : 8 * scalar;
    bool extensible = channels > 2 || valid != 8 * scalar;
    unsigned tag = is_float ? WEIR_WAVE_FLOAT : WEIR_WAVE_PCM;
    put_id(b, "fmt ");
    put_le(b, extensible ? 40 : is_float ? 18 : 16, 4);
    put_le(b, extensible ? WEIR_WAVE_EXTENSIBLE : tag, 2);
    put_le(b, channels, 2);
    put_le(b, rate, 4);
    put_le(b, rate * channels * scalar, 4);
    put_le(b, channels * scalar, 2);
    put_le(b, 8 * scalar, 2);
    if (extensible) {
        put_le(b, 22, 2);
        put_le(b, valid, 2);
        put_le(b, 0, 4); /* no loudspeaker is meant */
        put_le(b, tag, 2);
        memcpy(b->data + b->n, guid_tail, sizeof guid_tail);
        b->n += sizeof guid_tail;
    } else if (is_float) {
        put_le(b, 0, 2);
    }
}

size_t weir_wav_header(const weir_wav_spec *spec, uint8_t header[WEIR_WAV_HEADER_MAX])
{
    uint8_t body_bytes[WEIR_WAV_HEADER_MAX];
    bytes body = {body_bytes, 0}, b = {header, 0};
    bool unknown = spec->data_bytes == WEIR_WAV_UNKNOWN;
    uint64_t data = unknown ? 0 : spec->data_bytes;
    uint64_t samples = data / weir_format_stride_bytes(&spec->format);
    put_fmt(&body, spec);
    if (weir_scalar_is_float(spec->format.scalar)) {
        put_id(&body, "fact");
        put_le(&body, 4, 4);
        put_le(&body, unknown || samples > UINT32_MAX ? UINT32_MAX : samples, 4);
    }
    if (spec->format.is_complex) {
        put_auxi(&body, spec);
    }
    uint64_t riff = 4 + 8 + DS64_BYTES + body.n + 8 + data + data % 2;
    bool is_64 = riff > RIFF_MOST;
    bool no_size = is_64 || unknown;
    put_id(&b, is_64 ? "RF64" : "RIFF");
    put_le(&b, no_size ? UINT32_MAX : riff, 4);
    put_id(&b, "WAVE");
    put_id(&b, is_64 ? "ds64" : "JUNK");
    put_le(&b, DS64_BYTES, 4);
    put_le(&b, is_64 ? riff : 0, 8);
    put_le(&b, is_64 ? data : 0, 8);
    put_le(&b, is_64 ? samples : 0, 8);
    put_le(&b, 0, 4);
    memcpy(b.data + b.n, body.data, body.n);
    b.n += body.n;
    put_id(&b, "data");
    put_le(&b, no_size ? UINT32_MAX : data, 4);
    return b.n;
}
