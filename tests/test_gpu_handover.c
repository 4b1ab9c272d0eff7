/* The CUDA engine but for its kernels, on a GPU that is not there (tests/fakes/gpu): held to
 * dsp/engine.h by the suite that all engines pass; and failing at every call in turn, with the CPU
 * going on, so that nothing is lost and nothing counted twice.
 * ctest-labels: unit prop
 * ctest-timeout: 300 */
#include <stddef.h>

/* Powers of two from 32 on. */
static inline size_t gpu_size(size_t n)
{
    size_t fit = 32;
    while (fit < n) {
        fit *= 2;
    }
    return fit;
}
#define SUITE_SIZE(n) gpu_size(n)

#include "cuda/engine_cuda.h"
#include "tests/engine_suite.h"
#include "tests/fakes/gpu/fake_gpu.h"
#include "tests/handing_over.h"

static uint64_t fails_at;

static void make_gpu_whole(void)
{
    fake_gpu_reset(fails_at);
}

/* ---- tests ---- */

/* Long spectra of every kind, through a failure at each call that a pass makes. */
static void test_every_call_fails_once(void)
{
    static const struct {
        bool is_complex;
        uint64_t k;
        unsigned traces;
        double alpha;
        bool iq_swap;
    } cases[] = {
        {true, 1, 1, 0, false},    {true, 16, 1, 0, true},   {true, 100, 1, 0, true},
        {false, 70, 7, 0, false},  {true, 70, 6, 0, true},   {true, 0, 1, 0, false},
        {false, 5, 1, 0.3, false}, {true, 40, 7, 0.1, true}, {true, 0, 5, 0.01, false},
    };
    check_rng rng = check_rng_fresh();
    double *window = suite_window(64, 0.54);
    unsigned before = n_handed_over;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_engine_config c = suite_config(64, 24, cases[i].k, window);
        c.traces = cases[i].traces;
        c.exponential_alpha = cases[i].alpha;
        c.iq_swap = cases[i].iq_swap;
        weir_sample_format format = {WEIR_S16LE, cases[i].is_complex, 1, 0};
        suite_stream s = suite_many_segments(&rng, format, 6000);
        suite_fill(&rng, &s);
        bool complete = false;
        for (fails_at = 1; !complete && fails_at < 500; fails_at += 1 + fails_at / 20) {
            suite_result r = suite_pass(&c, &s, &rng, 1500);
            complete = !fake_gpu_has_failed();
            suite_compare(&c, &s, &r);
            suite_free_result(&r);
        }
        free(s.raw);
    }
    fails_at = 0;
    CHECK(n_handed_over - before > 40);
    free(window);
}

static void test_random_failures(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 4; round++) {
        fails_at = 1 + suite_below(&rng, 60);
        test_random_streams();
    }
    fails_at = 0;
}

/* One allocation refused is an engine that is not there, whole, and no trace of it in the next:
 * not in memory, and not as an error of that one's first launch. */
static void test_every_allocation_refused_once(void)
{
    double *window = suite_window(64, 0.5);
    weir_engine_config c = suite_config(64, 32, 40, window);
    suite_stream s = suite_one_segment((weir_sample_format){WEIR_S16LE, false, 1, 0}, 6000, 1e6);
    check_rng rng = check_rng_fresh();
    suite_fill(&rng, &s);
    c.format = s.format;
    c.traces = 7;
    c.detrend = true;
    c.on_spectrum = suite_on_spectrum;
    fails_at = 0;
    fake_gpu_reset(0);
    uint64_t n = 0;
    for (bool refused = true; refused && n < 100; n += refused) {
        weir_engine *engine;
        weir_error err = {WEIR_OK, ""};
        fake_gpu_refuse(n + 1);
        refused = weir_engine_cuda_create(&engine, &c, &err) != WEIR_OK;
        fake_gpu_refuse(0);
        if (refused) {
            CHECK(!engine && err.status == WEIR_ERR_NOMEM && strstr(err.text, "not enough memory"));
        } else {
            weir_engine_destroy(engine);
        }
        CHECK(fake_gpu_blocks() == 0);
        suite_result r = suite_pass(&c, &s, &rng, 1500);
        suite_compare(&c, &s, &r);
        suite_free_result(&r);
    }
    CHECK(n > 15); /* the arena, rows, means, sums and slots, on either side */
    free(s.raw);
    free(window);
}

