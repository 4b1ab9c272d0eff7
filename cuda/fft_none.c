/* The transforms in a build without CUDA. */
#include "cuda/fft.h"
#include "cuda/fft_exact.h"
#include "cuda/fft_ladder.h"

static weir_status unsupported(weir_error *err)
{
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "this build has no CUDA: no transforms on a GPU; use --engine cpu, or build "
                     "with -DWEIR_CUDA=ON");
}

weir_status weir_gpu_fft_create(weir_gpu_fft **out, const weir_gpu_fft_config *config,
                                weir_error *err)
{
    (void)config;
    *out = NULL;
    return unsupported(err);
}

weir_status weir_gpu_fft_rehearse(weir_gpu_fft **out, const weir_gpu_fft_config *config,
                                  weir_error *err)
{
    (void)config;
    *out = NULL;
    return unsupported(err);
}

weir_status weir_gpu_fft_execute(weir_gpu_fft *fft, const void *in, void *out, void *stream,
                                 weir_error *err)
{
    (void)fft;
    (void)in;
    (void)out;
    (void)stream;
    return unsupported(err);
}

weir_status weir_gpu_fft_execute_first(weir_gpu_fft *fft, size_t count, const void *in, void *out,
                                       void *stream, weir_error *err)
{
    (void)count;
    return weir_gpu_fft_execute(fft, in, out, stream, err);
}

weir_status weir_gpu_fft_run(weir_gpu_fft *fft, const void *in, void *out, weir_error *err)
{
    (void)fft;
    (void)in;
    (void)out;
    return unsupported(err);
}

size_t weir_gpu_fft_work_bytes(const weir_gpu_fft *fft)
{
    (void)fft;
    return 0;
}

void weir_gpu_fft_destroy(weir_gpu_fft *fft)
{
    (void)fft;
}

weir_status weir_exact_convolve_gpu(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
                                    weir_int128 *c, weir_error *err)
{
    (void)a;
    (void)n_a;
    (void)b;
    (void)n_b;
    (void)c;
    return unsupported(err);
}

const char *weir_ladder_name(weir_ladder_step step)
{
    (void)step;
    return "absent";
}

weir_status weir_ladder_execute(weir_ladder_step step, const float *in, float *out, size_t n,
                                size_t batch, void *stream, weir_error *err)
{
    (void)stream;
    return weir_ladder_run(step, in, out, n, batch, err);
}

weir_status weir_ladder_run(weir_ladder_step step, const float *in, float *out, size_t n,
                            size_t batch, weir_error *err)
{
    (void)step;
    (void)in;
    (void)out;
    (void)n;
    (void)batch;
    return unsupported(err);
}

weir_status weir_ladder_bit_reverse(const float *in, float *out, size_t n, size_t batch,
                                    void *stream, weir_error *err)
{
    (void)stream;
    return weir_ladder_run(WEIR_LADDER_GLOBAL, in, out, n, batch, err);
}
