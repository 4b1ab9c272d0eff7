#include "capture/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_BYTES (1 << 20)

struct weir_input {
    int fd;
    int wake[2]; /* a pipe: a byte in it ends every wait */
    bool owns_fd;
    bool is_stream;
    bool ended;
    atomic_bool interrupted;
    uint64_t origin; /* of a file: where position 0 lies */
    uint64_t bytes;
    uint64_t position;
    size_t held_begin, held_end; /* of a stream: bytes looked at and not yet taken */
    uint8_t held[WEIR_INPUT_MAX_PEEK];
};

static weir_status fail_errno(weir_error *err, weir_status status, const char *what)
{
    int number = errno;
    char text[128];
    return weir_fail(err, status, "%s: %s", what, strerror_r(number, text, sizeof text));
}

static weir_status find_kind(weir_input *input, weir_error *err)
{
    struct stat st;
    if (fstat(input->fd, &st) != 0) {
        return fail_errno(err, WEIR_ERR_NO_INPUT, "cannot be examined");
    }
    if (S_ISDIR(st.st_mode)) {
        return weir_fail(err, WEIR_ERR_NO_INPUT, "is a folder, not a recording");
    }
    input->is_stream = !S_ISREG(st.st_mode);
    if (S_ISFIFO(st.st_mode)) { /* more room before the writer must wait; no matter if refused */
        fcntl(input->fd, F_SETPIPE_SZ, PIPE_BYTES);
    }
    input->bytes = WEIR_INPUT_UNKNOWN_BYTES;
    if (!input->is_stream) {
        off_t at = lseek(input->fd, 0, SEEK_CUR);
        input->origin = at > 0 ? (uint64_t)at : 0;
        uint64_t size = (uint64_t)st.st_size;
        input->bytes = size > input->origin ? size - input->origin : 0;
        posix_fadvise(input->fd, (off_t)input->origin, 0, POSIX_FADV_SEQUENTIAL);
    }
    return WEIR_OK;
}

