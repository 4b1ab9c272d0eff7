#include "cuda/spectrum_tables.h"

#include <math.h>

/* exp(-2 pi i part / of) as (c, t). The angle is reduced in integers, so that the only
 * rounding is that of the double functions and the last one to float. */
static weir_twiddle twiddle(size_t part, size_t of)
{
    const double pi = 3.14159265358979323846;
    double angle = -2 * pi * (double)(part % of) / (double)of;
    double c = cos(angle), s = sin(angle);
    if (fabs(c) < 1e-12) { /* a quarter turn: c t = s is all that counts */
        c = 1e-12;
    }
    float rounded = (float)c;
    return (weir_twiddle){.c = rounded, .t = (float)(s / (double)rounded)};
}

void weir_twiddle_pairs(size_t radix, size_t turns, size_t of, weir_twiddle *pairs)
{
    /* Stage with m points joined: w^(radix / 2m) W_2m^k, over a common denominator. */
    for (size_t m = 1, p = 0; m < radix; m *= 2) {
        size_t n_pairs = m > 1 ? m / 2 : 1;
        for (size_t k = 0; k < n_pairs; k++, p++) {
            size_t w = turns * (radix / (2 * m)) % of;
            pairs[p] = twiddle(w * 2 * m + k * of, of * 2 * m);
        }
    }
}

void weir_table_window(const double *coefficients, size_t n, float *window)
{
    size_t lanes = n / 32;
    for (size_t i = 0; i < n; i++) {
        size_t row = i / lanes, t = i % lanes;
        window[4 * (lanes * (row / 4) + t) + row % 4] = (float)coefficients[i];
    }
}

/* Second pass of a two-pass transform of n = 32 * radix points: lane l of `radix` lanes
 * does the transforms k1 = l + radix i, one after the other. */
void weir_table_team_pairs(size_t n, weir_twiddle *table)
{
    size_t radix = n / 32;
    for (size_t lane = 0; lane < radix; lane++) {
        weir_twiddle pairs[16];
        for (size_t i = 0; i < 32 / radix; i++) {
            weir_twiddle_pairs(radix, lane + radix * i, n, pairs + i * (radix / 2));
        }
        for (size_t q = 0; q < 16; q++) {
            table[2 * (q / 2 * radix + lane) + q % 2] = pairs[q];
        }
    }
}

void weir_table_wide_window(const double *coefficients, size_t n, float *window)
{
    size_t lanes = n / 32;
    for (size_t i = 0; i < n; i++) {
        size_t row = i / (2 * lanes), t = i % (2 * lanes) / 2, h = i % 2;
        window[4 * (lanes * (row / 4 * 2 + h) + t) + row % 4] = (float)coefficients[i];
    }
}

void weir_table_wide_outer(size_t n, weir_twiddle *table)
{
    size_t lanes = n / 32, radix = n / 256;
    for (size_t t = 0; t < lanes; t++) {
        for (size_t h = 0; h < 2; h++) {
            weir_twiddle pairs[8];
            weir_twiddle_pairs(16, t / 8 + radix * (t % 8 + 8 * h), n, pairs);
            for (size_t q = 0; q < 8; q++) {
                table[2 * ((4 * h + q / 2) * lanes + t) + q % 2] = pairs[q];
            }
        }
    }
}

void weir_table_wide_inner(size_t n, weir_twiddle *table)
{
    for (size_t k0 = 0; k0 < n / 256; k0++) {
        weir_twiddle_pairs(16, k0, n / 16, table + 8 * k0);
    }
}

void weir_table_warp_pairs(size_t n, weir_twiddle *table)
{
    for (size_t k0 = 0; k0 < n / 1024; k0++) {
        weir_twiddle_pairs(32, k0, n / 32, table + 16 * k0);
    }
}

void weir_table_lane_pairs(size_t n, weir_twiddle *table)
{
    size_t radix = n / 1024;
    for (size_t k0 = 0; k0 < radix; k0++) {
        for (size_t k1 = 0; k1 < 32; k1++) {
            weir_twiddle pairs[16];
            weir_twiddle_pairs(32, k0 + radix * k1, n, pairs);
            for (size_t q = 0; q < 16; q++) {
                table[k0 * 512 + 2 * (q / 2 * 32 + k1) + q % 2] = pairs[q];
            }
        }
    }
}
