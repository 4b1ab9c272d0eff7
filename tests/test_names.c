/* ctest-labels: unit prop
 * capture/names.h and capture/utc.h: what file names say. */
#include "capture/names.h"
#include "capture/source.h"
#include "capture/utc.h"
#include "tests/check.h"

static const char *format_of(const weir_name_facts *facts)
{
    static char name[32];
    return facts->has_format ? weir_format_name(&facts->format, name, sizeof name) : "";
}

static const struct {
    const char *path;
    const char *format; /* "" unknown */
    double rate_hz, center_hz;
    const char *time; /* NULL unknown */
    bool is_local, is_iq;
} cases[] = {
    {"/tmp/gqrx_20160101_123456_433920000_1800000_fc.raw", "cf32le", 1.8e6, 433.92e6,
     "2016-01-01T12:34:56Z", false, true},
    {"gqrx_20160101_123456_97700000.wav", "", 0, 97.7e6, "2016-01-01T12:34:56Z", false, false},
    {"SDRSharp_20190708_145003Z_5800000000_IQ.wav", "", 0, 5.8e9, "2019-07-08T14:50:03Z", false,
     true},
    {"SDRSharp_20190708_145003Z_433920000Hz_IQ.wav", "", 0, 433.92e6, "2019-07-08T14:50:03Z", false,
     true},
    {"SDRSharp_20190708_145003Z_433920000Hz_AF.wav", "", 0, 433.92e6, "2019-07-08T14:50:03Z", false,
     false},
    {"HDSDR_20210203_040506Z_7100kHz_RF.wav", "", 0, 7.1e6, "2021-02-03T04:05:06Z", false, true},
    {"HDSDR_20210203_040506Z_7100kHz_AF.wav", "", 0, 7.1e6, "2021-02-03T04:05:06Z", false, false},
    {"HDSDR_20210203_040506_7100kHz_RF.wav", "", 0, 7.1e6, "2021-02-03T04:05:06Z", true, true},
    {"SDRuno_20200907_184033Z_88110kHz.wav", "", 0, 88.11e6, "2020-09-07T18:40:33Z", false, true},
    {"x/baseband_2147483648Hz_01-02-03_29-02-2024.wav", "", 0, 2147483648.0, "2024-02-29T01:02:03Z",
     true, true},
    {"audio_100000000Hz_01-02-03_28-02-2024.wav", "", 0, 100e6, "2024-02-28T01:02:03Z", true,
     false},
    {"sigdigger_20230401_101112Z_1024000_868000000_float32_iq.raw", "cf32le", 1.024e6, 868e6,
     "2023-04-01T10:11:12Z", false, true},
    {"g001_433.92M_250k.cu8", "cu8", 250e3, 433.92e6, NULL, false, false},
    {"g001_433.92M_250k", "", 250e3, 433.92e6, NULL, false, false},
    {"rtlsdr_868.625M_2M4_issue48.cu8", "cu8", 2.4e6, 868.625e6, NULL, false, false},
    {"a_868950kHz_1.6Msps.cs16", "cs16le", 1.6e6, 868.95e6, NULL, false, false},
    {"GSoC_CTTC_capture_2012_07_26_4Msps_4ms.dat", "", 4e6, NAN, NULL, false, false},
    {"horusb_iq_s16.raw", "cs16le", 0, NAN, NULL, false, true},
    {"modes1.bin", "", 0, NAN, NULL, false, false},
    {"433.92M", "", 0, 433.92e6, NULL, false, false},
    {"", "", 0, NAN, NULL, false, false},
    {".cu8", "", 0, NAN, NULL, false, false},
    {"a.cu8/b", "", 0, NAN, NULL, false, false},
    {"rec_20230231_000000Z.cu8", "cu8", 0, NAN, NULL, false, false},
    {"rec_20230228_235960Z.CU8", "cu8", 0, NAN, "2023-03-01T00:00:00Z", false, false},
};

static void test_conventions(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_name_facts facts;
        memset(&facts, 0x5a, sizeof facts);
        weir_names_parse(cases[i].path, &facts);
        const char *path = cases[i].path;
        CHECK_MSG(strcmp(format_of(&facts), cases[i].format) == 0, "%s: format %s", path,
                  format_of(&facts));
        CHECK_MSG(facts.rate_hz == cases[i].rate_hz, "%s: rate %.17g", path, facts.rate_hz);
        CHECK_MSG(facts.center_hz == cases[i].center_hz ||
                      (isnan(facts.center_hz) && isnan(cases[i].center_hz)),
                  "%s: centre %.17g", path, facts.center_hz);
        int64_t time = WEIR_UNKNOWN_TIME;
        CHECK(!cases[i].time || weir_utc_parse(cases[i].time, &time));
        CHECK_MSG(facts.time_unix_ns == time, "%s: time %lld", path, (long long)facts.time_unix_ns);
        CHECK_MSG(facts.time_is_local == cases[i].is_local, "%s: local %d", path,
                  facts.time_is_local);
        CHECK_MSG(facts.is_iq == cases[i].is_iq, "%s: iq %d", path, facts.is_iq);
    }
}

