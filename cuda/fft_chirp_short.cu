/* Convolutions in two steps, of several transforms a block. */
#include "cuda/fft_chirp_launch.cuh"

#define WEIR_CHIRP(...) chirp_entry<__VA_ARGS__>(),

weir_fft::chirp_list weir_fft::chirp_kernels_short()
{
    static const chirp_kernel kernels[] = {
#include "cuda/fft_chirp_short.inc"
    };
    return {kernels, sizeof kernels / sizeof kernels[0]};
}
