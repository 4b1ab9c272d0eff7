#include "capture/tar.h"

#include <string.h>

enum { BLOCK = 512, MAX_PAX_BYTES = 16384 };

/* What an extended header says about the member after it. */
typedef struct extended {
    char name[WEIR_TAR_MAX_NAME];
    bool has_name, has_size;
    uint64_t size;
} extended;

/* Octal digits, or base 256 when the top bit is set (GNU, for sizes from 8 GiB). */
static bool read_field(const uint8_t *field, size_t n, uint64_t *value)
{
    uint64_t sum = 0;
    if (field[0] & 0x80) {
        for (size_t i = 1; i < n; i++) {
            if (sum >> 56) {
                return false;
            }
            sum = sum << 8 | field[i];
        }
        *value = sum;
        return field[0] == 0x80;
    }
    size_t i = 0;
    while (i < n && field[i] == ' ') {
        i++;
    }
    for (; i < n && field[i] >= '0' && field[i] <= '7'; i++) {
        sum = sum << 3 | (uint64_t)(field[i] - '0'); /* 12 digits fit */
    }
    *value = sum;
    return i == n || field[i] == '\0' || field[i] == ' ';
}

static bool checksum_is_right(const uint8_t *block)
{
    uint64_t said, sum = 8 * ' ';
    for (size_t i = 0; i < BLOCK; i++) {
        sum += i < 148 || i >= 156 ? block[i] : 0;
    }
    return read_field(block + 148, 8, &said) && said == sum;
}

bool weir_tar_is_archive(const uint8_t *head, size_t n)
{
    return n >= BLOCK && memcmp(head + 257, "ustar", 5) == 0 && checksum_is_right(head);
}

static weir_status damaged(weir_error *err, uint64_t offset, const char *what)
{
    return weir_fail(err, WEIR_ERR_DATA, "the archive is damaged at byte %llu: %s",
                     (unsigned long long)offset, what);
}

static void name_of(const uint8_t *block, char *name)
{
    size_t used = 0;
    if (block[345] != '\0' && memcmp(block + 257, "ustar\0", 6) == 0) {
        used = strnlen((const char *)block + 345, 155);
        memcpy(name, block + 345, used);
        name[used++] = '/';
    }
    size_t n = strnlen((const char *)block, 100);
    memcpy(name + used, block, n);
    name[used + n] = '\0';
}

/* One record "LENGTH KEY=VALUE\n"; returns its length, 0 if it is malformed. */
static size_t read_record(const char *text, size_t n, extended *ext)
{
    size_t length = 0, i = 0;
    for (; i < n && i < 6 && text[i] >= '0' && text[i] <= '9'; i++) {
        length = length * 10 + (size_t)(text[i] - '0');
    }
    if (i == 0 || i + 2 > length || length > n || text[i] != ' ' || text[length - 1] != '\n') {
        return 0;
    }
    const char *key = text + i + 1, *end = text + length - 1;
    const char *equals = memchr(key, '=', (size_t)(end - key));
    if (!equals) {
        return 0;
    }
    const char *value = equals + 1;
    size_t n_key = (size_t)(equals - key), n_value = (size_t)(end - value);
    if (n_key == 4 && memcmp(key, "path", 4) == 0) {
        if (n_value >= sizeof ext->name || memchr(value, '\0', n_value)) {
            return 0;
        }
        memcpy(ext->name, value, n_value);
        ext->name[n_value] = '\0';
        ext->has_name = true;
    } else if (n_key == 4 && memcmp(key, "size", 4) == 0) {
        ext->size = 0;
        for (size_t k = 0; k < n_value; k++) {
            if (value[k] < '0' || value[k] > '9' || ext->size > UINT64_MAX / 16) {
                return 0;
            }
            ext->size = ext->size * 10 + (uint64_t)(value[k] - '0');
        }
        ext->has_size = true;
    }
    return length;
}

/* The body of an 'x' (pax) or 'L' (GNU long name) header. */
static weir_status read_extended(weir_input *input, uint64_t offset, uint64_t size, char type,
                                 extended *ext, weir_error *err)
{
    char text[MAX_PAX_BYTES];
    size_t got;
    if (size > sizeof text) {
        return damaged(err, offset, "an extended header of this size is not credible");
    }
    weir_status status = weir_input_read_at(input, offset, text, (size_t)size, &got, err);
    if (status != WEIR_OK || got < size) {
        return status != WEIR_OK ? status : damaged(err, offset, "it ends in an extended header");
    }
    if (type == 'L') {
        size_t n = strnlen(text, got);
        if (n >= sizeof ext->name) {
            return damaged(err, offset, "a name is too long");
        }
        memcpy(ext->name, text, n);
        ext->name[n] = '\0';
        ext->has_name = true;
        return WEIR_OK;
    }
    for (size_t at = 0, n; at < got; at += n) {
        n = read_record(text + at, got - at, ext);
        if (n == 0) {
            return damaged(err, offset, "an extended header cannot be read");
        }
    }
    return WEIR_OK;
}

static bool is_zero(const uint8_t *block)
{
    for (size_t i = 0; i < BLOCK; i++) {
        if (block[i] != 0) {
            return false;
        }
    }
    return true;
}

static void fill_entry(weir_tar_entry *entry, const uint8_t *block, const extended *ext,
                       uint64_t body, uint64_t size)
{
    entry->is_file = block[156] == '0' || block[156] == '\0' || block[156] == '7';
    entry->offset_bytes = body;
    entry->n_bytes = size;
    if (ext->has_name) {
        memcpy(entry->name, ext->name, sizeof entry->name);
    } else {
        name_of(block, entry->name);
    }
}

weir_status weir_tar_next(weir_input *input, uint64_t *offset, weir_tar_entry *entry, bool *found,
                          weir_error *err)
{
    extended ext = {.has_name = false};
    *found = false;
    for (;;) {
        uint8_t block[BLOCK];
        size_t got;
        uint64_t size, here = *offset;
        weir_status status = weir_input_read_at(input, here, block, BLOCK, &got, err);
        if (status != WEIR_OK || got < BLOCK || is_zero(block)) {
            return status;
        }
        if (!checksum_is_right(block) || !read_field(block + 124, 12, &size)) {
            return damaged(err, here, "no header of a member");
        }
        bool is_extended = block[156] == 'x' || block[156] == 'L';
        if (!is_extended && ext.has_size) {
            size = ext.size;
        }
        if (size > (uint64_t)INT64_MAX - here - 2 * BLOCK) {
            return damaged(err, here, "a size is not credible");
        }
        *offset = here + BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
        if (!is_extended) {
            fill_entry(entry, block, &ext, here + BLOCK, size);
            *found = true;
            return WEIR_OK;
        }
        status = read_extended(input, here + BLOCK, size, (char)block[156], &ext, err);
        if (status != WEIR_OK) {
            return status;
        }
    }
}
