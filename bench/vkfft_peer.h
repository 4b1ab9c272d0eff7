/* VkFFT (https://github.com/DTolm/VkFFT, MIT) as a peer of the benchmarks, where its header
 * and NVRTC are installed (Debian: libvkfft-dev); it compiles its kernels when it plans. */
#ifndef WEIR_BENCH_VKFFT_PEER_H
#define WEIR_BENCH_VKFFT_PEER_H

#include <stddef.h>

typedef struct vkfft_peer vkfft_peer;

/* Complex forward transforms, out of place, on the current device and its default stream.
 * NULL: it cannot, or it is not there. */
vkfft_peer *vkfft_peer_create(size_t n, size_t batch, void *in, void *out);
bool vkfft_peer_run(vkfft_peer *peer);
void vkfft_peer_destroy(vkfft_peer *peer);
/* 0: it is not there; else e.g. 10226 for 1.2.26. */
int vkfft_peer_version();

#endif
