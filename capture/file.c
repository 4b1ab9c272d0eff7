/* The file source: finds the reader for a file or a pipe, and is its front. */
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/file_reader.h"
#include "capture/sources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HIGHEST_RATE_HZ 1e12 /* exclusive: a rate beyond any converter is a mistake */
#define LOWEST_RATE_HZ 1e-3
#define HIGHEST_CENTER_HZ 1e12

/* In the order they are asked; the last takes anything. */
static const weir_file_reader *const readers[] = {
    &weir_reader_sigmf,   &weir_reader_wav, &weir_reader_sdriq,
    &weir_reader_sndfile, &weir_reader_raw,
};

static weir_status check_rate(double rate_hz, weir_status blame, weir_error *err)
{
    if (rate_hz >= LOWEST_RATE_HZ && rate_hz < HIGHEST_RATE_HZ) {
        return WEIR_OK;
    }
    char text[64];
    weir_snprintf(text, sizeof text, "%.6g", rate_hz);
    return weir_fail(err, blame,
                     "%s is not a sample rate (0.001 Hz to below 1e12 Hz); give the right one "
                     "with --rate, e.g. --rate 2.4M",
                     text);
}

weir_status weir_file_choose_rate(weir_file *file, const weir_source_options *options, double known,
                                  weir_error *err)
{
    double rate_hz = options->rate_hz;
    bool is_given = rate_hz != 0;
    if (!is_given) {
        rate_hz = known != 0 ? known : file->facts.rate_hz;
    }
    if (rate_hz == 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "cannot tell the sample rate; say --rate 2.4M");
    }
    file->base.info.rate_hz = rate_hz;
    return check_rate(rate_hz, is_given ? WEIR_ERR_USAGE : WEIR_ERR_DATA, err);
}

weir_status weir_file_choose_center(weir_file *file, const weir_source_options *options,
                                    double known, weir_error *err)
{
    double center_hz = options->center_hz;
    if (isnan(center_hz)) {
        center_hz = isnan(known) ? file->facts.center_hz : known;
    }
    file->base.info.center_hz = isnan(center_hz) ? 0 : center_hz;
    if (fabs(file->base.info.center_hz) > HIGHEST_CENTER_HZ) {
        return weir_fail(err, isnan(options->center_hz) ? WEIR_ERR_DATA : WEIR_ERR_USAGE,
                         "the centre frequency lies beyond 1e12 Hz");
    }
    return WEIR_OK;
}

void weir_file_choose_time(weir_file *file, int64_t known)
{
    if (known == WEIR_UNKNOWN_TIME) {
        known = file->facts.time_is_local ? weir_names_local_to_utc(file->facts.time_unix_ns)
                                          : file->facts.time_unix_ns;
    }
    file->base.info.time_unix_ns = known;
}

weir_status weir_file_choose_channels(weir_file *file, const weir_source_options *options,
                                      unsigned n, bool is_radio, weir_error *err)
{
    weir_sample_format *format = &file->base.info.format;
    if (n == 0 || n > WEIR_MAX_CHANNELS) {
        return weir_fail(err, WEIR_ERR_DATA, "%u channels: 1 to %d can be read", n,
                         WEIR_MAX_CHANNELS);
    }
    bool wanted = options->iq == 1 || (options->iq < 0 && (is_radio || file->facts.is_iq));
    if (options->iq == 1 && n % 2 != 0) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "has %u channel%s, and I/Q takes two (or an even number)", n,
                         n == 1 ? "" : "s");
    }
    /* A name alone does not make more than one pair of a file with many channels. */
    format->is_complex = wanted && n % 2 == 0 && (n == 2 || is_radio || options->iq == 1);
    format->channels = format->is_complex ? n / 2 : n;
    if (format->is_complex && format->scalar == WEIR_U8_AUDIO) {
        format->scalar = WEIR_U8; /* receivers: 127.5 is zero */
    }
    if (options->channels && options->channels != format->channels) {
        return weir_fail(err, WEIR_ERR_USAGE, "has %u channel%s, not %u; leave out --channels",
                         format->channels, format->channels == 1 ? "" : "s", options->channels);
    }
    return WEIR_OK;
}

void weir_file_describe(weir_file *file, const char *kind)
{
    weir_source_info *info = &file->base.info;
    char name[64], rate[64], text[256];
    weir_format_name(&info->format, name, sizeof name);
    weir_format_hz(rate, sizeof rate, info->rate_hz, 0);
    weir_snprintf(text, sizeof text, "%s, %s, %u channel%s, %s", kind, name, info->format.channels,
                  info->format.channels == 1 ? "" : "s", rate);
    weir_printable(info->description, sizeof info->description, text);
}

static uint64_t whole_samples(const weir_file *file, uint64_t n_bytes)
{
    size_t stride = weir_format_stride_bytes(&file->base.info.format);
    if (n_bytes % stride != 0) {
        weir_log(WEIR_LOG_NOTICE, "%s: the last %llu bytes are not a whole sample, dropped",
                 file->base.info.name, (unsigned long long)(n_bytes % stride));
    }
    return n_bytes / stride;
}

weir_status weir_file_store_one(weir_file *file, uint64_t offset_bytes, uint64_t n_bytes,
                                weir_error *err)
{
    weir_source_info *info = &file->base.info;
    bool stream = weir_input_is_stream(file->input);
    weir_extent extent = {.offset_bytes = offset_bytes, .n_samples = WEIR_UNKNOWN_SAMPLES};
    if (!stream) {
        uint64_t size = weir_input_bytes(file->input);
        uint64_t rest = size > offset_bytes ? size - offset_bytes : 0;
        n_bytes = n_bytes < rest ? n_bytes : rest;
    }
    if (n_bytes != WEIR_INPUT_UNKNOWN_BYTES) {
        extent.n_samples = whole_samples(file, n_bytes);
        if (extent.n_samples == 0) {
            return weir_fail(err, WEIR_ERR_DATA, "holds no samples");
        }
    }
    extent.center_hz = info->center_hz;
    extent.time_unix_ns = info->time_unix_ns;
    info->n_samples = stream ? WEIR_UNKNOWN_SAMPLES : extent.n_samples;
    info->can_seek = !stream;
    return weir_stored_create(&file->stored, file->input, info->name, &info->format, info->rate_hz,
                              &extent, 1, err);
}

