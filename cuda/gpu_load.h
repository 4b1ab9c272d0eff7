/* How busy a GPU is, as the driver's management library (NVML) tells: the share of its last
 * period (1/6 to 1 s) in which a kernel ran, of this program or another.
 *
 * The library comes with the driver and is loaded when it is asked for first; without it the
 * load is not known, which is no error. One thread at a time.
 */
#ifndef WEIR_CUDA_GPU_LOAD_H
#define WEIR_CUDA_GPU_LOAD_H

typedef struct weir_gpu_load weir_gpu_load;

/* By its place on the bus ("0000:01:00.0", weir_cuda_bus_id). NULL: it cannot be known. May take
 * some 10 ms. */
weir_gpu_load *weir_gpu_load_open(const char *bus_id);
/* 0 to 1; negative: not known. */
double weir_gpu_load_share(const weir_gpu_load *load);
void weir_gpu_load_close(weir_gpu_load *load); /* NULL-safe */

#endif
