#include "cuda/power_kernels.cuh"

namespace weir {

kernel_info find_s16(bool is_complex, size_t n, const device_limits &device)
{
    return is_complex ? find_kernel<S16, true>(n, device) : find_kernel<S16, false>(n, device);
}

} /* namespace weir */
