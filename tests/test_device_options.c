/* ctest-labels: unit
 * capture/device_options.h, capture/retune.h, capture/rtl_rates.h: pure parts of live sources. */
#include "capture/absence.h"
#include "capture/device_options.h"
#include "capture/device_thread.h"
#include "capture/retune.h"
#include "capture/rtl_rates.h"
#include "tests/check.h"

static weir_source_options with(const char *const *pairs)
{
    weir_source_options options;
    weir_source_options_init(&options);
    options.device_options = pairs;
    return options;
}

static void test_values(void)
{
    const char *const pairs[] = {"gain=12.5dB",   "gain=auto",  "agc=Yes",
                                 "ppm=-1.5",      "width=2.4M", "settle=20ms",
                                 "on-loss=RETRY", "gainful=1",  NULL};
    weir_source_options o = with(pairs);
    double gain = 1, ppm = 0, width = 0, settle = 0, absent = 7;
    bool agc = false, retries = false;
    CHECK(weir_devopt_gain(&o, "x", "gain", &gain, NULL) == WEIR_OK && isnan(gain)); /* the last */
    CHECK(weir_devopt_flag(&o, "x", "agc", &agc, NULL) == WEIR_OK && agc);
    CHECK(weir_devopt_number(&o, "x", "ppm", &ppm, NULL) == WEIR_OK && ppm == -1.5);
    CHECK(weir_devopt_hz(&o, "x", "width", &width, NULL) == WEIR_OK && width == 2.4e6);
    CHECK(weir_devopt_seconds(&o, "x", "settle", &settle, NULL) == WEIR_OK && settle == 0.02);
    CHECK(weir_devopt_retries(&o, "x", &retries, NULL) == WEIR_OK && retries);
    CHECK(weir_devopt_number(&o, "x", "absent", &absent, NULL) == WEIR_OK && absent == 7);
    CHECK_STR(weir_devopt_text(&o, "gainful"), "1");
    o = with(NULL);
    CHECK(weir_devopt_text(&o, "gain") == NULL);
    CHECK(weir_devopt_flag(&o, "x", "agc", &agc, NULL) == WEIR_OK && agc);
}

static void test_errors(void)
{
    static const char *const known[] = {"gain", "agc", NULL};
    const char *const bad[] = {"gain=loud", "agc=perhaps", "on-loss=cry", NULL};
    const char *const unknown[] = {"agc=1", "color=\x1b[31m", NULL};
    const char *const no_value[] = {"agc", NULL};
    weir_source_options o = with(bad);
    weir_error err = {0};
    double gain = 5;
    bool flag = true;
    CHECK(weir_devopt_gain(&o, "mic", "gain", &gain, &err) == WEIR_ERR_USAGE && gain == 5);
    CHECK_MSG(strstr(err.text, "mic: gain"), "%s", err.text);
    CHECK(weir_devopt_flag(&o, "mic", "agc", &flag, &err) == WEIR_ERR_USAGE && flag);
    CHECK(weir_devopt_retries(&o, "mic", &flag, &err) == WEIR_ERR_USAGE);
    CHECK_STR(err.text, "mic: on-loss \"cry\" is not one of exit, retry");
    const char *const long_settle[] = {"settle=11", NULL};
    o = with(long_settle);
    double settle = 0.5;
    CHECK(weir_devopt_settle(&o, "mic", &settle, &err) == WEIR_ERR_USAGE && settle == 0.5);
    o = with(unknown);
    CHECK(weir_devopt_check_keys(&o, "mic", known, &err) == WEIR_ERR_USAGE);
    CHECK_STR(err.text, "mic has no device option \"color\"; it has: gain, agc");
    o = with(no_value);
    CHECK(weir_devopt_check_keys(&o, "mic", known, &err) == WEIR_ERR_USAGE);
    CHECK_MSG(strstr(err.text, "KEY=VALUE"), "%s", err.text);
}

#define MS INT64_C(1000000)

