#include "dsp/window_hard.h"

#include "dsp/fft_f64.h"

#include <math.h>
#include <stdlib.h>

/* ---- Dolph-Chebyshev ---- */

/* T_order(x0 cos phi) for x0 = cosh(a). The distance of the argument from 1 is formed
 * without cancellation: at a million points it is 1e-10 and decides everything. */
static double chebyshev_at(double order, double a, double phi)
{
    double half_a = sinh(a / 2), half_phi = sin(phi / 2);
    double above_one = 2 * (half_a * half_a - cosh(a) * half_phi * half_phi);
    if (above_one >= 0) {
        return cosh(order * 2 * asinh(sqrt(above_one / 2)));
    }
    return cos(order * 2 * asin(sqrt(fmin(-above_one / 2, 1))));
}

/* Spectrum of m points, half a sample late when m is even so that the result is real.
 * T_order(-x) = (-1)^order T_order(x) gives the second half. */
static void fill_chebyshev_spectrum(double attenuation_db, double *data, size_t m)
{
    double order = (double)m - 1;
    double a = acosh(pow(10, attenuation_db / 20)) / order;
    double sign = m % 2 ? 1 : -1;
    for (size_t k = 0; k < m; k++) {
        double phi = M_PI * (double)k / (double)m;
        double p =
            2 * k <= m ? chebyshev_at(order, a, phi) : sign * chebyshev_at(order, a, M_PI - phi);
        double delay = m % 2 ? 0 : phi;
        data[2 * k] = p * cos(delay);
        data[2 * k + 1] = p * sin(delay);
    }
}

/* Coefficient i from the transform, which is centred on 0, or for even n on 1/2. */
static double chebyshev_coefficient(const double *data, size_t i, size_t n)
{
    size_t right = i < n - 1 - i ? n - 1 - i : i;
    return data[2 * (n % 2 ? right - (n - 1) / 2 : right - n / 2 + 1)];
}

weir_status weir_window_fill_chebyshev(double attenuation_db, double *coefficients, size_t n,
                                       weir_error *err)
{
    weir_fft_f64 *fft;
    weir_status status = weir_fft_f64_create(&fft, n, err);
    if (status) {
        return status;
    }
    double *data = malloc(2 * n * sizeof *data);
    if (!data) {
        weir_fft_f64_destroy(fft);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a window of %zu points", n);
    }
    fill_chebyshev_spectrum(attenuation_db, data, n);
    weir_fft_f64_forward(fft, data);
    double peak = 0;
    for (size_t i = 0; i < n; i++) {
        coefficients[i] = chebyshev_coefficient(data, i, n);
        peak = fmax(peak, coefficients[i]);
    }
    for (size_t i = 0; i < n; i++) {
        coefficients[i] /= peak;
    }
    free(data);
    weir_fft_f64_destroy(fft);
    return WEIR_OK;
}

/* ---- DPSS ----
 *
 * The sequence is the eigenvector of the largest eigenvalue of a tridiagonal matrix
 * (Slepian 1978): diagonal x^2 cos(2 pi W) with x = (m-1)/2 - i, beside it i(m-i)/2.
 * Less (m^2-1)/4, that is -(L + V): L the Laplacian of a chain with weights
 * e = i(m-i)/2, and V = 2 x^2 sin^2(pi W). So wanted is the *smallest* eigenvalue of L + V, which
 * has an elimination without a single subtraction, exact in every component at any size (the
 * diagonally dominant form of Gauss's, as Grassmann, Taksar and Heyman's).
 *
 * The sequence is even: only the half 0 .. h-1 is solved. With m odd the middle row
 * counts half. Inverse iteration converges by the ratio of the first to the third
 * eigenvalue, 1/5, or with a shift of nine tenths of the first, by about 1/40. */

typedef struct chain {
    size_t h;       /* rows                                      */
    double *weight; /* e_i between rows i-1 and i; [0] unused    */
    double *pivot;
    double *potential;  /* V_i                                    */
    double middle_mass; /* of row h-1: 1/2 with m odd            */
} chain;

