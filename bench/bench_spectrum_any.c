/* Averaged power spectra on the GPU for sizes of any kind, samples resident.
 *
 *   bench_spectrum_any N...      one line of CSV a size and format
 *
 * 64 Mi samples, 50 % overlap, means of 16 frames. GS/s: input samples over the median time
 * of a batch (bench/gpu_timer.h). Powers of two are those of the kernels of their own. */
#include "bench/gpu_timer.h"
#include "cuda/spectrum_kernels.h"

#include <stdbool.h>

typedef struct job {
    weir_gpu_plan *plan;
    weir_gpu_batch batch;
} job;

static void run(void *what)
{
    job *j = what;
    weir_error err;
    must(weir_gpu_power(j->plan, &j->batch, NULL, &err) == WEIR_OK, "weir_gpu_power");
}

static void bench(size_t n, weir_gpu_layout layout, bool is_complex, const void *raw,
                  size_t samples)
{
    static const char *const names[] = {"u8", "s8", "s16", "f32"};
    double *window = malloc(n * sizeof *window);
    weir_error err;
    job j;
    for (size_t i = 0; i < n; i++) {
        window[i] = 1.0 / (double)n;
    }
    const weir_gpu_plan_config config = {
        .n_fft = n, .layout = layout, .is_complex = is_complex, .bias = 127.5, .window = window};
    j.batch =
        (weir_gpu_batch){.raw = raw, .hop = n / 2, .group = 16, .per_spectrum = 16, .mean = true};
    j.batch.n_frames = (uint32_t)((samples - n) / j.batch.hop + 1) / 16 * 16;
    weir_status status = weir_gpu_plan_create(&j.plan, &config, &err);
    free(window);
    if (status != WEIR_OK) {
        printf("%zu,%s%s,%s\n", n, is_complex ? "c" : "", names[layout], err.text);
        return;
    }
    j.batch.rows =
        device_memory(weir_gpu_batch_groups(&j.batch) * weir_gpu_plan_bins(j.plan) * sizeof(float));
    double ms = median_ms(run, &j);
    printf("%zu,%s%s,%.3f,%.1f\n", n, is_complex ? "c" : "", names[layout], ms,
           (double)j.batch.n_frames * (double)j.batch.hop / ms * 1e-6);
    fflush(stdout);
    cudaFree(j.batch.rows);
    weir_gpu_plan_destroy(j.plan);
}

int main(int argc, char **argv)
{
    const size_t samples = (size_t)1 << 26;
    void *raw = device_memory(samples * 8);
    fill_device(raw, samples * 8, 0xbf); /* as floats they are finite, too */
    printf("n,format,ms,gs_per_s\n");
    for (int i = 1; i < argc; i++) {
        size_t n = (size_t)atol(argv[i]);
        bench(n, WEIR_GPU_U8, true, raw, samples);
        bench(n, WEIR_GPU_S16, false, raw, samples);
    }
    cudaFree(raw);
    return 0;
}
