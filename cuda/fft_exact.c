#include "cuda/fft_exact.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

typedef struct field {
    uint32_t prime, generator;
} field;

/* Largest powers of two first: c 2^25 + 1 or better, but for the last (2^24). */
static const field fields[] = {
    {2013265921, 31}, {1811939329, 13}, {2113929217, 5}, {469762049, 3}, {754974721, 11},
};
enum { MAX_FIELDS = sizeof fields / sizeof fields[0] };

/* ---- arithmetic modulo p < 2^31 ---- */

static uint32_t power(uint32_t base, uint32_t exponent, uint32_t p)
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

static uint32_t inverse(uint32_t x, uint32_t p)
{
    return power(x, p - 2, p);
}

/* A factor and floor(factor 2^32 / p): products without a division (Shoup). */
typedef struct multiplier {
    uint32_t factor, ratio;
} multiplier;

static multiplier multiplier_of(uint32_t factor, uint32_t p)
{
    return (multiplier){factor, (uint32_t)(((uint64_t)factor << 32) / p)};
}

static uint32_t times(uint32_t x, multiplier m, uint32_t p)
{
    uint32_t q = (uint32_t)((uint64_t)x * m.ratio >> 32);
    uint32_t r = x * m.factor - q * p; /* in [0, 2p) */
    return r >= p ? r - p : r;
}

static uint32_t plus(uint32_t x, uint32_t y, uint32_t p)
{
    uint32_t sum = x + y;
    return sum >= p ? sum - p : sum;
}

static uint32_t minus(uint32_t x, uint32_t y, uint32_t p)
{
    return x >= y ? x - y : x + (p - y);
}

/* ---- transforms ---- */

/* roots[half + i] = w_(2 half)^i */
static void fill_roots(multiplier *roots, size_t n, uint32_t generator, uint32_t p)
{
    for (size_t half = 1; half < n; half *= 2) {
        uint64_t w = power(generator, (uint32_t)((p - 1) / (2 * half)), p), at = 1;
        for (size_t i = 0; i < half; i++) {
            roots[half + i] = multiplier_of((uint32_t)at, p);
            at = at * w % p;
        }
    }
}

/* Natural order in, bit-reversed out. */
static void forward(uint32_t *x, size_t n, const multiplier *roots, uint32_t p)
{
    for (size_t half = n / 2; half > 0; half /= 2) {
        for (size_t first = 0; first < n; first += 2 * half) {
            for (size_t i = 0; i < half; i++) {
                uint32_t *u = &x[first + i], *v = u + half;
                uint32_t difference = minus(*u, *v, p);
                *u = plus(*u, *v, p);
                *v = times(difference, roots[half + i], p);
            }
        }
    }
}

/* Bit-reversed in, natural out, with the roots of the forward one: the result runs
 * backwards, as n times x[-k mod n]. */
static void backward(uint32_t *x, size_t n, const multiplier *roots, uint32_t p)
{
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t first = 0; first < n; first += 2 * half) {
            for (size_t i = 0; i < half; i++) {
                uint32_t *u = &x[first + i], *v = u + half;
                uint32_t t = times(*v, roots[half + i], p);
                *v = minus(*u, t, p);
                *u = plus(*u, t, p);
            }
        }
    }
}

typedef struct work {
    size_t n; /* a power of two that holds the result */
    multiplier *roots;
    uint32_t *other;
    uint32_t *residues[MAX_FIELDS];
    unsigned n_fields;
} work;

static void reduce(const int64_t *a, size_t n_a, uint32_t *x, size_t n, uint32_t p)
{
    for (size_t i = 0; i < n_a; i++) {
        int64_t r = a[i] % (int64_t)p;
        x[i] = (uint32_t)(r < 0 ? r + (int64_t)p : r);
    }
    memset(x + n_a, 0, (n - n_a) * sizeof *x);
}

static void convolve_modulo(work *w, unsigned f, const int64_t *a, size_t n_a, const int64_t *b,
                            size_t n_b)
{
    uint32_t p = fields[f].prime, *x = w->residues[f], *y = w->other;
    fill_roots(w->roots, w->n, fields[f].generator, p);
    reduce(a, n_a, x, w->n, p);
    reduce(b, n_b, y, w->n, p);
    forward(x, w->n, w->roots, p);
    forward(y, w->n, w->roots, p);
    multiplier scale = multiplier_of(inverse((uint32_t)(w->n % p), p), p);
    for (size_t i = 0; i < w->n; i++) {
        x[i] = times((uint32_t)((uint64_t)x[i] * y[i] % p), scale, p);
    }
    backward(x, w->n, w->roots, p);
}

