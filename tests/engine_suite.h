/* What dsp/engine.h promises, as one suite for every engine: a test program calls
 * engine_suite(create). The reference is arithmetic in double precision that knows the
 * whole stream at once. */
#ifndef WEIR_TESTS_ENGINE_SUITE_H
#define WEIR_TESTS_ENGINE_SUITE_H

#include "dsp/engine.h"
#include "tests/check.h"

#include <complex.h>
#include <stdbool.h>

typedef weir_status suite_create_function(weir_engine **, const weir_engine_config *, weir_error *);

static suite_create_function *suite_create;

/* An engine that does not do every size defines this to give the nearest that it does. */
#ifndef SUITE_SIZE
#define SUITE_SIZE(n) (n)
#endif

/* Of the peak of a spectrum: float transforms are good to 3e-7 of it in amplitude, which
 * is twice that in power, and sums of up to 64 floats add as much again. The peak is that
 * of any frame and before detrending, since what is rounded is what goes in: a minimum of
 * many frames, or the rest of a large offset, may be far below it. */
#define SUITE_TOLERANCE 2e-6

enum { SUITE_MAX_SEGMENTS = 6 };

typedef struct suite_segment {
    uint64_t first, n, lost_before;
    double rate_hz, center_hz;
    size_t offset; /* of its samples in the stream's memory, in samples */
} suite_segment;

typedef struct suite_stream {
    weir_sample_format format;
    uint8_t *raw;
    size_t n_samples;
    suite_segment segments[SUITE_MAX_SEGMENTS];
    size_t n_segments;
    uint64_t lost_at_end;
} suite_stream;

/* Everything that one pass delivered, or should have. */
typedef struct suite_result {
    weir_spectrum *spectra; /* power[] points into memory of its own */
    size_t n_spectra, room;
    weir_totals totals;
} suite_result;

static inline uint64_t suite_below(check_rng *rng, uint64_t n)
{
    return check_random(rng) % n;
}

static inline void *suite_alloc(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

/* ---- results ---- */

static inline weir_spectrum *suite_add(suite_result *r, const weir_spectrum *spectrum)
{
    if (r->n_spectra == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->spectra = realloc(r->spectra, r->room * sizeof *r->spectra);
    }
    weir_spectrum *copy = &r->spectra[r->n_spectra++];
    *copy = *spectrum;
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        if (spectrum->power[t]) {
            float *line = suite_alloc(spectrum->n_bins, sizeof *line);
            memcpy(line, spectrum->power[t], spectrum->n_bins * sizeof *line);
            copy->power[t] = line;
        }
    }
    return copy;
}

static inline void suite_on_spectrum(void *user, const weir_spectrum *spectrum)
{
    suite_add(user, spectrum);
}

static inline void suite_free_result(suite_result *r)
{
    for (size_t i = 0; i < r->n_spectra; i++) {
        for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
            free((void *)(uintptr_t)r->spectra[i].power[t]);
        }
    }
    free(r->spectra);
    memset(r, 0, sizeof *r);
}

static inline bool suite_same_bits(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

/* Bit for bit, labels and all. */
static inline bool suite_same(const suite_result *a, const suite_result *b)
{
    if (a->n_spectra != b->n_spectra || memcmp(&a->totals, &b->totals, sizeof a->totals) != 0) {
        return false;
    }
    for (size_t i = 0; i < a->n_spectra; i++) {
        const weir_spectrum *x = &a->spectra[i], *y = &b->spectra[i];
        if (x->n_bins != y->n_bins || x->first_sample != y->first_sample ||
            x->n_frames != y->n_frames || x->clipped != y->clipped ||
            x->nonfinite != y->nonfinite || x->lost_before != y->lost_before ||
            x->lost_inside != y->lost_inside || x->end_sample != y->end_sample ||
            x->time_unix_ns != y->time_unix_ns || x->is_partial != y->is_partial) {
            return false;
        }
        for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
            if (!x->power[t] != !y->power[t] ||
                (x->power[t] &&
                 !suite_same_bits(x->power[t], y->power[t], x->n_bins * sizeof(float)))) {
                return false;
            }
        }
    }
    return true;
}

/* ---- streams ---- */

static inline void suite_store(const weir_sample_format *format, double value, uint8_t *p)
{
    size_t bytes = weir_scalar_bytes(format->scalar);
    bool big = format->scalar == WEIR_U16BE || format->scalar == WEIR_S16BE ||
               format->scalar == WEIR_S24BE || format->scalar == WEIR_U32BE ||
               format->scalar == WEIR_S32BE || format->scalar == WEIR_F32BE ||
               format->scalar == WEIR_F64BE;
    bool is_unsigned = format->scalar <= WEIR_U8_AUDIO || format->scalar == WEIR_U16LE ||
                       format->scalar == WEIR_U16BE || format->scalar == WEIR_U32LE ||
                       format->scalar == WEIR_U32BE;
    uint64_t bits;
    if (weir_scalar_is_float(format->scalar)) {
        float narrow = (float)value;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, 4);
        memcpy(&bits, &value, 8);
        bits = bytes == 4 ? narrow_bits : bits;
    } else {
        double half = ldexp(1, 8 * (int)bytes - 1);
        double code = format->scalar == WEIR_U8 ? value * 127.5 - 0.5 : value * half;
        code = fmax(-half, fmin(half - 1, round(code)));
        bits = (uint64_t)(int64_t)(code + (is_unsigned ? half : 0));
    }
    for (size_t i = 0; i < bytes; i++) {
        p[i] = (uint8_t)(bits >> 8 * (big ? bytes - 1 - i : i));
    }
}

