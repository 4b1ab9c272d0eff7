/* ctest-labels: unit prop
 * capture/mapping.h, and the capture over a mapped file (capture.h, may_map): the samples,
 * segments and accounts are those of reading, whatever the start, the cut and where the samples
 * begin in the file; a file that shrinks meanwhile is an error and no crash. */
#include "capture/capture.h"
#include "capture/mapping.h"
#include "tests/files.h"

#include <sys/mman.h>

static uint8_t *random_bytes(size_t n)
{
    uint8_t *data = malloc(n);
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < n; i++) {
        data[i] = (uint8_t)check_random(&rng);
    }
    return data;
}

/* ---- the mapping alone ---- */

static weir_mapping *map_file(const char *path, uint64_t offset, uint64_t n)
{
    weir_mapping *mapping = NULL;
    weir_error err = {0};
    int fd = open(path, O_RDONLY);
    CHECK_MSG(weir_mapping_create(&mapping, fd, offset, n, &err) == WEIR_OK, "%s", err.text);
    close(fd);
    return mapping;
}

static void test_bytes_wherever_they_begin(void)
{
    size_t n = 300000;
    uint8_t *data = random_bytes(n);
    const char *path = write_file("bytes", data, n);
    const size_t offsets[] = {0, 1, 44, 4095, 4096, 4097, 299999};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        weir_mapping *mapping = map_file(path, offsets[i], n - offsets[i]);
        const uint8_t *at = weir_mapping_memory(mapping);
        CHECK(memcmp(at, data + offsets[i], n - offsets[i]) == 0);
        weir_mapping_will_need(mapping, 0, SIZE_MAX);
        weir_mapping_done_with(mapping, 0, n / 2); /* let go of, and still there */
        CHECK(memcmp(at, data + offsets[i], n - offsets[i]) == 0);
        CHECK(!weir_mapping_failed(mapping));
        weir_mapping_destroy(mapping);
    }
    free(data);
}

static void test_refusals(void)
{
    weir_error err = {0};
    weir_mapping *mapping[WEIR_MAPPINGS + 1] = {NULL};
    const char *path = write_file("small", "12345678", 8);
    int fd = open(path, O_RDONLY), folder = open(test_folder, O_RDONLY);
    CHECK(weir_mapping_create(&mapping[0], folder, 0, 8, &err) == WEIR_ERR_UNSUPPORTED);
    CHECK(!mapping[0] && err.text[0]);
    CHECK(weir_mapping_create(&mapping[0], fd, 0, 0, NULL) == WEIR_ERR_UNSUPPORTED);
    CHECK(weir_mapping_create(&mapping[0], fd, 0, UINT64_MAX, NULL) == WEIR_ERR_UNSUPPORTED);
    for (size_t i = 0; i < WEIR_MAPPINGS; i++) {
        CHECK(weir_mapping_create(&mapping[i], fd, 0, 8, NULL) == WEIR_OK);
    }
    CHECK(weir_mapping_create(&mapping[WEIR_MAPPINGS], fd, 0, 8, &err) == WEIR_ERR_UNSUPPORTED);
    weir_mapping_destroy(mapping[3]); /* its place can be had again */
    CHECK(weir_mapping_create(&mapping[3], fd, 0, 8, NULL) == WEIR_OK);
    for (size_t i = 0; i < WEIR_MAPPINGS; i++) {
        weir_mapping_destroy(mapping[i]);
    }
    weir_mapping_destroy(NULL);
    close(fd);
    close(folder);
}

static void test_what_is_gone_reads_as_zeros_and_says_so(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 64 * page;
    uint8_t *data = random_bytes(n);
    const char *path = write_file("shrinks", data, n);
    weir_mapping *mapping = map_file(path, 100, n - 100);
    const uint8_t *at = weir_mapping_memory(mapping);
    CHECK(memcmp(at, data + 100, page) == 0 && !weir_mapping_failed(mapping));
    CHECK(truncate(path, (off_t)(10 * page)) == 0);
    CHECK(memcmp(at, data + 100, 10 * page - 100) == 0);
    CHECK(!weir_mapping_failed(mapping));
    uint64_t sum = 0;
    for (size_t i = 10 * page - 100; i < n - 100; i++) {
        sum += at[i];
    }
    CHECK(sum == 0);
    CHECK(weir_mapping_failed(mapping));
    weir_mapping_destroy(mapping);
    free(data);
}

/* A bus error that is not ours ends the process as it would without us. */
static void test_other_bus_errors_are_handed_on(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const char *path = write_file("other", "x", 1);
        int fd = open(path, O_RDONLY);
        weir_mapping *mapping = map_file(path, 0, 1);
        const volatile char *beyond = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
        signal(SIGALRM, SIG_DFL);
        alarm(20); /* not for ever, if it were tried again and again */
        (void)beyond[1 << 19];
        weir_mapping_destroy(mapping);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    /* ASan's own handler reports it and exits instead. */
    CHECK_MSG((WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) ||
                  (WIFEXITED(status) && WEXITSTATUS(status) != 0),
              "status %d", status);
}

/* ---- the capture ---- */

typedef struct outcome {
    bytes data;
    uint64_t received, first_sample;
    unsigned segments;
    weir_ring_segment segment;
    weir_status status;
    weir_error err;
} outcome;

static void drain(outcome *o, weir_ring *ring, size_t stride)
{
    weir_ring_view view = {0};
    while (!view.ended) {
        if (!weir_ring_peek(ring, &view)) {
            weir_ring_wait_data(ring, 0, 50);
            continue;
        }
        if (view.n_samples > 0 &&
            (o->segments == 0 || view.segment.segment != o->segment.segment)) {
            o->first_sample = o->segments ? o->first_sample : view.first_sample;
            o->segment = view.segment;
            o->segments++;
        }
        CHECK(view.n_samples <= weir_ring_capacity_samples(ring));
        put(&o->data, view.samples, view.n_samples * stride);
        weir_ring_release(ring, view.n_samples);
    }
}

