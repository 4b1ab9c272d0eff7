/* The GPU benchmark: weir's fused kernels and what else a GPU offers for the same job, on
 * the same random bytes in one run. Every result is checked before it is timed.
 *
 *     bench_cuda [--json FILE] [--quick | --full] [--callbacks FOLDER] [--only SECTION]
 *                [--size LOG2N[-LOG2N]] [--format NAME] [--ours]
 *
 * Sections: limits, resident, accuracy, fftw. A JSON line a figure; a table for people on
 * standard output. --full: every size and every peer for every format, overlap and average,
 * which takes minutes. Figures are input samples a second: every sample counts once, however
 * many frames it is in. */
#include "bench/bench_reference.h"
#include "bench/peer_cufftdx.h"

#include <cufft.h>
#include <cufftXt.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

#define CHECK_CUDA(call)                                                                           \
    do {                                                                                           \
        cudaError_t result_ = (call);                                                              \
        if (result_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(result_));       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

struct options {
    FILE *json = nullptr;
    bool quick = false, ours = false, full = false;
    int smallest = 0, largest = 99; /* log2 of n */
    std::string callbacks, only, format;
} opt;

bool wanted(const char *section)
{
    return opt.only.empty() || opt.only == section;
}

/* Median of n timed runs after two for warming up, in milliseconds. */
double median_ms(const std::function<void()> &work, int n = 7)
{
    cudaEvent_t begin, end;
    CHECK_CUDA(cudaEventCreate(&begin));
    CHECK_CUDA(cudaEventCreate(&end));
    std::vector<float> ms(n);
    for (int i = -2; i < n; i++) {
        CHECK_CUDA(cudaEventRecord(begin));
        work();
        CHECK_CUDA(cudaEventRecord(end));
        CHECK_CUDA(cudaEventSynchronize(end));
        if (i >= 0) {
            CHECK_CUDA(cudaEventElapsedTime(&ms[i], begin, end));
        }
    }
    CHECK_CUDA(cudaGetLastError());
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(ms.begin(), ms.end());
    return ms[n / 2];
}

template <class T> struct device_array {
    T *data = nullptr;
    explicit device_array(size_t n)
    {
        CHECK_CUDA(cudaMalloc(&data, std::max(n, (size_t)1) * sizeof(T)));
    }
    ~device_array()
    {
        cudaFree(data);
    }
    device_array(const device_array &) = delete;
};

/* ---- the job ---- */

struct format_row {
    const char *name;
    weir_gpu_layout layout;
    bool is_complex;
    double unit;
};

const format_row formats[] = {
    {"cu8", WEIR_GPU_U8, true, 127.5},
    {"cs16", WEIR_GPU_S16, true, 32768},
    {"cf32", WEIR_GPU_F32, true, 1},
    {"rs16", WEIR_GPU_S16, false, 32768},
};

struct job {
    const format_row *format;
    size_t n, hop;
    uint32_t k, n_frames;
    size_t bins, n_spectra, n_samples;
    std::vector<double> window;
    weir_gpu_plan_config config;
    mutable std::vector<double> expected; /* the spectra that are checked, once computed */
};

job make_job(const format_row &format, int log2n, double overlap, uint32_t k, size_t max_samples)
{
    job j = {};
    j.format = &format;
    j.n = (size_t)1 << log2n;
    j.hop = std::max((size_t)1, (size_t)((double)j.n * (1 - overlap) + 0.5));
    j.k = k;
    /* Enough to fill the GPU many times over; 2^29 points are 4 GiB for cuFFT. */
    size_t frames = std::min((max_samples - j.n) / j.hop + 1, ((size_t)1 << 29) / j.n);
    j.n_frames = (uint32_t)(frames / k * k);
    j.bins = format.is_complex ? j.n : j.n / 2 + 1;
    j.n_spectra = j.n_frames / k;
    j.n_samples = (j.n_frames - 1) * j.hop + j.n;
    j.window.resize(j.n);
    for (size_t i = 0; i < j.n; i++) {
        const double w = 0.5 - 0.5 * cos(2 * M_PI * (double)i / (double)j.n);
        j.window[i] = w / (0.5 * (double)j.n) / format.unit;
    }
    j.config = {};
    j.config.n_fft = j.n;
    j.config.layout = format.layout;
    j.config.is_complex = format.is_complex;
    j.config.bias = 127.5;
    j.config.clip_codes = 1;
    j.config.window = j.window.data();
    return j;
}

weir_gpu_batch batch_of(const job &j, const void *raw, float *rows)
{
    weir_gpu_batch b = {};
    b.raw = raw;
    b.hop = j.hop;
    b.n_frames = j.n_frames;
    b.group = j.k;
    b.per_spectrum = j.k;
    b.mean = true;
    b.rows = rows;
    return b;
}

/* First and last spectrum (of long ones the last) against double precision. rows are on the
 * device; shifted says whether they are in natural frequency order already. */
double worst_error(const job &j, const std::vector<unsigned char> &host, const float *rows,
                   bool shifted)
{
    std::vector<size_t> which = {j.n_spectra - 1};
    if (j.n <= (size_t)1 << 17) {
        which.push_back(0);
    }
    if (j.expected.empty()) {
        j.expected.resize(which.size() * j.bins);
        for (size_t i = 0; i < which.size(); i++) {
            bench_expected_row(&j.config, host.data(), which[i] * j.k * j.hop, j.hop, j.k,
                               &j.expected[i * j.bins]);
        }
    }
    double worst = 0;
    for (size_t i = 0; i < which.size(); i++) {
        std::vector<float> row(j.bins);
        CHECK_CUDA(cudaMemcpy(row.data(), rows + which[i] * j.bins, j.bins * sizeof(float),
                              cudaMemcpyDeviceToHost));
        if (!shifted) {
            std::rotate(row.begin(), row.begin() + (long)j.bins / 2, row.end());
        }
        const double error = bench_row_error(row.data(), &j.expected[i * j.bins], j.bins);
        worst = error <= worst ? worst : error;
    }
    return worst;
}

double report(const job &j, double overlap, const char *variant, double ms, double error)
{
    const double gsps = (double)j.n_frames * (double)j.hop / ms / 1e6;
    const bool good = error < 2e-6;
    if (opt.json) {
        fprintf(opt.json,
                "{\"section\":\"resident\",\"format\":\"%s\",\"n\":%zu,\"overlap\":%g,\"k\":%u,"
                "\"variant\":\"%s\",\"gsps\":%.3f,\"ms\":%.4f,\"frames\":%u,\"error\":%.3g,"
                "\"checked\":%s}\n",
                j.format->name, j.n, overlap, j.k, variant, gsps, ms, j.n_frames, error,
                good ? "true" : "false");
        fflush(opt.json);
    }
    if (!good) {
        printf("WRONG: %s n %zu %s, error %g\n", variant, j.n, j.format->name, error);
        return 0;
    }
    return gsps;
}

/* ---- weir ---- */

double run_weir(const job &j, double overlap, const void *raw,
                const std::vector<unsigned char> &host, float *rows)
{
    weir_error err;
    weir_gpu_plan *plan;
    if (weir_gpu_plan_create(&plan, &j.config, &err)) {
        printf("n %zu: %s\n", j.n, err.text);
        return 0;
    }
    const weir_gpu_batch batch = batch_of(j, raw, rows);
    CHECK_CUDA(cudaMemset(rows, 0xff, j.n_spectra * j.bins * sizeof(float)));
    if (weir_gpu_power(plan, &batch, nullptr, &err)) {
        printf("n %zu: %s\n", j.n, err.text);
        exit(1);
    }
    const double error = worst_error(j, host, rows, true);
    const double ms = median_ms([&] { weir_gpu_power(plan, &batch, nullptr, &err); });
    weir_gpu_plan_destroy(plan);
    return report(j, overlap, "weir", ms, error);
}

double run_textbook(const job &j, double overlap, const void *raw,
                    const std::vector<unsigned char> &host, float *rows, float2 *work)
{
    weir_error err;
    weir_gpu_plan *plan;
    if (weir_gpu_plan_create(&plan, &j.config, &err)) {
        return 0;
    }
    const weir_gpu_batch batch = batch_of(j, raw, rows);
    CHECK_CUDA(cudaMemset(rows, 0xff, j.n_spectra * j.bins * sizeof(float)));
    weir_gpu_textbook(plan, &batch, work, nullptr, &err);
    const double error = worst_error(j, host, rows, true);
    const double ms = median_ms([&] { weir_gpu_textbook(plan, &batch, work, nullptr, &err); }, 3);
    weir_gpu_plan_destroy(plan);
    return report(j, overlap, "textbook", ms, error);
}

/* ---- cuFFT in three kernels ---- */

template <class SAMPLE> __device__ float2 peer_value(SAMPLE v);
template <> __device__ float2 peer_value(uchar2 v)
{
    return make_float2(v.x - 127.5f, v.y - 127.5f);
}
template <> __device__ float2 peer_value(short2 v)
{
    return make_float2(v.x, v.y);
}
template <> __device__ float2 peer_value(float2 v)
{
    return v;
}

template <class SAMPLE>
__global__ void peer_unpack(const SAMPLE *in, float2 *out, const float *window, unsigned log2n,
                            size_t hop, size_t total)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < total) {
        const size_t f = i >> log2n, at = i & (((size_t)1 << log2n) - 1);
        const float2 v = peer_value<SAMPLE>(in[f * hop + at]);
        out[i] = make_float2(v.x * window[at], v.y * window[at]);
    }
}

