/* ctest-labels: unit prop
 * dsp/window.h: the figures of Harris 1978 and Heinzel 2002, the periodic form, the
 * grammar. `test_window --print NAME N` writes coefficients for test_window_scipy.py. */
#include "dsp/window.h"
#include "tests/check.h"

static double *fill(const char *text, size_t n)
{
    const weir_window *window;
    double parameter, *w = malloc(n * sizeof *w);
    weir_error err;
    for (size_t i = 0; i < n; i++) {
        w[i] = NAN;
    }
    if (weir_window_parse(text, &window, &parameter, &err) ||
        weir_window_fill(window, parameter, w, n, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return w;
}

static int print_window(const char *text, size_t n)
{
    double *w = fill(text, n);
    for (size_t i = 0; i < n; i++) {
        printf("%.17g\n", w[i]);
    }
    free(w);
    return 0;
}

static const struct row {
    const char *name;
    double gain, enbw, scalloping, sidelobe; /* 0: not in the table */
    double gain_digit, enbw_digit, scalloping_digit, sidelobe_digit;
} harris[] = {
    {"rectangular", 1.000000, 1.000000, 3.9224, -13.26, 1e-6, 1e-6, 1e-4, 0.01},
    {"bartlett", 0.500000, 1.333333, 1.8242, -26.52, 1e-6, 1e-6, 1e-4, 0.01},
    {"hann", 0.500000, 1.500000, 1.4236, -31.47, 1e-6, 1e-6, 1e-4, 0.01},
    {"hamming", 0.540000, 1.362826, 1.7514, -42.68, 1e-6, 1e-6, 1e-4, 0.01},
    {"blackman", 0.420000, 1.726757, 1.0989, -58.11, 1e-6, 1e-6, 1e-4, 0.01},
    {"exact-blackman", 0.426591, 1.693699, 1.1500, -68.24, 1e-6, 1e-6, 1e-4, 0.01},
    {"blackman-harris", 0.358750, 2.004353, 0.8256, -92.01, 1e-6, 1e-6, 1e-4, 0.01},
    {"nuttall", 0.363582, 1.976109, 0.8506, -98.17, 1e-6, 1e-6, 1e-4, 0.01},
    {"nuttall-c1", 0.355768, 2.021233, 0.8118, -93.33, 1e-6, 1e-6, 1e-4, 0.01},
    {"kaiser:6.283185307179586", 0.48919, 1.49634, 1.453, -45.9, 1e-5, 1e-5, 1e-3, 0.1},
    {"kaiser:9.42477796076938", 0.40255, 1.79524, 1.023, -69.6, 1e-5, 1e-5, 1e-3, 0.1},
    {"kaiser:12.566370614359172", 0.34990, 2.05331, 0.788, -94.4, 1e-5, 1e-5, 1e-3, 0.1},
    {"dolph-chebyshev:100", 0.370339, 1.940910, 0.8811, -100.00, 1e-6, 1e-6, 1e-4, 0.01},
    {"tukey:0.25", 0.875, 1.102041, 2.963, -13.6, 1e-6, 1e-6, 1e-3, 0.1},
    {"tukey:0.5", 0.75, 1.222222, 2.238, -15.1, 1e-6, 1e-6, 1e-3, 0.1},
    {"flattop", 0.215579, 3.770246, 0.0098, -93.03, 1e-6, 1e-6, 1e-4, 0.01},
};

/* To the printed digits of the table, which was made at N = 4096. */
static void test_figures_of_the_window_table(void)
{
    for (size_t i = 0; i < sizeof harris / sizeof *harris; i++) {
        const struct row *r = &harris[i];
        double *w = fill(r->name, 4096);
        weir_window_figures f;
        CHECK(weir_window_measure(w, 4096, &f, NULL) == WEIR_OK);
        CHECK_MSG(fabs(f.coherent_gain - r->gain) <= 0.51 * r->gain_digit, "%s: gain %.7f", r->name,
                  f.coherent_gain);
        CHECK_MSG(fabs(f.enbw_bins - r->enbw) <= 0.51 * r->enbw_digit, "%s: ENBW %.7f", r->name,
                  f.enbw_bins);
        CHECK_MSG(fabs(f.scalloping_db - r->scalloping) <= 0.51 * r->scalloping_digit,
                  "%s: scalloping %.5f", r->name, f.scalloping_db);
        CHECK_MSG(fabs(f.highest_sidelobe_db - r->sidelobe) <= 0.51 * r->sidelobe_digit,
                  "%s: side lobe %.4f", r->name, f.highest_sidelobe_db);
        free(w);
    }
}

static const struct {
    const char *name;
    double enbw, max_error, sidelobe;
} heinzel[] = {
    {"hft70", 3.4129, -0.0065, -70.4},   {"hft95", 3.8112, 0.0044, -95.0},
    {"hft90d", 3.8832, -0.0039, -90.2},  {"hft116d", 4.2186, -0.0028, -116.8},
    {"hft144d", 4.5386, 0.0021, -144.1}, {"hft169d", 4.8347, 0.0017, -169.5},
    {"hft196d", 5.1134, 0.0013, -196.2}, {"hft223d", 5.3888, 0.0011, -223.0},
    {"hft248d", 5.6512, 0.0009, -248.4},
};

/* As the paper states them: one decimal of the side lobes, not always rounded. */
static void test_figures_of_the_flat_top_table(void)
{
    for (size_t i = 0; i < sizeof heinzel / sizeof *heinzel; i++) {
        double *w = fill(heinzel[i].name, 4096);
        weir_window_figures f;
        CHECK(weir_window_measure(w, 4096, &f, NULL) == WEIR_OK);
        CHECK_MSG(fabs(f.coherent_gain - 1) < 1e-12, "%s: gain %.15f", heinzel[i].name,
                  f.coherent_gain);
        CHECK_MSG(fabs(f.enbw_bins - heinzel[i].enbw) <= 0.51e-4, "%s: ENBW %.6f", heinzel[i].name,
                  f.enbw_bins);
        CHECK_MSG(fabs(f.max_error_db - fabs(heinzel[i].max_error)) <= 0.51e-4, "%s: e_max %.6f",
                  heinzel[i].name, f.max_error_db);
        CHECK_MSG(fabs(f.highest_sidelobe_db - heinzel[i].sidelobe) <= 0.06, "%s: side lobe %.3f",
                  heinzel[i].name, f.highest_sidelobe_db);
        free(w);
    }
}

/* Power of the response at a frequency in bins, relative to its middle. */
static double response(const double *w, size_t n, double bins)
{
    double re = 0, im = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        double angle = -2 * M_PI * bins * (double)i / (double)n;
        re += w[i] * cos(angle);
        im += w[i] * sin(angle);
        sum += w[i];
    }
    return (re * re + im * im) / (sum * sum);
}

/* Full width at that power, by bisection between 0 and 3 bins off. */
static double width_at(const double *w, size_t n, double power)
{
    double low = 0, high = 3;
    for (int i = 0; i < 30; i++) {
        double middle = (low + high) / 2;
        *(response(w, n, middle) > power ? &low : &high) = middle;
    }
    return low + high;
}

static double overlap_correlation(const double *w, size_t n, size_t hop)
{
    double product = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        product += i + hop < n ? w[i] * w[i + hop] : 0;
        square += w[i] * w[i];
    }
    return 100 * product / square;
}

