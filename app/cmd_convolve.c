/* weir convolve: convolutions, correlations and products of polynomials. */
#include "app/commands.h"
#include "app/vector_transform.h"
#include "cuda/convolve.h"
#include "cuda/fft_exact.h"
#include "cuda/fft_plan.h"

#include <stdlib.h>
#include <string.h>

/* Reversed: a convolution with it, conjugated, is a correlation. */
static void reverse(weir_vector *v)
{
    const size_t parts = v->is_complex ? 2 : 1;
    for (size_t i = 0, j = v->n; i < j--; i++) {
        for (size_t c = 0; c < parts; c++) {
            double value = v->values[parts * i + c];
            v->values[parts * i + c] = v->values[parts * j + c];
            v->values[parts * j + c] = value;
            if (v->integers) {
                int64_t whole = v->integers[parts * i + c];
                v->integers[parts * i + c] = v->integers[parts * j + c];
                v->integers[parts * j + c] = whole;
            }
        }
    }
}

static size_t longer(const weir_vector *a, const weir_vector *b)
{
    return a->n > b->n ? a->n : b->n;
}

/* ---- integers, exactly ---- */

/* Real and imaginary part of a vector of integers; the second is NULL where it is real. */
typedef struct parts {
    int64_t *of[2];
    size_t n;
} parts;

static weir_status take_apart(parts *p, const weir_vector *v, weir_error *err)
{
    *p = (parts){.n = v->n};
    const size_t n_parts = v->is_complex ? 2 : 1;
    for (size_t c = 0; c < n_parts; c++) {
        p->of[c] = malloc(v->n * sizeof *p->of[c]);
        if (!p->of[c]) {
            return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu values", v->n);
        }
        for (size_t i = 0; i < v->n; i++) {
            p->of[c][i] = v->integers[n_parts * i + c];
        }
    }
    return WEIR_OK;
}

static void free_parts(parts *p)
{
    free(p->of[0]);
    free(p->of[1]);
}

typedef weir_status exact_product(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
                                  weir_int128 *c, weir_error *err);

typedef struct integer_job {
    parts a, b;
    bool conjugate; /* b */
    weir_int128 *c[2], *product;
    size_t n; /* of each of these */
} integer_job;

/* A product of real vectors is below 2^126, so that the sum of two fits. */
static weir_status multiply_integers(integer_job *j, exact_product *convolve, weir_error *err)
{
    static const struct {
        int a, b, c, sign;
    } terms[] = {{0, 0, 0, 1}, {1, 1, 0, -1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
    for (int c = 0; c < 2 && j->c[c]; c++) {
        memset(j->c[c], 0, j->n * sizeof *j->c[c]);
    }
    for (size_t t = 0; t < sizeof terms / sizeof terms[0]; t++) {
        const int64_t *a = j->a.of[terms[t].a], *b = j->b.of[terms[t].b];
        weir_int128 *c = j->c[terms[t].c];
        if (!a || !b || !c) {
            continue;
        }
        weir_status status = convolve(a, j->a.n, b, j->b.n, j->product, err);
        if (status != WEIR_OK) {
            return status;
        }
        bool minus = (terms[t].sign < 0) != (terms[t].b && j->conjugate);
        for (size_t i = 0; i < j->n; i++) {
            c[i] += minus ? -j->product[i] : j->product[i];
        }
    }
    return WEIR_OK;
}

static weir_status integers_on_cpu(void *job, weir_error *err)
{
    return multiply_integers(job, weir_exact_convolve, err);
}

static weir_status integers_on_gpu(void *job, weir_error *err)
{
    return multiply_integers(job, weir_exact_convolve_gpu, err);
}

/* Sums of at most min(n_a, n_b) products either way, so the bound of the linear one holds. */
static size_t wrap_integers(weir_int128 *c, size_t n, size_t period)
{
    for (size_t i = period; i < n; i++) {
        c[i % period] += c[i];
    }
    return n < period ? n : period;
}

static weir_status run_integers(const weir_settings *settings, integer_job *job, size_t period,
                                weir_error *err)
{
    /* Transforms modulo several primes: on the CPU much slower than those of floats. */
    weir_status status =
        weir_vector_run(settings, 4 * job->n, integers_on_gpu, integers_on_cpu, job, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_integers result = {job->c[0], job->c[1], job->n};
    for (int c = 0; c < 2 && period > 0 && job->c[c]; c++) {
        result.n = wrap_integers(job->c[c], job->n, period);
    }
    return weir_vector_write_integers(settings, &result, err);
}

static weir_status convolve_integers(const weir_settings *settings, const weir_vector *a,
                                     const weir_vector *b, weir_error *err)
{
    integer_job job = {.n = a->n + b->n - 1, .conjugate = settings->correlate};
    const bool is_complex = a->is_complex || b->is_complex;
    weir_status status = take_apart(&job.a, a, err);
    if (status == WEIR_OK) {
        status = take_apart(&job.b, b, err);
    }
    job.product = calloc(job.n, sizeof *job.product);
    job.c[0] = calloc(job.n, sizeof *job.product);
    job.c[1] = is_complex ? calloc(job.n, sizeof *job.product) : NULL;
    if (status == WEIR_OK && (!job.product || !job.c[0] || (is_complex && !job.c[1]))) {
        status = weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu values", job.n);
    }
    if (status == WEIR_OK) {
        const bool circular = settings->convolve_mode == WEIR_CONVOLVE_CIRCULAR;
        status = run_integers(settings, &job, circular ? longer(a, b) : 0, err);
    }
    free(job.c[0]);
    free(job.c[1]);
    free(job.product);
    free_parts(&job.a);
    free_parts(&job.b);
    return status;
}

/* ---- anything else, in single precision ---- */

static void multiply(float *x, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float re = x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1];
        x[2 * i + 1] = x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i];
        x[2 * i] = re;
    }
}

