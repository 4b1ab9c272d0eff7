/* ctest-labels: unit
 * base/units.h and base/text.h: numbers in and out, whatever the locale. */
#include "base/text.h"
#include "base/units.h"
#include "tests/check.h"

#include <locale.h>

static void test_hz(void)
{
    static const struct {
        const char *text;
        double hz;
    } good[] = {{"100.3M", 100.3e6},
                {"44.1k", 44100},
                {"1090MHz", 1090e6},
                {"2.4MS/s", 2.4e6},
                {"-5e6", -5e6},
                {"5.8G", 5.8e9},
                {"1e3 ", 0},
                {"2147483648", 2147483648.0},
                {"4294967296", 4294967296.0},
                {"0.5", 0.5},
                {".5k", 500},
                {"+3K", 3000},
                {"48000sps", 48000},
                {"5800.000001M", 5800000001.0}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double hz = -1;
        weir_error err = {0};
        weir_status status = weir_parse_hz(good[i].text, &hz, &err);
        if (good[i].hz == 0) {
            CHECK(status == WEIR_ERR_USAGE);
        } else {
            CHECK_MSG(status == WEIR_OK && fabs(hz - good[i].hz) <= 1e-15 * fabs(hz), "%s -> %.17g",
                      good[i].text, hz);
        }
    }
    static const char *const bad[] = {"",     "M",      "100,5M", "nan", "inf", "1e999", "0x10",
                                      "10MM", "10 MHz", "1.2.3",  "--1", "1e",  "12Q",   "100M5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double hz = 42;
        weir_error err = {0};
        CHECK_MSG(weir_parse_hz(bad[i], &hz, &err) == WEIR_ERR_USAGE, "%s taken as %g", bad[i], hz);
        CHECK(hz == 42 && strstr(err.text, "100.3M"));
    }
    weir_error err = {0};
    double hz;
    CHECK(weir_parse_hz("100,5M", &hz, &err) == WEIR_ERR_USAGE && strstr(err.text, "point"));
}

static void test_seconds_and_counts(void)
{
    double s = -1;
    CHECK(weir_parse_seconds("1.5", &s, NULL) == WEIR_OK && s == 1.5);
    CHECK(weir_parse_seconds("200ms", &s, NULL) == WEIR_OK && fabs(s - 0.2) < 1e-15);
    CHECK(weir_parse_seconds("2m", &s, NULL) == WEIR_OK && s == 120);
    CHECK(weir_parse_seconds("1:02:03.5", &s, NULL) == WEIR_OK && s == 3723.5);
    CHECK(weir_parse_seconds("0:01.250", &s, NULL) == WEIR_OK && s == 1.25);
    static const char *const bad[] = {"",   "-1", "1:2:3:4", "1.5:30", "abc",
                                      "1x", "1:", "1,5",     "1e307h"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_MSG(weir_parse_seconds(bad[i], &s, NULL) == WEIR_ERR_USAGE, "%s", bad[i]);
    }
    uint64_t n = 7;
    CHECK(weir_parse_count("4096", &n, NULL) == WEIR_OK && n == 4096);
    CHECK(weir_parse_count("64k", &n, NULL) == WEIR_OK && n == 64000);
    CHECK(weir_parse_count("4Ki", &n, NULL) == WEIR_OK && n == 4096);
    CHECK(weir_parse_count("1Mi", &n, NULL) == WEIR_OK && n == 1048576);
    CHECK(weir_parse_count("1Gi", &n, NULL) == WEIR_OK && n == 1073741824);
    CHECK(weir_parse_count("2^20", &n, NULL) == WEIR_OK && n == 1048576);
    CHECK(weir_parse_count("18446744073709551615", &n, NULL) == WEIR_OK && n == UINT64_MAX);
    static const char *const bad_count[] = {
        "",  "-1", "1.5", "18446744073709551616", "2^64", "3^2", "18446744073709551615k",
        "k", " 4", "4x"};
    for (size_t i = 0; i < sizeof bad_count / sizeof bad_count[0]; i++) {
        CHECK_MSG(weir_parse_count(bad_count[i], &n, NULL) == WEIR_ERR_USAGE, "%s", bad_count[i]);
    }
    double db;
    CHECK(weir_parse_db("-40dBFS", &db, NULL) == WEIR_OK && db == -40);
    CHECK(weir_parse_db("-40x", &db, NULL) == WEIR_ERR_USAGE);
    CHECK(weir_parse_number("0.25", &db, NULL) == WEIR_OK && db == 0.25);
    CHECK(weir_parse_number("0.25k", &db, NULL) == WEIR_ERR_USAGE);
}

