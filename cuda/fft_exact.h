/* The convolution of integers, exact to the last digit: a product of polynomials.
 *
 * Number-theoretic transforms modulo two to five primes below 2^31, joined by the Chinese
 * remainder theorem. With n = min(n_a, n_b) and A, B the largest magnitudes, every result
 * is within n A B; that bound is computed first, decides how many primes it takes (their
 * product is more than twice the bound, so no two candidates are congruent), and must be
 * below 2^126. A floating-point transform would hold n B^2 to about 10^6 in single and
 * 10^13 in double precision; 10^6 coefficients of 10^9 need 10^24.
 *
 * Runs on the CPU; 28 bytes a point of the next power of two. Any thread. No errors but
 * WEIR_ERR_NOMEM, WEIR_ERR_USAGE (nothing to multiply) and WEIR_ERR_UNSUPPORTED (bound or
 * length too large: the message says which and by how much).
 */
#ifndef WEIR_CUDA_FFT_EXACT_H
#define WEIR_CUDA_FFT_EXACT_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 weir_int128;

/* c[k] = sum a[i] b[k - i], k = 0 .. n_a + n_b - 2. */
weir_status weir_exact_convolve(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
                                weir_int128 *c, weir_error *err);

/* Decimal; text holds at least 41 bytes. Returns where the digits begin in it. */
char *weir_int128_text(weir_int128 value, char text[48]);

#endif
