/* Convolutions in three steps, above 4096 points; and the search in all lists. */
#include "cuda/fft_chirp_launch.cuh"

#include <string.h>

#define WEIR_CHIRP(...) chirp_entry<__VA_ARGS__>(),

namespace weir_fft {

chirp_list chirp_kernels_long()
{
    static const chirp_kernel kernels[] = {
#include "cuda/fft_chirp_long.inc"
    };
    return {kernels, sizeof kernels / sizeof kernels[0]};
}

const chirp_kernel *find_chirp(const weir_fft_chirp &shape)
{
    const chirp_list lists[] = {chirp_kernels_short(), chirp_kernels_middle(),
                                chirp_kernels_long()};
    for (const chirp_list &list : lists) {
        for (size_t i = 0; i < list.count; i++) {
            if (memcmp(&list.kernels[i].shape, &shape, sizeof shape) == 0) {
                return &list.kernels[i];
            }
        }
    }
    return nullptr;
}

} /* namespace weir_fft */
