/* ctest-labels: unit prop
 * dsp/format.h: names, scales and counts of every raw sample format. */
#include "dsp/format.h"
#include "tests/check.h"

#include <stdbool.h>

/* How each scalar is read, written down a second time and in another way. */
static const struct {
    weir_scalar scalar;
    int bytes;
    char kind; /* u, s, f */
    bool big;
    double zero, divisor;
} rows[] = {
    {WEIR_U8, 1, 'u', false, 127.5, 127.5},     {WEIR_U8_AUDIO, 1, 'u', false, 128, 128},
    {WEIR_S8, 1, 's', false, 0, 128},           {WEIR_U16LE, 2, 'u', false, 0x1p15, 0x1p15},
    {WEIR_U16BE, 2, 'u', true, 0x1p15, 0x1p15}, {WEIR_S16LE, 2, 's', false, 0, 0x1p15},
    {WEIR_S16BE, 2, 's', true, 0, 0x1p15},      {WEIR_S24LE, 3, 's', false, 0, 0x1p23},
    {WEIR_S24BE, 3, 's', true, 0, 0x1p23},      {WEIR_U32LE, 4, 'u', false, 0x1p31, 0x1p31},
    {WEIR_U32BE, 4, 'u', true, 0x1p31, 0x1p31}, {WEIR_S32LE, 4, 's', false, 0, 0x1p31},
    {WEIR_S32BE, 4, 's', true, 0, 0x1p31},      {WEIR_F32LE, 4, 'f', false, 0, 1},
    {WEIR_F32BE, 4, 'f', true, 0, 1},           {WEIR_F64LE, 8, 'f', false, 0, 1},
    {WEIR_F64BE, 8, 'f', true, 0, 1},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* Sign, exponent and fraction taken apart by hand. */
static double ieee(uint64_t bits, int fraction_bits, int exponent_bits)
{
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    int top = (1 << exponent_bits) - 1;
    int exponent = (int)(bits >> fraction_bits) & top;
    double sign = bits >> (fraction_bits + exponent_bits) & 1 ? -1 : 1;
    if (exponent == top) {
        return fraction ? NAN : sign * INFINITY;
    }
    double hidden = exponent ? 1 : 0;
    return sign * ldexp(hidden + ldexp((double)fraction, -fraction_bits),
                        (exponent ? exponent : 1) - (1 << (exponent_bits - 1)) + 1);
}

static double expected_value(int r, const uint8_t *p)
{
    uint64_t bits = 0;
    for (int b = 0; b < rows[r].bytes; b++) {
        bits |= (uint64_t)p[rows[r].big ? rows[r].bytes - 1 - b : b] << (8 * b);
    }
    if (rows[r].kind == 'f') {
        return rows[r].bytes == 4 ? ieee(bits, 23, 8) : ieee(bits, 52, 11);
    }
    double x = (double)bits;
    if (rows[r].kind == 's' && x >= ldexp(1, 8 * rows[r].bytes - 1)) {
        x -= ldexp(1, 8 * rows[r].bytes);
    }
    return (x - rows[r].zero) / rows[r].divisor;
}

static bool expected_clip(int r, unsigned valid_bits, double value)
{
    if (rows[r].kind == 'f') {
        return fabs(value) > 1;
    }
    double x = round(value * rows[r].divisor + rows[r].zero);
    double lowest = rows[r].kind == 's' ? -ldexp(1, 8 * rows[r].bytes - 1) : 0;
    double codes = ldexp(1, 8 * rows[r].bytes);
    double step = valid_bits ? ldexp(1, 8 * rows[r].bytes - (int)valid_bits) : 1;
    double code = floor((x - lowest) / step);
    return code == 0 || code == codes / step - 1;
}

/* Random bytes with extremes sprinkled in, which random bytes hardly ever are. */
static void fill(check_rng *rng, uint8_t *bytes, size_t n, int scalar_bytes)
{
    static const uint8_t special[][8] = {
        {0, 0, 0, 0, 0, 0, 0, 0},
        {255, 255, 255, 255, 255, 255, 255, 255},
        {0, 0, 0, 128, 0, 0, 0, 128},
        {255, 255, 255, 127, 255, 255, 255, 127},
        {128, 0, 0, 0, 0, 0, 0, 0},
        {127, 255, 255, 255, 255, 255, 255, 255},
        {0, 0, 128, 127, 0, 0, 0xf0, 127},   /* infinity, little-endian */
        {0, 0, 128, 0x3f, 0, 0, 0xf0, 0x3f}, /* 1.0 */
        {1, 0, 128, 0x3f, 1, 0, 0xf0, 0x3f}, /* just above */
        {0x7f, 0x80, 0, 0, 0, 0, 0, 0},
        {0xbf, 0x80, 0, 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)check_random(rng);
    }
    for (size_t i = 0; i + 8 <= n; i += (size_t)scalar_bytes) {
        if (check_random(rng) % 4 == 0) {
            const uint8_t *pick = special[check_random(rng) % (sizeof special / 8)];
            size_t half = scalar_bytes < 8 ? 4 * (check_random(rng) % 2) : 0;
            memcpy(bytes + i, pick + half, (size_t)scalar_bytes);
        }
    }
}

enum { MAX_SAMPLES = 600 };

static void check_one(int r, const weir_sample_format *format, unsigned channel, const uint8_t *raw,
                      size_t n)
{
    static float out[2 * MAX_SAMPLES + 1];
    static double wide[2 * MAX_SAMPLES + 1];
    size_t parts = format->is_complex ? 2 : 1;
    memset(out, 0xff, sizeof out);
    memset(wide, 0xff, sizeof wide);
    weir_format_unpack(format, channel, raw, n, out);
    weir_format_unpack_f64(format, channel, raw, n, wide);
    weir_sample_counts counts = {5, 7}, expected = {5, 7};
    weir_format_count(format, channel, raw, n, &counts);
    for (size_t i = 0; i < n; i++) {
        bool clipped = false, nonfinite = false;
        for (size_t c = 0; c < parts; c++) {
            size_t index = (i * format->channels + channel) * parts + c;
            double x = expected_value(r, raw + index * (size_t)rows[r].bytes);
            clipped |= expected_clip(r, format->valid_bits, x);
            nonfinite |= !isfinite(x);
            double want = isfinite(x) ? fmax(-1e17, fmin(1e17, x)) : 0;
            CHECK_MSG(wide[i * parts + c] == want, "%d: %g is not %g", r, wide[i * parts + c],
                      want);
            CHECK_MSG(out[i * parts + c] == (float)want, "%d: %g is not %g", r,
                      (double)out[i * parts + c], want);
        }
        expected.clipped += clipped;
        expected.nonfinite += nonfinite;
    }
    CHECK_MSG(counts.clipped == expected.clipped,
              "row %d x%u ch %u valid %u: clipped %llu, not %llu", r, (unsigned)parts,
              format->channels, format->valid_bits, (unsigned long long)counts.clipped,
              (unsigned long long)expected.clipped);
    CHECK(counts.nonfinite == expected.nonfinite);
    CHECK(isnan(out[n * parts]) && isnan(wide[n * parts])); /* nothing written past the end */
}

static void test_every_format_against_arithmetic(void)
{
    check_rng rng = check_rng_fresh();
    static uint8_t bytes[MAX_SAMPLES * 8 * 2 * 4 + 16];
    for (int r = 0; r < N_ROWS; r++) {
        for (int round = 0; round < 16; round++) {
            weir_sample_format format = {rows[r].scalar, round & 1, 1 + (unsigned)round / 2 % 4, 0};
            if (rows[r].kind != 'f' && round >= 8) {
                format.valid_bits =
                    2 + (unsigned)(check_random(&rng) % (unsigned)(8 * rows[r].bytes - 1));
            }
            fill(&rng, bytes, sizeof bytes, rows[r].bytes);
            size_t alignment = check_random(&rng) % 8;
            size_t n = check_random(&rng) % (round < 2 ? 40 : MAX_SAMPLES);
            for (unsigned channel = 0; channel < format.channels; channel++) {
                check_one(r, &format, channel, bytes + alignment, n);
            }
        }
    }
}

static void test_every_alignment(void)
{
    check_rng rng = check_rng_fresh();
    static uint8_t bytes[64 * 8 * 2 + 16];
    for (int r = 0; r < N_ROWS; r++) {
        for (size_t alignment = 0; alignment < 16; alignment++) {
            weir_sample_format format = {rows[r].scalar, alignment & 1, 1, 0};
            fill(&rng, bytes, sizeof bytes, rows[r].bytes);
            check_one(r, &format, 0, bytes + alignment, 64);
        }
    }
}

/* Long enough that a narrow counter inside would overflow. */
static void test_long_counts_do_not_wrap(void)
{
    enum { N = 200000 };
    uint8_t *bytes = calloc(N, 8);
    static const weir_scalar fast[] = {WEIR_U8, WEIR_S8, WEIR_S16LE, WEIR_U16LE};
    for (size_t i = 0; i < 4; i++) {
        bool is_signed = fast[i] == WEIR_S8 || fast[i] == WEIR_S16LE;
        for (int is_complex = 0; is_complex < 2; is_complex++) {
            weir_sample_format format = {fast[i], is_complex, 1, 0};
            weir_sample_counts counts = {0, 0};
            weir_format_count(&format, 0, bytes, N, &counts);
            CHECK(counts.clipped == (is_signed ? 0 : N) && counts.nonfinite == 0);
        }
    }
    memset(bytes, 0xff, (size_t)N * 8); /* NaN as float */
    weir_sample_format f32 = {WEIR_F32LE, true, 1, 0}, u8 = {WEIR_U8_AUDIO, true, 1, 0};
    weir_sample_counts counts = {0, 0};
    weir_format_count(&f32, 0, bytes, N, &counts);
    CHECK(counts.clipped == 0 && counts.nonfinite == N);
    weir_format_count(&u8, 0, bytes, N, &counts);
    CHECK(counts.clipped == N && counts.nonfinite == N);
    free(bytes);
}

static void test_names(void)
{
    static const struct {
        const char *text, *canonical;
    } cases[] = {
        {"cu8", "cu8"},
        {"cs8", "cs8"},
        {"CS16", "cs16le"},
        {"cf32", "cf32le"},
        {"ci16_le", "cs16le"},
        {"ci16_be", "cs16be"},
        {"ru8", "u8"},
        {"ri8", "s8"},
        {"rf64_be", "f64be"},
        {"cf32_le", "cf32le"},
        {"cu16_be", "cu16be"},
        {"ri32_le", "s32le"},
        {"complex16s", "cs8"},
        {"complex16u", "cu8"},
        {"complex32s", "cs16le"},
        {"complex32u", "cu16le"},
        {"complex", "cf32le"},
        {"complex64", "cf32le"},
        {"complex128", "cf64le"},
        {"u8", "u8"},
        {"s8", "s8"},
        {"s16", "s16le"},
        {"s16le", "s16le"},
        {"s16be", "s16be"},
        {"s24", "s24le"},
        {"rs24be", "s24be"},
        {"s32", "s32le"},
        {"f32", "f32le"},
        {"f64", "f64le"},
        {"int16", "s16le"},
        {"float32", "f32le"},
        {"float", "f32le"},
        {"u8a", "u8a"},
        {"u32be", "u32be"},
        {"pcm_s16le", "s16le"},
        {"fc32", "cf32le"},
        {"sc16", "cs16le"},
        {"ci8", "cs8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_sample_format format = {WEIR_SCALAR_COUNT, false, 3, 9};
        weir_error err;
        char name[16];
        CHECK_MSG(weir_format_parse(cases[i].text, &format, &err) == WEIR_OK, "%s", cases[i].text);
        CHECK_STR(weir_format_name(&format, name, sizeof name), cases[i].canonical);
        CHECK(format.channels == 3 && format.valid_bits == 0);
    }
    for (int r = 0; r < 2 * N_ROWS; r++) { /* a canonical name reads back as itself */
        weir_sample_format format = {rows[r / 2].scalar, r & 1, 1, 0}, back = {0};
        char name[16];
        CHECK(weir_format_parse(weir_format_name(&format, name, sizeof name), &back, NULL) ==
              WEIR_OK);
        CHECK(back.scalar == format.scalar && back.is_complex == format.is_complex);
        CHECK(weir_scalar_bytes(format.scalar) == (size_t)rows[r / 2].bytes);
        CHECK(weir_scalar_is_float(format.scalar) == (rows[r / 2].kind == 'f'));
    }
}

static void test_bad_names(void)
{
    static const char *const bad[] = {
        "",
        "c",
        "le",
        "x16",
        "u8le",
        "cs17",
        "s16me",
        "complex99",
        "s 16",
        "f16",
        "cu8 ",
        "u24",
        "cc16",
        "\xff\xfe",
        "_",
        "pcm",
        "cr16",
        "rcs16",
        "cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8cu8",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_sample_format format = {WEIR_S24BE, true, 3, 9};
        weir_error err = {WEIR_OK, ""};
        CHECK_MSG(weir_format_parse(bad[i], &format, &err) == WEIR_ERR_USAGE, "%s", bad[i]);
        CHECK(err.status == WEIR_ERR_USAGE && strstr(err.text, "cf32") != NULL);
        CHECK(strlen(err.text) < sizeof err.text - 1 && strchr(err.text, '\n') == NULL);
        CHECK(format.scalar == WEIR_S24BE && format.is_complex && format.valid_bits == 9);
    }
    weir_sample_format format = {0};
    weir_error err;
    weir_format_parse("cs61le", &format, &err);
    CHECK_MSG(strstr(err.text, "did you mean \"cs16le\"?") != NULL, "%s", err.text);
    weir_format_parse("xyzzyq", &format, &err);
    CHECK(strstr(err.text, "did you mean") == NULL);
}

int main(void)
{
    RUN(test_every_format_against_arithmetic);
    RUN(test_every_alignment);
    RUN(test_long_counts_do_not_wrap);
    RUN(test_names);
    RUN(test_bad_names);
    return check_finish();
}
