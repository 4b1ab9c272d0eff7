#include "app/vectors.h"

#include "app/vectors_npy.h"
#include "base/outfile.h"
#include "base/text.h"
#include "capture/names.h"
#include "display/npy_header.h"
#include "dsp/format.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

weir_status weir_vector_alloc(weir_vector *vector, size_t n, bool is_complex, weir_error *err)
{
    *vector = (weir_vector){.n = n, .is_complex = is_complex};
    if (n > SIZE_MAX / 64) {
        return weir_fail(err, WEIR_ERR_NOMEM, "a vector of %zu values is too long", n);
    }
    vector->values = calloc(n > 0 ? n * (is_complex ? 2 : 1) : 1, sizeof(double));
    return vector->values ? WEIR_OK
                          : weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu values", n);
}

void weir_vector_free(weir_vector *vector)
{
    free(vector->values);
    free(vector->integers);
    *vector = (weir_vector){0};
}

/* The whole file. */
typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static weir_status read_stream(FILE *file, const char *path, bytes *all, weir_error *err)
{
    size_t room = 0;
    for (;;) {
        if (all->size + 1 >= room) {
            room = room ? 2 * room : 65536;
            char *more = realloc(all->data, room);
            if (!more) {
                return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", path);
            }
            all->data = more;
        }
        size_t got = fread(all->data + all->size, 1, room - all->size - 1, file);
        all->size += got;
        if (got == 0) {
            break;
        }
    }
    all->data[all->size] = '\0';
    return ferror(file) ? weir_fail(err, WEIR_ERR_IO, "%s: %s", path, strerror(errno)) : WEIR_OK;
}

static weir_status read_all(const char *path, bytes *all, weir_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rbe");
    if (!file) {
        return weir_fail(err, WEIR_ERR_NO_INPUT, "%s: %s", path, strerror(errno));
    }
    weir_status status = read_stream(file, is_stdin ? "standard input" : path, all, err);
    if (!is_stdin) {
        fclose(file);
    }
    return status;
}

/* ---- text ---- */

typedef struct text_reader {
    const char *path;
    size_t line, first_line; /* of the first values */
    unsigned columns;
    size_t n_values, room;
    double *values;
    int64_t *integers;
    bool all_whole;     /* so far, if 64 bits were enough */
    size_t beyond_line; /* of the first integer for which they are not; 0: none */
} text_reader;

static weir_status grow(text_reader *r, weir_error *err)
{
    if (r->n_values + 2 <= r->room) {
        return WEIR_OK;
    }
    size_t room = r->room ? 2 * r->room : 1024;
    double *values = realloc(r->values, room * sizeof *values);
    if (!values) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", r->path);
    }
    r->values = values;
    int64_t *integers = realloc(r->integers, room * sizeof *integers);
    if (!integers) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", r->path);
    }
    r->integers = integers;
    r->room = room;
    return WEIR_OK;
}

/* What is written with a point or an exponent counts as an integer as long as a double
 * holds every one of that size. */
static void add_whole(text_reader *r, const char *text, const char *end, double value)
{
    static const double most = 9007199254740992.0; /* 2^53 */
    char *stop;
    errno = 0;
    long long whole = strtoll(text, &stop, 10);
    if (stop == end && errno == 0) {
        r->integers[r->n_values] = whole;
    } else if (stop == end) {
        r->integers[r->n_values] = 0;
        r->beyond_line = r->beyond_line ? r->beyond_line : r->line;
    } else if (fabs(value) <= most && value == trunc(value)) {
        r->integers[r->n_values] = (int64_t)value;
    } else {
        r->integers[r->n_values] = 0;
        r->all_whole = false;
    }
}

/* Returns where the number at text ends, or NULL if there is no finite one. */
static const char *take_number(text_reader *r, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || !isfinite(value)) {
        return NULL;
    }
    add_whole(r, text, end, value);
    r->values[r->n_values++] = value;
    return end;
}

static bool is_imaginary_unit(const char *at, const char *end)
{
    return at == end - 1 && (*at == 'i' || *at == 'j');
}

