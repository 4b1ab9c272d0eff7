#include "app/vectors.h"

#include "base/outfile.h"
#include "base/text.h"
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
    bool all_integers;
} text_reader;

static weir_status grow(text_reader *r, weir_error *err)
{
    if (r->n_values < r->room) {
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

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

static weir_status add_number(text_reader *r, const char *word, size_t length, weir_error *err)
{
    char text[64], *end;
    weir_status status = grow(r, err);
    if (status != WEIR_OK) {
        return status;
    }
    snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), word);
    locale_t before = uselocale(weir_c_locale());
    double value = strtod(text, &end);
    uselocale(before);
    if (*end != '\0' || end == text || length > 62 || !isfinite(value)) {
        return weir_fail(err, WEIR_ERR_DATA, "%s:%zu: \"%.32s\" is not a finite number", r->path,
                         r->line, text);
    }
    errno = 0;
    long long whole = strtoll(text, &end, 10);
    r->all_integers = r->all_integers && *end == '\0' && errno == 0;
    r->integers[r->n_values] = whole;
    r->values[r->n_values++] = value;
    return WEIR_OK;
}

/* line ends before `end`, comment cut off. */
static weir_status add_line(text_reader *r, const char *line, const char *end, weir_error *err)
{
    unsigned columns = 0;
    while (line < end) {
        const char *word = line;
        while (line < end && !is_separator(*line)) {
            line++;
        }
        if (line > word) {
            weir_status status = add_number(r, word, (size_t)(line - word), err);
            if (status != WEIR_OK) {
                return status;
            }
            columns++;
        } else {
            line++;
        }
    }
    if (columns == 0) {
        return WEIR_OK;
    }
    if (r->columns == 0) {
        r->columns = columns;
        r->first_line = r->line;
    }
    if (columns > 2) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "%s:%zu: %u columns; a vector has one (real) or two (complex)", r->path,
                         r->line, columns);
    }
    if (columns != r->columns) {
        return weir_fail(err, WEIR_ERR_DATA, "%s:%zu: %u column%s, but line %zu has %u", r->path,
                         r->line, columns, columns > 1 ? "s" : "", r->first_line, r->columns);
    }
    return WEIR_OK;
}

static weir_status read_text(weir_vector *vector, const char *path, const bytes *all,
                             weir_error *err)
{
    text_reader r = {.path = path, .all_integers = true};
    const char *line = all->data, *stop = all->data + all->size;
    weir_status status = WEIR_OK;
    while (line < stop && status == WEIR_OK) {
        const char *next = memchr(line, '\n', (size_t)(stop - line));
        const char *end = next ? next : stop;
        const char *comment = memchr(line, '#', (size_t)(end - line));
        r.line++;
        status = add_line(&r, line, comment ? comment : end, err);
        line = end + 1;
    }
    if (status == WEIR_OK && r.n_values == 0) {
        status = weir_fail(err, WEIR_ERR_DATA, "%s: no numbers in it", path);
    }
    if (status != WEIR_OK || !r.all_integers) {
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
    return WEIR_OK;
}

/* ---- NumPy ---- */

/* Kinds of elements; complex ones are two of a float kind. */
typedef struct npy_type {
    const char *name;
    unsigned bytes;
    char kind; /* f, i, u, c */
} npy_type;

static const npy_type npy_types[] = {
    {"<f4", 4, 'f'}, {"<f8", 8, 'f'}, {"<c8", 8, 'c'}, {"<c16", 16, 'c'},
    {"|i1", 1, 'i'}, {"<i2", 2, 'i'}, {"<i4", 4, 'i'}, {"<i8", 8, 'i'},
    {"|u1", 1, 'u'}, {"<u2", 2, 'u'}, {"<u4", 4, 'u'},
};

static double float_at(const unsigned char *from, unsigned width)
{
    float f;
    double d;
    if (width == 4) {
        memcpy(&f, from, sizeof f);
        return (double)f;
    }
    memcpy(&d, from, sizeof d);
    return d;
}

static int64_t integer_at(const unsigned char *from, unsigned width, bool is_signed)
{
    uint64_t v = 0;
    memcpy(&v, from, width); /* little-endian, as the host is */
    unsigned shift = 64 - 8 * width;
    return is_signed ? (int64_t)(v << shift) >> shift : (int64_t)v;
}

static weir_status npy_values(weir_vector *vector, const char *path, const npy_type *type,
                              const unsigned char *from, weir_error *err)
{
    bool whole = type->kind == 'i' || type->kind == 'u';
    size_t count = vector->n * (vector->is_complex ? 2 : 1);
    unsigned width = type->bytes / (vector->is_complex ? 2 : 1);
    if (whole && !(vector->integers = malloc((count ? count : 1) * sizeof(int64_t)))) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", path);
    }
    for (size_t i = 0; i < count; i++, from += width) {
        if (whole) {
            vector->integers[i] = integer_at(from, width, type->kind == 'i');
            vector->values[i] = (double)vector->integers[i];
        } else {
            vector->values[i] = float_at(from, width);
        }
        if (!isfinite(vector->values[i])) {
            return weir_fail(err, WEIR_ERR_DATA, "%s: value %zu is not a finite number", path, i);
        }
    }
    return WEIR_OK;
}

