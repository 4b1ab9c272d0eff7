/* ctest-labels: unit
 * The three CSV dialects and the text lines: exact rows, settings, gaps, retunes, locale,
 * failing outputs. */
#include "display/line.h"
#include "tests/sink_testing.h"

enum { MOST_BINS = 1024 };
static float power[MOST_BINS];

/* Bin k reads -k/10 dBFS; full_scale is 0.5 or 1. */
static void fill_steps(double full_scale)
{
    for (int k = 0; k < MOST_BINS; k++) {
        power[k] = (float)(full_scale * pow(10.0, -k / 100.0));
    }
}

static weir_sink_config file_config(char *path, size_t size, const char *name)
{
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = sink_path(path, size, name);
    unlink(path);
    return config;
}

/* Line number n of text, without its end; "" past the last. */
static const char *line_at(const char *text, size_t n, char *buffer, size_t size)
{
    for (; n > 0 && text; n--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    size_t length = text ? strcspn(text, "\n") : 0;
    length = length < size - 1 ? length : size - 1;
    memcpy(buffer, text ? text : "", length);
    buffer[length] = '\0';
    return buffer;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++) {
        count++;
    }
    return count;
}

/* The file of a sink that is given one spectrum, of `power`; to be freed. */
static char *written(const char *kind, const weir_sink_config *config,
                     const weir_stream_info *stream, const char *path)
{
    size_t size;
    weir_sink *sink = sink_open(kind, config, stream);
    weir_spectrum s = sink_spectrum(stream, 0, power);
    sink_write(sink, &s);
    sink_finish(sink, &(weir_totals){0});
    return sink_read_file(path, &size);
}

static void test_numbers_are_as_printf_writes_them(void)
{
    check_rng rng = check_rng_fresh();
    weir_line line = {0};
    for (int i = 0; i < 20000; i++) {
        float value = (float)((check_uniform(&rng) - 0.5) * pow(10.0, 6.0 * check_uniform(&rng)));
        unsigned decimals = (unsigned)(check_random(&rng) % 5);
        char expected[64];
        weir_snprintf(expected, sizeof expected, "%.*f", (int)decimals, (double)value);
        const char *want = strspn(expected, "-0.") == strlen(expected)
                               ? expected + (expected[0] == '-')
                               : expected;
        line.used = 0;
        weir_line_fixed(&line, (double)value, decimals);
        weir_line_bytes(&line, "", 1);
        CHECK_STR(line.text, want);
        double exact = check_gauss(&rng) * pow(10.0, 20.0 * check_uniform(&rng) - 10.0);
        line.used = 0;
        weir_line_exact(&line, exact);
        weir_line_bytes(&line, "", 1);
        CHECK(strtod(line.text, NULL) == exact);
    }
    line.used = 0;
    weir_line_fixed(&line, 1e300, 2); /* beyond the fast way */
    weir_line_unsigned(&line, UINT64_MAX);
    weir_line_bytes(&line, "", 1);
    CHECK(strncmp(line.text, "10000000000000000525", 20) == 0);
    CHECK(strstr(line.text, ".0018446744073709551615") != NULL);
    weir_line_free(&line);
}

