// ctest-labels: gpu
// ctest-timeout: 900
/* The transforms on the GPU: every length to 8192, powers of two, random lengths, and the
 * properties by which Ergün (1995) tests a linear transform without another one.
 * WEIR_FFT_SHARD=i/n: only the lengths of that share (several processes side by side). */
#include "fft_checks.h"

static unsigned shard, shards = 1;

static bool mine(size_t i)
{
    return i % shards == shard;
}

static void test_every_length(void)
{
    static const size_t batches[] = {1, 3, 70};
    check_rng rng = check_rng_fresh();
    for (size_t n = 1; n <= 8192; n++) {
        if (!mine(n)) {
            continue;
        }
        size_t batch = n < 32 ? 64 : n > 1024 ? 1 + n % 3 : batches[n % 3];
        check_config(&(weir_gpu_fft_config){.n = n, .batch = batch}, &rng);
        check_config(&(weir_gpu_fft_config){.n = n, .batch = batch, .inverse = true}, &rng);
        check_config(
            &(weir_gpu_fft_config){
                .n = n, .batch = batch, .real = true, .inverse = (n / shards) % 2},
            &rng);
    }
}

static void test_powers_of_two(void)
{
    check_rng rng = check_rng_fresh();
    for (unsigned bits = 13; bits <= 24; bits++) {
        if (mine(bits)) {
            check_length((size_t)1 << bits, bits < 18 ? 3 : 1, &rng);
        }
    }
}

/* A block or a cluster a transform, in batches of 1, 3 and many, from places that are not
 * at multiples of 16 bytes. */
static void test_clusters(void)
{
    static const size_t batches[] = {1, 3, 301};
    check_rng rng = check_rng_fresh();
    for (unsigned bits = 13; bits <= 17; bits++) {
        size_t n = (size_t)1 << bits;
        for (size_t i = 0; i < 3; i++) {
            if (!mine(bits + i)) {
                continue;
            }
            check_config(&(weir_gpu_fft_config){.n = n, .batch = batches[i], .inverse = i == 1},
                         &rng);
            check_config(&(weir_gpu_fft_config){.n = n, .batch = 3, .distance_in = n + 1}, &rng);
        }
    }
}

static void test_largest(void)
{
    check_rng rng = check_rng_fresh();
    for (unsigned bits = 25; bits <= 27; bits++) {
        if (mine(bits)) {
            check_config(&(weir_gpu_fft_config){.n = (size_t)1 << bits}, &rng);
        }
    }
}

static void test_random_lengths(void)
{
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < 500; i++) {
        size_t n = (size_t)exp2(13 + 9 * check_uniform(&rng));
        if (mine(i)) {
            check_config(
                &(weir_gpu_fft_config){.n = n, .batch = 1 + i % 2, .real = i & 4, .inverse = i & 8},
                &rng);
        }
    }
}

static void test_passes(void)
{
    check_rng rng = check_rng_fresh();
    for (unsigned passes = 1; passes <= 3; passes++) {
        static const size_t lengths[] = {4096, 16384, 27720, 28672, 1 << 18, 360360, 1 << 21};
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            if (mine(i) && (passes > 1 || lengths[i] <= 28672)) {
                check_config(&(weir_gpu_fft_config){.n = lengths[i], .batch = 2, .passes = passes},
                             &rng);
            }
        }
    }
}

/* More transforms than the work area has room for. */
static void test_many(void)
{
    check_rng rng = check_rng_fresh();
    if (mine(0)) {
        check_config(&(weir_gpu_fft_config){.n = 1 << 17, .batch = 37}, &rng);
    }
    if (mine(1)) {
        check_config(&(weir_gpu_fft_config){.n = 40009, .batch = 100}, &rng);
    }
}

static void test_layouts(void)
{
    static const size_t lengths[] = {12, 37, 64, 101, 360, 1021, 16385, 20000, 20011};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int kind = 0; kind < 4 && mine(i); kind++) {
            check_config(&(weir_gpu_fft_config){.n = lengths[i],
                                                .batch = 5,
                                                .real = kind & 1,
                                                .inverse = kind & 2,
                                                .unscaled = i & 1,
                                                .stride_in = 2,
                                                .stride_out = 3,
                                                .distance_in = 2 * lengths[i] + 5,
                                                .distance_out = 3 * lengths[i] + 7},
                         &rng);
            if (kind < 2) {
                check_config(
                    &(weir_gpu_fft_config){
                        .n = lengths[i], .batch = 2, .real = kind & 1, .length_in = lengths[i] / 3},
                    &rng);
            }
        }
    }
}

/* ---- Ergün's properties ---- */

typedef struct property_run {
    size_t n, at, shift, tone;
    float a, b;
    float *in, *out;
} property_run;

enum { FIRST, SECOND, SUM, IMPULSE, SHIFTED, MODULATED, N_SIGNALS };

