/* What the terminal can show: colours, character set, scrolling.
 *
 * The choice is a pure function of a few facts, so that every terminal can be tested
 * without having it. Thread-safe.
 */
#ifndef WEIR_DISPLAY_TERM_CAPS_H
#define WEIR_DISPLAY_TERM_CAPS_H

#include "display/term_graphics.h"
#include "display/view.h"

#include <stdbool.h>

typedef struct weir_term_facts {
    const char *term;      /* TERM                                              */
    const char *colorterm; /* COLORTERM                                         */
    const char *no_color;  /* NO_COLOR: present and not empty disables colour   */
    const char *codeset;   /* nl_langinfo(CODESET) of the user's locale         */
    bool is_gnu_screen;    /* STY is set: it passes COLORTERM on, but cannot do; in tmux
                              or around it, too */
    int n_colors;          /* terminfo "colors"; negative: none                   */
    bool has_rgb;          /* terminfo "RGB" or "Tc"                            */
    bool has_mouse;        /* terminfo "kmous"                                  */
    bool can_scroll;       /* the VT100 scroll region and reverse index         */
} weir_term_facts;

typedef struct weir_term_caps {
    weir_view_color color; /* never WEIR_COLOR_AUTO */
    bool is_utf8;
    bool has_few_glyphs; /* the Linux console: its fonts have what CP437 has */
    bool can_scroll;
    bool has_mouse; /* takes the modes 1003 and 1006 */
    weir_graphics graphics;
} weir_term_caps;

/* An explicit wish wins over the environment, the environment over terminfo. */
weir_term_caps weir_term_caps_choose(const weir_term_facts *facts, weir_view_color color,
                                     weir_view_charset charset);

#endif
