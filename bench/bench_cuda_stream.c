/* The CUDA engine end to end: samples in host memory in, spectra in host memory out.
 *
 *     bench_cuda_stream [--json FILE] [--quick]
 *
 * Streamed throughput against the bus (measured in the same run), latency from the last
 * sample to the callback, and a steady 61.44 MS/s. */
#include "bench/bench_reference.h"
#include "cuda/engine_cuda.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static FILE *json;
static bool quick;

static double now_on(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
    return now_on(CLOCK_MONOTONIC);
}

static void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

static void must_ok(weir_status status, const weir_error *err)
{
    if (status) {
        fprintf(stderr, "%s\n", err->text);
        exit(1);
    }
}

/* ---- what comes out ---- */

typedef struct outcome {
    uint64_t n_spectra;
    float *first; /* power of the first one */
    size_t n_bins;
} outcome;

static void on_spectrum(void *user, const weir_spectrum *spectrum)
{
    outcome *o = user;
    if (o->n_spectra++ == 0 && o->first) {
        memcpy(o->first, spectrum->power[WEIR_TRACE_MEAN], spectrum->n_bins * sizeof(float));
    }
    o->n_bins = spectrum->n_bins;
}

/* ---- the streams ---- */

typedef struct stream_case {
    const char *format;
    double overlap;
    uint64_t k;
    size_t n;
} stream_case;

static void fill_random(void *to, size_t bytes, bool floats)
{
    uint64_t s = 88172645463325252u;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        uint64_t v = s;
        if (floats) {
            float f[2] = {(float)(int32_t)v * 0x1p-31f, (float)(int32_t)(v >> 32) * 0x1p-31f};
            memcpy(&v, f, sizeof v);
        }
        memcpy((char *)to + i, &v, sizeof v);
    }
}

static double *hann(size_t n)
{
    double *w = must(calloc(n, sizeof *w));
    for (size_t i = 0; i < n; i++) {
        w[i] = 0.5 - 0.5 * cos(2 * 3.14159265358979323846 * (double)i / (double)n);
    }
    return w;
}

static weir_engine_config config_of(const stream_case *c, const double *window, outcome *o)
{
    weir_engine_config config = {.n_fft = c->n, .window = window, .frames_per_spectrum = c->k};
    weir_error err;
    config.format.channels = 1;
    must_ok(weir_format_parse(c->format, &config.format, &err), &err);
    config.hop = (size_t)((double)c->n * (1 - c->overlap) + 0.5);
    config.traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN);
    config.on_spectrum = on_spectrum;
    config.user = o;
    return config;
}

/* The first spectrum against double precision. */
static double first_error(const weir_engine_config *config, const void *raw, const float *row)
{
    static const struct {
        weir_scalar scalar;
        weir_gpu_layout layout;
        double bias, unit;
    } kinds[] = {{WEIR_U8, WEIR_GPU_U8, 127.5, 127.5},
                 {WEIR_S16LE, WEIR_GPU_S16, 0, 32768},
                 {WEIR_F32LE, WEIR_GPU_F32, 0, 1}};
    double error = NAN;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].scalar == config->format.scalar) {
            double *w = must(calloc(config->n_fft, sizeof *w));
            for (size_t j = 0; j < config->n_fft; j++) {
                w[j] = config->window[j] / (0.5 * (double)config->n_fft) / kinds[i].unit;
            }
            weir_gpu_plan_config plan = {.n_fft = config->n_fft,
                                         .layout = kinds[i].layout,
                                         .is_complex = config->format.is_complex,
                                         .bias = kinds[i].bias,
                                         .window = w};
            size_t bins = config->format.is_complex ? config->n_fft : config->n_fft / 2 + 1;
            double *expected = must(calloc(bins, sizeof *expected));
            bench_expected_row(&plan, raw, 0, config->hop, config->frames_per_spectrum, expected);
            error = bench_row_error(row, expected, bins);
            free(expected);
            free(w);
        }
    }
    return error;
}

/* Pushes n samples from a ring that always shows all it holds. */
static void push_stream(weir_engine *engine, const char *ring, size_t ring_samples, size_t stride,
                        uint64_t from, uint64_t end)
{
    while (from < end) {
        uint64_t seen = from + ring_samples < end ? from + ring_samples : end;
        weir_run run = {.samples = ring + from % ring_samples * stride,
                        .n_samples = (size_t)(seen - from),
                        .first_sample = from,
                        .rate_hz = 1e9,
                        .time_unix_ns = INT64_MIN};
        size_t released = 0;
        weir_error err;
        must_ok(weir_engine_push(engine, &run, &released, &err), &err);
        from += released;
        if (seen == end && !weir_engine_busy(engine)) {
            return;
        }
    }
}

