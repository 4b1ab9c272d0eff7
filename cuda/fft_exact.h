/* The convolution of integers, exact to the last digit: a product of polynomials.
 *
 * Number-theoretic transforms modulo one to five primes below 2^31, joined by the Chinese
 * remainder theorem. With n = min(n_a, n_b) and A, B the largest magnitudes, every result
 * is within n A B; that bound is computed first, decides how many primes it takes (their
 * product is more than twice the bound, so no two candidates are congruent), and must be
 * below 2^126. A floating-point transform would hold n B^2 to about 10^6 in single and
 * 10^13 in double precision; 10^6 coefficients of 10^9 need 10^24.
 *
 * On the CPU: 12 bytes a point of the next power of two, and 4 more for each prime. Any thread. No
 * errors but WEIR_ERR_NOMEM, WEIR_ERR_USAGE (nothing to multiply) and WEIR_ERR_UNSUPPORTED (bound
 * or length too large: the message says which and by how much).
 */
#ifndef WEIR_CUDA_FFT_EXACT_H
#define WEIR_CUDA_FFT_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/status.h"

__extension__ typedef __int128 weir_int128;

/* c[k] = sum a[i] b[k - i], k = 0 .. n_a + n_b - 2. */
weir_status weir_exact_convolve(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
                                weir_int128 *c, weir_error *err);

/* The same on the current GPU: the same primes, the same bound, the same errors, and
 * WEIR_ERR_UNSUPPORTED without CUDA in the build, WEIR_ERR_DEVICE without a device. Takes
 * up to 120 bytes a point of device memory while it runs. What comes back from the device is held
 * against weir_exact_check before it is returned: a wrong digit is WEIR_ERR_DEVICE. */
weir_status weir_exact_convolve_gpu(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
                                    weir_int128 *c, weir_error *err);

/* Whether A(x) B(x) = C(x) modulo 2^61 - 1 at a point x made from the seed. A wrong product
 * passes for one point in 2^61 / (n_a + n_b) at most. On the CPU, linear in the length. */
bool weir_exact_check(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
                      const weir_int128 *c, uint64_t seed);

/* Decimal; text holds at least 41 bytes. Returns where the digits begin in it. */
char *weir_int128_text(weir_int128 value, char text[48]);

#ifdef __cplusplus
}
#endif

#endif
