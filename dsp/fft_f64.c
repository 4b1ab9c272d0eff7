#include "dsp/fft_f64.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Below this many points a transform stays in the first-level cache. */
#define LEAF_POINTS 1024

struct weir_fft_f64 {
    size_t n;          /* points asked for                                         */
    size_t m;          /* points of the power-of-two transform, n itself or >= 2n-1 */
    double *twiddle;   /* m points; those of half-length h lie at h .. 2h-1        */
    double *chirp;     /* n points, exp(-i pi j^2 / n); NULL for a power of two    */
    double *chirp_fft; /* m points, transform of the conjugate chirp, bit-reversed */
    double *work;      /* m points                                                 */
};

static bool is_power_of_two(size_t n)
{
    return (n & (n - 1)) == 0;
}

/* One level, natural order to halves of even and odd outputs (decimation in frequency). */
static void split(double *restrict lower, double *restrict upper, const double *restrict w,
                  size_t half)
{
    for (size_t j = 0; j < half; j++) {
        double re = lower[2 * j] - upper[2 * j], im = lower[2 * j + 1] - upper[2 * j + 1];
        lower[2 * j] += upper[2 * j];
        lower[2 * j + 1] += upper[2 * j + 1];
        upper[2 * j] = re * w[2 * j] - im * w[2 * j + 1];
        upper[2 * j + 1] = re * w[2 * j + 1] + im * w[2 * j];
    }
}

/* The inverse of split (times 2), for the way back from bit-reversed order. */
static void join(double *restrict lower, double *restrict upper, const double *restrict w,
                 size_t half)
{
    for (size_t j = 0; j < half; j++) {
        double re = upper[2 * j] * w[2 * j] + upper[2 * j + 1] * w[2 * j + 1];
        double im = upper[2 * j + 1] * w[2 * j] - upper[2 * j] * w[2 * j + 1];
        upper[2 * j] = lower[2 * j] - re;
        upper[2 * j + 1] = lower[2 * j + 1] - im;
        lower[2 * j] += re;
        lower[2 * j + 1] += im;
    }
}

/* Natural order in, bit-reversed out. Depth first above the cache's size. */
static void transform(double *x, size_t n, const double *twiddle)
{
    if (n > LEAF_POINTS) {
        split(x, x + n, twiddle + n, n / 2);
        transform(x, n / 2, twiddle);
        transform(x + n, n / 2, twiddle);
        return;
    }
    for (size_t half = n / 2; half >= 1; half /= 2) {
        for (size_t at = 0; at < n; at += 2 * half) {
            split(x + 2 * at, x + 2 * (at + half), twiddle + 2 * half, half);
        }
    }
}

/* Bit-reversed order in, natural out, with the opposite sign of the exponent. */
static void transform_back(double *x, size_t n, const double *twiddle)
{
    if (n > LEAF_POINTS) {
        transform_back(x, n / 2, twiddle);
        transform_back(x + n, n / 2, twiddle);
        join(x, x + n, twiddle + n, n / 2);
        return;
    }
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t at = 0; at < n; at += 2 * half) {
            join(x + 2 * at, x + 2 * (at + half), twiddle + 2 * half, half);
        }
    }
}

static void bit_reverse(double *x, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n / 2;
        for (; j & bit; bit /= 2) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            double re = x[2 * i], im = x[2 * i + 1];
            x[2 * i] = x[2 * j];
            x[2 * i + 1] = x[2 * j + 1];
            x[2 * j] = re;
            x[2 * j + 1] = im;
        }
    }
}

static void fill_twiddles(double *twiddle, size_t m)
{
    for (size_t half = m / 2, j = 0; j < half; j++) {
        double angle = -2 * M_PI * (double)j / (double)m;
        twiddle[2 * (half + j)] = cos(angle);
        twiddle[2 * (half + j) + 1] = sin(angle);
    }
    for (size_t half = m / 4; half >= 1; half /= 2) {
        for (size_t j = 0; j < half; j++) {
            memcpy(twiddle + 2 * (half + j), twiddle + 4 * (half + j), 2 * sizeof(double));
        }
    }
}

