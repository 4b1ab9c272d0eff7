/* ctest-labels: unit
 * The NumPy array: header, size, refusals. With a path: writes an array there for
 * test_sink_npy_numpy.py. */
#include "tests/sink_testing.h"

enum { N_FFT = 600, N_BINS = N_FFT / 2 + 1, N_ROWS = 7 };
static float power[N_BINS];

static weir_stream_info stream_of_test(void)
{
    weir_stream_info stream = sink_stream();
    stream.n_fft = N_FFT;
    return stream;
}

/* Row r, bin k: -(r + k/8) dBFS. */
static void fill_row(int r)
{
    for (int k = 0; k < N_BINS; k++) {
        power[k] = (float)(0.5 * pow(10.0, -(r + k / 8.0) / 10.0));
    }
}

static void write_array(const char *path)
{
    weir_stream_info stream = stream_of_test();
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = path;
    weir_sink *sink = sink_open("npy", &config, &stream);
    for (int r = 0; r < N_ROWS; r++) {
        fill_row(r);
        weir_spectrum s = sink_spectrum(&stream, (uint64_t)r, power);
        sink_write(sink, &s);
    }
    sink_finish(sink, &(weir_totals){0});
}

static void test_header_and_size(void)
{
    char path[128];
    write_array(sink_path(path, sizeof path, "a.npy"));
    size_t size;
    char *bytes = sink_read_file(path, &size);
    CHECK(size == 128 + N_ROWS * N_BINS * 4);
    CHECK(memcmp(bytes, "\x93NUMPY\x01\x00\x76\x00", 10) == 0);
    CHECK(strncmp(bytes + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (7, 301), }  ",
                  63) == 0);
    CHECK(bytes[127] == '\n' && strspn(bytes + 71, " ") == 56);
    for (int r = 0; r < N_ROWS; r++) {
        for (int k = 0; k < N_BINS; k++) {
            float level; /* little-endian hosts only here; NumPy checks the rest */
            memcpy(&level, bytes + 128 + 4 * (r * N_BINS + k), 4);
            /* a float's step at 45 dB, and the logarithm's error */
            CHECK_NEAR(level, -(r + k / 8.0), 2e-5);
        }
    }
    free(bytes);
}

static void test_no_spectra(void)
{
    char path[128];
    weir_stream_info stream = stream_of_test();
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = sink_path(path, sizeof path, "none.npy");
    weir_sink *sink = sink_open("npy", &config, &stream);
    sink_finish(sink, &(weir_totals){0});
    size_t size;
    char *bytes = sink_read_file(path, &size);
    CHECK(size == 128 && strstr(bytes + 10, "(0, 0)") != NULL);
    free(bytes);
}

static void test_change_of_axis_is_refused(void)
{
    char path[128];
    weir_error err = {0};
    weir_stream_info stream = stream_of_test();
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = sink_path(path, sizeof path, "axis.npy");
    weir_sink *sink = sink_open("npy", &config, &stream);
    weir_spectrum s = sink_spectrum(&stream, 0, power);
    sink_write(sink, &s);
    s.start_hz += 1e6;
    s.center_hz += 1e6;
    CHECK(weir_sink_write(sink, &s, &err) == WEIR_ERR_UNSUPPORTED);
    CHECK(strstr(err.text, path) && strstr(err.text, "csv or jsonl"));
    weir_sink_close(sink);
    CHECK(sink_count_files("axis.npy") == 0);
}

static void test_pipe_is_refused(void)
{
    fflush(stdout);
    int ends[2], kept = dup(STDOUT_FILENO);
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) >= 0);
    weir_error err = {0};
    weir_sink *sink = NULL;
    weir_sink_config config;
    weir_sink_config_init(&config);
    weir_stream_info stream = stream_of_test();
    const weir_sink_class *class_ = weir_sink_class_find("npy", NULL, &err);
    weir_status status = weir_sink_open(&sink, class_, &config, &stream, &err);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(ends[0]);
    close(ends[1]);
    CHECK(status == WEIR_ERR_USAGE && sink == NULL);
    CHECK(strstr(err.text, "regular file") != NULL);
}

static void test_failing_outputs(void)
{
    weir_stream_info stream = stream_of_test();
    sink_check_unwritable("npy", &stream);
    sink_check_full_disk("npy", &stream, power);
    sink_check_abandoned("npy", &stream, power);
    sink_check_missing_trace("npy", &stream, power);
    sink_check_no_such_bins("npy", &stream, power);
    CHECK(sink_count_files(".weir-") == 0);
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        write_array(argv[1]);
        return check_failed != 0;
    }
    RUN(test_header_and_size);
    RUN(test_no_spectra);
    RUN(test_change_of_axis_is_refused);
    RUN(test_pipe_is_refused);
    RUN(test_failing_outputs);
    return check_finish();
}
