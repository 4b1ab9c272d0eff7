/* `rtltcp[:HOST[:PORT]]`: a dongle behind rtl_tcp, or another server that speaks like it.
 *
 * Protocol: the server says "RTL0", tuner type and number of gains (big-endian, 32 bits),
 * then cu8 samples for ever; a command is one byte and a 32-bit parameter, without answer.
 *
 * The server drops what it cannot send, and does not say so: what is lost can only be
 * estimated, from the clock. After a stall, data are held back for a moment: if they come
 * faster than the rate, the server had kept them and nothing is missing; else what the
 * clock says is counted as lost, just before them.
 *
 * Away, it is connected to again with every read; what is missing until then is counted with it.
 *
 * A pull source; control sends its commands from another thread, under `lock`, which is
 * never held while waiting for data.
 */
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/absence.h"
#include "capture/control.h"
#include "capture/device_thread.h"
#include "capture/resolve.h"
#include "capture/rtl_options.h"
#include "capture/rtl_rates.h"
#include "capture/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME "rtltcp"
#define DEFAULT_PORT "1234"
#define GREETING_BYTES 12
#define MOST_TUNER_TYPE 255 /* 6 are known; more is not rtl_tcp */
#define MOST_GAINS 255
#define MOST_GAIN_DB 200
#define RTL_TUNERS 6 /* types 1 to 6: what is behind has an RTL2832U */

#define CONNECT_MS 5000
#define RECONNECT_MS 500
#define FOR_EVER_MS INT_MAX
#define NOTICE_NS 1000000000   /* silence for so long is said, and looked into at its end */
#define GIVE_UP_NS 10000000000 /* silence for so long: a lost connection                  */
#define CHUNK_SAMPLES 131072   /* what rtl_tcp sends at once: after this much comes nothing */
#define HOLD_SECONDS 0.25
#define SETTLE_SECONDS 0.100 /* a transfer on the way, and the network */
#define WATCH_NS 3000000000  /* so long samples are counted ...              */
#define RATE_TOLERANCE 0.05  /* ... whose rate is so far off, twice in a row */
#define MOST_SPEED 2         /* times real time, at which a backlog is taken: the ring is small */

enum {
    CMD_CENTER = 1,
    CMD_RATE,
    CMD_GAIN_MODE,
    CMD_GAIN,
    CMD_PPM,
    CMD_TEST_MODE = 7,
    CMD_AGC,
    CMD_DIRECT_SAMPLING,
    CMD_OFFSET_TUNING,
    CMD_BIAS_TEE = 0x0e,
    CMD_BANDWIDTH = 0x40,
};

typedef struct rtltcp {
    weir_source base;
    char host[256], port[16];
    unsigned tuner, described_tuner;
    int wake; /* eventfd: readable once interrupted */
    atomic_bool interrupted;

    pthread_mutex_t lock; /* of socket (while it changes) and tuning */
    int socket;           /* -1: not connected                       */
    weir_rtl_settings tuning;
    double asked_rate_hz; /* the server is told this one */
    weir_retune retune;

    /* The reading thread's own. */
    weir_retune_marks marks;
    bool has_odd_byte;
    unsigned char odd_byte;
    unsigned char *held; /* after a stall: bytes that wait to be delivered */
    size_t held_bytes, held_at, held_size;
    int64_t last_data_ns;
    weir_absence absence; /* until data come again */
    weir_resolve *query;  /* of the host's addresses; NULL: none is asked */
    bool begun;           /* samples were delivered */
    uint64_t unsettled;   /* samples after connecting that are not good yet */
    int64_t next_read_ns; /* a backlog is not taken before */
    bool stall_is_said;
    /* What comes, against the rate: */
    int64_t watched_since_ns; /* 0: it begins anew with the next samples */
    uint64_t watched_samples;
    double watched_rate_hz;
    unsigned times_off;
} rtltcp;

static bool rtltcp_accepts(const char *argument)
{
    return strcmp(argument, NAME) == 0 || strncmp(argument, NAME ":", sizeof NAME) == 0;
}

