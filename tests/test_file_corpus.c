/* ctest-labels: replay
 * Every recording of the corpus through the file source, against expected.csv: rate,
 * centre, channels, length, mean square and largest magnitude, to its printed digits. */
#include "base/units.h"
#include "capture/source.h"
#include "tests/check.h"
#include "weir_config.h"

#include <unistd.h>

enum { MAX_FIELDS = 40, MAX_LINE = 4096 };

typedef struct row {
    char line[MAX_LINE];
    char *field[MAX_FIELDS];
    int n;
} row;

static row header;

/* Splits a line of CSV in place; quotes protect commas. */
static void split_row(row *r)
{
    char *p = r->line;
    r->line[strcspn(r->line, "\r\n")] = '\0';
    for (r->n = 0; r->n < MAX_FIELDS; r->n++) {
        bool quoted = *p == '"';
        r->field[r->n] = p + quoted;
        p = quoted ? strchr(p + 1, '"') : p + strcspn(p, ",");
        if (quoted && p) {
            *p++ = '\0';
        }
        if (!p || *p == '\0') {
            r->n++;
            return;
        }
        *p++ = '\0';
    }
}

static const char *get(const row *r, const char *column)
{
    for (int i = 0; i < header.n && i < r->n; i++) {
        if (strcmp(header.field[i], column) == 0) {
            return r->field[i];
        }
    }
    CHECK_MSG(false, "no column %s", column);
    return "";
}

static double get_number(const row *r, const char *column)
{
    double value = NAN;
    const char *text = get(r, column);
    CHECK_MSG(weir_parse_number(text, &value, NULL) == WEIR_OK, "%s: %s", column, text);
    return value;
}

typedef struct measured {
    uint64_t n_samples;
    double square_sum, max_abs;
} measured;

static void measure(weir_source *source, unsigned channel, measured *m)
{
    enum { PIECE = 4096 };
    const weir_sample_format *format = &source->info.format;
    uint8_t *raw = malloc(PIECE * weir_format_stride_bytes(format));
    double *x = malloc(2 * PIECE * sizeof *x);
    for (;;) {
        weir_read read = {0};
        weir_error err = {0};
        weir_status status = source->class_->read(source, raw, PIECE, &read, &err);
        CHECK_MSG(status == WEIR_OK, "%s", err.text);
        if (status != WEIR_OK || read.n_samples == 0) {
            break;
        }
        weir_format_unpack_f64(format, channel, raw, read.n_samples, x);
        for (size_t i = 0; i < read.n_samples; i++) {
            double re = format->is_complex ? x[2 * i] : x[i];
            double im = format->is_complex ? x[2 * i + 1] : 0;
            m->square_sum += re * re + im * im;
            m->max_abs = fmax(m->max_abs, hypot(re, im));
        }
        m->n_samples += read.n_samples;
    }
    free(raw);
    free(x);
}

static void check_recording(const char *corpus, const row *r)
{
    const char *rel = get(r, "path"), *format = get(r, "format");
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", corpus, rel);
    weir_source_options options;
    weir_source_options_init(&options);
    bool is_raw =
        strcmp(format, "wav") != 0 && strcmp(format, "flac") != 0 && strcmp(format, "sigmf") != 0;
    if (is_raw) {
        options.format = format;
        options.rate_hz = get_number(r, "sample_rate_hz");
        if (get(r, "center_hz")[0]) {
            options.center_hz = get_number(r, "center_hz");
        }
    }
    options.verify_checksum = true; /* sigmf only */

    weir_source *source;
    weir_error err = {0};
    weir_status status = weir_source_open(&source, path, &options, &err);
    if (status == WEIR_ERR_UNSUPPORTED && WEIR_HAVE_SNDFILE + WEIR_HAVE_JANSSON < 2) {
        printf("# without its library: %s\n", rel);
        return;
    }
    CHECK_MSG(status == WEIR_OK, "%s", err.text);
    if (status != WEIR_OK) {
        return;
    }
    unsigned channel = (unsigned)get_number(r, "channel");
    CHECK_MSG(channel < source->info.format.channels, "%s: %u channels", rel,
              source->info.format.channels);
    CHECK_NEAR(source->info.rate_hz, get_number(r, "sample_rate_hz"), 0);
    if (is_raw) {
        CHECK(source->info.center_hz == (isnan(options.center_hz) ? 0 : options.center_hz));
    }
    uint64_t samples = (uint64_t)get_number(r, "samples");
    CHECK_MSG(source->info.n_samples == samples, "%s: says %llu samples", rel,
              (unsigned long long)source->info.n_samples);
    measured m = {0};
    if (channel < source->info.format.channels) {
        measure(source, channel, &m);
    }
    CHECK_MSG(m.n_samples == samples, "%s: %llu samples came, not %llu", rel,
              (unsigned long long)m.n_samples, (unsigned long long)samples);
    /* Half of the last printed digit, and a little for the order of summation. */
    CHECK_NEAR(10 * log10(m.square_sum / (double)m.n_samples), get_number(r, "mean_square_db"),
               0.5001e-4);
    CHECK_NEAR(m.max_abs, get_number(r, "max_abs"), 0.5001e-6);
    weir_source_close(source);
}

static int check_corpus(const char *corpus)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/expected.csv", corpus);
    FILE *file = fopen(path, "r");
    if (!file) {
        return check_skip("no corpus (WEIR_CORPUS)");
    }
    CHECK(fgets(header.line, sizeof header.line, file) != NULL);
    split_row(&header);
    unsigned rows = 0;
    static row r;
    while (fgets(r.line, sizeof r.line, file)) {
        split_row(&r);
        check_recording(corpus, &r);
        rows++;
    }
    fclose(file);
    printf("# %u rows\n", rows);
    CHECK(rows > 20);
    return check_finish();
}

int main(void)
{
    const char *corpus = getenv("WEIR_CORPUS");
    return corpus ? check_corpus(corpus) : check_skip("WEIR_CORPUS is not set");
}
