/* ctest-labels: unit prop
 * capture/sigmf.h, sigmf_file.c, tar.h: metadata, captures, gaps, archives. */
#include "base/sha512.h"
#include "capture/capture.h"
#include "capture/sigmf.h"
#include "capture/tar.h"
#include "tests/files.h"
#include "weir_config.h"

#include <stdarg.h>

static weir_error err;

static weir_status parse(weir_sigmf **out, const char *text)
{
    /* An exact copy, so that ASan sees any read beyond it. */
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    logged[0] = '\0';
    weir_status status = weir_sigmf_parse(out, "x", copy, n, &err);
    free(copy);
    CHECK((status == WEIR_OK) == (*out != NULL));
    return status;
}

#define HEAD "{\"global\":{\"core:version\":\"1.2.5\",\"core:datatype\":\"ci16_le\","
#define RATE "\"core:sample_rate\":1000"

/* ---- the metadata alone ---- */

static void test_every_datatype(void)
{
    static const struct {
        const char *name;
        weir_scalar le, be;
    } types[] = {
        {"f32", WEIR_F32LE, WEIR_F32BE}, {"f64", WEIR_F64LE, WEIR_F64BE},
        {"i32", WEIR_S32LE, WEIR_S32BE}, {"i16", WEIR_S16LE, WEIR_S16BE},
        {"u32", WEIR_U32LE, WEIR_U32BE}, {"u16", WEIR_U16LE, WEIR_U16BE},
        {"i8", WEIR_S8, WEIR_S8},        {"u8", WEIR_U8, WEIR_U8},
    };
    static const char *const orders[] = {"", "_le", "_be"};
    for (size_t i = 0; i < 8 * 3 * 2; i++) {
        bool complex = i & 1;
        const char *order = orders[i / 2 % 3];
        char text[200];
        snprintf(text, sizeof text,
                 "{\"global\":{\"core:version\":\"1\",\"core:datatype\":\"%c%s%s\"},"
                 "\"captures\":[]}",
                 complex ? 'c' : 'r', types[i / 6].name, order);
        weir_sigmf *s;
        CHECK_MSG(parse(&s, text) == WEIR_OK, "%s", err.text);
        CHECK(s && s->format.is_complex == complex && s->format.channels == 1 &&
              s->format.scalar == (i / 2 % 3 == 2 ? types[i / 6].be : types[i / 6].le));
        weir_sigmf_destroy(s);
    }
    static const char *const wrong[] = {"",       "c",      "ci16_xe", "xi16_le", "ci24_le",
                                        "ci16le", "cf32_l", "i16_le",  "ci16_le "};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "{\"global\":{\"core:datatype\":\"%s\"},\"captures\":[]}",
                 wrong[i]);
        weir_sigmf *s;
        CHECK_MSG(parse(&s, text) == WEIR_ERR_UNSUPPORTED && strstr(err.text, "ci16_le"), "%s: %s",
                  wrong[i], err.text);
    }
}

static void test_exact_integers(void)
{
    weir_sigmf *s;
    CHECK(parse(&s, HEAD RATE ",\"core:offset\":9007199254740993},\"captures\":["
                              "{\"core:sample_start\":9223372036854775807,"
                              "\"core:global_index\":9223372036854775806}]}") == WEIR_OK);
    CHECK(s && s->offset == UINT64_C(9007199254740993) &&
          s->captures[0].sample_start == UINT64_C(9223372036854775807) &&
          s->captures[0].global_index == UINT64_C(9223372036854775806));
    weir_sigmf_destroy(s);
}

static void test_values_are_not_inherited(void)
{
    weir_sigmf *s;
    CHECK(parse(&s, HEAD RATE "},\"captures\":[{\"core:sample_start\":0,\"core:frequency\":5.8e9,"
                              "\"core:datetime\":\"2021-06-18T23:17:51.163959Z\"},"
                              "{\"core:sample_start\":10}]}") == WEIR_OK);
    CHECK(s && s->n_captures == 2 && s->captures[0].center_hz == 5.8e9 &&
          s->captures[0].time_unix_ns == 1624058271163959000);
    CHECK(s && isnan(s->captures[1].center_hz) && s->captures[1].time_unix_ns == WEIR_UNKNOWN_TIME);
    weir_sigmf_destroy(s);
}