/* Tones, an offset and noise, in every channel another mixture; a few samples clip. */
static inline void suite_fill(check_rng *rng, suite_stream *s)
{
    size_t parts = s->format.is_complex ? 2 : 1, width = parts * s->format.channels;
    size_t bytes = weir_scalar_bytes(s->format.scalar);
    double step[8], offset[8];
    for (size_t c = 0; c < width; c++) {
        step[c] = 3 * check_uniform(rng);
        offset[c] = 0.2 * check_uniform(rng) - 0.1;
    }
    s->raw = suite_alloc(s->n_samples * width, bytes);
    for (size_t i = 0; i < s->n_samples; i++) {
        for (size_t c = 0; c < width; c++) {
            double x = offset[c] + 0.5 * sin(step[c] * (double)i) + 0.05 * check_gauss(rng);
            x = suite_below(rng, 97) ? x : 1.5;
            suite_store(&s->format, x, s->raw + (i * width + c) * bytes);
        }
    }
}

static inline suite_stream suite_one_segment(weir_sample_format format, size_t n, double rate_hz)
{
    suite_stream s = {.format = format, .n_samples = n, .n_segments = 1};
    s.segments[0] = (suite_segment){.n = n, .rate_hz = rate_hz, .center_hz = 0};
    return s;
}

/* Gaps, retunes, segments shorter than a frame. */
static inline suite_stream suite_many_segments(check_rng *rng, weir_sample_format format, size_t n)
{
    suite_stream s = {.format = format, .lost_at_end = suite_below(rng, 2) * 77};
    s.n_segments = 1 + suite_below(rng, SUITE_MAX_SEGMENTS);
    uint64_t at = suite_below(rng, 1000);
    for (size_t i = 0; i < s.n_segments; i++) {
        suite_segment *g = &s.segments[i];
        g->lost_before = suite_below(rng, 2) * suite_below(rng, 5000);
        g->first = at + g->lost_before;
        g->n = suite_below(rng, 3) ? suite_below(rng, n) : suite_below(rng, 20);
        g->rate_hz = i && suite_below(rng, 4) ? g[-1].rate_hz : 2.4e6 + (double)i;
        g->center_hz = i && suite_below(rng, 4) ? g[-1].center_hz : 1e8 * (double)(i + 1);
        g->offset = s.n_samples;
        s.n_samples += g->n;
        at = g->first + g->n;
    }
    return s;
}

/* ---- driving an engine ---- */

static inline weir_run suite_run(const suite_stream *s, size_t ordinal, uint64_t from, uint64_t end)
{
    const suite_segment *g = &s->segments[ordinal];
    size_t stride = weir_format_stride_bytes(&s->format);
    return (weir_run){.samples = s->raw + (g->offset + (from - g->first)) * stride,
                      .n_samples = (size_t)(end - from),
                      .first_sample = from,
                      .rate_hz = g->rate_hz,
                      .center_hz = g->center_hz,
                      .lost_before = g->lost_before,
                      .segment = ordinal,
                      .ends = end == g->first + g->n,
                      .time_unix_ns = 1700000000000000000,
                      .segment_first_sample = g->first};
}

/* Pushes a segment in cuts of up to max_cut samples (0: at once), releasing as told. */
static inline void suite_push_segment(weir_engine *engine, const suite_stream *s, size_t ordinal,
                                      check_rng *rng, uint64_t max_cut)
{
    const suite_segment *g = &s->segments[ordinal];
    uint64_t from = g->first, end = from, last = from + g->n;
    bool done = false;
    while (!done) {
        uint64_t cut = max_cut ? suite_below(rng, max_cut + 1) : g->n;
        end = end + cut < last ? end + cut : last;
        weir_run run = suite_run(s, ordinal, from, end);
        size_t released = SIZE_MAX;
        weir_error err = {WEIR_OK, ""};
        weir_status status = weir_engine_push(engine, &run, &released, &err);
        CHECK_MSG(status == WEIR_OK, "%s", err.text);
        CHECK(released <= run.n_samples);
        if (status != WEIR_OK || released > run.n_samples) {
            return;
        }
        from += released;
        CHECK(!run.ends || from == last || weir_engine_busy(engine));
        done = end == last && from == last;
    }
}

/* One whole pass over the stream with a new engine. */
static inline suite_result suite_pass(const weir_engine_config *config, const suite_stream *s,
                                      check_rng *rng, uint64_t max_cut)
{
    suite_result r = {0};
    weir_engine_config own = *config;
    weir_engine *engine = NULL;
    weir_error err = {WEIR_OK, ""};
    own.format = s->format;
    own.on_spectrum = suite_on_spectrum;
    own.user = &r;
    weir_status status = suite_create(&engine, &own, &err);
    CHECK_MSG(status == WEIR_OK, "%s", err.text);
    if (status != WEIR_OK) {
        return r;
    }
    CHECK(strlen(weir_engine_describe(engine)) > 3);
    for (size_t i = 0; i < s->n_segments; i++) {
        suite_push_segment(engine, s, i, rng, max_cut);
    }
    CHECK(weir_engine_flush(engine, s->lost_at_end, &err) == WEIR_OK);
    CHECK(!weir_engine_busy(engine));
    weir_engine_totals(engine, &r.totals);
    CHECK(weir_totals_balance(&r.totals));
    weir_engine_destroy(engine);
    return r;
}

