/* ctest-labels: unit prop
 * The CPU engine, held to dsp/engine.h by the suite that all engines pass; and what is its
 * own: threads and plans. */
#include "tests/engine_suite.h"

static void test_measured_plans_are_right(void)
{
    static const weir_plan_effort efforts[] = {WEIR_PLAN_MEASURE, WEIR_PLAN_BACKGROUND};
    check_rng rng = check_rng_fresh();
    double *window = suite_window(128, 0.5);
    for (int i = 0; i < 2; i++) {
        weir_engine_config c = suite_config(128, 64, 3, window);
        c.plan = efforts[i];
        suite_stream s = suite_one_segment((weir_sample_format){WEIR_U8, true, 1, 0}, 200000, 1e6);
        suite_fill(&rng, &s);
        suite_result r = suite_pass(&c, &s, &rng, 1000); /* the plan changes on the way */
        suite_compare(&c, &s, &r);
        suite_free_result(&r);
        free(s.raw);
    }
    free(window);
}

static void test_thread_numbers(void)
{
    double *window = suite_window(16, 0.5);
    weir_engine_config c = suite_config(16, 8, 1, window);
    weir_engine *engine;
    weir_error err;
    c.on_spectrum = suite_on_spectrum;
    c.threads = 0;
    CHECK(weir_engine_cpu_create(&engine, &c, &err) == WEIR_OK);
    CHECK(strncmp(weir_engine_describe(engine), "CPU, ", 5) == 0);
    CHECK(strncmp(weir_engine_describe(engine), "CPU, 0", 6) != 0);
    weir_engine_destroy(engine);
    c.threads = 3;
    CHECK(weir_engine_cpu_create(&engine, &c, &err) == WEIR_OK);
    CHECK(strncmp(weir_engine_describe(engine), "CPU, 3 threads, ", 16) == 0);
    weir_engine_destroy(engine); /* without a flush, and without any run */
    c.threads = 1025;
    CHECK(weir_engine_cpu_create(&engine, &c, &err) == WEIR_ERR_USAGE && engine == NULL);
    CHECK(strstr(err.text, "threads") != NULL);
    free(window);
}

/* suite_on_spectrum takes it for the result that it begins with. */
typedef struct giving_up {
    suite_result result;
    uint64_t asked, from; /* true from then on */
} giving_up;

static bool gives_up(void *user)
{
    giving_up *g = user;
    return g->asked++ >= g->from;
}

static giving_up pass_giving_up(const weir_engine_config *config, const suite_stream *s,
                                check_rng *rng, uint64_t from)
{
    giving_up g = {.from = from};
    weir_engine_config own = *config;
    weir_engine *engine = NULL;
    weir_error err = {WEIR_OK, ""};
    own.on_spectrum = suite_on_spectrum;
    own.gives_up = gives_up;
    own.user = &g;
    CHECK(weir_engine_cpu_create(&engine, &own, &err) == WEIR_OK);
    for (size_t i = 0; i < s->n_segments; i++) {
        suite_push_segment(engine, s, i, rng, 500);
    }
    CHECK(weir_engine_flush(engine, s->lost_at_end, &err) == WEIR_OK);
    weir_engine_totals(engine, &g.result.totals);
    weir_engine_destroy(engine);
    return g;
}

/* What came before is as it would have been; what comes after is received, lost or tail. */
static void test_giving_up_keeps_the_books(void)
{
    check_rng rng = check_rng_fresh();
    double *window = suite_window(64, 0.5);
    uint64_t n_cut_short = 0;
    for (int i = 0; i < 60; i++) {
        weir_engine_config c =
            suite_config(64, 1 + suite_below(&rng, 100), 1 + suite_below(&rng, 5), window);
        suite_stream s = suite_many_segments(&rng, c.format, 4000);
        suite_fill(&rng, &s);
        suite_result all = suite_pass(&c, &s, &rng, 500);
        giving_up g = pass_giving_up(&c, &s, &rng, suite_below(&rng, 60));
        const weir_totals *t = &g.result.totals, *whole = &all.totals;
        CHECK(weir_totals_balance(t) && t->received == whole->received && t->lost == whole->lost);
        CHECK(t->n_gaps == whole->n_gaps && t->n_frames <= whole->n_frames);
        CHECK(g.result.n_spectra == t->n_spectra && t->n_spectra <= whole->n_spectra);
        CHECK(t->n_frames == whole->n_frames || t->tail > whole->tail);
        n_cut_short += t->n_frames < whole->n_frames;
        for (size_t k = 0; k + 1 < g.result.n_spectra; k++) { /* the last may be partial */
            CHECK(suite_same_bits(g.result.spectra[k].power[WEIR_TRACE_MEAN],
                                  all.spectra[k].power[WEIR_TRACE_MEAN], 64 * sizeof(float)));
        }
        suite_free_result(&all);
        suite_free_result(&g.result);
        free(s.raw);
    }
    CHECK(n_cut_short > 0);
    free(window);
}

int main(void)
{
    suite_create = weir_engine_cpu_create;
    RUN(test_measured_plans_are_right);
    RUN(test_thread_numbers);
    RUN(test_giving_up_keeps_the_books);
    return engine_suite(weir_engine_cpu_create);
}
