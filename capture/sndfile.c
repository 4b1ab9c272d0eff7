/* Audio files that need a decoder (FLAC, Ogg, AIFF, AU, CAF, W64, compressed WAV ...):
 * through libsndfile. Integers come out as S16 or S32 with their valid bits, exactly;
 * floats as they are in the file, never clipped or scaled. */
#include "capture/file_reader.h"

#include "base/log.h"
#include "base/text.h"
#include "capture/utc.h"
#include "weir_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if WEIR_HAVE_SNDFILE
#include <sndfile.h>
#endif

/* The first bytes of what libsndfile can open and no other reader takes. */
static const struct {
    const char *magic;
    const char *name;
} magics[] = {
    {"fLaC", "FLAC"},
    {"OggS", "Ogg"},
    {"FORM", "AIFF"},
    {".snd", "AU"},
    {"dns.", "AU"},
    {"caff", "CAF"},
    {"riff\x2e\x91", "W64"},
    {"RIFF", "WAV"},
    {"RIFX", "WAV"},
    {"RF64", "WAV"},
    {"BW64", "WAV"},
    {"NIST_1A", "NIST"},
    {"Creative Voice", "VOC"},
};

static const char endings[] = ".mp3 .flac .ogg .oga .opus .aif .aiff .au .snd .caf .w64 .voc .nist";

static const char *family_of(const uint8_t *head, size_t n)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        size_t length = strlen(magics[i].magic);
        if (n >= length && memcmp(head, magics[i].magic, length) == 0) {
            return magics[i].name;
        }
    }
    return NULL;
}

/* For messages. */
static const char *kind_of(const weir_file *file)
{
    const uint8_t *head;
    size_t n;
    const char *kind = NULL;
    if (weir_input_peek(file->input, 16, &head, &n, NULL) == WEIR_OK) {
        kind = family_of(head, n);
    }
    return kind ? kind : "this kind of audio file";
}

static weir_probe probe_sndfile(const weir_file *file, const uint8_t *head, size_t n)
{
    if (family_of(head, n)) {
        return WEIR_MINE;
    }
    return weir_path_ending(file->path, endings) > 0 ? WEIR_MINE_BY_NAME : WEIR_NOT_MINE;
}

#if WEIR_HAVE_SNDFILE

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_S16 WEIR_S16LE
#define NATIVE_S32 WEIR_S32LE
#define NATIVE_F32 WEIR_F32LE
#define NATIVE_F64 WEIR_F64LE
#else
#define NATIVE_S16 WEIR_S16BE
#define NATIVE_S32 WEIR_S32BE
#define NATIVE_F32 WEIR_F32BE
#define NATIVE_F64 WEIR_F64BE
#endif

typedef struct decoder {
    SNDFILE *sound;
    weir_input *input;
    sf_count_t position; /* of the virtual file */
    uint64_t next;       /* sample that the next read begins with */
    bool begins_segment;
    bool ended;
} decoder;

/* ---- the file as libsndfile sees it ---- */

static sf_count_t virtual_length(void *user)
{
    const decoder *d = user;
    return (sf_count_t)weir_input_bytes(d->input);
}

static sf_count_t virtual_seek(sf_count_t offset, int whence, void *user)
{
    decoder *d = user;
    sf_count_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? d->position : virtual_length(d);
    sf_count_t to;
    if (__builtin_add_overflow(base, offset, &to) || to < 0) {
        return -1;
    }
    d->position = to;
    return to;
}

static sf_count_t virtual_read(void *memory, sf_count_t count, void *user)
{
    decoder *d = user;
    size_t got = 0;
    if (count > 0) {
        weir_input_read_at(d->input, (uint64_t)d->position, memory, (size_t)count, &got, NULL);
        d->position += (sf_count_t)got;
    }
    return (sf_count_t)got;
}

static sf_count_t virtual_write(const void *memory, sf_count_t count, void *user)
{
    (void)memory, (void)count, (void)user;
    return 0;
}

static sf_count_t virtual_tell(void *user)
{
    return ((const decoder *)user)->position;
}

/* ---- sample types ---- */