static const npy_type *npy_type_of(const char *dict)
{
    for (size_t i = 0; i < sizeof npy_types / sizeof npy_types[0]; i++) {
        char quoted[16];
        snprintf(quoted, sizeof quoted, "'%s'", npy_types[i].name);
        if (strstr(dict, quoted)) {
            return &npy_types[i];
        }
    }
    return NULL;
}

/* "(12,)" */
static bool npy_length(const char *dict, size_t *n)
{
    const char *shape = strstr(dict, "'shape'");
    unsigned long long value;
    int end = 0;
    shape = shape ? strchr(shape, '(') : NULL;
    if (!shape || sscanf(shape, "(%llu,)%n", &value, &end) != 1 || end == 0) {
        return false;
    }
    *n = (size_t)value;
    return true;
}

/* The dictionary as text, and where the data begin; NULL if it is no .npy file. */
static char *npy_dict(const bytes *all, size_t *data_at)
{
    const unsigned char *b = (const unsigned char *)all->data;
    if (all->size < 12 || memcmp(b, "\x93NUMPY", 6) != 0 || b[6] < 1 || b[6] > 3) {
        return NULL;
    }
    size_t prefix = b[6] == 1 ? 10 : 12, length = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) {
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    if (length > all->size - prefix) {
        return NULL;
    }
    *data_at = prefix + length;
    return strndup(all->data + prefix, length);
}

static weir_status read_npy(weir_vector *vector, const char *path, const bytes *all,
                            weir_error *err)
{
    size_t data_at, n = 0;
    char *dict = npy_dict(all, &data_at);
    if (!dict) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: not a NumPy array (.npy)", path);
    }
    const npy_type *type = npy_type_of(dict);
    bool flat = npy_length(dict, &n);
    free(dict);
    if (!type) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "%s: its type is not one of f4 f8 c8 c16 i1 i2 i4 i8 u1 u2 u4, "
                         "little-endian",
                         path);
    }
    if (!flat || n == 0) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "%s: an array of one dimension, not empty, is needed (shape (N,))", path);
    }
    if (n != (all->size - data_at) / type->bytes) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: %zu values by its header, but %zu bytes of data",
                         path, n, all->size - data_at);
    }
    weir_status status = weir_vector_alloc(vector, n, type->kind == 'c', err);
    if (status == WEIR_OK) {
        status = npy_values(vector, path, type, (const unsigned char *)all->data + data_at, err);
    }
    if (status != WEIR_OK) {
        weir_vector_free(vector);
    }
    return status;
}

/* ---- raw ---- */

static weir_status read_raw(weir_vector *vector, const char *path, const char *name,
                            const bytes *all, weir_error *err)
{
    weir_sample_format format = {.channels = 1};
    weir_status status = weir_format_parse(name, &format, err);
    if (status != WEIR_OK) {
        return status;
    }
    size_t stride = weir_format_stride_bytes(&format), n = all->size / stride;
    if (n == 0 || all->size % stride != 0) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: %zu bytes are not a whole number of %s samples",
                         path, all->size, name);
    }
    status = weir_vector_alloc(vector, n, format.is_complex, err);
    if (status == WEIR_OK) {
        weir_format_unpack_f64(&format, 0, all->data, n, vector->values);
    }
    return status;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

weir_status weir_vector_read(weir_vector *vector, const char *path, const char *format,
                             weir_error *err)
{
    bytes all = {0};
    *vector = (weir_vector){0};
    weir_status status = read_all(path, &all, err);
    if (status == WEIR_OK) {
        const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
        if (format) {
            status = read_raw(vector, name, format, &all, err);
        } else if (ends_with(path, ".npy")) {
            status = read_npy(vector, name, &all, err);
        } else {
            status = read_text(vector, name, &all, err);
        }
    }
    free(all.data);
    return status;
}

/* ---- writing ---- */

static weir_status write_npy(const weir_vector *v, weir_outfile *file, weir_error *err)
{
    enum { HEADER = 128, PREFIX = 10 };
    char header[HEADER];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = HEADER - PREFIX;
    header[9] = 0;
    int length = weir_snprintf(header + PREFIX, HEADER - PREFIX,
                               "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }",
                               v->is_complex ? "<c16" : "<f8", v->n);
    header[PREFIX + length] = ' ';
    header[HEADER - 1] = '\n';
    weir_status status = weir_outfile_write(file, header, sizeof header, err);
    if (status == WEIR_OK) {
        status = weir_outfile_write(file, v->values,
                                    v->n * (v->is_complex ? 2 : 1) * sizeof(double), err);
    }
    return status;
}

static weir_status write_text(const weir_vector *v, weir_outfile *file, weir_error *err)
{
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < v->n && status == WEIR_OK; i++) {
        status = v->is_complex ? weir_outfile_printf(file, err, "%.9g %.9g\n", v->values[2 * i],
                                                     v->values[2 * i + 1])
                               : weir_outfile_printf(file, err, "%.9g\n", v->values[i]);
    }
    return status;
}

weir_status weir_vector_write(const weir_vector *vector, const char *path, weir_error *err)
{
    weir_outfile *file;
    path = path ? path : "-";
    weir_status status = weir_outfile_open(&file, path, false, err);
    if (status != WEIR_OK) {
        return status;
    }
    status = ends_with(path, ".npy") ? write_npy(vector, file, err) : write_text(vector, file, err);
    if (status == WEIR_OK) {
        status = weir_outfile_finish(file, err);
    }
    weir_outfile_destroy(file);
    return status;
}