/* A stream pushed bit by bit: small batches, each alone, go as graphs; where CUDA makes none, by
 * streams, and the engine says why. */
static void test_with_and_without_graphs(void)
{
    double *window = suite_window(64, 0.5);
    weir_engine_config c = suite_config(64, 16, 5, window);
    suite_stream s = suite_one_segment((weir_sample_format){WEIR_S16LE, true, 1, 0}, 20000, 1e6);
    check_rng rng = check_rng_fresh();
    suite_fill(&rng, &s);
    c.format = s.format;
    c.on_spectrum = suite_on_spectrum;
    fails_at = 0;
    for (int i = 0; i < 4; i++) {
        bool refused = i % 2;
        weir_engine *engine;
        weir_error err = {WEIR_OK, ""};
        c.traces = i < 2 ? 1 : 7;
        fake_gpu_refuse_graphs(refused);
        fake_gpu_reset(0);
        CHECK(weir_engine_cuda_create(&engine, &c, &err) == WEIR_OK);
        CHECK_MSG(!strstr(weir_engine_describe(engine),
                          "without CUDA graphs: CUDA, making a "
                          "graph: operation not supported") == !refused,
                  "%s", weir_engine_describe(engine));
        weir_engine_destroy(engine);
        CHECK(fake_gpu_blocks() == 0);
        suite_result r = suite_pass(&c, &s, &rng, 300);
        CHECK_MSG(refused ? fake_gpu_graphs() == 0 : fake_gpu_graphs() > 20, "%llu graphs",
                  (unsigned long long)fake_gpu_graphs());
        suite_compare(&c, &s, &r);
        suite_free_result(&r);
    }
    fake_gpu_refuse_graphs(false);
    free(s.raw);
    free(window);
}

/* A long mean is rows of up to 64 frames here; the stream ends, or breaks off, anywhere in them. */
static void test_long_means_end_anywhere(void)
{
    double *window = suite_window(64, 0.5);
    weir_engine_config c = suite_config(64, 32, 100, window);
    check_rng rng = check_rng_fresh();
    fails_at = 0;
    for (size_t frames = 190; frames <= 201; frames++) {
        suite_stream s = suite_one_segment((weir_sample_format){WEIR_S16LE, true, 1, 0},
                                           64 + 32 * (frames - 1), 1e6);
        suite_fill(&rng, &s);
        suite_result r = suite_pass(&c, &s, &rng, 3000);
        suite_compare(&c, &s, &r);
        suite_free_result(&r);
        free(s.raw);
    }
    free(window);
}

/* What an engine that failed says for ever after. */
static void test_failed_engine_stays_failed(void)
{
    double *window = suite_window(64, 0.5);
    weir_engine_config c = suite_config(64, 64, 1, window);
    suite_stream s = suite_one_segment((weir_sample_format){WEIR_U8, true, 1, 0}, 1000, 1e6);
    check_rng rng = check_rng_fresh();
    suite_fill(&rng, &s);
    suite_result r = {0};
    weir_engine *engine;
    weir_error err = {WEIR_OK, ""};
    size_t released = 1;
    c.format = s.format;
    c.on_spectrum = suite_on_spectrum;
    c.user = &r;
    fake_gpu_reset(1);
    CHECK(weir_engine_cuda_create(&engine, &c, &err) == WEIR_OK);
    CHECK(weir_engine_state_after_failure(engine) == NULL);
    weir_run run = suite_run(&s, 0, s.segments[0].first, s.segments[0].first + 1000);
    for (int i = 0; i < 2; i++) {
        CHECK(weir_engine_push(engine, &run, &released, &err) == WEIR_ERR_DEVICE && released == 0);
        CHECK(strstr(err.text, "unspecified launch failure") != NULL);
    }
    CHECK(!weir_engine_busy(engine));
    CHECK(weir_engine_flush(engine, 5, &err) == WEIR_ERR_DEVICE);
    CHECK(weir_engine_state_after_failure(engine) != NULL);
    weir_engine_destroy(engine);
    suite_free_result(&r);
    free(s.raw);
    free(window);
}

int main(void)
{
    handing_over_begins = make_gpu_whole;
    suite_create = create_handing_over;
    RUN(test_failed_engine_stays_failed);
    RUN(test_with_and_without_graphs);
    RUN(test_long_means_end_anywhere);
    RUN(test_every_allocation_refused_once);
    RUN(test_every_call_fails_once);
    RUN(test_random_failures);
    return engine_suite(create_handing_over);
}
