/* ctest-labels: unit prop
 * dsp/alert.h: the grammar, the levels against the functions they come from, and the course of
 * time: for, hysteresis, hold-off, gaps, the end. */
#include "dsp/alert.h"
#include "dsp/band.h"
#include "tests/check.h"

/* ---- the grammar ---- */

static void test_parse(void)
{
    weir_alert_rule r;
    weir_error err = {0};
    CHECK_MSG(weir_alert_parse("band 433.8M:434.0M > -40 dBFS for 50ms", &r, &err) == WEIR_OK, "%s",
              err.text);
    CHECK(!r.is_peak && !r.is_below && r.low_hz == 433.8e6 && r.high_hz == 434e6);
    CHECK(r.level_db == -40 && r.for_seconds == 0.05 && r.holdoff_seconds == 0);
    CHECK(r.hysteresis_db == 2);
    CHECK_STR(r.unit, "dBFS");
    CHECK_STR(r.name, "");
    CHECK(weir_alert_parse(" a.B_-1:  peak -1k:2k\t< 3.5dBm hysteresis 0 holdoff 1m for 2 ", &r,
                           &err) == WEIR_OK);
    CHECK(r.is_peak && r.is_below && r.low_hz == -1000 && r.high_hz == 2000 && r.level_db == 3.5);
    CHECK(r.hysteresis_db == 0 && r.holdoff_seconds == 60 && r.for_seconds == 2);
    CHECK_STR(r.name, "a.B_-1");
    CHECK_STR(r.unit, "dBm");
    CHECK(weir_alert_parse("band > -10", &r, &err) == WEIR_OK);
    CHECK(isnan(r.low_hz) && isnan(r.high_hz) && r.unit[0] == '\0');
}

static void refuse(const char *text, const char *word)
{
    weir_alert_rule r = {.level_db = 7};
    weir_error err = {0};
    CHECK_MSG(weir_alert_parse(text, &r, &err) == WEIR_ERR_USAGE, "%s", text);
    CHECK_MSG(strstr(err.text, word) && !strchr(err.text, '\n'), "%s: \"%s\"", text, err.text);
    CHECK(r.level_db == 7);
}

static void test_refused(void)
{
    refuse("", "band or peak");
    refuse("bnad 1:2 > 3", "band or peak");
    refuse("band", "LO:HI");
    refuse("band 1 > 2", "LO:HI");
    refuse("band 2:1 > 2", "begins");
    refuse("band 1:2", "> or <");
    refuse("band 1:2 >", "level");
    refuse("band 1:2 >-40", "> or <");
    refuse("band 1:2 > x", "x");
    refuse("band 1:2 > -40,5", "point");
    refuse("band 1:2 > -40 for", "for");
    refuse("band 1:2 > -40 for x", "for");
    refuse("band 1:2 > -40 four 3", "four");
    refuse("band 1:2 > -40 hysteresis -1", "hysteresis");
    refuse("band 1:2 > -40 for -1", "for");
    refuse("a/b: band > 1", "letters");
    refuse("a123456789012345678901234567890123: band > 1", "31");
    refuse("band 1:2 > 1 dBabcdefghijklmnopq", "unit");
    refuse("band > 1 for 1 for 1 for 1 for 1 for 1 for 1 for 1", "words");
    char longer[400];
    memset(longer, ' ', sizeof longer);
    strcpy(longer + 300, "band > 1");
    refuse(longer, "characters");
}

/* ---- levels ---- */

enum { BINS = 64 };

static weir_spectrum make_spectrum(const float *power)
{
    weir_spectrum s = {.n_bins = BINS,
                       .start_hz = 1000,
                       .bin_hz = 10,
                       .rate_hz = 640,
                       .center_hz = 1320,
                       .enbw_bins = 1.5,
                       .coherent_gain = 0.5,
                       .full_scale_power = 1,
                       .n_frames = 1,
                       .time_unix_ns = INT64_MIN};
    s.power[WEIR_TRACE_MEAN] = power;
    return s;
}

static void test_levels(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 1000; i++) {
        float power[BINS];
        for (int k = 0; k < BINS; k++) {
            power[k] = (float)pow(10, -10 * check_uniform(&rng));
        }
        weir_spectrum s = make_spectrum(power);
        weir_scale scale;
        weir_scale_init(&scale);
        scale.offset_db = 7;
        double low = 1000 + 600 * check_uniform(&rng), high = low + 1 + (1630 - low) / 2;
        weir_alert_rule r = {.low_hz = low, .high_hz = high};
        double band = weir_band_power_fs2(&s, WEIR_TRACE_MEAN, &scale, low, high);
        CHECK(weir_alert_sees(&r, &s));
        CHECK_NEAR(weir_alert_level_db(&r, &s, WEIR_TRACE_MEAN, &scale), 10 * log10(band) + 7,
                   1e-9);
        r.is_peak = true;
        double peak = 0;
        for (int k = 0; k < BINS; k++) { /* the bins that the band touches */
            double hz = 1000 + 10 * k;
            peak = hz + 5 > low && hz - 5 <= high ? fmax(peak, (double)power[k]) : peak;
        }
        CHECK_NEAR(weir_alert_level_db(&r, &s, WEIR_TRACE_MEAN, &scale), 10 * log10(peak) + 7,
                   1e-4);
    }
}

