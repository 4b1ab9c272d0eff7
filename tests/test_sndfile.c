/* ctest-labels: unit prop
 * capture/sndfile.c: what libsndfile decodes comes out exactly; and capture/wav.c against
 * it, sample for sample, on files written by libsndfile, ffmpeg and sox. */
#include "tests/files.h"
#include "weir_config.h"

#if WEIR_HAVE_SNDFILE
#include <sndfile.h>

enum { FRAMES = 5000, CHANNELS = 2, VALUES = FRAMES * CHANNELS };

static int whole[VALUES]; /* left-aligned 32-bit integers */
static double real[VALUES];

/* Full-scale noise with its extremes; bits below `bits` are zero. */
static void make_values(check_rng *rng, int bits)
{
    for (int i = 0; i < VALUES; i++) {
        uint32_t word = (uint32_t)check_random(rng);
        whole[i] = (int)(word & ~((UINT64_C(1) << (32 - bits)) - 1));
    }
    whole[0] = INT32_MIN;
    whole[1] = (int)(INT32_MAX & ~((INT64_C(1) << (32 - bits)) - 1));
    for (int i = 0; i < VALUES; i++) {
        real[i] = (float)(check_gauss(rng) * 4);
    }
    real[2] = 1e17f;
    real[3] = 1e-40f;
    real[4] = -INFINITY;
}

static const char *write_sound(const char *name, int format, bool is_real)
{
    const char *path = test_path(name);
    SF_INFO info = {.samplerate = 44100, .channels = CHANNELS, .format = format};
    SNDFILE *sound = sf_open(path, SFM_WRITE, &info);
    if (!sound) {
        printf("# not written by this libsndfile: %s\n", name);
        return NULL;
    }
    sf_count_t n =
        is_real ? sf_writef_double(sound, real, FRAMES) : sf_writef_int(sound, whole, FRAMES);
    CHECK(n == FRAMES);
    sf_close(sound);
    return path;
}

/* Both as double: integers left-aligned over 2^31, whatever form they come in. */
static double *decode(const stream *s)
{
    size_t n = (size_t)s->n_samples * s->info.format.channels;
    double *x = malloc((n ? n : 1) * sizeof *x), *one = malloc((n ? n : 1) * sizeof *x);
    for (unsigned c = 0; c < s->info.format.channels; c++) {
        weir_format_unpack_f64(&s->info.format, c, s->data.data, s->n_samples, one);
        for (size_t i = 0; i < s->n_samples; i++) {
            x[i * s->info.format.channels + c] = one[i];
        }
    }
    free(one);
    return x;
}

