/* ctest-labels: unit
 * capture/tuner.h: what is heard where it is tuned to, rubbish while it settles, the filter, and
 * what is refused. */
#include "capture/source.h"
#include "tests/check.h"

#include <complex.h>

/* Level of a frequency in n samples, in dBFS: the inner product with it. */
static double level_at(const float *iq, size_t n, double turns_per_sample)
{
    double re = 0, im = 0;
    for (size_t k = 0; k < n; k++) {
        double phase = -2 * M_PI * fmod(turns_per_sample * (double)k, 1);
        double complex x = ((double)iq[2 * k] + I * (double)iq[2 * k + 1]) * cexp(I * phase);
        re += creal(x);
        im += cimag(x);
    }
    return 20 * log10(hypot(re, im) / (double)n + 1e-30);
}

static weir_source *open_tuner(const char *argument)
{
    weir_source *source;
    weir_error err = {0};
    CHECK_MSG(weir_source_open(&source, argument, NULL, &err) == WEIR_OK, "%s", err.text);
    return source;
}

static weir_read read_into(weir_source *source, float *iq, size_t n)
{
    weir_read first = {0};
    for (size_t done = 0; done < n;) {
        weir_read read = {0};
        CHECK(source->class_->read(source, iq + 2 * done, n - done, &read, NULL) == WEIR_OK);
        first = done == 0 ? read : first;
        done += read.n_samples;
        if (read.n_samples == 0) {
            break;
        }
    }
    return first;
}

enum { N = 10000 };

static void test_tuning(void)
{
    static float iq[2 * N];
    weir_source *source = open_tuner("tuner:format=cf32,rate=1M,center=100M,settle=1ms,"
                                     "carrier=100.2M@-20,carrier=101.1M@-30");
    weir_error err = {0};
    CHECK(source->info.center_hz == 100e6 && source->info.rate_hz == 1e6);
    CHECK(!read_into(source, iq, N).new_segment);
    CHECK_NEAR(level_at(iq, N, 0.2), -20, 1e-3);

    /* The same frequency again is nothing new. */
    CHECK(source->class_->control(source, "center_hz", 100e6, &err) == WEIR_OK);
    CHECK(!read_into(source, iq, N).new_segment);

    CHECK(source->class_->control(source, "center_hz", 101e6, &err) == WEIR_OK);
    weir_read read = read_into(source, iq, 1000); /* 1 ms */
    CHECK(read.new_segment && read.center_hz == 101e6 && read.rate_hz == 1e6);
    CHECK(read.lost_before == 0);
    CHECK(level_at(iq, 1000, 0.1) < -20); /* rubbish: loud, and no carrier of -30 in it */
    double power = 0;
    for (int k = 0; k < 2000; k++) {
        power += (double)(iq[k] * iq[k]) / 1000;
    }
    CHECK_NEAR(power, 2.0 / 3, 0.05); /* uniform in both parts */
    CHECK(!read_into(source, iq, N).new_segment);
    CHECK_NEAR(level_at(iq, N, 0.1), -30, 1e-3);
    CHECK(level_at(iq, N, 0.2) < -100); /* the other carrier is out of the band */
    weir_source_close(source);
}

static void test_filter(void)
{
    static float iq[2 * N];
    static const struct {
        double hz, down_db;
    } cases[] = {{0.2e6, 0}, {0.3e6, 0}, {-0.4375e6, 3}, {0.5e6, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char argument[128];
        snprintf(argument, sizeof argument,
                 "tuner:format=cf32,rate=1M,center=100M,rolloff=12,carrier=%.0f@-10",
                 100e6 + cases[i].hz);
        weir_source *source = open_tuner(argument);
        read_into(source, iq, N);
        CHECK_NEAR(level_at(iq, N, cases[i].hz / 1e6), -10 - cases[i].down_db, 1e-3);
        weir_source_close(source);
    }
}

static void test_step(void)
{
    static float iq[2 * N];
    weir_source *source = open_tuner("tuner:format=cf32,rate=1M,center=100M,step=250");
    CHECK(source->class_->control(source, "center_hz", 101000130, NULL) == WEIR_OK);
    CHECK(read_into(source, iq, 10).center_hz == 101000250);
    weir_source_close(source);
}

static void test_ends(void)
{
    static float iq[2 * N];
    weir_source *source = open_tuner("tuner:format=cf32,rate=1M,seconds=0.001");
    CHECK(source->info.n_samples == 1000);
    weir_read read = read_into(source, iq, 2000);
    CHECK(read.n_samples == 1000);
    CHECK(source->class_->read(source, iq, 10, &read, NULL) == WEIR_OK);
    weir_source_close(source);
}

static void refuse(const char *argument, const char *word)
{
    weir_source *source;
    weir_error err = {0};
    CHECK_MSG(weir_source_open(&source, argument, NULL, &err) == WEIR_ERR_USAGE, "%s", argument);
    CHECK_MSG(strstr(err.text, word) && !strchr(err.text, '\n'), "%s: %s", argument, err.text);
}

static void test_refused(void)
{
    weir_error err = {0};
    refuse("tuner:carrier=100M", "carrier=100M");
    refuse("tuner:carrier=x@-10", "carrier=x");
    refuse("tuner:settle=-1", "settle");
    refuse("tuner:step=0", "step");
    refuse("tuner:wobble=3", "wobble");
    refuse("tuner:wobble=3", "rolloff"); /* its own items are named too */
    refuse("tuner:drop=5:5", "drop");
    refuse("tuner:ramp", "ramp");
    weir_source *source = open_tuner("tuner:");
    CHECK(source->class_->control(source, "gain_db", 3, &err) == WEIR_ERR_UNSUPPORTED);
    CHECK(strstr(err.text, "gain_db"));
    CHECK(source->class_->control(source, "center_hz", NAN, &err) == WEIR_ERR_USAGE);
    CHECK(source->class_->control(source, "center_hz", 1e15, &err) == WEIR_ERR_USAGE);
    weir_source_close(source);
}

int main(void)
{
    RUN(test_tuning);
    RUN(test_filter);
    RUN(test_step);
    RUN(test_ends);
    RUN(test_refused);
    return check_finish();
}
