/* ctest-labels: unit prop
 * capture/riff.h and capture/wav.c: every kind of WAV header, from files and pipes. */
#include "capture/riff.h"
#include "tests/files.h"

/* ---- building ---- */

static size_t open_chunk(bytes *b, const char *id)
{
    put_text(b, id);
    put_le(b, 0, 4);
    return b->n;
}

static void set_le32(bytes *b, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        b->data[at + (size_t)i] = (uint8_t)(value >> 8 * i);
    }
}

static void close_chunk(bytes *b, size_t body)
{
    set_le32(b, body - 4, (uint32_t)(b->n - body));
    if ((b->n - body) % 2) {
        put(b, "", 1);
    }
}

static void put_fmt(bytes *b, unsigned tag, unsigned channels, uint32_t rate, unsigned bits)
{
    size_t body = open_chunk(b, "fmt ");
    put_le(b, tag, 2);
    put_le(b, channels, 2);
    put_le(b, rate, 4);
    put_le(b, rate * channels * bits / 8, 4);
    put_le(b, channels, 2); /* nBlockAlign as librtlsdr writes it: wrong */
    put_le(b, bits, 2);
    close_chunk(b, body);
}

static void put_extensible(bytes *b, unsigned tag, unsigned channels, uint32_t rate, unsigned bits,
                           unsigned valid)
{
    static const uint8_t guid_tail[14] = {0, 0, 0,    0, 0x10, 0,    0x80,
                                          0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    size_t body = open_chunk(b, "fmt ");
    put_le(b, 0xfffe, 2);
    put_le(b, channels, 2);
    put_le(b, rate, 4);
    put_le(b, rate * channels * bits / 8, 4);
    put_le(b, channels * bits / 8, 2);
    put_le(b, bits, 2);
    put_le(b, 22, 2);
    put_le(b, valid, 2);
    put_le(b, 0, 4);
    put_le(b, tag, 2);
    put(b, guid_tail, sizeof guid_tail);
    close_chunk(b, body);
}

static void put_auxi(bytes *b, uint32_t center_hz, size_t size)
{
    size_t body = open_chunk(b, "auxi"), begin = b->n;
    static const unsigned start[8] = {2021, 6, 5, 18, 23, 17, 51, 163}, stop[8] = {0};
    for (int i = 0; i < 8; i++) {
        put_le(b, start[i], 2);
    }
    for (int i = 0; i < 8; i++) {
        put_le(b, stop[i], 2);
    }
    put_le(b, center_hz, 4);
    while (b->n - begin < size) {
        put_le(b, 0, 1);
    }
    close_chunk(b, body);
}

static void begin_wav(bytes *b)
{
    put_text(b, "RIFF");
    put_le(b, 36, 4); /* the RIFF size is not to be trusted: it never fits here */
    put_text(b, "WAVE");
}

static void put_ramp(bytes *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_le(b, i * 7 + 3, 1);
    }
}

static void put_data(bytes *b, size_t n)
{
    size_t body = open_chunk(b, "data");
    put_ramp(b, n);
    close_chunk(b, body);
}

/* ---- driving the walker over memory ---- */

static weir_status walk(weir_riff *riff, const uint8_t *data, size_t n, bool is_pipe)
{
    weir_error err;
    weir_status status = WEIR_OK;
    weir_riff_begin(riff, is_pipe ? WEIR_RIFF_UNKNOWN : n);
    uint64_t last = 0;
    while (riff->want_bytes > 0) {
        CHECK(riff->want_bytes <= WEIR_RIFF_MAX_WANT && riff->want_offset >= last);
        last = riff->want_offset;
        size_t rest = last < n ? n - (size_t)last : 0;
        size_t got = rest < riff->want_bytes ? rest : riff->want_bytes;
        uint8_t *exact = malloc(got ? got : 1); /* so that ASan sees any read beyond it */
        memcpy(exact, data + (got ? last : 0), got);
        status = weir_riff_feed(riff, exact, got, &err);
        free(exact);
        if (status != WEIR_OK) {
            CHECK(status == WEIR_ERR_DATA && err.text[0] && riff->want_bytes == 0);
            return status;
        }
    }
    CHECK(riff->has_fmt && riff->has_data && riff->fmt.channels > 0 && riff->fmt.rate_hz > 0);
    CHECK(is_pipe || riff->data_offset <= n);
    return status;
}

