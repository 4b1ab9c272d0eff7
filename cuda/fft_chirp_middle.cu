/* Convolutions in three steps, to 4096 points. */
#include "cuda/fft_chirp_launch.cuh"

#define WEIR_CHIRP(...) chirp_entry<__VA_ARGS__>(),

weir_fft::chirp_list weir_fft::chirp_kernels_middle()
{
    static const chirp_kernel kernels[] = {
#include "cuda/fft_chirp_middle.inc"
    };
    return {kernels, sizeof kernels / sizeof kernels[0]};
}
