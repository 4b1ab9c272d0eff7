#include "display/term_graphics_guess.h"

#include "weir_config.h"

#include <stdlib.h>
#include <string.h>

#if WEIR_HAVE_CHAFA

#include <chafa.h>

static bool is_in_the_list(void)
{
    gchar **environment = g_get_environ();
    ChafaTermInfo *info = chafa_term_db_detect(chafa_term_db_get_default(), environment);
    bool knows = chafa_term_info_have_seq(info, CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1);
    chafa_term_info_unref(info);
    g_strfreev(environment);
    return knows;
}

#else

static bool is_in_the_list(void)
{
    return false;
}

#endif

/* Newer than the list. */
static const struct {
    const char *variable, *start; /* "": anything */
} signs[] = {
    {"KITTY_WINDOW_ID", ""},     {"TERM", "xterm-kitty"},     {"TERM", "xterm-ghostty"},
    {"TERM_PROGRAM", "ghostty"}, {"TERM_PROGRAM", "WezTerm"}, {"KONSOLE_VERSION", ""},
};

bool weir_graphics_may_be_kitty(void)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *value = getenv(signs[i].variable);
        if (value && value[0] && strncmp(value, signs[i].start, strlen(signs[i].start)) == 0) {
            return true;
        }
    }
    return is_in_the_list();
}

const char *weir_graphics_obstacle(void)
{
    const char *term = getenv("TERM");
    bool has_names = getenv("TMUX") || getenv("STY");
    if (getenv("TMUX") || (term && strncmp(term, "tmux", 4) == 0)) {
        return "tmux";
    }
    /* over ssh the variables are gone, the type stays */
    return has_names || (term && strncmp(term, "screen", 6) == 0) ? "GNU screen" : NULL;
}
