#include "capture/record.h"

#include "base/text.h"
#include "capture/record_format.h"
#include "capture/utc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const weir_record_format *const formats[] = {
    &weir_record_sigmf, &weir_record_wav, &weir_record_raw, /* last: it takes many endings */
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

/* ---- which format ---- */

static const weir_record_format *format_of_kind(const char *kind, weir_error *err)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(formats[i]->name, kind) == 0) {
            return formats[i];
        }
    }
    weir_fail(err, WEIR_ERR_USAGE, "no recording is called \"%.32s\": sigmf, wav, raw", kind);
    return NULL;
}

static const weir_record_format *format_of(const weir_record_config *config, weir_error *err)
{
    if (config->kind) {
        return format_of_kind(config->kind, err);
    }
    if (strcmp(config->path, "-") == 0) {
        return &weir_record_raw;
    }
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (weir_path_ending(config->path, formats[i]->endings) > 0) {
            return formats[i];
        }
    }
    char shown[200];
    weir_fail(err, WEIR_ERR_USAGE,
              "%s: its ending does not say what to write: .sigmf-meta, .wav, .raw, .cu8, .cs16 ...",
              weir_printable(shown, sizeof shown, config->path));
    return NULL;
}

static const weir_record_format *checked_format(const weir_record_config *config, weir_error *err)
{
    const weir_record_format *format = format_of(config, err);
    size_t stride = weir_format_stride_bytes(&config->info->format);
    if (!format || format->check(config, err) != WEIR_OK) {
        return NULL;
    }
    if (config->max_bytes > 0 && config->max_bytes < stride) {
        weir_fail(err, WEIR_ERR_USAGE, "%llu bytes have no room for a sample of %zu",
                  (unsigned long long)config->max_bytes, stride);
        return NULL;
    }
    return format;
}

weir_status weir_record_check(const weir_record_config *config, weir_error *err)
{
    weir_error own = {0};
    err = err ? err : &own;
    return checked_format(config, err) ? WEIR_OK : err->status;
}

bool weir_record_marks_gaps(const weir_record_config *config)
{
    const weir_record_format *format = format_of(config, NULL);
    return format && format->marks_gaps;
}

/* ---- open and destroy ---- */

weir_status weir_record_open(weir_record **out, const weir_record_config *config, weir_error *err)
{
    weir_error own = {0};
    err = err ? err : &own;
    *out = NULL;
    const weir_record_format *format = checked_format(config, err);
    if (!format) {
        return err->status;
    }
    weir_record *record = calloc(1, sizeof *record);
    if (!record || !(record->path = strdup(config->path))) {
        free(record);
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", config->path);
    }
    record->format = format;
    record->info = *config->info;
    record->info.annotations = NULL;
    record->info.n_annotations = 0;
    snprintf(record->recorder, sizeof record->recorder, "%s",
             config->recorder ? config->recorder : "");
    record->stride_bytes = weir_format_stride_bytes(&record->info.format);
    record->max_bytes = config->max_bytes;
    weir_sha512_begin(&record->sha);
    weir_status status = format->open(record, err);
    if (status != WEIR_OK) {
        weir_record_destroy(record);
        return status;
    }
    *out = record;
    return WEIR_OK;
}

void weir_record_destroy(weir_record *record)
{
    if (!record) {
        return;
    }
    if (record->format->close) {
        record->format->close(record);
    }
    weir_outfile_destroy(record->data);
    for (size_t i = 0; i < record->n_annotations; i++) {
        free((char *)(uintptr_t)record->annotations[i].label);
    }
    free(record->annotations);
    free(record->captures);
    free(record->path);
    free(record);
}

/* ---- captures ---- */

static weir_status add_capture(weir_record *record, const weir_record_capture *capture,
                               weir_error *err)
{
    if (!record->captures || record->n_captures == record->capture_room) {
        size_t room = record->capture_room ? 2 * record->capture_room : 16;
        weir_record_capture *more = realloc(record->captures, room * sizeof *more);
        if (!more) {
            return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", record->path);
        }
        record->captures = more;
        record->capture_room = room;
    }
    record->captures[record->n_captures++] = *capture;
    return record->format->captured ? record->format->captured(record, err) : WEIR_OK;
}

/* What lies between the last sample of the file and this one is lost; before the first one, what
 * its segment says. */
static uint64_t lost_before(const weir_record *record, const weir_ring_segment *segment,
                            uint64_t first_sample)
{
    if (record->n_captures == 0) {
        return first_sample == segment->first_sample ? segment->lost_before : 0;
    }
    return first_sample > record->next_sample ? first_sample - record->next_sample : 0;
}

