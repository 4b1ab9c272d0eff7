#include "display/term_screen.h"

#include "display/term_info.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

struct weir_screen {
    int tty, wake_fd;
    bool is_up, is_gone, has_guard;
    weir_term_caps caps;
    weir_term_strings strings;
    struct termios modes; /* as we found them */
    weir_keys keys;
    int64_t last_byte_ns;
    weir_bytes frame;
    size_t n_sent;
    uint64_t n_written;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* An own open file: flags set on it are not the shell's. */
static int open_terminal(void)
{
    static const char *const paths[] = {"/proc/self/fd/1", "/dev/tty"};
    if (!isatty(STDOUT_FILENO)) {
        return -1;
    }
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int fd = open(paths[i], O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd >= 0 && isatty(fd)) {
            return fd;
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    return -1;
}

bool weir_screen_possible(void)
{
    int fd = open_terminal();
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

static void flush(weir_screen *screen)
{
    while (screen->n_sent < screen->frame.size) {
        ssize_t n = write(screen->tty, screen->frame.data + screen->n_sent,
                          screen->frame.size - screen->n_sent);
        if (n > 0) {
            screen->n_sent += (size_t)n;
            screen->n_written += (uint64_t)n;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else {
            screen->is_gone |= n < 0 && errno != EAGAIN;
            return;
        }
    }
}

static void flush_within(weir_screen *screen, int timeout_ms)
{
    int64_t end_ns = now_ns() + (int64_t)timeout_ms * 1000000;
    flush(screen);
    while (!weir_screen_is_ready(screen) && now_ns() < end_ns) {
        struct pollfd waiting = {.fd = screen->tty, .events = POLLOUT};
        poll(&waiting, 1, 20);
        flush(screen);
    }
}

static void enter(weir_screen *screen)
{
    weir_guard_screen guarded = {.tty = screen->tty, .modes = screen->modes};
    memcpy(guarded.leave, screen->strings.leave, sizeof guarded.leave);
    weir_guard_arm(&guarded);
    struct termios raw = screen->modes;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN); /* ISIG stays: Ctrl-C, Ctrl-Z */
    raw.c_iflag &= ~(tcflag_t)(IXON | IXOFF | ICRNL | INLCR | ISTRIP);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(screen->tty, TCSANOW, &raw);
    weir_bytes_clear(&screen->frame);
    weir_bytes_text(&screen->frame, screen->strings.enter);
    screen->n_sent = 0;
    screen->is_up = true;
    flush(screen);
}

static void leave(weir_screen *screen)
{
    if (!screen->is_up) {
        return;
    }
    screen->is_up = false;
    flush_within(screen, 200);
    if (!weir_screen_is_ready(screen)) {
        tcflush(screen->tty, TCOFLUSH); /* a blocked terminal must not keep us */
    }
    weir_bytes_clear(&screen->frame);
    screen->n_sent = 0;
    weir_guard_restore();
}

weir_status weir_screen_open(weir_screen **out, weir_view_color color, weir_view_charset charset,
                             weir_error *err)
{
    weir_screen *screen = calloc(1, sizeof *screen);
    weir_status status;
    *out = NULL;
    if (!screen) {
        return weir_fail(err, WEIR_ERR_NOMEM, "terminal view: out of memory");
    }
    weir_term_facts facts;
    screen->tty = open_terminal();
    status = weir_term_info_read(&facts, &screen->strings, err);
    if (status) {
        goto fail;
    }
    if (screen->tty < 0 || tcgetattr(screen->tty, &screen->modes) != 0) {
        status = weir_fail(err, WEIR_ERR_UNSUPPORTED,
                           "terminal view: standard output is not a terminal");
        goto fail;
    }
    screen->caps = weir_term_caps_choose(&facts, color, charset);
    status = weir_guard_install(&screen->wake_fd, err);
    if (status) {
        goto fail;
    }
    screen->has_guard = true;
    enter(screen);
    *out = screen;
    return WEIR_OK;
fail:
    weir_screen_close(screen);
    return status;
}

void weir_screen_close(weir_screen *screen)
{
    if (!screen) {
        return;
    }
    leave(screen);
    if (screen->has_guard) {
        weir_guard_remove();
    }
    if (screen->tty >= 0) {
        close(screen->tty);
    }
    weir_bytes_free(&screen->frame);
    free(screen);
}

weir_term_caps weir_screen_caps(const weir_screen *screen)
{
    return screen->caps;
}

weir_screen_size weir_screen_size_now(const weir_screen *screen)
{
    struct winsize size = {0};
    if (ioctl(screen->tty, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
        return (weir_screen_size){80, 24}; /* a serial line does not know */
    }
    return (weir_screen_size){size.ws_col, size.ws_row};
}

static void read_keys(weir_screen *screen)
{
    char bytes[sizeof screen->keys.bytes];
    size_t room = sizeof screen->keys.bytes - screen->keys.n_bytes;
    ssize_t n = room > 0 ? read(screen->tty, bytes, room) : -1;
    if (n > 0) {
        weir_keys_feed(&screen->keys, bytes, (size_t)n);
        screen->last_byte_ns = now_ns();
    } else if (room > 0 && (n == 0 || (errno != EAGAIN && errno != EINTR))) {
        screen->is_gone = true;
    }
}

weir_guard_events weir_screen_wait(weir_screen *screen, int timeout_ms)
{
    struct pollfd waiting[2] = {
        {.fd = screen->tty, .events = POLLIN},
        {.fd = screen->wake_fd, .events = POLLIN},
    };
    if (!weir_screen_is_ready(screen)) {
        waiting[0].events |= POLLOUT;
    }
    if (weir_keys_is_waiting(&screen->keys) && timeout_ms > WEIR_KEYS_WAIT_MS) {
        timeout_ms = WEIR_KEYS_WAIT_MS;
    }
    int n = poll(waiting, 2, timeout_ms);
    if (n > 0 && waiting[0].revents & POLLOUT) {
        flush(screen);
    }
    if (n > 0 && waiting[0].revents & (POLLIN | POLLHUP | POLLERR)) {
        read_keys(screen);
    }
    weir_guard_events events = weir_guard_take();
    if (screen->is_gone && !events.end_signal) {
        events.end_signal = SIGHUP;
    }
    return events;
}

int weir_screen_key(weir_screen *screen, weir_mouse *mouse)
{
    int key = weir_keys_next(&screen->keys);
    if (key == WEIR_KEY_NONE && weir_keys_is_waiting(&screen->keys) &&
        now_ns() - screen->last_byte_ns > (int64_t)WEIR_KEYS_WAIT_MS * 1000000) {
        key = weir_keys_flush(&screen->keys);
    }
    *mouse = screen->keys.mouse;
    return key;
}

bool weir_screen_is_ready(const weir_screen *screen)
{
    return screen->n_sent >= screen->frame.size;
}

weir_bytes *weir_screen_begin_frame(weir_screen *screen)
{
    weir_bytes_clear(&screen->frame);
    screen->n_sent = 0;
    return &screen->frame;
}

void weir_screen_end_frame(weir_screen *screen)
{
    flush(screen);
}

uint64_t weir_screen_bytes_written(const weir_screen *screen)
{
    return screen->n_written;
}

void weir_screen_suspend(weir_screen *screen)
{
    leave(screen);
    weir_guard_stop();
    enter(screen);
}

void weir_screen_resume(weir_screen *screen)
{
    leave(screen);
    enter(screen);
}
