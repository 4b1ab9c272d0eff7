#include "base/outfile.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 16)

struct weir_outfile {
    char *path;      /* as the user wrote it                            */
    char *temporary; /* NULL: written directly (stdout, devices, FIFOs) */
    int fd;
    bool owns_fd;
    weir_status first_error;
    char first_error_text[256];
    size_t used;
    char buffer[BUFFER_BYTES];
};

static weir_status repeat_error(const weir_outfile *file, weir_error *err)
{
    return weir_fail(err, file->first_error, "%s", file->first_error_text);
}

static weir_status keep_error(weir_outfile *file, int error_number, weir_error *err)
{
    file->first_error = error_number == EPIPE ? WEIR_PIPE_CLOSED : WEIR_ERR_IO;
    weir_snprintf(file->first_error_text, sizeof file->first_error_text, "%s: cannot write: %s",
                  weir_outfile_path(file), strerror(error_number));
    return repeat_error(file, err);
}

static weir_status cannot_create(const char *path, weir_error *err)
{
    return weir_fail(err, WEIR_ERR_CANT_CREATE, "%s: cannot create: %s", path, strerror(errno));
}

/* mkstemp makes files private; this one should be as public as any new file. */
static void give_default_mode(int fd)
{
    mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
}

static weir_status open_temporary(weir_outfile *file, weir_error *err)
{
    struct stat status;
    if (stat(file->path, &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            errno = EISDIR;
            return cannot_create(file->path, err);
        }
        if (!S_ISREG(status.st_mode)) { /* /dev/null, a FIFO: there is nothing to rename */
            file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
            return file->fd < 0 ? cannot_create(file->path, err) : WEIR_OK;
        }
        if (access(file->path, W_OK) != 0) {
            return cannot_create(file->path, err);
        }
    }
    size_t size = strlen(file->path) + sizeof ".weir-XXXXXX";
    file->temporary = malloc(size);
    if (!file->temporary) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", file->path);
    }
    snprintf(file->temporary, size, "%s.weir-XXXXXX", file->path);
    file->fd = mkostemp(file->temporary, O_CLOEXEC);
    if (file->fd < 0) {
        int why = errno;
        free(file->temporary);
        file->temporary = NULL;
        errno = why;
        return cannot_create(file->path, err);
    }
    give_default_mode(file->fd);
    return WEIR_OK;
}

static weir_status open_target(weir_outfile *file, bool seekable_needed, weir_error *err)
{
    weir_status status = WEIR_OK;
    if (strcmp(file->path, "-") == 0) {
        file->fd = STDOUT_FILENO;
        file->owns_fd = false;
    } else {
        file->owns_fd = true;
        status = open_temporary(file, err);
    }
    if (status == WEIR_OK && seekable_needed && lseek(file->fd, 0, SEEK_CUR) < 0) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "%s: this format needs a regular file (its header is completed at the "
                         "end); name one with -o",
                         weir_outfile_path(file));
    }
    return status;
}

weir_status weir_outfile_open(weir_outfile **out, const char *path, bool seekable_needed,
                              weir_error *err)
{
    *out = NULL;
    weir_outfile *file = calloc(1, sizeof *file);
    if (!file || !(file->path = strdup(path))) {
        free(file);
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", path);
    }
    file->fd = -1;
    weir_status status = open_target(file, seekable_needed, err);
    if (status != WEIR_OK) {
        weir_outfile_destroy(file);
        return status;
    }
    *out = file;
    return WEIR_OK;
}

static weir_status write_all(weir_outfile *file, const char *bytes, size_t size, weir_error *err)
{
    while (size > 0) {
        ssize_t written = write(file->fd, bytes, size);
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return keep_error(file, errno, err);
        }
        bytes += written;
        size -= (size_t)written;
    }
    return WEIR_OK;
}

weir_status weir_outfile_flush(weir_outfile *file, weir_error *err)
{
    if (file->first_error != WEIR_OK) {
        return repeat_error(file, err);
    }
    size_t size = file->used;
    file->used = 0;
    return write_all(file, file->buffer, size, err);
}

