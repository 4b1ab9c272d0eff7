#include "cuda/fft_config.h"

#include "base/text.h"

#include <string.h>

#define HOPPER_SHARED_KIB 227

size_t weir_gpu_fft_values_in(const weir_gpu_fft_config *config)
{
    return config->real && config->inverse ? config->n / 2 + 1 : config->n;
}

size_t weir_gpu_fft_values_out(const weir_gpu_fft_config *config)
{
    return config->real && !config->inverse ? config->n / 2 + 1 : config->n;
}

static size_t or_default(size_t value, size_t otherwise)
{
    return value ? value : otherwise;
}

/* Complex values that are all there, at distances that 32 bits hold within a transform. */
static bool takes_plain(const weir_gpu_fft_config *config)
{
    size_t stride = config->stride_in > config->stride_out ? config->stride_in : config->stride_out;
    return !config->real && (config->length_in == 0 || config->length_in == config->n) &&
           (stride == 0 || config->n <= ((size_t)1 << 31) / stride);
}

static size_t shared_bytes(const weir_gpu_fft_limits *limits)
{
    return (size_t)or_default(limits->shared_kib, HOPPER_SHARED_KIB) * 1024;
}

weir_status weir_gpu_fft_resolve(const weir_gpu_fft_config *config,
                                 const weir_gpu_fft_limits *limits, weir_gpu_fft_config *full,
                                 weir_fft_layout *layout, weir_fft_prime *prime, bool *packed,
                                 weir_error *err)
{
    const weir_fft_rules rules = {.passes = config->passes,
                                  .bluestein = config->bluestein,
                                  .shared_kib = limits->shared_kib,
                                  .cluster = limits->cluster,
                                  .plain = takes_plain(config)};
    size_t values_in = weir_gpu_fft_values_in(config);
    size_t values_out = weir_gpu_fft_values_out(config);
    *full = *config;
    full->batch = or_default(config->batch, 1);
    full->stride_in = or_default(config->stride_in, 1);
    full->stride_out = or_default(config->stride_out, 1);
    full->distance_in = or_default(config->distance_in, values_in * full->stride_in);
    full->distance_out = or_default(config->distance_out, values_out * full->stride_out);
    full->length_in = or_default(config->length_in, values_in);
    if (config->n < 1 || full->batch > (size_t)1 << 31) {
        return weir_fail(err, WEIR_ERR_USAGE, "%zu transforms of %zu points: not possible",
                         full->batch, config->n);
    }
    if (full->length_in > values_in ||
        (full->length_in < values_in && config->real && config->inverse)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "a transform of %zu points cannot take %zu values in; zero padding needs "
                         "fewer than %zu, and a signal, not a spectrum",
                         config->n, full->length_in, values_in);
    }
    *packed = config->real && config->n % 2 == 0 && weir_fft_is_smooth(config->n / 2) &&
              !config->bluestein;
    prime->units = 0;
    if (rules.plain && !config->bluestein && config->passes == 0 &&
        weir_fft_prime_plan(prime, config->n, shared_bytes(limits))) {
        *layout = (weir_fft_layout){.n = config->n, .m = config->n, .n_passes = 1};
        return WEIR_OK;
    }
    return weir_fft_layout_plan(layout, *packed ? config->n / 2 : config->n, &rules, err);
}

weir_status weir_gpu_fft_explain(const weir_gpu_fft_config *config, char *text, size_t size,
                                 weir_error *err)
{
    const weir_gpu_fft_limits none = {0};
    weir_gpu_fft_config full;
    weir_fft_layout layout;
    weir_fft_prime prime;
    bool packed;
    weir_status status = weir_gpu_fft_resolve(config, &none, &full, &layout, &prime, &packed, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (prime.units > 0) {
        weir_fft_prime_explain(&prime, text, size);
        return WEIR_OK;
    }
    size_t used = 0;
    if (config->real) {
        if (packed) {
            weir_snprintf(text, size, "%zu real points as %zu complex one%s:\n", config->n,
                          config->n / 2, config->n == 2 ? "" : "s");
        } else {
            weir_snprintf(text, size,
                          "%zu real point%s without an imaginary part (%zu/2 is not whole or not "
                          "smooth):\n",
                          config->n, config->n == 1 ? "" : "s", config->n);
        }
        used = strlen(text);
    }
    weir_fft_layout_explain(&layout, text + used, size - used);
    return WEIR_OK;
}
