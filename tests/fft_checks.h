/* What every plan of cuda/fft.h must fulfil, on a GPU or rehearsed on the CPU: results
 * against a double-precision transform, outputs poisoned before, fresh random input.
 *
 * Gates: relative L2 <= 8e-8 sqrt(log2 N), three times that where the length has prime
 * factors above 13 (Rader, Bluestein). A radix-2 transform with correctly rounded twiddles
 * has about 0.65 2^-24 sqrt(log2 N) * 1.7 = 3.9e-8 sqrt(log2 N); the gate is twice that.
 */
#ifndef WEIR_TESTS_FFT_CHECKS_H
#define WEIR_TESTS_FFT_CHECKS_H

#include "check.h"
#include "cuda/fft.h"
#include "cuda/fft_plan.h"
#include "dsp/fft_f64.h"

#include <complex.h>
#include <stdbool.h>

typedef weir_status fft_creator(weir_gpu_fft **, const weir_gpu_fft_config *, weir_error *);

static fft_creator *create_fft = weir_gpu_fft_rehearse;
static double worst_ratio; /* error over gate, so far */
static size_t worst_n;

static double gate_of(size_t n)
{
    double bits = log2((double)(n > 2 ? n : 2));
    return 8e-8 * sqrt(bits) * (weir_fft_is_smooth(n) ? 1 : 3);
}

/* Forward of each transform of n points in place, interleaved. */
static bool reference(double *data, size_t n, size_t batch)
{
    weir_fft_f64 *f64;
    weir_error err;
    if (weir_fft_f64_create(&f64, n, &err) != WEIR_OK) {
        CHECK_MSG(false, "%s", err.text);
        return false;
    }
    for (size_t b = 0; b < batch; b++) {
        weir_fft_f64_forward(f64, data + 2 * n * b);
    }
    weir_fft_f64_destroy(f64);
    return true;
}

/* Transform b, point j of the input as a complex number, in the caller's layout. */
typedef struct fft_case {
    weir_gpu_fft_config config;
    size_t n, batch, values_in, values_out, stride_in, stride_out, distance_in, distance_out;
    float *in, *out;
    double *exact; /* complex, batch x n: the transform that is wanted */
    size_t floats_in, floats_out;
} fft_case;

static unsigned parts_in(const fft_case *c)
{
    return c->config.real && !c->config.inverse ? 1 : 2;
}

static unsigned parts_out(const fft_case *c)
{
    return c->config.real && c->config.inverse ? 1 : 2;
}

static size_t or_one(size_t value, size_t otherwise)
{
    return value ? value : otherwise;
}

static void case_begin(fft_case *c, const weir_gpu_fft_config *config)
{
    *c = (fft_case){.config = *config, .n = config->n, .batch = or_one(config->batch, 1)};
    c->values_in = weir_gpu_fft_values_in(config);
    c->values_out = weir_gpu_fft_values_out(config);
    c->stride_in = or_one(config->stride_in, 1);
    c->stride_out = or_one(config->stride_out, 1);
    c->distance_in = or_one(config->distance_in, c->values_in * c->stride_in);
    c->distance_out = or_one(config->distance_out, c->values_out * c->stride_out);
    c->floats_in = parts_in(c) * (c->distance_in * c->batch + c->values_in * c->stride_in);
    c->floats_out = parts_out(c) * (c->distance_out * c->batch + c->values_out * c->stride_out);
    c->in = malloc(c->floats_in * sizeof(float));
    c->out = malloc(c->floats_out * sizeof(float));
    c->exact = calloc(2 * c->n * c->batch, sizeof(double));
    for (size_t i = 0; i < c->floats_in; i++) {
        c->in[i] = NAN; /* what no value is read from */
    }
    for (size_t i = 0; i < c->floats_out; i++) {
        c->out[i] = NAN;
    }
}

static void case_end(fft_case *c)
{
    free(c->in);
    free(c->out);
    free(c->exact);
}

static void set_input_value(fft_case *c, size_t b, size_t j, double re, double im)
{
    size_t at = parts_in(c) * (b * c->distance_in + j * c->stride_in);
    c->in[at] = (float)re;
    if (parts_in(c) == 2) {
        c->in[at + 1] = (float)im;
    }
}