static bool names_other_class(const char *argument)
{
    const weir_source_class *class;
    for (size_t i = 0; (class = weir_source_class_at(i)) != NULL; i++) {
        size_t n = strlen(class->name);
        if (class != &weir_source_file && strncmp(argument, class->name, n) == 0 &&
            (argument[n] == ':' || argument[n] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool accepts_file(const char *argument)
{
    return argument[0] != '\0' && !names_other_class(argument);
}

static void close_file(weir_source *source)
{
    weir_file *file = (weir_file *)source;
    if (!file) {
        return;
    }
    if (file->reader && file->reader->close) {
        file->reader->close(file);
    }
    weir_stored_destroy(file->stored);
    weir_input_close(file->input);
    free((char *)file->path);
    free(file);
}

/* A format given by the user is taken at its word: raw, and nothing is looked at (so
 * that opening a pipe does not wait for its first bytes). */
static weir_status find_reader(weir_file *file, const weir_source_options *options, weir_error *err)
{
    if (weir_input_bytes(file->input) == 0) {
        return weir_fail(err, WEIR_ERR_DATA, "is empty");
    }
    if (options->format) {
        file->reader = &weir_reader_raw;
        return WEIR_OK;
    }
    const uint8_t *head;
    size_t n;
    weir_status status = weir_input_peek(file->input, WEIR_FILE_HEAD_BYTES, &head, &n, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (n == 0) {
        return weir_fail(err, WEIR_ERR_DATA, "is empty");
    }
    weir_probe best = WEIR_NOT_MINE;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        weir_probe probe = readers[i]->probe(file, head, n);
        if (probe > best) {
            best = probe;
            file->reader = readers[i];
        }
    }
    return WEIR_OK;
}

static weir_status check_checksum(const weir_file *file, const weir_source_options *options,
                                  weir_error *err)
{
    if (options->must_verify && file->reader != &weir_reader_sigmf) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "only a SigMF recording has a checksum to verify; leave out --checksum");
    }
    return WEIR_OK;
}

static weir_status open_file(weir_source **out, const char *argument,
                             const weir_source_options *options, weir_error *err)
{
    *out = NULL;
    if (strncmp(argument, "file:", 5) == 0) {
        argument += 5;
    }
    weir_file *file = calloc(1, sizeof *file);
    if (!file || !(file->path = strdup(argument))) {
        free(file);
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    weir_source_info *info = &file->base.info;
    file->base.class_ = &weir_source_file;
    bool is_stdin = strcmp(argument, "-") == 0;
    weir_printable(info->name, sizeof info->name, is_stdin ? "standard input" : argument);
    info->n_samples = WEIR_UNKNOWN_SAMPLES;
    info->time_unix_ns = WEIR_UNKNOWN_TIME;
    weir_names_parse(argument, &file->facts);

    weir_error local;
    weir_error *report = err ? err : &local;
    weir_status status = weir_input_open(&file->input, argument, report);
    if (status == WEIR_OK) {
        status = find_reader(file, options, report);
    }
    if (status == WEIR_OK) {
        status = check_checksum(file, options, report);
    }
    if (status == WEIR_OK) {
        status = file->reader->open(file, options, report);
    }
    if (status != WEIR_OK) {
        weir_fail_context(report, "%s", info->name);
        close_file(&file->base);
        return status;
    }
    *out = &file->base;
    return WEIR_OK;
}

static weir_status read_file(weir_source *source, void *memory, size_t max_samples,
                             weir_read *result, weir_error *err)
{
    weir_file *file = (weir_file *)source;
    weir_status status = file->reader->read
                             ? file->reader->read(file, memory, max_samples, result, err)
                             : weir_stored_read(file->stored, memory, max_samples, result, err);
    if (status != WEIR_OK) {
        weir_fail_context(err, "%s", source->info.name);
    }
    return status;
}

static weir_status map_file(weir_source *source, uint64_t first_sample, weir_mapping **out,
                            weir_read *whole, weir_error *err)
{
    weir_file *file = (weir_file *)source;
    if (file->reader->read) {
        *out = NULL;
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "%s: must be decoded", source->info.name);
    }
    return weir_stored_map(file->stored, first_sample, out, whole, err);
}

static weir_status seek_file(weir_source *source, uint64_t sample, weir_error *err)
{
    weir_file *file = (weir_file *)source;
    weir_status status = file->reader->seek ? file->reader->seek(file, sample, err)
                                            : weir_stored_seek(file->stored, sample, err);
    if (status != WEIR_OK) {
        weir_fail_context(err, "%s", source->info.name);
    }
    return status;
}

static void interrupt_file(weir_source *source)
{
    weir_input_interrupt(((weir_file *)source)->input);
}

const weir_source_class weir_source_file = {
    .name = "file",
    .syntax = "FILE | -",
    .help = "a recording (WAV, FLAC, SigMF, raw I/Q ...), a FIFO, or standard input",
    .takes = (unsigned)(WEIR_TAKES_ALL & ~WEIR_TAKES_DEVICE),
    .accepts = accepts_file,
    .open = open_file,
    .close = close_file,
    .read = read_file,
    .map = map_file,
    .seek = seek_file,
    .interrupt = interrupt_file,
};
