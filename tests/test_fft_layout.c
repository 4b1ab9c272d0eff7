// ctest-labels: unit
/* The planner of the GPU transforms: pure host code. */
#include "check.h"
#include "cuda/fft_plan.h"
#include "cuda/fft_prime_plan.h"

static void test_number_theory(void)
{
    CHECK(weir_fft_is_smooth(1) && weir_fft_is_smooth(2 * 3 * 5 * 7 * 11 * 13));
    CHECK(!weir_fft_is_smooth(0) && !weir_fft_is_smooth(17) && !weir_fft_is_smooth(2 * 8191));
    CHECK(weir_fft_is_prime(2) && weir_fft_is_prime(8191) && !weir_fft_is_prime(8189 * 3) &&
          !weir_fft_is_prime(1));
    for (size_t n = 1; n < 3000; n++) {
        size_t m = weir_fft_next_smooth(n), better = n;
        while (!(weir_fft_is_smooth(better) && better % 11 && better % 13)) {
            better++;
        }
        CHECK_MSG(m == better, "next smooth of %zu: %zu, not %zu", n, m, better);
    }
}

static void test_primitive_roots(void)
{
    for (uint32_t p = 3; p < 3000; p++) {
        if (!weir_fft_is_prime(p)) {
            continue;
        }
        uint32_t g = weir_fft_primitive_root(p), order = 1;
        for (uint64_t x = g; x != 1; x = x * g % p) {
            order++;
        }
        CHECK_MSG(order == p - 1, "%u modulo %u has order %u", g, p, order);
    }
}

/* Every length has a plan whose parts multiply to it and fit the machine. */
static void test_plans(void)
{
    for (size_t n = 1; n < 40000; n += n < 500 ? 1 : 97) {
        weir_fft_layout y;
        weir_error err;
        char text[1024];
        CHECK(weir_fft_layout_plan(&y, n, NULL, &err) == WEIR_OK);
        size_t product = 1;
        for (unsigned p = 0; p < (y.method == WEIR_FFT_BLUESTEIN_PASSES ? 2 : y.n_passes); p++) {
            const weir_fft_shape *s = &y.shapes[p];
            uint32_t length = 1;
            for (uint32_t i = 0; i < s->n_stages; i++) {
                CHECK(s->radix[i] <= WEIR_FFT_MAX_RADIX && s->before[i] == length);
                length *= s->radix[i];
            }
            CHECK(length == s->length && s->length == y.factors[p]);
            CHECK(s->shared_bytes <= 227 * 1024 && s->threads <= 1024 && s->threads % 32 == 0);
            product *= y.factors[p];
        }
        CHECK_MSG(product == y.m, "%zu: parts of %zu", n, product);
        CHECK(y.m >= (y.method == WEIR_FFT_BLUESTEIN || y.method == WEIR_FFT_BLUESTEIN_PASSES
                          ? 2 * n - 1
                          : n - 1));
        CHECK(strlen(weir_fft_layout_explain(&y, text, sizeof text)) > 20);
    }
}

/* Kernels for complex values alone, where the device has room for them. */
static void test_compiled_kernels(void)
{
    weir_fft_layout y;
    weir_error err;
    weir_fft_rules rules = {.plain = true};
    for (size_t n = 8192; n <= 131072; n *= 2) {
        CHECK(weir_fft_layout_plan(&y, n, &rules, &err) == WEIR_OK && y.method == WEIR_FFT_WIDE);
        CHECK(y.wide.blocks == (n > 16384 ? n / 8192 : 1) || n == 32768);
    }
    rules.cluster = 8;
    CHECK(weir_fft_layout_plan(&y, 131072, &rules, &err) == WEIR_OK && y.method == WEIR_FFT_PASSES);
    rules.cluster = 1;
    CHECK(weir_fft_layout_plan(&y, 32768, &rules, &err) == WEIR_OK && y.method == WEIR_FFT_PASSES);
    rules.shared_kib = 64;
    CHECK(weir_fft_layout_plan(&y, 8192, &rules, &err) == WEIR_OK && y.method != WEIR_FFT_WIDE);
    rules.shared_kib = 0;
    for (size_t n = 31; n <= 8192; n++) {
        char text[1024];
        CHECK(weir_fft_layout_plan(&y, n, &rules, &err) == WEIR_OK);
        CHECK_MSG(weir_fft_is_smooth(n) ||
                      (y.method == WEIR_FFT_CHIRP && y.m >= 2 * n - 1 && y.chirp.radix[0] % 2 == 0),
                  "%zu: %s", n, weir_fft_layout_explain(&y, text, sizeof text));
    }
}

static size_t large_primes(size_t n, size_t *last)
{
    size_t count = 0;
    for (size_t p = 2; n > 1; p++) {
        for (; n % p == 0; n /= p) {
            count += p > 13;
            *last = p;
        }
    }
    return count;
}

/* Lengths with one prime of 17 to 127 and else small ones have a sum over it first, all of
 * them to 61, and no others. */
