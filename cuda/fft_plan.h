/* How a transform of a given length is done on the GPU: planned on the host, by rule.
 *
 * Plain C, no CUDA: the kernels (fft_tile.cuh) and the tests read the same plan. Pure
 * functions, thread-safe.
 *
 * A *tile* is what one block of threads does: `lines` transforms of `length` points in
 * shared memory. The points of a line have the mixed-radix digits n = (d1 d2 .. dS),
 * d1 most significant; stage s replaces digit d_s by the frequency digit k_s, in place,
 * after a multiplication by W^(d_s K), K = k_1 + R_1 k_2 + .. so far (decimation in time).
 * The first stage reads device memory, the last writes it in natural order:
 * S stages, S-1 exchanges, one barrier each.
 *
 * Positions: digit 1 has pitch `first_pitch` = after[0] + pad, the others after[s], so
 * that the lanes of the last stage, which walk along k_1, meet different banks. A tile of
 * columns keeps its lines interleaved (point p of line l at p * pitch + l) instead.
 */
#ifndef WEIR_CUDA_FFT_PLAN_H
#define WEIR_CUDA_FFT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/status.h"

#define WEIR_FFT_MAX_STAGES 8
#define WEIR_FFT_MAX_RADIX 16
#define WEIR_FFT_MAX_TILE 28672u /* points that shared memory holds, on Hopper */

/* Where neighbouring lanes of the first stage would find fewer points than this side by
 * side, whole rows are copied to shared memory first, and from it at the end. */
#define WEIR_FFT_STAGED_BELOW 4u

/* x / d for x d < 2^32 by a multiplication. */
typedef struct weir_fft_divisor {
    uint32_t d, magic; /* magic 0: d = 1 */
} weir_fft_divisor;

typedef struct weir_fft_shape {
    uint32_t length, n_stages;
    uint32_t radix[WEIR_FFT_MAX_STAGES];
    uint32_t before[WEIR_FFT_MAX_STAGES]; /* product of the radices before stage s */
    uint32_t after[WEIR_FFT_MAX_STAGES];  /* ... after it                          */
    uint32_t table[WEIR_FFT_MAX_STAGES];  /* where its twiddles begin              */
    uint32_t table_size;                  /* twiddles in all                       */
    uint32_t first_pitch;
    uint32_t lines, pitch, threads;
    bool interleaved;
    bool staged; /* rows go through shared memory at both ends: see below */
    weir_fft_divisor by_radix[WEIR_FFT_MAX_STAGES], by_after[WEIR_FFT_MAX_STAGES];
    weir_fft_divisor by_before[WEIR_FFT_MAX_STAGES];
    weir_fft_divisor by_group[WEIR_FFT_MAX_STAGES];       /* before[s] / radix[0]      */
    weir_fft_divisor by_butterflies[WEIR_FFT_MAX_STAGES]; /* length / radix[s]         */
    weir_fft_divisor by_lines, by_length;
    size_t shared_bytes;
} weir_fft_shape;

/* A power of two in one pass by `blocks` blocks: fft_wide.cuh. blocks 0: not so. */
typedef struct weir_fft_wide {
    uint32_t blocks, threads;
    uint32_t radix[4]; /* of the columns (the second may be 1), of the rows */
} weir_fft_wide;

/* Bluestein's convolution of radix[0] radix[1] radix[2] points: fft_chirp.cuh. */
typedef struct weir_fft_chirp {
    uint32_t lines, threads;
    uint32_t radix[3]; /* the second may be 1 */
} weir_fft_chirp;

typedef enum weir_fft_method {
    WEIR_FFT_ONE_KERNEL, /* mixed radix in shared memory            */
    WEIR_FFT_RADER,      /* a prime: convolution of n - 1 points    */
    WEIR_FFT_BLUESTEIN,  /* convolution of m >= 2n - 1 points       */
    WEIR_FFT_WIDE,       /* one kernel, a block or a cluster a transform */
    WEIR_FFT_CHIRP,      /* BLUESTEIN of complex values, compiled for its length */
    WEIR_FFT_PASSES,     /* four-step: two or three kernels         */
    WEIR_FFT_BLUESTEIN_PASSES,
} weir_fft_method;

typedef struct weir_fft_layout {
    size_t n; /* points of the complex transform: half of a real one's when that is even */
    weir_fft_method method;
    size_t m;            /* points of the convolution, else n                       */
    unsigned n_passes;   /* kernels of the (forward) transform                      */
    uint32_t factors[3]; /* m = product, in the order of the passes                 */
    weir_fft_shape shapes[3];
    weir_fft_wide wide;
    weir_fft_chirp chirp;
    uint32_t generator;  /* Rader: a primitive root of n */
    size_t shared_bytes; /* what a block may have */
} weir_fft_layout;

/* Rules that a caller may bend (tests, benchmarks); zero is the rule itself. */
typedef struct weir_fft_rules {
    unsigned passes;     /* 1, 2 or 3 for smooth lengths            */
    bool bluestein;      /* even where something better is known    */
    unsigned shared_kib; /* what a block may have (default 227)     */
    unsigned cluster;    /* the most blocks of a cluster; 0: as many as Hopper's, 16 */
    bool plain;          /* complex values, all there: for the kernels WIDE and CHIRP   */
} weir_fft_rules;

/* n >= 1 complex points. */
weir_status weir_fft_layout_plan(weir_fft_layout *layout, size_t n, const weir_fft_rules *rules,
                                 weir_error *err);
/* In words, several lines; returns text. */
char *weir_fft_layout_explain(const weir_fft_layout *layout, char *text, size_t size);

/* A tile of rows (several short ones, or one) or of columns, for a smooth length. */
bool weir_fft_shape_plan(weir_fft_shape *shape, size_t length, bool columns);

/* Only factors 2, 3, 5, 7, 11, 13. */
bool weir_fft_is_smooth(size_t n);
/* The smallest of these that is >= n and has only the factors 2, 3, 5, 7. */
size_t weir_fft_next_smooth(size_t n);
bool weir_fft_is_prime(size_t n);
uint32_t weir_fft_primitive_root(uint32_t prime);
uint32_t weir_fft_power_mod(uint32_t base, uint32_t exponent, uint32_t modulus);

#ifdef __cplusplus
}
#endif

#endif
