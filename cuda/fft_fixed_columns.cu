#include "cuda/fft_fixed.cuh"

weir_fft::launcher *weir_fft::fixed_columns(const weir_fft_shape &shape)
{
    static const fixed_entry entries[] = {
        entry<true, 16, 128, 16, 8>(),      entry<true, 16, 256, 16, 16>(),
        entry<true, 32, 512, 16, 16>(),     entry<true, 16, 256, 32, 16>(),
        entry<true, 8, 256, 32, 32>(),      entry<true, 16, 512, 16, 4, 8>(),
        entry<true, 8, 512, 16, 4, 16>(),   entry<true, 8, 1024, 16, 8, 16>(),
        entry<true, 4, 1024, 16, 16, 16>(),
    };
    return find_fixed(entries, sizeof entries / sizeof entries[0], shape);
}