__global__ void peer_unpack_real(const short *in, float *out, const float *window, unsigned log2n,
                                 size_t hop, size_t total)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < total) {
        const size_t f = i >> log2n, at = i & (((size_t)1 << log2n) - 1);
        out[i] = in[f * hop + at] * window[at];
    }
}

/* Mean power over k transforms, a thread a bin of a spectrum. */
__global__ void peer_power(const float2 *x, float *rows, unsigned bins, unsigned k,
                           size_t n_spectra, bool one_sided)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n_spectra * bins) {
        return;
    }
    const size_t s = i / bins;
    const unsigned at = (unsigned)(i - s * bins);
    float sum = 0;
    const float2 *from = x + s * k * bins + at;
    for (unsigned j = 0; j < k; j++) {
        const float2 v = from[(size_t)j * bins];
        sum += v.x * v.x + v.y * v.y;
    }
    const bool doubled = one_sided && at != 0 && at != bins - 1;
    rows[i] = (doubled ? 2 : 1) * sum / k;
}

__global__ void peer_mean(const float *x, float *rows, unsigned bins, unsigned k, size_t n_spectra)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n_spectra * bins) {
        return;
    }
    const size_t s = i / bins;
    const float *from = x + s * k * bins + (i - s * bins);
    float sum = 0;
    for (unsigned j = 0; j < k; j++) {
        sum += from[(size_t)j * bins];
    }
    rows[i] = sum / k;
}