/* Complex values, n_out of them, into out (which has room for n). */
typedef struct float_job {
    const weir_vector *a, *b;
    bool circular, conjugate;
    size_t n_out, n; /* n: of the transforms */
    float *out;
    int exponent; /* out is to be multiplied by two to this */
} float_job;

/* Both vectors as floats, the second one conjugated where that was asked for. */
static bool both_as_floats(float_job *j, size_t n_a, size_t n_b, float **x, float **y,
                           weir_error *err)
{
    int a = 0, b = 0;
    *x = weir_vector_floats(j->a, n_a, &a, err);
    *y = *x ? weir_vector_floats(j->b, n_b, &b, err) : NULL;
    for (size_t i = 0; *y && j->conjugate && i < n_b; i++) {
        (*y)[2 * i + 1] = -(*y)[2 * i + 1];
    }
    j->exponent = a + b;
    return *y;
}

static weir_status floats_on_gpu(void *job, weir_error *err)
{
    float_job *j = job;
    const weir_gpu_convolver_config config = {
        .n_a = j->a->n, .n_b = j->b->n, .circular = j->circular};
    weir_gpu_convolver *convolver = NULL;
    float *x, *y;
    weir_status status = both_as_floats(j, j->a->n, j->b->n, &x, &y, err)
                             ? weir_gpu_convolver_create(&convolver, &config, err)
                             : WEIR_ERR_NOMEM;
    if (status == WEIR_OK) {
        status = weir_gpu_convolver_run(convolver, x, y, j->out, err);
    }
    weir_gpu_convolver_destroy(convolver);
    free(x);
    free(y);
    return status;
}

static weir_status floats_on_cpu(void *job, weir_error *err)
{
    float_job *j = job;
    const weir_settings cpu = {.engine = WEIR_ENGINE_CPU};
    float *x, *y;
    weir_status status = both_as_floats(j, j->n, j->n, &x, &y, err)
                             ? weir_vector_transform(&cpu, x, j->n, false, err)
                             : WEIR_ERR_NOMEM;
    if (status == WEIR_OK) {
        status = weir_vector_transform(&cpu, y, j->n, false, err);
    }
    if (status == WEIR_OK) {
        multiply(x, y, j->n);
        status = weir_vector_transform(&cpu, x, j->n, true, err);
    }
    for (size_t i = 0; status == WEIR_OK && i < 2 * j->n_out; i++) {
        j->out[i] = x[i] / (float)j->n;
    }
    free(x);
    free(y);
    return status;
}

static weir_status convolve_floats(const weir_settings *settings, const weir_vector *a,
                                   const weir_vector *b, weir_error *err)
{
    float_job job = {.a = a, .b = b, .conjugate = settings->correlate};
    job.circular = settings->convolve_mode == WEIR_CONVOLVE_CIRCULAR;
    job.n_out = job.circular ? longer(a, b) : a->n + b->n - 1;
    job.n = job.circular ? job.n_out : weir_fft_next_smooth(job.n_out);
    job.out = job.n_out > 0 ? calloc(2 * job.n_out, sizeof *job.out) : NULL; /* none is empty */
    if (!job.out) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu values", job.n_out);
    }
    weir_status status = weir_vector_run(settings, job.n, floats_on_gpu, floats_on_cpu, &job, err);
    if (status == WEIR_OK) {
        status = weir_vector_write_floats(settings, job.out, job.n_out,
                                          a->is_complex || b->is_complex, 1.0, job.exponent, err);
    }
    free(job.out);
    return status;
}

/* ---- the command ---- */

static bool is_whole(const weir_vector *v)
{
    return v->integers || v->beyond[0];
}

static weir_status convolve(const weir_settings *settings, const weir_vector *a, weir_vector *b,
                            weir_error *err)
{
    const bool exact = is_whole(a) && is_whole(b);
    if (exact && !(a->integers && b->integers)) {
        return weir_fail(
            err, WEIR_ERR_DATA,
            "%s: an integer that 64 bits do not hold, where all are integers: no exact "
            "result (any value with a fraction asks for one in single precision)",
            a->integers ? b->beyond : a->beyond);
    }
    if (settings->correlate) {
        reverse(b);
    }
    return exact ? convolve_integers(settings, a, b, err) : convolve_floats(settings, a, b, err);
}

weir_status weir_cmd_convolve(const weir_settings *settings, int n_arguments, char **arguments,
                              weir_error *err)
{
    (void)n_arguments;
    weir_vector a, b;
    weir_status status = weir_vector_one_output(settings, err);
    if (strcmp(arguments[0], "-") == 0 && strcmp(arguments[1], "-") == 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "standard input cannot be both A and B");
    }
    if (status == WEIR_OK) {
        status = weir_vector_read(&a, arguments[0], settings->format, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    status = weir_vector_read(&b, arguments[1], settings->format, err);
    if (status == WEIR_OK) {
        status = convolve(settings, &a, &b, err);
        weir_vector_free(&b);
    }
    weir_vector_free(&a);
    return status;
}