static void test_plain(void)
{
    bytes b = {0};
    begin_wav(&b);
    put_fmt(&b, 1, 2, 44100, 16);
    put_data(&b, 400);
    for (int pipe = 0; pipe < 2; pipe++) {
        weir_riff riff;
        CHECK(walk(&riff, b.data, b.n, pipe) == WEIR_OK);
        CHECK(riff.fmt.tag == 1 && riff.fmt.channels == 2 && riff.fmt.rate_hz == 44100 &&
              riff.fmt.bits == 16 && riff.fmt.valid_bits == 16);
        CHECK(riff.data_offset == 44 && riff.data_bytes == 400 && !riff.data_unfinished);
        CHECK(!riff.has_auxi && !riff.has_rcvr && isnan(riff.center_hz));
    }
    drop_bytes(&b);
}

/* Cut anywhere, a file is refused or gives what is there. */
static void test_truncation_at_every_byte(void)
{
    bytes b = {0};
    begin_wav(&b);
    PUT_LITERAL(&b, "LIST\3\0\0\0abc"); /* odd size and its pad byte */
    put_le(&b, 0, 1);
    put_auxi(&b, 7100000, 68);
    put_extensible(&b, 1, 2, 48000, 32, 24);
    put_data(&b, 80);
    for (size_t n = 0; n <= b.n; n++) {
        for (int pipe = 0; pipe < 2; pipe++) {
            weir_riff riff;
            weir_status status = walk(&riff, b.data, n, pipe);
            CHECK((status == WEIR_OK) == (n >= b.n - 80));
        }
    }
    drop_bytes(&b);
}

static void test_random_damage(void)
{
    check_rng rng = check_rng_fresh();
    bytes b = {0};
    begin_wav(&b);
    put_auxi(&b, 7100000, 164);
    put_fmt(&b, 1, 2, 48000, 16);
    put_data(&b, 40);
    PUT_LITERAL(&b, "rcvr\14\0\0\0abcdefghijkl");
    for (int i = 0; i < 20000; i++) {
        bytes c = {0};
        put(&c, b.data, b.n);
        for (uint64_t k = check_random(&rng) % 6; k > 0; k--) {
            c.data[check_random(&rng) % c.n] = (uint8_t)check_random(&rng);
        }
        weir_riff riff;
        walk(&riff, c.data, check_random(&rng) % (c.n + 1), i & 1);
        drop_bytes(&c);
    }
    drop_bytes(&b);
}

static void test_hostile_chunk_chains_end(void)
{
    bytes b = {0};
    begin_wav(&b);
    for (int i = 0; i < 200000; i++) {
        put_text(&b, "JUNK");
        put_le(&b, 0, 4);
    }
    weir_riff riff;
    CHECK(walk(&riff, b.data, b.n, false) == WEIR_ERR_DATA);
    CHECK(walk(&riff, b.data, b.n, true) == WEIR_ERR_DATA);
    drop_bytes(&b);
    begin_wav(&b);
    put_text(&b, "JUNK");
    put_le(&b, UINT32_MAX, 4);
    CHECK(walk(&riff, b.data, b.n, false) == WEIR_ERR_DATA);
    CHECK(walk(&riff, b.data, b.n, true) == WEIR_ERR_DATA);
    drop_bytes(&b);
}

/* Recorders that know nothing of RF64: 9 GB in a file whose header counts to 4 GiB. */
static void test_sizes_beyond_32_bits(void)
{
    bytes b = {0};
    begin_wav(&b);
    put_fmt(&b, 1, 2, 2400000, 16);
    put_text(&b, "data");
    put_le(&b, 410065408, 4); /* 9e9 modulo 2^32 */
    static const struct {
        uint64_t there, found;
    } rows[] = {
        {9000000000, 9000000000}, {9000000000 + 300, 9000000000}, {9000070000, 410065408},
        {4705032704, 4705032704}, {410065408, 410065408},         {410065409, 410065408},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_riff riff;
        weir_riff_begin(&riff, b.n + rows[i].there);
        while (riff.want_bytes > 0) {
            size_t at = (size_t)riff.want_offset;
            size_t got = at < b.n ? riff.want_bytes : 0;
            CHECK(weir_riff_feed(&riff, b.data + (got ? at : 0), got, NULL) == WEIR_OK);
        }
        CHECK_MSG(riff.data_bytes == rows[i].found, "%llu of %llu",
                  (unsigned long long)riff.data_bytes, (unsigned long long)rows[i].there);
        CHECK(riff.data_unfinished == (rows[i].found > UINT32_MAX));
    }
    drop_bytes(&b);
}

