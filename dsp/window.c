#include "dsp/window.h"

#include "base/text.h"
#include "base/units.h"
#include "dsp/window_hard.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct weir_window {
    const char *name;
    const char *help;
    const char *parameter; /* what the number after the colon is; NULL: none */
    double default_value, lowest, highest;
    /* One coefficient at sample i of n, 0 <= i <= n/2; the rest by symmetry. Or: */
    double (*at)(const weir_window *row, double parameter, size_t i, size_t n);
    /* all of them at once. */
    weir_status (*fill)(double parameter, double *coefficients, size_t n, weir_error *err);
    double cosine[11]; /* a0, a1 ... of a0 - a1 cos z + a2 cos 2z ..., z = 2 pi i / n */
};

static double cosine_sum(const weir_window *row, double parameter, size_t i, size_t n)
{
    (void)parameter;
    double sum = row->cosine[0], sign = -1;
    for (size_t k = 1; k < sizeof row->cosine / sizeof *row->cosine; k++) {
        if (row->cosine[k] != 0) {
            sum += sign * row->cosine[k] * cos(2 * M_PI * (double)(k * i % n) / (double)n);
        }
        sign = -sign;
    }
    return sum;
}

static double triangle(const weir_window *row, double parameter, size_t i, size_t n)
{
    (void)row, (void)parameter;
    return 2 * (double)i / (double)n;
}

/* Modified Bessel function of order 0. All terms are positive: exact to a few ulps. */
static double bessel_i0(double x)
{
    double quarter = x * x / 4, term = 1, sum = 1;
    for (double k = 1; term > sum * 1e-17; k++) {
        term *= quarter / (k * k);
        sum += term;
    }
    return sum;
}

static double kaiser(const weir_window *row, double beta, size_t i, size_t n)
{
    (void)row;
    double x = 1 - 2 * (double)i / (double)n;
    return bessel_i0(beta * sqrt(fmax(0, 1 - x * x))) / bessel_i0(beta);
}

/* SciPy's, whose taper ends on a whole sample. */
static double tukey(const weir_window *row, double alpha, size_t i, size_t n)
{
    (void)row;
    double x = (double)i, taper = alpha * (double)n / 2;
    return alpha > 0 && x <= floor(taper) ? 0.5 * (1 - cos(M_PI * x / taper)) : 1;
}

static double gaussian(const weir_window *row, double sigma, size_t i, size_t n)
{
    (void)row;
    double x = ((double)i / (double)n - 0.5) / sigma;
    return exp(-0.5 * x * x);
}

#define COSINE(...) .at = cosine_sum, .cosine = {__VA_ARGS__}
#define PARAMETER(text, value, low, high)                                                          \
    .parameter = (text), .default_value = (value), .lowest = (low), .highest = (high)

