/* ctest-labels: gpu
 * ctest-timeout: 120
 * The CUDA engine on a GPU, with calls of the CUDA runtime that fail (tests/fakes/cuda_faults.c):
 * the CPU goes on, and nothing is lost or counted twice. */
#include <stddef.h>

static inline size_t gpu_size(size_t n)
{
    return n < 32 ? 32 : n;
}
#define SUITE_SIZE(n) gpu_size(n)

#include "tests/engine_suite.h"
#include "tests/fakes/faults.h"
#include "tests/handing_over.h"

/* Calls since the engine was made; none fails before. */
static uint64_t n_calls, fails_at;
static bool is_made;

bool weir_fault_cuda_is_due(void)
{
    n_calls++;
    return is_made && fails_at > 0 && n_calls >= fails_at;
}

static void count_anew(void)
{
    n_calls = 0;
    is_made = true;
}

static void test_failures(void)
{
    static const struct {
        weir_scalar scalar;
        bool is_complex;
        uint64_t k;
        unsigned traces;
        double alpha;
    } cases[] = {
        {WEIR_U8, true, 16, 1, 0},
        {WEIR_S16LE, true, 300, 7, 0},
        {WEIR_F32LE, false, 20, 1, 0.1},
    };
    check_rng rng = check_rng_fresh();
    double *window = suite_window(1024, 0.5);
    unsigned before = n_handed_over;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_engine_config c = suite_config(1024, 512, cases[i].k, window);
        c.traces = cases[i].traces;
        c.exponential_alpha = cases[i].alpha;
        suite_stream s = suite_one_segment(
            (weir_sample_format){cases[i].scalar, cases[i].is_complex, 1, 0}, 700000, 1e6);
        suite_fill(&rng, &s);
        suite_result whole = suite_pass(&c, &s, &rng, 100000);
        uint64_t made = n_calls;
        suite_free_result(&whole);
        for (int round = 0; round < 8; round++) {
            fails_at = 1 + suite_below(&rng, made / 2); /* freeing comes last */
            is_made = false;
            suite_result r = suite_pass(&c, &s, &rng, 100000);
            fails_at = 0;
            suite_compare(&c, &s, &r);
            suite_free_result(&r);
        }
        free(s.raw);
    }
    CHECK(n_handed_over > before + 12);
    free(window);
}

int main(void)
{
    weir_error err;
    if (weir_cuda_device_count(&err) == 0) {
        return check_skip(err.text);
    }
    handing_over_begins = count_anew;
    suite_create = create_handing_over;
    RUN(test_failures);
    return check_finish();
}
