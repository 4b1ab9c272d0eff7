/* Recordings as SigMF 1.2: NAME.sigmf-data with the samples, NAME.sigmf-meta with the rest.
 *
 * Every segment of the stream is a capture. core:global_index is the sample's place in the
 * stream, so that a gap is the difference of what it and core:sample_start advance by. The
 * metadata take their name after the samples do: who finds them finds both. */
#include "base/text.h"
#include "base/units.h"
#include "capture/record_format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENDINGS ".sigmf-meta .sigmf-data"
/* More than a capture, an annotation and everything else take as text. */
#define CAPTURE_BYTES 192
#define ANNOTATION_BYTES 1024
#define GLOBAL_BYTES 8192

typedef struct sigmf_out {
    weir_outfile *meta;
    uint64_t reserved_bytes;
} sigmf_out;

/* The datatype's name; NULL: SigMF has none. 8-bit audio has its zero at 128, which SigMF
 * cannot say. */
static const char *datatype_of(weir_scalar scalar)
{
    static const char *const names[WEIR_SCALAR_COUNT] = {
        [WEIR_U8] = "u8",        [WEIR_S8] = "i8",        [WEIR_U16LE] = "u16_le",
        [WEIR_U16BE] = "u16_be", [WEIR_S16LE] = "i16_le", [WEIR_S16BE] = "i16_be",
        [WEIR_U32LE] = "u32_le", [WEIR_U32BE] = "u32_be", [WEIR_S32LE] = "i32_le",
        [WEIR_S32BE] = "i32_be", [WEIR_F32LE] = "f32_le", [WEIR_F32BE] = "f32_be",
        [WEIR_F64LE] = "f64_le", [WEIR_F64BE] = "f64_be",
    };
    return names[scalar];
}

static weir_status check_sigmf(const weir_record_config *config, weir_error *err)
{
    char name[32], shown[200];
    if (weir_path_ending(config->path, ENDINGS) == 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: a SigMF recording is named .sigmf-meta",
                         weir_printable(shown, sizeof shown, config->path));
    }
    if (!datatype_of(config->info->format.scalar)) {
        return weir_fail(err, WEIR_ERR_USAGE, "SigMF has no name for %s samples; record a .wav",
                         weir_format_name(&config->info->format, name, sizeof name));
    }
    return WEIR_OK;
}

/* ---- open ---- */

/* Room for the metadata as they are now, and for twice as many captures. */
static weir_status reserve(weir_record *record, weir_error *err)
{
    sigmf_out *own = record->own;
    uint64_t wanted = GLOBAL_BYTES + (uint64_t)record->n_captures * CAPTURE_BYTES +
                      (uint64_t)record->n_annotations * ANNOTATION_BYTES;
    if (wanted <= own->reserved_bytes) {
        return WEIR_OK;
    }
    wanted *= 2;
    weir_status status = weir_outfile_reserve(own->meta, 0, wanted, err);
    own->reserved_bytes = status == WEIR_OK ? wanted : own->reserved_bytes;
    return status;
}

static weir_status open_sigmf(weir_record *record, weir_error *err)
{
    size_t length = strlen(record->path), stem = length - weir_path_ending(record->path, ENDINGS);
    sigmf_out *own = calloc(1, sizeof *own);
    char *path = malloc(length + sizeof ".sigmf-data");
    record->own = own;
    if (!own || !path) {
        free(path);
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", record->path);
    }
    record->hashes = true;
    memcpy(path, record->path, stem);
    strcpy(path + stem, ".sigmf-data");
    weir_status status = weir_outfile_open(&record->data, path, true, err);
    if (status == WEIR_OK) {
        strcpy(path + stem, ".sigmf-meta");
        status = weir_outfile_open(&own->meta, path, true, err);
    }
    free(path);
    return status == WEIR_OK ? reserve(record, err) : status;
}

/* ---- the metadata ---- */

/* The rest of a member, its name and comma before it written by the caller. */
static void put_string(weir_outfile *out, const char *text)
{
    weir_outfile_write(out, "\"", 1, NULL);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            weir_outfile_printf(out, NULL, "\\%c", c);
        } else if (c < 0x20) {
            weir_outfile_printf(out, NULL, "\\u%04x", (unsigned)c);
        } else {
            weir_outfile_write(out, text, 1, NULL);
        }
    }
    weir_outfile_write(out, "\"", 1, NULL);
}

/* The shortest text that reads back as the same double. */
static void put_number(weir_outfile *out, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        weir_snprintf(text, sizeof text, "%.*g", digits, value);
        double back = 0;
        if (weir_parse_number(text, &back, NULL) == WEIR_OK && back == value) {
            break;
        }
    }
    weir_outfile_printf(out, NULL, "%s", text);
}

