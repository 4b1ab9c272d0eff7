/* Power spectra of lengths that have no kernel of their own: any from 2 on, as one fused
 * kernel while the transform fits shared memory (spectrum_tile.cuh: products of primes to
 * 13 up to 28672 points, others up to 14336), beyond by the passes of cuda/fft.h between a
 * kernel that unpacks and windows and one that adds powers.
 *
 * Part of weir_gpu_plan (plan.cuh); same batches, rows and rules as the other kernels.
 */
#ifndef WEIR_CUDA_SPECTRUM_ANY_CUH
#define WEIR_CUDA_SPECTRUM_ANY_CUH

#include "cuda/power_kernels.cuh"
#include "cuda/spectrum_kernels.h"

namespace weir {

struct any_spectrum;

/* on_host: tables in host memory, kernels gone through thread by thread (for tests). */
weir_status any_create(any_spectrum **out, const weir_gpu_plan_config *config, bool on_host,
                       weir_error *err);
weir_status any_power(const any_spectrum *any, const power_args &batch, cudaStream_t stream,
                      weir_error *err);
void any_destroy(any_spectrum *any); /* NULL does nothing */

} /* namespace weir */

#endif
