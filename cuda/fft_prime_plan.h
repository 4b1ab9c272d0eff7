/* Lengths p m, p a prime of 17 to 127, m with factors to 13: a tile (fft_plan.h) whose
 * first stage is a direct sum over p points (fft_prime.cuh), where that is faster than
 * what fft_plan.h has for them. For complex values that are all there.
 *
 * Plain C, pure functions, thread-safe.
 */
#ifndef WEIR_CUDA_FFT_PRIME_PLAN_H
#define WEIR_CUDA_FFT_PRIME_PLAN_H

#include "cuda/fft_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_FFT_PRIME_BINS 8      /* that a thread makes of a column at once */
#define WEIR_FFT_PRIME_THREADS 512 /* of a block, at most                     */

typedef struct weir_fft_prime {
    weir_fft_shape shape;                /* radix[0] is the prime */
    uint32_t half;                       /* pairs of mirrored points, (p - 1) / 2           */
    uint32_t groups;                     /* threads that share the bins of a column         */
    uint32_t columns;                    /* of the tile: butterflies of the first stage     */
    uint32_t pitch;                      /* of a row of pairs, 16 bytes each                */
    uint32_t units;                      /* threads with work in it; 0: there is no plan    */
    weir_fft_divisor by_pairs, by_apart; /* half m; half of the columns, rounded up */
} weir_fft_prime;

/* False: not such a length, or not with so much shared memory. */
bool weir_fft_prime_plan(weir_fft_prime *plan, size_t n, size_t shared_bytes);
/* In words, as weir_fft_layout_explain. */
char *weir_fft_prime_explain(const weir_fft_prime *plan, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