unsigned blocks_for(size_t n)
{
    return (unsigned)((n + 255) / 256);
}

unsigned log2_of_size(size_t n)
{
    unsigned bits = 0;
    while (((size_t)1 << bits) < n) {
        bits++;
    }
    return bits;
}

void peer_unpack_all(const job &j, const void *raw, float2 *work, const float *window)
{
    const size_t total = (size_t)j.n_frames * j.n;
    const unsigned bits = log2_of_size(j.n), blocks = blocks_for(total);
    switch (j.format->layout) {
    case WEIR_GPU_U8:
        peer_unpack<<<blocks, 256>>>(static_cast<const uchar2 *>(raw), work, window, bits, j.hop,
                                     total);
        break;
    case WEIR_GPU_S16:
        if (j.format->is_complex) {
            peer_unpack<<<blocks, 256>>>(static_cast<const short2 *>(raw), work, window, bits,
                                         j.hop, total);
        } else {
            peer_unpack_real<<<blocks, 256>>>(static_cast<const short *>(raw),
                                              reinterpret_cast<float *>(work), window, bits, j.hop,
                                              total);
        }
        break;
    default:
        peer_unpack<<<blocks, 256>>>(static_cast<const float2 *>(raw), work, window, bits, j.hop,
                                     total);
        break;
    }
}

