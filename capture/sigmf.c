#include "capture/sigmf.h"

#include "weir_config.h"

#if WEIR_HAVE_JANSSON

#include "base/log.h"
#include "capture/file_reader.h"
#include "capture/utc.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static weir_status bad(weir_error *err, const char *where, const char *what)
{
    char shown[64];
    return weir_fail(err, WEIR_ERR_DATA, "SigMF metadata: %s %s",
                     weir_printable(shown, sizeof shown, where), what);
}

/* A whole number >= 0. Integers keep all 63 bits; a real must be whole and below 2^53,
 * where it is still exact. An absent key leaves *value. */
static weir_status get_count(const json_t *object, const char *key, uint64_t *value,
                             weir_error *err)
{
    const json_t *item = json_object_get(object, key);
    if (!item) {
        return WEIR_OK;
    }
    if (json_is_integer(item) && json_integer_value(item) >= 0) {
        *value = (uint64_t)json_integer_value(item);
        return WEIR_OK;
    }
    double real = json_is_real(item) ? json_real_value(item) : -1;
    if (real < 0 || real > 0x1p53 || real != floor(real)) {
        return bad(err, key, "must be a whole number, 0 or more");
    }
    *value = (uint64_t)real;
    return WEIR_OK;
}

static weir_status get_number(const json_t *object, const char *key, double *value, weir_error *err)
{
    const json_t *item = json_object_get(object, key);
    if (item && !json_is_number(item)) {
        return bad(err, key, "must be a number");
    }
    if (item) {
        *value = json_number_value(item);
    }
    return WEIR_OK;
}

/* *value stays in the JSON tree. A '\0' inside would cut the text. */
static weir_status get_text(const json_t *object, const char *key, const char **value,
                            weir_error *err)
{
    const json_t *item = json_object_get(object, key);
    if (!item) {
        return WEIR_OK;
    }
    if (!json_is_string(item) || strlen(json_string_value(item)) != json_string_length(item)) {
        return bad(err, key, "must be a text");
    }
    *value = json_string_value(item);
    return WEIR_OK;
}

/* ---- global ---- */

/* ^(c|r)(f32|f64|i32|i16|u32|u16|i8|u8)(_le|_be)?$ ; without an ending: little-endian. */
static weir_status parse_datatype(const char *text, weir_sample_format *format, weir_error *err)
{
    static const struct {
        const char *name;
        weir_scalar le, be;
    } types[] = {
        {"f32", WEIR_F32LE, WEIR_F32BE}, {"f64", WEIR_F64LE, WEIR_F64BE},
        {"i32", WEIR_S32LE, WEIR_S32BE}, {"i16", WEIR_S16LE, WEIR_S16BE},
        {"u32", WEIR_U32LE, WEIR_U32BE}, {"u16", WEIR_U16LE, WEIR_U16BE},
        {"i8", WEIR_S8, WEIR_S8},        {"u8", WEIR_U8, WEIR_U8},
    };
    bool shaped = text[0] == 'c' || text[0] == 'r';
    for (size_t i = 0; shaped && i < sizeof types / sizeof types[0]; i++) {
        size_t n = strlen(types[i].name);
        if (strncmp(text + 1, types[i].name, n) != 0) {
            continue;
        }
        const char *order = text + 1 + n;
        bool big = strcmp(order, "_be") == 0;
        if (!big && *order != '\0' && strcmp(order, "_le") != 0) {
            break;
        }
        format->scalar = big ? types[i].be : types[i].le;
        format->is_complex = text[0] == 'c';
        return WEIR_OK;
    }
    char shown[40];
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "SigMF datatype \"%s\" is not known; supported are c or r, then f32 f64 i32 "
                     "i16 u32 u16 (with _le or _be) i8 u8, e.g. ci16_le",
                     weir_printable(shown, sizeof shown, text));
}

/* A name in the metadata's own folder: nothing a stranger's file says leads elsewhere. */
static weir_status check_dataset(const char *name, weir_error *err)
{
    bool plain = name[0] != '\0' && !strpbrk(name, "/\\") && strcmp(name, ".") != 0 &&
                 strcmp(name, "..") != 0;
    return plain ? WEIR_OK : bad(err, "core:dataset", "must be a file name without a folder");
}

static weir_status copy_checksum(weir_sigmf *sigmf, const char *text, weir_error *err)
{
    if (strlen(text) != 128 || strspn(text, "0123456789abcdefABCDEF") != 128) {
        return bad(err, "core:sha512", "must be 128 hexadecimal digits");
    }
    sigmf->sha512 = strdup(text);
    for (char *p = sigmf->sha512; p && *p; p++) {
        *p = *p >= 'A' && *p <= 'F' ? (char)(*p | 0x20) : *p;
    }
    return sigmf->sha512 ? WEIR_OK : weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
}

