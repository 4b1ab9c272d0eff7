/* UTF-8 text as a terminal lays it out, independent of the locale. Pure. */
#ifndef WEIR_DISPLAY_TERM_TEXT_H
#define WEIR_DISPLAY_TERM_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Decodes one code point of a non-empty text; returns the bytes taken (>= 1). Bytes
 * that are no UTF-8 (overlong forms and surrogates too) and control characters come
 * out as '?'. */
size_t weir_text_next(const char *text, uint32_t *glyph);

/* 0 for combining marks and other zero-width ones, 2 for wide ones, else 1. */
size_t weir_glyph_columns(uint32_t glyph);

/* Columns that a text takes. */
size_t weir_text_columns(const char *text);

/* Bytes of the text's begin that fit into so many columns: all of it, else up to and with a blank
 * if there is one in the second half, else as many as fit; at least one glyph. */
size_t weir_text_fit(const char *text, size_t n_columns);

#endif
