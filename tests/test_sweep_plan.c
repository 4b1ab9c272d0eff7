/* ctest-labels: unit prop
 * dsp/sweep_plan.h: rtl_power's own example, every bin of a range covered once, edges and DC
 * left out as asked, and what is refused. */
#include "dsp/sweep_plan.h"
#include "tests/check.h"

/* 88M:108M:125k makes 8 tunings of 32 bins of 78125 Hz with rtl_power, at 2.5 MS/s, the first
 * at 89.25 MHz. */
static void test_rtl_power_example(void)
{
    weir_sweep_range range;
    weir_sweep_plan plan;
    CHECK(weir_sweep_range_parse("88M:108M:125k", &range, NULL) == WEIR_OK);
    CHECK(weir_sweep_plan_rtl_power(&plan, &range, NULL) == WEIR_OK);
    CHECK(plan.n_hops == 8 && plan.hop_bins == 32 && plan.n_bins == 256);
    CHECK(plan.rate_hz == 2.5e6 && plan.bin_hz == 78125 && plan.n_fft == 32);
    CHECK(weir_sweep_center_hz(&plan, 0) == 89.25e6);
    CHECK(weir_sweep_center_hz(&plan, 7) == 106.75e6);
}

typedef struct reference {
    int tunes, rate, finer, bins;
} reference;

/* rtl_power's loops, as they stand in frequency_range, with boxcar and without crop. */
static reference rtl_power(int lower, int upper, double max_size)
{
    reference r = {0, 0, 1, 0};
    int seen = 0;
    for (int i = 1; i < 1500; i++) {
        seen = (upper - lower) / i;
        if (seen > 2800000) {
            continue;
        }
        r.tunes = i;
        break;
    }
    r.rate = seen;
    if (r.rate < 1000000) {
        r.tunes = 1;
        r.finer = 2800000 / r.rate;
        r.rate *= r.finer;
    }
    for (int i = 1; i <= 21; i++) {
        r.bins = 1 << i;
        if ((double)r.rate / (double)(r.bins * r.finer) <= max_size) {
            break;
        }
    }
    return r;
}

static void test_rtl_power_arithmetic(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 2000; i++) {
        int lower = (int)(24e6 + check_uniform(&rng) * 1e9);
        int upper = lower + 20000 + (int)(check_uniform(&rng) * (i % 2 ? 1e8 : 3e6));
        double bin = 10 + check_uniform(&rng) * 9e5;
        weir_sweep_range range = {lower, upper, bin};
        weir_sweep_plan plan;
        reference r = rtl_power(lower, upper, bin);
        CHECK(weir_sweep_plan_rtl_power(&plan, &range, NULL) == WEIR_OK);
        CHECK(plan.n_hops == (size_t)r.tunes && plan.rate_hz == r.rate);
        CHECK(plan.hop_bins == (size_t)r.bins && plan.n_fft == (size_t)(r.bins * r.finer));
        int seen = r.rate / r.finer;
        for (size_t h = 0; h < plan.n_hops; h++) { /* its ts->freq, to its integers */
            double freq = (double)lower + (double)h * seen + seen / 2;
            CHECK_NEAR(weir_sweep_center_hz(&plan, h), freq, 0.5);
        }
    }
}

/* Its "giant bins": bw_seen = max_size, tune_count = (upper - lower) / bw_seen, bin_e = 0. */
static void test_rtl_power_giant_bins(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 2000; i++) {
        int lower = (int)(24e6 + check_uniform(&rng) * 1e9);
        int max_size = 1000000 + (int)(check_uniform(&rng) * 1800000);
        int upper = lower + max_size + (int)(check_uniform(&rng) * 5e7);
        weir_sweep_range range = {lower, upper, max_size};
        weir_sweep_plan plan;
        CHECK(weir_sweep_plan_rtl_power(&plan, &range, NULL) == WEIR_OK);
        CHECK(plan.n_hops == (size_t)((upper - lower) / max_size) && plan.n_bins == plan.n_hops);
        CHECK(plan.rate_hz == max_size && plan.bin_hz == max_size && plan.hop_bins == 1);
        CHECK(plan.joins && plan.n_fft == 8192);
        for (size_t h = 0; h < plan.n_hops; h++) {
            double freq = (double)lower + (double)h * max_size + max_size / 2;
            CHECK(weir_sweep_center_hz(&plan, h) == freq);
            CHECK(plan.start_hz + (double)h * plan.bin_hz == freq);
        }
    }
}

/* Bin b of the whole is where the tuning that shows it has that frequency, inside the part of
 * the band that is used, and never at its centre with offset tuning. */
