/* The CUDA engine, held to dsp/engine.h by the suite that all engines pass, and to the
 * CPU engine on long streams.
 * ctest-labels: gpu
 * ctest-timeout: 300
 *
 * WEIR_GPU_TEST_SMALL=1 runs only a short part (for compute-sanitizer). */
#include "cuda/engine_cuda.h"
#include "tests/engine_suite.h"

#include <sys/mman.h>
#include <unistd.h>

/* ---- the CPU engine's numbers, over every way through the pipeline ---- */

typedef struct long_case {
    weir_scalar scalar;
    bool is_complex;
    size_t n, hop;
    uint64_t k;
    unsigned traces;
    double alpha;
    bool detrend;
    size_t n_samples;
} long_case;

static const long_case long_cases[] = {
    {WEIR_U8, true, 1024, 512, 16, 1, 0, false, 30000000},   /* direct, several batches */
    {WEIR_U8, true, 4096, 256, 16, 1, 0, false, 3000000},    /* 15/16 overlap           */
    {WEIR_S16LE, true, 1024, 1024, 1, 1, 0, false, 6000000}, /* many large results      */
    {WEIR_F32LE, true, 256, 64, 1000, 1, 0, true, 2000000},  /* long means, detrended   */
    {WEIR_F32LE, true, 256, 128, 60, 1, 0, false, 23040},    /* ends within a block     */
    {WEIR_S8, false, 2048, 1024, 100, 7, 0, false, 4000000}, /* lines, all traces       */
    {WEIR_S16LE, false, 512, 256, 16, 1, 0.1, false, 2000000},
    {WEIR_S16LE, false, 8192, 4096, 16, 1, 0, true, 5000000},
    {WEIR_U8, true, 32, 4096, 16, 1, 0, false, 8000000}, /* sparse */
    {WEIR_U8, true, 65536, 32768, 4, 1, 0, false, 4000000},
    {WEIR_U8, true, 1 << 20, 1 << 19, 16, 1, 0, false, 12000000},
    {WEIR_S16LE, false, 1 << 18, 1 << 17, 0, 1, 0, false, 3000000},
    {WEIR_U8, true, 32768, 16384, 16, 5, 0, false, 3000000},
    /* sizes without kernels of their own */
    {WEIR_U8, true, 1000, 500, 16, 1, 0, false, 8000000},
    {WEIR_S16LE, false, 1000, 250, 100, 7, 0, true, 1000000},
    {WEIR_U8, true, 61440, 30720, 16, 1, 0, false, 4000000},
    {WEIR_S8, true, 12345, 1234, 16, 5, 0.1, false, 1000000},
    {WEIR_F32LE, false, 12345, 6172, 64, 1, 0, true, 2000000},
    {WEIR_U8, true, 10007, 5003, 8, 1, 0, false, 2000000},
    {WEIR_S16LE, true, 30011, 30011, 3, 3, 0, false, 1000000},
    {WEIR_S16LE, false, 1000003, 500000, 2, 1, 0, false, 5000000},
};

/* Any size at all, any format, any way to average. */
static long_case random_case(check_rng *rng, size_t largest)
{
    static const weir_scalar scalars[] = {WEIR_U8, WEIR_S8, WEIR_S16LE, WEIR_F32LE};
    static const double overlaps[] = {0, 0.5, 0.75, 0.9, -0.5};
    double bits = 1 + check_uniform(rng) * (log2((double)largest) - 1);
    size_t n = (size_t)exp2(bits), most = n < 100 ? 200 * n : 20 * n;
    size_t hop = (size_t)((double)n * (1 - overlaps[suite_below(rng, 5)]));
    long_case c = {.scalar = scalars[suite_below(rng, 4)],
                   .is_complex = suite_below(rng, 2),
                   .n = n < 2 ? 2 : n,
                   .hop = hop < 1 ? 1 : hop,
                   .k = 1 + suite_below(rng, 40),
                   .traces = 1 + (unsigned)suite_below(rng, 7),
                   .detrend = n > 8 && suite_below(rng, 2)};
    c.traces |= c.traces & WEIR_TRACE_BIT(WEIR_TRACE_MIN) ? WEIR_TRACE_BIT(WEIR_TRACE_MAX) : 0;
    c.alpha = suite_below(rng, 3) ? 0 : 0.2;
    c.n_samples = c.n + 2 * c.k * c.hop + (size_t)suite_below(rng, most + 1);
    return c;
}

static weir_engine_config long_config(const long_case *c, const double *window)
{
    weir_engine_config config = suite_config(c->n, c->hop, c->k, window);
    config.traces = c->traces;
    config.exponential_alpha = c->alpha;
    config.detrend = c->detrend;
    return config;
}

