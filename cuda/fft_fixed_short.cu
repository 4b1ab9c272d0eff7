#include "cuda/fft_fixed.cuh"

weir_fft::launcher *weir_fft::fixed_short_rows(const weir_fft_shape &shape)
{
    static const fixed_entry entries[] = {
        entry<false, 1024, 256, 2>(),   entry<false, 512, 256, 4>(),
        entry<false, 256, 256, 8>(),    entry<false, 128, 128, 16>(),
        entry<false, 64, 256, 8, 4>(),  entry<false, 32, 128, 16, 4>(),
        entry<false, 16, 128, 16, 8>(),
    };
    return find_fixed(entries, sizeof entries / sizeof entries[0], shape);
}