/* Samples are dated by those that came with the least delay; what is lost counts on. */
static void test_sample_clock(void)
{
    weir_sample_clock clock;
    weir_sample_clock_start(&clock, 1e6);
    CHECK(weir_sample_clock_at(&clock, 5 * MS) == 0); /* not known: none has come */
    weir_sample_clock_arrived(&clock, 1000, 103 * MS);
    CHECK(weir_sample_clock_at(&clock, 103 * MS) == 1000);
    weir_sample_clock_arrived(&clock, 1000, 102 * MS); /* the first was late */
    CHECK(weir_sample_clock_at(&clock, 102 * MS) == 2000);
    weir_sample_clock_arrived(&clock, 1000, 150 * MS); /* and so is this one */
    CHECK(weir_sample_clock_at(&clock, 103 * MS) == 3000);
    CHECK(weir_sample_clock_at(&clock, 90 * MS) == 0); /* before the first */
    CHECK(weir_sample_clock_missing(&clock, 1000, 110 * MS) == 10000 - 4000);
    CHECK(weir_sample_clock_missing(&clock, 1000, 103 * MS) == 0);
    weir_sample_clock_lost(&clock, 50000);
    weir_sample_clock_arrived(&clock, 1000, 154 * MS);
    CHECK(weir_sample_clock_at(&clock, 154 * MS) == 54000);
    /* It lost 10 ms and nobody saw: dated wrong for a while, and right after 8 s at most. */
    for (int64_t ms = 165; ms < 8400; ms++) {
        weir_sample_clock_arrived(&clock, 1000, ms * MS);
    }
    CHECK(weir_sample_clock_at(&clock, 8399 * MS) == clock.n_samples);
}

/* A loss before the clock runs is counted from the last data on, also where samples came and were
 * dropped: in the midst of the first tuning. */
static void test_absence(void)
{
    weir_sample_clock clock;
    weir_absence absence = {0};
    weir_sample_clock_start(&clock, 1e6);
    weir_sample_clock_lost(&clock, 5000);
    CHECK(!weir_sample_clock_runs(&clock));
    weir_absence_begin(&absence, &clock, 100 * MS);
    CHECK(weir_absence_more(&absence, 0, 300 * MS) == 200000);
    CHECK(weir_absence_more(&absence, 1000, 400 * MS) == 99000);
    weir_absence_end(&absence);
    weir_sample_clock_arrived(&clock, 5000, 500 * MS);
    CHECK(weir_sample_clock_runs(&clock));
    weir_absence_begin(&absence, &clock, 500 * MS);
    CHECK(weir_absence_more(&absence, 0, 600 * MS) == 100000);
}

/* The change as it would be at these times. */
static void change(weir_retune *retune, double center_hz, int64_t begun_ns, int64_t good_ns)
{
    weir_retune_begin(retune);
    weir_retune_end(retune, 1e6, center_hz, 0);
    atomic_store(&retune->begun_ns, begun_ns);
    atomic_store(&retune->good_ns, good_ns);
}

/* Kept, dropped, or of the new setting: by when a sample was taken, not by when it came. */
static void test_retune(void)
{
    weir_retune retune = {0};
    weir_retune_start(&retune, 1e6);
    weir_retune_step step = weir_retune_take(&retune, 1000, 101 * MS); /* 100 to 101 ms */
    CHECK(step.keep == 1000 && step.drop == 0 && !step.changed);
    weir_retune_begin(&retune);
    atomic_store(&retune.begun_ns, 103 * MS + MS / 4);
    step = weir_retune_take(&retune, 2000, 180 * MS); /* taken before, come after: late */
    CHECK(step.keep == 2000 && step.drop == 0 && !step.changed);
    step = weir_retune_take(&retune, 1000, 180 * MS);
    CHECK(step.keep == 250 && step.drop == 750 && !step.changed);
    weir_retune_end(&retune, 1e6, 2e6, 0);
    atomic_store(&retune.good_ns, 105 * MS + MS / 2);
    step = weir_retune_take(&retune, 1000, 181 * MS);
    CHECK(step.keep == 0 && step.drop == 1000 && !step.changed);
    step = weir_retune_take(&retune, 1000, 181 * MS);
    CHECK(step.keep == 0 && step.drop == 500 && step.changed && step.center_hz == 2e6);
    step = weir_retune_take(&retune, 1000, 181 * MS);
    CHECK(step.keep == 1000 && !step.changed);
}

/* Two changes before the next block: spoilt from the first on, good after the second. */
static void test_retune_twice(void)
{
    weir_retune retune = {0};
    weir_retune_start(&retune, 1e6);
    (void)weir_retune_take(&retune, 1000, 101 * MS);
    change(&retune, 3e6, 101 * MS, 102 * MS);
    weir_retune_begin(&retune);
    CHECK(atomic_load(&retune.begun_ns) == 101 * MS);
    weir_retune_end(&retune, 1e6, 4e6, 0);
    atomic_store(&retune.good_ns, 103 * MS);
    weir_retune_step step = weir_retune_take(&retune, 4000, 105 * MS);
    CHECK(step.changed && step.center_hz == 4e6 && step.keep == 0 && step.drop == 2000);
}

