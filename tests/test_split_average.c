/* ctest-labels: unit prop
 * dsp/split_average.h: lines and trace of the same spectra, each as if it were alone; against
 * sums in double precision. */
#include "dsp/split_average.h"
#include "tests/check.h"

enum { N = 12, COUNT = 400 };
#define RATE 48000.0

static float means[COUNT][N], maxima[COUNT][N], minima[COUNT][N];

static void fill(check_rng *rng)
{
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < N; k++) {
            means[i][k] = (float)(0.1 + check_uniform(rng));
            maxima[i][k] = means[i][k] + (float)check_uniform(rng);
            minima[i][k] = means[i][k] * (float)check_uniform(rng);
        }
    }
}

/* Of 480 samples, 10 ms, and two transforms. */
static weir_spectrum spectrum_number(uint64_t i)
{
    return (weir_spectrum){.power = {means[i], maxima[i], minima[i]},
                           .n_bins = N,
                           .bin_hz = 10,
                           .rate_hz = RATE,
                           .index = i,
                           .first_sample = i * 480,
                           .end_sample = (i + 1) * 480,
                           .lost_before = i == 7 ? 5 : 0,
                           .n_frames = 2};
}

static double mean_of(int first, int end, int k)
{
    double sum = 0;
    for (int i = first; i < end; i++) {
        sum += (double)means[i][k];
    }
    return sum / (end - first);
}

static weir_split_average *create(weir_averages averages)
{
    weir_split_average *a = NULL;
    weir_error err = {.text = ""};
    CHECK_MSG(weir_split_average_create(&a, &averages, N, &err) == WEIR_OK, "%s", err.text);
    return a;
}

/* Lines of 50 ms with their extremes, whatever the trace does; the trace's mean of K. */
static void test_lines_and_a_mean(void)
{
    check_rng rng = check_rng_fresh();
    for (int run = 0; run < 20; run++) {
        int trace_spectra = 1 + (int)(check_random(&rng) % 40);
        bool counts = run % 2;
        fill(&rng);
        weir_split_average *a =
            create((weir_averages){.line_seconds = 0.05,
                                   .trace = {.kind = WEIR_TRACE_MEAN_OF,
                                             .frames = counts ? 2 * (uint64_t)trace_spectra : 0,
                                             .seconds = trace_spectra * 0.01}});
        const weir_spectrum *line, *trace;
        for (int i = 0; i < COUNT; i++) {
            weir_spectrum s = spectrum_number((uint64_t)i);
            weir_split_average_add(a, &s, &line, &trace);
            CHECK((line != NULL) == (i % 5 == 4));
            int begun = i / trace_spectra * trace_spectra, done = i + 1 - begun;
            bool is_first = begun == 0, is_complete = done == trace_spectra;
            CHECK((trace != NULL) == (is_first || is_complete));
            for (int k = 0; k < N && trace; k++) {
                CHECK_NEAR((double)trace->power[WEIR_TRACE_MEAN][k], mean_of(begun, i + 1, k),
                           1e-6);
            }
            CHECK(!trace || trace->is_partial == !is_complete);
            CHECK(!trace ||
                  (trace->end_sample == s.end_sample && trace->n_frames == 2 * (uint64_t)done));
            for (int k = 0; k < N && line; k++) {
                float highest = 0, lowest = INFINITY;
                for (int j = i - 4; j <= i; j++) {
                    highest = fmaxf(highest, maxima[j][k]);
                    lowest = fminf(lowest, minima[j][k]);
                }
                CHECK_NEAR((double)line->power[WEIR_TRACE_MEAN][k], mean_of(i - 4, i + 1, k), 1e-6);
                CHECK(line->power[WEIR_TRACE_MAX][k] == highest);
                CHECK(line->power[WEIR_TRACE_MIN][k] == lowest);
            }
            CHECK(!line || line->first_sample == s.end_sample - 5 * 480);
            CHECK(!line || line->lost_before + line->lost_inside == (i == 9 ? 5 : 0));
        }
        weir_split_average_destroy(a);
    }
}

/* alpha = 1 - exp(-hop/T): the trace decays by 4.34 dB in T, while lines stay means. */
static void test_exponential_trace_decays(void)
{
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < N; k++) {
            means[i][k] = i < 100 ? 1 : 0;
        }
    }
    weir_split_average *a = create((weir_averages){
        .line_frames = 20, .trace = {.kind = WEIR_TRACE_EXPONENTIAL, .seconds = 1}});
    const weir_spectrum *line, *trace;
    for (int i = 0; i < COUNT; i++) {
        weir_spectrum s = spectrum_number((uint64_t)i);
        weir_split_average_add(a, &s, &line, &trace);
        double level_db = 10 * log10((double)trace->power[WEIR_TRACE_MEAN][3]);
        CHECK_NEAR(level_db, i < 100 ? 0 : -4.342945 * (i - 99) * 0.01, 1e-4);
        CHECK((line != NULL) == (i % 10 == 9));
        CHECK(!line || line->power[WEIR_TRACE_MEAN][3] == (i < 100 ? 1 : 0));
    }
    weir_split_average_destroy(a);
}

