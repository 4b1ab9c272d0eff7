/* Any bytes as what an rtl_tcp server sends, in pieces of any size, with pauses, closed and
 * opened again. fuzz-wrap: connect recv send poll
 *
 * The first byte chooses what weir does when the connection ends; then a byte says how long a
 * piece is (0: nothing yet; 255: the server closes), and the piece follows. What comes out
 * must be what went in after each greeting, in pairs, no byte twice; a piece that is alone on a
 * reconnection is lost with it. */
#include "base/log.h"
#include "capture/source.h"
#include "tests/fuzz/in_memory.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#define GREETING_BYTES 12
#define MOST_SAMPLES 37 /* a read: little, so that pieces are cut as well */

/* The server's side of the one connection at a time. */
static struct server {
    const uint8_t *data;
    size_t size, at;
    size_t piece; /* bytes left of it          */
    bool closed;  /* the connection at present */
    uint8_t *sent;
    size_t n_sent;     /* of the samples of all connections, in whole pairs */
    size_t n_greeting; /* bytes of this connection's greeting               */
    size_t n_of_this;  /* and of its samples                                */
    weir_source *source;
} server;

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size);
ssize_t __wrap_recv(int fd, void *memory, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *memory, size_t size, int flags);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms);

static void end_connection(void)
{
    server.closed = true;
    server.n_sent -= server.n_of_this % 2; /* I without its Q */
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    (void)fd;
    (void)address;
    (void)size;
    if (server.at >= server.size) {
        if (server.source) { /* it would try again for ever */
            server.source->class_->interrupt(server.source);
        }
        errno = ECONNREFUSED;
        return -1;
    }
    server.piece = server.n_greeting = server.n_of_this = 0;
    server.closed = false;
    return 0;
}

/* What is a sample goes into the account. */
static void account(const uint8_t *bytes, size_t n)
{
    size_t greeting = GREETING_BYTES - server.n_greeting;
    greeting = greeting < n ? greeting : n;
    server.n_greeting += greeting;
    memcpy(server.sent + server.n_sent, bytes + greeting, n - greeting);
    server.n_sent += n - greeting;
    server.n_of_this += n - greeting;
}

ssize_t __wrap_recv(int fd, void *memory, size_t size, int flags)
{
    (void)fd;
    (void)flags;
    if (!server.closed && server.piece == 0) {
        server.piece = server.at < server.size ? server.data[server.at++] : 255;
        if (server.piece == 255 || server.at >= server.size) {
            end_connection();
        }
        if (!server.closed && server.piece == 0) {
            errno = EAGAIN;
            return -1;
        }
    }
    if (server.closed) {
        return 0;
    }
    size_t left = server.size - server.at;
    size_t n = server.piece < left ? server.piece : left;
    n = n < size ? n : size;
    memcpy(memory, server.data + server.at, n);
    account(server.data + server.at, n);
    server.at += n;
    server.piece -= n;
    return (ssize_t)n;
}

ssize_t __wrap_send(int fd, const void *memory, size_t size, int flags)
{
    (void)fd;
    (void)memory;
    (void)flags;
    return (ssize_t)size;
}

/* Something is always about to come. */
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    (void)timeout_ms;
    for (nfds_t i = 0; i < n; i++) {
        fds[i].revents = i == 0 ? fds[i].events : 0;
    }
    return 1;
}

/* All reads, until the end or an error; the samples must be the next ones sent. */
static void read_all(weir_source *source, size_t *n_read)
{
    weir_error err = {0};
    weir_read result;
    do {
        uint8_t memory[2 * MOST_SAMPLES];
        result = (weir_read){0};
        if (source->class_->read(source, memory, MOST_SAMPLES, &result, &err) != WEIR_OK) {
            fuzz_require(err.text[0] != '\0');
            return;
        }
        fuzz_require(result.n_samples <= MOST_SAMPLES);
        fuzz_require(*n_read + 2 * result.n_samples <= server.n_sent);
        fuzz_require(memcmp(memory, server.sent + *n_read, 2 * result.n_samples) == 0);
        *n_read += 2 * result.n_samples;
    } while (result.n_samples > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const char *const pairs[] = {"settle=0", data[0] % 2 ? "on-loss=retry" : "on-loss=exit", NULL};
    weir_source_options options;
    weir_error err = {0};
    size_t n_read = 0;
    weir_log_set_level(WEIR_LOG_ERROR);
    weir_source_options_init(&options);
    options.rate_hz = 3.2e6;
    options.device_options = pairs;
    server = (struct server){.data = data, .size = size, .at = 1, .sent = malloc(size)};
    fuzz_require(server.sent != NULL);
    if (weir_source_open(&server.source, "rtltcp:127.0.0.1", &options, &err) == WEIR_OK) {
        fuzz_require(server.source->info.rate_hz > 0 && server.n_greeting == GREETING_BYTES);
        read_all(server.source, &n_read);
        weir_source_close(server.source);
    } else {
        fuzz_require(err.text[0] != '\0' && !strchr(err.text, '\n'));
    }
    free(server.sent);
    return 0;
}
