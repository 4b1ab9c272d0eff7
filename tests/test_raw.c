/* ctest-labels: unit prop
 * capture/raw.c, input.h, stored.h, file.c, sdriq.c: samples without a header, from files,
 * FIFOs and standard input, and what the user is told when something is missing. */
#include "capture/input.h"
#include "capture/sources.h"
#include "capture/stored.h"
#include "tests/files.h"

#include <pthread.h>
#include <sys/time.h>

static weir_source_options options_of(const char *format, double rate_hz)
{
    weir_source_options options;
    weir_source_options_init(&options);
    options.format = format;
    options.rate_hz = rate_hz;
    return options;
}

static bytes noise(check_rng *rng, size_t n)
{
    bytes b = {0};
    for (size_t i = 0; i < n; i++) {
        put_le(&b, check_random(rng), 1);
    }
    return b;
}

static void check_bytes(const stream *s, const bytes *b, size_t n)
{
    CHECK_MSG(s->status == WEIR_OK && s->data.n == n && memcmp(s->data.data, b->data, n) == 0,
              "%s: %zu of %zu bytes", s->err.text, s->data.n, n);
}

/* Any format, any length: whole samples come, unchanged; a rest is dropped and said. */
static void test_every_format_and_length(void)
{
    static const char *const names[] = {"cu8",    "cs8",    "cs16le", "cs16be", "cu16le",
                                        "cs24le", "cs32be", "cf32le", "cf64be", "ru8",
                                        "rs16le", "rs24be", "rf32be", "rf64le"};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        weir_source_options options = options_of(names[i], 48000);
        options.channels = 1 + (unsigned)(check_random(&rng) % 3);
        weir_sample_format format = {.channels = options.channels};
        CHECK(weir_format_parse(names[i], &format, NULL) == WEIR_OK);
        size_t stride = weir_format_stride_bytes(&format);
        bytes b = noise(&rng, stride * 3 + check_random(&rng) % 20000);
        for (int pipe = 0; pipe < 2; pipe++) {
            size_t piece = 1 + check_random(&rng) % 9000;
            stream s = pipe ? load_fifo("x.dat", b.data, b.n, piece, &options)
                            : load(write_file("x.dat", b.data, b.n), &options);
            check_bytes(&s, &b, b.n - b.n % stride);
            CHECK(s.n_samples == b.n / stride && s.info.rate_hz == 48000);
            CHECK(s.info.n_samples == (pipe ? WEIR_UNKNOWN_SAMPLES : b.n / stride));
            char notice[64];
            snprintf(notice, sizeof notice, "last %zu bytes", b.n % stride);
            CHECK_MSG(b.n % stride ? strstr(logged, notice) != NULL : !logged[0], "%s", logged);
            drop_bytes(&s.data);
        }
        drop_bytes(&b);
    }
}

/* One byte at a time down a pipe: I and Q never change places. */
static void test_pairs_survive_single_bytes(void)
{
    check_rng rng = check_rng_fresh();
    bytes b = noise(&rng, 1001);
    weir_source_options options = options_of("cs16", 1e6);
    stream s = load_fifo("odd.raw", b.data, b.n, 1, &options);
    check_bytes(&s, &b, 1000);
    CHECK(s.n_samples == 250 && strstr(logged, "last 1 bytes"));
    drop_bytes(&s.data);
    drop_bytes(&b);
}

