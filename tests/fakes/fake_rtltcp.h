/* An rtl_tcp server in a thread, on the loopback only, with the faults of real ones. It
 * sends a ramp: sample n is I = n & 255, Q = n >> 8 & 255, at its own pace. */
#ifndef WEIR_TESTS_FAKES_FAKE_RTLTCP_H
#define WEIR_TESTS_FAKES_FAKE_RTLTCP_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct fake_server {
    /* What it is like; filled in before fake_server_start. */
    bool ipv6;
    unsigned char greeting[12];
    size_t greeting_bytes; /* then it closes, if fewer than 12        */
    bool split_greeting;   /* in three packets                        */
    bool odd;              /* packets of odd lengths                  */
    double rate_hz;
    double stall_at, stall_seconds; /* at that sample nothing comes for so long; 0: never */
    bool stall_keeps;               /* and then all at once, as from a queue; else dropped */
    double close_at, away_seconds;  /* the connection ends there, in the middle of a sample */
    unsigned storm; /* the first so many connections end early: by turns after 0.4 s, and with
                       nothing but a greeting; then it is away likewise */

    /* What it saw. */
    unsigned port;
    atomic_uint connections;
    _Atomic uint32_t commands[256]; /* the last parameter of each     */
    atomic_uint counts[256];        /* and how often it came          */
    atomic_uint_fast64_t sent;      /* samples                        */

    int listener;
    atomic_bool stop;
    pthread_t thread;
    bool stalled, closed;
    unsigned char ramp[2 * 131072];
} fake_server;

static inline double fake_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void fake_sleep_until(fake_server *f, double time)
{
    double left;
    while ((left = time - fake_now()) > 0 && !atomic_load(&f->stop)) {
        usleep(left < 0.01 ? (useconds_t)(left * 1e6) : 10000);
    }
}

static inline bool fake_send(fake_server *f, int fd, const unsigned char *bytes, size_t n)
{
    while (n > 0 && !atomic_load(&f->stop)) {
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes += sent;
            n -= (size_t)sent;
            continue;
        }
        struct pollfd out = {.fd = fd, .events = POLLOUT};
        if (sent == 0 || poll(&out, 1, 20) < 0 || (out.revents & (POLLERR | POLLHUP))) {
            return false;
        }
    }
    return n == 0;
}

static inline void fake_take_commands(fake_server *f, int fd)
{
    unsigned char c[5];
    while (recv(fd, c, sizeof c, MSG_DONTWAIT | MSG_PEEK) == (ssize_t)sizeof c) {
        if (recv(fd, c, sizeof c, 0) != (ssize_t)sizeof c) {
            return;
        }
        atomic_store(&f->commands[c[0]],
                     (uint32_t)c[1] << 24 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 8 | c[4]);
        atomic_fetch_add(&f->counts[c[0]], 1);
    }
}

static inline bool fake_greet(fake_server *f, int fd)
{
    static const size_t parts[] = {3, 4, 5};
    size_t at = 0;
    if (!f->split_greeting) {
        return fake_send(f, fd, f->greeting, f->greeting_bytes) && f->greeting_bytes == 12;
    }
    for (size_t i = 0; i < 3; at += parts[i++]) {
        fake_send(f, fd, f->greeting + at, parts[i]);
        usleep(30000);
    }
    return true;
}

/* Sends until the connection ends or is to end; byte counts on in *byte. */
static inline void fake_pump(fake_server *f, int fd, uint64_t *byte)
{
    uint64_t anchor = *byte;
    double begun = fake_now();
    for (unsigned turn = 0; !atomic_load(&f->stop); turn++) {
        size_t n = f->odd ? 1 + (turn * 7919u) % 16383 : f->rate_hz > 5e6 ? 131072 : 16384;
        double due = begun + (double)(*byte + n - anchor) / 2 / f->rate_hz;
        fake_sleep_until(f, due);
        fake_take_commands(f, fd);
        if (atomic_load(&f->connections) <= f->storm && fake_now() - begun > 0.4) {
            return;
        }
        if (f->close_at > 0 && !f->closed && (double)*byte / 2 >= f->close_at) {
            f->closed = true;
            fake_send(f, fd, f->ramp + *byte % 131072, 2 - (*byte + 1) % 2); /* I without its Q */
            *byte += 2 * (uint64_t)(f->away_seconds * f->rate_hz);
            return;
        }
        if (f->stall_at > 0 && !f->stalled && (double)*byte / 2 >= f->stall_at) {
            f->stalled = true;
            fake_sleep_until(f, fake_now() + f->stall_seconds);
            if (!f->stall_keeps) {
                *byte += 2 * (uint64_t)(f->stall_seconds * f->rate_hz);
            }
            continue;
        }
        if (!fake_send(f, fd, f->ramp + *byte % 131072, n)) {
            return;
        }
        *byte += n;
        atomic_store(&f->sent, *byte / 2);
    }
}

static inline void *fake_server_main(void *user)
{
    fake_server *f = (fake_server *)user;
    uint64_t byte = 0;
    while (!atomic_load(&f->stop)) {
        struct pollfd in = {.fd = f->listener, .events = POLLIN};
        if (poll(&in, 1, 20) <= 0) {
            continue;
        }
        int one = 1, fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        unsigned connections = 1 + atomic_fetch_add(&f->connections, 1);
        byte += byte % 2; /* a connection begins with an I */
        bool is_mute = connections <= f->storm && connections % 2 == 0;
        if (fake_greet(f, fd) && !is_mute) {
            fake_pump(f, fd, &byte);
        } else if (is_mute) {
            fake_sleep_until(f, fake_now() + 0.05); /* the client has sent its commands */
        }
        close(fd);
        if (f->closed || connections <= f->storm) {
            fake_sleep_until(f, fake_now() + f->away_seconds);
        }
    }
    return NULL;
}

static inline void fake_server_init(fake_server *f, double rate_hz, unsigned char tuner)
{
    memset(f, 0, sizeof *f);
    memcpy(f->greeting, (unsigned char[]){'R', 'T', 'L', '0', 0, 0, 0, tuner, 0, 0, 0, 29}, 12);
    f->greeting_bytes = 12;
    f->rate_hz = rate_hz;
    for (size_t i = 0; i < sizeof f->ramp; i++) {
        f->ramp[i] = (unsigned char)(i % 2 ? i / 2 >> 8 : i / 2);
    }
}

static inline bool fake_server_start(fake_server *f)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    f->listener = socket(f->ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (f->listener < 0 ||
        bind(f->listener, f->ipv6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4,
             f->ipv6 ? sizeof v6 : sizeof v4) != 0 ||
        listen(f->listener, 4) != 0 ||
        getsockname(f->listener, (struct sockaddr *)&bound, &size) != 0) {
        return false;
    }
    f->port = ntohs(f->ipv6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                            : ((struct sockaddr_in *)&bound)->sin_port);
    return pthread_create(&f->thread, NULL, fake_server_main, f) == 0;
}

static inline void fake_server_stop(fake_server *f)
{
    atomic_store(&f->stop, true);
    pthread_join(f->thread, NULL);
    close(f->listener);
}

#endif