/* ---- the reference ---- */

static inline void suite_radix2(double complex *x, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            double complex t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t k = 0; k < half; k++) {
            double complex w = cexp(-I * M_PI * (double)k / (double)half);
            for (size_t i = k; i < n; i += 2 * half) {
                double complex t = w * x[i + half];
                x[i + half] = x[i] - t;
                x[i] += t;
            }
        }
    }
}

/* The definition itself, with the angle reduced in integers. */
static inline void suite_dft(const double complex *x, double complex *out, size_t n)
{
    double complex *root = suite_alloc(n, sizeof *root);
    for (size_t k = 0; k < n; k++) {
        root[k] = cexp(-2 * M_PI * I * (double)k / (double)n);
    }
    for (size_t k = 0; k < n; k++) {
        out[k] = 0;
        for (size_t i = 0, turn = 0; i < n; i++, turn = (turn + k) % n) {
            out[k] += x[i] * root[turn];
        }
    }
    free(root);
}

/* |X|^2 of one frame as the contract scales it, in the order of the spectrum's bins.
 * Returns their mean before detrending (by Parseval), which is how large what went in was. */
static inline double suite_reference_frame(const weir_engine_config *c, const suite_stream *s,
                                           size_t at, double *power)
{
    size_t n = c->n_fft, stride = weir_format_stride_bytes(&s->format);
    bool is_complex = s->format.is_complex;
    double *values = suite_alloc(2 * n, sizeof *values);
    double complex *x = suite_alloc(n, sizeof *x), *out = suite_alloc(n, sizeof *out);
    double complex mean = 0;
    double sum = 0, energy = 0;
    weir_format_unpack_f64(&s->format, c->channel, s->raw + at * stride, n, values);
    for (size_t i = 0; i < n; i++) {
        x[i] = is_complex ? values[2 * i] + I * values[2 * i + 1] : values[i];
        if (is_complex && c->iq_swap) {
            x[i] = values[2 * i + 1] + I * values[2 * i];
        }
        mean += x[i] / (double)n;
        sum += c->window[i];
    }
    for (size_t i = 0; i < n; i++) {
        double size = cabs(x[i]) * c->window[i] / sum;
        energy += size * size;
        x[i] = (x[i] - (c->detrend ? mean : 0)) * c->window[i] / sum;
    }
    if ((n & (n - 1)) == 0) {
        memcpy(out, x, n * sizeof *x);
        suite_radix2(out, n);
    } else {
        suite_dft(x, out, n);
    }
    for (size_t k = 0; k < (is_complex ? n : n / 2 + 1); k++) {
        size_t bin = is_complex ? (k + n - n / 2) % n : k;
        double p = creal(out[bin]) * creal(out[bin]) + cimag(out[bin]) * cimag(out[bin]);
        power[k] = is_complex || k == 0 || 2 * k == n ? p : 2 * p;
    }
    free(values);
    free(x);
    free(out);
    return energy;
}

typedef struct suite_reference {
    const weir_engine_config *config;
    const suite_stream *stream;
    double *line[WEIR_TRACE_COUNT], *power;
    weir_spectrum now;
    double largest; /* power that went into this spectrum; see SUITE_TOLERANCE */
    bool average_begun;
    /* Called with each finished spectrum and its lines. */
    void (*finished)(void *user, const weir_spectrum *, double *const *line, double largest);
    void *user;
} suite_reference;

static inline void suite_reference_close(suite_reference *r)
{
    if (r->now.n_frames == 0) {
        return;
    }
    uint64_t asked = r->config->frames_per_spectrum;
    r->now.is_partial = asked && r->now.n_frames < asked;
    double gain = r->config->exponential_alpha > 0 ? 1 : 1 / (double)r->now.n_frames;
    for (size_t k = 0; k < r->now.n_bins; k++) {
        r->line[WEIR_TRACE_MEAN][k] *= gain;
    }
    r->finished(r->user, &r->now, r->line, r->largest);
    r->largest = 0;
    uint64_t index = r->now.index + 1;
    size_t n_bins = r->now.n_bins;
    r->now = (weir_spectrum){.index = index, .n_bins = n_bins};
}

static inline void suite_reference_add(suite_reference *r)
{
    double alpha = r->config->exponential_alpha;
    bool first = r->now.n_frames++ == 0;
    for (size_t k = 0; k < r->now.n_bins; k++) {
        double p = r->power[k], *mean = &r->line[WEIR_TRACE_MEAN][k];
        double *max = &r->line[WEIR_TRACE_MAX][k], *min = &r->line[WEIR_TRACE_MIN][k];
        if (alpha > 0) {
            *mean = r->average_begun ? *mean + alpha * (p - *mean) : p;
        } else {
            *mean = first ? p : *mean + p;
        }
        *max = first ? p : fmax(*max, p);
        *min = first ? p : fmin(*min, p);
    }
    r->average_begun = true;
}

