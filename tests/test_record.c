/* ctest-labels: unit prop
 * capture/record.h, recorder.h, wav_header.h: what is written is read again by weir's own
 * readers, with its gaps, tunings and times; what a format cannot hold is refused; a write that
 * fails keeps what fits. */
#include "capture/capture.h"
#include "capture/record.h"
#include "capture/recorder.h"
#include "capture/wav_header.h"
#include "tests/files.h"
#include "weir_config.h"

#include <errno.h>
#include <sys/resource.h>

#define MOST_SEGMENTS 8

/* A made-up stream: segments with gaps between them. */
typedef struct made {
    weir_source_info info;
    size_t stride;
    bytes data;
    weir_ring_segment segments[MOST_SEGMENTS];
    size_t lengths[MOST_SEGMENTS];
    size_t n_segments;
    uint64_t lost;
} made;

static made make_stream(check_rng *rng, weir_scalar scalar, bool is_complex, unsigned channels)
{
    made m = {.info = {.name = "test \"quoted\" \\ \x01",
                       .description = "made up",
                       .format = {.scalar = scalar, .is_complex = is_complex, .channels = channels},
                       .rate_hz = 48000,
                       .center_hz = is_complex ? 100.3e6 : 0,
                       .n_samples = WEIR_UNKNOWN_SAMPLES,
                       .time_unix_ns = INT64_C(1700000000123456789)}};
    m.stride = weir_format_stride_bytes(&m.info.format);
    m.n_segments = 1 + check_random(rng) % MOST_SEGMENTS;
    uint64_t next = 0;
    for (size_t i = 0; i < m.n_segments; i++) {
        uint64_t gap = i ? 1 + check_random(rng) % 1000 : 0;
        m.lengths[i] = 1 + check_random(rng) % 3000;
        next += gap;
        m.lost += gap;
        m.segments[i] = (weir_ring_segment){
            .first_sample = next,
            .lost_before = gap,
            .rate_hz = 48000,
            .center_hz = m.info.center_hz + (is_complex ? 1e5 * (double)i : 0),
            .time_unix_ns = m.info.time_unix_ns + (int64_t)((double)next / 48000 * 1e9 + 0.5),
            .segment = i,
        };
        next += m.lengths[i];
        for (size_t k = 0; k < m.lengths[i] * m.stride; k++) {
            uint8_t byte = (uint8_t)check_random(rng);
            put(&m.data, &byte, 1);
        }
    }
    return m;
}

/* Writes it in pieces of odd sizes. */
static weir_status write_stream(weir_record *record, const made *m, check_rng *rng, weir_error *err)
{
    const uint8_t *at = m->data.data;
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < m->n_segments; i++) {
        for (size_t done = 0; done < m->lengths[i] && status == WEIR_OK;) {
            size_t n = 1 + check_random(rng) % 700;
            n = n < m->lengths[i] - done ? n : m->lengths[i] - done;
            status = weir_record_write(record, &m->segments[i], m->segments[i].first_sample + done,
                                       at, n, err);
            at += n * m->stride;
            done += n;
        }
    }
    return status;
}

static void record_to(const char *path, const char *kind, const made *m, check_rng *rng)
{
    weir_record *record;
    weir_error err = {0};
    weir_record_config config = {
        .path = path, .kind = kind, .info = &m->info, .recorder = "weir test"};
    CHECK_MSG(weir_record_open(&record, &config, &err) == WEIR_OK, "%s", err.text);
    if (!record) {
        return;
    }
    CHECK(access(path, F_OK) != 0); /* not before it is complete */
    CHECK_MSG(write_stream(record, m, rng, &err) == WEIR_OK, "%s", err.text);
    CHECK_MSG(weir_record_finish(record, 0, &err) == WEIR_OK, "%s", err.text);
    weir_record_totals totals;
    weir_record_totals_get(record, &totals);
    CHECK(totals.written == m->data.n / m->stride);
    CHECK(totals.lost == m->lost && totals.gaps == m->n_segments - 1);
    weir_record_destroy(record);
}

