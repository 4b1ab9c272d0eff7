#include "display/term_caps.h"

#include <string.h>
#include <strings.h>

static bool says_direct(const weir_term_facts *facts)
{
    if (facts->has_rgb) {
        return true;
    }
    if (!facts->colorterm || facts->is_gnu_screen) {
        return false;
    }
    return strcmp(facts->colorterm, "truecolor") == 0 || strcmp(facts->colorterm, "24bit") == 0;
}

static weir_view_color automatic_color(const weir_term_facts *facts)
{
    if (facts->no_color && facts->no_color[0] != '\0') {
        return WEIR_COLOR_NONE;
    }
    if (facts->n_colors < 8) {
        return WEIR_COLOR_NONE;
    }
    if (says_direct(facts)) {
        return WEIR_COLOR_DIRECT;
    }
    if (facts->n_colors >= 256) {
        return WEIR_COLOR_256;
    }
    return facts->n_colors >= 16 ? WEIR_COLOR_16 : WEIR_COLOR_8;
}

static bool is_utf8_codeset(const char *codeset)
{
    return codeset && (strcasecmp(codeset, "UTF-8") == 0 || strcasecmp(codeset, "utf8") == 0);
}

weir_term_caps weir_term_caps_choose(const weir_term_facts *facts, weir_view_color color,
                                     weir_view_charset charset)
{
    return (weir_term_caps){
        .color = color == WEIR_COLOR_AUTO ? automatic_color(facts) : color,
        .is_utf8 = charset == WEIR_CHARSET_AUTO ? is_utf8_codeset(facts->codeset)
                                                : charset == WEIR_CHARSET_UTF8,
        .has_few_glyphs = facts->term && strncmp(facts->term, "linux", 5) == 0,
        .can_scroll = facts->can_scroll,
        .has_mouse = facts->has_mouse,
    };
}