/* ---- sockets ---- */

/* Waits for events on fd; false: interrupted, or the time is over. */
static bool wait_for(const rtltcp *s, int fd, short events, int timeout_ms)
{
    struct pollfd fds[] = {{.fd = fd, .events = events}, {.fd = s->wake, .events = POLLIN}};
    int64_t end = weir_now_ns() + (int64_t)timeout_ms * 1000000;
    for (;;) {
        int64_t left_ms = (end - weir_now_ns()) / 1000000;
        int n = poll(fds, 2, left_ms > 0 ? (int)left_ms : 0);
        if (atomic_load(&s->interrupted) || fds[1].revents) {
            return false;
        }
        if (n > 0 || (n == 0 && left_ms <= 0) || (n < 0 && errno != EINTR)) {
            return n > 0;
        }
    }
}

static weir_status lost_connection(const rtltcp *s, const char *why, weir_error *err)
{
    return weir_fail(err, WEIR_ERR_DEVICE, NAME ": %s port %s: %s", s->host, s->port, why);
}

/* One address; -1 and errno. */
static int connect_to(const rtltcp *s, const struct addrinfo *address)
{
    int one = 1, error = 0;
    socklen_t size = sizeof error;
    int fd = socket(address->ai_family, address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                    address->ai_protocol);
    if (fd < 0) {
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0) {
        return fd;
    }
    error = errno;
    if (error == EINPROGRESS && !wait_for(s, fd, POLLOUT, CONNECT_MS)) {
        error = ETIMEDOUT;
    }
    if (error == EINPROGRESS) {
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size); /* the connection's own result */
    }
    if (error) {
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static void forget_addresses(rtltcp *s)
{
    weir_resolve_destroy(s->query);
    s->query = NULL;
}

/* Waits so long for the addresses. A query that is not answered by then goes on, and the next call
 * waits for it: slow name servers are not asked more and more often. */
static weir_status find_addresses(rtltcp *s, int timeout_ms, const struct addrinfo **list,
                                  weir_error *err)
{
    if (!s->query && weir_resolve_start(&s->query, s->host, s->port, err) != WEIR_OK) {
        return weir_fail_context(err, NAME);
    }
    if (!wait_for(s, weir_resolve_fd(s->query), POLLIN, timeout_ms)) {
        return lost_connection(s, "its address is not known yet", err);
    }
    if (weir_resolve_answer(s->query, list, err) != WEIR_OK) {
        forget_addresses(s);
        return weir_fail_context(err, NAME);
    }
    return WEIR_OK;
}

static weir_status connect_any(rtltcp *s, int resolve_ms, int *out, weir_error *err)
{
    const struct addrinfo *list = NULL;
    weir_status status = find_addresses(s, resolve_ms, &list, err);
    if (status != WEIR_OK) {
        return status;
    }
    int fd = -1;
    for (const struct addrinfo *a = list; a && fd < 0 && !atomic_load(&s->interrupted);
         a = a->ai_next) {
        fd = connect_to(s, a);
    }
    const char *why = fd < 0 ? strerror(errno) : "";
    forget_addresses(s); /* the next connection asks anew: they may have changed */
    *out = fd;
    return fd >= 0 ? WEIR_OK : lost_connection(s, why, err);
}

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static weir_status check_greeting(rtltcp *s, const unsigned char *greeting, weir_error *err)
{
    if (memcmp(greeting, "RTL0", 4) != 0) {
        return lost_connection(s, "does not speak rtl_tcp (its first bytes are not RTL0)", err);
    }
    uint32_t tuner = big_endian(greeting + 4), gains = big_endian(greeting + 8);
    if (tuner > MOST_TUNER_TYPE || gains > MOST_GAINS) {
        return weir_fail(err, WEIR_ERR_DEVICE,
                         NAME ": %s port %s: greets with tuner type %u and %u gains, which no "
                              "tuner has",
                         s->host, s->port, tuner, gains);
    }
    s->tuner = tuner;
    return WEIR_OK;
}

/* 12 bytes, in however many packets they come. */
static weir_status read_greeting(rtltcp *s, int fd, weir_error *err)
{
    unsigned char greeting[GREETING_BYTES];
    size_t got = 0;
    while (got < sizeof greeting) {
        ssize_t n = recv(fd, greeting + got, sizeof greeting - got, 0);
        if (n == 0) {
            return lost_connection(s, "closed the connection (it serves one client at a time)",
                                   err);
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return lost_connection(s, strerror(errno), err);
        }
        if (n < 0 && !wait_for(s, fd, POLLIN, CONNECT_MS)) {
            return lost_connection(s, "no greeting came", err);
        }
        got += n > 0 ? (size_t)n : 0;
    }
    return check_greeting(s, greeting, err);
}

static weir_status send_command(const rtltcp *s, int fd, unsigned char command, double value,
                                weir_error *err)
{
    uint32_t v = value < 0 ? (uint32_t)(int32_t)llrint(value) : (uint32_t)llrint(value);
    const unsigned char bytes[] = {command, (unsigned char)(v >> 24), (unsigned char)(v >> 16),
                                   (unsigned char)(v >> 8), (unsigned char)v};
    /* Five bytes always fit, unless the server has stopped to read. */
    if (send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) != (ssize_t)sizeof bytes) {
        return lost_connection(s, "does not take commands", err);
    }
    return WEIR_OK;
}

