/* Vectors from NumPy's files (.npy, versions 1 to 3; numpy.lib.format describes them).
 * Main thread only. */
#ifndef WEIR_APP_VECTORS_NPY_H
#define WEIR_APP_VECTORS_NPY_H

#include "app/vectors.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether a file of these bytes is one. */
bool weir_npy_begins(const void *file, size_t size);

/* size bytes, the whole file; path is for messages. One dimension, not empty, of f2 f4 f8 c8
 * c16 i1 i2 i4 i8 u1 u2 u4 u8 b1 in either byte order; the order of storage does not matter
 * then. WEIR_ERR_UNSUPPORTED for other arrays, WEIR_ERR_DATA for what is none or is cut off,
 * and for values that are not finite. No memory is taken for more values than the file has. */
weir_status weir_npy_read(weir_vector *vector, const char *path, const void *file, size_t size,
                          weir_error *err);

#endif