static weir_status parse_texts(weir_sigmf *sigmf, const json_t *global, weir_error *err)
{
    const char *datatype = NULL, *dataset = NULL, *sha512 = NULL;
    weir_status status = get_text(global, "core:datatype", &datatype, err);
    if (status == WEIR_OK) {
        status = get_text(global, "core:dataset", &dataset, err);
    }
    if (status == WEIR_OK) {
        status = get_text(global, "core:sha512", &sha512, err);
    }
    if (status == WEIR_OK) {
        status = datatype ? parse_datatype(datatype, &sigmf->format, err)
                          : bad(err, "core:datatype", "is missing");
    }
    if (status == WEIR_OK && dataset) {
        status = check_dataset(dataset, err);
        if (status == WEIR_OK && !(sigmf->dataset = strdup(dataset))) {
            return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
        }
    }
    if (status == WEIR_OK && sha512) {
        status = copy_checksum(sigmf, sha512, err);
    }
    return status;
}

static weir_status parse_numbers(weir_sigmf *sigmf, const json_t *global, weir_error *err)
{
    uint64_t channels = 1;
    weir_status status = get_number(global, "core:sample_rate", &sigmf->rate_hz, err);
    if (status == WEIR_OK && json_object_get(global, "core:sample_rate") && sigmf->rate_hz <= 0) {
        return bad(err, "core:sample_rate", "must be above 0");
    }
    if (status == WEIR_OK) {
        status = get_count(global, "core:offset", &sigmf->offset, err);
    }
    if (status == WEIR_OK) {
        status = get_count(global, "core:trailing_bytes", &sigmf->trailing_bytes, err);
    }
    if (status == WEIR_OK) {
        status = get_count(global, "core:num_channels", &channels, err);
    }
    if (status == WEIR_OK && (channels < 1 || channels > WEIR_MAX_CHANNELS)) {
        return bad(err, "core:num_channels", "must lie between 1 and 256");
    }
    sigmf->format.channels = (unsigned)channels;
    return status;
}

/* The standard's text on `optional` says the opposite of its name, so an unknown
 * extension is always only worth a warning. */
static void warn_of_extensions(const char *name, const json_t *global)
{
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(global, "core:extensions"), i, entry)
    {
        const char *extension = json_string_value(json_object_get(entry, "name"));
        if (extension) {
            char shown[64];
            weir_log(WEIR_LOG_WARNING, "%s: the SigMF extension \"%s\" is not known, ignored", name,
                     weir_printable(shown, sizeof shown, extension));
        }
    }
}

static weir_status parse_global(weir_sigmf *sigmf, const char *name, const json_t *global,
                                weir_error *err)
{
    if (!json_is_object(global)) {
        return bad(err, "\"global\"", "is missing");
    }
    weir_status status = parse_texts(sigmf, global, err);
    if (status == WEIR_OK) {
        status = parse_numbers(sigmf, global, err);
    }
    sigmf->metadata_only = json_is_true(json_object_get(global, "core:metadata_only"));
    if (!json_object_get(global, "core:version")) {
        weir_log(WEIR_LOG_WARNING, "%s: core:version is missing; read as SigMF 1.2", name);
    }
    warn_of_extensions(name, global);
    return status;
}

/* ---- captures ---- */

static weir_status parse_capture(weir_sigmf_capture *capture, const json_t *object, weir_error *err)
{
    *capture = (weir_sigmf_capture){.center_hz = NAN, .time_unix_ns = WEIR_UNKNOWN_TIME};
    if (!json_object_get(object, "core:sample_start")) {
        return bad(err, "core:sample_start", "is missing from a capture");
    }
    const char *time = NULL;
    weir_status status = get_count(object, "core:sample_start", &capture->sample_start, err);
    if (status == WEIR_OK) {
        status = get_count(object, "core:header_bytes", &capture->header_bytes, err);
    }
    if (status == WEIR_OK) {
        status = get_count(object, "core:global_index", &capture->global_index, err);
    }
    if (status == WEIR_OK) {
        status = get_number(object, "core:frequency", &capture->center_hz, err);
    }
    if (status == WEIR_OK) {
        status = get_text(object, "core:datetime", &time, err);
    }
    if (status == WEIR_OK && fabs(capture->center_hz) > 1e12) {
        return bad(err, "core:frequency", "must lie within 1e12 Hz");
    }
    if (status == WEIR_OK && time && !weir_utc_parse(time, &capture->time_unix_ns)) {
        return bad(err, "core:datetime", "must be like 2021-06-18T23:17:51.163959Z");
    }
    capture->has_global_index = json_object_get(object, "core:global_index") != NULL;
    return status;
}

static weir_status parse_captures(weir_sigmf *sigmf, const json_t *array, weir_error *err)
{
    if (!json_is_array(array)) {
        return bad(err, "\"captures\"", "is missing");
    }
    size_t n = json_array_size(array);
    sigmf->captures = calloc(n ? n : 1, sizeof *sigmf->captures);
    if (!sigmf->captures) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        weir_sigmf_capture *capture = &sigmf->captures[i];
        weir_status status = parse_capture(capture, json_array_get(array, i), err);
        if (status != WEIR_OK) {
            return status;
        }
        uint64_t least = i ? capture[-1].sample_start : sigmf->offset;
        if (capture->sample_start < least) {
            return bad(err, "core:sample_start",
                       i ? "falls from one capture to the next" : "lies before core:offset");
        }
    }
    sigmf->n_captures = n;
    return WEIR_OK;
}