static void insert_zero(text_reader *r)
{
    size_t at = r->n_values - 1;
    r->values[at + 1] = r->values[at];
    r->integers[at + 1] = r->integers[at];
    r->values[at] = 0.0;
    r->integers[at] = 0;
    r->n_values++;
}

/* "1.5", "1.5+2j", "2i", "(1.5-2j)", and "(1.5+-2j)" as NumPy once wrote it. Adds one or
 * two values; false: it is none of these. */
static bool take_word(text_reader *r, const char *word, const char *end)
{
    if (*word == '(' && end[-1] == ')') {
        word++;
        end--;
    }
    const char *at = take_number(r, word);
    if (!at || at == end) {
        return at;
    }
    if (is_imaginary_unit(at, end)) {
        insert_zero(r);
        return true;
    }
    if (*at != '+' && *at != '-') {
        return false;
    }
    at = take_number(r, at[0] == '+' && at[1] == '-' ? at + 1 : at);
    return at && is_imaginary_unit(at, end);
}

static weir_status add_word(text_reader *r, const char *word, const char *end, weir_error *err)
{
    weir_status status = grow(r, err);
    if (status == WEIR_OK && !take_word(r, word, end)) {
        int length = end - word < 32 ? (int)(end - word) : 32;
        status = weir_fail(err, WEIR_ERR_DATA, "%s:%zu: \"%.*s\" is not a finite number", r->path,
                           r->line, length, word);
    }
    return status;
}

static weir_status check_columns(text_reader *r, size_t columns, weir_error *err)
{
    if (r->columns == 0) {
        r->columns = (unsigned)columns;
        r->first_line = r->line;
    }
    if (columns > 2) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "%s:%zu: %zu columns; a vector has one (real) or two (complex)", r->path,
                         r->line, columns);
    }
    if (columns != r->columns) {
        return weir_fail(err, WEIR_ERR_DATA, "%s:%zu: %zu column%s, but line %zu has %u", r->path,
                         r->line, columns, columns > 1 ? "s" : "", r->first_line, r->columns);
    }
    return WEIR_OK;
}

/* line ends before `end`, comment cut off. */
static weir_status add_line(text_reader *r, const char *line, const char *end, weir_error *err)
{
    static const char separators[] = " \t\r,;";
    const size_t before = r->n_values;
    bool filled = false; /* since the last comma */
    while (line < end) {
        const char *word = line;
        while (line < end && !strchr(separators, *line)) {
            line++;
        }
        if (line > word) {
            weir_status status = add_word(r, word, line, err);
            if (status != WEIR_OK) {
                return status;
            }
            filled = true;
            continue;
        }
        if ((*line == ',' || *line == ';') && !filled) {
            return weir_fail(err, WEIR_ERR_DATA, "%s:%zu: nothing before a \"%c\"", r->path,
                             r->line, *line);
        }
        filled = filled && *line != ',' && *line != ';';
        line++;
    }
    return r->n_values > before ? check_columns(r, r->n_values - before, err) : WEIR_OK;
}

static weir_status read_lines(text_reader *r, const char *line, const char *stop, weir_error *err)
{
    weir_status status = WEIR_OK;
    if (stop - line >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        line += 3;
    }
    while (line < stop && status == WEIR_OK) {
        const char *next = memchr(line, '\n', (size_t)(stop - line));
        const char *end = next ? next : stop;
        const char *comment = memchr(line, '#', (size_t)(end - line));
        r->line++;
        status = add_line(r, line, comment ? comment : end, err);
        line = end + 1;
    }
    if (status == WEIR_OK && r->n_values == 0) {
        status = weir_fail(err, WEIR_ERR_DATA, "%s: no numbers in it", r->path);
    }
    return status;
}