/* Harris 1978; Nuttall 1981; Heinzel, Ruediger and Schilling 2002 for the hft rows. */
static const weir_window windows[] = {
    {.name = "rectangular",
     .help = "none: narrowest, highest side lobes; for transients and coherent tones",
     COSINE(1)},
    {.name = "bartlett", .help = "triangle", .at = triangle},
    {.name = "hann", .help = "the usual choice for noise and general use", COSINE(0.5, 0.5)},
    {.name = "hamming",
     .help = "lower first side lobes than hann, higher far ones",
     COSINE(0.54, 0.46)},
    {.name = "blackman", .help = "three terms, rounded coefficients", COSINE(0.42, 0.5, 0.08)},
    {.name = "exact-blackman",
     .help = "three terms, zeros where the highest side lobes would be",
     COSINE(7938.0 / 18608, 9240.0 / 18608, 1430.0 / 18608)},
    {.name = "blackman-harris",
     .help = "four terms, side lobes below -92 dB: radio and measurements",
     COSINE(0.35875, 0.48829, 0.14128, 0.01168)},
    {.name = "nuttall",
     .help = "four terms, side lobes below -98 dB",
     COSINE(0.3635819, 0.4891775, 0.1365995, 0.0106411)},
    {.name = "nuttall-c1",
     .help = "four terms, continuous first derivative: side lobes fall by 18 dB/octave",
     COSINE(0.355768, 0.487396, 0.144232, 0.012604)},
    {.name = "kaiser",
     .help = "side lobes against width by beta",
     .at = kaiser,
     PARAMETER("beta", 8.6, 0, 500)},
    {.name = "dolph-chebyshev",
     .help = "narrowest main lobe for a given side lobe level",
     .fill = weir_window_fill_chebyshev,
     PARAMETER("dB", 100, 20, 300)},
    {.name = "tukey",
     .help = "flat with cosine ends; the part tapered",
     .at = tukey,
     PARAMETER("alpha", 0.5, 0, 1)},
    {.name = "gaussian",
     .help = "standard deviation as a part of N; exact peak interpolation",
     .at = gaussian,
     PARAMETER("sigma", 0.125, 0.02, 10)},
    {.name = "dpss",
     .help = "most energy within NW bins of the centre (Slepian)",
     .fill = weir_window_fill_dpss,
     PARAMETER("NW", 4, 0.1, 100)},
    {.name = "flattop",
     .help = "level right anywhere between bins, as SciPy and Matlab",
     COSINE(0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)},
    {.name = "hft70", .help = "flat-top, -70 dB", COSINE(1, 1.90796, 1.07349, 0.18199)},
    {.name = "hft90d",
     .help = "flat-top, -90 dB, side lobes falling",
     COSINE(1, 1.942604, 1.340318, 0.440811, 0.043097)},
    {.name = "hft95",
     .help = "flat-top, -95 dB",
     COSINE(1, 1.9383379, 1.3045202, 0.4028270, 0.0350665)},
    {.name = "hft116d",
     .help = "flat-top, -116 dB, side lobes falling",
     COSINE(1, 1.9575375, 1.4780705, 0.6367431, 0.1228389, 0.0066288)},
    {.name = "hft144d",
     .help = "flat-top, -144 dB, side lobes falling",
     COSINE(1, 1.96760033, 1.57983607, 0.81123644, 0.22583558, 0.02773848, 0.00090360)},
    {.name = "hft169d",
     .help = "flat-top, -169 dB, side lobes falling",
     COSINE(1, 1.97441843, 1.65409889, 0.95788187, 0.33673420, 0.06364622, 0.00521942, 0.00010599)},
    {.name = "hft196d",
     .help = "flat-top, -196 dB, side lobes falling",
     COSINE(1, 1.979280420, 1.710288951, 1.081629853, 0.448734314, 0.112376628, 0.015122992,
            0.000871252, 0.000011896)},
    {.name = "hft223d",
     .help = "flat-top, -223 dB, side lobes falling",
     COSINE(1, 1.98298997309, 1.75556083063, 1.19037717712, 0.56155440797, 0.17296769663,
            0.03233247087, 0.00324954578, 0.00013801040, 0.00000132725)},
    {.name = "hft248d",
     .help = "flat-top, -248 dB, side lobes falling",
     COSINE(1, 1.985844164102, 1.791176438506, 1.282075284005, 0.667777530266, 0.240160796576,
            0.056656381764, 0.008134974479, 0.000624544650, 0.000019808998, 0.000000132974)},
};

enum { N_WINDOWS = sizeof windows / sizeof *windows };

static const struct {
    const char *alias, *name;
} aliases[] = {
    {"rect", "rectangular"},
    {"boxcar", "rectangular"},
    {"none", "rectangular"},
    {"triangular", "bartlett"},
    {"hanning", "hann"},
    {"blackman-harris-4", "blackman-harris"},
    {"chebwin", "dolph-chebyshev"},
    {"chebyshev", "dolph-chebyshev"},
    {"slepian", "dpss"},
};

