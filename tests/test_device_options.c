/* ctest-labels: unit
 * capture/device_options.h, capture/retune.h, capture/rtl_rates.h: pure parts of live sources. */
#include "capture/device_options.h"
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

/* Before a change nothing is dropped; during it everything; after it what settles. */
static void test_retune(void)
{
    weir_retune retune = {.seen = 0};
    weir_retune_step step = weir_retune_take(&retune, 100);
    CHECK(step.drop == 0 && !step.changed);
    weir_retune_begin(&retune);
    step = weir_retune_take(&retune, 100);
    CHECK(step.drop == 100 && !step.changed);
    weir_retune_end(&retune, 1e6, 2e6, 150);
    step = weir_retune_take(&retune, 100);
    CHECK(step.changed && step.rate_hz == 1e6 && step.center_hz == 2e6 && step.drop == 100);
    step = weir_retune_take(&retune, 100);
    CHECK(!step.changed && step.drop == 50);
    step = weir_retune_take(&retune, 100);
    CHECK(!step.changed && step.drop == 0);
    /* Two changes before the next block: the second holds, settled anew. */
    weir_retune_begin(&retune);
    weir_retune_end(&retune, 1e6, 3e6, 10);
    weir_retune_begin(&retune);
    weir_retune_end(&retune, 1e6, 4e6, 20);
    step = weir_retune_take(&retune, 100);
    CHECK(step.changed && step.center_hz == 4e6 && step.drop == 20);
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
    RUN(test_retune);
    RUN(test_rates);
    return check_finish();
}
