/* ctest-labels: unit prop
 * capture/survey.h: rows of rtl_power and hackrf_sweep as real files have them. */
#include "capture/survey.h"
#include "tests/check.h"

#include <math.h>

#define RTL(time, low, high, levels) "2019-03-31, " time ", " low ", " high ", 10.00, 7, " levels

static weir_survey *read_text(const char *text, weir_status expected, weir_error *err)
{
    weir_survey *survey = NULL;
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    CHECK(file != NULL);
    CHECK(weir_survey_parse(&survey, file, "s.csv", err) == expected);
    CHECK((survey != NULL) == (expected == WEIR_OK));
    fclose(file);
    return survey;
}

/* The levels of a pass, NAN written as 99. */
static void check_pass(const weir_survey *s, size_t index, double time_s, const float *expected)
{
    const weir_survey_info *info = weir_survey_about(s);
    float levels_db[32];
    weir_survey_pass pass;
    CHECK(info->n_bins <= 32 && index < info->n_passes);
    memset(levels_db, 0x55, sizeof levels_db);
    weir_survey_pass_at(s, index, levels_db, &pass);
    CHECK(fabs(pass.time_s - time_s) < 1e-9);
    for (size_t i = 0; i < info->n_bins; i++) {
        float level_db = isnan(levels_db[i]) ? 99 : levels_db[i];
        if (level_db != expected[i]) {
            printf("pass %zu, bin %zu: %g, expected %g\n", index, i, (double)level_db,
                   (double)expected[i]);
        }
        CHECK(level_db == expected[i]);
    }
}

/* The last level twice, CRLF, two ranges, rows in any order, a row that is missing. */
static void test_as_rtl_power_writes_it(void)
{
    weir_error err = {0};
    weir_survey *s = read_text(RTL("12:00:00", "100", "130", "-1, -2, -3, -3\r\n")
                                   RTL("12:00:00", "150", "170", "-4, -5, -5\r\n")
                                       RTL("12:00:10", "150", "170", "-6, -7, -7\r\n")
                                           RTL("12:00:10", "100", "130", "-8, -9, -10, -10\r\n")
                                               RTL("12:00:20", "150", "170", "-11, -12, -12\r\n"),
                               WEIR_OK, &err);
    const weir_survey_info *info = weir_survey_about(s);
    CHECK(info->n_rows == 5 && info->n_passes == 3 && info->n_bins == 7);
    CHECK(info->start_hz == 100 && info->bin_hz == 10 && info->pass_s == 10);
    check_pass(s, 0, 0, (const float[]){-1, -2, -3, 99, 99, -4, -5});
    check_pass(s, 1, 10, (const float[]){-8, -9, -10, 99, 99, -6, -7});
    check_pass(s, 2, 20, (const float[]){99, 99, 99, 99, 99, -11, -12});
    weir_survey_destroy(s);
}

/* Rows two at a time, each with a time of its own; no level twice. */
static void test_as_hackrf_sweep_writes_it(void)
{
    static const char text[] = "2024-02-29, 23:59:59.900000, 0, 20, 10.00, 20, -1, -2\n"
                               "2024-02-29, 23:59:59.900000, 40, 60, 10.00, 20, -5, -6\n"
                               "2024-02-29, 23:59:59.950000, 20, 40, 10.00, 20, -3, -4\n"
                               "2024-02-29, 23:59:59.950000, 60, 80, 10.00, 20, -7, -8\n"
                               "2024-03-01, 00:00:00.400000, 0, 20, 10.00, 20, -9, -9\n";
    weir_error err = {0};
    weir_survey *s = read_text(text, WEIR_OK, &err);
    CHECK(weir_survey_about(s)->n_passes == 2);
    check_pass(s, 0, 0, (const float[]){-1, -2, -3, -4, -5, -6, -7, -8});
    check_pass(s, 1, 0.5, (const float[]){-9, -9, 99, 99, 99, 99, 99, 99});
    weir_survey_destroy(s);
}

/* No level twice, but Hz low is the middle of the first, and numbers have a decimal point. */
static void test_as_soapy_power_writes_it(void)
{
    static const char text[] =
        "2026-11-30, 10:00:00, 88000000.0, 88400000.0, 100000.0, 4096, -1.5, -2.25, -3, -4\n"
        "2026-11-30, 10:00:00, 88400000.0, 88800000.0, 100000.0, 4096, -5, -6, -7, -inf\n";
    weir_error err = {0};
    weir_survey *s = read_text(text, WEIR_OK, &err);
    const weir_survey_info *info = weir_survey_about(s);
    CHECK(info->start_hz == 88e6 && info->bin_hz == 1e5 && info->n_bins == 8);
    check_pass(s, 0, 0, (const float[]){-1.5F, -2.25F, -3, -4, -5, -6, -7, 99});
    weir_survey_destroy(s);
}