static void test_own_dialect(void)
{
    char path[128], row[400];
    weir_stream_info stream = sink_iq_stream();
    stream.n_fft = 8;
    stream.hop = 4;
    stream.source = "a\nb"; /* must not start a line of its own */
    weir_sink_config config = file_config(path, sizeof path, "own.csv");
    fill_steps(1.0);
    weir_sink *sink = sink_open("csv", &config, &stream);
    weir_spectrum s = sink_spectrum(&stream, 0, power);
    sink_write(sink, &s);
    s = sink_spectrum(&stream, 7, power);
    s.lost_before = 240;
    s.clipped = 3;
    s.nonfinite = 2;
    sink_write(sink, &s);
    s.center_hz += 1e6;
    s.start_hz += 1e6;
    sink_write(sink, &s);
    CHECK(access(path, F_OK) != 0); /* not before finish */
    weir_totals totals = {
        .received = 9, .transformed = 4, .skipped = 2, .lost = 1, .tail = 2, .n_gaps = 5};
    sink_finish(sink, &totals);

    size_t size;
    char *text = sink_read_file(path, &size);
    CHECK(strstr(text, "# source: a b\n") != NULL);
    CHECK(strstr(text, "# rate_hz: 2400000\n# center_hz: 100300000\n# n_fft: 8\n") != NULL);
    CHECK(strstr(text, "# rbw_hz: 450000\n# averages: 10\n") != NULL);
    CHECK(strstr(text, "# unit: dBFS\n# full_scale: 0 dBFS = the power of a full-scale complex "
                       "tone\n") != NULL);
    CHECK(strstr(text, "# start_time: 2025-11-30T12:00:00.123456789Z\n") != NULL);
    const char *axis = strstr(text, "# axis: ");
    CHECK_STR(line_at(axis, 0, row, sizeof row), "# axis: start_hz=99100000 bin_hz=300000 bins=8 "
                                                 "rate_hz=2400000 center_hz=100300000");
    CHECK_STR(line_at(axis, 1, row, sizeof row),
              "time_s,utc,first_sample,frames,lost_before,clipped,nonfinite,99100000,99400000,"
              "99700000,100000000,100300000,100600000,100900000,101200000");
    CHECK_STR(line_at(axis, 2, row, sizeof row),
              "0.000000000,2025-11-30T12:00:00.123456Z,0,10,0,0,0,0.00,-0.10,-0.20,-0.30,-0.40,"
              "-0.50,-0.60,-0.70");
    CHECK_STR(line_at(axis, 3, row, sizeof row),
              "0.000116667,2025-11-30T12:00:00.123573Z,280,10,240,3,2,0.00,-0.10,-0.20,-0.30,"
              "-0.40,-0.50,-0.60,-0.70");
    CHECK(strncmp(line_at(axis, 4, row, sizeof row), "# axis: start_hz=100100000 ", 27) == 0);
    CHECK_STR(line_at(axis, 7, row, sizeof row), "# totals: received=9 transformed=4 skipped=2 "
                                                 "lost=1 tail=2 clipped=0 nonfinite=0 gaps=5");
    CHECK(count_of(text, "# axis: ") == 2 && text[size - 1] == '\n');
    free(text);
}