/* j^2 modulo 2n, stepped exactly, keeps the angle small and so the chirp exact. */
static void fill_chirp(weir_fft_f64 *fft)
{
    size_t n = fft->n, square = 0;
    memset(fft->chirp_fft, 0, 2 * fft->m * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        double angle = M_PI * (double)square / (double)n;
        double re = cos(angle), im = sin(angle);
        fft->chirp[2 * j] = re;
        fft->chirp[2 * j + 1] = -im;
        size_t mirrored = j ? fft->m - j : 0;
        fft->chirp_fft[2 * j] = fft->chirp_fft[2 * mirrored] = re;
        fft->chirp_fft[2 * j + 1] = fft->chirp_fft[2 * mirrored + 1] = im;
        square = (square + 2 * j + 1) % (2 * n);
    }
    transform(fft->chirp_fft, fft->m, fft->twiddle);
    for (size_t i = 0; i < 2 * fft->m; i++) {
        fft->chirp_fft[i] /= (double)fft->m;
    }
}

static size_t padded_points(size_t n)
{
    if (is_power_of_two(n)) {
        return n;
    }
    size_t m = 2;
    while (m < 2 * n - 1) {
        m *= 2;
    }
    return m;
}

weir_status weir_fft_f64_create(weir_fft_f64 **out, size_t n, weir_error *err)
{
    *out = NULL;
    if (n < 1 || n > SIZE_MAX / 256) {
        return weir_fail(err, WEIR_ERR_USAGE, "a transform of %zu points is not possible", n);
    }
    weir_fft_f64 *fft = calloc(1, sizeof *fft);
    if (!fft) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a transform of %zu points", n);
    }
    fft->n = n;
    fft->m = padded_points(n);
    bool chirped = fft->m != n;
    size_t point = 2 * sizeof(double);
    fft->twiddle = malloc(fft->m * point);
    if (chirped) {
        fft->chirp = malloc(n * point);
        fft->chirp_fft = malloc(fft->m * point);
        fft->work = malloc(fft->m * point);
    }
    if (!fft->twiddle || (chirped && !(fft->chirp && fft->chirp_fft && fft->work))) {
        weir_fft_f64_destroy(fft);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a transform of %zu points", n);
    }
    fill_twiddles(fft->twiddle, fft->m);
    if (chirped) {
        fill_chirp(fft);
    }
    *out = fft;
    return WEIR_OK;
}

static void multiply(double *restrict a, const double *restrict b, const double *restrict c,
                     size_t n)
{
    for (size_t i = 0; i < 2 * n; i += 2) {
        double re = b[i] * c[i] - b[i + 1] * c[i + 1];
        a[i + 1] = b[i] * c[i + 1] + b[i + 1] * c[i];
        a[i] = re;
    }
}

static void multiply_in_place(double *restrict a, const double *restrict b, size_t n)
{
    for (size_t i = 0; i < 2 * n; i += 2) {
        double re = a[i] * b[i] - a[i + 1] * b[i + 1];
        a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
        a[i] = re;
    }
}

/* Bluestein 1970: X[k] = c[k] sum (x[j] c[j]) conj(c[k-j]), c = chirp; a convolution. */
void weir_fft_f64_forward(weir_fft_f64 *fft, double *data)
{
    if (!fft->chirp) {
        transform(data, fft->n, fft->twiddle);
        bit_reverse(data, fft->n);
        return;
    }
    multiply(fft->work, data, fft->chirp, fft->n);
    memset(fft->work + 2 * fft->n, 0, 2 * (fft->m - fft->n) * sizeof(double));
    transform(fft->work, fft->m, fft->twiddle);
    multiply_in_place(fft->work, fft->chirp_fft, fft->m);
    transform_back(fft->work, fft->m, fft->twiddle);
    multiply(data, fft->work, fft->chirp, fft->n);
}

void weir_fft_f64_destroy(weir_fft_f64 *fft)
{
    if (!fft) {
        return;
    }
    free(fft->twiddle);
    free(fft->chirp);
    free(fft->chirp_fft);
    free(fft->work);
    free(fft);
}