static void test_names_and_endings_say_it(void)
{
    check_rng rng = check_rng_fresh();
    bytes b = noise(&rng, 4096);
    stream s = load(write_file("g001_433.92M_250k.cu8", b.data, b.n), NULL);
    check_bytes(&s, &b, b.n);
    CHECK(s.info.rate_hz == 250e3 && s.info.center_hz == 433.92e6 && s.info.format.is_complex &&
          s.info.format.scalar == WEIR_U8);
    drop_bytes(&s.data);
    s = load(write_file("gqrx_20160101_123456_5800000000_1800000_fc.raw", b.data, b.n), NULL);
    check_bytes(&s, &b, b.n);
    CHECK(s.info.center_hz == 5.8e9 && s.info.format.scalar == WEIR_F32LE &&
          s.info.time_unix_ns == INT64_C(1451651696000000000));
    drop_bytes(&s.data);
    weir_source_options options = options_of("rs16be", 8000); /* options win over the name */
    options.center_hz = -2147483648.0;
    s = load(write_file("g001_433.92M_250k.cu8", b.data, b.n), &options);
    CHECK(s.info.rate_hz == 8000 && s.info.center_hz == -2147483648.0 &&
          s.info.format.scalar == WEIR_S16BE && !s.info.format.is_complex);
    drop_bytes(&s.data);
    drop_bytes(&b);
}

static void refuse(const char *argument, const weir_source_options *options, weir_status status,
                   const char *text)
{
    stream s = load(argument, options);
    CHECK_MSG(s.status == status && strstr(s.err.text, text), "%s: %d \"%s\"", argument, s.status,
              s.err.text);
    drop_bytes(&s.data);
}

static void test_refusals(void)
{
    weir_source_options options = options_of(NULL, 0);
    const char *path = write_file("x.bin", "abcdefgh", 8);
    refuse(path, &options, WEIR_ERR_USAGE,
           "x.bin: cannot tell the sample format; say --format cu8 --rate 2.4M");
    options.rate_hz = 1e6;
    refuse(path, &options, WEIR_ERR_USAGE, "say --format cu8");
    options = options_of("cu8", 0);
    refuse(path, &options, WEIR_ERR_USAGE, "cannot tell the sample rate; say --rate 2.4M");
    options = options_of("cu9", 1e6);
    refuse(path, &options, WEIR_ERR_USAGE, "cu9");
    options = options_of("cu8", 1e12);
    refuse(path, &options, WEIR_ERR_USAGE, "sample rate");
    options = options_of("cu8", -1);
    refuse(path, &options, WEIR_ERR_USAGE, "sample rate");
    options = options_of("cu8", NAN);
    refuse(path, &options, WEIR_ERR_USAGE, "sample rate");
    options = options_of("cu8", 1e6);
    options.channels = 100000;
    refuse(path, &options, WEIR_ERR_USAGE, "too many");
    options.channels = 1;
    options.center_hz = 1e13;
    refuse(path, &options, WEIR_ERR_USAGE, "centre");
    options = options_of("cf64", 1e6);
    refuse(path, &options, WEIR_ERR_DATA, "no samples");
    options = options_of("cu8", 1e6);
    refuse(write_file("empty.cu8", "", 0), &options, WEIR_ERR_DATA, "is empty");
    refuse(test_path("missing.cu8"), &options, WEIR_ERR_NO_INPUT, "No such file");
    refuse(test_folder, &options, WEIR_ERR_NO_INPUT, "folder");
    refuse("/dev/null", &options, WEIR_ERR_DATA, "no samples");
    options.format = NULL;
    refuse("/dev/null", &options, WEIR_ERR_DATA, "is empty");
    path = write_file("locked.cu8", "abcd", 4);
    chmod(path, 0);
    if (geteuid() != 0) {
        refuse(path, &options, WEIR_ERR_NO_INPUT, "Permission denied");
    }
    path = write_file("bad\x1b[31m.bin", "abcd", 4);
    stream s = load(path, NULL);
    CHECK(s.status == WEIR_ERR_USAGE && !strchr(s.err.text, 0x1b) && strstr(s.err.text, "\\x1b"));
}

