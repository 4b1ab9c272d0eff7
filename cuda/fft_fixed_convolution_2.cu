#include "cuda/fft_fixed.cuh"

#define WEIR_FIXED(LINES, THREADS, ...) entry_of<false, CONVOLVE, LINES, THREADS, __VA_ARGS__>(),

weir_fft::launcher *weir_fft::fixed_convolution_2(const weir_fft_shape &shape)
{
    static const fixed_entry entries[] = {
#include "cuda/fft_fixed_convolution_2.inc"
    };
    return find_fixed(entries, sizeof entries / sizeof entries[0], shape);
}
