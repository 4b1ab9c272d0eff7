/* ctest-labels: unit prop
 * dsp/compare.h, dsp/golden.h, dsp/collect.h: differences, tolerances, regions; what a golden
 * file holds and what is refused of one. */
#include "dsp/collect.h"
#include "dsp/compare.h"
#include "dsp/golden.h"
#include "tests/check.h"

#include <unistd.h>

enum { N = 300 };

static weir_compare_config config_of(size_t n)
{
    return (weir_compare_config){
        .n_bins = n, .start_hz = 1000, .bin_hz = 10, .floor_db = -INFINITY};
}

static weir_tolerance everywhere(double most)
{
    return (weir_tolerance){-INFINITY, INFINITY, most};
}

static void random_levels(check_rng *rng, float *levels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        levels[i] = (float)(-100 + 5 * check_gauss(rng));
    }
}

/* ---- differences ---- */

static void test_a_difference_is_measured_minus_golden(void)
{
    check_rng rng = check_rng_fresh();
    float golden[N], measured[N], difference[N], allowed[N];
    random_levels(&rng, golden, N);
    random_levels(&rng, measured, N);
    memset(difference, 0x7f, sizeof difference);
    weir_compare_config c = config_of(N);
    CHECK(weir_compare_levels(&c, golden, measured, difference, allowed, NULL) == WEIR_OK);
    for (size_t i = 0; i < N; i++) {
        CHECK_NEAR((double)difference[i], (double)(measured[i] - golden[i]), 0);
        CHECK_NEAR((double)allowed[i], WEIR_DEFAULT_TOLERANCE_DB, 1e-7);
    }
}

static void test_the_last_tolerance_that_fits_counts(void)
{
    const weir_tolerance rows[] = {
        {-INFINITY, INFINITY, 0.5}, {1100, 1200, 2}, {1150, 1160, 0}, {5000, 6000, 9}};
    float zero[N] = {0}, difference[N], allowed[N];
    weir_compare_config c = config_of(N);
    c.db = (weir_tolerances){rows, 3};
    CHECK(weir_compare_levels(&c, zero, zero, difference, allowed, NULL) == WEIR_OK);
    CHECK(allowed[0] == 0.5f && allowed[9] == 0.5f && allowed[10] == 2 && allowed[20] == 2);
    CHECK(allowed[21] == 0.5f && allowed[15] == 0 && allowed[16] == 0 && allowed[17] == 2);
    c.db.rows = rows + 1; /* bands only: elsewhere the default */
    CHECK(weir_compare_levels(&c, zero, zero, difference, allowed, NULL) == WEIR_OK);
    CHECK(allowed[10] == 2 && allowed[0] == (float)WEIR_DEFAULT_TOLERANCE_DB);
}

static void test_levels_below_the_floor_count_as_the_floor(void)
{
    const float golden[] = {-300, -130, -110, -110}, measured[] = {-150, -110, -300, -125};
    float difference[4], allowed[4];
    weir_compare_config c = config_of(4);
    c.floor_db = -120;
    for (int w = 0; w < 2; w++) { /* with a tolerance in hertz of no whole bin, too */
        const weir_tolerance aside = everywhere(w * 9.9);
        c.hz = (weir_tolerances){&aside, 1};
        CHECK(weir_compare_levels(&c, golden, measured, difference, allowed, NULL) == WEIR_OK);
        CHECK(difference[0] == 0 && difference[1] == 10);
        CHECK(difference[2] == -10 && difference[3] == -10);
    }
}

/* The header's definition, by brute force. */
static float outside(float level, const float *other, size_t n, size_t k, size_t w, float floor)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t j = k < w ? 0 : k - w; j < n && j <= k + w; j++) {
        low = fminf(low, fmaxf(other[j], floor));
        high = fmaxf(high, fmaxf(other[j], floor));
    }
    level = fmaxf(level, floor);
    return level > high ? level - high : level < low ? level - low : 0;
}

/* How many bins aside counts at bin k, by the rows as they are given. */
static size_t bins_aside(const weir_compare_config *c, size_t k)
{
    double hz = c->start_hz + (double)k * c->bin_hz, most = 0;
    for (size_t i = 0; i < c->hz.n; i++) {
        if (c->hz.rows[i].low_hz <= hz && hz <= c->hz.rows[i].high_hz) {
            most = c->hz.rows[i].most;
        }
    }
    return (size_t)(most / c->bin_hz);
}