static void same_samples(const stream *s, const made *m)
{
    CHECK_MSG(s->status == WEIR_OK, "%s", s->err.text);
    CHECK(s->info.format.scalar == m->info.format.scalar);
    CHECK(s->info.format.is_complex == m->info.format.is_complex);
    CHECK(s->info.format.channels == m->info.format.channels);
    CHECK(s->info.rate_hz == m->info.rate_hz);
    CHECK(s->data.n == m->data.n && memcmp(s->data.data, m->data.data, m->data.n) == 0);
}

/* ---- SigMF ---- */

#if WEIR_HAVE_JANSSON
static void same_segments(const char *path, const made *m)
{
    weir_source *source;
    weir_error err = {0};
    CHECK(weir_source_open(&source, path, NULL, &err) == WEIR_OK);
    uint8_t *memory = malloc(5000 * m->stride);
    size_t i = 0;
    for (size_t in_segment = 0;;) {
        weir_read read = {0};
        CHECK(source->class_->read(source, memory, 5000, &read, &err) == WEIR_OK);
        if (read.n_samples == 0) {
            break;
        }
        if (read.new_segment && (i > 0 || in_segment > 0)) {
            CHECK(in_segment == m->lengths[i]);
            i++;
            in_segment = 0;
        }
        if (i >= m->n_segments) {
            break;
        }
        if (read.new_segment) {
            CHECK(read.lost_before == m->segments[i].lost_before);
            CHECK(read.center_hz == m->segments[i].center_hz);
            CHECK(read.time_unix_ns == m->segments[i].time_unix_ns);
        }
        in_segment += read.n_samples;
    }
    CHECK(i + 1 == m->n_segments);
    free(memory);
    weir_source_close(source);
}

static void test_sigmf_round_trip(void)
{
    check_rng rng = check_rng_fresh();
    weir_source_options options;
    weir_source_options_init(&options);
    options.verify_checksum = true;
    for (weir_scalar scalar = 0; scalar < WEIR_SCALAR_COUNT; scalar++) {
        if (scalar == WEIR_U8_AUDIO || scalar == WEIR_S24LE || scalar == WEIR_S24BE) {
            continue;
        }
        for (int is_complex = 0; is_complex < 2; is_complex++) {
            made m = make_stream(&rng, scalar, is_complex, 1 + (unsigned)(check_random(&rng) % 3));
            const char *path = test_path("round.sigmf-meta");
            unlink(path);
            record_to(path, NULL, &m, &rng);
            stream s = load(path, &options);
            same_samples(&s, &m);
            CHECK(s.info.time_unix_ns == m.info.time_unix_ns);
            same_segments(path, &m);
            drop_bytes(&s.data);
            drop_bytes(&m.data);
        }
    }
}

static void test_annotations(void)
{
    check_rng rng = check_rng_fresh();
    made m = make_stream(&rng, WEIR_S16LE, true, 1);
    weir_record *record;
    weir_error err = {0};
    weir_source *source;
    const char *path = test_path("notes.sigmf-meta");
    weir_record_config config = {.path = path, .info = &m.info};
    uint64_t end = m.segments[m.n_segments - 1].first_sample + m.lengths[m.n_segments - 1];
    weir_annotation note = {.first_sample = end - 1, .n_samples = 1, .low_hz = 1e6, .high_hz = 2e6};
    note.label = "a \"label\"";
    CHECK(weir_record_open(&record, &config, &err) == WEIR_OK);
    CHECK(write_stream(record, &m, &rng, &err) == WEIR_OK);
    CHECK(weir_record_annotate(record, &note, &err) == WEIR_OK);
    CHECK(weir_record_finish(record, 7, &err) == WEIR_OK);
    weir_record_destroy(record);
    CHECK(weir_source_open(&source, path, NULL, &err) == WEIR_OK);
    CHECK(source->info.n_annotations == 1);
    const weir_annotation *back = source->info.annotations;
    CHECK(back->first_sample == end - 1 && back->n_samples == 1);
    CHECK(back->low_hz == 1e6 && back->high_hz == 2e6);
    CHECK_STR(back->label, "a \"label\"");
    weir_source_close(source);
    drop_bytes(&m.data);
}
#endif

/* ---- WAV and raw ---- */

