/* ctest-labels: unit prop
 * dsp/reduce.h: against a column by column search, and the promise about peaks. */
#include "dsp/reduce.h"
#include "tests/check.h"

static double edge(const weir_axis *axis, double position, size_t n)
{
    if (axis->is_log) {
        return axis->low_hz * pow(axis->high_hz / axis->low_hz, position / (double)n);
    }
    return axis->low_hz + position / (double)n * (axis->high_hz - axis->low_hz);
}

/* By the words of the header, from all bins, with nothing shared between columns. */
static float one_column(weir_reducer reducer, const float *power, size_t n_bins, double start,
                        double step, const weir_axis *axis, size_t n, size_t c)
{
    double low = edge(axis, (double)c, n), high = edge(axis, (double)c + 1, n);
    double centre = edge(axis, (double)c + 0.5, n), sum = 0;
    float max = -INFINITY, min = INFINITY, at = NAN;
    size_t count = 0;
    for (size_t k = 0; k < n_bins; k++) {
        double f = start + (double)k * step;
        if (f >= low && (f < high || (c + 1 == n && f == high))) {
            max = fmaxf(max, power[k]);
            min = fminf(min, power[k]);
            sum += (double)power[k];
            count++;
        }
        if (centre >= f - step / 2 && centre < f + step / 2) {
            at = power[k];
        }
    }
    if (reducer == WEIR_REDUCE_SAMPLE || count == 0) {
        return at;
    }
    return reducer == WEIR_REDUCE_MAX   ? max
           : reducer == WEIR_REDUCE_MIN ? min
                                        : (float)(sum / (double)count);
}

static weir_axis random_axis(check_rng *rng, double start, double span)
{
    weir_axis axis = {.is_log = check_uniform(rng) < 0.4};
    double a = start + span * (check_uniform(rng) * 1.4 - 0.2);
    double b = start + span * (check_uniform(rng) * 1.4 - 0.2);
    axis.low_hz = fmin(a, b);
    axis.high_hz = fmax(a, b) + 1e-3;
    if (axis.is_log && axis.low_hz <= 0) {
        axis.high_hz += 10 - axis.low_hz;
        axis.low_hz = 10;
    }
    return axis;
}

/* The code takes an edge within a millionth of a bin of a centre to be on it. */
static int an_edge_is_on_a_centre(const weir_axis *axis, size_t n, double start, double step)
{
    for (size_t c = 0; c <= n; c++) {
        double position = (edge(axis, (double)c, n) - start) / step;
        if (fabs(position - round(position)) < 2e-6) {
            return 1;
        }
    }
    return 0;
}

static void test_agrees_with_the_search(void)
{
    check_rng rng = check_rng_fresh();
    float power[300], out[201];
    for (int run = 0; run < 400; run++) {
        size_t n_bins = 1 + check_random(&rng) % 300, n = 1 + check_random(&rng) % 200;
        double start = check_uniform(&rng) < 0.3 ? 0 : -5e3 + 1e4 * check_uniform(&rng);
        double step = 0.1 + 100 * check_uniform(&rng);
        for (size_t k = 0; k < n_bins; k++) {
            power[k] = (float)check_uniform(&rng);
        }
        weir_axis axis = random_axis(&rng, start, step * (double)n_bins);
        if (an_edge_is_on_a_centre(&axis, n, start, step)) {
            continue;
        }
        for (int r = 0; r < WEIR_REDUCE_COUNT; r++) {
            memset(out, 0x7b, sizeof out);
            float guard = out[n];
            weir_reduce_bins((weir_reducer)r, power, n_bins, start, step, &axis, n, out);
            CHECK(out[n] == guard);
            for (size_t c = 0; c < n; c++) {
                float e = one_column((weir_reducer)r, power, n_bins, start, step, &axis, n, c);
                CHECK_MSG(isnan(e) ? isnan(out[c]) : fabsf(out[c] - e) <= 1e-6f,
                          "run %d, reducer %d, column %zu of %zu: %g, expected %g", run, r, c, n,
                          (double)out[c], (double)e);
            }
        }
    }
}