static weir_status read_text(weir_vector *vector, const char *path, const bytes *all,
                             weir_error *err)
{
    if (memchr(all->data, '\0', all->size)) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "%s: not text: raw samples need --format (cs16, f32 ...), and UTF-16 has "
                         "to be made UTF-8",
                         path);
    }
    text_reader r = {.path = path, .all_whole = true};
    locale_t before = uselocale(weir_c_locale());
    weir_status status = read_lines(&r, all->data, all->data + all->size, err);
    uselocale(before);
    if (status != WEIR_OK || !r.all_whole || r.beyond_line) {
        free(r.integers);
        r.integers = NULL;
    }
    if (status != WEIR_OK) {
        free(r.values);
        return status;
    }
    *vector = (weir_vector){.n = r.n_values / r.columns,
                            .is_complex = r.columns == 2,
                            .values = r.values,
                            .integers = r.integers};
    if (r.all_whole && r.beyond_line) {
        snprintf(vector->beyond, sizeof vector->beyond, "%.80s:%zu", path, r.beyond_line);
    }
    return WEIR_OK;
}

/* ---- raw ---- */

static weir_status read_raw(weir_vector *vector, const char *path, const weir_sample_format *format,
                            const bytes *all, weir_error *err)
{
    char name[32];
    size_t stride = weir_format_stride_bytes(format), n = all->size / stride;
    if (n == 0 || all->size % stride != 0) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: %zu bytes are not a whole number of %s samples",
                         path, all->size, weir_format_name(format, name, sizeof name));
    }
    weir_sample_counts counts = {0, 0};
    weir_format_count(format, 0, all->data, n, &counts);
    if (counts.nonfinite > 0) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: %llu values are not finite numbers", path,
                         (unsigned long long)counts.nonfinite);
    }
    weir_status status = weir_vector_alloc(vector, n, format->is_complex, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_format_unpack_f64(format, 0, all->data, n, vector->values);
    for (size_t i = 0; i < n * (format->is_complex ? 2 : 1); i++) {
        if (fabs(vector->values[i]) >= WEIR_SAMPLE_LIMIT) {
            weir_vector_free(vector);
            return weir_fail(err, WEIR_ERR_DATA,
                             "%s: a raw sample of 1e17 or more; as text or .npy it may be that "
                             "large",
                             path);
        }
    }
    return WEIR_OK;
}

/* By its ending alone: a format's name elsewhere in it says nothing about text. */
static bool is_raw_name(const char *path, weir_sample_format *format)
{
    weir_name_facts facts;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name) {
        return false;
    }
    weir_names_parse(dot - 1, &facts); /* a letter and the ending */
    *format = facts.format;
    return facts.has_format;
}

/* As --format says, else as the file's name does; *is_raw false: it is no raw file. */
static weir_status raw_format(const char *path, const char *name, weir_sample_format *format,
                              bool *is_raw, weir_error *err)
{
    *is_raw = name || is_raw_name(path, format);
    if (!name) {
        return WEIR_OK;
    }
    *format = (weir_sample_format){.channels = 1};
    return weir_format_parse(name, format, err);
}

weir_status weir_vector_read(weir_vector *vector, const char *path, const char *format,
                             weir_error *err)
{
    bytes all = {0};
    weir_sample_format raw;
    bool is_raw;
    *vector = (weir_vector){0};
    weir_status status = raw_format(path, format, &raw, &is_raw, err);
    if (status == WEIR_OK) {
        status = read_all(path, &all, err);
    }
    if (status == WEIR_OK) {
        const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
        bool is_npy = weir_npy_begins(all.data, all.size) || weir_path_ending(path, ".npy") > 0;
        if (is_raw) {
            status = read_raw(vector, name, &raw, &all, err);
        } else if (is_npy) {
            status = weir_npy_read(vector, name, all.data, all.size, err);
        } else {
            status = read_text(vector, name, &all, err);
        }
    }
    free(all.data);
    return status;
}

/* ---- writing ---- */

weir_status weir_vector_check_output(const char *path, weir_error *err)
{
    static const char others[] = ".png .jsonl .json .wav .sigmf-meta .sigmf-data .flac";
    weir_sample_format raw;
    bool ours = !is_raw_name(path, &raw) && weir_path_ending(path, others) == 0;
    return ours ? WEIR_OK
                : weir_fail(err, WEIR_ERR_USAGE,
                            "%s: a vector is written as text, .csv or .npy, by the ending", path);
}

static weir_status write_npy_header(weir_outfile *file, const char *type, size_t n, weir_error *err)
{
    char header[WEIR_NPY_HEADER_BYTES];
    weir_npy_vector_header(header, type, n);
    return weir_outfile_write(file, header, sizeof header, err);
}