static weir_status send_gain(const rtltcp *s, int fd, weir_error *err)
{
    bool manual = !isnan(s->tuning.gain_db);
    weir_status status = send_command(s, fd, CMD_GAIN_MODE, manual, err);
    return status == WEIR_OK && manual ? send_command(s, fd, CMD_GAIN, 10 * s->tuning.gain_db, err)
                                       : status;
}

static weir_status send_tuning(const rtltcp *s, int fd, weir_error *err)
{
    const weir_rtl_settings *t = &s->tuning;
    const struct {
        unsigned char command;
        bool wanted; /* what is not asked for is left as the server has it */
        double value;
    } commands[] = {
        {CMD_DIRECT_SAMPLING, t->direct_sampling > 0, t->direct_sampling},
        {CMD_OFFSET_TUNING, t->offset_tuning, 1},
        {CMD_TEST_MODE, t->test_mode, 1},
        {CMD_RATE, true, s->asked_rate_hz},
        {CMD_PPM, t->ppm != 0, t->ppm},
        {CMD_BANDWIDTH, t->bandwidth_hz > 0, t->bandwidth_hz},
        {CMD_CENTER, true, t->now.center_hz},
        {CMD_AGC, t->agc, 1},
        {CMD_BIAS_TEE, t->bias_tee, 1},
    };
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && status == WEIR_OK; i++) {
        if (commands[i].wanted) {
            status = send_command(s, fd, commands[i].command, commands[i].value, err);
        }
    }
    return status == WEIR_OK ? send_gain(s, fd, err) : status;
}

/* What the server will make of a rate. It cannot be asked; an RTL2832U is known. */
static weir_status real_rate(const rtltcp *s, double asked_hz, double *real_hz, weir_error *err)
{
    *real_hz = asked_hz;
    if (!(asked_hz >= 1 && asked_hz <= UINT32_MAX)) {
        return weir_fail(err, WEIR_ERR_USAGE, NAME ": a rate of %g Hz", asked_hz);
    }
    if (s->tuner < 1 || s->tuner > RTL_TUNERS) {
        return WEIR_OK;
    }
    *real_hz = weir_rtl_real_rate(asked_hz);
    return weir_rtl_check_rate(NAME, asked_hz, err);
}

