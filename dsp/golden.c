#include "dsp/golden.h"

#include "base/text.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1024, VALUE_BYTES = 300 };

static const double most_db = 1e6; /* beyond any level, and well inside a float */

#define MAGIC "weir-golden "
#define COLUMNS "# frequency_hz mean max"

/* ---- the rows of the file: read, written and compared by this table ---- */

typedef enum row_use { ROW_INFORMATION, ROW_SETTING, ROW_COUNT } row_use;

typedef struct row row;

typedef struct row_type {
    void (*print)(const row *r, const void *field, char *text, size_t size);
    bool (*parse)(const row *r, const char *text, void *field);
    bool (*equal)(const void *a, const void *b);
} row_type;

struct row {
    const char *key;
    const row_type *type;
    size_t offset;
    row_use use;
    size_t size; /* of a text */
};

static void print_text(const row *r, const void *field, char *text, size_t size)
{
    (void)r;
    snprintf(text, size, "%s", (const char *)field);
}

static bool parse_text(const row *r, const char *text, void *field)
{
    size_t length = strlen(text);
    if (length >= r->size) {
        return false;
    }
    memcpy(field, text, length + 1);
    return true;
}

static bool equal_text(const void *a, const void *b)
{
    return strcmp(a, b) == 0;
}

static void print_bool(const row *r, const void *field, char *text, size_t size)
{
    (void)r;
    snprintf(text, size, "%s", *(const bool *)field ? "yes" : "no");
}

static bool parse_bool(const row *r, const char *text, void *field)
{
    (void)r;
    *(bool *)field = strcmp(text, "yes") == 0;
    return *(bool *)field || strcmp(text, "no") == 0;
}

static bool equal_bool(const void *a, const void *b)
{
    return *(const bool *)a == *(const bool *)b;
}

static void print_count(const row *r, const void *field, char *text, size_t size)
{
    (void)r;
    snprintf(text, size, "%" PRIu64, *(const uint64_t *)field);
}

/* Digits only: weir_parse_count knows "4k" and goes through rounding above 2^53. */
static bool parse_count(const row *r, const char *text, void *field)
{
    (void)r;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    bool good = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
    *(uint64_t *)field = good ? value : 0;
    return good;
}

static bool equal_count(const void *a, const void *b)
{
    return *(const uint64_t *)a == *(const uint64_t *)b;
}

/* The shortest decimal that reads back as the same double. */
static void print_exact(const row *r, const void *field, char *text, size_t size)
{
    double value = *(const double *)field, back;
    (void)r;
    for (int digits = 15; digits <= 17; digits++) {
        weir_snprintf(text, size, "%.*g", digits, value);
        if (weir_parse_number(text, &back, NULL) == WEIR_OK && back == value) {
            return;
        }
    }
}

static bool parse_exact(const row *r, const char *text, void *field)
{
    (void)r;
    return weir_parse_number(text, field, NULL) == WEIR_OK;
}

/* What was computed (a window's bandwidth) may differ in the last digit between machines. */
static bool equal_exact(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return fabs(x - y) <= 1e-12 * fmax(fabs(x), fabs(y));
}

static const row_type type_text = {print_text, parse_text, equal_text};
static const row_type type_bool = {print_bool, parse_bool, equal_bool};
static const row_type type_count = {print_count, parse_count, equal_count};
static const row_type type_exact = {print_exact, parse_exact, equal_exact};

#define FIELD(name) offsetof(weir_golden, name)
#define TEXT(name) FIELD(name), .size = sizeof(((weir_golden *)0)->name)