static void test_wav_round_trip(void)
{
    static const struct {
        weir_scalar scalar;
        bool is_complex;
        unsigned channels;
    } cases[] = {{WEIR_U8_AUDIO, false, 1}, {WEIR_U8, true, 1},     {WEIR_S16LE, false, 2},
                 {WEIR_S16LE, true, 1},     {WEIR_S24LE, false, 1}, {WEIR_S24LE, true, 1},
                 {WEIR_S32LE, false, 5},    {WEIR_F32LE, false, 1}, {WEIR_F32LE, true, 2},
                 {WEIR_F64LE, false, 3}};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made m = make_stream(&rng, cases[i].scalar, cases[i].is_complex, cases[i].channels);
        const char *path = test_path("round.wav");
        unlink(path);
        record_to(path, NULL, &m, &rng);
        stream s = load(path, NULL);
        same_samples(&s, &m);
        CHECK(logged[0] == '\0'); /* no word about a header that is wrong */
        if (cases[i].is_complex) {
            CHECK(s.info.center_hz == m.info.center_hz);
            /* auxi has milliseconds */
            CHECK(llabs(s.info.time_unix_ns - m.info.time_unix_ns) < 1000000);
        }
        drop_bytes(&s.data);
        drop_bytes(&m.data);
    }
}

static void test_valid_bits(void)
{
    check_rng rng = check_rng_fresh();
    made m = make_stream(&rng, WEIR_S32LE, false, 1);
    m.info.format.valid_bits = 24;
    const char *path = test_path("valid.wav");
    record_to(path, NULL, &m, &rng);
    stream s = load(path, NULL);
    same_samples(&s, &m);
    CHECK(s.info.format.valid_bits == 24);
    drop_bytes(&s.data);
    drop_bytes(&m.data);
}

static void test_raw_round_trip(void)
{
    check_rng rng = check_rng_fresh();
    made m = make_stream(&rng, WEIR_S16LE, true, 1);
    weir_source_options options;
    weir_source_options_init(&options);
    options.rate_hz = 48000;
    const char *path = test_path("round.cs16");
    record_to(path, NULL, &m, &rng);
    stream s = load(path, &options);
    same_samples(&s, &m);
    drop_bytes(&s.data);
    drop_bytes(&m.data);
}

/* Beyond 32 bits: a sparse file with the header of 5 GiB of samples, and one on either side
 * of the border. */
static void test_rf64(void)
{
    weir_wav_spec spec = {.format = {.scalar = WEIR_S16LE, .is_complex = true, .channels = 1},
                          .rate_hz = 20e6,
                          .center_hz = 433.92e6,
                          .start_ns = 0,
                          .stop_ns = WEIR_UNKNOWN_TIME};
    uint8_t header[WEIR_WAV_HEADER_MAX];
    size_t n = weir_wav_header(&spec, header);
    uint64_t largest_riff = (UINT64_C(0xfffffffe) - (n - 8)) / 4 * 4;
    const uint64_t sizes[] = {largest_riff, largest_riff + 4, UINT64_C(5) << 30};
    for (size_t i = 0; i < 3; i++) {
        spec.data_bytes = sizes[i];
        CHECK(weir_wav_header(&spec, header) == n);
        CHECK(memcmp(header, i == 0 ? "RIFF" : "RF64", 4) == 0);
        const char *path = write_file("big.wav", header, n);
        if (truncate(path, (off_t)(n + sizes[i])) != 0) {
            CHECK_MSG(errno == EFBIG || errno == ENOSPC, "truncate: %s", strerror(errno));
            continue;
        }
        weir_source *source;
        weir_error err = {0};
        logged[0] = '\0';
        CHECK_MSG(weir_source_open(&source, path, NULL, &err) == WEIR_OK, "%s", err.text);
        CHECK(source && source->info.n_samples == sizes[i] / 4);
        CHECK(source && source->info.center_hz == 433.92e6);
        CHECK_STR(logged, "");
        weir_source_close(source);
        unlink(path);
    }
}

static void test_unknown_length(void)
{
    weir_wav_spec spec = {.format = {.scalar = WEIR_F32LE, .channels = 1},
                          .rate_hz = 48000,
                          .start_ns = WEIR_UNKNOWN_TIME,
                          .stop_ns = WEIR_UNKNOWN_TIME,
                          .data_bytes = WEIR_WAV_UNKNOWN};
    uint8_t file[WEIR_WAV_HEADER_MAX + 400] = {0};
    size_t n = weir_wav_header(&spec, file);
    stream s = load(write_file("pipe.wav", file, n + 400), NULL);
    CHECK(s.status == WEIR_OK && s.n_samples == 100);
    drop_bytes(&s.data);
}

