/* ctest-labels: unit prop
 * display/ticks.h: marks are round, inside, as many as fit, and labelled exactly. */
#include "display/ticks.h"
#include "dsp/peaks.h"
#include "tests/check.h"

#include <float.h>

enum { MOST = 40 };

static double unit_hz(const char *unit)
{
    return strcmp(unit, "GHz") == 0   ? 1e9
           : strcmp(unit, "MHz") == 0 ? 1e6
           : strcmp(unit, "kHz") == 0 ? 1e3
                                      : 1.0;
}

/* step = 1, 2, 2.5 or 5 times a power of ten, but for the error of the values it is from */
static int is_round(double step, double error)
{
    double tolerance = 1e-9 + error / step;
    double mantissa = step / pow(10.0, floor(log10(step) + tolerance));
    const double nice[] = {1.0, 2.0, 2.5, 5.0};
    for (int i = 0; i < 4; i++) {
        if (fabs(mantissa / nice[i] - 1.0) < tolerance) {
            return 1;
        }
    }
    return 0;
}

static void check_axis(double low, double high, size_t max_ticks)
{
    weir_tick ticks[MOST + 1];
    memset(ticks, 0x5a, sizeof ticks);
    char unit[8];
    size_t n = weir_ticks_hz(low, high, max_ticks, ticks, unit);
    CHECK(n <= max_ticks);
    CHECK(n < MOST + 1 && (unsigned char)ticks[n].label[0] == 0x5a);
    /* The edge that counts, and what a multiple of the step is rounded by far from zero. */
    double slack = (high - low) * 1e-8 + 4.0 * DBL_EPSILON * fmax(fabs(low), fabs(high));
    for (size_t i = 0; i < n; i++) {
        CHECK(ticks[i].value >= low - slack && ticks[i].value <= high + slack);
        /* The label says the value, to the last digit it has. */
        double said = strtod(ticks[i].label, NULL) * unit_hz(unit);
        CHECK_MSG(fabs(said - ticks[i].value) <= 1e-12 * fabs(ticks[i].value),
                  "label %s %s for %.17g", ticks[i].label, unit, ticks[i].value);
        for (size_t j = 0; j < i; j++) {
            CHECK(strcmp(ticks[i].label, ticks[j].label) != 0);
        }
    }
    if (n >= 2) {
        double step = (ticks[n - 1].value - ticks[0].value) / (double)(n - 1);
        double error = 4.0 * DBL_EPSILON * fmax(fabs(low), fabs(high)); /* of a difference */
        CHECK_MSG(is_round(step, error), "step %.17g of %.17g .. %.17g", step, low, high);
        /* As many as fit: the next finer step is at least a factor 1.25 away. */
        CHECK_MSG((double)n * 2.6 + 2.0 >= (double)max_ticks, "%zu of %zu", n, max_ticks);
    }
}

static void test_random_axes(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 20000; i++) {
        double low = check_gauss(&rng) * pow(10.0, check_uniform(&rng) * 10.0);
        double span = pow(10.0, check_uniform(&rng) * 12.0 - 2.0);
        check_axis(low, low + span, 1 + check_random(&rng) % MOST);
    }
}

static void test_known_labels(void)
{
    weir_tick ticks[MOST];
    char unit[8];
    CHECK(weir_ticks_hz(0.0, 24000.0, 6, ticks, unit) == 5);
    CHECK_STR(unit, "kHz");
    CHECK_STR(ticks[0].label, "0");
    CHECK_STR(ticks[4].label, "20");
    CHECK(weir_ticks_hz(99e6, 101e6, 5, ticks, unit) == 5);
    CHECK_STR(unit, "MHz");
    CHECK_STR(ticks[0].label, "99.0");
    CHECK_STR(ticks[1].label, "99.5");
    CHECK(weir_ticks_hz(-1.2e6, 1.2e6, 3, ticks, unit) == 3);
    CHECK_STR(ticks[0].label, "-1");
    CHECK_STR(ticks[1].label, "0");
    /* 5.8 GHz, scenario 8: exact digits beyond 32 bits */
    CHECK(weir_ticks_hz(5.8e9 - 10.0, 5.8e9 + 10.0, 5, ticks, unit) == 5);
    CHECK_STR(unit, "GHz");
    CHECK_STR(ticks[0].label, "5.799999990");
    CHECK(ticks[1].value == 5799999995.0);
    CHECK(weir_ticks_db(-120.0, 0.0, 7, ticks) == 7);
    CHECK_STR(ticks[0].label, "-120");
    CHECK_STR(ticks[6].label, "0");
    CHECK(weir_ticks_db(-1.0, 1.0, 10, ticks) == 9);
    CHECK_STR(ticks[0].label, "-1.00");
    CHECK_STR(ticks[4].label, "0.00");
}