static void fill_chain(chain *c, size_t m, double nw)
{
    double s = sin(M_PI * nw / (double)m);
    for (size_t i = 0; i < c->h; i++) {
        double x = ((double)m - 1) / 2 - (double)i;
        c->weight[i] = (double)i * (double)(m - i) / 2;
        c->potential[i] = 2 * x * x * s * s;
    }
    c->middle_mass = m % 2 ? 0.5 : 1;
}

static double mass(const chain *c, size_t i)
{
    return i + 1 == c->h ? c->middle_mass : 1;
}

/* Pivots of L + V - shift: p_i = e_(i+1) + s_i, s_(i+1) = v_(i+1) + e_(i+1) s_i / p_i. */
static void eliminate(chain *c, double shift)
{
    double surplus = 0;
    for (size_t i = 0; i < c->h; i++) {
        if (i > 0) {
            surplus *= c->weight[i] / c->pivot[i - 1];
        }
        surplus += (c->potential[i] - shift) * mass(c, i);
        c->pivot[i] = surplus + (i + 1 < c->h ? c->weight[i + 1] : 0);
    }
}

/* x becomes (L + V - shift)^-1 x, scaled to 1 in the middle, its largest. Returns the
 * largest change. */
static double iterate(const chain *c, double *x, double *previous)
{
    size_t h = c->h;
    for (size_t i = 0; i < h; i++) {
        previous[i] = x[i];
        x[i] *= mass(c, i);
        if (i > 0) {
            x[i] += c->weight[i] / c->pivot[i - 1] * x[i - 1];
        }
    }
    x[h - 1] /= c->pivot[h - 1];
    for (size_t i = h - 1; i-- > 0;) {
        x[i] = (x[i] + c->weight[i + 1] * x[i + 1]) / c->pivot[i];
    }
    double scale = 1 / x[h - 1], change = 0;
    for (size_t i = 0; i < h; i++) {
        x[i] *= scale;
        change = fmax(change, fabs(x[i] - previous[i]));
    }
    return change;
}

static double rayleigh_quotient(const chain *c, const double *x)
{
    double energy = 0, norm = 0;
    for (size_t i = 0; i < c->h; i++) {
        double step = i > 0 ? x[i] - x[i - 1] : 0;
        energy += c->weight[i] * step * step + c->potential[i] * mass(c, i) * x[i] * x[i];
        norm += mass(c, i) * x[i] * x[i];
    }
    return energy / norm;
}

static void solve(chain *c, double *x, double *previous)
{
    for (size_t i = 0; i < c->h; i++) {
        x[i] = 1;
    }
    eliminate(c, 0);
    for (int i = 0; i < 4; i++) {
        iterate(c, x, previous);
    }
    /* The quotient is above the eigenvalue by the square of the error, less than 1 %. */
    eliminate(c, 0.9 * rayleigh_quotient(c, x));
    for (int i = 0; i < 40; i++) {
        if (iterate(c, x, previous) < 1e-15) {
            break;
        }
    }
}

/* SciPy's "approximate" norm: the largest is 1, between samples where m is even. */
static void unfold(const double *half, size_t m, double nw, double *coefficients, size_t n)
{
    double square = (double)m * (double)m;
    double scale = m % 2 ? 1 : square / (square + nw);
    for (size_t i = 0; i < n; i++) {
        size_t left = i < m - 1 - i ? i : m - 1 - i;
        coefficients[i] = scale * half[left];
    }
}

weir_status weir_window_fill_dpss(double nw, double *coefficients, size_t n, weir_error *err)
{
    if (2 * nw >= (double)n) {
        return weir_fail(err, WEIR_ERR_USAGE, "window dpss:%g needs more than %g points, not %zu",
                         nw, 2 * nw, n);
    }
    size_t m = n + 1, h = (m + 1) / 2;
    double *memory = calloc(h, 5 * sizeof *memory);
    if (!memory) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a window of %zu points", n);
    }
    chain c = {.h = h, .weight = memory, .pivot = memory + h, .potential = memory + 2 * h};
    double *x = memory + 3 * h;
    fill_chain(&c, m, nw);
    solve(&c, x, memory + 4 * h);
    unfold(x, m, nw, coefficients, n);
    free(memory);
    return WEIR_OK;
}
