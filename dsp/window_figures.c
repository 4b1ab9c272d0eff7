/* What a window does to levels: the second half of dsp/window.h. */
#include "dsp/window.h"

#include "dsp/fft_f64.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    PADDING = 64,
    SKETCH_POINTS = 1024,
    DENSE_BINS = 512,      /* no main lobe of the table is wider */
    ENBW_POINTS = 1 << 20, /* from there on ENBW no longer changes with n */
};

void weir_window_gain(const double *coefficients, size_t n, double *coherent_gain,
                      double *enbw_bins)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        sum += coefficients[i];
        square += coefficients[i] * coefficients[i];
    }
    *coherent_gain = sum / (double)n;
    *enbw_bins = (double)n * square / (sum * sum);
}

/* The padded transform, of which all is kept near the main lobe (power at every 1/64
 * bin), and the maximum beyond. */
typedef struct transform {
    size_t n;
    size_t n_dense; /* points of dense */
    double *dense;  /* power at i / 64 bins */
    double beyond;  /* highest power from there to n/2 bins */
    double *row;    /* n complex points */
} transform;

static void keep(transform *t, size_t point, double power)
{
    if (point < t->n_dense) {
        t->dense[point] = power;
    } else if (point <= PADDING * t->n / 2) {
        t->beyond = fmax(t->beyond, power);
    }
}

/* All frequencies k + residue/64: the transform of the coefficients shifted by that
 * fraction. Real coefficients: the upper half holds the mirrored residue. */
static void transform_row(transform *t, weir_fft_f64 *fft, const double *coefficients,
                          size_t residue)
{
    size_t n = t->n;
    for (size_t i = 0; i < n; i++) {
        double angle = -2 * M_PI * (double)residue * (double)i / ((double)n * PADDING);
        t->row[2 * i] = coefficients[i] * cos(angle);
        t->row[2 * i + 1] = coefficients[i] * sin(angle);
    }
    weir_fft_f64_forward(fft, t->row);
    for (size_t k = 0; k < n; k++) {
        double power = t->row[2 * k] * t->row[2 * k] + t->row[2 * k + 1] * t->row[2 * k + 1];
        size_t point = PADDING * k + residue;
        keep(t, point <= PADDING * n / 2 ? point : PADDING * n - point, power);
    }
}

/* The first minimum that is no ripple of a flat top. */
static size_t first_null(const transform *t)
{
    for (size_t i = 1; i + 1 < t->n_dense; i++) {
        if (t->dense[i] < 0.1 * t->dense[0] && t->dense[i] <= t->dense[i + 1]) {
            return i;
        }
    }
    return t->n_dense - 1;
}

static double ratio_db(double power, double reference)
{
    return power > 0 ? 10 * log10(power / reference) : -INFINITY;
}

static void read_figures(const transform *t, weir_window_figures *figures)
{
    double reference = t->dense[0];
    figures->scalloping_db = -ratio_db(t->dense[PADDING / 2], reference);
    figures->max_error_db = 0;
    for (size_t i = 1; i <= PADDING / 2; i++) {
        double error = fabs(ratio_db(t->dense[i], reference));
        figures->max_error_db = fmax(figures->max_error_db, error);
    }
    size_t null = first_null(t);
    double highest = t->beyond;
    for (size_t i = null + 1; i < t->n_dense; i++) {
        highest = fmax(highest, t->dense[i]);
    }
    figures->main_lobe_bins = (double)null / PADDING;
    figures->highest_sidelobe_db = ratio_db(highest, reference);
}

