/* ctest-labels: unit tui
 * display/term_guard.h: a crash of one thread while another draws; nothing is drawn after the
 * screen was put back. A second signal while the screen is being put back. */
#include "display/term_guard.h"
#include "tests/check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEAVE "[left]"

/* The thread that draws, in its next write, is not let run for a while, as on a loaded machine. */
static atomic_int slow_thread, is_held;

ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
    if (atomic_load(&slow_thread) == (int)gettid()) {
        atomic_store(&is_held, 1);
        usleep(300000);
        atomic_store(&slow_thread, 0);
    }
    return __real_write(fd, bytes, n);
}

static void *draw(void *argument)
{
    static const char frame[] = "a frame, and more of it, and more of it, and more of it";
    for (;;) {
        (void)weir_guard_write(*(int *)argument, frame, sizeof frame - 1);
    }
    return NULL;
}

/* The child: draws on the terminal on one thread and gets the signal on another. */
static void crash(int tty, int number, bool on_the_drawing_thread)
{
    const struct rlimit no_core = {0};
    int wake_fd;
    weir_guard_screen screen = {.tty = tty, .leave = LEAVE};
    pthread_t thread;
    setrlimit(RLIMIT_CORE, &no_core);
    if (tcgetattr(tty, &screen.modes) != 0 || weir_guard_install(&wake_fd, NULL) != WEIR_OK) {
        _exit(99);
    }
    weir_guard_arm(&screen);
    pthread_create(&thread, NULL, draw, &tty);
    usleep(20000);
    if (on_the_drawing_thread) {
        pthread_kill(thread, number);
        pause();
    }
    raise(number);
    _exit(98);
}

/* All that the terminal got, its end kept; until nobody has it open. */
static void read_all(int terminal, char *end, size_t size)
{
    char bytes[4096];
    size_t used = 0;
    for (ssize_t n; (n = read(terminal, bytes, sizeof bytes)) > 0;) {
        for (ssize_t i = 0; i < n; i++) {
            if (used == size - 1) {
                memmove(end, end + 1, --used);
            }
            end[used++] = bytes[i];
        }
    }
    end[used] = '\0';
}

/* A pseudo terminal: its end for a child in *tty, or -1. Returns the other one, or -1. */
static int open_terminal(int *tty)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    bool is_open = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0;
    CHECK(is_open);
    *tty = is_open ? open(ptsname(terminal), O_RDWR | O_NOCTTY | O_NONBLOCK) : -1;
    return is_open ? terminal : -1;
}

/* Reads until the child has ended; the last that it wrote puts the screen back. */
static void check_puts_back(int terminal)
{
    char end[64];
    read_all(terminal, end, sizeof end);
    size_t length = strlen(end);
    CHECK_STR(length >= sizeof LEAVE ? end + length - (sizeof LEAVE - 1) : end, LEAVE);
}

static void test_nothing_is_drawn_after_a_crash(void)
{
    static const int numbers[] = {SIGABRT, SIGSEGV};
    for (int i = 0; i < 20; i++) {
        int tty, status = 0, terminal = open_terminal(&tty);
        if (terminal < 0) {
            return;
        }
        pid_t child = tty < 0 ? -1 : fork();
        if (child == 0) {
            crash(tty, numbers[i % 2], i % 4 >= 2);
        }
        close(tty); /* the child's is open until it ends */
        check_puts_back(terminal);
        CHECK(waitpid(child, &status, 0) == child);
        /* A sanitizer reports some signals, and ends the process in its own way. */
        CHECK(WIFSIGNALED(status) ? WTERMSIG(status) == numbers[i % 2]
                                  : WEXITSTATUS(status) != 0 && WEXITSTATUS(status) < 98);
        close(terminal);
    }
}

static void *draw_slowly(void *tty)
{
    atomic_store(&slow_thread, (int)gettid());
    return draw(tty);
}

/* As a sanitizer's: it writes a report before it ends the process. */
static void end_slowly(int number)
{
    usleep(600000);
    _exit(number);
}

/* The child: gets the signal while the thread that draws has begun a frame, and does not run. */
static void crash_beside_a_held_frame(int tty)
{
    const struct sigaction reporting = {.sa_handler = end_slowly};
    int wake_fd;
    weir_guard_screen screen = {.tty = tty, .leave = LEAVE};
    pthread_t thread;
    sigaction(SIGABRT, &reporting, NULL);
    if (tcgetattr(tty, &screen.modes) != 0 || weir_guard_install(&wake_fd, NULL) != WEIR_OK) {
        _exit(99);
    }
    weir_guard_arm(&screen);
    pthread_create(&thread, NULL, draw_slowly, &tty);
    while (!atomic_load(&is_held)) {
        usleep(1000);
    }
    raise(SIGABRT);
    _exit(98);
}

static void test_a_frame_that_was_held_up(void)
{
    int tty, status = 0, terminal = open_terminal(&tty);
    if (terminal < 0) {
        return;
    }
    pid_t child = tty < 0 ? -1 : fork();
    if (child == 0) {
        crash_beside_a_held_frame(tty);
    }
    close(tty); /* the child's is open until it ends */
    check_puts_back(terminal);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == SIGABRT);
    close(terminal);
}

static void *kill_soon(void *thread)
{
    usleep(50000); /* less than a terminal that takes nothing is waited for */
    pthread_kill(*(pthread_t *)thread, SIGHUP);
    return NULL;
}

/* The child: puts back a terminal that takes nothing, and is killed meanwhile. */
static void restore_and_be_killed(int tty)
{
    int wake_fd;
    weir_guard_screen screen = {.tty = tty, .leave = LEAVE};
    pthread_t thread, main_thread = pthread_self();
    if (tcgetattr(tty, &screen.modes) != 0 || weir_guard_install(&wake_fd, NULL) != WEIR_OK) {
        _exit(99);
    }
    struct termios raw = screen.modes;
    cfmakeraw(&raw);
    weir_guard_arm(&screen);
    tcsetattr(tty, TCSANOW, &raw);
    while (write(tty, "x", 1) == 1) {
    }
    raise(SIGINT);  /* the first one only asks */
    usleep(600000); /* more than two that are one are apart: base/signal_time.h */
    pthread_create(&thread, NULL, kill_soon, &main_thread);
    weir_guard_restore();
    pthread_join(thread, NULL);
    _exit(98);
}

static void test_a_second_signal_while_restoring(void)
{
    struct termios before, after;
    int tty, status = 0, terminal = open_terminal(&tty);
    CHECK(tty >= 0 && tcgetattr(tty, &before) == 0);
    pid_t child = tty < 0 ? -1 : fork();
    if (child == 0) {
        restore_and_be_killed(tty);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
    CHECK(tcgetattr(tty, &after) == 0);
    CHECK(after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag);
    close(tty);
    close(terminal);
}

int main(void)
{
    RUN(test_nothing_is_drawn_after_a_crash);
    RUN(test_a_frame_that_was_held_up);
    RUN(test_a_second_signal_while_restoring);
    return check_finish();
}
