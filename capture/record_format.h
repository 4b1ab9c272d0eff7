/* For the formats of recordings only: what record.c shares with them. */
#ifndef WEIR_CAPTURE_RECORD_FORMAT_H
#define WEIR_CAPTURE_RECORD_FORMAT_H

#include "base/outfile.h"
#include "base/sha512.h"
#include "capture/record.h"

/* A run of samples that follow each other, as a segment of the stream. */
typedef struct weir_record_capture {
    uint64_t sample_start;  /* in the file       */
    uint64_t stream_sample; /* in the stream     */
    double center_hz;
    int64_t time_unix_ns; /* of its first sample */
} weir_record_capture;

typedef struct weir_record_format {
    const char *name;
    const char *endings; /* separated by spaces */
    bool marks_gaps;
    /* Can it hold these samples under this name? */
    weir_status (*check)(const weir_record_config *config, weir_error *err);
    /* Opens `data` and what else there is; writes what stands before the samples. */
    weir_status (*open)(weir_record *record, weir_error *err);
    /* A capture was added to the list; makes room for what will be said of it. May be NULL. */
    weir_status (*captured)(weir_record *record, weir_error *err);
    weir_status (*finish)(weir_record *record, weir_error *err);
    void (*close)(weir_record *record); /* of `own`; may be NULL */
} weir_record_format;

struct weir_record {
    const weir_record_format *format;
    char *path;
    weir_source_info info; /* without its annotations */
    char recorder[64];
    size_t stride_bytes;
    uint64_t max_bytes;

    weir_outfile *data;
    uint64_t data_offset; /* where the samples begin in it */
    weir_sha512 sha;
    bool hashes; /* the format wants the checksum */
    weir_record_capture *captures;
    size_t n_captures, capture_room;
    weir_annotation *annotations; /* labels owned */
    size_t n_annotations;
    uint64_t last_segment; /* ordinal, of the last capture */
    uint64_t next_sample;  /* stream index                 */
    weir_record_totals totals;
    weir_status failed; /* the first write error */
    void *own;          /* the format's          */
};

extern const weir_record_format weir_record_sigmf, weir_record_wav, weir_record_raw;

/* The wall clock at the end of the samples; WEIR_UNKNOWN_TIME. */
int64_t weir_record_end_ns(const weir_record *record);

#endif
