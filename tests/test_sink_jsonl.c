/* ctest-labels: unit
 * JSON lines: members and numbers, escapes, silence, locale, failing outputs. With a path:
 * writes a stream there for test_sink_jsonl_valid.py. */
#include "display/json_out.h"
#include "tests/sink_testing.h"

static float power[513];

static const char *json_of(weir_line *line)
{
    weir_line_bytes(line, "", 1);
    line->used = 0;
    return line->text;
}

static void test_writer(void)
{
    weir_line line = {0};
    weir_json json = {.line = &line};
    weir_json_open(&json, NULL, '{');
    weir_json_string(&json, "a", "q\"b\\n\n\t\x01\x7f");
    weir_json_string(&json, "none", NULL);
    weir_json_open(&json, "list", '[');
    weir_json_exact(&json, NULL, 0.1);
    weir_json_exact(&json, NULL, 5800000000.0);
    weir_json_number(&json, NULL, 1.0 / 3.0);
    weir_json_number(&json, NULL, (double)NAN);
    weir_json_exact(&json, NULL, -(double)INFINITY);
    weir_json_close(&json, ']');
    const float values[] = {-0.00001f, -12.34567f, NAN, INFINITY, 0.5f};
    weir_json_floats(&json, "f", values, 5, 4);
    weir_json_floats(&json, "empty", values, 0, 4);
    weir_json_open(&json, "o", '{');
    weir_json_close(&json, '}');
    weir_json_bool(&json, "b", true);
    weir_json_unsigned(&json, "u", UINT64_MAX);
    weir_json_close(&json, '}');
    CHECK_STR(json_of(&line),
              "{\"a\":\"q\\\"b\\\\n\\u000a\\u0009\\u0001\\u007f\",\"none\":null,\"list\":[0.1,"
              "5800000000,0.333333333,null,null],\"f\":[0.0000,-12.3457,null,null,0.5000],"
              "\"empty\":[],\"o\":{},\"b\":true,\"u\":18446744073709551615}");
    weir_line_free(&line);
}

static void test_strings_are_utf8(void)
{
    const struct {
        const char *in, *out;
    } cases[] = {
        {"f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x8e\xb5",
         "\"f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x8e\xb5\""},
        {"\xff", "\"\\ufffd\""},
        {"\xc3", "\"\\ufffd\""},                                  /* cut short            */
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                       /* overlong             */
        {"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},            /* overlong             */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* a surrogate          */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* past U+10FFFF */
        {"\xf5x", "\"\\ufffdx\""},
    };
    weir_line line = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_json json = {.line = &line};
        weir_json_string(&json, NULL, cases[i].in);
        CHECK_STR(json_of(&line), cases[i].out);
    }
    weir_line_free(&line);
}

/* A header, a tone, digital silence after a gap, totals. */
static void write_stream(const char *path)
{
    weir_stream_info stream = sink_stream();
    stream.source = "a \"quoted\"\tname \xff";
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = path;
    config.n_peaks = 2;
    for (int k = 0; k < 513; k++) {
        power[k] = 0.5e-6f;
    }
    power[100] = 0.5f;
    weir_sink *sink = sink_open("jsonl", &config, &stream);
    weir_spectrum s = sink_spectrum(&stream, 0, power);
    s.made_up = (weir_made_up){.high_hz = 93.75, .step_hz = 1500, .n_runs = 2};
    sink_write(sink, &s);
    memset(power, 0, sizeof power);
    s = sink_spectrum(&stream, 3, power);
    s.lost_before = UINT64_C(9007199254740993); /* 2^53 + 1: no double */
    s.is_partial = true;
    sink_write(sink, &s);
    weir_totals totals = {.received = 100, .transformed = 90, .tail = 10, .n_spectra = 2};
    sink_finish(sink, &totals);
}

static void test_stream(void)
{
    char path[128];
    write_stream(sink_path(path, sizeof path, "stream.jsonl"));
    size_t size;
    char *text = sink_read_file(path, &size);
    CHECK(strncmp(text, "{\"schema\":\"weir.stream/1\",", 26) == 0);
    CHECK(strstr(text, "\"rate_hz\":48000,\"center_hz\":0,\"n_samples\":null,") != NULL);
    CHECK(strstr(text, "\"unit\":\"dBFS\",\"full_scale\":\"sine\"") != NULL);
    CHECK(strstr(text, "\n{\"schema\":\"weir.spectrum/1\",\"index\":0,\"time_s\":0,") != NULL);
    CHECK(strstr(text, ",-60.0000,0.0000,-60.0000,") != NULL);
    CHECK(strstr(text, ",\"dc_interpolated_hz\":[[0,93.75],[1500,1593.75]],") != NULL);
    CHECK(strstr(text, "\"lost_before\":9007199254740993,") != NULL);
    CHECK(strstr(text, "\"level_db\":[-300.0000,-300.0000,") != NULL);
    CHECK(strstr(text, "\n{\"schema\":\"weir.totals/1\",\"received\":100,\"transformed\":90,") !=
          NULL);
    CHECK(!strstr(text, "inf") && !strstr(text, "nan"));
    free(text);
}

static void test_reproducible_output_has_no_engine_and_no_folder(void)
{
    char path[128];
    weir_stream_info stream = sink_stream();
    stream.source = "/a/b/c.wav";
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = sink_path(path, sizeof path, "engine.jsonl");
    for (int i = 0; i < 2; i++) {
        config.reproducible = i == 1;
        weir_sink *sink = sink_open("jsonl", &config, &stream);
        sink_finish(sink, &(weir_totals){0});
        size_t size;
        char *text = sink_read_file(path, &size);
        CHECK((strstr(text, "\"engine\"") == NULL) == config.reproducible);
        CHECK(strstr(text, i ? "\"source\":\"c.wav\"" : "\"source\":\"/a/b/c.wav\"") != NULL);
        CHECK(strstr(text, "\"channel\":1,") != NULL);
        free(text);
    }
}

static void test_failing_outputs(void)
{
    weir_stream_info stream = sink_stream();
    sink_check_unwritable("jsonl", &stream);
    sink_check_full_disk("jsonl", &stream, power);
    sink_check_closed_pipe("jsonl", &stream, power);
    sink_check_abandoned("jsonl", &stream, power);
    sink_check_missing_trace("jsonl", &stream, power);
    sink_check_no_such_bins("jsonl", &stream, power);
    CHECK(sink_count_files(".weir-") == 0);
}

static void test_comma_locale(void)
{
    if (!sink_set_comma_locale()) {
        printf("# no locale with a decimal comma here\n");
        return;
    }
    RUN(test_writer);
    RUN(test_stream);
    setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        write_stream(argv[1]);
        return check_failed != 0;
    }
    RUN(test_writer);
    RUN(test_strings_are_utf8);
    RUN(test_stream);
    RUN(test_reproducible_output_has_no_engine_and_no_folder);
    RUN(test_failing_outputs);
    RUN(test_comma_locale);
    return check_finish();
}