/* The other columns: worst-case processing loss, widths, what overlapped frames share. */
static void test_widths_and_overlaps_of_the_window_table(void)
{
    static const struct {
        const char *name;
        double loss, width_3, width_6, share_50, share_75; /* NAN: not in the table */
    } rows[] = {{"rectangular", 3.922, 0.886, 1.207, 50.0, 75.0},
                {"bartlett", 3.074, 1.276, 1.772, 25.0, 71.9},
                {"hann", 3.185, 1.441, 2.000, 16.7, 65.9},
                {"hamming", 3.096, 1.303, 1.815, 23.4, 70.7},
                {"blackman", 3.471, 1.644, 2.299, 9.0, 56.7},
                {"exact-blackman", 3.438, 1.609, 2.254, 10.0, 57.8},
                {"blackman-harris", 3.845, 1.899, 2.666, 3.8, 46.0},
                {"nuttall", 3.809, 1.872, 2.629, 4.2, 47.0},
                {"nuttall-c1", 3.868, 1.915, 2.689, 3.5, 45.4},
                {"kaiser:6.283185307179586", 3.203, 1.429, 1.993, NAN, NAN},
                {"kaiser:9.42477796076938", 3.564, 1.705, 2.389, NAN, NAN},
                {"kaiser:12.566370614359172", 3.912, 1.945, 2.731, NAN, NAN},
                {"dolph-chebyshev:100", 3.761, 1.839, 2.582, 4.7, 48.3},
                {"tukey:0.25", 3.385, NAN, NAN, NAN, NAN},
                {"tukey:0.5", 3.110, NAN, NAN, NAN, NAN},
                {"flattop", 5.774, 3.725, 4.583, -1.5, 4.6}};
    enum { N = 4096 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double gain, enbw, *w = fill(rows[i].name, N);
        weir_window_gain(w, N, &gain, &enbw);
        double loss = 10 * log10(enbw / response(w, N, 0.5));
        CHECK_MSG(fabs(loss - rows[i].loss) <= 0.55e-3, "%s: %.5f dB", rows[i].name, loss);
        if (!isnan(rows[i].width_3)) {
            CHECK_NEAR(width_at(w, N, 0.5), rows[i].width_3, 0.51e-3);
            CHECK_NEAR(width_at(w, N, 0.25), rows[i].width_6, 0.51e-3);
        }
        if (!isnan(rows[i].share_50)) {
            CHECK_NEAR(overlap_correlation(w, N, N / 2), rows[i].share_50, 0.051);
            CHECK_NEAR(overlap_correlation(w, N, N / 4), rows[i].share_75, 0.051);
        }
        free(w);
    }
}