const weir_window *weir_window_at(size_t index)
{
    return index < N_WINDOWS ? &windows[index] : NULL;
}

const char *weir_window_name(const weir_window *window)
{
    return window->name;
}

const char *weir_window_help(const weir_window *window)
{
    return window->help;
}

const char *weir_window_parameter(const weir_window *window, double *default_value)
{
    *default_value = window->default_value;
    return window->parameter;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Case, "-" and "_" do not matter: "BlackmanHarris" is "blackman-harris". */
static int names_match(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, "-_");
        b += strspn(b, "-_");
        if (lower(*a) != lower(*b)) {
            return 0;
        }
        if (!*a) {
            return 1;
        }
        a++;
        b++;
    }
}

static const weir_window *find(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (names_match(name, aliases[i].alias)) {
            name = aliases[i].name;
            break;
        }
    }
    for (size_t i = 0; i < N_WINDOWS; i++) {
        if (names_match(name, windows[i].name)) {
            return &windows[i];
        }
    }
    return NULL;
}

static weir_status unknown(const char *name, weir_error *err)
{
    const char *names[N_WINDOWS + 1];
    for (size_t i = 0; i < N_WINDOWS; i++) {
        names[i] = windows[i].name;
    }
    names[N_WINDOWS] = NULL;
    const char *near = weir_nearest_name(name, names);
    if (near) {
        return weir_fail(err, WEIR_ERR_USAGE, "no window \"%s\"; did you mean \"%s\"?", name, near);
    }
    return weir_fail(err, WEIR_ERR_USAGE, "no window \"%s\"; `weir windows` lists them", name);
}

static weir_status check_range(const weir_window *row, double value, weir_error *err)
{
    if (row->parameter && !(value >= row->lowest && value <= row->highest)) {
        return weir_fail(err, WEIR_ERR_USAGE, "window %s: %s is %g, must be %g to %g", row->name,
                         row->parameter, value, row->lowest, row->highest);
    }
    return WEIR_OK;
}

weir_status weir_window_parse(const char *text, const weir_window **window, double *parameter,
                              weir_error *err)
{
    char name[64];
    size_t length = strcspn(text, ":");
    if (length >= sizeof name) {
        return weir_fail(err, WEIR_ERR_USAGE, "no window \"%.60s...\"", text);
    }
    memcpy(name, text, length);
    name[length] = '\0';
    const weir_window *row = find(name);
    if (!row) {
        return unknown(name, err);
    }
    double value = row->default_value;
    if (text[length] == ':') {
        if (!row->parameter) {
            return weir_fail(err, WEIR_ERR_USAGE, "window %s takes no parameter: \"%s\"", row->name,
                             text);
        }
        if (weir_parse_number(text + length + 1, &value, err)) {
            return weir_fail_context(err, "window %s, %s", row->name, row->parameter);
        }
    }
    if (check_range(row, value, err)) {
        return WEIR_ERR_USAGE;
    }
    *window = row;
    *parameter = value;
    return WEIR_OK;
}

weir_status weir_window_fill(const weir_window *window, double parameter, double *coefficients,
                             size_t n, weir_error *err)
{
    if (n < 1 || n > SIZE_MAX / 256) {
        return weir_fail(err, WEIR_ERR_USAGE, "a window of %zu points is not possible", n);
    }
    if (check_range(window, parameter, err)) {
        return WEIR_ERR_USAGE;
    }
    if (n == 1) {
        coefficients[0] = 1;
        return WEIR_OK;
    }
    if (window->fill) {
        return window->fill(parameter, coefficients, n, err);
    }
    for (size_t i = 0; i <= n / 2; i++) {
        coefficients[i] = window->at(window, parameter, i, n);
        if (i > 0) {
            coefficients[n - i] = coefficients[i];
        }
    }
    return WEIR_OK;
}