/* A change of rate: the spoilt samples are counted by the higher of the two. */
static void test_retune_of_rate(void)
{
    weir_retune retune = {0};
    weir_retune_start(&retune, 1e6);
    (void)weir_retune_take(&retune, 1000, 101 * MS);
    weir_retune_begin(&retune);
    weir_retune_end(&retune, 3e6, 1e6, 0);
    atomic_store(&retune.begun_ns, 101 * MS);
    atomic_store(&retune.good_ns, 103 * MS);
    weir_retune_step step = weir_retune_take(&retune, 6000, 103 * MS);
    CHECK(step.keep == 0 && step.drop == 6000 && !step.changed);
    step = weir_retune_take(&retune, 3000, 104 * MS);
    CHECK(step.changed && step.rate_hz == 3e6 && step.drop == 0);
    CHECK(retune.clock.rate_hz == 3e6 && retune.clock.n_samples == 3000);
}

/* What is read has its losses where they were: before the samples in hand, or behind them. */
static void test_retune_marks(void)
{
    weir_retune retune = {0};
    weir_retune_marks marks = {.rate_hz = 1e6, .center_hz = 1e6};
    weir_read result;
    unsigned char bytes[200];
    int64_t now = weir_now_ns();
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)i;
    }
    weir_retune_start(&retune, 1e6);
    weir_retune_lost(&marks, 7);
    CHECK(weir_retune_cut(&retune, &marks, bytes, 0, 2) == 0);
    CHECK(weir_retune_cut(&retune, &marks, bytes, 100, 2) == 100 && bytes[1] == 1);
    weir_retune_report(&marks, 100, &result);
    CHECK(result.n_samples == 100 && result.lost_before == 7 && result.new_segment);
    retune.clock.origin_ns[1] = now; /* sample 0 was taken now, 100 at 0.1 ms */
    change(&retune, 2e6, now + MS * 15 / 100, now + MS * 21 / 100);
    CHECK(weir_retune_cut(&retune, &marks, bytes, 100, 2) == 50 && bytes[1] == 1);
    weir_retune_report(&marks, 50, &result);
    CHECK(!result.new_segment && result.lost_before == 0 && result.center_hz == 1e6);
    CHECK(weir_retune_cut(&retune, &marks, bytes, 100, 2) == 90 && bytes[0] == 20);
    weir_retune_report(&marks, 90, &result);
    CHECK(result.new_segment && result.lost_before == 60 && result.center_hz == 2e6);
}

/* What a device that is away misses is a gap as soon as there is a sample of it, once. */
static void test_retune_absence(void)
{
    weir_absence absence = {0};
    weir_retune_marks marks = {.rate_hz = 1e6};
    weir_sample_clock clock;
    weir_sample_clock_start(&clock, 1e6);
    weir_retune_absence(&marks, &absence, 0, 50 * MS);
    CHECK(!marks.new_segment && marks.lost == 0); /* it is there */
    weir_absence_begin(&absence, &clock, 10 * MS);
    weir_retune_absence(&marks, &absence, 0, 10 * MS);
    CHECK(!marks.new_segment && marks.lost == 0); /* nothing is missing yet */
    weir_retune_absence(&marks, &absence, 0, 13 * MS);
    CHECK(marks.new_segment && marks.lost == 3000);
    weir_retune_absence(&marks, &absence, 500, 15 * MS);
    CHECK(marks.lost == 4500);
    marks = (weir_retune_marks){.rate_hz = 1e6}; /* reported */
    weir_retune_absence(&marks, &absence, 500, 15 * MS);
    CHECK(!marks.new_segment && marks.lost == 0);
    weir_absence_end(&absence);
    weir_retune_absence(&marks, &absence, 0, 99 * MS);
    CHECK(!marks.new_segment && marks.lost == 0);
}

static void test_rates(void)
{
    static const double good[] = {225001, 300000, 900001, 1e6, 2.4e6, 3.2e6};
    static const double bad[] = {0,      -1,      225000, 300001, 500e3,
                                 900000, 3200001, 20e6,   NAN,    INFINITY};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        CHECK(weir_rtl_check_rate("x", good[i], NULL) == WEIR_OK);
        /* The divider has 28 bits less two: steps of a millionth at the worst. */
        CHECK_NEAR(weir_rtl_real_rate(good[i]), good[i], good[i] * 1e-6);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(weir_rtl_check_rate("x", bad[i], NULL) == WEIR_ERR_USAGE);
    }
    CHECK(weir_rtl_check_center("x", 4294967295.0, NULL) == WEIR_OK);
    CHECK(weir_rtl_check_center("x", 4294967296.0, NULL) == WEIR_ERR_USAGE);
    CHECK(weir_rtl_check_center("x", NAN, NULL) == WEIR_ERR_USAGE);
}

int main(void)
{
    RUN(test_values);
    RUN(test_errors);
    RUN(test_sample_clock);
    RUN(test_absence);
    RUN(test_retune);
    RUN(test_retune_twice);
    RUN(test_retune_of_rate);
    RUN(test_retune_marks);
    RUN(test_retune_absence);
    RUN(test_rates);
    return check_finish();
}
