#include "app/kept_files.h"

#include "app/view_sources.h"
#include "base/text.h"
#include "capture/fault.h"
#include "capture/sigmf.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_FILES (4 * WEIR_MAX_SOURCES + 2 * WEIR_MAX_OUTPUTS + 8)

typedef struct file_use {
    const char *by; /* the option that names it; NULL: an argument */
    const char *path;
    char *made; /* the path, if it was made here; else NULL */
} file_use;

typedef struct file_list {
    file_use files[MOST_FILES];
    size_t n;
} file_list;

static void add(file_list *list, const char *by, const char *path)
{
    if (path && strcmp(path, "-") != 0 && list->n < MOST_FILES) {
        list->files[list->n++] = (file_use){.by = by, .path = path};
    }
}

/* A source's file, and the one that its metadata names; standard input may be a file, too. */
static void add_source(file_list *list, const char *name)
{
    if (!name) {
        return;
    }
    name += strncmp(name, "file:", strlen("file:")) == 0 ? strlen("file:") : 0;
    add(list, NULL, strcmp(name, "-") == 0 ? "/dev/stdin" : name);
    char *samples = weir_sigmf_samples_path(name);
    if (samples && list->n < MOST_FILES) {
        list->files[list->n++] = (file_use){.path = samples, .made = samples};
    }
}

static void free_made(file_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->files[i].made);
    }
}

/* The golden result is read, or with --bless made. */
static bool is_written(const weir_settings *settings, int argument)
{
    return settings->bless && argument == 1;
}

static void list_read(file_list *read, const weir_settings *settings, int n, char *const *arguments)
{
    for (int i = 0; i < n; i++) {
        add_source(read, is_written(settings, i) ? NULL : arguments[i]);
        add_source(read, weir_fault_inner(arguments[i]));
    }
    add(read, "--calibration", settings->calibration);
    add(read, "--mask", settings->mask);
    add(read, "--labels", settings->labels);
    add(read, "--config", settings->config);
}

static void list_written(file_list *written, const weir_settings *settings, int n,
                         char *const *arguments)
{
    for (unsigned i = 0; i < settings->outputs.n; i++) {
        add(written, "-o", settings->outputs.paths[i]);
    }
    for (unsigned i = 0; i < settings->reports.n; i++) {
        add(written, "--report", settings->reports.paths[i]);
    }
    add(written, "--diff-png", settings->diff_png);
    add(written, "--png", settings->png);
    add(written, "--alert-log", settings->alert_log);
    add(written, "--bless", n > 1 && is_written(settings, 1) ? arguments[1] : NULL);
}

/* A SigMF recording is the pair of its files, and named by the first; others by themselves. */
static bool name_recording(const char *name, char path[PATH_MAX])
{
    size_t n = strlen(name);
    if (n >= PATH_MAX) {
        return false;
    }
    strcpy(path, name);
    if (weir_path_ending(path, ".sigmf-data") > 0) {
        strcpy(path + n - strlen("data"), "meta");
    }
    return true;
}

/* What is written beside NAME.sigmf-meta; of other files the name itself. */
static bool name_samples(const char *name, char path[PATH_MAX])
{
    if (!name_recording(name, path)) {
        return false;
    }
    if (weir_path_ending(path, ".sigmf-meta") > 0) {
        strcpy(path + strlen(path) - strlen("meta"), "data");
    }
    return true;
}

/* Both are there and are one file. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static bool would_replace(const char *written, const char *read)
{
    char recording[PATH_MAX], samples[PATH_MAX], read_recording[PATH_MAX];
    return is_same_file(written, read) ||
           (name_recording(written, recording) && name_recording(read, read_recording) &&
            is_same_file(recording, read_recording)) ||
           (name_samples(written, samples) && is_same_file(samples, read));
}

/* Where a file that is perhaps not there yet will be; false: nowhere, or it is no regular file. */
static bool place_of(const char *path, char *place, size_t size)
{
    struct stat found;
    char whole[PATH_MAX], folder[PATH_MAX];
    if (stat(path, &found) == 0) {
        return S_ISREG(found.st_mode) && realpath(path, whole) &&
               (size_t)snprintf(place, size, "%s", whole) < size;
    }
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if ((size_t)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(name - path) : 1,
                         slash ? path : ".") >= sizeof folder) {
        return false;
    }
    return realpath(folder, whole) && (size_t)snprintf(place, size, "%s/%s", whole, name) < size;
}

static weir_status keep_read(const file_use *written, const file_list *read, weir_error *err)
{
    for (size_t i = 0; i < read->n; i++) {
        const file_use *file = &read->files[i];
        if (would_replace(written->path, file->path)) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "%s %.200s: is the %s%s, which would be lost; name another file",
                             written->by, written->path, file->by ? "file of " : "input",
                             file->by ? file->by : "");
        }
    }
    return WEIR_OK;
}

static weir_status keep_written(const file_use *written, const file_list *others, weir_error *err)
{
    char place[PATH_MAX + 256], other[PATH_MAX + 256];
    if (!place_of(written->path, place, sizeof place)) {
        return WEIR_OK;
    }
    for (size_t i = 0; i < others->n; i++) {
        const file_use *file = &others->files[i];
        if (file != written && place_of(file->path, other, sizeof other) &&
            strcmp(place, other) == 0) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "%s %.200s: is written by %s as well; name another file", file->by,
                             file->path, written->by);
        }
    }
    return WEIR_OK;
}

/* What may stand for {n}, {time} and {rule} becomes "*". */
static void make_glob(const char *pattern, char *glob, size_t size)
{
    static const char *const keys[] = {"{n}", "{time}", "{rule}"};
    size_t used = 0;
    while (*pattern && used + 3 < size) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            size_t n = strlen(keys[i]);
            skip = strncmp(pattern, keys[i], n) == 0 ? n : skip;
        }
        if (!skip && strchr("*?[\\", *pattern)) {
            glob[used++] = '\\';
        }
        glob[used++] = skip ? '*' : *pattern;
        pattern += skip ? skip : 1;
    }
    glob[used] = '\0';
}

/* A recording that an alert makes goes around files that are there, but a result that takes its
 * place at the end would take that of one made meanwhile. */
static weir_status keep_alerts(const file_use *written, const char *pattern, weir_error *err)
{
    char name[PATH_MAX], clip[PATH_MAX], place[PATH_MAX + 256], clips[PATH_MAX + 256];
    char glob[2 * sizeof clips];
    if (!pattern || !name_recording(written->path, name) || !name_recording(pattern, clip) ||
        !place_of(name, place, sizeof place) || !place_of(clip, clips, sizeof clips)) {
        return WEIR_OK;
    }
    make_glob(clips, glob, sizeof glob);
    return fnmatch(glob, place, FNM_PATHNAME) != 0
               ? WEIR_OK
               : weir_fail(err, WEIR_ERR_USAGE,
                           "%s %.200s: --alert-record %.200s may write a file of that name as "
                           "well; name another file",
                           written->by, written->path, pattern);
}

weir_status weir_keep_files(const weir_settings *settings, int n_arguments, char *const *arguments,
                            weir_error *err)
{
    file_list read = {.n = 0}, written = {.n = 0};
    list_read(&read, settings, n_arguments, arguments);
    list_written(&written, settings, n_arguments, arguments);
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < written.n && status == WEIR_OK; i++) {
        status = keep_read(&written.files[i], &read, err);
        if (status == WEIR_OK) {
            status = keep_written(&written.files[i], &written, err);
        }
        if (status == WEIR_OK) {
            status = keep_alerts(&written.files[i], settings->alert_record, err);
        }
    }
    free_made(&read);
    return status;
}
