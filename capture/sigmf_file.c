/* SigMF recordings: a .sigmf-meta beside its data file, or both inside a .sigmf archive,
 * which is read in place. Each capture is an extent of its own centre and time; a step
 * of core:global_index is samples lost before it. */
#include "capture/file_reader.h"
#include "capture/sigmf.h"
#include "capture/tar.h"

#include "base/log.h"
#include "base/sha512.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_META_BYTES (UINT64_C(256) << 20)

/* Where the samples lie in file->input. */
typedef struct dataset {
    uint64_t offset_bytes;
    uint64_t n_bytes;
} dataset;

static weir_probe probe_sigmf(const weir_file *file, const uint8_t *head, size_t n)
{
    if (weir_path_ending(file->path, ".sigmf-meta .sigmf-data .sigmf .sigmf-collection") > 0) {
        return WEIR_MINE; /* an ending nobody uses by chance; the data may look like anything */
    }
    return weir_tar_is_archive(head, n) ? WEIR_MINE_BY_NAME : WEIR_NOT_MINE;
}

/* ---- the metadata ---- */

/* *text is the caller's, of *n_bytes or fewer. */
static weir_status read_meta(weir_input *input, uint64_t offset, uint64_t *n_bytes, char **text,
                             weir_error *err)
{
    if (*n_bytes > MAX_META_BYTES) { /* also "unknown": a pipe */
        return weir_fail(err, WEIR_ERR_DATA, "SigMF metadata must be a file of at most 256 MiB");
    }
    uint64_t size = weir_input_bytes(input); /* what is there, not what a header says */
    uint64_t rest = size > offset ? size - offset : 0;
    size_t wanted = (size_t)(*n_bytes < rest ? *n_bytes : rest), got;
    *text = malloc(wanted + 1);
    if (!*text) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    weir_status status = weir_input_read_at(input, offset, *text, wanted, &got, err);
    *n_bytes = got;
    return status;
}

static weir_status parse_meta(weir_file *file, weir_input *input, uint64_t offset, uint64_t n_bytes,
                              weir_error *err)
{
    char *text = NULL;
    weir_status status = read_meta(input, offset, &n_bytes, &text, err);
    if (status == WEIR_OK) {
        weir_sigmf *sigmf;
        status = weir_sigmf_parse(&sigmf, file->base.info.name, text, (size_t)n_bytes, err);
        file->own = sigmf;
    }
    free(text);
    return status;
}

/* The path with its last n bytes replaced, or with its last component replaced (n = 0). */
static char *sibling(const char *path, size_t n_cut, const char *end)
{
    size_t keep = strlen(path) - n_cut;
    if (n_cut == 0) {
        const char *slash = strrchr(path, '/');
        keep = slash ? (size_t)(slash - path) + 1 : 0;
    }
    char *made = malloc(keep + strlen(end) + 1);
    if (made) {
        memcpy(made, path, keep);
        strcpy(made + keep, end);
    }
    return made;
}

char *weir_sigmf_samples_path(const char *path)
{
    weir_input *input;
    if (weir_path_ending(path, ".sigmf-meta") == 0 ||
        weir_input_open(&input, path, NULL) != WEIR_OK) {
        return NULL;
    }
    char *text = NULL;
    uint64_t n_bytes = weir_input_bytes(input);
    weir_status status = read_meta(input, 0, &n_bytes, &text, NULL);
    char *name = status == WEIR_OK ? weir_sigmf_dataset(text, (size_t)n_bytes) : NULL;
    char *made = name ? sibling(path, 0, name) : sibling(path, strlen("meta"), "data");
    free(name);
    free(text);
    weir_input_close(input);
    return made;
}

static weir_status open_beside(weir_input **out, const char *path, const char *hint,
                               weir_error *err)
{
    if (!path) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    weir_status status = weir_input_open(out, path, err);
    if (status == WEIR_OK && weir_input_is_stream(*out)) {
        weir_input_close(*out);
        *out = NULL;
        status = weir_fail(err, WEIR_ERR_UNSUPPORTED, "must be a file, not a pipe");
    }
    if (status != WEIR_OK) {
        char shown[200];
        weir_fail_context(err, "%s%s", hint, weir_printable(shown, sizeof shown, path));
    }
    return status;
}

