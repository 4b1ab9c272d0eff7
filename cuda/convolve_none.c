/* Convolution in a build without CUDA. */
#include "cuda/convolve.h"

#include "base/text.h"

static weir_status unsupported(weir_error *err)
{
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "this build has no CUDA: no convolution on a GPU; use --engine cpu, or build "
                     "with -DWEIR_CUDA=ON");
}

weir_status weir_gpu_convolver_create(weir_gpu_convolver **out,
                                      const weir_gpu_convolver_config *config, weir_error *err)
{
    (void)config;
    *out = NULL;
    return unsupported(err);
}

weir_status weir_gpu_convolver_rehearse(weir_gpu_convolver **out,
                                        const weir_gpu_convolver_config *config, weir_error *err)
{
    return weir_gpu_convolver_create(out, config, err);
}

weir_status weir_gpu_convolver_set_filter(weir_gpu_convolver *convolver, const void *b,
                                          void *stream, weir_error *err)
{
    (void)convolver;
    (void)b;
    (void)stream;
    return unsupported(err);
}

weir_status weir_gpu_convolver_execute(weir_gpu_convolver *convolver, const void *a, void *c,
                                       void *stream, weir_error *err)
{
    (void)c;
    return weir_gpu_convolver_set_filter(convolver, a, stream, err);
}

weir_status weir_gpu_convolver_run(weir_gpu_convolver *convolver, const void *a, const void *b,
                                   void *c, weir_error *err)
{
    (void)b;
    return weir_gpu_convolver_execute(convolver, a, c, NULL, err);
}

void weir_gpu_convolver_destroy(weir_gpu_convolver *convolver)
{
    (void)convolver;
}

size_t weir_gpu_convolver_length(const weir_gpu_convolver_config *config)
{
    size_t longer = config->n_a > config->n_b ? config->n_a : config->n_b;
    return config->circular ? longer : config->n_a + config->n_b - 1;
}

char *weir_gpu_convolver_explain(const weir_gpu_convolver *convolver, char *text, size_t size)
{
    (void)convolver;
    weir_snprintf(text, size, "no CUDA in this build");
    return text;
}