static void test_seek(void)
{
    check_rng rng = check_rng_fresh();
    bytes b = noise(&rng, 40000);
    weir_source_options options = options_of("cs16", 1000);
    weir_source *source;
    const char *path = write_file("SDRSharp_20190708_145003Z_1_IQ.raw", b.data, b.n);
    CHECK(weir_source_open(&source, path, &options, NULL) == WEIR_OK);
    for (int i = 0; i < 300; i++) {
        uint64_t to = check_random(&rng) % 10002;
        uint8_t memory[400];
        weir_read read = {0};
        CHECK(source->class_->seek(source, to, NULL) == WEIR_OK);
        CHECK(source->class_->read(source, memory, 100, &read, NULL) == WEIR_OK);
        size_t expected = to >= 10000 ? 0 : to > 9900 ? 10000 - to : 100;
        CHECK(read.n_samples == expected);
        CHECK(memcmp(memory, b.data + 4 * (to < 10000 ? to : 0), 4 * expected) == 0);
        CHECK(expected == 0 || (read.new_segment && read.lost_before == 0 && read.rate_hz == 1000 &&
                                read.center_hz == 1));
        CHECK(expected == 0 ||
              read.time_unix_ns == INT64_C(1562597403000000000) + (int64_t)to * 1000000);
    }
    weir_source_close(source);
    drop_bytes(&b);
}

static void test_standard_input(void)
{
    check_rng rng = check_rng_fresh();
    bytes b = noise(&rng, 30000);
    int keep = dup(STDIN_FILENO);
    weir_source_options options = options_of("cu8", 2.4e6);

    /* A file that has been read from: only what follows belongs to us. */
    int fd = open(write_file("in.bin", b.data, b.n), O_RDONLY);
    CHECK(lseek(fd, 100, SEEK_SET) == 100 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    close(fd);
    stream s = load("-", &options);
    bytes rest = {b.data + 100, b.n - 100, 0};
    check_bytes(&s, &rest, rest.n);
    CHECK_STR(s.info.name, "standard input");
    CHECK(s.info.can_seek && s.info.n_samples == 14950);
    drop_bytes(&s.data);

    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], b.data, 30001 - 1) == 30000);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    s = load("-", &options);
    check_bytes(&s, &b, b.n);
    CHECK(!s.info.can_seek && s.info.n_samples == WEIR_UNKNOWN_SAMPLES);
    drop_bytes(&s.data);

    CHECK(pipe(ends) == 0 && write(ends[1], b.data, 100) == 100);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    options.format = NULL;
    refuse("-", &options, WEIR_ERR_USAGE, "standard input: cannot tell the sample format");
    dup2(keep, STDIN_FILENO);
    close(keep);
    drop_bytes(&b);
}

/* ---- interrupts ---- */

static weir_source *blocked;
static int signals;

static void on_alarm(int number)
{
    (void)number;
    signals++;
    if (signals == 3) { /* the first two are other people's signals: reading goes on */
        blocked->class_->interrupt(blocked);
    }
}

static void test_interrupt_from_a_signal_handler(void)
{
    int ends[2], keep = dup(STDIN_FILENO);
    CHECK(pipe(ends) == 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    weir_source_options options = options_of("cs16", 1e6);
    CHECK(weir_source_open(&blocked, "-", &options, NULL) == WEIR_OK);
    CHECK(write(ends[1], "abcdefg", 7) == 7); /* one sample and a piece */

    uint8_t memory[64];
    weir_read read = {0};
    CHECK(blocked->class_->read(blocked, memory, 16, &read, NULL) == WEIR_OK);
    CHECK(read.n_samples == 1 && memcmp(memory, "abcd", 4) == 0);

    struct sigaction action = {.sa_handler = on_alarm}, before;
    sigaction(SIGALRM, &action, &before);
    signals = 0;
    struct itimerval every = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &every, NULL);
    read = (weir_read){0};
    CHECK(blocked->class_->read(blocked, memory, 16, &read, NULL) == WEIR_OK);
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(read.n_samples == 0 && signals >= 3);
    CHECK(blocked->class_->read(blocked, memory, 16, &read, NULL) == WEIR_OK); /* and stays so */
    CHECK(read.n_samples == 0);
    sigaction(SIGALRM, &before, NULL);
    weir_source_close(blocked);
    close(ends[1]);
    dup2(keep, STDIN_FILENO);
    close(keep);
}

static void *interrupt_later(void *user)
{
    usleep(30000);
    weir_source *source = user;
    source->class_->interrupt(source);
    return NULL;
}

