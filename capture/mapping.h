/* A piece of a regular file as memory, read only, for what reads much and in order.
 *
 * A mapped file that shrinks or cannot be read kills the reader (SIGBUS) where read()
 * would have said so. Here such a place reads as zeros instead, and weir_mapping_failed
 * says that nothing read from then on is to be trusted. For that, the first mapping
 * installs a handler of SIGBUS in the process, which hands what is not ours to the one
 * before it.
 *
 * create and destroy: any thread, and no reader while destroying. The rest: any thread.
 */
#ifndef WEIR_CAPTURE_MAPPING_H
#define WEIR_CAPTURE_MAPPING_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_mapping weir_mapping;

/* n_bytes (at least 1) of the file from offset_bytes on, wherever that lies in a page.
 * WEIR_ERR_UNSUPPORTED where it cannot be (a file system without it, more than
 * WEIR_MAPPINGS at a time): read it instead. The descriptor may be closed afterwards. */
#define WEIR_MAPPINGS 8
weir_status weir_mapping_create(weir_mapping **out, int fd, uint64_t offset_bytes, uint64_t n_bytes,
                                weir_error *err);
void weir_mapping_destroy(weir_mapping *mapping); /* NULL-safe */

const void *weir_mapping_memory(const weir_mapping *mapping);
bool weir_mapping_failed(const weir_mapping *mapping);

/* The bytes [from, to) are read soon: the disk may begin. */
void weir_mapping_will_need(const weir_mapping *mapping, size_t from, size_t to);
/* The bytes [from, to), and what shares a page with `from`, are not needed soon: they no
 * longer count as this process's memory. */
void weir_mapping_done_with(const weir_mapping *mapping, size_t from, size_t to);

#endif