/* ---- errors ---- */

static void refuse(weir_status expected, const char *path, const char *kind, weir_scalar scalar,
                   bool is_complex, const char *word)
{
    weir_source_info info = {.name = "x",
                             .format = {.scalar = scalar, .is_complex = is_complex, .channels = 1}};
    info.rate_hz = 1e6;
    weir_record *record;
    weir_error err = {0};
    weir_record_config config = {.path = path, .kind = kind, .info = &info};
    weir_status status = weir_record_open(&record, &config, &err);
    CHECK_MSG(status == expected && !record, "%s: status %d", path, (int)status);
    CHECK_MSG(strstr(err.text, word) && !strchr(err.text, '\n'), "%s: \"%s\"", path, err.text);
    weir_record_destroy(record);
}

static void test_refused(void)
{
    refuse(WEIR_ERR_USAGE, "x.sigmf-meta", NULL, WEIR_S24LE, false, "s24");
    refuse(WEIR_ERR_USAGE, "x.sigmf-meta", NULL, WEIR_U8_AUDIO, false, "wav");
    refuse(WEIR_ERR_USAGE, "x.wav", NULL, WEIR_S8, true, "cs8");
    refuse(WEIR_ERR_USAGE, "x.wav", NULL, WEIR_S16BE, false, "s16be");
    refuse(WEIR_ERR_USAGE, "x.cs16", NULL, WEIR_U8, true, "cu8");
    refuse(WEIR_ERR_USAGE, "x.xyz", NULL, WEIR_U8, true, "ending");
    refuse(WEIR_ERR_USAGE, "x.cu8", "mp3", WEIR_U8, true, "sigmf, wav, raw");
    refuse(WEIR_ERR_USAGE, "-", "sigmf", WEIR_U8, true, "named");
    refuse(WEIR_ERR_CANT_CREATE, "/nonexistent/x.cu8", NULL, WEIR_U8, true, "/nonexistent");
}

static void test_rate_change(void)
{
    check_rng rng = check_rng_fresh();
    made m = make_stream(&rng, WEIR_U8, true, 1);
    weir_record *record;
    weir_error err = {0};
    weir_record_config config = {.path = test_path("rate.cu8"), .info = &m.info};
    weir_ring_segment other = m.segments[0];
    other.rate_hz = 48000.026; /* another divider of a server that came back */
    other.segment = 99;
    CHECK(weir_record_open(&record, &config, &err) == WEIR_OK);
    CHECK(weir_record_write(record, &m.segments[0], 0, m.data.data, 1, &err) == WEIR_OK);
    CHECK(weir_record_write(record, &other, 1, m.data.data, 1, &err) == WEIR_ERR_UNSUPPORTED);
    CHECK_MSG(strstr(err.text, "from 48000 to 48000.026 S/s"), "%s", err.text);
    CHECK(weir_record_write(record, &m.segments[0], 1, m.data.data, 1, &err) != WEIR_OK);
    CHECK(weir_record_finish(record, 0, &err) == WEIR_OK);
    weir_record_destroy(record);
    CHECK(truncate(test_path("rate.cu8"), 2) == 0); /* it is there */
    drop_bytes(&m.data);
}

static void test_destroy_leaves_nothing(void)
{
    check_rng rng = check_rng_fresh();
    made m = make_stream(&rng, WEIR_U8, true, 1);
    weir_record *record;
    weir_record_config config = {.path = test_path("gone.sigmf-meta"), .info = &m.info};
    CHECK(weir_record_open(&record, &config, NULL) == WEIR_OK);
    CHECK(write_stream(record, &m, &rng, NULL) == WEIR_OK);
    weir_record_destroy(record);
    weir_record_destroy(NULL);
    char command[256];
    snprintf(command, sizeof command, "test -z \"$(ls %s | grep gone)\"", test_folder);
    CHECK(system(command) == 0);
    drop_bytes(&m.data);
}

