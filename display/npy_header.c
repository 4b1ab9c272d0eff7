#include "display/npy_header.h"

#include "base/text.h"

#include <string.h>

enum { PREFIX_BYTES = 10 };

static void fill(char header[WEIR_NPY_HEADER_BYTES], const char *type, const char *shape)
{
    const size_t dict_bytes = WEIR_NPY_HEADER_BYTES - PREFIX_BYTES;
    memset(header, ' ', WEIR_NPY_HEADER_BYTES);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)dict_bytes;
    header[9] = 0;
    int length =
        weir_snprintf(header + PREFIX_BYTES, dict_bytes,
                      "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    header[PREFIX_BYTES + length] = ' '; /* the terminator */
    header[WEIR_NPY_HEADER_BYTES - 1] = '\n';
}

void weir_npy_header(char header[WEIR_NPY_HEADER_BYTES], uint64_t n_rows, size_t n_columns)
{
    char shape[48];
    weir_snprintf(shape, sizeof shape, "%llu, %zu", (unsigned long long)n_rows, n_columns);
    fill(header, "<f4", shape);
}

void weir_npy_vector_header(char header[WEIR_NPY_HEADER_BYTES], const char *type, size_t n)
{
    char shape[24];
    weir_snprintf(shape, sizeof shape, "%zu,", n);
    fill(header, type, shape);
}
