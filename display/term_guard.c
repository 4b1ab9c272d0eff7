#include "display/term_guard.h"

#include "base/clock.h"
#include "base/signal_time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void on_end(int signal_number);
static void on_event(int signal_number);
static void on_fatal(int signal_number, siginfo_t *info, void *context);

typedef struct handled {
    int number;
    void (*simple)(int);
    void (*fatal)(int, siginfo_t *, void *);
} handled;

static const handled signals[] = {
    {SIGINT, on_end, NULL},     {SIGTERM, on_end, NULL},   {SIGHUP, on_end, NULL},
    {SIGQUIT, on_end, NULL},    {SIGTSTP, on_event, NULL}, {SIGCONT, on_event, NULL},
    {SIGWINCH, on_event, NULL}, {SIGSEGV, NULL, on_fatal}, {SIGBUS, NULL, on_fatal},
    {SIGFPE, NULL, on_fatal},   {SIGILL, NULL, on_fatal},  {SIGABRT, NULL, on_fatal},
    {SIGSYS, NULL, on_fatal},   {SIGTRAP, NULL, on_fatal}, {SIGXCPU, NULL, on_fatal},
};
#define DRAWING_MS_MAX 2000
#define N_SIGNALS (sizeof signals / sizeof *signals)

/* Process-wide because handlers are; written while the handlers are not installed or
 * is_armed is 0, and the atomics order it. */
static struct sigaction previous[N_SIGNALS];
static weir_guard_screen armed_screen;
static atomic_int is_armed;
static atomic_int is_dying, writer; /* the thread that is drawing; 0: none */
static atomic_int end_signal, stop_seen, resume_seen, resize_seen;
static atomic_int_fast64_t end_ns; /* when end_signal came */
static int wake_pipe[2] = {-1, -1};
static _Alignas(16) char fatal_stack[64 * 1024];
static stack_t previous_stack;
static bool is_installed, has_exit_function;

static void write_bounded(int fd, const char *bytes, size_t n)
{
    for (int tries = 0; n > 0 && tries < 5;) {
        ssize_t written = write(fd, bytes, n);
        if (written > 0) {
            bytes += written;
            n -= (size_t)written;
        } else if (written < 0 && errno == EAGAIN) {
            struct pollfd waiting = {.fd = fd, .events = POLLOUT};
            poll(&waiting, 1, 50);
            tries++;
        } else if (written < 0 && errno != EINTR) {
            return;
        }
    }
}

/* A signal that kills may come in the middle of it: then its handler does all of it. */
void weir_guard_restore(void)
{
    if (!atomic_load(&is_armed)) {
        return;
    }
    write_bounded(armed_screen.tty, armed_screen.leave, strlen(armed_screen.leave));
    tcsetattr(armed_screen.tty, TCSANOW, &armed_screen.modes);
    weir_stderr_end(&armed_screen.messages);
    atomic_store(&is_armed, 0);
}

ssize_t weir_guard_write(int tty, const void *bytes, size_t n)
{
    ssize_t written = -1;
    atomic_store(&writer, (int)gettid());
    if (atomic_load(&is_dying)) {
        errno = EAGAIN;
    } else {
        written = write(tty, bytes, n);
    }
    int saved = errno;
    atomic_store(&writer, 0);
    errno = saved;
    return written;
}

/* The last restoring: nobody draws after it. What is being drawn is let finish, unless this
 * thread draws it. The terminal is not waited for there, only the processor, which on a loaded
 * machine may take its time. */
static void restore_for_good(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    atomic_store(&is_dying, 1);
    for (int i = 0; i < DRAWING_MS_MAX; i++) {
        int drawing = atomic_load(&writer);
        if (drawing == 0 || drawing == (int)gettid()) {
            break;
        }
        nanosleep(&moment, NULL);
    }
    weir_guard_restore();
}

static void wake(void)
{
    ssize_t ignored = write(wake_pipe[1], "", 1); /* full: already awake */
    (void)ignored;
}

static void restore_previous(int number)
{
    for (size_t i = 0; i < N_SIGNALS; i++) {
        if (signals[i].number == number) {
            sigaction(number, &previous[i], NULL);
        }
    }
}

