/* How near the CPU engine comes to FFTW itself.
 *
 *     bench_engine [-f FORMAT] [-n N] [-k FRAMES] [-m MIB] [-r ROUNDS] [-t MAX_THREADS]
 *
 * One mean spectrum (or one per FRAMES) over MIB of samples in memory, Hann, 50 %
 * overlap. A rate is transformed samples per second: frames * N / seconds. "ratio" is to
 * the rate at which FFTW alone, with a MEASURE plan, transforms one buffer over and over
 * on one core. Other work on the machine only slows things down, so rounds are
 * interleaved and the best of each is shown. */
#include "dsp/engine.h"
#include "dsp/fft_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64, RUN_SAMPLES = 1 << 22 };

typedef struct options {
    weir_sample_format format;
    size_t n_fft;
    uint64_t frames;
    size_t mib;
    int rounds;
    unsigned max_threads;
} options;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double fftw_rate(weir_fft *fft, size_t n)
{
    float *in = weir_fft_alloc(2 * n + 2), *out = weir_fft_alloc(2 * n + 2);
    size_t repeats = 40000000 / n + 1;
    memset(in, 0, 2 * n * sizeof *in);
    double begun = seconds_now();
    for (size_t i = 0; i < repeats; i++) {
        weir_fft_execute(weir_fft_current(fft), in, out);
    }
    double seconds = seconds_now() - begun;
    weir_fft_free(in);
    weir_fft_free(out);
    return (double)(repeats * n) / seconds;
}

static void ignore(void *user, const weir_spectrum *spectrum)
{
    *(float *)user += spectrum->power[WEIR_TRACE_MEAN][0];
}

static double engine_rate(const weir_engine_config *config, const uint8_t *raw, size_t n_samples)
{
    weir_engine *engine;
    weir_error err;
    if (weir_engine_cpu_create(&engine, config, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    size_t stride = weir_format_stride_bytes(&config->format);
    double begun = seconds_now();
    for (size_t from = 0, end = 0; from < n_samples;) {
        end = end + RUN_SAMPLES < n_samples ? end + RUN_SAMPLES : n_samples;
        weir_run run = {.samples = raw + from * stride,
                        .n_samples = end - from,
                        .first_sample = from,
                        .rate_hz = 2.4e6,
                        .ends = end == n_samples,
                        .time_unix_ns = INT64_MIN};
        size_t released;
        if (weir_engine_push(engine, &run, &released, &err)) {
            fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
        from += released;
    }
    weir_engine_flush(engine, 0, &err);
    double seconds = seconds_now() - begun;
    weir_totals totals;
    weir_engine_totals(engine, &totals);
    weir_engine_destroy(engine);
    return (double)totals.n_frames * (double)config->n_fft / seconds;
}

static int read_options(int argc, char **argv, options *o)
{
    int c;
    while ((c = getopt(argc, argv, "f:n:k:m:r:t:")) != -1) {
        weir_error err;
        size_t value = optarg ? (size_t)strtoull(optarg, NULL, 10) : 0;
        if (c == 'f' && weir_format_parse(optarg, &o->format, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 0;
        }
        o->n_fft = c == 'n' ? value : o->n_fft;
        o->frames = c == 'k' ? value : o->frames;
        o->mib = c == 'm' ? value : o->mib;
        o->rounds = c == 'r' ? (int)value : o->rounds;
        o->max_threads = c == 't' ? (unsigned)value : o->max_threads;
        if (c == '?') {
            return 0;
        }
    }
    return o->n_fft >= 2 && o->mib > 0 && o->max_threads >= 1 && o->max_threads <= MAX_THREADS;
}

static double *hann(size_t n)
{
    double *window = malloc(n * sizeof *window);
    for (size_t i = 0; window && i < n; i++) {
        window[i] = 0.5 - 0.5 * cos(2 * M_PI * (double)i / (double)n);
    }
    return window;
}

static void run_rounds(const options *o, const uint8_t *raw, const double *window)
{
    size_t n_samples = (o->mib << 20) / weir_format_stride_bytes(&o->format);
    double reference = 0, best[2][MAX_THREADS + 1] = {{0}};
    float sink = 0;
    weir_error err;
    weir_fft *fft;
    if (weir_fft_create(&fft, o->n_fft, o->format.is_complex, WEIR_PLAN_MEASURE, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    static const weir_plan_effort efforts[] = {WEIR_PLAN_ESTIMATE, WEIR_PLAN_MEASURE};
    for (int round = 0; round < o->rounds; round++) {
        reference = fmax(reference, fftw_rate(fft, o->n_fft));
        for (int plan = 0; plan < 2; plan++) {
            for (unsigned threads = 1; threads <= o->max_threads; threads++) {
                weir_engine_config config = {.format = o->format,
                                             .n_fft = o->n_fft,
                                             .hop = o->n_fft / 2,
                                             .window = window,
                                             .frames_per_spectrum = o->frames,
                                             .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
                                             .threads = threads,
                                             .plan = efforts[plan],
                                             .on_spectrum = ignore,
                                             .user = &sink};
                double rate = engine_rate(&config, raw, n_samples);
                best[plan][threads] = fmax(best[plan][threads], rate);
            }
        }
    }
    printf("FFTW, MEASURE, alone: %.0f MS/s\n", reference / 1e6);
    for (int plan = 0; plan < 2; plan++) {
        for (unsigned threads = 1; threads <= o->max_threads; threads++) {
            printf("engine, %-8s, %u thread%s: %.0f MS/s, ratio %.3f, x %.2f\n",
                   plan ? "MEASURE" : "ESTIMATE", threads, threads > 1 ? "s" : " ",
                   best[plan][threads] / 1e6, best[plan][threads] / reference,
                   best[plan][threads] / best[plan][1]);
        }
    }
    weir_fft_destroy(fft);
}

int main(int argc, char **argv)
{
    options o = {
        .format = {WEIR_U8, true, 1, 0}, .n_fft = 4096, .mib = 256, .rounds = 5, .max_threads = 2};
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: bench_engine [-f FORMAT] [-n N] [-k FRAMES, 0 all] [-m MIB] "
                        "[-r ROUNDS] [-t MAX_THREADS]\n");
        return 64;
    }
    uint8_t *raw = malloc(o.mib << 20);
    double *window = hann(o.n_fft);
    if (!raw || !window) {
        fprintf(stderr, "out of memory\n");
        free(raw);
        free(window);
        return 71;
    }
    uint32_t state = 1;
    for (size_t i = 0; i < o.mib << 20; i++) {
        state = state * 1664525 + 1013904223; /* Numerical Recipes' LCG: fast and good enough */
        raw[i] = (uint8_t)(state >> 24);
    }
    run_rounds(&o, raw, window);
    free(raw);
    free(window);
    return 0;
}
