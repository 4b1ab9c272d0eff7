#include "cuda/power_kernels.cuh"

namespace weir {

kernel_info find_s16(bool is_complex, int log2n, bool columns)
{
    return is_complex ? find_kernel<S16, true>(log2n, columns)
                      : find_kernel<S16, false>(log2n, columns);
}

} /* namespace weir */