static void check_plan(const weir_sweep_plan *p, const weir_sweep_range *range, double crop,
                       bool offset)
{
    size_t covered = 0;
    for (size_t h = 0; h < p->n_hops; h++) {
        CHECK(h * p->hop_bins == covered);
        size_t n = weir_sweep_hop_bins(p, h);
        CHECK(n > 0 && n <= p->hop_bins);
        double center = weir_sweep_center_hz(p, h);
        for (size_t k = 0; k<n; k += n> 1 ? n - 1 : 1) {
            double offset_hz = ((double)(p->first_bin + k) - (double)(p->n_fft / 2)) * p->bin_hz;
            double whole_hz = p->start_hz + (double)(covered + k) * p->bin_hz;
            CHECK_NEAR(center + offset_hz, whole_hz, 1e-3);
            CHECK(fabs(offset_hz) <= p->rate_hz / 2 * (1 - crop) + p->bin_hz);
            CHECK(!offset || offset_hz >= p->bin_hz);
        }
        covered += n;
    }
    CHECK(covered == p->n_bins);
    double last = p->start_hz + (double)(p->n_bins - 1) * p->bin_hz;
    CHECK(p->start_hz == range->low_hz);
    CHECK(last <= range->high_hz + 1e-3 && last > range->high_hz - p->bin_hz);
}

static void test_every_bin_once(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 2000; i++) {
        double low = floor(check_uniform(&rng) * 5.8e9);
        weir_sweep_range range = {low, low + 1e4 + check_uniform(&rng) * 1e8, 0};
        double rate = 2.5e5 + check_uniform(&rng) * 2e7, crop = check_uniform(&rng) * 0.6;
        size_t n_fft = 2 * (8 + check_random(&rng) % 4000);
        bool offset = check_random(&rng) % 2;
        weir_sweep_plan plan;
        weir_error err = {0};
        CHECK_MSG(weir_sweep_plan_make(&plan, &range, rate, n_fft, crop, offset, &err) == WEIR_OK,
                  "%s", err.text);
        check_plan(&plan, &range, crop, offset);
    }
}

static void test_fft_size(void)
{
    CHECK(weir_sweep_fft_size(2.4e6, 1e3) == 2400);
    CHECK(weir_sweep_fft_size(2.4e6, 999) == 2404);
    CHECK(weir_sweep_fft_size(2.4e6, 1e9) == 16);
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 1000; i++) {
        double rate = 1e5 + check_uniform(&rng) * 1e7, bin = 10 + check_uniform(&rng) * 1e4;
        size_t n = weir_sweep_fft_size(rate, bin);
        CHECK(n % 2 == 0 && rate / (double)n <= bin * (1 + 1e-9));
        CHECK(n == 16 || rate / (double)(n - 2) > bin * (1 - 1e-9));
    }
}

static void refuse_range(const char *text, const char *word)
{
    weir_sweep_range range = {1, 2, 3};
    weir_error err = {0};
    CHECK_MSG(weir_sweep_range_parse(text, &range, &err) == WEIR_ERR_USAGE, "%s", text);
    CHECK_MSG(strstr(err.text, word) && !strchr(err.text, '\n'), "%s: %s", text, err.text);
    CHECK(range.low_hz == 1 && range.high_hz == 2 && range.bin_hz == 3);
}

static void test_refused(void)
{
    refuse_range("88M", "LO:HI");
    refuse_range("", "LO:HI");
    refuse_range("1:2:3:4", "LO:HI");
    refuse_range("108M:88M", "begins");
    refuse_range("88M:88M", "begins");
    refuse_range("88M:108M:0", "0 Hz");
    refuse_range("88M:108M:-1", "0 Hz");
    refuse_range("88,5M:108M", "point");
    refuse_range("a:b", "a");
    weir_sweep_range range = {88e6, 108e6, 0};
    weir_sweep_plan plan;
    weir_error err = {0};
    CHECK(weir_sweep_plan_make(&plan, &range, 2.4e6, 15, 0.25, true, &err) == WEIR_ERR_USAGE);
    CHECK(weir_sweep_plan_make(&plan, &range, 2.4e6, 14, 0.25, true, &err) == WEIR_ERR_USAGE);
    CHECK(weir_sweep_plan_make(&plan, &range, 2.4e6, 64, 0.95, true, &err) == WEIR_ERR_USAGE);
    CHECK(weir_sweep_plan_make(&plan, &range, 1, 4096, 0.25, true, &err) == WEIR_ERR_USAGE);
    CHECK(weir_sweep_plan_rtl_power(&plan, &range, &err) == WEIR_ERR_USAGE);
    range.bin_hz = 2.9e6;
    CHECK(weir_sweep_plan_rtl_power(&plan, &range, &err) == WEIR_ERR_USAGE);
    range.high_hz = 3e9;
    range.bin_hz = 1e5;
    CHECK(weir_sweep_plan_rtl_power(&plan, &range, &err) == WEIR_ERR_USAGE);
}

int main(void)
{
    RUN(test_rtl_power_example);
    RUN(test_rtl_power_arithmetic);
    RUN(test_rtl_power_giant_bins);
    RUN(test_every_bin_once);
    RUN(test_fft_size);
    RUN(test_refused);
    return check_finish();
}
