/* ctest-labels: unit prop
 * dsp/mask.h: what mask files look like, what is refused of them, and what they allow. */
#include "dsp/mask.h"
#include "tests/check.h"

static weir_status parse(weir_mask *mask, const char *text, bool log_hz, weir_error *err)
{
    /* fmemopen refuses an empty buffer */
    FILE *file =
        *text ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : fopen("/dev/null", "r");
    weir_status status = file ? weir_mask_parse(mask, file, "M", log_hz, err) : WEIR_ERR_INTERNAL;
    if (file) {
        fclose(file);
    }
    return status;
}

static void test_masks_that_are_read(void)
{
    static const char with_mark[] = "\xef\xbb\xbf" /* a byte order mark */
                                    "hz,upper,lower\r\n 88e6 , -60 , -120 \r\n"
                                    "100MHz,-60dBm,\r\n100000000,-20,-100";
    static const char *const texts[] = {
        "88M,-60,-120\n100M,-60,\n100M,-20,-100\n",
        "frequency,upper,lower\n88M,-60,-120\n100M,-60,\n100M,-20,-100\n",
        "# a mask\n\nlower_db,Frequency (Hz),upper_db\n-120,88M,-60\n,100M,-60\n-100,100M,-20\n",
        with_mark,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_mask m;
        weir_error err = {.text = ""};
        CHECK_MSG(parse(&m, texts[i], false, &err) == WEIR_OK && m.n_points == 3, "text %zu: %s", i,
                  err.text);
        if (m.n_points == 3) {
            CHECK(m.hz[0] == 88e6 && m.hz[1] == 100e6 && m.hz[2] == 100e6);
            CHECK(m.upper_db[0] == -60 && m.upper_db[1] == -60 && m.upper_db[2] == -20);
            CHECK(m.lower_db[0] == -120 && isnan(m.lower_db[1]) && m.lower_db[2] == -100);
        }
        weir_mask_free(&m);
        CHECK(m.hz == NULL && m.n_points == 0);
    }
    weir_mask m;
    CHECK(parse(&m, "0,-60\n1k,-20\n", false, NULL) == WEIR_OK);
    CHECK(m.n_points == 2 && m.upper_db[1] == -20 && isnan(m.lower_db[0]));
    weir_mask_free(&m);
    CHECK(parse(&m, "0,-60,-60\n1k,-20,-20\n", false, NULL) == WEIR_OK); /* exactly that level */
    weir_mask_free(&m);
    weir_mask_free(NULL);
}

