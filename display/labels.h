/* Names of channels and bands, from a file: what the frequency axis says besides numbers.
 *
 * A line is "frequency,name" or "low,high,name" (frequencies as in "100.3M"; the name may have
 * commas after the first one); blank lines and those that begin with "#" are left out, and so is
 * a heading, a first line without a frequency. Pure but for load; a loaded list is only read.
 */
#ifndef WEIR_DISPLAY_LABELS_H
#define WEIR_DISPLAY_LABELS_H

#include "base/status.h"

#include <stddef.h>

typedef struct weir_label {
    double low_hz, high_hz; /* the same: a single frequency */
    char name[48];          /* UTF-8, cut where it is longer */
} weir_label;

typedef struct weir_labels {
    weir_label *rows; /* by low_hz; owned */
    size_t n;
} weir_labels;

/* WEIR_ERR_DATA names the line. At most 100000 rows. *labels must be empty (zeros). */
weir_status weir_labels_load(weir_labels *labels, const char *path, weir_error *err);
void weir_labels_free(weir_labels *labels);
/* The narrowest one that a frequency lies in, or a single one within slack_hz; NULL: none. */
const weir_label *weir_labels_at(const weir_labels *labels, double hz, double slack_hz);

#endif