static inline void suite_reference_segment(suite_reference *r, const suite_segment *g,
                                           uint64_t *lost)
{
    const weir_engine_config *c = r->config;
    size_t n_new = c->n_fft, stride = weir_format_stride_bytes(&r->stream->format);
    for (uint64_t at = 0; at + c->n_fft <= g->n; at += c->hop) {
        if (r->now.n_frames == 0) {
            r->now.first_sample = g->first + at;
            r->now.center_hz = g->center_hz;
            r->now.rate_hz = g->rate_hz;
            r->now.lost_before = *lost;
            *lost = 0;
        }
        r->now.lost_inside += *lost;
        *lost = 0;
        r->now.end_sample = g->first + at + c->n_fft;
        weir_sample_counts counts = {0, 0};
        size_t from = g->offset + at + c->n_fft - n_new;
        weir_format_count(&r->stream->format, c->channel, r->stream->raw + from * stride, n_new,
                          &counts);
        r->now.clipped += counts.clipped;
        r->now.nonfinite += counts.nonfinite;
        n_new = c->hop < c->n_fft ? c->hop : c->n_fft;
        double power = suite_reference_frame(c, r->stream, g->offset + at, r->power);
        r->largest = fmax(r->largest, power);
        suite_reference_add(r);
        if (r->now.n_frames == c->frames_per_spectrum) {
            suite_reference_close(r);
        }
    }
}

static inline void suite_reference_run(suite_reference *r)
{
    uint64_t lost = 0;
    size_t n = r->config->n_fft, n_bins = r->stream->format.is_complex ? n : n / 2 + 1;
    r->now.n_bins = n_bins;
    r->power = suite_alloc(n_bins, sizeof *r->power);
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        r->line[t] = suite_alloc(n_bins, sizeof *r->line[t]);
    }
    for (size_t i = 0; i < r->stream->n_segments; i++) {
        const suite_segment *g = &r->stream->segments[i];
        bool new_axis = i && (g->rate_hz != g[-1].rate_hz || g->center_hz != g[-1].center_hz);
        if (r->config->frames_per_spectrum || new_axis) {
            suite_reference_close(r);
        }
        r->average_begun = r->average_begun && !new_axis;
        lost += g->lost_before;
        suite_reference_segment(r, g, &lost);
    }
    suite_reference_close(r);
    free(r->power);
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        free(r->line[t]);
    }
}

/* ---- comparing ---- */

typedef struct suite_comparison {
    const weir_engine_config *config;
    const suite_result *actual;
    size_t at;
    double worst;
    uint64_t clipped, nonfinite, n_frames;
} suite_comparison;

static inline void suite_compare_axis(const suite_comparison *c, const weir_spectrum *a,
                                      const weir_spectrum *e)
{
    size_t n = c->config->n_fft;
    bool is_complex = c->config->format.is_complex;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += c->config->window[i];
        squares += c->config->window[i] * c->config->window[i];
    }
    CHECK(a->rate_hz == e->rate_hz && a->center_hz == e->center_hz);
    CHECK_NEAR(a->bin_hz, e->rate_hz / (double)n, 1e-9 * e->rate_hz);
    double start = e->center_hz - (is_complex ? (double)(n / 2) * e->rate_hz / (double)n : 0);
    CHECK_NEAR(a->start_hz, start, 1e-6);
    CHECK_NEAR(a->coherent_gain, sum / (double)n, 1e-12);
    CHECK_NEAR(a->enbw_bins, (double)n * squares / (sum * sum), 1e-9);
    CHECK(a->full_scale_power == (is_complex ? 1.0 : 0.5));
}

static inline void suite_compare_one(void *user, const weir_spectrum *e, double *const *line,
                                     double largest)
{
    suite_comparison *c = user;
    c->clipped += e->clipped;
    c->nonfinite += e->nonfinite;
    c->n_frames += e->n_frames;
    if (c->at >= c->actual->n_spectra) {
        c->at++;
        return;
    }
    const weir_spectrum *a = &c->actual->spectra[c->at++];
    CHECK(a->index == e->index && a->n_frames == e->n_frames && a->n_bins == e->n_bins);
    CHECK(a->first_sample == e->first_sample && a->end_sample == e->end_sample);
    CHECK(a->lost_before == e->lost_before && a->lost_inside == e->lost_inside);
    CHECK(a->clipped == e->clipped && a->nonfinite == e->nonfinite);
    CHECK(a->is_partial == e->is_partial);
    suite_compare_axis(c, a, e);
    for (int t = 0; t < WEIR_TRACE_COUNT && a->n_bins == e->n_bins; t++) {
        bool asked = (c->config->traces & WEIR_TRACE_BIT(t)) != 0;
        CHECK(asked == (a->power[t] != NULL));
        double peak = largest, worst = 0;
        for (size_t k = 0; k < e->n_bins; k++) {
            peak = fmax(peak, fmax(line[WEIR_TRACE_MEAN][k], line[WEIR_TRACE_MAX][k]));
        }
        for (size_t k = 0; asked && a->power[t] && k < e->n_bins; k++) {
            double error = fabs((double)a->power[t][k] - line[t][k]) / peak;
            worst = error <= worst ? worst : error; /* keeps a NaN */
        }
        CHECK_MSG(worst <= SUITE_TOLERANCE, "trace %d: %.3g of the peak", t, worst);
        c->worst = fmax(c->worst, worst);
    }
}

static inline double suite_compare(const weir_engine_config *config, const suite_stream *s,
                                   const suite_result *actual)
{
    weir_engine_config own = *config;
    own.format = s->format;
    suite_comparison c = {.config = &own, .actual = actual};
    suite_reference r = {.config = &own, .stream = s, .finished = suite_compare_one, .user = &c};
    suite_reference_run(&r);
    CHECK_MSG(c.at == actual->n_spectra, "%zu spectra instead of %zu", actual->n_spectra, c.at);
    CHECK(actual->totals.clipped == c.clipped && actual->totals.nonfinite == c.nonfinite);
    CHECK(actual->totals.n_frames == c.n_frames && actual->totals.n_spectra == c.at);
    uint64_t received = s->n_samples + s->lost_at_end;
    for (size_t i = 0; i < s->n_segments; i++) {
        received += s->segments[i].lost_before;
    }
    CHECK(actual->totals.received == received);
    return c.worst;
}