static void check_against_the_header(const weir_compare_config *c, check_rng *rng)
{
    float golden[N], measured[N], difference[N], allowed[N];
    size_t n = c->n_bins;
    random_levels(rng, golden, n);
    random_levels(rng, measured, n);
    CHECK(weir_compare_levels(c, golden, measured, difference, allowed, NULL) == WEIR_OK);
    for (size_t k = 0; k < n; k++) {
        size_t w = bins_aside(c, k);
        float here = outside(measured[k], golden, n, k, w, (float)c->floor_db);
        float there = -outside(golden[k], measured, n, k, w, (float)c->floor_db);
        float expected = fabsf(there) > fabsf(here) ? there : here;
        CHECK_NEAR((double)difference[k], (double)expected, 0);
    }
}

static void test_a_tolerance_in_hertz_is_what_the_header_says(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 60; round++) {
        size_t n = 1 + (size_t)(check_uniform(&rng) * N), w = (size_t)(check_uniform(&rng) * 8);
        w = round == 0 ? 1000 : w; /* wider than all of it */
        const weir_tolerance aside = everywhere(10 * (double)w + 4);
        weir_compare_config c = config_of(n);
        c.hz = (weir_tolerances){&aside, 1};
        c.floor_db = round % 2 ? -100 : -INFINITY;
        check_against_the_header(&c, &rng);
    }
}

static void test_tolerances_in_hertz_of_bands(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 60; round++) {
        weir_tolerance rows[5];
        for (size_t i = 0; i < 5; i++) {
            double low = 1000 + 10 * N * check_uniform(&rng);
            rows[i] = (weir_tolerance){low, low + 10 * N * check_uniform(&rng),
                                       10 * floor(6 * check_uniform(&rng)) + 4};
        }
        rows[0] = round % 2 ? everywhere(24) : rows[0];
        weir_compare_config c = config_of(N);
        c.hz = (weir_tolerances){rows, (size_t)(6 * check_uniform(&rng))};
        check_against_the_header(&c, &rng);
    }
}

static void test_a_shifted_line_a_new_one_and_a_missing_one(void)
{
    float golden[N], measured[N], difference[N], allowed[N];
    for (size_t i = 0; i < N; i++) {
        golden[i] = measured[i] = -100;
    }
    golden[100] = measured[101] = -20;
    weir_compare_config c = config_of(N);
    CHECK(weir_compare_levels(&c, golden, measured, difference, allowed, NULL) == WEIR_OK);
    CHECK(difference[100] == -80 && difference[101] == 80);
    weir_tolerance aside = everywhere(10); /* exactly one bin */
    c.hz = (weir_tolerances){&aside, 1};
    CHECK(weir_compare_levels(&c, golden, measured, difference, allowed, NULL) == WEIR_OK);
    CHECK(difference[99] == 0 && difference[100] == 0 && difference[101] == 0);
    golden[100] = -100;
    golden[98] = -20;
    c.bin_hz = 0.1;
    aside.most = 0.3; /* three bins, though 0.3 / 0.1 is a little less than 3 */
    CHECK(weir_compare_levels(&c, golden, measured, difference, allowed, NULL) == WEIR_OK);
    CHECK(difference[98] == 0 && difference[101] == 0);
    aside.most = 0.29;
    CHECK(weir_compare_levels(&c, golden, measured, difference, allowed, NULL) == WEIR_OK);
    CHECK(difference[98] == -80 && difference[101] == 80);
    golden[98] = -100;
    golden[100] = -20;
    measured[101] = -100;
    CHECK(weir_compare_levels(&c, golden, measured, difference, allowed, NULL) == WEIR_OK);
    CHECK(difference[100] == -80); /* missing */
    CHECK(weir_compare_levels(&c, measured, golden, difference, allowed, NULL) == WEIR_OK);
    CHECK(difference[100] == 80); /* new */
}

/* ---- regions ---- */