static outcome capture_file(const char *path, const weir_source_options *options,
                            const weir_capture_config *config, bool *is_mapped)
{
    outcome o = {0};
    weir_source *source = NULL;
    weir_capture *capture = NULL;
    CHECK_MSG(weir_source_open(&source, path, options, &o.err) == WEIR_OK, "%s", o.err.text);
    CHECK(weir_capture_create(&capture, source, config, &o.err) == WEIR_OK);
    size_t n_own;
    *is_mapped = weir_ring_memory(weir_capture_ring(capture), &n_own) == NULL;
    CHECK(weir_capture_start(capture, &o.err) == WEIR_OK);
    drain(&o, weir_capture_ring(capture), weir_format_stride_bytes(&source->info.format));
    o.status = weir_capture_join(capture, &o.err);
    o.received = weir_capture_received(capture);
    weir_capture_destroy(capture);
    weir_source_close(source);
    return o;
}

static weir_source_options raw_options(const char *format)
{
    weir_source_options options;
    weir_source_options_init(&options);
    options.format = format;
    options.rate_hz = 1e6;
    options.center_hz = 5e6;
    return options;
}

static void compare_ways(const char *format, const char *path, double start, double duration)
{
    weir_source_options options = raw_options(format);
    weir_capture_config config = {.start_seconds = start, .duration_seconds = duration};
    bool is_mapped;
    outcome read = capture_file(path, &options, &config, &is_mapped);
    CHECK(!is_mapped && read.status == WEIR_OK);
    config.may_map = true;
    outcome mapped = capture_file(path, &options, &config, &is_mapped);
    CHECK(is_mapped && mapped.status == WEIR_OK);
    CHECK(read.data.n > 0 && read.data.n == mapped.data.n);
    CHECK(memcmp(read.data.data, mapped.data.data, read.data.n) == 0);
    CHECK(read.received == mapped.received && read.first_sample == mapped.first_sample);
    CHECK(read.segments == 1 && mapped.segments == 1);
    CHECK(read.segment.first_sample == mapped.segment.first_sample);
    CHECK(read.segment.rate_hz == mapped.segment.rate_hz);
    CHECK(read.segment.center_hz == mapped.segment.center_hz);
    CHECK(read.segment.time_unix_ns == mapped.segment.time_unix_ns);
    drop_bytes(&read.data);
    drop_bytes(&mapped.data);
}

static void test_mapped_is_read(void)
{
    size_t n = ((size_t)20 << 20) + 5; /* more than a view shows at a time, and half a sample */
    uint8_t *data = random_bytes(n);
    const char *path = write_file("capture.raw", data, n);
    static const char *const formats[] = {"cu8", "s16le", "cf32le", "s24le"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        compare_ways(formats[i], path, 0, INFINITY);
        compare_ways(formats[i], path, 0.1234567, INFINITY);
        compare_ways(formats[i], path, 0.2, 0.5);
    }
    free(data);
}

static void test_what_is_read_all_the_same(void)
{
    uint8_t *data = random_bytes(4096);
    const char *path = write_file("some.raw", data, 4096);
    weir_source_options options = raw_options("cu8");
    weir_capture_config config = {.duration_seconds = 0.003, .may_map = true, .speed = 100};
    bool is_mapped;
    outcome paced = capture_file(path, &options, &config, &is_mapped);
    CHECK(!is_mapped && paced.data.n == 4096);
    config = (weir_capture_config){.duration_seconds = 0.003, .may_map = true, .loop = true};
    outcome looped = capture_file(path, &options, &config, &is_mapped);
    CHECK(!is_mapped && looped.data.n == 6000);
    drop_bytes(&paced.data);
    drop_bytes(&looped.data);
    free(data);
}

static void test_a_file_that_shrinks_fails(void)
{
    size_t n = (size_t)4 << 20;
    uint8_t *data = random_bytes(n);
    const char *path = write_file("shrinks.raw", data, n);
    weir_source_options options = raw_options("cu8");
    weir_capture_config config = {.duration_seconds = INFINITY, .may_map = true};
    weir_source *source = NULL;
    weir_capture *capture = NULL;
    outcome o = {0};
    CHECK(weir_source_open(&source, path, &options, &o.err) == WEIR_OK);
    CHECK(weir_capture_create(&capture, source, &config, &o.err) == WEIR_OK);
    CHECK(weir_capture_check(capture, &o.err) == WEIR_OK);
    CHECK(truncate(path, (off_t)n / 2) == 0);
    CHECK(weir_capture_start(capture, &o.err) == WEIR_OK);
    drain(&o, weir_capture_ring(capture), 2);
    CHECK(weir_capture_check(capture, &o.err) == WEIR_ERR_IO);
    memset(&o.err, 0, sizeof o.err);
    CHECK(weir_capture_join(capture, &o.err) == WEIR_ERR_IO);
    CHECK_MSG(strstr(o.err.text, "shorter"), "%s", o.err.text);
    weir_capture_destroy(capture);
    weir_source_close(source);
    drop_bytes(&o.data);
    free(data);
}

int main(void)
{
    make_test_folder();
    RUN(test_bytes_wherever_they_begin);
    RUN(test_refusals);
    RUN(test_what_is_gone_reads_as_zeros_and_says_so);
    RUN(test_other_bus_errors_are_handed_on);
    RUN(test_mapped_is_read);
    RUN(test_what_is_read_all_the_same);
    RUN(test_a_file_that_shrinks_fails);
    remove_test_folder();
    return check_finish();
}
