/* Names that can stand in options, one list a topic: for `weir list` and completions. */
#ifndef WEIR_APP_LISTS_H
#define WEIR_APP_LISTS_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the names of a topic, one a line. False: no such topic. */
bool weir_list_print(FILE *out, const char *topic);
/* The topics' names; NULL past the end. */
const char *weir_list_topic_at(size_t index);

#endif
