#include "dsp/kernels_cpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dispatch is a table and not target_clones: that needs ifuncs, which run before the
 * sanitizers are ready, and which clang 14 does not have for C. */

#if defined(__x86_64__)
static bool supported_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("fma");
}

static bool supported_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#if defined(__clang__)
#define WIDE_VECTORS ""
#else
#define WIDE_VECTORS ",prefer-vector-width=512"
#endif

#define KERNEL(name) name##_avx512
#define KERNEL_LABEL "AVX-512"
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma" WIDE_VECTORS)))
#include "dsp/kernels_body.h"
#undef KERNEL
#undef KERNEL_LABEL
#undef TARGET

#define KERNEL(name) name##_avx2
#define KERNEL_LABEL "AVX2"
#define TARGET __attribute__((target("avx2,fma")))
#include "dsp/kernels_body.h"
#undef KERNEL
#undef KERNEL_LABEL
#undef TARGET
#endif

static bool supported_plain(void)
{
    return true;
}

#define KERNEL(name) name##_plain
#define KERNEL_LABEL "plain"
#define TARGET
#include "dsp/kernels_body.h"

static const weir_cpu_kernels *const sets[] = {
#if defined(__x86_64__)
    &kernels_avx512,
    &kernels_avx2,
#endif
    &kernels_plain,
};

const weir_cpu_kernels *weir_cpu_kernels_at(size_t index)
{
    return index < sizeof sets / sizeof sets[0] ? sets[index] : NULL;
}

const weir_cpu_kernels *weir_cpu_kernels_best(void)
{
    size_t i = 0, last = sizeof sets / sizeof sets[0] - 1; /* the plain ones run anywhere */
    while (i < last && !sets[i]->supported()) {
        i++;
    }
    return sets[i];
}