static void test_annotations(void)
{
    weir_sigmf *s;
    CHECK(
        parse(&s, HEAD RATE
              "},\"captures\":[],\"annotations\":["
              "{\"core:sample_start\":30,\"core:sample_count\":5,\"core:label\":\"b\\u001b[m\"},"
              "{\"core:sample_start\":10,\"core:freq_lower_edge\":-5,\"core:freq_upper_edge\":7.5,"
              "\"core:comment\":\"a\"},{\"core:sample_start\":20}]}") == WEIR_OK);
    CHECK(s && s->n_annotations == 3);
    if (s && s->n_annotations == 3) {
        const weir_annotation *a = s->annotations;
        CHECK(a[0].first_sample == 10 && a[1].first_sample == 20 && a[2].first_sample == 30);
        CHECK(a[0].low_hz == -5 && a[0].high_hz == 7.5 && isnan(a[1].low_hz));
        CHECK(a[2].n_samples == 5 && a[0].n_samples == 0);
        CHECK_STR(a[0].label, "a");
        CHECK_STR(a[1].label, "");
        CHECK_STR(a[2].label, "b\\x1b[m");
    }
    weir_sigmf_destroy(s);
}

static void test_unknown_things_are_ignored(void)
{
    weir_sigmf *s;
    CHECK(parse(&s, HEAD RATE ",\"core:extensions\":[{\"name\":\"antenna\\u0007\",\"version\":"
                              "\"1\",\"optional\":false}],\"antenna:gain\":{\"x\":[1]}},"
                              "\"captures\":[],\"more\":[{}]}") == WEIR_OK);
    CHECK(strstr(logged, "antenna\\x07") != NULL);
    weir_sigmf_destroy(s);
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "line"},
        {"null", "'[' or '{'"},
        {"[]", "\"global\""},
        {"{}", "\"global\""},
        {"{\"global\":{}}", "core:datatype is missing"},
        {"{\"global\":{\"core:datatype\":5}}", "core:datatype must be a text"},
        {"{\"global\":{\"core:datatype\":\"ci8\\u0000x\"}}", "u0000"},
        {HEAD RATE "}}", "\"captures\""},
        {HEAD RATE ",\"core:sample_rate\":3},\"captures\":[]}", "duplicate"},
        {HEAD "\"core:sample_rate\":NaN},\"captures\":[]}", "line 1"},
        {HEAD "\"core:sample_rate\":1e400},\"captures\":[]}", "overflow"},
        {HEAD "\"core:sample_rate\":0},\"captures\":[]}", "above 0"},
        {HEAD "\"core:sample_rate\":-5},\"captures\":[]}", "above 0"},
        {HEAD "\"core:sample_rate\":\"5\"},\"captures\":[]}", "must be a number"},
        {HEAD "\"core:num_channels\":0},\"captures\":[]}", "core:num_channels"},
        {HEAD "\"core:num_channels\":1e9},\"captures\":[]}", "core:num_channels"},
        {HEAD "\"core:offset\":-1},\"captures\":[]}", "core:offset"},
        {HEAD "\"core:offset\":1.5},\"captures\":[]}", "core:offset"},
        {HEAD "\"core:offset\":9223372036854775808},\"captures\":[]}", "integer"},
        {HEAD "\"core:dataset\":\"../etc/passwd\"},\"captures\":[]}", "without a folder"},
        {HEAD "\"core:dataset\":\"a\\\\b\"},\"captures\":[]}", "without a folder"},
        {HEAD "\"core:dataset\":\"..\"},\"captures\":[]}", "without a folder"},
        {HEAD "\"core:dataset\":\"\"},\"captures\":[]}", "without a folder"},
        {HEAD "\"core:sha512\":\"abc\"},\"captures\":[]}", "128"},
        {HEAD RATE "},\"captures\":[5]}", "core:sample_start is missing"},
        {HEAD RATE "},\"captures\":[{}]}", "core:sample_start is missing"},
        {HEAD RATE "},\"captures\":[{\"core:sample_start\":5},{\"core:sample_start\":4}]}",
         "falls"},
        {HEAD RATE ",\"core:offset\":9},\"captures\":[{\"core:sample_start\":5}]}",
         "before core:offset"},
        {HEAD RATE "},\"captures\":[{\"core:sample_start\":0,\"core:frequency\":2e12}]}", "1e12"},
        {HEAD RATE "},\"captures\":[{\"core:sample_start\":0,\"core:datetime\":\"now\"}]}",
         "core:datetime"},
        {HEAD RATE "},\"captures\":[],\"annotations\":[{}]}", "annotation"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_sigmf *s;
        weir_status status = parse(&s, rows[i].text);
        CHECK_MSG(status == WEIR_ERR_DATA && strstr(err.text, rows[i].says), "%s: %d %s",
                  rows[i].text, status, err.text);
        weir_sigmf_destroy(s);
    }
}