static weir_status make_connection(rtltcp *s, int resolve_ms, weir_error *err)
{
    int fd = -1;
    double rate_hz;
    weir_status status = connect_any(s, resolve_ms, &fd, err);
    status = status == WEIR_OK ? read_greeting(s, fd, err) : status;
    pthread_mutex_lock(&s->lock);
    status = status == WEIR_OK ? real_rate(s, s->asked_rate_hz, &rate_hz, err) : status;
    status = status == WEIR_OK ? send_tuning(s, fd, err) : status;
    if (status == WEIR_OK) {
        s->socket = fd;
        s->tuning.now.rate_hz = s->marks.rate_hz = rate_hz;
        s->marks.center_hz = s->tuning.now.center_hz;
        weir_retune_start(&s->retune, rate_hz);
        s->unsettled = (uint64_t)(s->tuning.now.settle_seconds * rate_hz);
    } else if (fd >= 0) {
        close(fd);
    }
    pthread_mutex_unlock(&s->lock);
    s->last_data_ns = weir_now_ns();
    return status;
}

static void drop_connection(rtltcp *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->socket >= 0) {
        close(s->socket);
    }
    s->socket = -1;
    pthread_mutex_unlock(&s->lock);
}

/* ---- reading ---- */

static bool giving_up(const rtltcp *s)
{
    return atomic_load(&s->interrupted);
}

/* What has been counted as lost, in words. */
static void note_loss(rtltcp *s, uint64_t missing, int64_t since_ns)
{
    if (missing > 0) {
        weir_retune_start(&s->retune, s->marks.rate_hz);
        weir_log(WEIR_LOG_WARNING,
                 "%s: %.1f s without data; about %llu samples are lost (an estimate by the clock)",
                 s->base.info.name, (double)(weir_now_ns() - since_ns) * 1e-9,
                 (unsigned long long)missing);
    }
}

/* From now on it is away. A connection of which nothing came does not end the loss: it is neither
 * said nor counted again, and the next one has to wait. */
static weir_status survive_loss(rtltcp *s, const char *why, weir_error *err)
{
    bool is_new = !weir_absence_lasts(&s->absence);
    drop_connection(s);
    s->has_odd_byte = false;
    if (!s->tuning.retries) {
        return lost_connection(s, why, err);
    }
    weir_log(is_new ? WEIR_LOG_WARNING : WEIR_LOG_DEBUG,
             "%s: connection lost: %s; connecting again", s->base.info.name, why);
    weir_absence_begin(&s->absence, &s->retune.clock, s->last_data_ns);
    if (!is_new) {
        wait_for(s, -1, 0, RECONNECT_MS);
    }
    s->watched_since_ns = 0;
    s->marks.new_segment = true;
    s->stall_is_said = false;
    return WEIR_OK;
}

static void connect_again(rtltcp *s)
{
    weir_error why = {0};
    if (make_connection(s, RECONNECT_MS, &why) != WEIR_OK) {
        weir_log(WEIR_LOG_DEBUG, "%s", why.text);
        wait_for(s, -1, 0, RECONNECT_MS);
        return;
    }
    s->marks.new_segment = true;
}

/* The first bytes since the connection was lost: the clock says how many are missing. */
static void end_absence(rtltcp *s, size_t n_bytes)
{
    size_t n = (n_bytes + s->held_bytes - s->held_at) / 2;
    weir_retune_absence(&s->marks, &s->absence, n, weir_now_ns());
    note_loss(s, s->absence.counted, s->absence.since_ns);
    weir_absence_end(&s->absence);
}