static void put_global(const weir_record *record, weir_outfile *out)
{
    const weir_source_info *info = &record->info;
    char hex[129];
    weir_sha512 sha = record->sha;
    weir_sha512_finish(&sha, hex);
    weir_outfile_printf(out, NULL,
                        "{\n  \"global\": {\n    \"core:version\": \"1.2.0\",\n"
                        "    \"core:datatype\": \"%c%s\",\n    \"core:sample_rate\": ",
                        info->format.is_complex ? 'c' : 'r', datatype_of(info->format.scalar));
    put_number(out, info->rate_hz);
    weir_outfile_printf(out, NULL, ",\n    \"core:num_channels\": %u,\n    \"core:description\": ",
                        info->format.channels);
    put_string(out, info->name);
    weir_outfile_printf(out, NULL, ",\n    \"core:hw\": ");
    put_string(out, info->description);
    if (record->recorder[0]) {
        weir_outfile_printf(out, NULL, ",\n    \"core:recorder\": ");
        put_string(out, record->recorder);
    }
    weir_outfile_printf(out, NULL, ",\n    \"core:sha512\": \"%s\"\n  },\n", hex);
}

static void put_captures(const weir_record *record, weir_outfile *out)
{
    weir_outfile_printf(out, NULL, "  \"captures\": [");
    for (size_t i = 0; i < record->n_captures; i++) {
        const weir_record_capture *c = &record->captures[i];
        weir_outfile_printf(out, NULL,
                            "%s\n    {\"core:sample_start\": %llu, \"core:global_index\": %llu",
                            i ? "," : "", (unsigned long long)c->sample_start,
                            (unsigned long long)c->stream_sample);
        if (record->info.format.is_complex || c->center_hz != 0) {
            weir_outfile_printf(out, NULL, ", \"core:frequency\": ");
            put_number(out, c->center_hz);
        }
        if (c->time_unix_ns != WEIR_UNKNOWN_TIME) {
            char time[40];
            weir_outfile_printf(out, NULL, ", \"core:datetime\": \"%s\"",
                                weir_format_utc(time, sizeof time, c->time_unix_ns, 9));
        }
        weir_outfile_printf(out, NULL, "}");
    }
    weir_outfile_printf(out, NULL, "%s],\n", record->n_captures ? "\n  " : "");
}

/* From the stream to the file; what was lost counts as where it is missing. */
static uint64_t file_sample(const weir_record *record, uint64_t stream_sample)
{
    uint64_t at = 0;
    for (size_t i = 0; i < record->n_captures; i++) {
        const weir_record_capture *c = &record->captures[i];
        uint64_t end = i + 1 < record->n_captures ? c[1].sample_start : record->totals.written;
        if (stream_sample < c->stream_sample) {
            break;
        }
        uint64_t inside = stream_sample - c->stream_sample;
        at = inside < end - c->sample_start ? c->sample_start + inside : end;
    }
    return at;
}

static void put_annotations(const weir_record *record, weir_outfile *out)
{
    weir_outfile_printf(out, NULL, "  \"annotations\": [");
    for (size_t i = 0; i < record->n_annotations; i++) {
        const weir_annotation *a = &record->annotations[i];
        uint64_t start = file_sample(record, a->first_sample);
        uint64_t end = file_sample(record, a->first_sample + a->n_samples);
        weir_outfile_printf(
            out, NULL, "%s\n    {\"core:sample_start\": %llu, \"core:sample_count\": %llu",
            i ? "," : "", (unsigned long long)start, (unsigned long long)(end - start));
        if (!isnan(a->low_hz) && !isnan(a->high_hz)) {
            weir_outfile_printf(out, NULL, ", \"core:freq_lower_edge\": ");
            put_number(out, a->low_hz);
            weir_outfile_printf(out, NULL, ", \"core:freq_upper_edge\": ");
            put_number(out, a->high_hz);
        }
        weir_outfile_printf(out, NULL, ", \"core:label\": ");
        put_string(out, a->label);
        weir_outfile_printf(out, NULL, "}");
    }
    weir_outfile_printf(out, NULL, "%s]\n}\n", record->n_annotations ? "\n  " : "");
}

static weir_status finish_sigmf(weir_record *record, weir_error *err)
{
    sigmf_out *own = record->own;
    put_global(record, own->meta); /* the file keeps its first error for finish */
    put_captures(record, own->meta);
    put_annotations(record, own->meta);
    uint64_t n_bytes = 0;
    weir_status status = weir_outfile_flush(own->meta, err);
    if (status == WEIR_OK && weir_outfile_recover(own->meta, &n_bytes, NULL) == WEIR_OK) {
        status = weir_outfile_cut(own->meta, n_bytes, err); /* gives back what was set aside */
    }
    if (status == WEIR_OK) {
        status = weir_outfile_finish(record->data, err);
    }
    return status == WEIR_OK ? weir_outfile_finish(own->meta, err) : status;
}

static void close_sigmf(weir_record *record)
{
    sigmf_out *own = record->own;
    if (own) {
        weir_outfile_destroy(own->meta);
        free(own);
    }
}

const weir_record_format weir_record_sigmf = {
    .name = "sigmf",
    .endings = ENDINGS,
    .marks_gaps = true,
    .check = check_sigmf,
    .open = open_sigmf,
    .captured = reserve,
    .finish = finish_sigmf,
    .close = close_sigmf,
};
