/* Products of integer polynomials, on the CPU or the GPU, against schoolbook sums in 128-bit
 * integers. */
#ifndef WEIR_TESTS_EXACT_CHECKS_H
#define WEIR_TESTS_EXACT_CHECKS_H

#include "check.h"
#include "cuda/fft_exact.h"

#include <stdbool.h>

typedef weir_status exact_function(const int64_t *, size_t, const int64_t *, size_t, weir_int128 *,
                                   weir_error *);

static exact_function *multiply = weir_exact_convolve;

static int64_t random_within(check_rng *rng, int64_t bound)
{
    return (int64_t)(check_random(rng) % (2 * (uint64_t)bound + 1)) - bound;
}

static weir_int128 schoolbook(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b, size_t k)
{
    weir_int128 sum = 0;
    for (size_t i = k < n_b ? 0 : k - n_b + 1; i < n_a && i <= k; i++) {
        sum += (weir_int128)a[i] * b[k - i];
    }
    return sum;
}

typedef struct product {
    size_t n_a, n_b;
    int64_t *a, *b;
    weir_int128 *c;
} product;

static product make(size_t n_a, size_t n_b)
{
    product p = {.n_a = n_a, .n_b = n_b};
    p.a = malloc(n_a * sizeof *p.a);
    p.b = malloc(n_b * sizeof *p.b);
    p.c = malloc((n_a + n_b) * sizeof *p.c);
    memset(p.c, 0x5a, (n_a + n_b) * sizeof *p.c);
    return p;
}

static void drop(product *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
}

static void check_at(const product *p, size_t k)
{
    char got[48], want[48];
    weir_int128 exact = schoolbook(p->a, p->n_a, p->b, p->n_b, k);
    CHECK_MSG(p->c[k] == exact, "%zu x %zu, term %zu: %s, expected %s", p->n_a, p->n_b, k,
              weir_int128_text(p->c[k], got), weir_int128_text(exact, want));
}

static void test_small(void)
{
    check_rng rng = check_rng_fresh();
    weir_error err;
    for (int round = 0; round < 300; round++) {
        product p = make(1 + check_random(&rng) % 40, 1 + check_random(&rng) % 40);
        int64_t bound = (int64_t)(check_random(&rng) >> (3 + check_random(&rng) % 60));
        bound = bound > (int64_t)1 << 60 ? (int64_t)1 << 60 : bound;
        for (size_t i = 0; i < p.n_a; i++) {
            p.a[i] = random_within(&rng, bound);
        }
        for (size_t i = 0; i < p.n_b; i++) {
            p.b[i] = random_within(&rng, bound);
        }
        CHECK(multiply(p.a, p.n_a, p.b, p.n_b, p.c, &err) == WEIR_OK);
        for (size_t k = 0; k < p.n_a + p.n_b - 1; k++) {
            check_at(&p, k);
        }
        drop(&p);
    }
}

/* All coefficients at the bound: the largest and the least result there can be. */
static void test_extremes(void)
{
    static const int64_t bounds[] = {1, 1000000000, (int64_t)1 << 58, INT64_MAX, INT64_MIN};
    weir_error err;
    for (size_t t = 0; t < sizeof bounds / sizeof bounds[0]; t++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            size_t n = t < 3 ? 257 : 1; /* 257 x 2^63 x 2^63 would be too much */
            product p = make(n, n);
            for (size_t i = 0; i < n; i++) {
                p.a[i] = bounds[t];
                p.b[i] = bounds[t] == INT64_MIN ? sign : sign * bounds[t];
            }
            CHECK(multiply(p.a, n, p.b, n, p.c, &err) == WEIR_OK);
            for (size_t k = 0; k < 2 * n - 1; k++) {
                check_at(&p, k);
            }
            drop(&p);
        }
    }
}

/* Degree 10^6, coefficients to 10^9: 60 terms in full, and the whole product at a point
 * modulo a prime that is not one of the transforms'. */
static void test_degree_million(void)
{
    const uint64_t prime = UINT64_C(2305843009213693951); /* 2^61 - 1 */
    check_rng rng = check_rng_fresh();
    weir_error err;
    size_t n = 1000001;
    product p = make(n, n);
    for (size_t i = 0; i < n; i++) {
        p.a[i] = random_within(&rng, 1000000000);
        p.b[i] = random_within(&rng, 1000000000);
    }
    CHECK(multiply(p.a, n, p.b, n, p.c, &err) == WEIR_OK);
    for (int i = 0; i < 60; i++) {
        check_at(&p, i == 0 ? 0 : i == 1 ? 2 * n - 2 : check_random(&rng) % (2 * n - 1));
    }
    weir_int128 x = (weir_int128)(check_random(&rng) % prime), at_a = 0, at_b = 0, at_c = 0;
    for (size_t i = n; i-- > 0;) {
        at_a = (at_a * x + p.a[i] + (weir_int128)prime) % (weir_int128)prime;
        at_b = (at_b * x + p.b[i] + (weir_int128)prime) % (weir_int128)prime;
    }
    for (size_t k = 2 * n - 1; k-- > 0;) {
        weir_int128 c = p.c[k] % (weir_int128)prime;
        at_c = (at_c * x + c + (weir_int128)prime) % (weir_int128)prime;
    }
    CHECK(at_a * at_b % (weir_int128)prime == at_c);
    drop(&p);
}

static void test_refusals(void)
{
    weir_error err;
    int64_t a[2] = {INT64_MIN, INT64_MIN};
    weir_int128 c[4];
    CHECK(multiply(a, 2, a, 2, c, &err) == WEIR_ERR_UNSUPPORTED);
    CHECK(strstr(err.text, "2^126") != NULL);
    CHECK(multiply(a, 0, a, 2, c, &err) == WEIR_ERR_USAGE);
    size_t n = ((size_t)1 << 23) + 2;
    int64_t *zeros = calloc(n, sizeof *zeros);
    weir_int128 *out = malloc(1);
    CHECK(multiply(zeros, n, zeros, n, out, &err) == WEIR_ERR_UNSUPPORTED);
    CHECK(strstr(err.text, "2^24") != NULL);
    free(out);
    free(zeros);
}

/* A product passes; with any one digit changed it does not. */
static void test_check(void)
{
    check_rng rng = check_rng_fresh();
    weir_error err;
    for (int round = 0; round < 100; round++) {
        product p = make(1 + check_random(&rng) % 300, 1 + check_random(&rng) % 300);
        for (size_t i = 0; i < p.n_a; i++) {
            p.a[i] = random_within(&rng, (int64_t)1 << 55);
        }
        for (size_t i = 0; i < p.n_b; i++) {
            p.b[i] = random_within(&rng, (int64_t)1 << 55);
        }
        uint64_t seed = check_random(&rng);
        size_t wrong = check_random(&rng) % (p.n_a + p.n_b - 1);
        CHECK(multiply(p.a, p.n_a, p.b, p.n_b, p.c, &err) == WEIR_OK);
        CHECK(weir_exact_check(p.a, p.n_a, p.b, p.n_b, p.c, seed));
        p.c[wrong] ^= (weir_int128)1 << check_random(&rng) % 122;
        CHECK(!weir_exact_check(p.a, p.n_a, p.b, p.n_b, p.c, seed));
        drop(&p);
    }
}

static void exact_checks(void)
{
    RUN(test_small);
    RUN(test_extremes);
    if (!getenv("WEIR_GPU_TEST_SMALL")) {
        RUN(test_degree_million);
    }
    RUN(test_refusals);
    RUN(test_check);
}

#endif