static void test_damaged_text(void)
{
    static const char text[] =
        HEAD RATE ",\"core:num_channels\":2,\"core:extensions\":[{\"name\":\"a\"}]},\"captures\":["
                  "{\"core:sample_start\":0,\"core:frequency\":1e9,\"core:global_index\":7},"
                  "{\"core:sample_start\":50,\"core:header_bytes\":4}],"
                  "\"annotations\":[{\"core:sample_start\":3,\"core:label\":\"x\"}]}";
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 5000; i++) {
        char damaged[sizeof text];
        memcpy(damaged, text, sizeof text);
        for (uint64_t k = check_random(&rng) % 4; k > 0; k--) {
            damaged[check_random(&rng) % (sizeof text - 1)] =
                "{}[]\":,0-9e.\\xu\xff"[check_random(&rng) % 17];
        }
        if (i % 3 == 0) {
            damaged[check_random(&rng) % sizeof text] = '\0';
        }
        weir_sigmf *s;
        parse(&s, damaged);
        weir_sigmf_destroy(s);
    }
}

/* ---- recordings ---- */

static uint8_t ramp[100000];

static const char *write_meta(const char *name, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return write_file(name, text, (size_t)n);
}

/* The segments of a source, as it reads. */
typedef struct segment {
    uint64_t begin, lost; /* begin: stored samples before it */
    double center_hz;
    int64_t time_unix_ns;
} segment;

static size_t read_segments(const char *path, segment *out, size_t room, uint64_t *samples,
                            uint8_t *data)
{
    weir_source *source;
    size_t n = 0;
    *samples = 0;
    if (weir_source_open(&source, path, NULL, &err) != WEIR_OK) {
        CHECK_MSG(false, "%s", err.text);
        return 0;
    }
    size_t stride = weir_format_stride_bytes(&source->info.format);
    out[n++] = (segment){0, 0, source->info.center_hz, source->info.time_unix_ns};
    for (;;) {
        weir_read read = {0};
        CHECK(source->class_->read(source, data + *samples * stride, 7, &read, &err) == WEIR_OK);
        if (read.n_samples == 0) {
            break;
        }
        if (read.new_segment && n < room) {
            out[n++] = (segment){*samples, read.lost_before, read.center_hz, read.time_unix_ns};
        }
        *samples += read.n_samples;
    }
    CHECK(source->info.n_samples == *samples && source->info.can_seek);
    weir_source_close(source);
    return n;
}

