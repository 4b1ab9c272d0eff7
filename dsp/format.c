#include "dsp/format.h"

#include "dsp/kernels_cpu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- one scalar: integers as offset binary (0 is the lowest code), floats as they are ---- */

static inline uint32_t code_u8(const uint8_t *p)
{
    return p[0];
}

static inline uint32_t code_s8(const uint8_t *p)
{
    return p[0] ^ 0x80u;
}

static inline uint32_t code_u16le(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t code_u16be(const uint8_t *p)
{
    return (uint32_t)p[1] | (uint32_t)p[0] << 8;
}

static inline uint32_t code_s16le(const uint8_t *p)
{
    return code_u16le(p) ^ 0x8000u;
}

static inline uint32_t code_s16be(const uint8_t *p)
{
    return code_u16be(p) ^ 0x8000u;
}

static inline uint32_t code_s24le(const uint8_t *p)
{
    return (code_u16le(p) | (uint32_t)p[2] << 16) ^ 0x800000u;
}

static inline uint32_t code_s24be(const uint8_t *p)
{
    return ((uint32_t)p[0] << 16 | code_u16be(p + 1)) ^ 0x800000u;
}

static inline uint32_t code_u32le(const uint8_t *p)
{
    return code_u16le(p) | code_u16le(p + 2) << 16;
}

static inline uint32_t code_u32be(const uint8_t *p)
{
    return code_u16be(p) << 16 | code_u16be(p + 2);
}

static inline uint32_t code_s32le(const uint8_t *p)
{
    return code_u32le(p) ^ 0x80000000u;
}

static inline uint32_t code_s32be(const uint8_t *p)
{
    return code_u32be(p) ^ 0x80000000u;
}

static inline double float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline double double_of_bits(uint32_t low, uint32_t high)
{
    uint64_t bits = (uint64_t)high << 32 | low;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double value_f32le(const uint8_t *p)
{
    return float_of_bits(code_u32le(p));
}

static inline double value_f32be(const uint8_t *p)
{
    return float_of_bits(code_u32be(p));
}

static inline double value_f64le(const uint8_t *p)
{
    return double_of_bits(code_u32le(p), code_u32le(p + 4));
}

static inline double value_f64be(const uint8_t *p)
{
    return double_of_bits(code_u32be(p + 4), code_u32be(p));
}

/* X(scalar, name, bytes, zero, divisor, code, value). Integer: (code - zero) / divisor.
 * Float: value, limited. */
#define SCALARS(X)                                                                                 \
    X(WEIR_U8, "u8", 1, 127.5, 127.5, code_u8, NULL)                                               \
    X(WEIR_S8, "s8", 1, 128, 128, code_s8, NULL)                                                   \
    X(WEIR_U8_AUDIO, "u8a", 1, 128, 128, code_u8, NULL)                                            \
    X(WEIR_U16LE, "u16le", 2, 32768, 32768, code_u16le, NULL)                                      \
    X(WEIR_U16BE, "u16be", 2, 32768, 32768, code_u16be, NULL)                                      \
    X(WEIR_S16LE, "s16le", 2, 32768, 32768, code_s16le, NULL)                                      \
    X(WEIR_S16BE, "s16be", 2, 32768, 32768, code_s16be, NULL)                                      \
    X(WEIR_S24LE, "s24le", 3, 8388608, 8388608, code_s24le, NULL)                                  \
    X(WEIR_S24BE, "s24be", 3, 8388608, 8388608, code_s24be, NULL)                                  \
    X(WEIR_U32LE, "u32le", 4, 2147483648, 2147483648, code_u32le, NULL)                            \
    X(WEIR_U32BE, "u32be", 4, 2147483648, 2147483648, code_u32be, NULL)                            \
    X(WEIR_S32LE, "s32le", 4, 2147483648, 2147483648, code_s32le, NULL)                            \
    X(WEIR_S32BE, "s32be", 4, 2147483648, 2147483648, code_s32be, NULL)                            \
    X(WEIR_F32LE, "f32le", 4, 0, 1, NULL, value_f32le)                                             \
    X(WEIR_F32BE, "f32be", 4, 0, 1, NULL, value_f32be)                                             \
    X(WEIR_F64LE, "f64le", 8, 0, 1, NULL, value_f64le)                                             \
    X(WEIR_F64BE, "f64be", 8, 0, 1, NULL, value_f64be)

typedef uint32_t code_function(const uint8_t *);
typedef double value_function(const uint8_t *);

typedef struct scalar_row {
    const char *name;
    size_t bytes;
    double zero, divisor;
    code_function *code;
    value_function *value;
} scalar_row;

static const scalar_row scalars[WEIR_SCALAR_COUNT] = {
#define ROW(scalar, ...) [scalar] = {__VA_ARGS__},
    SCALARS(ROW)};

size_t weir_scalar_bytes(weir_scalar scalar)
{
    return scalars[scalar].bytes;
}

bool weir_scalar_is_float(weir_scalar scalar)
{
    return scalars[scalar].value != NULL;
}

static size_t components(const weir_sample_format *format)
{
    return format->is_complex ? 2 : 1;
}

size_t weir_format_stride_bytes(const weir_sample_format *format)
{
    return scalars[format->scalar].bytes * components(format) * format->channels;
}

/* ---- names ---- */

typedef struct name_row {
    const char *name;
    weir_scalar little, big;
} name_row;

/* After an optional c or r, before an optional le or be (where the two differ). */
static const name_row scalar_names[] = {
    {"u8", WEIR_U8, WEIR_U8},
    {"uint8", WEIR_U8, WEIR_U8},
    {"u8a", WEIR_U8_AUDIO, WEIR_U8_AUDIO},
    {"s8", WEIR_S8, WEIR_S8},
    {"i8", WEIR_S8, WEIR_S8},
    {"int8", WEIR_S8, WEIR_S8},
    {"u16", WEIR_U16LE, WEIR_U16BE},
    {"uint16", WEIR_U16LE, WEIR_U16BE},
    {"s16", WEIR_S16LE, WEIR_S16BE},
    {"i16", WEIR_S16LE, WEIR_S16BE},
    {"int16", WEIR_S16LE, WEIR_S16BE},
    {"s24", WEIR_S24LE, WEIR_S24BE},
    {"i24", WEIR_S24LE, WEIR_S24BE},
    {"int24", WEIR_S24LE, WEIR_S24BE},
    {"u32", WEIR_U32LE, WEIR_U32BE},
    {"uint32", WEIR_U32LE, WEIR_U32BE},
    {"s32", WEIR_S32LE, WEIR_S32BE},
    {"i32", WEIR_S32LE, WEIR_S32BE},
    {"int32", WEIR_S32LE, WEIR_S32BE},
    {"f32", WEIR_F32LE, WEIR_F32BE},
    {"float32", WEIR_F32LE, WEIR_F32BE},
    {"f64", WEIR_F64LE, WEIR_F64BE},
    {"float64", WEIR_F64LE, WEIR_F64BE},
};

/* What other tools call their raw files (inspectrum, gqrx, UHD, NumPy, csdr); the
 * number after "complex" counts the bits of both parts. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"complex16s", "cs8"},
    {"complex16u", "cu8"},
    {"complex32s", "cs16"},
    {"complex32u", "cu16"},
    {"complex64s", "cs32"},
    {"complex64u", "cu32"},
    {"complex", "cf32"},
    {"complex64", "cf32"},
    {"complex64f", "cf32"},
    {"complex128", "cf64"},
    {"complex128f", "cf64"},
    {"complexfloat", "cf32"},
    {"cfile", "cf32"},
    {"fc32", "cf32"},
    {"fc64", "cf64"},
    {"sc8", "cs8"},
    {"sc16", "cs16"},
    {"sc32", "cs32"},
    {"c8", "cs8"},
    {"c16", "cs16"},
    {"c32", "cs32"},
    {"uc8", "cu8"},
    {"float", "f32"},
    {"double", "f64"},
    {"char", "s8"},
    {"short", "s16"},
    {"complexfloat32", "cf32"},
    {"complexfloat64", "cf64"},
};

enum { NAME_SIZE = 24 };

/* Lower case, without "_", "-" and a leading "pcm". False if it cannot be a name. */
static bool simplify_name(const char *text, char *name)
{
    if (strncasecmp(text, "pcm", 3) == 0) {
        text += 3;
    }
    size_t length = 0;
    for (; *text; text++) {
        if (*text == '_' || *text == '-') {
            continue;
        }
        if (length + 1 >= NAME_SIZE) {
            return false;
        }
        bool upper = *text >= 'A' && *text <= 'Z'; /* whatever the locale: İ is no i */
        name[length++] = upper ? (char)(*text | 0x20) : *text;
    }
    name[length] = '\0';
    return length > 0;
}

static bool find_scalar(const char *name, weir_scalar *scalar)
{
    size_t length = strlen(name);
    const char *ending = length > 2 ? name + length - 2 : "";
    bool big = strcmp(ending, "be") == 0, little = strcmp(ending, "le") == 0;
    size_t base = big || little ? length - 2 : length;
    for (size_t i = 0; i < sizeof scalar_names / sizeof *scalar_names; i++) {
        const name_row *row = &scalar_names[i];
        bool has_order = row->little != row->big;
        if (strlen(row->name) == base && strncmp(row->name, name, base) == 0 &&
            (has_order || base == length)) {
            *scalar = big ? row->big : row->little;
            return true;
        }
    }
    return false;
}

static const char *resolve_alias(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (strcmp(aliases[i].alias, name) == 0) {
            return aliases[i].name;
        }
    }
    return name;
}

/* Levenshtein's distance of two short names. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[NAME_SIZE + 1];
    size_t n = strnlen(b, NAME_SIZE);
    for (unsigned j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (; *a; a++) {
        unsigned diagonal = row[0]++;
        for (size_t j = 1; j <= n; j++) {
            unsigned change = diagonal + (*a != b[j - 1]);
            unsigned insert = row[j - 1] + 1, drop = row[j] + 1;
            diagonal = row[j];
            row[j] = change < insert ? change : insert;
            row[j] = row[j] < drop ? row[j] : drop;
        }
    }
    return row[n];
}

/* The name most like the given one, or NULL if none is near. */
static const char *nearest_name(const char *name, char *buffer)
{
    unsigned best = 3;
    bool found = false;
    for (int s = 0; s < WEIR_SCALAR_COUNT; s++) {
        for (int is_complex = 0; is_complex < 2; is_complex++) {
            const weir_sample_format format = {(weir_scalar)s, is_complex != 0, 1, 0};
            char candidate[NAME_SIZE];
            weir_format_name(&format, candidate, sizeof candidate);
            unsigned d = distance(name, candidate);
            if (d < best) {
                best = d;
                found = true;
                strcpy(buffer, candidate);
            }
        }
    }
    return found ? buffer : NULL;
}

static weir_status unknown_name(const char *text, const char *name, weir_error *err)
{
    char buffer[NAME_SIZE];
    const char *near = nearest_name(name, buffer);
    return weir_fail(
        err, WEIR_ERR_USAGE,
        "unknown sample format \"%.40s\"%s%s%s; formats: u8 u8a s8 u16 s16 s24 u32 s32 "
        "f32 f64, with be at the end for big-endian, with c before for I/Q (cu8, "
        "cs16, cf32); SigMF names and complex16s, complex, float ... are known too",
        text, near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

weir_status weir_format_parse(const char *text, weir_sample_format *format, weir_error *err)
{
    char simple[NAME_SIZE];
    if (!simplify_name(text, simple)) {
        return unknown_name(text, "", err);
    }
    const char *name = resolve_alias(simple);
    bool is_complex = name[0] == 'c';
    weir_scalar scalar;
    if (!find_scalar(name + (is_complex || name[0] == 'r'), &scalar)) {
        return unknown_name(text, simple, err);
    }
    format->scalar = scalar;
    format->is_complex = is_complex;
    format->valid_bits = 0;
    return WEIR_OK;
}

char *weir_format_name(const weir_sample_format *format, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s", format->is_complex ? "c" : "", scalars[format->scalar].name);
    return buffer;
}

/* ---- unpacking ---- */

static inline double limited(double value)
{
    value = isfinite(value) ? value : 0;
    value = value > WEIR_SAMPLE_LIMIT ? WEIR_SAMPLE_LIMIT : value;
    return value < -WEIR_SAMPLE_LIMIT ? -WEIR_SAMPLE_LIMIT : value;
}

/* Inlined once for each row of the table, so that no call is left in the loops. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE double scalar_value(double zero, double divisor, code_function *code,
                                  value_function *value, const uint8_t *p)
{
    return value ? limited(value(p)) : (code(p) - zero) / divisor;
}

static const uint8_t *channel_start(const weir_sample_format *format, unsigned channel,
                                    const void *raw)
{
    return (const uint8_t *)raw + channel * components(format) * scalars[format->scalar].bytes;
}

ALWAYS_INLINE void unpack_loop(size_t bytes, double zero, double divisor, code_function *code,
                               value_function *value, const uint8_t *p, size_t stride, size_t parts,
                               size_t n, float *restrict out)
{
    if (parts == 1) {
        for (size_t i = 0; i < n; i++) {
            out[i] = (float)scalar_value(zero, divisor, code, value, p + i * stride);
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint8_t *q = p + i * stride;
        out[2 * i] = (float)scalar_value(zero, divisor, code, value, q);
        out[2 * i + 1] = (float)scalar_value(zero, divisor, code, value, q + bytes);
    }
}

void weir_format_unpack(const weir_sample_format *format, unsigned channel, const void *raw,
                        size_t n_samples, float *out)
{
    const uint8_t *p = channel_start(format, channel, raw);
    size_t stride = weir_format_stride_bytes(format), parts = components(format);
    switch (format->scalar) {
#define UNPACK(scalar, name, bytes, zero, divisor, code, value)                                    \
    case scalar:                                                                                   \
        unpack_loop(bytes, zero, divisor, code, value, p, stride, parts, n_samples, out);          \
        break;
        SCALARS(UNPACK)
    case WEIR_SCALAR_COUNT:
        break;
    }
}

void weir_format_unpack_f64(const weir_sample_format *format, unsigned channel, const void *raw,
                            size_t n_samples, double *out)
{
    const scalar_row *row = &scalars[format->scalar];
    const uint8_t *p = channel_start(format, channel, raw);
    size_t stride = weir_format_stride_bytes(format), parts = components(format);
    for (size_t i = 0; i < n_samples; i++, p += stride) {
        for (size_t c = 0; c < parts; c++) {
            *out++ =
                scalar_value(row->zero, row->divisor, row->code, row->value, p + c * row->bytes);
        }
    }
}

/* ---- counting ----
 * An integer is clipped when its top valid_bits are all 0 or all 1 in offset binary:
 * code + low (mod 2^bits) < 2 low, with low = 2^(bits - valid_bits). */

static uint32_t clip_low(const weir_sample_format *format)
{
    unsigned bits = (unsigned)(8 * scalars[format->scalar].bytes);
    unsigned valid = format->valid_bits;
    return valid == 0 || valid >= bits ? 1u : UINT32_C(1) << (bits - valid);
}

static bool code_clips(uint32_t code, size_t bytes, uint32_t low)
{
    uint32_t mask = UINT32_MAX >> (32 - 8 * bytes);
    return ((code + low) & mask) <= 2 * low - 1;
}

ALWAYS_INLINE void count_loop(size_t bytes, code_function *code, value_function *value,
                              const uint8_t *p, size_t stride, size_t parts, uint32_t low, size_t n,
                              weir_sample_counts *counts)
{
    for (size_t i = 0; i < n; i++, p += stride) {
        bool clipped = false, nonfinite = false;
        for (size_t c = 0; c < parts; c++) {
            if (value) {
                double x = value(p + c * bytes);
                nonfinite |= !isfinite(x);
                clipped |= fabs(x) > 1;
            } else {
                clipped |= code_clips(code(p + c * bytes), bytes, low);
            }
        }
        counts->clipped += clipped;
        counts->nonfinite += nonfinite;
    }
}

static void count_any(const weir_sample_format *format, const uint8_t *p, size_t n,
                      weir_sample_counts *counts)
{
    size_t stride = weir_format_stride_bytes(format), parts = components(format);
    uint32_t low = clip_low(format);
    switch (format->scalar) {
#define COUNT(scalar, name, bytes, zero, divisor, code, value)                                     \
    case scalar:                                                                                   \
        count_loop(bytes, code, value, p, stride, parts, low, n, counts);                          \
        break;
        SCALARS(COUNT)
    case WEIR_SCALAR_COUNT:
        break;
    }
}

/* Short enough that a 16-bit count cannot overflow. */
enum { COUNT_BLOCK = 16384 };

static void count_block(const weir_sample_format *format, const uint8_t *p, size_t n,
                        weir_sample_counts *counts)
{
    const weir_cpu_kernels *k = weir_cpu_kernels_best();
    const bool pair = format->is_complex;
    const uint32_t low = clip_low(format);
    switch (format->scalar) {
    case WEIR_U8:
    case WEIR_U8_AUDIO:
        counts->clipped += (pair ? k->count_pairs_8 : k->count_8)(p, n, 0, low);
        break;
    case WEIR_S8:
        counts->clipped += (pair ? k->count_pairs_8 : k->count_8)(p, n, 0x80, low);
        break;
    case WEIR_S16LE:
        counts->clipped += (pair ? k->count_pairs_16 : k->count_16)(p, n, 0x8000, low);
        break;
    case WEIR_F32LE:
        (pair ? k->count_pairs_f32 : k->count_f32)(p, n, counts);
        break;
    default:
        count_any(format, p, n, counts);
        break;
    }
}

void weir_format_count(const weir_sample_format *format, unsigned channel, const void *raw,
                       size_t n_samples, weir_sample_counts *counts)
{
    const uint8_t *p = channel_start(format, channel, raw);
    const size_t stride = weir_format_stride_bytes(format);
    while (n_samples > 0) {
        size_t n = n_samples < COUNT_BLOCK ? n_samples : COUNT_BLOCK;
        if (format->channels == 1) {
            count_block(format, p, n, counts);
        } else {
            count_any(format, p, n, counts);
        }
        p += n * stride;
        n_samples -= n;
    }
}
