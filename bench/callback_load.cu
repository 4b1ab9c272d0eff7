/* cuFFT's load callback of the peer: unpack and window. One image a layout (-DLAYOUT=). */
#include <cufftXt.h>

struct callback_info {
    const float *window;
    unsigned mask, shift, hop;
};

#if LAYOUT == 0
typedef uchar2 sample;
#define OFFSET 127.5f
#elif LAYOUT == 2
typedef short2 sample;
#define OFFSET 0.0f
#else
typedef float2 sample;
#define OFFSET 0.0f
#endif

__device__ cufftComplex load_sample(void *in, unsigned long long offset, void *info, void *)
{
    const callback_info *c = static_cast<const callback_info *>(info);
    const unsigned long long frame = offset >> c->shift;
    const unsigned i = (unsigned)offset & c->mask;
    const sample v = static_cast<const sample *>(in)[frame * c->hop + i];
    const float w = c->window[i];
    return make_float2((v.x - OFFSET) * w, (v.y - OFFSET) * w);
}