static void on_end(int number)
{
    int saved = errno, first = 0;
    if (atomic_load(&end_signal) == 0) {
        atomic_store(&end_ns, weir_now_ns());
    }
    if (!atomic_compare_exchange_strong(&end_signal, &first, number) &&
        (number != first || weir_signal_is_another(atomic_load(&end_ns)))) {
        restore_for_good();
        restore_previous(number);
        raise(number);
    }
    wake();
    errno = saved;
}

static void on_event(int number)
{
    int saved = errno;
    atomic_store(number == SIGTSTP   ? &stop_seen
                 : number == SIGCONT ? &resume_seen
                                     : &resize_seen,
                 1);
    wake();
    errno = saved;
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
    (void)context;
    restore_for_good();
    restore_previous(number);
    if (info->si_code <= 0) {
        raise(number); /* sent by someone: nothing would repeat it */
    }
}

static weir_status open_wake_pipe(weir_error *err)
{
    if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        return weir_fail(err, WEIR_ERR_INTERNAL, "terminal view: no pipe for signals: %s",
                         strerror(errno));
    }
    return WEIR_OK;
}

static void install_one(size_t i)
{
    struct sigaction action = {0};
    sigemptyset(&action.sa_mask);
    sigaction(signals[i].number, NULL, &previous[i]);
    if (signals[i].fatal) {
        action.sa_sigaction = signals[i].fatal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    } else {
        action.sa_handler = signals[i].simple;
        action.sa_flags = SA_RESTART;
    }
    if (previous[i].sa_handler != SIG_IGN) {
        sigaction(signals[i].number, &action, NULL);
    }
}

weir_status weir_guard_install(int *wake_fd, weir_error *err)
{
    if (is_installed) {
        return weir_fail(err, WEIR_ERR_INTERNAL, "terminal view: only one at a time");
    }
    weir_status status = open_wake_pipe(err);
    if (status) {
        return status;
    }
    atomic_store(&end_signal, 0);
    atomic_store(&stop_seen, 0);
    atomic_store(&resume_seen, 0);
    atomic_store(&resize_seen, 0);
    if (!has_exit_function) {
        has_exit_function = atexit(weir_guard_restore) == 0;
    }
    stack_t stack = {.ss_sp = fatal_stack, .ss_size = sizeof fatal_stack};
    sigaltstack(&stack, &previous_stack);
    for (size_t i = 0; i < N_SIGNALS; i++) {
        install_one(i);
    }
    is_installed = true;
    *wake_fd = wake_pipe[0];
    return WEIR_OK;
}

void weir_guard_arm(const weir_guard_screen *screen)
{
    armed_screen = *screen;
    weir_stderr_begin(&armed_screen.messages);
    atomic_store(&is_armed, 1);
}

weir_stderr_capture *weir_guard_messages(void)
{
    return atomic_load(&is_armed) ? &armed_screen.messages : NULL;
}

weir_guard_events weir_guard_take(void)
{
    char bytes[64];
    while (read(wake_pipe[0], bytes, sizeof bytes) > 0) {
    }
    return (weir_guard_events){
        .end_signal = atomic_load(&end_signal),
        .stop = atomic_exchange(&stop_seen, 0),
        .resume = atomic_exchange(&resume_seen, 0),
        .resize = atomic_exchange(&resize_seen, 0),
    };
}

void weir_guard_stop(void)
{
    struct sigaction ours, standard = {0};
    standard.sa_handler = SIG_DFL;
    sigemptyset(&standard.sa_mask);
    sigaction(SIGTSTP, &standard, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
    atomic_store(&resume_seen, 0); /* this one is dealt with by our caller */
    atomic_store(&resize_seen, 1);
}

void weir_guard_remove(void)
{
    weir_guard_restore();
    if (!is_installed) {
        return;
    }
    for (size_t i = 0; i < N_SIGNALS; i++) {
        sigaction(signals[i].number, &previous[i], NULL);
    }
    sigaltstack(&previous_stack, NULL);
    close(wake_pipe[0]);
    close(wake_pipe[1]);
    wake_pipe[0] = wake_pipe[1] = -1;
    is_installed = false;
}