/* After a stall: fills the hold until it is clear whether more comes than the rate says. */
static void look_at_stall(rtltcp *s)
{
    double seconds = fmax(HOLD_SECONDS, 4 * CHUNK_SAMPLES / s->marks.rate_hz);
    int64_t begun = weir_now_ns(), end = begun + (int64_t)(seconds * 1e9);
    size_t burst = (size_t)(2 * 2 * seconds * s->marks.rate_hz); /* twice as much as is due */
    burst = burst < s->held_size ? burst : s->held_size;
    s->held_at = s->held_bytes = 0;
    s->watched_since_ns = 0; /* a stall has its own words */
    while (s->held_bytes < burst && weir_now_ns() < end && !giving_up(s)) {
        ssize_t n = recv(s->socket, s->held + s->held_bytes, burst - s->held_bytes, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
            break; /* seen again by the next recv */
        }
        s->held_bytes += n > 0 ? (size_t)n : 0;
        if (n < 0) {
            wait_for(s, s->socket, POLLIN, 10);
        }
    }
    if (s->held_bytes < burst) {
        uint64_t missing =
            weir_sample_clock_missing(&s->retune.clock, s->held_bytes / 2, weir_now_ns());
        note_loss(s, missing, s->last_data_ns);
        if (missing > 0) {
            weir_retune_lost(&s->marks, missing);
        }
    } else {
        weir_log(WEIR_LOG_NOTICE, "%s: data again; the server had kept them", s->base.info.name);
    }
    s->stall_is_said = false;
}

/* No data at the moment: waits, and looks at how long that has lasted. */
static weir_status wait_for_data(rtltcp *s, weir_error *err)
{
    if (wait_for(s, s->socket, POLLIN, 100)) {
        if (weir_now_ns() - s->last_data_ns > NOTICE_NS) {
            look_at_stall(s);
        }
        return WEIR_OK;
    }
    int64_t silent = weir_now_ns() - s->last_data_ns;
    if (silent > GIVE_UP_NS) {
        return survive_loss(s, "no data came", err);
    }
    if (silent > NOTICE_NS && !s->stall_is_said && !giving_up(s)) {
        weir_log(WEIR_LOG_WARNING, "%s: no data", s->base.info.name);
        s->stall_is_said = true;
    }
    return WEIR_OK;
}

/* Bytes from the hold or the socket; *got = 0: none yet. */
static weir_status take_bytes(rtltcp *s, unsigned char *memory, size_t n, size_t *got,
                              weir_error *err)
{
    *got = 0;
    if (s->held_at < s->held_bytes) {
        size_t left = s->held_bytes - s->held_at;
        *got = n < left ? n : left;
        memcpy(memory, s->held + s->held_at, *got);
        s->held_at += *got;
        s->last_data_ns = weir_now_ns();
        return WEIR_OK;
    }
    ssize_t result = recv(s->socket, memory, n, 0);
    if (result > 0) {
        *got = (size_t)result;
        s->last_data_ns = weir_now_ns();
        return WEIR_OK;
    }
    if (result < 0 && (errno == EAGAIN || errno == EINTR)) {
        return wait_for_data(s, err);
    }
    return survive_loss(s, result == 0 ? "the server closed it" : strerror(errno), err);
}

/* Whole samples at memory; a single byte is kept for the next call. */
static weir_status take_samples(rtltcp *s, unsigned char *memory, size_t max_samples, size_t *n,
                                weir_error *err)
{
    size_t got = 0, kept = s->has_odd_byte;
    memory[0] = s->odd_byte;
    weir_status status = take_bytes(s, memory + kept, 2 * max_samples - kept, &got, err);
    if (status != WEIR_OK || got == 0) {
        *n = 0;
        return status;
    }
    if (weir_absence_lasts(&s->absence)) {
        end_absence(s, got);
    }
    got += kept;
    s->has_odd_byte = got % 2;
    s->odd_byte = memory[got - 1];
    *n = got / 2;
    return WEIR_OK;
}

/* Drops what connecting or a change of setting has spoilt; what is left lies at memory. */
static size_t without_spoilt(rtltcp *s, unsigned char *memory, size_t n)
{
    size_t unsettled = s->unsettled < n ? (size_t)s->unsettled : n;
    s->unsettled -= unsettled;
    if (unsettled > 0) { /* before the first sample there is no loss */
        weir_retune_lost(&s->marks, s->begun ? unsettled : 0);
        memmove(memory, memory + 2 * unsettled, 2 * (n - unsettled));
    }
    return weir_retune_cut(&s->retune, &s->marks, memory, n - unsettled, 2);
}

/* After a stall a server may send its whole queue at once. It can wait, the engine's ring
 * cannot grow: what came too early is taken at MOST_SPEED. */