/* ---- windows, made here so that nothing else has to be right ---- */

static inline double *suite_window(size_t n, double a) /* a: 1 rectangular, 0.5 Hann */
{
    double *w = suite_alloc(n, sizeof *w);
    for (size_t i = 0; i < n; i++) {
        w[i] = a - (1 - a) * cos(2 * M_PI * (double)i / (double)n);
    }
    return w;
}

static inline weir_engine_config suite_config(size_t n, size_t hop, uint64_t k,
                                              const double *window)
{
    return (weir_engine_config){.format = {WEIR_F32LE, true, 1, 0},
                                .n_fft = n,
                                .hop = hop,
                                .window = window,
                                .frames_per_spectrum = k,
                                .traces = WEIR_TRACE_BIT(WEIR_TRACE_COUNT) - 1,
                                .threads = 2};
}

/* ---- the tests ---- */

static inline void test_every_format(void)
{
    check_rng rng = check_rng_fresh();
    for (int scalar = 0; scalar < WEIR_SCALAR_COUNT; scalar++) {
        for (unsigned variant = 0; variant < 6; variant++) {
            size_t n = SUITE_SIZE(100u);
            double *window = suite_window(n, 0.5);
            weir_engine_config c = suite_config(n, 50, 7, window);
            c.detrend = variant % 3 == 2;
            weir_sample_format format = {(weir_scalar)scalar, variant & 1, 1 + variant / 2, 0};
            c.channel = variant / 2;
            suite_stream s = suite_one_segment(format, 1500, 48000);
            suite_fill(&rng, &s);
            suite_result r = suite_pass(&c, &s, &rng, 400);
            suite_compare(&c, &s, &r);
            CHECK(r.totals.clipped > 0);
            suite_free_result(&r);
            free(s.raw);
            free(window);
        }
    }
}

static inline void test_every_size_hop_and_count(void)
{
    static const size_t sizes[] = {2, 3, 5, 7, 64, 100, 127, 1000, 1024, 4096};
    static const uint64_t counts[] = {1, 3, 16, 0};
    check_rng rng = check_rng_fresh();
    double worst = 0;
    for (size_t i = 0; i < 10 * 5 * 4 * 2; i++) {
        size_t n = SUITE_SIZE(sizes[i % 10]);
        size_t hops[] = {1, n < 4 ? 1 : n / 4, n / 2, n, n + 3};
        size_t hop = hops[i / 10 % 5];
        double *window = suite_window(n, 0.54);
        weir_engine_config c = suite_config(n, hop, counts[i / 50 % 4], window);
        weir_sample_format format = {WEIR_S16LE, i / 200, 1, 0};
        size_t frames = n > 500 ? 5 + suite_below(&rng, 16) : 5 + suite_below(&rng, 150);
        suite_stream s = suite_one_segment(format, n + hop * (frames - 1), 48000);
        suite_fill(&rng, &s);
        suite_result r = suite_pass(&c, &s, &rng, s.n_samples / 2);
        CHECK(r.totals.n_frames == frames);
        worst = fmax(worst, suite_compare(&c, &s, &r));
        suite_free_result(&r);
        free(s.raw);
        free(window);
    }
    printf("# worst error %.3g of the peak\n", worst);
}

static inline weir_engine_config suite_random_config(check_rng *rng, const double *window, size_t n)
{
    static const uint64_t counts[] = {1, 2, 5, 16, 100, 0};
    weir_engine_config c = suite_config(n, 1 + suite_below(rng, n + n / 2), 0, window);
    c.frames_per_spectrum = counts[suite_below(rng, 6)];
    c.traces = 1 + (unsigned)suite_below(rng, 7);
    c.exponential_alpha = suite_below(rng, 3) ? 0 : 1 - check_uniform(rng);
    c.detrend = suite_below(rng, 3) == 0;
    c.iq_swap = suite_below(rng, 2);
    c.threads = 1 + (unsigned)suite_below(rng, 4);
    return c;
}

/* Gaps, retunes and every option, against the reference. */
static inline void test_random_streams(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 150; round++) {
        size_t n = SUITE_SIZE(2 + suite_below(&rng, 40));
        double *window = suite_window(n, 0.6);
        weir_engine_config c = suite_random_config(&rng, window, n);
        unsigned channels = 1 + (unsigned)suite_below(&rng, 3);
        weir_sample_format format = {(weir_scalar)suite_below(&rng, WEIR_SCALAR_COUNT),
                                     suite_below(&rng, 2), channels, 0};
        c.channel = (unsigned)suite_below(&rng, channels);
        suite_stream s = suite_many_segments(&rng, format, 3000);
        suite_fill(&rng, &s);
        suite_result r = suite_pass(&c, &s, &rng, 1 + suite_below(&rng, 700));
        suite_compare(&c, &s, &r);
        suite_free_result(&r);
        free(s.raw);
        free(window);
    }
}

