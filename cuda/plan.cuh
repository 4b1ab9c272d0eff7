/* What a weir_gpu_plan is made of; only for the .cu files. */
#ifndef WEIR_CUDA_PLAN_CUH
#define WEIR_CUDA_PLAN_CUH

#include "cuda/power_kernels.cuh"
#include "cuda/spectrum_any.cuh"
#include "cuda/spectrum_kernels.h"

#include <string.h>

struct weir_gpu_plan {
    weir_gpu_plan_config config; /* window: not kept */
    int log2n;
    size_t n_bins;
    float magic_bias;         /* for the loaders of the power kernels */
    weir::kernel_info kernel; /* the only one, or that of the columns  */
    unsigned resident_blocks; /* that run at once                      */

    float *window;       /* in the order of the kernel  */
    float *plain_window; /* in the order of the samples */
    float4 *warp_pairs, *lane_pairs, *column_pairs;

    /* Large N: results of the column passes at hand, and sums of rows. */
    float2 *columns;
    float *sums;
    size_t units_at_once; /* transforms that columns has room for */

    weir::any_spectrum *any; /* sizes without kernels of their own; then none of the above */
};

namespace weir {

/* CUDA's own text for a failed call: WEIR_OK, WEIR_ERR_NOMEM or WEIR_ERR_DEVICE. */
weir_status check(cudaError_t result, const char *what, weir_error *err);

/* How many frames the group of this index has; the host's span_of. */
__host__ __device__ inline uint32_t groups_of(uint64_t per_spectrum, uint32_t group)
{
    return (uint32_t)((per_spectrum + group - 1) / group);
}

power_args batch_args(const weir_gpu_plan *plan, const weir_gpu_batch *batch);

/* A kernel of one argument, or of two of which the second is a pointer. */
template <class ARGS>
void describe_launch(weir_gpu_launch *launch, const void *function, dim3 blocks, unsigned threads,
                     const ARGS &args, void *second = nullptr)
{
    static_assert(sizeof args + sizeof second <= sizeof launch->values, "room for arguments");
    static_assert(sizeof args % sizeof second == 0, "a pointer behind them");
    launch->function = const_cast<void *>(function);
    launch->blocks[0] = blocks.x;
    launch->blocks[1] = blocks.y;
    launch->threads = threads;
    launch->shared_bytes = 0;
    launch->arguments[0] = launch->values;
    launch->arguments[1] = launch->values + sizeof args / sizeof *launch->values;
    memcpy(launch->arguments[0], &args, sizeof args);
    memcpy(launch->arguments[1], &second, sizeof second);
}

} /* namespace weir */

#endif