static void test_limit(void)
{
    check_rng rng = check_rng_fresh();
    made m = make_stream(&rng, WEIR_S16LE, true, 1);
    weir_record *record;
    weir_record_totals totals;
    uint64_t limit = 1 + check_random(&rng) % m.data.n;
    weir_record_config config = {
        .path = test_path("limit.cs16"), .info = &m.info, .max_bytes = limit};
    CHECK(weir_record_open(&record, &config, NULL) == WEIR_OK);
    CHECK(write_stream(record, &m, &rng, NULL) == WEIR_OK);
    CHECK(weir_record_is_full(record));
    CHECK(weir_record_finish(record, 0, NULL) == WEIR_OK);
    weir_record_totals_get(record, &totals);
    CHECK(totals.written == limit / m.stride);
    weir_record_destroy(record);
    drop_bytes(&m.data);
}

/* A file size limit acts as a full disk does: a write that is cut short, then an error. */
static void fill_up(const char *name, weir_scalar scalar, bool odd_limit)
{
    check_rng rng = check_rng_fresh();
    made m = make_stream(&rng, scalar, scalar != WEIR_U8_AUDIO, 1);
    while (m.data.n < 100000) { /* long enough to matter */
        bytes copy = {0};
        put(&copy, m.data.data, m.data.n);
        put(&m.data, copy.data, copy.n);
        drop_bytes(&copy);
    }
    m.n_segments = 1;
    m.lengths[0] = m.data.n / m.stride;
    const char *path = test_path(name);
    weir_record *record;
    weir_error err = {0};
    weir_record_totals totals;
    weir_record_config config = {.path = path, .info = &m.info};
    CHECK(weir_record_open(&record, &config, &err) == WEIR_OK);
    /* Never below what the metadata take. */
    rlim_t most = 20000 + check_random(&rng) % 10000 * 4 + (odd_limit ? 3 : 0);
    most = most < m.data.n ? most : m.data.n - 1;
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = most;
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK(write_stream(record, &m, &rng, &err) == WEIR_ERR_IO);
    CHECK_MSG(weir_record_finish(record, 0, &err) == WEIR_OK, "%s", err.text);
    setrlimit(RLIMIT_FSIZE, &before);
    weir_record_totals_get(record, &totals);
    CHECK_MSG(totals.written * m.stride <= most && totals.written * m.stride + 400 > most,
              "%llu bytes of %llu", (unsigned long long)(totals.written * m.stride),
              (unsigned long long)most);
    weir_record_destroy(record);
    weir_source_options options;
    weir_source_options_init(&options);
    options.rate_hz = 48000;
    options.verify_checksum = strstr(name, "sigmf") != NULL;
    stream s = load(path, &options);
    CHECK_MSG(s.status == WEIR_OK, "%s", s.err.text);
    CHECK(s.n_samples == totals.written && memcmp(s.data.data, m.data.data, s.data.n) == 0);
    CHECK_STR(logged, "");
    drop_bytes(&s.data);
    drop_bytes(&m.data);
}

static void test_disk_full(void)
{
    signal(SIGXFSZ, SIG_IGN);
    for (int odd = 0; odd < 2; odd++) {
        fill_up("full.cs16", WEIR_S16LE, odd);
        fill_up("full.wav", WEIR_S16LE, odd);
        fill_up("full-u8.wav", WEIR_U8_AUDIO, odd); /* no room for the byte that makes it even */
#if WEIR_HAVE_JANSSON
        fill_up("full.sigmf-meta", WEIR_S16LE, odd);
#endif
    }
}

/* ---- the recorder's thread ---- */

#if WEIR_HAVE_JANSSON
/* Pushed faster than any disk: what does not fit is a gap, and the sum is right; or it is
 * waited for, and nothing is lost. */