/* A FIFO that nobody has opened for writing yet. */
static void test_interrupt_from_a_thread(void)
{
    const char *path = test_path("nobody.fifo");
    CHECK(mkfifo(path, 0600) == 0);
    weir_source_options options = options_of("cu8", 1e6);
    weir_source *source;
    CHECK(weir_source_open(&source, path, &options, NULL) == WEIR_OK);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, interrupt_later, source) == 0);
    uint8_t memory[64];
    weir_read read = {0};
    CHECK(source->class_->read(source, memory, 32, &read, NULL) == WEIR_OK);
    CHECK(read.n_samples == 0);
    pthread_join(thread, NULL);
    weir_source_close(source);
}

/* ---- extents ---- */

static void test_extents_are_segments(void)
{
    check_rng rng = check_rng_fresh();
    bytes b = noise(&rng, 1000);
    const char *path = write_file("x.cs8", b.data, b.n);
    weir_input *input;
    CHECK(weir_input_open(&input, path, NULL) == WEIR_OK);
    const weir_extent extents[] = {
        {.offset_bytes = 10, .n_samples = 45, .center_hz = 1, .time_unix_ns = 0},
        {.offset_bytes = 120, .n_samples = 50, .lost_before = 7, .center_hz = 2},
        {.offset_bytes = 220,
         .n_samples = 30,
         .lost_before = 9,
         .center_hz = 3,
         .time_unix_ns = WEIR_UNKNOWN_TIME},
    };
    weir_sample_format format = {.scalar = WEIR_S8, .is_complex = true, .channels = 1};
    weir_stored *stored;
    CHECK(weir_stored_create(&stored, input, "x", &format, 100, extents, 3, NULL) == WEIR_OK);
    CHECK(weir_stored_samples(stored) == 125);
    static const uint64_t from[] = {0, 40, 45, 90, 95, 124, 125};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        CHECK(weir_stored_seek(stored, from[i], NULL) == WEIR_OK);
        uint64_t at = from[i];
        for (bool first = true;; first = false) {
            uint8_t memory[200];
            weir_read read = {0};
            CHECK(weir_stored_read(stored, memory, 20, &read, NULL) == WEIR_OK);
            if (read.n_samples == 0) {
                break;
            }
            size_t e = at < 45 ? 0 : at < 95 ? 1 : 2;
            uint64_t begin = e == 0 ? 0 : e == 1 ? 45 : 95;
            CHECK(memcmp(memory, b.data + extents[e].offset_bytes + 2 * (at - begin),
                         2 * read.n_samples) == 0);
            CHECK(at + read.n_samples <= begin + extents[e].n_samples);
            CHECK(read.new_segment == (first || (at == begin && at > 0)));
            CHECK(!read.new_segment || read.center_hz == (double)(e + 1));
            CHECK(read.lost_before == (first || at != begin ? 0 : extents[e].lost_before));
            CHECK(!read.new_segment || e == 2 ||
                  read.time_unix_ns == (int64_t)(at - begin) * 10000000);
            at += read.n_samples;
        }
        CHECK(at == 125);
    }
    weir_stored_destroy(stored);
    weir_input_close(input);
    drop_bytes(&b);
}

/* ---- .sdriq ---- */

static uint32_t crc32_table_free(const uint8_t *p, size_t n)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < 8 * n; i++) {
        uint32_t bit = (uint32_t)(p[i / 8] >> i % 8 & 1) ^ (crc & 1);
        crc = crc >> 1 ^ (bit ? 0xedb88320 : 0);
    }
    return ~crc;
}

static bytes sdriq(uint32_t rate, uint64_t center, uint64_t start_ms, uint32_t bits)
{
    bytes b = {0};
    put_le(&b, rate, 4);
    put_le(&b, center, 8);
    put_le(&b, start_ms, 8);
    put_le(&b, bits, 4);
    put_le(&b, 0, 4);
    put_le(&b, crc32_table_free(b.data, 28), 4);
    return b;
}