static void fill_properties(property_run *p, check_rng *rng)
{
    size_t n = p->n;
    for (size_t j = 0; j < n; j++) {
        for (size_t c = 0; c < 2; c++) {
            p->in[2 * (FIRST * n + j) + c] = (float)check_gauss(rng);
            p->in[2 * (SECOND * n + j) + c] = (float)check_gauss(rng);
            p->in[2 * (IMPULSE * n + j) + c] = c == 0 && j == p->at ? 1.0f : 0.0f;
        }
    }
    for (size_t j = 0; j < n; j++) {
        const float *x = p->in + 2 * (FIRST * n + j), *y = p->in + 2 * (SECOND * n + j);
        double turn = 2 * M_PI * (double)(j * p->tone % n) / (double)n;
        float *sum = p->in + 2 * (SUM * n + j), *modulated = p->in + 2 * (MODULATED * n + j);
        float *shifted = p->in + 2 * (SHIFTED * n + (j + p->shift) % n);
        for (size_t c = 0; c < 2; c++) {
            sum[c] = p->a * x[c] + p->b * y[c];
            shifted[c] = x[c];
        }
        modulated[0] = (float)(x[0] * cos(turn) - x[1] * sin(turn));
        modulated[1] = (float)(x[0] * sin(turn) + x[1] * cos(turn));
    }
}

/* What signal s must have in bin k, from the transforms of the first two. */
static double complex expected_bin(const property_run *p, int s, size_t k)
{
    size_t n = p->n, from = (k + n - p->tone) % n;
    const float *x = p->out + 2 * (FIRST * n + k), *y = p->out + 2 * (SECOND * n + k);
    const float *z = p->out + 2 * (FIRST * n + from);
    double complex first = x[0] + I * (double)x[1];
    switch (s) {
    case SUM:
        return p->a * first + p->b * (y[0] + I * (double)y[1]);
    case IMPULSE:
        return cexp(-2 * M_PI * I * (double)(k * p->at % n) / (double)n);
    case SHIFTED:
        return first * cexp(-2 * M_PI * I * (double)(k * p->shift % n) / (double)n);
    default:
        return z[0] + I * (double)z[1];
    }
}

static void compare_properties(const property_run *p)
{
    static const char *const names[] = {"",        "",           "linearity",
                                        "impulse", "time shift", "frequency shift"};
    for (int s = SUM; s < N_SIGNALS; s++) {
        double error = 0, norm = 0;
        for (size_t k = 0; k < p->n; k++) {
            const float *got = p->out + 2 * ((size_t)s * p->n + k);
            double complex e = expected_bin(p, s, k);
            double complex d = got[0] + I * (double)got[1] - e;
            error += creal(d * conj(d));
            norm += creal(e * conj(e));
        }
        /* Both sides have the transform's error, and the input is rounded once more. */
        double relative = sqrt(error / norm), gate = 2.5 * gate_of(p->n);
        CHECK_MSG(relative <= gate, "n %zu: %s: %.3g over %.3g", p->n, names[s], relative, gate);
    }
}

static void check_properties(size_t n, check_rng *rng)
{
    property_run p = {.n = n,
                      .at = check_random(rng) % n,
                      .shift = check_random(rng) % n,
                      .tone = check_random(rng) % n,
                      .a = (float)check_gauss(rng),
                      .b = (float)check_gauss(rng)};
    p.in = malloc(2 * n * N_SIGNALS * sizeof(float));
    p.out = malloc(2 * n * N_SIGNALS * sizeof(float));
    for (size_t i = 0; i < 2 * n * N_SIGNALS; i++) {
        p.out[i] = NAN;
    }
    fill_properties(&p, rng);
    if (run_config(&(weir_gpu_fft_config){.n = n, .batch = N_SIGNALS}, p.in, p.out)) {
        compare_properties(&p);
    }
    free(p.in);
    free(p.out);
}

static void test_properties(void)
{
    check_rng rng = check_rng_fresh();
    for (size_t n = 2; n <= 8192; n++) {
        if (mine(n)) {
            check_properties(n, &rng);
        }
    }
    for (unsigned bits = 14; bits <= 22; bits++) {
        if (mine(bits)) {
            check_properties((size_t)1 << bits, &rng);
        }
    }
}

int main(void)
{
    weir_gpu_fft *fft;
    weir_error err;
    const char *share = getenv("WEIR_FFT_SHARD");
    if (share) {
        sscanf(share, "%u/%u", &shard, &shards);
    }
    create_fft = weir_gpu_fft_create;
    if (weir_gpu_fft_create(&fft, &(weir_gpu_fft_config){.n = 2}, &err) != WEIR_OK) {
        return check_skip(err.text);
    }
    weir_gpu_fft_destroy(fft);
    RUN(test_layouts);
    RUN(test_passes);
    RUN(test_powers_of_two);
    RUN(test_many);
    RUN(test_clusters);
    RUN(test_every_length);
    RUN(test_properties);
    RUN(test_random_lengths);
    RUN(test_largest);
    printf("# worst: %.2f of the gate, at %zu points\n", worst_ratio, worst_n);
    return check_finish();
}