weir_status weir_outfile_write(weir_outfile *file, const void *bytes, size_t size, weir_error *err)
{
    if (file->first_error != WEIR_OK) {
        return repeat_error(file, err);
    }
    if (size > BUFFER_BYTES - file->used) {
        weir_status status = weir_outfile_flush(file, err);
        if (status != WEIR_OK || size >= BUFFER_BYTES) {
            return status != WEIR_OK ? status : write_all(file, bytes, size, err);
        }
    }
    if (size > 0) { /* a line that is empty so far may have no buffer: bytes is NULL then */
        memcpy(file->buffer + file->used, bytes, size);
        file->used += size;
    }
    return WEIR_OK;
}

weir_status weir_outfile_printf(weir_outfile *file, weir_error *err, const char *format, ...)
{
    char stack[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = weir_vsnprintf(stack, sizeof stack, format, args);
    va_end(args);
    weir_status status;
    if (length < 0) {
        status = weir_fail(err, WEIR_ERR_INTERNAL, "bad output format");
    } else if ((size_t)length < sizeof stack) {
        status = weir_outfile_write(file, stack, (size_t)length, err);
    } else {
        char *text = malloc((size_t)length + 1);
        if (text) {
            weir_vsnprintf(text, (size_t)length + 1, format, again);
            status = weir_outfile_write(file, text, (size_t)length, err);
            free(text);
        } else {
            status = weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", weir_outfile_path(file));
        }
    }
    va_end(again);
    return status;
}

weir_status weir_outfile_patch(weir_outfile *file, uint64_t offset, const void *bytes, size_t size,
                               weir_error *err)
{
    weir_status status = weir_outfile_flush(file, err);
    const char *next = bytes;
    while (status == WEIR_OK && size > 0) {
        ssize_t written = pwrite(file->fd, next, size, (off_t)offset);
        if (written < 0 && errno != EINTR) {
            return keep_error(file, errno, err);
        }
        if (written > 0) {
            next += written;
            offset += (uint64_t)written;
            size -= (size_t)written;
        }
    }
    return status;
}

weir_status weir_outfile_recover(weir_outfile *file, uint64_t *n_bytes, weir_error *err)
{
    struct stat status;
    bool regular = fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode);
    if (!regular || !file->owns_fd) {
        return file->first_error != WEIR_OK
                   ? repeat_error(file, err)
                   : weir_fail(err, WEIR_ERR_IO, "%s: is no file", weir_outfile_path(file));
    }
    file->used = 0;
    file->first_error = WEIR_OK;
    *n_bytes = (uint64_t)status.st_size;
    return WEIR_OK;
}

weir_status weir_outfile_cut(weir_outfile *file, uint64_t n_bytes, weir_error *err)
{
    weir_status status = weir_outfile_flush(file, err);
    if (status == WEIR_OK && (ftruncate(file->fd, (off_t)n_bytes) != 0 ||
                              lseek(file->fd, (off_t)n_bytes, SEEK_SET) < 0)) {
        return keep_error(file, errno, err);
    }
    return status;
}

weir_status weir_outfile_reserve(weir_outfile *file, uint64_t offset, uint64_t n_bytes,
                                 weir_error *err)
{
    int flags = FALLOC_FL_KEEP_SIZE;
    if (fallocate(file->fd, flags, (off_t)offset, (off_t)n_bytes) == 0 ||
        (errno != ENOSPC && errno != EDQUOT)) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_IO, "%s: cannot write: %s", weir_outfile_path(file),
                     strerror(errno));
}

weir_status weir_outfile_finish(weir_outfile *file, weir_error *err)
{
    weir_status status = weir_outfile_flush(file, err);
    if (status != WEIR_OK || !file->owns_fd) {
        return status;
    }
    /* Some file systems report a full disk only here. */
    int closed = close(file->fd);
    file->fd = -1;
    if (closed != 0 && errno != EINTR) {
        return keep_error(file, errno, err);
    }
    if (file->temporary) {
        if (rename(file->temporary, file->path) != 0) {
            return keep_error(file, errno, err);
        }
        free(file->temporary);
        file->temporary = NULL;
    }
    return WEIR_OK;
}

const char *weir_outfile_path(const weir_outfile *file)
{
    return strcmp(file->path, "-") == 0 ? "standard output" : file->path;
}

void weir_outfile_destroy(weir_outfile *file)
{
    if (!file) {
        return;
    }
    if (file->fd >= 0 && file->owns_fd) {
        close(file->fd);
    }
    if (file->temporary) {
        unlink(file->temporary);
        free(file->temporary);
    }
    free(file->path);
    free(file);
}