double run_three(const job &j, double overlap, const void *raw,
                 const std::vector<unsigned char> &host, float *rows, float2 *work,
                 const float *window)
{
    const bool is_complex = j.format->is_complex;
    device_array<float2> out(is_complex ? 0 : (size_t)j.n_frames * j.bins);
    float2 *spectra = is_complex ? work : out.data;
    cufftHandle plan;
    if (cufftPlan1d(&plan, (int)j.n, is_complex ? CUFFT_C2C : CUFFT_R2C, (int)j.n_frames) !=
        CUFFT_SUCCESS) {
        return 0;
    }
    auto work_once = [&] {
        peer_unpack_all(j, raw, work, window);
        if (is_complex) {
            cufftExecC2C(plan, work, spectra, CUFFT_FORWARD);
        } else {
            cufftExecR2C(plan, reinterpret_cast<float *>(work), spectra);
        }
        peer_power<<<blocks_for(j.n_spectra * j.bins), 256>>>(spectra, rows, (unsigned)j.bins, j.k,
                                                              j.n_spectra, !is_complex);
    };
    CHECK_CUDA(cudaMemset(rows, 0xff, j.n_spectra * j.bins * sizeof(float)));
    work_once();
    const double error = worst_error(j, host, rows, !is_complex);
    const double ms = median_ms(work_once);
    cufftDestroy(plan);
    return report(j, overlap, "cufft_3_kernels", ms, error);
}

/* ---- cuFFT with LTO callbacks ---- */

struct callback_info {
    const float *window;
    unsigned mask, shift, hop;
};

std::vector<char> read_file(const std::string &path)
{
    std::vector<char> bytes;
    FILE *file = fopen(path.c_str(), "rb");
    if (file) {
        char buffer[65536];
        size_t n;
        while ((n = fread(buffer, 1, sizeof buffer, file)) > 0) {
            bytes.insert(bytes.end(), buffer, buffer + n);
        }
        fclose(file);
    }
    return bytes;
}

double run_callbacks(const job &j, double overlap, const void *raw,
                     const std::vector<unsigned char> &host, float *rows, float2 *work,
                     const float *window)
{
    const std::string load_path =
        opt.callbacks + "/callback_load_" + std::to_string((int)j.format->layout) + ".fatbin";
    const std::vector<char> load = read_file(load_path);
    const std::vector<char> store = read_file(opt.callbacks + "/callback_store.fatbin");
    if (load.empty() || store.empty() || !j.format->is_complex) {
        return 0;
    }
    const callback_info info = {window, (unsigned)j.n - 1, log2_of_size(j.n), (unsigned)j.hop};
    device_array<callback_info> device_info(1);
    CHECK_CUDA(cudaMemcpy(device_info.data, &info, sizeof info, cudaMemcpyHostToDevice));
    void *pointer = device_info.data;
    cufftHandle plan;
    size_t size;
    cufftCreate(&plan);
    const int failed = cufftXtSetJITCallback(plan, "load_sample", const_cast<char *>(load.data()),
                                             load.size(), CUFFT_CB_LD_COMPLEX, &pointer) ||
                       cufftXtSetJITCallback(plan, "store_power", const_cast<char *>(store.data()),
                                             store.size(), CUFFT_CB_ST_COMPLEX, &pointer) ||
                       cufftMakePlan1d(plan, (int)j.n, CUFFT_C2C, (int)j.n_frames, &size);
    if (failed) {
        printf("n %zu: cuFFT refused the callbacks\n", j.n);
        cufftDestroy(plan);
        return 0;
    }
    float *powers = reinterpret_cast<float *>(work);
    auto work_once = [&] {
        cufftExecC2C(plan, static_cast<cufftComplex *>(const_cast<void *>(raw)),
                     reinterpret_cast<cufftComplex *>(powers), CUFFT_FORWARD);
        peer_mean<<<blocks_for(j.n_spectra * j.bins), 256>>>(powers, rows, (unsigned)j.bins, j.k,
                                                             j.n_spectra);
    };
    CHECK_CUDA(cudaMemset(rows, 0xff, j.n_spectra * j.bins * sizeof(float)));
    work_once();
    const double error = worst_error(j, host, rows, false);
    const double ms = median_ms(work_once);
    cufftDestroy(plan);
    return report(j, overlap, "cufft_callbacks", ms, error);
}

/* ---- cuFFTDx in one kernel ---- */

