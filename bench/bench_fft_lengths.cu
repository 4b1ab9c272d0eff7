/* All lengths of a range, ours beside cuFFT and (where it was built in) VkFFT.
 *
 *   bench_fft_lengths SECONDS WORKERS LOG2_POINTS REPEATS FROM TO [RULE [SKIP]] > lengths.csv
 *
 * The peers take up to half a second to plan a length, on the CPU, so WORKERS processes plan
 * side by side and take turns with the GPU: one length is timed at a time, all libraries
 * in turn on the same buffers, complex forward out of place, 2^LOG2_POINTS points in all,
 * medians of REPEATS by CUDA events after one run that does not count. Lengths come in an
 * order that is spread over the range, so that what SECONDS leave undone is missing
 * everywhere alike. RULE "ours" leaves the peers out, "cufft" VkFFT, which takes seconds
 * to plan most lengths. SKIP: so many lengths of that order have been done before. One line of CSV
 * a length, in no order; an empty field: that library did not do it.
 */
#include "bench/fft_buffers.cuh"
#include "bench/vkfft_peer.h"
#include "cuda/fft.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cufft.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static void must(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "bench_fft_lengths: %s failed\n", what);
        _exit(1);
    }
}

static double now_s()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

struct sweep {
    double end_s;
    int log2_points, repeats, lock;
    size_t from, to;
    bool cufft, vkfft;
    std::atomic<size_t> *next;
};

/* One library with one length: its plan, and its times. */
struct contestant {
    bool there = false;
    double plan_ms = 0;
    std::vector<float> ms;

    std::string field() const
    {
        if (!there) {
            return ",,";
        }
        std::vector<float> sorted(ms);
        std::sort(sorted.begin(), sorted.end());
        char text[64];
        snprintf(text, sizeof text, ",%.5f,%.2f", sorted[sorted.size() / 2], plan_ms);
        return text;
    }
};

struct plans {
    weir_gpu_fft *ours = nullptr;
    cufftHandle cufft = 0;
    vkfft_peer *vkfft = nullptr;
};

template <class F> static void plan(contestant *c, const F &create)
{
    const double begin = now_s();
    c->there = create();
    c->plan_ms = 1e3 * (now_s() - begin);
}

static void make_plans(const sweep &s, const buffers &b, size_t n, size_t batch, plans *p,
                       contestant *c)
{
    plan(&c[0], [&] {
        weir_gpu_fft_config config = {};
        weir_error err;
        config.n = n;
        config.batch = batch;
        return weir_gpu_fft_create(&p->ours, &config, &err) == WEIR_OK;
    });
    plan(&c[1], [&] {
        int length = (int)n;
        return s.cufft && cufftPlanMany(&p->cufft, 1, &length, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C,
                                        (int)batch) == CUFFT_SUCCESS;
    });
    plan(&c[2], [&] {
        p->vkfft = s.vkfft ? vkfft_peer_create(n, batch, b.in, b.out) : nullptr;
        return p->vkfft != nullptr;
    });
}

static void run_one(const buffers &b, const plans &p, int which)
{
    weir_error err;
    if (which == 0) {
        must(weir_gpu_fft_execute(p.ours, b.in, b.out, NULL, &err) == WEIR_OK, "ours");
    } else if (which == 1) {
        cufftExecC2C(p.cufft, (cufftComplex *)b.in, (cufftComplex *)b.out, CUFFT_FORWARD);
    } else {
        must(vkfft_peer_run(p.vkfft), "VkFFT");
    }
}

static void bench_length(const sweep &s, const buffers &b, size_t n)
{
    const size_t batch = std::max<size_t>(1, ((size_t)1 << s.log2_points) / n);
    contestant c[3];
    plans p;
    make_plans(s, b, n, batch, &p, c);
    cudaDeviceSynchronize();
    flock(s.lock, LOCK_EX);
    for (int i = 0; i <= s.repeats; i++) {
        for (int which = 0; which < 3; which++) {
            const float ms = c[which].there ? timed(b, [&] { run_one(b, p, which); }) : 0;
            if (i > 0) {
                c[which].ms.push_back(ms);
            }
        }
    }
    must(cudaDeviceSynchronize() == cudaSuccess, "a kernel");
    flock(s.lock, LOCK_UN);
    const std::string line = std::to_string(n) + "," + std::to_string(batch) + c[0].field() +
                             c[1].field() + c[2].field() + "\n";
    must(write(STDOUT_FILENO, line.data(), line.size()) == (ssize_t)line.size(), "writing");
    weir_gpu_fft_destroy(p.ours);
    if (c[1].there) {
        cufftDestroy(p.cufft);
    }
    vkfft_peer_destroy(p.vkfft);
}

static void work(sweep s, const char *lock_path)
{
    buffers b;
    const size_t bytes = (size_t)8 << s.log2_points, count = s.to - s.from + 1;
    s.lock = open(lock_path, O_RDWR); /* each its own, or the lock would be shared */
    must(s.lock >= 0, "the lock");
    must(cudaMalloc(&b.in, bytes) == cudaSuccess && cudaMalloc(&b.out, bytes) == cudaSuccess,
         "cudaMalloc");
    cudaEventCreate(&b.begin);
    cudaEventCreate(&b.end);
    fill<<<1024, 256>>>((float *)b.in, bytes / 4);
    must(cudaDeviceSynchronize() == cudaSuccess, "the GPU");
    for (size_t i; now_s() < s.end_s && (i = s.next->fetch_add(1)) < count;) {
        bench_length(s, b, s.from + i * 3571 % count); /* 3571 is prime: all of them, once */
    }
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(
            stderr,
            "usage: bench_fft_lengths SECONDS WORKERS LOG2_POINTS REPEATS FROM TO [RULE [SKIP]]\n");
        return 64;
    }
    sweep s = {};
    s.end_s = now_s() + atof(argv[1]);
    s.log2_points = atoi(argv[3]);
    s.repeats = atoi(argv[4]);
    s.from = (size_t)atol(argv[5]);
    s.to = (size_t)atol(argv[6]);
    const char *rule = argc < 8 ? "all" : argv[7];
    s.cufft = strcmp(rule, "ours") != 0;
    s.vkfft = s.cufft && strcmp(rule, "cufft") != 0;
    void *shared =
        mmap(NULL, sizeof *s.next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char lock_path[] = "/tmp/bench-fft-XXXXXX";
    must(shared != MAP_FAILED && mkstemp(lock_path) >= 0, "the lock");
    s.next = new (shared) std::atomic<size_t>(argc < 9 ? 0 : (size_t)atol(argv[8]));
    printf("# VkFFT %d; order: ours, cuFFT, VkFFT\n", vkfft_peer_version());
    printf("n,batch,ms,plan_ms,cufft_ms,cufft_plan_ms,vkfft_ms,vkfft_plan_ms\n");
    fflush(stdout);
    for (int i = 0; i < atoi(argv[2]); i++) {
        if (fork() == 0) {
            work(s, lock_path);
            _exit(0);
        }
    }
    int status, failed = 0;
    while (wait(&status) > 0) {
        failed |= status != 0;
    }
    unlink(lock_path);
    return failed;
}