static void push_many(bool waits)
{
    check_rng rng = check_rng_fresh();
    weir_source_info info = {.name = "x",
                             .format = {.scalar = WEIR_U32LE, .channels = 1},
                             .rate_hz = 1e6,
                             .time_unix_ns = 0};
    const char *path = test_path("push.sigmf-meta");
    weir_record_config record_config = {.path = path, .info = &info};
    weir_recorder_config config = {.ring_bytes = 1 << 16, .stride_bytes = 4};
    weir_recorder *recorder;
    weir_error err = {0};
    CHECK(weir_record_open(&config.record, &record_config, &err) == WEIR_OK);
    CHECK(weir_recorder_create(&recorder, &config, &err) == WEIR_OK);
    weir_ring_segment segment = {.first_sample = 500, .rate_hz = 1e6, .segment = 3};
    static uint32_t piece[20000];
    uint32_t counter = 1000;
    for (int i = 0; i < 2000; i++) {
        size_t n = i < 1999 ? 1 + check_random(&rng) % 4096 : 20000; /* more than its ring holds */
        for (size_t k = 0; k < n; k++) {
            piece[k] = counter + (uint32_t)k;
        }
        weir_recorder_push(recorder, &segment, counter, piece, n, waits);
        counter += (uint32_t)n;
    }
    weir_recorder_end(recorder);
    CHECK_MSG(weir_recorder_join(recorder, &err) == WEIR_OK, "%s", err.text);
    weir_recorder_totals totals;
    weir_recorder_totals_get(recorder, &totals);
    weir_recorder_destroy(recorder);
    CHECK(totals.written > 0 && totals.written + totals.lost == counter - 1000);
    CHECK(!waits || (totals.lost == 0 && totals.written == counter - 1000));

    /* Every sample is the number of its place. */
    weir_source *source;
    CHECK_MSG(weir_source_open(&source, path, NULL, &err) == WEIR_OK, "%s", err.text);
    uint64_t at = 1000, n_read = 0;
    for (;;) {
        weir_read read = {0};
        CHECK(source->class_->read(source, piece, 4096, &read, &err) == WEIR_OK);
        if (read.n_samples == 0) {
            break;
        }
        at += read.lost_before;
        for (size_t k = 0; k < read.n_samples; k++, at++) {
            CHECK(piece[k] == at);
        }
        n_read += read.n_samples;
    }
    /* What was lost behind the last sample no file can say. */
    CHECK(n_read == totals.written && (waits ? at == counter : at < counter));
    weir_source_close(source);
}

static void test_push_and_lose(void)
{
    push_many(false);
    push_many(true);
}

/* The consumer of a capture thread's ring: received = written + lost. */
static void test_from_capture(void)
{
    weir_source *source;
    weir_capture *capture;
    weir_recorder *recorder;
    weir_error err = {0};
    const char *path = test_path("capture.sigmf-meta");
    weir_capture_config capture_config = {.duration_seconds = INFINITY};
    CHECK(weir_source_open(&source, "synth:ramp,rate=1M,seconds=1,drop=5000:77,drop=70000:3", NULL,
                           &err) == WEIR_OK);
    CHECK(weir_capture_create(&capture, source, &capture_config, &err) == WEIR_OK);
    weir_record_config record_config = {.path = path, .info = &source->info};
    weir_recorder_config config = {.ring = weir_capture_ring(capture),
                                   .stride_bytes = weir_format_stride_bytes(&source->info.format)};
    CHECK(weir_record_open(&config.record, &record_config, &err) == WEIR_OK);
    CHECK(weir_recorder_create(&recorder, &config, &err) == WEIR_OK);
    CHECK(weir_capture_start(capture, &err) == WEIR_OK);
    CHECK_MSG(weir_recorder_join(recorder, &err) == WEIR_OK, "%s", err.text);
    CHECK(weir_recorder_is_done(recorder));
    weir_recorder_totals totals;
    weir_recorder_totals_get(recorder, &totals);
    CHECK(totals.lost == 80 && totals.gaps == 2);
    CHECK(totals.written + totals.lost == weir_capture_received(capture));
    CHECK(weir_capture_join(capture, &err) == WEIR_OK);
    weir_recorder_destroy(recorder);
    weir_capture_destroy(capture);
    weir_source_close(source);
}
#endif

int main(void)
{
    make_test_folder();
    listen_to_log();
#if WEIR_HAVE_JANSSON
    RUN(test_sigmf_round_trip);
    RUN(test_annotations);
    RUN(test_push_and_lose);
    RUN(test_from_capture);
#endif
    RUN(test_wav_round_trip);
    RUN(test_valid_bits);
    RUN(test_raw_round_trip);
    RUN(test_rf64);
    RUN(test_unknown_length);
    RUN(test_refused);
    RUN(test_rate_change);
    RUN(test_destroy_leaves_nothing);
    RUN(test_limit);
    RUN(test_disk_full);
    remove_test_folder();
    return check_finish();
}
