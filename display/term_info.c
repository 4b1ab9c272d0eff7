#include "display/term_info.h"

#include "weir_config.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if WEIR_HAVE_NCURSES

#include <curses.h>
#include <term.h>

static const char *capability(const char *name)
{
    char query[16];
    snprintf(query, sizeof query, "%s", name); /* tigetstr wants a writable name in old headers */
    const char *value = tigetstr(query);
    return value && value != (const char *)-1 ? value : "";
}

static bool has_flag(const char *name)
{
    char query[16];
    snprintf(query, sizeof query, "%s", name);
    return tigetflag(query) > 0;
}

/* Padding, "$<5>", is for slow serial lines and must not reach the terminal. */
static void append(char *out, size_t size, const char *sequence)
{
    size_t n = strlen(out);
    while (*sequence && n + 1 < size) {
        const char *end = strncmp(sequence, "$<", 2) == 0 ? strchr(sequence, '>') : NULL;
        if (end) {
            sequence = end + 1;
            continue;
        }
        out[n++] = *sequence++;
    }
    out[n] = '\0';
}

static bool is_like(const char *name, const char *start)
{
    return strncmp(capability(name), start, strlen(start)) == 0;
}

static void read_strings(weir_term_strings *strings)
{
    *strings = (weir_term_strings){{0}, {0}};
    append(strings->enter, sizeof strings->enter, capability("smcup"));
    append(strings->enter, sizeof strings->enter, capability("civis"));
    append(strings->enter, sizeof strings->enter, "\033[?7l");
    /* CAN ends a sequence that was cut off; 2026 is the synchronised update. Cleared even
     * where an alternate screen is left: tmux keeps parts of one that was resized. */
    append(strings->leave, sizeof strings->leave,
           "\030\033[?2026l\033[?1003l\033[?1006l\033[r\033[?7h\033[0m\033[H\033[J");
    append(strings->leave, sizeof strings->leave, capability("cnorm"));
    append(strings->leave, sizeof strings->leave, capability("rmcup"));
}

/* The codeset of the user's locale, without changing the process's. The names that
 * matter, since the locale's own string does not outlive it. */
static const char *user_codeset(void)
{
    locale_t user = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!user) {
        return "";
    }
    bool is_utf8 = strcmp(nl_langinfo_l(CODESET, user), "UTF-8") == 0;
    freelocale(user);
    return is_utf8 ? "UTF-8" : "";
}

static weir_status check_terminal(const char *term, weir_error *err)
{
    static const char hint[] = "set TERM to what the terminal is, e.g. xterm-256color or vt100";
    if (!term || term[0] == '\0') {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "TERM is not set; %s", hint);
    }
    int found = 0;
    if (setupterm(term, 1, &found) != OK) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "TERM=%s: terminal not known here; %s", term,
                         hint);
    }
    if (!is_like("cup", "\033[%i%p1%d;%p2%dH")) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "TERM=%s: cannot place the cursor; %s", term,
                         hint);
    }
    return WEIR_OK;
}

weir_status weir_term_info_read(weir_term_facts *facts, weir_term_strings *strings, weir_error *err)
{
    const char *term = getenv("TERM");
    weir_status status = check_terminal(term, err);
    if (status) {
        return status;
    }
    char colors[] = "colors";
    *facts = (weir_term_facts){
        .term = term,
        .colorterm = getenv("COLORTERM"),
        .no_color = getenv("NO_COLOR"),
        .codeset = user_codeset(),
        .is_gnu_screen = getenv("STY") != NULL,
        .n_colors = tigetnum(colors),
        .has_rgb = has_flag("RGB") || has_flag("Tc"),
        .has_mouse = capability("kmous")[0] != '\0',
        .can_scroll = is_like("csr", "\033[%i%p1%d;%p2%dr") && is_like("ri", "\033M"),
    };
    read_strings(strings);
    del_curterm(cur_term);
    return WEIR_OK;
}

#else

weir_status weir_term_info_read(weir_term_facts *facts, weir_term_strings *strings, weir_error *err)
{
    *facts = (weir_term_facts){0};
    *strings = (weir_term_strings){{0}, {0}};
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "this build has no terminal view; install ncursesw and configure with "
                     "-DWEIR_NCURSES=ON");
}

#endif
