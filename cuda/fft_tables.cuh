/* Tables of the transforms: roots of unity from exact integer angles in double precision,
 * rounded once. Built where they are used, on the device or on the host.
 */
#ifndef WEIR_CUDA_FFT_TABLES_CUH
#define WEIR_CUDA_FFT_TABLES_CUH

#include "cuda/fft_plan.h"
#include "cuda/fft_radix.cuh"

#include <math.h>

namespace weir_fft {

/* exp(-2 pi i part / of): the nearest quarter turn in integers, then at most 1/8 turn. */
__host__ __device__ inline double2 exact_root(uint64_t part, uint64_t of)
{
    part %= of;
    const uint64_t q = (8 * part + of) / (2 * of);
    const double x = (double)((int64_t)(4 * part) - (int64_t)(q * of)) / (double)of;
    double s, c;
#ifdef __CUDA_ARCH__
    sincospi(0.5 * x, &s, &c);
#else
    s = sin(1.57079632679489661923 * x);
    c = cos(1.57079632679489661923 * x);
#endif
    switch (q % 4) {
    case 0:
        return make_double2(c, -s);
    case 1:
        return make_double2(-s, -c);
    case 2:
        return make_double2(-c, s);
    default:
        return make_double2(s, c);
    }
}

enum table_kind {
    STAGES,      /* twiddles of a tile                                        */
    GRID,        /* W_of^((row + first) factor column)                        */
    CHIRP,       /* W_2n^(i^2)                                                */
    CHIRP_CYCLE, /* its conjugate, cyclic of length `of`, over `of`           */
};

struct table_job {
    table_kind kind;
    size_t count;
    weir_fft_shape shape;                /* STAGES */
    uint64_t columns, first, factor, of; /* GRID */
    uint64_t n;                          /* CHIRP* */
};

__host__ __device__ inline double2 stage_twiddle(const weir_fft_shape &shape, uint32_t i)
{
    uint32_t s = shape.n_stages - 1;
    while (i < shape.table[s]) {
        s--;
    }
    const uint32_t before = shape.before[s], r = (i - shape.table[s]) / before + 1;
    uint32_t k = (i - shape.table[s]) % before;
    if (s + 1 < shape.n_stages) { /* in the order of the positions: most significant first */
        uint32_t position = k;
        k = 0;
        for (uint32_t d = s; d-- > 0;) {
            k += position % shape.radix[d] * shape.before[d];
            position /= shape.radix[d];
        }
    }
    return exact_root((uint64_t)r * k, (uint64_t)before * shape.radix[s]);
}

__host__ __device__ inline double2 chirp(uint64_t i, uint64_t n)
{
    return exact_root(i * i % (2 * n), 2 * n);
}

__host__ __device__ inline float2 table_value(const table_job &job, size_t i)
{
    double2 v = make_double2(0.0, 0.0);
    switch (job.kind) {
    case STAGES:
        v = stage_twiddle(job.shape, (uint32_t)i);
        break;
    case GRID:
        v = exact_root((i / job.columns + job.first) * job.factor % job.of * (i % job.columns),
                       job.of);
        break;
    case CHIRP:
        v = chirp(i, job.n);
        break;
    case CHIRP_CYCLE: {
        const uint64_t d = i < job.of - i ? i : job.of - i;
        if (d < job.n) {
            v = chirp(d, job.n);
            v = make_double2(v.x / (double)job.of, -v.y / (double)job.of);
        }
        break;
    }
    }
    return make_float2((float)v.x, (float)v.y);
}

} /* namespace weir_fft */

#endif