/* GB/s of samples through the engine, over `repeats` rounds of the ring. */
static double stream_once(const weir_engine_config *config, const char *ring, size_t bytes,
                          int repeats, uint64_t *n_frames)
{
    size_t stride = weir_format_stride_bytes(&config->format), n = bytes / stride;
    weir_engine *engine;
    weir_error err;
    must_ok(weir_engine_cuda_create(&engine, config, &err), &err);
    double start = now();
    push_stream(engine, ring, n, stride, 0, (uint64_t)repeats * n);
    must_ok(weir_engine_flush(engine, 0, &err), &err);
    double seconds = now() - start;
    weir_totals totals;
    weir_engine_totals(engine, &totals);
    *n_frames = totals.n_frames;
    weir_engine_destroy(engine);
    return (double)bytes * repeats / seconds / 1e9;
}

/* The same pages twice in a row, so that a run never wraps. */
static char *map_ring(size_t bytes)
{
    int file = memfd_create("weir-bench", 0);
    char *base = mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = file >= 0 && ftruncate(file, (off_t)bytes) == 0 && base != MAP_FAILED;
    for (size_t i = 0; good && i < 2; i++) {
        good = mmap(base + i * bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                    0) != MAP_FAILED;
    }
    close(file);
    return must(good ? base : NULL);
}

static double bus_gbps(const char *raw, size_t bytes)
{
    const size_t piece = (size_t)8 << 20;
    char *device;
    cudaStream_t stream;
    double best = 0;
    if (cudaMalloc((void **)&device, bytes) || cudaStreamCreate(&stream)) {
        exit(1);
    }
    for (int i = 0; i < 6; i++) {
        double start = now();
        for (size_t at = 0; at < bytes; at += piece) {
            cudaMemcpyAsync(device + at, raw + at, piece, cudaMemcpyHostToDevice, stream);
        }
        cudaStreamSynchronize(stream);
        best = fmax(best, (double)bytes / (now() - start) / 1e9);
    }
    cudaStreamDestroy(stream);
    cudaFree(device);
    return best;
}

static void run_case(const stream_case *c, char *raw, size_t bytes, double bus, bool pinned)
{
    double *window = hann(c->n);
    outcome o = {.first = must(calloc(c->n, sizeof(float)))};
    weir_engine_config config = config_of(c, window, &o);
    fill_random(raw, bytes, config.format.scalar == WEIR_F32LE);
    uint64_t n_frames = 0;
    (void)stream_once(&config, raw, bytes, 1, &n_frames); /* kernels are loaded when first used */
    o.n_spectra = 0;
    double gbps = stream_once(&config, raw, bytes, quick ? 8 : 32, &n_frames);
    double error = first_error(&config, raw, o.first);
    size_t stride = weir_format_stride_bytes(&config.format);
    double out = 4.0 * (double)o.n_bins / ((double)c->k * (double)config.hop * (double)stride);
    const char *verdict = error < 2e-6 ? "" : "  WRONG";
    printf("%-5s N %-6zu %6.2f %% K %-4llu %s: %6.2f GB/s = %.3f of the bus, %6.2f GS/s, results "
           "%.2f of "
           "the samples%s\n",
           c->format, c->n, 100 * c->overlap, (unsigned long long)c->k,
           pinned ? "pinned  " : "pageable", gbps, gbps / bus, gbps / (double)stride, out, verdict);
    if (json) {
        fprintf(json,
                "{\"section\":\"streamed\",\"format\":\"%s\",\"n\":%zu,\"overlap\":%g,\"k\":%llu,"
                "\"pinned\":%s,\"gbps\":%.3f,\"bus_gbps\":%.3f,\"of_bus\":%.4f,\"gsps\":%.3f,"
                "\"error\":%.3g,\"checked\":%s}\n",
                c->format, c->n, c->overlap, (unsigned long long)c->k, pinned ? "true" : "false",
                gbps, bus, gbps / bus, gbps / (double)stride, error,
                error < 2e-6 ? "true" : "false");
    }
    free(o.first);
    free(window);
}

