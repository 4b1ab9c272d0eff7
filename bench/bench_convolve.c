/* Convolutions on the GPU, and exact products of polynomials.
 *
 *   bench_convolve
 *
 * Filters of several lengths over a signal of 2^25 values (or 2^15 signals of 2^10), data
 * resident: values of the signal over the median time (bench/gpu_timer.h). Products of
 * degree 10^6 and less with coefficients to 10^9: from host memory and back, checked. */
#include "bench/gpu_timer.h"
#include "cuda/convolve.h"
#include "cuda/fft_exact.h"

#include <stdint.h>
#include <time.h>

typedef struct job {
    weir_gpu_convolver *convolver;
    void *a, *c;
} job;

static void run(void *what)
{
    job *j = what;
    weir_error err;
    must(weir_gpu_convolver_execute(j->convolver, j->a, j->c, NULL, &err) == WEIR_OK, "execute");
}

static void bench(size_t n_a, size_t n_b, size_t batch, bool real)
{
    const weir_gpu_convolver_config config = {
        .n_a = n_a, .n_b = n_b, .batch = batch, .real = real, .one_filter = true};
    size_t unit = real ? 4 : 8;
    job j = {NULL, device_memory(unit * n_a * batch),
             device_memory(unit * weir_gpu_convolver_length(&config) * batch)};
    void *b = device_memory(unit * n_b);
    char text[160];
    weir_error err;
    fill_device(j.a, unit * n_a * batch, 0xbf);
    fill_device(b, unit * n_b, 0xbf);
    must(weir_gpu_convolver_create(&j.convolver, &config, &err) == WEIR_OK, "create");
    must(weir_gpu_convolver_set_filter(j.convolver, b, NULL, &err) == WEIR_OK, "filter");
    double ms = median_ms(run, &j);
    printf("%zu,%zu,%zu,%s,%.3f,%.2f,\"%s\"\n", n_a, n_b, batch, real ? "real" : "complex", ms,
           (double)(n_a * batch) / ms * 1e-6,
           weir_gpu_convolver_explain(j.convolver, text, sizeof text));
    weir_gpu_convolver_destroy(j.convolver);
    cudaFree(j.a);
    cudaFree(j.c);
    cudaFree(b);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void bench_exact(size_t n)
{
    int64_t *a = malloc(n * sizeof *a);
    weir_int128 *c = malloc(2 * n * sizeof *c);
    double best[2] = {1e9, 1e9};
    weir_error err;
    for (size_t i = 0; i < n; i++) {
        a[i] = (int64_t)(i * 2654435761u % 2000000001u) - 1000000000;
    }
    for (int r = 0; r < 3; r++) {
        double begin = now_ms();
        must(weir_exact_convolve_gpu(a, n, a, n, c, &err) == WEIR_OK, "the GPU's product");
        double middle = now_ms();
        must(weir_exact_convolve(a, n, a, n, c, &err) == WEIR_OK, "the CPU's product");
        double end = now_ms();
        best[0] = middle - begin < best[0] ? middle - begin : best[0];
        best[1] = end - middle < best[1] ? end - middle : best[1];
    }
    printf("exact,%zu,%zu,integers,%.2f,%.2f\n", n, n, best[0], best[1]);
    free(a);
    free(c);
}

int main(void)
{
    static const size_t filters[] = {33, 129, 1025, 4097, 8192, 65536, 1 << 20};
    printf("n_a,n_b,batch,kind,ms,gs_per_s,how\n");
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        bench((size_t)1 << 25, filters[i], 1, true);
        bench((size_t)1 << 25, filters[i], 1, false);
    }
    bench(1000, 25, (size_t)1 << 15, false);
    printf("exact,n_a,n_b,kind,gpu_ms,cpu_ms\n");
    bench_exact(10001);
    bench_exact(100001);
    bench_exact(1000001);
    return 0;
}