/* Same input, same bits: for 1..4 threads and any cutting. */
static inline void test_determinism(void)
{
    static const size_t sizes[] = {8, 60, 256, 1024};
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 24; round++) {
        size_t n = SUITE_SIZE(sizes[round % 4]);
        double *window = suite_window(n, 0.5);
        weir_engine_config c = suite_random_config(&rng, window, n);
        c.hop = 1 + suite_below(&rng, n);
        weir_sample_format format = {WEIR_F32LE, round / 4 % 2, 1, 0};
        suite_stream s = suite_many_segments(&rng, format, 60 * n);
        suite_fill(&rng, &s);
        c.threads = 1;
        suite_result first = suite_pass(&c, &s, &rng, 0);
        for (unsigned threads = 1; threads <= 4; threads++) {
            c.threads = threads;
            suite_result r = suite_pass(&c, &s, &rng, threads == 1 ? n / 2 : 20 * n);
            CHECK_MSG(suite_same(&first, &r), "n %zu hop %zu k %llu: %u threads differ", n, c.hop,
                      (unsigned long long)c.frames_per_spectrum, threads);
            suite_free_result(&r);
        }
        suite_free_result(&first);
        free(s.raw);
        free(window);
    }
}

/* A stream of one value per sample, from a function of its index. */
static inline suite_stream suite_signal(size_t n, double complex (*value)(size_t, const double *),
                                        const double *parameters)
{
    suite_stream s = suite_one_segment((weir_sample_format){WEIR_F32LE, true, 1, 0}, n, 1e6);
    float *x = suite_alloc(2 * n, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        double complex v = value(i, parameters);
        x[2 * i] = (float)creal(v);
        x[2 * i + 1] = (float)cimag(v);
    }
    s.raw = (uint8_t *)x;
    return s;
}

static inline double complex suite_tone(size_t i, const double *p) /* amplitude, turns */
{
    return p[0] * cexp(2 * M_PI * I * fmod(p[1] * (double)i, 1.0));
}

/* A tone anywhere reads its level, less at most the window's scalloping (Hann: 1.42 dB),
 * at its frequency, and mirrored with I and Q exchanged. */
static inline void test_tone_level_and_place(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 40; round++) {
        size_t n = SUITE_SIZE(64 + suite_below(&rng, 2000));
        double *window = suite_window(n, 0.5);
        double parameters[2] = {0.1 + check_uniform(&rng), check_uniform(&rng) - 0.5};
        suite_stream s = suite_signal(3 * n, suite_tone, parameters);
        weir_engine_config c = suite_config(n, n, 0, window);
        c.iq_swap = round & 1;
        suite_result r = suite_pass(&c, &s, &rng, 0);
        const weir_spectrum *a = r.n_spectra == 1 ? &r.spectra[0] : NULL;
        CHECK(a != NULL);
        size_t peak = 0;
        for (size_t k = 0; a && k < a->n_bins; k++) {
            peak = a->power[0][k] > a->power[0][peak] ? k : peak;
        }
        double hz = 1e6 * parameters[1] * (c.iq_swap ? -1 : 1);
        double off = a ? a->start_hz + (double)peak * a->bin_hz - hz : NAN;
        CHECK_NEAR(remainder(off, 1e6), 0, 0.51e6 / (double)n);
        double db = a ? 10 * log10((double)a->power[0][peak]) - 20 * log10(parameters[0]) : NAN;
        CHECK_NEAR(db, -0.712, 0.715);
        suite_free_result(&r);
        free(s.raw);
        free(window);
    }
}

/* Large transforms, a power of two and a prime: a tone on a bin reads its power there and
 * next to nothing elsewhere. */
static inline void test_large_transforms(void)
{
    static const size_t sizes[] = {(size_t)1 << 18, 65537};
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 2; i++) {
        size_t n = SUITE_SIZE(sizes[i]), bin = suite_below(&rng, n);
        double *window = suite_window(n, 1);
        double parameters[2] = {0.8, (double)bin / (double)n};
        suite_stream s = suite_signal(3 * n, suite_tone, parameters);
        weir_engine_config c = suite_config(n, n, 3, window);
        suite_result r = suite_pass(&c, &s, &rng, 2 * n);
        CHECK(r.n_spectra == 1 && r.spectra[0].n_frames == 3);
        size_t at = (bin + n / 2) % n;
        double largest_other = 0;
        for (size_t k = 0; r.n_spectra && k < n; k++) {
            double p = (double)r.spectra[0].power[WEIR_TRACE_MAX][k];
            largest_other = k == at ? largest_other : fmax(largest_other, p);
        }
        CHECK_NEAR(r.n_spectra ? (double)r.spectra[0].power[0][at] / 0.64 : NAN, 1, 3e-6);
        CHECK(largest_other < 1e-10); /* -100 dB */
        suite_free_result(&r);
        free(s.raw);
        free(window);
    }
}

static inline double suite_total(const weir_spectrum *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->n_bins; k++) {
        sum += (double)s->power[WEIR_TRACE_MEAN][k];
    }
    return sum;
}

/* Rectangular, no overlap: the bins add up to the mean square. Any window on white noise:
 * the density does (to what random noise allows). */
