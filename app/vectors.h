/* Vectors of numbers from and to files, for weir fft, ifft and convolve. Main thread only.
 *
 * Read: text (a value a line, "1.5" or "1.5+2j", or two columns: real and imaginary part;
 * spaces, tabs, a comma or a semicolon between them; "#" begins a comment), NumPy arrays
 * (.npy, one dimension, any type of numbers up to 64 bits, either byte order; known by
 * their first bytes, too), or raw samples where a format is named or the file's name has
 * one (.cs16). Raw integers are scaled to full scale 1 (dsp/format.h). "-" is standard
 * input. Malformed text names its line, e.g. "x.txt:7: 3 columns, but line 1 has 2".
 */
#ifndef WEIR_APP_VECTORS_H
#define WEIR_APP_VECTORS_H

#include "base/status.h"
#include "cuda/fft_exact.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_vector {
    size_t n;
    bool is_complex;
    double *values;    /* n, or 2n where complex: real part first     */
    int64_t *integers; /* the same where all of them are integers, else NULL */
    /* Where all are integers, but 64 bits do not hold them: the place of the first such one,
     * "x.txt:7". Else empty. */
    char beyond[112];
} weir_vector;

/* format: of raw samples (dsp/format.h), or NULL: by the name or the first bytes, else text. */
weir_status weir_vector_read(weir_vector *vector, const char *path, const char *format,
                             weir_error *err);
/* By the ending, in any case: .npy (float64 or complex128), .csv (a comma between the parts), else text,
 * with as many digits as it takes to read the same single-precision value back. path NULL
 * or "-": standard output. */
weir_status weir_vector_write(const weir_vector *vector, const char *path, weir_error *err);
/* WEIR_ERR_USAGE for an ending that promises another kind of file: .png, .wav, .cs16. */
weir_status weir_vector_check_output(const char *path, weir_error *err);

/* Exact values; im NULL: real. Not owned. */
typedef struct weir_integers {
    const weir_int128 *re, *im;
    size_t n;
} weir_integers;

/* As weir_vector_write, every digit. .npy: int64 (complex128 where complex), or
 * WEIR_ERR_UNSUPPORTED where that does not hold a value exactly. */
weir_status weir_integers_write(const weir_integers *integers, const char *path, weir_error *err);
void weir_vector_free(weir_vector *vector);

/* Room for n values, zeros. */
weir_status weir_vector_alloc(weir_vector *vector, size_t n, bool is_complex, weir_error *err);

#endif