static void test_masks_that_are_refused(void)
{
    static const struct {
        const char *text, *part;
        bool log_hz;
    } rows[] = {
        {"", "no line", false},
        {"# only a comment\n\n", "no line", false},
        {"frequency,upper\n", "no line", false},
        {"1k,-20\n", "only one point", false},
        {"1k\n2k\n", "line 1", false},
        {"1k,-20\n2k,-20,-30\n", "line 2: 3 columns, 2", false},
        {"frequency,upper,lower\n1k,-20,-30\n2k,-20\n", "line 3: 2 columns, 3", false},
        {"1k,-20,-30,4\n", "line 1: 4 columns", false},
        {"1k,-20\n2k,abc\n", "line 2", false},
        {"1k,-20\nfrequency,upper\n2k,-20\n", "line 2", false},
        {"1k,-20\n2k,nan\n", "line 2", false},
        {"1k,-20\n2k,inf\n", "line 2", false},
        {"1k,-20\nnan,-20\n", "line 2", false},
        {"1k,-20\n,-20\n", "line 2", false},
        {"2k,-20\n\n1k,-20\n", "line 3: frequency 1000 Hz is below", false},
        {"1k,-20\n1k,-30\n1k,-40\n", "line 3", false},
        {"1k,-20,-10\n2k,-20,-30\n", "line 1: the upper limit is below", false},
        {"1k,,\n2k,,\n", "no limit", false},
        {"1000,5,-20,5\n2000,5,-20,5\n", "a decimal sign is a point",
         false}, /* commas as decimals */
        {"1000;-20\n2000;-20\n", "line 1", false},
        {"1000,5;-20,5\n", "line 1", false},
        {"frequency,limit\n1k,-20\n", "\"limit\"", false},
        {"frequency,upper,upper\n1k,-20,-20\n", "twice", false},
        {"upper,lower\n1k,-20\n", "no column \"frequency\"", false},
        {"0,-20\n1k,-20\n", "line 1", true},
        {"-5,-20\n1k,-20\n", "line 1", true},
        {"1e999,-20\n", "line 1", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_mask m;
        weir_error err = {.text = ""};
        memset(&m, 0x7f, sizeof m);
        weir_status status = parse(&m, rows[i].text, rows[i].log_hz, &err);
        CHECK_MSG(status == WEIR_ERR_DATA && strstr(err.text, rows[i].part) && err.text[0] == 'M' &&
                      !strchr(err.text, '\n'),
                  "row %zu: %d \"%s\"", i, (int)status, err.text);
        CHECK(m.hz == NULL && m.upper_db == NULL && m.lower_db == NULL && m.n_points == 0);
    }
    static char big[4000];
    memset(big, '1', sizeof big - 1);
    weir_mask m;
    weir_error err;
    CHECK(parse(&m, big, false, &err) == WEIR_ERR_DATA && strstr(err.text, "line 1: too long"));
    CHECK(weir_mask_load(&m, "no/such.csv", false, &err) == WEIR_ERR_NO_INPUT);
    CHECK(strstr(err.text, "no/such.csv") != NULL);
    CHECK(weir_mask_load(&m, ".", false, &err) != WEIR_OK);
}

static void test_limits_between_at_and_beside_the_points(void)
{
    weir_mask m;
    weir_mask_shift none = {0, 0};
    float low[12], high[12];
    CHECK(parse(&m, "100,-60,-100\n200,-40,\n200,-20,-90\n300,-20,-90\n400,,-90\n500,-10,-90\n",
                false, NULL) == WEIR_OK);
    /* bins at 50, 100 ... 600 */
    CHECK(weir_mask_limits(&m, &none, 50, 50, 12, low, high) == 9);
    CHECK(isinf(high[0]) && isinf(low[0]) && low[0] < 0);
    CHECK(high[1] == -60 && high[2] == -50); /* halfway */
    CHECK(high[3] == -20);                   /* a step: the looser */
    CHECK(low[3] < -1e30f);                  /* and no limit is the loosest */
    CHECK(high[4] == -20 && high[5] == -20);
    CHECK(isinf(high[6]) && isinf(high[7]) && isinf(high[8])); /* next to an empty one */
    CHECK(low[1] == -100 && isinf(low[2]) && low[4] == -90 && low[7] == -90);
    CHECK(high[9] == -10 && isinf(high[10]) && isinf(low[10]));
    weir_mask_shift shift = {1000, 7};
    CHECK(weir_mask_limits(&m, &shift, 1050, 50, 12, low, high) == 9);
    CHECK(high[1] == -53 && high[2] == -43 && low[4] == -83 && isinf(high[0]));
    CHECK(weir_mask_limits(&m, &none, 5000, 50, 12, low, high) == 0);
    weir_mask_free(&m);
}

static void test_limits_over_log_f(void)
{
    weir_mask m;
    weir_mask_shift none = {0, 0};
    float low[3], high[3];
    CHECK(parse(&m, "10,0\n1000,-40\n", true, NULL) == WEIR_OK);
    weir_mask_limits(&m, &none, 100, 100, 3, low, high);
    CHECK_NEAR((double)high[0], -20, 1e-5); /* a float of 20: 2e-6 */
    CHECK_NEAR((double)high[1], -20 - 20 * log10(2), 1e-5);
    weir_mask_free(&m);
}

/* A linear mask is the same line whatever the number of points on it. */
static void test_more_points_on_a_line_change_nothing(void)
{
    check_rng rng = check_rng_fresh();
    double hz[20], upper[20], lower[20];
    for (int round = 0; round < 20; round++) {
        double slope = check_gauss(&rng), at = -500;
        for (size_t i = 0; i < 20; i++) {
            at += 1 + 100 * check_uniform(&rng);
            hz[i] = at;
            upper[i] = slope * at * 1e-2;
            lower[i] = upper[i] - 10;
        }
        weir_mask m = {.n_points = 20, .hz = hz, .upper_db = upper, .lower_db = lower};
        weir_mask_shift none = {0, 0};
        float low[400], high[400];
        size_t n = weir_mask_limits(&m, &none, -600, 7, 400, low, high), seen = 0;
        for (size_t k = 0; k < 400; k++) {
            double f = -600 + 7 * (double)k;
            bool inside = f >= hz[0] && f <= hz[19];
            seen += inside;
            CHECK(inside == (isfinite(high[k]) && isfinite(low[k])));
            if (inside) { /* levels to 30: a float step is 2e-6 */
                CHECK_NEAR((double)high[k], slope * f * 1e-2, 1e-5);
                CHECK_NEAR((double)low[k], slope * f * 1e-2 - 10, 1e-5);
            }
        }
        CHECK(n == seen);
    }
}

static void test_excess(void)
{
    CHECK(weir_mask_excess(-50, -100, -60) == 10);
    CHECK(weir_mask_excess(-110, -100, -60) == -10);
    CHECK(weir_mask_excess(-60, -100, -60) == 0 && weir_mask_excess(-100, -100, -60) == 0);
    CHECK(weir_mask_excess(1000, -INFINITY, INFINITY) == 0);
}

static void test_where_a_mask_lies(void)
{
    float levels[100];
    weir_mask_shift shift;
    weir_error err = {.text = ""};
    for (size_t i = 0; i < 100; i++) {
        levels[i] = -80;
    }
    levels[20] = -10;
    levels[60] = -30;
    CHECK(weir_mask_place(WEIR_MASK_ABSOLUTE, 5, levels, 1000, 10, 100, &shift, &err) == WEIR_OK);
    CHECK(shift.hz == 0 && shift.db == 0);
    CHECK(weir_mask_place(WEIR_MASK_PEAK, NAN, levels, 1000, 10, 100, &shift, &err) == WEIR_OK);
    CHECK(shift.hz == 0 && shift.db == -10);
    CHECK(weir_mask_place(WEIR_MASK_CARRIER, NAN, levels, 1000, 10, 100, &shift, &err) == WEIR_OK);
    CHECK(shift.hz == 1200 && shift.db == -10);
    /* a carrier that is named, though not the strongest, and not quite on its bin */
    CHECK(weir_mask_place(WEIR_MASK_CARRIER, 1623, levels, 1000, 10, 100, &shift, &err) == WEIR_OK);
    CHECK(shift.hz == 1623 && shift.db == -30);
    levels[0] = -5;
    levels[99] = -6;
    CHECK(weir_mask_place(WEIR_MASK_CARRIER, 1020, levels, 1000, 10, 100, &shift, &err) == WEIR_OK);
    CHECK(shift.db == -5);
    CHECK(weir_mask_place(WEIR_MASK_CARRIER, 1985, levels, 1000, 10, 100, &shift, &err) == WEIR_OK);
    CHECK(shift.db == -6);
    CHECK(weir_mask_place(WEIR_MASK_CARRIER, 3000, levels, 1000, 10, 100, &shift, &err) ==
          WEIR_ERR_USAGE);
    CHECK(strstr(err.text, "3000") && strstr(err.text, "1990"));
    CHECK(weir_mask_place(WEIR_MASK_CARRIER, 900, levels, 1000, 10, 100, &shift, &err) ==
          WEIR_ERR_USAGE);
}

int main(void)
{
    RUN(test_masks_that_are_read);
    RUN(test_masks_that_are_refused);
    RUN(test_limits_between_at_and_beside_the_points);
    RUN(test_limits_over_log_f);
    RUN(test_more_points_on_a_line_change_nothing);
    RUN(test_excess);
    RUN(test_where_a_mask_lies);
    return check_finish();
}