static void test_formats(void)
{
    char b[64];
    CHECK_STR(weir_format_hz(b, sizeof b, 433.92e6, 0), "433.92 MHz");
    CHECK_STR(weir_format_hz(b, sizeof b, 100e6, 488.28125), "100.0000 MHz");
    CHECK_STR(weir_format_hz(b, sizeof b, 100e6, 1000), "100.000 MHz");
    CHECK_STR(weir_format_hz(b, sizeof b, 440, 0), "440 Hz");
    CHECK_STR(weir_format_hz(b, sizeof b, -1500, 0), "-1.5 kHz");
    CHECK_STR(weir_format_hz(b, sizeof b, 0, 0), "0 Hz");
    CHECK_STR(weir_format_si(b, sizeof b, 1234567), "1.23 M");
    CHECK_STR(weir_format_si(b, sizeof b, 999), "999 ");
    CHECK_STR(weir_format_si(b, sizeof b, 999.9), "1.00 k");
    CHECK_STR(weir_format_si(b, sizeof b, 0), "0 ");
    CHECK_STR(weir_format_si(b, sizeof b, 0.0125), "12.5 m");
    CHECK_STR(weir_format_seconds(b, sizeof b, 1.25, 0.001), "0:01.250");
    CHECK_STR(weir_format_seconds(b, sizeof b, 59.9996, 0.001), "1:00.000");
    CHECK_STR(weir_format_seconds(b, sizeof b, 3723, 1), "1:02:03");
    CHECK_STR(weir_format_seconds(b, sizeof b, 0x1p64, 1), "1.84e+19 s"); /* beyond 64 bits */
    CHECK_STR(weir_format_seconds(b, sizeof b, -0.5, 0.1), "-0:00.5");
    CHECK_STR(weir_format_utc(b, sizeof b, 0, 0), "1970-01-01T00:00:00Z");
    CHECK_STR(weir_format_utc(b, sizeof b, -1, 3), "1969-12-31T23:59:59.999Z");
    CHECK_STR(weir_format_utc(b, sizeof b, INT64_C(1767225600123456789), 9),
              "2026-01-01T00:00:00.123456789Z");
}

static void test_round_trip(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 20000; i++) {
        double want = exp((check_uniform(&rng) - 0.3) * 40);
        char text[64];
        weir_snprintf(text, sizeof text, "%.17g", want);
        double got = 0;
        CHECK(weir_parse_hz(text, &got, NULL) == WEIR_OK && got == want);
    }
}

static void test_nearest_name(void)
{
    static const char *const names[] = {"hann", "hamming", "blackman-harris", "kaiser", NULL};
    CHECK_STR(weir_nearest_name("hanning", names), "hamming");
    CHECK_STR(weir_nearest_name("Han", names), "hann");
    CHECK_STR(weir_nearest_name("blackmanharris", names), "blackman-harris");
    CHECK(weir_nearest_name("qqqqqq", names) == NULL);
    static const char *const commands[] = {"view", "list", "fft", NULL};
    CHECK_STR(weir_nearest_name("veiw", commands), "view"); /* two keys in the wrong order */
    CHECK_STR(weir_nearest_name("ftf", commands), "fft");
    CHECK_STR(weir_nearest_name("lsit", commands), "list");
    CHECK(weir_nearest_name("song", commands) == NULL);
}

/* Whole where there is room, and never beyond it. */
static void test_lists(void)
{
    char list[24] = "";
    weir_list_add(list, sizeof list, "%s", "one");
    CHECK_STR(list, "one");
    weir_list_add(list, sizeof list, "%d: %s (%.1f)", 2, "two", 2.5);
    CHECK_STR(list, "one, 2: two (2.5)");
    for (size_t size = 1; size <= 12; size++) {
        char whole[] = "one, two", small[13];
        memset(small, '#', sizeof small);
        small[0] = '\0';
        weir_list_add(small, size, "one");
        weir_list_add(small, size, "two");
        size_t length = strlen(whole) < size ? strlen(whole) : size - 1;
        CHECK(strlen(small) == length && strncmp(small, whole, length) == 0);
        CHECK(small[size] == '#');
    }
    weir_list_add(list, sizeof list, "a long one at last");
    weir_list_add(list, sizeof list, "and another");
    CHECK_STR(list, "one, 2: two (2.5), a lo");
}

static void test_endings(void)
{
    CHECK(weir_ends_with("a.sigmf-meta", ".sigmf-meta"));
    CHECK(!weir_ends_with("a.SIGMF-META", ".sigmf-meta"));
    CHECK(!weir_ends_with(".sigmf-meta", ".sigmf-meta")); /* nothing before it */
    CHECK(!weir_ends_with("", ".csv") && !weir_ends_with("csv", ".csv"));
    CHECK(weir_path_ending("a.csv", ".csv") == 4);
    CHECK(weir_path_ending("a/b.Peaks.CSV", ".peaks.csv") == 10);
    CHECK(weir_path_ending("a.jsonl", ".json .jsonl") == 6);
    CHECK(weir_path_ending("a.json", ".json .jsonl") == 5);
    CHECK(weir_path_ending("a.json", ".jsonl .json") == 5);
    CHECK(weir_path_ending("a.js", ".json .jsonl") == 0); /* half of one */
    CHECK(weir_path_ending("a.csv.gz", ".csv") == 0);
    CHECK(weir_path_ending("a.csv", "") == 0);
    CHECK(weir_path_ending(".csv", ".csv") == 0 && weir_path_ending("", ".csv") == 0);
}

int main(void)
{
    /* A comma locale where there is one: nothing below may change. */
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        printf("# no de_DE.UTF-8 here: only the C locale is tried\n");
    }
    RUN(test_hz);
    RUN(test_seconds_and_counts);
    RUN(test_formats);
    RUN(test_round_trip);
    RUN(test_nearest_name);
    RUN(test_lists);
    RUN(test_endings);
    return check_finish();
}
