/* Recordings as WAV (wav_header.h). */
#include "base/log.h"
#include "capture/record_format.h"
#include "capture/wav_header.h"

#include <math.h>
#include <string.h>

static weir_status check_wav(const weir_record_config *config, weir_error *err)
{
    return weir_wav_check(&config->info->format, config->info->rate_hz, err);
}

static size_t make_header(const weir_record *record, uint64_t data_bytes, uint8_t *header)
{
    const weir_record_capture *first = record->n_captures ? &record->captures[0] : NULL;
    return weir_wav_header(
        &(weir_wav_spec){
            .format = record->info.format,
            .rate_hz = record->info.rate_hz,
            .center_hz = first ? first->center_hz : record->info.center_hz,
            .start_ns = first ? first->time_unix_ns : record->info.time_unix_ns,
            .stop_ns = weir_record_end_ns(record),
            .data_bytes = data_bytes,
        },
        header);
}

static weir_status open_wav(weir_record *record, weir_error *err)
{
    uint8_t header[WEIR_WAV_HEADER_MAX];
    size_t n = make_header(record, WEIR_WAV_UNKNOWN, header);
    weir_status status = weir_outfile_open(&record->data, record->path, false, err);
    if (record->info.rate_hz != round(record->info.rate_hz)) {
        weir_log(WEIR_LOG_NOTICE, "%s: WAV says the rate as %.0f Hz; it is %.6f Hz", record->path,
                 record->info.rate_hz, record->info.rate_hz);
    }
    if (record->info.format.is_complex && record->info.center_hz >= 0x1p32) {
        weir_log(WEIR_LOG_NOTICE, "%s: WAV cannot say a centre of %.0f Hz; SigMF can", record->path,
                 record->info.center_hz);
    }
    record->data_offset = n;
    return status == WEIR_OK ? weir_outfile_write(record->data, header, n, err) : status;
}

/* The sizes are written over the header; a pipe keeps its "to the end". */
static weir_status finish_wav(weir_record *record, weir_error *err)
{
    uint64_t data_bytes = record->totals.written * record->stride_bytes, there;
    uint8_t header[WEIR_WAV_HEADER_MAX];
    weir_status status = WEIR_OK;
    if (data_bytes % 2 != 0) {
        status = weir_outfile_write(record->data, "", 1, err);
    }
    if (status == WEIR_OK) {
        status = weir_outfile_flush(record->data, err);
    }
    if (status == WEIR_OK && weir_outfile_recover(record->data, &there, NULL) == WEIR_OK) {
        size_t n = make_header(record, data_bytes, header);
        status = weir_outfile_patch(record->data, 0, header, n, err);
    }
    return status == WEIR_OK ? weir_outfile_finish(record->data, err) : status;
}

const weir_record_format weir_record_wav = {
    .name = "wav",
    .endings = ".wav .rf64 .bw64",
    .check = check_wav,
    .open = open_wav,
    .finish = finish_wav,
};