static void keep_pace(rtltcp *s, size_t n)
{
    int64_t now = weir_now_ns();
    if (now < s->next_read_ns) {
        weir_sleep_unless(&s->interrupted, s->next_read_ns - now);
        now = s->next_read_ns;
    }
    s->next_read_ns = now + (int64_t)((double)n / (MOST_SPEED * s->marks.rate_hz) * 1e9);
}

/* A server need not have the rate it was told, and a network not the room for it: it says
 * neither, and what it drops then leaves no mark. */
static void watch_rate(rtltcp *s, size_t n)
{
    int64_t now = weir_now_ns();
    double rate_hz = s->marks.rate_hz;
    if (s->watched_since_ns == 0 || s->watched_rate_hz != rate_hz) {
        s->watched_since_ns = now;
        s->watched_samples = 0;
        s->watched_rate_hz = rate_hz;
        s->times_off = 0;
        return;
    }
    s->watched_samples += n;
    double seconds = (double)(now - s->watched_since_ns) * 1e-9;
    if (n == 0 || now - s->watched_since_ns < WATCH_NS) {
        return; /* silence is seen by wait_for_data */
    }
    double real_hz = (double)s->watched_samples / seconds;
    s->times_off = fabs(real_hz / rate_hz - 1) > RATE_TOLERANCE ? s->times_off + 1 : 0;
    if (s->times_off == 2) {
        weir_log(WEIR_LOG_WARNING,
                 "%s: %.0f samples a second come, not %.0f: %s; times and frequencies are then "
                 "wrong",
                 s->base.info.name, real_hz, rate_hz,
                 real_hz > rate_hz ? "the server has another rate, or sends what it had kept"
                                   : "the network is too slow, or the server has another rate");
    }
    s->watched_since_ns = now;
    s->watched_samples = 0;
}

static weir_status rtltcp_read(weir_source *source, void *memory, size_t max_samples,
                               weir_read *result, weir_error *err)
{
    rtltcp *s = (rtltcp *)source;
    size_t n = 0;
    if (s->socket < 0) {
        connect_again(s);
    }
    while (n == 0 && s->socket >= 0 && !giving_up(s)) {
        weir_status status = take_samples(s, memory, max_samples, &n, err);
        if (status != WEIR_OK) {
            return status;
        }
        keep_pace(s, n);
        watch_rate(s, n);
        n = without_spoilt(s, memory, n);
    }
    if (n == 0) {
        weir_retune_absence(&s->marks, &s->absence, 0, weir_now_ns());
    }
    weir_retune_report(&s->marks, n, result);
    result->is_away = n == 0 && !giving_up(s);
    s->begun = true;
    return WEIR_OK;
}

static void rtltcp_interrupt(weir_source *source)
{
    rtltcp *s = (rtltcp *)source;
    const uint64_t one = 1;
    atomic_store(&s->interrupted, true);
    ssize_t ignored = write(s->wake, &one, sizeof one);
    (void)ignored;
}

/* ---- control ---- */

static weir_status set_rate(void *device, double value, weir_error *err)
{
    rtltcp *s = device;
    double real_hz;
    weir_status status = real_rate(s, value, &real_hz, err);
    if (status != WEIR_OK) {
        return status;
    }
    s->asked_rate_hz = value;
    s->tuning.now.rate_hz = real_hz;
    return send_command(s, s->socket, CMD_RATE, value, err);
}

static weir_status set_center(void *device, double value, weir_error *err)
{
    rtltcp *s = device;
    weir_status status = weir_rtl_check_center(NAME, value, err);
    s->tuning.now.center_hz = status == WEIR_OK ? round(value) : s->tuning.now.center_hz;
    return status == WEIR_OK ? send_command(s, s->socket, CMD_CENTER, value, err) : status;
}

