/* What the benchmarks of transforms time on: a buffer to read, one to write, and two events. */
#ifndef WEIR_BENCH_FFT_BUFFERS_CUH
#define WEIR_BENCH_FFT_BUFFERS_CUH

#include <cuda_runtime.h>
#include <stddef.h>

struct buffers {
    void *in, *out;
    cudaEvent_t begin, end;
};

/* Values from -1 to 1, the same each time. */
static __global__ void fill(float *x, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u;
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
        x[i] = (float)h * 4.6566e-10f - 1.0f;
    }
}

/* Milliseconds of the GPU for what `work` puts into the default stream. */
template <class F> float timed(const buffers &b, const F &work)
{
    float ms = 0;
    cudaEventRecord(b.begin);
    work();
    cudaEventRecord(b.end);
    cudaEventSynchronize(b.end);
    cudaEventElapsedTime(&ms, b.begin, b.end);
    return ms;
}

#endif