/* What is not here (ADPCM, A-law, u-law, GSM ...) decodes to 16 bits. */
static const struct {
    int subtype;
    weir_scalar scalar;
    unsigned valid_bits;
} types[] = {
    {SF_FORMAT_PCM_S8, NATIVE_S16, 8},         {SF_FORMAT_PCM_U8, NATIVE_S16, 8},
    {SF_FORMAT_PCM_16, NATIVE_S16, 0},         {SF_FORMAT_PCM_24, NATIVE_S32, 24},
    {SF_FORMAT_PCM_32, NATIVE_S32, 0},         {SF_FORMAT_ALAC_16, NATIVE_S16, 0},
    {SF_FORMAT_ALAC_20, NATIVE_S32, 20},       {SF_FORMAT_ALAC_24, NATIVE_S32, 24},
    {SF_FORMAT_ALAC_32, NATIVE_S32, 0},        {SF_FORMAT_DWVW_24, NATIVE_S32, 24},
    {SF_FORMAT_FLOAT, NATIVE_F32, 0},          {SF_FORMAT_DOUBLE, NATIVE_F64, 0},
    {SF_FORMAT_VORBIS, NATIVE_F32, 0},         {SF_FORMAT_OPUS, NATIVE_F32, 0},
#ifdef SF_FORMAT_MPEG_LAYER_I
    {SF_FORMAT_MPEG_LAYER_I, NATIVE_F32, 0},   {SF_FORMAT_MPEG_LAYER_II, NATIVE_F32, 0},
    {SF_FORMAT_MPEG_LAYER_III, NATIVE_F32, 0},
#endif
};

static void choose_format(int file_format, weir_sample_format *format)
{
    format->scalar = NATIVE_S16;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if ((file_format & SF_FORMAT_SUBMASK) == types[i].subtype) {
            format->scalar = types[i].scalar;
            format->valid_bits = types[i].valid_bits;
        }
    }
}

static sf_count_t read_frames(decoder *d, weir_scalar scalar, void *memory, sf_count_t frames)
{
    switch (scalar) {
    case NATIVE_S32:
        return sf_readf_int(d->sound, memory, frames);
    case NATIVE_F32:
        return sf_readf_float(d->sound, memory, frames);
    case NATIVE_F64:
        return sf_readf_double(d->sound, memory, frames);
    default:
        return sf_readf_short(d->sound, memory, frames);
    }
}

/* ---- the reader ---- */

static void describe(weir_file *file, int file_format)
{
    SF_FORMAT_INFO major = {.format = file_format & SF_FORMAT_TYPEMASK};
    sf_command(NULL, SFC_GET_FORMAT_INFO, &major, sizeof major);
    weir_file_describe(file, major.name ? major.name : "audio");
}

static weir_status open_decoder(weir_file *file, SF_INFO *info, weir_error *err)
{
    SF_VIRTUAL_IO io = {virtual_length, virtual_seek, virtual_read, virtual_write, virtual_tell};
    decoder *d = calloc(1, sizeof *d);
    if (!d) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    file->own = d;
    d->input = file->input;
    d->sound = sf_open_virtual(&io, SFM_READ, info, d);
    if (!d->sound) {
        char text[200];
        weir_printable(text, sizeof text, sf_strerror(NULL));
        return weir_fail(err, WEIR_ERR_DATA, "libsndfile cannot read it: %s", text);
    }
    return WEIR_OK;
}

