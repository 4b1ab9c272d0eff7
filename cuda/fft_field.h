/* Arithmetic modulo the primes of exact convolutions, and their Chinese remainders, for the
 * CPU (fft_exact.c) and the GPU (fft_exact_gpu.cu) alike. Pure functions. */
#ifndef WEIR_CUDA_FFT_FIELD_H
#define WEIR_CUDA_FFT_FIELD_H

#include "cuda/fft_exact.h"

#ifdef __CUDACC__
#define WEIR_FIELD __host__ __device__ static inline
#else
#define WEIR_FIELD static inline
#endif

__extension__ typedef unsigned __int128 weir_wide;

enum { WEIR_MAX_FIELDS = 5 };

typedef struct weir_field {
    uint32_t prime, generator;
} weir_field;

/* Which primes a product takes, and how long its transforms are. */
typedef struct weir_exact_size {
    size_t n;   /* a power of two that holds the result */
    size_t n_c; /* values of the result                 */
    unsigned n_fields;
    weir_field fields[WEIR_MAX_FIELDS]; /* below 2^31; n divides prime - 1 */
} weir_exact_size;

/* Errors as weir_exact_convolve. */
#ifdef __cplusplus
extern "C"
#endif
    weir_status
    weir_exact_plan(weir_exact_size *size, const int64_t *a, size_t n_a, const int64_t *b,
                    size_t n_b, weir_error *err);

WEIR_FIELD uint32_t weir_field_power(uint32_t base, uint32_t exponent, uint32_t p)
{
    uint64_t result = 1, b = base;
    for (; exponent > 0; exponent /= 2) {
        if (exponent & 1) {
            result = result * b % p;
        }
        b = b * b % p;
    }
    return (uint32_t)result;
}

WEIR_FIELD uint32_t weir_field_inverse(uint32_t x, uint32_t p)
{
    return weir_field_power(x, p - 2, p);
}

/* A factor and floor(factor 2^32 / p): products without a division (Shoup). */
typedef struct weir_multiplier {
    uint32_t factor, ratio;
} weir_multiplier;

WEIR_FIELD weir_multiplier weir_multiplier_of(uint32_t factor, uint32_t p)
{
    weir_multiplier m = {factor, (uint32_t)(((uint64_t)factor << 32) / p)};
    return m;
}

WEIR_FIELD uint32_t weir_field_times(uint32_t x, weir_multiplier m, uint32_t p)
{
    uint32_t q = (uint32_t)((uint64_t)x * m.ratio >> 32);
    uint32_t r = x * m.factor - q * p; /* in [0, 2p) */
    return r >= p ? r - p : r;
}

WEIR_FIELD uint32_t weir_field_plus(uint32_t x, uint32_t y, uint32_t p)
{
    uint32_t sum = x + y;
    return sum >= p ? sum - p : sum;
}

WEIR_FIELD uint32_t weir_field_minus(uint32_t x, uint32_t y, uint32_t p)
{
    return x >= y ? x - y : x + (p - y);
}

WEIR_FIELD uint32_t weir_field_reduce(int64_t value, uint32_t p)
{
    int64_t r = value % (int64_t)p;
    return (uint32_t)(r < 0 ? r + (int64_t)p : r);
}

/* ---- Chinese remainders (Garner): mixed-radix digits, least significant first ---- */

typedef struct weir_garner {
    unsigned n_fields;
    uint32_t primes[WEIR_MAX_FIELDS];
    weir_multiplier inverses[WEIR_MAX_FIELDS][WEIR_MAX_FIELDS]; /* of prime j modulo prime i */
} weir_garner;

WEIR_FIELD weir_garner weir_garner_of(const weir_exact_size *size)
{
    weir_garner g = {0, {0}, {{{0, 0}}}};
    for (unsigned i = 0; i < size->n_fields && size->fields[i].prime > 0; i++) {
        uint32_t p = g.primes[i] = size->fields[i].prime;
        for (unsigned j = 0; j < i; j++) {
            uint32_t inverse = weir_field_inverse(size->fields[j].prime % p, p);
            g.inverses[i][j] = weir_multiplier_of(inverse, p);
        }
        g.n_fields = i + 1;
    }
    return g;
}

/* The value of least magnitude with these residues. Half the product of the primes has
 * the digits (p - 1) / 2, so the sign shows in the first digit that differs. */
WEIR_FIELD weir_int128 weir_garner_join(const weir_garner *g, const uint32_t *residues)
{
    uint32_t digits[WEIR_MAX_FIELDS];
    weir_wide value = 0, product = 1; /* modulo 2^128: the result fits */
    int sign = 0;
    for (unsigned i = 0; i < g->n_fields; i++) {
        uint32_t p = g->primes[i], d = residues[i], half = (p - 1) / 2;
        for (unsigned j = 0; j < i; j++) {
            d = weir_field_times(weir_field_minus(d, digits[j] % p, p), g->inverses[i][j], p);
        }
        digits[i] = d;
        sign = d != half ? (d > half ? -1 : 1) : sign;
        value += product * d;
        product *= p;
    }
    return (weir_int128)(sign < 0 ? value - product : value);
}

#endif
