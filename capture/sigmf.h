/* SigMF metadata (core 1.2) as a recording's description. Needs jansson.
 *
 * weir_sigmf_parse and weir_sigmf_dataset are pure functions over the text and open nothing. What
 * makes the samples unreadable or wrong is refused, what a reader may ignore is ignored, unknown
 * extensions are logged as a warning.
 */
#ifndef WEIR_CAPTURE_SIGMF_H
#define WEIR_CAPTURE_SIGMF_H

#include "base/status.h"
#include "capture/source.h"

typedef struct weir_sigmf_capture {
    uint64_t sample_start; /* as in the file: core:offset is still in it */
    uint64_t header_bytes;
    bool has_global_index;
    uint64_t global_index;
    double center_hz;     /* NAN unknown: never taken from the capture before */
    int64_t time_unix_ns; /* WEIR_UNKNOWN_TIME                                */
} weir_sigmf_capture;

typedef struct weir_sigmf {
    weir_sample_format format;
    double rate_hz;  /* 0 unknown                                   */
    uint64_t offset; /* core:offset, the index of the first sample  */
    uint64_t trailing_bytes;
    char *dataset; /* core:dataset, a plain file name, or NULL    */
    char *sha512;  /* lower case, 128 digits, or NULL             */
    bool metadata_only;
    weir_sigmf_capture *captures; /* sample_start never falls              */
    size_t n_captures;
    weir_annotation *annotations; /* sorted; first_sample as in the file   */
    size_t n_annotations;
} weir_sigmf;

/* `name` stands before logged warnings. WEIR_ERR_DATA says which key is wrong; without
 * jansson WEIR_ERR_UNSUPPORTED. */
weir_status weir_sigmf_parse(weir_sigmf **out, const char *name, const char *text, size_t n_bytes,
                             weir_error *err);
void weir_sigmf_destroy(weir_sigmf *sigmf); /* NULL-safe */

/* core:dataset alone, without a word about the rest; NULL: none, or not a plain file name. The
 * caller frees it. */
char *weir_sigmf_dataset(const char *text, size_t n_bytes);

/* Where the samples of a NAME.sigmf-meta lie; NULL: path is none, or out of memory. The caller
 * frees it. Reads the file (capture/sigmf_file.c). */
char *weir_sigmf_samples_path(const char *path);

#endif
