/* weir convolve: convolutions, correlations and products of polynomials. */
#include "app/commands.h"
#include "app/vector_transform.h"
#include "base/outfile.h"
#include "cuda/convolve.h"
#include "cuda/fft_exact.h"
#include "cuda/fft_plan.h"

#include <stdlib.h>

/* Reversed and conjugated: a convolution with it is a correlation. */
static void turn_around(weir_vector *v)
{
    for (size_t i = 0, j = v->n; i < j--; i++) {
        size_t parts = v->is_complex ? 2 : 1;
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
    for (size_t i = 0; v->is_complex && i < v->n; i++) {
        v->values[2 * i + 1] = -v->values[2 * i + 1];
    }
}

static size_t longer(const weir_vector *a, const weir_vector *b)
{
    return a->n > b->n ? a->n : b->n;
}

static weir_status write_integers(const weir_settings *settings, const weir_int128 *c, size_t n,
                                  weir_error *err)
{
    weir_outfile *file;
    const char *path = settings->outputs.n ? settings->outputs.paths[0] : "-";
    weir_status status = weir_outfile_open(&file, path, false, err);
    if (status != WEIR_OK) {
        return status;
    }
    for (size_t i = 0; i < n && status == WEIR_OK; i++) {
        char text[48];
        status = weir_outfile_printf(file, err, "%s\n", weir_int128_text(c[i], text));
    }
    if (status == WEIR_OK) {
        status = weir_outfile_finish(file, err);
    }
    weir_outfile_destroy(file);
    return status;
}

/* Sums of at most min(n_a, n_b) products either way, so the bound of the linear one holds. */
static size_t wrap_integers(weir_int128 *c, size_t n, size_t period)
{
    for (size_t i = period; i < n; i++) {
        c[i % period] += c[i];
    }
    return n < period ? n : period;
}

typedef struct integer_job {
    const weir_vector *a, *b;
    weir_int128 *c;
} integer_job;

static weir_status integers_on_cpu(void *job, weir_error *err)
{
    const integer_job *j = job;
    return weir_exact_convolve(j->a->integers, j->a->n, j->b->integers, j->b->n, j->c, err);
}

static weir_status integers_on_gpu(void *job, weir_error *err)
{
    const integer_job *j = job;
    return weir_exact_convolve_gpu(j->a->integers, j->a->n, j->b->integers, j->b->n, j->c, err);
}

static weir_status convolve_integers(const weir_settings *settings, const weir_vector *a,
                                     const weir_vector *b, weir_error *err)
{
    size_t n = a->n + b->n - 1;
    integer_job job = {a, b, calloc(n, sizeof *job.c)};
    if (!job.c) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu values", n);
    }
    /* Transforms modulo several primes: on the CPU much slower than those of floats. */
    weir_status status =
        weir_vector_run(settings, 4 * n, integers_on_gpu, integers_on_cpu, &job, err);
    if (status == WEIR_OK) {
        if (settings->convolve_mode == WEIR_CONVOLVE_CIRCULAR) {
            n = wrap_integers(job.c, n, longer(a, b));
        }
        status = write_integers(settings, job.c, n, err);
    }
    free(job.c);
    return status;
}

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
    bool circular;
    size_t n_out, n; /* n: of the transforms */
    float *out;
} float_job;

static weir_status floats_on_gpu(void *job, weir_error *err)
{
    const float_job *j = job;
    const weir_gpu_convolver_config config = {
        .n_a = j->a->n, .n_b = j->b->n, .circular = j->circular};
    weir_gpu_convolver *convolver = NULL;
    float *x = weir_vector_floats(j->a, j->a->n, err);
    float *y = x ? weir_vector_floats(j->b, j->b->n, err) : NULL;
    weir_status status =
        x && y ? weir_gpu_convolver_create(&convolver, &config, err) : WEIR_ERR_NOMEM;
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
    const float_job *j = job;
    const weir_settings cpu = {.engine = WEIR_ENGINE_CPU};
    float *x = weir_vector_floats(j->a, j->n, err);
    float *y = x ? weir_vector_floats(j->b, j->n, err) : NULL;
    weir_status status = x && y ? weir_vector_transform(&cpu, x, j->n, false, err) : WEIR_ERR_NOMEM;
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
    float_job job = {.a = a, .b = b};
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
                                          a->is_complex || b->is_complex, 1.0, err);
    }
    free(job.out);
    return status;
}

weir_status weir_cmd_convolve(const weir_settings *settings, int n_arguments, char **arguments,
                              weir_error *err)
{
    (void)n_arguments;
    weir_vector a, b;
    weir_status status = weir_vector_one_output(settings, err);
    if (status == WEIR_OK) {
        status = weir_vector_read(&a, arguments[0], settings->format, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    status = weir_vector_read(&b, arguments[1], settings->format, err);
    if (status == WEIR_OK) {
        if (settings->correlate) {
            turn_around(&b);
        }
        bool exact = a.integers && b.integers && !a.is_complex && !b.is_complex;
        status = exact ? convolve_integers(settings, &a, &b, err)
                       : convolve_floats(settings, &a, &b, err);
        weir_vector_free(&b);
    }
    weir_vector_free(&a);
    return status;
}