static void test_regions(void)
{
    float difference[40] = {0}, allowed[40];
    for (size_t i = 0; i < 40; i++) {
        allowed[i] = 1;
    }
    difference[3] = 1.0f; /* as much as is allowed */
    difference[10] = 1.5f;
    difference[11] = -4;
    difference[14] = 2;
    difference[19] = -1.1f;
    difference[39] = 3;
    weir_regions r;
    CHECK(weir_regions_find(&r, difference, allowed, 40, 3, NULL) == WEIR_OK);
    CHECK(r.n == 3 && r.n_bad == 5 && r.worst == 11 && r.largest == 11);
    if (r.n == 3) {
        CHECK(r.rows[0].first == 10 && r.rows[0].last == 14 && r.rows[0].n_bad == 3);
        CHECK(r.rows[0].worst == 11 && r.rows[1].first == 19 && r.rows[1].last == 19);
        CHECK(r.rows[2].first == 39 && r.rows[2].worst == 39);
    }
    weir_regions_free(&r);
    CHECK(r.rows == NULL && r.n == 0);
    allowed[11] = 5; /* a wide tolerance: the largest difference is not the worst */
    CHECK(weir_regions_find(&r, difference, allowed, 40, 1, NULL) == WEIR_OK);
    CHECK(r.largest == 11 && r.worst == 39 && r.n == 4);
    weir_regions_free(&r);
    CHECK(weir_regions_find(&r, (float[]){0.5f, 0}, allowed, 2, 1, NULL) == WEIR_OK);
    CHECK(r.n == 0 && r.rows == NULL && r.largest == 0);
    weir_regions_free(NULL);
}

/* Every bad bin is in one region, every end of a region is bad, gaps are as asked. */
static void test_regions_hold_all_that_differs(void)
{
    check_rng rng = check_rng_fresh();
    float difference[N], allowed[N];
    for (int round = 0; round < 50; round++) {
        size_t join = 1 + (size_t)(check_uniform(&rng) * 6), n_bad = 0, in_regions = 0;
        for (size_t i = 0; i < N; i++) {
            difference[i] = (float)(0.4 * check_gauss(&rng));
            allowed[i] = 0.8f;
            n_bad += fabsf(difference[i]) > allowed[i];
        }
        weir_regions r;
        CHECK(weir_regions_find(&r, difference, allowed, N, join, NULL) == WEIR_OK);
        for (size_t i = 0; i < r.n; i++) {
            const weir_region *row = &r.rows[i];
            in_regions += row->n_bad;
            CHECK(fabsf(difference[row->first]) > 0.8f && fabsf(difference[row->last]) > 0.8f);
            CHECK(i == 0 || row->first - r.rows[i - 1].last > join);
        }
        CHECK(n_bad == r.n_bad && in_regions == n_bad);
        weir_regions_free(&r);
    }
}

/* ---- golden files ---- */

static char path[64];

static weir_golden sample_golden(void)
{
    weir_golden g = {.source = "a \"name\"",
                     .description = "raw, cu8",
                     .is_complex = true,
                     .channel = 1,
                     .rate_hz = 2.4e6 / 7,
                     .center_hz = 5.8e9 + 0.125,
                     .n_fft = 8,
                     .hop = 3,
                     .window = "kaiser:9.42",
                     .frames_per_spectrum = 0,
                     .smooth_seconds = 0.1,
                     .detrend = true,
                     .density = true,
                     .unit = "dB SPL",
                     .offset_db = -1e-3,
                     .weighting = "A",
                     .enbw_bins = 1.5,
                     .start_hz = -1.0 / 3,
                     .bin_hz = 2.4e6 / 56};
    g.totals = (weir_totals){.received = UINT64_MAX, .lost = (UINT64_C(1) << 53) + 1};
    CHECK(weir_golden_allocate(&g, 8, NULL) == WEIR_OK);
    for (size_t i = 0; i < 8; i++) {
        g.mean_db[i] = -100.0f / (float)(i + 1);
        g.max_db[i] = i == 3 ? -300.0f : 1.0f / 3.0f;
    }
    return g;
}

static void write_golden(const weir_golden *g)
{
    weir_outfile *file;
    weir_error err = {.text = ""};
    snprintf(path, sizeof path, "test_compare_%d.golden", (int)getpid());
    CHECK(weir_outfile_open(&file, path, false, &err) == WEIR_OK);
    CHECK_MSG(weir_golden_write(g, file, &err) == WEIR_OK, "%s", err.text);
    CHECK(weir_outfile_finish(file, &err) == WEIR_OK);
    weir_outfile_destroy(file);
}

static char *slurp(size_t *size)
{
    static char text[8192];
    FILE *file = fopen(path, "r");
    *size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[*size] = '\0';
    if (file) {
        fclose(file);
    }
    return text;
}

static weir_status parse(const char *text, size_t size, weir_golden *g, weir_error *err)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
    weir_status status = file ? weir_golden_parse(g, file, "G", err) : WEIR_ERR_INTERNAL;
    if (file) {
        fclose(file);
    }
    return status;
}