/* The hour that comes twice: order and distance are the file's. Then an hour without rows. */
static void test_time_steps_back(void)
{
    weir_error err = {0};
    weir_survey *s =
        read_text(RTL("02:59:40", "0", "10", "-1\n") RTL("02:59:50", "0", "10", "-2\n")
                      RTL("02:00:00", "0", "10", "-3\n") RTL("02:00:10", "0", "10", "-4\n")
                          RTL("03:00:10", "0", "10", "-5\n") RTL("03:00:20", "0", "10", "-6\n"),
                  WEIR_OK, &err);
    static const double times_s[] = {0, 10, 20, 30, 3630, 3640};
    CHECK(weir_survey_about(s)->n_passes == 6 && weir_survey_about(s)->pass_s == 10);
    for (size_t i = 0; i < 6; i++) {
        check_pass(s, i, times_s[i], (const float[]){-1 - (float)i});
    }
    weir_survey_destroy(s);
}

/* Four passes a second: they share it. */
static void test_passes_of_one_second(void)
{
    char text[2048] = "";
    for (int i = 0; i < 8; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 RTL("12:00:%02d", "0", "10", "%d\n"), i / 4, -i);
    }
    weir_error err = {0};
    weir_survey *s = read_text(text, WEIR_OK, &err);
    CHECK(weir_survey_about(s)->n_passes == 8 && weir_survey_about(s)->pass_s == 0.25);
    for (size_t i = 0; i < 8; i++) {
        check_pass(s, i, 0.25 * (double)i, (const float[]){-(float)i});
    }
    weir_survey_destroy(s);
}

static void test_no_numbers_and_coarse_rows(void)
{
    static const char text[] = "# a note\n\n"
                               "2019-01-01, 00:00:00, 0, 40, 10, 1, nan, -inf, -1.#J, -1\n"
                               "2019-01-01, 00:00:00, 55, 95, 20, 1, -20, -40,\n"
                               "2019-01-01, 00:00";
    weir_error err = {0};
    weir_survey *s = read_text(text, WEIR_OK, &err);
    const weir_survey_info *info = weir_survey_about(s);
    CHECK(info->n_rows == 2 && info->n_unusable == 3 && info->was_cut);
    /* Just as many levels as there is room for: from the lower edge on. 20 Hz take two bins. */
    CHECK(info->start_hz == 5 && info->bin_hz == 10 && info->n_bins == 9);
    check_pass(s, 0, 0, (const float[]){99, 99, 99, -1, 99, -20, -20, -40, -40});
    weir_survey_destroy(s);
}

/* A step printed with two decimals does not move a row of 80 000 levels. */
static void test_rounded_step(void)
{
    char *text = malloc(1 << 20);
    CHECK(text != NULL);
    size_t used = (size_t)snprintf(text, 128, "2019-01-01, 00:00:00, 0, 20000000, 244.14, 1");
    for (int i = 0; i < 81920; i++) {
        used += (size_t)snprintf(text + used, 16, ", %d", i == 81919 ? -1 : -9);
    }
    weir_error err = {0};
    weir_survey *s = read_text(text, WEIR_OK, &err);
    const weir_survey_info *info = weir_survey_about(s);
    CHECK(info->n_bins == 81920 && fabs(info->bin_hz - 244.140625) < 1e-6);
    float *levels_db = malloc(info->n_bins * sizeof *levels_db);
    weir_survey_pass pass;
    weir_survey_pass_at(s, 0, levels_db, &pass);
    CHECK(levels_db[81919] == -1 && levels_db[81918] == -9 && !pass.has_holes);
    free(levels_db);
    free(text);
    weir_survey_destroy(s);
}

/* Rows shuffled within their passes say the same. */
static void test_order_does_not_matter(void)
{
    check_rng rng = check_rng_fresh();
    weir_error err = {0};
    for (int round = 0; round < 50; round++) {
        char text[4096] = "";
        float expected[2][24];
        for (int pass = 0; pass < 2; pass++) {
            unsigned at = (unsigned)(check_random(&rng) % 8), step = 2 * at % 8 + 1;
            for (unsigned i = 0; i < 8; i++, at = (at + step) % 8) {
                snprintf(text + strlen(text), sizeof text - strlen(text),
                         "2019-01-01, 00:00:0%d, %u, %u, 1.00, 1", pass, 3 * at, 3 * at + 3);
                for (unsigned k = 0; k < 3; k++) {
                    int level = -(int)(check_random(&rng) % 100);
                    expected[pass][3 * at + k] = (float)level;
                    snprintf(text + strlen(text), sizeof text - strlen(text), ", %d", level);
                }
                strcat(text, "\n");
            }
        }
        weir_survey *s = read_text(text, WEIR_OK, &err);
        check_pass(s, 0, 0, expected[0]);
        check_pass(s, 1, 1, expected[1]);
        weir_survey_destroy(s);
    }
}