/* NAN, automatic, is one. The server's list is not known. */
static weir_status check_gain(double gain_db, weir_error *err)
{
    return fabs(gain_db) > MOST_GAIN_DB
               ? weir_fail(err, WEIR_ERR_USAGE, NAME ": a gain of %g dB: no tuner has it", gain_db)
               : WEIR_OK;
}

static weir_status set_gain(void *device, double value, weir_error *err)
{
    rtltcp *s = device;
    weir_status status = check_gain(value, err);
    s->tuning.gain_db = status == WEIR_OK ? value : s->tuning.gain_db;
    return status == WEIR_OK ? send_gain(s, s->socket, err) : status;
}

static weir_status set_ppm(void *device, double value, weir_error *err)
{
    rtltcp *s = device;
    weir_status status = weir_rtl_check_ppm(NAME, &value, err);
    s->tuning.ppm = status == WEIR_OK ? value : s->tuning.ppm;
    return status == WEIR_OK ? send_command(s, s->socket, CMD_PPM, value, err) : status;
}

static weir_status set_agc(void *device, double value, weir_error *err)
{
    rtltcp *s = device;
    s->tuning.agc = value != 0;
    return send_command(s, s->socket, CMD_AGC, s->tuning.agc, err);
}

static weir_status set_bias_tee(void *device, double value, weir_error *err)
{
    rtltcp *s = device;
    s->tuning.bias_tee = value != 0;
    return send_command(s, s->socket, CMD_BIAS_TEE, s->tuning.bias_tee, err);
}

static bool is_there(const void *device)
{
    return ((const rtltcp *)device)->socket >= 0;
}

static weir_status rtltcp_control(weir_source *source, const char *key, double value,
                                  weir_error *err)
{
    static const weir_control_key keys[] = {{"center_hz", set_center},
                                            {"rate_hz", set_rate},
                                            {"gain_db", set_gain},
                                            {"ppm", set_ppm},
                                            {"agc", set_agc},
                                            {"bias_tee", set_bias_tee},
                                            {NULL, NULL}};
    rtltcp *s = (rtltcp *)source;
    const weir_control control = {.source = source,
                                  .keys = keys,
                                  .lock = &s->lock,
                                  .retune = &s->retune,
                                  .tuned = &s->tuning.now,
                                  .is_there = is_there};
    return weir_control_change(&control, s, key, value, err);
}

/* ---- opening ---- */

static weir_status read_options(rtltcp *s, const weir_source_options *o, weir_error *err)
{
    weir_status status = weir_rtl_read_options(&s->tuning, o, NAME, SETTLE_SECONDS, err);
    s->asked_rate_hz = s->tuning.now.rate_hz;
    return status == WEIR_OK ? check_gain(s->tuning.gain_db, err) : status;
}

static weir_status bad_address(const char *text, weir_error *err)
{
    char shown[100];
    return weir_fail(err, WEIR_ERR_USAGE,
                     NAME ": \"%s\" is no address; write " NAME ":HOST:PORT, " NAME
                          ":192.0.2.1 or " NAME ":[2001:db8::1]:1234",
                     weir_printable(shown, sizeof shown, text));
}

/* HOST, HOST:PORT, [IPv6]:PORT, [IPv6] or IPv6 alone (then two colons at least). */
static weir_status parse_address(rtltcp *s, const char *text, weir_error *err)
{
    const char *host = text, *host_end, *port = DEFAULT_PORT, *colon = strchr(text, ':');
    if (text[0] == '[') {
        host = text + 1;
        host_end = strchr(host, ']');
        if (!host_end || (host_end[1] != ':' && host_end[1] != '\0')) {
            return bad_address(text, err);
        }
        port = host_end[1] ? host_end + 2 : port;
    } else if (colon && !strchr(colon + 1, ':')) {
        host_end = colon;
        port = colon + 1;
    } else {
        host_end = text + strlen(text);
    }
    uint64_t number = 0;
    size_t length = (size_t)(host_end - host);
    if (weir_parse_count(port, &number, NULL) != WEIR_OK || number < 1 || number > 65535 ||
        length >= sizeof s->host) {
        return bad_address(text, err);
    }
    weir_snprintf(s->port, sizeof s->port, "%u", (unsigned)number);
    weir_snprintf(s->host, sizeof s->host, "%.*s", (int)length, host);
    if (length == 0) {
        weir_snprintf(s->host, sizeof s->host, "localhost");
    }
    return WEIR_OK;
}

