/* A GPU that is not there: the CUDA runtime and the kernels of cuda/spectrum_kernels.h, done at
 * once on the CPU in double precision. With cuda/engine_cuda.c, pipeline.c and devices.c
 * it is the whole CUDA engine but for the kernels, on any machine; and it can fail.
 *
 * Like a real one, it stays broken once it has failed, and what it computed is gone: memory of the
 * device is spoilt, and no batch in flight comes back; the error of a call that nobody has dealt
 * with is the next launch's. One thread at a time. */
#ifndef WEIR_TESTS_FAKE_GPU_H
#define WEIR_TESTS_FAKE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole again; the n-th call from now on that puts work on the device or waits for it
 * fails, and all after it. 0: none. */
void fake_gpu_reset(uint64_t failing_call);
/* Such calls since reset. */
uint64_t fake_gpu_calls(void);
bool fake_gpu_has_failed(void);
/* The n-th allocation from now on, of either memory, is refused, once. 0: none. */
void fake_gpu_refuse(uint64_t allocation);
/* From now on graphs are not made, or are. */
void fake_gpu_refuse_graphs(bool refused);
/* Graphs started since reset. */
uint64_t fake_gpu_graphs(void);
/* Pieces of memory, and graphs, that nobody has freed. */
size_t fake_gpu_blocks(void);

#endif
