#include "cuda/power_kernels.cuh"

namespace weir {

kernel_info find_u8(bool is_complex, int log2n, bool columns)
{
    return is_complex ? find_kernel<U8, true>(log2n, columns)
                      : find_kernel<U8, false>(log2n, columns);
}

} /* namespace weir */
