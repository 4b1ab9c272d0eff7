/* Vectors of numbers from and to files, for weir fft, ifft and convolve. Main thread only.
 *
 * Read: text (a value a line, or two columns: real and imaginary part; spaces, tabs, a
 * comma or a semicolon between them; "#" begins a comment), NumPy arrays (.npy, one
 * dimension, any little-endian number type), or raw samples where a format is named.
 * "-" is standard input. Malformed text names its line, e.g.
 * "x.txt:7: 3 columns, but line 1 has 2".
 */
#ifndef WEIR_APP_VECTORS_H
#define WEIR_APP_VECTORS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_vector {
    size_t n;
    bool is_complex;
    double *values;    /* n, or 2n where complex: real part first     */
    int64_t *integers; /* the same where all of them are integers, else NULL */
} weir_vector;

/* format: of raw samples (dsp/format.h), or NULL: .npy by its ending, else text. */
weir_status weir_vector_read(weir_vector *vector, const char *path, const char *format,
                             weir_error *err);
/* By the ending: .npy (float64 or complex128), else text with as many digits as it takes
 * to read the same single-precision value back. path NULL or "-": standard output. */
weir_status weir_vector_write(const weir_vector *vector, const char *path, weir_error *err);
void weir_vector_free(weir_vector *vector);

/* Room for n values, zeros. */
weir_status weir_vector_alloc(weir_vector *vector, size_t n, bool is_complex, weir_error *err);

#endif
