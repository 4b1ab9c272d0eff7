/* The header of a NumPy array, version 1.0 of the format. Pure, thread-safe. */
#ifndef WEIR_DISPLAY_NPY_HEADER_H
#define WEIR_DISPLAY_NPY_HEADER_H

#include <stddef.h>
#include <stdint.h>

/* A multiple of 64, with room for the longest shape: a header can be filled in later. */
enum { WEIR_NPY_HEADER_BYTES = 128 };

/* Of float32, in rows. */
void weir_npy_header(char header[WEIR_NPY_HEADER_BYTES], uint64_t n_rows, size_t n_columns);
/* Of one dimension; the type as NumPy writes it ("<f8"). */
void weir_npy_vector_header(char header[WEIR_NPY_HEADER_BYTES], const char *type, size_t n);

#endif
