#include "cuda/power_kernels.cuh"

namespace weir {

kernel_info find_f32(bool is_complex, int log2n, bool columns)
{
    return is_complex ? find_kernel<F32, true>(log2n, columns)
                      : find_kernel<F32, false>(log2n, columns);
}

} /* namespace weir */
