/* From the start of a process to its first transform, part by part.
 *
 *   bench_fft_start REPEATS N...      one line of CSV a length: medians, in ms
 *
 * A new process for each: the driver is loaded (driver: counting devices), a context made
 * (context), the plan is made, vectors go up, are transformed, and come back (run), all is
 * destroyed. A process before the first has made the driver warm. again: all warm.
 */
#include "cuda/fft.h"

#include <algorithm>
#include <chrono>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

enum { DRIVER, CONTEXT, PLAN, RUN, AGAIN, PARTS };

static double now_ms()
{
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

static bool measure(size_t n, double *ms)
{
    std::vector<float> x(2 * n, 1.0f), y(2 * n);
    weir_gpu_fft_config config = {};
    weir_gpu_fft *fft;
    weir_error err;
    config.n = n;
    double at[PARTS + 1] = {now_ms()};
    int count;
    bool good = cudaGetDeviceCount(&count) == cudaSuccess;
    at[1] = now_ms();
    good = good && cudaSetDevice(0) == cudaSuccess && cudaFree(NULL) == cudaSuccess;
    at[2] = now_ms();
    good = good && weir_gpu_fft_create(&fft, &config, &err) == WEIR_OK;
    at[3] = now_ms();
    for (int i = 0; i < 2 && good; i++) {
        good = weir_gpu_fft_run(fft, x.data(), y.data(), &err) == WEIR_OK;
        at[4 + i] = now_ms();
    }
    for (int i = 0; i < PARTS; i++) {
        ms[i] = at[i + 1] - at[i];
    }
    return good;
}

/* In a process of its own. */
static bool one(size_t n, double *ms)
{
    int ends[2];
    if (pipe(ends)) {
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        double here[PARTS];
        const bool good = measure(n, here);
        _exit(good && write(ends[1], here, sizeof here) == (ssize_t)sizeof here ? 0 : 1);
    }
    close(ends[1]);
    const bool good = read(ends[0], ms, PARTS * sizeof *ms) == (ssize_t)(PARTS * sizeof *ms);
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    return good && status == 0;
}

int main(int argc, char **argv)
{
    double ms[PARTS];
    if (argc < 3 || !one(2, ms)) {
        fprintf(stderr, "usage: bench_fft_start REPEATS N...   (and it takes a GPU)\n");
        return 64;
    }
    printf("n,driver_ms,context_ms,plan_ms,run_ms,again_ms\n");
    for (int i = 2; i < argc; i++) {
        std::vector<double> parts[PARTS];
        const size_t n = (size_t)atol(argv[i]);
        for (int r = 0; r < atoi(argv[1]); r++) {
            if (!one(n, ms)) {
                fprintf(stderr, "bench_fft_start: %zu failed\n", n);
                return 1;
            }
            for (int p = 0; p < PARTS; p++) {
                parts[p].push_back(ms[p]);
            }
        }
        printf("%zu", n);
        for (int p = 0; p < PARTS; p++) {
            std::sort(parts[p].begin(), parts[p].end());
            printf(",%.2f", parts[p][parts[p].size() / 2]);
        }
        printf("\n");
    }
    return 0;
}