/* ---- as sources ---- */

static char last_text[512];

/* From a file and from a FIFO: the same samples, whatever the sizes of the pieces. */
static stream load_both(const char *name, const bytes *b, int iq)
{
    weir_source_options options;
    weir_source_options_init(&options);
    options.iq = iq;
    stream file = load(write_file(name, b->data, b->n), &options);
    char file_log[sizeof logged];
    strcpy(file_log, logged);
    stream fifo = load_fifo(name, b->data, b->n, 7, &options);
    CHECK_MSG(file.status == fifo.status, "%s: %s / %s", name, file.err.text, fifo.err.text);
    CHECK(file.data.n == fifo.data.n && file.info.rate_hz == fifo.info.rate_hz);
    CHECK(file.data.n == 0 || memcmp(file.data.data, fifo.data.data, file.data.n) == 0);
    CHECK(file.status != WEIR_OK ||
          (file.info.can_seek && !fifo.info.can_seek && file.info.n_samples == file.n_samples &&
           fifo.info.n_samples == WEIR_UNKNOWN_SAMPLES));
    drop_bytes(&fifo.data);
    strcpy(logged, file_log);
    snprintf(last_text, sizeof last_text, "%s", file.err.text);
    return file;
}

static void check_ramp(const stream *s, size_t n)
{
    CHECK_MSG(s->status == WEIR_OK && s->data.n == n, "%s: %zu bytes, not %zu", s->err.text,
              s->data.n, n);
    for (size_t i = 0; i < s->data.n; i++) {
        CHECK(s->data.data[i] == (uint8_t)(i * 7 + 3));
    }
}

static const struct {
    unsigned tag, bits, valid; /* valid 0: no extensible header */
    const char *name;
    unsigned valid_bits;
} formats[] = {
    {1, 8, 0, "ru8", 0},      {1, 16, 0, "rs16le", 0},  {1, 24, 0, "rs24le", 0},
    {1, 32, 0, "rs32le", 0},  {3, 32, 0, "rf32le", 0},  {3, 64, 0, "rf64le", 0},
    {1, 24, 24, "rs24le", 0}, {3, 32, 32, "rf32le", 0}, {1, 32, 24, "rs32le", 24},
    {1, 12, 0, "rs16le", 12}, {1, 16, 0, "rs16le", 0},  {1, 24, 20, "rs24le", 20},
};

static void test_every_sample_format(void)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        bytes b = {0};
        begin_wav(&b);
        if (formats[i].valid) {
            put_extensible(&b, formats[i].tag, 3, 96000, formats[i].bits, formats[i].valid);
        } else {
            put_fmt(&b, formats[i].tag, 3, 96000, formats[i].bits);
        }
        size_t n = 3 * ((formats[i].bits + 7) / 8) * 1500;
        put_data(&b, n);
        stream s = load_both("x.wav", &b, -1);
        check_ramp(&s, n);
        weir_sample_format expected = {.channels = 3};
        weir_format_parse(formats[i].name, &expected, NULL);
        expected.scalar = formats[i].bits == 8 ? WEIR_U8_AUDIO : expected.scalar;
        CHECK_MSG(s.info.format.scalar == expected.scalar && s.info.format.channels == 3 &&
                      !s.info.format.is_complex &&
                      s.info.format.valid_bits == formats[i].valid_bits,
                  "%s: %s", formats[i].name, s.info.description);
        CHECK(s.info.rate_hz == 96000 && s.info.center_hz == 0 && s.n_samples == 1500);
        drop_bytes(&s.data);
        drop_bytes(&b);
    }
}