static void test_endings(void)
{
    static const struct {
        const char *path, *format;
    } rows[] = {
        {"a.cu8", "cu8"},
        {"a.cs8", "cs8"},
        {"a.cs16", "cs16le"},
        {"a.cf32", "cf32le"},
        {"a.cf64", "cf64le"},
        {"a.u8", "ru8"},
        {"a.s16", "rs16le"},
        {"a.f32", "rf32le"},
        {"a.complex", "cf32le"},
        {"a.complex16s", "cs8"},
        {"a.complex16u", "cu8"},
        {"a.complex32s", "cs16le"},
        {"a.complex32u", "cu16le"},
        {"a.cfile", "cf32le"},
        {"a.fc64", "cf64le"},
        {"a.sc8", "cs8"},
        {"a.c8", "cs8"},
        {"a.sc16", "cs16le"},
        {"a.c16", "cs16le"},
        {"a.sc32", "cs32le"},
        {"a.uc8", "cu8"},
        {"a.cs16be", "cs16be"},
        {"a.s24", "rs24le"},
        {"a.u8x", ""},
        {"cu8", ""},
        {"a.CF32", "cf32le"},
        {"a.raw", ""},
        {"a.iq", ""},
        {"a.bin", ""},
        {"a.dat", ""},
        {"a.cu8.bak", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_name_facts facts;
        weir_names_parse(rows[i].path, &facts);
        weir_sample_format expected = {.channels = 1};
        if (rows[i].format[0]) {
            CHECK(weir_format_parse(rows[i].format, &expected, NULL) == WEIR_OK);
        }
        CHECK_MSG(facts.has_format == (rows[i].format[0] != '\0') &&
                      facts.format.scalar == expected.scalar &&
                      facts.format.is_complex == expected.is_complex,
                  "%s: %s", rows[i].path, format_of(&facts));
    }
}

/* Whatever the bytes: nothing but facts that can be, and no read beyond the text (ASan). */
static void test_any_bytes(void)
{
    check_rng rng = check_rng_fresh();
    static const char alphabet[] = "0123456789_-.kMGHzspZ/ gqrxIQ";
    for (int i = 0; i < 20000; i++) {
        size_t n = check_random(&rng) % 80;
        char *text = malloc(n + 1);
        for (size_t k = 0; k < n; k++) {
            uint64_t r = check_random(&rng);
            text[k] = r & 64 ? alphabet[r / 128 % (sizeof alphabet - 1)] : (char)(r % 255 + 1);
        }
        text[n] = '\0';
        weir_name_facts facts;
        weir_names_parse(text, &facts);
        CHECK(facts.rate_hz >= 0 && isfinite(facts.rate_hz) && !isinf(facts.center_hz));
        free(text);
    }
    char *longest = malloc(100001);
    memset(longest, '9', 100000);
    longest[100000] = '\0';
    weir_name_facts facts;
    weir_names_parse(longest, &facts);
    CHECK(facts.rate_hz == 0 && isnan(facts.center_hz));
    free(longest);

    char fraction[320] = "x_5k"; /* 5.777... k, of more digits than a double can count */
    memset(fraction + 4, '7', 306);
    memcpy(fraction + 310, ".cu8", sizeof ".cu8");
    weir_names_parse(fraction, &facts);
    CHECK(isfinite(facts.rate_hz) && !isinf(facts.center_hz));
}

static void test_civil_time_against_the_c_library(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 20000; i++) {
        time_t t = (time_t)(check_random(&rng) % 18000000000u) - 9000000000;
        struct tm tm;
        gmtime_r(&t, &tm);
        weir_civil_time c = {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                             tm.tm_min,         tm.tm_sec,     7};
        int64_t ns = 0;
        CHECK(weir_utc_from_civil(&c, &ns) && ns == (int64_t)t * 1000000000 + 7);
    }
}

static void test_rfc3339(void)
{
    int64_t ns = 1;
    CHECK(weir_utc_parse("1970-01-01T00:00:00Z", &ns) && ns == 0);
    CHECK(weir_utc_parse("2021-06-18T23:17:51.163959Z", &ns) && ns == 1624058271163959000);
    CHECK(weir_utc_parse("1969-12-31T23:59:59.9999999999Z", &ns) && ns == -1);
    static const char *const wrong[] = {
        "",
        "2021-06-18",
        "2021-06-18T23:17:51",
        "2021-06-18T23:17:51+02:00",
        "2021-06-18T23:17:51.Z",
        "2021-13-18T23:17:51Z",
        "2021-02-29T23:17:51Z",
        "2021-06-18T24:00:00Z",
        "2021-06-18T23:17:51Zx",
        "9999-06-18T23:17:51Z",
        "0000-00-00T00:00:00Z",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ns = 42;
        CHECK_MSG(!weir_utc_parse(wrong[i], &ns) && ns == 42, "%s", wrong[i]);
    }
}

static void test_time_after(void)
{
    CHECK(weir_time_after(5, 48000, 48000) == 1000000005);
    CHECK(weir_time_after(-7, 1, 3e9) == -7); /* a third of a nanosecond */
    CHECK(weir_time_after(WEIR_UNKNOWN_TIME, 5, 1) == WEIR_UNKNOWN_TIME);
    CHECK(weir_time_after(0, UINT64_MAX, 1e-3) == WEIR_UNKNOWN_TIME);
    CHECK(weir_time_after(INT64_MAX, 1, 1) == WEIR_UNKNOWN_TIME);
}

static void test_local_time(void)
{
    setenv("TZ", "XXX-02:00", 1); /* two hours east: 12:00 there is 10:00 UTC */
    tzset();
    CHECK(weir_names_local_to_utc(INT64_C(43200000000007)) == INT64_C(36000000000007));
    CHECK(weir_names_local_to_utc(WEIR_UNKNOWN_TIME) == WEIR_UNKNOWN_TIME);
}

int main(void)
{
    RUN(test_conventions);
    RUN(test_endings);
    RUN(test_any_bytes);
    RUN(test_civil_time_against_the_c_library);
    RUN(test_rfc3339);
    RUN(test_time_after);
    RUN(test_local_time);
    return check_finish();
}