static void test_what_is_refused(void)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"", "no row"},
        {"# nothing\n", "no row"},
        {"frequency,upper\n", "line 1: fewer than seven"},
        {"\n2019-01-01, 00:00:00, 0, 10, 1\n", "line 2: fewer than seven"},
        {"2019-13-01, 00:00:00, 0, 10, 1, 1, -1\n", "date and time"},
        {"2019-01-01, 00:00:00, 0, 10, 1, 1\n", "no level"},
        {"2019-01-01, 00:00:00, 0, 10, 1, 1,\n", "no level"},
        {"2019-01-01, 00:00:00, 10, 10, 1, 1, -1\n", "no range"},
        {"2019-01-01, 00:00:00, 0, 10, 0, 1, -1\n", "no range"},
        {"2019-01-01, 00:00:00, 0, 10, -1, 1, -1\n", "no range"},
        {"2019-01-01, 00:00:00, 0, ten, 1, 1, -1\n", "three numbers"},
        {"2019-01-01, 00:00:00, 0, 1e300, 1, 1, -1\n", "three numbers"},
        {"2019-01-01, 00:00:00, 0, 10, 1, -1, -1\n", "samples"},
        {"2019-01-01, 00:00:00, 0, 10, 1, 1, -1, x\n", "\"x\" is no level"},
        {"2019-01-01, 00:00:00, 0, 10, 1, 1, 1e30\n", "is no level"},
        {"2019-01-01, 00:00:00, 0, 10, 1, 1, -1\n"
         "2019-01-01, 00:00:00, 1000000000000, 1000000000010, 1, 1, -1\n",
         "bins; at most"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        weir_error err = {0};
        read_text(wrong[i].text, WEIR_ERR_DATA, &err);
        if (!strstr(err.text, wrong[i].says)) {
            printf("%s: %s\n", wrong[i].text, err.text);
        }
        CHECK(strstr(err.text, "s.csv") && strstr(err.text, wrong[i].says));
    }
    weir_error err = {0};
    weir_survey *s = NULL;
    CHECK(weir_survey_read(&s, "/nowhere/s.csv", &err) == WEIR_ERR_NO_INPUT && !s);
    weir_survey_destroy(NULL);
}

/* Bins that two decimals of the step say too little of are counted: 0.12 is 0.125 here. */
static void test_narrow_bins(void)
{
    static const struct {
        int low_hz, high_hz, n_bins;
    } rows[] = {{-4, 4, 64}, {-4, 4, 1000}, {-6, 6, 64}, {0, 30, 64}, {0, 240000, 23990}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        int low = rows[i / 2].low_hz, high = rows[i / 2].high_hz, n = rows[i / 2].n_bins;
        bool is_hackrf = i % 2;
        size_t size = 100 + 10 * (size_t)n;
        char *text = malloc(size);
        double step = (double)(high - low) / n;
        size_t used = (size_t)snprintf(text, size, "2019-03-31, 12:00:00%s, %d, %d, %.2f, 7",
                                       is_hackrf ? ".500000" : "", low, high, step);
        for (int k = 0; k < n + !is_hackrf; k++) {
            int level = k == 10 ? -1 : k < n ? -k % 100 - 2 : -(k - 1) % 100 - 2;
            used += (size_t)snprintf(text + used, size - used, ", %d", level);
        }
        weir_error err = {0};
        weir_survey *s = read_text(text, WEIR_OK, &err);
        const weir_survey_info *info = weir_survey_about(s);
        CHECK_MSG(info->n_bins == (size_t)n, "%zu bins of %d", info->n_bins, n);
        CHECK_NEAR(info->bin_hz, step, 1e-9 * step);
        CHECK_NEAR(info->start_hz, low + (is_hackrf ? step / 2 : 0), 1e-6 * step);
        float *levels_db = malloc(info->n_bins * sizeof *levels_db);
        weir_survey_pass pass;
        weir_survey_pass_at(s, 0, levels_db, &pass);
        CHECK(levels_db[10] == -1 && levels_db[9] == -11 && levels_db[n - 1] == -(n - 1) % 100 - 2);
        free(levels_db);
        weir_survey_destroy(s);
        free(text);
    }
}

int main(void)
{
    RUN(test_as_rtl_power_writes_it);
    RUN(test_as_hackrf_sweep_writes_it);
    RUN(test_as_soapy_power_writes_it);
    RUN(test_time_steps_back);
    RUN(test_passes_of_one_second);
    RUN(test_no_numbers_and_coarse_rows);
    RUN(test_rounded_step);
    RUN(test_narrow_bins);
    RUN(test_order_does_not_matter);
    RUN(test_what_is_refused);
    return check_finish();
}