/* One bin of power in silence, at real frequencies with edges that round: exactly one
 * column shows it (or, zoomed in, some) for every number of columns. */
static void test_a_peak_never_vanishes(void)
{
    enum { N = 1024 };
    static float power[N], out[4000];
    check_rng rng = check_rng_fresh();
    double step = 2.4e6 / N, start = 100.3e6 - N / 2 * step;
    for (int run = 0; run < 3000; run++) {
        size_t bin = check_random(&rng) % N;
        size_t n = run < 1500 ? 1 + (size_t)run : 1 + check_random(&rng) % 4000;
        /* From bin centre to bin centre, or to the outer edges. */
        double margin = check_random(&rng) % 2 ? 0.5 * step : 0;
        weir_axis axis = {start - margin, start + (N - 1) * step + margin,
                          (int)(check_random(&rng) % 2)};
        if (check_random(&rng) % 2) { /* zoomed in, the bin still inside */
            axis.low_hz += ((double)bin * step) * check_uniform(&rng);
            axis.high_hz -= ((double)(N - 1 - bin) * step) * check_uniform(&rng);
        }
        power[bin] = 1;
        weir_reduce_bins(WEIR_REDUCE_MAX, power, N, start, step, &axis, n, out);
        power[bin] = 0;
        size_t seen = 0;
        for (size_t c = 0; c < n; c++) {
            seen += out[c] == 1;
            CHECK(!isnan(out[c]));
        }
        size_t most = (size_t)(2 + 1.01 * step * (double)n / (axis.high_hz - axis.low_hz));
        CHECK_MSG(seen >= 1 && seen <= most, "bin %zu in %zu columns: seen %zu times", bin, n,
                  seen);
    }
}

static void test_axes_that_show_nothing(void)
{
    float power[4] = {1, 1, 1, 1}, out[3];
    weir_axis axes[] = {{5, 5, 0},   {9, 5, 0},        {0, 5, 1},    {-1, 5, 1},
                        {NAN, 5, 0}, {0, INFINITY, 0}, {100, 200, 0}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        for (int r = 0; r < WEIR_REDUCE_COUNT; r++) {
            out[0] = out[1] = out[2] = 7;
            weir_reduce_bins((weir_reducer)r, power, 4, 0, 1, &axes[i], 3, out);
            CHECK_MSG(isnan(out[0]) && isnan(out[1]) && isnan(out[2]), "axis %zu", i);
        }
    }
    weir_axis axis = {0, 3, 0};
    weir_reduce_bins(WEIR_REDUCE_MAX, power, 0, 0, 1, &axis, 3, out);
    CHECK(isnan(out[0]));
}

/* A power of NAN is a hole: it hides nothing beside it, and alone it stays one. */
static void test_holes(void)
{
    float power[9] = {NAN, 4, 2, 3, NAN, NAN, NAN, NAN, NAN}, out[3];
    weir_axis axis = {-0.5, 8.5, 0};
    static const float expected[WEIR_REDUCE_SAMPLE] = {
        [WEIR_REDUCE_MAX] = 4, [WEIR_REDUCE_MEAN] = 3, [WEIR_REDUCE_MIN] = 2};
    for (int r = 0; r < WEIR_REDUCE_SAMPLE; r++) {
        weir_reduce_bins((weir_reducer)r, power, 9, 0, 1, &axis, 3, out);
        CHECK(out[0] == expected[r] && out[1] == 3 && isnan(out[2]));
    }
}

int main(void)
{
    RUN(test_agrees_with_the_search);
    RUN(test_a_peak_never_vanishes);
    RUN(test_axes_that_show_nothing);
    RUN(test_holes);
    return check_finish();
}