static void test_captures_are_segments(void)
{
    write_file("a.sigmf-data", ramp, 4 * 1000);
    const char *path =
        write_meta("a.sigmf-meta", HEAD RATE "},\"captures\":["
                                             "{\"core:sample_start\":0,\"core:frequency\":100,"
                                             "\"core:datetime\":\"1970-01-01T00:00:01Z\"},"
                                             "{\"core:sample_start\":200,\"core:frequency\":100},"
                                             "{\"core:sample_start\":500,\"core:frequency\":100,"
                                             "\"core:global_index\":1000},"
                                             "{\"core:sample_start\":600,\"core:frequency\":100,"
                                             "\"core:global_index\":1100},"
                                             "{\"core:sample_start\":700},"
                                             "{\"core:sample_start\":800,\"core:frequency\":-3,"
                                             "\"core:datetime\":\"1970-01-01T00:00:09.5Z\"},"
                                             "{\"core:sample_start\":5000,\"core:frequency\":7}]}");
    static uint8_t data[sizeof ramp];
    segment s[10];
    uint64_t samples;
    static const segment expected[] = {
        {0, 0, 100, 1000000000}, /* the capture at 200 goes on as before */
        {500, 500, 100, WEIR_UNKNOWN_TIME},
        {700, 0, 0, WEIR_UNKNOWN_TIME},
        {800, 0, -3, 9500000000},
    };
    size_t n = read_segments(path, s, 10, &samples, data);
    CHECK(samples == 1000 && memcmp(data, ramp, 4000) == 0);
    CHECK_MSG(n == 4, "%zu segments", n);
    for (size_t i = 0; i < n && i < 4; i++) {
        CHECK_MSG(s[i].begin == expected[i].begin && s[i].lost == expected[i].lost &&
                      s[i].center_hz == expected[i].center_hz &&
                      s[i].time_unix_ns == expected[i].time_unix_ns,
                  "segment %zu: %llu %llu %g %lld", i, (unsigned long long)s[i].begin,
                  (unsigned long long)s[i].lost, s[i].center_hz, (long long)s[i].time_unix_ns);
    }
    /* The data file leads to the same. */
    n = read_segments(test_path("a.sigmf-data"), s, 10, &samples, data);
    CHECK(n == 4 && samples == 1000 && s[0].center_hz == 100);
}

static void test_time_that_goes_on_is_no_seam(void)
{
    write_file("a.sigmf-data", ramp, 4 * 100);
    static const struct {
        const char *time;
        size_t segments;
    } rows[] = {{"1970-01-01T00:00:01.050Z", 1},
                {"1970-01-01T00:00:01.051Z", 1},
                {"1970-01-01T00:00:01.053Z", 2},
                {"1970-01-01T00:00:00.5Z", 2}};
    for (size_t i = 0; i < 4; i++) {
        const char *path = write_meta("a.sigmf-meta",
                                      HEAD RATE "},\"captures\":[{\"core:sample_start\":0,"
                                                "\"core:datetime\":\"1970-01-01T00:00:01Z\"},"
                                                "{\"core:sample_start\":50,"
                                                "\"core:datetime\":\"%s\"}]}",
                                      rows[i].time);
        static uint8_t data[sizeof ramp];
        segment s[10];
        uint64_t samples;
        CHECK_MSG(read_segments(path, s, 10, &samples, data) == rows[i].segments, "%s",
                  rows[i].time);
        CHECK(samples == 100);
    }
}

/* Headers between the captures, a tail, and an offset: each byte is where it belongs. */
static void test_bytes_that_are_no_samples(void)
{
    write_file("raw.bin", ramp, 3 + 4 * 10 + 5 + 4 * 20 + 8 + 4 * 7 + 2 + 11);
    const char *path = write_meta("a.sigmf-meta",
                                  HEAD RATE ",\"core:offset\":1000,\"core:trailing_bytes\":11,"
                                            "\"core:dataset\":\"raw.bin\"},\"captures\":["
                                            "{\"core:sample_start\":1000,\"core:header_bytes\":3},"
                                            "{\"core:sample_start\":1010,\"core:header_bytes\":5},"
                                            "{\"core:sample_start\":1030,\"core:header_bytes\":8}],"
                                            "\"annotations\":[{\"core:sample_start\":1012}]}");
    static uint8_t data[sizeof ramp];
    segment s[10];
    uint64_t samples;
    logged[0] = '\0';
    CHECK(read_segments(path, s, 10, &samples, data) == 3 && samples == 37);
    CHECK(strstr(logged, "last 2 bytes") != NULL);
    CHECK(memcmp(data, ramp + 3, 40) == 0 && memcmp(data + 40, ramp + 48, 80) == 0 &&
          memcmp(data + 120, ramp + 136, 28) == 0);
    weir_source *source;
    CHECK(weir_source_open(&source, path, NULL, NULL) == WEIR_OK);
    CHECK(source->info.n_annotations == 1 && source->info.annotations[0].first_sample == 12);
    weir_source_close(source);
}