static void streamed(void)
{
    static const stream_case cases[] = {
        {"cu8", 0.5, 16, 1024},     {"cu8", 0, 16, 1024},        {"cu8", 0.75, 64, 1024},
        {"cu8", 0.9375, 256, 1024}, {"cs16", 0.5, 16, 1024},     {"cs16", 0.9375, 256, 1024},
        {"cf32", 0.5, 16, 1024},    {"cf32", 0.9375, 256, 1024}, {"cu8", 0.5, 16, 4096},
        {"cu8", 0.5, 16, 65536},    {"cu8", 0.5, 16, 1 << 20},   {"s16", 0.5, 16, 4096},
        {"cu8", 0.5, 1, 1024},
    };
    const size_t bytes = (size_t)128 << 20;
    char *raw = map_ring(bytes);
    memset(raw, 1, bytes);
    weir_error err;
    must_ok(weir_cuda_pin(raw, 2 * bytes, &err), &err);
    double bus = bus_gbps(raw, bytes);
    printf("bus, host to device, 8 MiB pieces: %.2f GB/s\n", bus);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_case(&cases[i], raw, bytes, bus, true);
    }
    weir_cuda_unpin(raw);
    run_case(&cases[0], raw, bytes, bus, false);
    munmap(raw, 2 * bytes);
}

/* ---- latency ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From the call that brings a frame's last sample to its spectrum's callback. */
static void latency(size_t n, double overlap, const char *format)
{
    enum { ROUNDS = 5000, WARM = 500 };
    const stream_case c = {format, overlap, 1, n};
    double *window = hann(n), *us = must(calloc(ROUNDS, sizeof *us));
    outcome o = {.n_spectra = 0};
    weir_engine_config config = config_of(&c, window, &o);
    size_t stride = weir_format_stride_bytes(&config.format);
    size_t total = (ROUNDS + WARM) * config.hop + n;
    char *raw = must(aligned_alloc(4096, (total * stride + 4095) / 4096 * 4096));
    fill_random(raw, total * stride, false);
    weir_engine *engine;
    weir_error err;
    must_ok(weir_cuda_pin(raw, total * stride, &err), &err);
    must_ok(weir_engine_cuda_create(&engine, &config, &err), &err);
    size_t from = 0;
    for (size_t i = 0; i < ROUNDS + WARM; i++) {
        uint64_t before = o.n_spectra;
        double start = now();
        while (o.n_spectra == before) {
            weir_run run = {.samples = raw + from * stride,
                            .n_samples = i * config.hop + n - from,
                            .first_sample = from,
                            .rate_hz = 1e6,
                            .time_unix_ns = INT64_MIN};
            size_t released = 0;
            must_ok(weir_engine_push(engine, &run, &released, &err), &err);
            from += released;
        }
        if (i >= WARM) {
            us[i - WARM] = 1e6 * (now() - start);
        }
    }
    must_ok(weir_engine_flush(engine, 0, &err), &err);
    weir_engine_destroy(engine);
    weir_cuda_unpin(raw);
    qsort(us, ROUNDS, sizeof *us, compare_doubles);
    double median = us[ROUNDS / 2], p99 = us[ROUNDS * 99 / 100];
    printf("latency, %s N %zu hop %zu: median %.1f us, p99 %.1f us, worst %.1f us\n", format, n,
           config.hop, median, p99, us[ROUNDS - 1]);
    if (json) {
        fprintf(json,
                "{\"section\":\"latency\",\"format\":\"%s\",\"n\":%zu,\"hop\":%zu,"
                "\"median_us\":%.2f,\"p99_us\":%.2f,\"worst_us\":%.2f}\n",
                format, n, config.hop, median, p99, us[ROUNDS - 1]);
    }
    free(raw);
    free(us);
    free(window);
}

/* ---- a steady rate ---- */

/* Time the GPU works on a batch of so many samples: kernels back to back. Small batches leave
 * most of it idle; with one large enough to fill it, the time for a batch's share of that one is
 * what it takes of the GPU's capacity. */
