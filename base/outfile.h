/* An output file that appears whole or not at all.
 *
 * Written to "PATH.weir-XXXXXX" beside its target and renamed by finish; destroy
 * without finish removes it. "-" is standard output. Not thread-safe.
 * ENOSPC and EIO come back as WEIR_ERR_IO naming the path, EPIPE as
 * WEIR_PIPE_CLOSED; the first error is kept and returned by all later calls.
 */
#ifndef WEIR_BASE_OUTFILE_H
#define WEIR_BASE_OUTFILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_outfile weir_outfile;

/* seekable_needed refuses "-" when standard output is a pipe. A target that is
 * not a regular file (/dev/null, a FIFO) is opened directly and never renamed. */
weir_status weir_outfile_open(weir_outfile **out, const char *path, bool seekable_needed,
                              weir_error *err);
weir_status weir_outfile_write(weir_outfile *file, const void *bytes, size_t size, weir_error *err);
weir_status weir_outfile_printf(weir_outfile *file, weir_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Overwrites bytes at an earlier offset (a header, a count); the position stays at the end. */
weir_status weir_outfile_patch(weir_outfile *file, uint64_t offset, const void *bytes, size_t size,
                               weir_error *err);
/* Hands buffered bytes to the kernel, so that a reader of a pipe sees whole lines. */
weir_status weir_outfile_flush(weir_outfile *file, weir_error *err);
/* After a write failed: drops what was buffered and forgets the error, so that what fits can
 * still be completed by patch, cut and finish. *n_bytes gets how many are in the file.
 * WEIR_ERR_IO for what is no regular file. */
weir_status weir_outfile_recover(weir_outfile *file, uint64_t *n_bytes, weir_error *err);
/* Shortens the file; the next write goes to its new end. */
weir_status weir_outfile_cut(weir_outfile *file, uint64_t n_bytes, weir_error *err);
/* Has the file system set n_bytes aside from `offset` on, beyond the end of the file, so
 * that they can be written even when the disk is full by then. Errors as of a write, but
 * not kept; a file system that cannot do it is no error. */
weir_status weir_outfile_reserve(weir_outfile *file, uint64_t offset, uint64_t n_bytes,
                                 weir_error *err);
/* Flushes, closes and renames. Only after WEIR_OK does the file exist under its name. */
weir_status weir_outfile_finish(weir_outfile *file, weir_error *err);
const char *weir_outfile_path(const weir_outfile *file);
void weir_outfile_destroy(weir_outfile *file);

#endif
