/* Files that a command reads are not written over by it, and none is written twice. */
#ifndef WEIR_APP_KEPT_FILES_H
#define WEIR_APP_KEPT_FILES_H

#include "app/settings.h"
#include "base/status.h"

/* A result takes its file's place at the end: an input (whatever name leads to its samples: also
 * core:dataset, or standard input), a mask, a calibration of the same name would be gone, and so
 * would the first of two results, or what --alert-record wrote meanwhile. Main thread only, before
 * anything is opened. What is no regular file (/dev/null, a FIFO) may be named as often as one
 * likes. */
weir_status weir_keep_files(const weir_settings *settings, int n_arguments, char *const *arguments,
                            weir_error *err);

#endif