static const struct {
    const char *name;
    int format, bits; /* bits 0: floats */
    weir_scalar scalar;
    unsigned valid_bits;
} kinds[] = {
    {"a16.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 16, WEIR_S16LE, 0},
    {"a24.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 24, WEIR_S32LE, 24},
    {"a8.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_S8, 8, WEIR_S16LE, 8},
    {"a16.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 16, WEIR_S16LE, 0},
    {"a24.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_24, 24, WEIR_S32LE, 24},
    {"af.aiff", SF_FORMAT_AIFF | SF_FORMAT_FLOAT, 0, WEIR_F32LE, 0},
    {"a16.au", SF_FORMAT_AU | SF_FORMAT_PCM_16, 16, WEIR_S16LE, 0},
    {"ad.au", SF_FORMAT_AU | SF_FORMAT_DOUBLE, 0, WEIR_F64LE, 0},
    {"a32.caf", SF_FORMAT_CAF | SF_FORMAT_PCM_32, 32, WEIR_S32LE, 0},
    {"af.caf", SF_FORMAT_CAF | SF_FORMAT_FLOAT, 0, WEIR_F32LE, 0},
    {"a24.w64", SF_FORMAT_W64 | SF_FORMAT_PCM_24, 24, WEIR_S32LE, 24},
    {"af.w64", SF_FORMAT_W64 | SF_FORMAT_FLOAT, 0, WEIR_F32LE, 0},
    /* The own reader of WAV: */
    {"u8.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_U8, 8, WEIR_U8_AUDIO, 0},
    {"a16.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 16, WEIR_S16LE, 0},
    {"a24.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_24, 24, WEIR_S24LE, 0},
    {"a32.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_32, 32, WEIR_S32LE, 0},
    {"af.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 0, WEIR_F32LE, 0},
    {"ad.wav", SF_FORMAT_WAV | SF_FORMAT_DOUBLE, 0, WEIR_F64LE, 0},
    {"x24.wav", SF_FORMAT_WAVEX | SF_FORMAT_PCM_24, 24, WEIR_S24LE, 0},
    {"xf.wav", SF_FORMAT_WAVEX | SF_FORMAT_FLOAT, 0, WEIR_F32LE, 0},
    {"be.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16 | SF_ENDIAN_BIG, 16, WEIR_S16BE, 0},
    {"befloat.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT | SF_ENDIAN_BIG, 0, WEIR_F32BE, 0},
    {"r.wav", SF_FORMAT_RF64 | SF_FORMAT_PCM_16, 16, WEIR_S16LE, 0},
};

static void check_values(const stream *s, int bits, const char *name)
{
    double *x = decode(s);
    unsigned wrong = 0;
    for (int i = 0; i < VALUES && s->n_samples == FRAMES; i++) {
        double expected = bits ? whole[i] * 0x1p-31 : isfinite(real[i]) ? real[i] : 0;
        wrong += x[i] != expected;
    }
    CHECK_MSG(wrong == 0, "%s: %u of %d samples differ", name, wrong, VALUES);
    free(x);
}

static void test_every_sample_comes_out_exactly(void)
{
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        make_values(&rng, kinds[i].bits ? kinds[i].bits : 32);
        const char *path = write_sound(kinds[i].name, kinds[i].format, kinds[i].bits == 0);
        if (!path) {
            continue;
        }
        stream s = load(path, NULL);
        CHECK_MSG(s.status == WEIR_OK && s.n_samples == FRAMES && s.info.n_samples == FRAMES,
                  "%s: %s, %llu samples", kinds[i].name, s.err.text,
                  (unsigned long long)s.n_samples);
        CHECK_MSG(s.info.format.scalar == kinds[i].scalar && s.info.format.channels == CHANNELS &&
                      s.info.format.valid_bits == kinds[i].valid_bits &&
                      !s.info.format.is_complex && s.info.rate_hz == 44100,
                  "%s: %s", kinds[i].name, s.info.description);
        check_values(&s, kinds[i].bits, kinds[i].name);
        drop_bytes(&s.data);
    }
}

/* A sine, because ALAC files of noise are written wrong by libsndfile 1.2.0. */
static void test_alac(void)
{
    for (int i = 0; i < VALUES; i++) {
        whole[i] = (int)(1e9 * sin(0.01 * i)) & ~255;
    }
    const char *path = write_sound("a.caf", SF_FORMAT_CAF | SF_FORMAT_ALAC_24, false);
    if (path) {
        stream s = load(path, NULL);
        CHECK(s.status == WEIR_OK && s.info.format.scalar == WEIR_S32LE &&
              s.info.format.valid_bits == 24);
        check_values(&s, 24, "alac");
        drop_bytes(&s.data);
    }
}

/* Codings with loss: close to what went in, as 16-bit integers or floats. */
static void test_lossy_codings(void)
{
    static const struct {
        const char *name;
        int format;
        weir_scalar scalar;
        double tolerance; /* of the mean square error to a sine of 0.5 */
    } rows[] = {
        {"ulaw.wav", SF_FORMAT_WAV | SF_FORMAT_ULAW, WEIR_S16LE, 1e-4},
        {"alaw.wav", SF_FORMAT_WAV | SF_FORMAT_ALAW, WEIR_S16LE, 1e-4},
        {"ima.wav", SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, WEIR_S16LE, 1e-3},
        {"ms.wav", SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM, WEIR_S16LE, 1e-3},
        {"vorbis.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, WEIR_F32LE, 1e-3},
    };
    for (int i = 0; i < VALUES; i++) {
        real[i] = 0.5 * sin(6.283185307179586 * 0.01 * (i / CHANNELS));
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *path = write_sound(rows[i].name, rows[i].format, true);
        if (!path) {
            continue;
        }
        stream s = load(path, NULL);
        CHECK_MSG(s.status == WEIR_OK && s.n_samples >= FRAMES && s.n_samples < FRAMES + 2048,
                  "%s: %s %llu", rows[i].name, s.err.text, (unsigned long long)s.n_samples);
        CHECK(s.info.format.scalar == rows[i].scalar);
        if (s.n_samples >= FRAMES) {
            double *x = decode(&s), sum = 0;
            for (int k = 0; k < VALUES; k++) {
                sum += (x[k] - real[k]) * (x[k] - real[k]);
            }
            CHECK_MSG(sum / VALUES < rows[i].tolerance, "%s: error %g", rows[i].name, sum / VALUES);
            free(x);
        }
        drop_bytes(&s.data);
    }
}

static void test_seek_and_iq(void)
{
    check_rng rng = check_rng_fresh();
    make_values(&rng, 16);
    const char *path = write_sound("SDRSharp_20190708_145003Z_5800000000_IQ.flac",
                                   SF_FORMAT_FLAC | SF_FORMAT_PCM_16, false);
    weir_source *source;
    CHECK(weir_source_open(&source, path, NULL, NULL) == WEIR_OK);
    CHECK(source->info.format.is_complex && source->info.center_hz == 5.8e9);
    for (int i = 0; i < 100; i++) {
        uint64_t to = i == 0 ? FRAMES : check_random(&rng) % (FRAMES + 2);
        int16_t memory[2 * 64];
        weir_read read = {0};
        CHECK(source->class_->seek(source, to, NULL) == WEIR_OK);
        CHECK(source->class_->read(source, memory, 64, &read, NULL) == WEIR_OK);
        CHECK(read.n_samples <= 64 && (read.n_samples > 0) == (to < FRAMES));
        CHECK(read.n_samples == 0 || (read.new_segment && read.center_hz == 5.8e9));
        for (size_t k = 0; k < 2 * read.n_samples; k++) {
            CHECK(memory[k] == whole[2 * to + k] >> 16);
        }
    }
    weir_source_close(source);
}

static void test_damaged_and_piped(void)
{
    check_rng rng = check_rng_fresh();
    make_values(&rng, 16);
    const char *path = write_sound("a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, false);
    bytes b = {0};
    FILE *f = fopen(path, "rb");
    for (int c; (c = getc(f)) != EOF;) {
        put_le(&b, (uint64_t)c, 1);
    }
    fclose(f);
    stream s = load_fifo("p.flac", b.data, b.n, 4096, NULL);
    CHECK_MSG(s.status == WEIR_ERR_UNSUPPORTED &&
                  strstr(s.err.text, "FLAC cannot be read from a pipe"),
              "%s", s.err.text);
    static const size_t cuts[] = {4, 5, 20, 41, 42, 100, 8000};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        s = load(write_file("cut.flac", b.data, cuts[i]), NULL);
        CHECK(s.status == WEIR_ERR_DATA || s.status == WEIR_OK);
        CHECK_MSG(s.n_samples < FRAMES, "cut at %zu", cuts[i]);
        CHECK_MSG(s.status != WEIR_OK || strstr(logged, "earlier"), "cut at %zu: %s", cuts[i],
                  logged);
        drop_bytes(&s.data);
    }
    s = load(write_file("text.flac", "This is no sound at all, but a text.", 36), NULL);
    CHECK_MSG(s.status == WEIR_ERR_DATA && strstr(s.err.text, "text.flac: libsndfile"), "%s",
              s.err.text);
    drop_bytes(&b);
}

/* Files and pipes of other programs; libsndfile reads the reference file. */
static void test_other_programs(void)
{
    static const struct {
        const char *program, *command;
        bool is_pipe;
    } rows[] = {
        {"ffmpeg", "ffmpeg -v error -y -i ref.wav -f wav o.wav", false},
        {"ffmpeg", "ffmpeg -v error -i ref.wav -f wav - > o.wav", false}, /* sizes 0xffffffff */
        {"ffmpeg", "ffmpeg -v error -i ref.wav -f wav -", true},
        {"ffmpeg", "ffmpeg -v error -y -i ref.wav -rf64 always -f wav o.wav", false},
        {"ffmpeg", "ffmpeg -v error -i ref.wav -rf64 always -f wav -", true},
        {"ffmpeg", "ffmpeg -v error -i ref.wav -c:a pcm_s32le -f wav -", true},
        {"sox", "sox ref.wav o.wav", false},
        {"sox", "sox ref.wav -t wav -", true},
        {"sox", "sox ref.wav -b 24 -t wav -", true},
        {"sox", "sox ref.wav -t aiff o.aiff && mv o.aiff o.wav", false}, /* content wins */
        {"flac", "flac -s -f -o o.wav ref.wav", false},
        {"flac", "flac -s -f -o t.flac ref.wav && flac -s -dc t.flac", true},
    };
    check_rng rng = check_rng_fresh();
    make_values(&rng, 16);
    write_sound("ref.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, false);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char command[800];
        snprintf(command, sizeof command, "command -v %s > /dev/null", rows[i].program);
        if (system(command) != 0) {
            continue;
        }
        unlink(test_path("o.wav"));
        if (rows[i].is_pipe && mkfifo(test_path("o.wav"), 0600) != 0) {
            abort();
        }
        snprintf(command, sizeof command, "cd '%s' && { %s; } %s 2> /dev/null", test_folder,
                 rows[i].command, rows[i].is_pipe ? "> o.wav &" : "");
        CHECK(system(command) == 0);
        stream s = load(test_path("o.wav"), NULL);
        CHECK_MSG(s.status == WEIR_OK && s.n_samples == FRAMES, "%s: %s %llu", rows[i].command,
                  s.err.text, (unsigned long long)s.n_samples);
        check_values(&s, 16, rows[i].command);
        drop_bytes(&s.data);
    }
}

int main(void)
{
    make_test_folder();
    listen_to_log();
    RUN(test_every_sample_comes_out_exactly);
    RUN(test_alac);
    RUN(test_lossy_codings);
    RUN(test_seek_and_iq);
    RUN(test_damaged_and_piped);
    RUN(test_other_programs);
    remove_test_folder();
    return check_finish();
}

#else

int main(void)
{
    make_test_folder();
    listen_to_log();
    stream s = load(write_file("a.flac", "fLaC....", 8), NULL);
    CHECK(s.status == WEIR_ERR_UNSUPPORTED && strstr(s.err.text, "FLAC needs libsndfile"));
    remove_test_folder();
    return check_finish();
}

#endif
