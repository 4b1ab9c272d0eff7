#include "cuda/fft_exact.h"

#include "cuda/fft_field.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Largest powers of two first: c 2^25 + 1 or better, but for the last (2^24). */
static const weir_field fields[WEIR_MAX_FIELDS] = {
    {2013265921, 31}, {1811939329, 13}, {2113929217, 5}, {469762049, 3}, {754974721, 11},
};

/* ---- transforms ---- */

/* roots[half + i] = w_(2 half)^i */
static void fill_roots(weir_multiplier *roots, size_t n, uint32_t generator, uint32_t p)
{
    for (size_t half = 1; half < n; half *= 2) {
        uint64_t w = weir_field_power(generator, (uint32_t)((p - 1) / (2 * half)), p), at = 1;
        for (size_t i = 0; i < half; i++) {
            roots[half + i] = weir_multiplier_of((uint32_t)at, p);
            at = at * w % p;
        }
    }
}

/* Natural order in, bit-reversed out. */
static void forward(uint32_t *x, size_t n, const weir_multiplier *roots, uint32_t p)
{
    for (size_t half = n / 2; half > 0; half /= 2) {
        for (size_t first = 0; first < n; first += 2 * half) {
            for (size_t i = 0; i < half; i++) {
                uint32_t *u = &x[first + i], *v = u + half;
                uint32_t difference = weir_field_minus(*u, *v, p);
                *u = weir_field_plus(*u, *v, p);
                *v = weir_field_times(difference, roots[half + i], p);
            }
        }
    }
}

/* Bit-reversed in, natural out, with the roots of the forward one: the result runs
 * backwards, as n times x[-k mod n]. */
static void backward(uint32_t *x, size_t n, const weir_multiplier *roots, uint32_t p)
{
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t first = 0; first < n; first += 2 * half) {
            for (size_t i = 0; i < half; i++) {
                uint32_t *u = &x[first + i], *v = u + half;
                uint32_t t = weir_field_times(*v, roots[half + i], p);
                *v = weir_field_minus(*u, t, p);
                *u = weir_field_plus(*u, t, p);
            }
        }
    }
}

typedef struct work {
    size_t n; /* a power of two that holds the result */
    weir_multiplier *roots;
    uint32_t *other;
    uint32_t *residues[WEIR_MAX_FIELDS];
    unsigned n_fields;
} work;

static void reduce(const int64_t *a, size_t n_a, uint32_t *x, size_t n, uint32_t p)
{
    for (size_t i = 0; i < n_a; i++) {
        x[i] = weir_field_reduce(a[i], p);
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
    weir_multiplier scale = weir_multiplier_of(weir_field_inverse((uint32_t)(w->n % p), p), p);
    for (size_t i = 0; i < w->n; i++) {
        x[i] = weir_field_times((uint32_t)((uint64_t)x[i] * y[i] % p), scale, p);
    }
    backward(x, w->n, w->roots, p);
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
    const weir_wide limit = (weir_wide)1 << 126;
    weir_wide bound = (weir_wide)a * b;
    if (bound != 0 && bound > (limit - 1) / terms) {
        return 0;
    }
    bound *= terms;
    weir_wide rest = 2 * bound; /* must be below the product */
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
    for (unsigned i = 0; i < WEIR_MAX_FIELDS; i++) {
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

weir_status weir_exact_plan(weir_exact_size *size, const int64_t *a, size_t n_a, const int64_t *b,
                            size_t n_b, weir_error *err)
{
    if (n_a == 0 || n_b == 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "nothing to convolve: a vector is empty");
    }
    size_t terms = n_a < n_b ? n_a : n_b;
    *size = (weir_exact_size){.n = 1, .n_c = n_a + n_b - 1};
    memcpy(size->fields, fields, sizeof fields);
    size->n_fields = fields_for(largest_magnitude(a, n_a), largest_magnitude(b, n_b), terms);
    if (size->n_fields == 0) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "an exact product needs (terms) x (largest A) x (largest B) below 2^126; "
                         "here that is exceeded with %zu terms",
                         terms);
    }
    while (size->n < size->n_c) {
        size->n *= 2;
    }
    if (size->n > (size_t)1 << 24) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "an exact product has at most 2^24 coefficients; this one would have %zu",
                         size->n_c);
    }
    return WEIR_OK;
}

/* The results are those of the transforms, backwards. */
static void join_all(const work *w, const weir_exact_size *size, weir_int128 *c)
{
    const weir_garner g = weir_garner_of(size);
    for (size_t k = 0; k < size->n_c; k++) {
        uint32_t residues[WEIR_MAX_FIELDS] = {0};
        for (unsigned f = 0; f < size->n_fields; f++) {
            residues[f] = w->residues[f][k ? w->n - k : 0];
        }
        c[k] = weir_garner_join(&g, residues);
    }
}

weir_status weir_exact_convolve(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
                                weir_int128 *c, weir_error *err)
{
    weir_exact_size size;
    weir_status status = weir_exact_plan(&size, a, n_a, b, n_b, err);
    if (status != WEIR_OK) {
        return status;
    }
    work w = {.n = size.n, .n_fields = size.n_fields};
    status = work_alloc(&w, err);
    if (status == WEIR_OK) {
        for (unsigned f = 0; f < w.n_fields; f++) {
            convolve_modulo(&w, f, a, n_a, b, n_b);
        }
        join_all(&w, &size, c);
    }
    work_free(&w);
    return status;
}

/* ---- a check of a product ---- */

/* Modulo 2^61 - 1. */
static uint64_t fold(weir_wide x)
{
    const uint64_t m = (UINT64_C(1) << 61) - 1;
    uint64_t sum = (uint64_t)(x & m) + (uint64_t)(x >> 61 & m) + (uint64_t)(x >> 122);
    sum = (sum & m) + (sum >> 61);
    return sum >= m ? sum - m : sum;
}

static uint64_t step(uint64_t value, uint64_t at, weir_wide magnitude, bool negative)
{
    const uint64_t m = (UINT64_C(1) << 61) - 1;
    uint64_t folded = fold(magnitude);
    folded = negative ? m - folded : folded;
    return fold((weir_wide)value * at + folded);
}

static uint64_t value_at(const int64_t *a, size_t n, uint64_t at)
{
    uint64_t value = 0;
    while (n-- > 0) {
        value = step(value, at, a[n] < 0 ? 0 - (uint64_t)a[n] : (uint64_t)a[n], a[n] < 0);
    }
    return value;
}

bool weir_exact_check(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
                      const weir_int128 *c, uint64_t seed)
{
    const uint64_t at = fold((weir_wide)(seed | 1) * UINT64_C(0x9e3779b97f4a7c15));
    uint64_t value = 0;
    for (size_t n = n_a + n_b - 1; n-- > 0;) {
        value = step(value, at, c[n] < 0 ? 0 - (weir_wide)c[n] : (weir_wide)c[n], c[n] < 0);
    }
    return fold((weir_wide)value_at(a, n_a, at) * value_at(b, n_b, at)) == value;
}

char *weir_int128_text(weir_int128 value, char text[48])
{
    char *at = text + 47;
    weir_wide rest = value < 0 ? 0 - (weir_wide)value : (weir_wide)value;
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
