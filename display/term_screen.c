#include "display/term_screen.h"

#include "base/clock.h"
#include "display/term_graphics_guess.h"
#include "display/term_info.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* With less than that, as a VT340 has, half blocks in direct colour look better. */
#define LEAST_SIXEL_COLORS 64

struct weir_screen {
    int tty, wake_fd;
    bool is_up, is_gone, has_guard;
    weir_term_caps caps;
    weir_term_strings strings;
    struct termios modes; /* as we found them */
    weir_keys keys;
    int64_t last_byte_ns;
    weir_view_pictures pictures; /* as wished; OFF where they cannot be */
    bool is_asking;              /* answers are on their way */
    weir_bytes frame;
    size_t n_sent;
    uint64_t n_written;
};

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
        ssize_t n = weir_guard_write(screen->tty, screen->frame.data + screen->n_sent,
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
    int64_t end_ns = weir_now_ns() + (int64_t)timeout_ms * 1000000;
    flush(screen);
    while (!weir_screen_is_ready(screen) && weir_now_ns() < end_ns) {
        struct pollfd waiting = {.fd = screen->tty, .events = POLLOUT};
        poll(&waiting, 1, 20);
        flush(screen);
    }
}

/* The size of a cell, colours of sixels or kitty's pictures (one pixel, not to be shown), and last
 * what it is: the answers come in this order, and everybody gives the last one. */
static void ask(weir_screen *screen)
{
    if (screen->pictures == WEIR_PICTURES_OFF) {
        return;
    }
    weir_bytes_text(&screen->frame, "\033[16t");
    if (screen->pictures == WEIR_PICTURES_AUTO) {
        bool may_be_kitty = weir_graphics_may_be_kitty();
        weir_bytes_text(&screen->frame, may_be_kitty ? "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\"
                                                     : "\033[?1;1;0S");
    }
    weir_bytes_text(&screen->frame, "\033[c");
    screen->is_asking = true;
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
    ask(screen);
    screen->n_sent = 0;
    screen->is_up = true;
    flush(screen);
}

static void read_keys(weir_screen *screen)
{
    char bytes[sizeof screen->keys.bytes];
    size_t room = sizeof screen->keys.bytes - screen->keys.n_bytes;
    ssize_t n = room > 0 ? read(screen->tty, bytes, room) : -1;
    if (n > 0) {
        weir_keys_feed(&screen->keys, bytes, (size_t)n);
        screen->last_byte_ns = weir_now_ns();
    } else if (room > 0 && (n == 0 || (errno != EAGAIN && errno != EINTR))) {
        screen->is_gone = true;
    }
}

/* An answer that comes later would be typed at the shell's prompt. */
static void await_answers(weir_screen *screen, int timeout_ms)
{
    int64_t end_ns = weir_now_ns() + (int64_t)timeout_ms * 1000000;
    weir_mouse ignored;
    while (screen->is_asking && !screen->is_gone && weir_now_ns() < end_ns) {
        struct pollfd waiting = {.fd = screen->tty, .events = POLLIN};
        if (poll(&waiting, 1, 20) > 0) {
            read_keys(screen);
        }
        while (weir_screen_key(screen, &ignored) != WEIR_KEY_NONE) {
        }
    }
}

static void leave(weir_screen *screen)
{
    if (!screen->is_up) {
        return;
    }
    screen->is_up = false;
    flush_within(screen, 200);
    if (weir_screen_is_ready(screen)) {
        await_answers(screen, 200);
    }
    if (!weir_screen_is_ready(screen)) {
        tcflush(screen->tty, TCOFLUSH); /* a blocked terminal must not keep us */
    }
    weir_bytes_clear(&screen->frame);
    screen->n_sent = 0;
    weir_guard_restore();
}

/* A multiplexer does not pass pictures on to their place; a terminal of few colours and one that
 * is to have none have no use for them. */
static weir_status choose_pictures(weir_screen *screen, weir_view_pictures wish, weir_error *err)
{
    const char *obstacle = weir_graphics_obstacle();
    bool is_wished = wish == WEIR_PICTURES_KITTY || wish == WEIR_PICTURES_SIXEL;
    weir_graphics kind = wish == WEIR_PICTURES_KITTY   ? WEIR_GRAPHICS_KITTY
                         : wish == WEIR_PICTURES_SIXEL ? WEIR_GRAPHICS_SIXEL
                                                       : WEIR_GRAPHICS_NONE;
    if (is_wished && obstacle) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--graphics: pictures do not get through %s; say auto or off", obstacle);
    }
    if (!weir_graphics_is_built(kind)) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "--graphics kitty: this build has no libpng for such pictures");
    }
    bool is_useful = is_wished || (!obstacle && screen->caps.color >= WEIR_COLOR_256);
    screen->pictures = is_useful ? wish : WEIR_PICTURES_OFF;
    screen->caps.graphics = kind;
    bool may_be_kitty = wish == WEIR_PICTURES_KITTY ||
                        (screen->pictures == WEIR_PICTURES_AUTO && weir_graphics_may_be_kitty());
    if (may_be_kitty) {
        char leave[sizeof screen->strings.leave]; /* after CAN */
        memcpy(leave, screen->strings.leave, sizeof leave);
        snprintf(screen->strings.leave, sizeof screen->strings.leave, "\030%s%s",
                 WEIR_KITTY_DROP_ALL, leave);
    }
    return WEIR_OK;
}

weir_status weir_screen_open(weir_screen **out, weir_view_color color, weir_view_charset charset,
                             weir_view_pictures pictures, weir_error *err)
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
    status = choose_pictures(screen, pictures, err);
    if (status) {
        goto fail;
    }
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
        return (weir_screen_size){80, 24, 0, 0}; /* a serial line does not know */
    }
    weir_screen_size now = {size.ws_col, size.ws_row, size.ws_xpixel / size.ws_col,
                            size.ws_ypixel / size.ws_row};
    const weir_answers *answers = &screen->keys.answers;
    if (answers->cell_width > 0) { /* without the borders that may be in the other */
        now.cell_width = (int)answers->cell_width;
        now.cell_height = (int)answers->cell_height;
    }
    return now;
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

/* Pictures that were asked for are not waited for: the terminal may not know how to answer. */
static void take_answers(weir_screen *screen)
{
    const weir_answers *answers = &screen->keys.answers;
    bool has_colors = answers->sixel_colors == 0 || answers->sixel_colors >= LEAST_SIXEL_COLORS;
    screen->is_asking = screen->is_asking && !answers->has_class;
    if (screen->pictures == WEIR_PICTURES_AUTO && answers->has_class) {
        screen->caps.graphics = answers->knows_kitty && weir_graphics_is_built(WEIR_GRAPHICS_KITTY)
                                    ? WEIR_GRAPHICS_KITTY
                                : answers->knows_sixels && has_colors ? WEIR_GRAPHICS_SIXEL
                                                                      : WEIR_GRAPHICS_NONE;
    }
}

int weir_screen_key(weir_screen *screen, weir_mouse *mouse)
{
    int key = weir_keys_next(&screen->keys);
    if (key == WEIR_KEY_NONE && weir_keys_is_waiting(&screen->keys) &&
        weir_now_ns() - screen->last_byte_ns > (int64_t)WEIR_KEYS_WAIT_MS * 1000000) {
        key = weir_keys_flush(&screen->keys);
    }
    *mouse = screen->keys.mouse;
    if (key == WEIR_KEY_ANSWER) {
        take_answers(screen);
    }
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
