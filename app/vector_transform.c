#include "app/vector_transform.h"

#include "base/log.h"
#include "cuda/engine_cuda.h"
#include "cuda/fft.h"
#include "dsp/fft_plan.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which engine ---- */

static weir_status take_device(const weir_settings *settings, weir_error *err)
{
    return weir_cuda_use_device(settings->device < INT_MAX ? (int)settings->device : INT_MAX, err);
}

weir_status weir_vector_run(const weir_settings *settings, size_t points, weir_vector_work *on_gpu,
                            weir_vector_work *on_cpu, void *job, weir_error *err)
{
    weir_error why = {0};
    /* One stream is used: with one connection to the device instead of eight a context is
     * there in half the time. The user's own wish comes first. */
    (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    bool gpu = settings->engine == WEIR_ENGINE_CUDA ||
               (settings->engine == WEIR_ENGINE_AUTO && points >= WEIR_VECTOR_GPU_POINTS &&
                weir_cuda_device_count(&why) > 0);
    if (!gpu) {
        return on_cpu(job, err);
    }
    weir_status status = take_device(settings, err);
    if (status != WEIR_OK) { /* a device that is not there is an error with auto, too */
        return status;
    }
    status = on_gpu(job, err);
    if (status != WEIR_OK && status != WEIR_ERR_USAGE && settings->engine == WEIR_ENGINE_AUTO) {
        weir_log(WEIR_LOG_NOTICE, "%s; the CPU is used", err->text);
        return on_cpu(job, err);
    }
    return status;
}

/* ---- transforms in single precision ---- */

typedef struct transform_job {
    const float *in;
    float *out;
    size_t n;
    bool inverse;
} transform_job;

static void exchange_parts(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float re = x[2 * i];
        y[2 * i] = x[2 * i + 1];
        y[2 * i + 1] = re;
    }
}

static weir_status transform_on_cpu(void *job, weir_error *err)
{
    const transform_job *j = job;
    if (j->n == 1) {
        memcpy(j->out, j->in, 2 * sizeof *j->out);
        return WEIR_OK;
    }
    weir_fft *fft;
    weir_status status = weir_fft_create(&fft, j->n, true, WEIR_PLAN_ESTIMATE, NULL, err);
    if (status != WEIR_OK) {
        return status;
    }
    float *in = weir_fft_alloc(2 * j->n), *out = weir_fft_alloc(2 * j->n);
    if (in && out && j->inverse) {
        exchange_parts(j->in, in, j->n);
        weir_fft_execute(weir_fft_current(fft), in, out);
        exchange_parts(out, j->out, j->n);
    } else if (in && out) {
        memcpy(in, j->in, 2 * j->n * sizeof *in);
        weir_fft_execute(weir_fft_current(fft), in, out);
        memcpy(j->out, out, 2 * j->n * sizeof *out);
    } else {
        status =
            weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a transform of %zu points", j->n);
    }
    weir_fft_free(in);
    weir_fft_free(out);
    weir_fft_destroy(fft);
    return status;
}

static weir_status transform_on_gpu(void *job, weir_error *err)
{
    const transform_job *j = job;
    weir_gpu_fft *fft;
    const weir_gpu_fft_config config = {.n = j->n, .inverse = j->inverse, .unscaled = true};
    weir_status status = weir_gpu_fft_create(&fft, &config, err);
    if (status == WEIR_OK) {
        status = weir_gpu_fft_run(fft, j->in, j->out, err);
        weir_gpu_fft_destroy(fft);
    }
    return status;
}

weir_status weir_vector_transform(const weir_settings *settings, float *x, size_t n, bool inverse,
                                  weir_error *err)
{
    transform_job job = {x, malloc(2 * n * sizeof *x), n, inverse};
    if (!job.out) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu values", n);
    }
    weir_status status =
        weir_vector_run(settings, n, transform_on_gpu, transform_on_cpu, &job, err);
    if (status == WEIR_OK) {
        memcpy(x, job.out, 2 * n * sizeof *x);
    }
    free(job.out);
    return status;
}

/* ---- vectors as complex floats ---- */

static int exponent_of(const weir_vector *v)
{
    double largest = 0.0;
    int exponent;
    for (size_t i = 0; i < v->n * (v->is_complex ? 2 : 1); i++) {
        largest = fmax(largest, fabs(v->values[i]));
    }
    (void)frexp(largest, &exponent);
    return exponent;
}

float *weir_vector_floats(const weir_vector *v, size_t n, int *exponent, weir_error *err)
{
    float *x = calloc(n ? n : 1, 2 * sizeof *x);
    if (!x) {
        (void)weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu values", n);
        return NULL;
    }
    *exponent = exponent_of(v);
    for (size_t i = 0; i < v->n; i++) {
        double re = v->values[v->is_complex ? 2 * i : i];
        double im = v->is_complex ? v->values[2 * i + 1] : 0.0;
        x[2 * i] = (float)ldexp(re, -*exponent);
        x[2 * i + 1] = (float)ldexp(im, -*exponent);
    }
    return x;
}

static const char *output_path(const weir_settings *settings)
{
    return settings->outputs.n ? settings->outputs.paths[0] : NULL;
}

weir_status weir_vector_write_floats(const weir_settings *settings, const float *x, size_t n,
                                     bool is_complex, double scale, int exponent, weir_error *err)
{
    weir_vector v;
    const size_t parts = is_complex ? 2 : 1;
    weir_status status = weir_vector_alloc(&v, n, is_complex, err);
    if (status != WEIR_OK) {
        return status;
    }
    for (size_t i = 0; i < n * parts && status == WEIR_OK; i++) {
        v.values[i] = ldexp((double)x[is_complex ? i : 2 * i] * scale, exponent);
        if (!isfinite(v.values[i])) {
            status =
                weir_fail(err, WEIR_ERR_DATA,
                          "value %zu (from 0) of the result is beyond double precision", i / parts);
        }
    }
    if (status == WEIR_OK) {
        status = weir_vector_write(&v, output_path(settings), err);
    }
    weir_vector_free(&v);
    return status;
}

weir_status weir_vector_write_integers(const weir_settings *settings, const weir_integers *values,
                                       weir_error *err)
{
    return weir_integers_write(values, output_path(settings), err);
}

weir_status weir_vector_one_output(const weir_settings *settings, weir_error *err)
{
    if (settings->outputs.n > 1) {
        return weir_fail(err, WEIR_ERR_USAGE, "one --output at most: there is one result");
    }
    return settings->outputs.n ? weir_vector_check_output(output_path(settings), err) : WEIR_OK;
}