/* ---- Chinese remainders ---- */

/* Garner: mixed-radix digits of the value, least significant first. */
typedef struct garner {
    multiplier inverses[MAX_FIELDS][MAX_FIELDS]; /* of prime j modulo prime i */
} garner;

static void garner_init(garner *g, unsigned n_fields)
{
    for (unsigned i = 0; i < n_fields; i++) {
        uint32_t p = fields[i].prime;
        for (unsigned j = 0; j < i; j++) {
            g->inverses[i][j] = multiplier_of(inverse(fields[j].prime % p, p), p);
        }
    }
}

/* The value of least magnitude with these residues. Half the product of the primes has
 * the digits (p - 1) / 2, so the sign shows in the first digit that differs. */
static weir_int128 join(const garner *g, const work *w, size_t at)
{
    uint32_t digits[MAX_FIELDS];
    for (unsigned i = 0; i < w->n_fields; i++) {
        uint32_t p = fields[i].prime, d = w->residues[i][at];
        for (unsigned j = 0; j < i; j++) {
            d = times(minus(d, digits[j] % p, p), g->inverses[i][j], p);
        }
        digits[i] = d;
    }
    wide value = 0, product = 1; /* modulo 2^128: the result fits */
    int sign = 0;
    for (unsigned i = 0; i < w->n_fields; i++) {
        uint32_t half = (fields[i].prime - 1) / 2;
        sign = digits[i] != half ? (digits[i] > half ? -1 : 1) : sign;
        value += product * digits[i];
        product *= fields[i].prime;
    }
    return (weir_int128)(sign < 0 ? value - product : value);
}

/* ---- bounds ---- */

static uint64_t largest_magnitude(const int64_t *a, size_t n)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t m = a[i] < 0 ? 0 - (uint64_t)a[i] : (uint64_t)a[i];
        largest = m > largest ? m : largest;
    }
    return largest;
}

/* How many primes; 0: the bound is 2^126 or more. */
static unsigned fields_for(uint64_t a, uint64_t b, size_t terms)
{
    const wide limit = (wide)1 << 126;
    wide bound = (wide)a * b;
    if (bound != 0 && bound > (limit - 1) / terms) {
        return 0;
    }
    bound *= terms;
    wide rest = 2 * bound; /* must be below the product */
    unsigned n = 0;
    while (rest > 0) {
        rest /= fields[n++].prime;
    }
    return n > 0 ? n : 1;
}

static void work_free(work *w)
{
    free(w->roots);
    free(w->other);
    for (unsigned i = 0; i < MAX_FIELDS; i++) {
        free(w->residues[i]);
    }
}

static weir_status work_alloc(work *w, weir_error *err)
{
    w->roots = malloc(w->n * sizeof *w->roots);
    w->other = malloc(w->n * sizeof *w->other);
    bool ok = w->roots && w->other;
    for (unsigned i = 0; i < w->n_fields; i++) {
        w->residues[i] = malloc(w->n * sizeof *w->residues[i]);
        ok = ok && w->residues[i];
    }
    return ok ? WEIR_OK
              : weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a product of %zu terms", w->n);
}

weir_status weir_exact_convolve(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
                                weir_int128 *c, weir_error *err)
{
    if (n_a == 0 || n_b == 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "nothing to convolve: a vector is empty");
    }
    size_t terms = n_a < n_b ? n_a : n_b, n_c = n_a + n_b - 1;
    work w = {.n = 1};
    w.n_fields = fields_for(largest_magnitude(a, n_a), largest_magnitude(b, n_b), terms);
    if (w.n_fields == 0) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "an exact product needs (terms) x (largest A) x (largest B) below 2^126; "
                         "here that is exceeded with %zu terms",
                         terms);
    }
    while (w.n < n_c) {
        w.n *= 2;
    }
    if (w.n > (size_t)1 << 24) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "an exact product has at most 2^24 coefficients; this one would have %zu",
                         n_c);
    }
    garner g;
    weir_status status = work_alloc(&w, err);
    if (status == WEIR_OK) {
        for (unsigned f = 0; f < w.n_fields; f++) {
            convolve_modulo(&w, f, a, n_a, b, n_b);
        }
        garner_init(&g, w.n_fields);
        for (size_t k = 0; k < n_c; k++) {
            c[k] = join(&g, &w, k ? w.n - k : 0);
        }
    }
    work_free(&w);
    return status;
}

char *weir_int128_text(weir_int128 value, char text[48])
{
    char *at = text + 47;
    wide rest = value < 0 ? 0 - (wide)value : (wide)value;
    *at = '\0';
    do {
        *--at = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--at = '-';
    }
    return at;
}
