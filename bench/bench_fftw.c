/* FFTW's own rate on one core, in complex samples a second: the yardstick of
 * bench/compare_peers.py.
 *
 *     bench_fftw [N [SECONDS]]      default 4096 and 0.5
 *
 * One buffer in cache is transformed out of place again and again: nothing is read,
 * unpacked, windowed or added up, so a program that does all of that stays below it.
 * Prints one JSON object; each rate is the best of several repeats.
 */
#include <fftw3.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 5 };

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double samples_per_second(fftwf_plan plan, size_t n, double seconds)
{
    size_t transforms = 0;
    double begin = now_seconds(), elapsed = 0.0;
    while (elapsed < seconds) {
        for (int i = 0; i < 64; i++) {
            fftwf_execute(plan);
        }
        transforms += 64;
        elapsed = now_seconds() - begin;
    }
    return (double)(transforms * n) / elapsed;
}

/* 0: there is no plan. */
static double best_rate(size_t n, unsigned flags, double seconds)
{
    fftwf_complex *in = fftwf_alloc_complex(n), *out = fftwf_alloc_complex(n);
    fftwf_plan plan = NULL;
    double best = 0.0;
    if (in && out) {
        plan = fftwf_plan_dft_1d((int)n, in, out, FFTW_FORWARD, flags);
    }
    if (plan) {
        for (size_t i = 0; i < n; i++) { /* after planning, which overwrites */
            in[i][0] = (float)(i * 7919 % 255) / 127.5f - 1.0f;
            in[i][1] = (float)(i * 104729 % 255) / 127.5f - 1.0f;
        }
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double rate = samples_per_second(plan, n, seconds / REPEATS);
            best = rate > best ? rate : best;
        }
        fftwf_destroy_plan(plan);
    }
    fftwf_free(in);
    fftwf_free(out);
    return best;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 4096;
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.5;
    if (n < 2 || n > 1ul << 28 || !(seconds > 0.0)) {
        fprintf(stderr, "usage: bench_fftw [N [SECONDS]], N from 2 to 2^28\n");
        return 64;
    }
    printf("{\"n\": %lu, \"estimate\": %.0f, \"measure\": %.0f}\n", n,
           best_rate(n, FFTW_ESTIMATE, seconds), best_rate(n, FFTW_MEASURE, seconds));
    return 0;
}
