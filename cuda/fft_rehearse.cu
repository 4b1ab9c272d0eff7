/* The kernels on the host, thread by thread; shared memory begins as NaN. */
#include "cuda/fft_launch.cuh"

#include <math.h>
#include <vector>

namespace weir_fft {

template <bool GI, bool GO>
static void rehearse_tile(const launch &l, float2 *shared, uint32_t block)
{
    const runtime_shape shape(l.args.shape);
    const uint32_t threads = l.args.shape.threads;
    const worker<runtime_shape, GI, GO> any(l.args, shape, shared, 0, threads, block);
    const uint32_t phases = l.convolve ? any.convolution_phases() : any.transform_phases();
    for (uint32_t p = 0; p < phases; p++) {
        for (uint32_t t = 0; t < threads; t++) {
            const worker<runtime_shape, GI, GO> me(l.args, shape, shared, t, threads, block);
            if (l.convolve) {
                me.convolution_phase(p);
            } else {
                me.transform_phase(p);
            }
        }
    }
}

void rehearse_launch(const launch &l, uint32_t blocks)
{
    std::vector<float2> shared(l.args.shape.shared_bytes / sizeof(float2), make_float2(NAN, NAN));
    for (uint32_t b = 0; b < blocks; b++) {
        if (l.general_in) {
            l.general_out ? rehearse_tile<true, true>(l, shared.data(), b)
                          : rehearse_tile<true, false>(l, shared.data(), b);
        } else {
            l.general_out ? rehearse_tile<false, true>(l, shared.data(), b)
                          : rehearse_tile<false, false>(l, shared.data(), b);
        }
    }
}

} /* namespace weir_fft */
