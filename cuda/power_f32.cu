#include "cuda/power_kernels.cuh"

namespace weir {

kernel_info find_f32(bool is_complex, size_t n, const device_limits &device)
{
    return is_complex ? find_kernel<F32, true>(n, device) : find_kernel<F32, false>(n, device);
}

} /* namespace weir */