/* Random input; exact becomes what a forward transform takes: the inverse is the forward
 * of exchanged parts. */
static void case_random(fft_case *c, check_rng *rng)
{
    size_t n = c->n, there = or_one(c->config.length_in, c->values_in);
    for (size_t b = 0; b < c->batch; b++) {
        double *x = c->exact + 2 * n * b;
        for (size_t j = 0; j < there; j++) {
            float re = (float)check_gauss(rng), im = (float)check_gauss(rng);
            bool half = c->config.real && c->config.inverse;
            set_input_value(c, b, j, re, im); /* the ends' imaginary parts must not count */
            im = c->config.real && !c->config.inverse ? 0 : im;
            im = half && (j == 0 || 2 * j == n) ? 0 : im;
            x[2 * j] = re;
            x[2 * j + 1] = im;
            if (half && j > 0 && 2 * j < n) {
                x[2 * (n - j)] = re;
                x[2 * (n - j) + 1] = -im;
            }
        }
    }
}

static void swap_parts(double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double re = x[2 * i];
        x[2 * i] = x[2 * i + 1];
        x[2 * i + 1] = re;
    }
}

static bool case_reference(fft_case *c)
{
    size_t count = c->n * c->batch;
    if (c->config.inverse) {
        swap_parts(c->exact, count);
    }
    if (!reference(c->exact, c->n, c->batch)) {
        return false;
    }
    if (c->config.inverse) {
        swap_parts(c->exact, count);
        double scale = c->config.unscaled ? 1 : 1 / (double)c->n;
        for (size_t i = 0; i < 2 * count; i++) {
            c->exact[i] *= scale;
        }
    }
    return true;
}

/* Relative L2 over the batch; NaN if a value was not written. */
static double error_of(const fft_case *c)
{
    double error = 0, norm = 0;
    for (size_t b = 0; b < c->batch; b++) {
        for (size_t k = 0; k < c->values_out; k++) {
            const float *got = c->out + parts_out(c) * (b * c->distance_out + k * c->stride_out);
            const double *x = c->exact + 2 * (c->n * b + k);
            double re = got[0] - x[0], im = parts_out(c) == 2 ? got[1] - x[1] : 0;
            error += re * re + im * im;
            norm += x[0] * x[0] + x[1] * x[1];
        }
    }
    return norm > 0 ? sqrt(error / norm) : sqrt(error);
}

static void compare_case(const fft_case *c)
{
    double gate = gate_of(c->n), error = error_of(c);
    CHECK_MSG(error <= gate, "n %zu, batch %zu, %s %s, stride %zu/%zu: error %.3g over %.3g", c->n,
              c->batch, c->config.real ? "real" : "complex",
              c->config.inverse ? "inverse" : "forward", c->stride_in, c->stride_out, error, gate);
    if (error / gate > worst_ratio) {
        worst_ratio = error / gate;
        worst_n = c->n;
    }
}

static bool run_config(const weir_gpu_fft_config *config, const float *in, float *out)
{
    weir_error err = {0};
    weir_gpu_fft *fft;
    weir_status status = create_fft(&fft, config, &err);
    if (status == WEIR_OK) {
        status = weir_gpu_fft_run(fft, in, out, &err);
    }
    CHECK_MSG(status == WEIR_OK, "n %zu: %.400s", config->n, err.text);
    weir_gpu_fft_destroy(status == WEIR_OK || fft ? fft : NULL);
    return status == WEIR_OK;
}

static void check_config(const weir_gpu_fft_config *config, check_rng *rng)
{
    fft_case c;
    case_begin(&c, config);
    case_random(&c, rng);
    if (run_config(config, c.in, c.out) && case_reference(&c)) {
        compare_case(&c);
    }
    case_end(&c);
}

/* All four kinds of one length. */
static void check_length(size_t n, size_t batch, check_rng *rng)
{
    for (int kind = 0; kind < 4; kind++) {
        check_config(
            &(weir_gpu_fft_config){.n = n, .batch = batch, .real = kind & 1, .inverse = kind & 2},
            rng);
    }
}

#endif