static void test_annotations_count_lost_samples(void)
{
    write_file("a.sigmf-data", ramp, 4 * 100);
    const char *path =
        write_meta("a.sigmf-meta", HEAD RATE
                   "},\"captures\":[{\"core:sample_start\":0,\"core:global_index\":5000},"
                   "{\"core:sample_start\":40,\"core:global_index\":5050}],\"annotations\":["
                   "{\"core:sample_start\":39},{\"core:sample_start\":40}]}");
    weir_source *source;
    CHECK(weir_source_open(&source, path, NULL, NULL) == WEIR_OK);
    CHECK(source->info.annotations[0].first_sample == 39);
    CHECK(source->info.annotations[1].first_sample == 50);
    weir_source_close(source);
}

static void refuse(const char *path, const weir_source_options *options, weir_status status,
                   const char *says)
{
    stream s = load(path, options);
    CHECK_MSG(s.status == status && strstr(s.err.text, says), "wanted \"%s\": %d %s", says,
              s.status, s.err.text);
    drop_bytes(&s.data);
}

static void test_refused_recordings(void)
{
    write_file("b.sigmf-data", ramp, 400);
    unlink(test_path("c.sigmf-data"));
    refuse(write_meta("c.sigmf-meta", HEAD RATE "},\"captures\":[]}"), NULL, WEIR_ERR_NO_INPUT,
           "c.sigmf-data: cannot be opened");
    refuse(write_meta("c.sigmf-meta", HEAD RATE ",\"core:metadata_only\":true},\"captures\":[]}"),
           NULL, WEIR_ERR_DATA, "core:metadata_only");
    unlink(test_path("b.sigmf-meta"));
    refuse(test_path("b.sigmf-data"), NULL, WEIR_ERR_NO_INPUT, "--format");
    const char *path = write_meta("b.sigmf-meta", HEAD "\"a\":1},\"captures\":[]}");
    refuse(path, NULL, WEIR_ERR_USAGE, "say --rate 2.4M");
    path = write_meta("b.sigmf-meta", HEAD RATE ",\"core:trailing_bytes\":399},\"captures\":[]}");
    refuse(path, NULL, WEIR_ERR_DATA, "no samples");
    path = write_meta("b.sigmf-meta",
                      HEAD RATE "},\"captures\":[{\"core:sample_start\":0,\"core:global_index\":9},"
                                "{\"core:sample_start\":5,\"core:global_index\":13}]}");
    refuse(path, NULL, WEIR_ERR_DATA, "goes back");
    path = write_meta("b.sigmf-meta", HEAD RATE "},\"captures\":[{\"core:sample_start\":0,"
                                                "\"core:header_bytes\":9223372036854775807}]}");
    refuse(path, NULL, WEIR_ERR_DATA, "no samples");
    refuse(write_file("x.sigmf", ramp, 5000), NULL, WEIR_ERR_DATA, "not a SigMF archive");
    refuse(write_file("x.sigmf-collection", "{}", 2), NULL, WEIR_ERR_UNSUPPORTED, "list");
    weir_source_options options;
    weir_source_options_init(&options);
    options.format = "cs16"; /* whoever says the format gets raw samples */
    options.rate_hz = 5;
    stream s = load(test_path("b.sigmf-data"), &options);
    CHECK(s.status == WEIR_OK && s.data.n == 400);
    drop_bytes(&s.data);
}

static void test_checksum(void)
{
    weir_sha512 sha;
    char hex[129];
    weir_sha512_begin(&sha);
    weir_sha512_add(&sha, ramp, 40000);
    weir_sha512_finish(&sha, hex);
    hex[0] = hex[0] >= 'a' ? (char)(hex[0] - 32) : hex[0]; /* any case will do */
    write_file("a.sigmf-data", ramp, 40000);
    const char *path =
        write_meta("a.sigmf-meta", HEAD RATE ",\"core:sha512\":\"%s\"},\"captures\":[]}", hex);
    weir_source_options options;
    weir_source_options_init(&options);
    options.verify_checksum = true;
    stream s = load(path, &options);
    CHECK_MSG(s.status == WEIR_OK && s.n_samples == 10000, "%s", s.err.text);
    drop_bytes(&s.data);
    ramp[39999] ^= 1;
    write_file("a.sigmf-data", ramp, 40000);
    ramp[39999] ^= 1;
    refuse(path, &options, WEIR_ERR_DATA, "SHA-512");
    write_meta("a.sigmf-meta", HEAD RATE "},\"captures\":[]}");
    refuse(path, &options, WEIR_ERR_DATA, "no core:sha512");
}

