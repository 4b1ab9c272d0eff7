/* weir fft and ifft: transforms of whole vectors, on the GPU or the CPU. */
#include "app/commands.h"
#include "app/vector_transform.h"
#include "cuda/fft.h"
#include "cuda/fft_plan.h"

#include <stdio.h>
#include <stdlib.h>

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

static size_t next_power(size_t n)
{
    size_t power = 1;
    while (power < n) {
        power *= 2;
    }
    return power;
}

static weir_status padded_length(const weir_settings *settings, const weir_vector *v, size_t *n,
                                 weir_error *err)
{
    *n = settings->n_fft                    ? settings->n_fft
         : settings->pad == WEIR_PAD_SMOOTH ? weir_fft_next_smooth(v->n)
         : settings->pad == WEIR_PAD_POWER  ? next_power(v->n)
                                            : v->n;
    if (settings->n_fft && settings->pad) {
        return weir_fail(err, WEIR_ERR_USAGE, "--fft says how long, --pad too: one of them");
    }
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
    int exponent;
    float *x = weir_vector_floats(v, n, &exponent, err);
    if (!x) {
        return WEIR_ERR_NOMEM;
    }
    status = weir_vector_transform(settings, x, n, false, err);
    if (status == WEIR_OK) {
        status = weir_vector_write_floats(settings, x, settings->half ? n / 2 + 1 : n, true, 1.0,
                                          exponent, err);
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
    if (settings->pad) {
        return weir_fail(
            err, WEIR_ERR_USAGE,
            "--pad does not go with half a spectrum: its length is that of the signal");
    }
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
    int exponent;
    float *x = weir_vector_floats(v, n > v->n ? n : v->n, &exponent, err);
    if (!x) {
        return WEIR_ERR_NOMEM;
    }
    if (settings->half) {
        mirror_half(x, n);
    }
    status = weir_vector_transform(settings, x, n, true, err);
    if (status == WEIR_OK) {
        status = weir_vector_write_floats(settings, x, n, !settings->half, 1.0 / (double)n,
                                          exponent, err);
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
    weir_status status = weir_vector_one_output(settings, err);
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
