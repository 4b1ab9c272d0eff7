/* Raw samples without a header: what they are comes from the options, the file name or
 * its ending. Files, FIFOs and standard input. */
#include "capture/file_reader.h"

#include <math.h>

/* Whatever no other reader took. */
static weir_probe probe_raw(const weir_file *file, const uint8_t *head, size_t n)
{
    (void)file, (void)head, (void)n;
    return WEIR_MINE_BY_NAME;
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
    return weir_fail(err, WEIR_ERR_USAGE, "cannot tell the sample format; say --format cu8%s",
                     knows_rate(file, options) ? "" : " --rate 2.4M");
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
