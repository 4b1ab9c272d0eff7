#include "cuda/fft_fixed.cuh"

weir_fft::launcher *weir_fft::fixed_real_3(const weir_fft_shape &shape, bool back)
{
    static const fixed_entry there[] = {
#define WEIR_FIXED(LINES, THREADS, ...) entry_of<false, TO_HALF, LINES, THREADS, __VA_ARGS__>(),
#include "cuda/fft_fixed_real_3.inc"
#undef WEIR_FIXED
    };
    static const fixed_entry returning[] = {
#define WEIR_FIXED(LINES, THREADS, ...) entry_of<false, FROM_HALF, LINES, THREADS, __VA_ARGS__>(),
#include "cuda/fft_fixed_real_3.inc"
#undef WEIR_FIXED
    };
    return find_fixed(back ? returning : there, sizeof there / sizeof there[0], shape);
}
