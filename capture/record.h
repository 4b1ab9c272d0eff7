/* A recording: the samples of a stream, bit for bit, in a file that weir can replay.
 *
 * Three formats, one file each and a row in the table of record.c:
 *   sigmf  NAME.sigmf-meta and NAME.sigmf-data: any format but 24-bit and 8-bit audio; every
 *          gap, retune and time label is kept (core:global_index, core:frequency), and a
 *          checksum of the samples (core:sha512)
 *   wav    NAME.wav, RF64 beyond 4 GiB; complex samples are two channels with an `auxi` chunk
 *          (centre and times); little-endian formats only; gaps are not marked
 *   raw    nothing but samples; "-" is standard output; gaps are not marked
 * No format converts: what it cannot hold as it is, is refused.
 *
 * The file appears under its name when it is complete (base/outfile.h). A write that fails
 * (disk full) does not spoil what was written: the samples that fit are kept whole, and
 * finish completes the file; room for the metadata is set aside from the beginning.
 *
 * One thread at a time. write may block as long as the disk takes; whoever must not wait uses
 * capture/recorder.h.
 */
#ifndef WEIR_CAPTURE_RECORD_H
#define WEIR_CAPTURE_RECORD_H

#include "base/status.h"
#include "capture/ring.h"
#include "capture/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_record_config {
    const char *path;             /* "-": standard output                                */
    const char *kind;             /* "sigmf", "wav", "raw"; NULL: by the path's ending   */
    const weir_source_info *info; /* of the stream; read by open only                    */
    const char *recorder;         /* "weir 1.0": who writes this; NULL: not said         */
    uint64_t max_bytes;           /* of samples; 0: no limit                             */
} weir_record_config;

typedef struct weir_record_totals {
    uint64_t written; /* samples                                                */
    uint64_t lost;    /* reported by the segments and finish: before, within, after the file */
    uint64_t gaps;
    uint64_t retunes;
} weir_record_totals;

typedef struct weir_record weir_record;

/* WEIR_ERR_USAGE for a path or format that cannot hold these samples; says which can. */
weir_status weir_record_check(const weir_record_config *config, weir_error *err);
/* The file says where samples are missing and where the tuning changed. */
bool weir_record_marks_gaps(const weir_record_config *config);
weir_status weir_record_open(weir_record **out, const weir_record_config *config, weir_error *err);

/* Appends n samples, the first of which is stream sample first_sample, of this segment. The
 * first samples of a segment begin a capture. Writes fewer once the limit is reached: is_full
 * says so. A change of rate is WEIR_ERR_UNSUPPORTED: a file has one. After an error only finish
 * is possible. */
weir_status weir_record_write(weir_record *record, const weir_ring_segment *segment,
                              uint64_t first_sample, const void *samples, size_t n_samples,
                              weir_error *err);
bool weir_record_is_full(const weir_record *record);
/* A remark on part of the stream, by stream index (SigMF only; elsewhere it is dropped).
 * The label is copied. */
weir_status weir_record_annotate(weir_record *record, const weir_annotation *annotation,
                                 weir_error *err);
/* Completes the file. lost_at_end: samples lost after the last one. */
weir_status weir_record_finish(weir_record *record, uint64_t lost_at_end, weir_error *err);
void weir_record_totals_get(const weir_record *record, weir_record_totals *totals);
void weir_record_destroy(weir_record *record); /* NULL-safe; without finish nothing is left */

#endif
