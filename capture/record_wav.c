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

/* Chunks have even lengths. Where the disk has no room for that byte, the last sample, which has an
 * odd number of them, is left out instead; the error is returned all the same. */
static weir_status pad(weir_record *record, weir_error *err)
{
    bool is_odd = record->totals.written * record->stride_bytes % 2 != 0;
    weir_status status = is_odd ? weir_outfile_write(record->data, "", 1, err) : WEIR_OK;
    uint64_t there, fewer = record->totals.written - is_odd;
    status = status == WEIR_OK ? weir_outfile_flush(record->data, err) : status;
    if (is_odd && status != WEIR_OK &&
        weir_outfile_recover(record->data, &there, NULL) == WEIR_OK &&
        weir_outfile_cut(record->data, record->data_offset + fewer * record->stride_bytes, NULL) ==
            WEIR_OK) {
        record->totals.written = fewer;
    }
    return status;
}

/* The sizes are written over the header; a pipe keeps its "to the end". */
static weir_status finish_wav(weir_record *record, weir_error *err)
{
    uint64_t there;
    uint8_t header[WEIR_WAV_HEADER_MAX];
    weir_error pad_err = {0};
    weir_status padded = pad(record, &pad_err), status = WEIR_OK;
    if (weir_outfile_recover(record->data, &there, NULL) == WEIR_OK) {
        size_t n = make_header(record, record->totals.written * record->stride_bytes, header);
        status = weir_outfile_patch(record->data, 0, header, n, err);
    }
    status = status == WEIR_OK ? weir_outfile_finish(record->data, err) : status;
    bool is_news = padded != WEIR_OK && record->failed == WEIR_OK;
    return status == WEIR_OK && is_news ? weir_fail(err, padded, "%s", pad_err.text) : status;
}

const weir_record_format weir_record_wav = {
    .name = "wav",
    .endings = ".wav .rf64 .bw64",
    .check = check_wav,
    .open = open_wav,
    .finish = finish_wav,
};