double run_cufftdx(const job &j, double overlap, const void *raw,
                   const std::vector<unsigned char> &host, float *rows, const float *window)
{
#if WEIR_HAVE_CUFFTDX
    if (j.format->layout != WEIR_GPU_U8 || !j.format->is_complex) {
        return 0;
    }
    auto work_once = [&] {
        return peer_cufftdx_run(j.n, raw, j.hop, j.k, j.n_spectra, window, rows);
    };
    CHECK_CUDA(cudaMemset(rows, 0xff, j.n_spectra * j.bins * sizeof(float)));
    if (!work_once()) {
        return 0;
    }
    const double error = worst_error(j, host, rows, false);
    return report(j, overlap, "cufftdx", median_ms(work_once), error);
#else
    (void)j, (void)overlap, (void)raw, (void)host, (void)rows, (void)window;
    return 0;
#endif
}

/* ---- sections ---- */

std::vector<unsigned char> random_bytes(size_t n, bool floats)
{
    std::vector<unsigned char> bytes(n);
    uint64_t s = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i + 8 <= n; i += 8) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        uint64_t v = s;
        if (floats) { /* uniform in [-1, 1) */
            const float f[2] = {(float)(int32_t)v * 0x1p-31f, (float)(int32_t)(v >> 32) * 0x1p-31f};
            memcpy(&v, f, 8);
        }
        memcpy(&bytes[i], &v, 8);
    }
    return bytes;
}

struct peers {
    bool cufft, textbook;
};

void resident_line(const job &j, double overlap, peers with, const void *raw,
                   const std::vector<unsigned char> &host)
{
    device_array<float> rows(j.n_spectra * j.bins);
    const double ours = run_weir(j, overlap, raw, host, rows.data);
    double three = 0, callbacks = 0, textbook = 0, dx = 0;
    if (with.cufft || with.textbook) {
        device_array<float2> work((size_t)j.n_frames * j.n);
        std::vector<float> window(j.window.begin(), j.window.end());
        device_array<float> device_window(j.n);
        CHECK_CUDA(cudaMemcpy(device_window.data, window.data(), j.n * sizeof(float),
                              cudaMemcpyHostToDevice));
        three = run_three(j, overlap, raw, host, rows.data, work.data, device_window.data);
        callbacks = run_callbacks(j, overlap, raw, host, rows.data, work.data, device_window.data);
        dx = run_cufftdx(j, overlap, raw, host, rows.data, device_window.data);
        if (with.textbook) {
            textbook = run_textbook(j, overlap, raw, host, rows.data, work.data);
        }
    }
    const double best = std::max(three, callbacks);
    printf("%-5s 2^%-2u %6.2f %% K %-3u %8.1f %8.1f %8.1f %8.1f %8.1f   %5.2f\n", j.format->name,
           log2_of_size(j.n), 100 * overlap, j.k, ours, three, callbacks, dx, textbook,
           best > 0 ? ours / best : 0);
    fflush(stdout);
}

void resident()
{
    printf("device-resident, input GS/s\nin    N     overlap         weir  3 kern.  callb.       "
           "Dx  textb. "
           "  weir/best cuFFT\n");
    const size_t most = (size_t)1 << (opt.quick ? 27 : 28);
    for (const format_row &format : formats) {
        if (!opt.format.empty() && opt.format != format.name) {
            continue;
        }
        const bool main_format = format.layout == WEIR_GPU_U8;
        const size_t samples = main_format ? most : most / 4;
        const size_t sample_bytes = weir_gpu_sample_bytes(format.layout, format.is_complex);
        const std::vector<unsigned char> host =
            random_bytes(samples * sample_bytes, format.layout == WEIR_GPU_F32);
        device_array<unsigned char> raw(host.size());
        CHECK_CUDA(cudaMemcpy(raw.data, host.data(), host.size(), cudaMemcpyHostToDevice));
        for (uint32_t k : {16u, 1u}) {
            for (double overlap : {0.5, 0.0, 0.75, 0.9375}) {
                const bool main_job = overlap == 0.5 && k == 16;
                if (opt.quick && !main_job) {
                    continue;
                }
                for (int log2n = main_job ? 5 : 8; log2n <= 20; log2n++) {
                    const bool all = main_job || opt.full;
                    if ((!all && log2n % 2 == 1) || log2n < opt.smallest || log2n > opt.largest) {
                        continue;
                    }
                    const bool fourth = main_format && !opt.quick && log2n % 4 == 0;
                    const job j = make_job(format, log2n, overlap, k, samples);
                    const peers with = {log2n >= 8 && !opt.ours && (all || fourth),
                                        main_job && fourth && !opt.ours};
                    resident_line(j, overlap, with, raw.data, host);
                }
            }
        }
    }
}