static void test_frequencies_are_exact(void)
{
    char path[128];
    /* scenario 8 of others' failures: beyond 32 bits, and steps no binary fraction has */
    const struct {
        double rate_hz, center_hz;
        size_t n_fft;
        const char *expected;
    } cases[] = {
        {44100.0, 0.0, 1000, "nonfinite,0,44.1,88.2,132.3,176.4,220.5,"},
        {20e6, 5.8e9, 16, "nonfinite,5790000000,5791250000,5792500000,"},
        {48000.0, 2147483648.0, 8, "nonfinite,2147459648,2147465648,"},
        {48000.0, -7.3e9, 8, "nonfinite,-7300024000,"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_stream_info stream = cases[i].center_hz != 0.0 ? sink_iq_stream() : sink_stream();
        stream.rate_hz = cases[i].rate_hz;
        stream.center_hz = cases[i].center_hz;
        stream.n_fft = cases[i].n_fft;
        weir_sink_config config = file_config(path, sizeof path, "exact.csv");
        char *text = written("csv", &config, &stream, path);
        CHECK_MSG(strstr(text, cases[i].expected), "no \"%s\" in %.900s", cases[i].expected, text);
        free(text);
    }
}

static void test_part_of_the_band_and_silence(void)
{
    char path[128], row[200];
    weir_stream_info stream = sink_stream();
    stream.time_unix_ns = INT64_MIN;
    stream.n_fft = 48; /* 1 kHz steps */
    weir_sink_config config = file_config(path, sizeof path, "part.csv");
    config.low_hz = 2000.0;
    config.high_hz = 4999.0;
    config.reproducible = true;
    memset(power, 0, sizeof power);
    char *text = written("csv", &config, &stream, path);
    const char *axis = strstr(text, "# axis: ");
    CHECK(strstr(line_at(axis, 1, row, sizeof row), ",nonfinite,2000,3000,4000") != NULL);
    CHECK_STR(line_at(axis, 2, row, sizeof row), "0.000000000,,0,10,0,0,0,-300.00,-300.00,-300.00");
    CHECK(strstr(text, "# start_time: unknown\n") && !strstr(text, "# engine"));
    free(text);
}

static void test_rtl_power_dialect(void)
{
    char path[128];
    weir_stream_info stream = sink_iq_stream();
    stream.n_fft = 4;
    stream.hop = 2400000 / 10;
    weir_sink_config config = file_config(path, sizeof path, "rtl_power.csv");
    config.reproducible = true;
    fill_steps(1.0);
    weir_sink *sink = sink_open("rtl_power", &config, &stream);
    weir_spectrum s = sink_spectrum(&stream, 0, power);
    s.end_sample = 2 * 2400000; /* the end of the interval is what the time says */
    sink_write(sink, &s);
    sink_finish(sink, &(weir_totals){0});
    size_t size;
    char *text = sink_read_file(path, &size);
    CHECK_STR(text, "2025-11-30, 12:00:02, 99100000, 101500000, 600000.00, 10, 0.00, -0.10, "
                    "-0.20, -0.30, -0.30\n");
    free(text);

    setenv("TZ", "XYZ-5:30", 1);
    tzset();
    stream.time_unix_ns = INT64_MIN; /* unknown: counts from 1970, here in local time */
    config.reproducible = false;
    sink = sink_open("rtl_power", &config, &stream);
    s = sink_spectrum(&stream, 1, power);
    sink_write(sink, &s);
    sink_finish(sink, &(weir_totals){0});
    text = sink_read_file(path, &size);
    CHECK(strncmp(text, "1970-01-01, 05:30:01, ", 22) == 0);
    free(text);
    unsetenv("TZ");
    tzset();
}

static void test_hackrf_sweep_dialect(void)
{
    char path[128];
    weir_stream_info stream = sink_iq_stream();
    stream.rate_hz = 20e6;
    stream.center_hz = 110e6;
    stream.n_fft = 10; /* 2 MHz: two to a row of at most 5 MHz */
    weir_sink_config config = file_config(path, sizeof path, "hackrf.csv");
    config.reproducible = true;
    config.high_hz = 108e6;
    fill_steps(1.0);
    char *text = written("hackrf_sweep", &config, &stream, path);
    CHECK_STR(text,
              "2025-11-30, 12:00:00.123456, 99000000, 103000000, 2000000.00, 10, 0.00, -0.10\n"
              "2025-11-30, 12:00:00.123456, 103000000, 107000000, 2000000.00, 10, -0.20, -0.30\n"
              "2025-11-30, 12:00:00.123456, 107000000, 109000000, 2000000.00, 10, -0.40\n");
    free(text);
}

static void test_text_lines(void)
{
    char path[128], row[300];
    weir_stream_info stream = sink_stream();
    stream.description = "\x1b[31mred"; /* no escapes from outside reach a terminal */
    weir_sink_config config = file_config(path, sizeof path, "lines.txt");
    for (int k = 0; k < MOST_BINS; k++) {
        power[k] = 0.5e-9f;
    }
    power[256] = 0.5f; /* 12 kHz, 0 dBFS */
    weir_sink *sink = sink_open("text", &config, &stream);
    for (unsigned i = 0; i < 30; i++) {
        weir_spectrum s = sink_spectrum(&stream, i, power);
        s.lost_before = i == 5 ? 77 : 0;
        sink_write(sink, &s);
    }
    sink_finish(sink, &(weir_totals){0});
    size_t size;
    char *text = sink_read_file(path, &size);
    for (size_t i = 0; i < size; i++) {
        CHECK(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
    }
    CHECK(count_of(text, "dBFS  |0") == 2); /* headings at 0 and 24 */
    CHECK(count_of(text, "-- lost 77 samples here --\n") == 1);
    line_at(text, 2, row, sizeof row);
    const char *bar = strchr(row, '|');
    CHECK(bar && strlen(bar) == 62 && bar[61] == '|');
    CHECK(bar && strspn(bar + 1, " ") == strcspn(bar + 1, "@") && bar[1 + 30] == '@');
    CHECK(strstr(row, "    0.00  |") != NULL);
    free(text);
}

/* A tone of 0 dBFS between two bins, each 1.42 dB below it, is read as what it is. */
static void test_text_peak_between_bins(void)
{
    char path[128], row[300];
    weir_stream_info stream = sink_stream();
    weir_sink_config config = file_config(path, sizeof path, "between.txt");
    for (int k = 0; k < MOST_BINS; k++) {
        double off = k - 256.5; /* from the tone, in bins; hann's lobe there */
        double amplitude = sin(M_PI * off) / (M_PI * off) / (1 - off * off);
        power[k] = (float)(0.5 * amplitude * amplitude);
    }
    char *text = written("text", &config, &stream, path);
    line_at(text, 2, row, sizeof row);
    CHECK_MSG(strstr(row, "  12.023 kHz  ") && strstr(row, " 0.00  |"), "%s", row);
    free(text);
}

static void test_rows_reach_a_pipe_at_once(void)
{
    char path[128];
    weir_stream_info stream = sink_stream();
    weir_sink_config config = file_config(path, sizeof path, "fifo");
    CHECK(mkfifo(path, 0600) == 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    weir_sink *sink = sink_open("csv", &config, &stream);
    stream.n_fft = 16;
    weir_spectrum s = sink_spectrum(&stream, 0, power);
    sink_write(sink, &s);
    char text[4096] = "";
    ssize_t size = read(reader, text, sizeof text - 1);
    CHECK(size > 0 && text[size > 0 ? size - 1 : 0] == '\n' && strstr(text, "\n0.000000000,"));
    weir_sink_close(sink);
    close(reader);
}

static void test_failing_outputs(void)
{
    const char *const names[] = {"csv", "rtl_power", "hackrf_sweep", "text"};
    weir_stream_info stream = sink_stream();
    fill_steps(0.5);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sink_check_unwritable(names[i], &stream);
        sink_check_full_disk(names[i], &stream, power);
        sink_check_closed_pipe(names[i], &stream, power);
        sink_check_abandoned(names[i], &stream, power);
        sink_check_missing_trace(names[i], &stream, power);
        sink_check_no_such_bins(names[i], &stream, power);
    }
    CHECK(sink_count_files(".weir-") == 0);
}

/* Everything again where the decimal point is a comma. */
static void test_comma_locale(void)
{
    if (!sink_set_comma_locale()) {
        printf("# no locale with a decimal comma here\n");
        return;
    }
    RUN(test_own_dialect);
    RUN(test_frequencies_are_exact);
    RUN(test_rtl_power_dialect);
    RUN(test_hackrf_sweep_dialect);
    RUN(test_text_lines);
    RUN(test_text_peak_between_bins);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    RUN(test_numbers_are_as_printf_writes_them);
    RUN(test_own_dialect);
    RUN(test_frequencies_are_exact);
    RUN(test_part_of_the_band_and_silence);
    RUN(test_rtl_power_dialect);
    RUN(test_hackrf_sweep_dialect);
    RUN(test_text_lines);
    RUN(test_rows_reach_a_pipe_at_once);
    RUN(test_failing_outputs);
    RUN(test_comma_locale);
    return check_finish();
}