/* FILE.sigmf-meta: the input becomes its data file. */
static weir_status open_by_meta(weir_file *file, dataset *data, weir_error *err)
{
    weir_status status = parse_meta(file, file->input, 0, weir_input_bytes(file->input), err);
    if (status != WEIR_OK) {
        return status;
    }
    const weir_sigmf *sigmf = file->own;
    if (sigmf->metadata_only && !sigmf->dataset) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "describes a recording without samples (core:metadata_only)");
    }
    char *path = sigmf->dataset ? sibling(file->path, 0, sigmf->dataset)
                                : sibling(file->path, strlen("meta"), "data");
    weir_input *input;
    status = open_beside(&input, path, "its samples: ", err);
    free(path);
    if (status != WEIR_OK) {
        return status;
    }
    weir_input_close(file->input);
    file->input = input;
    *data = (dataset){0, weir_input_bytes(input)};
    return WEIR_OK;
}

/* FILE.sigmf-data: the metadata must lie beside it. */
static weir_status open_by_data(weir_file *file, dataset *data, weir_error *err)
{
    char *path = sibling(file->path, strlen("data"), "meta");
    weir_input *input;
    weir_status status = open_beside(
        &input, path, "its metadata (or say --format and --rate to read it as raw): ", err);
    free(path);
    if (status != WEIR_OK) {
        return status;
    }
    status = parse_meta(file, input, 0, weir_input_bytes(input), err);
    weir_input_close(input);
    *data = (dataset){0, weir_input_bytes(file->input)};
    return status;
}

/* The first member that is a file of this name, or with this ending. */
static weir_status find_member(weir_file *file, const char *name, bool is_ending,
                               weir_tar_entry *entry, bool *found, weir_error *err)
{
    uint64_t offset = 0;
    for (;;) {
        weir_status status = weir_tar_next(file->input, &offset, entry, found, err);
        if (status != WEIR_OK || !*found) {
            return status;
        }
        bool same = is_ending ? weir_ends_with(entry->name, name) : strcmp(entry->name, name) == 0;
        if (entry->is_file && same) {
            return WEIR_OK;
        }
    }
}

/* FILE.sigmf: the first recording in the archive. */
static weir_status open_archive(weir_file *file, dataset *data, weir_error *err)
{
    weir_tar_entry entry;
    bool found;
    weir_status status = find_member(file, ".sigmf-meta", true, &entry, &found, err);
    if (status == WEIR_OK && !found) {
        status = weir_fail(err, WEIR_ERR_DATA, "the archive holds no .sigmf-meta");
    }
    if (status == WEIR_OK) {
        status = parse_meta(file, file->input, entry.offset_bytes, entry.n_bytes, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    const weir_sigmf *sigmf = file->own;
    char *path = sigmf->dataset ? sibling(entry.name, 0, sigmf->dataset)
                                : sibling(entry.name, strlen("meta"), "data");
    if (!path) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    status = find_member(file, path, false, &entry, &found, err);
    if (status == WEIR_OK && !found) {
        char shown[200];
        status = weir_fail(err, WEIR_ERR_DATA, "the archive holds no \"%s\"",
                           weir_printable(shown, sizeof shown, path));
    }
    free(path);
    *data = (dataset){entry.offset_bytes, entry.n_bytes};
    return status;
}

/* ---- the checksum ---- */

static weir_status verify(weir_file *file, const dataset *data, weir_error *err)
{
    const weir_sigmf *sigmf = file->own;
    if (!sigmf->sha512) {
        return weir_fail(err, WEIR_ERR_DATA, "the metadata has no core:sha512 to verify");
    }
    size_t piece = 1 << 20, got = 1;
    uint8_t *buffer = malloc(piece);
    if (!buffer) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    weir_sha512 sha;
    weir_sha512_begin(&sha);
    weir_status status = WEIR_OK;
    for (uint64_t at = 0; status == WEIR_OK && at < data->n_bytes && got > 0; at += got) {
        uint64_t rest = data->n_bytes - at;
        size_t n = rest < piece ? (size_t)rest : piece;
        status = weir_input_read_at(file->input, data->offset_bytes + at, buffer, n, &got, err);
        weir_sha512_add(&sha, buffer, got);
    }
    free(buffer);
    char hex[129];
    weir_sha512_finish(&sha, hex);
    if (status == WEIR_OK && strcmp(hex, sigmf->sha512) != 0) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "the samples are not those of the metadata: SHA-512 is %.16s..., "
                         "core:sha512 says %.16s...",
                         hex, sigmf->sha512);
    }
    return status;
}

/* ---- captures to extents ---- */

typedef struct layout {
    weir_extent *extents;
    size_t n_extents;
    size_t stride_bytes;
    double rate_hz;
    double unknown_center_hz; /* for captures that do not say */
    double given_center_hz;   /* NAN: not given               */
    uint64_t at, end;         /* bytes in the input           */
} layout;

/* The same stream going on: nothing in between, same centre, and a time that is either
 * not said, said again, or what the sample count gives (to a sample or the microsecond
 * that datetimes are written to). */
