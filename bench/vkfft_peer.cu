#include "bench/vkfft_peer.h"

#if WEIR_BENCH_VKFFT

#define VKFFT_BACKEND 1 /* CUDA */
#include <vkFFT.h>

#include <new>

struct vkfft_peer {
    CUdevice device;
    VkFFTApplication app;
    void *in, *out;
    uint64_t bytes;
};

vkfft_peer *vkfft_peer_create(size_t n, size_t batch, void *in, void *out)
{
    int number = 0;
    vkfft_peer *p = new (std::nothrow) vkfft_peer();
    if (!p) {
        return nullptr;
    }
    p->in = in;
    p->out = out;
    p->bytes = 8 * (uint64_t)n * batch;
    VkFFTConfiguration c = {};
    c.FFTdim = 1;
    c.size[0] = n;
    c.numberBatches = batch;
    c.device = &p->device;
    c.isInputFormatted = 1;
    c.inputBufferStride[0] = n;
    c.inputBufferSize = &p->bytes;
    c.bufferSize = &p->bytes;
    if (cudaGetDevice(&number) != cudaSuccess || cuDeviceGet(&p->device, number) != CUDA_SUCCESS ||
        initializeVkFFT(&p->app, c) != VKFFT_SUCCESS) {
        delete p;
        return nullptr;
    }
    return p;
}

bool vkfft_peer_run(vkfft_peer *p)
{
    VkFFTLaunchParams launch = {};
    launch.inputBuffer = &p->in;
    launch.buffer = &p->out;
    return VkFFTAppend(&p->app, -1, &launch) == VKFFT_SUCCESS;
}

void vkfft_peer_destroy(vkfft_peer *p)
{
    if (p) {
        deleteVkFFT(&p->app);
        delete p;
    }
}

int vkfft_peer_version()
{
    return VkFFTGetVersion();
}

#else

vkfft_peer *vkfft_peer_create(size_t, size_t, void *, void *)
{
    return nullptr;
}

bool vkfft_peer_run(vkfft_peer *)
{
    return false;
}

void vkfft_peer_destroy(vkfft_peer *)
{
}

int vkfft_peer_version()
{
    return 0;
}

#endif