/* The scatter of the mean over as much data as 64 transforms take without overlap. */
static void test_what_overlapping_transforms_are_worth(void)
{
    enum { N = 1024 };
    static const struct {
        const char *name;
        double half, quarters; /* relative standard deviation at 50 and 75 % */
    } rows[] = {
        {"hann", 0.0911, 0.0871}, {"blackman-harris", 0.0889, 0.0750}, {"flattop", 0.0888, 0.0630}};
    static double w[N];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const weir_window *window;
        double parameter;
        CHECK(weir_window_parse(rows[i].name, &window, &parameter, NULL) == WEIR_OK);
        CHECK(weir_window_fill(window, parameter, w, N, NULL) == WEIR_OK);
        CHECK_NEAR(1 / sqrt(weir_window_independent(w, N, 0.5, 127)), rows[i].half, 6e-5);
        CHECK_NEAR(1 / sqrt(weir_window_independent(w, N, 0.25, 253)), rows[i].quarters, 6e-5);
        CHECK(weir_window_independent(w, N, 1, 64) == 64);
        CHECK(weir_window_independent(w, N, 7.5, 3) == 3);
        CHECK(weir_window_independent(w, N, 0.01, 1) == 1);
    }
}

static void test_size_for_a_resolution_bandwidth(void)
{
    static const char *const names[] = {"rectangular", "hann", "dolph-chebyshev:80", "dpss:4",
                                        "hft90d"};
    static const double rbws[] = {1e5, 12345, 100, 10};
    weir_error err;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const weir_window *window;
        double parameter, enbw;
        size_t n;
        CHECK(weir_window_parse(names[i], &window, &parameter, NULL) == WEIR_OK);
        for (size_t r = 0; r < 4; r++) {
            CHECK(weir_window_size_for_rbw(window, parameter, 2.4e6, rbws[r], &n, &enbw, &err) ==
                  WEIR_OK);
            double gain, exact, *w = fill(names[i], n);
            weir_window_gain(w, n, &gain, &exact);
            CHECK_NEAR(enbw, exact, 1e-12);
            CHECK_MSG(exact * 2.4e6 / (double)n <= rbws[r] * (1 + 1e-9) &&
                          exact * 2.4e6 / ((double)n - 3) > rbws[r],
                      "%s, %g Hz: n = %zu", names[i], rbws[r], n);
            free(w);
        }
        CHECK(weir_window_size_for_rbw(window, parameter, 2.4e6, 0, &n, NULL, &err) ==
              WEIR_ERR_USAGE);
        CHECK(weir_window_size_for_rbw(window, parameter, NAN, 1, &n, NULL, &err) ==
              WEIR_ERR_USAGE);
        CHECK(weir_window_size_for_rbw(window, parameter, 1e12, 1, &n, NULL, &err) ==
              WEIR_ERR_USAGE);
        CHECK(weir_window_size_for_rbw(window, parameter, 1, 1e5, &n, NULL, &err) ==
              WEIR_ERR_USAGE);
    }
}