/* Through the capture thread and the ring: every sample arrives or is counted as lost, and
 * the loss lies where the metadata say. */
static void test_gaps_arrive_in_the_ring(void)
{
    write_file("a.sigmf-data", ramp, 4 * 10000);
    const char *path = write_meta("a.sigmf-meta", HEAD RATE
                                  "},\"captures\":[{\"core:sample_start\":0,\"core:frequency\":1},"
                                  "{\"core:sample_start\":3001,\"core:global_index\":3500,"
                                  "\"core:frequency\":2},"
                                  "{\"core:sample_start\":7000,\"core:frequency\":3}]}");
    weir_source *source;
    weir_capture *capture;
    weir_capture_config config = {.duration_seconds = INFINITY};
    CHECK(weir_source_open(&source, path, NULL, NULL) == WEIR_OK);
    CHECK(weir_capture_create(&capture, source, &config, NULL) == WEIR_OK);
    CHECK(weir_capture_start(capture, NULL) == WEIR_OK);
    weir_ring *ring = weir_capture_ring(capture);
    uint64_t stored = 0, lost = 0, ordinal = UINT64_MAX;
    for (bool ended = false; !ended;) {
        weir_ring_view view;
        if (!weir_ring_peek(ring, &view)) {
            weir_ring_wait_data(ring, 0, 100);
            continue;
        }
        ended = view.ended;
        if (view.segment.segment != ordinal) {
            ordinal = view.segment.segment;
            lost += view.segment.lost_before;
        }
        CHECK(view.segment.center_hz == (stored < 3001 ? 1 : stored < 7000 ? 2 : 3));
        CHECK(view.first_sample == stored + lost && lost == (stored < 3001 ? 0 : 499));
        CHECK(memcmp(view.samples, ramp + 4 * stored, 4 * view.n_samples) == 0);
        stored += view.n_samples;
        weir_ring_release(ring, view.n_samples);
    }
    CHECK(weir_capture_join(capture, NULL) == WEIR_OK);
    CHECK(stored == 10000 && weir_capture_received(capture) == 10499 &&
          weir_capture_lost(capture) == 499);
    weir_capture_destroy(capture);
    weir_source_close(source);
}

/* ---- archives ---- */

static void put_tar(bytes *b, const char *name, char type, const void *data, size_t n)
{
    char block[512] = {0};
    snprintf(block, 100, "%s", name);
    snprintf(block + 100, 8, "0000644");
    snprintf(block + 124, 12, "%011zo", n);
    block[156] = type;
    memcpy(block + 257, "ustar\00000", 8);
    memset(block + 148, ' ', 8);
    unsigned sum = 0;
    for (size_t i = 0; i < 512; i++) {
        sum += (uint8_t)block[i];
    }
    snprintf(block + 148, 8, "%06o", sum);
    put(b, block, 512);
    put(b, data, n);
    while (b->n % 512) {
        put(b, "", 1);
    }
}

static bytes make_archive(void)
{
    static const char meta[] = HEAD RATE "},\"captures\":[{\"core:sample_start\":0,"
                                         "\"core:frequency\":5}]}";
    char long_name[301], record[400];
    memset(long_name, 'n', 300);
    strcpy(long_name + 290, ".sigmf-dat");
    bytes b = {0};
    put_tar(&b, "rec/", '5', "", 0);
    put_tar(&b, "rec/README", '0', "hello", 5);
    snprintf(record, sizeof record, "%d path=%sa\n", 300 + 1 + 6 + 4, long_name);
    put_tar(&b, "PaxHeader", 'x', record, strlen(record));
    put_tar(&b, "short", '0', ramp + 1000, 2002);
    snprintf(record, sizeof record, "%.290s.sigmf-meta", long_name);
    put_tar(&b, "././@LongLink", 'L', record, strlen(record) + 1);
    put_tar(&b, "short", '0', meta, strlen(meta));
    for (int i = 0; i < 1024; i++) {
        put(&b, "", 1);
    }
    return b;
}