typedef weir_status vector_writer(const void *what, weir_outfile *file, const char *path,
                                  weir_error *err);

static weir_status write_file(const char *path, vector_writer *write, const void *what,
                              weir_error *err)
{
    weir_outfile *file;
    path = path ? path : "-";
    weir_status status = weir_outfile_open(&file, path, false, err);
    if (status != WEIR_OK) {
        return status;
    }
    status = write(what, file, path, err);
    if (status == WEIR_OK) {
        status = weir_outfile_finish(file, err);
    }
    weir_outfile_destroy(file);
    return status;
}

static char separator_of(const char *path)
{
    return weir_path_ending(path, ".csv") > 0 ? ',' : ' ';
}

static weir_status write_vector(const void *what, weir_outfile *file, const char *path,
                                weir_error *err)
{
    const weir_vector *v = what;
    const char separator = separator_of(path);
    weir_status status = WEIR_OK;
    if (weir_path_ending(path, ".npy") > 0) {
        status = write_npy_header(file, v->is_complex ? "<c16" : "<f8", v->n, err);
        size_t size = v->n * (v->is_complex ? 2 : 1) * sizeof *v->values;
        return status != WEIR_OK ? status : weir_outfile_write(file, v->values, size, err);
    }
    for (size_t i = 0; i < v->n && status == WEIR_OK; i++) {
        status = v->is_complex ? weir_outfile_printf(file, err, "%.9g%c%.9g\n", v->values[2 * i],
                                                     separator, v->values[2 * i + 1])
                               : weir_outfile_printf(file, err, "%.9g\n", v->values[i]);
    }
    return status;
}

weir_status weir_vector_write(const weir_vector *vector, const char *path, weir_error *err)
{
    return write_file(path, write_vector, vector, err);
}

/* ---- writing integers ---- */

/* Whether all values lie within +-limit, which a type of the file holds exactly. */
static bool all_within(const weir_integers *v, weir_int128 limit)
{
    for (size_t i = 0; i < v->n; i++) {
        weir_int128 im = v->im ? v->im[i] : 0;
        if (v->re[i] > limit || v->re[i] < -limit || im > limit || im < -limit) {
            return false;
        }
    }
    return true;
}

static weir_status write_npy_integers(const weir_integers *v, weir_outfile *file, const char *path,
                                      weir_error *err)
{
    if (!all_within(v, v->im ? (weir_int128)1 << 53 : (weir_int128)INT64_MAX)) {
        return weir_fail(
            err, WEIR_ERR_UNSUPPORTED,
            "%s: a NumPy array has no type for integers beyond 2^%d: write text, which "
            "holds every digit",
            path, v->im ? 53 : 63);
    }
    weir_status status = write_npy_header(file, v->im ? "<c16" : "<i8", v->n, err);
    for (size_t i = 0; i < v->n && status == WEIR_OK; i++) {
        if (v->im) {
            const double pair[2] = {(double)v->re[i], (double)v->im[i]};
            status = weir_outfile_write(file, pair, sizeof pair, err);
        } else {
            const int64_t whole = (int64_t)v->re[i];
            status = weir_outfile_write(file, &whole, sizeof whole, err);
        }
    }
    return status;
}

static weir_status write_integers(const void *what, weir_outfile *file, const char *path,
                                  weir_error *err)
{
    const weir_integers *v = what;
    const char separator = separator_of(path);
    weir_status status = WEIR_OK;
    if (weir_path_ending(path, ".npy") > 0) {
        return write_npy_integers(v, file, path, err);
    }
    for (size_t i = 0; i < v->n && status == WEIR_OK; i++) {
        char re[48], im[48];
        const char *first = weir_int128_text(v->re[i], re);
        status = v->im ? weir_outfile_printf(file, err, "%s%c%s\n", first, separator,
                                             weir_int128_text(v->im[i], im))
                       : weir_outfile_printf(file, err, "%s\n", first);
    }
    return status;
}

weir_status weir_integers_write(const weir_integers *integers, const char *path, weir_error *err)
{
    return write_file(path, write_integers, integers, err);
}
