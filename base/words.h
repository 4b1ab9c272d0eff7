/* A command line, cut into words without a shell.
 *
 * Words are separated by spaces, tabs and newlines. '...' is taken as it is; in "..." a
 * backslash before " or \ takes that character as it is; elsewhere a backslash does so for any
 * character. Quoted parts join with what they touch; '' is an empty word. Nothing else is
 * special: no variables, no patterns, no redirections. Pure; the result is one allocation.
 */
#ifndef WEIR_BASE_WORDS_H
#define WEIR_BASE_WORDS_H

#include "base/status.h"

/* *words gets a NULL-terminated array, to be given to free(). WEIR_ERR_USAGE for a quote
 * without its end, a backslash at the end, or no words at all. */
weir_status weir_words_split(const char *text, char ***words, weir_error *err);

#endif
