/* cuFFTDx as a peer: the same fused job, cu8 to mean power in one kernel, by NVIDIA's
 * device-side transform. Only where its headers are (CMake: WEIR_CUFFTDX_DIR). */
#ifndef WEIR_BENCH_PEER_CUFFTDX_H
#define WEIR_BENCH_PEER_CUFFTDX_H

#include <stddef.h>
#include <stdint.h>

/* Puts n_spectra means of k transforms each on the default stream; rows in the transform's own
 * order. False: not for this size. */
bool peer_cufftdx_run(size_t n, const void *raw, size_t hop, uint32_t k, size_t n_spectra,
                      const float *window, float *rows);

#endif
