/* Convolutions on the GPU against the direct sum in double precision.
 * ctest-labels: gpu
 * ctest-timeout: 300
 *
 * WEIR_GPU_TEST_SMALL=1 runs only a short part (for compute-sanitizer). */
#include "convolve_checks.h"
#include "cuda/engine_cuda.h"

static void test_small(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < (getenv("WEIR_GPU_TEST_SMALL") ? 8 : 1000); i++) {
        weir_gpu_convolver_config c = random_config(&rng, 2000, 300);
        check_convolution(&c, &rng, 0);
    }
}

static void test_all_kinds(void)
{
    check_rng rng = check_rng_fresh();
    check_all_kinds(100, 7, 30, &rng);
    check_all_kinds(3001, 129, 512, &rng);
}

static void test_long_signals(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 100; i++) {
        weir_gpu_convolver_config c = random_config(&rng, 3000000, 12000);
        check_convolution(&c, &rng, 200);
    }
}

static void test_long_filters(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 12; i++) {
        weir_gpu_convolver_config c = random_config(&rng, 500000, 500000);
        check_convolution(&c, &rng, 30);
    }
}

static weir_gpu_convolver *smaller;

/* The newest plan is not the one that runs, and needs less shared memory. */
static weir_status create_before_a_smaller(weir_gpu_convolver **out,
                                           const weir_gpu_convolver_config *config, weir_error *err)
{
    static const weir_gpu_convolver_config little = {.n_a = 20, .n_b = 5, .batch = 1};
    weir_status status = weir_gpu_convolver_create(out, config, err);
    return status ? status : weir_gpu_convolver_create(&smaller, &little, err);
}

static void test_beside_a_smaller_plan(void)
{
    check_rng rng = check_rng_fresh();
    create_convolver = create_before_a_smaller;
    for (int real = 0; real < 2; real++) {
        /* one block, and blocks of a long signal */
        weir_gpu_convolver_config c = {.n_a = 9000, .n_b = 500, .batch = 1, .real = real};
        check_convolution(&c, &rng, 100);
        weir_gpu_convolver_destroy(smaller);
        c.n_a = 200000;
        c.block = 12000;
        check_convolution(&c, &rng, 100);
        weir_gpu_convolver_destroy(smaller);
    }
    create_convolver = weir_gpu_convolver_create;
}

int main(void)
{
    weir_error err;
    if (weir_cuda_device_count(&err) == 0) {
        return check_skip(err.text);
    }
    create_convolver = weir_gpu_convolver_create;
    RUN(test_small);
    RUN(test_all_kinds);
    RUN(test_beside_a_smaller_plan);
    if (!getenv("WEIR_GPU_TEST_SMALL")) {
        RUN(test_long_signals);
        RUN(test_long_filters);
    }
    printf("# worst: %.2f of the gate\n", worst_convolution);
    return check_finish();
}