static weir_status allocate_hold(rtltcp *s, weir_error *err)
{
    double seconds = fmax(HOLD_SECONDS, 4 * CHUNK_SAMPLES / s->marks.rate_hz);
    double bytes = 4 * seconds * s->marks.rate_hz;
    s->held_size = bytes < 0x1p28 ? (size_t)bytes : (size_t)1 << 28;
    s->held = malloc(s->held_size);
    return s->held ? WEIR_OK : weir_fail(err, WEIR_ERR_NOMEM, NAME ": out of memory");
}

/* The gain is what was asked for: the server says neither its list nor what it took. */
static void rtltcp_describe(weir_source *source, char *text, size_t size)
{
    rtltcp *s = (rtltcp *)source;
    char rate[32], gain[32];
    pthread_mutex_lock(&s->lock);
    weir_snprintf(text, size, "rtl_tcp at %s port %s, tuner type %u, cu8, %sS/s, %s", s->host,
                  s->port, s->described_tuner,
                  weir_format_si(rate, sizeof rate, s->tuning.now.rate_hz),
                  weir_gain_text(s->tuning.gain_db, gain));
    pthread_mutex_unlock(&s->lock);
}

static void describe(rtltcp *s, const char *argument)
{
    weir_source_info *info = &s->base.info;
    s->described_tuner = s->tuner;
    rtltcp_describe(&s->base, info->description, sizeof info->description);
    info->format = (weir_sample_format){.scalar = WEIR_U8, .is_complex = true, .channels = 1};
    weir_source_set_live(&s->base, argument, s->marks.rate_hz, s->marks.center_hz);
}

static void rtltcp_close(weir_source *source)
{
    rtltcp *s = (rtltcp *)source;
    if (!s) {
        return;
    }
    drop_connection(s);
    forget_addresses(s);
    if (s->wake >= 0) {
        close(s->wake);
    }
    pthread_mutex_destroy(&s->lock);
    free(s->held);
    free(s);
}

static weir_status rtltcp_open(weir_source **out, const char *argument,
                               const weir_source_options *options, weir_error *err)
{
    rtltcp *s = calloc(1, sizeof *s);
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, NAME ": out of memory");
    }
    s->base.class_ = &weir_source_rtltcp;
    s->socket = -1;
    pthread_mutex_init(&s->lock, NULL);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    weir_status status =
        s->wake >= 0 ? WEIR_OK
                     : weir_fail(err, WEIR_ERR_NOMEM, NAME ": eventfd: %s", strerror(errno));
    const char *address = argument[strlen(NAME)] ? argument + sizeof NAME : "";
    status = status == WEIR_OK ? parse_address(s, address, err) : status;
    status = status == WEIR_OK ? read_options(s, options, err) : status;
    status = status == WEIR_OK ? make_connection(s, FOR_EVER_MS, err) : status;
    status = status == WEIR_OK ? allocate_hold(s, err) : status;
    if (status != WEIR_OK) {
        rtltcp_close(&s->base);
        return status;
    }
    describe(s, argument);
    *out = &s->base;
    return WEIR_OK;
}

const weir_source_class weir_source_rtltcp = {
    .name = NAME,
    .syntax = "rtltcp[:HOST[:PORT]]",
    .help = "a dongle behind rtl_tcp; localhost:1234 without",
    .takes = WEIR_TAKES_TUNING,
    .device_keys = weir_rtl_device_keys,
    .accepts = rtltcp_accepts,
    .open = rtltcp_open,
    .close = rtltcp_close,
    .read = rtltcp_read,
    .interrupt = rtltcp_interrupt,
    .control = rtltcp_control,
    .describe = rtltcp_describe,
};