void limit_line(const char *what, double value, const char *unit)
{
    printf("%-44s %8.2f %s\n", what, value, unit);
    if (opt.json) {
        fprintf(opt.json,
                "{\"section\":\"limits\",\"what\":\"%s\",\"value\":%.4g,\"unit\":\"%s\"}\n", what,
                value, unit);
    }
}

void limits()
{
    cudaDeviceProp p;
    CHECK_CUDA(cudaGetDeviceProperties(&p, 0));
    printf("%s, %d multiprocessors, CUDA %d\n", p.name, p.multiProcessorCount, CUDART_VERSION);
    if (opt.json) {
        fprintf(opt.json, "{\"section\":\"device\",\"name\":\"%s\",\"multiprocessors\":%d}\n",
                p.name, p.multiProcessorCount);
    }
    const size_t big = (size_t)2 << 30, n = (size_t)256 << 20;
    {
        device_array<char> a(big), b(big);
        CHECK_CUDA(cudaMemset(a.data, 1, big));
        const double ms =
            median_ms([&] { cudaMemcpyAsync(b.data, a.data, big, cudaMemcpyDeviceToDevice); });
        limit_line("device copy, read + written", 2.0 * (double)big / ms / 1e6, "GB/s");
    }
    char *host;
    CHECK_CUDA(cudaMallocHost(&host, n));
    memset(host, 1, n);
    device_array<char> d(n);
    for (size_t piece : {(size_t)1 << 20, (size_t)4 << 20, (size_t)16 << 20, n}) {
        const double ms = median_ms([&] {
            for (size_t at = 0; at < n; at += piece) {
                cudaMemcpyAsync(d.data + at, host + at, piece, cudaMemcpyHostToDevice);
            }
        });
        char what[64];
        snprintf(what, sizeof what, "pinned host to device, pieces of %zu MiB", piece >> 20);
        limit_line(what, (double)n / ms / 1e6, "GB/s");
    }
    cudaFreeHost(host);
}

/* A full-scale complex tone at a random frequency, Blackman-Harris-like window by 7 terms
 * (side lobes below -180 dB): the worst bin outside the main lobe, below the tone. */
double worst_spur_db(int log2n, unsigned seed)
{
    static const double terms[7] = {0.27105140069342, 0.43329793923448, 0.21812299954311,
                                    0.06592544638803, 0.01081174209837, 0.00077658482522,
                                    0.00001388721735};
    const size_t n = (size_t)1 << log2n;
    srand(seed);
    const double f = 0.05 + 0.4 * rand() / (double)RAND_MAX;
    std::vector<float> tone(2 * n), row(n);
    std::vector<double> window(n);
    for (size_t i = 0; i < n; i++) {
        double w = 0;
        for (int t = 0; t < 7; t++) {
            w += (t % 2 ? -1 : 1) * terms[t] * cos(2 * M_PI * t * (double)i / (double)n);
        }
        window[i] = w / terms[0] / (double)n;
        const double turns = f * (double)i;
        tone[2 * i] = (float)cos(2 * M_PI * (turns - floor(turns)));
        tone[2 * i + 1] = (float)sin(2 * M_PI * (turns - floor(turns)));
    }
    device_array<float> raw(2 * n), rows(n);
    CHECK_CUDA(cudaMemcpy(raw.data, tone.data(), 2 * n * sizeof(float), cudaMemcpyHostToDevice));
    job j = make_job(formats[2], log2n, 0, 1, n);
    j.config.window = window.data();
    weir_error err;
    weir_gpu_plan *plan;
    if (weir_gpu_plan_create(&plan, &j.config, &err)) {
        return 0;
    }
    const weir_gpu_batch batch = batch_of(j, raw.data, rows.data);
    weir_gpu_power(plan, &batch, nullptr, &err);
    CHECK_CUDA(cudaMemcpy(row.data(), rows.data, n * sizeof(float), cudaMemcpyDeviceToHost));
    weir_gpu_plan_destroy(plan);
    const double centre = f * (double)n + (double)n / 2;
    double worst = 0;
    for (size_t k = 0; k < n; k++) {
        double apart = fabs((double)k - centre);
        apart = std::min(apart, (double)n - apart);
        if (apart > 8) {
            worst = std::max(worst, (double)row[k]);
        }
    }
    return 10 * log10(worst / *std::max_element(row.begin(), row.end()));
}