weir_status weir_window_measure(const double *coefficients, size_t n, weir_window_figures *figures,
                                weir_error *err)
{
    if (n < 2 || n > SIZE_MAX / 4096) {
        return weir_fail(err, WEIR_ERR_USAGE, "a window of %zu points has no figures", n);
    }
    weir_fft_f64 *fft;
    weir_status status = weir_fft_f64_create(&fft, n, err);
    if (status) {
        return status;
    }
    size_t dense = PADDING * (n / 2 < DENSE_BINS ? n / 2 : DENSE_BINS) + 1;
    transform t = {.n = n, .n_dense = dense};
    t.dense = calloc(dense, sizeof *t.dense);
    t.row = malloc(2 * n * sizeof *t.row);
    if (t.dense && t.row) {
        for (size_t residue = 0; residue <= PADDING / 2; residue++) {
            transform_row(&t, fft, coefficients, residue);
        }
        weir_window_gain(coefficients, n, &figures->coherent_gain, &figures->enbw_bins);
        read_figures(&t, figures);
    } else {
        status = weir_fail(err, WEIR_ERR_NOMEM, "no memory for the figures of %zu points", n);
    }
    free(t.dense);
    free(t.row);
    weir_fft_f64_destroy(fft);
    return status;
}

weir_status weir_window_draw(weir_window_sketch *sketch, const char *text, size_t n,
                             weir_error *err)
{
    *sketch = (weir_window_sketch){.n = n < SKETCH_POINTS ? n : SKETCH_POINTS};
    weir_status status = weir_window_parse(text, &sketch->window, &sketch->parameter, err);
    if (status == WEIR_OK) {
        sketch->coefficients = malloc(sketch->n * sizeof *sketch->coefficients);
        status = sketch->coefficients ? weir_window_fill(sketch->window, sketch->parameter,
                                                         sketch->coefficients, sketch->n, err)
                                      : weir_fail(err, WEIR_ERR_NOMEM, "no memory for a window");
    }
    if (status == WEIR_OK) {
        status = weir_window_measure(sketch->coefficients, sketch->n, &sketch->figures, err);
    }
    if (status != WEIR_OK) {
        free(sketch->coefficients);
        sketch->coefficients = NULL;
    }
    return status;
}

double weir_window_independent(const double *coefficients, size_t n, double hop_part,
                               uint64_t n_frames)
{
    double frames = (double)n_frames, square = 0, sum = 1;
    for (size_t i = 0; i < n; i++) {
        square += coefficients[i] * coefficients[i];
    }
    for (double j = 1; j < frames && j * hop_part < 1; j++) {
        size_t lag = (size_t)(j * hop_part * (double)n + 0.5);
        double product = 0;
        for (size_t i = 0; i + lag < n; i++) {
            product += coefficients[i] * coefficients[i + lag];
        }
        sum += 2 * (1 - j / frames) * (product / square) * (product / square);
    }
    return frames / sum;
}

static weir_status enbw_at(const weir_window *window, double parameter, size_t n, double *enbw,
                           weir_error *err)
{
    n = n < ENBW_POINTS ? n : ENBW_POINTS;
    double gain, *coefficients = malloc(n * sizeof *coefficients);
    if (!coefficients) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a window of %zu points", n);
    }
    weir_status status = weir_window_fill(window, parameter, coefficients, n, err);
    if (!status) {
        weir_window_gain(coefficients, n, &gain, enbw);
    }
    free(coefficients);
    return status;
}

weir_status weir_window_size_for_rbw(const weir_window *window, double parameter, double rate_hz,
                                     double rbw_hz, size_t *n, double *enbw_bins, weir_error *err)
{
    double bins = rate_hz / rbw_hz;
    if (!(rate_hz > 0 && rbw_hz > 0) || !(bins >= 1e-6 && bins < 1e9)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "a resolution bandwidth of %g Hz at %g Hz is not possible", rbw_hz,
                         rate_hz);
    }
    /* ENBW changes slowly with n: a few steps settle it. */
    size_t points = 1024;
    double enbw = 1;
    for (int i = 0; i < 5; i++) {
        weir_status status = enbw_at(window, parameter, points, &enbw, err);
        if (status) {
            return status;
        }
        double wanted = ceil(enbw * bins * (1 - 1e-12));
        if (!(wanted >= 2 && wanted <= 1 << 30)) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "a resolution bandwidth of %g Hz needs %.0f points, 2 to 2^30 are "
                             "possible",
                             rbw_hz, wanted);
        }
        if ((double)points == wanted) {
            break;
        }
        points = (size_t)wanted;
    }
    *n = points;
    if (enbw_bins) {
        *enbw_bins = enbw;
    }
    return WEIR_OK;
}