static void test_sdriq(void)
{
    CHECK(crc32_table_free((const uint8_t *)"123456789", 9) == 0xcbf43926);
    bytes b = sdriq(3000000, UINT64_C(10489750000), 1624058271163, 16);
    put_text(&b, "abcdefghijklmn");
    stream s = load(write_file("a.sdriq", b.data, b.n), NULL);
    CHECK(s.status == WEIR_OK && s.data.n == 12 && memcmp(s.data.data, "abcdefghijkl", 12) == 0);
    CHECK(s.info.rate_hz == 3e6 && s.info.center_hz == 10489750000.0 &&
          s.info.time_unix_ns == INT64_C(1624058271163000000) &&
          s.info.format.scalar == WEIR_S16LE && s.info.format.is_complex);
    drop_bytes(&s.data);
    s = load_fifo("by_content", b.data, b.n, 5, NULL);
    CHECK(s.status == WEIR_OK && s.data.n == 12 && s.info.rate_hz == 3e6);
    drop_bytes(&s.data);
    for (size_t i = 0; i < 32; i++) { /* any damage to the header */
        b.data[i] ^= 0x10;
        refuse(write_file("a.sdriq", b.data, b.n), NULL, WEIR_ERR_DATA, "wrong checksum");
        b.data[i] ^= 0x10;
        if (i > 0) {
            refuse(write_file("a.sdriq", b.data, i), NULL, WEIR_ERR_DATA, "ends too early");
        }
    }
    refuse(write_file("a.sdriq", b.data, 32), NULL, WEIR_ERR_DATA, "no samples");
    drop_bytes(&b);

    b = sdriq(48000, 100000000, 0, 24);
    put_le(&b, 0x123456, 4);
    put_le(&b, (uint32_t)-2, 4);
    s = load(write_file("a.sdriq", b.data, b.n), NULL);
    static const uint8_t expected[8] = {0, 0x56, 0x34, 0x12, 0, 0xfe, 0xff, 0xff};
    CHECK(s.status == WEIR_OK && s.n_samples == 1 && memcmp(s.data.data, expected, 8) == 0);
    CHECK(s.info.format.valid_bits == 24 && s.info.time_unix_ns == WEIR_UNKNOWN_TIME);
    drop_bytes(&s.data);
    drop_bytes(&b);
    b = sdriq(48000, UINT64_MAX, 0, 16);
    put_text(&b, "abcd");
    refuse(write_file("a.sdriq", b.data, b.n), NULL, WEIR_ERR_DATA, "centre");
    drop_bytes(&b);
    b = sdriq(48000, 0, 0, 2000000000);
    refuse(write_file("a.sdriq", b.data, b.n), NULL, WEIR_ERR_DATA, "2000000000 bits");
    drop_bytes(&b);
}

static void test_accepts(void)
{
    CHECK(weir_source_file.accepts("-") && weir_source_file.accepts("a.wav"));
    CHECK(weir_source_file.accepts("./synth:x") && weir_source_file.accepts("foo:bar"));
    CHECK(!weir_source_file.accepts("") && !weir_source_file.accepts("synth:tone"));
    weir_source_options options = options_of("cu8", 1e6);
    write_file("synth", "abcd", 4);
    char argument[128];
    snprintf(argument, sizeof argument, "file:%s/synth", test_folder);
    stream s = load(argument, &options);
    CHECK(s.status == WEIR_OK && s.n_samples == 2);
    drop_bytes(&s.data);
}

int main(void)
{
    make_test_folder();
    listen_to_log();
    RUN(test_every_format_and_length);
    RUN(test_pairs_survive_single_bytes);
    RUN(test_names_and_endings_say_it);
    RUN(test_refusals);
    RUN(test_seek);
    RUN(test_standard_input);
    RUN(test_interrupt_from_a_signal_handler);
    RUN(test_interrupt_from_a_thread);
    RUN(test_extents_are_segments);
    RUN(test_sdriq);
    RUN(test_accepts);
    remove_test_folder();
    return check_finish();
}
