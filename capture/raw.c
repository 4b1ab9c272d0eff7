/* Raw samples without a header: what they are comes from the options, the file name or
 * its ending. Files, FIFOs and standard input. */
#include "capture/file_reader.h"

#include <math.h>
#include <string.h>

/* Files that are known not to be samples, told before anyone reads noise out of them. */
static const struct {
    size_t at;
    const char *bytes; /* there, without '\0' */
    const char *is, *instead;
} strangers[] = {
    {4, "ftyp", "MP4 or M4A", "ffmpeg -i FILE -f wav - | weir -"},
    {0, "\x1a\x45\xdf\xa3", "Matroska or WebM", "ffmpeg -i FILE -f wav - | weir -"},
    {0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", "Windows Media", "ffmpeg -i FILE -f wav - | weir -"},
    {0, "wvpk", "WavPack", "wvunpack FILE -o - | weir -"},
    {0, "MAC ", "Monkey's Audio", "ffmpeg -i FILE -f wav - | weir -"},
    {0, "\x1f\x8b", "gzip", "gzip -dc FILE | weir - -f FORMAT -r RATE"},
    {0, "\x28\xb5\x2f\xfd", "Zstandard", "zstd -dc FILE | weir - -f FORMAT -r RATE"},
    {0,
     "\xfd"
     "7zXZ",
     "xz", "xz -dc FILE | weir - -f FORMAT -r RATE"},
    {0, "BZh", "bzip2", "bzip2 -dc FILE | weir - -f FORMAT -r RATE"},
    {0, "PK\x03\x04", "a ZIP archive", "unzip -p FILE | weir - -f FORMAT -r RATE"},
};

/* Whatever no other reader took. */
static weir_probe probe_raw(const weir_file *file, const uint8_t *head, size_t n)
{
    (void)file, (void)head, (void)n;
    return WEIR_MINE_BY_NAME;
}

/* Where neither options nor name say what the samples are. */
static weir_status unknown_format(weir_file *file, bool knows_rate, weir_error *err)
{
    const uint8_t *head;
    size_t n;
    weir_status status = weir_input_peek(file->input, WEIR_FILE_HEAD_BYTES, &head, &n, err);
    if (status != WEIR_OK) {
        return status;
    }
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        size_t at = strangers[i].at, length = strlen(strangers[i].bytes);
        if (at + length <= n && memcmp(head + at, strangers[i].bytes, length) == 0) {
            return weir_fail(err, WEIR_ERR_DATA, "looks like %s, which weir does not read; try %s",
                             strangers[i].is, strangers[i].instead);
        }
    }
    return weir_fail(err, WEIR_ERR_USAGE, "cannot tell the sample format; say --format cu8%s",
                     knows_rate ? "" : " --rate 2.4M");
}

static bool knows_rate(const weir_file *file, const weir_source_options *options)
{
    return options->rate_hz != 0 || file->facts.rate_hz != 0;
}

static weir_status choose_format(weir_file *file, const weir_source_options *options,
                                 weir_error *err)
{
    weir_sample_format *format = &file->base.info.format;
    unsigned channels = options->channels ? options->channels : 1;
    *format = (weir_sample_format){.scalar = WEIR_U8, .channels = channels};
    if (channels > WEIR_MAX_CHANNELS) {
        return weir_fail(err, WEIR_ERR_USAGE, "%u channels are too many; at most %d", channels,
                         WEIR_MAX_CHANNELS);
    }
    if (options->format) {
        return weir_format_parse(options->format, format, err);
    }
    if (file->facts.has_format) {
        *format = file->facts.format;
        format->channels = channels;
        format->is_complex = format->is_complex || options->iq == 1;
        return WEIR_OK;
    }
    return unknown_format(file, knows_rate(file, options), err);
}

static weir_status open_raw(weir_file *file, const weir_source_options *options, weir_error *err)
{
    weir_status status = choose_format(file, options, err);
    if (status == WEIR_OK) {
        status = weir_file_choose_rate(file, options, 0, err);
    }
    if (status == WEIR_OK) {
        status = weir_file_choose_center(file, options, NAN, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    weir_file_choose_time(file, WEIR_UNKNOWN_TIME);
    weir_file_describe(file, "raw");
    return weir_file_store_one(file, 0, WEIR_INPUT_UNKNOWN_BYTES, err);
}

const weir_file_reader weir_reader_raw = {
    .name = "raw",
    .probe = probe_raw,
    .open = open_raw,
};