weir_status weir_input_open(weir_input **out, const char *path, weir_error *err)
{
    *out = NULL;
    weir_input *input = calloc(1, sizeof *input);
    if (!input) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    input->wake[0] = input->wake[1] = -1;
    input->fd = STDIN_FILENO;
    weir_status status;
    if (strcmp(path, "-") != 0) {
        /* Not blocking, so that a FIFO without a writer can be waited for with poll. */
        input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        input->owns_fd = input->fd >= 0;
        if (input->fd < 0) {
            status = fail_errno(err, WEIR_ERR_NO_INPUT, "cannot be opened");
            goto fail;
        }
    }
    status = find_kind(input, err);
    if (status != WEIR_OK) {
        goto fail;
    }
    if (input->is_stream && pipe2(input->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
        status = fail_errno(err, WEIR_ERR_IO, "no pipe for interrupts");
        goto fail;
    }
    *out = input;
    return WEIR_OK;
fail:
    weir_input_close(input);
    return status;
}

void weir_input_close(weir_input *input)
{
    if (!input) {
        return;
    }
    if (input->owns_fd) {
        close(input->fd);
    }
    for (int i = 0; i < 2; i++) {
        if (input->wake[i] >= 0) {
            close(input->wake[i]);
        }
    }
    free(input);
}

bool weir_input_is_stream(const weir_input *input)
{
    return input->is_stream;
}

uint64_t weir_input_bytes(const weir_input *input)
{
    return input->bytes;
}

/* *got = 0: the end, or interrupted. */
static weir_status read_stream(weir_input *input, void *memory, size_t n, size_t *got,
                               weir_error *err)
{
    *got = 0;
    while (!input->ended) {
        struct pollfd fds[2] = {{.fd = input->fd, .events = POLLIN},
                                {.fd = input->wake[0], .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR) {
            return fail_errno(err, WEIR_ERR_IO, "cannot be waited for");
        }
        if (fds[1].revents) {
            return WEIR_OK;
        }
        if (!fds[0].revents) {
            continue;
        }
        ssize_t count = read(input->fd, memory, n);
        if (count >= 0) {
            *got = (size_t)count;
            input->ended = count == 0 && n > 0;
            return WEIR_OK;
        }
        if (errno != EINTR && errno != EAGAIN) {
            return fail_errno(err, WEIR_ERR_IO, "cannot be read");
        }
    }
    return WEIR_OK;
}

weir_status weir_input_read_at(weir_input *input, uint64_t position, void *memory, size_t n,
                               size_t *got, weir_error *err)
{
    assert(!input->is_stream);
    *got = 0;
    while (*got < n && position <= (uint64_t)INT64_MAX - input->origin - n) {
        off_t at = (off_t)(input->origin + position + *got);
        ssize_t count = pread(input->fd, (char *)memory + *got, n - *got, at);
        if (count < 0 && errno != EINTR) {
            return fail_errno(err, WEIR_ERR_IO, "cannot be read");
        }
        if (count == 0) {
            break;
        }
        *got += count > 0 ? (size_t)count : 0;
    }
    return WEIR_OK;
}

weir_status weir_input_map(const weir_input *input, uint64_t position, uint64_t n_bytes,
                           weir_mapping **out, weir_error *err)
{
    assert(!input->is_stream);
    return weir_mapping_create(out, input->fd, input->origin + position, n_bytes, err);
}

static weir_status fill_held(weir_input *input, size_t n, weir_error *err)
{
    if (n > sizeof input->held - input->held_begin) {
        size_t rest = input->held_end - input->held_begin;
        memmove(input->held, input->held + input->held_begin, rest);
        input->held_begin = 0;
        input->held_end = rest;
    }
    while (input->held_end - input->held_begin < n) {
        size_t got, missing = n - (input->held_end - input->held_begin);
        weir_status status = read_stream(input, input->held + input->held_end, missing, &got, err);
        if (status != WEIR_OK || got == 0) {
            return status;
        }
        input->held_end += got;
    }
    return WEIR_OK;
}

weir_status weir_input_peek(weir_input *input, size_t n, const uint8_t **bytes, size_t *got,
                            weir_error *err)
{
    assert(n <= WEIR_INPUT_MAX_PEEK);
    *bytes = input->held;
    *got = 0;
    if (!input->is_stream) {
        return weir_input_read_at(input, input->position, input->held, n, got, err);
    }
    weir_status status = fill_held(input, n, err);
    *bytes = input->held + input->held_begin;
    *got = input->held_end - input->held_begin;
    *got = *got < n ? *got : n;
    return status;
}

weir_status weir_input_read(weir_input *input, void *memory, size_t n, size_t *got, weir_error *err)
{
    weir_status status = WEIR_OK;
    size_t held = input->held_end - input->held_begin;
    if (!input->is_stream) {
        status = weir_input_read_at(input, input->position, memory, n, got, err);
    } else if (held > 0) {
        *got = held < n ? held : n;
        memcpy(memory, input->held + input->held_begin, *got);
        input->held_begin += *got;
    } else {
        status = read_stream(input, memory, n, got, err);
    }
    input->position += *got;
    return status;
}

weir_status weir_input_move(weir_input *input, uint64_t position, weir_error *err)
{
    if (!input->is_stream) {
        input->position = position;
        return WEIR_OK;
    }
    assert(position >= input->position);
    uint8_t scratch[4096];
    while (input->position < position) {
        uint64_t rest = position - input->position;
        size_t got, n = rest < sizeof scratch ? (size_t)rest : sizeof scratch;
        weir_status status = weir_input_read(input, scratch, n, &got, err);
        if (status != WEIR_OK || got == 0) {
            return status;
        }
    }
    return WEIR_OK;
}

bool weir_input_interrupted(const weir_input *input)
{
    return atomic_load(&input->interrupted);
}

void weir_input_interrupt(weir_input *input)
{
    atomic_store(&input->interrupted, true);
    if (input->wake[1] >= 0) {
        int before = errno; /* a signal handler must leave it as it was */
        ssize_t ignored = write(input->wake[1], "", 1);
        (void)ignored;
        errno = before;
    }
}
