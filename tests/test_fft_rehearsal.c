// ctest-labels: unit
// ctest-timeout: 120
/* The GPU transforms gone through on the CPU, thread by thread. */
#include "fft_checks.h"

static void test_every_small_length(void)
{
    check_rng rng = check_rng_fresh();
    for (size_t n = 1; n <= 300; n++) {
        check_length(n, n < 32 ? 16 : 1 + n % 3, &rng); /* short ones: a mean over many */
    }
}

static void test_lengths(void)
{
    static const size_t lengths[] = {512,  625,  1000, 1001, 1021, 1024, 1031, 1155, 2048,
                                     2187, 2310, 4093, 4096, 4099, 6000, 8191, 8192, 12345};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        check_length(lengths[i], 2, &rng);
    }
}

static void test_passes(void)
{
    static const struct {
        size_t n;
        unsigned passes;
    } rows[] = {{32768, 0}, {61440, 0}, {10000, 2},   {1 << 16, 3}, {30030, 3},
                {65536, 2}, {44100, 0}, {1 << 18, 0}, {1 << 20, 2}};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int kind = 0; kind < 4; kind++) {
            check_config(&(weir_gpu_fft_config){.n = rows[i].n,
                                                .batch = 2,
                                                .passes = rows[i].passes,
                                                .real = kind & 1,
                                                .inverse = kind & 2},
                         &rng);
        }
    }
}

static void test_large_bluestein(void)
{
    check_rng rng = check_rng_fresh();
    check_length(20011, 2, &rng);
    check_length(30002, 1, &rng);
}

static void test_layouts(void)
{
    static const size_t lengths[] = {12, 15, 37, 64, 101, 360, 16385, 20000};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int kind = 0; kind < 4; kind++) {
            weir_gpu_fft_config config = {.n = lengths[i],
                                          .batch = 3,
                                          .real = kind & 1,
                                          .inverse = kind & 2,
                                          .unscaled = i & 1,
                                          .stride_in = 2,
                                          .stride_out = 3,
                                          .distance_in = 2 * lengths[i] + 5,
                                          .distance_out = 3 * lengths[i] + 7};
            check_config(&config, &rng);
            config.stride_in = config.stride_out = 0;
            check_config(&config, &rng);
        }
    }
}

static void test_zero_padding(void)
{
    static const size_t lengths[] = {16, 31, 100, 210, 1021, 1022, 20000, 20001};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int real = 0; real < 2; real++) {
            for (size_t less = 1; less < lengths[i]; less = 3 * less + 1) {
                check_config(&(weir_gpu_fft_config){.n = lengths[i],
                                                    .real = real,
                                                    .length_in = lengths[i] - less},
                             &rng);
            }
        }
    }
}

/* The kernels that are compiled for their length: a block or a cluster a transform, and
 * Bluestein's convolutions in two and three steps. */
static void test_compiled(void)
{
    static const size_t wide[] = {8192, 16384, 32768, 65536, 131072};
    static const size_t chirp[] = {31, 62, 97, 149, 251, 257, 431, 511, 547, 1021, 1201, 2039};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        weir_gpu_fft_config config = {.n = wide[i], .batch = 2};
        check_config(&config, &rng);
        config.inverse = true;
        config.stride_in = 2;
        config.stride_out = 3;
        config.distance_in = 2 * wide[i] + 5;
        check_config(&config, &rng);
    }
    for (size_t i = 0; i < sizeof chirp / sizeof chirp[0]; i++) {
        weir_gpu_fft_config config = {.n = chirp[i], .batch = 21};
        check_config(&config, &rng);
        config.inverse = true;
        config.stride_in = 3;
        config.stride_out = 2;
        config.distance_out = 2 * chirp[i] + 3;
        check_config(&config, &rng);
    }
}

/* A prime first, as a direct sum: few and many columns, more blocks than one, part of the
 * last one empty, one or several stages after it; and lengths that have two such primes. */
static void test_primes(void)
{
    static const struct {
        size_t n, batch;
    } rows[] = {{17, 601}, {31, 130}, {127, 33},  {34, 300},  {57, 157}, {254, 9},   {272, 20},
                {1007, 3}, {1016, 5}, {3904, 2},  {8128, 2},  {8151, 1}, {7936, 2},  {289, 3},
                {2159, 2}, {8177, 1}, {15872, 1}, {16129, 1}, {131, 4},  {12427, 1}, {16269, 1}};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t n = rows[i].n;
        weir_gpu_fft_config config = {.n = n, .batch = rows[i].batch};
        check_config(&config, &rng);
        config.inverse = true;
        config.stride_in = 2;
        config.stride_out = 3;
        config.distance_in = 2 * n + 1;
        config.distance_out = 3 * n + 4;
        check_config(&config, &rng);
    }
}

/* Beside the input there is one work area of its size; a convolution's spectrum counts. */
static void test_work_area(void)
{
    static const size_t lengths[] = {20011, 30002, 19683, 61440, 262144};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int real = 0; real < 2; real++) {
            weir_gpu_fft_config config = {.n = lengths[i], .batch = 9, .real = real};
            weir_gpu_fft *fft;
            weir_error err;
            weir_fft_layout y;
            CHECK(weir_gpu_fft_rehearse(&fft, &config, &err) == WEIR_OK);
            CHECK(weir_fft_layout_plan(&y, lengths[i], NULL, &err) == WEIR_OK);
            size_t input = 9 * lengths[i] * (real ? sizeof(float) : 2 * sizeof(float));
            size_t spectrum = weir_fft_is_smooth(lengths[i]) ? 0 : y.m * 2 * sizeof(float);
            CHECK_MSG(weir_gpu_fft_work_bytes(fft) > 0 &&
                          weir_gpu_fft_work_bytes(fft) + spectrum <= input,
                      "%zu: %zu and %zu bytes for %zu", lengths[i], weir_gpu_fft_work_bytes(fft),
                      spectrum, input);
            weir_gpu_fft_destroy(fft);
        }
    }
}

static void test_refusals(void)
{
    weir_error err;
    weir_gpu_fft *fft;
    CHECK(weir_gpu_fft_rehearse(&fft, &(weir_gpu_fft_config){.n = 0}, &err) == WEIR_ERR_USAGE);
    CHECK(!fft);
    CHECK(weir_gpu_fft_rehearse(&fft, &(weir_gpu_fft_config){.n = 8, .length_in = 9}, &err) ==
          WEIR_ERR_USAGE);
    CHECK(strstr(err.text, "8 points") != NULL);
    CHECK(weir_gpu_fft_rehearse(&fft, &(weir_gpu_fft_config){.n = ((size_t)1 << 28) + 1}, &err) ==
          WEIR_ERR_UNSUPPORTED);
    weir_gpu_fft_destroy(NULL);
}

int main(void)
{
    weir_gpu_fft *fft;
    weir_error err;
    if (weir_gpu_fft_rehearse(&fft, &(weir_gpu_fft_config){.n = 2}, &err) == WEIR_ERR_UNSUPPORTED) {
        return check_skip(err.text);
    }
    weir_gpu_fft_destroy(fft);
    RUN(test_every_small_length);
    RUN(test_lengths);
    RUN(test_passes);
    RUN(test_large_bluestein);
    RUN(test_layouts);
    RUN(test_zero_padding);
    RUN(test_compiled);
    RUN(test_primes);
    RUN(test_work_area);
    RUN(test_refusals);
    printf("# worst: %.2f of the gate, at %zu points\n", worst_ratio, worst_n);
    return check_finish();
}