static void compare_long(const suite_result *a, const suite_result *b, const long_case *c)
{
    CHECK_MSG(a->n_spectra == b->n_spectra && a->n_spectra > 0, "n %zu: %zu spectra, not %zu", c->n,
              b->n_spectra, a->n_spectra);
    CHECK(a->totals.clipped == b->totals.clipped && a->totals.nonfinite == b->totals.nonfinite);
    CHECK(a->totals.n_frames == b->totals.n_frames && a->totals.received == b->totals.received);
    double worst = 0;
    for (size_t i = 0; i < a->n_spectra && i < b->n_spectra; i++) {
        const weir_spectrum *x = &a->spectra[i], *y = &b->spectra[i];
        CHECK_MSG(x->clipped == y->clipped && x->first_sample == y->first_sample &&
                      x->n_frames == y->n_frames && x->is_partial == y->is_partial,
                  "n %zu spectrum %zu: clipped %llu, not %llu", c->n, i,
                  (unsigned long long)y->clipped, (unsigned long long)x->clipped);
        float peak = 0; /* of all traces: a minimum is made of frames that were larger */
        for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
            for (size_t k = 0; x->power[t] && k < x->n_bins; k++) {
                peak = fmaxf(peak, x->power[t][k]);
            }
        }
        for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
            for (size_t k = 0; x->power[t] && k < x->n_bins; k++) {
                double off = fabs((double)x->power[t][k] - (double)y->power[t][k]) / (double)peak;
                worst = off <= worst ? worst : off;
            }
        }
    }
    printf("n %zu: %zu spectra, worst difference %.2g of the peak\n", c->n, a->n_spectra, worst);
    CHECK_MSG(worst <= SUITE_TOLERANCE, "n %zu: %.3g of the peak apart", c->n, worst);
}

static void check_against_cpu(const long_case *c, check_rng *rng)
{
    double *window = suite_window(c->n, 0.5);
    weir_engine_config config = long_config(c, window);
    weir_sample_format format = {c->scalar, c->is_complex, 1, 0};
    suite_stream s = suite_one_segment(format, c->n_samples, 1e6);
    suite_fill(rng, &s);
    suite_create = weir_engine_cpu_create;
    suite_result cpu = suite_pass(&config, &s, rng, 0);
    suite_create = weir_engine_cuda_create;
    suite_result gpu = suite_pass(&config, &s, rng, 0);
    suite_result cut = suite_pass(&config, &s, rng, c->n_samples / 5);
    compare_long(&cpu, &gpu, c);
    CHECK_MSG(suite_same(&gpu, &cut), "n %zu: other bits for another cutting", c->n);
    suite_free_result(&cpu);
    suite_free_result(&gpu);
    suite_free_result(&cut);
    free(s.raw);
    free(window);
}

static void test_long_streams_against_cpu(void)
{
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof long_cases / sizeof *long_cases; i++) {
        check_against_cpu(&long_cases[i], &rng);
    }
}

static void test_any_size_against_cpu(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 60; i++) {
        long_case c = random_case(&rng, i < 48 ? 1 << 15 : 1 << 18);
        check_against_cpu(&c, &rng);
    }
}

/* Short streams, for the checkers. */
static void test_any_size_small(void)
{
    static const size_t sizes[] = {7, 60, 101, 1000, 1009, 4099, 17000};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        long_case c = random_case(&rng, 100);
        c.n = sizes[i];
        c.hop = c.n / 2;
        c.k = 5;
        c.n_samples = 12 * c.n;
        check_against_cpu(&c, &rng);
    }
}

/* ---- a page-locked ring, mapped twice in a row ---- */

/* Two views of the same pages, one after the other, as capture/ring.c makes them. */
static char *map_twice(size_t bytes)
{
    int file = memfd_create("weir-test", 0);
    char *base = mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = file >= 0 && ftruncate(file, (off_t)bytes) == 0 && base != MAP_FAILED;
    for (size_t i = 0; good && i < 2; i++) {
        good = mmap(base + i * bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                    0) != MAP_FAILED;
    }
    close(file);
    return good ? base : NULL;
}

