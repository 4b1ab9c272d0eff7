/* cuFFT's store callback of the peer: the power instead of the value. */
#include <cufftXt.h>

__device__ void store_power(void *out, unsigned long long offset, cufftComplex v, void *, void *)
{
    static_cast<float *>(out)[offset] = v.x * v.x + v.y * v.y;
}