static bool goes_on(const layout *lay, const weir_extent *next)
{
    if (lay->n_extents == 0) {
        return false;
    }
    const weir_extent *last = &lay->extents[lay->n_extents - 1];
    size_t stride = lay->stride_bytes;
    if (next->lost_before > 0 || last->center_hz != next->center_hz ||
        last->offset_bytes + last->n_samples * stride != next->offset_bytes) {
        return false;
    }
    if (next->time_unix_ns == WEIR_UNKNOWN_TIME || next->time_unix_ns == last->time_unix_ns) {
        return true;
    }
    if (last->time_unix_ns == WEIR_UNKNOWN_TIME) {
        return false;
    }
    double passed = (double)next->time_unix_ns - (double)last->time_unix_ns;
    double tolerance = fmax(1e9 / lay->rate_hz, 1e3);
    return fabs(passed - (double)last->n_samples * 1e9 / lay->rate_hz) <= tolerance;
}

static void add_extent(layout *lay, const weir_sigmf_capture *capture, uint64_t lost_before,
                       uint64_t n_samples)
{
    double center_hz = isnan(capture->center_hz) ? lay->unknown_center_hz : capture->center_hz;
    weir_extent extent = {
        .offset_bytes = lay->at,
        .n_samples = n_samples,
        .lost_before = lost_before,
        .center_hz = isnan(lay->given_center_hz) ? center_hz : lay->given_center_hz,
        .time_unix_ns = capture->time_unix_ns,
    };
    if (goes_on(lay, &extent)) {
        lay->extents[lay->n_extents - 1].n_samples += n_samples;
    } else {
        lay->extents[lay->n_extents++] = extent;
    }
    lay->at += n_samples * lay->stride_bytes;
}

/* Samples the original stream had between the last capture and this one, and the file
 * does not. *ahead: how far the original index runs before the file's. */
static weir_status count_lost(const weir_sigmf_capture *capture, bool is_first, int64_t *ahead,
                              uint64_t *lost, weir_error *err)
{
    *lost = 0;
    if (!capture->has_global_index) {
        return WEIR_OK;
    }
    /* Both are below 2^63, so the difference fits. */
    int64_t now = (int64_t)capture->global_index - (int64_t)capture->sample_start;
    int64_t step;
    if (!is_first && (__builtin_sub_overflow(now, *ahead, &step) || step < 0)) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "SigMF metadata: core:global_index goes back at sample %llu",
                         (unsigned long long)capture->sample_start);
    }
    *lost = is_first ? 0 : (uint64_t)step;
    *ahead = now;
    return WEIR_OK;
}

static weir_status add_captures(layout *lay, const weir_sigmf *sigmf, weir_error *err)
{
    static const weir_sigmf_capture nothing = {.center_hz = NAN, .time_unix_ns = WEIR_UNKNOWN_TIME};
    const weir_sigmf_capture *c = sigmf->captures;
    size_t n = sigmf->n_captures;
    uint64_t before = n ? c[0].sample_start - sigmf->offset : UINT64_MAX;
    uint64_t fit = (lay->end - lay->at) / lay->stride_bytes;
    if (before > 0 && fit > 0) { /* samples that no capture speaks of */
        add_extent(lay, &nothing, 0, before < fit ? before : fit);
    }
    int64_t ahead = 0;
    uint64_t pending = 0; /* lost before a capture that turned out empty */
    for (size_t i = 0; i < n && before <= fit; i++) {
        uint64_t lost;
        weir_status status = count_lost(&c[i], i == 0, &ahead, &lost, err);
        if (status != WEIR_OK) {
            return status;
        }
        pending += lost;
        if (c[i].header_bytes >= lay->end - lay->at) {
            break; /* past the end */
        }
        lay->at += c[i].header_bytes;
        fit = (lay->end - lay->at) / lay->stride_bytes;
        uint64_t here = i + 1 < n ? c[i + 1].sample_start - c[i].sample_start : fit;
        here = here < fit ? here : fit;
        if (here > 0) {
            add_extent(lay, &c[i], pending, here);
            pending = 0;
        }
    }
    return WEIR_OK;
}

/* From indices of the file to indices of the stream, which count lost samples too. */
static void place_annotations(weir_sigmf *sigmf, const layout *lay)
{
    size_t k = 0;
    uint64_t stored = 0, lost = 0;
    for (size_t i = 0; i < sigmf->n_annotations; i++) {
        uint64_t *sample = &sigmf->annotations[i].first_sample;
        *sample = *sample > sigmf->offset ? *sample - sigmf->offset : 0;
        while (k + 1 < lay->n_extents && *sample >= stored + lay->extents[k].n_samples) {
            stored += lay->extents[k++].n_samples;
            lost += lay->extents[k].lost_before;
        }
        *sample += lost;
    }
}

