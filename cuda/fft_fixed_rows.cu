#include "cuda/fft_fixed.cuh"

weir_fft::launcher *weir_fft::fixed_rows(const weir_fft_shape &shape)
{
    static const fixed_entry entries[] = {
        entry<false, 8, 128, 16, 16>(),         entry<false, 4, 128, 16, 4, 8>(),
        entry<false, 2, 128, 16, 4, 16>(),      entry<false, 1, 128, 16, 8, 16>(),
        entry<false, 1, 256, 16, 16, 16>(),     entry<false, 1, 512, 16, 8, 4, 16>(),
        entry<false, 1, 1024, 16, 16, 4, 16>(),
    };
    return find_fixed(entries, sizeof entries / sizeof entries[0], shape);
}