static const row rows[] = {
    {.key = "source", .type = &type_text, .use = ROW_INFORMATION, .offset = TEXT(source)},
    {.key = "description", .type = &type_text, .use = ROW_INFORMATION, .offset = TEXT(description)},
    {.key = "is_complex", .type = &type_bool, .use = ROW_SETTING, .offset = FIELD(is_complex)},
    {.key = "channel", .type = &type_count, .use = ROW_SETTING, .offset = FIELD(channel)},
    {.key = "rate_hz", .type = &type_exact, .use = ROW_SETTING, .offset = FIELD(rate_hz)},
    {.key = "center_hz", .type = &type_exact, .use = ROW_SETTING, .offset = FIELD(center_hz)},
    {.key = "span_hz", .type = &type_exact, .use = ROW_SETTING, .offset = FIELD(span_hz)},
    {.key = "n_fft", .type = &type_count, .use = ROW_SETTING, .offset = FIELD(n_fft)},
    {.key = "hop", .type = &type_count, .use = ROW_SETTING, .offset = FIELD(hop)},
    {.key = "window", .type = &type_text, .use = ROW_SETTING, .offset = TEXT(window)},
    {.key = "frames_per_spectrum",
     .type = &type_count,
     .use = ROW_SETTING,
     .offset = FIELD(frames_per_spectrum)},
    {.key = "smooth_seconds",
     .type = &type_exact,
     .use = ROW_SETTING,
     .offset = FIELD(smooth_seconds)},
    {.key = "detrend", .type = &type_bool, .use = ROW_SETTING, .offset = FIELD(detrend)},
    {.key = "iq_swap", .type = &type_bool, .use = ROW_SETTING, .offset = FIELD(iq_swap)},
    {.key = "density", .type = &type_bool, .use = ROW_SETTING, .offset = FIELD(density)},
    {.key = "unit", .type = &type_text, .use = ROW_SETTING, .offset = TEXT(unit)},
    {.key = "offset_db", .type = &type_exact, .use = ROW_SETTING, .offset = FIELD(offset_db)},
    {.key = "weighting", .type = &type_text, .use = ROW_SETTING, .offset = TEXT(weighting)},
    {.key = "calibration", .type = &type_bool, .use = ROW_SETTING, .offset = FIELD(calibration)},
    {.key = "iq_corrected", .type = &type_bool, .use = ROW_SETTING, .offset = FIELD(iq_corrected)},
    {.key = "dc_interpolated",
     .type = &type_bool,
     .use = ROW_SETTING,
     .offset = FIELD(dc_interpolated)},
    {.key = "ppm", .type = &type_exact, .use = ROW_SETTING, .offset = FIELD(ppm)},
    {.key = "transverter_hz",
     .type = &type_exact,
     .use = ROW_SETTING,
     .offset = FIELD(transverter_hz)},
    {.key = "enbw_bins", .type = &type_exact, .use = ROW_SETTING, .offset = FIELD(enbw_bins)},
    {.key = "start_hz", .type = &type_exact, .use = ROW_SETTING, .offset = FIELD(start_hz)},
    {.key = "bin_hz", .type = &type_exact, .use = ROW_SETTING, .offset = FIELD(bin_hz)},
    {.key = "received", .type = &type_count, .use = ROW_COUNT, .offset = FIELD(totals.received)},
    {.key = "transformed",
     .type = &type_count,
     .use = ROW_COUNT,
     .offset = FIELD(totals.transformed)},
    {.key = "skipped", .type = &type_count, .use = ROW_COUNT, .offset = FIELD(totals.skipped)},
    {.key = "lost", .type = &type_count, .use = ROW_COUNT, .offset = FIELD(totals.lost)},
    {.key = "tail", .type = &type_count, .use = ROW_COUNT, .offset = FIELD(totals.tail)},
    {.key = "clipped", .type = &type_count, .use = ROW_COUNT, .offset = FIELD(totals.clipped)},
    {.key = "nonfinite", .type = &type_count, .use = ROW_COUNT, .offset = FIELD(totals.nonfinite)},
    {.key = "transforms", .type = &type_count, .use = ROW_COUNT, .offset = FIELD(totals.n_frames)},
    {.key = "spectra", .type = &type_count, .use = ROW_COUNT, .offset = FIELD(totals.n_spectra)},
    {.key = "gaps", .type = &type_count, .use = ROW_COUNT, .offset = FIELD(totals.n_gaps)},
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const void *field_of(const weir_golden *golden, const row *r)
{
    return (const char *)golden + r->offset;
}

/* ---- memory ---- */

weir_status weir_golden_allocate(weir_golden *golden, size_t n_bins, weir_error *err)
{
    golden->n_bins = n_bins;
    golden->mean_db = calloc(n_bins, sizeof *golden->mean_db);
    golden->max_db = calloc(n_bins, sizeof *golden->max_db);
    if (!golden->mean_db || !golden->max_db) {
        weir_golden_free(golden);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a result of %zu bins", n_bins);
    }
    return WEIR_OK;
}

void weir_golden_free(weir_golden *golden)
{
    if (golden) {
        free(golden->mean_db);
        free(golden->max_db);
        *golden = (weir_golden){0};
    }
}

/* ---- writing ---- */

static weir_status write_levels(const weir_golden *golden, weir_outfile *file, weir_error *err)
{
    char hz_text[VALUE_BYTES];
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < golden->n_bins && status == WEIR_OK; i++) {
        double hz = golden->start_hz + (double)i * golden->bin_hz;
        print_exact(NULL, &hz, hz_text, sizeof hz_text);
        status = weir_outfile_printf(file, err, "%s %.9g %.9g\n", hz_text,
                                     (double)golden->mean_db[i], (double)golden->max_db[i]);
    }
    return status;
}