static weir_status lay_out(weir_file *file, const weir_source_options *options, const dataset *data,
                           weir_error *err)
{
    weir_sigmf *sigmf = file->own;
    weir_source_info *info = &file->base.info;
    layout lay = {.stride_bytes = weir_format_stride_bytes(&info->format),
                  .rate_hz = info->rate_hz,
                  .given_center_hz = options->center_hz,
                  .at = data->offset_bytes};
    lay.unknown_center_hz = isnan(file->facts.center_hz) ? 0 : file->facts.center_hz;
    uint64_t size = weir_input_bytes(file->input);
    uint64_t rest = size > data->offset_bytes ? size - data->offset_bytes : 0;
    if (data->n_bytes > rest) {
        weir_log(WEIR_LOG_NOTICE, "%s: cut short: %llu bytes of samples are missing", info->name,
                 (unsigned long long)(data->n_bytes - rest));
    }
    rest = data->n_bytes < rest ? data->n_bytes : rest;
    lay.end = lay.at + (sigmf->trailing_bytes < rest ? rest - sigmf->trailing_bytes : 0);
    lay.extents = calloc(sigmf->n_captures + 1, sizeof *lay.extents);
    if (!lay.extents) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    weir_status status = add_captures(&lay, sigmf, err);
    if (status == WEIR_OK && lay.n_extents == 0) {
        status = weir_fail(err, WEIR_ERR_DATA, "holds no samples");
    }
    if (status == WEIR_OK) {
        uint64_t odd = (lay.end - lay.at) % lay.stride_bytes;
        if (odd > 0) {
            weir_log(WEIR_LOG_NOTICE, "%s: the last %llu bytes are not a whole sample, dropped",
                     info->name, (unsigned long long)odd);
        }
        info->center_hz = lay.extents[0].center_hz;
        weir_file_choose_time(file, lay.extents[0].time_unix_ns);
        lay.extents[0].time_unix_ns = info->time_unix_ns;
        place_annotations(sigmf, &lay);
        status = weir_stored_create(&file->stored, file->input, info->name, &info->format,
                                    info->rate_hz, lay.extents, lay.n_extents, err);
    }
    free(lay.extents);
    return status;
}

/* ---- the reader ---- */

static weir_status open_parts(weir_file *file, dataset *data, weir_error *err)
{
    if (weir_input_is_stream(file->input)) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "a SigMF recording cannot be read from a pipe; pipe the samples as raw");
    }
    if (weir_path_ending(file->path, ".sigmf-meta") > 0) {
        return open_by_meta(file, data, err);
    }
    if (weir_path_ending(file->path, ".sigmf-data") > 0) {
        return open_by_data(file, data, err);
    }
    if (weir_path_ending(file->path, ".sigmf-collection") > 0) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "is a list of recordings; open one of their .sigmf-meta files");
    }
    const uint8_t *head;
    size_t n;
    weir_status status = weir_input_peek(file->input, WEIR_FILE_HEAD_BYTES, &head, &n, err);
    if (status == WEIR_OK && !weir_tar_is_archive(head, n)) {
        return weir_fail(err, WEIR_ERR_DATA, "is not a SigMF archive (a tar file)");
    }
    return status == WEIR_OK ? open_archive(file, data, err) : status;
}

static weir_status open_sigmf(weir_file *file, const weir_source_options *options, weir_error *err)
{
    dataset data = {0};
    weir_status status = open_parts(file, &data, err);
    if (status == WEIR_OK && options->verify_checksum) {
        status = verify(file, &data, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    const weir_sigmf *sigmf = file->own;
    weir_source_info *info = &file->base.info;
    info->format = sigmf->format;
    status = weir_file_choose_rate(file, options, sigmf->rate_hz, err);
    if (status == WEIR_OK) {
        status = lay_out(file, options, &data, err);
    }
    if (status == WEIR_OK) {
        info->n_samples = weir_stored_samples(file->stored);
        info->can_seek = true;
        info->annotations = sigmf->annotations;
        info->n_annotations = sigmf->n_annotations;
        weir_file_describe(file, "SigMF");
    }
    return status;
}

static void close_sigmf(weir_file *file)
{
    weir_sigmf_destroy(file->own);
}

const weir_file_reader weir_reader_sigmf = {
    .name = "SigMF",
    .probe = probe_sigmf,
    .open = open_sigmf,
    .close = close_sigmf,
};
