/* What every plan of cuda/convolve.h must fulfil, on a GPU or rehearsed on the CPU: results
 * against the direct sum in double precision, outputs poisoned before, fresh random input.
 *
 * Gate, relative to ||a|| ||b|| (no value can be larger): 4e-7, four times what three
 * transforms of single precision and their products were seen to add up to; as a norm over
 * all values, since rounding spreads over all of them. */
#ifndef WEIR_TESTS_CONVOLVE_CHECKS_H
#define WEIR_TESTS_CONVOLVE_CHECKS_H

#include "check.h"
#include "cuda/convolve.h"

#include <complex.h>

typedef weir_status convolver_creator(weir_gpu_convolver **, const weir_gpu_convolver_config *,
                                      weir_error *);

static convolver_creator *create_convolver = weir_gpu_convolver_rehearse;
static double worst_convolution;

static inline float *random_values(check_rng *rng, size_t n)
{
    float *x = malloc((n ? n : 1) * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)check_gauss(rng);
    }
    return x;
}

static inline double complex value_of(const float *x, bool real, size_t i)
{
    return real ? (double)x[i] : (double)x[2 * i] + I * (double)x[2 * i + 1];
}

/* Value k of the convolution of a and b, as the definition has it. */
static inline double complex direct_value(const weir_gpu_convolver_config *c, const float *a,
                                          const float *b, size_t k)
{
    size_t period = c->circular ? weir_gpu_convolver_length(c) : 0;
    double complex sum = 0;
    for (size_t j = 0; j < c->n_b; j++) {
        size_t at = c->correlate ? c->n_b - 1 - j : j;
        double complex h = value_of(b, c->real, at);
        h = c->correlate ? conj(h) : h;
        size_t i = k >= j ? k - j : period ? k + period - j : SIZE_MAX;
        if (i < c->n_a) {
            sum += value_of(a, c->real, i) * h;
        }
    }
    return sum;
}

static inline double norm_of(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    return sqrt(sum);
}

/* `looked_at` values of each result, spread over all of it (0: all of them). */
static inline void compare_with_sum(const weir_gpu_convolver_config *c, const float *a,
                                    const float *b, const float *out, size_t looked_at)
{
    size_t parts = c->real ? 1 : 2, n = weir_gpu_convolver_length(c);
    size_t step = looked_at && looked_at < n ? n / looked_at : 1;
    double gate = 4e-7 * norm_of(a, parts * c->n_a) * norm_of(b, parts * c->n_b), worst = 0;
    for (size_t k = 0; k < n; k += step) {
        double off = cabs(direct_value(c, a, b, k) - value_of(out, c->real, k)) / gate;
        worst = off <= worst ? worst : off; /* NaN stays */
    }
    worst_convolution = worst <= worst_convolution ? worst_convolution : worst;
    CHECK_MSG(worst <= 1,
              "n_a %zu n_b %zu batch %zu real %d circular %d correlate %d one %d block "
              "%zu whole %d: %.3g of the gate",
              c->n_a, c->n_b, c->batch, c->real, c->circular, c->correlate, c->one_filter, c->block,
              c->whole, worst);
}

static inline void check_convolution(const weir_gpu_convolver_config *c, check_rng *rng,
                                     size_t looked_at)
{
    size_t parts = c->real ? 1 : 2, batch = c->batch ? c->batch : 1;
    size_t filters = c->one_filter ? 1 : batch, n_c = weir_gpu_convolver_length(c);
    float *a = random_values(rng, parts * c->n_a * batch);
    float *b = random_values(rng, parts * c->n_b * filters);
    float *out = malloc(parts * n_c * batch * sizeof *out);
    weir_gpu_convolver *v;
    weir_error err = {WEIR_OK, ""};
    for (size_t i = 0; i < parts * n_c * batch; i++) {
        out[i] = NAN;
    }
    weir_status status = create_convolver(&v, c, &err);
    if (status == WEIR_OK) {
        status = weir_gpu_convolver_run(v, a, b, out, &err);
        weir_gpu_convolver_destroy(v);
    }
    CHECK_MSG(status == WEIR_OK, "%s", err.text);
    for (size_t i = 0; i < batch && status == WEIR_OK; i++) {
        compare_with_sum(c, a + parts * c->n_a * i, b + (filters > 1 ? parts * c->n_b * i : 0),
                         out + parts * n_c * i, looked_at);
    }
    free(a);
    free(b);
    free(out);
}

static inline weir_gpu_convolver_config random_config(check_rng *rng, size_t largest_a,
                                                      size_t largest_b)
{
    uint64_t bits = check_random(rng);
    return (weir_gpu_convolver_config){
        .n_a = 1 + (size_t)(check_random(rng) % largest_a),
        .n_b = 1 + (size_t)(check_random(rng) % largest_b),
        .batch = 1 + (size_t)(check_random(rng) % 5),
        .real = bits & 1,
        .circular = bits & 2,
        .correlate = bits & 4,
        .one_filter = bits & 8,
    };
}

/* Every way through: one block, overlap-save, whole; all kinds. */
static inline void check_all_kinds(size_t n_a, size_t n_b, size_t block, check_rng *rng)
{
    for (unsigned kind = 0; kind < 32; kind++) {
        weir_gpu_convolver_config c = {.n_a = n_a,
                                       .n_b = n_b,
                                       .batch = 3,
                                       .real = kind & 1,
                                       .circular = kind & 2,
                                       .correlate = kind & 4,
                                       .one_filter = kind & 8,
                                       .whole = kind & 16};
        check_convolution(&c, rng, 0);
        if (!c.whole && n_b <= block) {
            c.block = block;
            check_convolution(&c, rng, 0);
        }
    }
}

#endif
