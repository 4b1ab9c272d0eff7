/* Names that can stand in options, one list a topic: for `weir list` and completions. */
#ifndef WEIR_APP_LISTS_H
#define WEIR_APP_LISTS_H

#include <stddef.h>

/* The topics' names; NULL past the end. */
const char *weir_list_topic_at(size_t index);

#endif