/* First nulls that are known exactly: a cosine sum of m terms has it at m bins. */
static void test_main_lobes(void)
{
    static const struct {
        const char *name;
        double bins;
    } rows[] = {{"rectangular", 1}, {"hann", 2},    {"hamming", 2}, {"bartlett", 2},
                {"blackman", 3},    {"nuttall", 4}, {"hft90d", 5},  {"hft248d", 11}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double *w = fill(rows[i].name, 1024);
        weir_window_figures f;
        CHECK(weir_window_measure(w, 1024, &f, NULL) == WEIR_OK);
        CHECK_NEAR(f.main_lobe_bins, rows[i].bins, 1e-9);
        free(w);
    }
}

/* The periodic form: a symmetric Hann would have 1.505882 at 256 and 1.500366 at 4096. */
static void test_the_form_is_periodic(void)
{
    for (size_t n = 256; n <= 4096; n *= 16) {
        double gain, enbw, *w = fill("hann", n);
        weir_window_gain(w, n, &gain, &enbw);
        CHECK_NEAR(enbw, 1.5, 1e-12);
        CHECK_NEAR(gain, 0.5, 1e-12);
        free(w);
    }
}

/* Every row at every small length, odd and even: symmetric, finite, not empty. */
static void test_every_window_is_symmetric(void)
{
    const weir_window *window;
    for (size_t row = 0; (window = weir_window_at(row)) != NULL; row++) {
        double parameter, w[301];
        weir_window_parameter(window, &parameter);
        size_t chebyshev = strcmp(weir_window_name(window), "dolph-chebyshev") == 0;
        CHECK(weir_window_help(window)[0] != '\0');
        for (size_t n = 1; n <= 300; n++) {
            w[n] = 12345;
            weir_error err;
            weir_status status = weir_window_fill(window, parameter, w, n, &err);
            if (status == WEIR_ERR_USAGE && n <= 8) {
                continue; /* dpss:4 */
            }
            double gain, enbw, worst = 0;
            weir_window_gain(w, n, &gain, &enbw);
            for (size_t i = 1; i + chebyshev < n; i++) {
                worst = fmax(worst, fabs(w[i] - w[n - i - chebyshev]));
            }
            CHECK_MSG(status == WEIR_OK && worst <= 2e-15 * fabs(w[n / 2]) + 1e-15 &&
                          fabs(gain) > 1e-3 && enbw > 0.999999 && w[n] == 12345,
                      "%s, n = %zu: asymmetry %g, gain %g", weir_window_name(window), n, worst,
                      gain);
            if (n == 1) {
                CHECK(w[0] == 1);
            }
        }
    }
}

