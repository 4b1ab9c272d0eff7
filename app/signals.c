#include "app/signals.h"

#include <signal.h>

static volatile sig_atomic_t caught;

static void on_signal(int signal_number)
{
    caught = signal_number;
}

void weir_signals_install(void)
{
    static const int orderly[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
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