static void test_sees(void)
{
    float power[BINS] = {0};
    weir_spectrum s = make_spectrum(power);
    CHECK(weir_alert_sees(&(weir_alert_rule){.low_hz = NAN, .high_hz = NAN}, &s));
    CHECK(weir_alert_sees(&(weir_alert_rule){.low_hz = 995, .high_hz = 1635}, &s));
    CHECK(!weir_alert_sees(&(weir_alert_rule){.low_hz = 990, .high_hz = 1635}, &s));
    CHECK(!weir_alert_sees(&(weir_alert_rule){.low_hz = 995, .high_hz = 1640}, &s));
    /* Nothing is known of it, so that not even "below" is said. */
    weir_alert alert = {.rule = {.low_hz = 5000, .high_hz = 6000, .is_below = true}};
    weir_alert_event event;
    CHECK(weir_alert_update(&alert, &s, WEIR_TRACE_MEAN, NULL, &event) == WEIR_ALERT_NONE);
}

/* ---- time ---- */

/* One spectrum is a second of 640 samples; the level in dB of each by a text of digits: '7' is
 * -70 dB, '-' a lost second. Returns what happened, one letter a spectrum: . b e */
static const char *course(const char *rule, const char *levels, weir_alert_event *last)
{
    static char out[64];
    weir_alert alert = {0};
    weir_error err = {0};
    CHECK_MSG(weir_alert_parse(rule, &alert.rule, &err) == WEIR_OK, "%s", err.text);
    size_t n = 0;
    uint64_t lost = 0;
    for (size_t i = 0; levels[i]; i++) {
        if (levels[i] == '-') {
            lost += 640;
            continue;
        }
        float power[BINS];
        for (int k = 0; k < BINS; k++) {
            power[k] = (float)(pow(10, -(levels[i] - '0')) / BINS * 1.5);
        }
        weir_spectrum s = make_spectrum(power);
        s.first_sample = 640 * i;
        s.end_sample = 640 * (i + 1);
        s.lost_before = lost;
        lost = 0;
        weir_alert_kind kind = weir_alert_update(&alert, &s, WEIR_TRACE_MEAN, NULL, last);
        CHECK(!kind || kind == last->kind);
        out[n++] = ".be"[kind];
    }
    out[n++] = weir_alert_finish(&alert, last) ? 'E' : ' ';
    out[n] = '\0';
    return out;
}

static void test_course(void)
{
    weir_alert_event e;
    CHECK_STR(course("band > -45", "99493999", &e), "..bebe.. ");
}

static void test_for(void)
{
    weir_alert_event e = {0};
    CHECK_STR(course("band > -45 for 3", "9944449", &e), "....b.e ");
    CHECK(e.first_sample == 2 * 640 && e.end_sample == 6 * 640);
    CHECK_NEAR(e.seconds, 4, 1e-12);
    CHECK_STR(course("band > -45 for 3", "94494499", &e), "........ "); /* 2 s, twice */
    CHECK_STR(course("band > -45 for 3", "94444", &e), "...b.E");       /* the stream ends first */
    CHECK(e.kind == WEIR_ALERT_ENDS && e.end_sample == 5 * 640);
    CHECK_STR(course("band < -45 for 2", "4499999944", &e), "...b....e. ");
}

static void test_hysteresis(void)
{
    weir_alert_event e;
    CHECK_STR(course("band > -45", "94594", &e), ".be.bE");
    CHECK_STR(course("band > -45 hysteresis 6", "94594", &e), ".b.ebE");
    CHECK_STR(course("band > -45 hysteresis 16", "9456594", &e), ".b...ebE");
}

static void test_extreme(void)
{
    weir_alert_event e;
    course("band > -45", "94239", &e);
    CHECK_NEAR(e.extreme_db, -20, 1e-4);
    CHECK_NEAR(e.level_db, -90, 1e-4);
    course("band < -45", "45794", &e);
    CHECK_NEAR(e.extreme_db, -90, 1e-4);
}

static void test_holdoff(void)
{
    weir_alert_event e;
    CHECK_STR(course("band > -45", "4949494", &e), "bebebebE");
    CHECK_STR(course("band > -45 holdoff 4", "4949494", &e), "be..be. ");
}

/* After a gap the level may have been anything: the time begins anew; an alert goes on. */
static void test_gaps(void)
{
    weir_alert_event e;
    CHECK_STR(course("band > -45 for 3", "944-449", &e), "...... ");
    CHECK_STR(course("band > -45 for 2", "944-449", &e), "..b..e ");
}

int main(void)
{
    RUN(test_parse);
    RUN(test_refused);
    RUN(test_levels);
    RUN(test_sees);
    RUN(test_course);
    RUN(test_for);
    RUN(test_hysteresis);
    RUN(test_extreme);
    RUN(test_holdoff);
    RUN(test_gaps);
    return check_finish();
}
