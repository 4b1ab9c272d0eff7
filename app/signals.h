/* Signals of a headless run: the first SIGINT, SIGTERM or SIGHUP asks for an orderly
 * end (outputs are completed), the same again ends at once, unless it was sent twice
 * (base/signal_time.h). Main thread only. */
#ifndef WEIR_APP_SIGNALS_H
#define WEIR_APP_SIGNALS_H

void weir_signals_install(void);
/* The signal that asked for the end, or 0. */
int weir_signals_caught(void);
/* Ends the process by that signal, so that the caller sees 130, 143 ... */
void weir_signals_raise_again(int signal_number);

#endif
