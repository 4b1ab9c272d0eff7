/* The transforms of cuda/fft.h against cuFFT, same run, same buffers, out of place.
 *
 *   bench_fft_gpu LOG2_POINTS REPEATS RULE N...     one line of CSV a length
 *
 * RULE: auto, or 1, 2, 3 (kernels of a smooth length), bluestein; with r in front, real
 * forward transforms; direct, global, shared: the textbook ladder (cuda/fft_ladder.h). N may be A:B
 * (all lengths) or A:B:STEP. 2^LOG2_POINTS points in all, so N points 2^LOG2_POINTS / N times.
 * Times are medians of CUDA events, the two taking turns; GB/s counts each value once in and once
 * out. Plans are made before; plan_ms is the time to create ours (cuFFT's in the last column).
 */
#include "bench/fft_buffers.cuh"
#include "cuda/fft.h"
#include "cuda/fft_ladder.h"

#include <algorithm>
#include <chrono>
#include <cufft.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

static void must(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "bench_fft_gpu: %s failed\n", what);
        exit(1);
    }
}

static double now_ms()
{
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

static double median(std::vector<float> &v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

static void bench(const buffers &b, size_t n, int log2_points, int repeats, const char *rule)
{
    static const char *const ladder[] = {"direct", "global", "shared"};
    int step = -1;
    for (int i = 0; i < 3; i++) {
        step = strcmp(rule, ladder[i]) == 0 ? i : step;
    }
    const bool real = rule[0] == 'r';
    rule += real;
    const size_t batch = std::max<size_t>(1, ((size_t)1 << log2_points) / n);
    weir_gpu_fft_config config = {};
    config.n = n;
    config.batch = batch;
    config.real = real;
    config.passes = (unsigned)atoi(rule);
    config.bluestein = strcmp(rule, "bluestein") == 0;
    weir_gpu_fft *ours;
    weir_error err;
    double t0 = now_ms();
    if (weir_gpu_fft_create(&ours, &config, &err) != WEIR_OK) {
        printf("%zu,%s,%zu,%s\n", n, rule, batch, err.text);
        return;
    }
    const double ours_plan = now_ms() - t0;
    cufftHandle theirs;
    t0 = now_ms();
    int length = (int)n;
    must(cufftPlanMany(&theirs, 1, &length, NULL, 1, 0, NULL, 1, 0, real ? CUFFT_R2C : CUFFT_C2C,
                       (int)batch) == CUFFT_SUCCESS,
         "cufftPlanMany");
    const double theirs_plan = now_ms() - t0;
    std::vector<float> a, c;
    for (int i = 0; i < repeats + 1; i++) {
        const float t = timed(b, [&] {
            if (real) {
                cufftExecR2C(theirs, (cufftReal *)b.in, (cufftComplex *)b.out);
            } else {
                cufftExecC2C(theirs, (cufftComplex *)b.in, (cufftComplex *)b.out, CUFFT_FORWARD);
            }
        });
        const float u = timed(b, [&] {
            must((step < 0 ? weir_gpu_fft_execute(ours, b.in, b.out, NULL, &err)
                           : weir_ladder_execute((weir_ladder_step)step, (float *)b.in,
                                                 (float *)b.out, n, batch, NULL, &err)) == WEIR_OK,
                 "execute");
        });
        if (i > 0) {
            a.push_back(u);
            c.push_back(t);
        }
    }
    must(cudaDeviceSynchronize() == cudaSuccess, "a kernel");
    const double ms = median(a), peer = median(c);
    const double bytes = (real ? 4.0 * n + 8.0 * (n / 2 + 1) : 16.0 * n) * (double)batch;
    printf("%zu,%s%s,%zu,%.4f,%.4f,%.3f,%.0f,%.0f,%.2f,%.2f\n", n, real ? "r" : "", rule, batch, ms,
           peer, peer / ms, bytes / ms * 1e-6, bytes / peer * 1e-6, ours_plan, theirs_plan);
    weir_gpu_fft_destroy(ours);
    cufftDestroy(theirs);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: bench_fft_gpu LOG2_POINTS REPEATS RULE N...\n");
        return 64;
    }
    const int log2_points = atoi(argv[1]), repeats = atoi(argv[2]);
    buffers b;
    const size_t bytes = ((size_t)8 << log2_points) + ((size_t)8 << log2_points) / 2;
    must(cudaMalloc(&b.in, bytes) == cudaSuccess && cudaMalloc(&b.out, bytes) == cudaSuccess,
         "cudaMalloc");
    cudaEventCreate(&b.begin);
    cudaEventCreate(&b.end);
    fill<<<1024, 256>>>((float *)b.in, bytes / 4);
    cudaMemcpy(b.out, b.in, bytes, cudaMemcpyDeviceToDevice);
    const size_t copied = (size_t)8 << log2_points;
    float copy = 1e9f;
    for (int i = 0; i < 5; i++) {
        copy = std::min(copy, timed(b, [&] {
                            cudaMemcpyAsync(b.out, b.in, copied, cudaMemcpyDeviceToDevice);
                        }));
    }
    printf("# device copy: %.0f GB/s read and written\n", 2e-6 * (double)copied / copy);
    printf("n,rule,batch,ms,cufft_ms,ratio,gbs,cufft_gbs,plan_ms,cufft_plan_ms\n");
    for (int i = 4; i < argc; i++) {
        size_t from = 0, to = 0, step = 1;
        if (sscanf(argv[i], "%zu:%zu:%zu", &from, &to, &step) < 2) {
            to = from;
        }
        for (size_t n = from; n <= to; n += step) {
            bench(b, n, log2_points, repeats, argv[3]);
        }
        fflush(stdout);
    }
    return 0;
}