static void test_archive(void)
{
    bytes b = make_archive();
    stream s = load(write_file("a.sigmf", b.data, b.n), NULL);
    CHECK_MSG(s.status == WEIR_OK && s.n_samples == 500 && s.info.center_hz == 5 &&
                  s.data.n == 2000 && memcmp(s.data.data, ramp + 1000, 2000) == 0,
              "%s", s.err.text);
    CHECK(strstr(logged, "last 2 bytes") != NULL);
    drop_bytes(&s.data);
    s = load(write_file("anything", b.data, b.n), NULL); /* known by its content */
    CHECK_MSG(s.status == WEIR_OK && s.n_samples == 500, "%s", s.err.text);
    drop_bytes(&s.data);
    /* Cut anywhere: refused, never read beyond. */
    for (size_t n = 1; n < b.n - 1024; n += 1 + n % 97) {
        s = load(write_file("a.sigmf", b.data, n), NULL);
        CHECK(s.status == WEIR_ERR_DATA || (s.status == WEIR_OK && s.n_samples == 500));
        drop_bytes(&s.data);
    }
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 500; i++) {
        bytes c = {0};
        put(&c, b.data, b.n);
        for (int k = 0; k < 3; k++) {
            c.data[check_random(&rng) % c.n] = (uint8_t)check_random(&rng);
        }
        s = load(write_file("a.sigmf", c.data, c.n), NULL);
        CHECK(s.status != WEIR_ERR_INTERNAL);
        drop_bytes(&s.data);
        drop_bytes(&c);
    }
    drop_bytes(&b);
    put_tar(&b, "README", '0', "hello", 5);
    refuse(write_file("a.sigmf", b.data, b.n), NULL, WEIR_ERR_DATA, "no .sigmf-meta");
    drop_bytes(&b);
}

/* What the tar program writes, in its three formats. */
static void test_archives_of_the_tar_program(void)
{
    if (system("tar --version > /dev/null 2>&1") != 0) {
        printf("# no tar program\n");
        return;
    }
    write_file("t.sigmf-data", ramp, 80000);
    write_meta("t.sigmf-meta", HEAD RATE "},\"captures\":[]}");
    static const char *const formats[] = {"ustar", "pax", "gnu"};
    for (size_t i = 0; i < 3; i++) {
        char command[600];
        snprintf(command, sizeof command,
                 "cd '%s' && tar --format=%s -cf t.sigmf t.sigmf-meta ./t.sigmf-data "
                 "--transform='s,^\\(\\./\\)*,deep/folder/,'",
                 test_folder, formats[i]);
        CHECK(system(command) == 0);
        stream s = load(test_path("t.sigmf"), NULL);
        CHECK_MSG(s.status == WEIR_OK && s.data.n == 80000 && memcmp(s.data.data, ramp, 80000) == 0,
                  "%s: %s", formats[i], s.err.text);
        drop_bytes(&s.data);
    }
}

int main(void)
{
    if (!WEIR_HAVE_JANSSON) {
        return check_skip("built without jansson");
    }
    for (size_t i = 0; i < sizeof ramp; i++) {
        ramp[i] = (uint8_t)(i * 31 + i / 256);
    }
    make_test_folder();
    listen_to_log();
    RUN(test_every_datatype);
    RUN(test_exact_integers);
    RUN(test_values_are_not_inherited);
    RUN(test_annotations);
    RUN(test_unknown_things_are_ignored);
    RUN(test_refusals);
    RUN(test_damaged_text);
    RUN(test_captures_are_segments);
    RUN(test_time_that_goes_on_is_no_seam);
    RUN(test_bytes_that_are_no_samples);
    RUN(test_annotations_count_lost_samples);
    RUN(test_gaps_arrive_in_the_ring);
    RUN(test_refused_recordings);
    RUN(test_checksum);
    RUN(test_archive);
    RUN(test_archives_of_the_tar_program);
    remove_test_folder();
    return check_finish();
}