static void test_primes_first(void)
{
    for (size_t n = 1; n <= 8192; n++) {
        weir_fft_prime plan;
        size_t last = 0;
        bool could = large_primes(n, &last) == 1 && last <= 127;
        bool one = weir_fft_prime_plan(&plan, n, (size_t)227 << 10);
        CHECK_MSG(could || !one, "%zu", n);
        CHECK_MSG(one || !could || (last > 61 && n >= 512), "%zu", n);
        CHECK(one == (plan.units > 0));
        if (one) {
            const weir_fft_shape *s = &plan.shape;
            char text[256];
            CHECK(s->radix[0] == last && s->length == n && s->threads <= WEIR_FFT_PRIME_THREADS);
            CHECK(plan.units <= s->threads && plan.half == (last - 1) / 2);
            CHECK((size_t)plan.groups * WEIR_FFT_PRIME_BINS >= plan.half);
            CHECK(s->shared_bytes <= (size_t)227 << 10 && s->shared_bytes % 16 == 0);
            CHECK(plan.columns == s->lines * (n / last));
            CHECK(strstr(weir_fft_prime_explain(&plan, text, sizeof text), "direct sum") != NULL);
            CHECK(!weir_fft_prime_plan(&plan, n, 1024) && plan.units == 0);
        }
    }
}

/* A GPU with less shared memory gets plans that fit it. */
static void test_less_shared_memory(void)
{
    const weir_fft_rules rules = {.shared_kib = 99};
    for (size_t n = 2; n < (size_t)1 << 24; n += 1 + n / 3) {
        weir_fft_layout y;
        weir_error err;
        weir_status status = weir_fft_layout_plan(&y, n, &rules, &err);
        if (status != WEIR_OK) { /* a large convolution has no third pass to fall back on */
            CHECK_MSG(!weir_fft_is_smooth(n) && n > 100000, "%zu: %.300s", n, err.text);
            continue;
        }
        for (unsigned p = 0; p < y.n_passes; p++) {
            CHECK_MSG(y.shapes[p].shared_bytes <= 99 * 1024, "%zu needs %zu bytes", n,
                      y.shapes[p].shared_bytes);
        }
    }
}

/* The kernels compiled for one length each: they are found only if the plan is theirs. */
static void test_fixed_shapes(void)
{
    static const struct {
        uint32_t lines, threads, radix[WEIR_FFT_MAX_STAGES];
    } rows[] = {
#define WEIR_FIXED(LINES, THREADS, ...) {LINES, THREADS, {__VA_ARGS__}},
#include "cuda/fft_fixed_convolution_0.inc"
#include "cuda/fft_fixed_convolution_1.inc"
#include "cuda/fft_fixed_convolution_2.inc"
#include "cuda/fft_fixed_convolution_3.inc"
#include "cuda/fft_fixed_real_0.inc"
#include "cuda/fft_fixed_real_1.inc"
#include "cuda/fft_fixed_real_2.inc"
#include "cuda/fft_fixed_real_3.inc"
#include "cuda/fft_fixed_smooth_0.inc"
#include "cuda/fft_fixed_smooth_1.inc"
#include "cuda/fft_fixed_smooth_10.inc"
#include "cuda/fft_fixed_smooth_11.inc"
#include "cuda/fft_fixed_smooth_2.inc"
#include "cuda/fft_fixed_smooth_3.inc"
#include "cuda/fft_fixed_smooth_4.inc"
#include "cuda/fft_fixed_smooth_5.inc"
#include "cuda/fft_fixed_smooth_6.inc"
#include "cuda/fft_fixed_smooth_7.inc"
#include "cuda/fft_fixed_smooth_8.inc"
#include "cuda/fft_fixed_smooth_9.inc"
#undef WEIR_FIXED
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_fft_shape shape;
        uint32_t length = 1, n = 0;
        for (; n < WEIR_FFT_MAX_STAGES && rows[i].radix[n]; n++) {
            length *= rows[i].radix[n];
        }
        CHECK(weir_fft_shape_plan(&shape, length, false));
        CHECK_MSG(shape.lines == rows[i].lines && shape.threads == rows[i].threads &&
                      shape.n_stages == n && memcmp(shape.radix, rows[i].radix, 4 * n) == 0,
                  "the kernel for %u points is not what the planner asks for", length);
    }
}

/* A convolution of a length of its own is hardly longer than it must be. */
static void test_convolutions_are_short(void)
{
    const weir_fft_rules plain = {.plain = true};
    for (size_t n = 17; n <= 8192; n++) {
        weir_fft_layout layout;
        weir_error err;
        CHECK(weir_fft_layout_plan(&layout, n, &plain, &err) == WEIR_OK);
        bool chirp = layout.method == WEIR_FFT_CHIRP || layout.method == WEIR_FFT_BLUESTEIN;
        CHECK_MSG(!chirp || (layout.m >= 2 * n - 1 && layout.m < 3 * n + 64), "%zu: %zu points", n,
                  layout.m);
    }
}

int main(void)
{
    RUN(test_compiled_kernels);
    RUN(test_less_shared_memory);
    RUN(test_primes_first);
    RUN(test_fixed_shapes);
    RUN(test_number_theory);
    RUN(test_primitive_roots);
    RUN(test_plans);
    RUN(test_convolutions_are_short);
    return check_finish();
}