/* Scenario 16 of radio, 7 of audio. */
static void test_chunks_are_walked(void)
{
    bytes b = {0};
    begin_wav(&b);
    size_t body = open_chunk(&b, "bext");
    put_ramp(&b, 603); /* odd, so a pad byte follows */
    close_chunk(&b, body);
    body = open_chunk(&b, "JUNK");
    for (int i = 0; i < 130001; i++) {
        put_le(&b, 0, 1);
    }
    close_chunk(&b, body);
    put_fmt(&b, 1, 1, 8000, 16);
    body = open_chunk(&b, "LIST");
    for (int i = 0; i < 26; i++) {
        put_le(&b, 0, 1);
    }
    close_chunk(&b, body);
    put_data(&b, 3000);
    PUT_LITERAL(&b, "LIST\4\0\0\0abcd");
    stream s = load_both("x.wav", &b, -1);
    check_ramp(&s, 3000);
    CHECK(logged[0] == '\0');
    drop_bytes(&s.data);
    drop_bytes(&b);
}

static void test_auxi_makes_it_radio(void)
{
    static const size_t sizes[] = {68, 164};
    for (int i = 0; i < 4; i++) {
        bool after = i >= 2;
        bytes b = {0};
        begin_wav(&b);
        put_fmt(&b, 1, 2, 2400000, 16);
        if (!after) {
            put_auxi(&b, 4294967295u, sizes[i % 2]);
        }
        put_data(&b, 4000);
        if (after) {
            put_auxi(&b, 4294967295u, sizes[i % 2]);
        }
        stream s = load(write_file("x.wav", b.data, b.n), NULL);
        check_ramp(&s, 4000);
        CHECK(s.info.format.is_complex && s.info.format.channels == 1);
        CHECK(s.info.center_hz == 4294967295.0 && s.info.time_unix_ns == 1624058271163000000);
        drop_bytes(&s.data);
        weir_source_options options;
        weir_source_options_init(&options);
        options.iq = 0; /* the user has the last word */
        s = load(write_file("x.wav", b.data, b.n), &options);
        CHECK(!s.info.format.is_complex && s.info.format.channels == 2);
        drop_bytes(&s.data);
        /* 5.8 GHz does not fit the chunk: the name knows better. */
        s = load(write_file("SDRSharp_20190708_145003Z_8589934591_IQ.wav", b.data, b.n), NULL);
        CHECK(s.info.center_hz == 8589934591.0);
        drop_bytes(&s.data);
        drop_bytes(&b);
    }
}

/* A start of zeros is a start that is not known; a start that is no date belongs to
 * another kind of chunk (SDR Console writes XML into it), and no centre is read from it. */
static void test_auxi_of_other_kinds(void)
{
    for (int is_xml = 0; is_xml < 2; is_xml++) {
        bytes b = {0};
        begin_wav(&b);
        put_fmt(&b, 1, 2, 48000, 16);
        put_auxi(&b, 7100000, 164);
        memset(b.data + 44, is_xml ? '<' : 0, 16);
        put_data(&b, 40);
        weir_riff riff;
        CHECK(walk(&riff, b.data, b.n, false) == WEIR_OK);
        CHECK(riff.has_auxi && riff.time_unix_ns == WEIR_UNKNOWN_TIME);
        CHECK(is_xml ? isnan(riff.center_hz) : riff.center_hz == 7100000);
        drop_bytes(&b);
    }
}

static void test_dual_tuner_and_perseus(void)
{
    bytes b = {0};
    begin_wav(&b);
    put_auxi(&b, 100000000, 164);
    put_fmt(&b, 1, 4, 2000000, 16);
    put_data(&b, 800);
    stream s = load_both("x.wav", &b, -1);
    check_ramp(&s, 800);
    CHECK(s.info.format.is_complex && s.info.format.channels == 2 && s.n_samples == 100);
    drop_bytes(&s.data);
    drop_bytes(&b);

    begin_wav(&b);
    put_fmt(&b, 1, 2, 125000, 24);
    size_t body = open_chunk(&b, "rcvr");
    put_le(&b, 7050000, 4);
    put_le(&b, 0, 4);
    put_le(&b, 1262304000, 4);
    put_ramp(&b, 30);
    close_chunk(&b, body);
    put_data(&b, 600);
    s = load_both("x.wav", &b, -1);
    check_ramp(&s, 600);
    CHECK(s.info.format.is_complex && s.info.center_hz == 7050000 &&
          s.info.time_unix_ns == INT64_C(1262304000000000000));
    drop_bytes(&s.data);
    drop_bytes(&b);
}