static double gpu_seconds_per_batch(const weir_engine_config *config, size_t n_samples)
{
    weir_gpu_plan_config c = {.n_fft = config->n_fft,
                              .layout = WEIR_GPU_S16,
                              .is_complex = true,
                              .clip_codes = 1,
                              .window = config->window};
    weir_gpu_plan *plan;
    weir_error err;
    must_ok(weir_gpu_plan_create(&plan, &c, &err), &err);
    char *raw;
    float *rows;
    uint32_t n_frames = (uint32_t)(n_samples / config->hop);
    size_t bytes = (n_samples + config->n_fft) * 4;
    weir_gpu_batch batch = {.hop = config->hop,
                            .n_frames = n_frames,
                            .group = 16,
                            .per_spectrum = config->frames_per_spectrum};
    size_t n_rows = weir_gpu_batch_groups(&batch);
    cudaEvent_t begin, end;
    if (cudaMalloc((void **)&raw, bytes) || cudaMemset(raw, 1, bytes) ||
        cudaMalloc((void **)&rows, n_rows * (config->n_fft + 2) * sizeof(float)) ||
        cudaEventCreate(&begin) || cudaEventCreate(&end)) {
        exit(1);
    }
    batch.raw = raw;
    batch.rows = rows;
    uint32_t *counts = (uint32_t *)(void *)(rows + n_rows * config->n_fft);
    const int n_runs = n_samples > 1000000 ? 20 : 1000, n_warm = n_runs / 10;
    for (int i = 0; i < n_runs + n_warm; i++) {
        if (i == n_warm) {
            cudaEventRecord(begin, NULL);
        }
        must_ok(weir_gpu_power(plan, &batch, NULL, &err), &err);
        must_ok(weir_gpu_count(plan, &batch, config->hop, counts, NULL, &err), &err);
    }
    cudaEventRecord(end, NULL);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    cudaFree(raw);
    cudaFree(rows);
    weir_gpu_plan_destroy(plan);
    return ms / 1e3 / n_runs;
}

static void sleep_until(double when)
{
    struct timespec t = {.tv_sec = (time_t)when,
                         .tv_nsec = (long)((when - (double)(time_t)when) * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* 61.44 MS/s cs16, 75 % overlap: 240 000 transforms a second, pushed each `period`. */
static void steady(double period)
{
    const stream_case c = {"cs16", 0.75, 240, 1024};
    const double rate = 61.44e6, length = quick ? 1 : 3;
    double *window = hann(c.n);
    outcome o = {.n_spectra = 0};
    weir_engine_config config = config_of(&c, window, &o);
    size_t stride = weir_format_stride_bytes(&config.format), total = (size_t)(rate * length);
    char *raw = must(aligned_alloc(4096, (total * stride + 4095) / 4096 * 4096));
    memset(raw, 3, total * stride);
    weir_engine *engine;
    weir_error err;
    must_ok(weir_cuda_pin(raw, total * stride, &err), &err);
    must_ok(weir_engine_cuda_create(&engine, &config, &err), &err);
    size_t from = 0;
    double start = now(), cpu = now_on(CLOCK_THREAD_CPUTIME_ID);
    for (double t = period; t <= length; t += period) {
        sleep_until(start + t);
        weir_run run = {.samples = raw + from * stride,
                        .n_samples = (size_t)(rate * t) - from,
                        .first_sample = from,
                        .rate_hz = rate,
                        .time_unix_ns = INT64_MIN};
        size_t released = 0;
        must_ok(weir_engine_push(engine, &run, &released, &err), &err);
        from += released;
    }
    must_ok(weir_engine_flush(engine, 0, &err), &err);
    cpu = now_on(CLOCK_THREAD_CPUTIME_ID) - cpu;
    weir_totals totals;
    weir_engine_totals(engine, &totals);
    weir_engine_destroy(engine);
    weir_cuda_unpin(raw);
    const size_t each = (size_t)(rate * period), many = 512;
    double gpu = gpu_seconds_per_batch(&config, each) / period;
    double capacity = gpu_seconds_per_batch(&config, many * each) / (double)many / period;
    printf("61.44 MS/s cs16 N 1024 75 %%, a push each %.0f ms: %.0f transforms/s, %.2f %% of a "
           "core, kernels run %.2f %% of the time, %.3f %% of the GPU's capacity\n",
           1e3 * period, (double)totals.n_frames / length, 100 * cpu / length, 100 * gpu,
           100 * capacity);
    if (json) {
        fprintf(
            json,
            "{\"section\":\"steady\",\"rate_hz\":%.0f,\"period_ms\":%g,\"transforms_per_s\":%.0f,"
            "\"core_percent\":%.3f,\"gpu_percent\":%.3f,\"gpu_capacity_percent\":%.4f}\n",
            rate, 1e3 * period, (double)totals.n_frames / length, 100 * cpu / length, 100 * gpu,
            100 * capacity);
    }
    free(raw);
    free(window);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            json = fopen(argv[++i], "w");
        } else {
            fprintf(stderr, "usage: bench_cuda_stream [--json FILE] [--quick]\n");
            return 64;
        }
    }
    weir_error err;
    if (weir_cuda_device_count(&err) == 0) {
        printf("%s\n", err.text);
        return 77;
    }
    streamed();
    latency(4096, 0, "cu8");
    latency(4096, 0.5, "cu8");
    latency(1024, 0.5, "cu8");
    steady(1e-3);
    steady(4e-3);
    if (json) {
        fclose(json);
    }
    return 0;
}
