/* Looking into a POSIX tar archive (ustar, pax, GNU long names) without unpacking it.
 *
 * The members of a seekable input, one after the other, by name and place. Nothing is
 * allocated; one thread at a time.
 */
#ifndef WEIR_CAPTURE_TAR_H
#define WEIR_CAPTURE_TAR_H

#include "base/status.h"
#include "capture/input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_TAR_MAX_NAME 1024 /* longer ones are refused */

typedef struct weir_tar_entry {
    char name[WEIR_TAR_MAX_NAME];
    bool is_file;
    uint64_t offset_bytes; /* of its contents in the archive                    */
    uint64_t n_bytes;      /* as the archive says; may lie beyond a cut-off end */
} weir_tar_entry;

/* The first 512 bytes are those of an archive: a header with the right checksum. */
bool weir_tar_is_archive(const uint8_t *head, size_t n);

/* The member whose header lies at *offset (0 for the first); moves *offset on. *found is
 * false at the end of the archive. */
weir_status weir_tar_next(weir_input *input, uint64_t *offset, weir_tar_entry *entry, bool *found,
                          weir_error *err);

#endif
