/* The GPU's convolutions gone through on the CPU, thread by thread.
 * ctest-labels: unit
 * ctest-timeout: 120 */
#include "convolve_checks.h"

static void test_small(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 300; i++) {
        weir_gpu_convolver_config c = random_config(&rng, 90, 40);
        check_convolution(&c, &rng, 0);
    }
}

static void test_all_kinds(void)
{
    check_rng rng = check_rng_fresh();
    check_all_kinds(1, 1, 1, &rng);
    check_all_kinds(100, 7, 30, &rng);
    check_all_kinds(97, 97, 100, &rng);
    check_all_kinds(12, 50, 64, &rng);
    check_all_kinds(257, 20, 20, &rng); /* a block of the filter's length: a value each */
}

static void test_long_signals(void)
{
    static const struct {
        size_t n_a, n_b;
    } rows[] = {{40000, 100}, {30011, 1000}, {60000, 5}, {33000, 9000}};
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            check_convolution(
                &(weir_gpu_convolver_config){
                    .n_a = rows[i].n_a, .n_b = rows[i].n_b, .real = kind & 1, .circular = kind & 2},
                &rng, 200);
        }
    }
}

static void test_refusals(void)
{
    weir_gpu_convolver *v = (weir_gpu_convolver *)1;
    weir_error err;
    CHECK(create_convolver(&v, &(weir_gpu_convolver_config){.n_a = 5}, &err) == WEIR_ERR_USAGE);
    CHECK(!v && strstr(err.text, "empty"));
    weir_gpu_convolver_config c = {.n_a = 500, .n_b = 65, .block = 64};
    CHECK(create_convolver(&v, &c, &err) == WEIR_ERR_UNSUPPORTED && strstr(err.text, "64 points"));
    weir_gpu_convolver_destroy(NULL);
}

static void test_words(void)
{
    static const struct {
        weir_gpu_convolver_config config;
        const char *words;
    } rows[] = {{{.n_a = 1000, .n_b = 25}, "one block, one kernel, 1 transforms of 1024 points"},
                {{.n_a = 1000, .n_b = 200, .circular = true}, "1 transforms of 1000 points"},
                {{.n_a = 1000000, .n_b = 101, .real = true}, "overlap-save, one kernel"},
                {{.n_a = 20000, .n_b = 20000}, "whole transforms"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_gpu_convolver *v;
        weir_error err;
        char text[200];
        CHECK(create_convolver(&v, &rows[i].config, &err) == WEIR_OK);
        CHECK_MSG(strstr(weir_gpu_convolver_explain(v, text, sizeof text), rows[i].words), "%s",
                  text);
        weir_gpu_convolver_destroy(v);
    }
}

int main(void)
{
    weir_gpu_convolver *v;
    weir_error err;
    weir_gpu_convolver_config any = {.n_a = 1, .n_b = 1};
    if (create_convolver(&v, &any, &err) == WEIR_ERR_UNSUPPORTED) {
        return check_skip(err.text);
    }
    weir_gpu_convolver_destroy(v);
    RUN(test_small);
    RUN(test_all_kinds);
    RUN(test_long_signals);
    RUN(test_refusals);
    RUN(test_words);
    printf("# worst: %.2f of the gate\n", worst_convolution);
    return check_finish();
}