void accuracy()
{
    printf("accuracy of one frame, random cf32: relative L2 of power against double; worst spur\n");
    const std::vector<unsigned char> host = random_bytes((size_t)8 << 22, true);
    device_array<unsigned char> raw(host.size());
    CHECK_CUDA(cudaMemcpy(raw.data, host.data(), host.size(), cudaMemcpyHostToDevice));
    for (int log2n = 5; log2n <= 20; log2n++) {
        job j = make_job(formats[2], log2n, 0, 1, (size_t)2 << log2n);
        device_array<float> rows(j.n_spectra * j.bins);
        weir_error err;
        weir_gpu_plan *plan;
        if (weir_gpu_plan_create(&plan, &j.config, &err)) {
            continue;
        }
        const weir_gpu_batch batch = batch_of(j, raw.data, rows.data);
        weir_gpu_power(plan, &batch, nullptr, &err);
        const double error = worst_error(j, host, rows.data, true);
        weir_gpu_plan_destroy(plan);
        double spur = -1000;
        for (unsigned seed = 1; seed <= (log2n >= 8 ? 8u : 0u); seed++) {
            spur = std::max(spur, worst_spur_db(log2n, seed));
        }
        const double gate = 8e-8 * sqrt((double)log2n);
        printf("2^%-2d %.2e (gate %.2e)  spur %.1f dB\n", log2n, error, gate, spur);
        if (opt.json) {
            fprintf(opt.json,
                    "{\"section\":\"accuracy\",\"n\":%zu,\"power_l2\":%.3g,\"gate\":%.3g,"
                    "\"spur_db\":%.1f}\n",
                    j.n, error, gate, spur);
        }
    }
}

void fftw()
{
    printf("FFTW 3, single precision, MEASURE, one core, cu8, 50 %%, mean: input MS/s\n");
    const std::vector<unsigned char> host = random_bytes((size_t)2 << 22, false);
    for (int log2n = 8; log2n <= 20; log2n += 2) {
        const size_t n = (size_t)1 << log2n;
        const double gsps = bench_fftw_gsps(n, n / 2, host.data(), host.size() / 2);
        printf("2^%-2d %.1f\n", log2n, 1e3 * gsps);
        if (opt.json) {
            fprintf(opt.json, "{\"section\":\"fftw\",\"n\":%zu,\"gsps\":%.5f}\n", n, gsps);
        }
    }
}

} /* namespace */

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const std::string arg = argv[i];
        if (arg == "--quick") {
            opt.quick = true;
        } else if (arg == "--full") {
            opt.full = true;
        } else if (arg == "--ours") {
            opt.ours = true;
        } else if (arg == "--size" && i + 1 < argc) {
            if (sscanf(argv[++i], "%d-%d", &opt.smallest, &opt.largest) == 1) {
                opt.largest = opt.smallest;
            }
        } else if (arg == "--json" && i + 1 < argc) {
            opt.json = fopen(argv[++i], "w");
        } else if (arg == "--callbacks" && i + 1 < argc) {
            opt.callbacks = argv[++i];
        } else if (arg == "--format" && i + 1 < argc) {
            opt.format = argv[++i];
        } else if (arg == "--only" && i + 1 < argc) {
            opt.only = argv[++i];
        } else {
            fprintf(stderr, "usage: bench_cuda [--json FILE] [--quick | --full] "
                            "[--callbacks FOLDER] [--only SECTION] [--size LOG2N[-LOG2N]] "
                            "[--format NAME] [--ours]\n");
            return 64;
        }
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("no GPU\n");
        return 77;
    }
    const struct {
        const char *name;
        void (*run)();
    } sections[] = {
        {"limits", limits}, {"resident", resident}, {"accuracy", accuracy}, {"fftw", fftw}};
    for (const auto &section : sections) {
        if (wanted(section.name)) {
            section.run();
        }
    }
    if (opt.json) {
        fclose(opt.json);
    }
    return 0;
}