static weir_status begin_capture(weir_record *record, const weir_ring_segment *segment,
                                 uint64_t first_sample, weir_error *err)
{
    if (segment->rate_hz != record->info.rate_hz) {
        return weir_fail(
            err, WEIR_ERR_UNSUPPORTED,
            "%s: the rate changed from %.10g to %.10g S/s; a recording has one rate, so it "
            "ends there",
            record->path, record->info.rate_hz, segment->rate_hz);
    }
    uint64_t ahead = first_sample - segment->first_sample;
    weir_record_capture capture = {
        .sample_start = record->totals.written,
        .stream_sample = first_sample,
        .center_hz = segment->center_hz,
        .time_unix_ns = weir_time_after(segment->time_unix_ns, ahead, segment->rate_hz),
    };
    const weir_record_capture *last =
        record->n_captures ? &record->captures[record->n_captures - 1] : NULL;
    uint64_t lost = lost_before(record, segment, first_sample);
    record->totals.lost += lost;
    record->totals.gaps += lost > 0;
    if (last && last->center_hz != segment->center_hz) {
        record->totals.retunes++;
    }
    record->last_segment = segment->segment;
    return add_capture(record, &capture, err);
}

/* ---- samples ---- */

/* A write that failed: the whole samples that fit are kept. */
static void keep_what_fits(weir_record *record, const void *samples)
{
    uint64_t there;
    weir_error ignored; /* the write's own error is the one to report */
    if (weir_outfile_recover(record->data, &there, &ignored) != WEIR_OK) {
        return; /* standard output, a pipe */
    }
    uint64_t before = record->data_offset + record->totals.written * record->stride_bytes;
    uint64_t n = there > before ? (there - before) / record->stride_bytes : 0;
    size_t bytes = (size_t)n * record->stride_bytes;
    if (weir_outfile_cut(record->data, before + bytes, &ignored) == WEIR_OK) {
        if (record->hashes) {
            weir_sha512_add(&record->sha, samples, bytes);
        }
        record->totals.written += n;
        record->next_sample += n;
    }
}

static size_t within_limit(const weir_record *record, size_t n_samples)
{
    if (record->max_bytes == 0) {
        return n_samples;
    }
    uint64_t left = record->max_bytes / record->stride_bytes - record->totals.written;
    return left < n_samples ? (size_t)left : n_samples;
}

bool weir_record_is_full(const weir_record *record)
{
    return within_limit(record, 1) == 0;
}

weir_status weir_record_write(weir_record *record, const weir_ring_segment *segment,
                              uint64_t first_sample, const void *samples, size_t n_samples,
                              weir_error *err)
{
    if (record->failed != WEIR_OK) {
        return weir_fail(err, record->failed, "%s: an earlier write failed", record->path);
    }
    size_t n = within_limit(record, n_samples);
    if (n == 0) {
        return WEIR_OK;
    }
    weir_status status = WEIR_OK;
    bool goes_on = record->n_captures > 0 && record->last_segment == segment->segment &&
                   record->next_sample == first_sample;
    if (!goes_on) {
        status = begin_capture(record, segment, first_sample, err);
        record->next_sample = first_sample;
    }
    size_t bytes = n * record->stride_bytes;
    if (status == WEIR_OK) {
        status = weir_outfile_write(record->data, samples, bytes, err);
        /* Nothing waits in the buffer, so that after an error the file's size says it all. */
        status = status == WEIR_OK ? weir_outfile_flush(record->data, err) : status;
        if (status != WEIR_OK) {
            keep_what_fits(record, samples);
        }
    }
    if (status != WEIR_OK) {
        record->failed = status;
        return status;
    }
    if (record->hashes) {
        weir_sha512_add(&record->sha, samples, bytes);
    }
    record->totals.written += n;
    record->next_sample += n;
    return WEIR_OK;
}

weir_status weir_record_annotate(weir_record *record, const weir_annotation *annotation,
                                 weir_error *err)
{
    size_t n = record->n_annotations;
    weir_annotation *more = realloc(record->annotations, (n + 1) * sizeof *more);
    char *label = strdup(annotation->label ? annotation->label : "");
    if (more) {
        record->annotations = more;
    }
    if (!more || !label) {
        free(label);
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", record->path);
    }
    more[n] = *annotation;
    more[n].label = label;
    record->n_annotations = n + 1;
    return WEIR_OK;
}

int64_t weir_record_end_ns(const weir_record *record)
{
    if (record->n_captures == 0) {
        return WEIR_UNKNOWN_TIME;
    }
    const weir_record_capture *last = &record->captures[record->n_captures - 1];
    return weir_time_after(last->time_unix_ns, record->totals.written - last->sample_start,
                           record->info.rate_hz);
}

weir_status weir_record_finish(weir_record *record, uint64_t lost_at_end, weir_error *err)
{
    size_t n = record->n_captures;
    if (n > 0 && record->captures[n - 1].sample_start == record->totals.written) {
        record->n_captures--; /* its first samples could not be written */
    }
    record->totals.lost += lost_at_end;
    record->totals.gaps += lost_at_end > 0;
    return record->format->finish(record, err);
}

void weir_record_totals_get(const weir_record *record, weir_record_totals *totals)
{
    *totals = record->totals;
}
