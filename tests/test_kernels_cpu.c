/* ctest-labels: unit prop
 * dsp/kernels_cpu.h: every instruction set of this build, against plain arithmetic. */
#include "dsp/fft_plan.h"
#include "dsp/kernels_cpu.h"
#include "tests/check.h"

enum { MAX_N = 300 };

static float *in, *out, *weight;
static uint8_t raw[4 * MAX_N + 16];

static float noise(check_rng *rng)
{
    return (float)(2 * check_uniform(rng) - 1);
}

/* One fused or unfused step: half a unit in the last place of the larger terms, or one step
 * of the denormal numbers (2^-149). */
static void check_near_relative(double actual, double expected, double size)
{
    CHECK_NEAR(actual, expected, 2e-7 * size + 0x1p-149);
}

static double scalar_value(int kind, const uint8_t *p)
{
    uint16_t two;
    float four;
    memcpy(&two, p, 2);
    memcpy(&four, p, 4);
    double limited = isfinite(four) ? fmax(-1e17, fmin(1e17, (double)four)) : 0;
    const double values[] = {p[0] - 127.5, (double)(int8_t)p[0], (double)(int16_t)two, limited};
    return values[kind];
}

static void check_unpack(const weir_cpu_kernels *k, check_rng *rng, size_t n)
{
    weir_unpack_kernel *const kernels[] = {k->unpack_u8, k->unpack_s8, k->unpack_s16,
                                           k->unpack_f32};
    static const size_t bytes[] = {1, 1, 2, 4};
    for (int kind = 0; kind < 4; kind++) {
        size_t from = check_random(rng) % 16;
        memset(out, 0xff, (MAX_N + 1) * sizeof *out);
        kernels[kind](raw + from, kind == 0 ? 127.5f : 0, weight, out, n);
        for (size_t i = 0; i < n; i++) {
            double x = scalar_value(kind, raw + from + bytes[kind] * i) * (double)weight[i];
            check_near_relative((double)out[i], x, fabs(x));
        }
        CHECK(isnan(out[n]));
    }
}

static void check_simple(const weir_cpu_kernels *k, size_t n)
{
    double sums[2], expected[2] = {0, 0};
    const float mean[2] = {0.25f, -0.5f};
    memcpy(out, in, n * sizeof *out);
    k->multiply(out, weight, n);
    for (size_t i = 0; i < n; i++) {
        CHECK(out[i] == in[i] * weight[i]);
        expected[i % 2] += (double)in[i];
    }
    k->sum(in, n, sums);
    CHECK_NEAR(sums[0], expected[0], 1e-12 * MAX_N);
    CHECK_NEAR(sums[1], expected[1], 1e-12 * MAX_N);
    memcpy(out, in, n * sizeof *out);
    k->detrend(out, mean, weight, n);
    for (size_t i = 0; i < n; i++) {
        CHECK(out[i] == (in[i] - mean[i % 2]) * weight[i]);
    }
}

static void check_power(const weir_cpu_kernels *k, size_t n_bins)
{
    weir_power_kernel *const kernels[] = {k->power_store, k->power_add, k->power_decay,
                                          k->power_max, k->power_min};
    for (int kind = 0; kind < 5; kind++) {
        memcpy(out, weight, n_bins * sizeof *out);
        out[n_bins] = NAN;
        kernels[kind](in, out, n_bins, 0.75f, 0.25f);
        for (size_t i = 0; i < n_bins; i++) {
            double re = (double)in[2 * i], im = (double)in[2 * i + 1], p = re * re + im * im;
            double old = (double)weight[i];
            const double expected[] = {0.25 * p, old + p, 0.75 * old + 0.25 * p, fmax(old, p),
                                       fmin(old, p)};
            check_near_relative((double)out[i], expected[kind], p + fabs(old));
        }
        CHECK(isnan(out[n_bins]));
    }
}

static void test_every_instruction_set(void)
{
    check_rng rng = check_rng_fresh();
    for (size_t set = 0; weir_cpu_kernels_at(set); set++) {
        const weir_cpu_kernels *k = weir_cpu_kernels_at(set);
        if (!k->supported()) {
            printf("# %s: not on this processor\n", k->name);
            continue;
        }
        for (int round = 0; round < 200; round++) {
            for (size_t i = 0; i < MAX_N; i++) {
                in[i] = noise(&rng);
                weight[i] = noise(&rng);
            }
            for (size_t i = 0; i < sizeof raw; i++) {
                raw[i] = (uint8_t)check_random(&rng);
            }
            size_t n = check_random(&rng) % MAX_N;
            check_unpack(k, &rng, n);
            check_simple(k, n);
            check_power(k, n / 2);
        }
    }
}

/* The counts of all sets agree; tests/test_format.c holds the best one to arithmetic. */
static void test_counts_agree(void)
{
    check_rng rng = check_rng_fresh();
    const weir_cpu_kernels *plain = weir_cpu_kernels_best();
    for (size_t set = 0; weir_cpu_kernels_at(set); set++) {
        const weir_cpu_kernels *k = weir_cpu_kernels_at(set);
        for (int round = 0; k->supported() && round < 200; round++) {
            for (size_t i = 0; i < sizeof raw; i++) {
                raw[i] = check_random(&rng) % 4 ? (uint8_t)check_random(&rng) : 0x7f;
            }
            size_t n = check_random(&rng) % (MAX_N / 2);
            uint32_t low = UINT32_C(1) << check_random(&rng) % 7;
            CHECK(k->count_8(raw, n, 0x80, low) == plain->count_8(raw, n, 0x80, low));
            CHECK(k->count_pairs_8(raw, n, 0, low) == plain->count_pairs_8(raw, n, 0, low));
            CHECK(k->count_16(raw, n, 0, low) == plain->count_16(raw, n, 0, low));
            CHECK(k->count_pairs_16(raw, n, 0x8000, low) ==
                  plain->count_pairs_16(raw, n, 0x8000, low));
            weir_sample_counts a = {0, 0}, b = {0, 0};
            k->count_f32(raw, n, &a);
            plain->count_f32(raw, n, &b);
            k->count_pairs_f32(raw, n, &a);
            plain->count_pairs_f32(raw, n, &b);
            CHECK(a.clipped == b.clipped && a.nonfinite == b.nonfinite);
        }
    }
}

int main(void)
{
    in = weir_fft_alloc(MAX_N + 1);
    out = weir_fft_alloc(MAX_N + 1);
    weight = weir_fft_alloc(MAX_N + 1);
    RUN(test_every_instruction_set);
    RUN(test_counts_agree);
    weir_fft_free(in);
    weir_fft_free(out);
    weir_fft_free(weight);
    return check_finish();
}