static void test_what_is_written_is_read(void)
{
    weir_golden g = sample_golden(), back;
    weir_error err = {.text = ""};
    char what[200] = "";
    write_golden(&g);
    CHECK_MSG(weir_golden_read(&back, path, &err) == WEIR_OK, "%s", err.text);
    CHECK_STR(back.source, g.source);
    CHECK_STR(back.window, g.window);
    CHECK_STR(back.unit, g.unit);
    CHECK(back.rate_hz == g.rate_hz && back.center_hz == g.center_hz);
    CHECK(back.start_hz == g.start_hz && back.bin_hz == g.bin_hz);
    CHECK(back.totals.received == UINT64_MAX && back.totals.lost == g.totals.lost);
    CHECK(back.n_bins == 8);
    if (back.n_bins == 8) { /* to the last bit: none of them is zero */
        for (size_t i = 0; i < 8; i++) {
            CHECK(back.mean_db[i] == g.mean_db[i] && back.max_db[i] == g.max_db[i]);
        }
    }
    CHECK(!weir_golden_settings_differ(&g, &back, what, sizeof what));
    weir_golden_free(&back);
    weir_golden_free(&g);
    CHECK(weir_golden_read(&back, "no/such.golden", &err) == WEIR_ERR_NO_INPUT);
    CHECK(strstr(err.text, "no/such.golden") != NULL);
    unlink(path);
}

static void test_settings_and_counts_are_compared(void)
{
    weir_golden a = sample_golden(), b = a;
    char what[200] = "";
    snprintf(b.source, sizeof b.source, "another name");
    b.enbw_bins *= 1 + 1e-15;
    CHECK(!weir_golden_settings_differ(&a, &b, what, sizeof what));
    b.n_fft = 16;
    CHECK(weir_golden_settings_differ(&a, &b, what, sizeof what));
    CHECK_STR(what, "n_fft is 8 there and 16 here");
    b.n_fft = 8;
    snprintf(b.window, sizeof b.window, "hann");
    CHECK(weir_golden_settings_differ(&a, &b, what, sizeof what));
    CHECK_STR(what, "window is kaiser:9.42 there and hann here");
    snprintf(b.window, sizeof b.window, "kaiser:9.42");
    b.rate_hz += 1;
    CHECK(weir_golden_settings_differ(&a, &b, what, sizeof what) && strstr(what, "rate_hz"));
    b.totals.lost++;
    weir_golden_count count;
    size_t n = 0, n_differ = 0;
    for (; weir_golden_count_at(&a, &b, n, &count); n++) {
        n_differ += count.golden != count.measured;
        CHECK(count.golden == count.measured || strcmp(count.name, "lost") == 0);
    }
    CHECK(n == 10 && n_differ == 1);
    weir_golden_free(&a);
}

/* Text with one part of it replaced. */
static size_t replaced(char *out, size_t size, const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    CHECK_MSG(at, "there is no \"%s\"", old);
    return at ? (size_t)snprintf(out, size, "%.*s%s%s", (int)(at - text), text, new,
                                 at + strlen(old))
              : 0;
}

