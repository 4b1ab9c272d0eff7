#include "bench/peer_cufftdx.h"

#include <cufftdx.hpp>

namespace {

template <unsigned N>
using plain =
    decltype(cufftdx::Block() + cufftdx::Size<N>() + cufftdx::Type<cufftdx::fft_type::c2c>() +
             cufftdx::Direction<cufftdx::fft_direction::forward>() + cufftdx::Precision<float>() +
             cufftdx::SM<900>());
/* As many transforms a block, and values a thread, as the library suggests. */
template <unsigned N>
using transform =
    decltype(plain<N>() + cufftdx::FFTsPerBlock<plain<N>::suggested_ffts_per_block>());

/* A block's y-th transform goes through the frames of a spectrum; sums stay in registers. */
template <class FFT>
__launch_bounds__(FFT::max_threads_per_block) __global__
    void spectra(const uchar2 *raw, size_t hop, uint32_t k, size_t n_spectra, const float *window,
                 float *rows)
{
    constexpr unsigned each = FFT::elements_per_thread, stride = FFT::stride;
    constexpr unsigned n = cufftdx::size_of<FFT>::value;
    extern __shared__ __align__(alignof(float4)) unsigned char shared[];
    for (size_t first = blockIdx.x * FFT::ffts_per_block; first < n_spectra;
         first += gridDim.x * (size_t)FFT::ffts_per_block) {
        const size_t mine = first + threadIdx.y;
        const size_t s = mine < n_spectra ? mine : n_spectra - 1;
        float sum[each] = {};
        for (uint32_t f = 0; f < k; f++) {
            const uchar2 *frame = raw + (s * k + f) * hop;
            typename FFT::value_type x[FFT::storage_size];
#pragma unroll
            for (unsigned i = 0; i < each; i++) {
                const unsigned at = threadIdx.x + i * stride;
                if (at < n) {
                    const uchar2 v = frame[at];
                    const float w = window[at];
                    x[i].x = (v.x - 127.5f) * w;
                    x[i].y = (v.y - 127.5f) * w;
                }
            }
            FFT().execute(x, shared);
#pragma unroll
            for (unsigned i = 0; i < each; i++) {
                sum[i] += x[i].x * x[i].x + x[i].y * x[i].y;
            }
        }
#pragma unroll
        for (unsigned i = 0; i < each; i++) {
            const unsigned at = threadIdx.x + i * stride;
            if (at < n && mine < n_spectra) {
                rows[mine * n + at] = sum[i] / (float)k;
            }
        }
    }
}

template <unsigned N>
bool run(const void *raw, size_t hop, uint32_t k, size_t n_spectra, const float *window,
         float *rows)
{
    typedef transform<N> FFT;
    int blocks = 0, sms = 0;
    const size_t bytes = FFT::shared_memory_size;
    const dim3 threads = FFT::block_dim;
    if (cudaFuncSetAttribute(spectra<FFT>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)bytes) ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, spectra<FFT>,
                                                      (int)(threads.x * threads.y), bytes) ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0)) {
        return false;
    }
    spectra<FFT><<<(unsigned)(sms * blocks), threads, bytes>>>(static_cast<const uchar2 *>(raw),
                                                               hop, k, n_spectra, window, rows);
    return cudaGetLastError() == cudaSuccess;
}

} /* namespace */

bool peer_cufftdx_run(size_t n, const void *raw, size_t hop, uint32_t k, size_t n_spectra,
                      const float *window, float *rows)
{
    static bool (*const of_size[])(const void *, size_t, uint32_t, size_t, const float *,
                                   float *) = {run<256>,  run<512>,  run<1024>, run<2048>,
                                               run<4096>, run<8192>, run<16384>};
    for (size_t i = 0; i < sizeof of_size / sizeof *of_size; i++) {
        if (n == (size_t)256 << i) {
            return of_size[i](raw, hop, k, n_spectra, window, rows);
        }
    }
    return false;
}
