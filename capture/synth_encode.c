#include "capture/synth_encode.h"

#include <math.h>
#include <string.h>

/* An integer's code is round(value * scale + offset); is_float codes are their bits. */
typedef struct spec {
    unsigned char bytes;
    bool big_endian;
    bool is_float;
    double scale, offset;
    double least, most;
} spec;

#define UNSIGNED(bytes_, be, scale_, offset_, most_)                                               \
    {                                                                                              \
        .bytes = (bytes_), .big_endian = (be), .scale = (scale_), .offset = (offset_),             \
        .most = (most_)                                                                            \
    }
#define SIGNED(bytes_, be, scale_)                                                                 \
    {                                                                                              \
        .bytes = (bytes_), .big_endian = (be), .scale = (scale_), .least = -(scale_),              \
        .most = (scale_)-1                                                                         \
    }
#define FLOAT(bytes_, be)                                                                          \
    {                                                                                              \
        .bytes = (bytes_), .big_endian = (be), .is_float = true                                    \
    }

static const spec specs[WEIR_SCALAR_COUNT] = {
    [WEIR_U8] = UNSIGNED(1, false, 127.5, 127.5, 255),
    [WEIR_U8_AUDIO] = UNSIGNED(1, false, 128, 128, 255),
    [WEIR_S8] = SIGNED(1, false, 128),
    [WEIR_U16LE] = UNSIGNED(2, false, 0x1p15, 0x1p15, 0xffff),
    [WEIR_U16BE] = UNSIGNED(2, true, 0x1p15, 0x1p15, 0xffff),
    [WEIR_S16LE] = SIGNED(2, false, 0x1p15),
    [WEIR_S16BE] = SIGNED(2, true, 0x1p15),
    [WEIR_S24LE] = SIGNED(3, false, 0x1p23),
    [WEIR_S24BE] = SIGNED(3, true, 0x1p23),
    [WEIR_U32LE] = UNSIGNED(4, false, 0x1p31, 0x1p31, 0xffffffff),
    [WEIR_U32BE] = UNSIGNED(4, true, 0x1p31, 0x1p31, 0xffffffff),
    [WEIR_S32LE] = SIGNED(4, false, 0x1p31),
    [WEIR_S32BE] = SIGNED(4, true, 0x1p31),
    [WEIR_F32LE] = FLOAT(4, false),
    [WEIR_F32BE] = FLOAT(4, true),
    [WEIR_F64LE] = FLOAT(8, false),
    [WEIR_F64BE] = FLOAT(8, true),
};

static inline void put(unsigned char *out, uint64_t code, size_t bytes, bool big_endian)
{
    for (size_t i = 0; i < bytes; i++) {
        out[big_endian ? bytes - 1 - i : i] = (unsigned char)(code >> (8 * i));
    }
}

static inline int64_t code_of(const spec *s, double value)
{
    double code = value * s->scale + s->offset;
    code = code < s->least ? s->least : code > s->most ? s->most : code;
    return (int64_t)(code + copysign(0.5, code));
}

/* Called with constants, so that the common formats get loops of their own. */
static inline void put_codes(const spec *s, const float *values, size_t n, unsigned char *out,
                             size_t stride, size_t bytes, bool big_endian)
{
    for (size_t i = 0; i < n; i++) {
        put(out + i * stride, (uint64_t)code_of(s, (double)values[i]), bytes, big_endian);
    }
}

static void put_dithered(const spec *s, const float *values, const float *dither, size_t n,
                         unsigned char *out, size_t stride)
{
    for (size_t i = 0; i < n; i++) {
        double value = (double)values[i] + (double)dither[i] / s->scale;
        put(out + i * stride, (uint64_t)code_of(s, value), s->bytes, s->big_endian);
    }
}

static uint64_t float_bits(const spec *s, double value)
{
    uint64_t bits = 0;
    float narrow = (float)value;
    memcpy(&bits, s->bytes == 4 ? (const void *)&narrow : (const void *)&value, s->bytes);
    return bits;
}

void weir_synth_encode(weir_scalar scalar, const float *values, const float *dither, size_t n,
                       unsigned char *out, size_t stride_bytes)
{
    const spec *s = &specs[scalar];
    if (scalar == WEIR_F32LE) {
        for (size_t i = 0; i < n; i++) {
            memcpy(out + i * stride_bytes, &values[i], sizeof values[i]);
        }
    } else if (s->is_float) {
        for (size_t i = 0; i < n; i++) {
            put(out + i * stride_bytes, float_bits(s, (double)values[i]), s->bytes, s->big_endian);
        }
    } else if (dither) {
        put_dithered(s, values, dither, n, out, stride_bytes);
    } else if (s->bytes == 1) {
        put_codes(s, values, n, out, stride_bytes, 1, false);
    } else if (s->bytes == 2 && !s->big_endian) {
        put_codes(s, values, n, out, stride_bytes, 2, false);
    } else {
        put_codes(s, values, n, out, stride_bytes, s->bytes, s->big_endian);
    }
}

uint64_t weir_synth_encode_count(weir_scalar scalar, uint64_t count, unsigned char *out)
{
    const spec *s = &specs[scalar];
    unsigned bits = s->is_float ? (s->bytes == 4 ? 24 : 53) : 8 * s->bytes;
    uint64_t low = count & ((UINT64_C(1) << bits) - 1);
    put(out, s->is_float ? float_bits(s, (double)low) : low, s->bytes, s->big_endian);
    return count >> bits;
}

void weir_synth_encode_nan(weir_scalar scalar, unsigned char *out)
{
    const spec *s = &specs[scalar];
    put(out, float_bits(s, (double)NAN), s->bytes, s->big_endian);
}
