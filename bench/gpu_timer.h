/* Times of work on the GPU's default stream, by events. For benchmarks. */
#ifndef WEIR_BENCH_GPU_TIMER_H
#define WEIR_BENCH_GPU_TIMER_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static inline void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
        exit(1);
    }
}

static inline void *device_memory(size_t bytes)
{
    void *memory = NULL;
    must(cudaMalloc(&memory, bytes) == cudaSuccess, "cudaMalloc");
    return memory;
}

/* Random bytes of the host, again and again; `mask` is applied to each. */
static inline void fill_device(void *memory, size_t bytes, unsigned char mask)
{
    enum { CHUNK = 1 << 22 };
    static unsigned char noise[CHUNK];
    unsigned x = 12345;
    for (size_t i = 0; i < CHUNK; i++) {
        x = x * 1664525u + 1013904223u;
        noise[i] = (unsigned char)(x >> 24) & mask;
    }
    for (size_t at = 0; at < bytes; at += CHUNK) {
        size_t n = bytes - at < CHUNK ? bytes - at : CHUNK;
        must(cudaMemcpy((char *)memory + at, noise, n, cudaMemcpyHostToDevice) == cudaSuccess,
             "cudaMemcpy");
    }
}

static inline int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Median of 7 runs after two that do not count, in ms. work enqueues on the default stream. */
static inline double median_ms(void (*work)(void *), void *job)
{
    enum { RUNS = 9, WARM = 2 };
    float ms[RUNS];
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int i = 0; i < RUNS; i++) {
        cudaEventRecord(begin, NULL);
        work(job);
        cudaEventRecord(end, NULL);
        must(cudaEventSynchronize(end) == cudaSuccess, "a kernel");
        cudaEventElapsedTime(&ms[i], begin, end);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    qsort(ms + WARM, RUNS - WARM, sizeof *ms, by_value);
    return (double)ms[WARM + (RUNS - WARM) / 2];
}

#endif