/* Scenario 15: 8-bit stereo of SDR#, nothing but a name. */
static void test_sdrsharp_8_bit(void)
{
    bytes b = {0};
    begin_wav(&b);
    put_fmt(&b, 1, 2, 2400000, 8);
    put_data(&b, 2000);
    stream s = load_both("SDRSharp_20190708_145003Z_433920000_IQ.wav", &b, -1);
    check_ramp(&s, 2000);
    CHECK(s.info.format.is_complex && s.info.format.scalar == WEIR_U8 && s.n_samples == 1000);
    CHECK(s.info.center_hz == 433920000 && s.info.rate_hz == 2400000);
    drop_bytes(&s.data);
    s = load_both("song_2M.wav", &b, -1);
    CHECK(!s.info.format.is_complex && s.info.format.scalar == WEIR_U8_AUDIO &&
          s.info.center_hz == 0);
    drop_bytes(&s.data);
    s = load_both("song.wav", &b, 1);
    CHECK(s.info.format.is_complex && s.info.format.scalar == WEIR_U8);
    drop_bytes(&s.data);
    drop_bytes(&b);
}

/* Scenarios 1, 3, 4, 18: the size is a lie. */
static void test_sizes_that_lie(void)
{
    static const struct {
        uint32_t said;
        size_t there, delivered;
        const char *notice; /* of the file */
    } rows[] = {
        {0xffffffff, 4000, 4000, "read to the end"},
        {0x7ffff024, 4000, 4000, "read to the end"},
        {0xffffffd3, 4000, 4000, "read to the end"},
        {0, 4000, 4000, "read to the end"},
        {5000, 4000, 4000, "cut short"},
        {5000, 4001, 4000, "not a whole sample"},
        {4001, 4001, 4000, "not a whole sample"},
        {0xffffffff, 4003, 4000, "not a whole sample"},
        {4000, 4600, 4000, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bytes b = {0};
        begin_wav(&b);
        put_fmt(&b, 1, 2, 48000, 16);
        put_text(&b, "data");
        put_le(&b, rows[i].said, 4);
        put_ramp(&b, rows[i].there);
        stream s = load_both("x.wav", &b, -1);
        check_ramp(&s, rows[i].delivered);
        CHECK_MSG(rows[i].notice ? strstr(logged, rows[i].notice) != NULL : logged[0] == '\0',
                  "row %zu: \"%s\"", i, logged);
        drop_bytes(&s.data);
        drop_bytes(&b);
    }
}

static void test_rf64(void)
{
    for (int known = 0; known < 2; known++) {
        bytes b = {0};
        put_text(&b, known ? "BW64" : "RF64");
        put_le(&b, 0xffffffff, 4);
        put_text(&b, "WAVE");
        put_text(&b, "ds64");
        put_le(&b, 28, 4);
        put_le(&b, 0, 8);
        put_le(&b, known ? 4800 : 0, 8);
        put_le(&b, 0, 8);
        put_le(&b, 0, 4);
        put_fmt(&b, 1, 1, 48000, 16);
        put_text(&b, "data");
        put_le(&b, 0xffffffff, 4);
        put_ramp(&b, 4800);
        if (known) {
            PUT_LITERAL(&b, "LIST\4\0\0\0abcd");
        }
        stream s = load_both("x.wav", &b, -1);
        check_ramp(&s, 4800);
        CHECK((logged[0] == '\0') == known);
        drop_bytes(&s.data);
        drop_bytes(&b);
    }
}

static void test_rifx(void)
{
    bytes b = {0};
    put_text(&b, "RIFX");
    put_be(&b, 0, 4);
    put_text(&b, "WAVEfmt ");
    put_be(&b, 16, 4);
    put_be(&b, 1, 2);
    put_be(&b, 2, 2);
    put_be(&b, 44100, 4);
    put_be(&b, 0, 4);
    put_be(&b, 0, 2);
    put_be(&b, 24, 2);
    put_text(&b, "data");
    put_be(&b, 600, 4);
    put_ramp(&b, 600);
    stream s = load_both("x.wav", &b, -1);
    check_ramp(&s, 600);
    CHECK(s.info.format.scalar == WEIR_S24BE && s.info.rate_hz == 44100);
    drop_bytes(&s.data);
    drop_bytes(&b);
}

static void refuse(bytes *b, weir_status status, const char *text)
{
    stream s = load_both("bad.wav", b, -1);
    CHECK_MSG(s.status == status && strstr(last_text, text) && strstr(last_text, "bad.wav"),
              "wanted \"%s\": %d \"%s\"", text, s.status, last_text);
    drop_bytes(&s.data);
    drop_bytes(b);
}

/* Scenarios 5, 11, 12 of audio, 20 of radio. */
static void test_refusals(void)
{
    bytes b = {0};
    begin_wav(&b);
    put_fmt(&b, 1, 1, 0, 16);
    put_data(&b, 100);
    refuse(&b, WEIR_ERR_DATA, "0 Hz");
    begin_wav(&b);
    put_fmt(&b, 1, 0, 8000, 16);
    put_data(&b, 100);
    refuse(&b, WEIR_ERR_DATA, "0 channels");
    begin_wav(&b);
    put_fmt(&b, 1, 60000, 8000, 16);
    put_data(&b, 100);
    refuse(&b, WEIR_ERR_DATA, "60000 channels");
    begin_wav(&b);
    put_fmt(&b, 1, 1, 8000, 0);
    put_data(&b, 100);
    refuse(&b, WEIR_ERR_DATA, "0 bits");
    begin_wav(&b);
    put_fmt(&b, 3, 1, 8000, 16);
    put_data(&b, 100);
    refuse(&b, WEIR_ERR_DATA, "16 bits");
    begin_wav(&b);
    put_data(&b, 100);
    refuse(&b, WEIR_ERR_DATA, "before the fmt chunk");
    begin_wav(&b);
    put_data(&b, 100);
    put_fmt(&b, 1, 1, 8000, 16);
    refuse(&b, WEIR_ERR_DATA, "before the fmt chunk");
    begin_wav(&b);
    refuse(&b, WEIR_ERR_DATA, "no fmt chunk");
    begin_wav(&b);
    put_fmt(&b, 1, 1, 8000, 16);
    refuse(&b, WEIR_ERR_DATA, "no data chunk");
    begin_wav(&b);
    put_fmt(&b, 1, 1, 8000, 16);
    put_fmt(&b, 1, 2, 8000, 16);
    put_data(&b, 100);
    refuse(&b, WEIR_ERR_DATA, "two fmt chunks");
    begin_wav(&b);
    put_fmt(&b, 1, 1, 8000, 16);
    put_data(&b, 0);
    refuse(&b, WEIR_ERR_DATA, "no samples");
    begin_wav(&b);
    put_fmt(&b, 1, 1, 8000, 16);
    put_data(&b, 0);
    PUT_LITERAL(&b, "LIST\4\0\0\0abcd");
    refuse(&b, WEIR_ERR_DATA, "no samples");
    begin_wav(&b);
    PUT_LITERAL(&b, "fmt \4\0\0\0abcd");
    put_data(&b, 100);
    refuse(&b, WEIR_ERR_DATA, "fmt chunk has only 4 bytes");
    put_text(&b, "RIFF");
    refuse(&b, WEIR_ERR_DATA, "only 4 bytes");
    put_text(&b, "This is a text about a weir, and not a recording of one.");
    refuse(&b, WEIR_ERR_DATA, "not a WAV file");
}

static void test_the_same_fmt_twice_is_fine(void)
{
    bytes b = {0};
    begin_wav(&b);
    put_fmt(&b, 1, 1, 8000, 16);
    put_fmt(&b, 1, 1, 8000, 16);
    put_data(&b, 100);
    stream s = load_both("x.wav", &b, -1);
    check_ramp(&s, 100);
    drop_bytes(&s.data);
    drop_bytes(&b);
}

int main(void)
{
    make_test_folder();
    listen_to_log();
    RUN(test_plain);
    RUN(test_truncation_at_every_byte);
    RUN(test_random_damage);
    RUN(test_hostile_chunk_chains_end);
    RUN(test_sizes_beyond_32_bits);
    RUN(test_every_sample_format);
    RUN(test_chunks_are_walked);
    RUN(test_auxi_makes_it_radio);
    RUN(test_auxi_of_other_kinds);
    RUN(test_dual_tuner_and_perseus);
    RUN(test_sdrsharp_8_bit);
    RUN(test_sizes_that_lie);
    RUN(test_rf64);
    RUN(test_rifx);
    RUN(test_refusals);
    RUN(test_the_same_fmt_twice_is_fine);
    remove_test_folder();
    return check_finish();
}