weir_status weir_golden_write(const weir_golden *golden, weir_outfile *file, weir_error *err)
{
    char value[VALUE_BYTES];
    weir_status status = weir_outfile_printf(file, err, MAGIC "%d\n", WEIR_GOLDEN_VERSION);
    for (size_t i = 0; i < N_ROWS && status == WEIR_OK; i++) {
        rows[i].type->print(&rows[i], field_of(golden, &rows[i]), value, sizeof value);
        status = weir_outfile_printf(file, err, "%s: %s\n", rows[i].key, value);
    }
    if (status == WEIR_OK) {
        status = weir_outfile_printf(file, err, "bins: %zu\n" COLUMNS "\n", golden->n_bins);
    }
    if (status == WEIR_OK) {
        status = write_levels(golden, file, err);
    }
    return status == WEIR_OK ? weir_outfile_printf(file, err, "end\n") : status;
}

/* ---- reading ---- */

typedef struct reader {
    FILE *file;
    const char *name;
    size_t line; /* counted from 1 */
    char text[LINE_BYTES];
    weir_golden *golden;
    size_t capacity;
} reader;

/* One line without its end; an over-long one is cut, and so fits no row. */
static weir_status next_line(reader *r, weir_error *err)
{
    r->line++;
    if (!fgets(r->text, sizeof r->text, r->file)) {
        return ferror(r->file)
                   ? weir_fail(err, WEIR_ERR_IO, "%s: %s", r->name, strerror(errno))
                   : weir_fail(err, WEIR_ERR_DATA, "%s, line %zu: cut short; bless it again",
                               r->name, r->line);
    }
    r->text[strcspn(r->text, "\r\n")] = '\0';
    return WEIR_OK;
}

static weir_status bad_line(const reader *r, const char *expected, weir_error *err)
{
    return weir_fail(err, WEIR_ERR_DATA, "%s, line %zu: expected \"%s\", not \"%.60s\"", r->name,
                     r->line, expected, r->text);
}

static weir_status read_magic(reader *r, weir_error *err)
{
    const size_t length = sizeof MAGIC - 1;
    bool there = next_line(r, NULL) == WEIR_OK;
    if (!there || strncmp(r->text, MAGIC, length) != 0) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "%s is not a golden result (weir compare --bless makes one; a limit mask "
                         "goes with --mask)",
                         r->name);
    }
    uint64_t version;
    if (!parse_count(NULL, r->text + length, &version)) {
        return bad_line(r, MAGIC "1", err);
    }
    if (version != WEIR_GOLDEN_VERSION) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "%s has version %" PRIu64 ", and this weir reads version %d: bless it "
                         "again, or use the weir that made it",
                         r->name, version, WEIR_GOLDEN_VERSION);
    }
    return WEIR_OK;
}

/* What stands after "KEY: "; NULL if the line is of another key. */
static const char *value_of(const reader *r, const char *key)
{
    size_t length = strlen(key);
    bool mine = strncmp(r->text, key, length) == 0 && strncmp(r->text + length, ": ", 2) == 0;
    return mine ? r->text + length + 2 : NULL;
}

static weir_status read_row(reader *r, const row *wanted, weir_error *err)
{
    weir_status status = next_line(r, err);
    if (status != WEIR_OK) {
        return status;
    }
    const char *value = value_of(r, wanted->key);
    if (!value || !wanted->type->parse(wanted, value, (char *)r->golden + wanted->offset)) {
        char expected[64];
        snprintf(expected, sizeof expected, "%s: ...", wanted->key);
        return bad_line(r, expected, err);
    }
    return WEIR_OK;
}

/* Grows with the lines that are there: the count in the file is not believed. */
static weir_status make_room(reader *r, weir_error *err)
{
    weir_golden *g = r->golden;
    if (g->n_bins < r->capacity) {
        return WEIR_OK;
    }
    size_t capacity = r->capacity ? 2 * r->capacity : 4096;
    float *mean = realloc(g->mean_db, capacity * sizeof *mean);
    if (mean) {
        g->mean_db = mean;
    }
    float *max = realloc(g->max_db, capacity * sizeof *max);
    if (max) {
        g->max_db = max;
    }
    if (!mean || !max) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: no memory for %zu bins", r->name, capacity);
    }
    r->capacity = capacity;
    return WEIR_OK;
}

