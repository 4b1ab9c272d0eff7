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

/* ---- an engine that begins on the GPU and, when that fails, goes on with the CPU ---- */

typedef struct handing_over {
    weir_engine base;
    weir_engine *inner;
    weir_engine_config config;
} handing_over;

static uint64_t fails_at;
static unsigned n_handed_over;

static bool hand_over(handing_over *e, weir_status status)
{
    if (status != WEIR_ERR_DEVICE) {
        return false;
    }
    const weir_engine_state *state = weir_engine_state_after_failure(e->inner);
    weir_engine *next = NULL;
    weir_error err = {WEIR_OK, ""};
    CHECK(state != NULL);
    CHECK_MSG(weir_engine_cpu_resume(&next, &e->config, state, &err) == WEIR_OK, "%s", err.text);
    weir_engine_destroy(e->inner);
    e->inner = next;
    n_handed_over++;
    return true;
}

static weir_status push(weir_engine *engine, const weir_run *run, size_t *released, weir_error *err)
{
    handing_over *e = (handing_over *)engine;
    weir_status status = weir_engine_push(e->inner, run, released, err);
    if (hand_over(e, status)) {
        CHECK(*released == 0);
        status = weir_engine_push(e->inner, run, released, err);
    }
    return status;
}

static bool busy(const weir_engine *engine)
{
    return weir_engine_busy(((const handing_over *)engine)->inner);
}

static weir_status flush(weir_engine *engine, uint64_t lost_at_end, weir_error *err)
{
    handing_over *e = (handing_over *)engine;
    weir_status status = weir_engine_flush(e->inner, lost_at_end, err);
    return hand_over(e, status) ? weir_engine_flush(e->inner, lost_at_end, err) : status;
}

static void totals(const weir_engine *engine, weir_totals *result)
{
    weir_engine_totals(((const handing_over *)engine)->inner, result);
}

static const char *describe(const weir_engine *engine)
{
    return weir_engine_describe(((const handing_over *)engine)->inner);
}

static void destroy(weir_engine *engine)
{
    weir_engine_destroy(((handing_over *)engine)->inner);
    free(engine);
}

static const weir_engine_class handing_over_class = {
    .name = "handing over",
    .push = push,
    .busy = busy,
    .flush = flush,
    .totals = totals,
    .describe = describe,
    .destroy = destroy,
};

static weir_status create_handing_over(weir_engine **out, const weir_engine_config *config,
                                       weir_error *err)
{
    handing_over *e = calloc(1, sizeof *e);
    e->base.class_ = &handing_over_class;
    e->config = *config;
    fake_gpu_reset(fails_at);
    *out = NULL;
    weir_status status = weir_engine_cuda_create(&e->inner, config, err);
    if (status) {
        free(e);
        return status;
    }
    *out = &e->base;
    return WEIR_OK;
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
    suite_create = create_handing_over;
    RUN(test_failed_engine_stays_failed);
    RUN(test_every_call_fails_once);
    RUN(test_random_failures);
    return engine_suite(create_handing_over);
}
