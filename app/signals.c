#include "app/signals.h"

#include "base/clock.h"
#include "base/signal_time.h"

#include <signal.h>
#include <stdatomic.h>

static volatile sig_atomic_t caught;
static atomic_int_fast64_t caught_ns;

static void on_signal(int signal_number)
{
    if (caught != signal_number) {
        atomic_store(&caught_ns, weir_now_ns());
        caught = signal_number;
    } else if (weir_signal_is_another(atomic_load(&caught_ns))) {
        weir_signals_raise_again(signal_number); /* as soon as this handler is left */
    }
}

void weir_signals_install(void)
{
    static const int orderly[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < sizeof orderly / sizeof orderly[0]; i++) {
        struct sigaction before;
        sigaction(orderly[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) { /* nohup keeps its meaning */
            sigaction(orderly[i], &action, NULL);
        }
    }
}

int weir_signals_caught(void)
{
    return caught;
}

void weir_signals_raise_again(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}
