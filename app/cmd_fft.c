/* weir fft, ifft and convolve: transforms of whole vectors, on the GPU or the CPU. */
#include "app/commands.h"
#include "app/vectors.h"
#include "base/log.h"
#include "base/outfile.h"
#include "cuda/engine_cuda.h"
#include "cuda/fft.h"
#include "cuda/fft_exact.h"
#include "cuda/fft_plan.h"
#include "dsp/fft_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- transforms in single precision, complex, in place ---- */

static void exchange_parts(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float re = x[2 * i];
        x[2 * i] = x[2 * i + 1];
        x[2 * i + 1] = re;
    }
}

static weir_status transform_on_cpu(float *x, size_t n, bool inverse, weir_error *err)
{
    if (n == 1) {
        return WEIR_OK;
    }
    weir_fft *fft;
    weir_status status = weir_fft_create(&fft, n, true, WEIR_PLAN_ESTIMATE, NULL, err);
    if (status != WEIR_OK) {
        return status;
    }
    float *in = weir_fft_alloc(2 * n), *out = weir_fft_alloc(2 * n);
    if (in && out) {
        memcpy(in, x, 2 * n * sizeof *x);
        if (inverse) {
            exchange_parts(in, n);
        }
        weir_fft_execute(weir_fft_current(fft), in, out);
        if (inverse) {
            exchange_parts(out, n);
        }
        memcpy(x, out, 2 * n * sizeof *x);
    } else {
        status = weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a transform of %zu points", n);
    }
    weir_fft_free(in);
    weir_fft_free(out);
    weir_fft_destroy(fft);
    return status;
}

static weir_status transform_on_gpu(float *x, size_t n, bool inverse, weir_error *err)
{
    weir_gpu_fft *fft;
    const weir_gpu_fft_config config = {.n = n, .inverse = inverse, .unscaled = true};
    weir_status status = weir_gpu_fft_create(&fft, &config, err);
    if (status == WEIR_OK) {
        status = weir_gpu_fft_run(fft, x, x, err);
        weir_gpu_fft_destroy(fft);
    }
    return status;
}

/* Not scaled by 1/n. */
static weir_status transform(const weir_settings *settings, float *x, size_t n, bool inverse,
                             weir_error *err)
{
    weir_error why = {0};
    bool gpu = settings->engine == WEIR_ENGINE_CUDA ||
               (settings->engine == WEIR_ENGINE_AUTO && weir_cuda_device_count(&why) > 0);
    if (!gpu) {
        return transform_on_cpu(x, n, inverse, err);
    }
    weir_status status = transform_on_gpu(x, n, inverse, err);
    if (status != WEIR_OK && settings->engine == WEIR_ENGINE_AUTO) {
        weir_log(WEIR_LOG_NOTICE, "%s; the CPU is used", err->text);
        return transform_on_cpu(x, n, inverse, err);
    }
    return status;
}

/* ---- vectors as complex floats ---- */

/* n values, zeros after those of the vector. */
static float *complex_floats(const weir_vector *v, size_t n, weir_error *err)
{
    float *x = calloc(n ? n : 1, 2 * sizeof *x);
    if (!x) {
        (void)weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu values", n);
        return NULL;
    }
    for (size_t i = 0; i < v->n; i++) {
        x[2 * i] = (float)v->values[v->is_complex ? 2 * i : i];
        x[2 * i + 1] = v->is_complex ? (float)v->values[2 * i + 1] : 0.0f;
    }
    return x;
}

static weir_status write_floats(const weir_settings *settings, const float *x, size_t n,
                                bool is_complex, double scale, weir_error *err)
{
    weir_vector v;
    weir_status status = weir_vector_alloc(&v, n, is_complex, err);
    if (status != WEIR_OK) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        if (is_complex) {
            v.values[2 * i] = (double)x[2 * i] * scale;
            v.values[2 * i + 1] = (double)x[2 * i + 1] * scale;
        } else {
            v.values[i] = (double)x[2 * i] * scale;
        }
    }
    status = weir_vector_write(&v, settings->outputs.n ? settings->outputs.paths[0] : NULL, err);
    weir_vector_free(&v);
    return status;
}

static weir_status one_output(const weir_settings *settings, weir_error *err)
{
    return settings->outputs.n > 1
               ? weir_fail(err, WEIR_ERR_USAGE, "one --output at most: there is one result")
               : WEIR_OK;
}

static weir_status explain(const weir_settings *settings, bool inverse, weir_error *err)
{
    char text[1024];
    const weir_gpu_fft_config config = {
        .n = settings->explain, .real = settings->half, .inverse = inverse};
    weir_status status = weir_gpu_fft_explain(&config, text, sizeof text, err);
    if (status == WEIR_OK) {
        fputs(text, stdout);
    }
    return status;
}

/* ---- fft and ifft ---- */

static weir_status padded_length(const weir_settings *settings, const weir_vector *v, size_t *n,
                                 weir_error *err)
{
    *n = settings->n_fft ? settings->n_fft : v->n;
    if (*n < v->n) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--fft %zu is less than the %zu values there are; it pads, and cuts "
                         "nothing off",
                         *n, v->n);
    }
    return WEIR_OK;
}