static void test_seconds(void)
{
    weir_tick ticks[MOST];
    CHECK(weir_ticks_seconds(0.0, 2.0, 5, ticks) == 5);
    CHECK_STR(ticks[1].label, "0.5");
    CHECK(weir_ticks_seconds(0.0, 0.004, 5, ticks) == 5);
    CHECK_STR(ticks[1].label, "0.001");
    CHECK(weir_ticks_seconds(0.0, 180.0, 7, ticks) == 7);
    CHECK_STR(ticks[1].label, "0:30");
    CHECK_STR(ticks[6].label, "3:00");
    CHECK(weir_ticks_seconds(0.0, 3.0 * 3600.0, 4, ticks) == 4);
    CHECK_STR(ticks[1].label, "1:00:00");
    size_t n = weir_ticks_seconds(0.0, 30.0 * 86400.0, 5, ticks);
    CHECK(n >= 3 && n <= 5);
    CHECK(fmod(ticks[1].value, 86400.0) == 0.0);
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 5000; i++) {
        double low = check_uniform(&rng) * 1e5, span = pow(10.0, check_uniform(&rng) * 12 - 4);
        size_t most = 1 + check_random(&rng) % (MOST - 1);
        memset(ticks, 0x5a, sizeof ticks);
        n = weir_ticks_seconds(low, low + span, most, ticks);
        CHECK(n <= most && (unsigned char)ticks[n].label[0] == 0x5a);
        CHECK_MSG(n >= 2 || most < 6, "%zu marks of %zu on %g + %g", n, most, low, span);
    }
}

/* Every mark is a semitone of A4 = 440 Hz by its name, ascending, and no more than wanted. */
static void test_note_names(void)
{
    static const struct {
        double low, high, columns_per_semitone;
        const char *labels[8];
    } known[] = {
        {430.0, 500.0, 4.0, {"A4", "A#4", "B4"}},
        {260.0, 500.0, 3.0, {"C4", "D4", "E4", "F4", "G4", "A4", "B4"}},
        {260.0, 540.0, 2.0, {"C4", "E4", "G4", "C5"}},
        {20.0, 20e3, 0.5, {"C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8"}},
        {20.0, 20e3, 0.2, {"C1", "C3", "C5", "C7", "C9"}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        weir_tick ticks[128];
        size_t n = weir_ticks_notes(known[i].low, known[i].high, known[i].columns_per_semitone, 128,
                                    ticks);
        for (size_t t = 0; t < 8 && known[i].labels[t]; t++) {
            CHECK_MSG(t < n && strcmp(ticks[t].label, known[i].labels[t]) == 0, "%zu: %zu \"%s\"",
                      i, t, t < n ? ticks[t].label : "missing");
        }
    }
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 1000; round++) {
        weir_tick ticks[128];
        double low = 10.0 * pow(2.0, 10.0 * check_uniform(&rng));
        double high = fmin(low * pow(2.0, 10.0 * check_uniform(&rng)), 16e3);
        size_t most = 1 + check_random(&rng) % 128;
        double columns = 10.0 * check_uniform(&rng);
        size_t n = weir_ticks_notes(low, high, columns, most, ticks);
        CHECK(n <= most);
        for (size_t i = 0; i < n; i++) {
            char name[48]; /* dsp/peaks.h names it the same, with no cents to speak of */
            size_t length = strlen(ticks[i].label);
            weir_note_name(name, sizeof name, ticks[i].value, 440.0);
            CHECK_MSG(strncmp(name, ticks[i].label, length) == 0 &&
                          strcmp(name + length, " +0.0 cents") == 0,
                      "%s is %s", ticks[i].label, name);
            CHECK(ticks[i].value >= low * 0.999999 && ticks[i].value <= high * 1.000001);
            double room = i > 0 ? 12.0 * log2(ticks[i].value / ticks[i - 1].value) * columns : 99.0;
            CHECK_MSG(room > (double)length + 0.5 || columns < 0.05, "%s: %g columns",
                      ticks[i].label, room);
        }
    }
    weir_tick ticks[4];
    CHECK(weir_ticks_notes(-1.0, 100.0, 1.0, 4, ticks) == 0 &&
          weir_ticks_notes(0.0, 1.0, 1.0, 4, ticks) == 0);
    CHECK(weir_ticks_notes(440.1, 440.2, 9.0, 4, ticks) == 0 &&
          weir_ticks_notes(20, 2e4, 1.0, 0, ticks) == 0);
}

static void test_senseless_axes_have_no_marks(void)
{
    weir_tick ticks[4];
    char unit[8];
    CHECK(weir_ticks_hz(1.0, 0.0, 4, ticks, unit) == 0);
    CHECK(weir_ticks_hz(NAN, 1.0, 4, ticks, unit) == 0);
    CHECK(weir_ticks_hz(0.0, INFINITY, 4, ticks, unit) == 0);
    CHECK(weir_ticks_hz(0.0, 1.0, 0, ticks, unit) == 0);
    CHECK(weir_ticks_db(-1e300, 1e300, 4, ticks) == 0);
    CHECK(weir_ticks_seconds(NAN, NAN, 4, ticks) == 0);
    CHECK(weir_ticks_seconds(0.0, 1e300, 4, ticks) == 0);
    /* far too fine for doubles: still ends, and stays inside */
    CHECK(weir_ticks_hz(1e12, 1e12 * (1.0 + 1e-16), 4, ticks, unit) <= 4);
    CHECK(weir_ticks_db(0.0, 1e-300, 4, ticks) <= 4);
    CHECK(weir_ticks_db(7.0, 7.0, 4, ticks) <= 4);
}

int main(void)
{
    RUN(test_known_labels);
    RUN(test_seconds);
    RUN(test_random_axes);
    RUN(test_note_names);
    RUN(test_senseless_axes_have_no_marks);
    return check_finish();
}
