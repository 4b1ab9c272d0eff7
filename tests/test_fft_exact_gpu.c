/* Products of integer polynomials on the GPU.
 * ctest-labels: gpu
 * ctest-timeout: 120
 *
 * WEIR_GPU_TEST_SMALL=1 leaves out the long ones (for compute-sanitizer). */
#include "cuda/engine_cuda.h"
#include "exact_checks.h"

/* Every length of transform, and each number of primes: the same as the CPU's. */
static void test_against_cpu(void)
{
    check_rng rng = check_rng_fresh();
    weir_error err;
    size_t largest = getenv("WEIR_GPU_TEST_SMALL") ? 64 : (size_t)1 << 22;
    for (size_t n = 1; n <= largest; n *= 2) {
        int64_t bound = (int64_t)1 << (check_random(&rng) % 50);
        product p = make(n, 1 + check_random(&rng) % n);
        for (size_t i = 0; i < p.n_a; i++) {
            p.a[i] = random_within(&rng, bound);
        }
        for (size_t i = 0; i < p.n_b; i++) {
            p.b[i] = random_within(&rng, bound);
        }
        size_t n_c = p.n_a + p.n_b - 1;
        weir_int128 *expected = malloc(n_c * sizeof *expected);
        CHECK(weir_exact_convolve(p.a, p.n_a, p.b, p.n_b, expected, &err) == WEIR_OK);
        CHECK(multiply(p.a, p.n_a, p.b, p.n_b, p.c, &err) == WEIR_OK);
        CHECK(memcmp(p.c, expected, n_c * sizeof *expected) == 0);
        free(expected);
        drop(&p);
    }
}

int main(void)
{
    weir_error err;
    if (weir_cuda_device_count(&err) == 0) {
        return check_skip(err.text);
    }
    multiply = weir_exact_convolve_gpu;
    exact_checks();
    RUN(test_against_cpu);
    return check_finish();
}
