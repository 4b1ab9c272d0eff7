/* What terminfo says of the terminal: the only file that calls ncurses.
 *
 * ncurses is used for its terminfo reader alone: its screen writes blocking and runs
 * out of colour pairs. Main thread only (terminfo keeps process-wide state).
 */
#ifndef WEIR_DISPLAY_TERM_INFO_H
#define WEIR_DISPLAY_TERM_INFO_H

#include "base/status.h"
#include "display/term_caps.h"

/* Fills facts (strings are borrowed from the environment) and the sequences that enter
 * and leave the screen. WEIR_ERR_UNSUPPORTED, naming what to do, when TERM is unset,
 * unknown, dumb or not ANSI, or when this build has no ncurses. */
typedef struct weir_term_strings {
    char enter[160]; /* alternate screen, keypad, cursor off, no wrap */
    char leave[192]; /* the opposite, and every mode we may have set  */
} weir_term_strings;

weir_status weir_term_info_read(weir_term_facts *facts, weir_term_strings *strings,
                                weir_error *err);

#endif