static weir_status open_sndfile(weir_file *file, const weir_source_options *options,
                                weir_error *err)
{
    if (weir_input_is_stream(file->input)) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "%s cannot be read from a pipe; save it to a file, or pipe WAV or raw "
                         "samples (e.g. flac -dc x.flac | weir -)",
                         kind_of(file));
    }
    SF_INFO sound = {0};
    weir_status status = open_decoder(file, &sound, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_source_info *info = &file->base.info;
    choose_format(sound.format, &info->format);
    unsigned channels = sound.channels > 0 ? (unsigned)sound.channels : 0;
    status = weir_file_choose_channels(file, options, channels, false, err);
    if (status == WEIR_OK) {
        status = weir_file_choose_rate(file, options, sound.samplerate, err);
    }
    if (status == WEIR_OK) {
        status = weir_file_choose_center(file, options, info->format.is_complex ? NAN : 0, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    weir_file_choose_time(file, WEIR_UNKNOWN_TIME);
    describe(file, sound.format);
    /* Only shown, never trusted: reading goes on until nothing comes. */
    bool known = sound.frames >= 0 && sound.frames < SF_COUNT_MAX;
    info->n_samples = known ? (uint64_t)sound.frames : WEIR_UNKNOWN_SAMPLES;
    info->can_seek = sound.seekable;
    return sound.frames == 0 ? weir_fail(err, WEIR_ERR_DATA, "holds no samples") : WEIR_OK;
}

static weir_status at_end(weir_file *file, decoder *d, weir_error *err)
{
    d->ended = true;
    if (sf_error(d->sound) != SF_ERR_NO_ERROR) {
        char text[200];
        weir_printable(text, sizeof text, sf_strerror(d->sound));
        return weir_fail(err, WEIR_ERR_DATA, "damaged after sample %llu: %s",
                         (unsigned long long)d->next, text);
    }
    uint64_t said = file->base.info.n_samples;
    if (said != WEIR_UNKNOWN_SAMPLES && d->next < said) {
        weir_log(WEIR_LOG_NOTICE, "%s: ends %llu samples earlier than it said",
                 file->base.info.name, (unsigned long long)(said - d->next));
    }
    return WEIR_OK;
}

static weir_status read_sndfile(weir_file *file, void *memory, size_t max_samples,
                                weir_read *result, weir_error *err)
{
    decoder *d = file->own;
    const weir_source_info *info = &file->base.info;
    size_t most = (size_t)INT32_MAX / weir_format_stride_bytes(&info->format);
    sf_count_t frames = (sf_count_t)(max_samples < most ? max_samples : most);
    if (d->ended || frames == 0) {
        return WEIR_OK;
    }
    sf_count_t got = read_frames(d, info->format.scalar, memory, frames);
    if (got <= 0) {
        return at_end(file, d, err);
    }
    if (d->begins_segment) {
        result->new_segment = true;
        result->rate_hz = info->rate_hz;
        result->center_hz = info->center_hz;
        result->time_unix_ns = weir_time_after(info->time_unix_ns, d->next, info->rate_hz);
        d->begins_segment = false;
    }
    d->next += (uint64_t)got;
    result->n_samples = (size_t)got;
    return WEIR_OK;
}

static weir_status seek_sndfile(weir_file *file, uint64_t sample, weir_error *err)
{
    decoder *d = file->own;
    uint64_t said = file->base.info.n_samples;
    if (!file->base.info.can_seek) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "this format cannot be searched");
    }
    sample = sample < said ? sample : said;
    d->ended = said != WEIR_UNKNOWN_SAMPLES && sample == said;
    if (!d->ended && (sample > INT64_MAX || sf_seek(d->sound, (sf_count_t)sample, SEEK_SET) < 0)) {
        return weir_fail(err, WEIR_ERR_DATA, "cannot go to sample %llu",
                         (unsigned long long)sample);
    }
    d->next = sample;
    d->begins_segment = true;
    return WEIR_OK;
}

static void close_sndfile(weir_file *file)
{
    decoder *d = file->own;
    if (d && d->sound) {
        sf_close(d->sound);
    }
    free(d);
}

#else

static weir_status open_sndfile(weir_file *file, const weir_source_options *options,
                                weir_error *err)
{
    (void)options;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "%s needs libsndfile, which this build lacks (build with -DWEIR_SNDFILE=ON); "
                     "it reads plain WAV and raw samples",
                     kind_of(file));
}

#endif

const weir_file_reader weir_reader_sndfile = {
    .name = "audio",
    .probe = probe_sndfile,
    .open = open_sndfile,
#if WEIR_HAVE_SNDFILE
    .read = read_sndfile,
    .seek = seek_sndfile,
    .close = close_sndfile,
#endif
};