/* Lines that are exponential themselves (--smooth), under a plain trace. */
static void test_smooth_lines(void)
{
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < N; k++) {
            means[i][k] = i < 100 ? 1 : 0;
        }
    }
    weir_split_average *a =
        create((weir_averages){.line_seconds = 0.05,
                               .line_smooth_seconds = 0.125,
                               .trace = {.kind = WEIR_TRACE_MEAN_OF, .frames = 2}});
    const weir_spectrum *line, *trace;
    for (int i = 0; i < COUNT / 2; i++) {
        weir_spectrum s = spectrum_number((uint64_t)i);
        weir_split_average_add(a, &s, &line, &trace);
        CHECK(trace && trace->power[WEIR_TRACE_MEAN][0] == (i < 100 ? 1 : 0));
        if (line) { /* 34.7 dB a second */
            double level_db = 10 * log10((double)line->power[WEIR_TRACE_MEAN][0]);
            CHECK_NEAR(level_db, i < 100 ? 0 : -34.74356 * (i - 99) * 0.01, 1e-3);
        }
    }
    weir_split_average_destroy(a);
}

/* A retune: nothing of the old place is in the new mean, and it shows at once. */
static void test_another_axis(void)
{
    check_rng rng = check_rng_fresh();
    fill(&rng);
    weir_split_average *a = create(
        (weir_averages){.line_seconds = 1, .trace = {.kind = WEIR_TRACE_MEAN_OF, .seconds = 0.5}});
    const weir_spectrum *line, *trace;
    for (int i = 0; i < 120; i++) {
        weir_spectrum s = spectrum_number((uint64_t)i);
        s.start_hz = i < 70 ? 0 : 1e6;
        weir_split_average_add(a, &s, &line, &trace);
        if (i >= 70) {
            CHECK(trace && trace->start_hz == 1e6);
            CHECK_NEAR((double)trace->power[WEIR_TRACE_MEAN][0], mean_of(70, i + 1, 0), 1e-6);
        }
    }
    weir_spectrum too_long = spectrum_number(0), without = spectrum_number(0);
    too_long.n_bins = N + 1;
    without.power[WEIR_TRACE_MEAN] = NULL;
    weir_split_average_add(a, &too_long, &line, &trace);
    CHECK(!line && !trace);
    weir_split_average_add(a, &without, &line, &trace);
    CHECK(!line && !trace);
    weir_split_average_destroy(a);
    weir_split_average_destroy(NULL);
}

static void test_bad_times(void)
{
    weir_split_average *a;
    weir_error err = {.text = ""};
    weir_averages bad = {.line_seconds = 0.05, .trace = {.kind = WEIR_TRACE_EXPONENTIAL}};
    CHECK(weir_split_average_create(&a, &bad, N, &err) == WEIR_ERR_USAGE && !a);
    CHECK(strstr(err.text, "must be above 0") != NULL);
}

static void test_frames_for_both(void)
{
    static const struct {
        weir_averages averages;
        uint64_t frames;
    } rows[] = {
        {{.line_frames = 24, .trace = {.kind = WEIR_TRACE_MEAN_OF, .frames = 64}}, 24},
        {{.line_frames = 40, .trace = {.kind = WEIR_TRACE_MEAN_OF, .frames = 100}}, 20},
        {{.line_frames = 40, .trace = {.kind = WEIR_TRACE_MEAN_OF, .frames = 10}}, 10},
        {{.line_frames = 40, .trace = {.kind = WEIR_TRACE_MEAN_OF, .frames = 1}}, 1},
        {{.line_seconds = 0.04, .trace = {.kind = WEIR_TRACE_MEAN_OF, .seconds = 1}}, 40},
        {{.line_seconds = 0.04, .trace = {.kind = WEIR_TRACE_EXPONENTIAL, .seconds = 0.08}}, 10},
        {{.line_seconds = 1e-6, .trace = {.kind = WEIR_TRACE_EXPONENTIAL, .seconds = 1}}, 1},
        {{.line_frames = 7, .trace = {.kind = WEIR_TRACE_AS_LINES}}, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t frames = weir_split_frames(&rows[i].averages, 1e-3);
        CHECK_MSG(frames == rows[i].frames, "row %zu: %llu", i, (unsigned long long)frames);
    }
}

int main(void)
{
    RUN(test_lines_and_a_mean);
    RUN(test_exponential_trace_decays);
    RUN(test_smooth_lines);
    RUN(test_another_axis);
    RUN(test_bad_times);
    RUN(test_frames_for_both);
    return check_finish();
}