static inline void test_parseval_and_density(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 8; round++) {
        bool is_complex = round & 1;
        size_t n = SUITE_SIZE(round & 2 ? 250u : 256u), total = 200 * n;
        double *flat = suite_window(n, 1), *hann = suite_window(n, 0.5);
        suite_stream s =
            suite_one_segment((weir_sample_format){WEIR_F32LE, is_complex, 1, 0}, total, 1e6);
        float *x = suite_alloc(2 * total, sizeof *x);
        double mean_square = 0;
        for (size_t i = 0; i < (is_complex ? 2 * total : total); i++) {
            x[i] = (float)(0.1 * check_gauss(&rng));
            mean_square += (double)x[i] * (double)x[i] / (double)total;
        }
        s.raw = (uint8_t *)x;
        weir_engine_config c = suite_config(n, n, 0, flat);
        suite_result r = suite_pass(&c, &s, &rng, 0);
        CHECK(r.n_spectra == 1);
        CHECK_NEAR(suite_total(&r.spectra[0]) / mean_square, 1, 1e-5);
        suite_free_result(&r);
        c.window = hann;
        c.hop = n / 2;
        r = suite_pass(&c, &s, &rng, 0);
        /* 50000 samples: one sigma is about 0.6 % */
        CHECK_NEAR(suite_total(&r.spectra[0]) / r.spectra[0].enbw_bins / mean_square, 1, 0.05);
        suite_free_result(&r);
        free(x);
        free(flat);
        free(hann);
    }
}

/* Twice the amplitude, four times the power: exactly, since 2 is a power of two. */
static inline void test_linearity(void)
{
    check_rng rng = check_rng_fresh();
    size_t n = SUITE_SIZE(300u);
    double *window = suite_window(n, 0.5);
    weir_engine_config c = suite_config(n, 100, 5, window);
    suite_stream s = suite_one_segment((weir_sample_format){WEIR_F32LE, true, 1, 0}, 5000, 1e6);
    suite_fill(&rng, &s);
    suite_result once = suite_pass(&c, &s, &rng, 0);
    for (size_t i = 0; i < 2 * s.n_samples; i++) {
        float value;
        memcpy(&value, s.raw + 4 * i, 4);
        value *= 2;
        memcpy(s.raw + 4 * i, &value, 4);
    }
    suite_result twice = suite_pass(&c, &s, &rng, 0);
    CHECK(once.n_spectra == twice.n_spectra && once.n_spectra > 5);
    for (size_t i = 0; i < once.n_spectra; i++) {
        for (size_t k = 0; k < n; k++) {
            CHECK(twice.spectra[i].power[0][k] == 4 * once.spectra[i].power[0][k]);
        }
    }
    suite_free_result(&once);
    suite_free_result(&twice);
    free(s.raw);
    free(window);
}

/* A long mean of a constant power must not drift as float sums of 10^5 terms do. */
static inline void test_long_means_keep_their_precision(void)
{
    check_rng rng = check_rng_fresh();
    size_t n = SUITE_SIZE(16u);
    double *window = suite_window(n, 0.5);
    double parameters[2] = {0.7, 3.0 / (double)n};
    suite_stream s = suite_signal(n * 200000, suite_tone, parameters);
    weir_engine_config c = suite_config(n, n, 0, window);
    suite_result r = suite_pass(&c, &s, &rng, 0);
    CHECK(r.n_spectra == 1 && r.spectra[0].n_frames == 200000);
    CHECK_NEAR((double)r.spectra[0].power[0][n / 2 + 3] / 0.49, 1, 2e-6);
    suite_free_result(&r);
    free(s.raw);
    free(window);
}

/* NaN, infinity and huge values are counted or limited, and gone with their frame. */
static inline void test_bad_floats_do_not_poison(void)
{
    check_rng rng = check_rng_fresh();
    double *window = suite_window(32, 0.5);
    double parameters[2] = {0.5, 0.25};
    suite_stream s = suite_signal(32 * 40, suite_tone, parameters);
    static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e30f, 1e-42f};
    for (size_t i = 0; i < 6; i++) {
        memcpy(s.raw + 8 * (32 * (2 + i) + 5) + 4 * (i % 2), &bad[i], 4);
    }
    weir_engine_config c = suite_config(32, 16, 1, window);
    for (int exponential = 0; exponential < 2; exponential++) {
        c.exponential_alpha = exponential * 0.9;
        suite_result r = suite_pass(&c, &s, &rng, 0);
        CHECK(r.totals.nonfinite == 3 && r.totals.clipped == 4);
        for (size_t i = 0; i < r.n_spectra; i++) {
            for (size_t k = 0; k < 32; k++) {
                CHECK(isfinite(r.spectra[i].power[0][k]) && isfinite(r.spectra[i].power[1][k]));
            }
        }
        const weir_spectrum *last = &r.spectra[r.n_spectra - 1];
        CHECK_NEAR((double)last->power[0][16 + 8], 0.25, 1e-4);
        suite_free_result(&r);
    }
    free(s.raw);
    free(window);
}

/* Live: a frame's spectrum is there in the push that brings its last sample, and all
 * memory but the overlap is given back. */
static inline void test_prompt_delivery_and_release(void)
{
    double *window = suite_window(64, 0.5);
    suite_result r = {0};
    weir_engine_config c = suite_config(64, 16, 1, window);
    c.on_spectrum = suite_on_spectrum;
    c.user = &r;
    suite_stream s = suite_one_segment(c.format, 1024, 48000);
    check_rng rng = check_rng_fresh();
    suite_fill(&rng, &s);
    weir_engine *engine = NULL;
    CHECK(suite_create(&engine, &c, NULL) == WEIR_OK);
    uint64_t from = 0;
    for (uint64_t end = 1; engine && end < 1024; end++) {
        weir_run run = suite_run(&s, 0, from, end);
        size_t released;
        CHECK(weir_engine_push(engine, &run, &released, NULL) == WEIR_OK);
        from += released;
        uint64_t frames = end < 64 ? 0 : (end - 64) / 16 + 1;
        CHECK(weir_engine_busy(engine) || r.n_spectra == frames);
        CHECK(weir_engine_busy(engine) || from == frames * 16);
    }
    weir_engine_destroy(engine);
    weir_engine_destroy(NULL);
    suite_free_result(&r);
    free(s.raw);
    free(window);
}

