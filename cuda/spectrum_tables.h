/* The tables of the fused kernels, computed in double precision on the host.
 *
 * A twiddle w = c (1 + i t) is a pair of floats, c = cos and t = tan of its angle; see
 * fft_device.cuh for the use and power_kernels.cuh for the layout. Pure functions.
 */
#ifndef WEIR_CUDA_SPECTRUM_TABLES_H
#define WEIR_CUDA_SPECTRUM_TABLES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The radix / 2 pairs of a radix-point pass over x[n] w^n, w = exp(-2 pi i turns / of):
 * the first stage has one, the others half as many as points they join. */
typedef struct weir_twiddle {
    float c, t;
} weir_twiddle;

void weir_twiddle_pairs(size_t radix, size_t turns, size_t of, weir_twiddle *pairs);

/* n <= 1024, 8192 ..: window[4 * (lanes * i + t) + e] = coefficients[t + lanes * (4 i + e)],
 * lanes = n / 32. */
void weir_table_window(const double *coefficients, size_t n, float *window);
/* n <= 1024: [8][n / 32][2] pairs of the second pass, lane by lane. n * 4 bytes. */
void weir_table_team_pairs(size_t n, weir_twiddle *table);
/* 2048 and 4096, see power_wide.cuh. n, n and n / 16 floats. */
void weir_table_wide_window(const double *coefficients, size_t n, float *window);
void weir_table_wide_outer(size_t n, weir_twiddle *table);
void weir_table_wide_inner(size_t n, weir_twiddle *table);
/* [n / 1024][16] pairs of exp(-2 pi i 32 k0 / n). */
void weir_table_warp_pairs(size_t n, weir_twiddle *table);
/* [n / 1024][8][32][2] pairs of exp(-2 pi i (k0 + n / 1024 k1) / n). n * 4 bytes. */
void weir_table_lane_pairs(size_t n, weir_twiddle *table);
#ifdef __cplusplus
}
#endif

#endif