static void test_golden_files_that_are_refused(void)
{
    static const struct {
        const char *old, *new, *part;
        weir_status status;
    } rows[] = {
        {"weir-golden 1", "weir-golden 2", "version 2", WEIR_ERR_UNSUPPORTED},
        {"weir-golden 1", "weir-golden x", "line 1", WEIR_ERR_DATA},
        {"weir-golden 1", "frequency,upper", "--mask", WEIR_ERR_DATA},
        {"n_fft: 8", "n_fft: 8k", "line 9", WEIR_ERR_DATA},
        {"n_fft: 8", "n_fft: -8", "line 9", WEIR_ERR_DATA},
        {"n_fft: 8", "n_fft: 18446744073709551616", "line 9", WEIR_ERR_DATA},
        {"hop: 3\n", "", "hop: ...", WEIR_ERR_DATA},
        {"detrend: yes", "detrend: true", "detrend", WEIR_ERR_DATA},
        {"offset_db: -0.001", "offset_db: -0,001", "offset_db", WEIR_ERR_DATA},
        {"offset_db: -0.001", "offset_db: nan", "offset_db", WEIR_ERR_DATA},
        {"unit: dB SPL", "unit: a unit that is much too long", "unit", WEIR_ERR_DATA},
        {"bins: 8", "bins: 9", "FREQUENCY", WEIR_ERR_DATA},
        {"bins: 8", "bins: 7", "\"end\"", WEIR_ERR_DATA},
        {"bins: 8", "bins: 0", "bins", WEIR_ERR_DATA},
        {"bins: 8", "bins: 18446744073709551615", "FREQUENCY", WEIR_ERR_DATA},
        {"# frequency_hz", "# hz", "frequency_hz", WEIR_ERR_DATA},
        {" -300\n", " -inf\n", "FREQUENCY", WEIR_ERR_DATA},
        {" -300\n", " 1e30\n", "FREQUENCY", WEIR_ERR_DATA},
        {" -300\n", " -300 1\n", "FREQUENCY", WEIR_ERR_DATA},
        {" -300\n", "\n", "FREQUENCY", WEIR_ERR_DATA},
        {"\nend\n", "\n", "cut short", WEIR_ERR_DATA},
    };
    weir_golden g = sample_golden(), back;
    size_t size;
    write_golden(&g);
    char *text = slurp(&size), changed[8192];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_error err = {.text = ""};
        size_t length = replaced(changed, sizeof changed, text, rows[i].old, rows[i].new);
        memset(&back, 0x7f, sizeof back);
        weir_status status = parse(changed, length, &back, &err);
        CHECK_MSG(status == rows[i].status && strstr(err.text, rows[i].part) &&
                      err.text[0] == 'G' && !strchr(err.text, '\n'),
                  "row %zu: %d \"%s\"", i, (int)status, err.text);
        CHECK(back.mean_db == NULL && back.n_bins == 0);
    }
    /* Cut at every byte but the last newline: refused, every time. */
    for (size_t cut = 1; cut + 1 < size; cut++) {
        CHECK(parse(text, cut, &back, NULL) == WEIR_ERR_DATA);
    }
    CHECK(parse(text, size, &back, NULL) == WEIR_OK);
    weir_golden_free(&back);
    weir_golden_free(&g);
    unlink(path);
}

/* ---- the whole of a stream ---- */

static weir_spectrum spectrum_of(const float *mean, const float *max, uint64_t frames)
{
    weir_spectrum s = {.n_bins = 3,
                       .bin_hz = 10,
                       .rate_hz = 30,
                       .n_frames = frames,
                       .end_sample = frames,
                       .full_scale_power = 1};
    s.power[WEIR_TRACE_MEAN] = mean;
    s.power[WEIR_TRACE_MAX] = max;
    return s;
}

static void test_collect_weighs_by_transforms(void)
{
    const float a[] = {1, 2, 0}, b[] = {3, 1, 0}, a_max[] = {4, 2, 0}, b_max[] = {3, 5, 0};
    weir_spectrum first = spectrum_of(a, a_max, 3), second = spectrum_of(b, b_max, 1);
    weir_collect *c;
    weir_error err = {.text = ""};
    CHECK(weir_collect_create(&c, 3, &err) == WEIR_OK);
    CHECK(weir_collect_add(c, &first, &err) == WEIR_OK);
    CHECK(weir_collect_add(c, &second, &err) == WEIR_OK);
    second.start_hz = 1;
    CHECK(weir_collect_add(c, &second, &err) == WEIR_ERR_UNSUPPORTED);
    CHECK(strstr(err.text, "one axis") != NULL);
    const weir_spectrum *whole = weir_collect_result(c);
    CHECK(whole && whole->n_frames == 4);
    if (whole) {
        const float *mean = whole->power[WEIR_TRACE_MEAN], *max = whole->power[WEIR_TRACE_MAX];
        CHECK(mean[0] == 1.5f && mean[1] == 1.75f && mean[2] == 0);
        CHECK(max[0] == 4 && max[1] == 5 && max[2] == 0);
    }
    weir_collect_destroy(c);
    CHECK(weir_collect_create(&c, 3, &err) == WEIR_OK);
    CHECK(weir_collect_result(c) == NULL);
    weir_collect_destroy(c);
    weir_collect_destroy(NULL);
}

int main(void)
{
    RUN(test_a_difference_is_measured_minus_golden);
    RUN(test_the_last_tolerance_that_fits_counts);
    RUN(test_levels_below_the_floor_count_as_the_floor);
    RUN(test_a_tolerance_in_hertz_is_what_the_header_says);
    RUN(test_tolerances_in_hertz_of_bands);
    RUN(test_a_shifted_line_a_new_one_and_a_missing_one);
    RUN(test_regions);
    RUN(test_regions_hold_all_that_differs);
    RUN(test_what_is_written_is_read);
    RUN(test_settings_and_counts_are_compared);
    RUN(test_golden_files_that_are_refused);
    RUN(test_collect_weighs_by_transforms);
    return check_finish();
}