/* The stream through a ring: written a part at a time behind what is not yet released. */
static suite_result pass_by_ring(const weir_engine_config *config, const suite_stream *s,
                                 char *ring, size_t ring_samples, check_rng *rng)
{
    suite_result r = {0};
    weir_engine_config own = *config;
    weir_engine *engine = NULL;
    weir_error err = {WEIR_OK, ""};
    size_t stride = weir_format_stride_bytes(&s->format), read = 0, written = 0;
    own.format = s->format;
    own.on_spectrum = suite_on_spectrum;
    own.user = &r;
    CHECK_MSG(weir_engine_cuda_create(&engine, &own, &err) == WEIR_OK, "%s", err.text);
    while (engine && read < s->n_samples) {
        size_t room = ring_samples - (written - read), left = s->n_samples - written;
        size_t n = suite_below(rng, room + 1);
        n = n < left ? n : left;
        memcpy(ring + written % ring_samples * stride, s->raw + written * stride, n * stride);
        written += n;
        weir_run run = suite_run(s, 0, read, written);
        run.samples = ring + read % ring_samples * stride;
        size_t released = 0;
        if (weir_engine_push(engine, &run, &released, &err) != WEIR_OK) {
            CHECK_MSG(false, "%s", err.text);
            break;
        }
        /* What is released may be overwritten at once. */
        for (size_t i = 0; i < released * stride; i++) {
            ring[(read % ring_samples) * stride + i] = (char)0xa5;
        }
        read += released;
    }
    CHECK(engine && weir_engine_flush(engine, 0, &err) == WEIR_OK);
    if (engine) {
        weir_engine_totals(engine, &r.totals);
    }
    weir_engine_destroy(engine);
    return r;
}

static void test_pinned_ring(void)
{
    check_rng rng = check_rng_fresh();
    const size_t ring_bytes = (size_t)1 << 22;
    char *ring = map_twice(ring_bytes);
    CHECK(ring != NULL);
    for (int pinned = 0; ring && pinned < 2; pinned++) {
        weir_error err = {WEIR_OK, ""};
        if (pinned) {
            weir_status status = weir_cuda_pin(ring, 2 * ring_bytes, &err);
            CHECK_MSG(status == WEIR_OK, "%s", err.text);
        }
        double *window = suite_window(1024, 0.5);
        weir_engine_config c = suite_config(1024, 256, 16, window);
        c.traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN);
        suite_stream s =
            suite_one_segment((weir_sample_format){WEIR_U8, true, 1, 0}, 20000000, 2.4e6);
        suite_fill(&rng, &s);
        suite_create = weir_engine_cuda_create;
        suite_result straight = suite_pass(&c, &s, &rng, 0);
        suite_result by_ring = pass_by_ring(&c, &s, ring, ring_bytes / 2, &rng);
        CHECK_MSG(suite_same(&straight, &by_ring), "pinned %d: the ring gives other bits", pinned);
        suite_free_result(&straight);
        suite_free_result(&by_ring);
        if (pinned) {
            weir_cuda_unpin(ring);
        }
        free(s.raw);
        free(window);
    }
    if (ring) {
        munmap(ring, 2 * ring_bytes);
    }
}

static void test_what_is_refused(void)
{
    const size_t n = 8388619; /* a prime above 2^23 */
    double *window = suite_window(n, 0.5);
    weir_engine_config c = suite_config(n, n / 2, 1, window);
    c.on_spectrum = suite_on_spectrum;
    weir_engine *engine = (weir_engine *)1;
    weir_error err = {WEIR_OK, ""};
    CHECK(weir_engine_cuda_create(&engine, &c, &err) == WEIR_ERR_UNSUPPORTED && !engine);
    CHECK_MSG(strstr(err.text, "8388619") != NULL, "%s", err.text);
    c.n_fft = 512;
    c.device = 99;
    CHECK(weir_engine_cuda_create(&engine, &c, &err) == WEIR_ERR_DEVICE && !engine);
    CHECK_MSG(strstr(err.text, "99") != NULL, "%s", err.text);
    free(window);
}

int main(void)
{
    weir_error err;
    if (weir_cuda_device_count(&err) == 0) {
        return check_skip(err.text);
    }
    weir_cuda_device device;
    CHECK(weir_cuda_device_info(0, &device, &err) == WEIR_OK);
    CHECK(device.name[0] && device.total_bytes >= device.free_bytes && device.multiprocessors > 0);
    suite_create = weir_engine_cuda_create;
    if (getenv("WEIR_GPU_TEST_SMALL")) {
        RUN(test_every_format);
        RUN(test_large_transforms);
        RUN(test_bad_floats_do_not_poison);
        RUN(test_prompt_delivery_and_release);
        RUN(test_any_size_small);
        RUN(test_what_is_refused);
        return check_finish();
    }
    RUN(test_what_is_refused);
    RUN(test_pinned_ring);
    RUN(test_long_streams_against_cpu);
    RUN(test_any_size_against_cpu);
    return engine_suite(weir_engine_cuda_create);
}