static weir_status forward(const weir_settings *settings, const weir_vector *v, weir_error *err)
{
    size_t n;
    weir_status status = padded_length(settings, v, &n, err);
    if (status == WEIR_OK && settings->half && v->is_complex) {
        status = weir_fail(err, WEIR_ERR_USAGE, "--half is for real signals; this one is complex");
    }
    if (status != WEIR_OK) {
        return status;
    }
    float *x = complex_floats(v, n, err);
    if (!x) {
        return WEIR_ERR_NOMEM;
    }
    status = transform(settings, x, n, false, err);
    if (status == WEIR_OK) {
        status = write_floats(settings, x, settings->half ? n / 2 + 1 : n, true, 1.0, err);
    }
    free(x);
    return status;
}

/* The other half of the bins; the ends have no imaginary part. */
static void mirror_half(float *x, size_t n)
{
    x[1] = 0.0f;
    for (size_t k = 1; k <= (n - 1) / 2; k++) {
        x[2 * (n - k)] = x[2 * k];
        x[2 * (n - k) + 1] = -x[2 * k + 1];
    }
    if (n % 2 == 0) {
        x[n + 1] = 0.0f;
    }
}

static weir_status half_length(const weir_settings *settings, const weir_vector *v, size_t *n,
                               weir_error *err)
{
    *n = settings->n_fft ? settings->n_fft : v->n > 1 ? 2 * (v->n - 1) : 1;
    if (*n / 2 + 1 != v->n) {
        return weir_fail(err, WEIR_ERR_USAGE, "half a spectrum of --fft %zu has %zu bins, not %zu",
                         *n, *n / 2 + 1, v->n);
    }
    return WEIR_OK;
}

static weir_status backward(const weir_settings *settings, const weir_vector *v, weir_error *err)
{
    size_t n;
    weir_status status =
        settings->half ? half_length(settings, v, &n, err) : padded_length(settings, v, &n, err);
    if (status != WEIR_OK) {
        return status;
    }
    float *x = complex_floats(v, n > v->n ? n : v->n, err);
    if (!x) {
        return WEIR_ERR_NOMEM;
    }
    if (settings->half) {
        mirror_half(x, n);
    }
    status = transform(settings, x, n, true, err);
    if (status == WEIR_OK) {
        status = write_floats(settings, x, n, !settings->half, 1.0 / (double)n, err);
    }
    free(x);
    return status;
}

static weir_status transform_file(const weir_settings *settings, int n_arguments, char **arguments,
                                  bool inverse, weir_error *err)
{
    if (settings->explain) {
        return explain(settings, inverse, err);
    }
    if (n_arguments < 1) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s needs a FILE (- is standard input)",
                         inverse ? "ifft" : "fft");
    }
    weir_vector v;
    weir_status status = one_output(settings, err);
    if (status == WEIR_OK) {
        status = weir_vector_read(&v, arguments[0], settings->format, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    status = inverse ? backward(settings, &v, err) : forward(settings, &v, err);
    weir_vector_free(&v);
    return status;
}

weir_status weir_cmd_fft(const weir_settings *settings, int n_arguments, char **arguments,
                         weir_error *err)
{
    return transform_file(settings, n_arguments, arguments, false, err);
}

weir_status weir_cmd_ifft(const weir_settings *settings, int n_arguments, char **arguments,
                          weir_error *err)
{
    return transform_file(settings, n_arguments, arguments, true, err);
}

/* ---- convolve ---- */

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

static weir_status convolve_integers(const weir_settings *settings, const weir_vector *a,
                                     const weir_vector *b, weir_error *err)
{
    size_t n = a->n + b->n - 1;
    weir_int128 *c = calloc(n, sizeof *c);
    if (!c) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu values", n);
    }
    weir_status status = weir_exact_convolve(a->integers, a->n, b->integers, b->n, c, err);
    if (status == WEIR_OK) {
        if (settings->convolve_mode == WEIR_CONVOLVE_CIRCULAR) {
            n = wrap_integers(c, n, longer(a, b));
        }
        status = write_integers(settings, c, n, err);
    }
    free(c);
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

static weir_status convolve_floats(const weir_settings *settings, const weir_vector *a,
                                   const weir_vector *b, weir_error *err)
{
    bool circular = settings->convolve_mode == WEIR_CONVOLVE_CIRCULAR;
    size_t n_out = circular ? longer(a, b) : a->n + b->n - 1;
    size_t n = circular ? n_out : weir_fft_next_smooth(n_out);
    float *x = complex_floats(a, n, err), *y = x ? complex_floats(b, n, err) : NULL;
    weir_status status = x && y ? transform(settings, x, n, false, err) : WEIR_ERR_NOMEM;
    if (status == WEIR_OK) {
        status = transform(settings, y, n, false, err);
    }
    if (status == WEIR_OK) {
        multiply(x, y, n);
        status = transform(settings, x, n, true, err);
    }
    if (status == WEIR_OK) {
        status =
            write_floats(settings, x, n_out, a->is_complex || b->is_complex, 1.0 / (double)n, err);
    }
    free(x);
    free(y);
    return status;
}

weir_status weir_cmd_convolve(const weir_settings *settings, int n_arguments, char **arguments,
                              weir_error *err)
{
    (void)n_arguments;
    weir_vector a, b;
    weir_status status = one_output(settings, err);
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
