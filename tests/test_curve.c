/* ctest-labels: unit
 * dsp/curve.h: what calibration files look like, and what is refused of them. */
#include "dsp/curve.h"
#include "tests/check.h"

#include <unistd.h>

static char path[64];

static const char *write_file(const char *ending, const char *text)
{
    snprintf(path, sizeof path, "test_curve_%d%s", (int)getpid(), ending);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(1);
    }
    return path;
}

static void test_files_that_are_read(void)
{
    static const struct {
        const char *ending, *text;
        double sign, sens;
    } rows[] = {
        {".txt", "20 -1.5\n1000 0\n20000 2.5\n", 1, NAN},
        {".csv", "# offset\n20,-1.5\n1000, 0\n20000 ,2.5", 1, NAN},
        {".txt", "\xef\xbb\xbf* comment\r\n20\t-1.5\r\n\r\n  1000\t0.0\r\n2e4\t+2.5\r\n", 1, NAN},
        {".txt", "# of a Macintosh\r20 -1.5\r1000 0\r20000 2.5", 1, NAN},
        {".FRD", "* Freq SPL phase\n20 -1.5 179.9\n1000 0 0\n20000 2.5 -90\n", -1, NAN},
        {".cal", "; text\n\" more\n20 -1.5\n1000 0\n20000 2.5\n", -1, NAN},
        {".txt", "\"Sens Factor =-1.378dB, SERNO: 7001234\"\n20.0\t-1.5\n1000\t0\n20000\t2.5\n", -1,
         -1.378},
        {".txt", "Sens Factor = 2.5dB\n20 -1.5\n1000 0\n20000 2.5\n", -1, 2.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_curve curve;
        double sens = 77;
        weir_error err = {.text = ""};
        weir_status status = weir_curve_load(write_file(rows[i].ending, rows[i].text),
                                             WEIR_CURVE_AUTO, &curve, &sens, &err);
        CHECK_MSG(status == WEIR_OK && curve.n_points == 3, "row %zu: %s", i, err.text);
        if (status == WEIR_OK) {
            CHECK_NEAR(curve.hz[0], 20, 0);
            CHECK_NEAR(curve.hz[2], 20000, 0);
            CHECK_NEAR(curve.offset_db[0], rows[i].sign * -1.5, 0);
            CHECK_NEAR(curve.offset_db[2], rows[i].sign * 2.5, 0);
            CHECK(isnan(rows[i].sens) ? isnan(sens) : sens == rows[i].sens);
        }
        weir_curve_free(&curve);
        CHECK(curve.hz == NULL && curve.n_points == 0);
        unlink(path);
    }
}

static void test_the_kind_can_be_said(void)
{
    weir_curve curve;
    const char *file = write_file(".cal", "10 3\n");
    CHECK(weir_curve_load(file, WEIR_CURVE_OFFSET, &curve, NULL, NULL) == WEIR_OK);
    CHECK_NEAR(weir_curve_db(&curve, 1), 3, 0);
    weir_curve_free(&curve);
    unlink(file);
    file = write_file(".txt", "10 3\n");
    CHECK(weir_curve_load(file, WEIR_CURVE_RESPONSE, &curve, NULL, NULL) == WEIR_OK);
    CHECK_NEAR(weir_curve_db(&curve, 1), -3, 0);
    weir_curve_free(&curve);
    unlink(file);
}

static void test_files_that_are_refused(void)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"", "no line"},
        {"# only a comment\n", "no line"},
        {"20 1\n10 2\n", "line 2"},
        {"20 1\n\n20 2\n", "line 3"},
        {"20\n", "line 1"},
        {"20 1 2 3\n", "line 1"},
        {"20 abc\n", "abc"},
        {"20 1\n30 nan\n", "line 2"},
        {"20,5 1,3\n", "line 1"}, /* a decimal comma must not become a column */
        {"20 -1,5\n", "line 1"},
        {"1e999 3\n", "line 1"},
        {"20 1\n30 1e6\n", "line 2"},
        {"20 1\r\n30 1e6\r\n", "line 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_curve curve;
        weir_error err = {.text = ""};
        const char *file = write_file(".txt", rows[i].text);
        CHECK(weir_curve_load(file, WEIR_CURVE_AUTO, &curve, NULL, &err) == WEIR_ERR_DATA);
        CHECK_MSG(strstr(err.text, rows[i].part) && strstr(err.text, file) &&
                      !strchr(err.text, '\n') && err.status == WEIR_ERR_DATA,
                  "row %zu: \"%s\"", i, err.text);
        CHECK(curve.n_points == 0 && curve.hz == NULL && curve.offset_db == NULL);
        unlink(path);
    }
    char big[3000];
    memset(big, '1', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    weir_curve curve;
    weir_error err;
    CHECK(weir_curve_load(write_file(".txt", big), WEIR_CURVE_AUTO, &curve, NULL, &err) ==
          WEIR_ERR_DATA);
    unlink(path);
    CHECK(weir_curve_load("no/such/file", WEIR_CURVE_AUTO, &curve, NULL, &err) ==
          WEIR_ERR_NO_INPUT);
    CHECK(strstr(err.text, "no/such/file") != NULL);
    CHECK(weir_curve_load(".", WEIR_CURVE_AUTO, &curve, NULL, &err) != WEIR_OK);
}

static void test_values_between_and_outside(void)
{
    double hz[] = {100, 1000, 10000}, db[] = {0, 10, -10};
    weir_curve curve = {.n_points = 3, .hz = hz, .offset_db = db};
    CHECK_NEAR(weir_curve_db(&curve, 5), 0, 0);
    CHECK_NEAR(weir_curve_db(&curve, -5), 0, 0);
    CHECK_NEAR(weir_curve_db(&curve, 1000), 10, 1e-12);
    CHECK_NEAR(weir_curve_db(&curve, 316.22776601683796), 5, 1e-9);
    CHECK_NEAR(weir_curve_db(&curve, 3162.2776601683795), 0, 1e-9);
    CHECK_NEAR(weir_curve_db(&curve, 1e9), -10, 0);
    CHECK_NEAR(weir_curve_db(&curve, NAN), 0, 0);
    double linear_hz[] = {-100, 100};
    weir_curve linear = {.n_points = 2, .hz = linear_hz, .offset_db = db};
    CHECK_NEAR(weir_curve_db(&linear, 0), 5, 1e-12);
    weir_curve none = {0};
    CHECK(weir_curve_db(&none, 1) == 0);
    weir_curve_free(NULL);
}

int main(void)
{
    RUN(test_files_that_are_read);
    RUN(test_the_kind_can_be_said);
    RUN(test_files_that_are_refused);
    RUN(test_values_between_and_outside);
    return check_finish();
}