/* A large window differs from a small one only by sampling: equal ENBW to 1/n. */
static void test_large_windows_agree_with_small_ones(void)
{
    static const char *const names[] = {"dolph-chebyshev:100", "dpss:4", "kaiser:9", "hft248d"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double gain[2], enbw[2];
        for (int large = 0; large < 2; large++) {
            size_t n = large ? (1u << 20) - (i & 1) : 1u << 14;
            struct timespec from, to;
            clock_gettime(CLOCK_MONOTONIC, &from);
            double *w = fill(names[i], n);
            clock_gettime(CLOCK_MONOTONIC, &to);
            printf("# %s, %zu points: %.2f s\n", names[i], n,
                   (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
            weir_window_gain(w, n, &gain[large], &enbw[large]);
            free(w);
        }
        CHECK_NEAR(enbw[1], enbw[0], 3e-4);
    }
}

static void test_names_are_read(void)
{
    static const struct {
        const char *text, *name;
        double parameter;
    } rows[] = {
        {"hann", "hann", 0},
        {"Blackman_Harris", "blackman-harris", 0},
        {"boxcar", "rectangular", 0},
        {"kaiser:9.42", "kaiser", 9.42},
        {"dolph-chebyshev", "dolph-chebyshev", 100},
        {"chebwin:60", "dolph-chebyshev", 60},
        {"dpss:2.5", "dpss", 2.5},
        {"HFT90D", "hft90d", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const weir_window *window = NULL;
        double parameter = NAN;
        weir_error err;
        CHECK(weir_window_parse(rows[i].text, &window, &parameter, &err) == WEIR_OK);
        CHECK_STR(window ? weir_window_name(window) : NULL, rows[i].name);
        CHECK_NEAR(parameter, rows[i].parameter, 1e-12);
    }
}

static void test_bad_names_are_refused_with_a_reason(void)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"hanm", "hann"},       {"", "no window"},        {"hann:3", "no parameter"},
        {"kaiser:", "kaiser"},  {"kaiser:abc", "kaiser"}, {"kaiser:-1", "0 to 500"},
        {"kaiser:nan", "beta"}, {"tukey:1.5", "0 to 1"},  {"gaussian:0", "sigma"},
        {"dpss:1e9", "NW"},     {"tukey:0,5", "tukey"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const weir_window *window = NULL;
        double parameter = 7;
        weir_error err = {.text = ""};
        CHECK(weir_window_parse(rows[i].text, &window, &parameter, &err) == WEIR_ERR_USAGE);
        CHECK_MSG(strstr(err.text, rows[i].part) && !strchr(err.text, '\n'), "\"%s\": \"%s\"",
                  rows[i].text, err.text);
        CHECK(window == NULL && parameter == 7);
    }
    const weir_window *window;
    double parameter, w[8];
    weir_error err;
    CHECK(weir_window_parse("dpss:4", &window, &parameter, &err) == WEIR_OK);
    CHECK(weir_window_fill(window, parameter, w, 8, &err) == WEIR_ERR_USAGE);
    CHECK(weir_window_fill(window, parameter, w, 0, &err) == WEIR_ERR_USAGE);
    weir_window_figures figures;
    CHECK(weir_window_measure(w, 1, &figures, &err) == WEIR_ERR_USAGE);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--print") == 0) {
        return print_window(argv[2], strtoull(argv[3], NULL, 10));
    }
    RUN(test_figures_of_the_window_table);
    RUN(test_figures_of_the_flat_top_table);
    RUN(test_widths_and_overlaps_of_the_window_table);
    RUN(test_what_overlapping_transforms_are_worth);
    RUN(test_size_for_a_resolution_bandwidth);
    RUN(test_main_lobes);
    RUN(test_the_form_is_periodic);
    RUN(test_every_window_is_symmetric);
    RUN(test_large_windows_agree_with_small_ones);
    RUN(test_names_are_read);
    RUN(test_bad_names_are_refused_with_a_reason);
    return check_finish();
}
