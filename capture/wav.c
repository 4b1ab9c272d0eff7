/* WAV files and pipes with PCM or float samples: the header is walked (riff.h), the
 * samples are then delivered as they lie. Other codings go to libsndfile. */
#include "base/log.h"
#include "base/text.h"
#include "capture/file_reader.h"
#include "capture/riff.h"

#include <math.h>

static weir_probe probe_wav(const weir_file *file, const uint8_t *head, size_t n)
{
    if (weir_riff_is_wave(head, n)) {
        return WEIR_MINE;
    }
    return weir_path_ending(file->path, ".wav") > 0 ? WEIR_MINE_BY_NAME : WEIR_NOT_MINE;
}

static weir_status walk(weir_file *file, weir_riff *riff, weir_error *err)
{
    weir_riff_begin(riff, weir_input_is_stream(file->input) ? WEIR_RIFF_UNKNOWN
                                                            : weir_input_bytes(file->input));
    while (riff->want_bytes > 0) {
        const uint8_t *bytes;
        size_t got;
        weir_status status = weir_input_move(file->input, riff->want_offset, err);
        if (status == WEIR_OK) {
            status = weir_input_peek(file->input, riff->want_bytes, &bytes, &got, err);
        }
        if (status == WEIR_OK) {
            status = weir_riff_feed(riff, bytes, got, err);
        }
        if (status != WEIR_OK) {
            return status;
        }
    }
    return WEIR_OK;
}

static weir_scalar scalar_of(const weir_riff *riff)
{
    static const weir_scalar pcm[5][2] = {
        [1] = {WEIR_U8_AUDIO, WEIR_U8_AUDIO},
        [2] = {WEIR_S16LE, WEIR_S16BE},
        [3] = {WEIR_S24LE, WEIR_S24BE},
        [4] = {WEIR_S32LE, WEIR_S32BE},
    };
    static const weir_scalar ieee[2][2] = {{WEIR_F32LE, WEIR_F32BE}, {WEIR_F64LE, WEIR_F64BE}};
    return riff->fmt.tag == WEIR_WAVE_FLOAT ? ieee[riff->fmt.bits == 64][riff->is_big_endian]
                                            : pcm[(riff->fmt.bits + 7) / 8][riff->is_big_endian];
}

/* The chunk's field has 32 bits: what lies higher wraps, and the name may say it. */
static double center_of(const weir_file *file, const weir_riff *riff)
{
    double named = file->facts.center_hz;
    if (riff->center_hz == 0 || (named >= 0x1p32 && fmod(named, 0x1p32) == riff->center_hz)) {
        return named;
    }
    return riff->center_hz;
}

static void say_what_is_odd(const weir_file *file, const weir_riff *riff)
{
    const char *name = file->base.info.name;
    uint64_t size = weir_input_bytes(file->input);
    if (riff->time_unix_ns != WEIR_UNKNOWN_TIME && riff->has_auxi) {
        weir_log(WEIR_LOG_INFO, "%s: the start time has no time zone, taken as UTC", name);
    }
    if (riff->data_unfinished) {
        weir_log(WEIR_LOG_NOTICE, "%s: the header does not say how long it is; read to the end",
                 name);
    } else if (!weir_input_is_stream(file->input) && riff->data_bytes > size - riff->data_offset) {
        weir_log(WEIR_LOG_NOTICE,
                 "%s: cut short: the header says %llu bytes of samples, %llu are there", name,
                 (unsigned long long)riff->data_bytes,
                 (unsigned long long)(size - riff->data_offset));
    }
}

static weir_status open_wav(weir_file *file, const weir_source_options *options, weir_error *err)
{
    weir_riff riff;
    weir_status status = walk(file, &riff, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (riff.fmt.tag != WEIR_WAVE_PCM && riff.fmt.tag != WEIR_WAVE_FLOAT) {
        file->reader = &weir_reader_sndfile;
        return file->reader->open(file, options, err);
    }
    weir_sample_format *format = &file->base.info.format;
    format->scalar = scalar_of(&riff);
    unsigned container_bits = (unsigned)weir_scalar_bytes(format->scalar) * 8;
    if (riff.fmt.tag == WEIR_WAVE_PCM && riff.fmt.valid_bits < container_bits) {
        format->valid_bits = riff.fmt.valid_bits;
    }
    bool is_radio = riff.has_auxi || riff.has_rcvr;
    status = weir_file_choose_channels(file, options, riff.fmt.channels, is_radio, err);
    if (status == WEIR_OK) {
        status = weir_file_choose_rate(file, options, riff.fmt.rate_hz, err);
    }
    if (status == WEIR_OK) {
        /* Audio has no centre; a name like "speech_2M.wav" does not give it one. */
        double known = format->is_complex ? center_of(file, &riff) : 0;
        status = weir_file_choose_center(file, options, known, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    weir_file_choose_time(file, riff.time_unix_ns);
    weir_file_describe(file, "WAV");
    say_what_is_odd(file, &riff);
    return weir_file_store_one(file, riff.data_offset, riff.data_bytes, err);
}

const weir_file_reader weir_reader_wav = {
    .name = "WAV",
    .probe = probe_wav,
    .open = open_wav,
};
