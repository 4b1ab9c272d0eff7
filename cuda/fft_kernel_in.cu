#include "cuda/fft_launch.cuh"

cudaError_t weir_fft::transform_in(const tile_args &args, uint32_t blocks, cudaStream_t stream)
{
    return launch_tiles<true, false, false>(args, blocks, stream);
}
