/* Recordings without a header: the samples as they come. */
#include "capture/names.h"
#include "capture/record_format.h"

#include <string.h>

/* An ending that says a format must say the right one: it is how the file will be read. */
static weir_status check_raw(const weir_record_config *config, weir_error *err)
{
    weir_name_facts facts;
    weir_names_parse(config->path, &facts);
    const weir_sample_format *format = &config->info->format;
    bool differs = facts.has_format && (facts.format.scalar != format->scalar ||
                                        facts.format.is_complex != format->is_complex);
    if (config->kind || !differs || strcmp(config->path, "-") == 0) {
        return WEIR_OK;
    }
    char said[32], is[32], shown[200];
    return weir_fail(err, WEIR_ERR_USAGE,
                     "%s: the name says %s, the samples are %s; name it .%s (or say --to raw)",
                     weir_printable(shown, sizeof shown, config->path),
                     weir_format_name(&facts.format, said, sizeof said),
                     weir_format_name(format, is, sizeof is), is);
}

static weir_status open_raw(weir_record *record, weir_error *err)
{
    return weir_outfile_open(&record->data, record->path, false, err);
}

static weir_status finish_raw(weir_record *record, weir_error *err)
{
    return weir_outfile_finish(record->data, err);
}

const weir_record_format weir_record_raw = {
    .name = "raw",
    .endings = ".raw .bin .iq .pcm .u8 .s8 .u16 .s16 .s24 .u32 .s32 .f32 .f64 .cu8 .cs8 .cu16 "
               ".cs16 .cs24 .cu32 .cs32 .cf32 .cf64 .cfile .fc32 .fc64 .sc8 .sc16 .sc32 .complex "
               ".complex16s .complex16u .complex32s .complex32u",
    .check = check_raw,
    .open = open_raw,
    .finish = finish_raw,
};
