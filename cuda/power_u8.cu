#include "cuda/power_kernels.cuh"

namespace weir {

kernel_info find_u8(bool is_complex, size_t n, const device_limits &device)
{
    return is_complex ? find_kernel<U8, true>(n, device) : find_kernel<U8, false>(n, device);
}

} /* namespace weir */