/* ---- annotations ---- */

static weir_status parse_annotation(weir_annotation *note, const json_t *object, weir_error *err)
{
    *note = (weir_annotation){.low_hz = NAN, .high_hz = NAN};
    static const char *const keys[] = {"core:label", "core:description", "core:comment"};
    const char *label = NULL;
    if (!json_object_get(object, "core:sample_start")) {
        return bad(err, "core:sample_start", "is missing from an annotation");
    }
    weir_status status = get_count(object, "core:sample_start", &note->first_sample, err);
    for (size_t i = 0; status == WEIR_OK && !label && i < sizeof keys / sizeof keys[0]; i++) {
        status = get_text(object, keys[i], &label, err);
    }
    if (status == WEIR_OK) {
        status = get_count(object, "core:sample_count", &note->n_samples, err);
    }
    if (status == WEIR_OK) {
        status = get_number(object, "core:freq_lower_edge", &note->low_hz, err);
    }
    if (status == WEIR_OK) {
        status = get_number(object, "core:freq_upper_edge", &note->high_hz, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    char shown[256];
    note->label = strdup(weir_printable(shown, sizeof shown, label ? label : ""));
    return note->label ? WEIR_OK : weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
}

static int by_sample(const void *a, const void *b)
{
    const weir_annotation *x = a, *y = b;
    if (x->first_sample != y->first_sample) {
        return x->first_sample < y->first_sample ? -1 : 1;
    }
    return (x->n_samples > y->n_samples) - (x->n_samples < y->n_samples);
}

static weir_status parse_annotations(weir_sigmf *sigmf, const json_t *array, weir_error *err)
{
    size_t n = json_array_size(array); /* 0 for what is no array */
    if (n == 0) {
        return WEIR_OK;
    }
    sigmf->annotations = calloc(n, sizeof *sigmf->annotations);
    if (!sigmf->annotations) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        weir_status status =
            parse_annotation(&sigmf->annotations[i], json_array_get(array, i), err);
        if (status != WEIR_OK) {
            return status;
        }
        sigmf->n_annotations = i + 1;
    }
    qsort(sigmf->annotations, n, sizeof *sigmf->annotations, by_sample);
    return WEIR_OK;
}

/* ---- public ---- */

weir_status weir_sigmf_parse(weir_sigmf **out, const char *name, const char *text, size_t n_bytes,
                             weir_error *err)
{
    *out = NULL;
    json_error_t where;
    json_t *root = json_loadb(text, n_bytes, JSON_REJECT_DUPLICATES, &where);
    if (!root) {
        char shown[128];
        return weir_fail(err, WEIR_ERR_DATA, "SigMF metadata: line %d, column %d: %s", where.line,
                         where.column, weir_printable(shown, sizeof shown, where.text));
    }
    weir_sigmf *sigmf = calloc(1, sizeof *sigmf);
    weir_status status = sigmf ? WEIR_OK : weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    if (status == WEIR_OK) {
        status = parse_global(sigmf, name, json_object_get(root, "global"), err);
    }
    if (status == WEIR_OK) {
        status = parse_captures(sigmf, json_object_get(root, "captures"), err);
    }
    if (status == WEIR_OK) {
        status = parse_annotations(sigmf, json_object_get(root, "annotations"), err);
    }
    json_decref(root);
    if (status != WEIR_OK) {
        weir_sigmf_destroy(sigmf);
        return status;
    }
    *out = sigmf;
    return WEIR_OK;
}

void weir_sigmf_destroy(weir_sigmf *sigmf)
{
    if (!sigmf) {
        return;
    }
    for (size_t i = 0; i < sigmf->n_annotations; i++) {
        free((char *)sigmf->annotations[i].label);
    }
    free(sigmf->annotations);
    free(sigmf->captures);
    free(sigmf->dataset);
    free(sigmf->sha512);
    free(sigmf);
}

char *weir_sigmf_dataset(const char *text, size_t n_bytes)
{
    const char *name = NULL;
    json_t *root = json_loadb(text, n_bytes, JSON_REJECT_DUPLICATES, NULL);
    weir_status status = get_text(json_object_get(root, "global"), "core:dataset", &name, NULL);
    bool is_plain = status == WEIR_OK && name && check_dataset(name, NULL) == WEIR_OK;
    char *copy = is_plain ? strdup(name) : NULL;
    json_decref(root);
    return copy;
}

#else

char *weir_sigmf_dataset(const char *text, size_t n_bytes)
{
    (void)text, (void)n_bytes;
    return NULL;
}

weir_status weir_sigmf_parse(weir_sigmf **out, const char *name, const char *text, size_t n_bytes,
                             weir_error *err)
{
    (void)name, (void)text, (void)n_bytes;
    *out = NULL;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "this build cannot read SigMF; it needs jansson (build with "
                     "-DWEIR_JANSSON=ON), or read the data file as raw with --format and --rate");
}

void weir_sigmf_destroy(weir_sigmf *sigmf)
{
    (void)sigmf;
}

#endif