typedef struct suite_bad_config {
    const char *field; /* that the message must name */
    void (*spoil)(weir_engine_config *);
} suite_bad_config;

#define SUITE_SPOIL(name, statement)                                                               \
    static inline void suite_spoil_##name(weir_engine_config *c)                                   \
    {                                                                                              \
        statement;                                                                                 \
    }
SUITE_SPOIL(scalar, c->format.scalar = WEIR_SCALAR_COUNT)
SUITE_SPOIL(channels, c->format.channels = 0)
SUITE_SPOIL(bits, c->format.valid_bits = 9)
SUITE_SPOIL(channel, c->channel = 1)
SUITE_SPOIL(n_fft_0, c->n_fft = 0)
SUITE_SPOIL(n_fft_1, c->n_fft = 1)
SUITE_SPOIL(n_fft_max, c->n_fft = WEIR_MAX_FFT + 1)
SUITE_SPOIL(hop_0, c->hop = 0)
SUITE_SPOIL(hop_max, c->hop = WEIR_MAX_HOP + 1)
SUITE_SPOIL(window, c->window = NULL)
SUITE_SPOIL(traces_0, c->traces = 0)
SUITE_SPOIL(traces_8, c->traces = 8)
SUITE_SPOIL(alpha_negative, c->exponential_alpha = -0.1)
SUITE_SPOIL(alpha_big, c->exponential_alpha = 1.1)
SUITE_SPOIL(alpha_nan, c->exponential_alpha = NAN)
SUITE_SPOIL(callback, c->on_spectrum = NULL)

static inline void suite_expect_usage(const weir_engine_config *c, const char *field)
{
    weir_engine *engine = (weir_engine *)1;
    weir_error err = {WEIR_OK, ""};
    CHECK_MSG(suite_create(&engine, c, &err) == WEIR_ERR_USAGE, "%s", field);
    CHECK(engine == NULL && err.status == WEIR_ERR_USAGE);
    CHECK_MSG(strncmp(err.text, field, strlen(field)) == 0, "%s: %s", field, err.text);
}

static inline void test_config_errors(void)
{
    static const suite_bad_config cases[] = {
        {"format", suite_spoil_scalar},
        {"format", suite_spoil_channels},
        {"format", suite_spoil_bits},
        {"channel", suite_spoil_channel},
        {"n_fft", suite_spoil_n_fft_0},
        {"n_fft", suite_spoil_n_fft_1},
        {"n_fft", suite_spoil_n_fft_max},
        {"hop", suite_spoil_hop_0},
        {"hop", suite_spoil_hop_max},
        {"window", suite_spoil_window},
        {"traces", suite_spoil_traces_0},
        {"traces", suite_spoil_traces_8},
        {"exponential_alpha", suite_spoil_alpha_negative},
        {"exponential_alpha", suite_spoil_alpha_big},
        {"exponential_alpha", suite_spoil_alpha_nan},
        {"on_spectrum", suite_spoil_callback},
    };
    double *window = suite_window(16, 0.5);
    weir_engine_config good = suite_config(16, 8, 1, window);
    good.format.scalar = WEIR_U8;
    good.on_spectrum = suite_on_spectrum;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_engine_config c = good;
        cases[i].spoil(&c);
        suite_expect_usage(&c, cases[i].field);
    }
    window[3] = NAN;
    suite_expect_usage(&good, "window");
    for (size_t i = 0; i < 16; i++) {
        window[i] = i % 2 ? 1 : -1; /* sums to nothing */
    }
    suite_expect_usage(&good, "window");
    free(window);
}

static inline void test_impossible_runs(void)
{
    size_t n = SUITE_SIZE(16u);
    double *window = suite_window(n, 0.5);
    suite_result r = {0};
    weir_engine_config c = suite_config(n, 8, 1, window);
    c.on_spectrum = suite_on_spectrum;
    c.user = &r;
    weir_engine *engine = NULL;
    CHECK(suite_create(&engine, &c, NULL) == WEIR_OK);
    uint8_t bytes[256] = {0};
    weir_run run = {.samples = bytes, .n_samples = 20, .rate_hz = 0};
    size_t released;
    weir_error err;
    CHECK(weir_engine_push(engine, &run, &released, &err) == WEIR_ERR_USAGE && released == 0);
    CHECK(strchr(err.text, '\n') == NULL && strstr(err.text, "rate") != NULL);
    CHECK(weir_engine_flush(engine, 0, NULL) == WEIR_OK && r.n_spectra == 0);
    weir_engine_destroy(engine);
    free(window);
}

static inline int engine_suite(suite_create_function *create)
{
    suite_create = create;
    RUN(test_every_format);
    RUN(test_every_size_hop_and_count);
    RUN(test_random_streams);
    RUN(test_determinism);
    RUN(test_tone_level_and_place);
    RUN(test_large_transforms);
    RUN(test_parseval_and_density);
    RUN(test_linearity);
    RUN(test_long_means_keep_their_precision);
    RUN(test_bad_floats_do_not_poison);
    RUN(test_prompt_delivery_and_release);
    RUN(test_config_errors);
    RUN(test_impossible_runs);
    return check_finish();
}

#endif