/* "FREQUENCY MEAN MAX"; the frequency is there for people and must be what the axis says. */
static weir_status read_levels(reader *r, weir_error *err)
{
    weir_golden *g = r->golden;
    double values[3];
    char text[LINE_BYTES], *rest = NULL;
    snprintf(text, sizeof text, "%s", r->text);
    char *word = strtok_r(text, " ", &rest);
    for (size_t i = 0; i < 3; i++) {
        if (!word || weir_parse_number(word, &values[i], NULL) != WEIR_OK) {
            return bad_line(r, "FREQUENCY MEAN MAX", err);
        }
        word = strtok_r(NULL, " ", &rest);
    }
    double hz = g->start_hz + (double)g->n_bins * g->bin_hz;
    bool levels_fit = fabs(values[1]) <= most_db && fabs(values[2]) <= most_db;
    if (word || !levels_fit || !(fabs(values[0] - hz) <= 1e-3 * g->bin_hz)) {
        return bad_line(r, "FREQUENCY MEAN MAX of the next bin", err);
    }
    weir_status status = make_room(r, err);
    if (status == WEIR_OK) {
        g->mean_db[g->n_bins] = (float)values[1];
        g->max_db[g->n_bins] = (float)values[2];
        g->n_bins++;
    }
    return status;
}

static weir_status read_bins(reader *r, weir_error *err)
{
    uint64_t n_bins = 0;
    weir_status status = next_line(r, err);
    const char *value = status == WEIR_OK ? value_of(r, "bins") : NULL;
    if (status == WEIR_OK && (!value || !parse_count(NULL, value, &n_bins) || n_bins == 0)) {
        return bad_line(r, "bins: ...", err);
    }
    if (status == WEIR_OK) {
        status = next_line(r, err);
    }
    if (status == WEIR_OK && strcmp(r->text, COLUMNS) != 0) {
        return bad_line(r, COLUMNS, err);
    }
    for (uint64_t i = 0; i < n_bins && status == WEIR_OK; i++) {
        status = next_line(r, err);
        status = status == WEIR_OK ? read_levels(r, err) : status;
    }
    if (status == WEIR_OK) {
        status = next_line(r, err);
    }
    return status == WEIR_OK && strcmp(r->text, "end") != 0 ? bad_line(r, "end", err) : status;
}

weir_status weir_golden_parse(weir_golden *golden, FILE *file, const char *name, weir_error *err)
{
    *golden = (weir_golden){0};
    reader r = {.file = file, .name = name, .golden = golden};
    weir_status status = read_magic(&r, err);
    for (size_t i = 0; i < N_ROWS && status == WEIR_OK; i++) {
        status = read_row(&r, &rows[i], err);
    }
    if (status == WEIR_OK && !(golden->bin_hz > 0)) {
        status = weir_fail(err, WEIR_ERR_DATA, "%s: bin_hz must be above 0", name);
    }
    if (status == WEIR_OK) {
        status = read_bins(&r, err);
    }
    if (status != WEIR_OK) {
        weir_golden_free(golden);
    }
    return status;
}

weir_status weir_golden_read(weir_golden *golden, const char *path, weir_error *err)
{
    *golden = (weir_golden){0};
    FILE *file = fopen(path, "re");
    if (!file) {
        return weir_fail(err, WEIR_ERR_NO_INPUT, "%s: %s", path, strerror(errno));
    }
    weir_status status = weir_golden_parse(golden, file, path, err);
    fclose(file);
    return status;
}

/* ---- comparing ---- */

bool weir_golden_settings_differ(const weir_golden *golden, const weir_golden *measured, char *text,
                                 size_t size)
{
    char there[VALUE_BYTES], here[VALUE_BYTES];
    for (size_t i = 0; i < N_ROWS; i++) {
        const row *r = &rows[i];
        const void *a = field_of(golden, r), *b = field_of(measured, r);
        if (r->use == ROW_SETTING && !r->type->equal(a, b)) {
            r->type->print(r, a, there, sizeof there);
            r->type->print(r, b, here, sizeof here);
            snprintf(text, size, "%s is %s there and %s here", r->key, there, here);
            return true;
        }
    }
    if (golden->n_bins != measured->n_bins) {
        snprintf(text, size, "bins are %zu there and %zu here", golden->n_bins, measured->n_bins);
        return true;
    }
    return false;
}

bool weir_golden_count_at(const weir_golden *golden, const weir_golden *measured, size_t wanted,
                          weir_golden_count *count)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        const row *r = &rows[i];
        if (r->use == ROW_COUNT && wanted-- == 0) {
            *count = (weir_golden_count){.name = r->key,
                                         .golden = *(const uint64_t *)field_of(golden, r),
                                         .measured = *(const uint64_t *)field_of(measured, r)};
            return true;
        }
    }
    return false;
}
