#include "cuda/power_kernels.cuh"

namespace weir {

kernel_info find_s8(bool is_complex, size_t n, const device_limits &device)
{
    return is_complex ? find_kernel<S8, true>(n, device) : find_kernel<S8, false>(n, device);
}

} /* namespace weir */
