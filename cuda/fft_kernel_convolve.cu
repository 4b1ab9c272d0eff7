#include "cuda/fft_launch.cuh"

cudaError_t weir_fft::convolve_plain(const tile_args &args, uint32_t blocks, cudaStream_t stream)
{
    return launch_tiles<false, false, true>(args, blocks, stream);
}
