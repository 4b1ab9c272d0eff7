#include "app/vectors_npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool weir_npy_begins(const void *file, size_t size)
{
    return size >= 6 && memcmp(file, "\x93NUMPY", 6) == 0;
}

/* What an element is: of one number, or two where complex. */
typedef struct npy_type {
    char kind; /* f, i, u, c, b */
    unsigned bytes;
    bool is_big_endian;
} npy_type;

static double half_at(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double size = exponent == 31  ? (fraction > 0 ? NAN : INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 & 1 ? -size : size;
}

static double float_of(uint64_t bits, unsigned width)
{
    const uint32_t low = (uint32_t)bits;
    float f;
    double d;
    if (width == 2) {
        return half_at(bits);
    }
    if (width == 4) {
        memcpy(&f, &low, sizeof f);
        return (double)f;
    }
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t bits_at(const unsigned char *from, unsigned width, bool is_big_endian)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < width; i++) {
        bits = bits << 8 | from[is_big_endian ? i : width - 1 - i];
    }
    return bits;
}

/* Element i of the flat vector; false: an integer that int64_t does not hold. */
static bool take_integer(weir_vector *vector, size_t i, uint64_t bits, const npy_type *type)
{
    const unsigned shift = 64 - 8 * type->bytes;
    if (type->kind == 'i') {
        vector->integers[i] = (int64_t)(bits << shift) >> shift;
        vector->values[i] = (double)vector->integers[i];
        return true;
    }
    vector->integers[i] = (int64_t)(bits & INT64_MAX);
    vector->values[i] = (double)bits;
    return bits <= INT64_MAX;
}

static weir_status npy_integers(weir_vector *vector, const char *path, const npy_type *type,
                                const unsigned char *from, weir_error *err)
{
    vector->integers = malloc(vector->n * sizeof *vector->integers);
    if (!vector->integers) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", path);
    }
    for (size_t i = 0; i < vector->n; i++, from += type->bytes) {
        uint64_t bits = bits_at(from, type->bytes, type->is_big_endian);
        if (!take_integer(vector, i, bits, type) && !vector->beyond[0]) {
            snprintf(vector->beyond, sizeof vector->beyond, "%.80s: value %zu", path, i);
        }
    }
    if (vector->beyond[0]) {
        free(vector->integers);
        vector->integers = NULL;
    }
    return WEIR_OK;
}

static weir_status npy_floats(weir_vector *vector, const char *path, const npy_type *type,
                              const unsigned char *from, weir_error *err)
{
    const unsigned parts = vector->is_complex ? 2 : 1, width = type->bytes / parts;
    for (size_t i = 0; i < vector->n * parts; i++, from += width) {
        vector->values[i] = float_of(bits_at(from, width, type->is_big_endian), width);
        if (!isfinite(vector->values[i])) {
            return weir_fail(err, WEIR_ERR_DATA, "%s: value %zu (from 0) is not a finite number",
                             path, i / parts);
        }
    }
    return WEIR_OK;
}

/* What stands after the key in the header's dictionary, or NULL. */
static const char *npy_entry(const char *dict, const char *key)
{
    const char *at = strstr(dict, key);
    if (!at) {
        return NULL;
    }
    at += strlen(key);
    return at + strspn(at, ": ");
}

static bool npy_type_of(const char *dict, npy_type *type)
{
    static const char known[][4] = {"f2", "f4", "f8", "c8", "c16", "i1", "i2",
                                    "i4", "i8", "u1", "u2", "u4",  "u8", "b1"};
    char order, name[4];
    int end = 0;
    const char *at = npy_entry(dict, "'descr'");
    if (!at || sscanf(at, "'%c%3[a-z0-9]'%n", &order, name, &end) != 2 || end == 0 ||
        !strchr("<>|=", order)) {
        return false;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i], name) == 0) {
            *type = (npy_type){name[0], (unsigned)(name[1] - '0'), order == '>'};
            type->bytes = strcmp(name, "c16") == 0 ? 16 : type->bytes;
            return true;
        }
    }
    return false;
}

/* "(12,)" */
static bool npy_length(const char *dict, size_t *n)
{
    unsigned long long value;
    int end = 0;
    const char *at = npy_entry(dict, "'shape'");
    if (!at || at[0] != '(' || at[1] < '0' || at[1] > '9' ||
        sscanf(at, "(%llu,)%n", &value, &end) != 1 || end == 0) {
        return false;
    }
    *n = (size_t)value;
    return true;
}

/* The dictionary as text, and where the data begin; NULL if it is no .npy file. */
static char *npy_dict(const unsigned char *b, size_t size, size_t *data_at)
{
    if (size < 12 || !weir_npy_begins(b, size) || b[6] < 1 || b[6] > 3) {
        return NULL;
    }
    size_t prefix = b[6] == 1 ? 10 : 12, length = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) {
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    if (length > size - prefix) {
        return NULL;
    }
    *data_at = prefix + length;
    return strndup((const char *)b + prefix, length);
}

static weir_status npy_elements(weir_vector *vector, const char *path, const npy_type *type,
                                size_t n, const unsigned char *data, size_t size, weir_error *err)
{
    if (n > size / type->bytes || n * type->bytes != size) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: %zu values by its header, but %zu bytes of data",
                         path, n, size);
    }
    weir_status status = weir_vector_alloc(vector, n, type->kind == 'c', err);
    if (status == WEIR_OK) {
        status = type->kind == 'f' || type->kind == 'c'
                     ? npy_floats(vector, path, type, data, err)
                     : npy_integers(vector, path, type, data, err);
    }
    if (status != WEIR_OK) {
        weir_vector_free(vector);
    }
    return status;
}

weir_status weir_npy_read(weir_vector *vector, const char *path, const void *file, size_t size,
                          weir_error *err)
{
    const unsigned char *bytes = file;
    size_t data_at, n = 0;
    char *dict = npy_dict(bytes, size, &data_at);
    if (!dict) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: not a NumPy array (.npy), or a part of one",
                         path);
    }
    npy_type type = {0};
    bool known = npy_type_of(dict, &type), flat = npy_length(dict, &n);
    free(dict);
    if (!known) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "%s: its type is not one of f2 f4 f8 c8 c16 i1 i2 i4 i8 u1 u2 u4 u8 b1",
                         path);
    }
    if (!flat || n == 0) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "%s: an array of one dimension, not empty, is needed (shape (N,))", path);
    }
    return npy_elements(vector, path, &type, n, bytes + data_at, size - data_at, err);
}
