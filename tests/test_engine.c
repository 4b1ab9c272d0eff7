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

int main(void)
{
    suite_create = weir_engine_cpu_create;
    RUN(test_measured_plans_are_right);
    RUN(test_thread_numbers);
    return engine_suite(weir_engine_cpu_create);
}
